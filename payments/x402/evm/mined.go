package evm

import (
	"encoding/json"
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

// Mined is a receipt with the fields that rollups add.
type Mined struct {
	types.Receipt

	// l1Fee is the rollup's charge for publishing the transaction, in wei.
	l1Fee *big.Int
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Mined) UnmarshalJSON(raw []byte) error {
	if err := r.Receipt.UnmarshalJSON(raw); err != nil {
		return err
	}
	var more struct {
		L1Fee *hexutil.Big `json:"l1Fee"`
	}
	if err := json.Unmarshal(raw, &more); err != nil {
		return err
	}
	if more.L1Fee != nil {
		r.l1Fee = more.L1Fee.ToInt()
	}
	return nil
}

// Cost returns what the transaction cost, in wei.
func (r *Mined) Cost() *big.Int {
	cost := new(big.Int)
	if r.EffectiveGasPrice != nil {
		cost.Mul(r.EffectiveGasPrice, new(big.Int).SetUint64(r.GasUsed))
	}
	if r.l1Fee != nil {
		cost.Add(cost, r.l1Fee)
	}
	return cost
}
