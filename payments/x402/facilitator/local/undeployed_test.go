package local

import (
	"cmp"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// undeployedTown is a town whose facilitator may call the wallet factory there.
func undeployedTown(t *testing.T) (*town, *Facilitator, *x402test.CountingNode) {
	t.Helper()
	c := newTown(t)
	node := &x402test.CountingNode{Node: c.Node}
	return c, c.facilitator(node, chain.WalletFactory), node
}

// TestUndeployedWallets shows that a payer without code pays in the transaction that deploys its wallet, and only
// through a factory on our list.
func TestUndeployedWallets(t *testing.T) {
	t.Parallel()
	c, f, _ := undeployedTown(t)
	for name, tt := range map[string]struct {
		// sign signs as a wallet that is not deployed.
		sign func(p *x402test.Payer, a *x402.Authorization) []byte
		// prepare runs before the payment.
		prepare func(p *x402test.Payer)
		units   uint64 // the payer's balance; 0: enough
		want    x402.Code
	}{
		"deployed along": {sign: func(p *x402test.Payer, a *x402.Authorization) []byte {
			return p.Wrapped(chain.WalletFactory, p.Sign(a))
		}},
		"deployed by now": {sign: func(p *x402test.Payer, a *x402.Authorization) []byte {
			return p.Wrapped(chain.WalletFactory, p.Sign(a))
		}, prepare: (*x402test.Payer).Deployed},
		"foreign, deployed": {sign: func(p *x402test.Payer, a *x402.Authorization) []byte { return p.Wrapped(chain.Multicall, p.Sign(a)) }, prepare: (*x402test.Payer).Deployed},
		"without the form":  {sign: func(p *x402test.Payer, a *x402.Authorization) []byte { return p.Sign(a) }, want: x402.CodeSignature},
		"foreign factory": {
			sign: func(p *x402test.Payer, a *x402.Authorization) []byte { return p.Wrapped(chain.Multicall, p.Sign(a)) }, want: x402.CodeUndeployed,
		},
		"token as factory": {
			sign: func(p *x402test.Payer, a *x402.Authorization) []byte { return p.Wrapped(p.Chain.Token(), p.Sign(a)) }, want: x402.CodeUndeployed,
		},
		"signed by another": {
			sign: func(p *x402test.Payer, a *x402.Authorization) []byte {
				return p.Wrapped(chain.WalletFactory, x402test.SignFor(p, x402test.NewKey(p), a))
			}, want: x402.CodeSignature,
		},
		"another wallet deployed": {sign: func(p *x402test.Payer, a *x402.Authorization) []byte {
			return p.UndeployedWallet(1).Wrapped(chain.WalletFactory, p.Sign(a))
		}, want: x402.CodeSignature},
		"no call of the factory": {sign: func(p *x402test.Payer, a *x402.Authorization) []byte {
			return x402test.Wrap6492(chain.WalletFactory, []byte("?"), p.Sign(a))
		}, want: x402.CodeSignature},
		"poor by a unit": {
			sign: func(p *x402test.Payer, a *x402.Authorization) []byte {
				return p.Wrapped(chain.WalletFactory, p.Sign(a))
			},
			units: 9_999, want: x402.CodeInsufficientFunds,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := c.UndeployedWallet(cmp.Or(tt.units, x402test.PayerUnits))
			if tt.prepare != nil {
				tt.prepare(p)
			}
			payment := p.Pays(2, func(a *x402.Authorization) []byte { return tt.sign(p, a) })
			before := c.Balance(c.Req.PayTo)
			_, err := f.Verify(t.Context(), payment, c.Req)
			_, settleErr := f.Settle(t.Context(), payment, c.Req)
			moved := c.Balance(c.Req.PayTo) - before
			if tt.want != "" {
				x402test.WantRefusal(t, err, tt.want)
				x402test.WantRefusal(t, settleErr, tt.want)
				if moved != 0 {
					t.Errorf("moved: got %d, want nothing", moved)
				}
				return
			}
			if err != nil || settleErr != nil || moved != 10_000 {
				t.Fatalf("got %v and %v, moved %d, want 10000", err, settleErr, moved)
			}
			code, err := c.Chain.Client().CodeAt(t.Context(), p.Address, nil)
			if err != nil || len(code) == 0 {
				t.Errorf("code of the wallet: got %x, %v, want some", code, err)
			}
			settlement, err := f.Lookup(t.Context(), payment, c.Req, f.now())
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
	p := c.UndeployedWallet(x402test.PayerUnits)
	payment := p.Pays(1, func(a *x402.Authorization) []byte { return p.Wrapped(chain.WalletFactory, p.Sign(a)) })
	x402test.WantRefusal(t, x402test.Verify(t, c.local, payment, c.Req), x402.CodeUndeployed)
}
