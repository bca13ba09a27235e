package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

const (
	reloads = 20
	// Its clients open a connection for each request and repeat none by themselves.
	freshName = "post, a connection each"
	// So many requests are answered between reloads.
	servedPerReload = 100
	reloadTimeout   = 2 * time.Minute
)

// variants are two configurations that differ in what reloads are for: headers, prices, times of the ledger and of x402.
func variants() (both [2][]byte) {
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
				panic("the rig's Caddyfile has no " + old)
			}
			text = bytes.ReplaceAll(text, []byte(old), []byte(with))
		}
		both[i] = text
	}
	return both
}

// The configuration changes 20 times while requests come, of which some take longer than several changes: none fails,
// and each is charged once.
//
//nolint:paralleltest // it measures
func TestReloadsUnderLoad(t *testing.T) {
	both := variants()
	p := newDrill(t, 1, &config{keys: 4, payers: 3, seed: 1}, both[0])
	// A server that stops leaves what it has just read unanswered and closes the connection (net/http does); the client
	// asks again by itself (RFC 9110 section 9.2.2) where it knows that it may.
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
	found := wantSound(t, p, load)
	for name, statuses := range found.spent.statuses {
		for status, n := range statuses {
			unread := name == freshName && status == 0 // and so never charged
			if status != http.StatusOK && !unread {
				t.Errorf("%s: %d requests were answered with %d (0: cut off), want none", name, n, status)
			}
		}
	}
	if found.spent.charged != found.spent.served {
		t.Errorf("served %+v, charged %+v", found.spent.served, found.spent.charged)
	}
	for answer, n := range found.bought.answers {
		if answer != "200 " || found.bought.resent > 0 {
			t.Errorf("%d payments were answered with %s, %d were sent again; want 200 at once", n, answer, found.bought.resent)
		}
	}
	t.Logf("%d reloads (%s): served %d, charged %d requests (%d and %d credits), failed 0; by product %v; %d payments by x402, %d settled",
		reloads, distribution(took), found.spent.served.requests, found.spent.charged.requests, found.spent.served.credits,
		found.spent.charged.credits, found.spent.statuses, found.bought.payments, found.bought.settled)
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
