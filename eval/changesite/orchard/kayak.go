package orchard

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

var kayakTeasers = []string{"Dry bag Otter 20 L", "Paddle leash", "Spray deck Nylon M", "Bilge pump", "Roof rack pads", "Neoprene gloves", "Deck compass", "Repair kit"}

// kayak is a product in a shop with the sections of a hosted shop's theme.
func kayak() *cs.Page {
	price := func(n *cs.Run) float64 {
		return cs.Since(n, 1149.0, cs.At(4, 1099.0), cs.At(27, 1189.0))
	}
	stock := func(n *cs.Run) string {
		return cs.Since(n, "In stock", cs.At(5, "Only 2 left"), cs.At(13, "Sold out"))
	}
	return &cs.Page{
		Path: "/products/teal-410", Type: "product",
		Schema: `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"availability":{"type":"string"}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"name": "Teal 410 touring kayak", "price": price(n), "availability": stock(n)}
		},
		Render: func(n *cs.Run) string {
			sec := p("template--%d__main", 10_000_000+n.IntN(80_000_000))
			return `<!DOCTYPE html><html class="no-js" lang="en"><head><meta charset="utf-8"><title>Teal 410 touring kayak – Reedmace Paddlesports</title>
<link rel="stylesheet" href="//cdn.reedmace.example/t/7/assets/base.css?v=` + n.Hex(20) + `"><meta name="shop-checkout-token" content="` + n.Hex(32) + `"></head>
<body class="gradient template-product"><a class="skip-to-content-link" href="#MainContent">Skip to content</a>
<div class="announcement-bar" role="region"><p class="announcement-bar__message">` + cs.Pick(n, "Free shop pick-up in Brackwater", "Sign up and get 5% off your first order", "Paddle season is here") + `</p></div>
<header class="header"><a class="header__heading-link" href="/">Reedmace Paddlesports</a><nav class="header__inline-menu"><ul class="list-menu">
<li><a href="/collections/kayaks">Kayaks</a></li><li><a href="/collections/canoes">Canoes</a></li><li><a href="/collections/paddles">Paddles</a></li><li><a href="/collections/clothing">Clothing</a></li><li><a href="/pages/lessons">Lessons</a></li></ul></nav>
<a class="header__icon--cart" href="/cart?s=` + n.Hex(8) + `">Cart <span class="cart-count-bubble">` + p("%d", n.IntN(3)) + `</span></a></header>
<main id="MainContent" class="content-for-layout focus-none"><section id="shop-section-` + sec + `" class="shop-section section"><div class="product product--medium">
<div class="product__media-wrapper"><ul class="product__media-list"><li><img src="//cdn.reedmace.example/f/teal-1.jpg?v=` + n.Hex(10) + `&amp;width=823" alt="Teal 410 from the side"></li><li><img src="//cdn.reedmace.example/f/teal-2.jpg?v=` + n.Hex(10) + `" alt="Cockpit of the Teal 410"></li></ul></div>
<div class="product__info-wrapper"><p class="product__text caption-with-letter-spacing">Norrbow Boats</p><div class="product__title"><h1>Teal 410 touring kayak</h1></div>
<div id="price-` + sec + `"><div class="price price--large"><span class="visually-hidden">Regular price</span> <span class="price-item price-item--regular">` + p("£%.2f", price(n)) + `</span></div></div>
<div class="product__tax caption">Tax included. Shipping is calculated at checkout.</div>
<p class="product__inventory">` + stock(n) + `</p><p class="live-visitors">` + p("%d people are looking at this right now", 2+n.IntN(30)) + `</p>
<form method="post" action="/cart/add" id="form-` + sec + `"><input type="hidden" name="section-id" value="` + sec + `"><fieldset><legend>Colour</legend><label><input type="radio" name="Colour-` + n.Hex(4) + `"> Lagoon</label><label><input type="radio"> ` + cs.Since(n, "Moss", cs.At(31, "Rust")) + `</label></fieldset>
<button type="submit" class="product-form__submit button">` + cs.Pick(n, "Add to cart", "Add to basket") + `</button></form>
<div class="product__description rte"><p>The Teal 410 is a stable touring kayak for lakes, slow rivers and sheltered coasts. Its shallow V hull tracks well without a rudder, and the skeg can be lowered from the cockpit.</p>
<p>Two bulkheads keep it afloat when it is swamped. Both hatches take a 20 litre dry bag, and the deck lines are long enough for a spare paddle.</p>
<h3>Specifications</h3><table><tbody><tr><td>Length</td><td>410 cm</td></tr><tr><td>Width</td><td>64 cm</td></tr><tr><td>Weight</td><td>` + cs.Since(n, "24.5 kg", cs.At(21, "25.4 kg")) + `</td></tr><tr><td>Maximum load</td><td>140 kg</td></tr><tr><td>Material</td><td>Three-layer polyethylene</td></tr></tbody></table>
<h3>Delivery and returns</h3><p>We deliver boats with our own van to the whole mainland. You can return an unused boat within 30 days; collection costs £45.</p></div></div></div></section>
<section class="product-recommendations"><h2 class="related-products__heading">You may also like</h2><ul class="grid product-grid">` +
				cs.Each(cs.Some(n, 4, kayakTeasers...), func(s string) string {
					return `<li class="grid__item"><a href="/products/x?pr_rec_id=` + n.Hex(9) + `" class="full-unstyled-link">` + s + `</a></li>`
				}) + `</ul></section></main>
<footer class="footer"><h2>Newsletter</h2><p>News from the water, once a month.</p><ul><li><a href="/policies/refund-policy">Refund policy</a></li><li><a href="/policies/privacy-policy">Privacy policy</a></li></ul><small>© 2026, Reedmace Paddlesports</small></footer>
<div id="cookie-banner" role="dialog"><p>We use cookies for the cart and for statistics.</p><button>` + cs.Pick(n, "Accept", "Accept all", "Got it") + `</button></div></body></html>`
		},
	}
}
