package local

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"

	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// fees are what a transaction offers per unit of gas, in wei (EIP-1559).
type fees struct {
	tip *big.Int
	cap *big.Int
}

// errFeesTooHigh says that the network asks more for gas than we may pay.
var errFeesTooHigh = errors.New("gas costs more than fee_max")

// quoteFees returns the fees that get a transaction mined soon, limited to most.
func quoteFees(newest *evm.Head, tip, most *big.Int) (fees, error) {
	if newest == nil || newest.BaseFee == nil {
		return fees{}, errors.New("the node's newest block has no base fee (EIP-1559)")
	}
	if tip == nil {
		return fees{}, errors.New("the node returned no tip (eth_maxPriorityFeePerGas)")
	}
	base := newest.BaseFee.ToInt()
	if base.Cmp(most) > 0 {
		return fees{}, fmt.Errorf("%w: the base fee is %s, but at most %s is paid", errFeesTooHigh, gwei(base), gwei(most))
	}
	// Twice the base fee is enough for six full blocks, each of which raises it by an eighth.
	limit := new(big.Int).Mul(base, big.NewInt(2))
	limit.Add(limit, tip)
	if limit.Cmp(most) > 0 {
		limit.Set(most)
	}
	return fees{tip: smaller(tip, limit), cap: limit}, nil
}

// bumpFees returns the fees that replace a transaction: nodes want a tenth more of both fees, and the current fees may
// be higher still. It returns false if that is over most.
func bumpFees(old *types.Transaction, now fees, most *big.Int) (fees, bool) {
	least := fees{tip: raised(old.GasTipCap(), 10), cap: raised(old.GasFeeCap(), 10)}
	next := fees{
		tip: larger(raised(old.GasTipCap(), 8), now.tip),
		cap: larger(raised(old.GasFeeCap(), 8), now.cap),
	}
	next.cap = smaller(next.cap, most)
	next.tip = smaller(next.tip, next.cap)
	return next, next.cap.Cmp(least.cap) >= 0 && next.tip.Cmp(least.tip) >= 0
}

// raised returns n plus 1/part of it, rounded up, and at least n+1.
func raised(n *big.Int, part int64) *big.Int {
	more := new(big.Int).Add(n, big.NewInt(part-1))
	more.Div(more, big.NewInt(part))
	if more.Sign() == 0 {
		more.SetInt64(1)
	}
	return more.Add(more, n)
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

func smaller(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// gwei formats an amount of wei for people.
func gwei(wei *big.Int) string {
	return new(big.Rat).SetFrac(wei, big.NewInt(params.GWei)).FloatString(3) + " gwei"
}
