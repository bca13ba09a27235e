package caddymodule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/ratelimit"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// refusal is an error response of the edge itself: one row of the service contract's table of errors. The client may
// see detail and metadata.
type refusal struct {
	status     int
	code       string
	slug       string
	detail     string
	metadata   map[string]any
	retryAfter time.Duration
	allow      string // the methods of the path

	// passed is the upstream's own response to a request for a quote. It replaces everything but the status.
	passed *price.QuoteRefusedError
}

func refuseKey(detail string) *refusal {
	return &refusal{status: http.StatusUnauthorized, code: "invalid_api_key", slug: "unauthorized", detail: detail}
}

const howToSendKey = " Send Authorization: Bearer <key>"

func refuseNoKey() *refusal { return refuseKey("An API key is required." + howToSendKey + ".") }

// refuseInvalidKey says what is wrong with a malformed key. Of a well-formed key it says only whether it expired or is
// not valid.
func refuseInvalidKey(err error) *refusal {
	if malformed, ok := errors.AsType[*apikey.MalformedError](err); ok {
		return refuseKey("The API key is not valid: " + malformed.Reason + "." + howToSendKey + ", once.")
	}
	if expired, ok := errors.AsType[*apikey.ExpiredError](err); ok {
		return refuseKey("The API key expired on " + expired.At.UTC().Format(time.RFC3339) + "." + howToSendKey + " with a valid key.")
	}
	return refuseKey("The API key is not valid." + howToSendKey + " with a key that has not been revoked.")
}

// refuseScope refuses a valid key that lacks the scope.
func refuseScope(needed apikey.Scopes) *refusal {
	return &refusal{
		status: http.StatusForbidden, code: "access_denied", slug: "forbidden",
		detail:   fmt.Sprintf("This request requires the scope %q, which this API key does not have. Nothing was charged.", needed.String()),
		metadata: map[string]any{"required_scope": needed.String()},
	}
}

func refuseCredits(required, available int64) *refusal {
	return &refusal{
		status: http.StatusPaymentRequired, code: "credits_exhausted", slug: "payment_required",
		detail:   fmt.Sprintf("This request may cost up to %s, but only %d are available.", countCredits(required), available),
		metadata: map[string]any{"credits_required": required, "credits_available": available},
	}
}

func countCredits(n int64) string {
	if n == 1 {
		return "1 credit"
	}
	return strconv.FormatInt(n, 10) + " credits"
}

// refuseLimited names the limit that a team, or an address, has reached.
func refuseLimited(who string, rule *ratelimit.Rule, d *ratelimit.Decision) *refusal {
	wait := d.RetryAfter()
	no := &refusal{
		status: http.StatusTooManyRequests, code: "rate_limit_exceeded", slug: "too_many_requests", retryAfter: wait,
		metadata: map[string]any{"policy": rule.Name(), "retry_after": int64(wait.Seconds())},
	}
	if d.Outcome == ratelimit.Busy {
		no.metadata["policy"] = ratelimit.InFlight
		no.detail = fmt.Sprintf("This %s has reached its limit of %d concurrent requests: try again when one has finished. Nothing was charged.",
			who, rule.InFlightMax())
		return no
	}
	limit := rule.Limit()
	no.detail = fmt.Sprintf("This %s has reached its limit of %d requests of the class %s in %d s: try again in %d s. Nothing was charged.",
		who, limit.Events, rule.Name(), int64(limit.Window.Seconds()), int64(wait.Seconds()))
	return no
}

func refuseOverloaded(detail string) *refusal {
	return &refusal{
		status: http.StatusServiceUnavailable, code: "overloaded", slug: "service_unavailable",
		detail: detail, retryAfter: time.Second,
	}
}

func refuseInternal() *refusal {
	return &refusal{
		status: http.StatusInternalServerError, code: "internal_server_error", slug: "internal_error",
		detail: "Something went wrong here. Nothing was charged.",
	}
}

