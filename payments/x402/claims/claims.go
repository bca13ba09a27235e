// Package claims stores which payments were accepted, and what has become of each. A claim is written before the
// request that it pays for runs, and is unique on (network, asset, payer, nonce).
package claims

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// State is the state of a claim.
type State string

const (
	// StateClaimed: the payment is claimed for one request. Nothing was sent to the chain.
	StateClaimed State = "claimed"
	// StateServed (settle-after): the upstream has responded, the settlement comes next.
	StateServed State = "served"
	// StateSettling: the settlement may have been sent.
	StateSettling State = "settling"
	// StateSettled: the money is ours and is in the ledger.
	StateSettled State = "settled"
	// StateUnknown: the settlement was sent and its outcome is not known yet.
	StateUnknown State = "unknown"
	// StateFailed: the money did not move and we will not try again.
	StateFailed State = "failed"
	// StateReleased: the upstream failed before anything was settled; the same payment can be claimed again.
	StateReleased State = "released"
	// StateAbandoned: the edge was lost while the upstream ran. Never run again, never settled.
	StateAbandoned State = "abandoned"
	// StateRefundDue: the money is ours and the upstream failed.
	StateRefundDue State = "refund_due"
	// StateRefunded: the payment was paid back.
	StateRefunded State = "refunded"
)

// States returns all states, in the order of a claim's life.
func States() []State {
	return []State{
		StateClaimed, StateServed, StateSettling, StateSettled, StateUnknown, StateFailed,
		StateReleased, StateAbandoned, StateRefundDue, StateRefunded,
	}
}

// Valid reports whether s is one of the states.
func (s State) Valid() bool { return slices.Contains(States(), s) }

// Terminal reports whether a duplicate of the payment has nothing more to wait for.
func (s State) Terminal() bool {
	switch s {
	case StateSettled, StateFailed, StateReleased, StateAbandoned, StateRefundDue, StateRefunded:
		return true
	case StateClaimed, StateServed, StateSettling, StateUnknown:
		return false
	}
	return false
}

// Paid reports whether the payer's money has moved to us.
func (s State) Paid() bool {
	return s == StateSettled || s == StateRefundDue || s == StateRefunded
}

// Key makes a payment unique: the token refuses a second use of it.
type Key struct {
	Network string // CAIP-2
	Asset   string // EIP-55
	Payer   string // EIP-55
	Nonce   [32]byte
}

// SettledAs is the name under which a process announces that it settles such claims.
func (k Key) SettledAs() string { return SettledAs(k.Network, k.Asset) }

// SettledAs names a network and token in the list of what an instance settles.
func SettledAs(network, asset string) string { return network + "/" + asset }

// String returns the key for logs and maps.
func (k Key) String() string {
	return k.Network + "/" + k.Asset + "/" + k.Payer + "/0x" + hex.EncodeToString(k.Nonce[:])
}

// Record is a stored claim.
type Record struct {
	ID  uuid.UUID
	Key Key
	// Version is the protocol version of the header that was claimed.
	Version int
	PayTo   string // EIP-55
	Amount  money.MicroUSDC
	// Payment is the header's JSON: with it any edge can settle after a crash.
	Payment []byte
	// PayloadHash identifies the payment, RequestHash the request that it was spent on.
	PayloadHash [32]byte
	RequestHash [32]byte
	Method      string
	// URI is the absolute URL that was paid for.
	URI       string
	Operation string
	Settle    price.Settle
	LapsesAt  time.Time
	// KeepUntil is until when the response is given to duplicates and the identifier is this claim's.
	KeepUntil time.Time
	// Identifier is the payer's identifier of the purchase, or empty.
	Identifier string
	// EdgeID is the instance that owns the claim.
	EdgeID uuid.UUID

	State State
	// Transaction is the settlement's hash, even if its outcome is unknown.
	Transaction string
	// Reason is the code of a failure.
	Reason x402.Code
	// ResponseKept says that [Store.Response] has the response.
	ResponseKept bool
	CreatedAt    time.Time
	// RunAt is when the upstream was started, DoneAt when it finished.
	RunAt  *time.Time
	DoneAt *time.Time
}

