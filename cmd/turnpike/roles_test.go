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
	"github.com/turnpike-edge/turnpike/dev/program"
)

// startBackend starts a backend and returns the address in a line of its log.
func (c *checkout) startBackend(t *testing.T, databaseURL, line string, args ...string) (*program.Process, string) {
	t.Helper()
	secret := strings.Repeat("s", 32)
	c = c.with("DATABASE_URL="+databaseURL, "TURNPIKE_IDENTITY_SECRET="+secret, "TURNPIKE_CONTENT_SECRET="+secret,
		"TURNPIKE_BLOB_URL="+filepath.Join(c.Dir, "blobs"), "TURNPIKE_BASE_URL=https://api.example.com")
	p := c.Start(t, line, "bin/turnpike", append([]string{"backend"}, args...)...)
	p.AwaitLine(t)
	for text := range strings.Lines(p.Stderr.String()) {
		var said struct{ Msg, Address string }
		if err := json.Unmarshal([]byte(text), &said); err == nil && said.Msg == line {
			return p, said.Address
		}
	}
	t.Fatalf("%s: no address in\n%s", p.Cmd, p.Stderr)
	return nil, ""
}

// A worker serves only health and metrics, and exits cleanly.
func TestWorker(t *testing.T) {
	t.Parallel()
	p, address := newCheckout(t).startBackend(t, pgtest.New(t, migrate), "serving metrics", "--role", "worker", "--metrics", "127.0.0.1:0")
	if got := program.Request(t, http.MethodGet, "http://"+address+"/healthz", "", ""); got.StatusCode != http.StatusOK || !strings.Contains(got.Text, `"ok"`) {
		t.Errorf("/healthz: got %d %s, want 200", got.StatusCode, got.Text)
	}
	got := program.Request(t, http.MethodGet, "http://"+address+"/metrics", "", "")
	for _, want := range []string{"go_goroutines ", "process_resident_memory_bytes "} {
		if got.StatusCode != http.StatusOK || !strings.Contains(got.Text, want) {
			t.Errorf("/metrics: got %d\n%.2000s, want %q", got.StatusCode, got.Text, want)
		}
	}
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := p.Wait(t); code != 0 {
		t.Errorf("after SIGTERM: got %d, want 0:\n%s", code, p.Stderr)
	}
}

// A backend is not ready while migrations are pending.
func TestBackendIsNotReadyWhileMigrationsArePending(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	if _, err := db.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	pool := pgtest.Open(t, url, nil)
	var last int64
	err := pool.QueryRow(t.Context(), `delete from goose_db_version where id = (select max(id) from goose_db_version) returning version_id`).Scan(&last)
	if err != nil {
		t.Fatal(err)
	}
	p, address := newCheckout(t).startBackend(t, url, "serving the web data API", "--role", "api", "--listen", "127.0.0.1:0")
	if got := program.Request(t, http.MethodGet, "http://"+address+"/readyz", "", ""); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("/readyz: got %d %s, want 503", got.StatusCode, got.Text)
	}
	if _, err := pool.Exec(t.Context(), `insert into goose_db_version (version_id, is_applied) values ($1, true)`, last); err != nil {
		t.Fatal(err)
	}
	if got := program.Request(t, http.MethodGet, "http://"+address+"/readyz", "", ""); got.StatusCode != http.StatusOK {
		t.Errorf("/readyz after the migrations: got %d %s, want 200", got.StatusCode, got.Text)
	}
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.Wait(t) // its log is complete only after it has ended
	if said := p.Stderr.String(); !strings.Contains(said, "migrations are pending: run `turnpike migrate`") {
		t.Errorf("log: got\n%s, want what is pending", said)
	}
}
