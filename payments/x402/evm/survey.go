package evm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"
)

// Survey is what the nodes agree on about accounts and transactions.
type Survey struct {
	Newest *Head
	Tip    *big.Int // nil if it is not known
	// Counts are how many transactions of each account are mined, as a majority of the nodes has them; All are those
	// that every node has, and 0 if one has not answered.
	Counts, All map[common.Address]uint64
	// Transactions are in the order in which they were asked for.
	Transactions []TransactionStatus
}

// TransactionStatus is what the nodes agree on about a transaction. If it has no field set, it is not mined.
type TransactionStatus struct {
	Mined   *Mined // with all its confirmations
	Failed  error  // why its receipt could not be read
	Waiting bool   // for confirmations, or for the nodes to agree
}

// glance is one node's answer to a survey.
type glance struct {
	newest   *Head
	tip      *big.Int
	counts   []uint64
	receipts []*Mined
	failed   []error // of the receipts
}

// Survey asks all nodes for the transaction counts of accounts and the receipts of transactions. The timeout is for each
// request.
func (c *Watcher) Survey(ctx context.Context, accounts []common.Address, transactions []common.Hash, timeout time.Duration) (*Survey, error) {
	accounts = distinct(accounts)
	answers := askEach(ctx, c.rpc, func(ctx context.Context, node RPC) (*glance, error) {
		return glanceAt(ctx, node, accounts, transactions, timeout)
	})
	glances, failed := sorted(answers)
	if len(glances) < majority(len(answers)) {
		return nil, failed
	}
	return c.combine(accounts, transactions, glances, len(answers)), nil
}

func distinct(accounts []common.Address) (out []common.Address) {
	for _, a := range accounts {
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// glanceAt asks one node. It reads counts before receipts: a used nonce has its receipt by then. It reads the newest
// block last, so that it is not older than a receipt's block.
func glanceAt(ctx context.Context, node RPC, accounts []common.Address, transactions []common.Hash, timeout time.Duration) (*glance, error) {
	n, last := len(accounts), len(accounts)+len(transactions)
	g := &glance{counts: make([]uint64, n), receipts: make([]*Mined, len(transactions)), failed: make([]error, len(transactions))}
	counts := make([]hexutil.Uint64, n)
	var tip hexutil.Big
	var batch []rpc.BatchElem
	for i, account := range accounts {
		batch = append(batch, rpc.BatchElem{Method: "eth_getTransactionCount", Args: []any{account, blockLatest}, Result: &counts[i]})
	}
	for i, hash := range transactions {
		batch = append(batch, rpc.BatchElem{Method: "eth_getTransactionReceipt", Args: []any{hash}, Result: &g.receipts[i]})
	}
	batch = append(batch, Tip(&tip), Newest(&g.newest))
	if err := CallAll(ctx, node, batch, timeout); err != nil {
		return nil, err
	}
	receipts, rest := batch[n:last], batch[last:]
	for _, elem := range append(slices.Clip(batch[:n]), rest[1]) {
		if elem.Error != nil {
			return nil, fmt.Errorf("%s: %w", elem.Method, elem.Error)
		}
	}
	if g.newest == nil {
		return nil, errors.New("the node returned no latest block")
	}
	for i := range counts {
		g.counts[i] = uint64(counts[i])
	}
	for i, elem := range receipts {
		if elem.Error != nil { // only this receipt is unknown, not the others
			g.receipts[i], g.failed[i] = nil, fmt.Errorf("reading a receipt: %w", elem.Error)
		}
	}
	if rest[0].Error == nil { // only a replacement needs it
		g.tip = tip.ToInt()
	}
	return g, nil
}

// combine determines what the nodes agree on; of is the number of configured nodes.
func (c *Watcher) combine(accounts []common.Address, transactions []common.Hash, glances []*glance, of int) *Survey {
	s := &Survey{
		Newest: glances[0].newest, Tip: glances[0].tip, Counts: map[common.Address]uint64{}, All: map[common.Address]uint64{},
		Transactions: make([]TransactionStatus, len(transactions)),
	}
	for i, account := range accounts {
		counts := make([]uint64, of) // 0 for nodes that have not answered
		for j, g := range glances {
			counts[j] = g.counts[i]
		}
		slices.SortFunc(counts, func(a, b uint64) int { return cmp.Compare(b, a) })
		s.Counts[account], s.All[account] = counts[majority(of)-1], counts[of-1]
	}
	for i := range transactions {
		s.Transactions[i] = c.agreedStatus(glances, i, of)
	}
	return s
}

func (c *Watcher) agreedStatus(glances []*glance, i, of int) TransactionStatus {
	var votes []vote
	var receipts []*Mined
	var failed error
	inBlock := 0
	for _, g := range glances {
		if g.failed[i] != nil {
			failed = g.failed[i]
			continue
		}
		one := vote{newest: uint64(g.newest.Number)}
		if g.receipts[i] != nil {
			one.receipt = &g.receipts[i].Receipt
			inBlock++
		}
		votes, receipts = append(votes, one), append(receipts, g.receipts[i])
	}
	at, _ := c.agreed(votes, of)
	switch {
	case at >= 0:
		return TransactionStatus{Mined: receipts[at]}
	case len(votes) < majority(of):
		return TransactionStatus{Failed: failed}
	}
	return TransactionStatus{Waiting: inBlock >= majority(of)}
}
