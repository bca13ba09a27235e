package stripe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	stripego "github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/client"
)

// metadataTopup and metadataTeam mark our payments at Stripe. The first is how a
// payment is found again whose answer was lost.
const (
	metadataTopup = "topup_id"
	metadataTeam  = "team_id"
)

func newAPI(cfg *Config) *client.API {
	retries := new(int64(2))
	if cfg.NoRetries {
		retries = new(int64(0))
	}
	backend := stripego.GetBackendWithConfig(stripego.APIBackend, &stripego.BackendConfig{
		EnableTelemetry:   new(false),
		HTTPClient:        cfg.HTTPClient,
		LeveledLogger:     quiet{cfg.Logger},
		MaxNetworkRetries: retries,
		URL:               new(cfg.APIBase),
	})
	return client.New(cfg.SecretKey, &stripego.Backends{API: backend, Connect: backend, Uploads: backend})
}

// quiet keeps stripe-go off the terminal. What fails is returned as an error too,
// so that it is of interest to who looks for the single requests only.
type quiet struct{ log *slog.Logger }

func (q quiet) Debugf(string, ...any) {}
func (q quiet) Infof(string, ...any)  {}

func (q quiet) Warnf(format string, v ...any)  { q.debug(format, v) }
func (q quiet) Errorf(format string, v ...any) { q.debug(format, v) }

func (q quiet) debug(format string, v []any) {
	q.log.Debug("stripe client", "message", fmt.Sprintf(format, v...))
}

// params are those of every request.
func params(ctx context.Context, idempotencyKey string) stripego.Params {
	p := stripego.Params{Context: ctx}
	if idempotencyKey != "" {
		p.IdempotencyKey = new(idempotencyKey)
	}
	return p
}

// isMissing reports whether Stripe says that there is no such object.
func isMissing(err error) bool {
	e, ok := errors.AsType[*stripego.Error](err)
	return ok && e.HTTPStatusCode == http.StatusNotFound
}

// unavailable is the answer where nothing was tried that could have cost money.
func unavailable(doing string, err error) error {
	return fmt.Errorf("%s: %w: %w", doing, ErrUnavailable, err)
}

// deref is the value, or the zero one where there is none.
func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// some is the text, or nil for none.
func some(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
