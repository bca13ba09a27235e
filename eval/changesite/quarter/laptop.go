package quarter

import (
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// laptop is a product in a hosted shop with a theme of sections.
func laptop() *cs.Page {
	price := func(n *cs.Run) int { return cs.Since(n, 1149, cs.At(3, 1099), cs.At(4, 1129)) }
	stock := func(n *cs.Run) string {
		return cs.Since(n, "In stock, leaves our warehouse the same day", cs.At(17, "Sold out, next delivery expected in May"))
	}
	warranty := func(n *cs.Run) int { return cs.Since(n, 24, cs.At(26, 36)) }
	weight := func(n *cs.Run) string { return cs.Since(n, "1.36 kg", cs.At(33, "1.38 kg")) }
	return &cs.Page{
		Path: "/products/corvid-14", Type: "product",
		Schema: `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"currency":{"type":"string"},"availability":{"type":"string"},
			"warranty_months":{"type":"integer"},"weight":{"type":"string"},"memory":{"type":"string"}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{
				"name": "Corvid 14 Laptop", "price": price(n), "currency": "GBP", "availability": stock(n),
				"warranty_months": warranty(n), "weight": weight(n), "memory": "16 GB LPDDR5",
			}
		},
		Render: func(n *cs.Run) string {
			id := p("template--%d", 10_000_000+n.IntN(90_000_000))
			return shop(n, id, p(`<section id="shopify-section-%[1]s__main" class="shopify-section section"><product-info id="MainProduct-%[1]s" data-section="%[1]s">
<div class="product product--medium product--left grid grid--1-col grid--2-col-tablet">
<div class="product__media-wrapper"><ul class="product__media-list" role="list"><li class="product__media-item">
<img src="//cdn.fernhold.example/files/corvid-front.jpg?v=%[2]d&amp;width=1946" alt="Corvid 14, open, from the front" loading="lazy"></li>
<li class="product__media-item"><img src="//cdn.fernhold.example/files/corvid-ports.jpg?v=%[3]d&amp;width=1946" alt="Ports on the left side" loading="lazy"></li></ul></div>
<div class="product__info-wrapper"><p class="product__text caption-with-letter-spacing">Corvid Works</p>
<div class="product__title"><h1>Corvid 14 Laptop</h1></div>
<div class="no-js-hidden" id="price-%[1]s" role="status"><div class="price price--large"><span class="visually-hidden">Regular price</span>
<span class="price-item price-item--regular">£%[4]s.00 GBP</span></div></div>
<div class="product__tax caption rte">Tax included. <a href="/policies/shipping">Shipping</a> calculated at checkout.</div>
<p class="product__inventory">%[5]s</p>
<div class="social-proof" data-live="%[6]s"><span class="dot"></span> %[7]d people are looking at this right now</div>
<form method="post" action="/cart/add" id="product-form-%[1]s"><input type="hidden" name="id" value="44017763"><input type="hidden" name="authenticity_token" value="%[8]s">
<button type="submit" name="add" class="product-form__submit button" data-variant="%[9]s">%[10]s</button></form>
<div class="product__description rte"><p>A light machine with a matt screen and a keyboard one likes to write on. Battery, drive and keyboard can be changed with
one screwdriver, which is in the box.</p>
<p>Each laptop comes with a guarantee of %[11]d months on parts and labour.</p>
<h2>Specification</h2><table><tbody><tr><td>Screen</td><td>14 inch, 2240 × 1400, matt</td></tr><tr><td>Processor</td><td>Eight cores, up to 4.7 GHz</td></tr><tr>
<td>Memory</td><td>16 GB LPDDR5</td></tr>
<tr><td>Storage</td><td>512 GB SSD</td></tr><tr><td>Battery</td><td>61 Wh, about eleven hours</td></tr><tr><td>Weight</td><td>%[12]s</td></tr><tr><td>Ports</td>
<td>2 × USB-C, 1 × USB-A, HDMI, headphones</td></tr></tbody></table>
<h2>In the box</h2><ul><li>Laptop</li><li>65 W charger with a two metre cable</li><li>Screwdriver</li><li>Card with the first steps</li></ul></div>
<share-button class="share-button"><a href="https://share.example/?u=corvid-14&amp;sid=%[13]s">Share</a> <span class="count">%[14]d</span></share-button></div></div>
</product-info></section>
<section id="shopify-section-%[1]s__related" class="shopify-section"><product-recommendations data-url="/recommendations/products?section_id=%[1]s&amp;intent=related">
<h2 class="related-products__heading">You may also like</h2><ul class="grid product-grid">%[15]s</ul></product-recommendations></section>
<section class="shopify-section recently"><h2>From our journal</h2><p>%[16]s</p></section>`,
				id, 1_690_000_000+n.IntN(9_000_000), 1_690_000_000+n.IntN(9_000_000), strings.Replace(p("%d", price(n)), "1", "1,", 1), stock(n), n.Hex(8), 3+n.IntN(30),
				n.Hex(43),
				n.Hex(4), cs.Since(n, cs.Pick(n, "Add to cart", "Add to basket", "Put it in my cart"), cs.At(17, "Sold out")),
				warranty(n), weight(n), n.Hex(16), counted(n, 210, 3),
				cs.Each(cs.Some(n, 4, "Corvid felt sleeve £29.00", "Nest docking station £119.00", "Rook wireless mouse £35.00", "Jay travel charger £42.00",
					"Magpie headset £64.00", "Wren laptop stand £38.00", "Finch webcam £55.00", "Crake USB hub £27.00"), func(s string) string {
					name, cost, _ := strings.Cut(s, " £")
					return p(`<li class="grid__item"><div class="card-wrapper"><h3 class="card__heading">
<a href="/products/%s?pr_rec_id=%s&amp;pr_seq=uniform">%s</a></h3><div class="price"><span>£%s</span></div></div></li>`,
						strings.ReplaceAll(strings.ToLower(name), " ", "-"), n.Hex(9), name, cost)
				}), cs.Pick(n, "How we repaired forty keyboards in one week", "Five ways to make a battery last", "A visit to the people who bend our hinges",
					"What a matt screen does for your eyes")))
		},
	}
}

// shop is what is around a product: an announcement that slides, a cart drawer, a newsletter.
func shop(n *cs.Run, id, main string) string {
	return p(`<!doctype html>
<html class="no-js" lang="en"><head><meta charset="utf-8"><title>Corvid 14 Laptop – Fernhold Computers</title>
<link rel="canonical" href="https://fernhold.example/products/corvid-14">
<link href="//cdn.fernhold.example/assets/base.css?v=%s" rel="stylesheet"><script>window.ShopifyAnalytics={"meta":{"page":{"requestId":"%s-%d"}}};</script></head>
<body class="gradient"><a class="skip-to-content-link" href="#MainContent">Skip to content</a>
<cart-drawer class="drawer is-empty"><div class="drawer__inner"><h2>Your cart is empty</h2><a href="/collections/all">Continue shopping</a></div></cart-drawer>
<div class="announcement-bar" role="region" aria-label="Announcement"><p class="announcement-bar__message h5">%s</p></div>
<header class="header header--middle-left"><a href="/" class="header__heading-link">Fernhold Computers</a><nav class="header__inline-menu"><ul class="list-menu"><li>
<a href="/collections/laptops">Laptops</a></li><li><a href="/collections/screens">Screens</a></li><li><a href="/collections/parts">Spare parts</a></li><li>
<a href="/pages/repair">Repair</a></li><li><a href="/pages/contact">Contact</a></li></ul></nav>
<a href="/cart?_s=%s" class="header__icon--cart">Cart <span class="cart-count-bubble">%d</span></a></header>
<main id="MainContent" class="content-for-layout focus-none" role="main" tabindex="-1">%s</main>
<footer class="footer color-scheme-2"><div class="footer__content"><h2>Quick links</h2><ul><li><a href="/search">Search</a></li><li><a href="/policies/refund">Refunds</a>
</li><li><a href="/policies/privacy">Privacy</a></li></ul>
<div class="newsletter"><h2>%s</h2><form id="ContactFooter-%s"><input type="email" placeholder="Email"></form></div></div>
<small>© 2026, Fernhold Computers, 8 Sluice Lane, Harrowmere</small></footer>
<div id="cookie" class="cookie-banner"><p>We use cookies to keep your cart and to count visits.</p><button>Accept</button><button>Decline</button></div></body></html>`,
		n.Hex(32), n.Hex(8), 1_772_000_000+n.IntN(4_000_000), cs.Pick(n, "Talk to us: our chat is staffed by people", "Bring your old machine, we recycle it",
			"Family business since 1998"), n.Hex(20), n.IntN(3), main,
		cs.Pick(n, "Subscribe to our emails", "Hear from us once a month"), id)
}
