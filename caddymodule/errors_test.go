package caddymodule

import (
	"crypto/tls"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/caddymodule/x402"
)

// The type of an error links to this service's own pages at the address that the client used, unless docs_url points elsewhere.
func TestWhereErrorsLink(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		docs, public string
		tls          bool
		want         string
	}{
		{"", "", false, "http://api.example.com:8080/docs/api-reference/errors/unauthorized"},
		{"", "", true, "https://api.example.com:8080/docs/api-reference/errors/unauthorized"},
		{"", "https://public.example.com/", false, "https://public.example.com/docs/api-reference/errors/unauthorized"},
		{"/help/", "", false, "http://api.example.com:8080/help/api-reference/errors/unauthorized"},
		{"https://docs.example.com/", "https://public.example.com", true, "https://docs.example.com/api-reference/errors/unauthorized"},
	} {
		app := &App{DocsURL: test.docs}
		if test.public != "" {
			app.X402 = &x402.Config{PublicURL: test.public}
		}
		if err := app.provisionErrors(); err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodGet, "/v1/scrapes", http.NoBody)
		r.Host = "api.example.com:8080"
		r.Header.Set("X-Forwarded-Host", "stranger.example.com") // not from a trusted proxy
		if test.tls {
			r.TLS = &tls.ConnectionState{}
		}
		w := httptest.NewRecorder()
		if err := app.errs.Write(w, r, response.RefuseNoKey()); err != nil {
			t.Fatal(err)
		}
		var o response.ErrorObject
		if err := json.Unmarshal(w.Body.Bytes(), &o); err != nil || o.Type != test.want {
			t.Errorf("docs_url %q, public_url %q: got %s (%v), want %s", test.docs, test.public, o.Type, err, test.want)
		}
	}
	for _, wrong := range []string{"docs.example.com", "ftp://docs.example.com", "//docs.example.com", "https://"} {
		if err := (&App{DocsURL: wrong}).provisionErrors(); err == nil {
			t.Errorf("docs_url %q: got no error", wrong)
		}
	}
}
