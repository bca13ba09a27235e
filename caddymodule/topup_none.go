package caddymodule

import (
	"context"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/payments/stripe"
)

func init() {
	caddy.RegisterModule(new(TopUpNone))
}

// TopUpNone sells nothing. Every request gets 501 `provider_not_configured`, which says what an operator has to set.
type TopUpNone struct{}

// CaddyModule returns the Caddy module information.
func (*TopUpNone) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "turnpike.topups.none",
		New: func() caddy.Module { return new(TopUpNone) },
	}
}

// Open implements TopUpSource.
func (*TopUpNone) Open(*App) (TopUps, error) { return noTopUps{}, nil }

type noTopUps struct{}

func (noTopUps) Purchase(context.Context, stripe.PurchaseRequest) (stripe.Result, error) {
	return stripe.Result{}, errTopUpsOff
}

func (noTopUps) SetupPage(context.Context, stripe.SetupRequest) (string, error) {
	return "", errTopUpsOff
}

func (noTopUps) PaymentMethod(context.Context, string) (stripe.Card, error) {
	return stripe.Card{}, errTopUpsOff
}

func (noTopUps) RemovePaymentMethod(context.Context, string) error { return errTopUpsOff }
func (noTopUps) CheckSignature(string) error                       { return errTopUpsOff }
func (noTopUps) Webhook(context.Context, []byte, string) error     { return errTopUpsOff }
func (noTopUps) RatePolicy() string                                { return "" }

// Interface guards
var _ TopUpSource = (*TopUpNone)(nil)
