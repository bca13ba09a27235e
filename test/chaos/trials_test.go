package main

import (
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// The audit fails a storm that lacked one of its trials, since such a storm proves less than it claims.
func TestAuditMissesTrials(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		take func(f *findings)
		want string
	}{
		{"nothing", func(*findings) {}, ""},
		{"a short time without Postgres", func(f *findings) { f.absences[0].respawn = f.absences[0].gone.Add(lostAfter) }, "times without Postgres"},
		{"PgBouncer was not hit", func(f *findings) { f.absences = f.absences[:1] }, "kills of PgBouncer"},
		{"nothing was locked", func(f *findings) { f.lockedFor = 0 }, "for 0s, want 20s"},
		{"nobody asked for what was locked", func(f *findings) { f.outage.locked = 0 }, "the locked account"},
		{"nobody else asked meanwhile", func(f *findings) { f.outage.beside = 0 }, "answers to other teams"},
		{"nothing repeated by key", func(f *findings) { f.repeats.freeKeys = 0 }, "for nothing by key"},
		{"nothing repeated by wallet", func(f *findings) { f.repeats.freeCoins = 0 }, "for nothing by wallet"},
		{"nobody left", func(f *findings) { f.repeats.left = 0 }, "clients that left"},
		{"no reload", func(f *findings) { f.reloads = 0 }, "reloads of x402"},
		{"one network", func(f *findings) { f.settledOn = f.settledOn[:1] }, "payments on one network"},
		{"nothing on the other network", func(f *findings) { f.settledOn[1] = 0 }, "payments on one network"},
		{"each at an edge of its network", func(f *findings) { f.repeats.elsewhere = 0 }, "do not settle on their network"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			zero := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			f := &findings{
				absences:  []absence{{victim: victimPostgres, gone: zero, respawn: zero.Add(awayFor)}, {victim: victimPooler}},
				lockedFor: lockedFor, reloads: reloadedLeast, settledOn: []int{settledLeast, settledLeast},
				outage:  outageFigures{locked: 1, beside: 1},
				repeats: repeatFigures{freeKeys: repeatedLeast, freeCoins: repeatedLeast, left: leftLeast, elsewhere: 1},
			}
			test.take(f)
			f.auditTrials()
			wantViolations(t, f.violations, test.want)
		})
	}
}

// While an account's row is locked, the audit allows no response to its team and requires responses to all others.
func TestAuditOfALockedAccount(t *testing.T) {
	t.Parallel()
	const seconds = 20
	zero := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(s float64) time.Time { return zero.Add(time.Duration(s * float64(time.Second))) }
	for _, test := range []struct {
		name  string
		plant func(b *books, s *spending)
		want  string
	}{
		{"nothing", func(*books, *spending) {}, ""},
		{"its team is served", func(_ *books, s *spending) {
			s.served = append(s.served, served{job: "free", key: lockedTeam, begun: at(1), at: at(2)})
		}, "job free was served to the team whose account is locked"},
		{"its team was under way", func(_ *books, s *spending) {
			s.served = append(s.served, served{job: "before", key: lockedTeam, begun: at(-1), at: at(1)})
		}, ""},
		{"nobody is served for a while", func(_ *books, s *spending) { s.served = append(s.served[:10], s.served[13:]...) }, "nobody was served for 4s"},
		{"nobody is served at its end", func(_ *books, s *spending) { s.served = s.served[:10] }, "nobody was served for 11s"},
		{"nobody is served for a while, without a pooler", func(b *books, s *spending) {
			s.served = append(s.served[:10], s.served[13:]...)
			b.absences = []absence{{victim: victimPooler, from: at(9.5), to: at(11.5)}}
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := &books{locked: [2]time.Time{at(0), at(seconds)}}
			s := &spending{refusals: []refusal{{key: lockedTeam, begun: at(3)}, {key: 0, begun: at(3)}, {key: lockedTeam, begun: at(seconds + 1)}}}
			inc := &incarnation{edge: &rig.Edge{}}
			for second := range seconds {
				s.served = append(s.served, served{inc: inc, begun: at(float64(second)), at: at(float64(second))})
			}
			test.plant(b, s)
			f := new(findings)
			f.auditLock(b, s)
			wantViolations(t, f.violations, test.want)
			if f.outage.locked != 1 {
				t.Errorf("answers with 503 for the locked team: got %d, want 1", f.outage.locked)
			}
		})
	}
}

// The audit excuses an uncharged response only to the team whose account was locked, and only during the lock.
func TestAuditOfWhatALockKeeps(t *testing.T) {
	t.Parallel()
	zero := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(s float64) time.Time { return zero.Add(time.Duration(s * float64(time.Second))) }
	b := &books{locked: [2]time.Time{at(0), at(20)}}
	for _, test := range []struct {
		name   string
		key    int
		at     float64
		killed float64
		want   string
	}{
		{"its team's, within the lock", lockedTeam, 1, 12, ""},
		{"another team's", lockedTeam - 1, 1, 12, "served 11s before its edge was killed"},
		{"its team's, long before", lockedTeam, -5, 12, "served 5s before its edge was killed"},
		{"its team's, long after", lockedTeam, 1, 22, "served 2s before its edge was killed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := new(findings)
			f.checkGiven(b, &served{job: "a", key: test.key, at: at(test.at), inc: &incarnation{killedAt: at(test.killed)}})
			wantViolations(t, f.violations, test.want)
		})
	}
}
