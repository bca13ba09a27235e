package extract

import (
	"slices"
	"strings"
	"testing"
)

// sentences are n different sentences of prose.
func sentences(n int) string {
	subjects := []string{"The toll keeper", "A traveller", "The bridge", "Every cart", "The council", "Her brother"}
	verbs := []string{"paid for", "crossed", "remembered", "was built beside", "argued about", "wrote down"}
	objects := []string{"the old road, which was steep", "two barrels of salt", "a winter without bread", "the charter of the town", "nine coins, and no more"}
	var out strings.Builder
	for i := range n {
		out.WriteString(subjects[i%len(subjects)] + " " + verbs[i/2%len(verbs)] + " " + objects[i/3%len(objects)] + ". ")
	}
	return out.String()
}

func articlePage() string {
	return `<html lang=en><head><title>How tolls work</title><meta property="og:type" content="article"></head><body>` +
		`<header class="site-header"><nav class="menu"><a href="/">Home</a> <a href="/shop">Shop</a></nav><h1>How tolls work</h1></header>` +
		`<main><article class="post"><div class="entry-content"><p>` + sentences(5) + `</p><h2>Who pays</h2><p class=note>` + sentences(6) +
		`</p><ul><li>` + sentences(1) + `</li><li>` + sentences(2) + `</li></ul><figure><img src="/map.png" alt="A map"><figcaption>The map of the roads</figcaption></figure>` +
		`<pre><code>toll = distance * weight</code></pre><p>` + sentences(4) + `</p></div></article></main>` +
		`<aside class="sidebar"><h3>Related posts</h3><ul><li><a href="/1">Ferries</a></li><li><a href="/2">Canals</a></li></ul></aside>` +
		`<footer class="footer"><p>© 2024 Roads Weekly. All rights reserved. <a href="/privacy">Privacy</a></p><img src="/logo.png"></footer></body></html>`
}

func TestMainContentOfAnArticle(t *testing.T) {
	t.Parallel()
	document := mustPage(t, articlePage(), Options{Transformer: TransformerPostlight})
	for _, want := range []string{"## Who pays", "```\ntoll = distance * weight\n```", "- The toll keeper", "![A map](https://example.com/map.png)"} {
		if !strings.Contains(document.Markdown, want) {
			t.Errorf("got %s\nwant %q in it", document.Markdown, want)
		}
	}
	for _, unwanted := range []string{"Shop", "Related", "Privacy", "logo.png"} {
		if strings.Contains(document.HTML, unwanted) || strings.Contains(document.Markdown, unwanted) {
			t.Errorf("got %s\nwant no %q in it", document.Markdown, unwanted)
		}
	}
	if document.Type != "article" || document.Quality < PoorQuality {
		t.Errorf("got type %q, quality %v, want an article of good quality", document.Type, document.Quality)
	}
}

// TestCallersSelectorsInMainContent: elements that the request's selectors name are removed, even from the content.
// Elements that are removed by default do not affect the choice of the main content.
func TestCallersSelectorsInMainContent(t *testing.T) {
	t.Parallel()
	input := strings.Replace(articlePage(), "<main>", "<noscript>", 1)
	input = strings.Replace(input, "</main>", "</noscript>", 1)
	byDefault := mustPage(t, input, Options{Transformer: TransformerPostlight})
	if !strings.Contains(byDefault.Text, "Who pays") || !strings.Contains(byDefault.Text, "two barrels of salt") {
		t.Errorf("got %s\nwant what is shown to readers without scripts", byDefault.Text)
	}
	named := mustPage(t, articlePage(), Options{Transformer: TransformerPostlight, RemoveSelectors: []string{".note", "article figure"}})
	if strings.Contains(named.HTML, "class=\"note\"") || strings.Contains(named.Markdown, "A map") || !strings.Contains(named.Text, "Who pays") {
		t.Errorf("got %s\nwant what was named gone", named.Markdown)
	}
	around := mustPage(t, articlePage(), Options{Transformer: TransformerPostlight, RemoveSelectors: []string{"main"}})
	if strings.Contains(around.Text, "Who pays") {
		t.Errorf("got %s\nwant what is around the content gone with it", around.Text)
	}
}

func TestTypeAndQualityAreAlwaysGiven(t *testing.T) {
	t.Parallel()
	whole, main := mustPage(t, articlePage(), Options{}), mustPage(t, articlePage(), Options{Transformer: TransformerPostlight})
	if whole.Type != main.Type || whole.Quality != main.Quality || !slices.Contains(PageTypes(), whole.Type) || whole.TypeConfidence <= 0 {
		t.Errorf("got %q, %v of the page and %q, %v of its content, want the same", whole.Type, whole.Quality, main.Type, main.Quality)
	}
	empty := mustPage(t, "<script>x</script>", Options{})
	if empty.Type != "" || empty.Quality != 0 {
		t.Errorf("got %q, %v of a page without text, want none", empty.Type, empty.Quality)
	}
	plain, err := Read(t.Context(), Source{MediaType: "text/plain", Body: []byte("x")}, Options{})
	if err != nil || plain.Type != "" {
		t.Errorf("got %q, %v of plain text, want no type", plain.Type, err)
	}
}

// TestShellIsPoor: a page that scripts fill in is below the quality at which a browser is tried.
func TestShellIsPoor(t *testing.T) {
	t.Parallel()
	shell := `<html><head><title>App</title></head><body><div id="root"></div><div class="loader">Loading…</div>` +
		`<noscript>You need to enable JavaScript to run this app.</noscript><script src="/main.js"></script></body></html>`
	if got := mustPage(t, shell, Options{}).Quality; got >= PoorQuality {
		t.Errorf("got quality %v of a shell, want less than %v", got, PoorQuality)
	}
}
