package gate

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// TestRefusalsAreHeldAgainstTheChain shows that a facilitator's refusal ends a claim only if the chain does not contradict it.
func TestRefusalsAreHeldAgainstTheChain(t *testing.T) {
	t.Parallel()
	refusal := func() error { return x402.Refuse(x402.CodeInsufficientFunds, "no") }
	for name, tt := range map[string]struct {
		fake   func(*chainFake)
		status int
		code   x402.Code
		state  claims.State
	}{
		"nothing moved":    {func(c *chainFake) { c.before = refusal }, http.StatusPaymentRequired, x402.CodeInsufficientFunds, claims.StateFailed},
		"it moved":         {func(c *chainFake) { c.after = refusal }, http.StatusOK, "", claims.StateSettled},
		"nobody could see": {func(c *chainFake) { c.before, c.lookErr = refusal, errTest }, http.StatusServiceUnavailable, x402.CodeSettlementPending, claims.StateUnknown},
		"it moved unseen":  {func(c *chainFake) { c.after, c.lookErr = refusal, errTest }, http.StatusServiceUnavailable, x402.CodeSettlementPending, claims.StateUnknown},
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
				if tt.state != claims.StateUnknown {
					return
				}
				// Once the chain can be read, the same payment is served, charged once.
				b.chain.set(func(c *chainFake) { c.before, c.after, c.lookErr = nil, nil, nil })
				b.wantPaid(b.serve(b.request(header...)))
				b.wantState(claims.StateSettled)
				if _, moved := b.chain.counts(); moved != 1 || b.ran() != 1 {
					t.Errorf("got %d transfers and %d runs, want 1 and 1", moved, b.ran())
				}
			})
		}
	}
}

// TestRunsThatCostNothing: an upstream that repeats an earlier response states a cost of 0. Then nothing is charged:
// the payment is released or, if it was settled, owed back. Any other stated cost changes nothing.
func TestRunsThatCostNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, cost string
		settle     price.Settle
		bytes      int
		state      claims.State
		moved      int
	}{
		{"a replay", "0", price.SettleAfter, 6, claims.StateReleased, 0},
		{"a large replay", "0", price.SettleAfter, 3000, claims.StateReleased, 0},
		{"a replay that was paid", "0", price.SettleBefore, 6, claims.StateRefundDue, 1},
		{"a large replay that was paid", "0", price.SettleBefore, 3000, claims.StateRefundDue, 1},
		{"the price", "10000", price.SettleAfter, 6, claims.StateSettled, 1},
		{"less", "1", price.SettleAfter, 6, claims.StateSettled, 1},
		{"no number", "00", price.SettleAfter, 6, claims.StateSettled, 1},
		{"no statement", "", price.SettleBefore, 6, claims.StateSettled, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, func(c *Config) { c.ResponseBytesMax = 1000 })
			b.offer.Settle = tt.settle
			body := strings.Repeat("x", tt.bytes)
			b.next = func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
				if tt.cost != "" {
					w.Header().Set(edgewire.CostHeader, tt.cost)
				}
				_, err := io.WriteString(w, body)
				return err
			}
			header := b.pay(2)
			got := b.serve(b.request(header...))
			if got.Code != http.StatusOK || got.Body.String() != body || got.err != nil || got.Header().Get(edgewire.CostHeader) != "" {
				t.Fatalf("got %d %q, %v, %v, want the upstream's answer without its cost", got.Code, got.Body, got.err, got.Header())
			}
			b.wantState(tt.state)
			if _, moved := b.chain.counts(); moved != tt.moved {
				t.Errorf("got %d transfers, want %d", moved, tt.moved)
			}
			if receipt, err := x402.ReadReceipt(got.Result().Header); (receipt != nil) != (tt.moved > 0) {
				t.Errorf("got receipt %+v, %v, want one if and only if it was paid", receipt, err)
			}
			if tt.state != claims.StateReleased {
				return
			}
			// The payment can be used again.
			b.next = func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
				_, err := io.WriteString(w, "report")
				return err
			}
			b.wantPaid(b.serve(b.request(header...)))
			b.wantState(claims.StateSettled)
		})
	}
}
