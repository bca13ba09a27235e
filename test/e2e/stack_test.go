package e2e

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

func TestMain(m *testing.M) { pgtest.Main(m, made.stopAll) }

const (
	identitySecret = "an-identity-secret-of-the-tests-of-32-bytes"
	contentSecret  = "a-content-secret-of-the-tests--of-32-bytes"
	docsURL        = "https://docs.example.test"

	tags = "nobadger,nomysql,nopgx"

	startTimeout = 20 * time.Minute // includes a build without cache, on a small machine that runs other tests too
	stopTimeout  = 10 * time.Second

	walletCount         = 256
	walletUnits  uint64 = 1_000_000
	scrapeUnits  uint64 = 10_000
	scrapeOutput        = `{"url_to_scrape": %q, "formats": ["markdown"]}`
)

var payTo = common.HexToAddress("0x209693Bc6afc0C5328bA36FaF03C514EF312287C")

// stack is the whole service that a customer's request passes through, started once for all tests.
type stack struct {
	binary      string
	dir         string
	databaseURL string
	directURL   string // direct connection if databaseURL is a pooler's
	pool        *pgxpool.Pool
	chain       *chain.Chain
	wallets     chan *ecdsa.PrivateKey
	pages       *pages
	finder      *finder
	stripe      *bank
	backend     string // http://host:port
	edge        string

	mu    sync.Mutex
	stops []func()
}

var (
	made      stack
	makeStack = sync.OnceValue(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
		defer cancel()
		return made.start(ctx)
	})
)

// setup returns the running service. Its ledger must be consistent when the test ends.
func setup(t *testing.T) *stack {
	t.Helper()
	if err := makeStack(); err != nil {
		t.Fatalf("starting the service: %v", err)
	}
	t.Cleanup(func() { made.wantSound(t) })
	return &made
}

// stopAll stops everything that was started, in reverse order.
func (s *stack) stopAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.stops {
		s.stops[len(s.stops)-1-i]()
	}
}

func (s *stack) onStop(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stops = append(s.stops, f)
}

func (s *stack) start(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "turnpike-e2e-")
	if err != nil {
		return err
	}
	s.dir = dir
	s.onStop(func() { _ = os.RemoveAll(dir) })
	built := make(chan error, 1)
	go func() { built <- s.build(ctx) }()
	if err := errors.Join(s.startChain(ctx), s.openDatabase(ctx), s.startPages(), s.startFinder(), s.startStripe(), <-built); err != nil {
		return err
	}
	if err := s.startBackend(ctx); err != nil {
		return err
	}
	s.edge, err = s.startEdge(ctx, s.backend)
	return err
}

// build builds the binary as it is shipped.
func (s *stack) build(ctx context.Context) error {
	s.binary = filepath.Join(s.dir, "turnpike")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-tags", tags, "-o", s.binary, "../../cmd/turnpike")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building turnpike: %w\n%s", err, out)
	}
	return lookAtSources(ctx)
}

// lookAtSources opens the sources of the binary, so that go test notices when they change. Otherwise it would return a
// cached result, because it does not see what another process builds.
func lookAtSources(ctx context.Context) error {
	const files = `{{if not .Standard}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}`
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-tags", tags, "-f", files, "../../cmd/turnpike")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("listing the sources of turnpike: %w", err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	for name := range strings.Lines(string(out)) {
		if name = strings.TrimSpace(name); !strings.HasPrefix(name, root+string(filepath.Separator)) {
			continue // another module's, whose version is in go.mod
		}
		if _, err := os.Stat(name); err != nil {
			return err
		}
	}
	_, err = os.Stat("../../go.mod")
	return err
}

func (s *stack) startChain(ctx context.Context) (err error) {
	s.wallets = make(chan *ecdsa.PrivateKey, walletCount)
	cfg := chain.Config{}
	for range walletCount {
		key, err := crypto.GenerateKey()
		if err != nil {
			return err
		}
		s.wallets <- key
		cfg.Accounts = append(cfg.Accounts, chain.Account{Address: chain.AddressOf(key), MicroUSDC: walletUnits})
	}
	if s.chain, err = chain.Start(ctx, cfg); err != nil {
		return err
	}
	s.onStop(func() { _ = s.chain.Close() })
	return nil
}

func migrate(ctx context.Context, url string) error {
	_, err := db.Migrate(ctx, url)
	return err
}

// withDatabase returns a stack with an empty database, and without a running service on it.
func (s *stack) withDatabase(t *testing.T) *stack {
	t.Helper()
	return s.on(t, pgtest.New(t, migrate))
}

