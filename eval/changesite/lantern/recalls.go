package lantern

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// recalls is an authority's list of products called back, in a government design system.
func recalls() *cs.Page {
	type recall struct{ product, maker, batch, reason, date string }
	list := func(n *cs.Run) []recall {
		newest := cs.Since(n, []recall{}, cs.At(8, []recall{{"Kettle Brisa 1.7", "Calder Home", "K17-0098", "Handle may come loose", "9 March 2026"}}),
			cs.At(26, []recall{
				{"Oat bar with hazelnut", "Field & Fold", "L6082", "Peanut not declared", "27 March 2026"},
				{"Kettle Brisa 1.7", "Calder Home", "K17-0098", "Handle may come loose", "9 March 2026"},
			}))
		rest := []recall{
			{"Bunk bed Lumo", "Timmerhus", cs.Since(n, "2025-11 to 2026-01", cs.At(16, "2025-09 to 2026-01")), "Gap at the guard rail", "24 February 2026"},
			{"Goat's cheese, ripened", "Abbaye Farm", "0433", "Listeria", "19 February 2026"},
			{"Bicycle helmet Swift Junior", "Rollo", "all", "Strap does not hold", "11 February 2026"},
			{"Power bank 20k", "Voltarra", "VB2-77", "Overheats while charging", "2 February 2026"},
		}
		return append(newest, cs.Since(n, rest, cs.At(35, rest[:3]))...)
	}
	return &cs.Page{
		Path: "/recalls", Type: "listing",
		Schema: `{"type":"object","properties":{"recalls":{"type":"array","items":{"type":"object","properties":{"product":{"type":"string"},
"maker":{"type":"string"},"batch":{"type":"string"},"reason":{"type":"string"},"date":{"type":"string"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			var rows []any
			for _, r := range list(n) {
				rows = append(rows, map[string]any{"product": r.product, "maker": r.maker, "batch": r.batch, "reason": r.reason, "date": r.date})
			}
			return map[string]any{"recalls": rows}
		},
		Render: func(n *cs.Run) string {
			return `<!DOCTYPE html>
<html lang="en" class="gov-template"><head><meta charset="utf-8"><title>Product recalls - Office for Product Safety - GOV</title>
<meta name="csrf-param" content="authenticity_token"><meta name="csrf-token" content="` + n.Hex(44) + `">
<link rel="stylesheet" href="/assets/application-` + n.Hex(64) + `.css"></head><body class="gov-template__body">
<div class="gov-cookie-banner" role="region" aria-label="Cookies"><h2 class="gov-heading-m">Cookies on this service</h2>
<p>We use some essential cookies to make this service work.</p><button class="gov-button" type="button">Accept additional cookies</button>
<a href="/cookies">View cookies</a></div>
<a href="#main-content" class="gov-skip-link">Skip to main content</a>
<header class="gov-header" role="banner"><a href="/" class="gov-header__link">Office for Product Safety</a><nav class="gov-header__navigation"><ul><li>
<a href="/recalls" aria-current="page">Recalls</a></li><li><a href="/report">Report a product</a></li><li>
<a href="/business">Guidance for businesses</a></li></ul></nav></header>
<div class="gov-width-container"><div class="gov-phase-banner"><strong class="gov-tag">Beta</strong> ` + cs.Pick(n,
				"<span>This is a new service. Your feedback will help us to improve it.</span>",
				"<span>Help us make this service better: tell us what you think.</span>") + `</div>
<main class="gov-main-wrapper" id="main-content" role="main"><h1 class="gov-heading-xl">Product recalls</h1>
<p class="gov-body-l">Products that makers or sellers have called back because they may hurt you or make you ill. The newest are on top.</p>
<p class="gov-hint">List drawn up on ` + today(n).Format("2 January 2006") + ` at ` + clock(n) + `</p>
<div class="gov-inset-text"><p>` + cs.Since(n, "If you own one of these, stop using it and take it back to where you bought it. You do not need the receipt.",
				cs.At(25, "If you own one of these, stop using it and write to the maker. For a refund you need the receipt or a picture of the label.")) + `</p></div>
<form action="/recalls;s=` + n.Hex(16) + `" class="filter"><label for="q-` + n.Hex(4) + `">Search recalls</label><input name="q">
<button class="gov-button" data-prevent-double-click="true">Search</button></form>
<table class="gov-table"><caption class="gov-table__caption">Recalls now in force</caption><thead class="gov-table__head"><tr><th scope="col">Product</th>
<th scope="col">Maker</th><th scope="col">Batch</th><th scope="col">Reason</th><th scope="col">Date</th></tr></thead><tbody class="gov-table__body">` +
				cs.Each(list(n), func(r recall) string {
					return `<tr class="gov-table__row" id="row-` + n.Hex(6) + `"><th scope="row">` + r.product + `</th><td>` + r.maker + `</td>
<td>` + r.batch + `</td><td>` + r.reason + `</td><td>` + r.date + "</td></tr>\n"
				}) + `</tbody></table>
<h2 class="gov-heading-m">How recalls work</h2><p>A maker who learns of a risk must tell us within a day. We check the notice, publish it here, and follow up whether
the products have come back. A recall leaves this list when nearly all of them have.</p>
<p>We do not test products ourselves for private persons. If you have been hurt, see a doctor first, and keep the product and its packaging.</p>
<details class="gov-details" open><summary>Get this list by post</summary>
<p>Write to Office for Product Safety, Freepost 12, Denholm. Please name the kinds of product that you care for.</p></details>
</main><div class="gov-feedback"><h2>Is this page useful?</h2><p>` + p("%d of %d people said yes", 700+n.IntN(60), 800+n.IntN(60)) + `</p></div>
<aside class="related"><h2>Related guidance</h2><ul>` + cs.Each(cs.Some(n, 3, "Safe toys", "Charging batteries at home", "What the safety mark means",
				"Food labels explained", "Buying second hand"), func(s string) string {
				return `<li><a class="gov-link" href="/guidance?_t=` + n.Hex(8) + `">` + s + "</a></li>\n"
			}) + `</ul></aside></div>
<footer class="gov-footer" role="contentinfo"><ul><li><a href="/help">Help</a></li><li><a href="/accessibility">Accessibility statement</a></li></ul>
<p>All content is under an open licence, except where otherwise stated.</p><p>Request ` + n.Hex(12) + `</p></footer></body></html>`
		},
	}
}
