//go:build interop

package local

import (
	"math/big"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
)

// TestSettlementsAreSentAgain shows that settlements in replaced blocks are sent again while the payments have not
// lapsed: by the facilitator that sent them, or by another one that finds the gap before its own.
func TestSettlementsAreSentAgain(t *testing.T) {
	t.Parallel()
	for name, outbox := range outboxes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Run("by itself", func(t *testing.T) {
				t.Parallel()
				d := newDesk(t, 1)
				box := outbox()
				f := d.facilitator(t, func(c *Config) { c.Outbox = box })
				first := d.wantSettled(d.settleSoon(f, d.Payment(2, nil)))
				second := d.wantSettled(d.settleSoon(f, d.Payment(2, nil)))
				d.wantPaid(2)
				x402test.Reorganise(t, d.Chain, 2)
				d.wantPaid(0)
				d.until("both are paid again", func() bool { return d.Balance(d.Req.PayTo) == 20_000 })
				for _, s := range []x402.Settlement{first, second} { // by the same transactions
					if d.receipt(s).Status != 1 {
						t.Errorf("%s has reverted", s.Transaction)
					}
				}
				d.until("nothing is open", func() bool { return len(d.open(f, box)) == 0 })
			})
			t.Run("before the next of another", func(t *testing.T) {
				t.Parallel()
				d := newDesk(t, 1)
				box := outbox()
				f := d.facilitator(t, func(c *Config) { c.Outbox = box })
				d.wantSettled(d.settleSoon(f, d.Payment(2, nil)))
				f.halt()
				x402test.Reorganise(t, d.Chain, 1)
				d.wantPaid(0)
				other := d.facilitator(t, func(c *Config) { c.Outbox, c.StuckAfter = box, time.Second })
				d.wantSettled(d.settleSoon(other, d.Payment(2, nil)))
				d.wantPaid(2)
			})
		})
	}
}

// A payment that has lapsed is not sent again. An empty transaction uses up its number, so that later settlements are not stuck.
func TestLapsedSettlementIsNotSentAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	box := outbox.NewMemory(time.Now)
	f := d.facilitator(t, func(c *Config) { c.Outbox = box })
	short := d.Payment(2, func(a *x402.Authorization) {
		a.ValidBefore = big.NewInt(time.Now().Add(x402.LapseMargin + 2*time.Second).Unix())
	})
	d.wantSettled(d.settleSoon(f, short))
	f.halt()
	x402test.Reorganise(t, d.Chain, 1)
	d.until("the payment has lapsed", func() bool { return time.Now().After(short.LapsesAt()) })
	other := d.facilitator(t, func(c *Config) { c.Outbox, c.StuckAfter = box, time.Second })
	d.wantSettled(d.settleSoon(other, d.Payment(2, nil)))
	d.wantPaid(1)
}
