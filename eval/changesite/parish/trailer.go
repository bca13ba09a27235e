package parish

import (
	"fmt"
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// trailer is a product of a shop on a rented platform.
func trailer() *cs.Page {
	price := func(n *cs.Run) float64 { return cs.Since(n, 289.0, cs.At(6, 259.0), cs.At(19, 289.0)) }
	slate := func(n *cs.Run) bool { return cs.Since(n, true, cs.At(7, false)) }
	load := func(n *cs.Run) int { return cs.Since(n, 40, cs.At(24, 45)) }
	return &cs.Page{
		Path: "/products/osprey-60-bike-trailer", Type: "product",
		Schema: `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"currency":{"type":"string"},"max_load_kg":{"type":"integer"},
			"colours":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"available":{"type":"boolean"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"name": "Osprey 60 Bike Trailer", "price": price(n), "currency": "GBP", "max_load_kg": load(n), "colours": []any{
				map[string]any{"name": "Moss", "available": true},
				map[string]any{"name": "Slate", "available": slate(n)},
				map[string]any{"name": "Marigold", "available": true},
			}}
		},
		Render: func(n *cs.Run) string {
			was := `<div class="price price--large"><div class="price__regular"><span class="visually-hidden">Regular price</span>
<span class="price-item price-item--regular">£289.00 GBP</span></div></div>`
			if amount := price(n); amount < 289 {
				was = fill(`<div class="price price--large price--on-sale"><div class="price__sale"><span class="visually-hidden">Regular price</span>
<s class="price-item price-item--regular">£289.00 GBP</s>
<span class="visually-hidden">Sale price</span><span class="price-item price-item--sale">£{amount} GBP</span></div>
<span class="badge price__badge-sale">Sale</span></div>`, "amount", fmt.Sprintf("%.2f", amount))
			}
			gone, disabled := "", ""
			if !slate(n) {
				gone, disabled = `<span class="label-unavailable"> Variant sold out or unavailable</span>`, ` class="disabled"`
			}
			section := "template--" + n.Hex(14)
			return fill(trailerHTML, "section", section, "token", n.Hex(32), "nonce", n.Hex(16), "v", 1_700_000_000+n.IntN(9e6), "cart", n.Hex(24),
				"announce", cs.Pick(n, "Free UK delivery on orders over £60", "Join the Tread Club and collect points", "New here? Take 5% off your first order"),
				"items", n.IntN(3), "price", was, "off", disabled, "gone", gone, "button", cs.Pick(n, "Add to cart", "Add to basket"),
				"looking", 3+n.IntN(29), "sold", 4+n.Calm.IntN(18), "minutes", 20+n.IntN(10), "load", load(n),
				"warranty", cs.Since(n, "two-year", cs.At(37, "five-year")),
				"reviews", cs.Each(cs.Some(n, 3, trailerReviews...), func(r string) string {
					who, text, _ := strings.Cut(r, ": ")
					return fill(`<div class="jdgm-rev" data-review-id="{id}"><span class="jdgm-rev__author">{who}</span>
<span class="jdgm-rev__badge">Verified buyer</span><p class="jdgm-rev__body">{text}</p><span class="jdgm-rev__votes">{votes} people found this helpful</span></div>`,
						"id", n.Hex(20), "who", who, "text", text, "votes", n.IntN(40))
				}),
				"related", cs.Each(cs.Some(n, 4, "Heron saddle bag £34.00", "Lapwing rain cover £22.50", "Coot tow bar £48.00", "Plover rear light £19.00",
					"Dipper bottle cage £11.00", "Wren bell £9.50", "Siskin mudguards £27.00", "Tern pannier £59.00"), func(s string) string {
					name, cost, _ := strings.Cut(s, " £")
					return fill(`<li class="grid__item"><div class="card-wrapper product-card-wrapper">
<a href="/products/{slug}?pr_by=e5_desc&amp;pr_rec_id={rec}&amp;pr_seq=uniform" class="full-unstyled-link">{name}</a>
<span class="price-item">£{cost} GBP</span></div></li>`,
						"slug", strings.ReplaceAll(strings.ToLower(name), " ", "-"), "rec", n.Hex(9), "name", name, "cost", cost)
				}))
		},
	}
}

var trailerReviews = []string{
	"Moira T.: Two terriers and a week of shopping, no complaints from either.", "Devinder: Went together in half an hour with the one key supplied.",
	"Paul from Ludlow: Tracks straight behind a heavy e-bike, even on gravel.", "Agnes: Wish it folded a little flatter, but it fits behind the sofa.",
	"H. Okafor: Third winter of school runs and still no rust.", "Rosalind: The hitch moves from bike to bike in seconds.", "Gethin: Quiet, tidy and well stitched.",
}

const trailerHTML = `<!doctype html>
<html class="no-js" lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Osprey 60 Bike Trailer &ndash; Tarn &amp; Tread</title>
<link rel="canonical" href="https://tarnandtread.example/products/osprey-60-bike-trailer"><link href="/cdn/shop/t/9/assets/base.css?v={v}" rel="stylesheet">
<script nonce="{nonce}">window.Shop={currency:{active:"GBP",rate:"1.0"},cartToken:"{cart}"};</script></head>
<body class="gradient"><a class="skip-to-content-link button visually-hidden" href="#MainContent">Skip to content</a>
<div id="shop-section-{section}__announcement" class="shop-section announcement-bar-section"><div class="announcement-bar" role="region" aria-label="Announcement">
<p class="announcement-bar__message h5">{announce}</p></div></div>
<header class="header header--middle-left page-width"><a href="/" class="header__heading-link">Tarn &amp; Tread</a>
<nav class="header__inline-menu"><ul class="list-menu list-menu--inline"><li><a href="/collections/trailers">Trailers</a></li>
<li><a href="/collections/bags">Bags</a></li><li><a href="/collections/spares">Spares</a></li><li><a href="/pages/repairs">Repairs</a></li></ul></nav>
<div class="header__icons"><a href="/account/login?checkout_token={token}" class="header__icon">Log
in</a><a href="/cart" class="header__icon header__icon--cart"><span class="cart-count-bubble">{items}</span></a></div></header>
<main id="MainContent" class="content-for-layout focus-none" role="main">
<section id="shop-section-{section}__main" class="shop-section section"><div class="page-width">
<div class="product product--large product--thumbnail_slider grid grid--1-col grid--2-col-tablet">
<div class="grid__item product__media-wrapper"><ul class="product__media-list">
<li><img src="/cdn/shop/files/osprey60-moss.jpg?v={v}&amp;width=823" alt="Osprey 60 in moss, hitched to a touring bike" width="823" height="823"></li>
<li><img src="/cdn/shop/files/osprey60-folded.jpg?v={v}&amp;width=823" alt="Osprey 60 folded" width="823" height="823"></li></ul></div>
<div class="product__info-wrapper grid__item"><div id="ProductInfo-{section}__main" class="product__info-container">
<p class="product__text caption-with-letter-spacing">Tarn &amp; Tread Works</p><div class="product__title"><h1>Osprey 60 Bike Trailer</h1></div>
{price}<div class="product__tax caption rte">Tax included. <a href="/policies/shipping-policy">Shipping</a> calculated at checkout.</div>
<p class="popup-count"><span>{looking}</span> people are looking at this right now &middot; {sold} sold in the last 24 hours</p>
<fieldset class="product-form__input product-form__input--pill"><legend class="form__label">Colour</legend>
<input type="radio" id="{section}-1-0" name="Colour" value="Moss" checked><label for="{section}-1-0">Moss</label>
<input type="radio" id="{section}-1-1" name="Colour" value="Slate"{off}><label for="{section}-1-1">Slate{gone}</label>
<input type="radio" id="{section}-1-2" name="Colour" value="Marigold"><label for="{section}-1-2">Marigold</label></fieldset>
<form method="post" action="/cart/add" class="form"><input type="hidden" name="section-id" value="{section}__main">
<button type="submit" name="add" class="product-form__submit button button--full-width"><span>{button}</span></button></form>
<p class="dispatch-timer">Order within 7 h {minutes} min and we pack it today</p>
<div class="product__description rte quick-add-hidden">
<p>A two-wheeled trailer with a sixty-litre tub, made for shopping, dogs and camping kit. The aluminium frame folds flat without tools and weighs 8.2 kg.</p>
<p>The Osprey carries up to {load} kg. It hitches to any axle with the bolt that comes in the box, and the tub lifts out to be used as a crate.</p>
<p>Each trailer is covered by our {warranty} warranty on frame and hitch; tyres and fabric are covered for a year.</p>
<h3>In the box</h3><ul><li>Frame and sixty-litre tub</li><li>Axle hitch and safety strap</li><li>Two 16-inch wheels</li><li>Flag and reflectors</li></ul></div>
<details class="product__accordion accordion"><summary><h2 class="accordion__title">Dimensions</h2></summary><table><tr><td>Open</td>
<td>82 &times; 58 &times; 61 cm</td></tr><tr><td>Folded</td><td>82 &times; 58 &times; 19 cm</td></tr><tr><td>Wheel</td><td>16 inch</td></tr></table></details>
<details class="product__accordion accordion"><summary><h2 class="accordion__title">Returns</h2></summary>
<p>Send it back unused within 30 days. We pay the carriage if something is wrong with it.</p></details>
</div></div></div></div></section>
<section id="shop-section-{section}__reviews" class="shop-section section"><div class="jdgm-widget page-width"><h2>What riders say</h2>{reviews}</div></section>
<section id="shop-section-{section}__related" class="shop-section section"><product-recommendations class="related-products page-width">
<h2 class="related-products__heading">You may also like</h2><ul class="grid product-grid">{related}</ul></product-recommendations></section>
</main>
<footer class="footer color-background-1"><div class="footer__content-top page-width"><div class="footer-block"><h2>Help</h2><ul>
<li><a href="/pages/contact">Contact</a></li><li><a href="/pages/spares">Spare parts</a></li><li><a href="/policies/refund-policy">Refund policy</a></li></ul></div>
<form method="post" action="/contact#newsletter"><input type="hidden" name="form_key" value="{token}"><label>Letters from the workshop</label>
<input type="email" name="contact[email]"></form></div>
<small class="copyright__content">&copy; 2026, Tarn &amp; Tread</small></footer>
<div id="cookie-bar" class="cookie-bar" data-consent="{nonce}"><p>We use cookies to keep your cart and to count visits.</p><button>Accept</button><button>Decline</button></div>
</body></html>`
