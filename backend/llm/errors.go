package llm

import (
	"fmt"
	"time"
)

// Reason is why a model did not answer.
type Reason string

// The reasons.
const (
	// ReasonUnavailable: the server cannot be reached, fails, or sends an unusable response.
	ReasonUnavailable Reason = "unavailable"
	// ReasonRefused: the server refuses the key, the model's name, or the request itself.
	ReasonRefused Reason = "refused"
	// ReasonRateLimited: too many requests; see Error.RetryAfter.
	ReasonRateLimited Reason = "rate_limited"
	// ReasonTooLong: the prompt or the reply exceeds the model's limit.
	ReasonTooLong Reason = "too_long"
	// ReasonTimeout: no answer in time.
	ReasonTimeout Reason = "timeout"
	// ReasonBadReply: the reply is not the requested JSON, even on the second try.
	ReasonBadReply Reason = "bad_reply"
	// ReasonContentFiltered: the model, or a filter before it, refused to answer.
	ReasonContentFiltered Reason = "content_filtered"
)

// Error is a failure to get a reply. Its text is for operators; it contains no key, and text of the page only as far as a
// server repeats it.
type Error struct {
	Reason Reason
	// Status is the server's HTTP status; 0 if there was no response.
	Status int
	// Message says what was wrong.
	Message string
	// RetryAfter is when the server permits a retry; 0 if it does not say.
	RetryAfter time.Duration
	// Err is the cause; it may be nil.
	Err error
}

func (e *Error) Error() string {
	text := "language model: " + string(e.Reason)
	if e.Status != 0 {
		text += fmt.Sprintf(" (status %d)", e.Status)
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }
