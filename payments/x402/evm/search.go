package evm

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

const (
	// PageBlocks is how many blocks one eth_getLogs covers; providers refuse large ranges.
	PageBlocks = 1000
	// logWindowsMax limits a search: more than a day of Base.
	logWindowsMax = 50
)

// findUse searches backwards for the transaction that used or cancelled the authorisation. It returns zero if there is
// none.
func (c *reader) findUse(ctx context.Context, a *x402.Authorization, newest Head, since time.Time) (common.Hash, error) {
	to := uint64(newest.Number)
	for range logWindowsMax {
		from := uint64(0)
		if to >= PageBlocks {
			from = to - PageBlocks + 1
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
			return common.Hash{}, fmt.Errorf("searching for the authorisation's use: %w", err)
		}
		if len(logs) > 0 {
			return logs[0].TxHash, nil
		}
		if from == 0 {
			return common.Hash{}, nil
		}
		first, err := c.block(ctx, hexutil.EncodeUint64(from))
		if err != nil {
			return common.Hash{}, err
		}
		if first.Time().Before(since) {
			return common.Hash{}, nil
		}
		to = from - 1
	}
	return common.Hash{}, nil
}

// findUseBetween returns the transaction that used or cancelled an authorisation between two times, however long ago,
// or zero if there is none.
func (c *reader) findUseBetween(ctx context.Context, from common.Address, nonce [32]byte, newest Head, after, before time.Time) (common.Hash, error) {
	first, err := c.FirstBlock(ctx, newest, after)
	if err != nil {
		return common.Hash{}, err
	}
	for at := first; at <= uint64(newest.Number); at += PageBlocks {
		start, err := c.Block(ctx, at)
		if err != nil {
			return common.Hash{}, err
		}
		if start.Time().After(before) {
			break
		}
		var logs []types.Log
		err = c.rpc.CallContext(ctx, &logs, "eth_getLogs", map[string]any{
			"address":   c.network.Asset,
			"fromBlock": hexutil.EncodeUint64(at),
			"toBlock":   hexutil.EncodeUint64(min(at+PageBlocks-1, uint64(newest.Number))),
			"topics": []any{
				[]common.Hash{topicAuthorizationUsed, topicAuthorizationCanceled}, common.BytesToHash(from[:]), common.Hash(nonce),
			},
		})
		if err != nil {
			return common.Hash{}, fmt.Errorf("searching for the refund: %w", err)
		}
		if len(logs) > 0 {
			return logs[0].TxHash, nil
		}
	}
	return common.Hash{}, nil
}

// FirstBlock returns the number of the first block at or after a time, by binary search.
func (c *reader) FirstBlock(ctx context.Context, newest Head, at time.Time) (uint64, error) {
	var failed error
	n := sort.Search(int(newest.Number), func(n int) bool { //nolint:gosec // block numbers are far below 2^63
		if failed != nil {
			return true
		}
		h, err := c.Block(ctx, uint64(n)) //nolint:gosec // not negative
		if err != nil {
			failed = errors.Join(failed, err)
			return true
		}
		return !h.Time().Before(at)
	})
	return uint64(n), failed //nolint:gosec // not negative
}
