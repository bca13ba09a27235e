package gate

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/client"
)

// TestCopiesOnChain sends one payment 50 times at once over two edges with one database, and settles it on a chain.
func TestCopiesOnChain(t *testing.T) {
	t.Parallel()
	const copies = 50
	c := newTown(t)
	on := claimstest.Postgres(t, claimstest.NewPool(t))
	edge := func(cfg *Config) {
		cfg.Facilitator, cfg.Now = c.facilitator, time.Now
		cfg.Accepts = []Acceptance{{Network: x402.BaseSepolia(), PayTo: c.Req.PayTo}}
	}
	b := newBoothOn(t, &on, edge)
	gates := []*Gate{b.gate, b.newGate(edge)}
	buyer, err := client.New(client.Config{Client: &http.Client{Timeout: 10 * time.Second}, Key: c.Chain.Wallet()})
	if err != nil {
		t.Fatal(err)
	}
	signed, err := buyer.Sign(b.serve(b.request()).Result())
	if err != nil {
		t.Fatal(err)
	}
	var arrived, done sync.WaitGroup
	arrived.Add(copies)
	b.next = func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
		arrived.Wait()
		_, err := io.WriteString(w, "report")
		return err
	}
	for i := range copies {
		done.Go(func() {
			arrived.Done()
			a := b.serveAt(gates[i%2], b.request(signed.HeaderName, signed.HeaderValue), "body")
			if a.err != nil || a.Code != http.StatusOK || a.Body.String() != "report" || a.receipt(t) == nil {
				t.Errorf("copy: got %d %s, %v", a.Code, a.Body, a.err)
			}
		})
	}
	done.Wait()
	if got := b.ran(); got != 1 {
		t.Errorf("upstream runs: got %d, want 1", got)
	}
	if got := c.Balance(c.Req.PayTo); got != 10_000 {
		t.Errorf("moved: got %d, want 10000", got)
	}
}
