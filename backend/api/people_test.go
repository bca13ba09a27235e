package api_test

import (
	"net/http"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api"
)

// Pages for people, such as the console, are served as they are at and below their paths, without the CORS headers of the API.
func TestPagesForPeople(t *testing.T) {
	t.Parallel()
	s := setup(t, options{api: func(c *api.Config) {
		pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.Method + " " + r.URL.Path)) })
		c.Pages = map[string]http.Handler{"/console": pages, "/console/": pages}
	}})
	for _, c := range []call{
		{method: "GET", uri: "/console"}, {method: "GET", uri: "/console/monitors/new"}, {method: "POST", uri: "/console/sign-in"}, {method: "OPTIONS", uri: "/console"},
	} {
		w := s.do(c)
		wantStatus(t, w, http.StatusOK)
		if got, want := w.Body.String(), c.method+" "+c.uri; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%s: got %q may read", c.uri, got)
		}
	}
	for _, uri := range []string{"/consoles", "/console/../v1/scrapes", "/console//x"} {
		wantStatus(t, s.do(call{method: "GET", uri: uri}), http.StatusNotFound)
	}
}
