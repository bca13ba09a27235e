package evm

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// One of several nodes may be down, behind, or lying. A transaction therefore counts when a majority of all configured
// nodes has the same receipt and no node that has got as far contradicts it. That there is no transaction, or that an
// authorisation was used without paying us, counts only if all nodes say so: see docs/x402-settlement.md.

// vote is what one node says about a transaction.
type vote struct {
	newest  uint64         // the node's newest block
	receipt *types.Receipt // nil: there is no such transaction
}

// agreed counts the votes; of is the number of configured nodes. It returns the index of a vote whose receipt counts, or
// -1, and whether every node has that receipt.
func (c *Watcher) agreed(votes []vote, of int) (at int, all bool) {
	at, most := -1, 0
	for i := range votes {
		alike := 0
		for j := range votes {
			if c.confirmed(votes[j].receipt, votes[j].newest) && sameReceipt(votes[i].receipt, votes[j].receipt) {
				alike++
			}
		}
		if alike > most {
			at, most = i, alike
		}
	}
	if most < majority(of) {
		return -1, false
	}
	for _, v := range votes {
		gone := v.receipt == nil && c.confirmed(votes[at].receipt, v.newest)
		if gone || v.receipt != nil && !sameReceipt(v.receipt, votes[at].receipt) {
			return -1, false
		}
	}
	return at, most == of
}

// confirmed reports whether a transaction has its confirmations; its own block is the first of them. Even with one
// confirmation it must be in a block, because nodes also return receipts of transactions that their sequencer has only
// promised to put into the next block (Flashblocks).
func (c *Watcher) confirmed(receipt *types.Receipt, newest uint64) bool {
	return receipt != nil && receipt.BlockNumber != nil && newest+1 >= receipt.BlockNumber.Uint64()+c.confirmations
}

// sameReceipt reports whether two nodes say the same about a transaction.
func sameReceipt(a, b *types.Receipt) bool {
	if a == nil || b == nil || a.TxHash != b.TxHash || a.BlockHash != b.BlockHash || a.Status != b.Status || len(a.Logs) != len(b.Logs) {
		return false
	}
	for i, one := range a.Logs {
		other := b.Logs[i]
		if one.Address != other.Address || len(one.Topics) != len(other.Topics) || string(one.Data) != string(other.Data) {
			return false
		}
		for j := range one.Topics {
			if one.Topics[j] != other.Topics[j] {
				return false
			}
		}
	}
	return true
}

// at returns a reader of one node.
func (c *reader) at(node RPC) *reader { return &reader{rpc: node, network: c.network} }

// receiptVote asks one node about a transaction. It reads the newest block last, so that it is not older than the
// receipt's block.
func (c *reader) receiptVote(ctx context.Context, tx common.Hash) (vote, error) {
	receipt, err := c.receipt(ctx, tx)
	if err != nil {
		return vote{}, err
	}
	newest, err := c.block(ctx, blockLatest)
	return vote{uint64(newest.Number), receipt}, err
}

// AgreedReceipt returns a transaction's receipt if it counts, and nil if there is none yet or it has too few
// confirmations. gone says that all nodes answered and none has a receipt.
func (c *Watcher) AgreedReceipt(ctx context.Context, tx common.Hash) (receipt *types.Receipt, gone bool, err error) {
	answers := askEach(ctx, c.rpc, func(ctx context.Context, node RPC) (vote, error) { return c.at(node).receiptVote(ctx, tx) })
	votes, failed := sorted(answers)
	if at, _ := c.agreed(votes, len(answers)); at >= 0 {
		return votes[at].receipt, false, nil
	}
	if len(votes) < majority(len(answers)) {
		return nil, false, failed
	}
	gone = len(votes) == len(answers)
	for _, v := range votes {
		gone = gone && v.receipt == nil
	}
	return nil, gone, nil
}

// usage is what the nodes say about the use of an authorisation.
type usage struct {
	// outcome is OutcomeUnused, OutcomeUnsure or OutcomeUnclear. It has no meaning if there is a receipt.
	outcome x402.Outcome
	// receipt is that of the transaction that used or cancelled it; all says that every node has it.
	receipt *types.Receipt
	all     bool
	// tx is a transaction that is said to have used it, if there is no receipt.
	tx common.Hash
	// chainTime is the time of the newest confirmed block at the node that is furthest behind.
	chainTime time.Time
	doubt     error
}

