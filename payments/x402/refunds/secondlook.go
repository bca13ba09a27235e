package refunds

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// CodeReorganised is the failure reason of a claim whose payment counted once and is no longer on the chain.
const CodeReorganised x402.Code = "reorganised"

// refundSettledBy is the age from which a refund is looked for in final blocks.
const refundSettledBy = 10 * time.Minute

// SecondLook checks the paid claims that are not in the final blocks that [Auditor.ReadStatements] has read. If all
// nodes say that a payment can never be made any more, its claim fails: the loss is recorded and the ledger reverses
// the payment. All others are differences, and so are refunds that are no longer on the chain.
func (a *Auditor) SecondLook(ctx context.Context, logger *slog.Logger) ([]Difference, error) {
	claims, err := a.q.ListClaimsOffStatement(ctx, auditPage)
	if err != nil {
		return nil, fmt.Errorf("listing claims: %w", err)
	}
	refunds, err := a.q.ListRefundsNotFinal(ctx, db.ListRefundsNotFinalParams{Before: a.now().Add(-refundSettledBy), RowLimit: auditPage})
	if err != nil {
		return nil, fmt.Errorf("listing refunds: %w", err)
	}
	var out []Difference
	look := func(r *db.ListClaimsToAuditRow, again func(context.Context, *evm.Watcher, *db.ListClaimsToAuditRow) (string, error)) error {
		chain, err := a.chains.Open(ctx, r.Network, r.Asset, r.Payment)
		if errors.Is(err, evm.ErrNoNode) {
			return nil
		}
		var detail string
		if err == nil {
			detail, err = again(ctx, chain, r)
		}
		if err != nil {
			return fmt.Errorf("claim %s: %w", r.ID, err)
		}
		if detail != "" {
			out = append(out, Difference{Claim: r.ID.String(), Detail: detail})
		}
		return nil
	}
	for i := range claims {
		r := db.ListClaimsToAuditRow(claims[i])
		err := look(&r, func(ctx context.Context, chain *evm.Watcher, r *db.ListClaimsToAuditRow) (string, error) {
			return a.lookAgain(ctx, chain, r, logger)
		})
		if err != nil {
			return out, err
		}
	}
	for i := range refunds {
		r := db.ListClaimsToAuditRow(refunds[i])
		if err := look(&r, a.refundAgain); err != nil {
			return out, err
		}
	}
	return out, nil
}

// lookAgain returns what is wrong with a paid claim that is on no statement, or "" if that is resolved now.
func (a *Auditor) lookAgain(ctx context.Context, chain *evm.Watcher, r *db.ListClaimsToAuditRow, logger *slog.Logger) (string, error) {
	p, req, err := storedPayment(chain, r)
	if err != nil {
		return "", err
	}
	seen, err := chain.Lookup(ctx, p, req, r.CreatedAt)
	if err != nil {
		return "", err
	}
	amount := r.Amount
	isGone := seen.Outcome == x402.OutcomeUnused || seen.Outcome == x402.OutcomeSpent
	switch {
	case seen.Outcome == x402.OutcomePaid:
		return fmt.Sprintf("is %s by transaction %s, which was not in the blocks that were read", r.State, seen.Transaction), nil
	case isGone && seen.ChainTime.Before(p.LapsesAt()):
		return fmt.Sprintf("is %s by transaction %s, which is not on the chain; its payment may still be sent until %s",
			r.State, r.Transaction, p.LapsesAt().UTC().Format(time.RFC3339)), nil
	case isGone && claims.State(r.State) == claims.StateRefunded:
		return fmt.Sprintf("is refunded, but its payment by transaction %s is not on the chain", r.Transaction), nil
	case isGone:
		n, err := a.q.LoseClaim(ctx, db.LoseClaimParams{ID: r.ID, Reason: string(CodeReorganised)})
		if err != nil {
			return "", fmt.Errorf("recording a payment that was lost: %w", err)
		}
		if n == 1 {
			logger.Error("x402 payment lost: it is no longer on the chain, but its response was delivered",
				"claim", r.ID, "payer", r.Payer, "amount", amount.String(), "transaction", r.Transaction)
		}
		return "", nil
	}
	return fmt.Sprintf("is %s by transaction %s, which was not in the blocks that were read: %v", r.State, r.Transaction, seen.Doubt), nil
}

// refundAgain returns what is wrong with a refund that was in no final block so far.
func (a *Auditor) refundAgain(ctx context.Context, chain *evm.Watcher, r *db.ListClaimsToAuditRow) (string, error) {
	detail, err := a.refundOnChain(ctx, chain, r)
	if err != nil || detail != "" {
		return detail, err
	}
	final, err := chain.FinalBlock(ctx)
	if err != nil {
		return "", err
	}
	receipt, _, err := chain.AgreedReceipt(ctx, common.HexToHash(*r.RefundTransaction))
	if err != nil || receipt == nil || receipt.BlockNumber.Uint64() > uint64(final.Number) {
		return "", err
	}
	return "", a.q.NoteRefundFinal(ctx, db.NoteRefundFinalParams{
		ID: r.ID, Transaction: *r.RefundTransaction, Block: receipt.BlockNumber.Int64(),
	})
}

// Lost returns how many payments were lost since a time, and their total amount.
func (a *Auditor) Lost(ctx context.Context, since time.Time) (claims int64, amount money.MicroUSDC, err error) {
	row, err := a.q.CountLostPayments(ctx, since)
	if err != nil {
		return 0, 0, fmt.Errorf("counting lost payments: %w", err)
	}
	return row.Claims, money.MicroUSDC(row.Amount), nil
}
