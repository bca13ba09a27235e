package fresh

import (
	"slices"
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// kettle is a product in a shop that is rented: sections with generated ids, and much that sells.
func kettle() *cs.Page {
	price := func(n *cs.Run) float64 { return cs.Since(n, 89.00, cs.At(2, 79.00), cs.At(9, 89.00), cs.At(29, 89.50)) }
	stock := func(n *cs.Run) string {
		return cs.Since(n, "In stock", cs.At(12, "Only 4 left"), cs.At(13, "Only 1 left"), cs.At(14, "Sold out"), cs.At(21, "In stock"))
	}
	warranty := func(n *cs.Run) int { return cs.Since(n, 2, cs.At(17, 3)) }
	colours := func(n *cs.Run) []string {
		return cs.Since(n, []string{"Matt black", "Chalk"}, cs.At(33, []string{"Matt black", "Chalk", "Fern green"}))
	}
	return &cs.Page{
		Path: "/products/alder-gooseneck-kettle", Type: "product",
		Schema: `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"availability":{"type":"string"},
"warranty_years":{"type":"integer"},"colours":{"type":"array","items":{"type":"string"}}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{
				"name": "Alder gooseneck kettle", "price": price(n), "availability": stock(n), "warranty_years": warranty(n), "colours": colours(n),
			}
		},
		Render: func(n *cs.Run) string {
			at := clock(n)
			return fill(kettlePage,
				"asset", n.Hex(16), "build", pick(n.Calm, "4.18.2", "4.18.3", "4.19.0"), "section", between(n.Rand, 1e9, 9e9), "token", n.Hex(40),
				"announce", pick(n.Rand, "Free delivery over €50", "Ten percent off your first order with HELLO10", "Rated excellent by 9,000 customers"),
				"cart", between(n.Rand, 0, 4), "hello", pick(n.Rand, "Log in", "Account", "Hello again!"),
				"price", w("%.2f", price(n)), "stock", stock(n), "looking", between(n.Rand, 3, 60), "ratings", thousands(crept(n, 1284, 6)),
				"form", tag(n, "form", `action="/cart/add"`, `method="post"`, `class="product-form"`, w(`id="pf-%s"`, n.Hex(6)), `novalidate`),
				"cta", pick(n.Rand, "Add to cart", "Add to bag", "Buy it now"), "colours", items(colours(n), "<label><input type=radio name=colour> ", "</label>"+gap(n)),
				"by", at.AddDate(0, 0, 3).Format("Monday, 2 January"), "hours", between(n.Calm, 1, 11), "minutes", between(n.Rand, 1, 59),
				"about", cs.Since(n, "A slow, narrow pour for filter coffee. The handle is beech, the body is brushed steel.",
					cs.At(25, "A slow, narrow pour for filter coffee. The handle is ash, the body is brushed steel.")),
				"warranty", w("%d years", warranty(n)),
				"manual", cs.Since(n, "", cs.At(37, `<li><a href="/files/alder-descaling.pdf">Descaling guide (PDF)</a></li>`)),
				"also", cs.Each(cs.Some(n, 4, "Birch mug, set of 2|18.00", "Ceramic dripper|24.50", "Paper filters, 100|6.90", "Hand grinder|64.00",
					"Scale with timer|49.00", "Glass server 0.6 l|27.00", "Storage tin|15.00", "Milk jug|21.00"), func(s string) string {
					name, cost, _ := strings.Cut(s, "|")
					return w(`<a class="card-%s" href="/products/x?pos=%d&sid=%s"><span>%s</span> <b>€%s</b></a>`, n.Hex(5), n.IntN(9), n.Hex(8), name, cost)
				}),
				"review", pick(n.Rand, "“Pours like a dream.” Marta, verified buyer", "“Bought it twice, once for my mother.” Joost, verified buyer",
					"“Lovely weight in the hand.” Ines, verified buyer", "“Quick to arrive, well packed.” Callum, verified buyer"),
				"sold", thousands(crept(n, 8120, 40)), "rate", w("1.%04d", 820+n.Calm.IntN(60)),
				"toast", perhaps(n.Rand, 50, w(`<div class="toast">Someone in %s bought this %d minutes ago</div>`, pick(n.Rand, "Ghent", "Porto", "Turku"), 2+n.IntN(50))),
				"cookies", perhaps(n.Rand, 60, `<div role="dialog" class="cc">We value your privacy. <button>Accept all</button><button>Choose</button></div>`),
			)
		},
	}
}

const kettlePage = `<!DOCTYPE html><html lang="en" class="no-js"><head><meta charset="utf-8"><title>Alder gooseneck kettle – Copper &amp; Steam</title>
<link rel="stylesheet" href="/cdn/theme.css?v={asset}"><meta name="generator" content="shopkit {build}"><meta name="csrf-token" content="{token}"></head>
<body class="template-product"><div class="announcement-bar">{announce}</div>
<header><a href="/">Copper &amp; Steam</a><nav><a href="/c/kettles">Kettles</a><a href="/c/cups">Cups</a><a href="/c/sale">Sale</a></nav>
<a href="/account">{hello}</a><a href="/cart">Cart ({cart})</a></header>
<main><div id="shop-section-{section}__main" class="product"><h1>Alder gooseneck kettle</h1>
<p class="rating">4.6 out of 5 ({ratings} ratings)</p><p class="price">€{price}</p><p class="stock">{stock}</p>
<p class="live">{looking} people are looking at this right now</p>
{form}<input type="hidden" name="authenticity_token" value="{token}"><fieldset><legend>Colour</legend>{colours}</fieldset><button>{cta}</button></form>
<p class="eta">Order within {hours} h {minutes} min and get it by {by}</p>
<div class="description"><p>{about}</p><p>Holds 0.9 litres. Works on gas and induction.</p></div>
<table class="specs"><tr><th>Weight</th><td>640 g</td></tr><tr><th>Warranty</th><td>{warranty}</td></tr><tr><th>Made in</th><td>Portugal</td></tr></table>
<h2>Downloads</h2><ul><li><a href="/files/alder-manual.pdf">User manual (PDF)</a></li>{manual}</ul></div>
<section class="recommend"><h2>People also viewed</h2>{also}</section>
<section class="reviews"><h2>What customers say</h2><blockquote>{review}</blockquote></section></main>
<footer><p>{sold} kettles sold so far. €1 = ${rate}</p><p>© 2026 Copper &amp; Steam BV</p></footer>{toast}{cookies}</body></html>`

type daypack struct {
	slug, name string
	price      float64
}

// daypacks is a shop's listing in tiles, sorted by what is recommended to a visitor, with adverts among them.
func daypacks() *cs.Page {
	products := func(n *cs.Run) []daypack {
		list := []daypack{
			{"ridge-18", "Ridge 18", cs.Since(n, 74.95, cs.At(8, 69.95), cs.At(9, 64.95))},
			{"ridge-24", "Ridge 24", 89.95},
			{"tarn-20", cs.Since(n, "Tarn 20", cs.At(27, "Tarn 20 Recycled")), 99.00},
			{"scout-mini", "Scout Mini", cs.Since(n, 39.00, cs.At(31, 36.00))},
			{"commuter-22", "Commuter 22", 119.00},
			{"fell-runner-8", "Fell Runner 8", 64.50},
		}
		with := slices.Concat(list, []daypack{{"quarry-28", "Quarry 28", 129.00}})
		return cs.Since(n, list, cs.At(3, with), cs.At(20, slices.Concat(with[:4], with[5:])))
	}
	return &cs.Page{
		Path: "/c/daypacks", Type: "listing",
		Schema: `{"type":"object","properties":{"products":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},
"price":{"type":"number"}}}},"free_delivery_from":{"type":"integer"}}}`,
		Data: func(n *cs.Run) map[string]any {
			var list []any
			for _, p := range cs.Shuffled(n, products(n)...) {
				list = append(list, map[string]any{"name": p.name, "price": p.price})
			}
			return map[string]any{"products": list, "free_delivery_from": delivery(n)}
		},
		Render: func(n *cs.Run) string {
			tiles := make([]string, 0, len(products(n))+1)
			for _, p := range cs.Shuffled(n, products(n)...) {
				tiles = append(tiles, tag(n, "li", `class="product type-product"`, w(`data-pos="%d"`, n.IntN(90)), w(`id="post-%s"`, n.Hex(4)))+
					w(`<a href="/p/%s/?add_nonce=%s"><img src="/img/%s.webp?ver=%s" alt=""><h2>%s</h2></a><span class="amount"><bdi>£%.2f</bdi></span>%s</li>`,
						p.slug, n.Hex(10), p.slug, n.Hex(6), p.name, p.price, perhaps(n.Rand, 40, w(`<em class="flash">%d sold today</em>`, 2+n.IntN(30)))))
			}
			advert := w(`<li class="product ad-slot"><small>Sponsored</small><a href="https://ads.example/c?%s"><h2>%s</h2></a></li>`, n.Hex(20),
				pick(n.Rand, "Thermal flask, 20% off this week", "Rent a camper from £49", "Map app: three months free", "Merino socks that last"))
			place := n.IntN(len(tiles))
			tiles = append(tiles[:place:place], append([]string{advert}, tiles[place:]...)...)
			return fill(daypacksPage,
				"token", n.Hex(10), "hash", n.Hex(8), "hero", pick(n.Rand, "Pack light, go far", "Made for the hills", "New season, new trails", "The weekend starts here"),
				"sky", pick(n.Calm, "Light rain", "Sunny spells", "Overcast", "Fog at first"), "degrees", between(n.Calm, 2, 14), "place", "Keswick",
				"visitors", thousands(crept(n, 48_210, 900)), "today", clock(n).Format("Mon 2 Jan 2006"),
				"tiles", strings.Join(tiles, gap(n)), "delivery", w("%d", delivery(n)),
				"recent", items(cs.Some(n, 2, "Trail gaiters", "Dry bag 5 l", "Head torch", "Walking poles", "Whistle"), "<li>", "</li>"),
				"news", pick(n.Rand, "Join 40,000 walkers on our list", "Get 10% off when you join our list", "Letters from the hills, once a month"),
				"modal", perhaps(n.Rand, 30, `<div class="popup"><h3>Wait!</h3><p>Spin the wheel for a discount.</p><button>Spin</button></div>`),
				"pay", items(cs.Shuffled(n, "Visa", "Mastercard", "PayPal", "Klarna"), "<li>", "</li>"), "node", pick(n.Rand, "web-01", "web-02", "web-07"),
			)
		},
	}
}

func delivery(n *cs.Run) int { return cs.Since(n, 60, cs.At(35, 75)) }

const daypacksPage = `<!doctype html><html lang="en-GB"><head><meta charset="UTF-8"><title>Daypacks | Crag &amp; Tarn</title>
<script src="/wp-includes/js/main.min.js?ver={hash}"></script><script>var shop={"nonce":"{token}"};</script></head>
<body class="archive tax-product_cat"><div id="page" class="site"><div class="topbar"><span>{today}</span> <span>{place}: {sky}, {degrees} °C</span></div>
<div class="hero"><h3>{hero}</h3></div><main id="main"><h1 class="page-title">Daypacks</h1>
<p class="term-description">Packs of up to 30 litres for a day out. Free delivery from £{delivery}.</p>
<form class="ordering"><select name="orderby"><option selected>Recommended for you</option><option>Price</option></select><input type="hidden" name="_nonce" value="{token}"></form>
<ul class="products columns-3">{tiles}</ul></main>
<aside><h4>Recently viewed</h4><ul>{recent}</ul></aside>
<footer><form><label>{news}</label><input type="email"><button>Sign up</button></form><ul class="pay">{pay}</ul>
<p>{visitors} visitors since January · served by {node}</p></footer>{modal}</div></body></html>`
