package price

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/follow"
)

// WellKnownPath is where an upstream publishes its price book.
const WellKnownPath = "/.well-known/turnpike-prices"

const (
	// RefreshDefault is how often a [Remote] asks for changes.
	RefreshDefault = 30 * time.Second
	// RetryAfter is how soon a [Remote] asks again while it has no book at all.
	RetryAfter = follow.RetryAfter

	documentBytesMax = 4 << 20
)

// RemoteConfig configures a [Remote].
type RemoteConfig struct {
	// URL of the document, such as http://backend + [WellKnownPath].
	URL string
	// Refresh is the time between two fetches. Default: RefreshDefault.
	Refresh time.Duration
	Client  *http.Client
	Logger  *slog.Logger
	// After is time.After, or a test's clock.
	After func(time.Duration) <-chan time.Time
}

// Remote prices by a book that its upstream publishes. It keeps the last valid book: if the upstream is down or
// publishes an invalid one, pricing continues. Before the first book is read, every request is refused
// ([ErrUnavailable]).
type Remote struct {
	book *follow.Document[Book]
}

var _ Pricer = (*Remote)(nil)

// NewRemote starts fetching; call Close to stop. It does not wait for the first book: see [Remote.Refresh].
func NewRemote(cfg RemoteConfig) *Remote {
	if cfg.Refresh <= 0 {
		cfg.Refresh = RefreshDefault
	}
	return &Remote{book: follow.Start(follow.Config[Book]{
		What: "price book", URL: cfg.URL, Accept: "application/json", Refresh: cfg.Refresh, BytesMax: documentBytesMax,
		Parse: Parse, Client: cfg.Client, Logger: cfg.Logger, After: cfg.After,
	})}
}

// Close stops fetching. The last book stays in force.
func (r *Remote) Close() { r.book.Close() }

// Book returns the book in force, nil if none was ever read.
func (r *Remote) Book() *Book { return r.book.Last() }

// Refresh fetches a book if there is none yet; otherwise it returns at once.
func (r *Remote) Refresh(ctx context.Context) error { return r.book.Ensure(ctx) }

// Price prices by the book in force; it returns [ErrUnavailable] if there is none and one more attempt does not get it.
func (r *Remote) Price(ctx context.Context, req *http.Request, unit edgewire.Unit) (Quote, error) {
	return r.price(ctx, req, unit, nil)
}

// Quoting returns a pricer with the same book that asks q when a rule needs the upstream's quote.
func (r *Remote) Quoting(q Quoter) Pricer { return &quotingRemote{remote: r, quoter: q} }

type quotingRemote struct {
	remote *Remote
	quoter Quoter
}

// Price implements Pricer.
func (r *quotingRemote) Price(ctx context.Context, req *http.Request, unit edgewire.Unit) (Quote, error) {
	return r.remote.price(ctx, req, unit, r.quoter)
}

func (r *Remote) price(ctx context.Context, req *http.Request, unit edgewire.Unit, quoter Quoter) (Quote, error) {
	book := r.Book()
	if book == nil {
		if err := r.Refresh(ctx); err != nil {
			return Quote{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		book = r.Book()
	}
	return book.price(ctx, req, unit, quoter)
}
