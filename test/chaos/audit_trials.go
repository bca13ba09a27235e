package main

import (
	"fmt"
	"slices"
	"time"
)

// The least counts that make a storm meaningful.
const (
	repeatedLeast = 20
	leftLeast     = 50
	reloadedLeast = 3
	settledLeast  = 20
)

// auditTrials checks that each trial happened, because a storm without it shows nothing about it.
func (f *findings) auditTrials() {
	long := 0
	for _, a := range f.absences {
		if a.victim == victimPostgres && a.respawn.Sub(a.gone) > lostAfter {
			long++
		}
	}
	atLeast := func(what string, got, least int) {
		if got < least {
			f.violatef("the storm had too few %s: got %d, want at least %d", what, got, least)
		}
	}
	atLeast("times without Postgres of more than "+lostAfter.String(), long, 1)
	atLeast("kills of PgBouncer", f.kills()[victimPooler.kind()], 1)
	if f.lockedFor < lockedFor {
		f.violatef("the storm locked an account's row for %s, want %s", f.lockedFor.Round(time.Millisecond), lockedFor)
	}
	atLeast("answers with 503 for the team of the locked account", f.outage.locked, 1)
	atLeast("answers to other teams meanwhile", f.outage.beside, 1)
	atLeast("answers repeated for nothing by key", f.repeats.freeKeys, repeatedLeast)
	atLeast("answers repeated for nothing by wallet", f.repeats.freeCoins, repeatedLeast)
	atLeast("clients that left", f.repeats.left, leftLeast)
	atLeast("reloads of x402 settings alone", f.reloads, reloadedLeast)
	if len(f.settledOn) < 2 || slices.Min(f.settledOn) < settledLeast {
		f.violatef("the storm had too few payments on one network: got %s, want at least %d on each of two", fmt.Sprint(f.settledOn), settledLeast)
	}
	atLeast("payments at edges that do not settle on their network", f.repeats.elsewhere, 1)
}
