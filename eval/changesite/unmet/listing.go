package unmet

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

type bike struct{ name, year, price, state string }

func bikesIn(n *cs.Run) []bike {
	bikes := []bike{
		{"Koga Miyata Pro", "1988", "640 €", cs.Since(n, "available", cs.At(10, "reserved"))},
		{"Gazelle Champion", "1979", cs.Since(n, "420 €", cs.At(9, "425 €")), "available"},
		{"Batavus Professional", "1983", "510 €", "available"},
		{"Union Strada", "1991", "180 €", "available"},
	}
	bikes = append(bikes, cs.Since(n, []bike{}, cs.At(1, []bike{{"Peugeot PX-10", "1974", "890 €", "available"}}))...)
	bikes = append(bikes, cs.Since(n, []bike{{"Raleigh Record", "1976", "250 €", "available"}}, cs.At(21, []bike{}))...)
	return append(bikes, cs.Since(n, bike{"Locomotief Sport", "1965", "330 €", "available"}, cs.At(38, bike{"Cinelli Gazzetta", "2012", "720 €", "available"})))
}

// listing is a shop's used bicycles, in a layout of a component library whose class names are made by its build.
func listing() *cs.Page {
	return &cs.Page{
		Path: "/tweedehands", Type: "listing",
		Schema: `{"type":"object","properties":{"bikes":{"type":"array","items":{"type":"object","properties":{
			"name":{"type":"string"},"year":{"type":"string"},"price":{"type":"string"},"state":{"type":"string"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			var bikes []any
			for _, b := range cs.Shuffled(n, bikesIn(n)...) {
				bikes = append(bikes, map[string]any{"name": b.name, "year": b.year, "price": b.price, "state": b.state})
			}
			return map[string]any{"bikes": bikes}
		},
		Render: func(n *cs.Run) string {
			at := now(n)
			visits := creeping(n, 38_200, 140)
			temperature := 4 + n.Calm.IntN(12)
			build := n.Hex(5)
			return p(`<!doctype html><html lang="en" data-build="%s"><head><title>Used bicycles | Spaak Utrecht</title>
<script src="/_next/static/%s/app.js" defer></script><link rel="preload" href="/_next/static/css/%s.css" as="style"></head>
<body><div id="__next"><div class="Bar_root__%s"><span class="Bar_item__%s">Utrecht, %s</span><span class="Bar_item__%s">%d °C outside: %s</span></div>
<div class="Nav_root__%s"><a href="/">Spaak</a><a href="/tweedehands">Used bicycles</a><a href="/werkplaats">Workshop</a><a href="/login?next=%s">%s</a></div>`,
				n.Hex(8), n.Hex(12), n.Hex(12), build, build, at.Format("2 January 2006"), build, temperature,
				cs.Pick(n.Calmly(), "good to ride", "take gloves", "mind the wind"), build, n.Hex(6), cs.Pick(n, "Log in", "My Spaak")) +
				p(`<div class="Page_main__%s" role="main"><h1>Used bicycles</h1><p>Overhauled in our own workshop, with six months' guarantee. Come by for a test ride.</p>
<p class="Sort_note__%s">Featured · refreshed %d seconds ago</p><div class="Grid_root__%s">%s</div></div>`,
					build, build, n.IntN(60), build, bikeCards(n, build)) +
				p(`<div class="Foot_root__%s"><p>%s visits since we opened this site</p><p>%s</p><p>Served from %s</p></div></div>
<script id="__NEXT_DATA__" type="application/json">{"props":{"sid":"%s","at":%d}}</script></body></html>`,
					build, visits, cs.Pick(n, "Follow us for fresh finds", "See new arrivals first: follow us", "Our finds, daily on your feed"),
					cs.Pick(n, "ams1", "ams3", "fra2"), n.Hex(24), n.IntN(1e9))
		},
	}
}

// bikeCards are the cards in any order, with an advert somewhere among them.
func bikeCards(n *cs.Run, build string) string {
	cards := []string{p(`<div class="Grid_ad__%s"><span>Advertisement</span><a href="https://ads.example.net/r/%s">%s</a></div>`, build, n.Hex(12),
		cs.Pick(n, "Rain capes that breathe", "Insure your e-bike from 4 € a month", "Panniers made of old sails", "Cargo bikes on lease"))}
	for _, b := range bikesIn(n) {
		cards = append(cards, p(`<div class="Card_root__%s" data-key="%d"><a class="Card_link__%s" href="/tweedehands/%s?from=grid&amp;pos=%d">
<img src="/img/%s.webp?w=%d" alt="">
<div class="Card_title__%s">%s</div></a><div class="Card_sub__%s">%s</div><div class="Card_price__%s">%s</div><div class="Card_state__%s">%s</div>
<div class="Card_eyes__%s">%d watching</div></div>`,
			build, n.IntN(1e6), build, slug(b.name), n.IntN(9), slug(b.name), 300+n.IntN(40), build, b.name, build, b.year, build, b.price, build, b.state,
			build, 1+n.IntN(25)))
	}
	return cs.Each(cs.Shuffled(n, cards...), func(card string) string { return card })
}
