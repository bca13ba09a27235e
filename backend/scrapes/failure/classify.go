package failure

import (
	"errors"
	"net"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// The reasons in problems, beside those of package fetch.
const (
	causeCrashed    = "page_crashed"
	causeAction     = "action_failed"
	causeTooComplex = "too_complex"
)

// OverloadRetry is when a client should retry after an overload.
const OverloadRetry = 2 * time.Second

// Classify decides whether a page that failed with err is worth retrying.
func Classify(err error) *page.Error {
	if said, ok := errors.AsType[*page.Error](err); ok { // from a job's Follow
		return said
	}
	e := &page.Error{Class: page.ClassFinal, Problem: problem.From(err)}
	switch e.Problem.Code { //nolint:exhaustive // the others would fail again
	case problem.Overloaded:
		e.Class, e.After = page.ClassWait, e.Problem.RetryAfter
	case problem.RequestTimeout:
		e.Class = page.ClassLater
	case problem.InternalServerError:
		e.Class = page.ClassLater
		if fetch.ReasonOf(err) == fetch.ReasonGate { // nothing was sent yet
			e.Class, e.After = page.ClassWait, OverloadRetry
		}
	case problem.FetchFailed:
		e.Class = classOfFetch(e.Problem)
		if e.Class == page.ClassWait {
			e.After = OverloadRetry
		}
	}
	return e
}

// classOfFetch returns the class of a page that could not be fetched: network failures may pass, properties of the page do not.
func classOfFetch(e *problem.Error) page.Class {
	reason, _ := e.Metadata["reason"].(string)
	if reason == causeCrashed {
		return page.ClassLater
	}
	switch fetch.Reason(reason) { //nolint:exhaustive // the others would fail again
	case fetch.ReasonDNS:
		if lookup, ok := errors.AsType[*net.DNSError](e); ok && lookup.IsNotFound {
			return page.ClassFinal
		}
		return page.ClassLater
	case fetch.ReasonConnect, fetch.ReasonReset, fetch.ReasonTLS, fetch.ReasonBadResponse, fetch.ReasonProxy:
		return page.ClassLater
	case fetch.ReasonCanceled: // by this service
		return page.ClassWait
	}
	return page.ClassFinal
}
