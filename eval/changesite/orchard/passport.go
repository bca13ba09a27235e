package orchard

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// passport is a page of a government's portal on applying for a passport.
func passport() *cs.Page {
	return &cs.Page{Path: "/passports/apply-adult", Type: "government", Render: func(n *cs.Run) string {
		return `<!DOCTYPE html><html lang="en" class="gov-template"><head><meta charset="utf-8"><title>Apply for an adult passport - Government of Ostrava Isles</title>
<meta name="csrf-token" content="` + n.Hex(64) + `"><link rel="stylesheet" href="/assets/static/application-` + n.Hex(32) + `.css"></head><body class="gov-template__body">
<div class="gov-cookie-banner" data-nosnippet role="region" aria-label="Cookies"><h2>Cookies on isles.example</h2><p>We would like to set additional cookies to understand how you use this site.</p><button>Accept additional cookies</button><button>Reject</button></div>
<a href="#content" class="gov-skip-link">Skip to main content</a>
<header class="gov-header" role="banner"><a href="/" class="gov-header__link">Government of the Ostrava Isles</a><form action="/search"><label for="q` + n.Hex(6) + `">Search</label><input id="q` + n.Hex(6) + `" name="keywords"></form></header>
<div class="gov-breadcrumbs"><ol><li><a href="/">Home</a></li><li><a href="/travel">Citizenship and travel</a></li><li><a href="/passports">Passports</a></li></ol></div>
<main id="content" class="gov-main-wrapper" role="main"><div class="gov-grid-row"><div class="gov-grid-column-two-thirds">
<h1 class="gov-heading-xl">Apply for an adult passport</h1>
<p class="gov-body-l">You can apply if you are 16 or over and a citizen of the Isles. Your passport will be valid for 10 years.</p>
<div class="gov-inset-text">It currently takes up to ` + cs.Since(n, "3 weeks", cs.At(6, "5 weeks"), cs.At(24, "4 weeks")) + ` to get a passport. Do not book travel before you have it.</div>
<h2 class="gov-heading-l">What it costs</h2><table class="gov-table"><thead><tr><th scope="col">How you apply</th><th scope="col">Fee</th></tr></thead><tbody>
<tr><th scope="row">Online</th><td>` + cs.Since(n, "$94.50", cs.At(17, "$98.00")) + `</td></tr><tr><th scope="row">On paper at a post office</th><td>$107.00</td></tr><tr><th scope="row">Urgent, one week</th><td>$193.00</td></tr></tbody></table>
<h2 class="gov-heading-l">What you need</h2><ul class="gov-list gov-list--bullet"><li>a digital photo taken in the last ` + cs.Since(n, "6 months", cs.At(11, "month")) + `</li><li>your old passport, if you have one</li><li>a debit or credit card</li>` + cs.Since(n, "", cs.At(33, "<li>your national insurance number</li>")) + `</ul>
<h2 class="gov-heading-l">If you apply for the first time</h2><p class="gov-body">You have to name somebody who can confirm who you are. They must have known you for at least two years and must not be related to you. We may ask you to come to an interview at one of our offices.</p>
<h2 class="gov-heading-l">If your name has changed</h2><p class="gov-body">Send us the certificate of your marriage or the deed of your change of name. We send documents back by registered post, on another day than the passport.</p>
<h2 class="gov-heading-l">Apply</h2><a role="button" href="/passports/start?_ga=` + p("%d.%d", n.IntN(1e9), n.IntN(1e9)) + `" class="gov-button gov-button--start">` + cs.Pick(n, "Start now", "Apply now") + `</a>
<h2 class="gov-heading-l">After you have applied</h2><p class="gov-body">You get a reference by email. With it you can see how far we are, and change your address until the passport is printed. A courier brings it to your door and asks for a signature; if nobody is in, it goes to the nearest post office for ten days.</p>
<h2 class="gov-heading-l">Get help</h2><p class="gov-body">Call the passport line on 0400 555 018, Monday to Friday, 8am to 8pm. Calls are free from landlines in the Isles. If you cannot hear or speak on the phone, use the text relay service before the number.</p></div>
<aside class="gov-grid-column-one-third" role="complementary"><h2>Related content</h2><nav role="navigation"><ul class="gov-list">` +
			items(cs.Shuffled(n, `<a href="/passports/child">Passports for children</a>`, `<a href="/passports/lost">Report a lost passport</a>`, `<a href="/photos">Rules for photos</a>`, `<a href="/travel/advice">Foreign travel advice</a>`)) + `</ul></nav></aside></div></main>
<div class="feedback"><h2>Is this page useful?</h2><button>Yes</button><button>No</button><a href="/problem?ref=` + n.Hex(12) + `">Report a problem with this page</a></div>
<footer class="gov-footer" role="contentinfo"><ul><li><a href="/help/cookies">Cookies</a></li><li><a href="/help/terms">Terms and conditions</a></li><li><a href="/contact">Contact</a></li><li><a href="/ga">Gaelgish</a></li></ul><p>Request ` + n.Hex(16) + `, served at ` + clock(n) + `</p><p>All content is available under the Open Isles Licence.</p></footer></body></html>`
	}}
}
