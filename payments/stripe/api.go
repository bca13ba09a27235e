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

// metadataTopup and metadataTeam mark our payments at Stripe. metadataTopup finds a payment again whose response was
// lost.
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

// quiet keeps stripe-go's messages out of the normal log. Failures are also returned as errors, so these messages only
// help to debug single requests.
type quiet struct{ log *slog.Logger }

func (q quiet) Debugf(string, ...any) {}
func (q quiet) Infof(string, ...any)  {}

func (q quiet) Warnf(format string, v ...any)  { q.debug(format, v) }
func (q quiet) Errorf(format string, v ...any) { q.debug(format, v) }

func (q quiet) debug(format string, v []any) {
	q.log.Debug("stripe client", "message", fmt.Sprintf(format, v...))
}

// params returns the parameters common to all requests.
func params(ctx context.Context, idempotencyKey string) stripego.Params {
	p := stripego.Params{Context: ctx}
	if idempotencyKey != "" {
		p.IdempotencyKey = new(idempotencyKey)
	}
	return p
}

// isMissing reports whether Stripe says that the object does not exist.
func isMissing(err error) bool {
	e, ok := errors.AsType[*stripego.Error](err)
	return ok && e.HTTPStatusCode == http.StatusNotFound
}

// unavailable wraps a failure before anything that could have cost money.
func unavailable(doing string, err error) error {
	return fmt.Errorf("%s: %w: %w", doing, ErrUnavailable, err)
}

// deref returns the value, or the zero value for nil.
func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// some returns a pointer to the text, or nil for an empty one.
func some(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
