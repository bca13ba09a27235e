package ledger

import (
	"context"
	"time"

	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

// Ledger is a module in the namespace `turnpike.ledgers`: it keeps keys, credits and claims.
type Ledger interface {
	// Meter returns the meter that holds and takes credits.
	Meter() credits.Meter
	// Keys returns the resolver from keys to principals.
	Keys() apikey.Resolver
	// Claims returns the store of x402 payments.
	Claims() claims.Store
	// Outbox returns the store of what facilitators send from their accounts.
	Outbox() outbox.Store
	// Process returns this process, one of those that share the ledger.
	Process() *gate.Process
	// Times returns how long a payment waits for the ledger, and how often to look for payments that other processes
	// left behind. The look-up also happens whenever processes end.
	Times() (decision, recovery time.Duration)
	// Ping returns nil if the ledger is usable now.
	Ping(ctx context.Context) error
}
