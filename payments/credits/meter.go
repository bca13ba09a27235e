package credits

import (
	"context"
	"errors"
	"time"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// Request asks for credits to be held for one request.
type Request struct {
	// Account and Key are the numbers that apikey resolved.
	Account int64
	Key     int64
	// Amount is the most that the request may cost, 0 or more. 0 is allowed: the
	// key is checked and the request is recorded.
	Amount money.Credits
	// Operation names what is sold, for usage reports: "scrape".
	Operation string
	// Waited is how long the request has waited for its key. It is part of the time that
	// the request waits at most.
	Waited time.Duration
}

// Outcome says what became of a [Request].
type Outcome int

const (
	// Accepted: the hold is durable.
	Accepted Outcome = iota
	// Refused: Amount exceeds what is available. Nothing was written.
	Refused
	// KeyInvalid: the key was revoked or has expired, or there is no such account.
	// Nothing was written.
	KeyInvalid
)

// Decision is the answer to a [Request].
type Decision struct {
	Outcome Outcome
	// Hold is what was accepted, to be captured or voided. Only then is it set.
	Hold Hold
	// Available is what the account can still spend: after the hold where it was
	// accepted, and as it stands where it was refused.
	Available money.Credits
}

// ErrOverloaded is returned when no decision came within the deadline: the
// caller answers 503 with Retry-After. If the batch still commits, its hold is
// voided by the meter itself.
var ErrOverloaded = errors.New("metering did not answer in time")

// Meter is what stands between a request and its credits.
type Meter interface {
	// Authorize holds credits for a request and returns when the decision is
	// durable. It returns ErrOverloaded, or the context's error.
	Authorize(ctx context.Context, req Request) (Decision, error)
	// Capture ends a hold and takes amount of it, at most what was held. It does
	// not wait: the end rides along in a later batch.
	Capture(hold Hold, amount money.Credits)
	// Void ends a hold and takes nothing. It does not wait.
	Void(hold Hold)
	// Flush waits until every Capture and Void before it is durable.
	Flush(ctx context.Context) error
}

// errNegative is returned for a request that no price can have made.
var errNegative = errors.New("authorising credits: the amount is negative")
