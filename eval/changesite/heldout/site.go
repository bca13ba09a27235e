// Package heldout is a second site, written when change detection worked on the first: a town, its library, club and clinic, in pages that
// are written by hand, by a generator of classes, and by an old content management system.
package heldout

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const runs = 40

// New makes the site.
func New() *cs.Site {
	site := &cs.Site{Name: "heldout", Runs: runs, Pages: []*cs.Page{
		report(), kayak(), market(), manual(), discussion(), concert(), vacancies(), fares(), ferries(), firmware(),
	}}
	return site.Collect()
}

func f(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// soup has no elements with a meaning but what is in it: classes are generated, and change with each build.
func soup(n *cs.Run, title, body string) string {
	return f(`<!DOCTYPE html><html><head><title>%s | Port Ellery</title><meta name="x-build" content="%s"><script src="/s.js?v=%d"></script></head><body class="%s">
<div id="top" style="height:%dpx"><a href="/?PHPSESSID=%s"><img src="/logo.png?%d" alt="Port Ellery"></a> <span>%s, visitor!</span> <span>%s</span></div>
<div class="%s">%s</div>
<div id="foot"><p>Copyright 2026 Town of Port Ellery. Request %s took %d ms.</p><p>%d people on the site at the moment</p></div>
<!-- served %d from cache-%d --></body></html>`,
		title, n.Hex(12), n.IntN(1e9), "b-"+n.Hex(5), 40+n.IntN(9), n.Hex(26), n.IntN(1e9), cs.Pick(n, "Good morning", "Good afternoon", "Good evening"),
		cs.Pick(n, "0 items in your bag", "1 item in your bag", "2 items in your bag"), "w-"+n.Hex(5), body, n.Hex(16), 3+n.IntN(300), 3+n.IntN(80), n.IntN(1e9), n.IntN(9))
}

// semantic is what a generator of sites gives: landmarks, and utilities for classes.
func semantic(n *cs.Run, title, body string) string {
	teasers := [][2]string{
		{"Five walks along the cliffs", "/go/walks"},
		{"The best chowder in town", "/go/chowder"},
		{"Where to see puffins", "/go/puffins"},
		{"A week on two wheels", "/go/cycling"},
		{"Lighthouses you can sleep in", "/go/lights"},
		{"Rainy day museums", "/go/museums"},
	}
	return f(`<!DOCTYPE html><html lang="en-GB"><head><title>%s</title></head><body %s>
<header class="flex justify-between"><p>%s</p><form><input type="hidden" name="authenticity_token" value="%s"><input name="q"></form></header>
<main class="mx-auto max-w-4xl">%s
<section class="mt-8"><h2 class="text-xl">Readers also enjoyed</h2><div class="grid grid-cols-3">%s</div></section></main>
<aside class="w-64"><p class="text-xs">Paid partnership</p><p>%s</p><p>It is %d:%02d in Port Ellery</p><blockquote>%s</blockquote></aside>
<footer><small>Rendered %02d/%02d/2026 %02d:%02d:%02d on node-%s</small></footer></body></html>`,
		title, cs.Pick(n, `data-theme="light" data-v="1"`, `data-v="1" data-theme="light"`), cs.Pick(n, "Try our new app", "Our app is here: get it today", "Get the app and save"), n.Hex(44), body,
		cs.Each(cs.Some(n, 3, teasers...), func(t [2]string) string {
			return f(`<a class="block p-4" href="%s?impression=%s"><span>%s</span></a>`, t[1], n.Hex(10), t[0])
		}),
		cs.Pick(n, "Harbour Bank: mortgages from 2.9 %", "Ellery Motors has your next van", "Sail to Iceland this June"), n.IntN(24), n.IntN(60),
		cs.Pick(n, "The sea does not reward haste.", "Every harbour was once a storm.", "A smooth sea never made a sailor."), 1+n.IntN(28), 1+n.IntN(12), n.IntN(24), n.IntN(60), n.IntN(60), n.Hex(6))
}
