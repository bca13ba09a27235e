package e2e

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/hex"
	"maps"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// faultRow plays one row of the table in the docs, and returns the outcomes for settle after and settle before, "—" if
// there is no such case.
type faultRow func(t *testing.T, b *faultBench) (after, before string)

// faultsPage has a table of what happens when something fails.
const faultsPage = "../../docs/x402-operation.md"

// faultRows returns the rows of that table.
func faultRows() map[string]faultRow {
	rows := map[string]faultRow{}
	for _, some := range []map[string]faultRow{remoteFaults(), nodeFaults(), kills(), timeFaults()} {
		maps.Copy(rows, some)
	}
	return rows
}

// rowsAtOnce is how many rows run at a time. Each mostly waits.
const rowsAtOnce = 8

// TestFaults plays every row of the docs' table on a running edge. It compares the table with what the client got, the
// payer's money and the runs of the upstream, according to the chain, the claims and `turnpike payments reconcile`.
func TestFaults(t *testing.T) {
	t.Parallel()
	b := newFaultBench(t)
	rows, documented := faultRows(), documentedFaults(t)
	for id := range rows {
		if _, isThere := documented[id]; !isThere {
			t.Errorf("fault %s is tested and not in the docs' table", id)
		}
	}
	places := make(chan struct{}, rowsAtOnce)
	var playing sync.WaitGroup
	for id, want := range documented {
		row := rows[id]
		if row == nil {
			t.Errorf("fault %s of the docs' table has no test", id)
			continue
		}
		playing.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			t.Run(id, func(t *testing.T) {
				var got [2]string
				got[0], got[1] = row(t, b)
				for i, settle := range []string{"after", "before"} {
					if got[i] != want[i] {
						t.Errorf("settle %s: got %q, the docs say %q", settle, got[i], want[i])
					}
				}
			})
		})
	}
	playing.Wait()
	b.remote.seeing.wantReconciled(t)
}

var faultRowPattern = regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\|[^|]*\\|([^|]*)\\|([^|]*)\\|$")

// documentedFaults reads the table: the outcomes for settle after and before, by row.
func documentedFaults(t *testing.T) map[string][2]string {
	t.Helper()
	text, err := os.ReadFile(faultsPage)
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## When something fails\n")
	if !found {
		t.Fatalf("%s does not say what happens when something fails", faultsPage)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	plain := strings.NewReplacer("`", "", "**", "")
	rows := map[string][2]string{}
	for _, m := range faultRowPattern.FindAllStringSubmatch(section, -1) {
		rows[m[1]] = [2]string{strings.TrimSpace(plain.Replace(m[2])), strings.TrimSpace(plain.Replace(m[3]))}
	}
	if named := strings.Count(section, "\n| `"); named != len(rows) {
		t.Errorf("%s: %d rows, and %d different faults with both outcomes", faultsPage, named, len(rows))
	}
	return rows
}

// faultBench is what all rows share.
type faultBench struct {
	*stack

	upstream *faultUpstream
	address  string // of the upstream
	settlers chan *ecdsa.PrivateKey
	remote   *remoteBench
}

// Accounts of a chain for faults.
const (
	faultPayers   = 200
	faultSettlers = 150
)

func newFaultBench(t *testing.T) *faultBench {
	t.Helper()
	b := &faultBench{upstream: &faultUpstream{patrons: map[string]*patron{}}}
	shared := setup(t)
	b.stack = &stack{binary: shared.binary, dir: shared.dir}
	b.startChain(t, faultPayers, faultSettlers, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, ConnContext: smallBuffer, Handler: b.upstream}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	b.address = l.Addr().String()
	b.remote = newRemoteBench(t, b)
	return b
}

// startChain starts the bench's own chain.
func (b *faultBench) startChain(t *testing.T, payers, settlers int, now func() time.Time) {
	t.Helper()
	b.wallets, b.settlers = make(chan *ecdsa.PrivateKey, payers), make(chan *ecdsa.PrivateKey, settlers)
	cfg := chain.Config{Now: now}
	key := func(to chan *ecdsa.PrivateKey, account chain.Account) {
		made, err := crypto.GenerateKey()
		if err != nil {
			t.Fatal(err)
		}
		to <- made
		account.Address = chain.AddressOf(made)
		cfg.Accounts = append(cfg.Accounts, account)
	}
	for range payers {
		key(b.wallets, chain.Account{MicroUSDC: walletUnits})
	}
	for range settlers {
		key(b.settlers, chain.Account{Wei: big.NewInt(params.Ether)})
	}
	var err error
	if b.chain, err = chain.Start(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.chain.Close() })
}

// newSettler returns an account with ether that nothing else uses.
func (b *faultBench) newSettler(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	select {
	case key := <-b.settlers:
		return key
	default:
		t.Fatalf("all settlers are used: make more of them")
		return nil
	}
}