// reclaimable reports whether the claim was released and rec may replace it.
func (r *Record) reclaimable(rec *Record) bool {
	return r.State == StateReleased && r.PayloadHash == rec.PayloadHash && r.ID != rec.ID
}

// Response is a response that is kept for duplicates of its payment.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Counts are the claims that still need work, by state: unfinished claims (of the settled ones, those whose upstream has
// not finished) and refunds that are due.
type Counts map[State]Count

// Count is how many claims are in a state.
type Count struct {
	Claims int
	Amount money.MicroUSDC
	// Oldest is when the first of them was made.
	Oldest time.Time
}

// ErrMoved is returned when a claim is not in the state that a step starts from: another edge has taken it over, or
// it was claimed anew.
var ErrMoved = errors.New("claim is no longer in the expected state")

// ErrNotSettler is returned for a claim by a process that has ended, or has not announced that it settles such claims.
var ErrNotSettler = errors.New("this process does not settle such payments, or has ended")

// InFlightError says that a payer's balance does not cover a claim in addition to what is in flight.
type InFlightError struct {
	// InFlight is the sum of its open claims, and of those whose transfers its balance does not show yet.
	InFlight money.MicroUSDC
}

func (e *InFlightError) Error() string {
	return "the payer's balance does not cover this in addition to payments of " + e.InFlight.String() + " USDC that are in flight"
}

// ErrUnpaidTries is returned for a claim by a contract with too many open or failed payments in the last hour.
var ErrUnpaidTries = errors.New("the payer is a contract with too many payments that are not settled")

// ErrGasBudget is returned for a claim whose settlement the day's gas budget does not cover.
var ErrGasBudget = errors.New("the gas_budget of the day is used up by the cost of settlements and the possible cost of open payments: " +
	"it is reset at 00:00 UTC")

// ErrNotFound is returned by Find for a key that was never claimed.
var ErrNotFound = errors.New("no claim with this key")

// ErrSignInUsed is returned for a sign-in that was used before.
var ErrSignInUsed = errors.New("sign-in was used before")

// Identity is a payer's identifier of a purchase. The network is part of it, because a contract's address does not have
// the same owner on every chain.
type Identity struct {
	Network    string // CAIP-2
	Payer      string // EIP-55
	Identifier string
}

// Identity returns the payer's own name of the purchase.
func (r *Record) Identity() Identity {
	return Identity{Network: r.Key.Network, Payer: r.Key.Payer, Identifier: r.Identifier}
}

// Identified reports whether the identifier belongs to this claim alone.
func (r *Record) Identified(now time.Time) bool {
	switch r.State {
	case StateFailed, StateReleased, StateAbandoned:
		return false
	case StateSettled:
		return r.DoneAt == nil || !r.KeepUntil.Before(now)
	case StateRefundDue, StateRefunded:
		return !r.KeepUntil.Before(now)
	case StateClaimed, StateServed, StateSettling, StateUnknown:
	}
	return true
}

// Purchaser identifies an earlier purchase by its payer and request.
type Purchaser struct {
	Payer string // EIP-55
	// Network is the CAIP-2 identifier; empty for any.
	Network     string
	RequestHash [32]byte
}

