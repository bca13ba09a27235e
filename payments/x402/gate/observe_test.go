package gate

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

func TestObserver(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(b *booth)
		want []string
	}{
		{"no payment", func(b *booth) { b.serve(b.request()) }, []string{"challenged"}},
		{"paid", func(b *booth) {
			b.chain.before = func() error { b.clock.Advance(time.Second); return nil }
			b.serve(b.request(b.pay(2)...))
		}, []string{"verified  0s", "settled settled 1s"}},
		{"a copy is not judged again", func(b *booth) {
			header := b.pay(1)
			b.serve(b.request(header...))
			b.serve(b.request(header...))
		}, []string{"verified  0s", "settled settled 0s"}},
		{
			"no payment at all in the header", func(b *booth) { b.serve(b.request(x402.HeaderPaymentV1, "e30=")) },
			[]string{"verified invalid_x402_version 0s"},
		},
		{"wrong amount", func(b *booth) {
			header := b.pay(1)
			b.offer.Amount++
			b.serve(b.request(header...))
		}, []string{"verified invalid_exact_evm_payload_authorization_value 0s"}},
		{"refused by the chain", func(b *booth) {
			b.chain.refuse = x402.Refuse(x402.CodeInsufficientFunds, "poor")
			b.serve(b.request(b.pay(2)...))
		}, []string{"verified insufficient_funds 0s"}},
		{"budget used up", func(b *booth) {
			b.chain.has = x402.Checked{Gas: 2, GasBudget: 1}
			b.serve(b.request(b.pay(2)...))
		}, []string{"verified unexpected_verify_error 0s", "gas refused: budget"}},
		{"settlement refused", func(b *booth) {
			b.chain.before = func() error { return x402.Refuse(x402.CodeTransactionState, "no") }
			b.serve(b.request(b.pay(2)...))
		}, []string{"verified  0s", "settled refused 0s"}},
		{"settlement not sent", func(b *booth) {
			b.chain.before = func() error { return fmt.Errorf("%w: no node", x402.ErrUnavailable) }
			b.serve(b.request(b.pay(2)...))
		}, []string{"verified  0s", "settled unavailable 0s"}},
		{"settlement of unknown outcome", func(b *booth) {
			b.chain.lookErr = errTest
			b.chain.after = func() error { return errTest }
			b.serve(b.request(b.pay(2)...))
		}, []string{"verified  0s", "settled unknown 0s"}},
		{"found on the chain", func(b *booth) {
			b.chain.after = func() error { return errTest }
			b.serve(b.request(b.pay(2)...))
		}, []string{"verified  0s", "settled settled 0s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got x402test.Notes
			tt.do(newBooth(t, func(c *Config) { c.Observer = &got }))
			if !slices.Equal(got.Said, tt.want) {
				t.Errorf("got %q, want %q", got.Said, tt.want)
			}
		})
	}
}
