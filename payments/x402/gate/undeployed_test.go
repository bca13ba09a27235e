package gate

import (
	"cmp"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// undeployedTown is a town whose facilitator may call the wallet factory there.
func undeployedTown(t *testing.T) (*town, *LocalFacilitator, *countingRPC) {
	t.Helper()
	c := newTown(t)
	node := &countingRPC{RPC: c.local.rpc}
	return c, c.facilitator(node, chain.WalletFactory), node
}

// TestUndeployedWallets shows that a payer without code pays in the transaction that deploys its wallet, and only
// through a factory on our list.
func TestUndeployedWallets(t *testing.T) {
	t.Parallel()
	c, f, _ := undeployedTown(t)
	for name, tt := range map[string]struct {
		// sign signs as a wallet that is not deployed.
		sign func(p *payer, a *x402.Authorization) []byte
		// prepare runs before the payment.
		prepare func(p *payer)
		units   uint64 // the payer's balance; 0: enough
		want    x402.Code
	}{
		"deployed along":    {sign: func(p *payer, a *x402.Authorization) []byte { return p.wrapped(chain.WalletFactory, p.sign(a)) }},
		"deployed by now":   {sign: func(p *payer, a *x402.Authorization) []byte { return p.wrapped(chain.WalletFactory, p.sign(a)) }, prepare: (*payer).deployed},
		"foreign, deployed": {sign: func(p *payer, a *x402.Authorization) []byte { return p.wrapped(chain.Multicall, p.sign(a)) }, prepare: (*payer).deployed},
		"without the form":  {sign: func(p *payer, a *x402.Authorization) []byte { return p.sign(a) }, want: x402.CodeSignature},
		"foreign factory": {
			sign: func(p *payer, a *x402.Authorization) []byte { return p.wrapped(chain.Multicall, p.sign(a)) }, want: x402.CodeUndeployed,
		},
		"token as factory": {
			sign: func(p *payer, a *x402.Authorization) []byte { return p.wrapped(p.chain.Token(), p.sign(a)) }, want: x402.CodeUndeployed,
		},
		"signed by another": {
			sign: func(p *payer, a *x402.Authorization) []byte {
				return p.wrapped(chain.WalletFactory, signFor(p.T, newKey(p.T), a))
			}, want: x402.CodeSignature,
		},
		"another wallet deployed": {sign: func(p *payer, a *x402.Authorization) []byte {
			return p.undeployedWallet(1).wrapped(chain.WalletFactory, p.sign(a))
		}, want: x402.CodeSignature},
		"no call of the factory": {sign: func(p *payer, a *x402.Authorization) []byte {
			return wrap6492(chain.WalletFactory, []byte("?"), p.sign(a))
		}, want: x402.CodeSignature},
		"poor by a unit": {
			sign:  func(p *payer, a *x402.Authorization) []byte { return p.wrapped(chain.WalletFactory, p.sign(a)) },
			units: 9_999, want: x402.CodeInsufficientFunds,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := c.undeployedWallet(cmp.Or(tt.units, payerUnits))
			if tt.prepare != nil {
				tt.prepare(p)
			}
			payment := p.pays(2, func(a *x402.Authorization) []byte { return tt.sign(p, a) })
			before := c.balance(c.req.PayTo)
			_, err := f.Verify(t.Context(), payment, c.req)
			_, settleErr := f.Settle(t.Context(), payment, c.req)
			moved := c.balance(c.req.PayTo) - before
			if tt.want != "" {
				wantRefusal(t, err, tt.want)
				wantRefusal(t, settleErr, tt.want)
				if moved != 0 {
					t.Errorf("moved: got %d, want nothing", moved)
				}
				return
			}
			if err != nil || settleErr != nil || moved != 10_000 {
				t.Fatalf("got %v and %v, moved %d, want 10000", err, settleErr, moved)
			}
			code, err := c.chain.Client().CodeAt(t.Context(), p.address, nil)
			if err != nil || len(code) == 0 {
				t.Errorf("code of the wallet: got %x, %v, want some", code, err)
			}
			settlement, err := f.Lookup(t.Context(), payment, c.req, f.now())
			if err != nil || settlement.Outcome != x402.OutcomePaid {
				t.Errorf("lookup: got %+v, %v, want paid", settlement, err)
			}
		})
	}
}

// TestUndeployedWithoutAList shows that no factory is called unless the operator has listed it.
func TestUndeployedWithoutAList(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	p := c.undeployedWallet(payerUnits)
	payment := p.pays(1, func(a *x402.Authorization) []byte { return p.wrapped(chain.WalletFactory, p.sign(a)) })
	wantRefusal(t, verify(t, c.local, payment, c.req), x402.CodeUndeployed)
}
