package local

import (
	"testing"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// TestContractWallets shows that for a payer with code only its ERC-1271 answer counts.
func TestContractWallets(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	wallet := c.ContractWallet()

	foreign := wallet.Pays(2, c.Account(1).Sign)
	x402test.WantRefusal(t, x402test.Verify(t, c.local, foreign, c.Req), x402.CodeSignature)
	_, err := c.local.Settle(t.Context(), foreign, c.Req)
	x402test.WantRefusal(t, err, x402.CodeSignature)
	long := wallet.Pays(2, func(*x402.Authorization) []byte { return make([]byte, 100) })
	x402test.WantRefusal(t, x402test.Verify(t, c.local, long, c.Req), x402.CodeSignature)

	good := wallet.Pays(2, wallet.Sign)
	if _, err := c.local.Verify(t.Context(), good, c.Req); err != nil {
		t.Fatalf("verify: %v", err)
	}
	if _, err := c.local.Settle(t.Context(), good, c.Req); err != nil {
		t.Fatalf("settle: %v", err)
	}
	if got := c.Balance(c.Req.PayTo); got != 10_000 {
		t.Errorf("moved: got %d, want 10000", got)
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
