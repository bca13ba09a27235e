package market

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const productLayout = `<!doctype html>
<html class="no-js" lang="en">
<head><meta charset="utf-8"><title>Enamel kettle Wren &ndash; Tinsmith &amp; Daughters</title>
<link rel="canonical" href="https://tinsmith.example/products/enamel-kettle-wren">
<link href="//cdn.tinsmith.example/s/files/1/0418/t/7/assets/base.css?v=[[asset]]" rel="stylesheet">
<script id="shop-features" type="application/json">{"accessToken":"[[token]]","shopId":4181177,"requestId":"[[request]]"}</script></head>
<body class="gradient template-product" data-render="[[render]]">
<a class="skip-to-content-link" href="#MainContent">Skip to content</a>
<div id="shop-section-announcement-bar" class="shop-section-group-header"><div class="announcement-bar" role="region"><p class="announcement-bar__message">[[announcement]]</p></div></div>
<header class="header header--middle-left"><a href="/" class="header__heading-link">Tinsmith &amp; Daughters</a>
<nav class="header__inline-menu"><ul class="list-menu"><li><a href="/collections/kitchen">Kitchen</a></li><li><a href="/collections/garden">Garden</a></li><li><a href="/collections/repairs">Spare parts</a></li><li><a href="/pages/workshop">The workshop</a></li></ul></nav>
<div class="header__icons"><a href="/account/login?return=[[token]]">Log in</a><a href="/cart" id="cart-icon-bubble">Basket</a></div></header>
<main id="MainContent" class="content-for-layout focus-none" tabindex="-1">
<section id="shop-section-template--[[section]]__main" class="shop-section section">
<div class="product product--medium product--left product--thumbnail grid grid--2-col">
<div class="grid__item product__media-wrapper"><ul class="product__media-list"><li><img src="//cdn.tinsmith.example/wren-front.jpg?v=[[asset]]&amp;width=1100" alt="Kettle Wren from the front"></li><li><img src="//cdn.tinsmith.example/wren-lid.jpg?v=[[asset]]&amp;width=1100" alt="The lid with its wooden knob"></li></ul></div>
<div class="product__info-wrapper grid__item"><div class="product__info-container">
<p class="product__text caption-with-letter-spacing">Tinsmith &amp; Daughters</p>
<div class="product__title"><h1>Enamel kettle Wren</h1></div>
<div class="price price--large"><div class="price__regular"><span class="visually-hidden">Regular price</span><span class="price-item price-item--regular">[[price]]</span></div></div>
<div class="product__tax caption rte">Taxes included. <a href="/policies/shipping">Shipping</a> calculated at checkout.</div>
<p class="product__inventory">[[stock]]</p>
<p class="badge-social">[[watching]]</p>
<variant-radios><fieldset class="product-form__input"><legend class="form__label">Colour</legend>[[colours]]</fieldset></variant-radios>
<form method="post" action="/cart/add" id="product-form-[[form]]"><input type="hidden" name="utf8" value="✓"><input type="hidden" name="authenticity" value="[[token]]"><button type="submit" class="product-form__submit button">[[button]]</button></form>
<p class="dispatch">[[dispatch]]</p>
<div class="product__description rte"><p>A stove kettle in the shape our grandmother spun on the lathe in 1961, now pressed in two halves and dipped three times in enamel. It sits flat on induction, gas and the wood stove.</p>
<p>The knob and the handle are turned beech and can be ordered singly, so that a burnt handle is no reason to throw a kettle away.</p></div>
<div class="accordion"><details open><summary><h2>Measures and care</h2></summary><table><tbody><tr><td>Holds</td><td>[[holds]]</td></tr><tr><td>Height with handle</td><td>24 cm</td></tr><tr><td>Base</td><td>18.5 cm</td></tr><tr><td>Weight</td><td>1.35 kg</td></tr><tr><td>Dishwasher</td><td>no, by hand</td></tr></tbody></table></details>
<details><summary><h2>Returns</h2></summary><p>You can send it back unused within 30 days. A chip that we caused is mended for nothing.</p></details></div>
</div></div></div></section>
<section class="shop-section section product-recommendations" id="rec-[[form]]"><h2 class="related-products__heading">You may also like</h2><ul class="grid product-grid">[[related]]</ul></section>
<section class="recently"><h2>Others bought just now</h2><p>[[buyer]]</p></section>
</main>
<footer class="footer color-background-1"><div class="footer__blocks-wrapper"><div><h2>Workshop</h2><ul><li><a href="/pages/visit">Visit us in Aldbrook</a></li><li><a href="/pages/repairs">Repairs</a></li></ul></div><div><h2>Letter</h2><p>[[letter]]</p><form action="/contact#[[form]]"><input type="email" name="contact[email]"></form></div></div>
<div class="footer__copyright caption"><small>&copy; 2026, Tinsmith &amp; Daughters</small></div></footer>
<div class="cookie-consent" id="cc-[[render]]"><p>[[cookies]]</p><button>Accept</button><button>Decline</button></div>
</body></html>`

