package x402

import (
	"bytes"
	"cmp"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

func abiArguments(types ...string) (arguments abi.Arguments) {
	for _, name := range types {
		typ, err := abi.NewType(name, "", nil)
		if err != nil {
			panic(err)
		}
		arguments = append(arguments, abi.Argument{Type: typ})
	}
	return arguments
}

var wrapperArguments = abiArguments("address", "bytes", "bytes")

// wrap6492 encodes an ERC-6492 signature with go-ethereum's encoder.
func wrap6492(factory common.Address, deploy, inner []byte) []byte {
	packed, err := wrapperArguments.Pack(factory, deploy, inner)
	if err != nil {
		panic(err)
	}
	return append(packed, erc6492Suffix...)
}

func TestReadUndeployed(t *testing.T) {
	t.Parallel()
	factory := common.Address{7}
	good := wrap6492(factory, []byte("deploy it"), []byte("inner"))
	got, ok := readUndeployed(good)
	if !ok || got == nil || got.factory != factory || string(got.deploy) != "deploy it" || string(got.inner) != "inner" {
		t.Fatalf("got %+v, %t", got, ok)
	}
	for _, sig := range [][]byte{nil, make([]byte, 65), erc6492Suffix[1:]} {
		if got, ok := readUndeployed(sig); got != nil || !ok {
			t.Errorf("%x: got %+v, %t, want another kind of signature", sig, got, ok)
		}
	}
	edit := func(at int, b byte) []byte {
		bad := bytes.Clone(good)
		bad[at] = b
		return bad
	}
	for name, bad := range map[string][]byte{
		"suffix only":              erc6492Suffix,
		"no offsets":               append(make([]byte, 64), erc6492Suffix...),
		"more than an address":     edit(11, 1),
		"offset past the end":      edit(63, 0xff),
		"offset of 2^248":          edit(32, 1),
		"length past the end":      edit(127, 0xff),
		"length of 2^64":           edit(3*32+23, 1),
		"empty signature":          wrap6492(factory, nil, nil),
		"offset at the last bytes": edit(95, byte(len(good)-len(erc6492Suffix)-1)),
	} {
		if got, ok := readUndeployed(bad); ok {
			t.Errorf("%s: got %+v, want a refusal", name, got)
		}
	}
}

// FuzzReadUndeployed compares our decoder with go-ethereum's.
func FuzzReadUndeployed(f *testing.F) {
	f.Add(wrap6492(chain.WalletFactory, []byte("deploy"), make([]byte, 65)))
	f.Add(wrap6492(common.Address{}, nil, []byte{1}))
	f.Add(append(make([]byte, 96), erc6492Suffix...))
	f.Fuzz(func(t *testing.T, sig []byte) {
		got, ok := readUndeployed(sig)
		if got == nil {
			if want := !bytes.HasSuffix(sig, erc6492Suffix); ok != want {
				t.Fatalf("got %t, want %t", ok, want)
			}
			return
		}
		again, ok := readUndeployed(wrap6492(got.factory, got.deploy, got.inner))
		if !ok || again.factory != got.factory || !bytes.Equal(again.deploy, got.deploy) || !bytes.Equal(again.inner, got.inner) {
			t.Errorf("written again: got %+v, want %+v", again, got)
		}
		want, err := wrapperArguments.Unpack(bytes.TrimSuffix(sig, erc6492Suffix))
		if err != nil {
			return // go-ethereum also requires the padding
		}
		if want[0] != got.factory || !bytes.Equal(want[1].([]byte), got.deploy) || !bytes.Equal(want[2].([]byte), got.inner) {
			t.Errorf("got %+v, want %v", got, want)
		}
	})
}

// TestAggregate3Call compares the packing with the contract's ABI.
func TestAggregate3Call(t *testing.T) {
	t.Parallel()
	contract, err := chain.LoadContract("DevMulticall")
	if err != nil {
		t.Fatal(err)
	}
	type call struct {
		Target       common.Address
		AllowFailure bool
		CallData     []byte
	}
	calls := []call{{common.Address{1}, true, []byte("five.")}, {common.Address{2}, false, nil}, {common.Address{3}, true, make([]byte, 64)}}
	var ours []call3
	for n := range len(calls) + 1 {
		want, err := contract.ABI.Pack("aggregate3", calls[:n])
		if err != nil {
			t.Fatal(err)
		}
		if got := aggregate3Call(ours...); !bytes.Equal(got, want) {
			t.Errorf("%d calls: got %x, want %x", n, got, want)
		}
		if n < len(calls) {
			ours = append(ours, call3{target: calls[n].Target, mayFail: calls[n].AllowFailure, data: calls[n].CallData})
		}
	}
	if multicall3 != chain.Multicall {
		t.Errorf("address: got %s, want %s", multicall3, chain.Multicall)
	}
}

type multicallResult struct {
	Success    bool
	ReturnData []byte
}

func TestAggregate3Result(t *testing.T) {
	t.Parallel()
	contract, err := chain.LoadContract("DevMulticall")
	if err != nil {
		t.Fatal(err)
	}
	results := []multicallResult{{true, []byte("first")}, {false, []byte("reverted")}, {true, make([]byte, 40)}, {true, nil}}
	answer, err := contract.ABI.Methods["aggregate3"].Outputs.Pack(results)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		want := r.ReturnData
		if !r.Success {
			want = nil
		}
		if got, err := aggregate3Result(answer, i); err != nil || !bytes.Equal(got, want) {
			t.Errorf("result %d: got %x, %v, want %x", i, got, err, want)
		}
	}
	for name, bad := range map[string][]byte{
		"nothing": nil, "cut": answer[:len(answer)-33], "a word": make([]byte, 32), "far away": bytes.Repeat([]byte{0xff}, 256),
	} {
		if got, err := aggregate3Result(bad, 3); err == nil {
			t.Errorf("%s: got %x, want an error", name, got)
		}
	}
	if got, err := aggregate3Result(answer, 4); err == nil {
		t.Errorf("one more: got %x, want an error", got)
	}
}

