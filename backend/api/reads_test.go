package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// A missing resource is "not found" with a key, and needs a key otherwise, whether or not the service has that resource
// type yet.
func TestUnpaidReads(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	var keyless problem.Object
	for uri, missing := range map[string]problem.Code{
		"/v1/scrapes/scrape_none":      problem.ScrapeNotFound,
		"/v1/crawls/crawl_none":        problem.CrawlNotFound,
		"/v1/crawls/crawl_none/pages":  problem.CrawlNotFound,
		"/v1/batches/batch_none":       problem.BatchNotFound,
		"/v1/batches/batch_none/items": problem.BatchNotFound,
		"/v1/answers/answer_none":      problem.AnswerNotFound,
		"/v1/retrieve?retrieve_id=x":   problem.NotFound,
	} {
		wantError(t, s.get(teamPays(s.team, 0), uri), missing)
		e := wantError(t, s.get(nobody(), uri), problem.InvalidAPIKey)
		if keyless.Detail == "" {
			keyless = e
		}
		if e.Detail != keyless.Detail || len(e.Metadata) != 0 {
			t.Errorf("GET %s by nobody: got %+v, want it as for all others: %+v", uri, e, keyless)
		}
		wantError(t, s.get(nil, uri), problem.InvalidAPIKey)
		if w := s.do(call{method: http.MethodHead, uri: uri, identity: nobody()}); w.Code != http.StatusUnauthorized {
			t.Errorf("HEAD %s by nobody: got %d, want 401", uri, w.Code)
		}
		wantError(t, s.do(call{method: http.MethodDelete, uri: uri, identity: teamPays(s.team, 0)}), problem.MethodNotAllowed)
	}
	if document := string(s.api.OpenAPI()); strings.Contains(document, "/v1/crawls") {
		t.Error("the OpenAPI document has crawls, which the service does not make")
	}
}

// readsOf is a feature that registers a read.
type readsOf struct {
	path   string
	access principal.Access
}

func (f readsOf) Register(api huma.API) {
	huma.Register(api, huma.Operation{OperationID: "read", Method: http.MethodGet, Path: f.path, Metadata: f.access.Metadata()},
		func(context.Context, *struct{}) (*struct{ Body string }, error) {
			return &struct{ Body string }{"made"}, nil
		})
}

// A feature's own route replaces the "not found" response. It must not ask for a key where the contract does not.
func TestUnpaidReadOfAFeature(t *testing.T) {
	t.Parallel()
	s := setup(t, options{features: []api.Feature{readsOf{"/v1/crawls/{id}", principal.Readable}}})
	wantStatus(t, s.get(nobody(), "/v1/crawls/crawl_1"), http.StatusOK)
	wantError(t, s.get(nobody(), "/v1/crawls/crawl_1/pages"), problem.InvalidAPIKey)

	config := api.Config{}
	setup(t, options{api: func(c *api.Config) { config = *c }})
	config.Features = append(config.Features, readsOf{"/v1/batches/{id}", principal.Keyed})
	if _, err := api.New(config); err == nil || !strings.Contains(err.Error(), "GET /v1/batches/{id} must be readable without a key") {
		t.Errorf("a batch for key holders alone: got %v, want it refused", err)
	}
}
