//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// crew is an edge, an API backend and workers with a database of their own. The backends share one blob directory.
type crew struct {
	*stack

	edge    *rig.Edge
	api     *rig.Backend
	workers []*rig.Backend
	shelf   *shelf
	place   rig.BackendConfig
}

// newCrew starts a crew on a stack with its own database. env holds environment variables of the backends, as NAME=value.
func newCrew(t *testing.T, s *stack, shelf *shelf, workers int, env ...string) *crew {
	t.Helper()
	return newCrewBy(t, s, shelf, workers, nil, env...)
}

// newCrewBy is newCrew with further arguments for the backends.
func newCrewBy(t *testing.T, s *stack, shelf *shelf, workers int, args []string, env ...string) *crew {
	t.Helper()
	c := &crew{stack: s, shelf: shelf}
	settler := c.smallChain(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	dir := t.TempDir()
	c.place = rig.BackendConfig{
		Binary: c.binary, Dir: dir, DatabaseURL: c.databaseURL, DirectURL: c.directURL, IdentitySecret: identitySecret, Port: shelf.port,
		BlobURL: filepath.Join(dir, "blobs"), PublicURL: "http://edge.example.test",
		Args: args, Env: append([]string{"TURNPIKE_DOCS_URL=" + docsURL, "TURNPIKE_BROWSER=off"}, env...),
	}
	c.api = c.start(ctx, t, "api")
	for range workers {
		c.workers = append(c.workers, c.start(ctx, t, "worker"))
	}
	caddyfile, err := os.ReadFile("../../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	c.edge, err = rig.StartEdge(ctx, rig.EdgeConfig{
		Binary: c.binary, Dir: dir, Caddyfile: caddyfile, Upstream: c.api.Address, DatabaseURL: c.databaseURL, DirectURL: c.directURL,
		RPCURL: c.chain.RPCURL(), Settler: settler, PayTo: payTo, IdentitySecret: identitySecret, DecisionTimeout: decisionTimeout,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.edge.Kill()
		for _, log := range []string{c.edge.Log, c.api.Log} {
			if text, err := os.ReadFile(log); t.Failed() && err == nil {
				t.Logf("end of %s:\n%s", log, text[max(0, len(text)-6000):])
			}
		}
	})
	return c
}

// start starts a backend with a role. It is killed when the test ends.
func (c *crew) start(ctx context.Context, t *testing.T, role string) *rig.Backend {
	t.Helper()
	place := c.place
	place.Role = role
	b, err := rig.StartBackend(ctx, place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Kill() })
	return b
}

// batch holds the fields of a batch that tests check.
type batch struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Outcome string `json:"outcome"`
	Total   int    `json:"total_urls"`
	Done    int    `json:"completed_urls"`
	Failed  int    `json:"failed_urls"`
	Credits *int64 `json:"credits_consumed"`
}

// batchOf returns a batch request for the URLs; more holds further members of the body.
func batchOf(urls []string, more map[string]any) string {
	items := make([]map[string]string, len(urls))
	for i, url := range urls {
		items[i] = map[string]string{"custom_id": strconv.Itoa(i + 1), "url": url}
	}
	body := map[string]any{"items": items, "formats": []string{"markdown"}}
	maps.Copy(body, more)
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // strings and lists of strings always encode
	}
	return string(text)
}

// batch creates a batch with a team's key.
func (c *crew) batch(t *testing.T, p *purse, body string) batch {
	t.Helper()
	got := call{url: c.edge.URL("/v1/batches"), body: body}.with(p.bearer()...).do(t)
	if got.status != http.StatusOK && got.status != http.StatusCreated {
		t.Fatalf("POST /v1/batches: got %d %.500s", got.status, got.body)
	}
	var b batch
	got.json(t, &b)
	return b
}

// look reads a batch.
func (c *crew) look(ctx context.Context, p *purse, id string) (b batch, err error) {
	return b, c.read(ctx, p, "/v1/batches/"+id, &b)
}

