package terrace

import (
	"strings"
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// speakers are the people of a conference, in an order that is drawn for each visitor, so that nobody stands first always.
func speakers() *cs.Page {
	type speaker struct{ name, from, talk string }
	return &cs.Page{Path: "/2026/speakers", Type: "speaker list", Render: func(n *cs.Run) string {
		all := []speaker{
			{"Ottilie Brandvold", "National Hydrographic Survey", "Soundings from the age of rope"},
			{"Femi Adeyinka-Ross", cs.Since(n, "Tilemakers Cooperative", cs.At(14, "Cartwheel Labs")), "Vector tiles on a bicycle computer"},
			{"Junko Mirales", "Freelance", cs.Since(n, "Lettering for small islands", cs.At(18, "Lettering for very small screens"))},
			{"Piet Hollenkamp", "Dike Board of Westerzand", "A map that must not be wrong"},
			{"Saoirse Quill", "Borderlands Archive", "Disputed names, printed twice"},
			{"Bartholomew Nkemelu", "University of Orrow", "What the census forgets"},
			{"Greta Lindqvist-Amaya", "Alpine Rescue Service", "Finding people by the shape of snow"},
		}
		if cs.Since(n, false, cs.At(4, true)) {
			all = append(all, speaker{"Vikram Thole", "Metro Works Kaldera", "The underground, drawn to scale for once"})
		}
		if cs.Since(n, false, cs.At(28, true)) {
			all = append(all[:4], all[5:]...)
		}
		all = append(all, cs.Since(n, nil, cs.At(29, []speaker{{"Anneke Sturm", "Sturm & Daughters, globe makers", "Gores, glue and patience"}}))...)
		v, k := "data-v-"+n.Calmly().Hex(8), n.Calmly().Hex(5)
		cards := cs.Each(cs.Shuffled(n, all...), func(s speaker) string {
			return p(`<article class="_card_%s_14" %s><img class="_face_%s_22" src="/_ipx/w_320/faces/%s.jpg?k=%s" alt=""><div><h3 %s>%s</h3><p class="_from_%s_31">%s</p>
<p class="_talk_%s_37">%s</p></div></article>`, k, v, k, strings.ReplaceAll(strings.ToLower(s.name), " ", "-"), n.Hex(6), v, s.name, k, s.from, k, s.talk)
		})
		sponsors := cs.Each(cs.Shuffled(n, "Brasswork Plotters", "Isobar Data", "Ferris Paper Mill", "Little Theodolite", "Northlight GPS"), func(s string) string {
			return p(`<a class="_sponsor_%s_8" href="/out?to=%s&amp;c=%d">%s</a>`, n.Hex(5), n.Hex(12), n.IntN(1e6), s)
		})
		at := now(n)
		return fill(speakersHTML, "v", v, "h", n.Calmly().Hex(8), "cards", cards, "sponsors", sponsors,
			"days", num(days(n, time.May, 20)), "clock", p("%02d:%02d:%02d", 23-at.Hour(), 59-at.Minute(), 59-at.Second()), "cart", n.Hex(24),
			"cta", cs.Pick(n, "Get your ticket", "Tickets", "Join us in May"), "here", num(5+n.IntN(60)),
			"said", cs.Pick(n, "“The only conference where I fill a notebook.” Hanne", "“I came for the talks and stayed for the plotters.” Luis", "“Small, kind, and full of maps.” Oren"),
			"stay", cs.Pick(n, "Hotel Meridian: rooms from 88 € near the venue", "Night trains to Kaldera from 39 €", "Houseboats for four, ten minutes on foot"))
	}}
}

const speakersHTML = `<!DOCTYPE html><html lang="en" data-capo=""><head><meta charset="utf-8"><title>Speakers · Driftline 2026</title>
<link rel="stylesheet" href="/_nuxt/entry.{{h}}.css" crossorigin><link rel="prefetch" as="image" href="/_nuxt/compass.{{h}}.svg"></head>
<body><div id="__nuxt" data-v-app=""><div class="layout-default" {{v}}>
<div class="_ribbon_k2" {{v}}><p {{v}}>Driftline begins in <b>{{days}}</b> days <time>{{clock}}</time></p></div>
<header class="_header_u81_1" {{v}}><a href="/" class="_mark_u81_4">Driftline<sup>26</sup></a><nav {{v}}><a href="/2026/speakers">Speakers</a><a href="/2026/schedule">Schedule</a>
<a href="/2026/workshops">Workshops</a><a href="/2026/venue">Venue</a><a href="/code-of-conduct">Code of conduct</a></nav>
<a class="_cta_u81_9" href="https://tickets.driftline.example/2026?cart={{cart}}">{{cta}}</a></header>
<main class="_main_p3_1" {{v}}><section class="_intro_p3_5" {{v}}><h1>Speakers</h1>
<p>Driftline is three days for people who make maps, by hand or by machine: 20 to 22 May 2026 at the Old Observatory in Kaldera. Every talk takes 25 minutes, with ten more for questions.</p>
<p class="_live_p3_9">{{here}} map lovers are reading this page with you</p></section>
<section class="_grid_p3_12" id="speakers" {{v}}><h2>Who will speak</h2><div class="_cards_p3_15">{{cards}}</div>
<p class="_hint_p3_20">The order is drawn by lot each time that you load the page.</p></section>
<section class="_quote_p3_24" {{v}}><blockquote>{{said}}</blockquote></section>
<section class="_call_p3_28" id="programme" {{v}}><h2>How the programme is made</h2>
<p>Six members of the committee read all proposals without names, and invite four speakers besides. Talks are recorded and put online in July, with captions in English and Kalderan.</p>
<h3>Lightning talks</h3><p>On Thursday evening anyone may speak for five minutes. Sign up at the desk until noon.</p>
<h3>Support</h3><p>Speakers have their travel and four nights paid. We hold ten free places for students; write to places@driftline.example.</p></section>
<section class="_offer_p3_33" {{v}}><p class="_label_p3_34">Partner offer</p><p>{{stay}}</p></section></main>
<aside class="_sponsors_z7_2" {{v}}><h2>Thanks to our sponsors</h2><div>{{sponsors}}</div></aside>
<footer class="_footer_q5_1" {{v}}><div><p>Driftline is run by the Guild of Mapmakers, Kaldera.</p><p>hello@driftline.example</p></div><ul><li><a href="/imprint">Imprint</a></li><li><a href="/privacy">Privacy</a></li>
<li><a href="/archive">Past years</a></li></ul></footer>
<div class="_consent_w1_1" role="dialog" {{v}}><p>May we count you? We use one cookie for it.</p><button>Yes</button><button>No</button></div></div></div>
<script type="application/json" id="__NUXT_DATA__">[{"path":1,"key":"{{h}}"},"/2026/speakers"]</script><script type="module" src="/_nuxt/entry.{{h}}.js"></script></body></html>`
