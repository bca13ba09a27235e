package market

import (
	"fmt"
	"strconv"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const rulesLayout = `<!DOCTYPE html>
<html lang="en" dir="ltr" prefix="content: http://purl.org/rss/1.0/modules/content/"><head><meta charset="utf-8" /><title>Rules of the Saturday market | Traders' Guild of Pennistead</title>
<link rel="stylesheet" media="all" href="/sites/default/files/css/css_[[css]].css?delta=0&amp;theme=guildtheme" /><script type="application/json" data-settings-selector="settings-json">{"path":{"currentPath":"node\/58"},"user":{"uid":0,"permissionsHash":"[[hash]]"},"ajaxTrustedUrl":"[[ajax]]"}</script></head>
<body class="path-node page-node-type-page"><div class="dialog-off-canvas-main-canvas" data-off-canvas-main-canvas><div class="layout-container">
<header role="banner"><div class="region region-header"><div id="block-guild-branding" class="block block-system"><a href="/" rel="home">Traders' Guild of Pennistead</a></div>
<div class="block block-views block-weather"><p>[[weather]]</p></div></div></header>
<div class="region region-primary-menu"><nav role="navigation" id="block-guild-main-menu" class="block block-menu navigation"><ul class="menu"><li class="menu-item"><a href="/node/12">The guild</a></li><li class="menu-item"><a href="/node/31">Pitches</a></li><li class="menu-item menu-item--active-trail"><a href="/node/58" class="is-active">Rules</a></li><li class="menu-item"><a href="/node/77">Fees</a></li></ul></nav></div>
<div class="region region-highlighted"><div class="view view-notices js-view-dom-id-[[dom]]"><div class="views-row">[[notice]]</div></div></div>
<main role="main"><a id="main-content" tabindex="-1"></a><div class="layout-content"><div class="region region-content"><div id="block-guild-content" class="block block-system block-system-main-block">
<article role="article" class="node node--type-page node--view-mode-full"><div class="node__content"><h1 class="page-title">Rules of the Saturday market</h1>
<ul class="links inline"><li class="statistics-counter">[[views]] views</li><li class="print"><a href="/print/58?t=[[dom]]">Printer-friendly version</a></li></ul>
<div class="field field--name-body field--type-text-with-summary">
<p>Adopted by the assembly of the guild on 14 November 2022. They hold for everyone who sells on the Cornmarket on a Saturday, members or not.</p>
<h2>1. Pitches</h2><p>(1) Pitches are let for a year, from the first Saturday in April. (2) A pitch is 3 m deep; its length is paid by the metre. (3) Who does not come by 7:15 and has not rung the warden loses the pitch for the day, and it may be given to another. (4) A pitch can be handed on within the family, and to nobody else.</p>
<h2>2. Setting up and clearing</h2><p>(1) Vehicles may drive on to the square from 5:30 and must be off it by 7:30. (2) Selling begins at 8:00 and ends at 14:00. (3) By 15:15 the pitch is swept. What is left is taken away at the trader's cost, at £24 for each sack begun.</p>
<h2>3. Goods</h2><p>(1) At least half of the goods of a pitch are grown, caught, baked or made by who sells them. (2) Prices are shown on all goods, with the unit. (3) Live animals, knives over 8 cm and fireworks are not sold. [[goods]]</p>
<h2>4. Power and water</h2><p>(1) Each pitch has a socket of 16 A. Heaters are not allowed. (2) [[water]] (3) Generators may be run only during a power cut, and with the consent of the warden.</p>
<h2>5. Breaches</h2><p>(1) The warden may warn in writing. (2) Who is warned three times in a year is heard by the board, which may take the pitch away. (3) Appeals go to the assembly, within four weeks.</p>
</div></div></article></div></div></div>
<aside class="layout-sidebar-second" role="complementary"><div class="region region-sidebar-second"><div id="block-poll" class="block block-poll"><h2>Poll</h2><form class="poll-view-form-[[poll]]"><p>Which stall has the longest queue?</p><ul><li>Cheese <span class="percent">[[cheese]]%</span></li><li>Bread <span class="percent">[[bread]]%</span></li><li>Flowers <span class="percent">[[flowers]]%</span></li></ul><p>Total votes: [[votes]]</p><input type="hidden" name="form_build_id" value="form-[[build]]" /></form></div>
<div class="block block-user"><h2>Who's online</h2><p>There are currently [[online]] users online.</p></div>
<div class="block block-popular"><h2>Popular content</h2><ul>[[popular]]</ul></div><div class="block block-quote"><blockquote>[[proverb]]</blockquote></div></div></aside></main>
<footer role="contentinfo"><div class="region region-footer"><p>Traders' Guild of Pennistead, Corn Exchange. Today is [[day]].</p><p>[[sponsor]]</p></div></footer></div></div>
<div id="sliding-popup" class="sliding-popup-bottom eu-cookie-compliance-[[poll]]"><p>[[cookies]]</p><button>OK, I agree</button></div></body></html>`

func rules() *cs.Page {
	return &cs.Page{Path: "/node/58", Type: "bylaws", Render: func(n *cs.Run) string {
		cheese, bread := 41+n.Calm.IntN(4), 30+n.Calm.IntN(4)
		return fill(rulesLayout, "css", n.Hex(43), "hash", n.Hex(64), "ajax", n.Hex(12), "dom", n.Hex(32),
			"weather", fmt.Sprintf("Pennistead: %s, %d to %d °C", cs.Pick(n.Calmly(), "dry", "showers", "sunny spells", "drizzle", "windy"), n.Calm.IntN(6), 7+n.Calm.IntN(9)),
			"notice", cs.Pick(n, "Photographs of last summer's fair are in the gallery.", "Found your old market picture? Send it to us.", "Recipes from the stalls: this time, quince."), "views", creeping(n, 7020, 11),
			"goods", cs.Since(n, "", cs.At(39, "(4) Single-use plastic bags are not given out from 1 June 2026.")),
			"water", cs.Since(n, "Water is drawn at the pump by the town hall, and pots are washed there.", cs.At(27, "Water is drawn at the taps in Bell Passage, and no pots are washed there.")),
			"poll", n.Hex(4), "cheese", strconv.Itoa(cheese), "bread", strconv.Itoa(bread), "flowers", strconv.Itoa(100-cheese-bread), "votes", creeping(n, 390, 5), "build", n.Hex(43), "online", between(n, 0, 12),
			"popular", cs.Each(cs.Some(n, 3, "Where to park a van", "Map of the square", "A short history of the Cornmarket", "Stallholder of the month", "How to get a trial day", "The bell and who rings it"), func(s string) string {
				return fill(`<li><a href="/node/[[id]]?q=[[slug]]" hreflang="en">[[s]]</a></li>`, "id", between(n, 100, 400), "slug", slug(s), "s", s)
			}), "proverb", cs.Pick(n, "Buy the truth, and sell it not.", "Who praises wants to sell.", "Small sales, quick pence.", "A fair face is half a sale."), "day", today(n).Format("Monday, 2 January 2006"),
			"sponsor", cs.Pick(n, "With the help of Pennistead Savings Bank", "Awnings by Tolliver & Grey", "Scales checked by Avoir Ltd"), "cookies", cs.Pick(n, "We use cookies on this site to enhance your user experience.", "This site uses cookies, sparingly."))
	}}
}
