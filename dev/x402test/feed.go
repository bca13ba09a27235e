package x402test

import (
	"math/big"
	"time"

	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

// RoundOf encodes a price feed's answer.
func RoundOf(answer *big.Int, updated time.Time) []byte {
	round, at := calldata.Word(big.NewInt(9)), calldata.Word(big.NewInt(updated.Unix()))
	return calldata.Pack(round, abiSigned(answer), at, at, round)
}

func abiSigned(n *big.Int) []byte {
	return calldata.Word(new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 8*calldata.WordBytes), big.NewInt(1))))
}
