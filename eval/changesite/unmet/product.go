package unmet

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

type tent struct {
	price    string
	stock    string
	weight   string
	warranty string
}

func tentIn(n *cs.Run) tent {
	return tent{
		price:    cs.Since(n, "389.00", cs.At(2, "369.00"), cs.At(3, "349.00")),
		stock:    cs.Since(n, "In stock", cs.At(17, "On back-order, ships in 3 weeks")),
		weight:   cs.Since(n, "2.14 kg", cs.At(26, "2.19 kg")),
		warranty: cs.Since(n, "2 years", cs.At(33, "5 years")),
	}
}

// product is a tent in a shop that is built with a shop plug-in for a blog.
func product() *cs.Page {
	return &cs.Page{
		Path: "/gear/skarn-2", Type: "product",
		Schema: `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"string"},"currency":{"type":"string"},
			"availability":{"type":"string"},"weight":{"type":"string"},"warranty":{"type":"string"}}}`,
		Data: func(n *cs.Run) map[string]any {
			t := tentIn(n)
			return map[string]any{
				"name": "Skarn 2 tent", "price": t.price, "currency": "GBP", "availability": t.stock, "weight": t.weight, "warranty": t.warranty,
			}
		},
		Render: func(n *cs.Run) string {
			ratings := creeping(n, 212, 3)
			return outfitterHead(n) + outfitterTent(n, tentIn(n), ratings) + outfitterFoot(n)
		},
	}
}

func outfitterHead(n *cs.Run) string {
	at := now(n)
	summit := p("%d °C, %s", n.Calm.IntN(9)-4, cs.Pick(n.Calmly(), "gusty", "low cloud", "clear", "sleet"))
	rate := 1.15 + n.Calm.Float64()/30
	return p(`<!DOCTYPE html><html lang="en-GB"><head><meta charset="utf-8"><title>Skarn 2 tent – Fell &amp; Ghyll Outfitters</title>
<link rel="stylesheet" href="/wp-content/cache/min/%s.css"><script>var wc_params={"nonce":"%s","t":%d};</script></head>
<body class="single-product postid-4410 session-%s">
<div id="topbar"><span>%s</span> <span>Helvellyn summit: %s</span> <span>1 GBP = `+cs.Pick(n, "%.2f", "%.3f", "%.4f")+` EUR</span></div>
<header><a class="logo" href="/">Fell &amp; Ghyll</a><nav><ul class="menu"><li><a href="/tents?s=%s">Tents</a></li><li><a href="/boots?s=%s">Boots</a></li>
<li><a href="/my-account">%s</a></li><li><a href="/basket">Basket: %d items</a></li></ul></nav></header>
<div class="promo-slider">%s</div>`,
		n.Hex(16), n.Hex(10), n.IntN(1e9), n.Hex(6), at.Format("Monday, 2 January 2006"), summit, rate, n.Hex(8), n.Hex(8),
		cs.Pick(n, "Log in", "Hello, guest", "Welcome back"), n.IntN(4),
		cs.Pick(n, "Trail food: three for two this week only", "Gift cards by e-mail in a minute", "Join the club and collect points", "New podcast: a night on Suilven"))
}

func outfitterTent(n *cs.Run, t tent, ratings string) string {
	return p(`<main class="site-main"><div %s><h1 class="product_title entry-title">Skarn 2 tent</h1>
<div class="woo-rating"><span class="stars">★★★★★</span> <a href="#reviews">(%s customer reviews)</a></div>
<p class="price"><span class="amount"><bdi><span class="symbol">£</span>%s</bdi></span> <small>incl. VAT</small></p>
<div class="summary"><p>A four-season tent for two, with a geodesic frame and two porches. It pitches outer first, so that the inner stays dry.</p></div>
<p class="stock">%s</p><p class="live-views"><b>%d</b> people are looking at this right now</p>
<form class="cart" method="post" action="/gear/skarn-2"><input type="hidden" name="_wpnonce" value="%s"><button type="submit">%s</button></form>
<p class="cutoff">Order within %d h %02d min and we pack it today</p>
<table class="shop_attributes"><tr><th>Packed weight</th><td>%s</td></tr><tr><th>Sleeps</th><td>2</td></tr><tr><th>Poles</th><td>DAC Featherlite NSL</td></tr>
<tr><th>Hydrostatic head</th><td>5,000 mm</td></tr><tr><th>Warranty</th><td>%s</td></tr></table></div>
<blockquote class="testimonial">%s</blockquote>
<section class="also-viewed"><h2>People also viewed</h2><ul class="products">%s</ul></section></main>`,
		cs.Pick(n, `id="product-4410" class="product type-product"`, `class="product type-product" id="product-4410"`), ratings, t.price, t.stock, 3+n.IntN(40),
		n.Hex(10), cs.Pick(n, "Add to basket", "Put it in my basket", "Add to bag"), n.IntN(8), n.IntN(60), t.weight, t.warranty,
		cs.Pick(n, "“Advice from people who go out themselves.” – Morag, Oban", "“Parcel was here the next morning.” – Ted, Ely",
			"“Took back my boots without a word.” – Ishaan, Leeds", "“The best shop in the valley.” – Carys, Bala"),
		cs.Each(cs.Some(n, 4, "Moor 3 tent", "Footprint groundsheet", "Kestrel sleeping bag", "Tarn stove", "Crag 55 rucksack", "Down booties", "Peg hammer", "Dry bag 20 l"),
			func(name string) string {
				return p(`<li class="product post-%d"><a href="/gear/%s?ref=av_%s">%s</a></li>`, 4000+n.IntN(900), slug(name), n.Hex(4), name)
			}))
}

func outfitterFoot(n *cs.Run) string {
	banner := `<div id="cookie-law" role="dialog"><p>We use cookies to make the shop work and to count visits.</p>
<button>Accept</button> <button>Only what is needed</button></div>`
	return p(`<footer class="colophon"><p>Fell &amp; Ghyll Outfitters, Market Square, Keswick</p><p>%s</p></footer>%s
<!-- cached by node %d in %d ms --></body></html>`,
		cs.Pick(n, "Get the newsletter: routes, gear, no nonsense", "Sign up for letters from the fells", "Subscribe and never miss a route"),
		cs.Pick(n, banner, ""), n.IntN(12), n.IntN(900))
}
