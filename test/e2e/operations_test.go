package e2e

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/files"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/mcp"
	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/parsers"
	"github.com/turnpike-edge/turnpike/backend/pricebook"
	"github.com/turnpike-edge/turnpike/backend/schedules"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/backend/searches"
	"github.com/turnpike-edge/turnpike/backend/webhooks"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// features returns all features of the backend. Only their routes are used.
func features() []api.Feature {
	return []api.Feature{
		new(scrapes.Service), new(parsers.Service), new(files.Service), new(batches.Service), new(crawls.Service), new(maps.Service), new(searches.Service),
		new(answers.Service), new(monitors.Service), new(schedules.Service), new(webhooks.Service), new(notifications.Service), new(accounts.Service),
		new(mcp.Service),
	}
}

// operations returns the route table of the backend, including undocumented routes. It checks that every route in the
// binary's OpenAPI document is in this table, so that no feature is missing here.
func (s *stack) operations(t *testing.T) []api.Route {
	t.Helper()
	verifier, err := edgewire.NewVerifier([]byte(identitySecret), edgewire.DefaultAudience, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	book, err := pricebook.New()
	if err != nil {
		t.Fatal(err)
	}
	server, err := api.New(api.Config{
		PublicURL: "http://edge.example.test", Verifier: verifier, Wallets: new(accounts.Service), Book: book,
		Idempotency: idempotency.New(nil, 0), Features: features(),
		Content: func(*api.Server) http.Handler { return http.NotFoundHandler() },
		Logger:  slog.New(slog.DiscardHandler), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"GET /pricing": true}
	for _, r := range server.Routes() {
		known[r.Method+" "+r.Path] = true
	}
	got := call{method: http.MethodGet, url: s.backend + "/openapi.json"}.do(t)
	got.wantStatus(t, http.StatusOK)
	var document struct {
		Paths map[string]map[string]any
	}
	got.json(t, &document)
	if len(document.Paths) == 0 {
		t.Fatal("got no paths in the OpenAPI document")
	}
	for path, methods := range document.Paths {
		for method := range methods {
			if route := strings.ToUpper(method) + " " + path; !strings.HasPrefix(path, "/x402/") && !known[route] {
				t.Errorf("%s is served and not known here: add its feature to features()", route)
			}
		}
	}
	return server.Routes()
}
