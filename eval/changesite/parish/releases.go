package parish

import (
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// releases are the release notes of a database, from a static generator.
func releases() *cs.Page {
	major := `<h2 id="420">4.2.0<a class="headerlink" href="#420" title="Permanent link">&para;</a></h2><p class="rel-date">Released 14 September 2026</p>
<ul><li>Materialised views can be refreshed one partition at a time.</li><li><code>larkctl backup</code> streams to object storage without a local copy.</li>
<li>Sorted scans use half of the memory they did.</li></ul>
<h3>Breaking changes</h3><ul><li>The setting <code>wal.sync_mode</code> is gone; use <code>wal.durability</code>.</li></ul>`
	hotfix := `<h2 id="421">4.2.1<a class="headerlink" href="#421" title="Permanent link">&para;</a></h2><p class="rel-date">Released 16 September 2026</p><ul>
<li>Fixed a crash when a view without partitions was refreshed.</li></ul>`
	return &cs.Page{Path: "/docs/releases/", Type: "release notes", Render: func(n *cs.Run) string {
		version := "v4." + cs.Since(n, "1.3", cs.At(8, "2.0"), cs.At(9, "2.1"))
		return fill(releasesHTML, "asset", n.Hex(8), "sheet", n.Hex(8), "search", n.Hex(12), "version", version,
			"tenth", 3+n.IntN(2)+n.Number/10, "forks", counted(n, 902, 2), "nonce", n.Hex(24),
			"banner", cs.Pick(n, "LarkConf talks are online: watch them", "Watch the talks of LarkConf", "Missed LarkConf? See the recordings"),
			"news", cs.Since(n, "", cs.At(8, major), cs.At(9, hotfix+"\n"+major),
				cs.At(22, hotfix+"\n"+major+"\n"+`<div class="admonition warning"><p class="admonition-title">Before you upgrade</p>
<p>Text indexes made before 4.0 must be rebuilt with <code>larkctl reindex --text</code>, or searches miss rows.</p></div>`)),
			"support", cs.Since(n, "31 December 2026", cs.At(31, "31 March 2027")),
			"sponsor", cs.Pick(n, "Hostmere", "Cobalt Bank", "Juniper Rail", "Fen Analytics"),
			"people", cs.Each(cs.Some(n, 6, "aoki-r", "bertille", "dmsk", "farouk-h", "ingerb", "kwabena", "liesl0", "orsolya", "tmcb", "vpatel"), func(s string) string {
				return fill(`<a class="contrib" href="https://git.example/{who}" title="{who}">
<img src="https://avatars.example/{id}?s=48&amp;v=4" alt="{who}" width="24"></a>`, "who", s, "id", n.IntN(1e8))
			}),
			"votes", counted(n, 310, 4), "downloads", grouped(counted(n, 2_410_300, 5_200)), "built", 1+n.IntN(4), "hundredth", 10+n.IntN(90), "rev", n.Hex(7),
			"revised", moment(n).Format("2006-01-02 15:04"),
			"tip", cs.Pick(n, "Press S to search from any page", "Press N for the next page", "Try the dark theme with the moon above"),
			"toc", cs.Since(n, "", cs.At(8, tocEntry("4.2.0")), cs.At(9, tocEntry("4.2.1")+tocEntry("4.2.0"))))
	}}
}

// tocEntry is a version in the table of contents.
func tocEntry(version string) string {
	return fill(`<li class="md-toc__item"><a class="md-toc__link" href="#{id}">{version}</a></li>`, "id", strings.ReplaceAll(version, ".", ""), "version", version)
}

const releasesHTML = `<!doctype html>
<html lang="en" class="no-js"><head><meta charset="utf-8"><meta name="generator" content="pagesmith-2.6, slate-theme-9.5.3"><title>Release notes - Larkdb</title>
<link rel="stylesheet" href="../assets/stylesheets/main.{sheet}.min.css"><link rel="stylesheet" href="../assets/stylesheets/palette.{asset}.min.css">
<style nonce="{nonce}">:root{--md-text-font:"Inter"}</style></head>
<body dir="ltr" data-md-color-scheme="default"><input class="md-toggle" type="checkbox" id="__drawer" autocomplete="off">
<div data-md-component="skip"><a href="#release-notes" class="md-skip">Skip to content</a></div>
<div data-md-component="announce"><aside class="md-banner">
<div class="md-banner__inner md-grid md-typeset"><a href="https://conf.lark.example/?c={asset}">{banner}</a></div></aside></div>
<header class="md-header" data-md-component="header">
<nav class="md-header__inner md-grid" aria-label="Header"><a href=".." title="Larkdb" class="md-header__button md-logo">Larkdb</a>
<div class="md-header__title"><span class="md-ellipsis">Release notes</span></div>
<div class="md-search" data-md-component="search" role="dialog"><input type="text" class="md-search__input" name="query" id="s-{search}" placeholder="Search"></div>
<div class="md-header__source"><a href="https://git.example/lark/larkdb" class="md-source"><div class="md-source__repository">lark/larkdb<ul class="md-source__facts">
<li class="md-source__fact md-source__fact--stars">11.{tenth}k</li><li class="md-source__fact md-source__fact--forks">{forks}</li></ul></div></a></div></nav></header>
<div class="md-container" data-md-component="container"><div class="md-main__inner md-grid">
<div class="md-sidebar md-sidebar--primary"><nav class="md-nav md-nav--primary" aria-label="Navigation"><ul class="md-nav__list">
<li class="md-nav__item"><a href="../install/" class="md-nav__link">Install</a></li><li class="md-nav__item"><a href="../sql/" class="md-nav__link">SQL reference</a></li>
<li class="md-nav__item"><a href="../operate/" class="md-nav__link">Operating</a></li>
<li class="md-nav__item md-nav__item--active"><a href="./" class="md-nav__link md-nav__link--active">Release notes</a></li></ul></nav></div>
<div class="md-content" data-md-component="content">
<article class="md-content__inner md-typeset"><a href="https://git.example/lark/larkdb/edit/main/docs/releases.md" title="Edit" class="md-content__button md-icon">Edit</a>
<h1 id="release-notes">Release notes<a class="headerlink" href="#release-notes" title="Permanent link">&para;</a></h1>
<p>The current version is <strong>{version}</strong>. Minor versions come about every ten weeks; fixes come when they are needed.</p>
<h2 id="support">Support<a class="headerlink" href="#support" title="Permanent link">&para;</a></h2><table><thead><tr><th>Series</th><th>First release</th>
<th>Security fixes until</th></tr></thead><tbody><tr><td>4.x</td><td>3 February 2026</td><td>not before February 2028</td></tr><tr><td>3.x</td><td>12 November 2024</td>
<td>{support}</td></tr><tr><td>2.x</td><td>20 June 2023</td><td>ended</td></tr></tbody></table>
{news}
<h2 id="413">4.1.3<a class="headerlink" href="#413" title="Permanent link">&para;</a></h2><p class="rel-date">Released 2 August 2026</p><ul>
<li>Replicas no longer fall behind when a large row is deleted.</li><li>The console shows the size of each index.</li></ul>
<h2 id="412">4.1.2<a class="headerlink" href="#412" title="Permanent link">&para;</a></h2><p class="rel-date">Released 19 June 2026</p><ul>
<li>Fixed the rounding of intervals in <code>date_bin</code>.</li></ul>
<h2 id="410">4.1.0<a class="headerlink" href="#410" title="Permanent link">&para;</a></h2><p class="rel-date">Released 28 May 2026</p><ul><li>Row-level grants.</li>
<li><code>EXPLAIN</code> prints the bytes that each step reads.</li><li>The driver protocol is frozen at version 3.</li></ul>
<h3>Install it</h3><div class="highlight"><pre><span></span><code>curl -fsSL https://get.lark.example/4 | sh
larkctl version</code></pre></div>
<div class="md-tip"><p>{tip}</p></div>
<aside class="md-source-file"><span class="md-source-file__fact">Site built {revised} UTC from {rev} in {built}.{hundredth} s</span></aside>
<form class="md-feedback" name="feedback"><fieldset><legend class="md-feedback__title">Was this page helpful?</legend>
<div class="md-feedback__note">{votes} readers said yes</div></fieldset></form></article></div>
<div class="md-sidebar md-sidebar--secondary"><nav class="md-toc" aria-label="On this page"><label class="md-toc__title">On this page</label><ul>
<li class="md-toc__item"><a class="md-toc__link" href="#support">Support</a></li>{toc}<li class="md-toc__item"><a class="md-toc__link" href="#413">4.1.3</a></li></ul></nav>
<div class="md-people"><p>Thanks to</p>{people}</div><div class="md-sponsor">
<p>Docs hosted by <a href="https://sponsor.example/?z={asset}">{sponsor}</a></p></div></div></div></div>
<footer class="md-footer"><nav class="md-footer__inner md-grid" aria-label="Footer">
<a href="../operate/" class="md-footer__link md-footer__link--prev">Operating</a></nav><div class="md-footer-meta md-typeset">
<p>{downloads} downloads so far. Made with Pagesmith.</p></div></footer>
<script src="../assets/javascripts/bundle.{asset}.min.js"></script></body></html>`
