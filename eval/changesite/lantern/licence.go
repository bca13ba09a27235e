package lantern

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// licence is the licence of a program, in a static generator's documentation. It is not edited for a long time.
func licence() *cs.Page {
	return &cs.Page{Path: "/quillbox/licence.html", Type: "terms", Render: func(n *cs.Run) string {
		return `<!doctype html>
<html lang="en" class="no-js"><head><meta charset="utf-8"><meta name="generator" content="folio-docs 3.2"><title>Licence - Quillbox documentation</title>
<link rel="stylesheet" href="../assets/stylesheets/main.` + n.Hex(8) + `.min.css"><link rel="stylesheet" href="../assets/stylesheets/palette.` + n.Hex(8) + `.min.css"></head>
<body dir="ltr" data-md-color-scheme="default"><input class="md-toggle" type="checkbox" id="__drawer"><a href="#licence" class="md-skip">Skip to content</a>
<div class="md-banner"><aside>` + cs.Pick(n, "Like Quillbox? Give us a star", "Join our chat and say hello", "Help us translate the manual") + `</aside></div>
<header class="md-header"><nav class="md-header__inner" aria-label="Header"><a href=".." class="md-header__button md-logo">Quillbox</a><div class="md-source">
<ul class="md-source__facts"><li>` + p("%d stars", 6100+n.Number*4+n.IntN(4)) + `</li><li>` + p("%d forks", 410+n.IntN(9)) + `</li></ul></div></nav></header>
<div class="md-container"><nav class="md-nav md-nav--primary" aria-label="Navigation"><ul><li><a href="../install.html">Installing</a></li><li>
<a href="../first-notebook.html">A first notebook</a></li><li><a href="../sync.html">Syncing</a></li><li><a href="../plugins.html">Plug-ins</a></li>
<li class="md-nav__item--active"><a href="licence.html">Licence</a></li></ul></nav>
<main class="md-main"><article class="md-content__inner md-typeset"><h1 id="licence">Quillbox licence</h1>
<p>This is the agreement between you and Quillbox Works about the program Quillbox and the services that come with it. It is written to be read.</p>
<h2 id="grant">1. What you may do</h2><p>You may install Quillbox on as many devices as you use yourself, and make as many notebooks as you like. The free edition
may be used for private ends and in organisations with fewer than ` +
			cs.Since(n, "50", cs.At(33, "20")) + ` people.</p>
<p>Larger organisations need a licence for each person who writes. Those who only read need none.</p>
<h2 id="limits">2. What you may not do</h2><ul><li>Sell the program or offer it as a service of your own</li><li>Remove the notices of its authors</li>
<li>Use the name Quillbox for something else</li></ul>
<h2 id="yours">3. Your notes are yours</h2><p>We claim no right to what you write. If you sync, we store it encrypted with a key that we do not hold. ` +
			cs.Since(n, "We delete it thirty days after you close your account.", cs.At(34,
				"We delete it thirty days after you close your account. We do not use it to train models of any kind.")) + `</p>
<h2 id="updates">4. Updates</h2><p>A licence includes all updates for two years from the day of purchase. After that the last version that you had keeps working for
as long as you care to run it.</p>
<h2 id="warranty">5. Warranty</h2><p>The program comes as it is. Where the law gives you rights that cannot be waived, you keep them. We are liable for what we break
on purpose or by gross carelessness, and otherwise up to the price that you paid.</p>
<h2 id="end">6. How it ends</h2><p>You may end this agreement by removing the program. We may end it if you break section 2 and do not stop within fourteen days of
our letter.</p>
<h2 id="plugins">7. Plug-ins by others</h2><p>Plug-ins are made by their authors and come with licences of their own. We look at those in our directory before we
list them, but we cannot vouch for each update. If a plug-in harms you, turn to its author first.</p>
<h2 id="changes">8. Changes to this text</h2><p>When we change this agreement we write to all who hold a licence, six weeks ahead. Whoever disagrees may keep the
version that they have under the old text.</p>
<h2 id="law">9. Law</h2><p>The law of the Netherlands applies. The court at Zwolle is competent, unless you are a consumer and live elsewhere.</p>
</article></main>
<nav class="md-nav md-nav--secondary" aria-label="Table of contents"><ul><li><a href="#grant">What you may do</a></li><li>
<a href="#limits">What you may not do</a></li><li><a href="#yours">Your notes are yours</a></li><li><a href="#updates">Updates</a></li></ul></nav></div>
<div class="md-feedback"><p>Was this page helpful?</p><p>` + p("%d found it so", 90+n.IntN(80)) + `</p><button>` + cs.Pick(n, "Yes", "It was", "Thumbs up") + `</button></div>
<div class="sponsor" id="s-` + n.Hex(5) + `"><p>` + cs.Pick(n, "Sponsored by Larkfield Hosting", "Sponsored by Type & Tide Fonts", "Sponsored by the Inkwell Fund") + `</p></div>
<footer class="md-footer"><p>Made with folio-docs</p><p>` + p("Served from cache node %s, age %d s", n.Hex(4), n.IntN(600)) + `</p></footer>
<script id="__config" type="application/json">{"base":"..","search":"../assets/javascripts/workers/search.` + n.Hex(8) + `.min.js"}</script></body></html>`
	}}
}
