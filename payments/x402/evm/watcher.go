package evm

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// ClockMargin is how long before it was first seen an authorisation may have been used: clocks differ.
const ClockMargin = 10 * time.Minute

// Watcher is a [x402.Confirmer] that uses the nodes of a network. A result counts as final if it has the configured
// confirmations, and, with [Nodes], if the nodes agree.
type Watcher struct {
	reader

	confirmations uint64
	poll          time.Duration
}

// NewWatcher returns a watcher with the network's usual confirmations. It does not contact the node: see
// [Watcher.Check].
func NewWatcher(node RPC, network x402.Network) *Watcher {
	return &Watcher{
		reader:        reader{rpc: node, network: network},
		confirmations: uint64(network.Confirmations()), //nolint:gosec // positive
		poll:          500 * time.Millisecond,
	}
}

// WithConfirmations returns a watcher that takes a transaction for final after n blocks, including its own. Less than 1
// means the network's usual number.
func (c *Watcher) WithConfirmations(n int) *Watcher {
	patient := *c
	if n < 1 {
		n = c.network.Confirmations()
	}
	patient.confirmations = uint64(n) //nolint:gosec // positive
	return &patient
}

// WithPoll sets how often a transaction that is not confirmed yet is looked for. Default: 500 ms.
func (c *Watcher) WithPoll(every time.Duration) *Watcher {
	patient := *c
	patient.poll = every
	return &patient
}

// Network returns the network that is watched.
func (c *Watcher) Network() x402.Network { return c.network }

// Node returns the node or nodes that are asked.
func (c *Watcher) Node() RPC { return c.rpc }

// blockTime is the longest block time of the supported networks: Base's.
const blockTime = 2 * time.Second

// ConfirmationTime is how much longer a settlement takes because of its confirmations: the time of the blocks after its
// own.
func (c *Watcher) ConfirmationTime() time.Duration {
	return time.Duration(c.confirmations-1) * blockTime //nolint:gosec // few
}

// Check compares every node, and the token, with the configuration.
func (c *Watcher) Check(ctx context.Context) error { return c.checkDomain(ctx) }

var _ x402.Confirmer = (*Watcher)(nil)

// Lookup implements [x402.Watcher].
func (c *Watcher) Lookup(ctx context.Context, p *x402.Payment, req *x402.Requirements, since time.Time) (x402.SettlementStatus, error) {
	a := &p.Authorization
	u, err := c.usage(ctx, a.From, a.Nonce, func(ctx context.Context, at *reader, newest Head) (common.Hash, error) {
		return at.findUse(ctx, a, newest, since.Add(-ClockMargin))
	})
	if err != nil {
		return x402.SettlementStatus{}, err
	}
	seen := x402.SettlementStatus{Outcome: u.outcome, ChainTime: u.chainTime, Doubt: u.doubt}
	switch {
	case u.receipt == nil:
		if u.tx != (common.Hash{}) {
			seen.Transaction = u.tx.Hex()
		}
	case c.Pays(u.receipt, p, req):
		seen.Outcome, seen.Doubt, seen.Transaction, seen.Block = x402.OutcomePaid, nil, u.receipt.TxHash.Hex(), BlockOf(u.receipt)
	case u.all:
		seen.Outcome, seen.Doubt = x402.OutcomeSpent, nil
	default:
		seen.Outcome, seen.Doubt, seen.Transaction = x402.OutcomeUnclear, errUnconfirmed, u.receipt.TxHash.Hex()
	}
	return seen, nil
}

// Confirm implements [x402.Confirmer].
func (c *Watcher) Confirm(ctx context.Context, p *x402.Payment, req *x402.Requirements, transaction string) (paid bool, block uint64, err error) {
	hash, ok := x402.ParseTransaction(transaction)
	if !ok {
		return false, 0, fmt.Errorf("transaction %q: want 0x and 64 hexadecimal digits", x402.Clip(transaction))
	}
	receipt, err := c.awaitConfirmed(ctx, hash)
	if err != nil {
		return false, 0, err
	}
	return c.Pays(receipt, p, req), BlockOf(receipt), nil
}

// BlockOf returns the block of a transaction, or 0 if the node does not say.
func BlockOf(receipt *types.Receipt) uint64 {
	if receipt.BlockNumber == nil {
		return 0
	}
	return receipt.BlockNumber.Uint64()
}

// awaitConfirmed waits until the transaction is confirmed. It reads the receipt again each time: a block that is
// replaced takes its transactions with it.
func (c *Watcher) awaitConfirmed(ctx context.Context, tx common.Hash) (*types.Receipt, error) {
	ticker := time.NewTicker(c.poll)
	defer ticker.Stop()
	for {
		receipt, _, err := c.AgreedReceipt(ctx, tx)
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

// Pays reports whether a transaction used the authorisation and moved its amount to us. The transfer is the token's
// first one after the use, since a transaction may contain several authorisations of one payer.
func (c *reader) Pays(receipt *types.Receipt, p *x402.Payment, req *x402.Requirements) bool {
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
