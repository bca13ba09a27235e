package gate

import (
	"errors"
	"time"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// judged reports to the observer how the visit's payment was judged.
func (v *visit) judged(refused x402.Code) {
	observer := v.gate.cfg.Observer
	if refused == x402.CodePaymentRequired {
		observer.Challenged()
		return
	}
	observer.Verified(refused, v.gate.cfg.Now().Sub(v.started))
}

// settlementEnded reports to the observer a settlement that returned err.
func (g *Gate) settlementEnded(started time.Time, err error) {
	outcome := x402.SettlementUnknown
	_, refused := errors.AsType[*x402.Refusal](err)
	switch {
	case err == nil:
		outcome = x402.SettlementSettled
	case refused:
		outcome = x402.SettlementRefused
	case errors.Is(err, x402.ErrUnavailable):
		outcome = x402.SettlementUnavailable
	}
	g.cfg.Observer.Settled(outcome, g.cfg.Now().Sub(started))
}
