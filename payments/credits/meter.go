package credits

import (
	"context"
	"errors"
	"time"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// Request asks to hold credits for one request.
type Request struct {
	// Account and Key are the numbers that apikey resolved.
	Account int64
	Key     int64
	// Amount is the most that the request may cost, 0 or more. With 0, the key is checked and the request is recorded.
	Amount money.Credits
	// Operation names the charged operation, for usage reports: "scrape".
	Operation string
	// Waited is how long the request has waited for its key. It counts toward [Config.DecisionTimeout].
	Waited time.Duration
}

// Outcome is the result of a [Request].
type Outcome int

const (
	// Accepted: the hold is durable.
	Accepted Outcome = iota
	// Refused: Amount is more than what is available. Nothing was written.
	Refused
	// KeyInvalid: the key is revoked or has expired, or the account does not exist. Nothing was written.
	KeyInvalid
)

// Decision is the answer to a [Request].
type Decision struct {
	Outcome Outcome
	// Hold is the accepted hold, to be captured or voided. It is set only if Outcome is Accepted.
	Hold Hold
	// Available is what the account can still spend: after the hold if it was accepted, as it stands if it was refused.
	Available money.Credits
}

// ErrOverloaded is returned when there is no decision within the deadline: respond with 503 and Retry-After. If the
// batch still commits, the meter voids its hold.
var ErrOverloaded = errors.New("metering did not respond in time")

// Meter authorizes requests against credits and charges them.
type Meter interface {
	// Authorize holds credits for a request and returns when the decision is durable. It returns ErrOverloaded, or the
	// context's error.
	Authorize(ctx context.Context, req Request) (Decision, error)
	// Capture ends a hold and takes amount of it, at most what was held. It does not wait: a later batch commits the
	// end.
	Capture(hold Hold, amount money.Credits)
	// Void ends a hold and takes nothing. It does not wait.
	Void(hold Hold)
	// Flush waits until every Capture and Void before it is durable.
	Flush(ctx context.Context) error
}

// errNegative is returned for a negative amount, which no price can produce.
var errNegative = errors.New("authorising credits: the amount is negative")
