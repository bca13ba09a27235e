package failure

import (
	"context"
	"errors"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/render"
)

// Render converts a failed render to a problem.
func Render(ctx context.Context, err error) error {
	if said, ok := errors.AsType[*problem.Error](err); ok { // there was no room for the result
		return said
	}
	e, ok := errors.AsType[*render.Error](err)
	if !ok {
		return problem.From(err)
	}
	switch e.Reason {
	case render.ReasonNavigation:
		return Fetch(ctx, &fetch.Error{Reason: e.Fetch, URL: e.URL, Err: e.Err})
	case render.ReasonAction:
		p := problem.Wrap(problem.FetchFailed, "The page was loaded, but an action failed: "+e.Error()+". Nothing was charged.", err)
		p.Metadata = map[string]any{"reason": causeAction, "action": e.Action}
		return p
	case render.ReasonBusy:
		return overloaded("All browsers are in use. Nothing was charged; try again in a moment.", err)
	case render.ReasonTimeout:
		return TimeLimit(err)
	case render.ReasonCanceled:
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return TimeLimit(err)
		}
		return unreachable("The request was canceled before the page was loaded.", fetch.ReasonCanceled, err)
	case render.ReasonCrashed:
		return unreachable("The page crashed its browser, most likely because it used too much memory.", causeCrashed, err)
	case render.ReasonTooLarge:
		return unreachable("The page, or a format made from it, is larger than the limit for rendered pages.", fetch.ReasonBodyTooLarge, err)
	case render.ReasonUnavailable:
		return NoBrowser("This request", err)
	case render.ReasonInvalidJob:
		return problem.Wrap(problem.ValidationError, "The browser cannot carry out the request: "+e.Err.Error()+".", err)
	}
	return problem.Internal(err)
}

// NoBrowser is the error for a request that needs a browser.
func NoBrowser(what string, err error) error {
	return problem.Wrap(problem.RendererUnavailable, what+" needs a browser, and this installation has no working one. "+
		"Omit it to get the page as the site serves it, or ask the operator to run turnpike doctor, which reports what is missing and how to install it.", err)
}

// Memory is the error if there was no memory in time, or the client gave up.
func Memory(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return unreachable("The request was canceled before the page was read.", fetch.ReasonCanceled, err)
	}
	return OutOfMemory(err)
}

func OutOfMemory(err error) error {
	return overloaded("The service is at capacity. Nothing was charged; try again in a moment.", err)
}

func overloaded(detail string, err error) error {
	e := problem.Wrap(problem.Overloaded, detail, err)
	e.RetryAfter = OverloadRetry
	return e
}

// Reason describes a failed render in few words, for render_reason.
func Reason(err error) string {
	e, ok := errors.AsType[*render.Error](err)
	switch {
	case !ok:
		return string(problem.From(err).Code)
	case e.Reason == render.ReasonNavigation && e.Fetch != "":
		return string(e.Fetch)
	}
	return string(e.Reason)
}
