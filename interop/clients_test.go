//go:build interop

package interop

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// clientTimeout bounds one run of a client: node starts, signs, and waits for a block.
const clientTimeout = 3 * time.Minute

// clients are the programs in clients/, each around one published package as its documentation has it.
var clients = []struct {
	program string
	of      string // the package
	network string // as its protocol version names it in receipts
}{
	{"x402-fetch.mjs", "x402-fetch", "base-sepolia"},
	{"x402-axios.mjs", "x402-axios", "base-sepolia"},
	{"fetch-v2.mjs", "@x402/fetch", "eip155:84532"},
	{"fetch-v2-config.mjs", "@x402/fetch", "eip155:84532"},
}

var purchases = []struct{ method, path, body string }{
	{http.MethodGet, "/paid/report?of=today", ""},
	{http.MethodPost, "/paid/reports", `{"url":"https://example.com/","formats":["markdown"]}`},
	{http.MethodPost, "/paid/before/reports", `{"url":"https://example.com/"}`},
}

// purchase is the line that a client program prints.
type purchase struct {
	Status  int
	Body    string
	Receipt *struct {
		Success     bool
		Transaction string
		Network     string
		Payer       string
	}
}

func TestStockClientsPay(t *testing.T) {
	t.Parallel()
	p := newPlace(t, 1)
	up := newUpstream(t)
	edge := p.edge(t, 0, up.address(), "", nil)
	table := newTable(t)
	for _, client := range clients {
		for _, buy := range purchases {
			t.Run(client.program+" "+buy.method+" "+buy.path, func(t *testing.T) {
				calls := up.calls.Load()
				got := p.buy(t, table, client.program, client.of, client.network, edge.URL(buy.path), buy.method, buy.body)
				checkAnswer(t, got, buy.method, buy.path, buy.body)
				if calls := up.calls.Load() - calls; calls != 1 {
					t.Errorf("calls of the upstream: got %d, want 1", calls)
				}
			})
		}
	}
}

// The whole product: the shipped Caddyfile in front of the web data service, and a page of this machine.
func TestStockClientsScrape(t *testing.T) {
	t.Parallel()
	p := newPlace(t, 1)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Tolls</title><h1>Tolls</h1><p>Paid at the <a href="/gate">gate</a>.</p>`)
	}))
	t.Cleanup(page.Close)
	_, port, err := net.SplitHostPort(page.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := os.ReadFile(filepath.Join("..", "Caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	backend, err := rig.StartBackend(ctx, rig.BackendConfig{
		Binary: p.binary, Dir: t.TempDir(), DatabaseURL: p.databaseURL, IdentitySecret: identitySecret, Port: port,
	})
	if err != nil {
		t.Fatal(err)
	}
	stopLater(t, "the backend", backend.Process, backend.Log)
	edge := p.edge(t, 0, backend.Address, "", shipped)
	table := newTable(t)
	body := fmt.Sprintf(`{"url_to_scrape":%q,"formats":["markdown"]}`, page.URL)
	for _, client := range clients {
		t.Run(client.program, func(t *testing.T) {
			got := p.buy(t, table, client.program, client.of, client.network, edge.URL("/x402/v1/scrapes"), http.MethodPost, body)
			if !strings.Contains(got.Body, "# Tolls") || !strings.Contains(got.Body, "/gate)") {
				t.Errorf("got %s, want the page as markdown", got.Body)
			}
		})
	}
}

// newTable returns a table of purchases that is printed when the test ends.
func newTable(t *testing.T) *tabwriter.Writer {
	t.Helper()
	var text bytes.Buffer
	rows := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "CLIENT\tREQUEST\tRESULT\tRECEIPT TX\tUNITS MOVED")
	t.Cleanup(func() {
		rows.Flush()
		t.Logf("\n%s", &text)
	})
	return rows
}

// buy lets a client program make a purchase, and fails the test unless that was served, with a receipt, for exactly
// the price.
func (p *place) buy(t *testing.T, table io.Writer, program, of, network, address, method, body string) *purchase {
	t.Helper()
	payer := chain.AddressOf(p.chain.Wallet())
	height, had, earned := p.height(t), p.balance(t, payer), p.balance(t, payTo)
	got := p.run(t, program, address, method, body)

	moved := p.balance(t, payTo) - earned
	tx := "none"
	if got.Receipt != nil {
		tx = got.Receipt.Transaction
	}
	path := address
	if u, err := url.Parse(address); err == nil {
		path = u.RequestURI()
	}
	fmt.Fprintf(table, "%s %s\t%s %s\t%d\t%s\t%d\n", of, version(t, of), method, path, got.Status, tx, moved)

	if got.Status != http.StatusOK {
		t.Fatalf("answer: got %d %s, want 200", got.Status, got.Body)
	}
	r := got.Receipt
	if r == nil || !r.Success || r.Network != network || common.HexToAddress(r.Payer) != payer {
		t.Fatalf("receipt: got %+v, want success on %s by %s", r, network, payer)
	}
	if spent := had - p.balance(t, payer); moved != priceUnits || spent != priceUnits {
		t.Errorf("units moved: got %d to the seller and %d from the wallet, want %d", moved, spent, priceUnits)
	}
	if receipt := p.receipt(t, tx); receipt.Status != types.ReceiptStatusSuccessful {
		t.Errorf("transaction %s of the receipt reverted", tx)
	}
	if moved := p.transfers(t, payer, height); len(moved) != 1 || moved[0].tx != common.HexToHash(tx) || moved[0].to != payTo {
		t.Errorf("transfers: got %+v, want one, in %s to %s", moved, tx, payTo)
	}
	return &got
}

// checkAnswer: the trivial upstream saw the request as the client made it.
func checkAnswer(t *testing.T, got *purchase, method, path, body string) {
	t.Helper()
	var said struct{ Method, Path, Body string }
	if err := json.Unmarshal([]byte(got.Body), &said); err != nil {
		t.Fatalf("body %q: %v", got.Body, err)
	}
	path, _, _ = strings.Cut(path, "?")
	if said.Method != method || said.Path != path || said.Body != body {
		t.Errorf("the upstream saw %+v, want %s %s %s", said, method, path, body)
	}
}

// run runs a client program to its end.
func (p *place) run(t *testing.T, program, address, method, body string) purchase {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), clientTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", filepath.Join("clients", program))
	cmd.Env = append(os.Environ(),
		"PAID_URL="+address, "PAID_METHOD="+method, "PAID_BODY="+body,
		"WALLET_KEY=0x"+hex.EncodeToString(crypto.FromECDSA(p.chain.Wallet())), "RPC_URL="+p.chain.RPCURL(),
	)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, &stderr)
	}
	var got purchase
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%s printed %q: %v", program, out, err)
	}
	return got
}

// version returns the version of an npm package that is installed.
func version(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("node_modules", filepath.FromSlash(name), "package.json"))
	if err != nil {
		t.Fatalf("%v (run scripts/install-needs interop)", err)
	}
	var manifest struct{ Version string }
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	return manifest.Version
}

func (p *place) receipt(t *testing.T, tx string) *types.Receipt {
	t.Helper()
	receipt, err := p.chain.Client().TransactionReceipt(t.Context(), common.HexToHash(tx))
	if errors.Is(err, ethereum.NotFound) {
		t.Fatalf("transaction %q of the receipt is not on the chain", tx)
	}
	if err != nil {
		t.Fatal(err)
	}
	return receipt
}
