package x402

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

const (
	// logWindow is how many blocks one eth_getLogs covers; providers refuse many.
	logWindow = 1000
	// logWindowsMax bounds a search: more than a day of Base.
	logWindowsMax = 50
	// sinceMargin is how much earlier than first seen an authorisation may have
	// been used: clocks differ.
	sinceMargin = 10 * time.Minute
)

// ChainWatcher is a [Confirmer] on a node of the network. What it calls certain
// has as many confirmations as it was told to wait for: one unless
// [ChainWatcher.WithConfirmations] says more.
type ChainWatcher struct {
	chainReader

	confirmations uint64
	poll          time.Duration
}

// NewChainWatcher returns a watcher. It does not reach out to the node: see
// [ChainWatcher.Check].
func NewChainWatcher(node RPC, network Network) *ChainWatcher {
	return &ChainWatcher{
		chainReader:   chainReader{rpc: node, network: network},
		confirmations: 1,
		poll:          500 * time.Millisecond,
	}
}

// WithConfirmations returns a watcher that takes nothing for certain before n
// blocks stand behind it, the transaction's own among them. Less than 1 is 1.
func (c *ChainWatcher) WithConfirmations(n int) *ChainWatcher {
	patient := *c
	patient.confirmations = uint64(max(n, 1)) //nolint:gosec // positive
	return &patient
}

// blockTime is how long a block takes at most on the networks that are meant: Base's.
const blockTime = 2 * time.Second

// ConfirmationTime is how much longer a settlement takes for its confirmations, which
// is the time of the blocks after its own.
func (c *ChainWatcher) ConfirmationTime() time.Duration {
	return time.Duration(c.confirmations-1) * blockTime //nolint:gosec // few
}

// Check compares node and token with the configuration.
func (c *ChainWatcher) Check(ctx context.Context) error { return c.checkDomain(ctx) }

var _ Confirmer = (*ChainWatcher)(nil)

// Lookup implements [Watcher].
func (c *ChainWatcher) Lookup(ctx context.Context, p *Payment, req *Requirements, since time.Time) (Sighting, error) {
	newest, err := c.block(ctx, blockLatest)
	if err != nil {
		return Sighting{}, err
	}
	// What is unused is so for good once it has lapsed by a block that stays.
	stays, err := c.confirmedBlock(ctx, newest)
	if err != nil {
		return Sighting{}, err
	}
	seen := Sighting{ChainTime: time.Unix(int64(stays.Timestamp), 0).UTC()} //nolint:gosec // seconds since 1970
	// At that very block: behind a load balancer "latest" may be an older one, and
	// unused then would not mean unused by ChainTime.
	var used hexutil.Bytes
	a := &p.Authorization
	state := callMsg{To: c.network.Asset, Data: pack(selAuthorizationState, addressWord(a.From), a.Nonce[:])}
	if err := c.rpc.CallContext(ctx, &used, "eth_call", state, newest.tag()); err != nil {
		return Sighting{}, fmt.Errorf("reading the authorisation's state: %w", err)
	}
	if new(big.Int).SetBytes(used).Sign() == 0 {
		return seen, nil
	}
	log, err := c.findUse(ctx, a, newest, since.Add(-sinceMargin))
	switch {
	case err != nil:
		return Sighting{}, err
	case log == nil:
		seen.Fate = FateUnclear
		return seen, nil
	case !c.confirmed(log.BlockNumber, newest):
		seen.Fate, seen.Transaction = FateUnclear, log.TxHash.Hex()
		return seen, nil
	case log.Topics[0] == topicAuthorizationCanceled:
		seen.Fate = FateSpent
		return seen, nil
	}
	receipt, err := c.receipt(ctx, log.TxHash)
	if err != nil {
		return Sighting{}, err
	}
	if receipt == nil { // another node of those behind the address, which is behind
		seen.Fate, seen.Transaction = FateUnclear, log.TxHash.Hex()
		return seen, nil
	}
	seen.Fate = FateSpent
	if c.pays(receipt, p, req) {
		seen.Fate, seen.Transaction, seen.Block = FatePaid, log.TxHash.Hex(), log.BlockNumber
	}
	return seen, nil
}

// Confirm implements [Confirmer].
func (c *ChainWatcher) Confirm(ctx context.Context, p *Payment, req *Requirements, transaction string) (paid bool, block uint64, err error) {
	hash, ok := parseTransaction(transaction)
	if !ok {
		return false, 0, fmt.Errorf("transaction %q: want 0x and 64 hexadecimal digits", clip(transaction))
	}
	receipt, err := c.awaitConfirmed(ctx, hash)
	if err != nil {
		return false, 0, err
	}
	return c.pays(receipt, p, req), blockOf(receipt), nil
}

