//go:build linux

package e2e

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"

	"github.com/turnpike-edge/turnpike/backend/page/render/chromium"
	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// engine is a backend with its own edge and database, for tests of what the backend can reach, what it uses, and what it
// leaves behind. On this machine it may fetch only what site serves.
type engine struct {
	*stack

	worker *rig.Process
	// service runs the worker's browsers as another user; nil if the worker has none.
	service *rig.Process
	edge    *rig.Edge
	log     string // the worker's
	socket  string // the service's
	site    *site
	// ports may be fetched in addition to the site's.
	ports []string
	// alone: the processes run at the normal priority, as in production. Otherwise they yield to other tests.
	alone bool
	// key is the header of a team with plenty of credits.
	key []string
}

// engineCredits is more than any test spends.
const engineCredits = 1_000_000

// engineClient waits longer than a scrape may take.
var engineClient = &http.Client{
	Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64},
	Timeout:   3 * time.Minute,
}

// newEngine starts an engine. env holds the worker's environment variables, as NAME=value; names, if any, is its DNS.
func newEngine(t *testing.T, names *toyNames, env ...string) *engine {
	t.Helper()
	e := &engine{stack: setup(t).withDatabase(t), site: newSite(t)}
	e.open(t, names, env)
	return e
}

// open starts the processes. edge holds the edge's environment variables.
func (e *engine) open(t *testing.T, names *toyNames, env []string, edge ...string) {
	t.Helper()
	settler := e.smallChain(t)
	if _, err := chromium.Find(""); err == nil && rig.Sandbox() == nil && !slices.Contains(env, "TURNPIKE_BROWSER=off") {
		e.socket = serviceSocket(t)
		e.startService(t)
	}
	e.startWorker(t, names, env...)
	caddyfile, err := os.ReadFile("../../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	e.edge, err = rig.StartEdge(t.Context(), rig.EdgeConfig{
		Binary: e.binary, Dir: t.TempDir(), Caddyfile: caddyfile, Upstream: strings.TrimPrefix(e.backend, "http://"),
		DatabaseURL: e.databaseURL, RPCURL: e.chain.RPCURL(), Settler: settler, PayTo: payTo, IdentitySecret: identitySecret,
		DecisionTimeout: decisionTimeout, Env: edge,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if text, err := os.ReadFile(e.edge.Log); t.Failed() && err == nil {
			t.Logf("end of the edge's log:\n%s", text[max(0, len(text)-4000):])
		}
		_ = e.edge.Kill()
	})
	e.key = e.purse(t, engineCredits).bearer()
}

// smallChain gives a stack with its own edge its own chain, too: two edges must not share a settler.
func (s *stack) smallChain(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	if s == &made {
		t.Fatal("the stack that all tests share has a chain")
	}
	settler, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	payer, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	s.wallets = make(chan *ecdsa.PrivateKey, 1)
	s.wallets <- payer
	s.chain, err = chain.Start(t.Context(), chain.Config{Accounts: []chain.Account{
		{Address: chain.AddressOf(settler), Wei: big.NewInt(params.Ether)},
		{Address: chain.AddressOf(payer), MicroUSDC: walletUnits},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.chain.Close() })
	return settler
}

// startWorker starts the backend, also in place of one that has ended.
func (e *engine) startWorker(t *testing.T, names *toyNames, env ...string) {
	t.Helper()
	address := strings.TrimPrefix(e.backend, "http://")
	if e.worker == nil {
		var err error
		if address, err = freeAddress(); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	args := []string{e.binary, "backend", "--listen", address, "--allow-private", siteHost + "/32", "--allow-port", e.site.port}
	for _, port := range e.ports {
		args = append(args, "--allow-port", port)
	}
	args = append(names.wrap(t, dir), e.behind(args)...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "HOME=" + dir,
		"DATABASE_URL=" + e.databaseURL, "TURNPIKE_IDENTITY_SECRET=" + identitySecret, "TURNPIKE_CONTENT_SECRET=" + contentSecret,
		"TURNPIKE_BLOB_URL=" + filepath.Join(dir, "blobs"), "TURNPIKE_BASE_URL=http://" + address, "TURNPIKE_DOCS_URL=" + docsURL,
	}, env...)
	if e.service != nil {
		cmd.Env = append(cmd.Env, "TURNPIKE_BROWSER_SOCKET="+e.socket)
	}
	e.log = filepath.Join(dir, "worker.log")
	var err error
	if e.worker, err = rig.Start(cmd, e.log); err != nil {
		t.Fatal(err)
	}
	worker, log := e.worker, e.log
	t.Cleanup(func() {
		if text, err := os.ReadFile(log); t.Failed() && err == nil {
			t.Logf("end of the worker's log:\n%s", text[max(0, len(text)-4000):])
		}
		_ = worker.Kill()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	e.backend = "http://" + address
	if err := awaitStatus(ctx, e.backend+"/readyz", http.StatusOK, e.worker.Done()); err != nil {
		t.Fatalf("starting a worker: %v", err)
	}
}

// behind lowers a command's priority, because the edges of tests beside it must respond in time.
func (e *engine) behind(args []string) []string {
	if e.alone {
		return args
	}
	return append([]string{"nice", "-n", "10"}, args...)
}

// needBrowser skips the test if pages cannot be rendered.
func needBrowser(t *testing.T) {
	t.Helper()
	if _, err := chromium.Find(""); err != nil {
		t.Skipf("%v (scripts/install-needs test installs one)", err)
	}
	if err := rig.Sandbox(); err != nil {
		t.Skip(err)
	}
}

// scraped holds the fields of a scrape or of an error that tests check.
type scraped struct {
	Status int    `json:"-"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Result struct {
		HTML       string `json:"html_content"`
		Markdown   string `json:"markdown_content"`
		Text       string `json:"text_content"`
		Screenshot string `json:"screenshot_hosted_url"`
		Metadata   struct {
			Title    string `json:"title"`
			Status   int    `json:"status_code"`
			Rendered bool   `json:"rendered"`
			Reason   string `json:"render_reason"`
		} `json:"page_metadata"`
	} `json:"result"`
	// Took is the duration of the request.
	Took time.Duration `json:"-"`
	body []byte
}

func (s scraped) String() string {
	said := s.Detail
	if s.Code == "" {
		said = fmt.Sprintf("%.300s", s.body)
	}
	return fmt.Sprintf("%d %s %q (%s)", s.Status, s.Code, said, s.Took.Round(10*time.Millisecond))
}

// scrape sends a body to a path of the edge, with the engine's key unless headers are given.
func (e *engine) scrape(ctx context.Context, path string, body map[string]any, headers ...string) (scraped, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return scraped{}, err
	}
	if len(headers) == 0 {
		headers = e.key
	}
	begun := time.Now()
	got, err := call{url: e.edge.URL(path), body: string(text)}.with(headers...).tryBy(ctx, engineClient)
	if err != nil {
		return scraped{}, err
	}
	s := scraped{Status: got.status, Took: time.Since(begun), body: got.body}
	if err := json.Unmarshal(got.body, &s); err != nil {
		return s, fmt.Errorf("%s: %d %.300s: %w", path, got.status, got.body, err)
	}
	return s, nil
}

// page scrapes a URL and requires success.
func (e *engine) page(t *testing.T, address string, more map[string]any) scraped {
	t.Helper()
	body := map[string]any{"url_to_scrape": address}
	maps.Copy(body, more)
	got, err := e.scrape(t.Context(), "/v1/scrapes", body)
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != http.StatusOK {
		t.Fatalf("%s: got %s", address, got)
	}
	return got
}
