package caddymodule

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/caddymodule/x402"
	"github.com/turnpike-edge/turnpike/dev/chain"
)

// TestExamineX402 shows that each network is checked at its own node and facilitator, and that no ledger is opened.
func TestExamineX402(t *testing.T) {
	c, err := chain.Start(t.Context(), chain.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	facilitator := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"},{"x402Version":1,"scheme":"exact","network":"base"}]}`)
	}))
	t.Cleanup(facilitator.Close)
	settler := crypto.PubkeyToAddress(c.Settler().PublicKey).Hex()
	t.Setenv("TURNPIKE_TEST_RPC", c.RPCURL())
	t.Setenv("TURNPIKE_TEST_SIGNER", hex.EncodeToString(crypto.FromECDSA(c.Settler())))
	t.Setenv("TURNPIKE_TEST_PAY_TO", settler)
	config := adaptConfig(t, `
{
	turnpike {
		ledger postgres {env.TURNPIKE_TEST_NONE}
		x402 {
			pay_to 0x209693Bc6afc0C5328bA36FaF03C514EF312287C
			network base-sepolia
			facilitator local {
				rpc {env.TURNPIKE_TEST_RPC}
				signer {env.TURNPIKE_TEST_SIGNER}
				balance_min 0.5
			}
			network base {
				pay_to {env.TURNPIKE_TEST_PAY_TO}
				facilitator http `+facilitator.URL+` {
					rpc {env.TURNPIKE_TEST_RPC}
				}
			}
		}
	}
}
`)
	found, err := x402.Examine(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range found {
		mark := "missing"
		if f.OK {
			mark = "ok"
		}
		got.WriteString(mark + " " + f.Name + ": " + f.Text + "\n")
	}
	for _, want := range []string{
		"ok x402 on base-sepolia: node: answers, and is on chain 84532\n",
		"ok x402 on base-sepolia: token: 0x036C",
		"ok x402 on base-sepolia: pay_to 0x209693Bc6afc0C5328bA36FaF03C514EF312287C: can be paid\n",
		"ok x402 on base-sepolia: settler " + settler + ": has ",
		"ok x402 on base: facilitator: answers, and lists the network\n",
		"missing x402 on base: node: the node is on chain 84532: want 8453\n",
	} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("got\n%s, want %q", got.String(), want)
		}
	}
	reload.Pool.Range(func(key, _ any) bool {
		t.Errorf("%v was opened", key)
		return true
	})
}

func TestExamineX402Faults(t *testing.T) {
	t.Parallel()
	if found, err := x402.Examine(t.Context(), []byte(`{"apps": {"http": {}}}`)); err != nil || found != nil {
		t.Errorf("no payments: got %v, %v, want nothing", found, err)
	}
	for name, tt := range map[string]struct{ config, want string }{
		"no JSON":          {`{`, "reading the configuration"},
		"no facilitator":   {`{"apps": {"turnpike": {"x402": {"pay_to": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"}}}}`, "x402 on base: facilitator: none configured"},
		"a slip in pay_to": {`{"apps": {"turnpike": {"x402": {"pay_to": "0x12"}}}}`, `pay_to: "0x12" is not an address`},
		"no such word":     {`{"apps": {"turnpike": {"x402": {"pay_to": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C", "facilitator": {"type": "x"}}}}}`, "loading facilitator"},
	} {
		if _, err := x402.Examine(t.Context(), []byte(tt.config)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}
