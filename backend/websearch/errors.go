package websearch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Reason is why a provider did not answer.
type Reason string

// The reasons.
const (
	// ReasonUnavailable: the provider cannot be reached or is out of order.
	ReasonUnavailable Reason = "unavailable"
	// ReasonRefused: the provider refuses the key, or the plan does not permit the request. Waiting does not help.
	ReasonRefused Reason = "refused"
	// ReasonQuota: the paid quota is used up.
	ReasonQuota Reason = "quota"
	// ReasonRateLimited: too many requests in too short a time; see Error.RetryAfter.
	ReasonRateLimited Reason = "rate_limited"
	// ReasonDisabled: the provider does not return JSON, such as a SearXNG before it is configured to.
	ReasonDisabled Reason = "disabled"
	// ReasonBadQuery: the provider does not accept this query. Others may, and it may accept others.
	ReasonBadQuery Reason = "bad_query"
	// ReasonBadReply: the response is not what the provider's API promises.
	ReasonBadReply Reason = "bad_reply"
	// ReasonTimeout: no response in time.
	ReasonTimeout Reason = "timeout"
)

// Reasons are all reasons.
var Reasons = []Reason{
	ReasonUnavailable, ReasonRefused, ReasonQuota, ReasonRateLimited, ReasonDisabled, ReasonBadQuery, ReasonBadReply, ReasonTimeout,
}

// Error is a failed search. Its text is for operators. It contains no key, and of the query only what a service repeats.
type Error struct {
	// Provider is the name of the failed provider; "" for the whole chain, and then Err is Failures.
	Provider string
	Reason   Reason
	// Status is the provider's HTTP status; 0 if there was no response.
	Status int
	// Message says what was wrong, and what an operator can do.
	Message string
	// RetryAfter is when to ask the provider again; 0 if unknown.
	RetryAfter time.Duration
	// Err is the cause; it may be nil.
	Err error

	// passing is set if the failure says nothing about the provider's health, so that its circuit breaker ignores it.
	passing bool
}

func (e *Error) Error() string {
	var failures Failures
	if e.Provider == "" && errors.As(e.Err, &failures) {
		return "no search provider answered: " + failures.Error()
	}
	text := "searching"
	if e.Provider != "" {
		text += " with " + e.Provider
	}
	text += ": " + string(e.Reason)
	if e.Status != 0 {
		text += fmt.Sprintf(" (status %d)", e.Status)
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// counts reports whether the circuit breaker counts the failure: it is the service's, not the query's or the caller's.
// Failures of the local provider do not count: it uses the database that the rest of this process uses, too.
func (e *Error) counts() bool {
	return !e.passing && e.Reason != ReasonBadQuery && e.Provider != NameLocal
}

// Failures are the failures of a chain's providers, in the order in which they were asked.
type Failures []*Error

func (f Failures) Error() string {
	texts := make([]string, len(f))
	for i, e := range f {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap lets errors.Is and errors.As examine each failure.
func (f Failures) Unwrap() []error {
	errs := make([]error, len(f))
	for i, e := range f {
		errs[i] = e
	}
	return errs
}

// failed combines all failures of a chain into one error. Its reason is the common reason, or else ReasonUnavailable. Its
// RetryAfter is the shortest of them.
func failed(failures Failures) *Error {
	whole := &Error{Reason: failures[0].Reason, Message: failures.Error(), Err: failures}
	for _, e := range failures {
		if e.Reason != whole.Reason {
			whole.Reason = ReasonUnavailable
		}
		if e.RetryAfter > 0 && (whole.RetryAfter == 0 || e.RetryAfter < whole.RetryAfter) {
			whole.RetryAfter = e.RetryAfter
		}
	}
	return whole
}

// cancelled is the error of a search whose caller has canceled.
func cancelled() error { return fmt.Errorf("searching: %w", context.Canceled) }
