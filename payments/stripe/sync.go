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

// truth is Stripe's state of a payment at one moment.
type truth struct {
	intent   *stripego.PaymentIntent
	refunded money.Cents // total of all refunds
	disputed money.Cents // withheld for open disputes or lost to them
}

func (s *Service) truthOf(ctx context.Context, intentID string) (truth, error) {
	p := &stripego.PaymentIntentParams{Params: params(ctx, "")}
	p.AddExpand("latest_charge")
	pi, err := s.api.PaymentIntents.Get(intentID, p)
	if err != nil {
		return truth{}, fmt.Errorf("reading payment %s: %w", intentID, err)
	}
	return s.withCharge(ctx, pi)
}

// withCharge reads the rest of the truth for a payment that includes its latest charge.
func (s *Service) withCharge(ctx context.Context, pi *stripego.PaymentIntent) (t truth, err error) {
	t.intent = pi
	if pi.LatestCharge == nil {
		return t, nil
	}
	t.refunded = money.Cents(pi.LatestCharge.AmountRefunded)
	if pi.LatestCharge.Disputed {
		t.disputed, err = s.disputed(ctx, pi.ID)
	}
	return t, err
}

// disputed adds up what a payment's disputes have taken. Stripe withholds the amount while a dispute is open, and keeps
// it if the dispute is lost. An inquiry (warning_…) takes nothing, and a won dispute returns the amount.
func (s *Service) disputed(ctx context.Context, intentID string) (money.Cents, error) {
	p := &stripego.DisputeListParams{PaymentIntent: new(intentID)}
	p.Context = ctx
	p.Limit = new(int64(100))
	var cents money.Cents
	it := s.api.Disputes.List(p)
	for it.Next() {
		switch d := it.Dispute(); d.Status { //nolint:exhaustive // the others take nothing
		case stripego.DisputeStatusNeedsResponse, stripego.DisputeStatusUnderReview, stripego.DisputeStatusLost:
			cents += money.Cents(d.Amount)
		}
	}
	if err := it.Err(); err != nil {
		return 0, fmt.Errorf("reading the disputes of payment %s: %w", intentID, err)
	}
	return cents, nil
}

// errStale says that the row has changed since Stripe was read, so Stripe's state may be older than the row.
var errStale = errors.New("top-up has changed in the meantime")

// syncTries is how often sync tries in case of errStale.
const syncTries = 5

// sync updates the row of a payment to Stripe's current state, together with the event that triggered it, if any.
func (s *Service) sync(ctx context.Context, intentID string, ev *event) error {
	err := errStale
	for range syncTries {
		known, findErr := s.q.TopupByIntent(ctx, intentID)
		if findErr != nil && !errors.Is(findErr, pgx.ErrNoRows) {
			return fmt.Errorf("finding the top-up of payment %s: %w", intentID, findErr)
		}
		now, askErr := s.truthOf(ctx, intentID)
		if isMissing(askErr) { // of another account, or of the other mode
			return s.done(ctx, ev)
		}
		if askErr != nil {
			return askErr
		}
		if err = s.inTx(ctx, ev, func(q *db.Queries) error { return s.apply(ctx, q, &known, now) }); !errors.Is(err, errStale) {
			return err
		}
	}
	return fmt.Errorf("payment %s: %w", intentID, err)
}

