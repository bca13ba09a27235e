package facilitator

import (
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

// Source is a module in the namespace `turnpike.facilitators`: it checks payments against the chain and settles them.
type Source interface {
	// Open returns the facilitator for a use. Another call with the same configuration returns the same facilitator,
	// also after a reload.
	Open(use Use) (x402.Facilitator, error)
}

// Use says what a facilitator is opened for.
type Use struct {
	Network x402.Network
	// Outbox stores what a facilitator sends. All edges of the ledger share it.
	Outbox outbox.Store
	// Live returns nil as long as this process may send anything.
	Live func() error
	// Observer receives the facilitator's events. It may be nil.
	Observer x402.Observer
}
