package x402

import (
	"math/big"
	"time"
)

// Observer receives what gates and facilitators do, for metrics. Its methods must not block, and are called from many
// goroutines.
type Observer interface {
	// Challenged: a request without payment got a challenge.
	Challenged()
	// Verified: a payment was judged; refused is the code of its refusal, or empty. If the payment could not be judged,
	// the code is [CodeUnexpectedVerify]. A payment that has a claim already is not judged again.
	Verified(refused Code, took time.Duration)
	// Settled: a settlement ended with one of the outcomes below.
	Settled(outcome string, took time.Duration)
	// Spent: a transaction that we paid for was mined, with its gas and its cost in wei.
	Spent(gas uint64, wei *big.Int)
	// GasRefused: a payment was not claimed for one of the reasons below.
	GasRefused(reason string)
}

// Reasons why the cost of gas keeps a payment from being claimed.
const (
	GasShare  = "share"   // more than the allowed share of the amount
	GasBudget = "budget"  // more than is left of the day's budget
	GasFee    = "fee_max" // a unit costs more than the maximum
	GasRate   = "rate"    // the cost is not known, because there is no rate
)

// Outcomes of a settlement.
const (
	SettlementSettled     = "settled"     // we were paid
	SettlementRefused     = "refused"     // it certainly did not happen
	SettlementUnavailable = "unavailable" // it was not sent: no node or facilitator could be reached
	SettlementUnknown     = "unknown"     // it may have happened; it is looked up later
)

// Unobserved is the default Observer; it does nothing.
type Unobserved struct{}

func (Unobserved) Challenged()                   {}
func (Unobserved) Verified(Code, time.Duration)  {}
func (Unobserved) Settled(string, time.Duration) {}
func (Unobserved) Spent(uint64, *big.Int)        {}
func (Unobserved) GasRefused(string)             {}