func product() *cs.Page {
	price := func(n *cs.Run) float64 { return cs.Since(n, 64.0, cs.At(5, 59.0)) }
	stock := func(n *cs.Run) string {
		return cs.Since(n, "In stock", cs.At(13, "Sold out"), cs.At(14, "Back-ordered, leaves us in the week of 30 March"), cs.At(24, "In stock"))
	}
	holds := func(n *cs.Run) string { return cs.Since(n, "1.7 litres", cs.At(19, "1.6 litres")) }
	colours := func(n *cs.Run) []string {
		return cs.Since(n, []string{"Chalk", "Ink blue", "Rust"}, cs.At(36, []string{"Chalk", "Ink blue", "Moss green", "Rust"}))
	}
	return &cs.Page{
		Path: "/products/enamel-kettle-wren", Type: "product",
		Schema: `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"availability":{"type":"string"},"capacity":{"type":"string"},
			"colours":{"type":"array","items":{"type":"string"}}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"name": "Enamel kettle Wren", "price": price(n), "availability": stock(n), "capacity": holds(n), "colours": colours(n)}
		},
		Render: func(n *cs.Run) string {
			button := cs.Pick(n, "Add to basket", "Put it in my basket")
			dispatch := fmt.Sprintf(`Order within <span class="cd">%d h %02d min</span> and it leaves the bench today, %s.`, 5+n.IntN(2), n.IntN(60), today(n).Format("Monday 2 January"))
			switch stock(n) {
			case "In stock":
			case "Sold out":
				button, dispatch = "Tell me when it is back", ""
			default:
				dispatch = ""
			}
			return fill(productLayout, "asset", between(n, 1_700_000_000, 1_799_999_999), "token", n.Hex(32), "request", n.Hex(8)+"-"+n.Hex(4), "render", n.Hex(6),
				"announcement", cs.Pick(n, "Free postage from £50", "Orders over £50 travel free", "Spend £50, and the postage is ours"), "section", between(n, 1e7, 9e7),
				"price", fmt.Sprintf("£%.2f", price(n)), "stock", stock(n), "watching", between(n, 3, 31)+" people are looking at this right now",
				"colours", cs.Each(colours(n), func(c string) string {
					return fill(`<input type="radio" id="c-[[id]]" name="Colour" value="[[c]]"><label for="c-[[id]]">[[c]]</label>`, "id", n.Hex(5), "c", c)
				}), "form", n.Hex(8), "button", button, "dispatch", dispatch, "holds", holds(n),
				"related", cs.Each(cs.Some(n, 4, "Milk pan Lark £38.00", "Colander Finch £44.00", "Bread bin Heron £82.00", "Ladle Tern £16.00", "Pie dish Dove £29.00", "Mug Robin £14.00", "Bucket Crane £55.00"), func(s string) string {
					return fill(`<li class="grid__item"><a href="/products/[[slug]]?pr_seq=uniform&amp;pr_rec_id=[[id]]" class="full-unstyled-link">[[s]]</a></li>`, "slug", slug(s), "id", n.Hex(9), "s", s)
				}), "buyer", fmt.Sprintf("%s from %s bought a %s %d minutes ago", cs.Pick(n, "Hattie", "Owain", "Priya", "Callum", "Ingrid"), cs.Pick(n, "Thornmere", "Welby", "Port Arden", "Little Sowe"), cs.Pick(n, "ladle", "pie dish", "bread bin", "mug"), 2+n.IntN(50)),
				"letter", cs.Pick(n, "One letter a month, no more.", "News from the bench, once a month.", "Join "+creeping(n, 8400, 9)+" readers of our letter."),
				"cookies", cs.Pick(n, "We bake with cookies. Is that all right?", "This shop uses cookies to keep your basket."))
		},
	}
}
