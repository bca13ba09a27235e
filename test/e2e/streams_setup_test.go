package e2e

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/x402"
	x402client "github.com/turnpike-edge/turnpike/payments/x402/client"
)

// streamWallets is the maximum number of payments on one stream edge: each case has its own wallet.
const streamWallets = 128

// streamEdge is an edge that charges for long responses of the test's upstream.
type streamEdge struct {
	*stack

	edge   *rig.Edge
	admin  string // host and port of its admin endpoint
	config []byte // its first configuration
	// reloads is held while the edge loads a configuration; generations counts them.
	reloads     sync.Mutex
	generations int
	secure      string // host and port of TLS, and so of HTTP/2
	http2       *http.Client
	http1       *http.Client
}

// newStreamEdge starts an edge with its own database and chain, because its settler must not be shared.
func newStreamEdge(t *testing.T, upstream http.Handler) *streamEdge {
	t.Helper()
	s := &streamEdge{stack: setup(t).withDatabase(t)}
	settler := s.ownChain(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: upstream}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	config, err := os.ReadFile("testdata/streams.Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	if s.secure, err = rig.StableAddress(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.admin, err = rig.StableAddress(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.config = bytes.ReplaceAll(config, []byte("SECURE_ADDRESS"), []byte(s.secure))
	dir := t.TempDir()
	s.edge, err = rig.StartEdge(t.Context(), rig.EdgeConfig{
		Binary: s.binary, Dir: dir, Caddyfile: s.config, Admin: s.admin,
		Upstream: listener.Addr().String(), DatabaseURL: s.databaseURL, RPCURL: s.chain.RPCURL(),
		Settler: settler, PayTo: payTo, IdentitySecret: identitySecret,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if text, err := os.ReadFile(s.edge.Log); t.Failed() && err == nil {
			t.Logf("log of the edge:\n%s", text)
		}
		_ = s.edge.Kill()
	})
	s.http1 = &http.Client{Transport: &http.Transport{DisableCompression: true}}
	s.http2 = &http.Client{Transport: &http.Transport{
		DisableCompression: true, ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: s.roots(t, dir), MinVersion: tls.VersionTLS13},
	}}
	t.Cleanup(s.http1.CloseIdleConnections)
	t.Cleanup(s.http2.CloseIdleConnections)
	eventually(t, "the edge's own certificate", func() error {
		resp, err := s.http2.Get(s.url(true, "/"))
		if err == nil {
			err = resp.Body.Close()
		}
		return err
	})
	return s
}

// ownChain gives the stack a chain with wallets, and returns the settler's key.
func (s *streamEdge) ownChain(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	settler, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	cfg := chain.Config{Accounts: []chain.Account{{Address: chain.AddressOf(settler), Wei: big.NewInt(params.Ether)}}}
	s.wallets = make(chan *ecdsa.PrivateKey, streamWallets)
	for range streamWallets {
		key, err := crypto.GenerateKey()
		if err != nil {
			t.Fatal(err)
		}
		s.wallets <- key
		cfg.Accounts = append(cfg.Accounts, chain.Account{Address: chain.AddressOf(key), MicroUSDC: walletUnits})
	}
	if s.chain, err = chain.Start(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.chain.Close() })
	return settler
}

// roots reads the certificate of the edge's own authority, which the edge creates when it starts.
func (s *streamEdge) roots(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	eventually(t, "the edge's certificate authority", func() error {
		pem, err := os.ReadFile(filepath.Join(dir, "caddy", "pki", "authorities", "local", "root.crt"))
		if err == nil && !pool.AppendCertsFromPEM(pem) {
			err = errors.New("not whole yet")
		}
		return err
	})
	return pool
}

// reload loads a configuration that differs only in its generation, which is in all responses. It returns when the
// configuration before has stopped.
func (s *streamEdge) reload(ctx context.Context, generation int) error {
	config := s.generation(generation)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.admin+"/load", bytes.NewReader(config))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "text/caddyfile")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("reloading: %s %s, error %w", resp.Status, text, err)
	}
	return nil
}

func (s *streamEdge) generation(n int) []byte {
	return bytes.ReplaceAll(s.config, []byte("Generation 0"), []byte("Generation "+strconv.Itoa(n)))
}

