package refunds

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// Refunds pays back what is owed to payers: each claim once, whatever crashes. It is safe for concurrent use, also by
// several programs.
//
// The money moves by an EIP-3009 authorisation of the treasury. Its nonce is made from the claim, so the token refuses
// a second one. Before signing, the account and the expiry are recorded. Later runs look up the outcome on the chain,
// and another account signs only when the first authorisation can no longer be used.
type Refunds struct {
	q      *db.Queries
	chains *evm.Chains
	now    func() time.Time
}

// New returns the refunds of the claims in a database.
func New(conn db.DBTX, chains *evm.Chains, now func() time.Time) *Refunds {
	return &Refunds{q: db.New(conn), chains: chains, now: now}
}

// Due is a claim whose payment must be refunded.
type Due struct {
	ID uuid.UUID
	// Network is the CAIP-2 identifier; Asset, Payer and PayTo are EIP-55 addresses.
	Network, Asset, Payer, PayTo string
	Amount                       money.MicroUSDC
	Operation                    string
	// Note is the reason that an operator or the upstream has given, if any.
	Note      string
	CreatedAt time.Time
	// Nonce is that of the refund's authorisation.
	Nonce [32]byte
	// From is the account that began to pay; empty if none did.
	From string
}

// Repayment is the result of a refund.
type Repayment struct {
	Transaction string
	// Before says that an earlier run has paid it; it was recorded then or only now.
	Before bool
}

// NotOwedError says that the claim's state allows no refund.
type NotOwedError struct{ State claims.State }

func (e *NotOwedError) Error() string {
	switch e.State {
	case claims.StateSettled:
		return "it is settled, and no refund is due: run `turnpike payments refunds add` to record one"
	case claims.StateRefunded:
		return "it was already refunded"
	case claims.StateClaimed, claims.StateServed, claims.StateSettling, claims.StateUnknown:
		return fmt.Sprintf("it is %s: a payment that was not settled cannot be refunded", e.State)
	case claims.StateFailed, claims.StateReleased, claims.StateAbandoned, claims.StateRefundDue:
	}
	return fmt.Sprintf("it is %s: its payer was not charged", e.State)
}

// owedClaim is a stored claim with its parsed fields.
type owedClaim struct {
	db.ListRefundsDueRow

	payer, payTo common.Address
	amount       money.MicroUSDC
}

func newOwedClaim(row db.ListRefundsDueRow) (*owedClaim, error) {
	payer, payerOK := x402.ParseAddress(row.Payer)
	payTo, payToOK := x402.ParseAddress(row.PayTo)
	if !payerOK || !payToOK {
		return nil, fmt.Errorf("stored payer %q or recipient %q is not an address", row.Payer, row.PayTo)
	}
	return &owedClaim{ListRefundsDueRow: row, payer: payer, payTo: payTo, amount: row.Amount}, nil
}

// attempt is an account that may have refunded a claim by its authorisation, or still may.
type attempt struct {
	from common.Address
	// noted says that the attempt is recorded, with its start and expiry. One that is not may have been paid all the
	// same: the database may be an older backup.
	noted         bool
	begun, lapses time.Time
}

// attempt returns the recorded attempt, or one of the given account if none is recorded.
func (o *owedClaim) attempt(orElse common.Address) attempt {
	if o.RefundBegunAt == nil || o.RefundLapsesAt == nil || o.RefundFrom == nil {
		return attempt{from: orElse}
	}
	return attempt{from: common.HexToAddress(*o.RefundFrom), noted: true, begun: *o.RefundBegunAt, lapses: *o.RefundLapsesAt}
}

// Due lists the refunds that are due, the oldest first.
func (r *Refunds) Due(ctx context.Context) ([]Due, error) {
	rows, err := r.q.ListRefundsDue(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing refunds: %w", err)
	}
	out := make([]Due, len(rows))
	for i := range rows {
		row := &rows[i]
		out[i] = Due{
			ID: row.ID, Network: row.Network, Asset: row.Asset, Payer: row.Payer, PayTo: row.PayTo,
			Amount: row.Amount, Operation: row.Operation, Note: row.OwedNote,
			CreatedAt: row.CreatedAt, Nonce: nonceOf(row.ID),
		}
		if row.RefundFrom != nil {
			out[i].From = *row.RefundFrom
		}
	}
	return out, nil
}

// Owe records that a settled claim must be refunded, and why. It returns false if that was recorded before, and a
// *NotOwedError if it was refunded already.
func (r *Refunds) Owe(ctx context.Context, id uuid.UUID, note string) (bool, error) {
	o, err := r.load(ctx, id)
	if err != nil {
		return false, err
	}
	switch state := claims.State(o.State); state {
	case claims.StateRefundDue:
		return false, nil
	case claims.StateSettled:
	default:
		return false, &NotOwedError{State: state}
	}
	n, err := r.q.OweClaim(ctx, db.OweClaimParams{ID: id, Note: note})
	return err == nil, claims.CheckMoved("recording the refund due", n, err)
}

