package turnpike

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// What an [Error] is about, for errors.Is.
var (
	ErrInvalid      = errors.New("the request is not valid")          // 400, 413, 422
	ErrUnauthorized = errors.New("the key is not valid")              // 401
	ErrPayment      = errors.New("the call is not paid for")          // 402
	ErrForbidden    = errors.New("access is denied")                  // 403
	ErrNotFound     = errors.New("there is no such thing")            // 404
	ErrConflict     = errors.New("the state does not allow the call") // 409
	ErrRateLimited  = errors.New("too many requests")                 // 429
	ErrUnavailable  = errors.New("the service or the page failed")    // 5xx
)

var kinds = map[int]error{
	400: ErrInvalid, 413: ErrInvalid, 422: ErrInvalid, 401: ErrUnauthorized, 402: ErrPayment, 403: ErrForbidden,
	404: ErrNotFound, 409: ErrConflict, 429: ErrRateLimited,
}

// Error is an error that the service returned.
type Error struct {
	// Status is the HTTP status.
	Status int
	// Code is for programs, such as credits_exhausted. Detail is for people.
	Code, Title, Detail string
	// ID is the error's own id, RequestID that of the request: quote them when you ask for help.
	ID, RequestID string
	// Docs is the URL of the documentation of this error.
	Docs string
	// Metadata has details by code, such as credits_required.
	Metadata map[string]any
	// RetryAfter is how long the service asks to wait, or 0.
	RetryAfter time.Duration
}

func (e *Error) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d %s", e.Status, e.Code)
	if e.Detail != "" {
		fmt.Fprintf(&text, ": %s", e.Detail)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&text, " (request %s)", e.RequestID)
	}
	if e.Docs != "" {
		fmt.Fprintf(&text, ", see %s", e.Docs)
	}
	return text.String()
}

// Is reports whether the error is of a kind, such as [ErrNotFound].
func (e *Error) Is(target error) bool {
	return target == kinds[e.Status] || (target == ErrUnavailable && e.Status >= http.StatusInternalServerError)
}

// bodyShown is how much of a response that is no error object is in the error, in bytes.
const bodyShown = 200

// readError reads the error in a response: the standard object, a monitor's, an x402 challenge, or any text.
func readError(resp *http.Response, body []byte) *Error {
	var wire struct {
		ID, Code, Title, Detail, Type, Message string
		Error                                  any
		Metadata                               map[string]any
	}
	e := &Error{Status: resp.StatusCode, RequestID: resp.Header.Get("X-Request-Id"), RetryAfter: retryAfter(resp)}
	if json.Unmarshal(body, &wire) != nil {
		e.Title = http.StatusText(e.Status)
		e.Detail = strings.TrimSpace(string(body[:min(len(body), bodyShown)]))
		return e
	}
	e.ID, e.Code, e.Title, e.Detail, e.Docs, e.Metadata = wire.ID, wire.Code, wire.Title, wire.Detail, wire.Type, wire.Metadata
	if text, ok := wire.Error.(string); ok && e.Code == "" { // a reason of x402, or a monitor's sentence
		if e.Code = text; wire.Message == "" && strings.Contains(text, " ") {
			e.Code, e.Detail = "", text
		}
	}
	e.Detail = strings.TrimSpace(orElse(e.Detail, wire.Message))
	return e
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
