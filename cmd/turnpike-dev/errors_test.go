package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/program"
)

// errorsAreDocumented follows the links in errors of the edge and the backend: each leads to a page that names its code.
func (r *running) errorsAreDocumented(t *testing.T) {
	t.Helper()
	for _, tc := range []struct{ method, path, key, body string }{
		{http.MethodPost, "/v1/scrapes", "", "{}"},
		{http.MethodPost, "/v1/scrapes", r.key, "{}"},
		{http.MethodPost, "/v1/scrapes", r.key, "{"},
		{http.MethodGet, "/v1/scrapes/scrape_none", r.key, ""},
		{http.MethodGet, "/v3/nothing", r.key, ""},
		{http.MethodPut, "/v1/scrapes", r.key, "{}"},
		{http.MethodPost, "/v1/scrapes", r.key, `{"url_to_scrape":"http://10.0.0.1/"}`},
		{http.MethodPost, "/v1/batches", r.key, `{"items":[{"url":"https://example.com/"}],"country":"DE"}`},
		{http.MethodPost, "/v1/crawls", r.key, `{"start_url":"https://example.com/","max_pages":100000}`},
		{http.MethodPost, "/user/purchase-topup", r.key, `{"credits":10000}`},
		{http.MethodPost, "/x402/v1/crawls", "", `{"start_url":"https://example.com/"}`},
	} {
		refused := program.Request(t, tc.method, r.edge+tc.path, tc.key, tc.body)
		var no struct{ Type, Code string }
		if err := json.Unmarshal([]byte(refused.Text), &no); err != nil || no.Code == "" {
			t.Errorf("%s %s %s: got %s, want an error", tc.method, tc.path, tc.body, refused.Text)
			continue
		}
		page := program.Request(t, http.MethodGet, no.Type, "", "")
		if !strings.HasPrefix(no.Type, r.edge+"/docs/") || page.StatusCode != http.StatusOK || !strings.Contains(page.Text, no.Code) {
			t.Errorf("%s: its type leads to %s, with status %d, want a page of %s that names it", no.Code, no.Type, page.StatusCode, r.edge)
		}
	}
}
