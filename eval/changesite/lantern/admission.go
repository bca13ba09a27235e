package lantern

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// admission is what a university asks of applicants, in Drupal's markup.
func admission() *cs.Page {
	return &cs.Page{Path: "/study/msc-hydrology/apply", Type: "admission", Render: func(n *cs.Run) string {
		dom := n.Hex(11)
		papers := []string{
			"Certificate of your first degree, with a list of courses and grades",
			"Curriculum vitae of at most two pages",
			cs.Since(n, "Letter of motivation, 500 words", cs.At(18, "Letter of motivation, 800 words")),
			"Proof of English at level B2 or higher",
		}
		papers = append(papers, cs.Since(n, []string{"Two letters of recommendation"}, cs.At(24, []string{}))...)
		return `<!DOCTYPE html>
<html lang="en" dir="ltr" prefix="og: https://ogp.me/ns#"><head><meta charset="utf-8"><meta name="Generator" content="Drupal 10">
<title>How to apply | MSc Hydrology | University of Elmstow</title>
<link rel="stylesheet" media="all" href="/sites/default/files/css/css_` + n.Hex(24) + `.css?delta=0"></head>
<body class="path-node page-node-type-programme"><a href="#main-content" class="visually-hidden focusable">Skip to main content</a>
<div class="dialog-off-canvas-main-canvas"><div class="layout-container">
<header role="banner"><div class="region region-header"><div id="block-elmstow-branding" class="block"><a href="/" rel="home">University of Elmstow</a></div>
<nav role="navigation" id="block-elmstow-main-menu"><ul class="menu"><li class="menu-item"><a href="/study">Study</a></li><li class="menu-item">
<a href="/research">Research</a></li><li class="menu-item"><a href="/people">People</a></li><li class="menu-item"><a href="/about">About</a></li></ul></nav>
<form action="/search" method="get" id="search-block-form--` + dom + `"><input type="search" name="keys">
<input type="hidden" name="form_build_id" value="form-` + n.Hex(32) + `"></form></div></header>
<div class="region region-breadcrumb"><ol><li><a href="/study">Study</a></li><li><a href="/study/msc-hydrology">MSc Hydrology</a></li></ol></div>
<main role="main"><a id="main-content" tabindex="-1"></a><div class="layout-content"><div class="region region-content">
<article class="node node--type-programme node--view-mode-full js-view-dom-id-` + dom + `"><h1><span class="field field--name-title">MSc Hydrology: how to apply</span></h1>
<div class="field field--name-body"><p>The programme takes two years and is taught in English. We admit students once a year, for the winter term. Applications are
read by a committee of three, who look at the whole of what you send.</p></div>
<div class="field field--name-dates"><h2 class="field__label">Dates</h2><table class="table"><tbody>
<tr><th>Portal opens</th><td>1 February 2026</td></tr>
<tr><th>Closing date, European Union</th><td>` + cs.Since(n, "15 June 2026", cs.At(4, "30 June 2026")) + `</td></tr>
<tr><th>Closing date, all others</th><td>30 April 2026</td></tr>
<tr><th>Decisions sent</th><td>by 31 July 2026</td></tr>
<tr><th>Term begins</th><td>5 October 2026</td></tr></tbody></table></div>
<div class="field field--name-requirements"><h2 class="field__label">Who can apply</h2>
<p>You hold a bachelor's degree in geography, civil engineering, physics or a subject near to these, with at least ` + cs.Since(n, "20", cs.At(30,
			"24")) + ` credits in mathematics. Degrees still under way count when the last examination is passed before September.</p></div>
<div class="field field--name-papers"><h2 class="field__label">What to send</h2><ul>` + cs.Each(papers, li) + `</ul>
<p>Send all papers as one PDF file of no more than 10 MB. Papers in other languages need a certified translation.</p></div>
<div class="field field--name-fee"><h2 class="field__label">Fees</h2><p>There is a fee of 50 € for handling an application, which is not refunded. Tuition is 1,450 €
a term, and 720 € for holders of a regional grant.</p></div>
<div class="field field--name-contact"><h2 class="field__label">Contact</h2>
<p>Admissions office, Tower Building, room ` + cs.Since(n, "2.14", cs.At(39, "3.07")) + `</p><p>Office hours are Tuesday and Thursday, 10 to 12.</p></div>
</article></div></div>
<aside class="layout-sidebar-second" role="complementary"><div class="views-element-container block js-view-dom-id-` + n.Hex(12) + `"><h2>From campus</h2><ul>` +
			cs.Each(cs.Some(n, 3, "Choir sings Byrd in the old chapel", "Beehives on the library roof", "Rowers win at Tessel", "A night at the observatory",
				"Portrait: the glassblower of Chemistry", "Canteen cooks with leftovers"), func(s string) string {
				return `<li><a href="/news/` + p("%d", 2000+n.IntN(900)) + `">` + s + "</a></li>\n"
			}) + `</ul></div>
<div class="block block-quote"><p>` + cs.Pick(n, "“I came for the rivers and stayed for the people.”", "“Best two years so far.”", "“Bring rubber boots.”") +
			`</p></div></aside></main>
<footer role="contentinfo"><p>University of Elmstow, Cloister Street 1</p><p>` + p("This page was opened %d times", 15000+n.Number*90+n.IntN(80)) + `</p>
<p>` + today(n).Format("2 January 2006") + `</p></footer>
</div></div><div class="eu-cookie-compliance-banner"><p>We use cookies on this site.</p><button>` + cs.Pick(n, "I agree", "Accept all") + `</button></div>
<script type="application/json" data-drupal-selector="drupal-settings-json">{"ajaxPageState":{"theme_token":"` + n.Hex(20) + `"}}</script></body></html>`
	}}
}
