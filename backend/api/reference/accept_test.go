package reference

import (
	"strings"
	"testing"
)

func TestPreferred(t *testing.T) {
	t.Parallel()
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
	for _, tt := range []struct{ name, accept, offers, want string }{
		{"nothing", "", "application/json text/html", "application/json"},
		{"anything", "*/*", "application/json text/html", "application/json"},
		{"a browser", browser, "application/json text/html", "text/html"},
		{"a browser, docs", browser, "text/html text/markdown", "text/html"},
		{"a program", "application/json", "application/json text/html", "application/json"},
		{"JSON or anything", "application/json, text/plain, */*", "application/json text/html", "application/json"},
		{"markdown", "text/markdown", "text/html text/markdown", "text/markdown"},
		{"in capitals", "Text/Markdown", "text/html text/markdown", "text/markdown"},
		{"markdown first", "text/markdown, text/html, */*", "text/html text/markdown", "text/markdown"},
		{"HTML first", "text/html, text/markdown", "text/html text/markdown", "text/html"},
		{"by weight", "text/html;q=0.5, text/markdown;q=0.9", "text/html text/markdown", "text/markdown"},
		{"not HTML", "text/html;q=0, text/*", "text/html text/markdown", "text/markdown"},
		{"of a kind", "text/*", "application/json text/html", "text/html"},
		{"others", "image/png", "application/json text/html", "application/json"},
		{"nonsense", ";;q=x,,text/html;q=NaN,a/b/c", "application/json text/html", "application/json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Preferred([]string{tt.accept}, strings.Fields(tt.offers)...); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	if got := Preferred([]string{"application/json;q=0.1", "text/html"}, "application/json", "text/html"); got != "text/html" {
		t.Errorf("of two lines: got %s, want text/html", got)
	}
}
