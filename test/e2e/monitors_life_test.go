//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// TestMonitorLife shows that a monitor is accepted before any worker runs, and cannot be changed until it is planned. Its
// later changes go to the webhooks that asked for them, signed, and to no others.
func TestMonitorLife(t *testing.T) {
	t.Parallel()
	shelf := newShelf(t, nil)
	var price atomic.Int64
	price.Store(49)
	shelf.html = func(string) string { return fmt.Sprintf(lampPage, price.Load(), 1) }
	c := newCrew(t, setup(t).withDatabase(t), shelf, 0)
	c.stack.edge = c.edge.URL("")
	k := &keeper{c.purse(t, 100), t}
	page, hook := shelf.pages("lamps", 1)[0], func(name string) string { return shelf.url + "/told/" + name }
	first := k.makes(fmt.Sprintf(`{"query": "Tell me when the price on %s changes", "metadata": {"k": "v"}, "webhook": {"url": %q}, "notification": {"channels": [
		{"type": "webhook", "target": %q, "events": ["changed"]}, {"type": "webhook", "target": %q, "events": ["failed"]}, {"type": "webhook", "target": %q}
	]}}`, page, hook("hook"), hook("changed"), hook("failed"), hook("usual")))
	second := k.makes(fmt.Sprintf(`{"query": "the price on %s", "webhook": {"url": %q}, "notification": {"events": ["failed"], "channels": [
		{"type": "webhook", "target": %q, "events": ["completed"]}
	]}}`, page, hook("quiet"), hook("completed")))
	k.same(first, "status", `"provisioning"`)
	var m watched
	first.json(t, &m)
	path := "/" + m.ID
	k.get(path+"/planning").is(t, form{"spec": specForm.check, "dag": dagForm.check}.check)
	before := k.get(path)
	for _, change := range []call{{url: path, body: `{"metadata": {"k": "w"}, "frequency": "every day"}`}, {url: path + "/pause"}} {
		k.ask(http.MethodPost, change.url, change.body).monitorRefusal(t, http.StatusConflict, m.ID, "provision")
	}
	if after := k.get(path); string(after.body) != string(before.body) {
		t.Errorf("got %s after what was refused, want %s", after.body, before.body)
	}

	c.workers = append(c.workers, c.start(t.Context(), t, "worker"))
	other := k.until(second, 1)
	k.until(first, 1)
	k.same(k.get(path), "status", `"active"`)
	var agent struct{ Agent json.RawMessage }
	before.json(t, &agent)
	k.same(k.get(path), "agent", string(agent.Agent))
	secret := c.webhookSecret(t, k.purse)
	if got := c.told(t, secret, 1); got["completed"] != "event.monitor.completed" {
		t.Errorf("got %v of the first runs, want that one has completed", got)
	}
	price.Store(39)
	k.runs(path, 2)
	k.runs(other, 2)
	const changed = "event.monitor.changed"
	if got, want := c.told(t, secret, 4), map[string]string{"hook": changed, "changed": changed, "usual": changed, "completed": changed}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// Events that a channel did not ask for are not even attempted.
	var log struct{ Data []struct{ URL string } }
	if err := c.read(t.Context(), k.purse, "/v1/webhooks/deliveries", &log); err != nil {
		t.Fatal(err)
	}
	var tried []string
	for _, d := range log.Data {
		tried = append(tried, strings.TrimPrefix(d.URL, hook("")))
	}
	slices.Sort(tried)
	if want := []string{"changed", "completed", "completed", "hook", "usual"}; !slices.Equal(tried, want) {
		t.Errorf("got deliveries to %v, want %v", tried, want)
	}
}

// told waits for n webhooks of monitors with valid signatures, and returns their kinds by the last part of their paths.
func (c *crew) told(t *testing.T, secret string, n int) map[string]string {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	kinds := map[string]string{}
	for len(kinds) < n {
		var n notice
		select {
		case n = <-c.shelf.notices:
		case <-ctx.Done():
			t.Fatalf("only %v came within a minute", kinds)
		}
		var told struct {
			Object string
			Data   struct {
				MonitorID string `json:"monitor_id"`
				Changed   bool
				Summary   string
			}
		}
		if err := verifier.Verify(n.body, n.header); err != nil {
			t.Errorf("webhook: %v: %s", err, n.body)
		}
		if err := json.Unmarshal(n.body, &told); err != nil {
			t.Fatalf("webhook %s: %v", n.body, err)
		}
		kinds[strings.TrimPrefix(n.path, "/told/")] = told.Object
		isChange := told.Object == "event.monitor.changed"
		if told.Data.Changed != isChange || !strings.HasPrefix(told.Data.MonitorID, "monitor_") || isChange && !strings.Contains(told.Data.Summary, "39") {
			t.Errorf("got %s, want what happened", n.body)
		}
	}
	return kinds
}