// Store stores claims as one instance sees them. Every step is one guarded statement: it happens completely,
// durably and once, or it returns ErrMoved. It also returns ErrMoved for claims that another instance has
// taken over, and for an instance that has ended. The implementations pass one conformance suite.
type Store interface {
	// Find returns the claim of a key, or ErrNotFound.
	Find(ctx context.Context, key Key) (Record, error)
	// FindIdentified returns the claim that has an identifier, or ErrNotFound. A claim has its identifier until it turns
	// out that nothing is charged or, once it has finished, until its KeepUntil has passed.
	FindIdentified(ctx context.Context, identity Identity, now time.Time) (Record, error)
	// FindAnswer returns a payer's newest settled claim for a request whose response is kept, or else one that is in
	// progress, or else ErrNotFound.
	FindAnswer(ctx context.Context, asked Purchaser, now time.Time) (Record, error)
	// UseSignIn records a sign-in until it expires, or returns ErrSignInUsed.
	UseSignIn(ctx context.Context, account, nonce string, expires time.Time) error
	// ForgetSignIns deletes expired sign-ins.
	ForgetSignIns(ctx context.Context, now time.Time) error
	// Claim stores rec as claimed if its key is new or was released with the same payload, no other claim has its
	// identifier, the payer's balance in seen covers it in addition to what is in flight, and the day's budget covers
	// its gas, which is reserved until the claim is finished. It returns the stored claim, rec's or the one in its way,
	// and whether it is rec's. Otherwise the error is an *InFlightError, ErrUnpaidTries, ErrGasBudget or ErrNotSettler;
	// after any other error rec may have been claimed.
	Claim(ctx context.Context, rec *Record, seen x402.Checked) (Record, bool, error)
	// Disclaim releases rec when it is not known whether it was claimed, and prevents that it is claimed later.
	Disclaim(ctx context.Context, rec *Record) error
	// Release: claimed → released. resp is for duplicates that waited; it may be nil.
	Release(ctx context.Context, id uuid.UUID, reason x402.Code, resp *Response) error
	// Serve: claimed → served. resp is nil when the response is over the cap. The upstream has then not finished yet,
	// and Finish says when it has.
	Serve(ctx context.Context, id uuid.UUID, resp *Response) error
	// Settling: served → settling, and claimed → settling under settle-before.
	Settling(ctx context.Context, id uuid.UUID) error
	// Settled: served, settling or unknown → settled, together with the ledger's transfer. With run, the caller starts
	// the upstream.
	Settled(ctx context.Context, id uuid.UUID, by x402.Settlement, run bool) error
	// Unknown: settling → unknown.
	Unknown(ctx context.Context, id uuid.UUID, transaction string) error
	// Fail: served, settling or unknown → failed.
	Fail(ctx context.Context, id uuid.UUID, reason x402.Code) error
	// Abandon: claimed or served → abandoned.
	Abandon(ctx context.Context, id uuid.UUID) error
	// StartRun takes a settled claim of any instance whose upstream was never started (settle-before after a crash). One
	// caller gets it, others get ErrMoved.
	StartRun(ctx context.Context, id uuid.UUID) error
	// Finish says that the upstream of a settled claim has finished. If it failed, the claim becomes refund_due. resp
	// may be nil.
	Finish(ctx context.Context, id uuid.UUID, failed bool, resp *Response) error
	// RefundDue: settled, never run and never to be run → refund_due.
	RefundDue(ctx context.Context, id uuid.UUID) error
	// Owe: settled → refund_due, for a claim of any instance, whatever the outcome of its run. It is for an upstream
	// whose job failed after the response, and for an operator who owes a refund. note says why. If a refund is already
	// due or paid, nothing changes, and there is no error.
	Owe(ctx context.Context, id uuid.UUID, note string) error
	// Counts counts unfinished claims and refunds that are due.
	Counts(ctx context.Context) (Counts, error)
	// Stranded counts the unfinished claims that no living instance settles.
	Stranded(ctx context.Context) (int, error)
	// Response returns the response that is kept, or ErrNotFound if there is none.
	Response(ctx context.Context, id uuid.UUID) (*Response, error)
	// TakeOrphans takes over unfinished claims on settles, each "network/asset": those of instances that have ended or
	// settle others, and the caller's own that are not in active.
	TakeOrphans(ctx context.Context, settles []string, active []uuid.UUID, now time.Time) ([]Record, error)
	// TakeUnknown takes over a claim in state unknown, of any instance, for a client that asks.
	TakeUnknown(ctx context.Context, id uuid.UUID) error
	// Unclosed returns some failed claims on settles that are not closed and whose payments lapsed before the given
	// time, the oldest first.
	Unclosed(ctx context.Context, settles []string, before time.Time) ([]Key, error)
	// Close records that a failed claim was compared with the chain after its payment had lapsed. It stays failed.
	Close(ctx context.Context, id uuid.UUID) error
	// PaidAfterAll: failed → refund_due, together with the ledger's transfer.
	PaidAfterAll(ctx context.Context, id uuid.UUID, by x402.Settlement) error
	// ForgetResponses deletes expired responses and returns how many.
	ForgetResponses(ctx context.Context, now time.Time) (int, error)
}
