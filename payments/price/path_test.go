package price

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// tollBook has a dear path next to a cheap wildcard, which is what path tricks aim at.
func tollBook(t testing.TB) *Book {
	t.Helper()
	book, err := New([]Rule{
		{Methods: []string{"POST"}, Path: "/v1/crawls", Unit: edgewire.UnitCredit, Price: Fixed(100)},
		{Methods: []string{"GET"}, Path: "/v1/read/*", Unit: edgewire.UnitCredit, Price: Fixed(1)},
		{Path: "/files/big", Unit: edgewire.UnitCredit, Price: Fixed(50)},
		{Path: "/files/*/parts", Unit: edgewire.UnitCredit, Price: Fixed(7)},
		{Path: "/files/*", Unit: edgewire.UnitCredit, Price: Fixed(2)},
		{Methods: []string{"GET"}, Path: "/v1/*", Price: Free()},
		{Path: "/", Price: Free()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return book
}

func TestPathTricks(t *testing.T) {
	t.Parallel()
	const refused = -1
	tests := []struct {
		method, target string
		want           int64
	}{
		{"POST", "/v1/crawls", 100},
		{"POST", "/v1/crawls?x=1", 100},
		{"POST", "/v1/crawls/", refused},
		{"POST", "//v1/crawls", refused},
		{"POST", "/v1//crawls", refused},
		{"POST", "/v1/./crawls", refused},
		{"POST", "/v1/x/../crawls", refused},
		{"POST", "/v1/%2e/crawls", refused},
		{"POST", "/v1/crawls%2f", refused},
		{"POST", "/v1%2fcrawls", refused},
		{"POST", "/v1/crawls;x=1", refused},
		{"POST", "/V1/Crawls", refused},
		{"POST", "/v1/crawls%20", refused},
		{"POST", "/v1/crawls.", refused},
		{"POST", "/v1/crawls%00", refused},
		{"POST", `/v1\crawls`, refused},
		{"POST", "/v1/crawls", 100},
		{"POST", "/v1/%63rawls", 100}, // every server decodes an escaped letter
		{"POST", "/v1/%2563rawls", refused},
		{"DELETE", "/v1/crawls", refused},
		{"HEAD", "/v1/read/https://example.com/", 1},
		{"GET", "/v1/read/https://example.com/a//b?c=d", 1},
		{"GET", "/v1/read/https%3A%2F%2Fexample.com%2Fa", 1},
		{"GET", "/v1/read/https://example.com/../../../files/big", refused},
		{"GET", "/v1/read/..%2f..%2f..%2ffiles/big", refused},
		{"GET", "/v1/read/..;/..;/files/big", refused},
		{"GET", "/v1/read/%252e%252e/%252e%252e/files/big", refused},
		{"GET", "/v1/read/%c0%ae%c0%ae/%c0%ae%c0%ae/files/big", refused},
		{"GET", "/v1/read/%e0%80%ae./files/big", refused},
		{"GET", "/v1/read/%25c0%25af", refused},
		{"GET", "/v1/read/%F0%80%80%AF", refused},
		{"GET", "/v1/read/%C3%A9t%C3%A9/%E0%A4%85/%F0%9F%98%80", 1},
		{"GET", "/v1/read/%E9t%E9", 1}, // Latin-1
		{"GET", "/v1/read/", 0},        // like /v1/read: free in every reading,
		{"GET", "/v1/read", 0},
		{"GET", "/v1//read/https://example.com", refused},
		{"GET", "/files/big", 50},
		{"GET", "/files/big/", refused},
		{"GET", "/files//big", refused},
		{"GET", "/files/BIG", refused},
		{"GET", "/files/big;x", refused},
		{"GET", "/files/%62ig", 50},
		{"GET", "/files/%2562ig", refused},
		{"GET", "/files/x", 2},
		{"GET", "/files/x/parts", 7},
		{"GET", "/files/x/parts/", refused},
		{"GET", "/files/x/parts/1", 2},
		{"GET", "/files/x;y/parts", 7},
		{"GET", "/files//parts", 2}, // a star never matches an empty segment,
		{"GET", "/files", refused},
		{"GET", "/files/", refused},
		{"GET", "/", 0},
		{"GET", "//", refused},
		{"GET", "/;x", refused},
		{"OPTIONS", "/v1/crawls", refused},
	}
	book := tollBook(t)
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.target, func(t *testing.T) {
			t.Parallel()
			u, err := url.ParseRequestURI(tt.target)
			if err != nil {
				t.Fatal(err)
			}
			q, err := book.Quote(t.Context(), &Request{Method: tt.method, URL: u}, edgewire.UnitCredit)
			switch {
			case tt.want == refused:
				if !errors.Is(err, ErrNoRule) {
					t.Errorf("got amount %d, error %v, want ErrNoRule", q.Amount, err)
				}
			case err != nil || q.Amount != tt.want:
				t.Errorf("got amount %d, error %v, want %d", q.Amount, err, tt.want)
			}
		})
	}
}

func TestPatternFaults(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"", "v1", "/a b", "/a%20b", "/a;b", "/a//b", "//", "/a/../b", "/./a", "/a*", "/*a/b", "/a?b", "/a#b", `/a\b`, "//*", "/a\x00",
	} {
		if _, err := compilePattern(path); err == nil {
			t.Errorf("pattern %q: got no error", path)
		}
	}
}

