package price

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/mcp"
)

// ErrNoRule is returned when no rule matches: the request is refused (404 at the edge).
var ErrNoRule = errors.New("no price for this method and path")

// MethodError is the [ErrNoRule] of a path that only has a price for other methods (405 at the edge).
type MethodError struct {
	Allowed []string // in the order of the book's rules, HEAD after GET
}

func (e *MethodError) Error() string {
	return ErrNoRule.Error() + ", only for " + strings.Join(e.Allowed, ", ")
}

func (e *MethodError) Unwrap() error { return ErrNoRule }

// ErrBadRequest wraps the reason why a request cannot be priced, such as a body that is not JSON or an expression that
// failed on it (400).
var ErrBadRequest = errors.New("request cannot be priced")

// RequestError is the [ErrBadRequest] of one place in the request. Its text can be shown to the client.
type RequestError struct {
	// Loc is the path to the place: ["body", "max_pages"].
	Loc []any
	// Missing says that the value is missing.
	Missing bool
	Reason  string
	err     error
}

func (e *RequestError) Error() string {
	return ErrBadRequest.Error() + ": " + e.Where() + ": " + e.Reason
}

// Where returns the place in one word: "body.max_pages".
func (e *RequestError) Where() string {
	parts := make([]string, len(e.Loc))
	for i, part := range e.Loc {
		parts[i] = fmt.Sprint(part)
	}
	return strings.Join(parts, ".")
}

// Is makes a RequestError match ErrBadRequest.
func (e *RequestError) Is(target error) bool { return target == ErrBadRequest }

func (e *RequestError) Unwrap() error { return e.err }

// badRequest's format may wrap a cause with %w.
func badRequest(loc []any, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &RequestError{Loc: loc, Reason: err.Error(), err: errors.Unwrap(err)}
}

var inBody = []any{"body"}

// ErrBodyTooLarge is returned when a body that must be read for its price is over the limit (413).
var ErrBodyTooLarge = errors.New("request body is too large")

// BodyTooLargeError is the [ErrBodyTooLarge] of a known limit.
type BodyTooLargeError struct {
	BytesMax int64
}

func (e *BodyTooLargeError) Error() string {
	return fmt.Sprintf("%v: the limit is %d bytes", ErrBodyTooLarge, e.BytesMax)
}

func (e *BodyTooLargeError) Unwrap() error { return ErrBodyTooLarge }

// ErrUnavailable is returned when the upstream's price book, or its quote for a request, is not available (503).
var ErrUnavailable = errors.New("price is not available")

// ErrOverloaded is returned when the client has reached its own limit on something that pricing needs: memory for
// request bodies, or concurrent quote requests to the upstream (503). Other clients may still be served.
var ErrOverloaded = errors.New("the client has reached its limit")

// Settle says when an x402 payment is settled.
type Settle string

const (
	SettleAfter  Settle = "after"  // the response is buffered and released when settled
	SettleBefore Settle = "before" // for asynchronous work and streams
)

// Quote is the price of one request.
type Quote struct {
	// Free is set if a rule says so; Amount is then 0 and no payment is needed.
	Free bool
	// Unit and Amount: the most that the request may cost.
	Unit   edgewire.Unit
	Amount int64
	// Pattern is the path of the rule that applies: see [Rule.Path].
	Pattern string
	// Operation names the charged operation, for usage reports and payment descriptions.
	Operation   string
	Description string
	// Settle and Timeout matter only for x402. Timeout is the upstream's own limit.
	Settle  Settle
	Timeout time.Duration
	// BodyBytesMax caps the request body wherever it is read.
	BodyBytesMax int64
	// Body is the request body if pricing read it (nil otherwise); the pricer has put it back on the request for the
	// upstream.
	Body *edgewire.Body
	// Message is the message to an MCP server ([Rule.Tool]), nil for any other request. It is also set with an error, if
	// it was read. Body, which the upstream gets, is then without the message's payment.
	Message *mcp.Message
}

// carry adds the message that was priced. A call is for its tool, if the rule names no operation.
func (q *Quote) carry(m *mcp.Message) {
	if q.Message = m; !m.IsCall() {
		return
	}
	if q.Operation == "" {
		q.Operation = m.Name
	}
	if q.Description == "" {
		q.Description = q.Operation
	}
}

// Pricer determines what a request costs.
type Pricer interface {
	Price(ctx context.Context, r *http.Request, unit edgewire.Unit) (Quote, error)
}
