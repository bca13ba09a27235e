package x402

import (
	"math/big"
	"time"
)

// Observer is told of what gates and facilitators do, for metrics. Its methods
// must not block, and are called from many goroutines.
type Observer interface {
	// Challenged: a 402 was answered that says how to pay.
	Challenged()
	// Verified: a payment was judged, with the code of its refusal, or none.
	Verified(refused Code, took time.Duration)
	// Settled: a settlement ended with "settled", "refused", "unavailable" or "unknown".
	Settled(outcome string, took time.Duration)
	// Spent: a transaction was mined that we paid for: its gas, and what it cost in wei.
	Spent(gas uint64, wei *big.Int)
}

// unobserved is the Observer of who has none.
type unobserved struct{}

func (unobserved) Challenged()                   {}
func (unobserved) Verified(Code, time.Duration)  {}
func (unobserved) Settled(string, time.Duration) {}
func (unobserved) Spent(uint64, *big.Int)        {}
