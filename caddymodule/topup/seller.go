package topup

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"github.com/turnpike-edge/turnpike/payments/stripe"
)

// Source is a module in the namespace `turnpike.topups`: it sells credits.
type Source interface {
	// Open returns the seller for the app's ledger. Another call with the same configuration returns the same one, also
	// after a reload.
	Open(app Env) (Seller, error)
}

// Env is what the app gives to a seller of credits.
type Env struct {
	Logger  *zap.Logger
	Ledger  any    // the app's module
	DocsURL string // where the error codes are documented
}

// Seller sells packs of credits, paid with a saved card. Its errors are those of package stripe, and ErrOff.
type Seller interface {
	// Purchase charges the team's saved card for a pack and credits it.
	Purchase(ctx context.Context, req stripe.PurchaseRequest) (stripe.Result, error)
	// SetupPage returns a page on which the team can save a card.
	SetupPage(ctx context.Context, req stripe.SetupRequest) (string, error)
	// PaymentMethod returns the team's saved card.
	PaymentMethod(ctx context.Context, teamID string) (stripe.Card, error)
	// RemovePaymentMethod deletes the team's saved card.
	RemovePaymentMethod(ctx context.Context, teamID string) error
	// CheckSignature refuses an event by its header Stripe-Signature, before its body is read. An event that it accepts
	// can still be forged.
	CheckSignature(header string) error
	// Webhook processes one event of the payment provider.
	Webhook(ctx context.Context, payload []byte, signature string) error
	// RatePolicy returns how often a team may buy, as a RateLimit-Policy field (draft-ietf-httpapi-ratelimit-headers).
	// It is empty without a limit.
	RatePolicy() string
}

// ErrOff is returned if nothing is sold.
var ErrOff = errors.New("top-ups are not configured")
