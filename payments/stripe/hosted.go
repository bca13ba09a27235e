package stripe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	stripego "github.com/stripe/stripe-go/v76"

	"github.com/turnpike-edge/turnpike/db"
)

const (
	// pageFor is how long after the purchase its page expires, and pageUntil how late it is still offered: Stripe
	// requires pages to live for at least half an hour.
	pageFor   = 90 * time.Minute
	pageUntil = 45 * time.Minute
	// codeSuperseded and codeExpired say why a page was not paid.
	codeSuperseded = "superseded"
	codeExpired    = "expired"
)

// askOwner ends a purchase that its card's owner must confirm. That needs a browser, so the owner is offered a page on
// which to pay for the same pack. This is a separate purchase, whose row is written together with the end of this one.
func (s *Service) askOwner(ctx context.Context, row *db.Topup, out *outcome) error {
	if out.message == "" || out.intent == nil || out.intent.LastPaymentError == nil {
		out.message = "The cardholder must confirm the payment."
	}
	if out.intent != nil && out.intent.Status == stripego.PaymentIntentStatusRequiresAction {
		// Only we could confirm this payment. Once it is cancelled, nobody can.
		if _, err := s.api.PaymentIntents.Cancel(out.intent.ID, &stripego.PaymentIntentCancelParams{Params: params(ctx, "")}); err != nil {
			return fmt.Errorf("cancelling payment %s: %w", out.intent.ID, err)
		}
	}
	if s.cfg.Now().After(row.CreatedAt.Add(pageUntil)) {
		return s.fail(ctx, s.q, row, out)
	}
	session, err := s.api.CheckoutSessions.New(s.pageParams(ctx, row))
	if err != nil {
		if o := outcomeOfError(err); o.chargeStatus == statusInvalid {
			s.cfg.Logger.Error("Stripe refused to create a page for a payment", "topup", row.ID, "error", err)
			return s.fail(ctx, s.q, row, out)
		}
		return fmt.Errorf("creating a page: %w", err)
	}
	now := s.cfg.Now()
	_, err = s.q.FailTopupWithPage(ctx, db.FailTopupWithPageParams{
		ID: row.ID, PaymentIntentID: some(out.intentID()), SessionID: session.ID, ActionUrl: session.URL,
		ErrorCode: out.code, DeclineCode: out.declineCode, ErrorMessage: out.message,
		Now: now, NextLookAt: now.Add(sweepAfter),
	})
	return err
}

// pageParams returns the same parameters every time for a row, like those of charge.
func (s *Service) pageParams(ctx context.Context, row *db.Topup) *stripego.CheckoutSessionParams {
	hosted := deref(row.HostedID)
	p := &stripego.CheckoutSessionParams{
		Params:             params(ctx, hosted),
		Mode:               new(string(stripego.CheckoutSessionModePayment)),
		Customer:           new(row.CustomerID),
		PaymentMethodTypes: stripego.StringSlice([]string{"card"}),
		SuccessURL:         new(s.cfg.PaymentReturnURL),
		CancelURL:          new(s.cfg.PaymentReturnURL),
		ExpiresAt:          new(row.CreatedAt.Add(pageFor).Unix()),
		LineItems: []*stripego.CheckoutSessionLineItemParams{{
			Quantity: new(int64(1)),
			PriceData: &stripego.CheckoutSessionLineItemPriceDataParams{
				Currency:    new(currency),
				UnitAmount:  new(int64(row.AmountCents)),
				ProductData: &stripego.CheckoutSessionLineItemPriceDataProductDataParams{Name: new(description(row))},
			},
		}},
		PaymentIntentData: &stripego.CheckoutSessionPaymentIntentDataParams{
			ReceiptEmail:     some(row.ReceiptEmail),
			SetupFutureUsage: new(string(stripego.PaymentIntentSetupFutureUsageOffSession)),
			Metadata:         map[string]string{metadataTopup: hosted, metadataTeam: row.TeamID},
		},
	}
	p.AddMetadata(metadataTopup, hosted)
	p.AddMetadata(metadataTeam, row.TeamID)
	return p
}

// clearTheWay closes the unpaid page of an earlier purchase, so that only one of two purchases can be charged. Any
// other open purchase is an [InProgressError].
func (s *Service) clearTheWay(ctx context.Context, teamID string) error {
	row, err := s.q.OpenTopupOf(ctx, db.OpenTopupOfParams{TeamID: teamID, Livemode: s.live})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // it has ended meanwhile
	}
	if err != nil {
		return unavailable("finding the open top-up", err)
	}
	busy := &InProgressError{TopupID: row.ID, RetryAfter: sweepAfter}
	if row.State != stateActionRequired {
		return busy
	}
	p := &stripego.CheckoutSessionExpireParams{Params: params(ctx, "")}
	if _, err := s.api.CheckoutSessions.Expire(deref(row.SessionID), p); err != nil {
		s.cfg.Logger.Info("an earlier payment page cannot be closed: it may have been paid", "topup", row.ID, "error", err)
		return busy
	}
	if err := s.fail(ctx, s.q, &row, &outcome{code: codeSuperseded, message: "Another purchase was started."}); err != nil {
		return unavailable("closing the open top-up", err)
	}
	return nil
}

// endHosted reads the result of a page.
func (s *Service) endHosted(ctx context.Context, row *db.Topup) error {
	session, err := s.api.CheckoutSessions.Get(deref(row.SessionID), &stripego.CheckoutSessionParams{Params: params(ctx, "")})
	switch {
	case isMissing(err):
		return s.fail(ctx, s.q, row, &outcome{code: codeExpired})
	case err != nil:
		return fmt.Errorf("reading the page of %s: %w", row.ID, err)
	case session.PaymentIntent != nil:
		if err := s.sync(ctx, session.PaymentIntent.ID, nil); err != nil {
			return err
		}
	}
	if session.Status == stripego.CheckoutSessionStatusExpired {
		return s.fail(ctx, s.q, row, &outcome{code: codeExpired, message: "The payment page has expired."})
	}
	return nil
}
