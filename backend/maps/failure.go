package maps

import (
	"errors"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// startProblem converts the error of a fetch into the problem for the client.
func startProblem(err error) error {
	reason := fetch.ReasonOf(err)
	of := func(code problem.Code, detail string) error {
		e := problem.Wrap(code, detail+" Nothing was charged.", err)
		e.Metadata = map[string]any{"reason": string(reason)}
		return e
	}
	switch reason {
	case fetch.ReasonInvalidURL:
		return problem.Validation(problem.BodyFault("url", innermost(err)))
	case fetch.ReasonBlockedAddress:
		return of(problem.BlockedAddress, "The site is not at a public address.")
	case fetch.ReasonBlockedPort:
		return of(problem.BlockedAddress, "The site uses a port that is not allowed: only 80 and 443 are.")
	case fetch.ReasonDNS:
		return of(problem.FetchFailed, "The site's host name cannot be resolved.")
	case fetch.ReasonConnect:
		return of(problem.FetchFailed, "No connection to the site's host could be made.")
	case fetch.ReasonTLS:
		return of(problem.FetchFailed, "The site's host has no valid certificate, or the TLS handshake failed.")
	case fetch.ReasonTimeout, fetch.ReasonCanceled:
		return of(problem.RequestTimeout, "The site did not answer within the time limit.")
	case fetch.ReasonRateLimited:
		e := problem.Wrap(problem.Overloaded, "The site is already being fetched at its maximum rate, or has asked for a pause. Nothing was charged.", err)
		e.Metadata = map[string]any{"reason": string(reason)}
		e.RetryAfter = overloadRetry
		if busy, ok := errors.AsType[*fetch.BusyError](err); ok {
			e.RetryAfter = max(busy.RetryAfter, overloadRetry)
		}
		return e
	case fetch.ReasonReset, fetch.ReasonTooManyRedirects, fetch.ReasonBodyTooLarge, fetch.ReasonBadEncoding, fetch.ReasonBadResponse,
		fetch.ReasonNoProxy, fetch.ReasonProxy:
		return of(problem.FetchFailed, "The site's response cannot be read.")
	case fetch.ReasonNotArchived:
		return of(problem.FetchFailed, "The archive that is used instead of the network does not contain the site.")
	case fetch.ReasonArchive, fetch.ReasonGate, fetch.ReasonRoom, fetch.ReasonRefused:
		return problem.Internal(err)
	}
	return problem.Internal(err)
}
