package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// captureWithin is how long a capture may take when the database is up: the batch under way, and its own. What was
// served longer than that before its edge was killed must be charged.
const captureWithin = time.Second

// reconnectWithin is how long an edge may need to find a database that is up again (package credits spaces its
// attempts by at most 500 ms).
const reconnectWithin = time.Second

// findings is what the audit has found.
type findings struct {
	load       *load
	violations []string

	kills       int
	inFlight    int // metered requests on their way at the kills of their edge
	served      int
	charged     int
	given       int           // served, and not charged
	longest     time.Duration // how long before its kill the earliest of them was served
	widest      int           // the largest served − charged of one key
	widestBound int           // and what that key had in flight or not yet captured
	holds       map[string]int
	unanswered  int // authorised, and never answered with 200
	payments    map[string]int
	settled     int
	refunds     int
	resent      int
	jobs        int
	outages     []outage
}

func (f *findings) violatef(format string, args ...any) {
	f.violations = append(f.violations, fmt.Sprintf(format, args...))
}

// awaitSwept waits until the edges have brought to its end what dead ones have left.
func (p *place) awaitSwept(ctx context.Context) error {
	pool, err := db.Open(ctx, p.databaseURL, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	tick := time.NewTicker(restartEvery)
	defer tick.Stop()
	for {
		open, err := db.New(pool).CountUnfinished(ctx)
		if err != nil {
			return fmt.Errorf("looking for what is unfinished: %w", err)
		}
		if open.OpenHolds == 0 && open.OpenClaims == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%d holds and %d claims are still open: %w", open.OpenHolds, open.OpenClaims, context.Cause(ctx))
		}
	}
}

// audit holds the books against what the clients were given.
func audit(ctx context.Context, p *place, l *load) (*findings, error) {
	pool, err := db.Open(ctx, p.databaseURL, nil)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	jobs, err := p.service.jobsFunc(ctx, pool)
	if err != nil {
		return nil, err
	}
	f := &findings{load: l, holds: make(map[string]int), payments: make(map[string]int), jobs: len(jobs), outages: p.outages}
	f.violations = append(f.violations, p.faults...)
	for name, job := range jobs {
		if job.times > 1 {
			f.violatef("job %s was done %d times", name, job.times)
		}
	}
	if err := f.auditLedger(ctx, pool); err != nil {
		return nil, err
	}
	if err := f.auditMetered(ctx, pool, p, jobs); err != nil {
		return nil, err
	}
	if err := f.auditPayments(ctx, pool, p, jobs); err != nil {
		return nil, err
	}
	return f, nil
}

// auditLedger holds the ledger against itself.
func (f *findings) auditLedger(ctx context.Context, pool *pgxpool.Pool) error {
	differences, err := credits.NewLedger(pool).Check(ctx)
	if err != nil {
		return err
	}
	for _, d := range differences {
		f.violatef("ledger: %s %s", d.TeamID, d.Detail)
	}
	overdrawn, err := db.New(pool).ListOverdrawn(ctx)
	if err != nil {
		return fmt.Errorf("looking for overdrawn accounts: %w", err)
	}
	for _, a := range overdrawn {
		f.violatef("account of %s: balance %d, held %d, owed %d", a.TeamID, a.Balance, a.Held, a.Owed)
	}
	return nil
}

// auditMetered holds each answer by key against its hold, and each charge against its answer.
func (f *findings) auditMetered(ctx context.Context, pool *pgxpool.Pool, p *place, jobs map[string]*work) error {
	rows, err := db.New(pool).ListHoldEnds(ctx)
	if err != nil {
		return fmt.Errorf("reading the holds: %w", err)
	}
	holds := make(map[uuid.UUID]*db.ListHoldEndsRow, len(rows))
	for i := range rows {
		holds[rows[i].ID] = &rows[i]
		f.holds[stateOf(&rows[i])]++
	}
	answered := make(map[uuid.UUID]bool, len(f.load.served))
	servedByKey := make([]int, len(p.teams))
	boundByKey := make([]int, len(p.teams)) // in flight, or served and not yet captured, at a kill
	incarnations := make(map[*incarnation]bool)
	for _, s := range f.load.served {
		job := jobs[s.job]
		if job == nil {
			f.violatef("job %q was answered, and the upstream knows nothing of it", s.job)
			continue
		}
		if answered[job.payment] {
			f.violatef("job %s was answered twice", s.job)
		}
		answered[job.payment] = true
		servedByKey[s.key]++
		incarnations[s.inc] = true
		if f.mayBeUncaptured(s) {
			boundByKey[s.key]++
		}
		f.checkServed(p, s, holds[job.payment])
	}
	for inc := range incarnations {
		if killedAt, inFlight := inc.life(); !killedAt.IsZero() {
			f.kills++
			f.inFlight += inFlight
			for key, n := range inc.atKill {
				boundByKey[key] += n
			}
		}
	}
	chargedByAccount := f.checkHolds(holds, answered)
	f.served = len(f.load.served)
	for i, t := range p.teams {
		gap := servedByKey[i] - chargedByAccount[t.account]
		if gap < 0 || gap > boundByKey[i] {
			f.violatef("%s: served − charged is %d, want 0 to %d", t.id, gap, boundByKey[i])
		}
		if gap > f.widest {
			f.widest, f.widestBound = gap, boundByKey[i]
		}
	}
	return f.checkTeams(ctx, pool, p, chargedByAccount)
}

