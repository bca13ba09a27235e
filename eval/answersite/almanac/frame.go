package almanac

import (
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// frames are pages without what they are about, by the maker of their site.
var frames = map[string]string{
	"wiki": `<!DOCTYPE html><html class="client-nojs" lang="en" dir="ltr"><head><meta charset="UTF-8"><title>{title}</title><meta name="generator" content="MediaWiki 1.43.0"></head>
<body class="skin-vector mediawiki ltr ns-0"><a class="mw-jump-link" href="#bodyContent">Jump to content</a>
<div class="vector-header-container"><nav aria-label="Site"><ul><li><a href="/Main_Page">Main page</a></li><li><a href="/Special:Random">Random article</a></li><li><a href="/Donate">Donate</a></li></ul></nav></div>
<main id="content" class="mw-body"><div id="bodyContent" class="vector-body"><div id="siteSub">From {site}, the free reference work</div><div id="mw-content-text"><div class="mw-parser-output">
{body}
<div class="navbox"><table><tr><th>Related</th><td><a href="/List_A">List of listed structures</a> · <a href="/List_B">List of people from the county</a> · <a href="/1904">1904</a></td></tr></table></div>
</div></div><div id="catlinks"><a href="/Categories">Categories</a>: <a href="/c1">Articles with short description</a> | <a href="/c2">Use dmy dates from March 2021</a></div></div></main>
<footer><ul><li>This page was last edited on 2 April 2026, at 17:41.</li><li>Text is available under a free licence.</li></ul></footer></body></html>`,
	"wordpress": `<!DOCTYPE html><html lang="en-GB"><head><meta charset="UTF-8"><title>{title}</title><meta name="generator" content="WordPress 6.8"></head><body class="post-template-default single single-post wp-embed-responsive">
<div class="wp-site-blocks"><header class="wp-block-template-part"><p class="wp-block-site-title"><a href="/">{site}</a></p><nav class="wp-block-navigation"><a href="/about">About</a><a href="/archive">Archive</a></nav></header>
<main class="wp-block-group">{body}</main>
<aside class="sidebar"><h2>Popular this week</h2><ol><li><a href="/a">12 things to do before breakfast</a></li><li><a href="/b">What we paid for coal in 1931: £2.10 a ton</a></li></ol><form><label>Get the Sunday letter</label><input type="email"></form></aside>
<footer>Proudly powered by WordPress · © 2009–2026 {site}</footer></div></body></html>`,
	"gov": `<!DOCTYPE html><html lang="en" class="govuk-template"><head><meta charset="utf-8"><title>{title}</title></head><body class="govuk-template__body">
<div class="govuk-cookie-banner" role="region"><p>We use some essential cookies to make this website work. We would like to set 2 additional cookies.</p><button>Accept</button><button>Reject</button></div>
<header class="govuk-header"><a href="/" class="govuk-header__link">{site}</a></header><div class="govuk-width-container"><div class="govuk-breadcrumbs"><ol><li><a href="/">Home</a></li><li><a href="/all">All pages</a></li></ol></div>
<main class="govuk-main-wrapper" id="main-content"><div class="govuk-grid-row"><div class="govuk-grid-column-two-thirds">
{body}
</div><div class="govuk-grid-column-one-third"><h2 class="govuk-heading-s">Related content</h2><ul><li><a href="/r1">Fees from 1 April 2027</a></li><li><a href="/r2">Report a problem with this page</a></li></ul></div></div></main></div>
<footer class="govuk-footer">All content is available under the Open Licence v3.0, except where otherwise stated</footer></body></html>`,
	"news": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><meta property="og:site_name" content="{site}"></head><body>
<div id="consent" class="fc-dialog">We and our 412 partners store information on a device. <a href="#">Manage options</a></div>
<header class="masthead"><a href="/">{site}</a><span class="weather">14°C, light rain</span><nav><a href="/news">News</a><a href="/sport">Sport</a><a href="/obits">Obituaries</a><a href="/jobs">Jobs</a></nav></header>
<div class="layout"><article class="story">
{body}
</article><aside class="rail"><div class="ad" aria-label="Advertisement">Garden sheds from £349 – sale ends Sunday</div><h3>Most read</h3><ol><li><a href="/1">Man, 41, found in own attic</a></li><li><a href="/2">Ring road to shut for 9 nights</a></li><li><a href="/3">Council tax up 4.9 per cent</a></li></ol></aside></div>
<footer>{site} is published by Quarto Regional Media. Newsdesk: 01632 960 111</footer></body></html>`,
	"spa": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"><div class="sc-bdVaJa fLkqmN"><div class="sc-bwzfXH"><span class="sc-htpNat">{site}</span><div class="sc-bxivhb"><a href="/explore">Explore</a><a href="/saved">Saved (0)</a></div></div>
<div class="sc-ifAKCX dXmKpQ">
{body}
</div><div class="sc-EHOje"><div>Explore more</div><div class="sc-bZQynM">Sponsored: hiking boots, 20% off</div></div></div></div><script>window.__STATE__={"route":"detail","ready":true}</script></body></html>`,
	"old": `<HTML><HEAD><META http-equiv="Content-Type" content="text/html; charset=utf-8"><TITLE>{title}</TITLE></HEAD><BODY BGCOLOR="#FFFFEE" LINK="#003399"><TABLE WIDTH="760" BORDER="0" CELLPADDING="4" ALIGN="CENTER"><TR><TD COLSPAN="2" BGCOLOR="#003366"><FONT COLOR="#FFFFFF" SIZE="5">{site}</FONT></TD></TR>
<TR><TD WIDTH="140" VALIGN="TOP" BGCOLOR="#DDDDCC"><FONT SIZE="2"><A HREF="/">Home</A><BR><A HREF="/links">Links</A><BR><A HREF="/guest">Guestbook</A><BR><BR>Visitor no. 048213</FONT></TD><TD VALIGN="TOP">
{body}
</TD></TR><TR><TD COLSPAN="2" ALIGN="CENTER"><FONT SIZE="1">Best viewed at 1024x768. Page made by the webmaster, last changed 11/09/2019.</FONT></TD></TR></TABLE></BODY></HTML>`,
	"bootstrap": `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title></head><body>
<nav class="navbar navbar-expand-lg bg-body-tertiary"><div class="container"><a class="navbar-brand" href="/">{site}</a><ul class="navbar-nav"><li class="nav-item"><a class="nav-link" href="/visit">Visit</a></li><li class="nav-item"><a class="nav-link" href="/shop">Shop</a></li></ul></div></nav>
<main class="container py-4">
{body}
</main><footer class="py-3 my-4 border-top"><p class="text-center">© 2026 {site}. Charity no. 1099341. Switchboard 01632 960 500</p></footer></body></html>`,
	"sphinx": `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body class="wy-body-for-nav"><div class="wy-grid-for-nav"><nav class="wy-nav-side"><a class="icon icon-home" href="index.html">{site}</a><ul class="toctree-l1"><li><a href="install.html">Installation</a></li><li><a href="faq.html">FAQ</a></li><li><a href="changes.html">Changes</a></li></ul></nav>
<section class="wy-nav-content-wrap"><div class="rst-content"><div role="navigation" class="wy-breadcrumbs"><a href="#">Docs</a> » {title}</div><div role="main" class="document"><div itemprop="articleBody">
{body}
</div></div><footer><div class="rst-footer-buttons"><a class="btn" href="#">Previous</a><a class="btn" href="#">Next</a></div><p>© Copyright 2014-2026. Built with <a href="#">Sphinx</a> 7.2.6.</p></footer></div></section></div></body></html>`,
	"docusaurus": `<!doctype html><html lang="en" class="docs-wrapper plugin-docs"><head><meta charset="UTF-8"><meta name="generator" content="Docusaurus v3.7.0"><title>{title}</title></head><body class="navigation-with-keyboard"><div id="__docusaurus"><nav class="navbar navbar--fixed-top"><div class="navbar__inner"><a class="navbar__brand" href="/"><b>{site}</b></a><a class="navbar__link" href="/docs">Docs</a><a class="navbar__link" href="/blog">Blog</a></div></nav>
<div class="main-wrapper"><aside class="theme-doc-sidebar-container"><ul class="menu__list"><li><a class="menu__link" href="/docs/intro">Introduction</a></li><li><a class="menu__link" href="/docs/upgrade">Upgrading</a></li></ul></aside><main class="docMainContainer"><article><div class="theme-doc-markdown markdown">
{body}
</div></article><nav class="pagination-nav"><a href="/docs/next">Next: Troubleshooting</a></nav></main><div class="table-of-contents"><ul><li><a href="#a">Overview</a></li><li><a href="#b">Options</a></li></ul></div></div></div></body></html>`,
	"discourse": `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><meta name="generator" content="Discourse 3.5.0"></head><body class="crawler"><header><a href="/">{site}</a></header><div id="main-outlet" class="wrap" role="main">
{body}
<div id="related-topics"><h2>Related topics</h2><table class="topic-list"><tbody><tr><td><a href="/t/1">Is 40 really too old to begin?</a></td><td>17</td><td>March 2, 2026</td></tr><tr><td><a href="/t/2">Photo thread</a></td><td>508</td><td>May 9, 2026</td></tr></tbody></table></div></div><footer><a href="/tos">Terms of Service</a></footer></body></html>`,
	"phpbb": `<!DOCTYPE html><html dir="ltr" lang="en-gb"><head><meta charset="utf-8"><title>{title}</title></head><body id="phpbb" class="section-viewtopic"><div id="wrap"><div class="headerbar"><h1>{site}</h1></div><ul class="linklist"><li><a href="/index.php">Board index</a></li><li><a href="/ucp.php">Login</a></li></ul><div id="page-body">
{body}
</div><div class="copyright">Powered by phpBB® Forum Software. All times are UTC+01:00</div></div></body></html>`,
	"plain": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body><header><a href="/">{site}</a></header><main>
{body}
</main><footer><a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></footer></body></html>`,
}

// framed is a page of a site.
func framed(frame, host, title, body string) string {
	page, ok := frames[frame]
	if !ok {
		panic("almanac: no frame " + frame)
	}
	site := strings.TrimSuffix(strings.TrimPrefix(host, "www."), ".example")
	return strings.NewReplacer("{title}", answersite.Esc(title), "{site}", site, "{body}", body).Replace(page)
}
