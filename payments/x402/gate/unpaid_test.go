package gate

import (
	"net/http"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// TestContractThatFailsIsRefused: a contract that passes every check and fails on the chain costs gas a few times, and
// is then refused before anything runs. Failures of key accounts cost their payers gas too, so they are not counted.
func TestContractThatFailsIsRefused(t *testing.T) {
	t.Parallel()
	for name, contract := range map[string]bool{"contract": true, "key": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			b.chain.set(func(c *chainFake) {
				c.has = x402.Checked{Known: true, Balance: 1e9, Block: 1, Contract: contract}
				c.before = func() error { return x402.Refuse(x402.CodeTransactionState, "it reverted") }
			})
			for range x402.UnpaidTriesMax {
				b.wantAnswer(b.serve(b.request(b.pay(2)...)), http.StatusPaymentRequired, x402.CodeTransactionState)
			}
			a := b.serve(b.request(b.pay(2)...))
			b.wantAnswer(a, http.StatusPaymentRequired, x402.CodeTransactionState)
			settles, _ := b.chain.counts()
			if got, want := settles == x402.UnpaidTriesMax && a.Header().Get("Retry-After") == "600", contract; got != want {
				t.Errorf("after %d failures: got %d settlements, Retry-After %q", x402.UnpaidTriesMax, settles, a.Header().Get("Retry-After"))
			}
		})
	}
}