// Mark records a refund that was paid by other means: a transfer of exactly the claim's amount in a transaction on the
// chain. from is who paid; nil means the account that the claim was paid to. A transfer counts for one claim.
func (r *Refunds) Mark(ctx context.Context, id uuid.UUID, transaction common.Hash, from *common.Address) (Repayment, error) {
	o, err := r.load(ctx, id)
	if err != nil {
		return Repayment{}, err
	}
	if claims.State(o.State) == claims.StateRefunded && o.RefundTransaction != nil && common.HexToHash(*o.RefundTransaction) == transaction {
		return Repayment{Transaction: transaction.Hex(), Before: true}, nil
	}
	if claims.State(o.State) != claims.StateRefundDue {
		return Repayment{}, &NotOwedError{State: claims.State(o.State)}
	}
	chain, err := r.chains.Open(ctx, o.Network, o.Asset, o.Payment)
	if err != nil {
		return Repayment{}, err
	}
	if err := r.notOnItsWay(ctx, chain, o, transaction); err != nil {
		return Repayment{}, err
	}
	if from == nil {
		from = &o.payTo
	}
	receipt, err := chain.Succeeded(ctx, transaction)
	if err != nil {
		return Repayment{}, err
	}
	block, err := chain.Block(ctx, receipt.BlockNumber.Uint64())
	if err != nil {
		return Repayment{}, err
	}
	if block.Time().Before(o.CreatedAt.Add(-markMargin)) {
		return Repayment{}, fmt.Errorf("transaction %s is older than the payment", transaction.Hex())
	}
	taken := 0
	for _, t := range chain.TransfersOf(receipt) {
		if t.From != *from || !t.Is(o.payer, o.amount) {
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
		return Repayment{}, fmt.Errorf("transaction %s has refunded other claims, and has no transfer left for this one", transaction.Hex())
	}
	return Repayment{}, fmt.Errorf("transaction %s does not transfer %s of %s from %s to %s", transaction.Hex(), o.amount, o.Asset, from.Hex(), o.Payer)
}

// markMargin is how far our clock may be ahead of the chain's.
const markMargin = time.Minute

// notOnItsWay returns an error if the claim's own refund authorisation has paid it or may still pay it: then no other
// transfer may count.
func (r *Refunds) notOnItsWay(ctx context.Context, chain *evm.Watcher, o *owedClaim, transaction common.Hash) error {
	at := o.attempt(o.payTo)
	seen, err := o.lookup(ctx, chain, at)
	switch {
	case err != nil:
		return err
	case seen.Outcome == x402.OutcomePaid && seen.Transfer.Transaction != transaction:
		return fmt.Errorf("it was refunded by transaction %s, which was not recorded: mark it with that one", seen.Transfer.Transaction.Hex())
	case unknown(seen) != nil:
		return unknown(seen)
	case at.noted && seen.Outcome == x402.OutcomeUnused && seen.ChainTime.Before(at.lapses):
		return fmt.Errorf("a refund from %s was started and may arrive until %s: try again then", at.from.Hex(), at.lapses.UTC().Format(time.RFC3339))
	}
	return nil
}

// unknown returns why nothing may be paid, if the outcome of the refund is not known.
func unknown(s evm.TransferStatus) error {
	if s.Outcome != x402.OutcomeUnclear && s.Outcome != x402.OutcomeUnsure {
		return nil
	}
	return fmt.Errorf("the state of its refund is not known: try again, or use a node with more history: %w", s.Doubt)
}

// errTransferTaken says that the transfer has refunded another claim.
var errTransferTaken = errors.New("the transfer has refunded another claim")

// record stores the refund in the claim and in the ledger.
func (r *Refunds) record(ctx context.Context, o *owedClaim, t evm.Transfer) error {
	args := db.RecordRefundParams{ID: o.ID, Transaction: t.Transaction.Hex(), PaidFrom: t.From.Hex(), Log: int64(t.Log)} //nolint:gosec // a place in a block
	var n int64
	var err error
	if claims.State(o.State) == claims.StateRefunded { // by a transaction that is no longer on the chain
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
		return fmt.Errorf("recording the refund by transaction %s: %w", t.Transaction.Hex(), err)
	}
	if n == 1 {
		return nil
	}
	now, err := r.load(ctx, o.ID)
	if err != nil {
		return err
	}
	if claims.State(now.State) == claims.StateRefunded && now.RefundTransaction != nil && *now.RefundTransaction == t.Transaction.Hex() {
		return nil // another run has recorded it
	}
	return claims.CheckMoved("recording the refund", 0, nil)
}

func (r *Refunds) load(ctx context.Context, id uuid.UUID) (*owedClaim, error) {
	row, err := r.q.ClaimToRefund(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, claims.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("reading claim %s: %w", id, err)
	}
	return newOwedClaim(db.ListRefundsDueRow(row))
}
