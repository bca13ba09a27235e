package render

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// Reason says why a job failed. The set is closed; callers map it to their own codes.
type Reason string

// The reasons.
const (
	// ReasonInvalidJob: the job is invalid.
	ReasonInvalidJob Reason = "invalid_job"
	// ReasonUnavailable: there is no browser, or it does not start.
	ReasonUnavailable Reason = "unavailable"
	// ReasonBusy: no page became free in time, or Job.Room granted no memory.
	ReasonBusy Reason = "busy"
	// ReasonNavigation: the document did not load; Error.Fetch says why.
	ReasonNavigation Reason = "navigation"
	// ReasonAction: an action failed; Error.Action is its index.
	ReasonAction Reason = "action"
	// ReasonTimeout: the job took longer than allowed.
	ReasonTimeout Reason = "timeout"
	// ReasonCanceled: the caller's context was canceled.
	ReasonCanceled Reason = "canceled"
	// ReasonCrashed: the page or its browser crashed, mostly for lack of memory.
	ReasonCrashed Reason = "crashed"
	// ReasonTooLarge: a result, or what was loaded for it, is larger than allowed.
	ReasonTooLarge Reason = "too_large"
)

// Error is the type of every failure of Renderer.Render.
type Error struct {
	Reason Reason
	// Fetch is, for ReasonNavigation, the reason in terms of package fetch, as the egress or the browser saw it:
	// fetch.ReasonBlockedAddress when the guard refused the document's address.
	Fetch fetch.Reason
	// URL is where navigation ended, which may differ from the requested URL after redirects.
	URL string
	// Action is, for ReasonAction, the index of the action in Job.Actions.
	Action int
	Err    error
}

// Error omits the URL's query, which may contain secrets.
func (e *Error) Error() string {
	switch e.Reason {
	case ReasonNavigation:
		shown, _, _ := strings.Cut(e.URL, "?")
		return fmt.Sprintf("rendering %.200s: %v", shown, e.Err)
	case ReasonAction:
		return fmt.Sprintf("action %d: %v", e.Action, e.Err)
	default:
		return fmt.Sprintf("rendering: %v", e.Err)
	}
}

func (e *Error) Unwrap() error { return e.Err }

// ReasonOf returns the reason of err, or "" if err is not from this package.
func ReasonOf(err error) Reason {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return ""
}

var (
	errJobTimeout   = errors.New("time limit reached")
	errBrowserGone  = errors.New("the browser exited")
	errTabCrashed   = errors.New("the page crashed")
	errOutOfMemory  = errors.New("the browser used more memory than allowed")
	errClosed       = errors.New("the renderer is closed")
	errWireBytesMax = errors.New("the page loaded more bytes than allowed")
)

// fail gives err its reason. The order matters: after the context or the browser ended, every other error is a consequence.
func fail(ctx context.Context, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(err, errOutOfMemory), errors.Is(err, errBrowserGone), errors.Is(err, errTabCrashed):
		return &Error{Reason: ReasonCrashed, Err: err}
	case errors.Is(cause, errJobTimeout), errors.Is(cause, context.DeadlineExceeded):
		return &Error{Reason: ReasonTimeout, Err: cause}
	case cause != nil:
		return &Error{Reason: ReasonCanceled, Err: cause}
	default:
		return &Error{Reason: ReasonCrashed, Err: err}
	}
}

// turnError is the error if there was no turn at the host of the document at an address.
func turnError(at string, err error) *Error {
	return &Error{Reason: ReasonNavigation, URL: at, Fetch: cmp.Or(fetch.ReasonOf(err), fetch.ReasonGate), Err: err}
}

// reasonOfNetError translates Chromium's name of a network failure (net/base/net_error_list.h), for failures that the
// egress cannot see because they occur inside a tunnel or when the response is read.
func reasonOfNetError(text string) fetch.Reason {
	name := strings.TrimPrefix(text, "net::")
	switch {
	case strings.HasPrefix(name, "ERR_CERT_"), strings.HasPrefix(name, "ERR_SSL_"), strings.HasPrefix(name, "ERR_BAD_SSL_"):
		return fetch.ReasonTLS
	case name == "ERR_TOO_MANY_REDIRECTS":
		return fetch.ReasonTooManyRedirects
	case strings.HasSuffix(name, "TIMED_OUT"):
		return fetch.ReasonTimeout
	case name == "ERR_CONNECTION_RESET", name == "ERR_CONNECTION_CLOSED", name == "ERR_CONNECTION_ABORTED", name == "ERR_EMPTY_RESPONSE",
		name == "ERR_SOCKET_NOT_CONNECTED", strings.HasPrefix(name, "ERR_INCOMPLETE_"):
		return fetch.ReasonReset
	case name == "ERR_NAME_NOT_RESOLVED":
		return fetch.ReasonDNS
	case strings.HasPrefix(name, "ERR_CONTENT_DECODING_"):
		return fetch.ReasonBadEncoding
	case name == "ERR_UNSAFE_PORT":
		return fetch.ReasonBlockedPort
	default:
		return fetch.ReasonBadResponse
	}
}
