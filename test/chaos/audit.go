package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// findings are the results of the audit.
type findings struct {
	violations []string
	absences   []absence
	spent      spendingFigures
	outage     outageFigures
	bought     buyingFigures
	toppedUp   topupFigures
	repeats    repeatFigures
	jobs       int
	reloads    int           // configurations that changed only x402 settings
	settledOn  []int         // payments, by chain
	lockedFor  time.Duration // how long an account's row was locked
}

func (f *findings) violatef(format string, args ...any) {
	f.violations = append(f.violations, fmt.Sprintf(format, args...))
}

// audit checks that the records agree with each other, and then with the responses that the clients received.
func audit(ctx context.Context, p *place, l *load) (*findings, error) {
	b, err := readBooks(ctx, p)
	if err != nil {
		return nil, err
	}
	f := &findings{absences: b.absences, jobs: len(b.jobs), reloads: p.reloads, settledOn: b.settledOn, lockedFor: b.locked[1].Sub(b.locked[0])}
	f.violations = append(f.violations, p.faults...)
	f.auditBooks(b)
	for _, k := range l.kinds {
		k.audit(b, f)
	}
	return f, nil
}

// auditBooks checks that the records agree with each other.
func (f *findings) auditBooks(b *books) {
	for _, d := range b.differences {
		f.violatef("ledger: %s %s", d.TeamID, d.Detail)
	}
	for _, a := range b.overdrawn {
		f.violatef("account of %s: available %d, owed %d", a.TeamID, a.Available, a.Owed)
	}
	for name, job := range b.jobs {
		if job.times > 1 {
			f.violatef("job %s was done %d times", name, job.times)
		}
	}
	for id, h := range b.holds {
		if h.open {
			f.violatef("hold %s of account %d is still open", id, h.account)
		}
	}
	for _, t := range slices.Concat(b.teams, b.repeaters) {
		want := t.granted + b.boughtBy(t.id) - b.charges[t.account].credits
		if got := b.balances[t.id]; got.Balance != want || got.Held != 0 || got.Owed != 0 {
			f.violatef("%s has a balance of %d with %d held and %d owed, want %d with 0 and 0", t.id, got.Balance, got.Held, got.Owed, want)
		}
	}
}

// kills counts the kills by kind of process.
func (f *findings) kills() map[string]int {
	kills := make(map[string]int)
	for _, a := range f.absences {
		kills[a.victim.kind()]++
	}
	return kills
}

// longestAbsence is the longest time for which a kind of process was down.
func (f *findings) longestAbsence(kind string) (longest time.Duration) {
	for _, a := range f.absences {
		if a.victim.kind() == kind {
			longest = max(longest, a.to.Sub(a.from))
		}
	}
	return longest
}

// outageFigures are what clients saw while the database (Postgres or the pooler) was down.
type outageFigures struct {
	refusals   []time.Duration // how long each request took that got 503 while the database was down
	recoveries []time.Duration // from its return to each living edge's next response
	locked     int             // 503 for the team whose account's row was locked
	beside     int             // responses to other teams meanwhile
	stalled    time.Duration   // the longest time without one
}

// backWithin is how soon after the database an edge must serve again.
const backWithin = 5 * time.Second

// auditOutages checks that nothing is served without a database, and that each living edge serves again soon after.
func (f *findings) auditOutages(absences []absence, s *spending) {
	byEdge := make(map[*incarnation][]*served)
	for i := range s.served {
		byEdge[s.served[i].inc] = append(byEdge[s.served[i].inc], &s.served[i])
	}
	for i := range absences {
		outage := &absences[i]
		if !outage.victim.isDatabase() {
			continue
		}
		for j := range s.served {
			if got := &s.served[j]; got.begun.After(outage.gone) && got.at.Before(outage.respawn) {
				f.violatef("job %s was asked for and served while there was no %s", got.job, outage.victim)
			}
		}
		for _, r := range s.refusals {
			if r.begun.After(outage.from) && r.begun.Before(outage.to) {
				f.outage.refusals = append(f.outage.refusals, r.took)
			}
		}
		for inc, answers := range byEdge {
			f.checkRecovery(absences, outage, inc, answers)
		}
	}
}

// checkRecovery measures how soon an edge that outlived an outage served again. Times in which its upstream, or
// Postgres again, was down do not count.
func (f *findings) checkRecovery(absences []absence, outage *absence, inc *incarnation, answers []*served) {
	killedAt := inc.killed()
	if inc.startAt.After(outage.from) || !killedAt.IsZero() && killedAt.Before(outage.to) {
		return
	}
	var first time.Time
	for _, a := range answers {
		if a.begun.After(outage.to) && (first.IsZero() || a.at.Before(first)) {
			first = a.at
		}
	}
	end := first
	if first.IsZero() {
		end = killedAt // killed meanwhile, or it never recovered
		if end.IsZero() {
			f.violatef("edge %d at %s never served again after %s had come back", inc.number, inc.edge.Address, outage.victim)
			return
		}
	}
	others := make([]absence, 0, len(absences))
	for i := range absences {
		if a := &absences[i]; a != outage {
			others = append(others, *a)
		}
	}
	took := timeWithout(others, outage.to, end, victimUpstream, victimPostgres, victimPooler)
	if took > backWithin {
		f.violatef("edge %d at %s took %s to serve again after %s had come back, want at most %s",
			inc.number, inc.edge.Address, took, outage.victim, backWithin)
	}
	if !first.IsZero() {
		f.outage.recoveries = append(f.outage.recoveries, took)
	}
}

// absence is a time in which one of the processes was down.
type absence struct {
	victim  victim
	from    time.Time // just before the kill
	gone    time.Time // certainly dead
	respawn time.Time // the restart began
	to      time.Time // serves again
}

// reconnectWithin is how long an edge may need to find a database that is up again: package credits retries at
// intervals of at most 500 ms, and so does the pooler (server_login_retry).
const reconnectWithin = 2 * time.Second

// timeWithout returns how much of the time from one moment to another no victim was down. The time that edges need to
// reconnect after a database is back counts as down.
func timeWithout(absences []absence, from, to time.Time, victims ...victim) time.Duration {
	type span struct{ from, to time.Time }
	var spans []span
	for _, a := range absences {
		if !slices.Contains(victims, a.victim) {
			continue
		}
		end := a.to
		if a.victim.isDatabase() && !end.IsZero() {
			end = end.Add(reconnectWithin)
		}
		if end.IsZero() || end.After(to) {
			end = to
		}
		spans = append(spans, span{a.from, end})
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
	var with time.Duration
	at := from
	for _, s := range spans {
		if s.from.After(at) {
			with += max(earlier(s.from, to).Sub(at), 0)
		}
		if s.to.After(at) {
			at = s.to
		}
	}
	return with + max(to.Sub(at), 0)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
