package extract

import (
	"strings"
	"testing"
)

func TestScopes(t *testing.T) {
	t.Parallel()
	input := `<html lang=en><body class="has-sidebar"><header class="top"><a href="/logo"><img alt=Logo></a><nav><a href="/n1">N1</a></nav></header><ul class="mainMenu"><li><a href="/n2">N2</a></ul>` +
		`<div class="breadcrumbs"><a href="/n3">N3</a></div><main><article><header class="entry-header"><h1>How tolls work</h1></header>` +
		`<p>` + sentences(5) + `See <a href="/c1">the charter</a> for more of the story.</p><h2>Who pays</h2><p>` + sentences(5) + `and <a href="/c2">the list</a> of them.</p></article></main>` +
		`<div id="sidebar"><h3>More</h3><a href="/s1">S1</a></div><div role="complementary"><a href="/s2">S2</a></div>` +
		`<div class="site-footer"><a href="/f1">F1</a><a href="/c1">charter</a></div><footer><a href="/f2">F2</a></footer></body>`
	want := map[string]string{
		"/logo": "header", "/n1": "nav", "/n2": "nav", "/n3": "nav", "/c1": "content How tolls work", "/c2": "content Who pays", "/s1": "aside More", "/s2": "aside",
		"/f1": "footer", "/f2": "footer",
	}
	for _, link := range mustPage(t, input, Options{}).Links {
		path := strings.TrimPrefix(link.URL, "https://example.com")
		if got := strings.TrimSpace(string(link.Scope) + " " + link.Heading); got != want[path] {
			t.Errorf("%s: got %q, want %q", path, got, want[path])
		}
		delete(want, path)
	}
	if len(want) > 0 {
		t.Errorf("got no links %v", want)
	}
}

func TestLinkTargets(t *testing.T) {
	t.Parallel()
	document := mustPage(t, `<a href="https://shop.example.co.uk/">shop</a><a href="https://www.example.co.uk:8443/">port</a><a href="https://other.co.uk/">other</a>`+
		`<a href="javascript:void(0)">js</a><a href="MAILTO:a@b.example">mail</a><a ping="https://p.example/" href="/x"></a><a href="/x" title="Title">later</a>`+
		`<map><area href="/area" alt="Area"></map><a href="/t" title=" By  title "><svg><title>no</title></svg></a><a href="data:text/html,x">data</a>`, Options{BaseURL: "https://www.example.co.uk/"})
	var got []string
	for _, l := range document.Links {
		kind := "other"
		switch {
		case l.Internal:
			kind = "internal"
		case l.Subdomain:
			kind = "subdomain"
		}
		got = append(got, l.URL+" "+kind+" "+l.Text)
	}
	want := []string{
		"https://shop.example.co.uk/ subdomain shop", "https://www.example.co.uk:8443/ subdomain port", "https://other.co.uk/ other other", "https://www.example.co.uk/x internal later",
		"https://www.example.co.uk/area internal Area", "https://www.example.co.uk/t internal By title",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	local := mustPage(t, `<a href="http://127.0.0.2/">x</a><a href="http://[::1]/">y</a>`, Options{BaseURL: "http://127.0.0.1/"})
	for _, l := range local.Links {
		if l.Internal || l.Subdomain {
			t.Errorf("got %+v, want addresses to be apart", l)
		}
	}
}
