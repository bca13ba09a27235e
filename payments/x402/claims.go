package x402

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
)

// State is where a claim stands.
type State string

const (
	// StateClaimed: the payment is taken for one request. Nothing was sent to the chain.
	StateClaimed State = "claimed"
	// StateServed (settle-after): the upstream has answered, the settlement comes next.
	StateServed State = "served"
	// StateSettling: the settlement may have been sent.
	StateSettling State = "settling"
	// StateSettled: the money is ours, and the ledger says so.
	StateSettled State = "settled"
	// StateUnknown: the settlement was sent and its outcome is not known yet.
	StateUnknown State = "unknown"
	// StateFailed: the money did not move and we will not try again.
	StateFailed State = "failed"
	// StateReleased: the upstream failed before anything was settled; the same
	// payment can be claimed again.
	StateReleased State = "released"
	// StateAbandoned: the edge was lost while the upstream ran. Never run again,
	// never settled.
	StateAbandoned State = "abandoned"
	// StateRefundDue: the money is ours and the upstream failed.
	StateRefundDue State = "refund_due"
	// StateRefunded: and was paid back.
	StateRefunded State = "refunded"
)

// States returns all states, in the order of a claim's life.
func States() []State {
	return []State{
		StateClaimed, StateServed, StateSettling, StateSettled, StateUnknown, StateFailed,
		StateReleased, StateAbandoned, StateRefundDue, StateRefunded,
	}
}

// Valid reports whether there is such a state.
func (s State) Valid() bool { return slices.Contains(States(), s) }

// terminal reports whether a copy of the payment has nothing more to wait for.
func (s State) terminal() bool {
	switch s {
	case StateSettled, StateFailed, StateReleased, StateAbandoned, StateRefundDue, StateRefunded:
		return true
	case StateClaimed, StateServed, StateSettling, StateUnknown:
		return false
	}
	return false
}

// paid reports whether the payer's money has moved to us.
func (s State) paid() bool {
	return s == StateSettled || s == StateRefundDue || s == StateRefunded
}

// Key is what makes a payment unique: the token refuses a second use of it.
type Key struct {
	Network string // CAIP-2
	Asset   string // EIP-55
	Payer   string // EIP-55
	Nonce   [32]byte
}

// settledAs is what a process tells others of that settles such claims.
func (k Key) settledAs() string { return settledAs(k.Network, k.Asset) }

func settledAs(network, asset string) string { return network + "/" + asset }

// String returns the key for logs and maps.
func (k Key) String() string {
	return k.Network + "/" + k.Asset + "/" + k.Payer + "/0x" + hex.EncodeToString(k.Nonce[:])
}

// Record is a claim as it is stored.
type Record struct {
	ID  uuid.UUID
	Key Key
	// Version is the protocol version of the header that was claimed.
	Version int
	PayTo   string // EIP-55
	Amount  money.MicroUSDC
	// Payment is the header's JSON: with it any edge can settle after a crash.
	Payment []byte
	// PayloadHash identifies the payment, RequestHash what it was spent on.
	PayloadHash [32]byte
	RequestHash [32]byte
	Method      string
	// URI is the absolute URL that was paid for.
	URI       string
	Operation string
	Settle    price.Settle
	LapsesAt  time.Time
	// KeepUntil is until when the response answers copies of the payment, and the
	// identifier is this claim's.
	KeepUntil time.Time
	// Identifier is what the payer calls the purchase by, or empty.
	Identifier string
	// EdgeID is the instance that has the claim.
	EdgeID uuid.UUID

	State State
	// Transaction is the settlement's hash, or that of one of unknown outcome.
	Transaction string
	// Reason is the code of a failure.
	Reason Code
	// ResponseKept says that [ClaimStore.Response] has the answer.
	ResponseKept bool
	CreatedAt    time.Time
	// RunAt is when the upstream was started, DoneAt when it was through.
	RunAt  *time.Time
	DoneAt *time.Time
}

