package x402test

import (
	"math/big"
	"time"

	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
)

// RoundOf encodes a price feed's answer.
func RoundOf(answer *big.Int, updated time.Time) []byte {
	return calldata.Pack(calldata.Word(big.NewInt(9)), abiSigned(answer), calldata.Word(big.NewInt(updated.Unix())), calldata.Word(big.NewInt(updated.Unix())), calldata.Word(big.NewInt(9)))
}

func abiSigned(n *big.Int) []byte {
	return calldata.Word(new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 8*calldata.WordBytes), big.NewInt(1))))
}
