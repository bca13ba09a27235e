package stripe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	stripego "github.com/stripe/stripe-go/v76"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Difference is a disagreement between Stripe and the ledger, or a case for a person.
type Difference struct {
	TopupID         string
	PaymentIntentID string // may be empty
	Reason          string
}

// Report is what [Service.Reconcile] found.
type Report struct {
	// Topups is how many were begun in the span, and Open how many of them have no known outcome yet.
	Topups, Open int
	// Resolved is how many mismatches are resolved. Their payments are not compared.
	Resolved int
	// Stripe and Ledger are the charges for them minus refunds and disputes, according to each side.
	Stripe, Ledger money.Cents
	Differences    []Difference
}

func (r *Report) differf(topupID, intentID, format string, args ...any) {
	r.Differences = append(r.Differences, Difference{topupID, intentID, fmt.Sprintf(format, args...)})
}

// Auditor compares purchases, and makes none.
type Auditor struct{ service *Service }

// NewAuditor returns an auditor, or all errors of the configuration that it uses: DB, SecretKey and APIBase. Only DB
// and SecretKey are required.
func NewAuditor(cfg Config) (*Auditor, error) {
	if err := cfg.withDefaults().checkAccess(); err != nil {
		return nil, err
	}
	return &Auditor{assemble(cfg)}, nil
}

// Reconcile is [Service.Reconcile].
func (a *Auditor) Reconcile(ctx context.Context, since, until time.Time) (Report, error) {
	return a.service.Reconcile(ctx, since, until)
}

// paysUntil is how much later than its purchase a payment may be made: by the sweeper, or on a page.
const paysUntil = resendFor + time.Hour

// Reconcile compares the purchases begun in a span of time with Stripe, individually and in total. It changes nothing.
// Changes while it runs may show as differences: the span should end a minute or more ago.
func (s *Service) Reconcile(ctx context.Context, since, until time.Time) (Report, error) {
	var report Report
	payments, err := s.paymentsBetween(ctx, since.Add(-clockSlack), until.Add(paysUntil+clockSlack))
	if err != nil {
		return report, err
	}
	rows, err := s.q.ListTopupsWithEntries(ctx, db.ListTopupsWithEntriesParams{Livemode: s.live, Since: since, Until: until})
	if err != nil {
		return report, fmt.Errorf("listing top-ups: %w", err)
	}
	report.Topups = len(rows)
	resolved, err := s.mismatches(ctx, &report)
	if err != nil {
		return report, err
	}
	for i := range rows {
		s.compare(&report, &rows[i], payments[rows[i].ID], resolved)
		delete(payments, rows[i].ID)
	}
	return report, s.strangers(ctx, &report, payments, resolved)
}

// mismatches reports the unresolved mismatches, and returns the payment ids of the resolved ones.
func (s *Service) mismatches(ctx context.Context, report *Report) (resolved map[string]bool, err error) {
	found, err := NewMismatches(s.cfg.DB, s.cfg.Now).All(ctx)
	if err != nil {
		return nil, err
	}
	resolved = map[string]bool{}
	for i := range found {
		m := &found[i]
		if m.Resolution == nil {
			report.differf(m.TopupID, m.PaymentIntentID, "%d %s received but not credited: %s", m.AmountReceived, m.Currency, m.Reason)
			continue
		}
		report.Resolved++
		resolved[m.PaymentIntentID] = true
	}
	return resolved, nil
}

// paymentsBetween returns our payments that were charged, by top-up id.
func (s *Service) paymentsBetween(ctx context.Context, since, until time.Time) (map[string][]truth, error) {
	p := &stripego.PaymentIntentListParams{
		CreatedRange: &stripego.RangeQueryParams{GreaterThanOrEqual: since.Unix(), LesserThan: until.Unix()},
	}
	p.Context = ctx
	p.Limit = new(int64(100))
	p.AddExpand("data.latest_charge")
	charged := map[string][]truth{}
	it := s.api.PaymentIntents.List(p)
	for it.Next() {
		pi := it.PaymentIntent()
		id := pi.Metadata[metadataTopup]
		if id == "" || pi.Status != stripego.PaymentIntentStatusSucceeded {
			continue
		}
		now, err := s.withCharge(ctx, pi)
		if err != nil {
			return nil, err
		}
		charged[id] = append(charged[id], now)
	}
	if err := it.Err(); err != nil {
		return nil, fmt.Errorf("listing payments: %w", err)
	}
	return charged, nil
}

// compare compares one row with its payments: one, or none. Resolved payments are left out, unless they were credited
// after all.
func (s *Service) compare(report *Report, row *db.ListTopupsWithEntriesRow, payments []truth, resolved map[string]bool) {
	report.Ledger += money.Cents(row.EntryCents)
	intent := deref(row.PaymentIntentID)
	switch row.State {
	case statePending, stateUnknown, stateProcessing, stateActionRequired:
		report.Open++
	}
	if len(payments) == 0 && (row.State == stateSucceeded || row.EntryCents != 0) {
		report.differf(row.ID, intent, "in the ledger with %d cents, but not charged at Stripe", row.EntryCents)
	}
	for _, p := range payments {
		isCredited := row.State == stateSucceeded && p.intent.ID == intent
		if resolved[p.intent.ID] && !isCredited {
			continue
		}
		bought := &db.Topup{Credits: row.Credits, AmountCents: row.AmountCents}
		byRefunds, byDisputes := taken(bought, p.refunded, p.disputed)
		cents := money.Cents(p.intent.AmountReceived) - byRefunds.cents - byDisputes.cents
		credits := row.Credits - byRefunds.credits - byDisputes.credits
		report.Stripe += cents
		switch {
		case row.State != stateSucceeded:
			report.differf(row.ID, p.intent.ID, "charged at Stripe, but %s here", row.State)
		case p.intent.ID != intent:
			report.differf(row.ID, p.intent.ID, "charged at Stripe in addition to %s", intent)
		case money.Cents(row.EntryCents) != cents || money.Credits(row.EntryCredits) != credits:
			report.differf(row.ID, intent, "the ledger has %d cents and %d credits, but Stripe has %d cents, which is %d credits",
				row.EntryCents, row.EntryCredits, cents, credits)
		}
	}
}

// strangers reports payments without a row. Rows outside the span are fine.
func (s *Service) strangers(ctx context.Context, report *Report, payments map[string][]truth, resolved map[string]bool) error {
	for id, found := range payments {
		_, err := s.q.Topup(ctx, id)
		if err == nil {
			continue
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("reading top-up %s: %w", id, err)
		}
		for _, p := range found {
			if resolved[p.intent.ID] {
				continue
			}
			report.differf(id, p.intent.ID, "charged at Stripe, but the top-up does not exist")
		}
	}
	return nil
}
