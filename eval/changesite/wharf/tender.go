package wharf

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// tender is a notice of a public contract on a government portal.
func tender() *cs.Page {
	return &cs.Page{Path: "/notices/2026-0417", Type: "tender", Render: func(n *cs.Run) string {
		row := func(key, value string) string {
			return `<div class="gov-summary-list__row"><dt class="gov-summary-list__key">` + key + `</dt><dd class="gov-summary-list__value">` + value + "</dd></div>\n"
		}
		documents := []string{"Invitation to tender (PDF, 412 KB)", "Specification of works (PDF, 2.1 MB)", "Pricing schedule (XLSX, 88 KB)"}
		documents = append(documents, cs.Since(n, nil, cs.At(15, []string{"Answers to questions, round 1 (PDF, 96 KB)"}))...)
		return fill(`<!DOCTYPE html><html lang="en" class="gov-template"><head><meta charset="utf-8"><title>Resurfacing of Quay Road - Contracts Register - Province of Aldmoor</title><meta name="csrf-param" content="authenticity_token"><meta name="csrf-token" content="{csrf}"><link href="/assets/application-{asset}.css" rel="stylesheet"></head>
<body class="gov-template__body js-enabled"><a href="#main-content" class="gov-skip-link">Skip to main content</a>
<div class="gov-cookie-banner" data-nosnippet role="region" aria-label="Cookies on the Contracts Register"><div class="gov-cookie-banner__message"><h2 class="gov-heading-m">Cookies on the Contracts Register</h2><p class="gov-body">We use some essential cookies to make this service work.</p><button class="gov-button">Accept additional cookies</button><button class="gov-button">Reject additional cookies</button></div></div>
<header class="gov-header" role="banner"><div class="gov-header__container"><a href="/" class="gov-header__link">Province of Aldmoor</a><span class="gov-header__service-name">Contracts Register</span></div></header>
<div class="gov-width-container"><div class="gov-phase-banner"><p><strong class="gov-tag">beta</strong> {beta}</p></div>
<nav class="gov-breadcrumbs"><ol><li><a href="/?session={session}">Home</a></li><li><a href="/notices?session={session}&amp;page={page}">Notices</a></li><li>2026-0417</li></ol></nav>
<main class="gov-main-wrapper" id="main-content" role="main"><div class="gov-grid-row"><div class="gov-grid-column-two-thirds"><span class="gov-caption-l">Notice 2026-0417</span><h1 class="gov-heading-l">Resurfacing of Quay Road and the fish market forecourt</h1>
<p class="gov-body-s">You are viewing this notice at {clock} on {today}.</p>
<dl class="gov-summary-list">{rows}</dl>
<h2 class="gov-heading-m">Description</h2><p class="gov-body">The Harbour Department seeks a contractor to plane off and relay 3,800 square metres of asphalt on Quay Road, between the lifeboat house and the bonded warehouse, and to lay granite setts on the forecourt of the fish market.</p>
<p class="gov-body">{traffic}</p><p class="gov-body">Work near the slipway depends on the tide. The contractor shall agree a programme with the harbour master before any plant is brought to site.</p>
<h2 class="gov-heading-m">Award criteria</h2><table class="gov-table"><thead class="gov-table__head"><tr><th scope="col" class="gov-table__header">Criterion</th><th scope="col" class="gov-table__header">Weight</th></tr></thead><tbody class="gov-table__body"><tr><td class="gov-table__cell">Price</td><td class="gov-table__cell">{weight}</td></tr><tr><td class="gov-table__cell">Method and programme</td><td class="gov-table__cell">{method}</td></tr><tr><td class="gov-table__cell">Social value</td><td class="gov-table__cell">10%</td></tr></tbody></table>
<h2 class="gov-heading-m">Documents</h2><ul class="gov-list gov-list--bullet">{documents}</ul>
<h2 class="gov-heading-m">Contact</h2><p class="gov-body">Procurement Unit, Harbour Department, 4 Customs Lane, Aldmoor. Write to tenders@aldmoor.example and name the notice.</p></div>
<div class="gov-grid-column-one-third"><aside class="app-related" role="complementary"><h2 class="gov-heading-s">Other notices</h2><ul class="gov-list">{related}</ul><h2 class="gov-heading-s">Viewed</h2><p class="gov-body-s">{views} times, {watchers} suppliers online</p></aside></div></div></main></div>
<div class="gov-feedback" id="feedback-{feedback}"><h2 class="gov-heading-s">{question}</h2><form action="/feedback" method="post"><input type="hidden" name="authenticity_token" value="{csrf}"><button class="gov-button gov-button--secondary">Yes</button><button class="gov-button gov-button--secondary">No</button></form></div>
<footer class="gov-footer" role="contentinfo"><ul class="gov-footer__inline-list"><li><a href="/accessibility">Accessibility</a></li><li><a href="/privacy">Privacy</a></li></ul><p>Served by node {node}, release {asset}</p></footer></body></html>`,
			"csrf", n.Hex(64), "asset", n.Hex(12), "session", n.Hex(20), "page", num(n, 1, 9), "feedback", n.Hex(5), "node", num(n, 1, 12), "clock", today(n, "15:04:05"), "today", today(n, "Monday, 2 January 2006"),
			"beta", cs.Pick(n, "This is a new service. Your feedback will help us to improve it.", "Help us to improve this service: tell us what you think."),
			"rows", row("Buyer", "Harbour Department")+row("Procedure", "Open")+
				row("Estimated value", cs.Since(n, "£640,000 excluding VAT", cs.At(3, "£690,000 excluding VAT")))+
				row("Tenders due", cs.Since(n, "17 April 2026, 12 noon", cs.At(16, "24 April 2026, 12 noon")))+
				row("Status", cs.Since(n, "Open for tenders", cs.At(40, "Cancelled")))+row("Works to start", "September 2026")+row("Lots", "None"),
			"traffic", cs.Since(n, "One lane stays open to traffic at all times.", cs.At(29, "Quay Road will be shut to traffic for the length of the works, and the contractor signs and keeps a diversion by way of Ropewalk.")),
			"weight", "60%", "method", "30%",
			"documents", cs.Each(documents, func(s string) string {
				return `<li><a class="gov-link" href="/blobs/` + n.Hex(24) + `?expires=` + num(n, 300, 900) + `">` + s + `</a></li>`
			}),
			"related", cs.Each(cs.Some(n, 4, "Catering for the county hall", "Supply of road salt", "Lift maintenance", "School minibuses", "Survey of bridges", "Window cleaning"), func(s string) string {
				return `<li><a class="gov-link" href="/notices/r/` + n.Hex(6) + `">` + s + `</a></li>`
			}),
			"views", num(n, 800, 4000), "watchers", num(n, 1, 30), "question", cs.Pick(n, "Is this page useful?", "Was this page helpful?"))
	}}
}
