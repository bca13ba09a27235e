package wharf

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// recalls are the newest recalls of an agency for the safety of goods, by a content system of blocks and regions.
func recalls() *cs.Page {
	type recall struct{ day, thing, why, remedy string }
	return &cs.Page{Path: "/recalls/nursery", Type: "listing", Render: func(n *cs.Run) string {
		list := cs.Since(n, nil, cs.At(8, []recall{{"9 March 2026", "Pomm folding high chair", "The lock of the tray can open, and a child can fall.", "Stop using it. The maker sends a new tray."}}))
		list = append(list,
			recall{"24 February 2026", "Dormouse cot bumper", "The ties are longer than is allowed and can strangle.", cs.Since(n, "Cut off the ties.", cs.At(23, "Stop using it and return it for a full refund."))},
			recall{"11 February 2026", "Tilly rattle, red and yellow", "Small parts come loose and can be swallowed.", "Return it to the shop for a full refund."},
			recall{"30 January 2026", "Brook bottle warmer", cs.Since(n, "The base can overheat. Models BW-10 and BW-12.", cs.At(10, "The base can overheat. Models BW-10, BW-12 and BW-14.")), "Unplug it. The maker replaces it."},
			recall{"19 January 2026", "Stroller Nimbus 2", "The brake can fail on a slope.", "Book a free repair."},
		)
		return fill(`<!DOCTYPE html><html lang="en" dir="ltr" prefix="og: https://ogp.me/ns#"><head><meta charset="utf-8" /><meta name="Generator" content="Drupal 10 (https://www.drupal.org)" /><title>Recalls: nursery goods | Office for Safe Goods</title>
<link rel="stylesheet" media="all" href="/sites/default/files/css/css_{asset}.css?delta=0&amp;theme=civic" /><script type="application/json" data-drupal-selector="drupal-settings-json">{"path":{"baseUrl":"/"},"ajaxPageState":{"libraries":"{state}"},"user":{"uid":0,"permissionsHash":"{hash}"}}</script></head>
<body class="path-recalls page-view-recalls"><div class="dialog-off-canvas-main-canvas" data-off-canvas-main-canvas><div class="layout-container"><header role="banner"><div class="region region-header"><div id="block-civic-branding" class="block block-system block-system-branding-block"><a href="/" rel="home">Office for Safe Goods</a></div>
<div id="block-civic-datebar" class="block block-datebar">{today}</div></div></header>
<div class="region region-primary-menu"><nav role="navigation" aria-labelledby="block-civic-main-menu-menu" id="block-civic-main-menu"><h2 class="visually-hidden" id="block-civic-main-menu-menu">Main navigation</h2><ul class="menu"><li class="menu-item"><a href="/recalls" data-drupal-link-system-path="recalls">Recalls</a></li><li class="menu-item"><a href="/report">Report a danger</a></li><li class="menu-item"><a href="/business">For businesses</a></li><li class="menu-item"><a href="/about">About us</a></li></ul></nav></div>
<main role="main"><a id="main-content" tabindex="-1"></a><div class="layout-content"><div class="region region-content"><div id="block-civic-page-title" class="block"><h1 class="page-title">Recalls: nursery goods</h1></div>
<div id="block-civic-content" class="block block-system block-system-main-block"><p class="lead">{lead}</p><div class="views-element-container"><div class="view view-recalls view-display-id-page_2 js-view-dom-id-{dom}"><div class="view-content">{rows}</div></div></div>
<h2>What to do</h2><p>Check the name and the model on the label. If yours is named, stop using it at once, and do as the recall says. You need no receipt. If a shop refuses, write to us and we take it up with them.</p></div></div></div>
<aside class="layout-sidebar-second" role="complementary"><div class="region region-sidebar-second"><div id="block-poll-{poll}" class="block block-poll"><h2>Quick poll</h2><p>Do you read labels before you buy?</p><div class="poll-results"><div>Always: {always} votes</div><div>Now and then: {sometimes} votes</div><div>Never: {never} votes</div></div></div>
<div class="block block-campaign"><h2>{campaign}</h2><p><a href="/campaigns?c={c}">Read more</a></p></div>
<div class="block block-popular"><h2>Much read guides</h2><ul>{popular}</ul></div><div class="block block-user-online"><h2>Who is online</h2><p>There are currently {online} visitors online.</p></div></div></aside></main>
<footer role="contentinfo"><div class="region region-footer"><form class="newsletter" id="newsletter-form--{form}" method="post"><input type="hidden" name="form_build_id" value="form-{build}" /><label>Get news by mail <input type="email" /></label></form><p>Office for Safe Goods, 12 Assay Street. <a href="/cookies">Cookies</a></p></div></footer></div></div>
<div id="sliding-popup" class="eu-cookie-compliance-banner"><h2>We use cookies on this site to enhance your experience</h2><button type="button" class="agree-button">OK, I agree</button></div></body></html>`,
			"asset", n.Hex(20), "state", n.Hex(40), "hash", n.Hex(40), "dom", n.Hex(64), "poll", num(n, 1, 99), "form", n.Hex(8), "build", n.Hex(40), "c", n.Hex(6), "today", today(n, "Monday, January 2, 2006 - 15:04"),
			"lead", cs.Since(n, "These are the newest recalls of goods for babies and small children.", cs.At(39, "These are the newest recalls of goods for babies and small children. Car seats are now on a page of their own.")),
			"rows", cs.Each(list, func(r recall) string {
				return `<div class="views-row"><article role="article" class="node node--type-recall node--view-mode-teaser"><h2 class="node__title"><a href="/node/` + num(n, 1000, 9999) + `?destination=/recalls/nursery"><span class="field field--name-title">` + r.thing + `</span></a></h2><div class="field field--name-field-date"><time>` + r.day +
					`</time></div><div class="field field--name-field-danger"><p>` + r.why + `</p></div><div class="field field--name-field-remedy"><p>` + r.remedy + "</p></div></article></div>\n"
			}),
			"always", num(n, 300, 600), "sometimes", num(n, 700, 999), "never", num(n, 100, 200), "online", num(n, 5, 400),
			"campaign", cs.Pick(n, "Safe at play", "Batteries are not sweets", "Is your charger a fake?"),
			"popular", cs.Each(cs.Some(n, 3, "How to read a safety mark", "Buying second hand", "Toys and magnets", "Your rights when goods fail", "A safe sleep"), func(s string) string {
				return `<li><a href="/guides/` + n.Hex(5) + `">` + s + `</a></li>`
			}))
	}}
}
