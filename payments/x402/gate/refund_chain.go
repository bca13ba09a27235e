package gate

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"sort"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

// refundNonce derives the refund authorisation's nonce from the claim, so that the token accepts it only once from one
// account.
func refundNonce(claim uuid.UUID) [32]byte {
	return [32]byte(crypto.Keccak256([]byte("turnpike refund"), claim[:]))
}

// transfer is a transfer of the token in a successful transaction.
type transfer struct {
	transaction common.Hash
	log         uint // its index in the block
	from, to    common.Address
	amount      *big.Int
}

func (t *transfer) is(to common.Address, amount money.MicroUSDC) bool {
	return t.to == to && t.amount.Cmp(big.NewInt(int64(amount))) == 0
}

// transfersOf returns the token's transfers in a receipt.
func (c *chainReader) transfersOf(receipt *types.Receipt) []transfer {
	var out []transfer
	for _, log := range receipt.Logs {
		if t, ok := c.transferOf(log); ok {
			out = append(out, t)
		}
	}
	return out
}

func (c *chainReader) transferOf(log *types.Log) (transfer, bool) {
	if log.Address != c.network.Asset || len(log.Topics) != 3 || log.Topics[0] != topicTransfer {
		return transfer{}, false
	}
	return transfer{
		transaction: log.TxHash, log: log.Index, from: common.BytesToAddress(log.Topics[1][:]),
		to: common.BytesToAddress(log.Topics[2][:]), amount: new(big.Int).SetBytes(log.Data),
	}, true
}

// transferBy returns the transfer that an authorisation made: the token's first one after its use.
func (c *chainReader) transferBy(receipt *types.Receipt, from common.Address, nonce [32]byte) (transfer, bool) {
	used := false
	for _, log := range receipt.Logs {
		if log.Address == c.network.Asset && len(log.Topics) == 3 && log.Topics[0] == topicAuthorizationUsed &&
			log.Topics[1] == common.BytesToHash(from[:]) && log.Topics[2] == common.Hash(nonce) {
			used = true
			continue
		}
		if t, ok := c.transferOf(log); used && ok {
			return t, true
		}
	}
	return transfer{}, false
}

// succeeded returns the receipt of a successful transaction, or an error.
func (c *ChainWatcher) succeeded(ctx context.Context, tx common.Hash) (*types.Receipt, error) {
	receipt, gone, err := c.agreedReceipt(ctx, tx)
	switch {
	case err != nil:
		return nil, err
	case gone:
		return nil, fmt.Errorf("the chain has no transaction %s", tx.Hex())
	case receipt == nil:
		return nil, fmt.Errorf("transaction %s is not confirmed yet, or the nodes disagree about it", tx.Hex())
	case receipt.Status != types.ReceiptStatusSuccessful:
		return nil, fmt.Errorf("transaction %s reverted", tx.Hex())
	}
	return receipt, nil
}

// holds returns an error if the account's balance does not cover what is owed.
func (c *chainReader) holds(ctx context.Context, account common.Address, o *owedClaim) error {
	var balance hexutil.Bytes
	msg := callMsg{To: c.network.Asset, Data: calldata.Pack(selBalanceOf, calldata.Address(account))}
	if err := c.rpc.CallContext(ctx, &balance, "eth_call", msg, blockLatest); err != nil {
		return fmt.Errorf("reading the balance of %s: %w", account.Hex(), err)
	}
	if has := new(big.Int).SetBytes(balance); has.Cmp(big.NewInt(int64(o.amount))) < 0 {
		return fmt.Errorf("%s has %s units of %s, but %s are owed", account.Hex(), has, o.Asset, o.amount.Units())
	}
	return nil
}

// refundStatus is the status of a refund's authorisation on the chain.
type refundStatus struct {
	outcome   x402.Outcome
	transfer  transfer  // if outcome is OutcomePaid
	chainTime time.Time // as in SettlementStatus
	doubt     error     // if outcome is OutcomeUnclear or OutcomeUnsure
}

// lookupRefund returns the status of the authorisation with which an account refunds a claim, or may have refunded it.
func (c *ChainWatcher) lookupRefund(ctx context.Context, o *owedClaim, at attempt) (refundStatus, error) {
	nonce := refundNonce(o.ID)
	u, err := c.usage(ctx, at.from, nonce, func(ctx context.Context, c *chainReader, newest head) (common.Hash, error) {
		if at.noted {
			tx, err := c.findUseBetween(ctx, at.from, nonce, newest, at.begun.Add(-sinceMargin), at.lapses.Add(sinceMargin))
			if err != nil || tx != (common.Hash{}) {
				return tx, err
			}
		}
		// It was used at a time that this database does not know.
		return c.findUseBetween(ctx, at.from, nonce, newest, o.CreatedAt.Add(-sinceMargin), newest.time())
	})
	if err != nil {
		return refundStatus{}, err
	}
	seen := refundStatus{outcome: u.outcome, chainTime: u.chainTime, doubt: u.doubt}
	if u.receipt == nil {
		return seen, nil
	}
	seen.outcome, seen.doubt = x402.OutcomeUnclear, errUnconfirmed
	if t, ok := c.transferBy(u.receipt, at.from, nonce); ok && t.is(o.payer, o.amount) {
		seen.outcome, seen.transfer = x402.OutcomePaid, t
	} else if u.all {
		seen.outcome = x402.OutcomeSpent
	}
	return seen, nil
}

func (h *head) time() time.Time {
	return time.Unix(int64(h.Timestamp), 0).UTC() //nolint:gosec // seconds since 1970
}

// findUseBetween returns the transaction that used or cancelled an authorisation between two times, however long ago,
// or zero if there is none.
func (c *chainReader) findUseBetween(ctx context.Context, from common.Address, nonce [32]byte, newest head, after, before time.Time) (common.Hash, error) {
	first, err := c.firstBlock(ctx, newest, after)
	if err != nil {
		return common.Hash{}, err
	}
	for at := first; at <= uint64(newest.Number); at += logWindow {
		start, err := c.block(ctx, hexutil.EncodeUint64(at))
		if err != nil {
			return common.Hash{}, err
		}
		if start.time().After(before) {
			break
		}
		var logs []types.Log
		err = c.rpc.CallContext(ctx, &logs, "eth_getLogs", map[string]any{
			"address":   c.network.Asset,
			"fromBlock": hexutil.EncodeUint64(at),
			"toBlock":   hexutil.EncodeUint64(min(at+logWindow-1, uint64(newest.Number))),
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

// firstBlock returns the number of the first block at or after a time, by binary search.
func (c *chainReader) firstBlock(ctx context.Context, newest head, at time.Time) (uint64, error) {
	var failed error
	n := sort.Search(int(newest.Number), func(n int) bool { //nolint:gosec // block numbers are far below 2^63
		if failed != nil {
			return true
		}
		h, err := c.block(ctx, hexutil.EncodeUint64(uint64(n))) //nolint:gosec // not negative
		if err != nil {
			failed = errors.Join(failed, err)
			return true
		}
		return !h.time().Before(at)
	})
	return uint64(n), failed //nolint:gosec // not negative
}
