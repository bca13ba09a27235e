package scrapes

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/render"
)

// waitsMax is how long all waits of a request in the browser may take together. They are added to the time limit.
const waitsMax = time.Minute

// job returns the browser job of a request, without the URL and the connection.
func (w *requestOptions) job() render.Job {
	job := render.Job{Screen: screenOf(w.ScreenSize), Wait: milliseconds(&w.WaitBeforeScraping)}
	for _, action := range w.Actions {
		job.Actions = append(job.Actions, render.Action{
			Kind: render.ActionKind(action.Type), Selector: valueOf(action.Selector), Value: valueOf(action.Value),
			Direction: render.Direction(valueOf(action.Direction)), Amount: valueOf(action.Amount), Duration: milliseconds(action.Milliseconds),
		})
	}
	if w.takesScreenshot() {
		job.Screenshot = &render.Screenshot{FullPage: w.Screenshot != nil && w.Screenshot.FullPage}
	}
	return job
}

// waits returns how long the request makes the browser wait.
func (w *requestOptions) waits() time.Duration {
	total := milliseconds(&w.WaitBeforeScraping)
	for _, action := range w.Actions {
		total += milliseconds(action.Milliseconds)
	}
	return total
}

// screenOf returns the requested screen size: numbers override names.
func screenOf(s *page.ScreenSize) render.Screen {
	if s == nil {
		return render.ScreenDefault
	}
	screen := render.ScreenDefault
	switch s.ScreenType {
	case "mobile":
		screen = render.ScreenMobile
	case "desktop":
		screen = render.ScreenDesktop
	}
	if s.ScreenWidth > 0 {
		screen.Width = s.ScreenWidth
	}
	if s.ScreenHeight > 0 {
		screen.Height = s.ScreenHeight
	}
	return screen
}

func milliseconds(n *int) time.Duration { return time.Duration(valueOf(n)) * time.Millisecond }

func valueOf[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// hasBrowser reports whether pages can be rendered.
func (e *Engine) hasBrowser() bool {
	return e.config.Renderer != nil && e.config.Renderer.Available() == nil
}

// browse renders the page of p, over the network path and with the cookies of its session.
func (e *Engine) browse(ctx context.Context, p *plan, prints bool) (*render.Result, error) {
	room := &room{memory: e.config.Memory, hold: p.hold, before: p.hold.Bytes()}
	job := p.job
	job.URL, job.Session, job.PDF = p.url, p.session, prints
	job.Enter, job.Room = e.config.Fetcher.EnterTarget, room.take
	job.Dial = func(ctx context.Context, hostPort string) (net.Conn, error) {
		return e.config.Fetcher.DialTarget(ctx, p.session, hostPort)
	}
	result, err := e.config.Renderer.Render(ctx, job)
	switch {
	case err != nil && room.denied.Load():
		return nil, outOfMemory(err)
	case err != nil:
		return nil, err
	}
	if result.StatusCode == 0 { // a document made by scripts, without a response
		result.StatusCode = http.StatusOK
	}
	return result, nil
}

// room takes memory for a render. While the page loads, that is the browser's own; room takes memory for the parts that
// are transferred out of the browser.
type room struct {
	memory *membudget.Budget
	hold   *membudget.Hold
	before int64 // already held for the fetched page
	bytes  int64 // of the transferred parts
	denied atomic.Bool
}

// take is a render.RoomFunc.
func (r *room) take(ctx context.Context, bytesMax int64) (taken func(int64), err error) {
	if err := r.hold.Set(ctx, r.before+membudget.HeldBytes(r.bytes+bytesMax)); err != nil {
		r.denied.Store(true)
		return nil, err
	}
	release, err := r.memory.Take(ctx, membudget.TakenBytes(bytesMax))
	if err != nil {
		r.denied.Store(true)
		return nil, err
	}
	return func(bytes int64) {
		release()
		r.bytes += bytes
		_ = r.hold.Set(ctx, r.before+membudget.HeldBytes(r.bytes)) // it shrinks, which never waits
	}, nil
}

// renderProblem converts a failed render to a problem.
func renderProblem(ctx context.Context, err error) error {
	if said, ok := errors.AsType[*problem.Error](err); ok { // there was no room for the result
		return said
	}
	e, ok := errors.AsType[*render.Error](err)
	if !ok {
		return problem.From(err)
	}
	switch e.Reason {
	case render.ReasonNavigation:
		return fetchProblem(ctx, &fetch.Error{Reason: e.Fetch, URL: e.URL, Err: e.Err})
	case render.ReasonAction:
		p := problem.Wrap(problem.FetchFailed, "The page was loaded, but an action failed: "+e.Error()+". Nothing was charged.", err)
		p.Metadata = map[string]any{"reason": causeAction, "action": e.Action}
		return p
	case render.ReasonBusy:
		return overloaded("All browsers are in use. Nothing was charged; try again in a moment.", err)
	case render.ReasonTimeout:
		return timeLimit(err)
	case render.ReasonCanceled:
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return timeLimit(err)
		}
		return unreachable("The request was canceled before the page was loaded.", fetch.ReasonCanceled, err)
	case render.ReasonCrashed:
		return unreachable("The page crashed its browser, most likely because it used too much memory.", causeCrashed, err)
	case render.ReasonTooLarge:
		return unreachable("The page, or a format made from it, is larger than the limit for rendered pages.", fetch.ReasonBodyTooLarge, err)
	case render.ReasonUnavailable:
		return noBrowser("This request", err)
	case render.ReasonInvalidJob:
		return problem.Wrap(problem.ValidationError, "The browser cannot carry out the request: "+e.Err.Error()+".", err)
	}
	return problem.Internal(err)
}

// noBrowser is the error for a request that needs a browser.
func noBrowser(what string, err error) error {
	return problem.Wrap(problem.RendererUnavailable, what+" needs a browser, and this installation has no working one. "+
		"Omit it to get the page as the site serves it, or ask the operator to run turnpike doctor, which reports what is missing and how to install it.", err)
}

// memoryProblem is the error if there was no memory in time, or the client gave up.
func memoryProblem(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return unreachable("The request was canceled before the page was read.", fetch.ReasonCanceled, err)
	}
	return outOfMemory(err)
}

func outOfMemory(err error) error {
	return overloaded("The service is at capacity. Nothing was charged; try again in a moment.", err)
}

func overloaded(detail string, err error) error {
	e := problem.Wrap(problem.Overloaded, detail, err)
	e.RetryAfter = overloadRetry
	return e
}

// failureOf describes a failed render in few words, for render_reason.
func failureOf(err error) string {
	e, ok := errors.AsType[*render.Error](err)
	switch {
	case !ok:
		return string(problem.From(err).Code)
	case e.Reason == render.ReasonNavigation && e.Fetch != "":
		return string(e.Fetch)
	}
	return string(e.Reason)
}
