package scrapes

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/render"
	"github.com/turnpike-edge/turnpike/backend/scrapes/failure"
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
		return nil, failure.OutOfMemory(err)
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
