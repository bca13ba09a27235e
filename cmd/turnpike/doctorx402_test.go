package main_test

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

// doctorLooksAtPayments checks that doctor finds settings with which every payment would be refused.
func doctorLooksAtPayments(t *testing.T, c *checkout) {
	node, err := chain.Start(t.Context(), chain.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = node.Close() })
	const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
	key := hex.EncodeToString(crypto.FromECDSA(node.Settler()))
	poor, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(c.Dir, "Shop")
	if err := os.WriteFile(file, []byte(`{
	turnpike {
		ledger postgres {env.DATABASE_URL}
		x402 {
			pay_to {env.SHOP}
			network base-sepolia
			facilitator local {
				rpc {env.BASE_RPC_URL}
				signer {env.SETTLER_KEY}
			}
		}
	}
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := []string{"PAY_TO=" + payTo, "SHOP=" + payTo, "BASE_RPC_URL=" + node.RPCURL(), "SETTLER_KEY=" + key, "X402_NETWORK=base-sepolia"}
	for name, tt := range map[string]struct {
		env  []string
		args []string
		code int
		want []string
	}{
		"nothing is set":     {nil, nil, 0, []string{`(?m)^missing +x402 payments +set PAY_TO, BASE_RPC_URL, SETTLER_KEY, or name`}},
		"one is not set":     {settings[:3], nil, 0, []string{`(?m)^missing +x402 payments +set SETTLER_KEY, or name`}},
		"the shipped one":    {settings, nil, 0, []string{`(?m)^ok +x402 on base-sepolia: node `, `(?m)^ok +x402 on base-sepolia: settler 0x\w+ +has \d+`, `pay_to ` + payTo + ` +can be paid`}},
		"another network":    {settings[:4], nil, 0, []string{`(?m)^missing +x402 on base: node +the node is on chain 84532: want 8453`}},
		"one's own":          {settings, []string{"--config", file}, 0, []string{`(?m)^ok +x402 on base-sepolia: token `}},
		"one's own, no gas":  {append(settings[:3:3], "SETTLER_KEY="+hex.EncodeToString(crypto.FromECDSA(poor))), []string{"--config", file}, 1, []string{`(?m)^missing +x402 .* has 0 ETH for gas: refill it`}},
		"one's own, not set": {settings[:1], []string{"--config", file}, 1, []string{`(?m)^missing +x402 payments .*pay_to: evaluated placeholder {env.SHOP} is empty`}},
		"a file that is not": {settings, []string{"--config", file + "x"}, 1, []string{`(?m)^missing +x402 payments .*no such file`}},
		"a node with a key":  {append(settings[:2:2], "BASE_RPC_URL=http://127.0.0.1:1/hunter2", "SETTLER_KEY="+key), []string{"--config", file}, 1, []string{`(?m)^missing +x402 on base-sepolia: node .*reaching the node`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.with(tt.env...).Turnpike(t, append([]string{"doctor"}, tt.args...)...)
			for _, want := range tt.want {
				if got.Code != tt.code || !regexp.MustCompile(want).MatchString(got.Stdout) {
					t.Errorf("got %d\n%s%s, want %d and %s", got.Code, got.Stdout, got.Stderr, tt.code, want)
				}
			}
			if all := got.Stdout + got.Stderr; strings.Contains(all, "hunter2") || strings.Contains(all, key) {
				t.Errorf("got a secret in\n%s", all)
			}
		})
	}
}
