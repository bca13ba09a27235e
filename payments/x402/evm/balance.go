package evm

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

// BalanceReading is a payer's balance and the block it was read at.
type BalanceReading struct {
	block   hexutil.Uint64
	balance hexutil.Bytes
}

// Calls reads the block before the balance. If another block arrives in between, a payment in that block is
// counted twice: it is missing from the balance and still in flight. A payment is never left out.
func (r *BalanceReading) Calls(token, account common.Address) []rpc.BatchElem {
	return []rpc.BatchElem{
		{Method: "eth_blockNumber", Result: &r.block},
		Call(token, balanceOfCall(account), nil, &r.balance),
	}
}

func balanceOfCall(account common.Address) []byte {
	return calldata.Pack(selBalanceOf, calldata.Address(account))
}

// Checked returns what was read. A balance above the largest possible amount counts as that amount.
func (r *BalanceReading) Checked() x402.Checked {
	seen := x402.Checked{Known: true, Balance: math.MaxInt64, Block: uint64(r.block)}
	if n := new(big.Int).SetBytes(r.balance); n.IsInt64() {
		seen.Balance = money.MicroUSDC(n.Int64())
	}
	return seen
}

// Balance implements [x402.Confirmer].
func (c *reader) Balance(ctx context.Context, p *x402.Payment) (x402.Checked, error) {
	var read BalanceReading
	batch := read.Calls(c.network.Asset, p.Authorization.From)
	if err := c.rpc.BatchCallContext(ctx, batch); err != nil {
		return x402.Checked{}, fmt.Errorf("reading the payer's balance: %w", err)
	}
	for _, elem := range batch {
		if elem.Error != nil {
			return x402.Checked{}, fmt.Errorf("reading the payer's balance: %s: %w", elem.Method, elem.Error)
		}
	}
	return read.Checked(), nil
}
