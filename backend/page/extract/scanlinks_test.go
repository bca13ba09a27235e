package extract

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

func TestScanLinks(t *testing.T) {
	t.Parallel()
	page := `<!doctype html><html><head><title>Tolls &amp;
	roads</title><link rel="icon canonical" href="/tolls"><meta name=Robots content="noindex, NoFollow"><style>a{}</style></head><body>
	<nav><ul><li><a href="/">Home</a></li><li><a href="/about" rel="NoFollow ugc">About us</a></li></ul></nav>
	<h1>All <em>tolls</em></h1><p>Read <a href="charter.html?a=1#s">the charter</a> of the bridge, and <b>pay</b>.</p>
	<h2>More</h2><div><a href="/pic"><img src="a.png" alt="A bridge"></a><a href="/pic">In words</a></div>
	<svg><a href="/drawn">drawn</a></svg><script>var a = '<a href="/no">no</a>'</script><noscript><a href="/plain">plain</a></noscript>
	<template><a href="/later">later</a></template><a href="javascript:void(0)">js</a> <a href="https://other.example/x">Other</a>
	<map><area href="/area" alt="Area"></map><a href="/label" aria-label="Named"></a></body></html>`
	scan := ScanLinks(Source{URL: "https://example.com/a/b", Body: []byte(page)})
	var got []string
	for _, l := range scan.Links {
		got = append(got, strings.Join([]string{strings.TrimPrefix(l.URL, "https://example.com"), l.Text, l.Heading, l.Around, strings.Join(l.Rel, " ")}, "|"))
	}
	want := []string{
		"/|Home|||", "/about|About us|||nofollow ugc", "/a/charter.html?a=1#s|the charter|All tolls|Read the charter of the bridge, and pay.|",
		"/pic|In words|More||", "/drawn||More|plain js Other|", "/plain|plain|More|plain js Other|", "/later||More|plain js Other|",
		"https://other.example/x|Other|More|plain js Other|", "/area|Area|More|plain js Other|", "/label|Named|More|plain js Other|",
	}
	for i := range max(len(got), len(want)) {
		g, w := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("link %d: got %q, want %q", i, g, w)
		}
	}
	if scan.Title != "Tolls & roads" || scan.Heading != "All tolls" || scan.Canonical != "https://example.com/tolls" || !scan.NoFollow {
		t.Errorf("got %q, %q, %q, %t", scan.Title, scan.Heading, scan.Canonical, scan.NoFollow)
	}
	if scan.Content == [16]byte{} || scan.Simhash == 0 || scan.TextRunes < 60 {
		t.Errorf("got %x, %x, %d, want a print", scan.Content, scan.Simhash, scan.TextRunes)
	}
}

func TestScanHeader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, robots string
		want         bool
	}{
		{"nothing", "", false},
		{"all", "nofollow", true},
		{"a list", "noindex, none", true},
		{"for another", "otherbot: nofollow", false},
		{"with a date", "unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow", true},
		{"index", "index, follow", false},
	} {
		header := http.Header{"X-Robots-Tag": {tt.robots}, "Link": {`</own>; rel="canonical"`}}
		scan := ScanLinks(Source{URL: testURL, Header: header, Body: []byte(`<link rel=canonical href=/other>`)})
		if scan.NoFollow != tt.want || !strings.HasSuffix(scan.Canonical, "/own") {
			t.Errorf("%s: got %t, %s", tt.name, scan.NoFollow, scan.Canonical)
		}
	}
}

func TestScanBase(t *testing.T) {
	t.Parallel()
	for _, page := range []string{
		`<base><base href="/deep/"><base href="/no/"><a href="x">x</a>`,
		`<a href="x">x</a><base href="/deep/">`,
	} {
		scan := ScanLinks(Source{URL: testURL, Body: []byte(page)})
		if len(scan.Links) != 1 || scan.Links[0].URL != "https://example.com/deep/x" {
			t.Errorf("%s: got %+v", page, scan.Links)
		}
	}
	if scan := ScanLinks(Source{Body: []byte(`<a href=x>x</a><a href=https://a.example/>a</a>`)}); len(scan.Links) != 1 {
		t.Errorf("got %+v, want the absolute one", scan.Links)
	}
}

