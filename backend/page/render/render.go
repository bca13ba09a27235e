package render

import (
	"context"
	"fmt"
	"net"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/page/render/chromium"
)

// Renderer renders pages. It is safe for concurrent use; make one per process and share it. It starts browsers for the
// first job and ends them some time after the last.
type Renderer struct {
	config Config
	// dial connects to the host that starts browsers; nil: the browser runs elsewhere.
	dial   func(context.Context) (*net.UnixConn, error)
	pool   *pool
	places *admission.Pool // the pages of all browsers
}

// New makes a Renderer. It starts nothing; Available says whether there is a browser.
func New(config Config) (*Renderer, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("render configuration: %w", err)
	}
	config = config.withDefaults()
	places := admission.New(admission.Config{Name: "browser_pages", Size: int64(config.Browsers * config.PagesPerBrowser)})
	r := &Renderer{config: config, places: places}
	switch {
	case config.Endpoint != "":
		r.pool = newPool(config, func(ctx context.Context) (*browser, error) { return joinBrowser(ctx, config) })
		return r, nil
	case config.Socket != "":
		r.dial = func(ctx context.Context) (*net.UnixConn, error) { return chromium.Dial(ctx, config.Socket) }
	default:
		r.dial = chromium.NewHost(chromium.Config{Browser: config.Browser, Sandbox: config.Sandbox, KillBytes: config.KillBytes, Logger: config.Logger}).Pair
	}
	r.pool = newPool(config, func(ctx context.Context) (*browser, error) { return startBrowser(ctx, config, r.dial) })
	return r, nil
}

// Available returns nil if there is a browser to start, or else an *Error with ReasonUnavailable that says how to get one.
// It starts none, so it reports faults that only a start shows after they have occurred.
func (r *Renderer) Available() error {
	if r.dial == nil {
		return nil
	}
	if err := chromium.Ready(r.dial); err != nil {
		return &Error{Reason: ReasonUnavailable, Err: err}
	}
	return nil
}

// State describes a running browser.
type State struct {
	// Agent is its user agent. The other fields are set for a browser that a Host started.
	Agent string
	// User is the user of its processes.
	User int
	// Sandbox reports whether it has its sandbox.
	Sandbox bool
	// Confined lists the other confinements.
	Confined string
}

// Check starts a browser if none runs. Its error is an *Error that says what prevents the start.
func (r *Renderer) Check(ctx context.Context) (State, error) {
	m, err := r.pool.acquire(ctx)
	if err != nil {
		return State{}, err
	}
	defer r.pool.release(m)
	state := State{Agent: m.browser.agent}
	if said := m.browser.started.Load(); said != nil {
		state.User, state.Sandbox, state.Confined = said.User, said.Sandbox, said.Confined
	}
	return state, nil
}

// Render runs one job. Errors are *Error.
func (r *Renderer) Render(ctx context.Context, job Job) (*Result, error) {
	if err := job.Validate(); err != nil {
		return nil, &Error{Reason: ReasonInvalidJob, Err: err}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.config.Timeout, errJobTimeout)
	defer cancel()
	own := &turn{enter: job.Enter}
	defer own.end()
	// Take the turn before the page, so that jobs for busy hosts do not occupy pages.
	if err := own.move(ctx, job.URL.HostPort()); err != nil {
		return nil, turnError(job.URL.String(), err)
	}
	place, err := r.places.Acquire(ctx, 1)
	if err != nil {
		return nil, &Error{Reason: ReasonBusy, Err: fmt.Errorf("all %d pages are in use: %w", r.places.Size(), err)}
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

// Places is the pool of the pages of all browsers, shared among the holders that jobs' contexts name.
func (r *Renderer) Places() *admission.Pool { return r.places }

// Stats returns the present load.
func (r *Renderer) Stats() Stats { return r.pool.stats() }

// Close ends every browser, with its running jobs, and returns once their processes are gone.
func (r *Renderer) Close() error {
	r.pool.close()
	return nil
}
