package reload

import (
	"context"
	"log/slog"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap/exp/zapslog"
)

// CurrentLogger returns a logger for what outlives a configuration. Each record goes to the logs of the configuration
// that is current at that time, because the logs of earlier ones are closed.
func CurrentLogger(name string) *slog.Logger { return slog.New(&currentHandler{name: name}) }

type currentHandler struct {
	name  string
	attrs []slog.Attr
}

func (*currentHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h *currentHandler) Handle(ctx context.Context, record slog.Record) error {
	below := zapslog.NewHandler(caddy.Log().Core(), zapslog.WithName(h.name)).WithAttrs(h.attrs)
	if !below.Enabled(ctx, record.Level) {
		return nil
	}
	return below.Handle(ctx, record) //nolint:wrapcheck // slog ignores the error
}

func (h *currentHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &currentHandler{name: h.name, attrs: append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)}
}

// WithGroup implements slog.Handler. Groups are ignored: nothing here uses them.
func (h *currentHandler) WithGroup(string) slog.Handler { return h }
