package refunds

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// payee is an account that receives payments in one token.
type payee struct {
	db.ListPaidAccountsRow

	chain   *evm.Watcher
	address common.Address
}

// payee returns an account with a watcher for its token, or ErrNoNode.
func (a *Auditor) payee(row db.ListPaidAccountsRow) (*payee, error) {
	address, addressOK := x402.ParseAddress(row.PayTo)
	asset, assetOK := x402.ParseAddress(row.Asset)
	if !addressOK || !assetOK {
		return nil, fmt.Errorf("stored account %q or asset %q is not an address", row.PayTo, row.Asset)
	}
	chain, err := a.chains.Unchecked(row.Network, asset)
	if err != nil {
		return nil, err
	}
	return &payee{row, chain, address}, nil
}

// found is a claim's payment on the chain.
type found struct {
	claim       uuid.UUID
	block       uint64
	transaction string
}

// Unmatched is a transfer by an authorisation that no claim explains: one to our account, or a refund that is not
// recorded.
type Unmatched struct {
	// Network is the CAIP-2 identifier; Log is the transfer's index in its block.
	Network, Transaction string
	Log                  int64
	// Out says that it refunds Claim. Otherwise Claim is the unpaid claim with the same authorisation, if there is one.
	Out   bool
	Claim string
	State claims.State
	// PayTo is our account, Payer the other one; both are EIP-55 addresses.
	PayTo, Payer string
	Nonce        [32]byte
	Amount       money.MicroUSDC
	// ResolvedBy and Resolution come from the person who has resolved it.
	ResolvedBy, Resolution string

	block     uint64
	claimedAt time.Time
}

// unfinished reports whether the claim may still be in progress: a payment is on the chain before it is recorded.
func (u *Unmatched) unfinished(now time.Time) bool {
	return !u.Out && u.Claim != "" && !u.State.Terminal() && now.Sub(u.claimedAt) < auditSettledBy
}

// String says what is wrong with the transfer.
func (u *Unmatched) String() string {
	nonce := hexutil.Encode(u.Nonce[:])
	switch {
	case u.Out:
		return fmt.Sprintf("has refunded claim %s with %s USDC to %s, but the claim is %s", u.Claim, u.Amount, u.Payer, u.State)
	case u.Claim != "":
		return fmt.Sprintf("has paid claim %s with %s USDC, but the claim is %s", u.Claim, u.Amount, u.State)
	}
	return fmt.Sprintf("has paid %s USDC from %s to %s by authorisation %s, which matches no claim", u.Amount, u.Payer, u.PayTo, nonce)
}

// matched is what explains a page's transfers.
type matched struct {
	claims    []found
	unmatched []Unmatched
	// plain are transfers to the account that no authorisation made. others are transfers from it by an authorisation
	// that is no refund.
	plain, others int
	plainSum      *big.Int
}

// match compares a page with the claims.
func (a *Auditor) match(ctx context.Context, p *payee, read evm.Page) (*matched, error) {
	m := &matched{plainSum: new(big.Int)}
	var transactions []string
	for i := range read.In {
		transactions = append(transactions, read.In[i].TxHash.Hex())
	}
	rows, err := a.q.ListClaimsOfTransactions(ctx, db.ListClaimsOfTransactionsParams{
		Network: p.Network, Asset: p.Asset, PayTo: p.PayTo, Transactions: append([]string{}, transactions...),
	})
	if err != nil {
		return nil, fmt.Errorf("looking for the claims of transfers: %w", err)
	}
	for i := range read.In {
		t, ok := p.chain.TransferOf(&read.In[i])
		if !ok {
			continue
		}
		at := slices.IndexFunc(rows, func(c db.ListClaimsOfTransactionsRow) bool {
			return c.Transaction == t.Transaction.Hex() && c.Payer == t.From.Hex() && t.Amount.Cmp(big.NewInt(int64(c.Amount))) == 0
		})
		if at >= 0 {
			m.claims = append(m.claims, found{rows[at].ID, read.In[i].BlockNumber, t.Transaction.Hex()})
			rows = slices.Delete(rows, at, at+1) // one transfer pays one claim
			continue
		}
		if err := a.matchIn(ctx, p, m, &t, read.In[i].BlockNumber); err != nil {
			return nil, err
		}
	}
	for i := range read.Out {
		if err := a.matchOut(ctx, p, m, &read.Out[i]); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// matchIn explains an incoming transfer whose transaction is not recorded, by the authorisation that made it.
func (a *Auditor) matchIn(ctx context.Context, p *payee, m *matched, t *evm.Transfer, block uint64) error {
	receipt, err := p.chain.Succeeded(ctx, t.Transaction)
	if err != nil {
		return err
	}
	nonce, ok := p.chain.AuthorizationOf(receipt, t)
	if !ok || !t.Amount.IsInt64() {
		m.plain++
		m.plainSum.Add(m.plainSum, t.Amount)
		return nil
	}
	u := Unmatched{
		Network: p.Network, Transaction: t.Transaction.Hex(), Log: int64(t.Log), PayTo: p.PayTo, //nolint:gosec // a place in a block
		Payer: t.From.Hex(), Nonce: nonce, Amount: money.MicroUSDC(t.Amount.Int64()), block: block,
	}
	row, err := a.q.PaymentClaim(ctx, db.PaymentClaimParams{Network: p.Network, Asset: p.Asset, Payer: u.Payer, Nonce: nonce[:]})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
	case err != nil:
		return fmt.Errorf("looking for the claim of a transfer: %w", err)
	case claims.State(row.State).Paid():
		m.claims = append(m.claims, found{row.ID, block, u.Transaction})
		return nil
	default:
		u.Claim, u.State, u.claimedAt = row.ID.String(), claims.State(row.State), row.CreatedAt
	}
	m.unmatched = append(m.unmatched, u)
	return nil
}

// matchOut explains a used authorisation of our account: it is a claim's refund, or it does not concern us.
func (a *Auditor) matchOut(ctx context.Context, p *payee, m *matched, used *types.Log) error {
	if len(used.Topics) != 3 {
		return nil
	}
	receipt, err := p.chain.Succeeded(ctx, used.TxHash)
	if err != nil {
		return err
	}
	nonce := [32]byte(used.Topics[2])
	t, ok := p.chain.TransferBy(receipt, p.address, nonce)
	if !ok || !t.Amount.IsInt64() {
		m.others++
		return nil
	}
	rows, err := a.q.ListClaimsOfPayer(ctx, db.ListClaimsOfPayerParams{
		Network: p.Network, Asset: p.Asset, Payer: t.To.Hex(), Amount: money.MicroUSDC(t.Amount.Int64()),
	})
	if err != nil {
		return fmt.Errorf("looking for the claim of a refund: %w", err)
	}
	at := slices.IndexFunc(rows, func(c db.ListClaimsOfPayerRow) bool { return nonceOf(c.ID) == nonce })
	if at < 0 {
		m.others++
		return nil
	}
	if c := rows[at]; c.RefundTransaction == nil || *c.RefundTransaction != t.Transaction.Hex() {
		m.unmatched = append(m.unmatched, Unmatched{
			Network: p.Network, Transaction: t.Transaction.Hex(), Log: int64(t.Log), Out: true, PayTo: p.PayTo, Payer: t.To.Hex(), //nolint:gosec // a place in a block
			Nonce: nonce, Amount: money.MicroUSDC(t.Amount.Int64()), Claim: c.ID.String(), State: claims.State(c.State), block: used.BlockNumber,
		})
	}
	return nil
}
