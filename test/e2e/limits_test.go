package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const (
	inFlightPolicy = `, "in-flight";q=2;qu="concurrent-requests"`
	writesPolicy   = `"writes";q=1;w=60` + inFlightPolicy
)

// limitedEdge starts the shipped Caddyfile with limits that a test can reach.
func (s *stack) limitedEdge(t *testing.T, serve http.HandlerFunc, settings ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	edge, err := s.startEdge(ctx, s.standIn(t, serve).url, append(settings, "TURNPIKE_IN_FLIGHT=2")...)
	if err != nil {
		t.Fatal(err)
	}
	return edge
}

func (a answer) wantLimits(t *testing.T, policy, state string) {
	t.Helper()
	for name, want := range map[string]string{"RateLimit-Policy": policy, "RateLimit": state} {
		if got := a.header.Values(name); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// limited checks for a 429 whose Retry-After is at most so many seconds.
func (a answer) limited(t *testing.T, policy string, secondsMax int, says string) {
	t.Helper()
	refusal := a.refused(t, http.StatusTooManyRequests, "rate_limit_exceeded", says, "Nothing was charged")
	wait, err := strconv.Atoi(a.header.Get("Retry-After"))
	if err != nil || wait < 1 || wait > secondsMax {
		t.Errorf("Retry-After: got %q, want 1 to %d seconds", a.header.Get("Retry-After"), secondsMax)
	}
	if refusal.Metadata["policy"] != policy || refusal.Metadata["retry_after"] != float64(wait) {
		t.Errorf("metadata: got %v, want the policy %s and Retry-After", refusal.Metadata, policy)
	}
	if got := a.header.Get("Access-Control-Expose-Headers"); !strings.Contains(got, "RateLimit, RateLimit-Policy") {
		t.Errorf("Access-Control-Expose-Headers: got %q, want the limits in it", got)
	}
	a.wantNoReceipt(t)
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var served atomic.Int64
	edge := s.limitedEdge(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/.well-known/") { // the edge may ask for the price of a crawl
			served.Add(1)
		}
		_, _ = io.WriteString(w, "{}")
	}, "TURNPIKE_LIMIT_WRITES=1", "TURNPIKE_LIMIT_WEBHOOKS=1")
	scrape := call{url: edge + "/v1/scrapes", body: fmt.Sprintf(scrapeOutput, "http://example.com/")}
	p, other, w := s.purse(t, 5), s.purse(t, 5), s.wallet(t)

	got := scrape.with(p.bearer()...).do(t)
	got.wantStatus(t, http.StatusOK)
	got.wantLimits(t, writesPolicy, `"writes";r=0;t=60, "in-flight";r=1`)
	for range 3 {
		got := scrape.with(p.bearer()...).do(t)
		got.limited(t, "writes", 60, "This team has reached its limit of 1 requests of the class writes in 60 s")
		got.wantLimits(t, writesPolicy, `"writes";r=0;t=`)
	}
	p.wantSpent(t, 1)

	// The limit does not affect another class, another team, or clients without a key.
	read := call{method: http.MethodGet, url: edge + "/v1/scrapes/scrape_1"}.with(p.bearer()...).do(t)
	read.wantStatus(t, http.StatusOK)
	read.wantLimits(t, `"reads";q=6000;w=60`+inFlightPolicy, `"reads";r=5999;t=1, "in-flight";r=1`)
	call{url: edge + "/v1/crawls", body: "{}"}.with(p.bearer()...).do(t).
		wantLimits(t, `"jobs";q=300;w=60`+inFlightPolicy, `"jobs";r=299;t=1, "in-flight";r=1`)
	scrape.with(other.bearer()...).do(t).wantStatus(t, http.StatusOK)
	other.wantSpent(t, 1)

	scrape.url = edge + "/x402/v1/scrapes"
	challenge := scrape.do(t)
	challenge.wantStatus(t, http.StatusPaymentRequired)
	challenge.wantLimits(t, writesPolicy, `"writes";r=0;t=60`)
	paid := scrape.with(w.good(t, 2)...).do(t)
	paid.limited(t, "writes", 60, "This address has reached its limit of 1 requests")
	if got := paid.header.Get("Payment-Required"); got != "" {
		t.Errorf("Payment-Required: got %q, want no challenge", got)
	}
	w.wantUntouched(t)
	event := call{url: edge + "/webhooks/stripe", body: "{}"}
	event.do(t).wantStatus(t, http.StatusBadRequest) // it is not signed
	event.do(t).limited(t, "webhooks", 60, "This address has reached its limit of 1 requests of the class webhooks in 60 s")
	if got := served.Load(); got != 3 {
		t.Errorf("requests at the upstream: got %d, want 3", got)
	}
}

func TestRequestsInFlightAreCapped(t *testing.T) {
	t.Parallel()
	s := setup(t)
	arrived, leave := make(chan struct{}), make(chan struct{})
	edge := s.limitedEdge(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("wait") {
			arrived <- struct{}{}
			select {
			case <-leave:
			case <-r.Context().Done():
			}
		}
		_, _ = io.WriteString(w, "{}")
	})
	scrape := call{url: edge + "/v1/scrapes?wait", body: fmt.Sprintf(scrapeOutput, "http://example.com/")}
	p, other := s.purse(t, 5), s.purse(t, 5)
	answers := make(chan answer, 2)
	for range 2 {
		waiting := scrape.with(p.bearer()...)
		go func() {
			got, err := waiting.try(t.Context())
			if err != nil {
				t.Error(err)
			}
			answers <- got
		}()
		<-arrived
	}
	scrape.url = edge + "/v1/scrapes"
	got := scrape.with(p.bearer()...).do(t)
	got.limited(t, "in-flight", 1, "This team has reached its limit of 2 concurrent requests")
	got.wantLimits(t, `"writes";q=3000;w=60`+inFlightPolicy, `"writes";r=`) // it refills by 50 a second, and may be full again
	if state := got.header.Get("RateLimit"); !strings.HasSuffix(state, `, "in-flight";r=0`) {
		t.Errorf("RateLimit: got %s, want none free in flight", state)
	}
	scrape.with(other.bearer()...).do(t).wantStatus(t, http.StatusOK)
	other.wantSpent(t, 1)
	for range 2 {
		leave <- struct{}{}
		(<-answers).wantStatus(t, http.StatusOK)
	}
	p.wantSpent(t, 2)
	eventually(t, "room for another request", func() error {
		if got := scrape.with(p.bearer()...).do(t); got.status != http.StatusOK {
			return fmt.Errorf("got %d %s", got.status, got.body)
		}
		return nil
	})
	p.wantSpent(t, 3)
}
