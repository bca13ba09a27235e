package market

import (
	"fmt"
	"strconv"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const tenderLayout = `<!DOCTYPE html>
<html lang="en" class="pgov-template"><head><meta charset="utf-8"><title>Cold rooms for Farley market hall - Find a public contract</title>
<link rel="stylesheet" href="/assets/application-[[digest]].css"><meta name="csrf-param" content="authenticity_token"><meta name="csrf-token" content="[[csrf]]"></head>
<body class="pgov-template__body"><a href="#main-content" class="pgov-skip-link">Skip to main content</a>
<div class="pgov-cookie-banner" role="region" aria-label="Cookies"><h2 class="pgov-cookie-banner__heading">Cookies on this service</h2><p>[[cookies]]</p><button class="pgov-button">Accept analytics cookies</button></div>
<header class="pgov-header" role="banner"><div class="pgov-header__container"><a href="/" class="pgov-header__link">Province of Eastmarch</a><a href="/search" class="pgov-header__link--service-name">Find a public contract</a><nav><ul class="pgov-header__navigation"><li><a href="/search?s=[[session]]">Search</a></li><li><a href="/sign-in?s=[[session]]">Sign in</a></li></ul></nav></div></header>
<div class="pgov-width-container"><div class="pgov-phase-banner"><p><strong class="pgov-tag">Beta</strong> [[survey]]</p></div>
<div class="pgov-breadcrumbs"><ol class="pgov-breadcrumbs__list"><li><a href="/">Home</a></li><li><a href="/search?s=[[session]]">Notices</a></li></ol></div>
<main class="pgov-main-wrapper" id="main-content"><div class="pgov-grid-row"><div class="pgov-grid-column-two-thirds">
<span class="pgov-caption-l">Tender notice EM-2026-00417</span><h1 class="pgov-heading-l">Cold rooms for Farley market hall</h1>
<p class="pgov-body-s">Notice looked at [[views]] times today. You are not signed in; your session ends in [[minutes]] minutes.</p>
<dl class="pgov-summary-list"><div class="pgov-summary-list__row"><dt class="pgov-summary-list__key">Buyer</dt><dd class="pgov-summary-list__value">Farley Town Council, Markets and Fairs</dd></div>
<div class="pgov-summary-list__row"><dt class="pgov-summary-list__key">Procedure</dt><dd class="pgov-summary-list__value">Open, in two lots</dd></div>
<div class="pgov-summary-list__row"><dt class="pgov-summary-list__key">Published</dt><dd class="pgov-summary-list__value">23 February 2026</dd></div>
<div class="pgov-summary-list__row"><dt class="pgov-summary-list__key">Bids are due by</dt><dd class="pgov-summary-list__value">[[deadline]]</dd></div>
<div class="pgov-summary-list__row"><dt class="pgov-summary-list__key">Estimated value</dt><dd class="pgov-summary-list__value">[[value]] without tax</dd></div>
<div class="pgov-summary-list__row"><dt class="pgov-summary-list__key">Contact</dt><dd class="pgov-summary-list__value">[[contact]]</dd></div></dl>
<h2 class="pgov-heading-m">What is to be done</h2>
<p class="pgov-body">The council replaces the four cold rooms under the hall, which date from 1988 and run on a refrigerant that may no longer be topped up. The contractor takes them out, makes good the floor drains, and puts in rooms of the same size with doors of at least 110 cm.</p>
<p class="pgov-body">Traders keep their goods in two rooms while the others are rebuilt. Noisy work is not allowed on Tuesdays and Saturdays before 15:00, which are the days of the market.</p>
<h3 class="pgov-heading-s">Lot 1: Building work</h3><p class="pgov-body">Demolition, drains, floors, insulated panels. Twelve weeks from the order.</p>
<h3 class="pgov-heading-s">Lot 2: Refrigeration</h3><p class="pgov-body">Two CO2 plants of 18 kW with heat recovery to the wash room, and five years of maintenance with a call-out time of four hours.</p>
<h2 class="pgov-heading-m">How bids are judged</h2><table class="pgov-table"><thead><tr><th>Criterion</th><th>Weight</th></tr></thead><tbody><tr><td>Price</td><td>55%</td></tr><tr><td>Energy use over ten years</td><td>30%</td></tr><tr><td>Plan of the work beside the market</td><td>15%</td></tr></tbody></table>
<h2 class="pgov-heading-m">Documents</h2><ul class="pgov-list"><li><a class="pgov-link" href="[[documents]]?token=[[csrf]]">Specification and drawings</a> (PDF)</li><li><a class="pgov-link" href="/notices/417/form-of-tender.docx?token=[[csrf]]">Form of tender</a> (Word)</li></ul>
<h2 class="pgov-heading-m">Questions of bidders</h2>[[questions]]
<p class="pgov-body-s">Questions are answered here for all, and not by telephone.</p>
</div><div class="pgov-grid-column-one-third"><aside class="pgov-related"><h2 class="pgov-heading-s">Other notices</h2><ul>[[others]]</ul><h2 class="pgov-heading-s">Tip</h2><p>[[tip]]</p></aside></div></div></main></div>
<footer class="pgov-footer" role="contentinfo"><ul><li><a href="/accessibility">Accessibility</a></li><li><a href="/privacy">Privacy</a></li></ul><p>[[notices]] notices have been published here since 2019.</p><p>Request [[request]] at [[time]]</p></footer></body></html>`

func tender() *cs.Page {
	deadline := func(n *cs.Run) string {
		return cs.Since(n, "Friday 17 April 2026, 12:00", cs.At(11, "Friday 24 April 2026, 12:00"))
	}
	value := func(n *cs.Run) string { return cs.Since(n, "€418,000", cs.At(22, "€448,000")) }
	contact := func(n *cs.Run) string {
		return cs.Since(n, "Ruth Amsel, procurement", cs.At(25, "Jonas Petridis, procurement"))
	}
	return &cs.Page{
		Path: "/notices/417", Type: "tender notice",
		Schema: `{"type":"object","properties":{"reference":{"type":"string"},"deadline":{"type":"string"},"estimated_value":{"type":"string"},"contact":{"type":"string"}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"reference": "EM-2026-00417", "deadline": deadline(n), "estimated_value": value(n), "contact": contact(n)}
		},
		Render: func(n *cs.Run) string {
			question := func(q, a string) string {
				return fmt.Sprintf(`<div class="pgov-inset-text"><p class="pgov-body"><strong>%s</strong></p><p class="pgov-body">%s</p></div>`, q, a)
			}
			first := question("May a bid be made for one lot alone?", "Yes.")
			second := question("Can the goods lift be used for the panels?", "It carries 600 kg and may be used on days without a market.")
			return fill(tenderLayout, "digest", n.Hex(20), "csrf", n.Hex(40), "session", n.Hex(18), "cookies", cs.Pick(n, "We would like to set analytics cookies.", "We would like to understand how you use this service."),
				"survey", cs.Pick(n, "This is a new service: tell us what you think.", "Help us to improve: three questions, two minutes.", "Take part in research for this service."), "views", strconv.Itoa(12+n.Calm.IntN(90)+n.IntN(5)), "minutes", between(n, 18, 20),
				"deadline", deadline(n), "value", value(n), "contact", contact(n),
				"documents", cs.Since(n, "/notices/417/specification.pdf", cs.At(34, "/notices/417/specification-rev-b.pdf")),
				"questions", cs.Since(n, first, cs.At(12, first+second)),
				"others", cs.Each(cs.Some(n, 4, "Winter gritting, Lower Farley", "School desks, 900 pieces", "Software for the land registry", "Mowing of verges, district 3", "Audit of the water works", "Uniforms for wardens", "Bridge inspection by drone"), func(s string) string {
					return fill(`<li><a class="pgov-link" href="/notices/[[id]]?from=[[session]]">[[s]]</a></li>`, "id", between(n, 300, 399), "session", n.Hex(6), "s", s)
				}), "tip", cs.Pick(n, "Save a search and get new notices by mail.", "Sign in to see the notices you have followed.", "Filter by place to find work near you."), "notices", creeping(n, 31_870, 17),
				"request", n.Hex(8)+"-"+n.Hex(4)+"-"+n.Hex(12), "time", now(n).Format("15:04:05 on 2 January 2006"))
		},
	}
}
