package gate

import (
	"net/http"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/x402test"
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

// TestPayersWithCodeAreContracts includes accounts whose key has signed (EIP-7702) and wallets that are deployed as they pay.
func TestPayersWithCodeAreContracts(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	f := c.facilitator(c.Node, chain.WalletFactory)
	undeployed := c.UndeployedWallet(x402test.PayerUnits)
	for name, tt := range map[string]struct {
		payer *x402test.Payer
		sign  func(*x402.Authorization) []byte
		want  bool
	}{
		"key":       {payer: c.Account(x402test.PayerUnits)},
		"contract":  {payer: c.ContractWallet(), want: true},
		"delegated": {payer: c.DelegatedAccount(chain.WalletCode), want: true},
		"not deployed": {payer: undeployed, want: true, sign: func(a *x402.Authorization) []byte {
			return undeployed.Wrapped(chain.WalletFactory, undeployed.Sign(a))
		}},
	} {
		if tt.sign == nil {
			tt.sign = tt.payer.Sign
		}
		seen, err := f.Verify(t.Context(), tt.payer.Pays(2, tt.sign), c.Req)
		if err != nil || seen.Contract != tt.want {
			t.Errorf("%s: got %+v, %v, want contract %v", name, seen, err, tt.want)
		}
	}
}
