package interop

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	x402client "github.com/turnpike-edge/turnpike/payments/x402/client"
)

const copiesPerEdge = 25

// answer is the part of a response that has to be the same for all copies.
type answer struct {
	status  int
	body    string
	receipt x402.Receipt
}

// The same payment is used 50 times at once, at two edges that share only the database. The upstream is called once, the
// money moves once, and all copies get the same response, whether the payment settles before or after the upstream.
func TestCopiesOfOnePayment(t *testing.T) {
	t.Parallel()
	p := newPlace(t, 2)
	up := newUpstream(t)
	const publicURL = "https://api.example.com"
	edges := []string{p.edge(t, 0, up.address(), publicURL, nil).Address, p.edge(t, 1, up.address(), publicURL, nil).Address}
	for _, path := range []string{"/paid/report", "/paid/before/report"} {
		for version := 1; version <= 2; version++ {
			name := fmt.Sprintf("%s v%d", path, version)
			payment := p.sign(t, version, "http://"+edges[0]+path)
			calls, height, earned := up.calls.Load(), p.height(t), p.balance(t, payTo)

			answers := sendCopies(t, edges, path, payment)

			if got := up.calls.Load() - calls; got != 1 {
				t.Errorf("%s: calls of the upstream: got %d, want 1", name, got)
			}
			moved := p.transfers(t, chain.AddressOf(p.chain.Wallet()), height)
			if len(moved) != 1 || moved[0].to != payTo || moved[0].units != priceUnits {
				t.Fatalf("%s: transfers: got %+v, want one of %d to %s", name, moved, priceUnits, payTo)
			}
			if got := p.balance(t, payTo) - earned; got != priceUnits {
				t.Errorf("%s: earned: got %d, want %d", name, got, priceUnits)
			}
			want := answers[0]
			if want.status != http.StatusOK || !want.receipt.Success || common.HexToHash(want.receipt.Transaction) != moved[0].tx {
				t.Errorf("%s: first answer: got %+v, want 200 and a receipt for %s", name, want, moved[0].tx)
			}
			for i, got := range answers {
				if got != want {
					t.Errorf("%s: answer %d: got %+v, want %+v as the first", name, i, got, want)
				}
			}
		}
	}
}

// sign requests the price and signs a payment for it.
func (p *place) sign(t *testing.T, version int, url string) *x402client.SignedPayment {
	t.Helper()
	buyer, err := x402client.New(x402client.Config{Client: &http.Client{Timeout: startTimeout}, Key: p.chain.Wallet(), Version: version})
	if err != nil {
		t.Fatal(err)
	}
	challenge, err := get(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer challenge.Body.Close()
	if challenge.StatusCode != http.StatusPaymentRequired {
		t.Fatalf("%s: got %s, want 402", url, challenge.Status)
	}
	payment, err := buyer.Sign(challenge)
	if err != nil {
		t.Fatalf("signing for %s: %v", url, err)
	}
	return payment
}

// sendCopies sends the payment to all edges at once and returns all responses.
func sendCopies(t *testing.T, edges []string, path string, payment *x402client.SignedPayment) []answer {
	t.Helper()
	answers := make([]answer, copiesPerEdge*len(edges))
	var ready, all sync.WaitGroup
	start := make(chan struct{})
	ready.Add(len(answers))
	for i := range answers {
		all.Go(func() {
			ready.Done()
			<-start
			resp, err := get(t.Context(), "http://"+edges[i%len(edges)]+path, payment)
			if err != nil {
				t.Errorf("copy %d: %v", i, err)
				return
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Errorf("copy %d: %v", i, err)
				return
			}
			answers[i] = answer{status: resp.StatusCode, body: string(body)}
			receipt, err := x402.ReadReceipt(resp.Header)
			if err != nil || receipt == nil {
				t.Errorf("copy %d: got %s %s, receipt %v, error %v", i, resp.Status, body, receipt, err)
				return
			}
			answers[i].receipt = *receipt
		})
	}
	ready.Wait()
	close(start)
	all.Wait()
	return answers
}

func get(ctx context.Context, url string, payment *x402client.SignedPayment) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	if payment != nil {
		req.Header.Set(payment.HeaderName, payment.HeaderValue)
	}
	return http.DefaultTransport.RoundTrip(req)
}

// priceBook has the crawl price of the service contract: 0.005 USDC for each page, at least 0.01.
const priceBook = `{"version": 1, "rules": [{
	"methods": ["POST"], "path": "/v1/crawls", "unit": "usdc6", "price": "math.greatest(10000, 5000 * int(body.max_pages))",
	"operation": "crawl", "description": "A crawl", "settle": "before", "timeout_seconds": 30
}]}`

// upstream responds to every request with the edge's identity header, each time differently.
type upstream struct {
	*httptest.Server
	calls atomic.Int64
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	up := new(upstream)
	up.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == price.WellKnownPath {
			_, _ = io.WriteString(w, priceBook)
			return
		}
		if strings.Count(r.Header.Get("Turnpike-Identity"), ".") != 2 {
			http.Error(w, "no identity", http.StatusUnauthorized)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"call":%d,"method":%q,"path":%q,"body":%q}`, up.calls.Add(1), r.Method, r.URL.Path, body)
	}))
	t.Cleanup(up.Close)
	return up
}

func (u *upstream) address() string { return u.Listener.Addr().String() }
