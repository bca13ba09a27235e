package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/program"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/client"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/local"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// debtor is a shop on a dev chain that is paid before it delivers, and an operator's environment for it. A purchase of
// /fails is paid and not delivered, so a refund is due.
type debtor struct {
	*testing.T
	*checkout

	chain *chain.Chain
	shop  string
	buyer *client.Buyer
}

func newDebtor(t *testing.T) *debtor {
	t.Helper()
	c, err := chain.Start(t.Context(), chain.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	url := pgtest.New(t, migrate)
	pool := pgtest.Open(t, url, nil)
	node, err := rpc.DialContext(t.Context(), c.RPCURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	local, err := local.New(local.Config{RPC: node, Network: x402.BaseSepolia(), Signers: signer.Keys(c.Settler()), Outbox: outbox.NewPostgres(pool, uuid.Nil), PollInterval: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = local.Close(context.Background()) })
	treasury, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	process := gate.NewProcess(gate.Alone())
	if _, err := pool.Exec(t.Context(), `insert into edge (id) values ($1)`, process.ID()); err != nil {
		t.Fatal(err)
	}
	paid, err := gate.NewGate(gate.Config{
		Store: claims.NewPostgres(pool, process.ID()), Process: process, Facilitator: local,
		Accepts: []gate.Acceptance{{Network: x402.BaseSepolia(), PayTo: crypto.PubkeyToAddress(treasury.PublicKey)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		offer := x402.Offer{
			Amount: 10_000, Resource: "http://" + r.Host + r.RequestURI, Operation: "report", Settle: price.SettleBefore, UpstreamTimeout: 10 * time.Second,
		}
		err := paid.Serve(w, r, offer, nil, func(w http.ResponseWriter, r *http.Request, _ x402.Claim) error {
			if r.URL.Path == "/fails" {
				w.WriteHeader(http.StatusInternalServerError)
			}
			_, err := io.WriteString(w, "report")
			return err
		})
		if err != nil {
			t.Errorf("serving: %v", err)
		}
	}))
	t.Cleanup(shop.Close)
	buyer, err := client.New(client.Config{Client: shop.Client(), Key: c.Wallet()})
	if err != nil {
		t.Fatal(err)
	}
	place := newCheckout(t)
	for name, key := range map[string][]byte{"treasury.key": crypto.FromECDSA(treasury), "settler.key": crypto.FromECDSA(c.Settler())} {
		if err := os.WriteFile(filepath.Join(place.Dir, name), fmt.Appendf(nil, "0x%x\n", key), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &debtor{
		T: t, checkout: place.with("DATABASE_URL="+url, "X402_RPC_URL_84532="+c.RPCURL()), chain: c, shop: shop.URL, buyer: buyer,
	}
}

// buy pays for a path of the shop and returns the transaction.
func (d *debtor) buy(path string) string {
	d.Helper()
	req, err := http.NewRequestWithContext(d.Context(), http.MethodGet, d.shop+path, nil)
	if err != nil {
		d.Fatal(err)
	}
	bought, err := d.buyer.Do(req)
	if err != nil {
		d.Fatal(err)
	}
	defer bought.Response.Body.Close()
	if _, err := io.Copy(io.Discard, bought.Response.Body); err != nil {
		d.Fatal(err)
	}
	if bought.Receipt == nil || !bought.Receipt.Success {
		d.Fatalf("buying %s: got %s, receipt %+v", path, bought.Response.Status, bought.Receipt)
	}
	return bought.Receipt.Transaction
}

func (d *debtor) says(want string, args ...string) string {
	d.Helper()
	got := d.Turnpike(d.T, args...)
	if got.Code != 0 || !regexp.MustCompile(want).MatchString(got.Stdout) {
		d.Errorf("turnpike %q: got %d %q %q, want 0 and %s", args, got.Code, got.Stdout, got.Stderr, want)
	}
	return got.Stdout
}

func (d *debtor) json(into any, args ...string) {
	d.Helper()
	got := d.Turnpike(d.T, args...)
	if err := json.Unmarshal([]byte(got.Stdout), into); err != nil || got.Code != 0 {
		d.Fatalf("turnpike %q: got %d %q %q, %v", args, got.Code, got.Stdout, got.Stderr, err)
	}
}

func (d *debtor) wantBalance(want uint64) {
	d.Helper()
	got, err := d.chain.Balance(d.Context(), d.buyer.Address())
	if err != nil || got != want {
		d.Errorf("the payer has %d, %v, want %d", got, err, want)
	}
}

type owed struct{ Claim, From, To, Amount, Units, Nonce, Asset, Network, Note string }

const walletUnits = 1_000_000_000

// payArgs is the command that pays refunds with the key files.
var payArgs = []string{"payments", "refunds", "pay", "--key-file", "treasury.key", "--settler-key-file", "settler.key"}

// A refund that is due is listed and paid once. Afterwards claims, ledger and chain agree.
func TestRefundsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	d := newDebtor(t)
	d.says(`^Nothing is owed\.\n$`, "payments", "refunds")
	d.says(`^There are no x402 payments yet\.\n$`, "payments", "list")
	d.says(`^\[\]\n$`, "payments", "list", "--json")
	d.buy("/fails")
	d.buy("/fails")
	good := d.buy("/works")
	d.wantBalance(walletUnits - 30_000)
	d.says(`(?s)CLAIM +USDC +PAYER.*0\.01 +`+d.buyer.Address().Hex()+`.*\n0\.02 USDC are owed for 2 claims\.\n$`, "payments", "refunds")
	var due []owed
	d.json(&due, "payments", "refunds", "export")
	if len(due) != 2 || due[0].Amount != "0.01" || due[0].Units != "10000" || due[0].To != d.buyer.Address().Hex() || due[0].Network != "eip155:84532" || len(due[0].Nonce) != 66 {
		t.Fatalf("export: got %+v", due)
	}
	d.says(`^Claim `+due[0].Claim+` is refunded by transaction 0x[0-9a-f]{64}\n$`, append(payArgs, due[0].Claim)...)
	d.wantBalance(walletUnits - 20_000)
	d.says(`^Claim `+due[0].Claim+` was already refunded by transaction 0x`, append(payArgs, due[0].Claim)...)
	d.says(`^Claim `+due[1].Claim+` is refunded by`, append(payArgs, "--all")...)
	d.says(`^Nothing is owed\.\n$`, append(payArgs, "--all")...)
	d.wantBalance(walletUnits - 10_000)

	var list []struct{ ID, State, Transaction, Amount, RefundTransaction string }
	d.json(&list, "payments", "list", "--json", "--state", "settled")
	if len(list) != 1 || list[0].Transaction != good || list[0].Amount != "0.01" {
		t.Fatalf("settled: got %+v", list)
	}
	d.says(`^Claim `+list[0].ID+` is now owed a refund\.\n$`, "payments", "refunds", "add", list[0].ID, "--note", "the report was empty")
	d.says(`^Claim `+list[0].ID+` was already owed a refund\.\n$`, "payments", "refunds", "add", list[0].ID, "--note", "again")
	d.says(`the report was empty`, "payments", "refunds")
	d.says(`is refunded by transaction`, append(payArgs, "--all")...)
	d.wantBalance(walletUnits)

	payer := strings.ToLower(d.buyer.Address().Hex())
	d.says(`(?s)^CLAIM +STATE.*(refunded +0\.01 +report.*){3}$`, "payments", "list", "--payer", payer, "--since", "1h", "--state", "refunded")
	none := d.says(`^No x402 payments match\.\n$`, "payments", "list", "--since", "2999-01-01")
	if one := d.Turnpike(t, "payments", "list", "--limit", "1"); !strings.Contains(one.Stderr, "There may be more than these 1") || len(one.Stdout) <= len(none) {
		t.Errorf("list of one: got %q %q", one.Stdout, one.Stderr)
	}
	if out := d.says("claims, ledger: no differences", "payments", "reconcile"); !strings.Contains(out, "claims, chain: no differences (3 claims since ") {
		t.Errorf("reconcile: got\n%s", out)
	}
	elsewhere := d.with("X402_RPC_URL_84532=", "BASE_RPC_URL="+d.chain.RPCURL()) // a node of another chain
	if got := elsewhere.Turnpike(t, "payments", "reconcile"); got.Code != 1 || !strings.Contains(got.Stdout, "the node is on chain 84532: want 8453") {
		t.Errorf("reconcile with a node of another chain: got %d %s", got.Code, got.Stdout)
	}
}

// If the program is killed while it pays refunds, the next run completes them: nothing is paid twice or forgotten.
func TestRefundsOfAKilledProgram(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"eth_estimateGas", "eth_sendRawTransaction", "eth_getTransactionReceipt"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			d := newDebtor(t)
			d.buy("/fails")
			arrived := make(chan struct{})
			slow := d.with("X402_RPC_URL_84532=" + holdRPC(t, d.chain.RPCURL(), method, arrived))
			p := slow.Start(t, "", "bin/turnpike", append(payArgs, "--all")...)
			select {
			case <-arrived:
			case <-p.Ended:
				t.Fatalf("ended by itself:\n%s%s", p.Stdout, p.Stderr)
			case <-time.After(program.StartTimeout):
				t.Fatalf("no %s came", method)
			}
			if err := p.Cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-p.Ended
			d.says(`^Claim \S+ (is refunded by|was already refunded by)`, append(payArgs, "--all")...)
			d.wantBalance(walletUnits)
			d.says("claims, chain: no differences", "payments", "reconcile")
		})
	}
}

// holdRPC is a proxy to a node. It forwards the first call of a method but never responds to it.
func holdRPC(t *testing.T, node, method string, arrived chan<- struct{}) string {
	t.Helper()
	target, err := url.Parse(node)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	held := make(chan struct{}, 1)
	held <- struct{}{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the program was killed
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"`+method+`"`)) {
			select {
			case <-held:
				proxy.ServeHTTP(httptest.NewRecorder(), r.Clone(t.Context()))
				close(arrived)
				<-r.Context().Done()
				return
			default:
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestRefundMistakes(t *testing.T) {
	t.Parallel()
	d := newDebtor(t)
	paid := d.buy("/works")
	var list []struct{ ID string }
	d.json(&list, "payments", "list", "--json")
	claim, unknown := list[0].ID, uuid.NewString()
	hash := "0x" + strings.Repeat("12", 32)
	if err := os.WriteFile(filepath.Join(d.Dir, "bad.key"), []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	refunds := func(args ...string) []string { return append([]string{"payments", "refunds"}, args...) }
	pay := func(args ...string) []string { return append(append([]string{}, payArgs...), args...) }
	// A group of subtests, so that its cases are complete before the next group begins.
	of := func(c *checkout, cases []wrong) { t.Run("refused", func(t *testing.T) { c.refuses(t, cases) }) }
	of(d.checkout, []wrong{
		{"no such command", refunds("send"), `unknown command "send" for "turnpike payments refunds"`},
		{"a state that is none", []string{"payments", "list", "--state", "paid"}, `--state "paid": want one of claimed, served`},
		{"a payer that is none", []string{"payments", "list", "--payer", "0x12"}, `--payer "0x12": want an address`},
		{"a payer with a slip", []string{"payments", "list", "--payer", "0x209693bC6afc0C5328bA36FaF03C514EF312287C"}, "its checksum is wrong"},
		{"a time that is none", []string{"payments", "list", "--since", "lately"}, `--since "lately": want a duration such as`},
		{"none at most", []string{"payments", "list", "--limit", "0"}, "--limit 0: want 1 to"},
		{"pay nothing", pay(), "nothing to pay: want claims"},
		{"pay one and all", pay("--all", claim), "claims and --all: want one of the two"},
		{"pay what is no claim", pay("first"), `claim "first": want an id such as`},
		{"pay without a treasury", refunds("pay", "--all"), "no treasury: give --key-file or set TURNPIKE_TREASURY_KEY"},
		{"pay without a settler", refunds("pay", "--all", "--key-file", "treasury.key"), "no settler: give --settler-key-file or set SETTLER_KEY"},
		{"pay from a bad file", refunds("pay", "--all", "--key-file", "bad.key"), "bad.key: want a private key of 64 hexadecimal digits, or a signer"},
		{"pay from another account", pay("--all", "--from", "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"), "the key belongs to 0x"},
		{"pay an unknown claim", pay(unknown), "claim " + unknown + ": no such claim"},
		{"pay what is not owed", pay(claim), "it is settled, and no refund is due"},
		{"add without a reason", refunds("add", claim), `required flag(s) "note" not set`},
		{"add with an empty reason", refunds("add", claim, "--note", " "), "--note: want the reason"},
		{"add an unknown claim", refunds("add", unknown, "--note", "x"), "claim " + unknown + ": no such claim"},
		{"mark without a transaction", refunds("mark", claim), `required flag(s) "transaction" not set`},
		{"mark by what is no hash", refunds("mark", claim, "--transaction", "0x12"), `--transaction "0x12": want a transaction's hash`},
		{"mark what is not owed", refunds("mark", claim, "--transaction", hash), "it is settled, and no refund is due"},
		{"mark from nobody", refunds("mark", claim, "--transaction", hash, "--from", "me"), `--from "me": want an address`},
	})
	d.says("is now owed a refund", "payments", "refunds", "add", claim, "--note", "x")
	of(d.checkout, []wrong{
		{"mark by no transaction", refunds("mark", claim, "--transaction", hash), "the chain has no transaction " + hash},
		{"mark by the payment", refunds("mark", claim, "--transaction", paid), "does not transfer 0.01 of"},
	})
	without := d.with("X402_RPC_URL_84532=")
	of(without, []wrong{
		{"pay without a node", pay("--all"), "no node is configured for this network: set BASE_RPC_URL, or X402_RPC_URL_<chain id>"},
		{"mark without a node", refunds("mark", claim, "--transaction", hash), "no node is configured for this network"},
	})
	of(d.with("X402_RPC_URL_84532=http://127.0.0.1:1/geheim"), []wrong{
		{"pay with a node that is away", pay("--all"), "reaching the node: dial tcp 127.0.0.1:1: connect: connection refused"},
	})
	if got := without.with("BASE_RPC_URL="+d.chain.RPCURL(), "X402_NETWORK=base-sepolia").Turnpike(t, pay("--all")...); got.Code != 0 {
		t.Errorf("with the node of the Caddyfile: got %d %s", got.Code, got.Stderr)
	}
	reconcile := []string{"payments", "reconcile"}
	of(d.with("X402_RPC_URL_base=http://127.0.0.1:1"), []wrong{{"a node of no chain", reconcile, "X402_RPC_URL_base: want a chain id after X402_RPC_URL_"}})
	of(d.with("BASE_RPC_URL=http://127.0.0.1:1", "X402_NETWORK=eip155:84532"), []wrong{{"a chain with two nodes", reconcile, "BASE_RPC_URL and X402_RPC_URL_84532 are both for chain 84532"}})
	of(d.with("X402_NETWORK=solana"), []wrong{{"a network that is none", reconcile, `X402_NETWORK is "solana": want base`}})
	of(d.with("X402_RPC_URL_84532=gopher://geheim"), []wrong{{"a node that cannot be reached so", reconcile, "X402_RPC_URL_84532: "}})
}
