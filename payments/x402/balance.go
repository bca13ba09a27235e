package x402

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// balanceRead is what a payer has, and of which block.
type balanceRead struct {
	block   hexutil.Uint64
	balance hexutil.Bytes
}

// balanceCalls ask for the block first: should another come in between, the balance is newer than it is said to be, and a
// payment in that block counts twice for once. It never counts for nothing.
func (c *chainReader) balanceCalls(p *Payment, read *balanceRead) []rpc.BatchElem {
	return []rpc.BatchElem{
		{Method: "eth_blockNumber", Result: &read.block},
		c.call(c.network.Asset, pack(selBalanceOf, addressWord(p.Authorization.From)), nil, &read.balance),
	}
}

// checked is what was read. More than can be paid with is as much as can be.
func (r *balanceRead) checked() Checked {
	seen := Checked{Known: true, Balance: math.MaxInt64, Block: uint64(r.block)}
	if n := new(big.Int).SetBytes(r.balance); n.IsInt64() {
		seen.Balance = money.MicroUSDC(n.Int64())
	}
	return seen
}

// Balance implements [Confirmer].
func (c *chainReader) Balance(ctx context.Context, p *Payment) (Checked, error) {
	var read balanceRead
	batch := c.balanceCalls(p, &read)
	if err := c.rpc.BatchCallContext(ctx, batch); err != nil {
		return Checked{}, fmt.Errorf("reading the payer's balance: %w", err)
	}
	for _, elem := range batch {
		if elem.Error != nil {
			return Checked{}, fmt.Errorf("reading the payer's balance: %s: %w", elem.Method, elem.Error)
		}
	}
	return read.checked(), nil
}
