package x402

import (
	"net/http"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/chain"
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
				c.has = Checked{Known: true, Balance: 1e9, Block: 1, Contract: contract}
				c.before = func() error { return refuse(CodeTransactionState, "it reverted") }
			})
			for range unpaidTriesMax {
				b.wantAnswer(b.serve(b.request(b.pay(2)...)), http.StatusPaymentRequired, CodeTransactionState)
			}
			a := b.serve(b.request(b.pay(2)...))
			b.wantAnswer(a, http.StatusPaymentRequired, CodeTransactionState)
			settles, _ := b.chain.counts()
			if got, want := settles == unpaidTriesMax && a.Header().Get("Retry-After") == "600", contract; got != want {
				t.Errorf("after %d failures: got %d settlements, Retry-After %q", unpaidTriesMax, settles, a.Header().Get("Retry-After"))
			}
		})
	}
}

// TestPayersWithCodeAreContracts includes accounts whose key has signed (EIP-7702) and wallets that are deployed as they pay.
func TestPayersWithCodeAreContracts(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	f := c.facilitator(c.node, chain.WalletFactory)
	undeployed := c.undeployedWallet(payerUnits)
	for name, tt := range map[string]struct {
		payer *payer
		sign  func(*Authorization) []byte
		want  bool
	}{
		"key":       {payer: c.account(payerUnits)},
		"contract":  {payer: c.contractWallet(), want: true},
		"delegated": {payer: c.delegatedAccount(chain.WalletCode), want: true},
		"not deployed": {payer: undeployed, want: true, sign: func(a *Authorization) []byte {
			return undeployed.wrapped(chain.WalletFactory, undeployed.sign(a))
		}},
	} {
		if tt.sign == nil {
			tt.sign = tt.payer.sign
		}
		seen, err := f.Verify(t.Context(), tt.payer.pays(2, tt.sign), c.req)
		if err != nil || seen.Contract != tt.want {
			t.Errorf("%s: got %+v, %v, want contract %v", name, seen, err, tt.want)
		}
	}
}
