package caddymodule

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/logging"
	"go.uber.org/zap/buffer"
	"go.uber.org/zap/zapcore"
	"golang.org/x/term"
)

func init() {
	caddy.RegisterModule(new(LazyEncoder))
}

// LazyEncoder is a log format that encodes what an entry carries when the entry is
// written, and not when a logger is prepared for it. Caddy's reverse proxy prepares
// one with the whole request for each request, and writes nothing unless it logs
// for debugging: encoding it is a twentieth of what a proxied request costs. What
// is written is the same.
type LazyEncoder struct {
	// The format in which entries are written. Default: `json`, or `console` where
	// the output is a terminal.
	WrappedRaw json.RawMessage `json:"wrap,omitempty" caddy:"namespace=caddy.logging.encoders inline_key=format"`

	laterFields

	wrapped   zapcore.Encoder
	isDefault bool
	ctx       caddy.Context
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
	e.ctx = ctx
	if e.WrappedRaw == nil {
		e.isDefault = true
		return e.wrap(new(logging.JSONEncoder))
	}
	mod, err := ctx.LoadModule(e, "WrappedRaw")
	if err != nil {
		return fmt.Errorf("loading the wrapped format: %w", err)
	}
	wrapped, ok := mod.(zapcore.Encoder)
	if !ok {
		return fmt.Errorf("format %T is no encoder", mod)
	}
	e.wrapped = wrapped
	return nil
}

func (e *LazyEncoder) wrap(encoder interface {
	zapcore.Encoder
	caddy.Provisioner
},
) error {
	if err := encoder.Provision(e.ctx); err != nil {
		return fmt.Errorf("setting up the default format: %w", err)
	}
	e.wrapped = encoder
	return nil
}

// ConfigureDefaultFormat implements caddy.ConfiguresFormatterDefault: people read
// a terminal, programs everything else.
func (e *LazyEncoder) ConfigureDefaultFormat(wo caddy.WriterOpener) error {
	if !e.isDefault {
		if wrapped, ok := e.wrapped.(caddy.ConfiguresFormatterDefault); ok {
			return wrapped.ConfigureDefaultFormat(wo)
		}
		return nil
	}
	if caddy.IsWriterStandardStream(wo) && term.IsTerminal(int(os.Stderr.Fd())) {
		return e.wrap(new(logging.ConsoleEncoder))
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
	return parseBlock(d, func() error {
		switch d.Val() {
		case "wrap":
			if e.WrappedRaw != nil {
				return d.Err("wrap is there twice")
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
			return unrecognized(d)
		}
		return nil
	})
}

// Clone implements zapcore.Encoder. The wrapped encoder is never added to, so that
// all clones may have the same; the fields are, so that no two may have their array.
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
