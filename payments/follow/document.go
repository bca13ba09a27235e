package follow

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
)

// RetryAfter is how soon a document is requested again while there is none yet.
const RetryAfter = time.Second

const fetchTimeout = 10 * time.Second

// Config says which document is followed, and how.
type Config[T any] struct {
	// What the document is, for logs and errors: "price book".
	What string
	URL  string
	// Accept is the requested media type.
	Accept string
	// Refresh is the time between two fetches; a random part of at most a fifth is added.
	Refresh time.Duration
	// BytesMax is the size of the largest document that is accepted.
	BytesMax int64
	// Parse reads a document. Its errors name the document.
	Parse  func([]byte) (*T, error)
	Client *http.Client
	Logger *slog.Logger
	// After is time.After, or a test's clock.
	After func(time.Duration) <-chan time.Time
}

// Document is the last valid state of the followed document.
type Document[T any] struct {
	cfg  Config[T]
	last atomic.Pointer[T]

	mu      sync.Mutex // one fetch at a time
	etag    string
	failing bool

	looked chan struct{} // closed after the first fetch
	cancel context.CancelFunc
	done   chan struct{}
}

// Start starts to follow; call Close to stop. It does not wait for the first fetch: see [Document.Ensure] and
// [Document.Looked].
func Start[T any](cfg Config[T]) *Document[T] {
	if cfg.After == nil {
		cfg.After = time.After
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := &Document[T]{cfg: cfg, looked: make(chan struct{}), cancel: cancel, done: make(chan struct{})}
	go d.run(ctx)
	return d
}

// Close stops fetching. The last document stays in use.
func (d *Document[T]) Close() {
	d.cancel()
	<-d.done
}

// Last returns the last valid document, nil if none was ever read.
func (d *Document[T]) Last() *T { return d.last.Load() }

// Looked returns a channel that is closed after the first fetch, successful or not.
func (d *Document[T]) Looked() <-chan struct{} { return d.looked }

// Ensure returns at once if there is a document, and fetches once more if there is none.
func (d *Document[T]) Ensure(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last.Load() != nil {
		return nil
	}
	return d.fetchLocked(ctx)
}

func (d *Document[T]) run(ctx context.Context) {
	defer close(d.done)
	for first := true; ; first = false {
		if err := d.fetch(ctx); ctx.Err() == nil {
			d.report(err)
		}
		if first {
			close(d.looked)
		}
		wait := d.cfg.Refresh
		if d.last.Load() == nil {
			wait = min(wait, RetryAfter)
		}
		// Jitter of a fifth, so that many edges do not fetch at the same time.
		wait += rand.N(wait/5 + 1) //nolint:gosec // not a secret
		select {
		case <-ctx.Done():
			return
		case <-d.cfg.After(wait):
		}
	}
}

// report logs changes between success and failure, not every attempt.
func (d *Document[T]) report(err error) {
	switch {
	case err != nil && !d.failing:
		d.cfg.Logger.Error("fetching a document failed", "what", d.cfg.What, "url", d.cfg.URL, "error", err, "have_one", d.last.Load() != nil)
	case err == nil && d.failing:
		d.cfg.Logger.Info("a document is available again", "what", d.cfg.What, "url", d.cfg.URL)
	}
	d.failing = err != nil
}

func (d *Document[T]) fetch(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fetchLocked(ctx)
}

func (d *Document[T]) fetchLocked(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.cfg.URL, http.NoBody)
	if err != nil {
		return fmt.Errorf("%s request: %w", d.cfg.What, err)
	}
	req.Header.Set("Accept", d.cfg.Accept)
	if d.etag != "" {
		req.Header.Set("If-None-Match", d.etag)
	}
	res, err := d.cfg.Client.Do(req)
	if err != nil {
		return fmt.Errorf("%s request: %w", d.cfg.What, err)
	}
	defer func() { _ = res.Body.Close() }()
	switch res.StatusCode {
	case http.StatusNotModified:
		return nil
	case http.StatusOK:
	default:
		return fmt.Errorf("%s request: got status %d, want 200", d.cfg.What, res.StatusCode)
	}
	return d.take(res)
}

func (d *Document[T]) take(res *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(res.Body, d.cfg.BytesMax+1))
	if err != nil {
		return fmt.Errorf("reading %s: %w", d.cfg.What, err)
	}
	if int64(len(data)) > d.cfg.BytesMax {
		return fmt.Errorf("%s: is larger than %d bytes", d.cfg.What, d.cfg.BytesMax)
	}
	document, err := d.cfg.Parse(data)
	if err != nil {
		return err
	}
	d.last.Store(document)
	d.etag = res.Header.Get("ETag")
	return nil
}
