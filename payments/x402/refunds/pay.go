package refunds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// Treasury is the account that pays refunds.
type Treasury struct {
	// Signer signs for the account, which needs no gas.
	Signer signer.Signer
	// AnyRecipient allows refunds of payments that went to another account than this.
	AnyRecipient bool
	// Settler returns the facilitator that sends the refunds on a network and pays the gas.
	Settler func(node evm.RPC, network x402.Network) (x402.Facilitator, error)
}

const (
	// refundGood is how long a refund's authorisation is valid. It allows several tries to settle, and is no longer
	// than an operator would wait before paying from another account.
	refundGood = 30 * time.Minute
	// refundGoodLeast is the remaining validity that another try with the same authorisation needs.
	refundGoodLeast = 5 * time.Minute
)

// Pay refunds a claim. It may be called again after it failed or was killed at any point: a refund that is on the chain
// is found and recorded, and one whose block was replaced is paid again. A *NotOwedError means that nothing is owed. A
// *SettlementUnknownError means that the refund was sent and may have arrived.
func (r *Refunds) Pay(ctx context.Context, id uuid.UUID, from Treasury) (Repayment, error) {
	o, err := r.load(ctx, id)
	if err != nil {
		return Repayment{}, err
	}
	wasPaid := claims.State(o.State) == claims.StateRefunded && o.RefundTransaction != nil
	if !wasPaid && claims.State(o.State) != claims.StateRefundDue {
		return Repayment{}, &NotOwedError{State: claims.State(o.State)}
	}
	chain, err := r.chains.Open(ctx, o.Network, o.Asset, o.Payment)
	if wasPaid && (err != nil || !isGone(ctx, chain, *o.RefundTransaction)) {
		return Repayment{Transaction: *o.RefundTransaction, Before: true}, nil //nolint:nilerr // without a node, the record is all we have
	}
	if err != nil {
		return Repayment{}, err
	}
	if _, err := chain.Succeeded(ctx, common.HexToHash(o.Transaction)); err != nil {
		return Repayment{}, fmt.Errorf("its payment cannot be refunded: %w", err)
	}
	account := from.Signer.Address()
	seen, lapses, err := r.earlier(ctx, chain, o, account)
	if err != nil {
		return Repayment{}, err
	}
	if seen.Outcome == x402.OutcomePaid {
		return r.found(ctx, o, seen)
	}
	if account != o.payTo && !from.AnyRecipient {
		return Repayment{}, fmt.Errorf("it was paid to %s, but the key belongs to %s", o.PayTo, account.Hex())
	}
	if err := chain.Holds(ctx, account, o.amount); err != nil {
		// Another run may have paid since, and used up the balance.
		if seen, _, unsure := r.earlier(ctx, chain, o, account); unsure == nil && seen.Outcome == x402.OutcomePaid {
			return r.found(ctx, o, seen)
		}
		return Repayment{}, err
	}
	if lapses, err = r.begin(ctx, o, account, lapses); err != nil {
		return Repayment{}, err
	}
	return r.send(ctx, chain, o, from, account, lapses)
}

// found records a refund that was found on the chain.
func (r *Refunds) found(ctx context.Context, o *owedClaim, seen evm.TransferStatus) (Repayment, error) {
	return Repayment{Transaction: seen.Transfer.Transaction.Hex(), Before: true}, r.record(ctx, o, seen.Transfer)
}

// isGone reports whether all nodes say that a recorded transaction is no longer on the chain, because its block was
// replaced.
func isGone(ctx context.Context, chain *evm.Watcher, transaction string) bool {
	_, gone, err := chain.AgreedReceipt(ctx, common.HexToHash(transaction))
	return err == nil && gone
}

