package parish

import (
	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// visa is a page of a ministry, on a government's portal.
func visa() *cs.Page {
	return &cs.Page{Path: "/en/entry/short-stay-visa", Type: "government", Render: func(n *cs.Run) string {
		return fill(visaHTML, "session", n.Hex(20), "hash", n.Hex(8), "nonce", n.Hex(22), "today", day(n).Format("Monday, 2 January 2006"), "trace", n.Hex(16),
			"survey", n.IntN(1e6),
			"useful", 61+n.Calm.IntN(5), "asked", counted(n, 18_204, 31),
			"ask", cs.Pick(n, "Help us improve this site: take a two-minute survey", "Tell us what you think of this site"),
			"fee", cs.Since(n, "60", cs.At(3, "75")),
			"reviewed", cs.Since(n, "14 May 2026", cs.At(3, "9 September 2026"), cs.At(33, "9 October 2026")),
			"days", cs.Since(n, "calendar days", cs.At(4, "working days")),
			"biometrics", cs.Since(n, "", cs.At(33, `<h2 class="cas-h2" id="biometrics">Fingerprints and photograph</h2>
<p class="cas-body">From 1 December 2026 every applicant older than twelve gives fingerprints and is photographed in person at the visa centre. Fingerprints given
for an earlier visa are kept for 59 months and need not be given again.</p>`)),
			"form", cs.Since(n, "/en/forms/ss-12-2024.pdf", cs.At(38, "/en/forms/ss-12-2026.pdf")),
			"news", cs.Each(cs.Some(n, 3, "Minister opens harbour bridge in Port Ambrel", "New coat of arms for the customs service",
				"Consular day in Tavisk draws a crowd", "Film week of the embassy in Lorn", "Grants for young translators", "Ambassador presents credentials",
				"National archive shows its maps"), func(s string) string {
				return fill(`<li class="cas-teaser"><a class="cas-link" href="/en/news/{id}?sid={sid}">{title}</a></li>`, "id", n.Hex(6), "sid", n.Hex(10), "title", s)
			}),
			"served", moment(n).Format("15:04:05"))
	}}
}

const visaHTML = `<!DOCTYPE html>
<html lang="en" class="cas-template"><head><meta charset="utf-8"><title>Short-stay visa (type C) | Ministry of Foreign Affairs of Caspera</title>
<link rel="stylesheet" href="/assets/cas-frontend-4.8.{hash}.min.css"><meta name="x-trace" content="{trace}">
<script nonce="{nonce}">document.documentElement.className+=" js-enabled"</script></head>
<body class="cas-template__body"><div class="cas-cookie-banner" role="region" aria-label="Cookies on this service">
<h2 class="cas-cookie-banner__title">Cookies on this service</h2><p>We use essential cookies to make this service work.</p>
<button type="button">Accept analytics cookies</button><button type="button">Reject analytics cookies</button></div>
<div class="cas-official-banner"><p>An official website of the Republic of Caspera</p></div>
<header class="cas-header" role="banner"><div class="cas-width-container"><a class="cas-header__link" href="/en;jsession={session}">Ministry of Foreign Affairs</a>
<p class="cas-header__date">{today}</p>
<form action="/en/search" role="search"><input type="hidden" name="_s" value="{session}"><label for="q-{hash}">Search</label><input id="q-{hash}" name="q" type="search"></form>
<nav aria-label="Main"><ul class="cas-header__navigation"><li><a href="/en/ministry">The Ministry</a></li><li><a href="/en/entry">Entry and stay</a></li>
<li><a href="/en/consular">Consular help</a></li><li><a href="/en/missions">Missions abroad</a></li></ul></nav></div></header>
<div class="cas-width-container"><div class="cas-breadcrumbs"><ol><li><a href="/en">Home</a></li><li><a href="/en/entry">Entry and stay</a></li>
<li>Short-stay visa</li></ol></div>
<main class="cas-main-wrapper" id="main-content"><div class="cas-grid-row"><div class="cas-grid-column-two-thirds">
<span class="cas-caption-xl">Visas for visitors</span><h1 class="cas-heading-xl">Short-stay visa (type C)</h1>
<p class="cas-body-l">A short-stay visa lets you stay in Caspera for up to 90 days in any 180 days, for a visit, for business or to study a short course.</p>
<div class="cas-inset-text">You do not need a visa if you hold a residence permit of Caspera or a diplomatic passport that the Ministry has recognised.</div>
<h2 class="cas-h2" id="apply">How to apply</h2><ol class="cas-list cas-list--number">
<li>Fill in the <a class="cas-link" href="{form}">application form SS-12</a> and sign it by hand.</li><li>Book an appointment with the mission where you live.</li>
<li>Bring the documents below and pay the fee.</li></ol>
<p class="cas-body">Apply no earlier than six months before you travel.</p>
<h2 class="cas-h2" id="documents">Documents</h2><ul class="cas-list cas-list--bullet">
<li>a passport that is valid for three months beyond your stay and has two blank pages</li><li>one colour photograph of 35 by 45 mm, not older than six months</li>
<li>proof of lodging, or an invitation certified by a notary</li><li>medical insurance that covers at least 30,000 crowns</li>
<li>bank statements of the last three months</li></ul>
{biometrics}
<h2 class="cas-h2" id="fees">Fees</h2><table class="cas-table"><caption class="cas-table__caption">Visa fees in crowns</caption><thead><tr><th scope="col">Applicant</th>
<th scope="col">Fee</th></tr></thead><tbody><tr><th scope="row">Adult</th><td>{fee}</td></tr><tr><th scope="row">Child from 6 to 11</th><td>30</td></tr><tr>
<th scope="row">Child under 6</th><td>free</td></tr></tbody></table>
<p class="cas-body">The fee is not paid back when a visa is refused.</p>
<h2 class="cas-h2" id="time">How long it takes</h2>
<p class="cas-body">Missions decide within 15 {days} of a complete application. In single cases it can take up to 45 days, for instance when other authorities must be
asked.</p>
<h2 class="cas-h2" id="refusal">If your visa is refused</h2>
<p class="cas-body">You are told the reasons in writing. You may object within 30 days at the mission that decided, in Casperan or English.</p>
<dl class="cas-metadata"><dt>Last reviewed</dt><dd>{reviewed}</dd><dt>Responsible</dt><dd>Department for Visa Policy</dd></dl>
<div class="cas-feedback" data-module="feedback-{hash}"><h2>Is this page useful?</h2><button name="yes" value="{survey}">Yes</button>
<button name="no" value="{survey}">No</button><p>{useful}% of {asked} readers found this page useful</p></div>
</div>
<aside class="cas-grid-column-one-third" role="complementary"><h2 class="cas-heading-s">In this section</h2><ul class="cas-list">
<li><a href="/en/entry/long-stay-visa">Long-stay visa</a></li><li><a href="/en/entry/transit">Airport transit</a></li>
<li><a href="/en/entry/customs">Customs</a></li></ul>
<h2 class="cas-heading-s">News of the Ministry</h2><ul class="cas-list">{news}</ul></aside></div></main></div>
<div class="cas-survey" id="survey-{survey}"><a href="https://survey.gov.example/s/{survey}">{ask}</a></div>
<footer class="cas-footer"><div class="cas-width-container"><ul><li><a href="/en/privacy">Privacy</a></li><li><a href="/en/accessibility">Accessibility</a></li>
<li><a href="/en/imprint">Imprint</a></li></ul><p>Page served at {served} by node {hash}</p><p>&copy; Republic of Caspera</p></div></footer>
</body></html>`
