package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

const (
	reloads = 20
	// Its clients open a connection for each request and repeat none by themselves.
	freshName = "post, a connection each"
	// So many requests are answered between reloads.
	servedPerReload = 100
	// Of so many requests at most one is cut off.
	cutOneIn      = 100
	reloadTimeout = 2 * time.Minute
)

// variants are two configurations that differ in what reloads are for: headers, prices, times of the ledger and of x402.
func variants(t *testing.T) (both [2][]byte) {
	t.Helper()
	base := string(rig.Caddyfile())
	for i := range both {
		text := []byte(base)
		for old, with := range map[string]string{
			"{$TURNPIKE_SITE} {\n":           fmt.Sprintf("{$TURNPIKE_SITE} {\n\theader Config-Version %d\n", i),
			"price /metered/* 1 {\n":         fmt.Sprintf("price /metered/repriced/* %d {\n\t\t\t\toperation repriced\n\t\t\t}\n\t\t\tprice /metered/* 1 {\n", 2+i),
			"timeout 30s\n":                  fmt.Sprintf("timeout %ds\n", 30+i),
			"lost_after {$RIG_LOST_AFTER}\n": fmt.Sprintf("lost_after {$RIG_LOST_AFTER}\n\t\t\tsweep_every %ds\n", 4+i),
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

// The configuration changes 20 times while requests come, of which some take longer than several changes: none fails
// that its client may repeat, few others do, and each that is served is charged once.
//
//nolint:paralleltest // it measures
func TestReloadsUnderLoad(t *testing.T) {
	both := variants(t)
	p := newDrill(t, 1, &config{keys: 4, payers: 3, seed: 1}, both[0])
	// A server that stops closes what it has just accepted (net/http does); the client asks again by itself
	// (RFC 9110 section 9.2.2) where it knows that it may, on a connection that was used before.
	keyed := onePath("post", http.MethodPost, "/metered/repriced/work", 0, 4)
	keyed.repeatable = true
	fresh := onePath(freshName, http.MethodPost, "/metered/repriced/work", 0, 2)
	fresh.fresh = true
	spent := newSpending(p,
		onePath("get", http.MethodGet, "/metered/work", 1, 6), keyed, fresh,
		onePath("slow", http.MethodGet, "/metered/slow", 1, 6),
	)
	bought := &buying{p: p, offers: []offer{{path: "/paid/work", jobFunc: jobName}, {path: "/paid/before/work", jobFunc: jobName}}}
	load := startLoad(t.Context(), spent, bought)
	client := &http.Client{Timeout: reloadTimeout}
	var took []time.Duration
	for i := range reloads {
		enough := spent.servedSoFar() + servedPerReload
		eventually(t, "requests are served", reloadTimeout, func() bool { return spent.servedSoFar() >= enough })
		took = append(took, p.reload(t, client, both[(i+1)%2]))
	}
	cut := p.doors.at(0).cuts
	found := wantSound(t, p, load)
	wantFewCut(t, found, cut)
	if found.spent.charged != found.spent.served {
		t.Errorf("served %+v, charged %+v", found.spent.served, found.spent.charged)
	}
	for answer, n := range found.bought.answers {
		// Who has signed what an earlier configuration asked for is told what this one asks for, and nothing moves.
		if answer != "200 " && answer != "402 "+string(x402.CodeRequirements) {
			t.Errorf("%d payments were answered with %s, want 200 at once", n, answer)
		}
	}
	t.Logf("%d reloads (%s): served %d, charged %d requests (%d and %d credits), cut off %d; by product %v; %d payments by x402, %d settled",
		reloads, distribution(took), found.spent.served.requests, found.spent.charged.requests, found.spent.served.credits,
		found.spent.charged.credits, cut.single.Load(), found.spent.statuses, found.bought.payments, found.bought.settled)
}

// wantFewCut wants every request answered with 200, but for few that no client repeats by itself.
func wantFewCut(t *testing.T, found *findings, cut *cutoffs) {
	t.Helper()
	unanswered := int64(found.bought.resent)
	for name, statuses := range found.spent.statuses {
		for status, n := range statuses {
			switch status {
			case http.StatusOK:
			case 0:
				unanswered += int64(n)
			default:
				t.Errorf("%s: %d requests were answered with %d, want none", name, n, status)
			}
		}
	}
	single := cut.single.Load()
	if repeatable := cut.repeatable.Load(); repeatable != 0 || unanswered > single {
		t.Errorf("%d requests were cut off, and %d of those that a client repeats by itself; want at most %d and none", unanswered, repeatable, single)
	}
	if most := int64(found.spent.served.requests / cutOneIn); single > most {
		t.Errorf("%d requests were cut off, want at most %d", single, most)
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
