package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/postgres"
)

// wantOutage checks the response while the database is away: it costs nothing and says to retry.
func wantOutage(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	e := wantError(t, w, problem.Overloaded)
	if got := w.Header().Get("Retry-After"); got != "2" {
		t.Errorf("Retry-After: got %q, want 2", got)
	}
	if !strings.Contains(e.Detail, "Nothing was charged") {
		t.Errorf("detail: got %q, want that nothing was charged", e.Detail)
	}
}

// mortal is a service with a scrape, and a database server that the test can kill.
func mortal(t *testing.T) (_ *service, server *postgres.Server, scraped string) {
	t.Helper()
	server, err := pgtest.TempServer(t.Context())
	must(t, err)
	t.Cleanup(func() { kill(t, server) })
	const name = "mortal"
	must(t, server.CreateDatabase(t.Context(), name))
	must(t, migrate(t.Context(), server.URL(name)))
	var s *service
	s = setup(t, options{
		database: server.URL(name), pool: db.AcquireWithin(time.Minute),
		ready: []api.Check{{Name: "database", Func: func(ctx context.Context) error { return s.pool.Ping(ctx) }}},
	})
	w := s.scrape(teamPays(s.team, 1), bodyFor(newTarget(t, servePage).URL))
	wantStatus(t, w, http.StatusOK)
	return s, server, decoded[struct {
		ID string `json:"id"`
	}](t, w).ID
}

func kill(t *testing.T, server *postgres.Server) {
	t.Helper()
	must(t, server.Stop(context.WithoutCancel(t.Context())))
}

func TestDatabaseThatIsKilled(t *testing.T) {
	t.Parallel()
	s, server, scraped := mortal(t)
	site := newTarget(t, servePage)
	wantStatus(t, s.do(call{method: http.MethodGet, uri: "/readyz"}), http.StatusOK)
	kill(t, server)

	wantStatus(t, s.do(call{method: http.MethodGet, uri: "/readyz"}), http.StatusServiceUnavailable)
	wantStatus(t, s.do(call{method: http.MethodGet, uri: "/healthz"}), http.StatusOK)
	for _, tt := range []struct {
		name string
		call call
	}{
		{"scrape by a team", call{method: http.MethodPost, uri: "/v1/scrapes", body: bodyFor(site.URL), identity: teamPays(s.team, 1)}},
		{"scrape by a wallet", call{method: http.MethodPost, uri: "/x402/v1/scrapes", body: bodyFor(site.URL), identity: walletPays(walletA, 10_000)}},
		{"read a scrape", call{method: http.MethodGet, uri: "/v1/scrapes/" + scraped, identity: teamPays(s.team, 0)}},
		{"read without a key", call{method: http.MethodGet, uri: "/v1/scrapes/" + scraped, identity: nobody()}},
		{"retrieve", call{method: http.MethodGet, uri: "/v1/retrieve?retrieve_id=x", identity: teamPays(s.team, 0)}},
		{"credits", call{method: http.MethodGet, uri: "/user/credits/info", identity: teamPays(s.team, 0)}},
		{"usage", call{method: http.MethodGet, uri: "/user/usage", identity: teamPays(s.team, 0)}},
		{"list keys", call{method: http.MethodGet, uri: "/user/keys", identity: teamPays(s.team, 0)}},
		{"create a key", call{method: http.MethodPost, uri: "/user/keys", body: `{"name":"x"}`, identity: teamPays(s.team, 0)}},
		{"rotate a key", call{method: http.MethodPost, uri: "/user/keys/key_1/rotate", identity: teamPays(s.team, 0)}},
		{"revoke a key", call{method: http.MethodDelete, uri: "/user/keys/key_1", identity: teamPays(s.team, 0)}},
	} {
		t.Run(tt.name, func(t *testing.T) { wantOutage(t, s.do(tt.call)) })
	}
	if got := site.hits.Load(); got != 0 {
		t.Errorf("pages fetched for work that nobody could write down: got %d, want 0", got)
	}
}

// Work that cannot be stored counts as not done.
func TestDatabaseThatIsKilledUnderWork(t *testing.T) {
	t.Parallel()
	s, server, _ := mortal(t)
	site := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		kill(t, server)
		servePage(w, r)
	})
	wantOutage(t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL)))
}

// A pool that stalled requests have exhausted is an outage for the next request.
func TestPoolWithoutAConnection(t *testing.T) {
	t.Parallel()
	s := setup(t, options{pool: func(c *pgxpool.Config) {
		c.MaxConns = 1
		db.AcquireWithin(2 * time.Second)(c) // on a busy machine, checking a free connection takes long
	}})
	held, err := s.pool.Acquire(t.Context())
	must(t, err)
	wantOutage(t, s.get(teamPays(s.team, 0), "/user/usage"))
	held.Release()
	wantStatus(t, s.get(teamPays(s.team, 0), "/user/usage"), http.StatusOK)
}

// Any other error of the database is an internal error.
func TestStatementThatFails(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	_, err := s.pool.Exec(t.Context(), "alter table scrape rename to elsewhere")
	must(t, err)
	w := s.get(teamPays(s.team, 0), "/v1/scrapes/scrape_1")
	wantError(t, w, problem.InternalServerError)
	if got := w.Header().Get("Retry-After"); got != "" {
		t.Errorf("Retry-After: got %q, want none", got)
	}
}
