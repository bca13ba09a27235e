//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// limitedSite lists directives in an arbitrary order, since Caddy sorts them. The windows are long, so that no quota
// comes back during a test.
const limitedSite = `
	meter {
		price GET /things/* free
		price 10
		optional
	}
	x402 {
		price 0.01
	}
	team_limit {
		class crawls POST /crawls /crawls/*/retry 1 per 1h burst 2
		class things GET,DELETE /things/* 3 per 1h
		default 4 per 1h
		in_flight 2
	}
	api_key {
		optional
		anonymous /things/*
		public /docs
	}
	reverse_proxy UPSTREAM
`

var poorHeader = []string{"Authorization", "Bearer " + testPoorKey}

var waiting = regexp.MustCompile(`;t=(\d+)`)

// wantLimits accepts a wait that is some seconds shorter: on a busy machine, part of a quota may come back.
func (a answer) wantLimits(t *testing.T, status int, policy, state string) {
	t.Helper()
	if got := a.header.Get("RateLimit-Policy"); a.status != status || got != policy {
		t.Errorf("got status %d, policy %s, want %d, %s (%s)", a.status, got, status, policy, a.body)
	}
	got := a.header.Get("RateLimit")
	if len(a.header.Values("RateLimit")) != 1 || waiting.ReplaceAllString(got, "") != waiting.ReplaceAllString(state, "") {
		t.Fatalf("RateLimit: got %s, want %s", got, state)
	}
	gotWait, wantWait := waitOf(t, got), waitOf(t, state)
	if gotWait > wantWait || gotWait < wantWait-60 {
		t.Errorf("RateLimit: got %s, want %s", got, state)
	}
}

func waitOf(t *testing.T, state string) int {
	t.Helper()
	found := waiting.FindStringSubmatch(state)
	if found == nil {
		t.Fatalf("RateLimit: got %s, want a t in it", state)
	}
	seconds, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return seconds
}

const (
	inFlightPolicy = `, "in-flight";q=2;qu="concurrent-requests"`
	defaultPolicy  = `"default";q=4;w=3600` + inFlightPolicy
	thingsPolicy   = `"things";q=3;w=3600` + inFlightPolicy
	crawlsPolicy   = `"crawls";q=1;w=3600;turnpike-burst=2` + inFlightPolicy
)

func TestTeamLimitIsBeforeAnyCharge(t *testing.T) {
	e := newEdge(t, limitedSite)
	for _, left := range []string{"3", "2", "1", "0"} {
		e.do("GET", "/x", "", bearerHeader...).
			wantLimits(t, 200, defaultPolicy, `"default";r=`+left+`;t=900, "in-flight";r=1`)
		if got := e.ended(); got != 10 {
			t.Errorf("got %d captured, want 10", got)
		}
	}
	for range 3 {
		a := e.do("GET", "/x", "", bearerHeader...)
		a.wantLimits(t, 429, defaultPolicy, `"default";r=0;t=900, "in-flight";r=2`)
		o := a.wantError(t, 429, "rate_limit_exceeded")
		wait := waitOf(t, a.header.Get("RateLimit"))
		if !strings.HasSuffix(o.Type, "/errors/too_many_requests") || o.Metadata["policy"] != "default" || o.Metadata["retry_after"] != float64(wait) ||
			o.Detail != fmt.Sprintf("This team has reached its limit of 4 requests of the class default in 3600 s: try again in %d s. Nothing was charged.", wait) {
			t.Errorf("got %+v, want one that says to wait %d s", o, wait)
		}
		if got := a.header.Get("Retry-After"); got != strconv.Itoa(wait) || a.header.Get("X-Credits-Used") != "" {
			t.Errorf("got Retry-After %q, credits %q, want %d and none", got, a.header.Get("X-Credits-Used"), wait)
		}
	}
	if got := e.calls.Load(); got != 4 {
		t.Errorf("got %d requests at the upstream, want 4", got)
	}
	e.wantBalance(960)
	// Another team, another class, and a client without a key.
	e.do("GET", "/things/1", "", poorHeader...).wantLimits(t, 200, thingsPolicy, `"things";r=2;t=1200, "in-flight";r=1`)
	e.do("GET", "/things/1", "", bearerHeader...).wantLimits(t, 200, thingsPolicy, `"things";r=2;t=1200, "in-flight";r=1`)
	e.do("HEAD", "/things/1", "", bearerHeader...).wantLimits(t, 200, thingsPolicy, `"things";r=1;t=1200, "in-flight";r=1`)
	e.do("GET", "/docs", "").wantLimits(t, 200, defaultPolicy, `"default";r=3;t=900, "in-flight";r=1`)
	e.do("GET", "/status?code=500", "", poorHeader...).wantLimits(t, 402, defaultPolicy, `"default";r=3;t=900, "in-flight";r=1`)
	if got := refusedByLimit(t, "default", "rate"); got < 3 {
		t.Errorf("turnpike_limit_refused_total: got %v, want 3 or more", got)
	}
}

func TestTeamLimitClasses(t *testing.T) {
	e := newEdge(t, limitedSite)
	for _, tt := range []struct {
		name, method, path string
		policy             string
	}{
		{"by path and method", "POST", "/crawls", crawlsPolicy},
		{"second pattern", "POST", "/crawls/7/retry", crawlsPolicy},
		{"other method", "PUT", "/crawls", defaultPolicy},
		{"as written", "POST", "/crawls/", defaultPolicy},
		{"second method", "DELETE", "/things/2", thingsPolicy},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := e.do(tt.method, tt.path, "", bearerHeader...)
			if got := a.header.Get("RateLimit-Policy"); got != tt.policy {
				t.Errorf("got %s, want %s", got, tt.policy)
			}
		})
	}
	if a := e.do("OPTIONS", "/crawls", ""); a.status != http.StatusNoContent || a.header.Get("RateLimit") != "" {
		t.Errorf("preflight: got %d %v, want 204 and no limits", a.status, a.header)
	}
}

