package robots

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func allowed(text, url string, agents ...string) bool {
	return Parse([]byte(text)).For(agents...).Allowed(url)
}

func TestAllowed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, url string
		want            bool
	}{
		// Groups, RFC 9309 section 2.2.1. The crawler is called Walker.
		{"no file", "", "/a", true},
		{"everybody", "User-agent: *\nDisallow: /a", "/a", false},
		{"another", "User-agent: Runner\nDisallow: /", "/a", true},
		{"own name in capitals", "User-agent: WALKER\nDisallow: /", "/a", false},
		{"own name with a version", "User-agent: Walker/2.1\nDisallow: /", "/a", false},
		{"own name and more words", "User-agent: Walker of hosts\nDisallow: /", "/a", false},
		{"a longer name", "User-agent: Walker2\nDisallow: /", "/a", true},
		{"a shorter name", "User-agent: Walk\nDisallow: /", "/a", true},
		{"own group only", "User-agent: *\nDisallow: /a\n\nUser-agent: Walker\nDisallow: /b", "/a", true},
		{"own group only, the other way", "User-agent: Walker\nDisallow: /b\n\nUser-agent: *\nDisallow: /a", "/b", false},
		{"two groups of one name", "User-agent: Walker\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: Walker\nDisallow: /c", "/c", false},
		{"two names of one group", "User-agent: x\nUser-agent: Walker\nDisallow: /a", "/a", false},
		{"an empty rule ends the names", "User-agent: Walker\nDisallow:\nUser-agent: x\nDisallow: /", "/a", true},
		{"no name", "User-agent:\nDisallow: /\n", "/a", true},
		{"no name takes no rules of the one before", "User-agent: Walker\nDisallow: /b\nUser-agent: /x\nDisallow: /a", "/a", true},
		{"star as part of a name", "User-agent: *Walker\nDisallow: /", "/a", true},
		{"star and a remark", "User-agent: * all\nDisallow: /", "/a", false},
		{"rules before any group", "Disallow: /\nUser-agent: x\nDisallow: /", "/a", true},
		{"a delay between names", "User-agent: Walker\nCrawl-delay: 1\nUser-agent: x\nDisallow: /a", "/a", false},

		// Rules, section 2.2.2.
		{"the longest allows", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true},
		{"the longest disallows", "User-agent: *\nAllow: /a\nDisallow: /a/b", "/a/b/c", false},
		{"a tie allows", "User-agent: *\nDisallow: /a\nAllow: /a", "/a", true},
		{"case counts", "User-agent: *\nDisallow: /A", "/a", true},
		{"its own file", "User-agent: *\nDisallow: /", "/robots.txt?x", true},
		{"not a file of a like name", "User-agent: *\nDisallow: /", "/robots.txt2", false},
		{"query", "User-agent: *\nDisallow: /*?s=", "/a?s=1", false},
		{"query without path", "User-agent: *\nDisallow: /?s=", "https://example.com?s=1", false},
		{"fragment", "User-agent: *\nDisallow: /a$", "https://example.com/a#/b", false},
		{"path that looks like a host", "User-agent: *\nDisallow: //b", "//b/c", false},
		{"encoded letter in the rule", "User-agent: *\nDisallow: /%61", "/a", false},
		{"encoded letter in the path", "User-agent: *\nDisallow: /a", "/%61", false},
		{"hexadecimal in any case", "User-agent: *\nDisallow: /%c3%BC", "/%C3%bc", false},
		{"not ASCII", "User-agent: *\nDisallow: /ü", "/%C3%BC", false},
		{"not UTF-8", "User-agent: *\nDisallow: /\xff", "/%FF", false},
		{"encoded slash", "User-agent: *\nDisallow: /a/", "/a%2F", true},
		{"space inside", "User-agent: *\nDisallow: /a b", "/a%20b", false},
		{"bars", "User-agent: *\nDisallow: /a|b", "/a%7Cb", false},
		{"a per cent sign alone", "User-agent: *\nDisallow: /100%", "/100%/x", false},
		{"a rule of no path", "User-agent: *\nDisallow: a", "/a", true},

		// Special characters, section 2.2.3.
		{"comment", "User-agent: * # all\nDisallow: /a # b", "/a/b", false},
		{"star in the middle", "User-agent: *\nDisallow: /a/*/c", "/a/b/b/c", false},
		{"star for nothing", "User-agent: *\nDisallow: /a*b", "/ab", false},
		{"star first", "User-agent: *\nDisallow: *.pdf", "/x/y.pdf", false},
		{"stars in a row", "User-agent: *\nDisallow: /a***b$", "/axxb", false},
		{"end", "User-agent: *\nDisallow: /*.pdf$", "/a.pdf?b", true},
		{"end, found late", "User-agent: *\nDisallow: /*.pdf$", "/a.pdf.pdf", false},
		{"end overlaps no prefix", "User-agent: *\nDisallow: /aba*aba$", "/aba", true},
		{"end mark in the middle", "User-agent: *\nDisallow: /a$b", "/a$b", false},
		{"two end marks", "User-agent: *\nDisallow: /a$$", "/a$", false},
		{"encoded star", "User-agent: *\nDisallow: /a%2a", "/a*", false},
		{"encoded star is no wildcard", "User-agent: *\nDisallow: /a%2ac", "/abc", true},
		{"a star in a path", "User-agent: *\nDisallow: /a*c", "/a*c", false},

		// Lines, sections 2.2 and 2.2.4.
		{"byte order mark", "\ufeffUser-agent: *\nDisallow: /a", "/a", false},
		{"carriage returns", "User-agent: *\rDisallow: /a\r\rDisallow: /b", "/b", false},
		{"spaces", "\t User-Agent\t: *\n disallow \t:\t/a ", "/a", false},
		{"no colon", "User-agent: *\nDisallow /a", "/a", true},
		{"a sitemap inside", "User-agent: *\nSitemap: https://example.com/s\nDisallow: /a", "/a", false},
		{"a page instead", "<!doctype html><title>Not found</title><style>a{b:c}</style>", "/a", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := allowed(tt.text, tt.url, "Walker"); got != tt.want {
				t.Errorf("%q under %q: got %t, want %t", tt.url, tt.text, got, tt.want)
			}
		})
	}
}

