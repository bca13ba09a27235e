package stripe

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	stripego "github.com/stripe/stripe-go/v76"

	"github.com/turnpike-edge/turnpike/db"
)

// settle saves the result of a row's payment and returns the row as it is then. Another process may have saved a result
// first: each step is a guarded statement, and the returned row is the one that counts.
func (s *Service) settle(ctx context.Context, row *db.Topup, out *outcome) (*db.Topup, error) {
	var err error
	switch out.chargeStatus {
	case statusCharged:
		err = s.credit(ctx, s.q, row, out.intent)
	case statusProcessing:
		err = s.q.MarkTopupProcessing(ctx, db.MarkTopupProcessingParams{ID: row.ID, PaymentIntentID: out.intent.ID})
	case statusOwner:
		err = s.askOwner(ctx, row, out)
	case statusRefused, statusInvalid:
		err = s.fail(ctx, s.q, row, out)
	case statusUnknown, statusBarred:
		err = s.q.MarkTopupUnknown(ctx, db.MarkTopupUnknownParams{ID: row.ID, PaymentIntentID: some(out.intentID())})
	}
	if err != nil {
		return nil, fmt.Errorf("settling top-up %s: %w", row.ID, err)
	}
	ended, err := s.q.Topup(ctx, row.ID)
	if err != nil {
		return nil, fmt.Errorf("reading top-up %s: %w", row.ID, err)
	}
	return &ended, nil
}

func (s *Service) fail(ctx context.Context, q *db.Queries, row *db.Topup, out *outcome) error {
	_, err := q.FailTopup(ctx, db.FailTopupParams{
		ID: row.ID, PaymentIntentID: some(out.intentID()),
		ErrorCode: out.code, DeclineCode: out.declineCode, ErrorMessage: out.message,
	})
	return err
}

// credit calls CreditTopup, the only way to grant credits.
func (s *Service) credit(ctx context.Context, q *db.Queries, row *db.Topup, pi *stripego.PaymentIntent) error {
	state, err := q.CreditTopup(ctx, db.CreditTopupParams{
		ID: row.ID, PaymentIntentID: pi.ID, AmountReceived: pi.AmountReceived, Currency: string(pi.Currency),
		CustomerID: customerOf(pi), Livemode: pi.Livemode, Now: s.cfg.Now(),
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows): // credited before: by this payment?
		return s.checkTwice(ctx, q, row.ID, pi)
	case err != nil:
		return err
	case state != stateSucceeded:
		s.cfg.Logger.Error("a payment does not match its top-up: nothing was credited", "topup", row.ID, "payment_intent", pi.ID)
		return nil
	}
	s.cfg.Logger.Info("top-up credited", "topup", row.ID, "team", row.TeamID, "credits", row.Credits, "payment_intent", pi.ID)
	if row.Kind == kindHosted && pi.PaymentMethod != nil {
		// On the page, the owner agreed to save the card, and has just confirmed it.
		_, err = q.SetCard(ctx, db.SetCardParams{
			CustomerID: row.CustomerID, PaymentMethodID: pi.PaymentMethod.ID, SetAt: unix(pi.Created),
		})
	}
	return err
}

func customerOf(pi *stripego.PaymentIntent) string {
	if pi.Customer == nil {
		return ""
	}
	return pi.Customer.ID
}

// checkTwice records a second payment for one purchase. There should never be one.
func (s *Service) checkTwice(ctx context.Context, q *db.Queries, id string, pi *stripego.PaymentIntent) error {
	row, err := q.Topup(ctx, id)
	if err != nil {
		return err
	}
	if deref(row.PaymentIntentID) == pi.ID {
		return nil
	}
	return s.record(ctx, q, id, pi, "a second payment for the same top-up")
}

// record saves a payment that could not be credited, for a person to resolve.
func (s *Service) record(ctx context.Context, q *db.Queries, id string, pi *stripego.PaymentIntent, reason string) error {
	s.cfg.Logger.Error("a payment was received but not credited", "reason", reason, "topup", id, "payment_intent", pi.ID)
	_, err := q.RecordTopupMismatch(ctx, db.RecordTopupMismatchParams{
		PaymentIntentID: pi.ID, TopupID: id, AmountReceived: pi.AmountReceived, Currency: string(pi.Currency),
		CustomerID: customerOf(pi), Livemode: pi.Livemode, Reason: reason, Now: s.cfg.Now(),
	})
	return err
}
