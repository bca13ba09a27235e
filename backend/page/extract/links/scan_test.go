package links

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// testURL is the address of a page.
const testURL = "https://example.com/a/b.html"

func TestScanPage(t *testing.T) {
	t.Parallel()
	page := `<!doctype html><html><head><title>Tolls &amp;
	roads</title><link rel="icon canonical" href="/tolls"><meta name=Robots content="noindex, NoFollow"><style>a{}</style></head><body>
	<nav><ul><li><a href="/">Home</a></li><li><a href="/about" rel="NoFollow ugc">About us</a></li></ul></nav>
	<h1>All <em>tolls</em></h1><p>Read <a href="charter.html?a=1#s">the charter</a> of the bridge, and <b>pay</b>.</p>
	<h2>More</h2><div><a href="/pic"><img src="a.png" alt="A bridge"></a><a href="/pic">In words</a></div>
	<svg><a href="/drawn">drawn</a></svg><script>var a = '<a href="/no">no</a>'</script><noscript><a href="/plain">plain</a></noscript>
	<template><a href="/later">later</a></template><a href="javascript:void(0)">js</a> <a href="https://other.example/x">Other</a>
	<map><area href="/area" alt="Area"></map><a href="/label" aria-label="Named"></a></body></html>`
	scan := ScanPage("https://example.com/a/b", nil, []byte(page))
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
		scan := ScanPage(testURL, header, []byte(`<link rel=canonical href=/other>`))
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
		scan := ScanPage(testURL, nil, []byte(page))
		if len(scan.Links) != 1 || scan.Links[0].URL != "https://example.com/deep/x" {
			t.Errorf("%s: got %+v", page, scan.Links)
		}
	}
	if scan := ScanPage("", nil, []byte(`<a href=x>x</a><a href=https://a.example/>a</a>`)); len(scan.Links) != 1 {
		t.Errorf("got %+v, want the absolute one", scan.Links)
	}
}

func TestPrints(t *testing.T) {
	t.Parallel()
	var told strings.Builder
	for i := range 200 {
		fmt.Fprintf(&told, "Keeper %d counts %d coins of cart %d. ", i*i, 7*i, i%13)
	}
	story := told.String()
	printed := func(page string) Print { return ScanPage(testURL, nil, []byte(page)).Print }
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

func FuzzScanPage(f *testing.F) {
	for _, seed := range []string{
		`<a href=x>x<a href=y>y</a>`, `<base href=//b><a href=/x>`, "<title>\xff</title><h1><a href='?a'>\xff", `<svg><a href=x></svg><template><a href=/y>`,
		`<h1>a<h2>b<a href=/c>`, `<noscript><a href=#x>`, `<area href=x><img alt=y src=z>`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		scan := ScanPage(testURL, nil, body)
		for _, l := range scan.Links {
			if u, err := whatwg.Parse(l.URL); err != nil || u.Href(false) != l.URL {
				t.Errorf("got link %q (%v)", l.URL, err)
			}
			if len(l.Around) > aroundBytesMax || len(l.Text) > TextBytesMax {
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
		if !ok || len(ref) > ReferenceBytesMax {
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