// earlier finds out the status of earlier attempts, and whether this account may pay now. The time is the expiry of
// this account's own authorisation if it can be sent again, else zero.
func (r *Refunds) earlier(ctx context.Context, chain *evm.Watcher, o *owedClaim, account common.Address) (evm.TransferStatus, time.Time, error) {
	at := o.attempt(account)
	if !at.noted && account != o.payTo {
		seen, err := o.lookup(ctx, chain, attempt{from: o.payTo})
		if err == nil {
			err = unknown(seen)
		}
		if err != nil || seen.Outcome == x402.OutcomePaid {
			return seen, time.Time{}, err
		}
	}
	seen, err := o.lookup(ctx, chain, at)
	if err != nil {
		return evm.TransferStatus{}, time.Time{}, err
	}
	switch mine := at.from == account; {
	case unknown(seen) != nil:
		err = unknown(seen)
	case seen.Outcome == x402.OutcomeSpent && mine:
		err = fmt.Errorf("its refund from %s was cancelled: pay it from another account", at.from.Hex())
	case seen.Outcome == x402.OutcomeUnused && !mine && seen.ChainTime.Before(at.lapses):
		err = fmt.Errorf("a refund from %s was started and may arrive until %s: pay it from that account, or wait", at.from.Hex(), at.lapses.UTC().Format(time.RFC3339))
	case seen.Outcome == x402.OutcomeUnused && mine && at.noted && r.now().Add(refundGoodLeast).Before(at.lapses):
		return seen, at.lapses, nil
	}
	return seen, time.Time{}, err
}

// begin records the account that is about to sign, and until when its authorisation is valid. If one of the same
// account is still valid, exactly that is sent again, so that the settler recognises it.
func (r *Refunds) begin(ctx context.Context, o *owedClaim, account common.Address, good time.Time) (time.Time, error) {
	if !good.IsZero() {
		return good, nil
	}
	lapses := r.now().Add(refundGood).Truncate(time.Second)
	n, err := r.q.BeginRefund(ctx, db.BeginRefundParams{
		ID: o.ID, PayFrom: account.Hex(), LapsesAt: lapses, WasFrom: o.RefundFrom, WasLapsesAt: o.RefundLapsesAt,
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("starting the refund: %w", err)
	}
	if n == 0 {
		return time.Time{}, fmt.Errorf("another run has just started to refund it: %w", claims.ErrMoved)
	}
	return lapses, nil
}

func (r *Refunds) send(ctx context.Context, chain *evm.Watcher, o *owedClaim, from Treasury, account common.Address, lapses time.Time) (Repayment, error) {
	req := &x402.Requirements{Network: chain.Network(), PayTo: o.payer, Amount: o.amount, MaxTimeout: refundGood}
	a := x402.Authorization{
		From: account, To: o.payer, Value: o.amount, ValidAfter: new(big.Int), ValidBefore: big.NewInt(lapses.Unix()), Nonce: nonceOf(o.ID),
	}
	p, err := payRequirements(ctx, from.Signer, &a, req)
	if err != nil {
		return Repayment{}, err
	}
	settler, err := from.Settler(chain.Node(), chain.Network())
	if err != nil {
		return Repayment{}, err
	}
	settled, err := settler.Settle(ctx, p, req)
	if refusal, ok := errors.AsType[*x402.Refusal](err); ok {
		return Repayment{}, fmt.Errorf("the refund from %s was refused: %s: %s", account.Hex(), refusal.Code, refusal.Message)
	}
	if errors.Is(err, x402.ErrUnavailable) {
		return Repayment{}, fmt.Errorf("nothing was sent: %w", err)
	}
	if err != nil {
		return Repayment{}, fmt.Errorf("paying from %s: %w", account.Hex(), err)
	}
	receipt, err := chain.Succeeded(ctx, common.HexToHash(settled.Transaction))
	if err != nil {
		return Repayment{}, &x402.SettlementUnknownError{Transaction: settled.Transaction, Err: err}
	}
	t, ok := chain.TransferBy(receipt, a.From, a.Nonce)
	if !ok || !t.Is(o.payer, o.amount) {
		return Repayment{}, &x402.SettlementUnknownError{Transaction: settled.Transaction, Err: errors.New("the transaction has no such refund")}
	}
	return Repayment{Transaction: settled.Transaction}, r.record(ctx, o, t)
}

// payRequirements signs an authorisation and returns it as a version 2 payment, just as if it came in a header.
func payRequirements(ctx context.Context, by signer.Signer, a *x402.Authorization, req *x402.Requirements) (*x402.Payment, error) {
	payload, err := signer.Sign(ctx, by, a, req.Network)
	if err != nil {
		return nil, err
	}
	accepted := req.V2()
	raw, err := json.Marshal(x402.PaymentV2{X402Version: x402.Version2, Accepted: &accepted, Payload: payload})
	if err != nil {
		return nil, fmt.Errorf("encoding the payment: %w", err)
	}
	p, refusal := x402.ParsePayload(x402.Version2, string(raw))
	if refusal != nil {
		return nil, fmt.Errorf("reading our own payment: %w", refusal)
	}
	return p, nil
}
