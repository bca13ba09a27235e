package caddymodule

import (
	"context"
	"errors"

	"github.com/turnpike-edge/turnpike/payments/stripe"
)

// TopUpSource is a guest in the namespace `turnpike.topups`: what sells credits.
type TopUpSource interface {
	// Open returns what sells on the app's ledger. Called again with the same
	// configuration, also by a later one, it returns the same.
	Open(app *App) (TopUps, error)
}

// TopUps sells packs of credits against a saved card. Its errors are those of
// package stripe, and errTopUpsOff.
type TopUps interface {
	// Purchase charges the team's saved card for a pack and credits it.
	Purchase(ctx context.Context, req stripe.PurchaseRequest) (stripe.Result, error)
	// SetupPage returns a page on which the team can save a card.
	SetupPage(ctx context.Context, req stripe.SetupRequest) (string, error)
	// PaymentMethod returns the team's saved card.
	PaymentMethod(ctx context.Context, teamID string) (stripe.Card, error)
	// RemovePaymentMethod forgets the team's saved card.
	RemovePaymentMethod(ctx context.Context, teamID string) error
	// CheckSignature refuses an event by its header Stripe-Signature, before its body is read. What it accepts may be
	// anybody's.
	CheckSignature(header string) error
	// Webhook takes one event of the payment provider.
	Webhook(ctx context.Context, payload []byte, signature string) error
	// RatePolicy is how often a team may buy, as the field RateLimit-Policy says it
	// (draft-ietf-httpapi-ratelimit-headers); empty if there is nothing to say.
	RatePolicy() string
}

// errTopUpsOff is returned where nothing is sold.
var errTopUpsOff = errors.New("top-ups are not configured")
