package x402

import (
	"context"
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

// ChainWatcher is a [Watcher] on a node of the network.
type ChainWatcher struct{ chainReader }

// NewChainWatcher returns a watcher. It does not reach out to the node.
func NewChainWatcher(node RPC, network Network) *ChainWatcher {
	return &ChainWatcher{chainReader{rpc: node, network: network}}
}

var _ Watcher = (*ChainWatcher)(nil)

// Lookup implements [Watcher].
func (c *ChainWatcher) Lookup(ctx context.Context, p *Payment, req *Requirements, since time.Time) (Sighting, error) {
	newest, err := c.block(ctx, blockLatest)
	if err != nil {
		return Sighting{}, err
	}
	seen := Sighting{ChainTime: time.Unix(int64(newest.Timestamp), 0).UTC()} //nolint:gosec // seconds since 1970
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
	case log.Topics[0] == topicAuthorizationCanceled:
		seen.Fate = FateSpent
		return seen, nil
	}
	receipt, err := c.receipt(ctx, log.TxHash)
	if err != nil {
		return Sighting{}, err
	}
	seen.Fate = FateSpent
	if receipt != nil && c.pays(receipt, p, req) {
		seen.Fate, seen.Transaction = FatePaid, log.TxHash.Hex()
	}
	return seen, nil
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
