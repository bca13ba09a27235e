// Package blind is a third site, written after change detection was made better by what heldout had shown: a software house, a
// university and a garden centre.
package blind

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const runs = 40

// New makes the site.
func New() *cs.Site {
	site := &cs.Site{Name: "blind", Runs: runs, Pages: []*cs.Page{
		press(), seedling(), catalogue(), reference(), questions(), lecture(), careers(), plans(), uptime(), releases(),
	}}
	return site.Collect()
}

func w(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// frame is a layout of components: containers in containers, names of classes by a convention, data attributes that differ.
func frame(n *cs.Run, title, body string) string {
	quotes := []string{"“It simply works.” – Dana, Cork", "“Our garden has never been so green.” – Luis, Faro", "“Ten out of ten.” – the Okafors"}
	return w(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>%s</title><link rel="preload" href="/f.woff2?h=%s"></head>
<body data-page-id="%s" data-rendered="%d"><div class="l-page"><div class="l-header" role="banner"><a class="c-logo" href="/">Fernhill</a>
<div class="c-promo-strip">%s</div><button class="c-cart">Basket (%d)</button><div class="c-user">Hi guest-%s</div></div>
<div class="l-body" role="main"><div class="c-breadcrumb"><a href="/">Home</a> / <a href="/x?s=%s">Section</a></div>%s
<div class="c-carousel">%s</div><div class="c-ad c-ad--mpu">%s</div></div>
<div class="l-footer" role="contentinfo"><ul><li>Terms</li><li>Imprint</li></ul><p>%s · build %s · rendered in %d ms · %d visitors online</p></div></div>
<div id="cookie-consent" style="%s">We use cookies. <button>%s</button></div></body></html>`,
		title, n.Hex(8), n.Hex(24), n.IntN(1e9), cs.Pick(n, "Spring sale: up to 40% off", "Up to 40% off in our spring sale", "Spring is here, so is our sale"), n.IntN(9), n.Hex(5), n.Hex(18), body,
		cs.Pick(n, quotes...), cs.Pick(n, "Lease a van from 199 a month", "Holidays in the Azores", "Change your energy supplier"),
		w("%d-%02d-%02dT%02d:%02d:%02dZ", 2026, 1+n.IntN(12), 1+n.IntN(28), n.IntN(24), n.IntN(60), n.IntN(60)), n.Hex(7), n.IntN(900), n.IntN(300),
		cs.Pick(n, "", "opacity:1"), cs.Pick(n, "Accept", "Accept all", "OK"))
}

// plain is a page as somebody writes one by hand.
func plain(n *cs.Run, title, body string) string {
	return w(`<html><head><title>%s</title></head><body bgcolor="#ffffff"><center><img src="banner.gif?%d" alt="banner"></center><hr>%s<hr>
<p><i>This page has been accessed %d times since 1 June 2003. Last modified: %s</i></p><p>Your session: %s</p></body></html>`,
		title, n.IntN(1e6), body, 100_000+n.IntN(900_000), cs.Pick(n, "Mon 2 Feb 2026", "Tue 3 Feb 2026 10:12", "04/02/2026"), n.Hex(20))
}
