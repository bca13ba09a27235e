//go:build interop

package interop

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/anvil"
	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// The client programs, each around one published package, used as its documentation shows.
var (
	fetchV1   = client{"clients/x402-fetch.mjs", "x402-fetch", 1}
	axiosV1   = client{"clients/x402-axios.mjs", "x402-axios", 1}
	fetchV2   = client{"clients/fetch-v2.mjs", "@x402/fetch", 2}
	fetchV2V1 = client{"clients/fetch-v2-by-v1.mjs", "@x402/fetch", 1} // it sees a server of version 1
	clients   = []client{fetchV1, axiosV1, fetchV2, fetchV2V1}
)

type client struct {
	program string
	of      string // the package
	pays    int    // the protocol version
}

// TestStock shows that the published x402 packages work unchanged with the edge, on our own node and on anvil, on both
// networks.
func TestStock(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	for _, at := range []struct {
		name string
		open openFunc
		id   uint64
	}{
		{"dev chain", openDev, chain.BaseMainnet},
		{"anvil, 1 s blocks", openAnvil(time.Second), chain.BaseMainnet}, // a payment counts here only after one more block
		{"dev chain", openDev, chain.BaseSepolia},
		{"anvil", openAnvil(0), chain.BaseSepolia},
	} {
		network, ok := x402.KnownNetwork(fmt.Sprintf("eip155:%d", at.id))
		if !ok {
			t.Fatalf("chain %d is no known network", at.id)
		}
		t.Run(at.name+" "+network.Name, func(t *testing.T) {
			t.Parallel()
			c := s.newCell(t, at.name, at.open, network)
			t.Run("clients", c.testClients)
			t.Run("facilitators", c.testFacilitators)
			t.Run("caps", c.testCaps)
			t.Run("servers", c.testServers)
			if at.name == "dev chain" && at.id == chain.BaseSepolia {
				t.Run("scrape", c.testScrape)
			}
		})
	}
}

// stock is shared by all cells of the matrix.
type stock struct {
	binary   string
	programs map[string]*program

	mu   sync.Mutex
	rows map[string][]row // keyed by chain and network
	at   []string
}

// row is one purchase in the table that is logged at the end.
type row struct {
	client, what, settle, outcome string
	moved                         uint64
}

func newStock(t *testing.T) *stock {
	t.Helper()
	s := &stock{programs: make(map[string]*program), rows: make(map[string][]row)}
	var err error
	if s.binary, err = rig.Build(t.Context(), t.TempDir(), rig.Turnpike); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	t.Cleanup(func() { s.log(t, time.Since(began)) })
	for _, name := range []string{"facilitators/v1.mjs", "facilitators/v2.mjs", "servers/express-v1.mjs", "servers/express-v2.mjs"} {
		s.programs[name] = startProgram(t, name)
	}
	for _, c := range clients {
		s.programs[c.program] = startProgram(t, c.program)
	}
	return s
}

func (s *stock) add(at string, r row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows[at] == nil {
		s.at = append(s.at, at)
	}
	s.rows[at] = append(s.rows[at], r)
}

// log prints the purchases as a table.
func (s *stock) log(t *testing.T, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CHAIN\tNETWORK\tCLIENT\tOF\tSETTLED\tOUTCOME\tUNITS MOVED")
	count := 0
	for _, at := range s.at {
		for _, r := range s.rows[at] {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\n", at, r.client, r.what, r.settle, r.outcome, r.moved)
			count++
		}
	}
	_ = table.Flush() // a write to memory cannot fail
	t.Logf("%d purchases in %s\n%s", count, took.Round(time.Second), &text)
}

// cell is one chain with one network, the edge, and its upstream.
type cell struct {
	*place

	stock   *stock
	at      string // its name in the table
	network x402.Network
	up      *upstream
	edge    *rig.Edge
}

// The accounts that pay for gas: the edge's, and those of the stock facilitators.
const (
	accountEdge = iota
	accountFacilitatorV1
	accountFacilitatorV2
	accounts
)

func (s *stock) newCell(t *testing.T, node string, open openFunc, network x402.Network) *cell {
	t.Helper()
	c := &cell{
		place: newPlaceOn(t, s.binary, open, network.ChainID, accounts),
		stock: s, at: node + "\t" + network.Name, network: network, up: newUpstream(t),
	}
	c.edge = c.place.edge(t, accountEdge, c.up.address(), "", c.caddyfile(`facilitator local {
				rpc {env.BASE_RPC_URL}
				signer {env.SETTLER_KEY}
			}`))
	return c
}

// openAnvil starts anvil with a block every blockTime; 0 means a block at once for each transaction.
func openAnvil(blockTime time.Duration) openFunc {
	return func(t *testing.T, cfg chain.Config) (node, error) {
		t.Helper()
		return anvil.Start(t.Context(), anvil.Config{Dir: t.TempDir(), Chain: cfg, BlockTime: blockTime})
	}
}

// caddyfile configures an edge on the cell's network. Its facilitator also settles for shops with the same payee address.
func (c *cell) caddyfile(facilitator string) []byte {
	return fmt.Appendf(nil, `{
	admin off
	default_bind 127.0.0.1
	auto_https off
	persist_config off
	grace_period 10s
	turnpike {
		ledger postgres {env.DATABASE_URL}
		identity_secret {env.TURNPIKE_IDENTITY_SECRET}
		upstream http://{$BACKEND}
		x402 {
			pay_to {env.PAY_TO}
			network %s
			public_url {$RIG_PUBLIC_URL}
			%s
		}
	}
}

{$TURNPIKE_SITE} {
	handle_path /facilitator/* {
		x402_facilitator {
			pay_to {env.PAY_TO}
		}
	}
	handle /paid/* {
		x402 {
			price /paid/before/* 0.01 {
				settle before
				timeout 30s
			}
			price /paid/* 0.01 {
				timeout 30s
			}
		}
		reverse_proxy {$BACKEND}
	}
	handle {
		x402 {
			price upstream
		}
		reverse_proxy {$BACKEND}
	}
}
`, c.network.Name, facilitator)
}

// serve makes a server program listen and returns its address.
func (c *cell) serve(t *testing.T, program string, order map[string]any) string {
	t.Helper()
	var got struct{ Address, Error string }
	order["chainId"] = c.network.ChainID
	if err := c.stock.programs[program].ask(t.Context(), order, &got); err != nil {
		t.Fatal(err)
	}
	if got.Address == "" {
		t.Fatalf("%s: %s", program, got.Error)
	}
	return got.Address
}

// version returns a package's name and installed version.
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
	return name + " " + manifest.Version
}

func (c client) String() string {
	if c == fetchV2V1 {
		return "by a v1 body"
	}
	return fmt.Sprintf("by v%d", c.pays)
}

// networkID is the network's name in receipts of the client's protocol version.
func (c client) networkID(n x402.Network) string {
	if c.pays == 1 {
		return n.Name
	}
	return n.ID()
}

func hexKey(key []byte) string { return "0x" + hex.EncodeToString(key) }

// poorKey returns the key of an empty wallet.
func poorKey(t *testing.T) []byte {
	t.Helper()
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return crypto.FromECDSA(key)
}