// FuzzMatch protects the rule that charging relies on: however a path is written, any lenient reading of it has the
// price of the same rule, or the request is refused.
func FuzzMatch(f *testing.F) {
	for _, seed := range []string{
		"/v1/crawls", "/files//big", "/files/%62ig", "/files/x;y/parts",
		"/v1/read/https://a/b//c", "/%2e%2e/files/big", "/files/b%2569g", "/..;/a",
	} {
		f.Add(seed)
	}
	book := tollBook(f)
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || u.Opaque != "" {
			return
		}
		got, err := book.match("GET", u.EscapedPath(), edgewire.UnitCredit, nil)
		if err != nil {
			return
		}
		for _, reading := range lenientReadings(u.EscapedPath()) {
			for _, c := range book.rules {
				if !c.covers("GET", edgewire.UnitCredit) {
					continue
				}
				if p := c.pattern; !p.matchExact(reading) && !p.matchExact(strings.ToLower(reading)) {
					continue
				}
				if c != got {
					t.Fatalf("%q is priced as %s and can be read as %q, which is %s", target, got, reading, c)
				}
				break
			}
		}
	})
}

// lenientReadings is deliberately independent of loosen.
func lenientReadings(path string) []string {
	merge := func(s string) string {
		for strings.Contains(s, "//") {
			s = strings.ReplaceAll(s, "//", "/")
		}
		return s
	}
	decode := func(s string) string {
		if d, err := url.PathUnescape(s); err == nil {
			return d
		}
		return s
	}
	noParams := func(s string) string {
		segs := strings.Split(s, "/")
		for i := range segs {
			segs[i], _, _ = strings.Cut(segs[i], ";")
		}
		return strings.Join(segs, "/")
	}
	trim := func(s string) string { return "/" + strings.Trim(s, "/") }
	var readings []string
	for _, f := range []func(string) string{merge, noParams, trim} {
		readings = append(readings, f(path))
		for _, g := range []func(string) string{merge, noParams, trim, decode} {
			readings = append(readings, g(f(path)), f(g(path)))
		}
	}
	readings = append(readings, merge(noParams(decode(decode(path)))))
	out := readings[:0]
	for _, s := range readings {
		// matchExact decodes once itself, so a reading with escapes left is not final.
		if strings.HasPrefix(s, "/") && !strings.Contains(s, "%") {
			out = append(out, s)
		}
	}
	return out
}
