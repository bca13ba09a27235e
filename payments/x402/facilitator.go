package x402

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// SettleTimeout is how long to wait for a settlement of one confirmation.
const SettleTimeout = 30 * time.Second

// Facilitator verifies payments against the chain and settles them. Its implementations pass one conformance suite.
type Facilitator interface {
	// Verify returns no error if the payment could be settled now, and what it read about the payer. It returns a
	// *Refusal if it could not, and any other error if that is not known.
	Verify(ctx context.Context, p *Payment, req *Requirements) (Checked, error)
	// Settle moves the money and returns when that is certain. A *Refusal means that nothing moved and nothing will
	// because of this call; ErrUnavailable, that nothing was sent; a *SettlementUnknownError or any other error, that
	// the money may have moved.
	Settle(ctx context.Context, p *Payment, req *Requirements) (Settlement, error)
	// Supported lists what can be settled.
	Supported(ctx context.Context) (Supported, error)
}

// Watcher looks up on the chain what happened to a payment. A [Facilitator] that has a node implements it.
type Watcher interface {
	// Lookup says whether the authorisation was used, and whether it paid us, no matter who sent it. since is when the
	// payment was first seen.
	Lookup(ctx context.Context, p *Payment, req *Requirements, since time.Time) (SettlementStatus, error)
}

// Sees reports whether a watcher can look at a network: one of several facilitators may have no node.
func Sees(w Watcher, n Network) bool {
	partial, ok := w.(interface{ Sees(n Network) bool })
	return !ok || partial.Sees(n)
}

// Confirmer is a [Watcher] that can also be asked about one transaction.
type Confirmer interface {
	Watcher
	// Confirm says whether the transaction used the authorisation and paid us, and in which block. It waits until the
	// transaction has its confirmations. An error means that this did not happen within ctx, and says nothing about the payment.
	Confirm(ctx context.Context, p *Payment, req *Requirements, transaction string) (paid bool, block uint64, err error)
	// Balance reads the payer's balance.
	Balance(ctx context.Context, p *Payment) (Checked, error)
}

// SignatureVerifier verifies signatures of wallets that are contracts (ERC-1271). A [Facilitator] that has a node implements it.
type SignatureVerifier interface {
	// VerifySignature reports whether the account is a contract on the network that accepts the signature of the digest. An
	// error means that it could not be asked.
	VerifySignature(ctx context.Context, n Network, account common.Address, digest common.Hash, sig []byte) (bool, error)
}

// ErrNoVerifier is returned by a [SignatureVerifier] that has no node to ask.
var ErrNoVerifier = errors.New("no node is configured")

// Checked is a payer's token balance at a block, read when a payment was checked. The zero value means that it could not
// be read, because there is no node.
type Checked struct {
	Known   bool
	Balance money.MicroUSDC
	Block   uint64
	// Contract says that the payer has code. Code can make a settlement fail that was good a moment ago, at the cost of
	// its sender.
	Contract bool
	// Gas is the most that the settlement may cost us, and GasBudget the most for all on the network within a day (UTC).
	// Gas is 0 where somebody else pays it.
	Gas       Gwei
	GasBudget Gwei
}

// Affords reports whether the day's budget covers the settlement in addition to held: what it has paid and reserved.
func (c Checked) Affords(held Gwei) bool { return c.Gas == 0 || held+c.Gas <= c.GasBudget }

// UnpaidTriesMax is how many open or failed payments of the last hour a payer that is a contract may have: each of them
// may have cost gas for nothing.
const UnpaidTriesMax = 10

// TriesFor reports whether a payer with so many unpaid payments may have one more.
func (c Checked) TriesFor(unpaid int) bool { return !c.Contract || unpaid < UnpaidTriesMax }

// Covers reports whether the payer's balance, if it is known, covers an amount in addition to what is in flight.
func (c Checked) Covers(amount, inFlight money.MicroUSDC) bool {
	return !c.Known || inFlight+amount <= c.Balance
}

// Settlement is a transfer that happened.
type Settlement struct {
	// Transaction is the hash, 0x and 64 digits.
	Transaction string
	// Block is the block of the transaction; 0 if it is not known.
	Block uint64
}

// SettlementStatus is the settlement status that a [Watcher] found.
type SettlementStatus struct {
	Outcome Outcome
	// Transaction is the transfer's hash if Outcome is OutcomePaid. If Outcome is OutcomeUnclear, it may be that of the transaction
	// that used the authorisation.
	Transaction string
	// Block is the block of the transfer if Outcome is OutcomePaid.
	Block uint64
	// ChainTime is the time of the newest confirmed block; of several nodes, that of the one furthest behind. An
	// authorisation that is unused, and lapsed before then, can never be used. Zero means that there was no node to ask;
	// then Outcome says nothing.
	ChainTime time.Time
	// Doubt says why Outcome is OutcomeUnclear or OutcomeUnsure, for operators.
	Doubt error
}

// Settlement returns the transfer that was found.
func (s SettlementStatus) Settlement() Settlement {
	return Settlement{Transaction: s.Transaction, Block: s.Block}
}

// Looked reports whether there was a chain to look at.
func (s SettlementStatus) Looked() bool { return !s.ChainTime.IsZero() }

// Outcome is what happened to an authorisation.
type Outcome int

const (
	// OutcomeUnused: the authorisation has not been used so far, and all nodes say so.
	OutcomeUnused Outcome = iota
	// OutcomePaid: it was used and the money came to us.
	OutcomePaid
	// OutcomeSpent: it was used, or cancelled, and no money came to us; all nodes say so.
	OutcomeSpent
	// OutcomeUnclear: it was used, but the transaction was not found, has not got its confirmations yet, or the nodes do
	// not agree on it.
	OutcomeUnclear
	// OutcomeUnsure: no node says that it was used, but not all could be asked. It may be sent again, since the token
	// accepts it only once; it must not be given up.
	OutcomeUnsure
)

// Supported is a facilitator's response to GET /supported.
type Supported struct {
	Kinds      []Kind              `json:"kinds"`
	Extensions []string            `json:"extensions"`
	Signers    map[string][]string `json:"signers"`
}

// Kind is one combination that a facilitator settles.
type Kind struct {
	X402Version int             `json:"x402Version"`
	Scheme      string          `json:"scheme"`
	Network     string          `json:"network"`
	Extra       json.RawMessage `json:"extra,omitempty"`
}

// ErrUnavailable wraps the reason why the gate could not do its work: the chain, the facilitator or the claims could not
// be reached. Nothing was charged; callers respond with 503.
var ErrUnavailable = errors.New("payments cannot be processed at the moment")

// SettlementUnknownError says that a settlement was sent and its outcome is not known.
type SettlementUnknownError struct {
	// Transaction is the hash if one is known.
	Transaction string
	Err         error
}

func (e *SettlementUnknownError) Error() string {
	if e.Transaction == "" {
		return fmt.Sprintf("settlement has an unknown outcome: %v", e.Err)
	}
	return fmt.Sprintf("settlement by transaction %s has an unknown outcome: %v", e.Transaction, e.Err)
}

func (e *SettlementUnknownError) Unwrap() error { return e.Err }

// Gwei is an amount of a network's coin in units of 10⁻⁹ coin, rounded up. Gas costs are in Gwei.
type Gwei int64
