//go:build stripemock

package stripe

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

// We wrote our Stripe double, so it would accept our own mistakes. Stripe's own mock keeps no state but checks
// parameters, so every request of these flows is sent to it too. STRIPE_MOCK is its binary.
func TestStripeMockTakesOurParameters(t *testing.T) {
	t.Parallel()
	mirror := &mirror{t: t, mock: startMock(t), seen: map[string]int{}}
	mirror.checkMock()
	for _, card := range []stripetest.Behaviour{
		stripetest.OK, stripetest.AuthenticationRequired, stripetest.RequiresAction, stripetest.TimeoutAfter, stripetest.Error500Before,
		stripetest.ProcessingSucceeds,
	} {
		b := setup(t, func(c *Config) {
			inner := c.HTTPClient.Transport
			c.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				mirror.show(r)
				return inner.RoundTrip(r)
			})}
		})
		page := must[string](t)(b.svc.SetupPage(t.Context(), SetupRequest{TeamID: b.team, Email: "books@example.com"}))
		must[string](t)(b.stripe.Complete(page, card))
		if _, err := b.svc.PaymentMethod(t.Context(), b.team); err != nil {
			t.Fatal(err)
		}
		b.deliver(b.stripe.Events()...)
		for range 2 {
			_, _ = b.buy(20_000, "") // each with its own outcome
			b.clock.Advance(2 * time.Minute)
			_ = b.svc.Sweep(t.Context())
		}
		for _, p := range b.stripe.Oracle().Payments {
			if p.Charged > 0 {
				must[string](t)(b.stripe.Dispute(p.ID))
				break
			}
		}
		b.deliver(b.stripe.Events()...)
		b.clock.Advance(25 * time.Hour)
		_ = b.svc.Sweep(t.Context())
		if err := b.svc.RemovePaymentMethod(t.Context(), b.team); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{
		"POST customers", "POST customers/ID", "POST checkout/sessions", "GET checkout/sessions/ID", "POST checkout/sessions/ID/expire",
		"POST payment_intents", "GET payment_intents", "GET payment_intents/ID", "POST payment_intents/ID/cancel",
		"GET payment_methods", "GET payment_methods/ID", "POST payment_methods/ID/detach", "GET setup_intents/ID", "GET disputes",
	} {
		if mirror.seen[want] == 0 {
			t.Errorf("%s was not shown to the mock", want)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(mirror.seen)) {
		t.Logf("%4d × %s", mirror.seen[what], what)
	}
}

type mirror struct {
	t    *testing.T
	mock *http.Client
	mu   sync.Mutex
	seen map[string]int
}

// checkMock makes sure that the mock refuses wrong parameters.
func (m *mirror) checkMock() {
	m.t.Helper()
	req, err := http.NewRequestWithContext(m.t.Context(), http.MethodPost, "http://stripe-mock/v1/payment_intents", strings.NewReader("amount=1000&currency=usd&colour=red"))
	if err != nil {
		m.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk_test_double")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := m.mock.Do(req)
	if err != nil {
		m.t.Fatalf("stripe-mock: %v", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest {
		m.t.Fatalf("a parameter that there is not: stripe-mock answers %d, want 400", resp.StatusCode)
	}
}

var objectID = regexp.MustCompile(`/[a-z]+_[0-9]+`)

func (m *mirror) show(r *http.Request) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	copied, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, "http://stripe-mock"+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		m.t.Errorf("copying a request: %v", err)
		return
	}
	copied.Header = r.Header.Clone()
	resp, err := m.mock.Do(copied)
	if err != nil {
		m.t.Errorf("stripe-mock: %v", err)
		return
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		m.t.Errorf("%s %s with %s: stripe-mock answers %d: %s", r.Method, r.URL.RequestURI(), body, resp.StatusCode, answer)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen[r.Method+" "+objectID.ReplaceAllString(r.URL.Path[len("/v1/"):], "/ID")]++
}

// startMock runs stripe-mock on its own socket and waits until it answers.
func startMock(t *testing.T) *http.Client {
	t.Helper()
	binary := os.Getenv("STRIPE_MOCK")
	if binary == "" {
		t.Fatal("STRIPE_MOCK is not set: run make stripe-mock")
	}
	dir, err := os.MkdirTemp("", "mock") // the path of a socket has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	var output bytes.Buffer
	cmd := exec.Command(binary, "-http-unix", socket)
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting stripe-mock: %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("stripe-mock: %s", output.Bytes())
		}
	})
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}
	tick, deadline := time.NewTicker(50*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for {
		conn, err := dial(t.Context(), "", "")
		if err == nil {
			conn.Close()
			return &http.Client{Transport: &http.Transport{DialContext: dial}}
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("stripe-mock does not answer: %v", err)
		}
	}
}