// TestScanIsRead compares the links found in a page's tokens with those found in its tree.
func TestScanIsRead(t *testing.T) {
	t.Parallel()
	var all, differ int
	check := func(name string, input []byte) {
		document, err := Page(t.Context(), input, Options{BaseURL: testURL})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		scan := ScanLinks(Source{URL: testURL, Body: input})
		got, want := urlsOf(scan.Links), urlsOf(document.Links)
		all += len(want)
		if slices.Equal(got, want) {
			return
		}
		wrong := differences(got, want)
		differ += wrong
		t.Logf("%s: %d of %d links differ", name, wrong, len(want))
	}
	golden, err := filepath.Glob("testdata/golden/*/*.html")
	if err != nil || len(golden) == 0 {
		t.Fatalf("got %d pages, %v", len(golden), err)
	}
	for _, path := range golden {
		input, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		check(filepath.Base(path), input)
	}
	if corpus, _ := filepath.Glob(filepath.Join(os.Getenv("TURNPIKE_DATA"), "wcxb-dev", "html", "*.html.gz")); os.Getenv("TURNPIKE_DATA") != "" {
		if testing.Short() {
			corpus = corpus[:min(len(corpus), 50)]
		}
		for _, path := range corpus {
			check(filepath.Base(path), readGzip(t, path))
		}
	}
	if t.Logf("%d links, %d differ", all, differ); float64(differ) > 0.005*float64(all) {
		t.Errorf("got %d of %d links that differ, want at most 0.5 %%", differ, all)
	}
}

func urlsOf(links []Link) []string {
	urls := make([]string, 0, len(links))
	for _, l := range links {
		urls = append(urls, l.URL)
	}
	return urls
}

// differences counts the items that are in only one of two lists.
func differences(a, b []string) int {
	in := map[string]int{}
	for _, s := range a {
		in[s]++
	}
	for _, s := range b {
		in[s]--
	}
	n := 0
	for _, count := range in {
		n += max(count, -count)
	}
	return n
}

func TestPrints(t *testing.T) {
	t.Parallel()
	story := sentences(40)
	printed := func(page string) Print { return ScanLinks(Source{URL: testURL, Body: []byte(page)}).Print }
	first := printed("<title>T</title><p>" + story + "</p>")
	for name, tt := range map[string]struct {
		page       string
		same, near bool
	}{
		"white space and markup":  {"<title>T</title><body>\n\n<div> <p>" + strings.ReplaceAll(story, " ", "\n ") + "<script>var session = 7</script>", true, true},
		"another title":           {"<title>U</title><p>" + story + "</p>", false, true},
		"another picture":         {"<title>T</title><img src=a.png><p>" + story + "</p>", false, true},
		"a word more":             {"<title>T</title><p>" + story + " indeed</p>", false, true},
		"another text altogether": {"<title>T</title><p>" + strings.Repeat("nothing of what was said elsewhere holds for the ferry ", 30) + "</p>", false, false},
	} {
		got := printed(tt.page)
		apart := 0
		for x := got.Simhash ^ first.Simhash; x != 0; x &= x - 1 {
			apart++
		}
		if same := got.Content == first.Content; same != tt.same || (apart <= 3) != tt.near {
			t.Errorf("%s: got %t and %d bits apart, want %t, near %t", name, same, apart, tt.same, tt.near)
		}
	}
	if got := printed("<title>A title that is long enough by itself, were it text at all, says nobody</title><p>short</p>"); got != (Print{}) {
		t.Errorf("got %v of next to no text, want none", got)
	}
}