// reclaimable reports whether the claim was released and leaves its place to rec.
func (r *Record) reclaimable(rec *Record) bool {
	return r.State == StateReleased && r.PayloadHash == rec.PayloadHash && r.ID != rec.ID
}

// Response is an answer that is kept for copies of its payment.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Counts are the claims that somebody still has to do something about, by state:
// those that are not at their end (of the settled ones, those whose upstream is not
// through), and the refunds that are due.
type Counts map[State]Count

// Count is how many claims there are in a state.
type Count struct {
	Claims int
	Amount money.MicroUSDC
	// Oldest is when the first of them was made.
	Oldest time.Time
}

// ErrClaimMoved is returned when a claim is not in the state that a step starts
// from: another edge has taken it on, or it was claimed anew.
var ErrClaimMoved = errors.New("claim is not in the expected state any more")

// ErrNotSettler is returned for a claim by a process that has ended, or that has not
// told others that it settles such claims.
var ErrNotSettler = errors.New("this process does not settle such payments, or has ended")

// InFlightError says that a payer has too little for a claim beside what is in flight.
type InFlightError struct {
	// InFlight is what its open claims take, and those whose transfers its balance does not show yet.
	InFlight money.MicroUSDC
}

func (e *InFlightError) Error() string {
	return "the payer's balance does not cover this beside payments of " + e.InFlight.String() + " USDC that are in flight"
}

// ErrUnpaidTries is returned for a claim of a contract that has too many payments of the
// last hour that are open or have failed.
var ErrUnpaidTries = errors.New("the payer is a contract with too many payments that are not settled")

// ErrGasBudget is returned for a claim whose settlement the day's budget does not cover.
var ErrGasBudget = errors.New("the gas_budget of the day is used up, by what settlements have cost and what open payments may cost: " +
	"it begins anew at 00:00 UTC")

// ErrNoClaim is returned by Find for a key that was never claimed.
var ErrNoClaim = errors.New("no claim with this key")

// ErrSignInUsed is returned for a sign-in that was used before.
var ErrSignInUsed = errors.New("sign-in was used before")

// Identity is a purchase as its payer calls it. Payers on different networks are
// different: a contract's address is not its owner's on every chain.
type Identity struct {
	Network    string // CAIP-2
	Payer      string // EIP-55
	Identifier string
}

func (r *Record) identity() Identity {
	return Identity{Network: r.Key.Network, Payer: r.Key.Payer, Identifier: r.Identifier}
}

