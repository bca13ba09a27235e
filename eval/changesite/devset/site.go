// Package devset is the site that change detection was worked on with: a shop, its shelves, documents, people and services, in
// the layouts that frameworks give.
package devset

import (
	"fmt"
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const runs = 40

// New makes the site.
func New() *cs.Site {
	site := &cs.Site{Name: "devset", Runs: runs, Pages: []*cs.Page{
		article(), product(), listing(), documentation(), thread(), event(), jobs(), prices(), status(), changelog(),
	}}
	return site.Collect()
}

// around is what is around the content of each page: a head with tokens, a header with a cart, adverts, a footer with a clock.
func around(n *cs.Run, title, main string) string {
	sid := n.Hex(32)
	banner := cs.Pick(n, "Free shipping on orders over 50 €", "Orders above 50 € ship free", "Spend 50 € and we pay the postage")
	return fmt.Sprintf(`<!doctype html><html lang="en"><head><title>%s - Harbour &amp; Pine</title>
<meta name="csrf-token" content="%s"><link rel="stylesheet" href="/app.css?v=%d"><script nonce="%s">window.__state={"t":%d}</script></head>
<body data-request="%s">
<header class="site-header"><a href="/?sid=%s">Harbour &amp; Pine</a><nav><ul><li><a href="/shop?sid=%s">Shop</a></li><li><a href="/help">Help</a></li></ul></nav>
<div class="mini-cart">Cart (%d)</div><div class="announcement-bar">%s</div></header>
<main id="content" %s>%s</main>
<aside class="sidebar"><div class="ad-slot" id="ad-%d"><a href="https://ads.example.net/c?id=%d">%s</a></div>
<div class="widget"><h3>Recommended for you</h3><ul>%s</ul></div>
<div class="visitor-counter">You are visitor number %d</div></aside>
<footer><p>Page generated in 0.%03d s by web-%02d. Server time: 2026-%02d-%02d %02d:%02d:%02d UTC</p><p>© 2026 Harbour &amp; Pine</p></footer>
<input type="hidden" name="_token" value="%s"></body></html>`,
		title, n.Hex(40), n.IntN(1e9), n.Hex(16), n.IntN(1e9), n.Hex(8), sid, sid, n.IntN(5), banner,
		cs.Pick(n, `class="c1" role="main"`, `role="main" class="c1"`), main, n.IntN(1e6), n.IntN(1e6),
		cs.Pick(n, "Sleep better tonight with DreamFoam", "Learn piano in 30 days", "Cheap flights to Lisbon from 39 €", "Insure your bike in two minutes"),
		cs.Each(cs.Some(n, 4, "Oak stool", "Linen apron", "Brass hook", "Felt slippers", "Wool throw", "Clay mug", "Ash tray table", "Cork mat", "Paper lamp"),
			func(s string) string {
				return fmt.Sprintf(`<li><a href="/p/%s?ref=rec%d">%s</a></li>`, strings.ReplaceAll(strings.ToLower(s), " ", "-"), n.IntN(99), s)
			}),
		10_000+n.IntN(90_000), n.IntN(1000), n.IntN(20), 1+n.IntN(12), 1+n.IntN(28), n.IntN(24), n.IntN(60), n.IntN(60), n.Hex(40))
}

// p joins arguments as fmt.Sprintf does.
func p(format string, args ...any) string { return fmt.Sprintf(format, args...) }
