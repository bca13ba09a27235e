package terrace

import (
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const grantSchema = `{"type":"object","properties":{"fund":{"type":"string"},"status":{"type":"string"},"deadline":{"type":"string"},
"max_award":{"type":"string"},"own_share_percent":{"type":"integer"}}}`

// grant is a call for applications on a government's portal.
func grant() *cs.Page {
	closes := func(n *cs.Run) string {
		return cs.Since(n, "Friday 6 February 2026, 12 noon", cs.At(10, "Friday 27 February 2026, 12 noon"))
	}
	award := func(n *cs.Run) string { return cs.Since(n, "£30,000", cs.At(31, "£35,000")) }
	return &cs.Page{
		Path: "/funds/small-venues-repair-fund", Type: "grant call", Schema: grantSchema,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{
				"fund": "Small Venues Repair Fund", "status": "Open for applications", "deadline": closes(n), "max_award": award(n), "own_share_percent": 15,
			}
		},
		Render: func(n *cs.Run) string {
			left := days(n, time.February, cs.Since(n, 6, cs.At(10, 27)))
			return fill(grantHTML, "closes", closes(n), "left", num(left), "award", award(n), "csrf", n.Hex(43), "asset", n.Calmly().Hex(32),
				"decision", cs.Since(n, "We will tell every applicant the outcome by 24 April 2026.",
					cs.At(11, "We will tell every applicant the outcome by 15 May 2026. Repairs must not start before you have our offer in writing.")),
				"guide", cs.Since(n, "/documents/svrf-guidance-january.pdf", cs.At(24, "/documents/svrf-guidance-february.pdf")), "q", n.Hex(8),
				"faq", cs.Since(n, "", cs.At(38, `<h2 class="nm-heading-m" id="questions">Questions we are asked</h2>
<h3 class="nm-heading-s">Can a venue that rents its building apply?</h3><p class="nm-body">Yes, if the lease has at least seven years to run and the owner agrees in writing.</p>
<h3 class="nm-heading-s">Are mobile stages eligible?</h3><p class="nm-body">No. The fund repairs buildings only.</p>`)),
				"beta", cs.Pick(n, "This is a new service. Your feedback will help us to improve it.", "Help us improve this service: give feedback.",
					"Tell us what you think of this new service."),
				"survey", cs.Pick(n, "Was this page useful?", "Did you find what you were looking for?", "Is there anything wrong with this page?"),
				"id", num(100000+n.IntN(900000)), "today", now(n).Format("Monday 2 January 2006"), "made", now(n).Format("15:04:05"), "node", p("portal-%02d", 1+n.IntN(9)),
				"others", cs.Each(cs.Some(n, 3, "Village Hall Roof Grants", "Archives on Film", "Touring Circus Bursary", "Bell Ringers' Training Fund", "Basketmakers' Prize",
					"Libraries After Dark", "Brass Band Instruments Loan"), func(s string) string {
					return p(`<li class="nm-related__item"><a class="nm-link" href="/funds/go/%s?from=svrf">%s</a></li>`, n.Hex(8), s)
				}), "seen", grouped(creeping(n, 5210, 40), ","), "bank", cs.Pick(n.Calmly(), "Phone lines are quieter before 10 am.", "Calls are answered in about 4 minutes at the moment.",
					"Phone lines are busy this morning; please try our web form.", "Calls are answered in about 9 minutes at the moment."))
		},
	}
}

