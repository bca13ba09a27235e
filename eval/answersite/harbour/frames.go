package harbour

import (
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// frames are what stands around pages, with TITLE, SITE and BODY.
var frames = map[string]string{
	"next": `<!DOCTYPE html><html lang="en"><head><meta charSet="utf-8"/><title>TITLE</title><link rel="stylesheet" href="/_next/static/css/8f1.css"/></head><body class="antialiased"><div id="__next"><header class="sticky top-0 flex justify-between px-6"><a class="font-bold" href="/">SITE</a><nav class="flex gap-4"><a href="/about">About</a><a href="/blog">Blog</a><button type="button">Menu</button></nav></header><main class="mx-auto max-w-5xl px-6 py-12">BODY</main><footer class="border-t px-6 py-8 text-sm text-gray-500"><p>© 2026 SITE. All rights reserved.</p><a href="/privacy">Privacy</a></footer></div></body></html>`,
	"elementor": `<!DOCTYPE html><html lang="en-GB"><head><meta charset="UTF-8"><title>TITLE - SITE</title><meta name="generator" content="WordPress 6.7.1; Elementor 3.25"></head><body class="page elementor-default"><header id="masthead" class="site-header"><p class="site-title"><a href="/" rel="home">SITE</a></p><nav id="site-navigation"><ul id="primary-menu"><li class="menu-item"><a href="/">Home</a></li><li class="menu-item"><a href="/what-we-do/">What we do</a></li><li class="menu-item"><a href="/find-us/">Find us</a></li></ul></nav></header>
<div class="elementor elementor-18"><section class="elementor-section"><div class="elementor-container"><div class="elementor-widget-wrap">BODY</div></div></section></div><aside id="secondary"><section class="widget widget_recent_entries"><h2 class="widget-title">Recent posts</h2><ul><li><a href="/2026/04/spring/">Spring is here</a></li></ul></section></aside><footer id="colophon"><div class="site-info">Proudly powered by WordPress</div></footer></body></html>`,
	"frontpage":   `<html><head><title>TITLE</title><meta name="GENERATOR" content="FrontPage 5.0"></head><body bgcolor="#ffffee" link="#0000cc"><center><table border="0" width="760" cellspacing="0"><tr><td bgcolor="#336699" colspan="2"><font face="Arial" color="white" size="5">SITE</font></td></tr><tr><td width="130" valign="top"><font size="2"><a href="index.htm">Start</a><br><a href="news.htm">News</a><br><a href="links.htm">Links</a></font></td><td valign="top"><font face="Arial" size="2">BODY</font></td></tr></table><font size="1">Last changed by the webmaster</font></center></body></html>`,
	"council":     `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>TITLE | SITE</title></head><body class="localgov"><a class="visually-hidden" href="#main">Skip to content</a><header class="lgd-header"><a href="/">SITE</a><form role="search"><label>Search</label><input name="q"><button>Go</button></form></header><nav class="lgd-breadcrumb" aria-label="Breadcrumb"><ol><li><a href="/">Home</a></li><li><a href="/services">Services</a></li></ol></nav><main id="main" class="lgd-container"><div class="lgd-prose">BODY</div><div class="lgd-feedback"><h2>Is this page useful?</h2><button>Yes</button><button>No</button></div></main><footer class="lgd-footer"><ul><li><a href="/cookies">Cookies</a></li><li><a href="/accessibility">Accessibility statement</a></li></ul></footer></body></html>`,
	"drupal":      `<!DOCTYPE html><html lang="en" dir="ltr"><head><meta charset="utf-8"><meta name="Generator" content="Drupal 10"><title>TITLE | SITE</title></head><body class="path-node page-node-type-page"><div class="dialog-off-canvas-main-canvas"><header role="banner"><div class="region region-header"><a href="/" rel="home">SITE</a><ul class="menu"><li><a href="/visit">Visit</a></li><li><a href="/whats-on">What's on</a></li></ul></div></header><main role="main"><div class="region region-content"><article class="node node--view-mode-full">BODY</article></div></main><footer><div class="region region-footer"><p>SITE is a registered charity.</p></div></footer></div></body></html>`,
	"hugo":        `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="generator" content="Hugo 0.139"><title>TITLE</title></head><body class="list dark" id="top"><header class="header"><nav class="nav"><div class="logo"><a href="/">SITE</a></div><ul id="menu"><li><a href="/archive/">Archive</a></li><li><a href="/tags/">Tags</a></li></ul></nav></header><main class="main"><article class="post-single">BODY</article></main><footer class="footer"><span>Powered by Hugo &amp; PaperMod</span></footer></body></html>`,
	"squarespace": `<!doctype html><html lang="en-US"><head><meta charset="utf-8"><title>TITLE — SITE</title></head><body id="item" class="tweak-global-animations-enabled"><div id="siteWrapper"><header class="header"><div class="header-title"><a href="/">SITE</a></div><div class="header-nav"><a href="/visit">Visit</a><a href="/contact">Contact</a></div></header><main id="page"><article class="sections"><section class="page-section"><div class="content-wrapper"><div class="sqs-layout"><div class="sqs-block html-block"><div class="sqs-block-content">BODY</div></div></div></div></section></article></main><footer class="sections"><p>Made with Squarespace</p></footer></div></body></html>`,
	"typo3":       `<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><meta name="generator" content="TYPO3 CMS"><title>TITLE - SITE</title></head><body id="p41"><header class="frame"><a class="navbar-brand" href="/">SITE</a><ul class="navbar-nav"><li><a href="/aktuelles">Aktuelles</a></li><li><a href="/ueber-uns">Über uns</a></li></ul></header><main><div id="c112" class="frame frame-default frame-type-text">BODY</div></main><footer><a href="/datenschutz">Datenschutz</a> <a href="/impressum">Impressum</a></footer></body></html>`,
	"spip":        `<!DOCTYPE html><html lang="fr"><head><meta charset="utf-8"><meta name="generator" content="SPIP 4.3"><title>TITLE - SITE</title></head><body class="page_article"><div id="page"><header class="clearfix"><strong id="logo_site_spip"><a href="/">SITE</a></strong></header><nav><ul><li><a href="/actus">Actualités</a></li><li><a href="/plan">Plan du site</a></li></ul></nav><main class="wrapper"><article class="content">BODY</article></main><footer><p>2009-2026 SITE. Mentions légales</p></footer></div></body></html>`,
	"joomla":      `<!DOCTYPE html><html lang="es-es"><head><meta charset="utf-8"><meta name="generator" content="Joomla!"><title>TITLE - SITE</title></head><body class="site com_content"><header class="header"><a class="brand-logo" href="/">SITE</a><ul class="mod-menu"><li><a href="/inicio">Inicio</a></li><li><a href="/noticias">Noticias</a></li></ul></header><div class="container-component"><main><div class="com-content-article item-page">BODY</div></main></div><footer><p>Aviso legal</p></footer></body></html>`,
	"discourse":   `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>TITLE - SITE</title><meta name="generator" content="Discourse 3.4"></head><body class="crawler"><header><a href="/">SITE</a></header><div id="main-outlet" class="wrap" role="main">BODY</div><footer class="container wrap"><nav class="crawler-nav"><ul><li><a href="/">Home</a></li><li><a href="/categories">Categories</a></li><li><a href="/guidelines">Guidelines</a></li></ul></nav></footer></body></html>`,
	"vbulletin":   `<html dir="ltr" lang="en"><head><title>TITLE - SITE</title><meta name="generator" content="vBulletin 3.8"></head><body><table class="tborder" width="100%"><tr><td class="alt1"><a href="/">SITE</a></td><td class="alt2">Welcome, guest. <a href="/login">Log in</a></td></tr></table>BODY<div class="smallfont" align="center">All times are GMT. Powered by vBulletin</div></body></html>`,
	"mkdocs":      `<!doctype html><html lang="en" class="no-js"><head><meta charset="utf-8"><meta name="generator" content="mkdocs-1.6, mkdocs-material-9.5"><title>TITLE - SITE</title></head><body dir="ltr" data-md-color-scheme="default"><header class="md-header"><a class="md-header__button md-logo" href="/">SITE</a></header><div class="md-container"><main class="md-main"><div class="md-sidebar md-sidebar--primary"><nav class="md-nav"><ul class="md-nav__list"><li class="md-nav__item"><a href="/install/">Installation</a></li><li class="md-nav__item"><a href="/faq/">FAQ</a></li></ul></nav></div><div class="md-content"><article class="md-content__inner md-typeset">BODY</article></div></main><footer class="md-footer">Made with Material for MkDocs</footer></div></body></html>`,
	"shop":        `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>TITLE | SITE</title></head><body class="catalog-product-view page-layout-1column"><div class="page-wrapper"><header class="page-header"><a class="logo" href="/">SITE</a><div class="minicart-wrapper">My Cart 0 items</div></header><div class="breadcrumbs"><ul><li><a href="/">Home</a></li></ul></div><main id="maincontent" class="page-main">BODY</main><footer class="page-footer"><p>Sign up for our newsletter</p><small>© 2026 SITE</small></footer></div></body></html>`,
}

// apart keeps words apart that stand side by side on the screen.
var apart = strings.NewReplacer("</span><", "</span> <")

// languages are those of frames that are not in English.
var languages = map[string]string{"typo3": "de", "spip": "fr", "joomla": "es"}

// framed is a page of a host: its first line is the title, but of feeds and JSON.
func framed(frame, host, text string) (body []byte, mediaType string) {
	switch frame {
	case "feed":
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
		panic("harbour: no frame " + frame)
	}
	site := strings.TrimSuffix(strings.TrimPrefix(host, "www."), ".example")
	return []byte(strings.NewReplacer("TITLE", title, "SITE", site, "BODY", apart.Replace(text)).Replace(around)), "text/html"
}
