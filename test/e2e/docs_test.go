package e2e

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var (
	curlCommand = regexp.MustCompile(`(?s)<pre>(curl [^<]*/v1/scrapes \\\n[^<]*)</pre>`)
	curlHeader  = regexp.MustCompile(`-H "([^":]+): ([^"]*)"`)
	curlData    = regexp.MustCompile(`(?s)-d '([^']*)'`)
)

// TestDocumentedExample shows that the documented command works as copied, with only the key and the page replaced.
func TestDocumentedExample(t *testing.T) {
	t.Parallel()
	s := setup(t)
	docs := call{method: http.MethodGet, url: s.edge + "/docs"}.do(t)
	docs.wantStatus(t, http.StatusOK)
	found := curlCommand.FindSubmatch(docs.body)
	if found == nil {
		t.Fatal("the documentation has no curl command for /v1/scrapes")
	}
	command := html.UnescapeString(string(found[1]))
	p, page := s.purse(t, 1), s.pages.fresh()
	c := call{url: s.edge + "/v1/scrapes"}
	for _, header := range curlHeader.FindAllStringSubmatch(command, -1) {
		c = c.with(header[1], strings.ReplaceAll(header[2], "$TURNPIKE_KEY", p.key))
	}
	data := curlData.FindStringSubmatch(command)
	if data == nil {
		t.Fatalf("command: got %s, want it to send a body", command)
	}
	c.body = strings.ReplaceAll(data[1], "https://example.com/", page)
	// This is curl's default, unless the command sets another.
	if !strings.Contains(command, "Content-Type") {
		c = c.with("Content-Type", "application/x-www-form-urlencoded")
	}
	c.do(t).wantStatus(t, http.StatusOK)
	p.wantSpent(t, 1)
	s.pages.wantFetched(t, page, 1)
}
