package render

import (
	"regexp"
	"strings"
	"testing"
)

// htmlOf renders a page and returns its HTML without white space between lines.
func htmlOf(t *testing.T, address string) string {
	t.Helper()
	r, w := renderer(t), newWeb(t)
	result, err := r.Render(t.Context(), w.job(address))
	if err != nil {
		t.Fatal(err)
	}
	// The scripts' source is not part of what the document shows.
	html := regexp.MustCompile(`(?s)<script>.*?</script>`).ReplaceAllString(string(result.HTML), "")
	var lines []string
	for line := range strings.Lines(html) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.Join(lines, "")
}

func wantHTML(t *testing.T, got string, want, without []string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(got, text) {
			t.Errorf("got HTML without %q:\n%s", text, got)
		}
	}
	for _, text := range without {
		if strings.Contains(got, text) {
			t.Errorf("got HTML with %q:\n%s", text, got)
		}
	}
}

// The content of web components is part of the document, in visual order.
func TestShadowTrees(t *testing.T) {
	t.Parallel()
	wantHTML(t, htmlOf(t, "http://site.test/shadow"), []string{
		"<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Shadow</title></head><body><p>Light &amp; plain</p>",
		`<shop-card id="open"><script type="application/ld+json" slot="nowhere">{"@type": "Product"}</script><article><h2 slot="title">Kettle</h2>` +
			`<shop-price><span class="price">24.00&nbsp;€ &lt; 30</span></shop-price><div>`,
		`<p>Boils water in <b>two</b> minutes.</p>`,
		"No note.</article></shop-card>",
		`<div id="declared"><p>Declared, nothing given</p></div>`,
		`<inner-most id="closed"><p>Behind a closed door</p><inner-core><p>At the core</p></inner-core></inner-most>`,
	}, []string{"never shown", "color: red", "<slot"})
}

// Frames of the same origin are included, with links relative to the page. Frames of other origins are not.
func TestFrames(t *testing.T) {
	t.Parallel()
	wantHTML(t, htmlOf(t, "http://site.test/docs/frames"), []string{
		`<iframe src="inner/chapter" width="600" height="400"></iframe><div data-frame="http://site.test/docs/inner/chapter">`,
		`<h2>Chapter one</h2><a href="http://site.test/docs/inner/two">next</a><img src="http://site.test/pictures/a.png">`,
		`<p>Written by the page</p></div><p>after</p>`,
	}, []string{"<p>counter", "Pancakes"})
	wantHTML(t, htmlOf(t, "http://site.test/docs/frameset"), []string{
		`</head><body><div data-frame="http://site.test/docs/inner/chapter"><h2>Chapter one</h2>`,
	}, []string{"<frame"})
}
