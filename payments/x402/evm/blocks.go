package evm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

const (
	blockFinalized = "finalized"
	// finalDepth is how deep a block must be to count as final on nodes that do not know final blocks.
	finalDepth = 512
)

// FinalBlock returns the newest final block. With several nodes, it is that of the node furthest behind.
func (c *Watcher) FinalBlock(ctx context.Context) (Head, error) {
	answers := askEach(ctx, c.rpc, func(ctx context.Context, node RPC) (Head, error) {
		at := c.at(node)
		var final *Head
		err := node.CallContext(ctx, &final, "eth_getBlockByNumber", blockFinalized, false)
		var refused rpc.Error
		if err != nil && !errors.As(err, &refused) {
			return Head{}, fmt.Errorf("reading the final block: %w", err)
		}
		if err == nil && final != nil {
			return *final, nil
		}
		newest, err := at.block(ctx, blockLatest)
		if err != nil {
			return Head{}, err
		}
		number := uint64(newest.Number)
		return at.Block(ctx, number-min(number, finalDepth))
	})
	return c.furthestBehind(answers)
}

// ConfirmedBlock returns the newest confirmed block, also of the node furthest behind.
func (c *Watcher) ConfirmedBlock(ctx context.Context) (Head, error) {
	answers := askEach(ctx, c.rpc, func(ctx context.Context, node RPC) (Head, error) {
		at := c.at(node)
		newest, err := at.block(ctx, blockLatest)
		if err != nil {
			return Head{}, err
		}
		return c.confirmedAt(ctx, at, newest)
	})
	return c.furthestBehind(answers)
}

func (c *Watcher) furthestBehind(answers []nodeAnswer[Head]) (Head, error) {
	heads, failed := sorted(answers)
	if len(heads) < majority(len(answers)) {
		return Head{}, failed
	}
	return slices.MinFunc(heads, func(a, b Head) int { return int(a.Number) - int(b.Number) }), nil //nolint:gosec // far below
}

// Page is what happened to an account in a range of blocks.
type Page struct {
	In  []types.Log // the token's transfers to it
	Out []types.Log // its used authorisations
}

// Page reads an account's range of blocks. All nodes that answer must agree: a transfer that one node leaves out would never be
// seen.
func (c *Watcher) Page(ctx context.Context, account common.Address, from, to uint64) (Page, error) {
	filter := func(topics ...any) map[string]any {
		return map[string]any{
			"address": c.network.Asset, "fromBlock": hexutil.EncodeUint64(from), "toBlock": hexutil.EncodeUint64(to), "topics": topics,
		}
	}
	topic := common.BytesToHash(account[:])
	answers := askEach(ctx, c.rpc, func(ctx context.Context, node RPC) (Page, error) {
		var said Page
		batch := []rpc.BatchElem{
			{Method: "eth_getLogs", Args: []any{filter(topicTransfer, nil, topic)}, Result: &said.In},
			{Method: "eth_getLogs", Args: []any{filter(topicAuthorizationUsed, topic)}, Result: &said.Out},
		}
		if err := node.BatchCallContext(ctx, batch); err != nil {
			return Page{}, fmt.Errorf("reading transfers: %w", err)
		}
		for _, elem := range batch {
			if elem.Error != nil {
				return Page{}, fmt.Errorf("reading transfers: %w", elem.Error)
			}
		}
		return said, nil
	})
	pages, failed := sorted(answers)
	if len(pages) < majority(len(answers)) {
		return Page{}, failed
	}
	for _, other := range pages[1:] {
		if !slices.EqualFunc(other.In, pages[0].In, sameLog) || !slices.EqualFunc(other.Out, pages[0].Out, sameLog) {
			return Page{}, fmt.Errorf("the nodes disagree about the transfers of %s in blocks %d to %d", account.Hex(), from, to)
		}
	}
	return pages[0], nil
}

func sameLog(a, b types.Log) bool {
	return a.TxHash == b.TxHash && a.Index == b.Index && slices.Equal(a.Topics, b.Topics) && slices.Equal(a.Data, b.Data)
}
