package main

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// captureWithin is how long a capture may take when the database is up: the batch under way, and its own. What was
// served longer than that before its edge was killed must be charged.
const captureWithin = time.Second

// spendingFigures are what the audit of the load by key has counted.
type spendingFigures struct {
	served, charged exposure
	inFlight        exposure // at the kills of their edges
	holds           int
	unanswered      int           // authorised, and never answered with 200
	broke           int           // refused for want of credits
	earliestGiven   time.Duration // before its kill, the earliest that was served and not charged
	widest          exposure      // the largest served − charged of one key
	widestBound     exposure      // and what that key had in flight or not yet captured
	statuses        map[string]map[int]int
}

// audit holds each answer by key against its hold, and the charges of each key against its answers.
func (s *spending) audit(b *books, f *findings) {
	f.spent.statuses, f.spent.holds = s.statuses, len(b.holds)
	servedByKey := make([]exposure, len(b.teams))
	bound := make([]exposure, len(b.teams)) // in flight, or served and perhaps not yet captured, at a kill
	answered := make(map[uuid.UUID]bool, len(s.served))
	incarnations := make(map[*incarnation]bool)
	for i := range s.served {
		got := &s.served[i]
		incarnations[got.inc] = true
		one := exposure{1, got.price}
		servedByKey[got.key] = servedByKey[got.key].plus(one)
		f.spent.served = f.spent.served.plus(one)
		// What was on its way as the edge was killed is counted below.
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

// absencesFor returns the absences, and with them the time in which nothing can be written for a key because its account
// is locked.
func (b *books) absencesFor(key int) []absence {
	if key != lockedTeam || b.locked[1].IsZero() {
		return b.absences
	}
	return append(slices.Clip(b.absences), absence{victim: accountLock, from: b.locked[0], to: b.locked[1]})
}

// isRepeater reports whether an account is of a team that asks several times for one thing.
func (b *books) isRepeater(account int64) bool {
	return slices.ContainsFunc(b.repeaters, func(t team) bool { return t.account == account })
}

// stalledMost is the longest that nobody may be served because the row of one account is locked.
const stalledMost = 2 * time.Second

// auditLock: while an account's row is locked nobody else waits for it, and its own team is refused or waits, and not let
// through unpaid.
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

// servedJustBeforeKill: the answer came so shortly before its edge was killed that what became of it, a capture or the
// end of a claim, may not have been written. One that was on its way then is read a moment after.
func servedJustBeforeKill(absences []absence, inc *incarnation, at time.Time) bool {
	if inc == nil {
		return false
	}
	killedAt := inc.killed()
	return !killedAt.IsZero() && timeWithout(absences, at, killedAt, victimPostgres, victimPooler, accountLock) <= captureWithin
}

// checkServed: an answer stands on an authorisation of its team at its price, which is still there.
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

// checkGiven: what was served and not charged had no time to be charged.
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

// checkKeys: what a key was given beyond what it paid was on its way, or not yet captured, when an edge was killed. It
// never pays more than it was given.
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

// checkBroke: only those are refused for want of credits who have not enough for the dearest request.
func (f *findings) checkBroke(b *books, broke map[int]int) {
	for key, times := range broke {
		f.spent.broke += times
		t := b.teams[key]
		// A hold of a killed edge is money that cannot be spent until it is swept, and so can be back by now.
		if left := b.balances[t.id].Balance; t.granted == grantedRich {
			f.violatef("%s was refused %d times for want of credits, and has %d", t.id, times, left)
		}
	}
}

// flightsAtKill returns the metered requests that were on their way when the edge was killed, by key.
func (i *incarnation) flightsAtKill() map[int]exposure {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.atKill
}

// outageFigures say what clients saw of the times without a database: Postgres, or the pooler before it.
type outageFigures struct {
	refusals   []time.Duration // how long each 503 took that was asked for while the database was away
	recoveries []time.Duration // from its return to each living edge's next answer
	locked     int             // 503 for the team whose account's row was locked
	beside     int             // answers to other teams meanwhile
	stalled    time.Duration   // the longest without one
}

// backWithin is how soon after the database an edge serves again.
const backWithin = 5 * time.Second

// auditOutages: without a database nothing is given away, and soon after its return each edge that lives serves again.
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

// checkRecovery measures how soon an edge that outlived an outage served again, without the times in which what it
// stands before was away, or Postgres again.
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
		end = killedAt // it was killed, or else it never came back
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
