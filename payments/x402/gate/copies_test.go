package gate

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/claimstest"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// TestConcurrentCopies sends one payment 50 times at once over two edges with a shared store: one upstream run, one
// settlement, the same response to all.
func TestConcurrentCopies(t *testing.T) {
	t.Parallel()
	const copies = 50
	for name, tt := range map[string]struct {
		on     string
		settle price.Settle
	}{
		"memory, after":    {"memory", price.SettleAfter},
		"memory, before":   {"memory", price.SettleBefore},
		"postgres, after":  {"postgres", price.SettleAfter},
		"postgres, before": {"postgres", price.SettleBefore},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			on := claimstest.Archives()[tt.on](t)
			b := newBoothOn(t, &on, nil)
			b.offer.Settle = tt.settle
			gates := []*Gate{b.gate, b.newGate(nil)}
			header := b.pay(2)
			var arrived, done sync.WaitGroup
			arrived.Add(copies)
			b.next = func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
				arrived.Wait() // the first run ends only after the last copy has arrived
				w.Header().Set("X-From", "upstream")
				_, err := io.WriteString(w, "report")
				return err
			}
			answers := make([]*answer, copies)
			for i := range copies {
				done.Go(func() {
					arrived.Done()
					answers[i] = b.serveAt(gates[i%len(gates)], b.request(header...), "body")
				})
			}
			done.Wait()
			first := answers[0].receipt(t)
			for _, a := range answers {
				b.wantPaid(a)
				if got := a.receipt(t); *got != *first || a.Header().Get("X-From") != "upstream" {
					t.Fatalf("receipt: got %+v, want %+v", got, first)
				}
			}
			b.wantCounts(1, 1, 1)
			if got := b.gate.InFlight(); got != 0 {
				t.Errorf("in flight: got %d, want 0", got)
			}
		})
	}
}

// Copies that waited for a run that failed get its response. They do not run the upstream again one after the other.
func TestConcurrentCopiesOfAFailure(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fail   func(w http.ResponseWriter) error
		status int
	}{
		"status": {func(w http.ResponseWriter) error { w.WriteHeader(http.StatusTeapot); return nil }, http.StatusTeapot},
		"error":  {func(http.ResponseWriter) error { return errTest }, http.StatusBadGateway},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBooth(t, nil)
			header := b.pay(1)
			running := make(chan struct{})
			b.next = func(w http.ResponseWriter, _ *http.Request, _ x402.Claim) error {
				close(running)
				b.waitForListeners(5)
				return tt.fail(w)
			}
			var done sync.WaitGroup
			done.Go(func() { b.serve(b.request(header...)) })
			<-running
			for range 5 {
				done.Go(func() {
					if a := b.serve(b.request(header...)); a.Code != tt.status || a.err != nil {
						t.Errorf("copy: got %d %s, %v, want %d", a.Code, a.Body, a.err, tt.status)
					}
				})
			}
			done.Wait()
			b.wantState(claims.StateReleased)
			b.wantCounts(1, 0, 0)
		})
	}
}

// A copy waits for a run whose client disconnects. It must not get the proxy's response to the lost client (499), so it
// runs by itself.
func TestCopyOfARunThatWasLeft(t *testing.T) {
	t.Parallel()
	b := newBooth(t, nil)
	good := b.next
	header := b.pay(1)
	running := make(chan struct{})
	ctx, leave := context.WithCancel(t.Context())
	var runs atomic.Int64
	b.next = func(w http.ResponseWriter, r *http.Request, c x402.Claim) error {
		if runs.Add(1) > 1 {
			return good(w, r, c)
		}
		close(running)
		b.waitForListeners(1)
		leave()
		<-r.Context().Done()
		w.WriteHeader(499)
		return nil
	}
	var done sync.WaitGroup
	done.Go(func() { b.serve(b.request(header...).WithContext(ctx)) })
	<-running
	b.wantPaid(b.serve(b.request(header...)))
	done.Wait()
	b.wantState(claims.StateSettled)
}

// waitForListeners returns when n copies wait at the gate.
func (b *booth) waitForListeners(n int) {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for range ticker.C {
		b.gate.process.board.mu.Lock()
		got := 0
		for _, bl := range b.gate.process.board.bells {
			got += bl.listeners
		}
		b.gate.process.board.mu.Unlock()
		if got >= n || b.Context().Err() != nil {
			return
		}
	}
}

func TestCopyDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	b := newBooth(t, func(c *Config) { c.SettleTimeout = time.Millisecond })
	b.offer.UpstreamTimeout = time.Second // the protocol counts in whole seconds, so this is the least
	header := b.pay(1)
	running, end := make(chan struct{}), make(chan struct{})
	good := b.next
	b.next = func(w http.ResponseWriter, r *http.Request, c x402.Claim) error {
		close(running)
		<-end
		return good(w, r, c)
	}
	var done sync.WaitGroup
	done.Go(func() { b.wantPaid(b.serve(b.request(header...))) })
	<-running
	b.wantAnswer(b.serve(b.request(header...)), http.StatusConflict, x402.CodeInProgress)
	close(end)
	done.Wait()
	b.wantCounts(1, 1, 1)
}

// A payment that another edge has accepted is served here without a second payment, even on a network that this edge
// does not settle on.
func TestCopyAtAnEdgeOfOtherNetworks(t *testing.T) {
	t.Parallel()
	for _, version := range []int{x402.Version1, x402.Version2} {
		b := newBooth(t, nil)
		other := b.newGate(func(c *Config) { c.Accepts = c.Accepts[1:] })
		headers := b.pay(version)
		again := func() *answer { return b.serveAt(other, b.request(headers...), "body") }
		b.wantAnswer(again(), http.StatusPaymentRequired, x402.CodeNetwork)
		first := b.serve(b.request(headers...))
		b.wantPaid(first)
		got := again()
		b.wantPaid(got)
		if got.Body.String() != first.Body.String() {
			t.Errorf("got %q, want %q as first", got.Body, first.Body)
		}
		b.wantCounts(1, 1, 1)
		forged := b.header(version, b.authorization(), make([]byte, x402.SignatureBytes), nil)
		b.wantAnswer(b.serveAt(other, b.request(forged...), "body"), http.StatusPaymentRequired, x402.CodeNetwork)
	}
}
