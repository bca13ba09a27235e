package x402

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Refunds pays back what is owed to payers: each claim once, whatever crashes. It is
// safe for concurrent use, and by several programs at a time.
//
// The money goes by an EIP-3009 authorisation of the treasury whose nonce is made
// from the claim, so that the token refuses a second one. Who is to sign, and until
// when it will be good, is written down before it is signed: whoever comes later
// looks on the chain for what became of it, and another account signs only when
// that one can no longer be used.
type Refunds struct {
	q      *db.Queries
	chains *Chains
	now    func() time.Time
}

// NewRefunds returns the refunds of a database.
func NewRefunds(conn db.DBTX, chains *Chains, now func() time.Time) *Refunds {
	return &Refunds{q: db.New(conn), chains: chains, now: now}
}

// RefundDue is a claim whose payer is owed its money.
type RefundDue struct {
	ID uuid.UUID
	// Network is the CAIP-2 identifier; Asset, Payer and PayTo are EIP-55 addresses.
	Network, Asset, Payer, PayTo string
	Amount                       money.MicroUSDC
	Operation                    string
	// Note says why, where an operator or the upstream has said so.
	Note      string
	CreatedAt time.Time
	// Nonce is that of the authorisation that pays it.
	Nonce [32]byte
	// From is the account from which paying was begun; empty if it was not.
	From string
}

// Repayment is how a claim was paid back.
type Repayment struct {
	Transaction string
	// Before says that it was paid by an earlier run, and is recorded only now or was
	// recorded then.
	Before bool
}

// NotOwedError says that a claim is in a state in which nothing is to be paid back.
type NotOwedError struct{ State State }

func (e *NotOwedError) Error() string {
	switch e.State {
	case StateSettled:
		return "it is settled, and nothing is owed for it: `turnpike payments refunds add` says that something is"
	case StateRefunded:
		return "it was paid back before"
	case StateClaimed, StateServed, StateSettling, StateUnknown:
		return fmt.Sprintf("it is %s: what was not settled cannot be paid back", e.State)
	case StateFailed, StateReleased, StateAbandoned, StateRefundDue:
	}
	return fmt.Sprintf("it is %s: its payer's money has not moved", e.State)
}

// owedClaim is a stored claim as refunds see it.
type owedClaim struct {
	db.ListRefundsDueRow

	payer, payTo common.Address
	amount       money.MicroUSDC
}

func newOwedClaim(row db.ListRefundsDueRow) (*owedClaim, error) {
	payer, payerOK := parseAddress(row.Payer)
	payTo, payToOK := parseAddress(row.PayTo)
	if !payerOK || !payToOK {
		return nil, fmt.Errorf("stored payer %q or recipient %q is not an address", row.Payer, row.PayTo)
	}
	return &owedClaim{ListRefundsDueRow: row, payer: payer, payTo: payTo, amount: money.MicroUSDC(row.Amount)}, nil
}

// attempt is who may have paid a claim back, or still may, by its authorisation.
type attempt struct {
	from common.Address
	// noted says that it was begun, when, and until when it is good. What was not may
	// have been paid all the same: the database may be a copy of an earlier day.
	noted         bool
	begun, lapses time.Time
}

// attempt is the one that was noted; if none was, that of an account.
func (o *owedClaim) attempt(orElse common.Address) attempt {
	if o.RefundBegunAt == nil || o.RefundLapsesAt == nil || o.RefundFrom == nil {
		return attempt{from: orElse}
	}
	return attempt{from: common.HexToAddress(*o.RefundFrom), noted: true, begun: *o.RefundBegunAt, lapses: *o.RefundLapsesAt}
}

// Due lists what is owed, the oldest first.
func (r *Refunds) Due(ctx context.Context) ([]RefundDue, error) {
	rows, err := r.q.ListRefundsDue(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing refunds: %w", err)
	}
	out := make([]RefundDue, len(rows))
	for i := range rows {
		row := &rows[i]
		out[i] = RefundDue{
			ID: row.ID, Network: row.Network, Asset: row.Asset, Payer: row.Payer, PayTo: row.PayTo,
			Amount: money.MicroUSDC(row.Amount), Operation: row.Operation, Note: row.OwedNote,
			CreatedAt: row.CreatedAt, Nonce: refundNonce(row.ID),
		}
		if row.RefundFrom != nil {
			out[i].From = *row.RefundFrom
		}
	}
	return out, nil
}

// Owe says that a settled claim is to be paid back, and why. It reports whether it is
// so since now; what was paid back already is a *NotOwedError.
func (r *Refunds) Owe(ctx context.Context, id uuid.UUID, note string) (bool, error) {
	o, err := r.load(ctx, id)
	if err != nil {
		return false, err
	}
	switch state := State(o.State); state {
	case StateRefundDue:
		return false, nil
	case StateSettled:
	default:
		return false, &NotOwedError{State: state}
	}
	n, err := r.q.OweClaim(ctx, db.OweClaimParams{ID: id, Note: note})
	return err == nil, moved("recording what is owed", n, err)
}

