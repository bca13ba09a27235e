package render

import (
	"context"
	"fmt"
	"net"

	"github.com/turnpike-edge/turnpike/admission"
)

// Renderer renders pages. It is safe for concurrent use; make one per process and share it. It holds no browser until
// the first job and none a while after the last.
type Renderer struct {
	config Config
	// dial connects to who starts browsers; nil: one runs elsewhere.
	dial   func(context.Context) (*net.UnixConn, error)
	pool   *pool
	places *admission.Pool // the pages of all browsers
}

// New makes a Renderer. It starts nothing: whether there is a browser, Available says.
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
		r.dial = func(ctx context.Context) (*net.UnixConn, error) { return dialHost(ctx, config.Socket) }
	default:
		r.dial = NewHost(config).pair
	}
	r.pool = newPool(config, func(ctx context.Context) (*browser, error) { return startBrowser(ctx, config, r.dial) })
	return r, nil
}

// Available returns nil if there is a browser to start, or else an *Error with ReasonUnavailable that says how to get
// one. It starts none, so that what only shows then it knows once it has shown.
func (r *Renderer) Available() error {
	if r.dial == nil {
		return nil
	}
	if err := hostReady(r.dial); err != nil {
		return &Error{Reason: ReasonUnavailable, Err: err}
	}
	return nil
}

// State is what is known of a browser that runs.
type State struct {
	// Agent is its user agent. All else is of a browser that a Host started.
	Agent string
	// User is whose processes it is.
	User int
	// Sandbox reports whether it has its sandbox.
	Sandbox bool
	// Confined says what else it is kept from.
	Confined string
}

// Check starts a browser, if none runs. Its error is an *Error that says what keeps it from starting.
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
