package sealed

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// product is a tent in a shop whose theme is assembled of sections.
func (h hours) product() *cs.Page {
	price := func(n *cs.Run) float64 { return cs.Since(n, 389.0, cs.At(2, 379.0)) }
	availability := func(n *cs.Run) string { return cs.Since(n, "In stock", cs.At(3, "Ships in 5 to 7 days")) }
	weight := func(n *cs.Run) string { return cs.Since(n, "1.94 kg", cs.At(17, "1.98 kg")) }
	colours := func(n *cs.Run) []string {
		return cs.Since(n, []string{"Moss", "Slate", "Ochre"}, cs.At(29, []string{"Moss", "Slate"}))
	}
	return &cs.Page{
		Path: "/products/ridgeline-2-tent", Type: "product",
		Schema: `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"currency":{"type":"string"},"availability":{"type":"string"},
			"weight":{"type":"string"},"colours":{"type":"array","items":{"type":"string"}}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{
				"name": "Ridgeline 2 tent", "price": price(n), "currency": "GBP", "availability": availability(n), "weight": weight(n), "colours": colours(n),
			}
		},
		Render: func(n *cs.Run) string {
			c := n.Calmly()
			session := n.Hex(24)
			return fill(`<!DOCTYPE html>
<html lang="en-GB" class="no-js">
<head>
<meta charset="utf-8"><title>Ridgeline 2 tent | Fernhollow Outfitters</title>
<meta name="csrf" content="{{csrf}}">
<link rel="stylesheet" href="/cdn/theme.{{asset}}.css">
<script>window.fh={visit:"{{visit}}",t:{{epoch}},exp:["{{experiment}}"]}</script>
</head>
<body class="template-product theme-{{asset2}}">
{{cookies}}<div class="announcement" role="region"><p>{{announcement}}</p></div>
<header class="header">
<a class="header__logo" href="/?s={{session}}">Fernhollow Outfitters</a>
<nav class="header__nav"><a href="/collections/tents?s={{session}}">Tents</a> <a href="/collections/packs?s={{session}}">Packs</a> <a href="/collections/stoves?s={{session}}">Stoves</a> <a href="/pages/hire?s={{session}}">Hire</a></nav>
<div class="header__weather">Keswick shop: {{degrees}}°C, {{sky}}</div>
<a class="header__bag" href="/bag?s={{session}}">Bag ({{bag}})</a>
</header>
<main id="MainContent">
<section id="shopify-section-{{section}}" class="product" data-handle="ridgeline-2-tent">
<div class="product__media"><img {{image}}></div>
<div class="product__info">
<h1 class="product__title">Ridgeline 2 tent</h1>
<div class="rating"><span class="rating__stars" aria-label="4.6 of 5">★★★★★</span> <a href="#reviews">{{ratings}} ratings</a></div>
<div class="price price--large"><span class="visually-hidden">Price</span>{{gap}}<span class="price-item">£{{price}}</span> <small>including VAT</small></div>
<p class="product__inventory">{{availability}}</p>
<fieldset class="variants"><legend>Colour</legend>{{colours}}</fieldset>
<form method="post" action="/cart/add"><input type="hidden" name="form_token" value="{{token}}"><input type="hidden" name="id" value="4021"><button type="submit" class="button button--{{hash}}">{{buy}}</button></form>
<p class="urgency">{{viewers}} people are looking at this right now</p>
<p class="urgency">Order within {{left}} to make today's van</p>
<div class="product__description">
<p>A two-person tent for the three warmer seasons that pitches flysheet first, so that the inside stays dry when the weather does not.</p>
<p>Both doors open wide, and each has a porch large enough for a pack and a pair of boots.</p>
</div>
<h2>What is in the bag</h2>
<ul class="kit">{{kit}}</ul>
<h2>Specification</h2>
<dl class="spec"><dt>Weight, packed</dt><dd>{{weight}}</dd><dt>Packed size</dt><dd>46 × 15 cm</dd><dt>Inner height</dt><dd>104 cm</dd><dt>Hydrostatic head</dt><dd>3,000 mm</dd></dl>
<h2>Guarantee</h2>
<p>{{guarantee}}</p>
</div>
</section>
<aside class="promo" data-ad-unit="pdp-{{unit}}"><span class="promo__label">Advertisement</span><a href="https://ads.example.net/go?c={{unit}}">{{advert}}</a></aside>
<section class="reviews" id="reviews"><h2>What customers say</h2><blockquote>{{review}}</blockquote></section>
<section class="recommendations"><h2>Customers also viewed</h2><div class="grid">{{also}}</div></section>
<section class="toast" aria-live="polite"><p>Somebody in {{town}} bought this {{minutes}} minutes ago</p></section>
</main>
<footer class="footer"><p>Shop time {{clock}} · viewed {{views}} times today · one pound is {{euro}} euro</p><p>© Fernhollow Outfitters Ltd, Keswick</p><!-- {{visit}} rendered by pod-{{pod}} --></footer>
</body>
</html>`,
				"csrf", n.Hex(40), "asset", n.Hex(8), "visit", n.Hex(16), "epoch", between(n, 1_772_000_000, 1_773_000_000),
				"experiment", cs.Pick(n, "bag-a", "bag-b", "bag-c"), "asset2", n.Hex(5),
				"cookies", cs.Pick(n, "", `<div class="cookie-banner" role="dialog"><p>We use cookies to make this shop work and to see which pages are read.</p><button>Accept all</button><button>Only what is needed</button></div>`),
				"announcement", cs.Pick(n, "Club members hear of new gear first", "Gift cards now come by post", "We plant a tree for each order", "Our Keswick shop has a climbing wall", "Repairs: send us your old jacket", "Hire before you buy"),
				"session", session, "degrees", between(c, 2, 13), "sky", cs.Pick(c, "light rain", "bright spells", "overcast", "drizzle", "clear", "fog on the fells"), "bag", between(n, 0, 3),
				"section", n.Hex(12),
				"image", attributes(n, `src="/cdn/ridgeline-2.jpg?v=`+n.Hex(6)+`"`, `alt="Ridgeline 2 tent"`, `width="900"`, `loading="lazy"`),
				"ratings", h.count(c, 412, 2), "gap", cs.Pick(n, "", " ", "\n  "), "price", fmt.Sprintf("%.2f", price(n)), "availability", availability(n),
				"colours", cs.Each(colours(n), func(colour string) string {
					return `<label><input type="radio" name="colour-` + n.Hex(4) + `"> ` + colour + "</label> "
				}),
				"token", n.Hex(32), "hash", n.Hex(5), "buy", cs.Pick(n, "Add to bag", "Put in bag", "Buy now"), "viewers", between(n, 3, 41),
				"left", fmt.Sprintf("%d h %02d min %02d s", n.IntN(9), n.IntN(60), n.IntN(60)),
				"kit", cs.Each(cs.Shuffled(n, "Flysheet", "Inner tent", "Two poles of aluminium", "Fourteen pegs", "Repair sleeve"), tag("li")),
				"weight", weight(n),
				"guarantee", cs.Since(n, "We repair seams, zips and poles free of charge for two years, also if the tent was a gift.",
					cs.At(38, "We repair seams, zips and poles free of charge for five years, also if the tent was bought second-hand.")),
				"unit", n.Hex(6),
				"advert", cs.Pick(n, "Walk the Dales with a guide from £60", "Boots that fit: try Marlow & Daughters", "Campervan insurance in four clicks", "Sleep in a lighthouse this spring", "Freeze-dried curry, ten for the price of nine", "Learn to read a map with the Mountain School"),
				"review", cs.Pick(n, "Stood up to a gale on Skiddaw. Not a drop inside. (Priya)", "Pitches in four minutes once you have the knack. (Tom)", "Roomy for two, palatial for one. (Aoife)", "The porch swallowed both our packs. (Marek)", "Customer service found me a spare pole in a day. (Lena)", "Colour is truer than in the pictures. (Idris)", "Bought it after hiring one for a week. (Sue)"),
				"also", cs.Each(cs.Some(n, 4, "Cairn sleeping mat", "Beck 35 pack", "Tarn stove", "Gully headtorch", "Fell 2 tent", "Pike down quilt", "Rill water filter", "Crag trekking poles", "Dale mug", "Ghyll towel"), func(name string) string {
					return `<div class="card"><a href="/products/` + slug(name) + `?rec=` + n.Hex(6) + `">` + name + "</a></div>\n"
				}),
				"town", cs.Pick(n, "Leeds", "Oslo", "Cork", "Ghent", "Truro", "Perth", "Lyon", "Bath"), "minutes", between(n, 2, 58),
				"clock", h.now(n).Format("15:04:05"), "views", h.count(c, 260, 24), "euro", decimal(c, 4, 11_480, 11_620), "pod", n.Hex(4))
		},
	}
}
