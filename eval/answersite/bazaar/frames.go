package bazaar

import (
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// frames are what stands around pages, with TITLE, SITE and BODY.
var frames = map[string]string{
	"shopify": `<!doctype html><html class="no-js" lang="en"><head><meta charset="utf-8"><title>TITLE – SITE</title><meta property="og:site_name" content="SITE"></head>
<body class="template-product"><div class="announcement-bar" role="region"><p class="announcement-bar__message">Summer is here: new colours every Friday</p></div>
<header class="site-header"><a class="site-header__logo" href="/">SITE</a><nav class="site-nav"><ul><li><a href="/collections/all">Shop all</a></li><li><a href="/pages/story">Our story</a></li></ul></nav>
<a href="/cart" class="site-header__cart">Cart (0)</a></header><main id="MainContent" class="content-for-layout" role="main">BODY</main>
<footer class="footer"><div class="footer__newsletter"><h2>Stay in the loop</h2><p>Get 10% off your first order.</p><input type="email" placeholder="Email"></div>
<ul class="list-payment"><li>Visa</li><li>Mastercard</li></ul><small>© 2026, SITE</small></footer></body></html>`,
	"woo": `<!DOCTYPE html><html lang="en-GB"><head><meta charset="UTF-8"><title>TITLE | SITE</title></head><body class="wp-singular theme-storefront">
<div id="page" class="hfeed site"><header id="masthead" class="site-header"><div class="site-branding"><a href="/" rel="home">SITE</a></div>
<ul class="menu"><li><a href="/shop/">Shop</a></li><li><a href="/my-account/">My account</a></li><li><a href="/basket/">Basket <span class="amount">0.00</span> <span class="count">0 items</span></a></li></ul></header>
<div id="content" class="site-content"><div class="col-full"><div id="primary" class="content-area"><main id="main" class="site-main">BODY</main></div>
<div id="secondary" class="widget-area"><div class="widget widget_recent_comments"><span class="gamma widget-title">Recent comments</span><ul><li>Odile on <a href="/blog/soap/">How soap is made</a></li></ul></div></div></div></div>
<footer id="colophon" class="site-footer"><div class="site-info">© SITE 2026<br>Built with care</div></footer></div></body></html>`,
	"bootstrap": `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>TITLE</title></head><body>
<nav class="navbar navbar-expand-lg bg-light"><div class="container"><a class="navbar-brand" href="/">SITE</a><ul class="navbar-nav"><li class="nav-item"><a class="nav-link" href="/search">Search</a></li><li class="nav-item"><a class="nav-link" href="/saved">Saved</a></li></ul></div></nav>
<div class="container my-4">BODY</div>
<div class="cookie-banner alert alert-secondary" role="dialog"><p>We value your privacy. We and our 184 partners store information on your device.</p><button>Accept all</button><button>Manage</button></div>
<footer class="bg-dark text-light"><div class="container"><a href="/imprint">Imprint</a> <a href="/jobs">Work with us</a></div></footer></body></html>`,
	"old": `<HTML><HEAD><title>TITLE - SITE</title></HEAD><body BGCOLOR="#FFFFFF"><TABLE WIDTH="780" BORDER="0" CELLPADDING="4"><TR><TD COLSPAN="2" BGCOLOR="#003366"><FONT COLOR="#FFFFFF" SIZE="5"><B>SITE</B></FONT></TD></TR>
<TR><TD WIDTH="140" VALIGN="TOP" BGCOLOR="#EEEEEE"><A HREF="/index.html">Home</A><BR><A HREF="/news.html">News</A><BR><A HREF="/guest.html">Guestbook</A><BR><BR>You are visitor 048213</TD><TD VALIGN="TOP">BODY</TD></TR>
<TR><TD COLSPAN="2" ALIGN="CENTER"><FONT SIZE="1">Best viewed at 1024 x 768</FONT></TD></TR></TABLE></body></HTML>`,
	"spa": `<!DOCTYPE html><html><head><meta charset="utf-8"><title>TITLE</title></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"><div class="css-1q2w3e"><div class="css-9x8y7z"><a class="css-link" href="/">SITE</a><div class="css-icons"><div>Menu</div><div>Log in</div></div></div>
<div class="css-main">BODY</div><div class="css-foot"><div>Terms</div><div>Privacy</div><div>Do not sell my data</div></div></div></div></body></html>`,
	"docs": `<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>TITLE | SITE</title></head><body class="navigation-with-keyboard"><div id="__docusaurus"><nav class="navbar navbar--fixed-top"><a class="navbar__brand" href="/"><b class="navbar__title">SITE</b></a><a class="navbar__item" href="/docs">Docs</a><a class="navbar__item" href="/changelog">Changelog</a></nav>
<div class="main-wrapper"><aside class="theme-doc-sidebar-container"><ul class="menu__list"><li><a class="menu__link" href="/docs/start">Getting started</a></li><li><a class="menu__link" href="/docs/errors">Errors</a></li><li><a class="menu__link" href="/docs/webhooks">Webhooks</a></li></ul></aside>
<main class="docMainContainer"><article><div class="theme-doc-markdown markdown">BODY</div></article><nav class="pagination-nav"><a href="/docs/prev">Previous</a><a href="/docs/next">Next</a></nav></main></div></div></body></html>`,
	"gov": `<!DOCTYPE html><html lang="en" class="govuk-template"><head><meta charset="utf-8"><title>TITLE - SITE</title></head><body class="govuk-template__body"><a href="#main-content" class="govuk-skip-link">Skip to main content</a>
<header class="govuk-header"><a href="/">SITE</a></header><div class="govuk-width-container"><div class="govuk-phase-banner"><p>This is a new service – your feedback will help us to improve it.</p></div>
<main class="govuk-main-wrapper" id="main-content">BODY</main></div><footer class="govuk-footer"><a href="/accessibility">Accessibility statement</a></footer></body></html>`,
	"forum": `<!DOCTYPE html><html><head><meta charset="utf-8"><title>TITLE - SITE</title></head><body class="nojs section-viewtopic"><div id="wrap"><div id="page-header"><h1>SITE</h1><p>Board index</p><p>Users browsing this forum: 3 guests</p></div>
<div id="page-body">BODY</div><div class="stat-block"><p>Total posts 48213 • Total members 1907</p></div></div></body></html>`,
	"theme": `<!DOCTYPE html><html lang="en-US"><head><meta charset="UTF-8"><title>TITLE – SITE</title><meta name="generator" content="WordPress 6.5"></head><body class="home wp-embed-responsive">
<header class="wp-block-template-part"><p class="wp-block-site-title"><a href="/">SITE</a></p><nav class="wp-block-navigation"><a href="/about">About</a><a href="/visit">Visit</a><a href="/journal">Journal</a></nav></header>
<main class="wp-block-group entry-content">BODY</main><aside class="sidebar"><h3>From the journal</h3><ul><li><a href="/journal/1">Twelve things we learnt in our first year</a></li></ul></aside>
<footer class="wp-block-template-part"><p>Follow us: <a href="https://social.example/SITE">Social</a></p></footer></body></html>`,
}

// framed is a page of a host: its first line is the title, but of feeds, JSON and papers.
func framed(frame, host, text string) (body []byte, mediaType string) {
	switch frame {
	case "rss":
		return []byte(text), "application/rss+xml"
	case "json":
		return []byte(text), "application/json"
	}
	title, text, _ := strings.Cut(text, "\n")
	if frame == "pdf" {
		return answersite.PDF(title, strings.Split(text, "\n")...), "application/pdf"
	}
	around, ok := frames[frame]
	if !ok {
		panic("bazaar: no frame " + frame)
	}
	site := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(host, "www."), "shop."), ".example")
	return []byte(strings.NewReplacer("TITLE", title, "SITE", site, "BODY", text).Replace(around)), "text/html"
}
