package main

import (
	"context"
	"fmt"
	"math/big"
	"net/http"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

var (
	topicTransfer = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))
	topicUsed     = crypto.Keccak256Hash([]byte("AuthorizationUsed(address,bytes32)"))
)

// settlement is a payment as the chain knows it.
type settlement struct {
	tx    common.Hash
	to    common.Address
	units uint64
	times int
}

// settlements reads every use of an authorisation from the chain, and what moved with it.
func (p *place) settlements(ctx context.Context) (map[paymentKey]*settlement, error) {
	logs, err := p.chain.Client().FilterLogs(ctx, ethereum.FilterQuery{
		FromBlock: new(big.Int), Addresses: []common.Address{p.chain.Token()}, Topics: [][]common.Hash{{topicTransfer, topicUsed}},
	})
	if err != nil {
		return nil, fmt.Errorf("reading the token's events: %w", err)
	}
	moved := make(map[common.Hash]*types.Log)
	for i := range logs {
		if logs[i].Topics[0] == topicTransfer {
			moved[logs[i].TxHash] = &logs[i]
		}
	}
	found := make(map[paymentKey]*settlement)
	for i := range logs {
		if logs[i].Topics[0] != topicUsed {
			continue
		}
		key := paymentKey{common.BytesToAddress(logs[i].Topics[1].Bytes()), logs[i].Topics[2]}
		s := found[key]
		if s == nil {
			s = &settlement{tx: logs[i].TxHash}
			found[key] = s
		}
		s.times++
		if log := moved[s.tx]; log != nil {
			s.to, s.units = common.BytesToAddress(log.Topics[2].Bytes()), new(big.Int).SetBytes(log.Data).Uint64()
		}
	}
	return found, nil
}

// ledger of x402: what the claims and the transfers say.
type claimBooks struct {
	claims    map[paymentKey]*db.ListClaimEndsRow
	transfers map[string]int64 // by claim
}

func readClaims(ctx context.Context, pool *pgxpool.Pool) (*claimBooks, error) {
	q := db.New(pool)
	rows, err := q.ListClaimEnds(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the claims: %w", err)
	}
	transfers, err := q.ListClaimTransfers(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the transfers: %w", err)
	}
	books := &claimBooks{claims: make(map[paymentKey]*db.ListClaimEndsRow), transfers: make(map[string]int64)}
	for i := range rows {
		books.claims[paymentKey{common.HexToAddress(rows[i].Payer), common.BytesToHash(rows[i].Nonce)}] = &rows[i]
	}
	for _, t := range transfers {
		books.transfers[t.ClaimID] += t.Amount
	}
	return books, nil
}

// auditPayments holds each payment's last answer against its claim, the ledger and the chain.
func (f *findings) auditPayments(ctx context.Context, pool *pgxpool.Pool, p *place, jobs map[string]*work) error {
	chain, err := p.settlements(ctx)
	if err != nil {
		return err
	}
	books, err := readClaims(ctx, pool)
	if err != nil {
		return err
	}
	known := make(map[paymentKey]bool)
	for _, b := range f.load.payments {
		known[b.paymentKey] = true
		f.resent += max(0, b.sent-1)
		f.checkPayment(b, books.claims[b.paymentKey], chain[b.paymentKey], jobs)
	}
	for key, s := range chain {
		if !known[key] || s.times != 1 || s.units != priceUnits || s.to != payTo {
			f.violatef("transaction %s: moved %d to %s by an authorisation used %d times, ours: %t", s.tx, s.units, s.to, s.times, known[key])
		}
	}
	for key, c := range books.claims {
		f.checkClaim(c, chain[key], books.transfers[c.ID.String()])
	}
	earned, err := p.chain.Balance(ctx, payTo)
	if err != nil {
		return err
	}
	if want := uint64(len(chain)) * priceUnits; earned != want || len(books.transfers) != len(chain) {
		f.violatef("earned %d on the chain, want %d for %d settlements, of which the ledger has %d", earned, want, len(chain), len(books.transfers))
	}
	return nil
}

// checkClaim: money has moved exactly where the claim says so, and the ledger with it.
func (f *findings) checkClaim(c *db.ListClaimEndsRow, s *settlement, transferred int64) {
	paid := false
	switch x402.State(c.State) {
	case x402.StateSettled:
		paid = true
		f.settled++
	case x402.StateRefundDue:
		paid = true
		f.refunds++
	case x402.StateFailed, x402.StateReleased, x402.StateAbandoned:
	case x402.StateClaimed, x402.StateServed, x402.StateSettling, x402.StateUnknown, x402.StateRefunded:
		f.violatef("claim %s is left %s", c.ID, c.State)
	default:
		f.violatef("claim %s is in the unknown state %s", c.ID, c.State)
	}
	var want int64
	if paid {
		want = priceUnits
	}
	if paid != (s != nil) || transferred != want {
		f.violatef("claim %s is %s, on the chain: %t, in the ledger: %d", c.ID, c.State, s != nil, transferred)
	}
	if paid && s != nil && common.HexToHash(c.Transaction) != s.tx {
		f.violatef("claim %s names transaction %s, the chain has %s", c.ID, c.Transaction, s.tx)
	}
}

// checkPayment: a client that was served has paid once; one that was not has paid nothing, or has a refund to come.
func (f *findings) checkPayment(b *payment, c *db.ListClaimEndsRow, s *settlement, jobs map[string]*work) {
	state := "never claimed"
	if c != nil {
		state = c.State
	}
	f.payments[fmt.Sprintf("%d %s", b.status, b.code)]++
	switch b.status {
	case http.StatusOK:
		if c == nil || x402.State(c.State) != x402.StateSettled || s == nil {
			f.violatef("payment %s was answered with 200, its claim is %s, on the chain: %t", b.nonce, state, s != nil)
			return
		}
		if b.receipt == nil || !b.receipt.Success || common.HexToHash(b.receipt.Transaction) != s.tx {
			f.violatef("payment %s: receipt %+v, the chain has %s", b.nonce, b.receipt, s.tx)
		}
		if job := jobs[b.job]; job == nil || job.payment != c.ID || job.times != 1 {
			f.violatef("payment %s was answered with %q (%+v); its claim is %s", b.nonce, b.job, job, c.ID)
		}
	case http.StatusPaymentRequired:
		if s != nil {
			f.violatef("payment %s was refused (%s), and it has moved money in %s; its claim is %s", b.nonce, b.code, s.tx, state)
		}
	case http.StatusConflict:
		if c == nil || x402.State(c.State) != x402.StateRefundDue {
			f.violatef("payment %s was answered with 409 %s, its claim is %s", b.nonce, b.code, state)
		}
	default:
		f.violatef("payment %s has no last answer: status %d after %d sendings; its claim is %s", b.nonce, b.status, b.sent, state)
	}
}
