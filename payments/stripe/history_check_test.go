package stripe

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

// comeToRest runs everything and advances the clock until nothing is open any more.
func (h *history) comeToRest() {
	h.tell("come to rest")
	svc, _ := h.process(acts{})
	for round := range 200 {
		h.finish()
		h.waiting = append(h.waiting, h.stripe.Events()...)
		h.rng.Shuffle(len(h.waiting), func(i, j int) { h.waiting[i], h.waiting[j] = h.waiting[j], h.waiting[i] })
		for _, ev := range h.waiting {
			for range 1 + h.rng.IntN(2) {
				if err := svc.Webhook(h.ctx, ev.Payload, h.stripe.Sign(ev.Payload)); err != nil {
					h.faultf("event %s at rest: %v", ev.Type, err)
				}
			}
		}
		h.waiting = nil
		if err := svc.Sweep(h.ctx); err != nil {
			h.tell("  sweep: %v", err)
		}
		row, err := h.q.OpenTopupOf(h.ctx, db.OpenTopupOfParams{TeamID: h.team})
		if errors.Is(err, pgx.ErrNoRows) {
			if h.waiting = h.stripe.Events(); len(h.waiting) == 0 {
				return
			}
			continue
		}
		if err != nil {
			h.faultf("finding what is open: %v", err)
			return
		}
		if h.clock.Now().Sub(row.CreatedAt) > resendFor {
			h.saw("looked up after 23 hours")
		}
		h.clock.Advance([]time.Duration{31 * time.Second, 11 * time.Minute, 2 * time.Hour, 11*time.Hour + 40*time.Minute}[min(round/2, 3)])
	}
	h.faultf("a top-up is still open")
}

// check compares everything with the oracle.
func (h *history) check() []string {
	var wrong []string
	faultf := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	oracle := h.stripe.Oracle()
	byTopup := map[string]stripetest.Payment{}
	for _, p := range oracle.Payments {
		if p.Charged == 0 {
			continue
		}
		h.total.payments++
		if other, twice := byTopup[p.TopupID]; twice {
			faultf("top-up %s was charged twice: %s and %s", p.TopupID, other.ID, p.ID)
		}
		byTopup[p.TopupID] = p
	}
	rows, err := h.rows()
	if err != nil {
		return []string{err.Error()}
	}
	var credits int64
	for _, r := range rows {
		p, wasCharged := byTopup[r.id]
		delete(byTopup, r.id)
		if wasCharged != (r.state == stateSucceeded) {
			faultf("top-up %s is %s; charged: %t", r.id, r.state, wasCharged)
		}
		if wasCharged && r.cents != p.Charged {
			faultf("top-up %s: charged %d cents, want %d", r.id, p.Charged, r.cents)
		}
		want := r.credits * p.Net() / r.cents
		if r.entryCredits != want {
			faultf("top-up %s: %d credits in the ledger, want %d for %d of %d cents", r.id, r.entryCredits, want, p.Net(), r.cents)
		}
		if r.entryCents != p.Net() {
			faultf("top-up %s: %d cents in the ledger, want %d", r.id, r.entryCents, p.Net())
		}
		credits += want
	}
	for id, p := range byTopup {
		faultf("payment %s was charged for %q, which there is not", p.ID, id)
	}
	for intent, id := range h.credited {
		if !slices.ContainsFunc(oracle.Payments, func(p stripetest.Payment) bool { return p.ID == intent && p.TopupID == id && p.Charged > 0 }) {
			faultf("top-up %s was told to be credited, but payment %s was not charged", id, intent)
		}
	}
	if h.rng.IntN(10) == 0 {
		svc, _ := h.process(acts{})
		report, err := svc.Reconcile(h.ctx, h.began, h.clock.Now().Add(time.Second))
		if err != nil || len(report.Differences) > 0 || report.Open > 0 || report.Topups != len(rows) ||
			int64(report.Stripe) != oracle.Net || report.Stripe != report.Ledger {
			faultf("reconciling (%v): got %+v, want %d cents on both sides", err, report, oracle.Net)
		}
	}
	a, err := h.q.CreditBalance(h.ctx, h.team)
	if err != nil || a.Balance-a.Owed != credits-h.spent || a.Held != 0 {
		faultf("account (%v): balance %d, owed %d, want %d bought less %d spent", err, a.Balance, a.Owed, credits, h.spent)
	}
	h.total.charged, h.total.net, h.total.credits = oracle.Charged, oracle.Net, credits
	return wrong
}

type rowSum struct {
	id, state                string
	credits, cents           int64
	entryCredits, entryCents int64
}

// rows returns the team's top-ups with the ledger's sums for each.
func (h *history) rows() ([]rowSum, error) {
	rows, err := h.pool.Query(h.ctx, `
		select t.id, t.state, t.credits, t.amount_cents,
			coalesce(sum(case when l.unit <> 'credit' then 0 when l.credit_account = $2 then l.amount else -l.amount end), 0)::bigint,
			coalesce(sum(case when l.unit <> 'usd_cent' then 0 when h.kind = 'stripe_clearing' then l.amount else -l.amount end), 0)::bigint
		from topup t
		left join ledger_transfer l on l.note = t.id
		left join ledger_account h on h.id = l.debit_account
		where t.team_id = $1
		group by t.id`, h.team, h.account)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r rowSum, err error) {
		err = row.Scan(&r.id, &r.state, &r.credits, &r.cents, &r.entryCredits, &r.entryCents)
		return r, err
	})
}