func FuzzAggregate3Result(f *testing.F) {
	contract, err := chain.LoadContract("DevMulticall")
	if err != nil {
		f.Fatal(err)
	}
	outputs := contract.ABI.Methods["aggregate3"].Outputs
	answer, err := outputs.Pack([]multicallResult{{true, []byte("first")}, {true, make([]byte, 32)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(answer, 1)
	f.Add([]byte{}, 0)
	f.Fuzz(func(t *testing.T, answer []byte, index int) {
		if index < 0 {
			return
		}
		got, err := aggregate3Result(answer, index)
		if len(got) > len(answer) || err != nil && got != nil {
			t.Errorf("got %x, %v", got, err)
		}
	})
}

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
		sign func(p *payer, a *Authorization) []byte
		// prepare runs before the payment.
		prepare func(p *payer)
		units   uint64 // the payer's balance; 0: enough
		want    Code
	}{
		"deployed along":    {sign: func(p *payer, a *Authorization) []byte { return p.wrapped(chain.WalletFactory, p.sign(a)) }},
		"deployed by now":   {sign: func(p *payer, a *Authorization) []byte { return p.wrapped(chain.WalletFactory, p.sign(a)) }, prepare: (*payer).deployed},
		"foreign, deployed": {sign: func(p *payer, a *Authorization) []byte { return p.wrapped(chain.Multicall, p.sign(a)) }, prepare: (*payer).deployed},
		"without the form":  {sign: func(p *payer, a *Authorization) []byte { return p.sign(a) }, want: CodeSignature},
		"foreign factory": {
			sign: func(p *payer, a *Authorization) []byte { return p.wrapped(chain.Multicall, p.sign(a)) }, want: CodeUndeployed,
		},
		"token as factory": {
			sign: func(p *payer, a *Authorization) []byte { return p.wrapped(p.chain.Token(), p.sign(a)) }, want: CodeUndeployed,
		},
		"signed by another": {
			sign: func(p *payer, a *Authorization) []byte {
				return p.wrapped(chain.WalletFactory, signFor(p.T, newKey(p.T), a))
			}, want: CodeSignature,
		},
		"another wallet deployed": {sign: func(p *payer, a *Authorization) []byte {
			return p.undeployedWallet(1).wrapped(chain.WalletFactory, p.sign(a))
		}, want: CodeSignature},
		"no call of the factory": {sign: func(p *payer, a *Authorization) []byte {
			return wrap6492(chain.WalletFactory, []byte("?"), p.sign(a))
		}, want: CodeSignature},
		"poor by a unit": {
			sign:  func(p *payer, a *Authorization) []byte { return p.wrapped(chain.WalletFactory, p.sign(a)) },
			units: 9_999, want: CodeInsufficientFunds,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := c.undeployedWallet(cmp.Or(tt.units, payerUnits))
			if tt.prepare != nil {
				tt.prepare(p)
			}
			payment := p.pays(2, func(a *Authorization) []byte { return tt.sign(p, a) })
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
			if err != nil || settlement.Outcome != OutcomePaid {
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
	payment := p.pays(1, func(a *Authorization) []byte { return p.wrapped(chain.WalletFactory, p.sign(a)) })
	wantRefusal(t, verify(t, c.local, payment, c.req), CodeUndeployed)
}