// inTx records the event and runs f in one transaction. An event that was recorded before is not processed again.
func (s *Service) inTx(ctx context.Context, ev *event, f func(q *db.Queries) error) error {
	tx, err := s.cfg.DB.Begin(ctx)
	if err != nil {
		return fmt.Errorf("beginning a transaction: %w", err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	q := s.q.WithTx(tx)
	if ev != nil {
		n, err := q.RecordStripeEvent(ctx, db.RecordStripeEventParams{ID: ev.id, Type: ev.kind, Now: s.cfg.Now()})
		if err != nil {
			return fmt.Errorf("recording event %s: %w", ev.id, err)
		}
		if n == 0 {
			return nil
		}
	}
	if err := f(q); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	return nil
}

// done records an event that needs no action.
func (s *Service) done(ctx context.Context, ev *event) error {
	return s.inTx(ctx, ev, func(*db.Queries) error { return nil })
}

// apply writes Stripe's state to the row. known is the row that had the payment before Stripe was read (empty id:
// none).
func (s *Service) apply(ctx context.Context, q *db.Queries, known *db.Topup, now truth) error {
	id := known.ID
	if id == "" {
		if id = now.intent.Metadata[metadataTopup]; id == "" {
			return nil // not a payment of ours
		}
	}
	charged := now.intent.Status == stripego.PaymentIntentStatusSucceeded
	row, err := q.TopupForUpdate(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		if charged { // for example after an older database was restored
			return s.record(ctx, q, id, now.intent, "no such top-up")
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("locking top-up %s: %w", id, err)
	}
	if row.Version != known.Version && (known.ID != "" || deref(row.PaymentIntentID) == now.intent.ID) {
		return errStale
	}
	if row.State != stateSucceeded || deref(row.PaymentIntentID) != now.intent.ID {
		if err := s.advance(ctx, q, &row, now.intent); err != nil {
			return fmt.Errorf("top-up %s: %w", id, err)
		}
		if row, err = q.Topup(ctx, id); err != nil {
			return fmt.Errorf("reading top-up %s: %w", id, err)
		}
	}
	if row.State != stateSucceeded || deref(row.PaymentIntentID) != now.intent.ID {
		return nil
	}
	return s.takeBack(ctx, q, &row, now)
}

// advance updates a row that is not credited yet.
func (s *Service) advance(ctx context.Context, q *db.Queries, row *db.Topup, pi *stripego.PaymentIntent) error {
	out := outcomeOf(pi)
	switch out.chargeStatus {
	case statusCharged:
		return s.credit(ctx, q, row, pi)
	case statusProcessing:
		return q.MarkTopupProcessing(ctx, db.MarkTopupProcessingParams{ID: row.ID, PaymentIntentID: pi.ID})
	case statusRefused:
		if row.Kind != kindHosted { // on a page, the owner can still try another card
			return s.fail(ctx, q, row, &out)
		}
	case statusOwner, statusUnknown, statusInvalid, statusBarred: // the request or the sweeper continues
	}
	return nil
}

// takeBack takes refunded or disputed credits from the team, or gives them back.
func (s *Service) takeBack(ctx context.Context, q *db.Queries, row *db.Topup, now truth) error {
	p := db.TakeBackTopupParams{ID: row.ID, Version: row.Version, RefundedCents: int64(now.refunded), DisputedCents: int64(now.disputed)}
	for _, m := range movements(row, now.refunded, now.disputed) {
		p.Taken += int64(m.credits)
		p.Kinds = append(p.Kinds, m.kind)
		p.Credits = append(p.Credits, int64(m.credits))
		p.Cents = append(p.Cents, int64(m.cents))
	}
	changed := row.RefundedCents != now.refunded || row.DisputedCents != now.disputed
	var n int64
	var err error
	if changed {
		n, err = q.TakeBackTopup(ctx, p)
	} else {
		n, err = q.SeeTopup(ctx, db.SeeTopupParams{ID: row.ID, Version: row.Version})
	}
	switch {
	case err != nil:
		return fmt.Errorf("clawing back top-up %s: %w", row.ID, err)
	case n == 0:
		return errStale
	case !changed:
		return nil
	}
	s.cfg.Logger.Info("top-up clawed back", "topup", row.ID, "team", row.TeamID, "credits", p.Taken,
		"refunded_cents", now.refunded, "disputed_cents", now.disputed)
	return nil
}

// unix converts a time of Stripe's.
func unix(seconds int64) time.Time { return time.Unix(seconds, 0) }
