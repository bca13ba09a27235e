package response

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Refusal is an error response of the edge itself: one row of the service contract's table of errors. The client may
// see Detail and Metadata.
type Refusal struct {
	Status     int            // of HTTP
	Code       string         // for programs
	Slug       string         // the last part of the address that documents it
	Detail     string         // for people
	Metadata   map[string]any // for programs, as the code defines it
	RetryAfter time.Duration  // 0 if the client need not wait
	allow      string         // the methods of the path

	// passed is the upstream's own response to a request for a quote. It replaces everything but the status.
	passed *price.QuoteRefusedError
}

// Text is the refusal for people: its detail, or the upstream's response as it is.
func (no *Refusal) Text() string {
	if no.passed != nil {
		return string(no.passed.Body)
	}
	return no.Detail
}

func refuseKey(detail string) *Refusal {
	return &Refusal{Status: http.StatusUnauthorized, Code: "invalid_api_key", Slug: "unauthorized", Detail: detail}
}

const howToSendKey = " Send Authorization: Bearer <key>"

// RefuseNoKey refuses a request without a key.
func RefuseNoKey() *Refusal { return refuseKey("An API key is required." + howToSendKey + ".") }

// RefuseInvalidKey says what is wrong with a malformed key. Of a well-formed key it says only whether it expired or is
// not valid.
func RefuseInvalidKey(err error) *Refusal {
	if malformed, ok := errors.AsType[*apikey.MalformedError](err); ok {
		return refuseKey("The API key is not valid: " + malformed.Reason + "." + howToSendKey + ", once.")
	}
	if expired, ok := errors.AsType[*apikey.ExpiredError](err); ok {
		return refuseKey("The API key expired on " + expired.At.UTC().Format(time.RFC3339) + "." + howToSendKey + " with a valid key.")
	}
	return refuseKey("The API key is not valid." + howToSendKey + " with a key that has not been revoked.")
}

// RefuseScope refuses a valid key that lacks the scope.
func RefuseScope(needed apikey.Scopes) *Refusal {
	return &Refusal{
		Status: http.StatusForbidden, Code: "access_denied", Slug: "forbidden",
		Detail:   fmt.Sprintf("This request requires the scope %q, which this API key does not have. Nothing was charged.", needed.String()),
		Metadata: map[string]any{"required_scope": needed.String()},
	}
}

// RefuseCredits refuses a request that may cost more than is available.
func RefuseCredits(required, available int64) *Refusal {
	return &Refusal{
		Status: http.StatusPaymentRequired, Code: "credits_exhausted", Slug: "payment_required",
		Detail:   fmt.Sprintf("This request may cost up to %s, but only %d are available.", countCredits(required), available),
		Metadata: map[string]any{"credits_required": required, "credits_available": available},
	}
}

func countCredits(n int64) string {
	if n == 1 {
		return "1 credit"
	}
	return strconv.FormatInt(n, 10) + " credits"
}

// RefuseOverloaded refuses a request that may be tried again in a second.
func RefuseOverloaded(detail string) *Refusal {
	return &Refusal{
		Status: http.StatusServiceUnavailable, Code: "overloaded", Slug: "service_unavailable",
		Detail: detail, RetryAfter: time.Second,
	}
}

func refuseInternal() *Refusal {
	return &Refusal{
		Status: http.StatusInternalServerError, Code: "internal_server_error", Slug: "internal_error",
		Detail: "Something went wrong here. Nothing was charged.",
	}
}

// RefusePrice maps the errors of a pricer. An unknown error refuses the request too.
func RefusePrice(err error) *Refusal {
	if method, ok := errors.AsType[*price.MethodError](err); ok {
		allow := strings.Join(slices.Concat(method.Allowed, []string{http.MethodOptions}), ", ")
		return &Refusal{
			Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Slug: "method_not_allowed",
			Detail: "This path accepts " + strings.Join(method.Allowed, ", ") + " only.", allow: allow,
		}
	}
	if passed, ok := errors.AsType[*price.QuoteRefusedError](err); ok {
		return &Refusal{Status: passed.Status, passed: passed}
	}
	switch {
	case errors.Is(err, price.ErrNoRule):
		return &Refusal{
			Status: http.StatusNotFound, Code: "not_found", Slug: "not_found",
			Detail: "There is no price for this method and path. Paths are matched exactly: check case, doubled and trailing slashes.",
		}
	case errors.Is(err, price.ErrBodyTooLarge):
		detail := "The body is too large."
		if large, ok := errors.AsType[*price.BodyTooLargeError](err); ok {
			detail = fmt.Sprintf("The body is larger than %d bytes.", large.BytesMax)
		}
		return &Refusal{Status: http.StatusRequestEntityTooLarge, Code: "payload_too_large", Slug: "payload_too_large", Detail: detail}
	case errors.Is(err, price.ErrBadRequest):
		return RefuseBadRequest(err)
	case errors.Is(err, price.ErrOverloaded):
		return RefuseOverloaded("You have reached your limit of concurrent large requests or quote requests. " +
			"Nothing was charged; try again in a moment.")
	case errors.Is(err, price.ErrUnavailable):
		return RefuseOverloaded("Prices are not available at the moment.")
	default:
		return refuseInternal()
	}
}

// RefuseBadRequest names the place of the fault, in the upstream's form.
func RefuseBadRequest(err error) *Refusal {
	no := &Refusal{Status: http.StatusBadRequest, Code: "validation_error", Slug: "bad_request"}
	if fault, ok := errors.AsType[*edgewire.JSONError](err); ok {
		no.Code, no.Detail = "invalid_json", "The body is not valid: "+fault.Error()+"."
		return no
	}
	fault, ok := errors.AsType[*price.RequestError](err)
	if !ok {
		fault = &price.RequestError{Loc: []any{}, Reason: err.Error()}
	}
	kind := "invalid"
	if fault.Missing {
		kind = "missing"
	}
	no.Detail = "The request is not valid: " + fault.Where() + ": " + fault.Reason + "."
	no.Metadata = map[string]any{"errors": []any{map[string]any{"loc": fault.Loc, "msg": fault.Reason, "type": kind}}}
	return no
}