// awaitGeneration waits until a configuration serves.
func (s *streamEdge) awaitGeneration(t *testing.T, generation int) {
	t.Helper()
	eventually(t, "the next configuration", func() error {
		resp, err := client.Get(s.edge.URL("/"))
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if got := resp.Header.Get("Generation"); got != strconv.Itoa(generation) {
			return fmt.Errorf("generation %q serves", got)
		}
		return nil
	})
}

// url returns the URL of a path for a version of HTTP.
func (s *streamEdge) url(http2 bool, path string) string {
	if http2 {
		return "https://" + s.secure + path
	}
	return s.edge.URL(path)
}

func (s *streamEdge) client(http2 bool) *http.Client {
	if http2 {
		return s.http2
	}
	return s.http1
}

// streamOrder is one paid request, which can be sent more than once.
type streamOrder struct {
	s       *streamEdge
	w       *wallet
	http2   bool
	url     string
	payment *x402client.SignedPayment
}

// order requests the price of a path, and signs a payment from a new wallet.
func (s *streamEdge) order(t *testing.T, version int, http2 bool, path string) *streamOrder {
	t.Helper()
	o := &streamOrder{s: s, w: s.wallet(t), http2: http2, url: s.url(http2, path)}
	buyer, err := x402client.New(x402client.Config{Client: s.client(http2), Key: o.w.key, Version: version})
	if err != nil {
		t.Fatal(err)
	}
	challenge := o.send(t.Context(), t)
	defer challenge.Body.Close()
	if challenge.StatusCode != http.StatusPaymentRequired {
		t.Fatalf("%s: got %s, want 402", o.url, challenge.Status)
	}
	if o.payment, err = buyer.Sign(challenge); err != nil {
		t.Fatalf("signing for %s: %v", o.url, err)
	}
	return o
}

// send sends the request with its payment, if it has one, and returns when the response's header has arrived.
func (o *streamOrder) send(ctx context.Context, t *testing.T) *http.Response {
	t.Helper()
	resp, err := o.try(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func (o *streamOrder) try(ctx context.Context) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url, http.NoBody)
	if err != nil {
		return nil, err
	}
	if o.payment != nil {
		req.Header.Set(o.payment.HeaderName, o.payment.HeaderValue)
	}
	return o.s.client(o.http2).Do(req)
}

// claim returns the state of the payment's claim, with a star while the upstream is running.
func (o *streamOrder) claim(ctx context.Context) (string, error) {
	const query = `select state || case when done_at is null then '*' else '' end from x402_claim where payer = $1`
	rows, err := o.s.pool.Query(ctx, query, o.w.address().Hex())
	if err != nil {
		return "", err
	}
	state, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
	if errors.Is(err, pgx.ErrNoRows) {
		return "none", nil
	}
	return state, err
}

// wantClaim waits until the claim is in a state, and checks whether the payer has paid.
func (o *streamOrder) wantClaim(t *testing.T, want string, paid bool) {
	t.Helper()
	eventually(t, "claim of "+o.url, func() error {
		got, err := o.claim(context.Background())
		if err == nil && got != want {
			err = fmt.Errorf("got %s, want %s", got, want)
		}
		return err
	})
	left := o.w.funded
	if paid {
		left -= scrapeUnits
	}
	if units, err := o.s.chain.Balance(t.Context(), o.w.address()); err != nil || units != left {
		t.Errorf("%s: the payer has %d, error %v, want %d", o.url, units, err, left)
	}
}

// wantPaid checks that a response begins with a receipt, and is not for shared caches.
func (o *streamOrder) wantPaid(t *testing.T, resp *http.Response) *x402.Receipt {
	t.Helper()
	receipt, err := x402.ReadReceipt(resp.Header)
	if err != nil || receipt == nil || !receipt.Success || receipt.Transaction == "" {
		t.Errorf("%s: receipt: got %+v, error %v, want one of success", o.url, receipt, err)
	}
	if got := resp.Header.Get("Cache-Control"); got != "no-cache, private" {
		t.Errorf("%s: Cache-Control: got %q, want %q", o.url, got, "no-cache, private")
	}
	if want := httpMajor(o.http2); resp.ProtoMajor != want {
		t.Errorf("%s: got %s, want HTTP/%d", o.url, resp.Proto, want)
	}
	return receipt
}

func httpMajor(http2 bool) int {
	if http2 {
		return 2
	}
	return 1
}
