package gate

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
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

const (
	blockFinalized = "finalized"
	// finalDepth is how deep a block must be to count as final on nodes that do not know final blocks.
	finalDepth = 512
)

// payee is an account that receives payments in one token.
type payee struct {
	db.ListPaidAccountsRow

	chain   *ChainWatcher
	address common.Address
}

// payee returns an account with a watcher for its token, or ErrNoNode. It does not check the token's domain, since
// nothing is signed.
func (c *Chains) payee(row db.ListPaidAccountsRow) (*payee, error) {
	var network x402.Network
	if _, err := fmt.Sscanf(row.Network, "eip155:%d", &network.ChainID); err != nil || network.ID() != row.Network {
		return nil, fmt.Errorf("stored network %q is not an id such as eip155:8453", row.Network)
	}
	address, addressOK := x402.ParseAddress(row.PayTo)
	asset, assetOK := x402.ParseAddress(row.Asset)
	if !addressOK || !assetOK {
		return nil, fmt.Errorf("stored account %q or asset %q is not an address", row.PayTo, row.Asset)
	}
	network.Asset = asset
	node := c.nodes[network.ChainID]
	if node == nil {
		return nil, fmt.Errorf("%s: %w", row.Network, ErrNoNode)
	}
	return &payee{row, NewChainWatcher(node, network), address}, nil
}

// finalBlock returns the newest final block. With several nodes, it is that of the node furthest behind.
func (c *ChainWatcher) finalBlock(ctx context.Context) (head, error) {
	answers := askEach(ctx, c.rpc, func(ctx context.Context, node RPC) (head, error) {
		at := c.at(node)
		var final *head
		err := node.CallContext(ctx, &final, "eth_getBlockByNumber", blockFinalized, false)
		var refused rpc.Error
		if err != nil && !errors.As(err, &refused) {
			return head{}, fmt.Errorf("reading the final block: %w", err)
		}
		if err == nil && final != nil {
			return *final, nil
		}
		newest, err := at.block(ctx, blockLatest)
		if err != nil {
			return head{}, err
		}
		number := uint64(newest.Number)
		return at.block(ctx, hexutil.EncodeUint64(number-min(number, finalDepth)))
	})
	return c.furthestBehind(answers)
}

// confirmedBlock returns the newest confirmed block, also of the node furthest behind.
func (c *ChainWatcher) confirmedBlock(ctx context.Context) (head, error) {
	answers := askEach(ctx, c.rpc, func(ctx context.Context, node RPC) (head, error) {
		at := c.at(node)
		newest, err := at.block(ctx, blockLatest)
		if err != nil {
			return head{}, err
		}
		return c.confirmedAt(ctx, at, newest)
	})
	return c.furthestBehind(answers)
}

func (c *ChainWatcher) furthestBehind(answers []nodeAnswer[head]) (head, error) {
	heads, failed := sorted(answers)
	if len(heads) < majority(len(answers)) {
		return head{}, failed
	}
	return slices.MinFunc(heads, func(a, b head) int { return int(a.Number) - int(b.Number) }), nil //nolint:gosec // far below
}

// page is what happened to an account in a range of blocks.
type page struct {
	in  []types.Log // the token's transfers to it
	out []types.Log // its used authorisations
}

// page reads a range of blocks. All nodes that answer must agree: a transfer that one node leaves out would never be
// seen.
func (p *payee) page(ctx context.Context, from, to uint64) (page, error) {
	filter := func(topics ...any) map[string]any {
		return map[string]any{
			"address": p.chain.network.Asset, "fromBlock": hexutil.EncodeUint64(from), "toBlock": hexutil.EncodeUint64(to), "topics": topics,
		}
	}
	account := common.BytesToHash(p.address[:])
	answers := askEach(ctx, p.chain.rpc, func(ctx context.Context, node RPC) (page, error) {
		var said page
		batch := []rpc.BatchElem{
			{Method: "eth_getLogs", Args: []any{filter(topicTransfer, nil, account)}, Result: &said.in},
			{Method: "eth_getLogs", Args: []any{filter(topicAuthorizationUsed, account)}, Result: &said.out},
		}
		if err := node.BatchCallContext(ctx, batch); err != nil {
			return page{}, fmt.Errorf("reading transfers: %w", err)
		}
		for _, elem := range batch {
			if elem.Error != nil {
				return page{}, fmt.Errorf("reading transfers: %w", elem.Error)
			}
		}
		return said, nil
	})
	pages, failed := sorted(answers)
	if len(pages) < majority(len(answers)) {
		return page{}, failed
	}
	for _, other := range pages[1:] {
		if !slices.EqualFunc(other.in, pages[0].in, sameLog) || !slices.EqualFunc(other.out, pages[0].out, sameLog) {
			return page{}, fmt.Errorf("the nodes disagree about the transfers of %s in blocks %d to %d", p.PayTo, from, to)
		}
	}
	return pages[0], nil
}

