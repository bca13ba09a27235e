package x402

import (
	"net/http"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// TestRefusalsAreHeldAgainstTheChain: a facilitator's no ends a claim only if the
// chain does not say otherwise.
func TestRefusalsAreHeldAgainstTheChain(t *testing.T) {
	t.Parallel()
	refusal := func() error { return refuse(CodeInsufficientFunds, "no") }
	for name, tt := range map[string]struct {
		fake   func(*chainFake)
		status int
		code   Code
		state  State
	}{
		"nothing moved":    {func(c *chainFake) { c.before = refusal }, http.StatusPaymentRequired, CodeInsufficientFunds, StateFailed},
		"it moved":         {func(c *chainFake) { c.after = refusal }, http.StatusOK, "", StateSettled},
		"nobody could see": {func(c *chainFake) { c.before, c.lookErr = refusal, errTest }, http.StatusServiceUnavailable, CodeSettlementPending, StateUnknown},
		"it moved unseen":  {func(c *chainFake) { c.after, c.lookErr = refusal, errTest }, http.StatusServiceUnavailable, CodeSettlementPending, StateUnknown},
	} {
		for _, settle := range []price.Settle{price.SettleAfter, price.SettleBefore} {
			t.Run(name+", settle "+string(settle), func(t *testing.T) {
				t.Parallel()
				b := newBooth(t, nil)
				b.offer.Settle = settle
				b.chain.set(tt.fake)
				header := b.pay(2)
				b.wantAnswer(b.serve(b.request(header...)), tt.status, tt.code)
				b.wantState(tt.state)
				if tt.state != StateUnknown {
					return
				}
				// Once the chain can be seen the same payment is served, charged once.
				b.chain.set(func(c *chainFake) { c.before, c.after, c.lookErr = nil, nil, nil })
				b.wantPaid(b.serve(b.request(header...)))
				b.wantState(StateSettled)
				if _, moved := b.chain.counts(); moved != 1 || b.ran() != 1 {
					t.Errorf("got %d transfers and %d runs, want 1 and 1", moved, b.ran())
				}
			})
		}
	}
}
