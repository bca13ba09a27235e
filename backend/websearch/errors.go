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
	// ReasonRefused: the provider refuses the key, or what its plan may do. Waiting mends nothing.
	ReasonRefused Reason = "refused"
	// ReasonQuota: what was paid for is used up.
	ReasonQuota Reason = "quota"
	// ReasonRateLimited: too many requests in too short a time; see Error.RetryAfter.
	ReasonRateLimited Reason = "rate_limited"
	// ReasonDisabled: the provider is there and does not speak JSON, as a SearXNG does not until it is told to.
	ReasonDisabled Reason = "disabled"
	// ReasonBadQuery: the provider does not take this query. Others may, and it may take others.
	ReasonBadQuery Reason = "bad_query"
	// ReasonBadReply: the answer is not what the provider's API promises.
	ReasonBadReply Reason = "bad_reply"
	// ReasonTimeout: no answer in time.
	ReasonTimeout Reason = "timeout"
)

// Reasons are all of them.
var Reasons = []Reason{
	ReasonUnavailable, ReasonRefused, ReasonQuota, ReasonRateLimited, ReasonDisabled, ReasonBadQuery, ReasonBadReply, ReasonTimeout,
}

// Error is a failure to search. Its text is for operators; it holds no key, and of the query at most what a service repeats
// of it.
type Error struct {
	// Provider is the name of who failed; "" where it is the whole chain, and then Err is Failures.
	Provider string
	Reason   Reason
	// Status is the provider's HTTP status; 0 where there was no answer.
	Status int
	// Message says what was wrong, and what an operator can do.
	Message string
	// RetryAfter is when the provider is to be asked again; 0 where that is not known.
	RetryAfter time.Duration
	// Err is the cause; it may be nil.
	Err error

	// passing is set where the failure says nothing of the provider's health, so that its circuit does not count it.
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

// counts reports whether the failure is that of a service, which had better be left alone for a while, rather than the
// query's or its caller's. The local provider is no service: it is the database that everything else here asks too.
func (e *Error) counts() bool {
	return !e.passing && e.Reason != ReasonBadQuery && e.Provider != NameLocal
}

// Failures are what went wrong with each provider of a chain, in the order in which they were asked.
type Failures []*Error

func (f Failures) Error() string {
	texts := make([]string, len(f))
	for i, e := range f {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap lets errors.Is and errors.As find what is in them.
func (f Failures) Unwrap() []error {
	errs := make([]error, len(f))
	for i, e := range f {
		errs[i] = e
	}
	return errs
}

// failed makes one error of all failures of a chain. Its reason is the one that all of them share, or else that search is
// unavailable; it is to be tried again when the first provider is.
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

// cancelled is what a search ends with whose caller has gone.
func cancelled() error { return fmt.Errorf("searching: %w", context.Canceled) }
