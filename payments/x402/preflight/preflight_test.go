package preflight

import (
	"context"
	"encoding/json"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/params"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/remote"
)

// wantFindings compares findings with lines of "ok|missing <name>: <text>". Each finding has to begin with its line, in
// this order.
func wantFindings(t *testing.T, got []Finding, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d findings: %+v, want %d", len(got), got, len(want))
	}
	for i, f := range got {
		line := "missing "
		if f.OK {
			line = "ok "
		}
		line += strings.TrimPrefix(f.Name, "x402 on base-sepolia: ") + ": " + f.Text
		if !strings.Contains(line, want[i]) {
			t.Errorf("got %q, want %q", line, want[i])
		}
	}
}

func TestExamine(t *testing.T) {
	t.Parallel()
	signer := x402test.AddressOf(x402test.NewKey(t))
	d := x402test.New(t, chain.Config{Accounts: []chain.Account{{Address: signer, Wei: big.NewInt(params.Ether)}}})
	payTo := d.Req.PayTo
	poor := x402test.AddressOf(x402test.NewKey(t))
	denied := x402test.AddressOf(x402test.NewKey(t))
	if err := d.Chain.Deny(t.Context(), denied); err != nil {
		t.Fatal(err)
	}
	const (
		node      = "ok node: answers, and is on chain 84532"
		token     = `ok token: 0x036CbD53842c5426634e7929541eC2318f3dCF7e, domain "USDC" version "2"`
		canBePaid = "can be paid"
		together  = "ok Multicall3: deployed"
		rate      = "ok eth_usd: the coin in which gas is paid is worth 1 USD"
	)
	good := Premises{Node: d.Node, Network: x402.BaseSepolia(), PayTo: payTo, Signers: []common.Address{signer}}
	good.Rate, _ = evm.KnownRate(x402.BaseSepolia())
	for name, tt := range map[string]struct {
		change func(*Premises)
		want   []string
	}{
		"all is well": {func(*Premises) {}, []string{
			node, token, "ok pay_to " + payTo.Hex() + ": " + canBePaid, together, rate, "ok settler " + signer.Hex() + ": has 1 ETH for gas",
		}},
		"nobody settles here": {func(p *Premises) { p.Signers = nil }, []string{node, token, canBePaid}},
		"another chain": {func(p *Premises) { p.Network = x402.Base() }, []string{
			"missing x402 on base: node: the node is on chain 84532: want 8453",
		}},
		"the name of the token's twin": {func(p *Premises) { p.Network.TokenName = "USD Coin" }, []string{
			node, `missing token: token 0x036CbD53842c5426634e7929541eC2318f3dCF7e has domain separator`, together, rate, "ok settler",
		}},
		"an address without a token": {func(p *Premises) { p.Network.Asset = payTo }, []string{node, "missing token: token", together, rate, "ok settler"}},
		"a settler without gas": {func(p *Premises) { p.Signers = append(p.Signers, poor) }, []string{
			node, token, canBePaid, together, rate, "ok settler", "missing settler " + poor.Hex() + ": has 0 ETH for gas: refill it to 0.001 or more",
		}},
		"less gas than is wanted": {func(p *Premises) { p.BalanceMin = big.NewInt(5 * params.Ether / 2) }, []string{
			node, token, canBePaid, together, rate, "missing settler " + signer.Hex() + ": has 1 ETH for gas: refill it to 2.5 or more",
		}},
		"an address without a feed": {func(p *Premises) { p.Rate.Feed = payTo }, []string{
			node, token, canBePaid, together, "missing eth_usd: the price of gas in USD is not known: feed " + payTo.Hex() + ": no price feed is at this address", "ok settler",
		}},
		"paid to nobody":      {func(p *Premises) { p.PayTo = common.Address{} }, []string{node, token, "missing pay_to", together, rate, "ok settler"}},
		"paid to the settler": {func(p *Premises) { p.PayTo = signer }, []string{node, token, "this is also a signer", together, rate, "ok settler"}},
		"paid to the token":   {func(p *Premises) { p.PayTo = p.Network.Asset }, []string{node, token, "this is the token's contract", together, rate, "ok settler"}},
		"paid to Multicall3":  {func(p *Premises) { p.PayTo = evm.Multicall3 }, []string{node, token, "this is Multicall3", together, rate, "ok settler"}},
		"blocked by the token": {func(p *Premises) { p.PayTo = denied }, []string{
			node, token, "missing pay_to " + denied.Hex() + ": the token would reject a transfer to it", together, rate, "ok settler",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := good
			p.Signers = append([]common.Address(nil), good.Signers...)
			tt.change(&p)
			wantFindings(t, Examine(t.Context(), p), tt.want...)
		})
	}
}

