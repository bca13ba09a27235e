package caddymodule

import (
	"context"
	"time"

	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Ledger is a guest in the namespace `turnpike.ledgers`: where keys, credits and
// claims are kept.
type Ledger interface {
	// Meter holds and takes credits.
	Meter() credits.Meter
	// Keys finds who a key speaks for.
	Keys() apikey.Resolver
	// Claims keeps the x402 payments that were taken.
	Claims() x402.ClaimStore
	// Outbox keeps what facilitators send from their accounts.
	Outbox() x402.Outbox
	// Process is this process among those that share the ledger.
	Process() *x402.Process
	// Times are how long a payment waits for the ledger, and how often it is looked for
	// payments that other processes have left, beside when some have ended.
	Times() (decision, recovery time.Duration)
	// Ping returns nil if the ledger can be used now.
	Ping(ctx context.Context) error
}