// read fetches a path with the key of p, and decodes the response.
func (c *crew) read(ctx context.Context, p *purse, path string, into any) error {
	got, err := call{method: http.MethodGet, url: c.edge.URL(path)}.with(p.bearer()...).try(ctx)
	if err != nil {
		return err
	}
	if got.status != http.StatusOK {
		return fmt.Errorf("reading %s: %d %.300s", path, got.status, got.body)
	}
	return json.Unmarshal(got.body, into)
}

// await reads a batch until done reports true, for at most limit.
func (c *crew) await(t *testing.T, p *purse, id string, limit time.Duration, done func(batch) bool) batch {
	t.Helper()
	return awaits(t, limit, func(ctx context.Context) (batch, error) { return c.look(ctx, p, id) }, done)
}

// awaits calls look until done reports true, for at most limit. Errors of look are ignored: processes restart meanwhile.
func awaits[T any](t *testing.T, limit time.Duration, look func(context.Context) (T, error), done func(T) bool) (last T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		found, err := look(ctx)
		if err == nil {
			if last = found; done(last) {
				return last
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("not within %s; last seen: %+v (%v)", limit, last, err)
		}
	}
}

func ended(b batch) bool { return b.Status == "completed" }

// wantBilled checks that a batch cost one credit per completed item, and that nothing is held for it any more.
func (c *crew) wantBilled(t *testing.T, p *purse, b batch) {
	t.Helper()
	if b.Credits == nil || *b.Credits != int64(b.Done) {
		t.Errorf("credits_consumed: got %v, want the %d completed items", b.Credits, b.Done)
	}
	p.wantSpent(t, money.Credits(b.Done))
	c.wantCaptured(t, b.ID, b.Done, b.Total)
}

// webhookSecret returns the secret that verifies a team's webhooks.
func (c *crew) webhookSecret(t *testing.T, p *purse) string {
	t.Helper()
	var secret struct{ Secret string }
	if err := c.read(t.Context(), p, "/v1/webhooks/secret", &secret); err != nil {
		t.Fatal(err)
	}
	return secret.Secret
}

// readNotice waits for a webhook, which may be delivered more than once. Each delivery must have the same id, the
// expected object and a valid signature. It decodes the event's data.
func (c *crew) readNotice(t *testing.T, secret, object string, into any) {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatalf("secret %q: %v", secret, err)
	}
	var came []notice
	select {
	case n := <-c.shelf.notices:
		came = append(came, n)
	case <-time.After(time.Minute):
		t.Fatal("the webhook did not come within a minute")
	}
	for len(c.shelf.notices) > 0 {
		came = append(came, <-c.shelf.notices)
	}
	id := came[0].header.Get("Webhook-Id")
	for _, n := range came {
		var event struct {
			ID, Object string
			Data       json.RawMessage
		}
		if err := verifier.Verify(n.body, n.header); err != nil {
			t.Errorf("webhook: %v: %s", err, n.body)
		}
		if err := json.Unmarshal(n.body, &event); err != nil {
			t.Fatalf("webhook %s: %v", n.body, err)
		}
		if event.ID != n.header.Get("Webhook-Id") || event.ID != id || event.Object != object {
			t.Errorf("webhook: got %s by id %s, want %s by %s", n.body, n.header.Get("Webhook-Id"), object, id)
		}
		if err := json.Unmarshal(event.Data, into); err != nil {
			t.Fatalf("webhook %s: %v", n.body, err)
		}
	}
	t.Logf("webhook %s came %d times", id, len(came))
}

// wantCaptured checks that the hold of a job captured what was done, and that the ledger is consistent.
func (c *crew) wantCaptured(t *testing.T, id string, done, total int) {
	t.Helper()
	hold, err := credits.NewLedger(c.pool).JobHold(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if hold.State != "closed" || hold.Captured != money.Credits(done) || hold.Amount != money.Credits(total) {
		t.Errorf("hold: got %+v, want it closed with %d of %d captured", hold, done, total)
	}
	report, err := credits.NewLedger(c.pool).Audit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Differences {
		t.Errorf("audit: %s: %s", d.TeamID, d.Detail)
	}
}
