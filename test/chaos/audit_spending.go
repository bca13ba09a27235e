package main

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// captureWithin is how long a capture may take when the database is up: the current batch, and the capture's own.
// Anything served longer than that before its edge was killed must be charged.
const captureWithin = time.Second

// spendingFigures are the counts from the audit of the requests paid by key.
type spendingFigures struct {
	served, charged exposure
	inFlight        exposure // when their edges were killed
	holds           int
	unanswered      int           // authorised, and never answered with 200
	broke           int           // refused for lack of credits
	earliestGiven   time.Duration // before its kill, the earliest response that was served and not charged
	widest          exposure      // the largest served − charged of one key
	widestBound     exposure      // that key's requests that were in flight or not yet captured
	statuses        map[string]map[int]int
}

// audit compares each response by key with its hold, and the charges of each key with its responses.
func (s *spending) audit(b *books, f *findings) {
	f.spent.statuses, f.spent.holds = s.statuses, len(b.holds)
	servedByKey := make([]exposure, len(b.teams))
	bound := make([]exposure, len(b.teams)) // in flight at a kill, or served and perhaps not yet captured
	answered := make(map[uuid.UUID]bool, len(s.served))
	incarnations := make(map[*incarnation]bool)
	for i := range s.served {
		got := &s.served[i]
		incarnations[got.inc] = true
		one := exposure{1, got.price}
		servedByKey[got.key] = servedByKey[got.key].plus(one)
		f.spent.served = f.spent.served.plus(one)
		// Requests that were in flight when the edge was killed are counted below.
		if got.inc != nil && got.at.Before(got.inc.killed()) && servedJustBeforeKill(b.absencesFor(got.key), got.inc, got.at) {
			bound[got.key] = bound[got.key].plus(one)
		}
		f.checkServed(b, got, answered)
	}
	for inc := range incarnations {
		for key, e := range inc.flightsAtKill() {
			f.spent.inFlight = f.spent.inFlight.plus(e)
			bound[key] = bound[key].plus(e)
		}
	}
	for id, h := range b.holds {
		if answered[id] || b.isRepeater(h.account) {
			continue
		}
		f.spent.unanswered++
		if h.captured {
			f.violatef("hold %s of account %d is charged, and nobody was answered", id, h.account)
		}
	}
	f.checkKeys(b, servedByKey, bound)
	f.checkBroke(b, s.broke)
	f.auditOutages(b.absences, s)
	f.auditLock(b, s)
}

// absencesFor returns the absences for a key. For the key whose account was locked they include the time of the lock,
// because nothing can be written for it then.
func (b *books) absencesFor(key int) []absence {
	if key != lockedTeam || b.locked[1].IsZero() {
		return b.absences
	}
	return append(slices.Clip(b.absences), absence{victim: accountLock, from: b.locked[0], to: b.locked[1]})
}

// isRepeater reports whether an account belongs to a team that requests one thing several times.
func (b *books) isRepeater(account int64) bool {
	return slices.ContainsFunc(b.repeaters, func(t team) bool { return t.account == account })
}

// stalledMost is the longest time without a served request that is allowed while one account's row is locked.
const stalledMost = 2 * time.Second

// auditLock checks that, while an account's row is locked, other teams do not wait for it, and its own team waits or
// is refused but never gets anything unpaid.
func (f *findings) auditLock(b *books, s *spending) {
	from, to := b.locked[0], b.locked[1]
	if to.IsZero() {
		return
	}
	var others []time.Time
	for i := range s.served {
		got := &s.served[i]
		switch {
		case got.at.Before(from) || got.at.After(to):
		case got.key != lockedTeam:
			others = append(others, got.at)
		case got.begun.After(from):
			f.violatef("job %s was served to the team whose account is locked", got.job)
		}
	}
	for _, r := range s.refusals {
		if r.key == lockedTeam && r.begun.After(from) && r.begun.Before(to) {
			f.outage.locked++
		}
	}
	slices.SortFunc(others, time.Time.Compare)
	f.outage.beside = len(others)
	last := from
	for _, at := range append(others, to) {
		if gap := timeWithout(b.absences, last, at, victimUpstream, victimPostgres, victimPooler); gap > f.outage.stalled {
			f.outage.stalled = gap
		}
		last = at
	}
	if f.outage.stalled > stalledMost {
		f.violatef("while the row of one account was locked nobody was served for %s, want at most %s", f.outage.stalled, stalledMost)
	}
}