// use is what one node says about the use of an authorisation.
type use struct {
	vote

	used      bool
	tx        common.Hash // the transaction that used it; zero if it was not found
	chainTime time.Time
}

// confirmedAt returns the newest block that has its confirmations at one node.
func (c *Watcher) confirmedAt(ctx context.Context, at *reader, newest Head) (Head, error) {
	if c.confirmations <= 1 {
		return newest, nil
	}
	number := uint64(newest.Number)
	return at.block(ctx, hexutil.EncodeUint64(number-min(number, c.confirmations-1)))
}

// searchFunc finds the transaction that used or cancelled an authorisation; zero if there is none up to that block.
type searchFunc func(ctx context.Context, c *reader, newest Head) (common.Hash, error)

// usage asks all nodes about the use of an authorisation.
func (c *Watcher) usage(ctx context.Context, from common.Address, nonce [32]byte, search searchFunc) (usage, error) {
	answers := askEach(ctx, c.rpc, func(ctx context.Context, node RPC) (use, error) {
		return c.useAt(ctx, c.at(node), from, nonce, search)
	})
	uses, failed := sorted(answers)
	if len(uses) == 0 {
		return usage{}, failed
	}
	u := usage{outcome: x402.OutcomeUnused, chainTime: uses[0].chainTime}
	votes := make([]vote, len(uses))
	for i, said := range uses {
		votes[i] = said.vote
		if said.chainTime.Before(u.chainTime) {
			u.chainTime = said.chainTime
		}
		if said.used {
			u.outcome, u.doubt = x402.OutcomeUnclear, errNotFound
		}
		if said.tx != (common.Hash{}) {
			u.tx, u.doubt = said.tx, errUnconfirmed
		}
	}
	if at, all := c.agreed(votes, len(answers)); at >= 0 {
		u.receipt, u.all = votes[at].receipt, all
		return u, nil
	}
	if u.outcome == x402.OutcomeUnused && len(uses) < len(answers) {
		u.outcome, u.doubt = x402.OutcomeUnsure, fmt.Errorf("not all nodes reported whether the authorisation was used: %w", failed)
	}
	return u, nil
}

var (
	errNotFound    = errors.New("the authorisation was used by a transaction that was not found")
	errUnconfirmed = errors.New("the transaction that used the authorisation is not confirmed yet, or the nodes disagree about it")
)

// useAt asks one node. It reads the state at one fixed block: behind a load balancer each "latest" may be a different,
// older block, and unused would then not mean unused by chainTime.
func (c *Watcher) useAt(ctx context.Context, at *reader, from common.Address, nonce [32]byte, search searchFunc) (use, error) {
	newest, err := at.block(ctx, blockLatest)
	if err != nil {
		return use{}, err
	}
	// Unused is final once the authorisation has lapsed by the time of a confirmed block.
	stays, err := c.confirmedAt(ctx, at, newest)
	if err != nil {
		return use{}, err
	}
	u := use{vote: vote{newest: uint64(newest.Number)}, chainTime: stays.Time()}
	var used hexutil.Bytes
	state := callMsg{To: c.network.Asset, Data: authorizationStateCall(from, nonce)}
	if err := at.rpc.CallContext(ctx, &used, "eth_call", state, newest.tag()); err != nil {
		return use{}, fmt.Errorf("reading the authorisation's state: %w", err)
	}
	if u.used = new(big.Int).SetBytes(used).Sign() != 0; !u.used {
		return u, nil
	}
	if u.tx, err = search(ctx, at, newest); err == nil && u.tx == (common.Hash{}) {
		// The node may have read the state of a block that it made meanwhile: search up to that one.
		if newest, err = at.block(ctx, blockLatest); err == nil {
			u.newest = uint64(newest.Number)
			u.tx, err = search(ctx, at, newest)
		}
	}
	if err == nil && u.tx != (common.Hash{}) {
		u.receipt, err = at.receipt(ctx, u.tx)
	}
	if u.receipt == nil {
		u.newest = 0 // the node does not know which transaction used it, so its answer must not contradict a receipt
	}
	return u, err
}