// refusePrice maps the errors of a pricer. An unknown error refuses the request too.
func refusePrice(err error) *refusal {
	if method, ok := errors.AsType[*price.MethodError](err); ok {
		allow := strings.Join(slices.Concat(method.Allowed, []string{http.MethodOptions}), ", ")
		return &refusal{
			status: http.StatusMethodNotAllowed, code: "method_not_allowed", slug: "method_not_allowed",
			detail: "This path accepts " + strings.Join(method.Allowed, ", ") + " only.", allow: allow,
		}
	}
	if passed, ok := errors.AsType[*price.QuoteRefusedError](err); ok {
		return &refusal{status: passed.Status, passed: passed}
	}
	switch {
	case errors.Is(err, price.ErrNoRule):
		return &refusal{
			status: http.StatusNotFound, code: "not_found", slug: "not_found",
			detail: "There is no price for this method and path. Paths are matched exactly: check case, doubled and trailing slashes.",
		}
	case errors.Is(err, price.ErrBodyTooLarge):
		detail := "The body is too large."
		if large, ok := errors.AsType[*price.BodyTooLargeError](err); ok {
			detail = fmt.Sprintf("The body is larger than %d bytes.", large.BytesMax)
		}
		return &refusal{status: http.StatusRequestEntityTooLarge, code: "payload_too_large", slug: "payload_too_large", detail: detail}
	case errors.Is(err, price.ErrBadRequest):
		return refuseBadRequest(err)
	case errors.Is(err, price.ErrOverloaded):
		return refuseOverloaded("You have reached your limit of concurrent large requests or quote requests. " +
			"Nothing was charged; try again in a moment.")
	case errors.Is(err, price.ErrUnavailable):
		return refuseOverloaded("Prices are not available at the moment.")
	default:
		return refuseInternal()
	}
}

// refuseBadRequest names the place of the fault, in the upstream's form.
func refuseBadRequest(err error) *refusal {
	no := &refusal{status: http.StatusBadRequest, code: "validation_error", slug: "bad_request"}
	if fault, ok := errors.AsType[*edgewire.JSONError](err); ok {
		no.code, no.detail = "invalid_json", "The body is not valid: "+fault.Error()+"."
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
	no.detail = "The request is not valid: " + fault.Where() + ": " + fault.Reason + "."
	no.metadata = map[string]any{"errors": []any{map[string]any{"loc": fault.Loc, "msg": fault.Reason, "type": kind}}}
	return no
}

// refuser writes refusals in the service contract's standard form.
type refuser struct {
	docsURL string // a path is relative to the origin of the request
	origin  func(*http.Request) string
	now     func() time.Time
}

func newRefuser(docsURL string, now func() time.Time) *refuser {
	return &refuser{docsURL: strings.TrimSuffix(docsURL, "/"), origin: request.OriginOf, now: now}
}

// typeURL returns where a kind of errors is documented.
func (e *refuser) typeURL(r *http.Request, slug string) string {
	docs := e.docsURL
	if docs == "" || request.IsPath(docs) {
		docs = e.origin(r) + docs
	}
	return docs + "/api-reference/errors/" + slug
}

type errorObject struct {
	ID       string         `json:"id"`
	Object   string         `json:"object"`
	Code     string         `json:"code"`
	Type     string         `json:"type"`
	Status   int            `json:"status"`
	Title    string         `json:"title"`
	Detail   string         `json:"detail"`
	Created  int64          `json:"created"`
	Metadata map[string]any `json:"metadata"`
}

// titleOf returns the status as text, with the same words as the upstream in this repository.
func titleOf(status int) string {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return "Payload Too Large"
	default:
		return http.StatusText(status)
	}
}

// write responds with a refusal.
func (e *refuser) write(w http.ResponseWriter, r *http.Request, no *refusal) error {
	contentType, body, err := e.body(r, no)
	if err != nil {
		return err
	}
	h := w.Header()
	allowOrigins(h, true)
	h.Set(request.IDHeader, request.ID(r))
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	if no.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer") // RFC 9110, section 11.6.1
	}
	if no.allow != "" {
		h.Set("Allow", no.allow)
	}
	if no.passed != nil && no.passed.RetryAfter != "" {
		h.Set("Retry-After", no.passed.RetryAfter)
	}
	if no.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(no.retryAfter.Seconds())))
	}
	w.WriteHeader(no.status)
	if r.Method == http.MethodHead {
		return nil
	}
	_, _ = w.Write(body) // an error means that the client has left
	return nil
}

func (e *refuser) body(r *http.Request, no *refusal) (contentType string, body []byte, err error) {
	if no.passed != nil {
		return no.passed.Type, no.passed.Body, nil //nolint:nilerr // the error is the response
	}
	if no.metadata == nil {
		no.metadata = map[string]any{}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // people read it too
	err = enc.Encode(&errorObject{
		ID: token.New("error"), Object: "error", Code: no.code,
		Type:   e.typeURL(r, no.slug),
		Status: no.status, Title: titleOf(no.status), Detail: no.detail,
		Created: e.now().Unix(), Metadata: no.metadata,
	})
	if err != nil {
		return "", nil, fmt.Errorf("writing error object: %w", err)
	}
	return "application/json", buf.Bytes(), nil
}