// on is withDatabase with an existing database.
func (s *stack) on(t *testing.T, databaseURL string) *stack {
	t.Helper()
	own := &stack{
		binary: s.binary, dir: s.dir, databaseURL: databaseURL,
		chain: s.chain, wallets: s.wallets, pages: s.pages, stripe: s.stripe,
	}
	var err error
	if own.pool, err = db.Open(t.Context(), own.databaseURL, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(own.pool.Close)
	t.Cleanup(func() { own.wantSound(t) })
	t.Cleanup(own.stopAll)
	return own
}

func (s *stack) openDatabase(ctx context.Context) (err error) {
	if s.databaseURL, err = pgtest.ForProcess(ctx, migrate); err != nil {
		return err
	}
	if s.pool, err = db.Open(ctx, s.databaseURL, nil); err != nil {
		return err
	}
	s.onStop(s.pool.Close)
	return nil
}

// startBackend runs the web data API as in production, except that it may fetch the private address of the test's pages.
func (s *stack) startBackend(ctx context.Context) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	s.backend = "http://" + address
	env := []string{
		"DATABASE_URL=" + s.databaseURL,
		"TURNPIKE_IDENTITY_SECRET=" + identitySecret,
		"TURNPIKE_CONTENT_SECRET=" + contentSecret,
		"TURNPIKE_BLOB_URL=" + filepath.Join(s.dir, "blobs"),
		"TURNPIKE_BASE_URL=http://edge.example.test",
		"TURNPIKE_DOCS_URL=" + docsURL,
		"TURNPIKE_PROXIES=NO=" + s.pages.proxy,
		"TURNPIKE_SEARXNG_URL=" + s.finder.url, "TURNPIKE_SEARCH_PROVIDERS=searxng",
	}
	return s.run(ctx, "backend", s.backend+"/readyz", env,
		"backend", "--listen", address, "--allow-private", pagesHost+"/32", "--allow-port", s.pages.port)
}

// startEdge runs the shipped Caddyfile in front of a backend, and returns its URL. settings are variables as NAME=value.
func (s *stack) startEdge(ctx context.Context, backend string, settings ...string) (string, error) {
	return s.startEdgeOn(ctx, "edge", backend, s.chain, "base-sepolia", settings...)
}

// decisionTimeout is how long edges wait for credits in these tests: browsers and other tests may keep a small machine
// busy for longer than the shipped edge waits. The tests of outages cover the shipped timeout.
const decisionTimeout = 20 * time.Second

// startEdgeOn is startEdge on another chain. Without a network the Caddyfile's default applies.
func (s *stack) startEdgeOn(ctx context.Context, name, backend string, c *chain.Chain, network string, settings ...string) (string, error) {
	caddyfile, err := filepath.Abs("../../Caddyfile")
	if err != nil {
		return "", err
	}
	return s.startEdgeBy(ctx, caddyfile, name, backend, c, network, settings...)
}

// startEdgeBy is startEdgeOn with another Caddyfile that uses the same environment variables.
func (s *stack) startEdgeBy(ctx context.Context, caddyfile, name, backend string, c *chain.Chain, network string, settings ...string) (string, error) {
	address, err := freeAddress()
	if err != nil {
		return "", err
	}
	home, err := os.MkdirTemp(s.dir, "edge-")
	if err != nil {
		return "", err
	}
	edge := "http://" + address
	env := []string{
		"HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_CONFIG_HOME=" + home,
		"CADDY_ADMIN=unix/" + filepath.Join(home, "admin.sock"),
		"TURNPIKE_SITE=" + edge,
		"BACKEND=" + strings.TrimPrefix(backend, "http://"),
		"DATABASE_URL=" + s.databaseURL,
		"TURNPIKE_IDENTITY_SECRET=" + identitySecret,
		"TURNPIKE_DOCS_URL=" + docsURL,
		"PAY_TO=" + payTo.Hex(),
		"BASE_RPC_URL=" + c.RPCURL(),
		"SETTLER_KEY=" + hex.EncodeToString(crypto.FromECDSA(c.Settler())),
		"STRIPE_SECRET_KEY=" + stripeKey,
		"STRIPE_WEBHOOK_SECRET=" + stripeWebhook,
		"STRIPE_API_BASE=" + s.stripe.url,
		"TURNPIKE_DECISION_TIMEOUT=" + decisionTimeout.String(),
	}
	env = append(env, settings...)
	if network != "" {
		env = append(env, "X402_NETWORK="+network)
	}
	return edge, s.run(ctx, name, edge+"/pricing", env, "run", "--config", caddyfile, "--adapter", "caddyfile")
}

// run starts the binary, and returns when probe responds with 200.
func (s *stack) run(ctx context.Context, name, probe string, env []string, args ...string) error {
	return s.runUntil(ctx, name, probe, http.StatusOK, env, args...)
}

// runUntil starts the binary, and returns when probe responds with a status.
func (s *stack) runUntil(ctx context.Context, name, probe string, status int, env []string, args ...string) error {
	log, err := os.CreateTemp(s.dir, name+"-*.log")
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(s.binary, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}, env...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", name, err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	s.onStop(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(stopTimeout):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	if err := awaitStatus(ctx, probe, status, ended); err != nil {
		text, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w; its log:\n%s", name, err, bytes.TrimSpace(text))
	}
	return nil
}

// awaitStatus polls a process until it responds with a status.
func awaitStatus(ctx context.Context, url string, status int, ended <-chan struct{}) error {
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		if resp, err := client.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == status {
				return nil
			}
		}
		select {
		case <-ended:
			return errors.New("it ended before it served")
		case <-ctx.Done():
			return fmt.Errorf("waiting until it serves: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

func freeAddress() (string, error) {
	return rig.StableAddress(context.Background())
}

// eventually polls until check succeeds, for what another process does asynchronously.
func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(20 * time.Second)
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Errorf("%s: %v", what, err)
			return
		}
	}
}
