package evm

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Transfer is a transfer of the token in a successful transaction.
type Transfer struct {
	Transaction common.Hash
	Log         uint // its index in the block
	From, To    common.Address
	Amount      *big.Int
}

// Is reports whether the transfer moved an amount to an account.
func (t *Transfer) Is(to common.Address, amount money.MicroUSDC) bool {
	return t.To == to && t.Amount.Cmp(big.NewInt(int64(amount))) == 0
}

// TransfersOf returns the token's transfers in a receipt.
func (c *reader) TransfersOf(receipt *types.Receipt) []Transfer {
	var out []Transfer
	for _, log := range receipt.Logs {
		if t, ok := c.TransferOf(log); ok {
			out = append(out, t)
		}
	}
	return out
}

// TransferOf returns the transfer in a log, if it is one.
func (c *reader) TransferOf(log *types.Log) (Transfer, bool) {
	if log.Address != c.network.Asset || len(log.Topics) != 3 || log.Topics[0] != topicTransfer {
		return Transfer{}, false
	}
	return Transfer{
		Transaction: log.TxHash, Log: log.Index, From: common.BytesToAddress(log.Topics[1][:]),
		To: common.BytesToAddress(log.Topics[2][:]), Amount: new(big.Int).SetBytes(log.Data),
	}, true
}

// TransferBy returns the transfer that an authorisation made: the token's first one after its use.
func (c *reader) TransferBy(receipt *types.Receipt, from common.Address, nonce [32]byte) (Transfer, bool) {
	used := false
	for _, log := range receipt.Logs {
		if log.Address == c.network.Asset && len(log.Topics) == 3 && log.Topics[0] == topicAuthorizationUsed &&
			log.Topics[1] == common.BytesToHash(from[:]) && log.Topics[2] == common.Hash(nonce) {
			used = true
			continue
		}
		if t, ok := c.TransferOf(log); used && ok {
			return t, true
		}
	}
	return Transfer{}, false
}

// Succeeded returns the receipt of a successful transaction, or an error.
func (c *Watcher) Succeeded(ctx context.Context, tx common.Hash) (*types.Receipt, error) {
	receipt, gone, err := c.AgreedReceipt(ctx, tx)
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

// AuthorizationOf returns the nonce of the authorisation that made a transfer. Its use is the token's event just
// before.
func (c *reader) AuthorizationOf(receipt *types.Receipt, t *Transfer) (nonce [32]byte, ok bool) {
	var before *types.Log
	for _, log := range receipt.Logs {
		if log.Address != c.network.Asset {
			continue
		}
		if log.Index == t.Log {
			break
		}
		before = log
	}
	if before == nil || len(before.Topics) != 3 || before.Topics[0] != topicAuthorizationUsed || before.Topics[1] != common.BytesToHash(t.From[:]) {
		return nonce, false
	}
	return before.Topics[2], true
}

// TransferStatus is the status of an authorisation by which we transfer.
type TransferStatus struct {
	Outcome   x402.Outcome
	Transfer  Transfer  // if Outcome is OutcomePaid
	ChainTime time.Time // as in SettlementStatus
	Doubt     error     // if Outcome is OutcomeUnclear or OutcomeUnsure
}

// Span is a time in which an authorisation may have been used. Zero for Until means until now.
type Span struct{ Since, Until time.Time }

// LookupTransfer returns the status of an authorisation that transfers an amount to an account. Its use is searched for
// in one span after the other, with a margin because clocks differ.
func (c *Watcher) LookupTransfer(
	ctx context.Context, from common.Address, nonce [32]byte, to common.Address, amount money.MicroUSDC, spans ...Span,
) (TransferStatus, error) {
	u, err := c.usage(ctx, from, nonce, func(ctx context.Context, c *reader, newest Head) (common.Hash, error) {
		for _, span := range spans {
			until := newest.Time()
			if !span.Until.IsZero() {
				until = span.Until.Add(ClockMargin)
			}
			tx, err := c.findUseBetween(ctx, from, nonce, newest, span.Since.Add(-ClockMargin), until)
			if err != nil || tx != (common.Hash{}) {
				return tx, err
			}
		}
		return common.Hash{}, nil
	})
	if err != nil {
		return TransferStatus{}, err
	}
	seen := TransferStatus{Outcome: u.outcome, ChainTime: u.chainTime, Doubt: u.doubt}
	if u.receipt == nil {
		return seen, nil
	}
	seen.Outcome, seen.Doubt = x402.OutcomeUnclear, errUnconfirmed
	if t, ok := c.TransferBy(u.receipt, from, nonce); ok && t.Is(to, amount) {
		seen.Outcome, seen.Transfer = x402.OutcomePaid, t
	} else if u.all {
		seen.Outcome = x402.OutcomeSpent
	}
	return seen, nil
}