// identified reports whether the claim has its identifier to itself.
func (r *Record) identified(now time.Time) bool {
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

// Purchaser asks for what was bought before.
type Purchaser struct {
	Payer string // EIP-55
	// Network is the CAIP-2 identifier; empty for any.
	Network     string
	RequestHash [32]byte
}

// ClaimStore keeps claims, as one instance has them. Every step is one guarded
// statement: it happens wholly, durably and once, or it returns ErrClaimMoved, as it
// does for claims that another instance has taken on, and for an instance that has
// ended. The implementations pass one conformance suite.
type ClaimStore interface {
	// Find returns the claim of a key, or ErrNoClaim.
	Find(ctx context.Context, key Key) (Record, error)
	// FindIdentified returns the claim that has an identifier, or ErrNoClaim. A claim
	// has it until it turns out that nothing is charged, or, once it has come to its
	// end, until its KeepUntil has passed.
	FindIdentified(ctx context.Context, identity Identity, now time.Time) (Record, error)
	// FindAnswer returns the newest settled claim of a payer for a request whose answer
	// is kept, or else one that is still worked on, or else ErrNoClaim.
	FindAnswer(ctx context.Context, asked Purchaser, now time.Time) (Record, error)
	// UseSignIn notes a sign-in until it can be used no more, or returns ErrSignInUsed.
	UseSignIn(ctx context.Context, account, nonce string, expires time.Time) error
	// ForgetSignIns drops those whose time is over.
	ForgetSignIns(ctx context.Context, now time.Time) error
	// Claim stores rec as claimed if its key is new, or was released with the same
	// payload, no other claim has its identifier, what the payer was seen to have
	// covers it beside what is in flight, and the day's budget covers its gas, which is
	// held until the claim is at its end. It returns the claim as it now stands, rec's
	// or the one that is in its way, and whether it is rec's. Else the error is an
	// *InFlightError, ErrUnpaidTries, ErrGasBudget or ErrNotSettler; after any other,
	// rec may have been claimed.
	Claim(ctx context.Context, rec *Record, seen Checked) (Record, bool, error)
	// Disclaim releases rec, of which it is not known whether it was claimed, and sees
	// to it that it is not claimed any more.
	Disclaim(ctx context.Context, rec *Record) error
	// Release: claimed → released. resp answers the copies that waited; it may be nil.
	Release(ctx context.Context, id uuid.UUID, reason Code, resp *Response) error
	// Serve: claimed → served. resp is nil when the answer is over the cap; then the
	// upstream is not through yet, and Finish says when it is.
	Serve(ctx context.Context, id uuid.UUID, resp *Response) error
	// Settling: served → settling, and claimed → settling under settle-before.
	Settling(ctx context.Context, id uuid.UUID) error
	// Settled: served, settling or unknown → settled, together with the ledger's
	// transfer. With run, the upstream is started by the caller.
	Settled(ctx context.Context, id uuid.UUID, by Settlement, run bool) error
	// Unknown: settling → unknown.
	Unknown(ctx context.Context, id uuid.UUID, transaction string) error
	// Fail: served, settling or unknown → failed.
	Fail(ctx context.Context, id uuid.UUID, reason Code) error
	// Abandon: claimed or served → abandoned.
	Abandon(ctx context.Context, id uuid.UUID) error
	// StartRun takes a settled claim whose upstream was never started, whosever it is
	// (settle-before after a crash): one caller gets it, others ErrClaimMoved.
	StartRun(ctx context.Context, id uuid.UUID) error
	// Finish says that the upstream of a settled claim is through. If it failed the
	// claim becomes refund_due. resp may be nil.
	Finish(ctx context.Context, id uuid.UUID, failed bool, resp *Response) error
	// RefundDue: settled, never run and never to be → refund_due.
	RefundDue(ctx context.Context, id uuid.UUID) error
	// Owe: settled → refund_due, whosever it is and whatever became of the run: for an
	// upstream whose job came to nothing after it was answered, and for an operator who
	// owes. note says why. What is owed or paid back already stays so, and is no error.
	Owe(ctx context.Context, id uuid.UUID, note string) error
	// Counts says what is not at its end, and what is owed.
	Counts(ctx context.Context) (Counts, error)
	// Stranded counts the claims that are not at their end and that no living instance
	// settles.
	Stranded(ctx context.Context) (int, error)
	// Response returns the answer that is kept, or ErrNoClaim if there is none.
	Response(ctx context.Context, id uuid.UUID) (*Response, error)
	// TakeOrphans takes unfinished claims on what is settled, each "network/asset":
	// those of instances that have ended or settle others, and the caller's own that are
	// not in active.
	TakeOrphans(ctx context.Context, settles []string, active []uuid.UUID, now time.Time) ([]Record, error)
	// TakeUnknown takes a claim in state unknown, whosever it is, for a client that asks.
	TakeUnknown(ctx context.Context, id uuid.UUID) error
	// Unclosed returns failed claims on what is settled whose payments had lapsed before
	// then, and that were not closed: some of them, the oldest first.
	Unclosed(ctx context.Context, settles []string, before time.Time) ([]Key, error)
	// Close says that a failed claim was held against the chain after its payment had
	// lapsed: it stays failed.
	Close(ctx context.Context, id uuid.UUID) error
	// PaidAfterAll: failed → refund_due, together with the ledger's transfer.
	PaidAfterAll(ctx context.Context, id uuid.UUID, by Settlement) error
	// ForgetResponses drops answers whose time is over and returns how many.
	ForgetResponses(ctx context.Context, now time.Time) (int, error)
}
