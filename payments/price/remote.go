package price

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// WellKnownPath is where an upstream publishes its price book.
const WellKnownPath = "/.well-known/turnpike-prices"

const (
	// RefreshDefault is how often a [Remote] asks for changes.
	RefreshDefault = 30 * time.Second
	// RetryAfter is how soon it asks again while it has had no book at all.
	RetryAfter = time.Second

	fetchTimeout     = 10 * time.Second
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
	cfg  RemoteConfig
	book atomic.Pointer[Book]

	mu      sync.Mutex // one fetch at a time
	etag    string
	failing bool

	cancel context.CancelFunc
	done   chan struct{}
}

var _ Pricer = (*Remote)(nil)

// NewRemote starts fetching; the caller must Close. It does not wait for the
// first book: see [Remote.Refresh].
func NewRemote(cfg RemoteConfig) *Remote {
	if cfg.Refresh <= 0 {
		cfg.Refresh = RefreshDefault
	}
	if cfg.After == nil {
		cfg.After = time.After
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &Remote{cfg: cfg, cancel: cancel, done: make(chan struct{})}
	go r.run(ctx)
	return r
}

// Close stops fetching. The last book stays good.
func (r *Remote) Close() {
	r.cancel()
	<-r.done
}

// Book returns the book in force, nil if none was ever read.
func (r *Remote) Book() *Book { return r.book.Load() }

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
	book := r.book.Load()
	if book == nil {
		if err := r.Refresh(ctx); err != nil {
			return Quote{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		book = r.book.Load()
	}
	return book.price(ctx, req, unit, quoter)
}

func (r *Remote) run(ctx context.Context) {
	defer close(r.done)
	for {
		if err := r.fetch(ctx); ctx.Err() == nil {
			r.report(err)
		}
		wait := r.cfg.Refresh
		if r.book.Load() == nil {
			wait = min(wait, RetryAfter)
		}
		// Jitter of a fifth: many edges do not ask in step.
		wait += rand.N(wait/5 + 1) //nolint:gosec // not a secret
		select {
		case <-ctx.Done():
			return
		case <-r.cfg.After(wait):
		}
	}
}

// report logs a change between good and failing, not every attempt.
func (r *Remote) report(err error) {
	switch {
	case err != nil && !r.failing:
		r.cfg.Logger.Error("fetching the price book", "url", r.cfg.URL, "error", err, "have_book", r.book.Load() != nil)
	case err == nil && r.failing:
		r.cfg.Logger.Info("price book is back", "url", r.cfg.URL)
	}
	r.failing = err != nil
}

// Refresh makes sure that there is a book: it returns at once if there is.
func (r *Remote) Refresh(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.book.Load() != nil {
		return nil
	}
	return r.fetchLocked(ctx)
}

func (r *Remote) fetch(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fetchLocked(ctx)
}

func (r *Remote) fetchLocked(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.cfg.URL, http.NoBody)
	if err != nil {
		return fmt.Errorf("price book request: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	if r.etag != "" {
		req.Header.Set("If-None-Match", r.etag)
	}
	res, err := r.cfg.Client.Do(req)
	if err != nil {
		return fmt.Errorf("price book request: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	switch res.StatusCode {
	case http.StatusNotModified:
		return nil
	case http.StatusOK:
	default:
		return fmt.Errorf("price book request: got status %d, want 200", res.StatusCode)
	}
	return r.take(res)
}

func (r *Remote) take(res *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(res.Body, documentBytesMax+1))
	if err != nil {
		return fmt.Errorf("reading price book: %w", err)
	}
	if len(data) > documentBytesMax {
		return fmt.Errorf("price book: is larger than %d bytes", documentBytesMax)
	}
	book, err := Parse(data)
	if err != nil {
		return err
	}
	r.book.Store(book)
	r.etag = res.Header.Get("ETag")
	return nil
}
