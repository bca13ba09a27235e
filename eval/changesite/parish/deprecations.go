package parish

import (
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// deprecations are what an interface is about to lose, in its developer portal.
func deprecations() *cs.Page {
	return &cs.Page{Path: "/docs/api/deprecations", Type: "documentation", Render: func(n *cs.Run) string {
		return fill(deprecationsHTML, "main", n.Hex(8), "runtime", n.Hex(8), "key", n.Hex(24), "request", strings.ToUpper(n.Hex(12)), "elapsed", 18+n.IntN(200),
			"nonce", n.Hex(16),
			"announcement", cs.Pick(n, "New here? Start with the five-minute tour", "Ask our assistant about the docs", "Join the developer chat"),
			"rates", cs.Since(n, "30 November 2026", cs.At(15, "31 January 2027")),
			"row", cs.Since(n, "", cs.At(18, `<tr><td><code>label_format=zpl1</code></td><td>24 September 2026</td><td>30 June 2027</td><td>
<code>label_format=zpl2</code></td></tr>`)),
			"guide", cs.Since(n, "/docs/guides/move-to-quotes", cs.At(31, "/docs/guides/quotes-migration")),
			"version", cs.Since(n, "2026-05-01", cs.At(32, "2026-10-01")),
			"upvotes", counted(n, 74, 1), "chatters", 30+n.IntN(120),
			"next", cs.Each(cs.Some(n, 3, "Idempotency", "Webhooks and retries", "Testing with sandbox carriers", "Rate limits", "Pagination", "Error codes"),
				func(s string) string {
					return fill(`<a class="card padding--md cardContainer_{hash}" href="/docs/api/{slug}?from=related-{hash}">
<h3 class="text--truncate">{title}</h3></a>`, "hash", n.Hex(4), "slug", strings.ReplaceAll(strings.ToLower(s), " ", "-"), "title", s)
				}))
	}}
}

const deprecationsHTML = `<!doctype html>
<html lang="en" dir="ltr" class="docs-wrapper plugin-docs plugin-id-default docs-version-current" data-has-hydrated="false"><head><meta charset="UTF-8">
<meta name="generator" content="Docusite v3.5.2"><title data-rh="true">Deprecations and sunsets | Parcelnode API</title>
<link rel="stylesheet" href="/assets/css/styles.{main}.css"><script src="/assets/js/runtime~main.{runtime}.js" defer="defer"></script>
<script src="/assets/js/main.{main}.js" defer="defer"></script></head>
<body class="navigation-with-keyboard"><script nonce="{nonce}">document.documentElement.setAttribute("data-theme","light")</script>
<div id="__docusite"><div role="region" aria-label="Skip to main content"><a class="skipToContent_{main}" href="#__skip">Skip to main content</a></div>
<div class="announcementBar_{runtime}" role="banner"><div class="content_{runtime}">{announcement}</div></div>
<nav aria-label="Main" class="navbar navbar--fixed-top"><div class="navbar__inner">
<div class="navbar__items"><a class="navbar__brand" href="/"><b class="navbar__title text--truncate">Parcelnode</b></a>
<a class="navbar__item navbar__link navbar__link--active" href="/docs/api">API</a><a class="navbar__item navbar__link" href="/docs/guides">Guides</a>
<a class="navbar__item navbar__link" href="/pricing">Pricing</a></div><div class="navbar__items navbar__items--right">
<a class="navbar__item navbar__link" href="/dashboard?sid={key}">Dashboard</a><span class="navbar__item badge">{chatters} in chat</span></div></div></nav>
<div id="__skip" class="main-wrapper mainWrapper_{main}"><div class="docsWrapper_{main}"><div class="docRoot_{main}">
<aside class="theme-doc-sidebar-container docSidebarContainer_{main}"><nav aria-label="Docs sidebar" class="menu thin-scrollbar">
<ul class="theme-doc-sidebar-menu menu__list"><li class="menu__list-item"><a class="menu__link" href="/docs/api/auth">Authentication</a></li>
<li class="menu__list-item"><a class="menu__link" href="/docs/api/shipments">Shipments</a></li>
<li class="menu__list-item"><a class="menu__link" href="/docs/api/quotes">Quotes</a></li>
<li class="menu__list-item"><a class="menu__link" href="/docs/api/versioning">Versioning</a></li>
<li class="menu__list-item"><a class="menu__link menu__link--active" aria-current="page" href="/docs/api/deprecations">Deprecations and
sunsets</a></li></ul></nav></aside>
<main class="docMainContainer_{main}"><div class="container padding-top--md padding-bottom--lg"><div class="row"><div class="col docItemCol_{runtime}">
<div class="docItemContainer_{runtime}"><article>
<nav class="theme-doc-breadcrumbs" aria-label="Breadcrumbs"><ul class="breadcrumbs">
<li class="breadcrumbs__item"><a class="breadcrumbs__link" href="/docs/api">API</a></li>
<li class="breadcrumbs__item breadcrumbs__item--active"><span class="breadcrumbs__link">Deprecations and sunsets</span></li></ul></nav>
<div class="theme-doc-markdown markdown"><header><h1>Deprecations and sunsets</h1></header><p class="readingTime_{runtime}">4 min read</p>
<p>We announce a deprecation at least six months before the sunset. A deprecated call goes on working until then and answers with a <code>Sunset</code> header. After the
sunset it answers with <code>410 Gone</code>.</p>
<h2 class="anchor" id="schedule">Schedule</h2><table><thead><tr><th>What</th><th>Deprecated on</th><th>Sunset</th><th>Use instead</th></tr></thead><tbody>
<tr><td><code>POST /v1/rates</code></td><td>4 May 2026</td><td>{rates}</td><td><code>POST /v2/quotes</code></td></tr>
<tr><td><code>GET /v1/carriers/:id/logo</code></td><td>11 June 2026</td><td>15 December 2026</td><td><code>assets.logo</code> of the carrier</td></tr>
<tr><td><code>address.zip</code></td><td>11 June 2026</td><td>15 December 2026</td><td><code>address.postcode</code></td></tr>
{row}<tr><td>TLS 1.2</td><td>1 July 2026</td><td>1 July 2027</td><td>TLS 1.3</td></tr></tbody></table>
<h2 class="anchor" id="rates">From rates to quotes</h2>
<p>A quote is a rate that we hold for thirty minutes. The fields have kept their names, with the exception of <code>total</code>, which is now an object of amount and
currency. The <a href="{guide}">migration guide</a> lists every field.</p>
<p>Pin the version you tested against with a header:</p>
<div class="language-bash codeBlockContainer_{runtime} theme-code-block"><div class="codeBlockContent_{runtime}">
<pre tabindex="0" class="prism-code language-bash"><code class="codeBlockLines_{runtime}"><span class="token-line">curl https://api.parcelnode.example/v2/quotes \</span>
<span class="token-line">  -H "Authorization: Bearer test_{key}" \</span>
<span class="token-line">  -H "Parcelnode-Version: {version}" \</span>
<span class="token-line">  -d @quote.json</span></code></pre>
</div></div>
<p>The answer comes with an id that our support can look up:</p><div class="language-http theme-code-block">
<pre class="prism-code language-http"><code><span class="token-line">HTTP/1.1 201 Created</span>
<span class="token-line">Parcelnode-Request: {request}</span>
<span class="token-line">Server-Timing: total;dur={elapsed}</span></code></pre>
</div>
<h2 class="anchor" id="notice">How we tell you</h2>
<p>The owner of each account gets an email at the announcement, ninety days and fourteen days before the sunset. The dashboard lists the keys that called something
deprecated in the last week.</p>
<h2 class="anchor" id="extension">Extensions</h2><p>Accounts on the Freight plan can ask for one extension of up to sixty days, in writing, before the sunset.</p></div>
<footer class="theme-doc-footer docusite-mt-lg"><div class="row">
<div class="col"><a href="https://git.example/parcelnode/docs/edit/main/deprecations.md" class="theme-edit-this-page">Edit this page</a></div>
<div class="col feedback_{runtime}"><button type="button">Helpful <span>{upvotes}</span></button></div></div></footer></article>
<section class="related_{runtime}"><h2>Keep reading</h2>{next}</section></div></div></div></div></main></div></div></div>
<footer class="theme-layout-footer footer footer--dark"><div class="container container-fluid"><div class="row footer__links"><div class="col footer__col">
<div class="footer__title">Company</div><a class="footer__link-item" href="/about">About</a><a class="footer__link-item" href="/legal">Legal</a></div></div>
<div class="footer__copyright">Copyright © 2026 Parcelnode. Deployed as {main}.</div></div></footer></div>
<div class="consent_{runtime}" role="dialog"><p>May we count your visit?</p><button>Yes</button><button>No</button></div></body></html>`
