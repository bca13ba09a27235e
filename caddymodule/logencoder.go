package caddymodule

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/logging"
	"go.uber.org/zap/buffer"
	"go.uber.org/zap/zapcore"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

func init() {
	caddy.RegisterModule(new(LazyEncoder))
}

// LazyEncoder is a log format that encodes the fields of an entry only when the entry is written, not when a logger is
// prepared for it. Caddy's reverse proxy prepares a logger with the whole request for each request, but writes nothing
// without debug logs. That encoding would be a twentieth of the cost of a proxied request.
//
// The output is the same, but without the header fields that carry payments, receipts, or identities that the upstream
// trusts. Caddy itself hides only Cookie, Set-Cookie, Authorization and Proxy-Authorization.
type LazyEncoder struct {
	// The format in which entries are written. Default: `json`, or `console` if the output is a terminal.
	WrappedRaw json.RawMessage `json:"wrap,omitempty" caddy:"namespace=caddy.logging.encoders inline_key=format"`

	laterFields

	wrapped zapcore.Encoder
}

// CaddyModule returns the Caddy module information.
func (*LazyEncoder) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "caddy.logging.encoders.lazy",
		New: func() caddy.Module { return new(LazyEncoder) },
	}
}

// Provision sets up the encoder.
func (e *LazyEncoder) Provision(ctx caddy.Context) error {
	filter := &logging.FilterEncoder{WrappedRaw: e.WrappedRaw, Fields: make(map[string]logging.LogFieldFilter)}
	for _, field := range secretFields() {
		filter.Fields[field] = logging.DeleteFilter{}
	}
	if err := filter.Provision(ctx); err != nil {
		return fmt.Errorf("setting up the wrapped format: %w", err)
	}
	e.wrapped = filter
	return nil
}

// secretFields returns the fields of Caddy's log entries that are never written. Access and error logs have the
// request's header. Access logs, and the debug logs of the reverse proxy, also have the response's.
func secretFields() []string {
	var fields []string
	for _, parent := range []string{"request>headers", "resp_headers", "headers"} {
		for _, name := range []string{
			x402.HeaderPaymentV1, x402.HeaderPaymentV2, x402.HeaderSignIn, x402.HeaderReceiptV1, x402.HeaderReceiptV2,
			edgewire.IdentityHeader, headerStripeSignature,
		} {
			fields = append(fields, parent+">"+name)
		}
	}
	return fields
}

// headerStripeSignature authenticates Stripe's events.
const headerStripeSignature = "Stripe-Signature"

// ConfigureDefaultFormat implements caddy.ConfiguresFormatterDefault: console format on a terminal, JSON otherwise.
func (e *LazyEncoder) ConfigureDefaultFormat(wo caddy.WriterOpener) error {
	if wrapped, ok := e.wrapped.(caddy.ConfiguresFormatterDefault); ok {
		return wrapped.ConfigureDefaultFormat(wo)
	}
	return nil
}

// UnmarshalCaddyfile sets up the encoder. Syntax, within `log`:
//
//	format lazy {
//		wrap <format>
//	}
func (e *LazyEncoder) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.ArgErr()
	}
	return config.ParseBlock(d, func() error {
		switch d.Val() {
		case "wrap":
			if e.WrappedRaw != nil {
				return d.Err("wrap appears more than once")
			}
			if !d.NextArg() {
				return d.ArgErr()
			}
			name := d.Val()
			mod, err := caddyfile.UnmarshalModule(d, "caddy.logging.encoders."+name)
			if err != nil {
				return err
			}
			e.WrappedRaw = caddyconfig.JSONModuleObject(mod, "format", name, nil)
		default:
			return config.Unrecognized(d)
		}
		return nil
	})
}

// Clone implements zapcore.Encoder. Clones can share the wrapped encoder, because nothing is added to it. They cannot
// share the array of the fields.
func (e *LazyEncoder) Clone() zapcore.Encoder {
	return &LazyEncoder{laterFields: slices.Clip(e.laterFields), wrapped: e.wrapped}
}

// EncodeEntry implements zapcore.Encoder.
func (e *LazyEncoder) EncodeEntry(entry zapcore.Entry, fields []zapcore.Field) (*buffer.Buffer, error) {
	if len(e.laterFields) == 0 {
		return e.wrapped.EncodeEntry(entry, fields)
	}
	wrapped := e.wrapped.Clone()
	for _, f := range e.laterFields {
		f.AddTo(wrapped)
	}
	return wrapped.EncodeEntry(entry, fields)
}

// Interface guards
var (
	_ zapcore.Encoder                  = (*LazyEncoder)(nil)
	_ caddy.Provisioner                = (*LazyEncoder)(nil)
	_ caddy.ConfiguresFormatterDefault = (*LazyEncoder)(nil)
	_ caddyfile.Unmarshaler            = (*LazyEncoder)(nil)
)