func FuzzScanLinks(f *testing.F) {
	for _, seed := range []string{
		`<a href=x>x<a href=y>y</a>`, `<base href=//b><a href=/x>`, "<title>\xff</title><h1><a href='?a'>\xff", `<svg><a href=x></svg><template><a href=/y>`,
		`<h1>a<h2>b<a href=/c>`, `<noscript><a href=#x>`, `<area href=x><img alt=y src=z>`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		scan := ScanLinks(Source{URL: testURL, Body: body})
		for _, l := range scan.Links {
			if u, err := whatwg.Parse(l.URL); err != nil || u.Href(false) != l.URL {
				t.Errorf("got link %q (%v)", l.URL, err)
			}
			if len(l.Around) > aroundBytesMax || len(l.Text) > linkTextBytesMax {
				t.Errorf("got %d bytes of text, %d around it", len(l.Text), len(l.Around))
			}
		}
	})
}

// FuzzResolve compares the fast resolution of references with the standard's parser.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{
		"/a/b.html?x=1&y=%20#f", "a/b", "?q", "https://a.example/b/../c", "http://a.example/./b", "/%2e%2E/x", "a//b", "/a:b", "a.b:c/d",
		"https://a.b1/", "https://1.2.3.4/", "https://a.0x1/", "https://a-b.example/x;y=z", "//a", "/", "h", "http://a", "https://xn--a/", "/a?b#c?d", "https://a.example/?", "#", "#a/b?c=%41", "//cdn.example/a.js", "//a", "https://a.example", "//a.example",
	} {
		f.Add(seed, testURL)
	}
	f.Add("x?y", "http://h.example:81/a/b?c#d")
	f.Add("#e", "http://h.example:81/a/b?c#d")
	f.Add("#e", "http://h.example/a/b?c#d")
	f.Add("#e", "http://h.example")
	f.Add("/x", "http://[::1]:81/a/")
	f.Add("/x", "http://[::1]/")
	f.Fuzz(func(t *testing.T, ref, address string) {
		r := resolverAt(address)
		plain, ok := r.plain(ref)
		if !ok || len(ref) > referenceBytesMax {
			return
		}
		u := r.parse(ref)
		if u == nil || u.Href(false) != plain {
			t.Fatalf("%q at %q: got %q, want %v", ref, address, plain, u)
		}
		if _, to, web, ok := r.target(ref); !ok || !web || to.host != u.Host() || to.hostname != u.Hostname() {
			t.Errorf("%q at %q: got %+v, want %s", ref, address, to, u.Host())
		}
	})
}

// benchSite is a typical page of 20 kB with 100 links.
func benchSite() []byte {
	var page strings.Builder
	page.WriteString(`<!doctype html><html lang=en><head><title>A page</title><link rel=stylesheet href=/s.css></head><body><nav class="menu main"><ul>`)
	for i := range 40 {
		page.WriteString(`<li class="item"><a class="nav link" href="/section/` + strings.Repeat("x", i%7+1) + `/page-` + string(rune('a'+i%26)) + `.html">Entry of the menu</a></li>`)
	}
	page.WriteString(`</ul></nav><main><article><h1>A heading</h1>`)
	for i := range 60 {
		page.WriteString(`<p>` + sentences(3) + `<a href="/story/` + string(rune('a'+i%26)) + string(rune('a'+i/26)) + `">a story</a> and &amp; <em>more</em> of it.</p>`)
	}
	page.WriteString(`</article></main><script>` + strings.Repeat("var x = 1;\n", 200) + `</script></body></html>`)
	return []byte(page.String())
}

func BenchmarkScanLinks(b *testing.B) {
	input := benchSite()
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		ScanLinks(Source{URL: testURL, Body: input})
	}
}

func BenchmarkRead(b *testing.B) {
	input := benchSite()
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(b.Context(), Source{URL: testURL, MediaType: "text/html", Body: input}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
