package llm

import (
	"fmt"
	"time"
)

// Reason is why a model did not answer.
type Reason string

// The reasons.
const (
	// ReasonUnavailable: the server cannot be reached, is out of order, or answers with what is no answer.
	ReasonUnavailable Reason = "unavailable"
	// ReasonRefused: the server refuses the key, the model's name, or the request as such.
	ReasonRefused Reason = "refused"
	// ReasonRateLimited: too many requests; see Error.RetryAfter.
	ReasonRateLimited Reason = "rate_limited"
	// ReasonTooLong: the prompt or the reply is longer than the model takes.
	ReasonTooLong Reason = "too_long"
	// ReasonTimeout: no answer in time.
	ReasonTimeout Reason = "timeout"
	// ReasonBadReply: the answer is not the JSON that was asked for, also on the second try.
	ReasonBadReply Reason = "bad_reply"
	// ReasonContentFiltered: the model or a filter before it would not answer.
	ReasonContentFiltered Reason = "content_filtered"
)

// Error is a failure to get an answer. Its text is for operators; it holds no key and nothing of the page but what a
// server repeats of it.
type Error struct {
	Reason Reason
	// Status is the server's HTTP status; 0 where there was no answer.
	Status int
	// Message says what was wrong.
	Message string
	// RetryAfter is when the server wants to be asked again; 0 where it does not say.
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
