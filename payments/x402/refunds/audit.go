package refunds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// Difference is a claim that does not agree with the ledger or the chain.
type Difference struct {
	// Claim is the claim's id, as in the ledger.
	Claim  string
	Detail string
}

// Auditor compares claims with the ledger and the chains. It only reads, except for [Auditor.ReadStatements] and
// [Auditor.SecondLook].
type Auditor struct {
	q      *db.Queries
	chains *evm.Chains
	now    func() time.Time
}

// NewAuditor returns an auditor of the claims in a database. It asks the given chains.
func NewAuditor(conn db.DBTX, chains *evm.Chains, now func() time.Time) *Auditor {
	return &Auditor{q: db.New(conn), chains: chains, now: now}
}

const (
	// auditPage is how many claims are read at a time.
	auditPage = 500
	// auditSettledBy is the age at which a claim counts as finished: recovery has had its time.
	auditSettledBy = 15 * time.Minute
)

// Ledger compares every paid claim with its transfer, every refunded claim with the transfer of its refund, and every
// such transfer with its claim.
func (a *Auditor) Ledger(ctx context.Context) ([]Difference, error) {
	rows, err := a.q.ListClaimsOutOfLedger(ctx)
	if err != nil {
		return nil, fmt.Errorf("comparing claims with the ledger: %w", err)
	}
	out := make([]Difference, 0, len(rows))
	for _, r := range rows {
		d := Difference{Claim: r.ClaimID}
		claim, ledger := "paid", "for it"
		if r.Kind == "refund" {
			claim, ledger = "refunded", "as its refund"
		}
		switch {
		case r.State == "":
			d.Detail = fmt.Sprintf("the ledger has %s USDC %s, but no %s claim has this id", money.MicroUSDC(r.Booked), ledger, claim)
		case r.Booked == 0:
			d.Detail = fmt.Sprintf("%s with %s USDC, but the ledger has nothing %s", r.State, money.MicroUSDC(r.Claimed), ledger)
		default:
			d.Detail = fmt.Sprintf("%s with %s USDC, but the ledger has %s %s", r.State, money.MicroUSDC(r.Claimed), money.MicroUSDC(r.Booked), ledger)
		}
		out = append(out, d)
	}
	return out, nil
}

// Audited is the result of [Auditor.Chain].
type Audited struct {
	// Claims counts the checked claims by network; Elsewhere counts those on networks without a node, which cannot be checked.
	Claims, Elsewhere map[string]int
	Differences       []Difference
}

// Chain checks every claim made since a time against the chains. A claim that counts as paid must have been paid to us
// by the recorded transaction, and any other claim must not have been paid. Likewise, a claim that counts as refunded
// must have been paid back, and one with a refund due must not. Claims younger than a quarter of an hour may still be in
// progress and count as unfinished, not as different.
func (a *Auditor) Chain(ctx context.Context, since time.Time) (Audited, error) {
	out := Audited{Claims: map[string]int{}, Elsewhere: map[string]int{}}
	if err := a.chains.Check(ctx); err != nil {
		return out, err
	}
	page := db.ListClaimsToAuditParams{Since: since, AfterTime: since.Add(-time.Second), AfterID: uuid.Nil, RowLimit: auditPage}
	for {
		rows, err := a.q.ListClaimsToAudit(ctx, page)
		if err != nil {
			return out, fmt.Errorf("listing claims: %w", err)
		}
		for i := range rows {
			r := &rows[i]
			page.AfterTime, page.AfterID = r.CreatedAt, r.ID
			chain, err := a.chains.Open(ctx, r.Network, r.Asset, r.Payment)
			if errors.Is(err, evm.ErrNoNode) {
				out.Elsewhere[r.Network]++
				continue
			}
			var details []string
			if err == nil {
				out.Claims[r.Network]++
				details, err = a.onChain(ctx, chain, r)
			}
			if err != nil {
				return out, fmt.Errorf("claim %s: %w", r.ID, err)
			}
			for _, detail := range details {
				out.Differences = append(out.Differences, Difference{Claim: r.ID.String(), Detail: detail})
			}
		}
		if len(rows) < auditPage {
			return out, nil
		}
	}
}

// onChain lists how a claim differs from the chain; nothing if it agrees.
func (a *Auditor) onChain(ctx context.Context, chain *evm.Watcher, r *db.ListClaimsToAuditRow) ([]string, error) {
	payment, err := a.paymentOnChain(ctx, chain, r)
	if err != nil {
		return nil, err
	}
	refund, err := a.refundOnChain(ctx, chain, r)
	return slices.DeleteFunc([]string{payment, refund}, func(s string) bool { return s == "" }), err
}