const grantHTML = `<!DOCTYPE html><html lang="en" class="nm-template"><head><meta charset="utf-8"><title>Small Venues Repair Fund - Northmark Office for Culture</title>
<meta name="csrf-param" content="authenticity_token"><meta name="csrf-token" content="{{csrf}}"><link rel="stylesheet" href="/assets/application-{{asset}}.css">
<meta property="og:title" content="Small Venues Repair Fund"></head><body class="nm-template__body js-enabled">
<div id="cookie-message" class="nm-cookie-banner" role="region" aria-label="Cookies on this service"><h2>Cookies on this service</h2><p>We use some essential cookies to make this service work.</p>
<button type="button">Accept analytics cookies</button><button type="button">Reject analytics cookies</button></div>
<a href="#main-content" class="nm-skip-link">Skip to main content</a>
<header class="nm-header" role="banner"><div class="nm-width-container"><a class="nm-header__logotype" href="/">NORTHMARK</a><span class="nm-header__product">Office for Culture</span>
<ul class="nm-header__nav"><li><a href="/funds">Funds</a></li><li><a href="/awards">Past awards</a></li><li><a href="/apply?t={{q}}">My applications</a></li></ul>
<span class="nm-header__date">{{today}}</span></div></header>
<div class="nm-width-container"><div class="nm-phase-banner"><strong class="nm-tag nm-phase-banner__tag">Beta</strong><span>{{beta}}</span></div>
<div class="nm-breadcrumbs"><ol><li><a href="/">Home</a></li><li><a href="/funds">Funds</a></li><li>Small Venues Repair Fund</li></ol></div>
<main class="nm-main-wrapper" id="main-content" role="main"><div class="nm-grid-row"><div class="nm-grid-column-two-thirds">
<span class="nm-caption-xl">Capital grants</span><h1 class="nm-heading-xl">Small Venues Repair Fund</h1>
<p class="nm-body-l">Grants for music venues, theatres and cinemas with up to 400 seats to repair roofs, windows, wiring and heating.</p>
<div class="nm-inset-text" id="notice-{{id}}"><strong class="nm-tag nm-tag--green">Open for applications</strong>
<p>Closing date</p><p class="nm-date">{{closes}}</p><p class="nm-hint"><span class="nm-countdown">{{left}} days</span> left to apply</p></div>
<dl class="nm-summary-list"><div class="nm-summary-list__row"><dt>Largest award</dt><dd>{{award}}</dd></div><div class="nm-summary-list__row"><dt>Smallest award</dt><dd>£4,000</dd></div>
<div class="nm-summary-list__row"><dt>Your own share</dt><dd>at least 15 per cent of the cost</dd></div><div class="nm-summary-list__row"><dt>Whole budget</dt><dd>£2.4 million</dd></div>
<div class="nm-summary-list__row"><dt>Area</dt><dd>All seven districts of Northmark</dd></div></dl>
<a class="nm-button nm-button--start" role="button" href="/apply/svrf/start?rid={{q}}">Start now</a>
<h2 class="nm-heading-m">Who can apply</h2><p class="nm-body">You can apply if you run a venue that:</p><ul class="nm-list nm-list--bullet"><li>has been open to the public for two years or more</li>
<li>put on at least 40 performances or screenings in 2025</li><li>is not owned by a county, a university or a national body</li></ul>
<p class="nm-body">Consortia of up to four venues may hand in one application, with one of them as the lead.</p>
<h2 class="nm-heading-m">What the money is for</h2><p class="nm-body">Repairs that keep the weather out or the audience safe. We pay for materials, labour and surveys, but not for
seats, bars, sound or lighting.</p>
<div class="nm-warning-text"><span aria-hidden="true">!</span><strong>Listed buildings need consent before you apply.</strong></div>
<h2 class="nm-heading-m">After you apply</h2><p class="nm-body">{{decision}}</p>
<h2 class="nm-heading-m">Documents</h2><ul class="nm-list"><li><a class="nm-link" href="{{guide}}?dl={{q}}">Guidance for applicants (PDF)</a></li>
<li><a class="nm-link" href="/documents/svrf-budget.ods?dl={{q}}">Budget form (ODS)</a></li></ul>{{faq}}
<div class="nm-feedback"><h2 class="nm-heading-s" id="feedback-{{id}}">{{survey}}</h2><form action="/feedback" method="post"><input type="hidden" name="authenticity_token" value="{{csrf}}">
<button>Yes</button><button>No</button></form></div></div>
<div class="nm-grid-column-one-third"><aside class="nm-related" role="complementary"><h2 class="nm-heading-s">Others also looked at</h2><ul>{{others}}</ul>
<h2 class="nm-heading-s">Contact</h2><p>venues@northmark.example<br>0300 555 0175, weekdays 9 to 4</p><p class="nm-hint">{{bank}}</p>
<p class="nm-hint">Page viewed {{seen}} times</p></aside></div></div></main></div>
<footer class="nm-footer"><ul><li><a href="/accessibility">Accessibility</a></li><li><a href="/privacy">Privacy</a></li><li><a href="/foi">Freedom of information</a></li></ul>
<p>All content is available under the Northmark Open Licence.</p><p class="nm-footer__meta">Served {{made}} by {{node}}</p></footer>
<script src="/assets/application-{{asset}}.js"></script></body></html>`
