package scrapes

import (
	"net/url"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

func TestTargetsOfReads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://example.com/a?b=c":                     "https://example.com/a?b=c",
		"https:/example.com/a?b=c":                      "https://example.com/a?b=c",
		"HTTPS://example.com":                           "https://example.com",
		"http://example.com":                            "http://example.com",
		"http:/example.com:8080/":                       "http://example.com:8080/",
		"https:///example.com/":                         "https://example.com/",
		"https://example.com//a//b":                     "https://example.com//a//b",
		"https://example.com/a%2Fb%20c?d=%26":           "https://example.com/a%2Fb%20c?d=%26",
		"https://example.com/%23":                       "https://example.com/%23",
		"https://example.com/?dry_run=true":             "https://example.com/?dry_run=true",
		"https://example.com/?u=http%3A%2F%2Fb.c%2F%23": "https://example.com/?u=http%3A%2F%2Fb.c%2F%23",
		"https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc":         "https://example.com/a?b=c",
		"https%3a//example.com/a%20b":                   "https://example.com/a b",
		"https%3A%2F%2Fexample.com%2Fa?b=c":             "https://example.com/a?b=c",
		"example.com%2Fa%3Fb":                           "https://example.com/a?b",
		"example.com":                                   "https://example.com",
		"example.com/a?b=https://c.d/":                  "https://example.com/a?b=https://c.d/",
		"example.com?b":                                 "https://example.com?b",
		"example.com:8080/a":                            "https://example.com:8080/a",
		"example.com:8080":                              "https://example.com:8080",
		"b%C3%BCcher.example/a%2Fb":                     "https://b%C3%BCcher.example/a%2Fb",
		"[2001:db8::1]/a":                               "https://[2001:db8::1]/a",
		"[2001:db8::1]:8080/a":                          "https://[2001:db8::1]:8080/a",
	} {
		if got, err := targetOf(text); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
	for text, part := range map[string]string{
		"":                                 "is missing",
		"?a=b":                             "is missing",
		"/example.com/":                    "is missing",
		"ftp://example.com/":               "scheme",
		"ftp:/example.com/":                "scheme",
		"file:///etc/passwd":               "scheme",
		"javascript:alert(1)":              "scheme",
		"data:text/html,x":                 "scheme",
		"mailto:a@example.com":             "scheme",
		"user:password@example.com/":       "scheme",
		"https:example.com":                "slashes",
		"https:":                           "host",
		"https://":                         "host",
		"https%3A%2F%2Fexample.com%2F%23a": "fragment",
		"https%3A%2F%2Fexample.com%2F%zz":  "percent-encoded",
		"https%3A%2F%2Fexample.com%2F%3Fa%3Db?c=d":         "query",
		"https://example.com/" + strings.Repeat("a", 8192): "longer",
	} {
		if got, err := targetOf(text); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%.60s: got %q, %v, want %q in it", text, got, err, part)
		}
	}
}

// Accepted targets are http or https and no longer than the input. The same URL in either complete form gives the same target.
func FuzzTargetOf(f *testing.F) {
	for _, seed := range []string{
		"https://example.com/a?b=c", "https:/example.com", "https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc", "example.com:80/a", "//a", "ftp://a", "a%2fb?c#d",
		"http:///a@b", "javascript:x", "[::1]/", "%", "a:b:c/", "https:\\\\a\\b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		target, err := targetOf(text)
		if err != nil {
			return
		}
		if !strings.HasPrefix(target, "http://") && !strings.HasPrefix(target, "https://") {
			t.Fatalf("%q became %q", text, target)
		}
		u, err := fetch.ParseURL(target)
		if err != nil {
			return
		}
		if u.Scheme() != "http" && u.Scheme() != "https" {
			t.Errorf("%q became %q", text, u)
		}
		again, err := targetOf(url.PathEscape(target))
		if err != nil || again != target {
			t.Errorf("%q, encoded whole, became %q (%v)", target, again, err)
		}
	})
}