// checkHolds: what is charged was answered. It returns the charges of each account.
func (f *findings) checkHolds(holds map[uuid.UUID]*db.ListHoldEndsRow, answered map[uuid.UUID]bool) map[int64]int {
	chargedByAccount := make(map[int64]int)
	for id, h := range holds {
		if h.Captured {
			chargedByAccount[h.AccountID]++
			f.charged++
		}
		if !answered[id] {
			f.unanswered++
			if h.Captured {
				f.violatef("hold %s of account %d is charged, and nobody was answered", id, h.AccountID)
			}
		}
		if h.Open {
			f.violatef("hold %s of account %d is still open", id, h.AccountID)
		}
	}
	return chargedByAccount
}

// stateOf names what became of a hold.
func stateOf(h *db.ListHoldEndsRow) string {
	switch {
	case h.Open:
		return "open"
	case h.Captured:
		return "captured"
	default:
		return "voided or swept"
	}
}

// mayBeUncaptured: the answer came so shortly before its edge was killed that its capture may not have been written.
// What came after the kill was in flight then, and counts as that.
func (f *findings) mayBeUncaptured(s served) bool {
	killedAt, _ := s.inc.life()
	return !killedAt.IsZero() && s.at.Before(killedAt) && f.timeWithDatabase(s.at, killedAt) <= captureWithin
}

// checkServed: an answer stands on a hold of its team, captured unless its edge was killed just then.
func (f *findings) checkServed(p *place, s served, h *db.ListHoldEndsRow) {
	switch {
	case h == nil:
		f.violatef("job %s was served, and its authorisation is lost", s.job)
		return
	case h.AccountID != p.teams[s.key].account:
		f.violatef("job %s of %s is held on account %d", s.job, p.teams[s.key].id, h.AccountID)
	}
	if h.Amount != 1 {
		f.violatef("job %s costs 1, and %d were held", s.job, h.Amount)
	}
	if h.Captured {
		return
	}
	f.given++
	killedAt, _ := s.inc.life()
	if h.Open || killedAt.IsZero() {
		f.violatef("job %s was served by an edge that was not killed (%t), and its hold is %s", s.job, killedAt.IsZero(), stateOf(h))
		return
	}
	before := f.timeWithDatabase(s.at, killedAt)
	f.longest = max(f.longest, before)
	if before > captureWithin {
		f.violatef("job %s was served %s before its edge was killed, and is not charged", s.job, before)
	}
}

// timeWithDatabase is the time from one moment to another without the outages between them.
func (f *findings) timeWithDatabase(from, to time.Time) time.Duration {
	left := to.Sub(from)
	for _, o := range f.outages {
		start, end := later(from, o.from), earlier(to, o.to.Add(reconnectWithin))
		if end.After(start) {
			left -= end.Sub(start)
		}
	}
	return max(left, 0)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// checkTeams: a team's balance is what was granted less what was charged.
func (f *findings) checkTeams(ctx context.Context, pool *pgxpool.Pool, p *place, chargedByAccount map[int64]int) error {
	ledger := credits.NewLedger(pool)
	sums, err := db.New(pool).SumCharges(ctx)
	if err != nil {
		return fmt.Errorf("summing the charges: %w", err)
	}
	taken := make(map[int64]int64)
	for _, s := range sums {
		taken[s.AccountID] = s.Credits
	}
	for _, t := range p.teams {
		charged := chargedByAccount[t.account]
		if taken[t.account] != int64(charged) {
			f.violatef("%s has %d holds charged for, and usage of %d", t.id, charged, taken[t.account])
		}
		b, err := ledger.Balance(ctx, t.id)
		if err != nil {
			return err
		}
		if want := granted - money.Credits(charged); b.Balance != want || b.Held != 0 {
			f.violatef("%s has a balance of %d with %d held, want %d with 0 held", t.id, b.Balance, b.Held, want)
		}
	}
	return nil
}

// statusLine counts metered answers by status.
func (l *load) statusLine() string {
	var parts []string
	codes := make([]int, 0, len(l.statuses))
	for code := range l.statuses {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		name := fmt.Sprint(code)
		if code == 0 {
			name = "cut off"
		}
		if code != http.StatusOK {
			parts = append(parts, fmt.Sprintf("%s: %d", name, l.statuses[code]))
		}
	}
	return strings.Join(parts, ", ")
}