// TestExamineContracts shows that a contract can be a recipient and that its owner is told what to check. An account
// with EIP-7702 code counts as a key's account.
func TestExamineContracts(t *testing.T) {
	t.Parallel()
	d := x402test.New(t, chain.Config{})
	for name, tt := range map[string]struct {
		code string
		want string
	}{
		"a contract":            {"0x6001", "it is a contract: make sure that it can transfer USDC"},
		"an account with code":  {"0xef0100" + strings.Repeat("11", 20), "ok pay_to " + d.Req.PayTo.Hex() + ": can be paid"},
		"an account without it": {"0x", "ok pay_to " + d.Req.PayTo.Hex() + ": can be paid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &x402test.Line{Node: d.Node}
			l.On("eth_getCode", func(_ context.Context, next func() error, result any, _ []any) error {
				if err := next(); err != nil {
					return err
				}
				return json.Unmarshal([]byte(`"`+tt.code+`"`), result)
			})
			got := Examine(t.Context(), Premises{Node: l, Network: x402.BaseSepolia(), PayTo: d.Req.PayTo})
			wantFindings(t, got, "ok node", "ok token", tt.want)
			if name != "a contract" && strings.Contains(got[2].Text, "contract") {
				t.Errorf("got %q, want no word of a contract", got[2].Text)
			}
		})
	}
}

// TestExamineKeepsTheNodesAddress: the address may contain a key, so findings must not show it.
func TestExamineKeepsTheNodesAddress(t *testing.T) {
	t.Parallel()
	node, err := evm.DialNode(t.Context(), "http://127.0.0.1:1/v2/hunter2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	got := Examine(t.Context(), Premises{Node: node, Network: x402.BaseSepolia()})
	wantFindings(t, got, "missing node: reading the node's chain id: reaching the node: ")
	if strings.Contains(got[0].Text, "hunter2") || !strings.Contains(got[0].Text, "refused") {
		t.Errorf("got %q, want the cause and not the address", got[0].Text)
	}
}

func TestExamineFacilitator(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"lists both": {
			x402test.Saying(200, `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:84532"},{"x402Version":1,"scheme":"exact","network":"base-sepolia"}]}`),
			"ok facilitator: answers, and lists the network",
		},
		"lists another": {
			x402test.Saying(200, `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}]}`),
			"missing facilitator: the facilitator does not list scheme exact on network base-sepolia in x402 version 1",
		},
		"wants a key": {x402test.Saying(401, `no`), "missing facilitator: asking the facilitator what it supports: the facilitator rejected the credentials"},
		"is away":     {x402test.Dropping, "missing facilitator: asking the facilitator what it supports: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(tt.handler)
			server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
			server.Start()
			t.Cleanup(server.Close)
			f, err := remote.New(remote.Config{URL: server.URL, Client: server.Client()})
			if err != nil {
				t.Fatal(err)
			}
			wantFindings(t, []Finding{ExamineFacilitator(t.Context(), f, x402.BaseSepolia())}, tt.want)
		})
	}
}

func TestFormatEther(t *testing.T) {
	t.Parallel()
	for wei, want := range map[string]string{
		"0": "0", "1": "0", "1000000000000": "0.000001", "1500000000000000000": "1.5", "1000000000000000000": "1", "20000000000000000000": "20",
	} {
		n, _ := new(big.Int).SetString(wei, 10)
		if got := formatEther(n); got != want {
			t.Errorf("%s wei: got %s, want %s", wei, got, want)
		}
	}
}