func sameLog(a, b types.Log) bool {
	return a.TxHash == b.TxHash && a.Index == b.Index && slices.Equal(a.Topics, b.Topics) && slices.Equal(a.Data, b.Data)
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
func (a *Auditor) match(ctx context.Context, p *payee, read page) (*matched, error) {
	m := &matched{plainSum: new(big.Int)}
	var transactions []string
	for i := range read.in {
		transactions = append(transactions, read.in[i].TxHash.Hex())
	}
	rows, err := a.q.ListClaimsOfTransactions(ctx, db.ListClaimsOfTransactionsParams{
		Network: p.Network, Asset: p.Asset, PayTo: p.PayTo, Transactions: append([]string{}, transactions...),
	})
	if err != nil {
		return nil, fmt.Errorf("looking for the claims of transfers: %w", err)
	}
	for i := range read.in {
		t, ok := p.chain.transferOf(&read.in[i])
		if !ok {
			continue
		}
		at := slices.IndexFunc(rows, func(c db.ListClaimsOfTransactionsRow) bool {
			return c.Transaction == t.transaction.Hex() && c.Payer == t.from.Hex() && t.amount.Cmp(big.NewInt(c.Amount)) == 0
		})
		if at >= 0 {
			m.claims = append(m.claims, found{rows[at].ID, read.in[i].BlockNumber, t.transaction.Hex()})
			rows = slices.Delete(rows, at, at+1) // one transfer pays one claim
			continue
		}
		if err := a.matchIn(ctx, p, m, &t, read.in[i].BlockNumber); err != nil {
			return nil, err
		}
	}
	for i := range read.out {
		if err := a.matchOut(ctx, p, m, &read.out[i]); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// matchIn explains an incoming transfer whose transaction is not recorded, by the authorisation that made it.
func (a *Auditor) matchIn(ctx context.Context, p *payee, m *matched, t *transfer, block uint64) error {
	receipt, err := p.chain.succeeded(ctx, t.transaction)
	if err != nil {
		return err
	}
	nonce, ok := p.chain.authorizationOf(receipt, t)
	if !ok || !t.amount.IsInt64() {
		m.plain++
		m.plainSum.Add(m.plainSum, t.amount)
		return nil
	}
	u := Unmatched{
		Network: p.Network, Transaction: t.transaction.Hex(), Log: int64(t.log), PayTo: p.PayTo, //nolint:gosec // a place in a block
		Payer: t.from.Hex(), Nonce: nonce, Amount: money.MicroUSDC(t.amount.Int64()), block: block,
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

// authorizationOf returns the nonce of the authorisation that made a transfer. Its use is the token's event just
// before.
func (c *chainReader) authorizationOf(receipt *types.Receipt, t *transfer) (nonce [32]byte, ok bool) {
	var before *types.Log
	for _, log := range receipt.Logs {
		if log.Address != c.network.Asset {
			continue
		}
		if log.Index == t.log {
			break
		}
		before = log
	}
	if before == nil || len(before.Topics) != 3 || before.Topics[0] != topicAuthorizationUsed || before.Topics[1] != common.BytesToHash(t.from[:]) {
		return nonce, false
	}
	return before.Topics[2], true
}

// matchOut explains a used authorisation of our account: it is a claim's refund, or it does not concern us.
func (a *Auditor) matchOut(ctx context.Context, p *payee, m *matched, used *types.Log) error {
	if len(used.Topics) != 3 {
		return nil
	}
	receipt, err := p.chain.succeeded(ctx, used.TxHash)
	if err != nil {
		return err
	}
	nonce := [32]byte(used.Topics[2])
	t, ok := p.chain.transferBy(receipt, p.address, nonce)
	if !ok || !t.amount.IsInt64() {
		m.others++
		return nil
	}
	rows, err := a.q.ListClaimsOfPayer(ctx, db.ListClaimsOfPayerParams{
		Network: p.Network, Asset: p.Asset, Payer: t.to.Hex(), Amount: t.amount.Int64(),
	})
	if err != nil {
		return fmt.Errorf("looking for the claim of a refund: %w", err)
	}
	at := slices.IndexFunc(rows, func(c db.ListClaimsOfPayerRow) bool { return refundNonce(c.ID) == nonce })
	if at < 0 {
		m.others++
		return nil
	}
	if c := rows[at]; c.RefundTransaction == nil || *c.RefundTransaction != t.transaction.Hex() {
		m.unmatched = append(m.unmatched, Unmatched{
			Network: p.Network, Transaction: t.transaction.Hex(), Log: int64(t.log), Out: true, PayTo: p.PayTo, Payer: t.to.Hex(), //nolint:gosec // a place in a block
			Nonce: nonce, Amount: money.MicroUSDC(t.amount.Int64()), Claim: c.ID.String(), State: claims.State(c.State), block: used.BlockNumber,
		})
	}
	return nil
}
