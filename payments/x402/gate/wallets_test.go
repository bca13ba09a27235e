package gate

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/client"
)

// TestContractWallets shows that for a payer with code only its ERC-1271 answer counts.
func TestContractWallets(t *testing.T) {
	t.Parallel()
	c := newTown(t)
	wallet := c.ContractWallet()

	foreign := wallet.Pays(2, c.Account(1).Sign)
	x402test.WantRefusal(t, x402test.Verify(t, c.local, foreign, c.Req), x402.CodeSignature)
	_, err := c.local.Settle(t.Context(), foreign, c.Req)
	x402test.WantRefusal(t, err, x402.CodeSignature)
	long := wallet.Pays(2, func(*x402.Authorization) []byte { return make([]byte, 100) })
	x402test.WantRefusal(t, x402test.Verify(t, c.local, long, c.Req), x402.CodeSignature)

	good := wallet.Pays(2, wallet.Sign)
	if _, err := c.local.Verify(t.Context(), good, c.Req); err != nil {
		t.Fatalf("verify: %v", err)
	}
	if _, err := c.local.Settle(t.Context(), good, c.Req); err != nil {
		t.Fatalf("settle: %v", err)
	}
	if got := c.Balance(c.Req.PayTo); got != 10_000 {
		t.Errorf("moved: got %d, want 10000", got)
	}
}

// TestCopiesOnChain sends one payment 50 times at once over two edges with one database, and settles it on a chain.
func TestCopiesOnChain(t *testing.T) {
	t.Parallel()
	const copies = 50
	c := newTown(t)
	on := claimstest.Postgres(t, claimstest.NewPool(t))
	edge := func(cfg *Config) {
		cfg.Facilitator, cfg.Now = c.local, time.Now
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