// Mark records a refund that was paid by other means, by a transfer of exactly the
// claim's amount in a transaction that the chain has. from is who paid; nil for the
// account that the claim was paid to. A transfer counts for one claim.
func (r *Refunds) Mark(ctx context.Context, id uuid.UUID, transaction common.Hash, from *common.Address) (Repayment, error) {
	o, err := r.load(ctx, id)
	if err != nil {
		return Repayment{}, err
	}
	if State(o.State) == StateRefunded && o.RefundTransaction != nil && common.HexToHash(*o.RefundTransaction) == transaction {
		return Repayment{Transaction: transaction.Hex(), Before: true}, nil
	}
	if State(o.State) != StateRefundDue {
		return Repayment{}, &NotOwedError{State: State(o.State)}
	}
	chain, err := r.chains.open(ctx, o.Network, o.Asset, o.Payment)
	if err != nil {
		return Repayment{}, err
	}
	if err := r.notOnItsWay(ctx, chain, o, transaction); err != nil {
		return Repayment{}, err
	}
	if from == nil {
		from = &o.payTo
	}
	receipt, err := chain.succeeded(ctx, transaction)
	if err != nil {
		return Repayment{}, err
	}
	block, err := chain.block(ctx, hexutil.EncodeBig(receipt.BlockNumber))
	if err != nil {
		return Repayment{}, err
	}
	if block.time().Before(o.CreatedAt.Add(-markMargin)) {
		return Repayment{}, fmt.Errorf("transaction %s is older than the payment", transaction.Hex())
	}
	taken := 0
	for _, t := range chain.transfersOf(receipt) {
		if t.from != *from || !t.is(o.payer, o.amount) {
			continue
		}
		switch err := r.record(ctx, o, t); {
		case errors.Is(err, errTransferTaken):
			taken++
		case err != nil:
			return Repayment{}, err
		default:
			return Repayment{Transaction: transaction.Hex()}, nil
		}
	}
	if taken > 0 {
		return Repayment{}, fmt.Errorf("transaction %s has paid other claims back, and nothing is left of it for this one", transaction.Hex())
	}
	return Repayment{}, fmt.Errorf("transaction %s moves no %s of %s from %s to %s", transaction.Hex(), o.amount, o.Asset, from.Hex(), o.Payer)
}

// markMargin is by how much our clock may be ahead of the chain's.
const markMargin = time.Minute

// notOnItsWay refuses to count another transfer for a claim that was paid back by its
// own authorisation, or may still be.
func (r *Refunds) notOnItsWay(ctx context.Context, chain *ChainWatcher, o *owedClaim, transaction common.Hash) error {
	at := o.attempt(o.payTo)
	seen, err := chain.lookupRefund(ctx, o, at)
	switch {
	case err != nil:
		return err
	case seen.fate == FatePaid && seen.transfer.transaction != transaction:
		return fmt.Errorf("it was paid back by transaction %s, which was not recorded: mark it with that one", seen.transfer.transaction.Hex())
	case seen.unknown() != nil:
		return seen.unknown()
	case at.noted && seen.fate == FateUnused && seen.chainTime.Before(at.lapses):
		return fmt.Errorf("a refund from %s was begun and may arrive until %s: look again then", at.from.Hex(), at.lapses.UTC().Format(time.RFC3339))
	}
	return nil
}

// unknown is why nothing may be paid: what became of the refund is not known.
func (s *refundSighting) unknown() error {
	if s.fate != FateUnclear && s.fate != FateUnsure {
		return nil
	}
	return fmt.Errorf("what became of its refund is not known, ask again, or a node with more history: %w", s.doubt)
}

// errTransferTaken: the transfer has paid another claim.
var errTransferTaken = errors.New("the transfer has paid another claim back")

// record writes the refund down, in the claim and in the ledger.
func (r *Refunds) record(ctx context.Context, o *owedClaim, t transfer) error {
	args := db.RecordRefundParams{ID: o.ID, Transaction: t.transaction.Hex(), PaidFrom: t.from.Hex(), Log: int64(t.log)} //nolint:gosec // a place in a block
	var n int64
	var err error
	if State(o.State) == StateRefunded { // by a transaction that the chain has no more
		n, err = r.q.RecordRefundAgain(ctx, db.RecordRefundAgainParams{
			ID: args.ID, Transaction: args.Transaction, PaidFrom: args.PaidFrom, Log: args.Log, Was: *o.RefundTransaction,
		})
	} else {
		n, err = r.q.RecordRefund(ctx, args)
	}
	if violation, ok := errors.AsType[*pgconn.PgError](err); ok && violation.ConstraintName == "x402_claim_refund_transfer" {
		return errTransferTaken
	}
	if err != nil {
		return fmt.Errorf("recording the refund by transaction %s: %w", t.transaction.Hex(), err)
	}
	if n == 1 {
		return nil
	}
	now, err := r.load(ctx, o.ID)
	if err != nil {
		return err
	}
	if State(now.State) == StateRefunded && now.RefundTransaction != nil && *now.RefundTransaction == t.transaction.Hex() {
		return nil // another run has
	}
	return moved("recording the refund", 0, nil)
}

func (r *Refunds) load(ctx context.Context, id uuid.UUID) (*owedClaim, error) {
	row, err := r.q.ClaimToRefund(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNoClaim
	}
	if err != nil {
		return nil, fmt.Errorf("reading claim %s: %w", id, err)
	}
	return newOwedClaim(db.ListRefundsDueRow(row))
}
