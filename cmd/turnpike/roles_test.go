package main_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// startBackend starts a backend and returns the address in a line of its log.
func (c *checkout) startBackend(t *testing.T, databaseURL, line string, args ...string) (*process, string) {
	t.Helper()
	secret := strings.Repeat("s", 32)
	c = c.with("DATABASE_URL="+databaseURL, "TURNPIKE_IDENTITY_SECRET="+secret, "TURNPIKE_CONTENT_SECRET="+secret,
		"TURNPIKE_BLOB_URL="+filepath.Join(c.dir, "blobs"), "TURNPIKE_BASE_URL=https://api.example.com")
	p := c.start(t, line, "bin/turnpike", append([]string{"backend"}, args...)...)
	p.awaitLine(t)
	for text := range strings.Lines(p.stderr.String()) {
		var said struct{ Msg, Address string }
		if err := json.Unmarshal([]byte(text), &said); err == nil && said.Msg == line {
			return p, said.Address
		}
	}
	t.Fatalf("%s: no address in\n%s", p.name, p.stderr)
	return nil, ""
}

// A worker serves only health and metrics, and exits cleanly.
func TestWorker(t *testing.T) {
	t.Parallel()
	p, address := newCheckout(t).startBackend(t, pgtest.New(t, migrate), "serving metrics", "--role", "worker", "--metrics", "127.0.0.1:0")
	if got := request(t, http.MethodGet, "http://"+address+"/healthz", "", ""); got.StatusCode != http.StatusOK || !strings.Contains(got.body, `"ok"`) {
		t.Errorf("/healthz: got %d %s, want 200", got.StatusCode, got.body)
	}
	got := request(t, http.MethodGet, "http://"+address+"/metrics", "", "")
	for _, want := range []string{"go_goroutines ", "process_resident_memory_bytes "} {
		if got.StatusCode != http.StatusOK || !strings.Contains(got.body, want) {
			t.Errorf("/metrics: got %d\n%.2000s, want %q", got.StatusCode, got.body, want)
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := p.wait(t); code != 0 {
		t.Errorf("after SIGTERM: got %d, want 0:\n%s", code, p.stderr)
	}
}

// A backend is not ready while migrations of its job queue are pending, even if its own tables are up to date.
func TestBackendIsNotReadyWithoutItsQueue(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	if _, err := db.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	p, address := newCheckout(t).startBackend(t, url, "serving the web data API", "--role", "api", "--listen", "127.0.0.1:0")
	if got := request(t, http.MethodGet, "http://"+address+"/readyz", "", ""); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("/readyz: got %d %s, want 503", got.StatusCode, got.body)
	}
	if err := migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if got := request(t, http.MethodGet, "http://"+address+"/readyz", "", ""); got.StatusCode != http.StatusOK {
		t.Errorf("/readyz after the migrations: got %d %s, want 200", got.StatusCode, got.body)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.wait(t) // its log is complete only after it has ended
	if said := p.stderr.String(); !strings.Contains(said, "migrations are pending: run `turnpike migrate`") {
		t.Errorf("log: got\n%s, want what is pending", said)
	}
}
