package x402

import (
	"errors"
	"math/big"
	"time"
)

// Observer is told of what gates and facilitators do, for metrics. Its methods
// must not block, and are called from many goroutines.
type Observer interface {
	// Challenged: a request without payment was told how to pay.
	Challenged()
	// Verified: a payment was judged, with the code of its refusal, or none. Where it
	// could not be judged the code is [CodeUnexpectedVerify]. Copies of a payment
	// that has a claim already are not judged again.
	Verified(refused Code, took time.Duration)
	// Settled: a settlement ended with one of the outcomes below.
	Settled(outcome string, took time.Duration)
	// Spent: a transaction was mined that we paid for: its gas, and what it cost in wei.
	Spent(gas uint64, wei *big.Int)
	// GasRefused: a payment was not claimed for one of the reasons below.
	GasRefused(reason string)
}

// Reasons for which a payment is not claimed, because of what its gas would cost.
const (
	GasShare  = "share"   // more than a share of the amount
	GasBudget = "budget"  // more than is left for the day
	GasFee    = "fee_max" // more for a unit than is paid
	GasRate   = "rate"    // it is not known, for want of a rate
)

// Outcomes of a settlement.
const (
	SettlementSettled     = "settled"     // we were paid
	SettlementRefused     = "refused"     // it certainly did not happen
	SettlementUnavailable = "unavailable" // it was not sent, for want of a node or facilitator
	SettlementUnknown     = "unknown"     // it may have happened, and is looked up
)

// judged tells the observer how the visit's payment was found.
func (v *visit) judged(refused Code) {
	observer := v.gate.cfg.Observer
	if refused == CodePaymentRequired {
		observer.Challenged()
		return
	}
	observer.Verified(refused, v.gate.cfg.Now().Sub(v.started))
}

// settlementEnded tells the observer how a settlement ended that returned err.
func (g *Gate) settlementEnded(started time.Time, err error) {
	outcome := SettlementUnknown
	_, refused := errors.AsType[*Refusal](err)
	switch {
	case err == nil:
		outcome = SettlementSettled
	case refused:
		outcome = SettlementRefused
	case errors.Is(err, ErrUnavailable):
		outcome = SettlementUnavailable
	}
	g.cfg.Observer.Settled(outcome, g.cfg.Now().Sub(started))
}

// unobserved is the Observer of who has none.
type unobserved struct{}

func (unobserved) Challenged()                   {}
func (unobserved) Verified(Code, time.Duration)  {}
func (unobserved) Settled(string, time.Duration) {}
func (unobserved) Spent(uint64, *big.Int)        {}
func (unobserved) GasRefused(string)             {}