// stillChain returns the bench on a new chain, which makes no block until the returned function is called.
func (b *faultBench) stillChain(t *testing.T) (*faultBench, func()) {
	t.Helper()
	var stopped atomic.Int64 // seconds
	own := *b
	own.stack = &stack{binary: b.binary, dir: b.dir}
	own.startChain(t, len(bothModes), settlersPerSite, func() time.Time {
		if at := stopped.Load(); at != 0 {
			return time.Unix(at, 0)
		}
		return time.Now()
	})
	newest, err := own.chain.Client().HeaderByNumber(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	stopped.Store(int64(newest.Time))
	return &own, func() { stopped.Store(0) }
}

// faultSite is one or more edges with their own database and settlers.
type faultSite struct {
	*stack

	bench    *faultBench
	upstream *faultUpstream
	line     *nodeLine
	options  string        // of x402 in its Caddyfile
	gone     chan struct{} // closed when its first edge is killed
	settler  *ecdsa.PrivateKey
	payTo    common.Address // the site's own address; its income is compared with the site's claims
}

// siteLostAfter is short, so that another edge soon takes over from a killed one. Other edges do not share a site.
const siteLostAfter = 2 * time.Second

const settlersPerSite = 2

// site creates a site. In options, LINE stands for the URL of the node's proxy, and SECOND for the second settler's key.
func (b *faultBench) site(t *testing.T, options string) *faultSite {
	t.Helper()
	s := &faultSite{stack: b.withDatabase(t), bench: b, upstream: b.upstream, line: newNodeLine(t, b.chain.RPCURL()), settler: b.newSettler(t), gone: make(chan struct{})}
	treasury, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	s.payTo = chain.AddressOf(treasury)
	key := filepath.Join(t.TempDir(), "settler")
	if err := os.WriteFile(key, []byte(hex.EncodeToString(crypto.FromECDSA(b.newSettler(t)))), 0o600); err != nil {
		t.Fatal(err)
	}
	s.options = strings.NewReplacer("LINE", s.line.server.URL, "SECOND", "{file."+key+"}").Replace(options)
	return s
}

// localOptions let the edge settle itself, with two settlers, so that one payment does not wait for the other.
const localOptions = `
			facilitator local {
				rpc LINE
				signer {env.SETTLER_KEY}
				signer SECOND
			}`

// faultPublicURL is the same for all edges of a site, because payments are bound to it.
const faultPublicURL = "http://faults.example.test"

func (s *faultSite) start(t *testing.T) *rig.Edge {
	t.Helper()
	config, err := os.ReadFile("testdata/faults.Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dir := t.TempDir()
	edge, err := rig.StartEdge(ctx, rig.EdgeConfig{
		Binary: s.binary, Dir: dir, Caddyfile: bytes.Replace(config, []byte("\t\t\tOPTIONS"), []byte(s.options), 1), Upstream: s.bench.address,
		DatabaseURL: s.databaseURL, RPCURL: s.line.server.URL, Settler: s.settler, PayTo: s.payTo, IdentitySecret: identitySecret,
		PublicURL: faultPublicURL, LostAfter: siteLostAfter,
	})
	if err != nil {
		logs, _ := filepath.Glob(filepath.Join(dir, "*.log"))
		for _, name := range logs {
			log, _ := os.ReadFile(name)
			t.Logf("%s", log)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = edge.Kill()
		if t.Failed() {
			log, _ := os.ReadFile(edge.Log)
			t.Logf("the log of %s:\n%s", edge.Address, log)
		}
	})
	return edge
}

// patrons returns one patron per mode.
func (s *faultSite) patrons(t *testing.T, modes ...string) []*patron {
	t.Helper()
	var all []*patron
	for _, settle := range modes {
		all = append(all, s.patron(t, settle))
	}
	return all
}

var bothModes = []string{"after", "before"}

// together runs do for all patrons at the same time.
func together(all []*patron, do func(p *patron)) {
	var wg sync.WaitGroup
	for _, p := range all {
		wg.Go(func() { do(p) })
	}
	wg.Wait()
}

// outcomes returns the outcomes of settle after and before. The operator's command must agree with them.
func (s *faultSite) outcomes(t *testing.T, all []*patron) (after, before string) {
	t.Helper()
	s.wantReconciled(t)
	return outcomesOf(t, all, false)
}

// wantReconciled checks that claims, ledger and chain agree.
func (s *faultSite) wantReconciled(t *testing.T) {
	t.Helper()
	if out, code := s.reconcile(t); code != 0 {
		t.Errorf("reconcile: got %d and\n%s", code, out)
	}
}

func outcomesOf(t *testing.T, all []*patron, believed bool) (after, before string) {
	t.Helper()
	found := map[string]string{"after": "—", "before": "—"}
	for _, p := range all {
		found[p.settle] = p.outcome(t, believed)
	}
	return found["after"], found["before"]
}

// wantFirst checks that the first response is one of these.
func (p *patron) wantFirst(t *testing.T, want ...string) {
	t.Helper()
	if got := p.first.String(); !slices.Contains(want, got) {
		t.Errorf("settle %s: first got %s, want %v", p.settle, got, want)
	}
}
