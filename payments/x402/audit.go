package x402

import (
	"context"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// Difference is a claim that does not agree with the ledger or the chain.
type Difference struct {
	// Claim's id, as the ledger has it.
	Claim  string
	Detail string
}

// Auditor holds claims against what else knows of the money: the ledger and the
// chain. It only reads.
type Auditor struct {
	q     *db.Queries
	chain *ChainWatcher
	now   func() time.Time
}

// NewAuditor returns an auditor of the claims in a database. node may be nil: then
// only the ledger is compared.
func NewAuditor(conn db.DBTX, node RPC, network Network, now func() time.Time) *Auditor {
	a := &Auditor{q: db.New(conn), now: now}
	if node != nil {
		a.chain = NewChainWatcher(node, network)
	}
	return a
}

const (
	// auditPage is how many claims are read at a time.
	auditPage = 500
	// auditSettledBy is how old a claim must be to be taken for finished: recovery
	// has had its time.
	auditSettledBy = 15 * time.Minute
)

// Ledger compares every paid claim with its transfer, and every transfer with its claim.
func (a *Auditor) Ledger(ctx context.Context) ([]Difference, error) {
	rows, err := a.q.ListClaimsOutOfLedger(ctx)
	if err != nil {
		return nil, fmt.Errorf("comparing claims with the ledger: %w", err)
	}
	out := make([]Difference, 0, len(rows))
	for _, r := range rows {
		d := Difference{Claim: r.ClaimID}
		switch {
		case r.State == "":
			d.Detail = fmt.Sprintf("the ledger has %s USDC for it, and no paid claim has this id", money.MicroUSDC(r.Booked))
		case r.Booked == 0:
			d.Detail = fmt.Sprintf("%s with %s USDC, and the ledger has nothing for it", r.State, money.MicroUSDC(r.Claimed))
		default:
			d.Detail = fmt.Sprintf("%s with %s USDC, the ledger has %s", r.State, money.MicroUSDC(r.Claimed), money.MicroUSDC(r.Booked))
		}
		out = append(out, d)
	}
	return out, nil
}

// Audited is what [Auditor.Chain] has looked at.
type Audited struct {
	// Claims on the auditor's network and asset, and how many there were on others,
	// which it cannot see.
	Claims, Elsewhere int
	Differences       []Difference
}

// Chain asks the chain about every claim made since: what counts as paid must have
// been paid to us by the transaction that is recorded, and what does not, must not.
// Claims younger than a quarter of an hour may still be on their way and count as
// unfinished, not as different.
func (a *Auditor) Chain(ctx context.Context, since time.Time) (Audited, error) {
	var out Audited
	if err := a.chain.checkDomain(ctx); err != nil {
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
			if r.Network != a.chain.network.ID() || r.Asset != a.chain.network.Asset.Hex() {
				out.Elsewhere++
				continue
			}
			out.Claims++
			detail, err := a.onChain(ctx, r)
			if err != nil {
				return out, fmt.Errorf("claim %s: %w", r.ID, err)
			}
			if detail != "" {
				out.Differences = append(out.Differences, Difference{Claim: r.ID.String(), Detail: detail})
			}
		}
		if len(rows) < auditPage {
			return out, nil
		}
	}
}

// onChain says how a claim differs from the chain; empty if it does not.
func (a *Auditor) onChain(ctx context.Context, r *db.ListClaimsToAuditRow) (string, error) {
	p, refusal := parsePayload(int(r.Version), r.Payment)
	if refusal != nil {
		return "", fmt.Errorf("reading the stored payment: %w", refusal)
	}
	payTo, ok := parseAddress(r.PayTo)
	if !ok {
		return "", fmt.Errorf("stored recipient %q is not an address", r.PayTo)
	}
	req := &Requirements{Network: a.chain.network, PayTo: payTo, Amount: money.MicroUSDC(r.Amount)}
	if State(r.State).paid() {
		return a.paidOnChain(ctx, r, p, req)
	}
	sighting, err := a.chain.Lookup(ctx, p, req, r.CreatedAt)
	if err != nil {
		return "", err
	}
	switch sighting.Fate {
	case FatePaid:
		if !State(r.State).terminal() && a.now().Sub(r.CreatedAt) < auditSettledBy {
			return "", nil // recovery, or the request itself, is about to write it down
		}
		return fmt.Sprintf("is %s, and transaction %s has paid it to us", r.State, sighting.Transaction), nil
	case FateUnclear:
		return fmt.Sprintf("is %s, and its authorisation was used by a transaction that was not found", r.State), nil
	case FateUnused, FateSpent:
	}
	return "", nil
}

func (a *Auditor) paidOnChain(ctx context.Context, r *db.ListClaimsToAuditRow, p *Payment, req *Requirements) (string, error) {
	receipt, err := a.chain.receipt(ctx, common.HexToHash(r.Transaction))
	switch {
	case err != nil:
		return "", err
	case receipt == nil:
		return fmt.Sprintf("is %s by transaction %s, which the chain does not have", r.State, r.Transaction), nil
	case !a.chain.pays(receipt, p, req):
		return fmt.Sprintf("is %s by transaction %s, which does not pay %s USDC to %s", r.State, r.Transaction, req.Amount, req.PayTo.Hex()), nil
	}
	return "", nil
}
