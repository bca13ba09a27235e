package render

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/turnpike-edge/turnpike/admission"
)

// Renderer renders pages. It is safe for concurrent use; make one per process and share it. It holds no browser until
// the first job and none a while after the last.
type Renderer struct {
	config Config
	pool   *pool
	places *admission.Pool // the pages of all browsers
}

// New makes a Renderer. It starts nothing: whether there is a browser, Available says.
func New(config Config) (*Renderer, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("render configuration: %w", err)
	}
	config = config.withDefaults()
	var sandbox atomic.Bool
	sandbox.Store(!config.NoSandbox)
	start := func(ctx context.Context) (*browser, error) { return startBrowser(ctx, config, &sandbox) }
	if config.Endpoint != "" {
		start = func(ctx context.Context) (*browser, error) { return joinBrowser(ctx, config) }
	}
	places := admission.New(admission.Config{Name: "browser_pages", Size: int64(config.Browsers * config.PagesPerBrowser)})
	return &Renderer{config: config, pool: newPool(config, start), places: places}, nil
}

// Available returns nil if there is a browser to start, or else an *Error with ReasonUnavailable that says how to get
// one. It starts none.
func (r *Renderer) Available() error {
	if r.config.Endpoint != "" {
		return nil
	}
	if _, err := Find(r.config.Browser); err != nil {
		return &Error{Reason: ReasonUnavailable, Err: err}
	}
	return nil
}

// Render does one job. Errors are *Error.
func (r *Renderer) Render(ctx context.Context, job Job) (*Result, error) {
	if err := job.Validate(); err != nil {
		return nil, &Error{Reason: ReasonInvalidJob, Err: err}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.config.Timeout, errJobTimeout)
	defer cancel()
	own := &turn{enter: job.Enter}
	defer own.end()
	// Before there is a page: who waits for a busy host should not keep others from the browser.
	if err := own.move(ctx, job.URL.HostPort()); err != nil {
		return nil, turnError(job.URL.String(), err)
	}
	place, err := r.places.Acquire(ctx, 1)
	if err != nil {
		return nil, &Error{Reason: ReasonBusy, Err: fmt.Errorf("no more of the %d pages may be had: %w", r.places.Size(), err)}
	}
	defer place.Release()
	m, err := r.pool.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer r.pool.release(m)
	result, err := m.browser.render(ctx, job, own)
	if err != nil {
		return nil, fail(ctx, err)
	}
	return result, nil
}

// Places are the pages of all browsers together, which the holders that jobs' contexts name have shares of.
func (r *Renderer) Places() *admission.Pool { return r.places }

// Stats says what is going on.
func (r *Renderer) Stats() Stats { return r.pool.stats() }

// Close ends every browser, with the jobs that run, and returns once their processes are gone.
func (r *Renderer) Close() error {
	r.pool.close()
	return nil
}
