package price

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// ErrNoRule is returned when no rule matches: the request is refused (404 at the edge).
var ErrNoRule = errors.New("no price for this method and path")

// ErrBadRequest wraps what is wrong with a request that cannot be priced, such
// as a body that is not JSON or an expression that failed on it (400).
var ErrBadRequest = errors.New("request cannot be priced")

// ErrBodyTooLarge is returned when a body that must be read for its price is
// over the cap (413).
var ErrBodyTooLarge = errors.New("request body is too large")

// ErrUnavailable is returned when the upstream's price book cannot be had (503).
var ErrUnavailable = errors.New("price is not available")

// Settle says when an x402 payment is settled.
type Settle string

const (
	SettleAfter  Settle = "after"  // the response is buffered and released when settled
	SettleBefore Settle = "before" // for asynchronous work and streams
)

// Quote is the price of one request.
type Quote struct {
	// Free is set where a rule says so; Amount is then 0 and no payment is asked.
	Free bool
	// Unit and Amount: the most that the request may cost.
	Unit   edgewire.Unit
	Amount int64
	// Operation names what is sold, for usage reports and payment descriptions.
	Operation   string
	Description string
	// Settle and Timeout matter to x402 only. Timeout is the upstream's own limit.
	Settle  Settle
	Timeout time.Duration
	// Body is the request body where pricing read it (nil otherwise); the pricer
	// has put it back on the request, so that the upstream can read it too.
	Body []byte
}

// Pricer says what a request costs.
type Pricer interface {
	Price(ctx context.Context, r *http.Request, unit edgewire.Unit) (Quote, error)
}
