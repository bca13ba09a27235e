package market

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const releasesLayout = `<!doctype html>
<html lang="en" dir="ltr" class="docs-wrapper plugin-docs docs-version-5" data-has-hydrated="false">
<head><meta charset="UTF-8"><meta name="generator" content="Docuforge v3.7.0"><title>Release notes | Tallybook</title>
<link rel="stylesheet" href="/assets/css/styles.[[hash]].css"><script src="/assets/js/runtime~main.[[hash]].js" defer></script></head>
<body class="navigation-with-keyboard"><div id="__docuforge">
<div class="announcementBar_mb4j" role="banner"><div class="content_knG7">[[bar]]</div></div>
<nav aria-label="Main" class="navbar navbar--fixed-top"><div class="navbar__inner"><div class="navbar__items"><a class="navbar__brand" href="/"><b class="navbar__title">Tallybook</b></a><a class="navbar__item navbar__link" href="/docs/">Docs</a><a class="navbar__item navbar__link" href="/api/">API</a><a class="navbar__item navbar__link" href="/pricing">Pricing</a></div>
<div class="navbar__items navbar__items--right"><a href="https://code.example/tallybook" class="navbar__link">★ [[stars]]</a><button class="DocSearch-Button" aria-label="Search">[[search]]</button></div></div></nav>
<div class="main-wrapper docsWrapper_hBAB"><aside class="theme-doc-sidebar-container docSidebar_YfHR"><nav class="menu"><ul class="theme-doc-sidebar-menu menu__list"><li class="menu__list-item"><a class="menu__link" href="/docs/start">Getting started</a></li><li class="menu__list-item"><a class="menu__link" href="/docs/import">Import a ledger</a></li><li class="menu__list-item"><a class="menu__link" href="/docs/vat">VAT returns</a></li><li class="menu__list-item"><a class="menu__link" href="/docs/payroll">Payroll</a></li><li class="menu__list-item"><a class="menu__link menu__link--active" href="/docs/releases">Release notes</a></li></ul></nav>
<div class="sponsor_q1" id="sp-[[id]]"><a href="https://sponsor.example/r?c=[[click]]">[[sponsor]]</a></div></aside>
<main class="docMainContainer_TBSr"><div class="container padding-top--md"><div class="row"><div class="col docItemCol_z5aJ"><article>
<nav class="theme-doc-breadcrumbs" aria-label="Breadcrumbs"><ul class="breadcrumbs"><li class="breadcrumbs__item"><a href="/">Home</a></li><li class="breadcrumbs__item">Release notes</li></ul></nav>
<div class="theme-doc-markdown markdown"><header><h1>Release notes</h1></header>
<p>Tallybook is updated on the second Tuesday of the month. Hosted books follow within a day; whoever runs it on a server of their own updates with <code>tallybook upgrade</code>.</p>
<div class="theme-admonition alert alert--info"><div class="admonitionHeading">tip</div><div class="admonitionContent"><p>[[tip]]</p></div></div>
[[latest]]
<h2 class="anchor" id="v5-11-2">5.11.2<a href="#v5-11-2" class="hash-link" aria-label="Direct link to 5.11.2"></a></h2>
<p><em>10 February 2026</em></p>
<ul><li>An invoice with a discount of 100 percent no longer stops the VAT return.</li><li>Bank statements in CAMT.053 with more than one account are split by account.</li><li>The trial balance prints on one page again when there are fewer than forty accounts.</li></ul>
<h2 class="anchor" id="v5-11-0">5.11.0<a href="#v5-11-0" class="hash-link" aria-label="Direct link to 5.11.0"></a></h2>
<p><em>13 January 2026</em></p>
<ul><li>Recurring invoices can stop after a number of times.</li><li>New report of open items by age: 30, 60 and 90 days.</li><li>Two-step sign-in with a hardware key.</li><li>The old importer for Abacus 4 files is gone; convert them with 5.10 first.</li></ul>
<h2 class="anchor" id="needs">What it needs</h2>
<table><thead><tr><th>Part</th><th>Version</th></tr></thead><tbody><tr><td>PostgreSQL</td><td>15 or later</td></tr><tr><td>Node.js</td><td>[[node]]</td></tr><tr><td>Memory</td><td>2 GB for up to ten books</td></tr></tbody></table>
<h2 class="anchor" id="known">Known issues</h2>
<ul>[[known]]</ul></div>
<footer class="theme-doc-footer docusaurus-mt-lg"><a href="https://code.example/tallybook/edit/main/releases.md">Edit this page</a><span class="theme-last-updated">Built [[built]] from <code>[[commit]]</code></span><div class="feedback_h2"><p>Was this helpful? 👍 [[up]] 👎 [[down]]</p></div></footer>
</article><nav class="pagination-nav" aria-label="Docs pages"><a class="pagination-nav__link" href="/docs/payroll">Payroll</a></nav></div></div></div></main></div>
<footer class="footer footer--dark"><div class="container"><p>Tallybook keeps [[books]] books in order. &copy; 2026 Tallybook Cooperative.</p><p>[[community]]</p></div></footer></div>
<div class="cookie_z3" role="dialog"><p>[[cookies]]</p><button>OK</button></div></body></html>`