func TestSeveralNames(t *testing.T) {
	t.Parallel()
	const text = "User-agent: walker-news\nDisallow: /news\nUser-agent: walker\nDisallow: /all\nUser-agent: *\nDisallow: /other"
	for path, want := range map[string]bool{"/news": false, "/all": false, "/other": true} {
		if got := allowed(text, path, "Walker", "Walker-News"); got != want {
			t.Errorf("%s: got %t, want %t", path, got, want)
		}
	}
	if allowed(text, "/other") || allowed(text, "/other", "*") {
		t.Error("a crawler without a name: got /other allowed, want the rules for everybody")
	}
}

// A file must not be cut in the middle of a rule: "Disallow: /a" cut to "Disallow: /" would close the whole host.
func TestFileIsCutAtALine(t *testing.T) {
	t.Parallel()
	const first, last = "User-agent: *\nDisallow: /first\n", "Disallow: /last"
	text := first + strings.Repeat("#\n", (BytesMax-len(first))/2-6) + last
	if len(text) <= BytesMax {
		t.Fatalf("the file has %d bytes, which is too few", len(text))
	}
	if allowed(text, "/first") || !allowed(text, "/last") || !allowed(text, "/") {
		t.Errorf("got /first %t, /last %t, / %t, want only the first disallowed", allowed(text, "/first"), allowed(text, "/last"), allowed(text, "/"))
	}
	if !allowed(strings.Repeat("x", BytesMax+1), "/") {
		t.Error("a file of one line: got / disallowed")
	}
}

func TestCrawlDelay(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       time.Duration
		has        bool
	}{
		{"none", "User-agent: *\nDisallow: /", 0, false},
		{"whole", "User-agent: *\nCrawl-delay: 3", 3 * time.Second, true},
		{"part", "User-agent: *\ncrawl-delay: 0.5", 500 * time.Millisecond, true},
		{"the largest", "User-agent: *\nCrawl-delay: 3\nDisallow: /\nUser-agent: *\nCrawl-delay: 2", 3 * time.Second, true},
		{"another's", "User-agent: x\nCrawl-delay: 3\n", 0, false},
		{"its own", "User-agent: *\nCrawl-delay: 3\nDisallow: /a\nUser-agent: walker\nCrawl-delay: 1", time.Second, true},
		{"endless", "User-agent: *\nCrawl-delay: 1e300", 24 * time.Hour, true},
		{"infinite", "User-agent: *\nCrawl-delay: inf", 24 * time.Hour, true},
		{"negative", "User-agent: *\nCrawl-delay: -1", 0, false},
		{"no number", "User-agent: *\nCrawl-delay: NaN", 0, false},
		{"before any group", "Crawl-delay: 3\nUser-agent: *\nDisallow: /", 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, has := Parse([]byte(tt.text)).For("walker").CrawlDelay(); got != tt.want || has != tt.has {
				t.Errorf("got %s, %t, want %s, %t", got, has, tt.want, tt.has)
			}
		})
	}
}

