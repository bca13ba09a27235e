package turnpike

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// What an error is about, for errors.Is. The first ones are kinds of an [Error].
var (
	ErrInvalidRequest = errors.New("the request is not valid")          // 400, 405, 413, 422
	ErrAuthentication = errors.New("the key is missing or not valid")   // 401
	ErrCredits        = errors.New("there are too few credits")         // 402
	ErrPermission     = errors.New("access is denied")                  // 403
	ErrNotFound       = errors.New("there is no such thing")            // 404
	ErrConflict       = errors.New("the state does not allow the call") // 409
	ErrRateLimit      = errors.New("too many requests")                 // 429
	ErrFetchFailed    = errors.New("the page could not be fetched")     // 502 fetch_failed
	ErrServer         = errors.New("the service failed")                // other 5xx
	// ErrPayment is the error of a payment that the service refused, or that the wallet cannot make.
	ErrPayment = errors.New("the payment is refused")
	// ErrSpendingCap is the error of a payment that would exceed a limit of the wallet. Nothing was signed.
	ErrSpendingCap = errors.New("the wallet's spending cap does not allow the payment")
	// ErrWebhook is the error of a webhook that the service did not sign, or not lately.
	ErrWebhook = errors.New("the webhook is not signed by the service")
)

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

	refused bool // a payment
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
func (e *Error) Is(target error) bool { return target == e.kind() }

func (e *Error) kind() error {
	switch {
	case e.refused:
		return ErrPayment
	case kinds[e.Status] != nil:
		return kinds[e.Status]
	case e.Code == "fetch_failed":
		return ErrFetchFailed
	case e.Status >= http.StatusInternalServerError:
		return ErrServer
	}
	return ErrInvalidRequest
}

var kinds = map[int]error{
	401: ErrAuthentication, 402: ErrCredits, 403: ErrPermission, 404: ErrNotFound, 409: ErrConflict, 429: ErrRateLimit,
}

// saysNotCharged reports whether a failed call's payment was certainly not charged. A proxy's error, which has no code, does
// not say it.
func saysNotCharged(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Status {
	case http.StatusConflict, http.StatusInternalServerError, http.StatusServiceUnavailable:
		return false
	}
	return e.Code != ""
}

// bodyShown is how much of a response that is no error object is in the error, in bytes.
const bodyShown = 200

// readError reads the error in a response: the standard object, a monitor's, an x402 challenge, or any text.
func readError(resp *http.Response, body []byte) *Error {
	var wire struct {
		ID          string         `json:"id"`
		Code        string         `json:"code"`
		Title       string         `json:"title"`
		Detail      string         `json:"detail"`
		Type        string         `json:"type"`
		Message     string         `json:"message"`
		Error       any            `json:"error"`
		Metadata    map[string]any `json:"metadata"`
		X402Version int            `json:"x402Version"`
	}
	e := &Error{Status: resp.StatusCode, RequestID: resp.Header.Get("X-Request-Id"), RetryAfter: retryAfter(resp)}
	if json.Unmarshal(body, &wire) != nil {
		e.Title = http.StatusText(e.Status)
		e.Detail = strings.TrimSpace(string(body[:min(len(body), bodyShown)]))
		return e
	}
	e.refused = e.Status == http.StatusPaymentRequired && wire.X402Version > 0
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