// release is the section of the newest release, once it is out.
func release(n *cs.Run) string {
	out := cs.Since(n, "", cs.At(8, "10 March 2026"))
	format := cs.Since(n, "JSON", cs.At(11, "CSV"))
	if out == "" {
		return ""
	}
	return fmt.Sprintf(`<h2 class="anchor" id="v5-12-0">5.12.0<a href="#v5-12-0" class="hash-link" aria-label="Direct link to 5.12.0"></a></h2>
<p><em>%s</em></p><ul><li>Payslips can be sent by secure mail, one employee at a time or all at once.</li><li>The journal is exported as %s, with one line per posting.</li><li>Rounding differences of up to two cents are booked to an account of your choice.</li><li>Faster opening of books with more than a million postings.</li></ul>`, out, format)
}

func releases() *cs.Page {
	return &cs.Page{Path: "/docs/releases", Type: "release notes", Render: func(n *cs.Run) string {
		first := "<li>Totals of a report are wrong in Safari 16 until the page is loaded again.</li>"
		second := "<li>Payslips with more than nine lines lose their footer when sent by mail.</li>"
		return fill(releasesLayout, "hash", n.Hex(8), "bar", cs.Pick(n, "We are hiring a support engineer who likes numbers", "Star us on Code if Tallybook saves you an evening", "Join the users' call on Thursdays"),
			"stars", fmt.Sprintf("%.1fk", 11.2+float64(n.Number)/50), "search", cs.Pick(n, "Search", "Search docs", "Find anything"), "id", n.Hex(5), "click", n.Hex(18),
			"sponsor", cs.Pick(n, "Hosted by Fenlight Cloud", "Backups by Coldcellar", "Mail by Pigeonhole, 3 months free", "Paper by Ream & Sons"),
			"tip", cs.Pick(n, "Press ? anywhere to see the keyboard shortcuts.", "You can drag a receipt onto a posting to attach it.", "Type =12*3 in any amount and it is worked out.", "Hold Alt to see where a total comes from."),
			"latest", release(n),
			"node", cs.Since(n, "20 or later", cs.At(33, "22 or later")), "known", cs.Since(n, first, cs.At(16, first+second), cs.At(20, second)),
			"built", now(n).Format("2006-01-02 15:04"), "commit", n.Hex(7), "up", creeping(n, 640, 3), "down", between(n.Calmly(), 31, 38), "books", creeping(n, 48_300, 27),
			"community", cs.Pick(n, "Questions? The forum answers within the hour, mostly.", fmt.Sprintf("%d people are in the chat just now.", 20+n.IntN(90)), "Read the newest thread in the forum."),
			"cookies", cs.Pick(n, "This site sets one cookie, for your theme.", "We keep your theme in a cookie."))
	}}
}
