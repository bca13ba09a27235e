package topup

import (
	"context"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/payments/stripe"
)

func init() {
	caddy.RegisterModule(new(None))
}

// None sells nothing. Every request gets 501 `provider_not_configured`, which says what an operator has to set.
type None struct{}

// CaddyModule returns the Caddy module information.
func (*None) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.topups.none",
		New: func() caddy.Module { return new(None) },
	}
}

// Open implements Source.
func (*None) Open(Env) (Seller, error) { return off{}, nil }

type off struct{}

func (off) Purchase(context.Context, stripe.PurchaseRequest) (stripe.Result, error) {
	return stripe.Result{}, ErrOff
}

func (off) SetupPage(context.Context, stripe.SetupRequest) (string, error) {
	return "", ErrOff
}

func (off) PaymentMethod(context.Context, string) (stripe.Card, error) {
	return stripe.Card{}, ErrOff
}

func (off) RemovePaymentMethod(context.Context, string) error { return ErrOff }
func (off) CheckSignature(string) error                       { return ErrOff }
func (off) Webhook(context.Context, []byte, string) error     { return ErrOff }
func (off) RatePolicy() string                                { return "" }

// Interface guards
var _ Source = (*None)(nil)