func TestSitemaps(t *testing.T) {
	t.Parallel()
	got := Parse([]byte("Sitemap: https://example.com/a.xml\nUser-agent: *\nsitemap:https://example.com/b.xml # two\nSitemap:\n")).Sitemaps()
	if want := []string{"https://example.com/a.xml", "https://example.com/b.xml"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDisallowAll(t *testing.T) {
	t.Parallel()
	if g := DisallowAll(time.Now()).For("walker"); g.Allowed("/") || g.Allowed("https://example.com") || !g.Allowed("/robots.txt") {
		t.Error("got something allowed, want nothing but the file itself")
	}
	if !new(Rules).For("walker").Allowed("/") {
		t.Error("the zero value: got / disallowed, want everything allowed")
	}
}

type conformanceCase struct {
	ID         string   `json:"id"`
	RFC9309    *bool    `json:"rfc9309"`
	RobotsTxt  string   `json:"robots_txt"`
	UserAgents []string `json:"user_agents"`
	URL        string   `json:"url"`
	Allowed    bool     `json:"allowed"`
}

// The cases of an independent suite, which is not part of this repository. TURNPIKE_DATA names the directory with
// robots/cases.json and robots/extra.json.
func TestConformance(t *testing.T) {
	t.Parallel()
	data := os.Getenv("TURNPIKE_DATA")
	if data == "" {
		t.Skip("set TURNPIKE_DATA to a directory that holds robots/cases.json and robots/extra.json")
	}
	for _, file := range []struct {
		name string
		want int
	}{{"cases.json", 71}, {"extra.json", 90}} {
		text, err := os.ReadFile(filepath.Join(data, "robots", file.name))
		if err != nil {
			t.Skipf("no conformance cases: %v", err)
		}
		var cases []conformanceCase
		if err := json.Unmarshal(text, &cases); err != nil {
			t.Fatal(err)
		}
		ran := 0
		for _, c := range cases {
			if c.RFC9309 != nil && !*c.RFC9309 {
				continue
			}
			ran++
			if got := allowed(c.RobotsTxt, c.URL, c.UserAgents...); got != c.Allowed {
				t.Errorf("%s %s: got allowed %t, want %t", file.name, c.ID, got, c.Allowed)
			}
		}
		if ran < file.want {
			t.Errorf("%s: got %d cases, want at least %d", file.name, ran, file.want)
		}
		t.Logf("%s: %d cases", file.name, ran)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"User-agent: *\nDisallow: /a*b$\nAllow: /%61\nCrawl-delay: 0.5\nSitemap: x", "\ufeffuser-agent:x\r\rdisallow:/", "User-agent: *\nDisallow: ***$$%",
	} {
		f.Add([]byte(seed), "https://example.com/a?b#c")
	}
	f.Fuzz(func(t *testing.T, text []byte, url string) {
		rules := Parse(text)
		group := rules.For("walker")
		got := group.Allowed(url)
		if !group.Allowed("/robots.txt") {
			t.Fatal("robots.txt is not allowed")
		}
		path := normalise(pathOf(url), false)
		if again := normalise(path, false); again != path {
			t.Fatalf("normalising %q again gives %q", path, again)
		}
		if want := Parse(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))).For("walker").Allowed(url); len(text) < BytesMax/2 && got != want {
			t.Fatalf("%q: got %t, with other line ends %t", url, got, want)
		}
		for i := range group.patterns {
			if p := &group.patterns[i]; p.matches(path) != slowMatch(p, path) {
				t.Fatalf("%+v on %q: got %t", p, path, p.matches(path))
			}
		}
	})
}

// slowMatch is the plain definition: each star tries every length.
func slowMatch(p *pattern, path string) bool {
	budget := 1 << 16
	var try func(parts []string, rest string) bool
	try = func(parts []string, rest string) bool {
		if len(parts) == 0 {
			return !p.toEnd || rest == ""
		}
		for at := range len(rest) + 1 {
			if budget--; budget < 0 {
				return p.matches(path) // too slow the plain way, hence the other one
			}
			if after, ok := strings.CutPrefix(rest[at:], parts[0]); ok && try(parts[1:], after) {
				return true
			}
		}
		return false
	}
	rest, ok := strings.CutPrefix(path, p.parts[0])
	return ok && try(p.parts[1:], rest)
}

// BenchmarkAllowed asks loaded rules once, as a crawl does: less than a microsecond.
func BenchmarkAllowed(b *testing.B) {
	var text strings.Builder
	text.WriteString("User-agent: *\n")
	for _, path := range []string{"/search", "/*?sort=", "/cart", "/private/", "/*.json$", "/a/*/edit", "/api/"} {
		text.WriteString("Disallow: " + path + "\n")
	}
	group := Parse([]byte(text.String())).For("walker")
	b.ReportAllocs()
	for b.Loop() {
		group.Allowed("https://example.com/articles/2026/11/a-title-of-some-length?page=2")
	}
}

// A hostile file and path: forty stars, thousands of rules.
func BenchmarkHostile(b *testing.B) {
	text := "User-agent: *\n" + strings.Repeat("Disallow: /"+strings.Repeat("a*", 40)+"b$\n", 5000)
	group := Parse([]byte(text)).For("walker")
	path := "/" + strings.Repeat("a", 8000)
	b.ReportAllocs()
	for b.Loop() {
		group.Allowed(path)
	}
}
