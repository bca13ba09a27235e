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
