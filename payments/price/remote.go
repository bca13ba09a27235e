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
	// RetryAfter is how soon it asks again while it has had no book at all.
	RetryAfter = follow.RetryAfter

	documentBytesMax = 4 << 20
)

// RemoteConfig says where a book is fetched from, and with what.
type RemoteConfig struct {
	// URL of the document, such as http://backend + [WellKnownPath].
	URL string
	// Refresh is the time between two looks. Default: RefreshDefault.
	Refresh time.Duration
	Client  *http.Client
	Logger  *slog.Logger
	// After is time.After, or a test's own clock.
	After func(time.Duration) <-chan time.Time
}

// Remote prices by a book that its upstream publishes. It keeps the last good
// one: an upstream that is away or publishes nonsense does not stop sales, and
// nothing is sold before the first book was read ([ErrUnavailable]).
type Remote struct {
	book *follow.Document[Book]
}

var _ Pricer = (*Remote)(nil)

// NewRemote starts fetching; the caller must Close. It does not wait for the
// first book: see [Remote.Refresh].
func NewRemote(cfg RemoteConfig) *Remote {
	if cfg.Refresh <= 0 {
		cfg.Refresh = RefreshDefault
	}
	return &Remote{book: follow.Start(follow.Config[Book]{
		What: "price book", URL: cfg.URL, Accept: "application/json", Refresh: cfg.Refresh, BytesMax: documentBytesMax,
		Parse: Parse, Client: cfg.Client, Logger: cfg.Logger, After: cfg.After,
	})}
}

// Close stops fetching. The last book stays good.
func (r *Remote) Close() { r.book.Close() }

// Book returns the book in force, nil if none was ever read.
func (r *Remote) Book() *Book { return r.book.Last() }

// Refresh makes sure that there is a book: it returns at once if there is.
func (r *Remote) Refresh(ctx context.Context) error { return r.book.Ensure(ctx) }

// Price prices by the book in force; [ErrUnavailable] if there is none and one
// more attempt does not get it.
func (r *Remote) Price(ctx context.Context, req *http.Request, unit edgewire.Unit) (Quote, error) {
	return r.price(ctx, req, unit, nil)
}

// Quoting returns a pricer by the same book that asks q where a rule wants the
// upstream's quote.
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
