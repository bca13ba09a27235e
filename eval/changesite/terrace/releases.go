package terrace

import (
	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// releases are those of a program for tide tables, on a forge.
func releases() *cs.Page {
	type release struct {
		tag, name, commit, notes string
		day                      int // of the run in which it came
	}
	return &cs.Page{Path: "/skerry/tidepool/releases", Type: "release notes", Render: func(n *cs.Run) string {
		latest := cs.Since(n, nil, cs.At(7, []release{{"v3.8.0", "Tidepool 3.8.0", "b41c07e", `<ul><li>Currents are drawn as arrows.</li><li>New command <code>tidepool station near</code>.</li>
<li>Breaking: heights are given in metres, no more in feet.</li></ul>`, 7}}), cs.At(8, []release{
			{"v3.8.1", "Tidepool 3.8.1", "09fd2aa", `<ul><li>Fixes a crash at stations south of the equator.</li></ul>`, 8},
			{"v3.8.0", "Tidepool 3.8.0", "b41c07e", `<ul><li>Currents are drawn as arrows.</li><li>New command <code>tidepool station near</code>.</li>
<li>Breaking: heights are given in metres, no more in feet.</li></ul>`, 7},
		}))
		if first := cs.Since(n, nil, cs.At(32, []release{{"v3.9.0-rc.1", "Tidepool 3.9.0, first candidate", "e7735b0", `<p>Please try it on copies of your data.</p><ul>
<li>Moon phases in the daily sheet.</li><li>The configuration moves to <code>~/.config/tidepool</code>.</li></ul>`, 32}})); first != nil {
			latest = append(first, latest...)
		}
		latest = append(latest, release{
			"v3.7.2", "Tidepool 3.7.2", "51ce9d4", p(`<ul><li>Harmonics of 2026 for all stations.</li><li>%s</li></ul>`,
				cs.Since(n, "Needs SQLite 3.38 or later.", cs.At(22, "Needs SQLite 3.42 or later; with older ones the index is silently incomplete."))), -12,
		}, release{"v3.7.1", "Tidepool 3.7.1", "a0e6613", `<ul><li>Fixes the printing of double-sided sheets.</li><li>Translations: Faroese.</li></ul>`, -47})
		csrf := n.Hex(27)
		entries := cs.Each(latest, func(r release) string {
			age := n.Number - r.day
			ago := p("%d days ago", age)
			switch {
			case age == 0:
				ago = p("%d minutes ago", 20+n.IntN(35))
			case age == 1:
				ago = "yesterday"
			}
			return p(`<li class="ui grid"><div class="ui four wide column meta"><a class="muted" href="/skerry/tidepool/src/tag/%s">%s</a><a class="gt-mono" href="/skerry/tidepool/commit/%s">%s</a></div>
<div class="ui twelve wide column detail"><h4 class="release-list-title"><a href="/skerry/tidepool/releases/tag/%s">%s</a></h4><p class="text grey"><img class="ui avatar" src="/avatars/%s?size=48" alt="">
<a href="/isaksen">isaksen</a> released this <relative-time>%s</relative-time></p><div class="markup desc">%s</div>
<details class="download" open><summary>Downloads</summary><ul><li><a href="/skerry/tidepool/archive/%s.tar.gz?t=%s">Source code (tar.gz)</a><span class="count">%d downloads</span></li></ul></details></div></li>`,
				r.tag, r.tag, r.commit, r.commit, r.tag, r.name, n.Hex(12), ago, r.notes, r.tag, n.Hex(10), 9+age*6+n.Calm.IntN(4)+n.IntN(2))
		})
		return fill(releasesHTML, "csrf", csrf, "asset", n.Calmly().Hex(8), "entries", entries, "watch", num(creeping(n, 58, 1)), "stars", num(creeping(n, 1312, 3)), "forks", num(creeping(n, 97, 1)),
			"ms", num(12+n.IntN(80)), "tmpl", num(3+n.IntN(20)), "id", num(n.IntN(1e6)), "explore", cs.Each(cs.Some(n, 3, "fenwick/boatlog", "marrow/knot-atlas", "ulla/foghorn", "dunlin/birdstrip",
				"skerry/lightlist", "tarn/rowplan"), func(s string) string { return p(`<a class="item" href="/%s?s=%s">%s</a>`, s, n.Hex(6), s) }),
			"hint", cs.Pick(n, "Tip: press t to jump to a file.", "Tip: sign your tags with an SSH key.", "Tip: drag images into an issue to attach them."), "online", num(30+n.IntN(200)))
	}}
}

const releasesHTML = `<!DOCTYPE html>
<html lang="en-US" data-theme="forge-auto">
<head><meta charset="utf-8"><title>Releases - skerry/tidepool - Slipway</title><link rel="stylesheet" href="/assets/css/index.css?v={{asset}}">
<script>window.config = {appUrl: 'https://slipway.example/', csrfToken: '{{csrf}}', runModeIsProd: true};</script></head>
<body hx-headers='{"x-csrf-token": "{{csrf}}"}'><div class="full height">
<nav id="navbar" aria-label="Navigation Bar"><a class="item" id="navbar-logo" href="/">Slipway</a><a class="item" href="/explore/repos">Explore</a><a class="item" href="/docs">Help</a>
<a class="item" href="/user/login?redirect_to=%2fskerry%2ftidepool&amp;_n={{id}}">Sign in</a></nav>
<div role="main" aria-label="Releases" class="page-content repository releases"><div class="secondary-nav"><div class="ui container"><div class="repo-header">
<div class="flex-text-block"><a href="/skerry">skerry</a> / <a href="/skerry/tidepool">tidepool</a></div>
<div class="repo-buttons"><form action="/skerry/tidepool/action/watch" method="post"><input type="hidden" name="_csrf" value="{{csrf}}"><button>Watch</button><a href="/skerry/tidepool/watchers">{{watch}}</a></form>
<form action="/skerry/tidepool/action/star" method="post"><button>Star</button><a href="/skerry/tidepool/stars">{{stars}}</a></form><a href="/skerry/tidepool/forks">Fork</a> <a href="/skerry/tidepool/forks">{{forks}}</a></div></div>
<overflow-menu class="ui secondary pointing menu"><div class="overflow-menu-items"><a class="item" href="/skerry/tidepool">Code</a><a class="item" href="/skerry/tidepool/issues">Issues</a>
<a class="item" href="/skerry/tidepool/pulls">Pull requests</a><a class="active item" href="/skerry/tidepool/releases">Releases</a><a class="item" href="/skerry/tidepool/wiki">Wiki</a></div></overflow-menu></div></div>
<div class="ui container" id="releases"><h2 class="ui compact small menu small-menu-items"><a class="active item" href="/skerry/tidepool/releases">Releases</a>
<a class="item" href="/skerry/tidepool/tags">Tags</a></h2>
<p class="description">Tide tables and currents for small harbours, on the command line and on paper.</p>
<ul id="release-list">{{entries}}</ul>
<p class="upgrade">Upgrading from 2.x? Read <a href="/skerry/tidepool/wiki/upgrade-3">the notes on version 3</a> first, and keep a copy of your stations file.</p></div>
<div class="ui container explore"><h4>More at Slipway</h4><div class="ui menu">{{explore}}</div><p class="text small">{{hint}}</p></div></div></div>
<footer class="page-footer" role="group" aria-label="Footer"><div class="left-links">Powered by Slipway Forge. Page: <strong>{{ms}}ms</strong> Template: <strong>{{tmpl}}ms</strong></div>
<div class="right-links"><span>{{online}} people online</span><a href="/assets/licenses.txt">Licenses</a><a href="/api/swagger">API</a></div></footer>
<script src="/assets/js/index.js?v={{asset}}"></script></body></html>`
