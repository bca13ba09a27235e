package failure

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
)

// Fetch converts a failed fetch to a problem.
func Fetch(ctx context.Context, err error) error {
	reason := fetch.ReasonOf(err)
	switch reason {
	case fetch.ReasonInvalidURL:
		return problem.Validation(problem.BodyFault("url_to_scrape", Message(err)))
	case fetch.ReasonBlockedAddress:
		return blocked("The page, or one that it redirects to, is not at a public address. Nothing was charged.", reason, err)
	case fetch.ReasonBlockedPort:
		return blocked("The page, or one that it redirects to, is at a port that is not fetched: only 80 and 443 are allowed. Nothing was charged.", reason, err)
	case fetch.ReasonTimeout:
		return TimeLimit(err)
	case fetch.ReasonCanceled:
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return TimeLimit(err)
		}
		return unreachable("The request was canceled before the page was loaded.", reason, err)
	case fetch.ReasonDNS:
		return unreachable("The host name of the page cannot be resolved.", reason, err)
	case fetch.ReasonConnect:
		return unreachable("The connection to the page's host failed.", reason, err)
	case fetch.ReasonTLS:
		return unreachable("The page's host has no valid certificate, or the TLS handshake failed.", reason, err)
	case fetch.ReasonReset:
		return unreachable("The page's host closed the connection before its response was complete.", reason, err)
	case fetch.ReasonTooManyRedirects:
		return unreachable("The page redirects too often or in a circle.", reason, err)
	case fetch.ReasonBodyTooLarge:
		return unreachable("The page is larger than the size limit.", reason, err)
	case fetch.ReasonBadEncoding:
		return unreachable("The content encoding of the page cannot be decoded.", reason, err)
	case fetch.ReasonBadResponse:
		return unreachable("The page's host did not return a valid HTTP response.", reason, err)
	case fetch.ReasonProxy:
		return unreachable("The proxy for the country could not reach the page, or could not be reached itself.", reason, err)
	case fetch.ReasonNoProxy:
		return problem.Wrap(problem.ProviderNotConfigured, "The country is not available: "+Message(err)+
			". Omit it, or ask the operator to configure a proxy for it.", err)
	case fetch.ReasonRateLimited:
		return hostBusy(err)
	case fetch.ReasonRoom:
		return Memory(ctx, err)
	case fetch.ReasonRefused: // by the feature that asked for the page, with its own problem
		return refused(err)
	case fetch.ReasonNotArchived:
		return unreachable("This installation reads pages from an archive, and this page is not in it.", reason, err)
	case fetch.ReasonGate, fetch.ReasonArchive:
		return problem.Internal(err)
	}
	return problem.Internal(fmt.Errorf("fetching: %w", err))
}

// hostBusy is the error for a target that already gets as many requests as it should, from all clients together.
func hostBusy(err error) error {
	e := problem.Wrap(problem.Overloaded,
		"The request limit for the page's host is reached, or the host has asked for fewer requests. Nothing was charged.", err)
	e.Metadata = map[string]any{"reason": string(fetch.ReasonRateLimited)}
	e.RetryAfter = OverloadRetry
	if busy, ok := errors.AsType[*fetch.BusyError](err); ok {
		e.RetryAfter = max(busy.RetryAfter, OverloadRetry)
	}
	return e
}

// refused returns the error of a job's Follow for a redirect: a *page.Error or a *problem.Error unchanged.
func refused(err error) error {
	e, _ := errors.AsType[*fetch.Error](err)
	if said, ok := errors.AsType[*page.Error](e.Err); ok {
		return said
	}
	if said, ok := errors.AsType[*problem.Error](e.Err); ok {
		return said
	}
	return problem.Internal(fmt.Errorf("following a redirect: %w", e.Err))
}

// Message returns the message of a failed fetch without the URL.
func Message(err error) string {
	if e, ok := errors.AsType[*fetch.Error](err); ok && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// blocked says only that the address is refused, so that clients cannot learn what a private name resolves to.
func blocked(detail string, reason fetch.Reason, err error) error {
	e := problem.Wrap(problem.BlockedAddress, detail, err)
	e.Metadata = map[string]any{"reason": string(reason)}
	return e
}

func unreachable(detail string, reason fetch.Reason, err error) error {
	e := problem.Wrap(problem.FetchFailed, detail+" Nothing was charged.", err)
	e.Metadata = map[string]any{"reason": string(reason)}
	return e
}

func TimeLimit(err error) error {
	return problem.Wrap(problem.RequestTimeout, "The page was not loaded within the time limit. Nothing was charged.", err)
}

// Read converts the error of a page that cannot be read to a problem.
func Read(ctx context.Context, err error, source extract.Source) error {
	switch {
	case errors.Is(err, extract.ErrUnsupportedContent):
		return Unsupported("The page is a file of a type without text: html, markdown and text are available for web pages and text files. Nothing was charged.", source, err)
	case errors.Is(err, extract.ErrTooComplex):
		return unreachable("The page is too large or too complex to be read.", causeTooComplex, err)
	case errors.Is(err, extract.ErrInvalidOption):
		return problem.Wrap(problem.ValidationError, "The request is not valid: "+err.Error()+".", err)
	case errors.Is(err, membudget.ErrNoRoom), errors.Is(ctx.Err(), context.Canceled):
		return Memory(ctx, err)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return TimeLimit(err)
	}
	return problem.Internal(fmt.Errorf("reading the page: %w", err))
}

// Unsupported is the error for a file type that cannot give the requested formats.
func Unsupported(detail string, source extract.Source, err error) error {
	e := problem.Wrap(problem.UnsupportedFileType, detail, err)
	e.Metadata = map[string]any{"content_type": source.MediaType, "status_code": source.StatusCode}
	return e
}