// A wallet is not known before its payment is checked, and that check is the work to limit.
func TestTeamLimitBeforePayment(t *testing.T) {
	e := newEdge(t, limitedSite)
	for _, left := range []string{"3", "2", "1", "0"} {
		e.do("GET", "/x", "").wantLimits(t, 402, defaultPolicy, `"default";r=`+left+`;t=900, "in-flight";r=1`)
	}
	a := e.do("GET", "/x", "", "X-Payment", "e30=")
	a.wantLimits(t, 429, defaultPolicy, `"default";r=0;t=900, "in-flight";r=2`)
	if o := a.wantError(t, 429, "rate_limit_exceeded"); !strings.Contains(o.Detail, "This address has reached its limit of 4 requests") || a.header.Get("Payment-Required") != "" {
		t.Errorf("got %+v, header %v, want no challenge", o, a.header)
	}
}

func TestTeamLimitInFlight(t *testing.T) {
	e := newEdge(t, limitedSite)
	answers := make(chan answer, 2)
	for range 2 {
		go func() {
			a, err := e.try(context.Background(), "GET", "/wait-silent", "", bearerHeader...)
			if err != nil {
				t.Error(err)
			}
			answers <- a
		}()
		<-e.arrived
	}
	a := e.do("GET", "/things/1", "", bearerHeader...)
	a.wantLimits(t, 429, thingsPolicy, `"things";r=3;t=0, "in-flight";r=0`)
	if o := a.wantError(t, 429, "rate_limit_exceeded"); o.Metadata["policy"] != "in-flight" || a.header.Get("Retry-After") != "1" ||
		o.Detail != "This team has reached its limit of 2 concurrent requests: try again when one has finished. Nothing was charged." {
		t.Errorf("got %+v, Retry-After %q", o, a.header.Get("Retry-After"))
	}
	if got := e.do("GET", "/things/1", "", poorHeader...).status; got != 200 {
		t.Errorf("another team: got %d, want 200", got)
	}
	for range 2 {
		e.hold <- struct{}{}
		if a := <-answers; a.status != 200 {
			t.Errorf("a request in flight: got %d, want 200", a.status)
		}
		e.ended()
	}
	e.awaitIdle("/things/1")
	if got := refusedByLimit(t, "things", "in_flight"); got < 1 {
		t.Errorf("turnpike_limit_refused_total: got %v, want 1 or more", got)
	}
}

// refusedByLimit reads the counter as a scrape of the metrics does.
func refusedByLimit(t *testing.T, class, limit string) float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	if err := registerMetrics(registry); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != "turnpike_limit_refused_total" {
			continue
		}
		for _, m := range family.GetMetric() {
			if l := m.GetLabel(); len(l) == 2 && l[0].GetValue() == class && l[1].GetValue() == limit {
				return m.GetCounter().GetValue()
			}
		}
	}
	return 0
}

// awaitIdle repeats a request until it is allowed: a response is sent a moment before its request counts as ended.
func (e *edge) awaitIdle(uri string) {
	e.t.Helper()
	limit := time.After(testTimeout)
	for e.do("GET", uri, "", bearerHeader...).status == http.StatusTooManyRequests {
		select {
		case <-limit:
			e.t.Fatal("still too many in flight")
		default:
		}
	}
}

// An upstream that dies ends its request with a panic.
func TestTeamLimitForgetsWhatBrokeOff(t *testing.T) {
	e := newEdge(t, limitedSite)
	for range 3 {
		_ = e.do("GET", "/die", "", bearerHeader...)
		e.ended()
	}
	e.awaitIdle("/things/1")
}

func TestTeamLimitOutlivesReloads(t *testing.T) {
	e := newEdge(t, limitedSite)
	for range 4 {
		e.do("GET", "/x", "", bearerHeader...)
		e.ended()
	}
	e.load("again")
	if got := e.do("GET", "/x", "", bearerHeader...).status; got != 429 {
		t.Errorf("after a reload: got %d, want 429 as before", got)
	}
	e.site = strings.Replace(limitedSite, "default 4 per 1h", "default 8 per 1h burst 9", 1)
	e.load("changed")
	e.do("GET", "/x", "", bearerHeader...).
		wantLimits(t, 200, `"default";q=8;w=3600;turnpike-burst=9`+inFlightPolicy, `"default";r=0;t=450, "in-flight";r=1`)
}

func TestTeamLimitOfTheKeyless(t *testing.T) {
	e := newEdge(t, strings.Replace(limitedSite, "default 4", "keyless 1 per 1h\n default 4", 1))
	const policy = `"keyless";q=1;w=3600` + inFlightPolicy
	e.do("GET", "/things/1", "").wantLimits(t, 200, policy, `"keyless";r=0;t=3600, "in-flight";r=1`)
	e.do("GET", "/x", "").wantLimits(t, 429, policy, `"keyless";r=0;t=3600, "in-flight";r=2`)
	if got := e.do("GET", "/things/1", "", bearerHeader...).status; got != 200 {
		t.Errorf("a team: got %d, want 200", got)
	}
}