// blockOf is the block that has a transaction; 0 if the node does not say.
func blockOf(receipt *types.Receipt) uint64 {
	if receipt.BlockNumber == nil {
		return 0
	}
	return receipt.BlockNumber.Uint64()
}

// awaitConfirmed waits until the transaction has its confirmations. The receipt is
// read anew each time: a block that is replaced takes its transactions with it.
func (c *ChainWatcher) awaitConfirmed(ctx context.Context, tx common.Hash) (*types.Receipt, error) {
	ticker := time.NewTicker(c.poll)
	defer ticker.Stop()
	for {
		receipt, err := c.confirmedReceipt(ctx, tx)
		if err == nil && receipt != nil {
			return receipt, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for transaction %s: %w", tx.Hex(), errors.Join(ctx.Err(), err))
		case <-ticker.C:
		}
	}
}

// confirmedReceipt returns nil if the transaction is not in a block, or not for
// long enough.
func (c *ChainWatcher) confirmedReceipt(ctx context.Context, tx common.Hash) (*types.Receipt, error) {
	receipt, err := c.receipt(ctx, tx)
	if err != nil || receipt == nil || c.confirmations <= 1 {
		return receipt, err
	}
	newest, err := c.block(ctx, blockLatest)
	if err != nil || receipt.BlockNumber == nil || !c.confirmed(receipt.BlockNumber.Uint64(), newest) {
		return nil, err
	}
	return receipt, nil
}

// confirmed reports whether a block has its confirmations, itself among them.
func (c *ChainWatcher) confirmed(block uint64, newest head) bool {
	return uint64(newest.Number)+1 >= block+c.confirmations
}

// confirmedBlock is the newest block that has its confirmations.
func (c *ChainWatcher) confirmedBlock(ctx context.Context, newest head) (head, error) {
	if c.confirmations <= 1 {
		return newest, nil
	}
	number := uint64(newest.Number)
	return c.block(ctx, hexutil.EncodeUint64(number-min(number, c.confirmations-1)))
}

// findUse searches backwards for the event of the authorisation's use.
func (c *chainReader) findUse(ctx context.Context, a *Authorization, newest head, since time.Time) (*types.Log, error) {
	to := uint64(newest.Number)
	for range logWindowsMax {
		from := uint64(0)
		if to >= logWindow {
			from = to - logWindow + 1
		}
		var logs []types.Log
		err := c.rpc.CallContext(ctx, &logs, "eth_getLogs", map[string]any{
			"address":   c.network.Asset,
			"fromBlock": hexutil.EncodeUint64(from),
			"toBlock":   hexutil.EncodeUint64(to),
			"topics": []any{
				[]common.Hash{topicAuthorizationUsed, topicAuthorizationCanceled},
				common.BytesToHash(a.From[:]), common.Hash(a.Nonce),
			},
		})
		if err != nil {
			return nil, fmt.Errorf("searching for the authorisation's use: %w", err)
		}
		if len(logs) > 0 && len(logs[0].Topics) > 0 {
			return &logs[0], nil
		}
		if from == 0 {
			return nil, nil //nolint:nilnil // not found is an answer
		}
		first, err := c.block(ctx, hexutil.EncodeUint64(from))
		if err != nil {
			return nil, err
		}
		if time.Unix(int64(first.Timestamp), 0).Before(since) { //nolint:gosec // seconds since 1970
			return nil, nil //nolint:nilnil // not found is an answer
		}
		to = from - 1
	}
	return nil, nil //nolint:nilnil // not found is an answer
}

// pays reports whether a transaction used the authorisation and moved its amount
// to us. The transfer is the token's first after the use: a transaction may hold
// several authorisations of one payer.
func (c *chainReader) pays(receipt *types.Receipt, p *Payment, req *Requirements) bool {
	if receipt.Status != types.ReceiptStatusSuccessful {
		return false
	}
	a := &p.Authorization
	used := false
	for _, log := range receipt.Logs {
		if log.Address != c.network.Asset || len(log.Topics) != 3 {
			continue
		}
		switch {
		case log.Topics[0] == topicAuthorizationUsed &&
			log.Topics[1] == common.BytesToHash(a.From[:]) && log.Topics[2] == common.Hash(a.Nonce):
			used = true
		case used && log.Topics[0] == topicTransfer:
			return log.Topics[1] == common.BytesToHash(a.From[:]) &&
				log.Topics[2] == common.BytesToHash(req.PayTo[:]) &&
				new(big.Int).SetBytes(log.Data).Cmp(big.NewInt(int64(req.Amount))) == 0
		}
	}
	return false
}
