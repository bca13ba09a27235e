package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

const (
	reloads = 20
	// servedPerReload is the number of requests served between reloads.
	servedPerReload = 100
	reloadTimeout   = 2 * time.Minute
	// decisionTimeout is longer than the ledger takes on a busy machine: a 503 for that reason would say nothing about
	// reloads.
	decisionTimeout = 10 * time.Second
)

// variants returns two configurations that differ in headers, prices, and timeouts of the ledger and of x402.
func variants(t *testing.T) (both [2][]byte) {
	t.Helper()
	base := string(rig.Caddyfile())
	for i := range both {
		text := []byte(base)
		for old, with := range map[string]string{
			"{$TURNPIKE_SITE} {\n":   fmt.Sprintf("{$TURNPIKE_SITE} {\n\theader Config-Version %d\n", i),
			"price /metered/* 1 {\n": fmt.Sprintf("price /metered/repriced/* %d {\n\t\t\t\toperation repriced\n\t\t\t}\n\t\t\tprice /metered/* 1 {\n", 2+i),
			"timeout 30s\n":          fmt.Sprintf("timeout %ds\n", 30+i),
			"decision_timeout {$TURNPIKE_DECISION_TIMEOUT:200ms}\n": fmt.Sprintf("decision_timeout %s\n\t\t\tsweep_every %ds\n", decisionTimeout, 4+i),
		} {
			if !bytes.Contains(text, []byte(old)) {
				t.Fatalf("the rig's Caddyfile lacks %q", old)
			}
			text = bytes.ReplaceAll(text, []byte(old), []byte(with))
		}
		both[i] = text
	}
	return both
}

// The configuration changes 20 times under load. Some requests outlast several changes; some use kept connections and some
// a new one each; some are idempotent, so that their client may retry them by itself, and some are not (RFC 9110 section
// 9.2.2). None fails, and each is charged once.
//
//nolint:paralleltest // it measures
func TestReloadsUnderLoad(t *testing.T) {
	both := variants(t)
	p := newDrill(t, 1, &config{keys: 4, payers: 3, seed: 1}, both[0])
	products := []product{
		onePath("get", http.MethodGet, "/metered/work", 1, 6),
		onePath("post", http.MethodPost, "/metered/repriced/work", 0, 4),
		onePath("get, a connection each", http.MethodGet, "/metered/work", 1, 2),
		onePath("post, a connection each", http.MethodPost, "/metered/repriced/work", 0, 4),
		onePath("slow", http.MethodGet, "/metered/slow", 1, 6),
	}
	for i := range products {
		products[i].fresh = strings.HasSuffix(products[i].name, "a connection each")
	}
	spent := newSpending(p, products...)
	bought := &buying{p: p, offers: []offer{{path: "/paid/work", jobFunc: jobName}, {path: "/paid/before/work", jobFunc: jobName}}}
	load := startLoad(t.Context(), spent, bought)
	client := &http.Client{Timeout: reloadTimeout}
	var took []time.Duration
	for i := range reloads {
		enough := spent.servedSoFar() + servedPerReload
		eventually(t, "requests are served", reloadTimeout, func() bool { return spent.servedSoFar() >= enough })
		took = append(took, p.reload(t, client, both[(i+1)%2]))
	}
	opened := p.doors.at(0).opened
	found := wantSound(t, p, load)
	wantAllAnswered(t, found)
	if found.spent.charged != found.spent.served {
		t.Errorf("served %+v, charged %+v", found.spent.served, found.spent.charged)
	}
	t.Logf("%d reloads (%s): served %d on %d connections, charged %d requests (%d and %d credits); by product %v; %d payments by x402, %d settled",
		reloads, distribution(took), found.spent.served.requests, opened.Load(), found.spent.charged.requests, found.spent.served.credits,
		found.spent.charged.credits, found.spent.statuses, found.bought.payments, found.bought.settled)
}

// wantAllAnswered wants 200 in the first response to every request.
func wantAllAnswered(t *testing.T, found *findings) {
	t.Helper()
	for name, statuses := range found.spent.statuses {
		for status, n := range statuses {
			if status != http.StatusOK {
				t.Errorf("%s: %d requests were answered with %d (0 is no answer), want none", name, n, status)
			}
		}
	}
	if found.bought.resent != 0 {
		t.Errorf("%d payments had to be sent again, want none", found.bought.resent)
	}
	for answer, n := range found.bought.answers {
		// A payment signed for an earlier configuration gets 402 with the new requirements, and no money moves.
		if answer != "200 " && answer != "402 "+string(x402.CodeRequirements) {
			t.Errorf("%d payments were answered with %s, want 200 at once", n, answer)
		}
	}
}

// reload posts a configuration to the edge's admin endpoint, as `caddy reload` does.
func (p *place) reload(t *testing.T, client *http.Client, caddyfile []byte) time.Duration {
	t.Helper()
	start := time.Now()
	resp, err := client.Post("http://"+p.slots[0].admin+"/load", "text/caddyfile", bytes.NewReader(caddyfile))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("reloading: got %s %s, error %v", resp.Status, body, err)
	}
	return time.Since(start)
}
