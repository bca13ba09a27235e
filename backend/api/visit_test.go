package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

// A second visit sends the validators of the first, and the visitor decides which redirects are followed.
func TestVisit(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	var version atomic.Int64
	site := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return
		}
		tag := fmt.Sprintf(`"v%d"`, version.Load())
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		servePage(w, r)
	})
	visitOf := func(v scrapes.Visit) (extract.Source, error) {
		hold := membudget.NewBudget(0).Hold()
		defer hold.Release()
		return s.scrapes.Engine().Visit(t.Context(), s.team, v, hold)
	}
	visit := func(v scrapes.Visit) (status int, body, tag string, err error) {
		source, err := visitOf(v)
		return source.StatusCode, string(source.Body), source.Header.Get("ETag"), err
	}
	for range 2 { // no cached copy replaces the visitor's
		status, body, tag, err := visit(scrapes.Visit{URL: site.URL + "/x"})
		if err != nil || status != http.StatusOK || !strings.Contains(body, "World") || tag != `"v0"` {
			t.Fatalf("got %d %q %s, %v", status, body, tag, err)
		}
	}
	if status, body, _, err := visit(scrapes.Visit{URL: site.URL + "/x", ETag: `"v0"`}); err != nil || status != http.StatusNotModified || body != "" {
		t.Errorf("got %d %q, %v, want 304", status, body, err)
	}
	version.Add(1)
	if status, _, tag, err := visit(scrapes.Visit{URL: site.URL + "/x", ETag: `"v0"`}); err != nil || status != http.StatusOK || tag != `"v1"` {
		t.Errorf("got %d %s, %v, want the page", status, tag, err)
	}
	hits := site.hits.Load()
	_, err := visitOf(scrapes.Visit{URL: site.URL + "/away", Follow: func(_ context.Context, address string) error {
		return problem.New(problem.AccessDenied, "not to "+address)
	}})
	if said := problem.From(err); said.Code != problem.AccessDenied || said.Detail != "not to "+site.URL+"/elsewhere" || site.hits.Load() != hits+1 {
		t.Errorf("got %v after %d requests, want the visitor's refusal after one", err, site.hits.Load()-hits)
	}
	if _, err := visitOf(scrapes.Visit{URL: "file:///etc/passwd"}); problem.From(err).Code != problem.ValidationError {
		t.Errorf("got %v", err)
	}
}
