package terrace

import (
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// exams is a faculty's rules for written examinations, made by a static generator for documentation.
func exams() *cs.Page {
	return &cs.Page{Path: "/regulations/written-examinations/", Type: "bylaws", Render: func(n *cs.Run) string {
		sections := cs.Since(n, "", cs.At(22, `<p>Notes may cover one sheet of A4 paper, on both sides, and must be written by hand.</p>`))
		pages := cs.Each(cs.Some(n, 3, "Oral examinations", "Field projects", "Recognition of credits", "Sick notes", "Repeating a module", "Theses", "Appeals"), func(s string) string {
			return p(`<li class="md-post"><a href="/regulations/%s/?h=%s">%s</a></li>`, strings.ReplaceAll(strings.ToLower(s), " ", "-"), n.Hex(5), s)
		})
		authors := cs.Each(cs.Shuffled(n.Calmly(), "hpetersen", "m-oyelaran", "registry-bot", "tessaq"), func(s string) string {
			return p(`<a class="md-author" href="https://git.uni-varn.example/%s" title="@%s"><img alt="" src="/avatars/%s.png?s=%s"></a>`, s, s, s, n.Hex(6))
		})
		tag := n.Calmly().Hex(8) // as all that is built each night
		return fill(examsHTML, "asset", tag, "commit", n.Calmly().Hex(40), "search", n.Calmly().Hex(10), "pages", pages, "authors", authors,
			"today", now(n).Format("Mon 2 Jan 2006"), "seats", num(40+n.Calm.IntN(160)), "cached", num(1+n.IntN(58)), "yes", num(creeping(n, 71, 2)),
			"tip", cs.Pick(n, "Bring two pens. One of them will fail.", "The reading room is open until midnight in term.", "Lost your student card? The porter's lodge prints new ones.",
				"Study groups can book room 0.14 by the hour."),
			"soup", cs.Pick(n.Calmly(), "leek and potato soup", "chickpea curry", "fish pie", "mushroom barley", "pasta bake", "bean chilli"),
			"minutes", cs.Since(n, "90 minutes", cs.At(21, "120 minutes")), "notes", sections,
			"leave", cs.Since(n, "Candidates may leave the room in the first thirty minutes.", cs.At(36, "Candidates may not leave the room in the first thirty minutes.")),
			"good", cs.Since(n, "70 to 84", cs.At(39, "68 to 84")), "pass", cs.Since(n, "50 to 69", cs.At(39, "50 to 67")), "helpful", cs.Pick(n, "Was this page helpful?", "Did this page help you?"))
	}}
}

const examsHTML = `<!doctype html><html lang="en" class="no-js"><head><meta charset="utf-8"><meta name="generator" content="quarto-site 3.2">
<title>Written examinations - Faculty of Surveying</title><link rel="stylesheet" href="/assets/stylesheets/main.{{asset}}.min.css">
<link rel="alternate" href="/search/index-{{search}}.json"></head><body dir="ltr" data-md-color-scheme="slate" data-md-color-primary="teal">
<div data-md-component="announce" class="md-banner"><div class="md-banner__inner md-grid">{{today}} · Reading room: {{seats}} of 220 desks free · Refectory: {{soup}}</div></div>
<header class="md-header"><nav class="md-header__inner md-grid" aria-label="Header"><a class="md-header__button md-logo" href="/">Faculty of Surveying</a>
<div class="md-header__topic"><span class="md-ellipsis">Regulations</span></div><label class="md-search" for="__search">Search</label>
<a class="md-source" href="https://git.uni-varn.example/surveying/regulations">surveying/regulations</a></nav></header>
<div class="md-container"><nav class="md-tabs"><ul class="md-tabs__list"><li class="md-tabs__item"><a href="/study/">Studying</a></li><li class="md-tabs__item"><a href="/regulations/">Regulations</a></li>
<li class="md-tabs__item"><a href="/forms/">Forms</a></li><li class="md-tabs__item"><a href="/people/">People</a></li></ul></nav>
<main class="md-main" data-md-component="main"><div class="md-main__inner md-grid">
<div class="md-sidebar md-sidebar--primary"><nav class="md-nav md-nav--primary"><ul class="md-nav__list"><li><a class="md-nav__link" href="/regulations/admission/">Admission</a></li>
<li><a class="md-nav__link" href="/regulations/modules/">Modules</a></li><li><a class="md-nav__link md-nav__link--active" href="./">Written examinations</a></li>
<li><a class="md-nav__link" href="/regulations/theses/">Theses</a></li><li><a class="md-nav__link" href="/regulations/appeals/">Appeals</a></li></ul></nav></div>
<div class="md-content" data-md-component="content"><article class="md-content__inner md-typeset" id="rules">
<a href="https://git.uni-varn.example/surveying/regulations/edit/{{commit}}/written.md" title="Edit this page" class="md-content__button md-icon">✎</a>
<h1 id="written-examinations">Written examinations<a class="headerlink" href="#written-examinations">¶</a></h1>
<p>These rules hold for every module of the bachelor's and master's programmes in surveying, mapping and land law. Module sheets may be stricter, never milder.</p>
<h2 id="registration">1 Registration<a class="headerlink" href="#registration">¶</a></h2>
<p>Candidates register on the campus portal at least ten working days before the examination. Who is registered may withdraw until three working days before it, without giving a reason.</p>
<div class="admonition note"><p class="admonition-title">Late registration</p><p>The examinations office accepts late registrations on payment of 25 crowns, as long as there are seats.</p></div>
<h2 id="length">2 Length<a class="headerlink" href="#length">¶</a></h2>
<table><thead><tr><th>Module</th><th>Length</th></tr></thead><tbody><tr><td>5 credits</td><td>60 minutes</td></tr><tr><td>10 credits</td><td>{{minutes}}</td></tr>
<tr><td>15 credits</td><td>180 minutes</td></tr></tbody></table>
<p>Candidates with a certified disability are given a quarter more time on request.</p>
<h2 id="aids">3 Aids<a class="headerlink" href="#aids">¶</a></h2><p>Allowed are a ruler, a scale, and a calculator that cannot be programmed. Phones and watches that connect to anything are left at the door.</p>{{notes}}
<div class="md-ad" id="__promo_{{search}}"><p><small>{{tip}}</small></p></div>
<h2 id="conduct">4 Conduct<a class="headerlink" href="#conduct">¶</a></h2>
<p>Doors open fifteen minutes before the start. Who comes more than half an hour late is not admitted.</p><p>{{leave}}</p>
<p>An attempt to deceive is written into the record, and the examination is marked as failed. A second attempt ends the programme.</p>
<h2 id="marks">5 Marks<a class="headerlink" href="#marks">¶</a></h2>
<table><thead><tr><th>Points of 100</th><th>Mark</th></tr></thead><tbody><tr><td>85 and more</td><td>very good</td></tr><tr><td>{{good}}</td><td>good</td></tr><tr><td>{{pass}}</td><td>pass</td></tr>
<tr><td>less than 50</td><td>fail</td></tr></tbody></table>
<p>Marks are published within four weeks. Scripts can be seen on two days that the chair announces.</p>
<h2 id="resits">6 Resits<a class="headerlink" href="#resits">¶</a></h2><p>A failed examination can be taken again twice. The second resit is before two examiners.</p>
<aside class="md-source-file"><span class="md-source-file__fact">Contributors {{authors}}</span><span class="md-source-file__fact">Built {{cached}} minutes ago</span></aside>
<form class="md-feedback" name="feedback"><fieldset><legend class="md-feedback__title">{{helpful}}</legend><button data-md-value="1">👍 {{yes}}</button><button data-md-value="0">👎</button></fieldset></form>
</article></div>
<div class="md-sidebar md-sidebar--secondary"><nav class="md-nav md-nav--secondary"><label class="md-nav__title">Read next</label><ul class="md-nav__list">{{pages}}</ul></nav></div></div></main>
<footer class="md-footer"><div class="md-footer-meta md-typeset"><div class="md-copyright">University of Varn, Faculty of Surveying. Build {{asset}}</div></div></footer></div>
<div class="md-consent" id="__consent"><p>This site measures visits with cookies of its own.</p><button>Accept</button></div>
<script src="/assets/javascripts/bundle.{{asset}}.min.js"></script></body></html>`
