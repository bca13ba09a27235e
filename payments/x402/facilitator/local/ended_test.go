package local

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/x402test"
)

// A facilitator whose process has ended signs and sends nothing, not even for settlements that it has begun.
func TestEndedFacilitator(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	var ended atomic.Bool
	var asked, sent atomic.Int64 // asked: since it has ended; sent: in all
	node := &x402test.Line{Node: d.Node}
	node.On("eth_sendRawTransaction", func(_ context.Context, next func() error, _ any, _ []any) error {
		sent.Add(1)
		return next()
	})
	f := d.facilitator(t, func(c *Config) {
		c.RPC, c.StuckAfter = node, 50*time.Millisecond // would send again at once
		c.Live = func() error {
			if !ended.Load() {
				return nil
			}
			asked.Add(1)
			return x402test.ErrTest
		}
	})
	goOn := d.stopBlocks()
	waiting := d.settleSoon(f, d.payments(1)[0])
	d.until("it is sent", func() bool { return sent.Load() > 0 })
	ended.Store(true)
	d.until("what was under way when it ended is over", func() bool { return asked.Load() > 5 })
	before := sent.Load()
	if _, err := f.Settle(t.Context(), d.payments(1)[0], d.Req); err == nil {
		t.Error("settle: got no error")
	}
	asked.Store(0)
	d.until("it has looked at its transactions again and again", func() bool { return asked.Load() > 20 })
	if got := sent.Load(); got != before {
		t.Errorf("it has sent %d transactions since it has ended", got-before)
	}
	ended.Store(false)
	goOn()
	d.wantSettled(waiting)
	d.wantPaid(1)
}