// servedJustBeforeKill reports whether a response came so shortly before its edge was killed that its capture or its
// claim's end may not have been written. A response in flight at the kill may be read a moment after it.
func servedJustBeforeKill(absences []absence, inc *incarnation, at time.Time) bool {
	if inc == nil {
		return false
	}
	killedAt := inc.killed()
	return !killedAt.IsZero() && timeWithout(absences, at, killedAt, victimPostgres, victimPooler, accountLock) <= captureWithin
}

// checkServed checks that a response has an authorisation of its team at its price, which still exists.
func (f *findings) checkServed(b *books, got *served, answered map[uuid.UUID]bool) {
	job := b.jobs[got.job]
	if job == nil {
		f.violatef("job %q was answered, and the upstream knows nothing of it", got.job)
		return
	}
	if answered[job.payment] {
		f.violatef("job %s was answered twice", got.job)
	}
	answered[job.payment] = true
	h, ok := b.holds[job.payment]
	switch {
	case !ok:
		f.violatef("job %s was served, and its authorisation is lost", got.job)
	case h.account != b.teams[got.key].account:
		f.violatef("job %s of %s is held on account %d", got.job, b.teams[got.key].id, h.account)
	case h.amount != got.price:
		f.violatef("job %s costs %d, and %d were held", got.job, got.price, h.amount)
	case !h.captured:
		f.checkGiven(b, got)
	}
}

// checkGiven checks that anything served and not charged was served too late to be charged.
func (f *findings) checkGiven(b *books, got *served) {
	killedAt := got.inc.killed()
	if killedAt.IsZero() {
		f.violatef("job %s was served by an edge that was not killed, and is not charged", got.job)
		return
	}
	before := timeWithout(b.absencesFor(got.key), got.at, killedAt, victimPostgres, victimPooler, accountLock)
	f.spent.earliestGiven = max(f.spent.earliestGiven, before)
	if before > captureWithin {
		f.violatef("job %s was served %s before its edge was killed, and is not charged", got.job, before)
	}
}

// checkKeys checks that what a key was served beyond what it paid was in flight, or not yet captured, when an edge
// was killed, and that a key never pays more than it was served.
func (f *findings) checkKeys(b *books, servedByKey, bound []exposure) {
	for key, t := range b.teams {
		charged := b.charges[t.account]
		f.spent.charged = f.spent.charged.plus(charged)
		gap := servedByKey[key].minus(charged)
		if gap.requests < 0 || gap.requests > bound[key].requests {
			f.violatef("%s: served − charged is %d requests, want 0 to %d", t.id, gap.requests, bound[key].requests)
		}
		if gap.credits < 0 || gap.credits > bound[key].credits {
			f.violatef("%s: served − charged is %d credits, want 0 to %d", t.id, gap.credits, bound[key].credits)
		}
		if gap.requests > f.spent.widest.requests {
			f.spent.widest, f.spent.widestBound = gap, bound[key]
		}
	}
}

// checkBroke checks that only teams that could not pay the highest price were refused for lack of credits.
func (f *findings) checkBroke(b *books, broke map[int]int) {
	for key, times := range broke {
		f.spent.broke += times
		t := b.teams[key]
		// A killed edge's hold cannot be spent until it is swept, so the balance may have grown since.
		if left := b.balances[t.id].Balance; t.granted == grantedRich {
			f.violatef("%s was refused %d times for want of credits, and has %d", t.id, times, left)
		}
	}
}

// flightsAtKill returns the metered requests that were in flight when the edge was killed, by key.
func (i *incarnation) flightsAtKill() map[int]exposure {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.atKill
}
