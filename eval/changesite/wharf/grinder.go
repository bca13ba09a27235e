package wharf

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// grinder is a coffee grinder in a rented shop system.
func grinder() *cs.Page {
	price := func(n *cs.Run) float64 {
		return cs.Since(n, 189.0, cs.At(12, 169.0), cs.At(13, 159.0), cs.At(17, 189.0))
	}
	black := func(n *cs.Run) string { return cs.Since(n, "In stock", cs.At(24, "Sold out")) }
	return &cs.Page{
		Path: "/products/kestrel-hand-grinder", Type: "product",
		Schema: `{"type":"object","properties":{"title":{"type":"string"},"price":{"type":"number"},"variants":{"type":"array","items":{"type":"object","properties":{"colour":{"type":"string"},"stock":{"type":"string"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"title": "Kestrel Hand Grinder", "price": price(n), "variants": []any{
				map[string]any{"colour": "Matt black", "stock": black(n)}, map[string]any{"colour": "Copper", "stock": "In stock"}, map[string]any{"colour": "Birch", "stock": "Ships in 2 weeks"},
			}}
		},
		Render: func(n *cs.Run) string {
			return fill(`<!doctype html><html class="no-js" lang="en"><head><meta charset="utf-8"><title>Kestrel Hand Grinder &ndash; Odd Spoon Coffee Tools</title>
<link rel="stylesheet" href="//cdn.oddspoon.example/t/12/assets/theme.css?v={build}"><script>window.ShopAnalytics={"meta":{"page":{"reqId":"{request}"}}};</script></head>
<body class="gradient template-product"><a class="skip-to-content-link visually-hidden" href="#MainContent">Skip to content</a>
<div id="shopify-section-announcement" class="announcement-bar-section"><div class="announcement-bar" role="region"><p class="announcement-bar__message h5">{announce}</p></div></div>
<header class="header header--middle-left page-width"><a href="/" class="header__heading-link"><span class="h2">Odd Spoon</span></a><nav class="header__inline-menu"><ul class="list-menu list-menu--inline"><li><a href="/collections/grinders" class="header__menu-item">Grinders</a></li><li><a href="/collections/kettles" class="header__menu-item">Kettles</a></li><li><a href="/collections/scales" class="header__menu-item">Scales</a></li><li><a href="/pages/repairs" class="header__menu-item">Repairs</a></li></ul></nav><a href="/cart" class="header__icon--cart"><span class="cart-count-bubble">{cart}</span></a></header>
<main id="MainContent" class="content-for-layout" role="main"><section id="shopify-section-template--{section}__main" class="section"><div class="product grid grid--1-col grid--2-col-tablet">
<div class="grid__item product__media-wrapper"><media-gallery id="MediaGallery-{section}"><img src="//cdn.oddspoon.example/files/kestrel-1.jpg?v={build}&amp;width=1445" alt="Kestrel grinder on a table"></media-gallery></div>
<div class="product__info-wrapper grid__item"><product-info id="ProductInfo-{section}"><p class="product__text caption-with-letter-spacing">Odd Spoon</p><div class="product__title"><h1>Kestrel Hand Grinder</h1></div>
<div class="price price--large"><div class="price__container"><span class="visually-hidden">Regular price</span><span class="price-item price-item--regular">&pound;{price} GBP</span></div></div><div class="product__tax caption rte">Tax included. Shipping calculated at checkout.</div>
<div class="jdgm-prev-badge" data-id="{section}">{badge}</div>
<fieldset class="product-form__input"><legend class="form__label">Colour</legend><ul class="variant-list"><li><label for="v-{section}-0">Matt black</label> <span class="variant-stock">{black}</span></li><li><label for="v-{section}-1">Copper</label> <span class="variant-stock">In stock</span></li><li><label for="v-{section}-2">Birch</label> <span class="variant-stock">Ships in 2 weeks</span></li></ul></fieldset>
<form method="post" action="/cart/add" id="product-form-{section}"><input type="hidden" name="authenticity_token" value="{token}"><button type="submit" name="add" class="product-form__submit button button--full-width"><span>{button}</span></button></form>
<p class="urgency"><svg class="icon-eye" aria-hidden="true"></svg> {looking} people have this in their basket</p>
<div class="product__description rte"><p>Forty-eight millimetre steel burrs, two bearings and a handle that folds away. The Kestrel grinds a dose of {dose} g for filter in under a minute, and goes fine enough for espresso.</p><ul><li>Burrs: hardened steel, conical, 48 mm</li><li>Steps: 16 microns each, numbered</li><li>Weight: 620 g</li><li>Warranty: {warranty}</li></ul><p>Made in small batches in Hebden Vale. Spare burrs and handles are kept for ten years.</p></div>
<details id="Details-{section}-shipping"><summary><h2 class="h4 accordion__title">Shipping and returns</h2></summary><div class="accordion__content rte"><p>We post on weekdays. Return it unused within 30 days for a full refund, or used within 14 for a credit.</p></div></details></product-info></div></div></section>
<section class="section product-recommendations"><h2 class="related-products__heading">You may also like</h2><ul class="grid product-grid">{related}</ul></section></main>
<div class="sales-pop" id="pop-{pop}"><p>{who} from {where} bought a {what} {ago} minutes ago</p></div>
<footer class="footer color-background-1"><div class="footer__content-top page-width"><h2 class="footer-block__heading">Letters about coffee</h2><form action="/contact#ContactFooter"><input type="email" placeholder="Email"></form></div><small class="copyright__content">&copy; 2026, Odd Spoon Coffee Tools</small></footer></body></html>`,
				"build", num(n, 1_700_000_000, 1_799_999_999), "request", n.Hex(32), "section", num(n, 1e9, 9e9), "token", n.Hex(40), "cart", num(n, 0, 4), "pop", n.Hex(6),
				"announce", cs.Pick(n, "Join 20,000 readers of our coffee letter", "Rated excellent by home brewers", "Follow us for brewing tips"),
				"price", fmt.Sprintf("%.2f", price(n)), "black", black(n), "badge", cs.Pick(n, "See what our customers say", "Loved by home brewers", "Read the reviews"),
				"button", cs.Pick(n, "Add to cart", "Add to basket", "Add to bag"), "looking", num(n, 3, 30),
				"dose", cs.Since(n, "30", cs.At(31, "35")), "warranty", cs.Since(n, "2 years", cs.At(38, "5 years on all parts")),
				"related", cs.Each(cs.Some(n, 4, "Heron Kettle", "Wren Scale", "Plover Dripper", "Swift Server", "Teal Tamper", "Finch Brush", "Rook Knock Box"), func(s string) string {
					return `<li class="grid__item"><a href="/products/` + n.Hex(5) + `?pr_seq=` + n.Hex(8) + `"><h3 class="card__heading h5">` + s + `</h3></a></li>`
				}),
				"who", cs.Pick(n, "Ailsa", "Morgan", "Dev", "Bronte", "Ivo"), "where", cs.Pick(n, "Leeds", "Cardiff", "Truro", "Perth"), "what", cs.Pick(n, "Wren Scale", "Heron Kettle", "Finch Brush"), "ago", num(n, 2, 55))
		},
	}
}