func (a *Auditor) paymentOnChain(ctx context.Context, chain *evm.Watcher, r *db.ListClaimsToAuditRow) (string, error) {
	p, req, err := storedPayment(chain, r)
	if err != nil {
		return "", err
	}
	if claims.State(r.State).Paid() {
		return paidOnChain(ctx, chain, r, p, req)
	}
	settlement, err := chain.Lookup(ctx, p, req, r.CreatedAt)
	if err != nil {
		return "", err
	}
	switch settlement.Outcome {
	case x402.OutcomePaid:
		if !claims.State(r.State).Terminal() && a.now().Sub(r.CreatedAt) < auditSettledBy {
			return "", nil // recovery, or the request itself, is about to record it
		}
		return fmt.Sprintf("is %s, but transaction %s has paid it to us", r.State, settlement.Transaction), nil
	case x402.OutcomeUnclear, x402.OutcomeUnsure:
		return fmt.Sprintf("is %s, and the state of its authorisation is not known: %v", r.State, settlement.Doubt), nil
	case x402.OutcomeUnused, x402.OutcomeSpent:
	}
	return "", nil
}

// storedPayment reads a claim's payment and the requirements that it had to meet.
func storedPayment(chain *evm.Watcher, r *db.ListClaimsToAuditRow) (*x402.Payment, *x402.Requirements, error) {
	p, refusal := x402.ParsePayload(int(r.Version), string(r.Payment))
	if refusal != nil {
		return nil, nil, fmt.Errorf("reading the stored payment: %w", refusal)
	}
	payTo, ok := x402.ParseAddress(r.PayTo)
	if !ok {
		return nil, nil, fmt.Errorf("stored recipient %q is not an address", r.PayTo)
	}
	return p, &x402.Requirements{Network: chain.Network(), PayTo: payTo, Amount: r.Amount}, nil
}

func paidOnChain(ctx context.Context, chain *evm.Watcher, r *db.ListClaimsToAuditRow, p *x402.Payment, req *x402.Requirements) (string, error) {
	receipt, gone, err := chain.AgreedReceipt(ctx, common.HexToHash(r.Transaction))
	switch {
	case err != nil:
		return "", err
	case gone:
		return fmt.Sprintf("is %s by transaction %s, which is not on the chain", r.State, r.Transaction), nil
	case receipt == nil:
		return fmt.Sprintf("is %s by transaction %s, which is not confirmed yet, or about which the nodes disagree", r.State, r.Transaction), nil
	case !chain.Pays(receipt, p, req):
		return fmt.Sprintf("is %s by transaction %s, which does not pay %s USDC to %s", r.State, r.Transaction, req.Amount, req.PayTo.Hex()), nil
	}
	return "", nil
}

// refundOnChain compares a claim's refund with the chain.
func (a *Auditor) refundOnChain(ctx context.Context, chain *evm.Watcher, r *db.ListClaimsToAuditRow) (string, error) {
	state := claims.State(r.State)
	if state != claims.StateRefundDue && state != claims.StateRefunded {
		return "", nil
	}
	if state == claims.StateRefunded {
		return refundedOnChain(ctx, chain, r)
	}
	seen, err := lookup(ctx, chain, db.ListRefundsDueRow{
		ID: r.ID, Payer: r.Payer, PayTo: r.PayTo, Amount: r.Amount, CreatedAt: r.CreatedAt,
		RefundFrom: r.RefundFrom, RefundBegunAt: r.RefundBegunAt, RefundLapsesAt: r.RefundLapsesAt,
	})
	if err != nil || seen.Outcome != x402.OutcomePaid {
		return "", err
	}
	return fmt.Sprintf("is refund_due, but transaction %s has refunded it: run `turnpike payments refunds pay` again to record it",
		seen.Transfer.Transaction.Hex()), nil
}

func refundedOnChain(ctx context.Context, chain *evm.Watcher, r *db.ListClaimsToAuditRow) (string, error) {
	payer, ok := x402.ParseAddress(r.Payer)
	if !ok {
		return "", fmt.Errorf("stored payer %q is not an address", r.Payer)
	}
	amount := r.Amount
	if r.RefundTransaction == nil || r.RefundLog == nil || r.RefundFrom == nil {
		return "is refunded, but has no refund transaction", nil
	}
	receipt, gone, err := chain.AgreedReceipt(ctx, common.HexToHash(*r.RefundTransaction))
	switch {
	case err != nil:
		return "", err
	case gone:
		return fmt.Sprintf("is refunded by transaction %s, which is not on the chain", *r.RefundTransaction), nil
	case receipt == nil:
		return fmt.Sprintf("is refunded by transaction %s, which is not confirmed yet, or about which the nodes disagree",
			*r.RefundTransaction), nil
	}
	for _, t := range chain.TransfersOf(receipt) {
		isThat := int64(t.Log) == *r.RefundLog && t.From.Hex() == *r.RefundFrom //nolint:gosec // an index within a block
		if isThat && t.Is(payer, amount) && receipt.Status == types.ReceiptStatusSuccessful {
			return "", nil
		}
	}
	return fmt.Sprintf("is refunded by transaction %s, which does not pay %s USDC to %s", *r.RefundTransaction, amount, r.Payer), nil
}
