package market

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const menuLayout = `<!doctype html><html xmlns:og="http://opengraphprotocol.org/schema/" lang="en-US"><head><meta charset="utf-8"><title>Menu — The Weighhouse Counter</title>
<script>Static.CONTEXT = {"crumb":"[[crumb]]","siteId":"59ab31","pageVersion":[[version]]};</script><link rel="stylesheet" href="//static.pages.example/versioned-site-css/[[css]]/27/site.css"></head>
<body id="collection-61f0" class="tweak-product-basic-item-ratio-1-1 primary-button-style-solid collection-type-page mobile-style-available" data-[[css]]="1">
<div id="siteWrapper" class="clearfix site-wrapper"><header data-test="header" id="header" class="header theme-col--primary"><div class="header-announcement-bar-wrapper"><p>[[announcement]]</p></div>
<div class="header-title-logo"><a href="/">The Weighhouse Counter</a></div><nav class="header-nav-list"><div class="header-nav-item"><a href="/menu">Menu</a></div><div class="header-nav-item"><a href="/catering">Catering</a></div><div class="header-nav-item"><a href="/find-us">Find us</a></div></nav><div class="header-actions"><a class="btn" href="/reserve?k=[[key]]">[[button]]</a></div></header>
<main id="page" class="container" role="main"><article class="sections" id="sections"><section class="page-section full-bleed-section" data-section-id="[[section]]"><div class="content-wrapper"><div class="fe-block fe-block-[[block]]"><div class="fluid-text-block"><h1>What we cook</h1><p class="large">Six stools, one stove, in the corner of the hall where the scales used to be. We cook what the stalls have, and when it is gone it is gone.</p></div></div>
<div class="fe-block fe-block-[[block2]]"><p class="small">On the counter radio: [[song]]</p></div></div></section>
<section class="page-section" data-section-id="[[section2]]"><div class="menu-block"><div class="menus"><div class="menu"><div class="menu-section"><div class="menu-section-title">From the pot</div><div class="menu-items">[[pot]]</div></div>
<div class="menu-section"><div class="menu-section-title">From the pan</div><div class="menu-items">[[pan]]</div></div>
<div class="menu-section"><div class="menu-section-title">Sweet</div><div class="menu-items">[[sweet]]</div></div></div></div></div></section>
<section class="page-section"><div class="fluid-text-block"><h2>When</h2><p>Tuesday to Friday from 11:30 to [[close]], Saturday from 9:00 until the market ends. Closed on Sunday and Monday.</p><h2>How</h2><p>No tables are kept. You order at the till, you pay by card or in cash, and you bring your bowl back. Half portions for children cost half.</p><h2>Allergens</h2><p>G is wheat, M milk, E egg, N nuts, F fish, S celery. We fry in one pan, so we can promise nothing to those who react to traces.</p></div></section>
<section class="page-section gallery"><div class="fluid-text-block"><h2>Lately on the wall</h2></div><div class="gallery-grid">[[photos]]</div></section>
<section class="page-section"><div class="fluid-text-block"><p class="said">[[said]]</p></div></section></article></main>
<footer class="sections" id="footer-sections"><section class="page-section"><p>The Weighhouse Counter, stall 31, Granary Hall, Osterby</p><p>[[day]]. [[bowls]] bowls since we opened.</p><form class="newsletter-form" data-form-id="[[key]]"><p>[[letter]]</p><input type="email"><button>Sign up</button></form></section></footer>
</div><div class="cookie-banner" data-cookie="[[crumb]]"><p>[[cookies]]</p><button>Okay</button></div></body></html>`

const dishLayout = `<div class="menu-item"><div class="menu-item-title">[[name]]</div><div class="menu-item-description">[[with]]</div><div class="menu-item-price-bottom"><span class="currency-sign">$</span>[[price]]</div></div>`

// dish is a line of the menu.
type dish struct{ name, with, price string }

func menu() *cs.Page {
	return &cs.Page{Path: "/menu", Type: "menu", Render: func(n *cs.Run) string {
		dishes := func(list []dish) string {
			return cs.Each(list, func(d dish) string { return fill(dishLayout, "name", d.name, "with", d.with, "price", d.price) })
		}
		pot := []dish{
			{"Barley broth", "leek, smoked butter, rye crust (G, M, S)", cs.Since(n, "9.50", cs.At(5, "9.80"))},
			{"Bean stew", "white beans, kale, preserved lemon (S)", "10.00"},
			cs.Since(n, dish{"Beet soup", "sour cream, dill, a boiled egg (M, E)", "8.50"}, cs.At(16, dish{"Nettle soup", "potato, sour cream, chive oil (M)", "8.75"})),
		}
		pan := []dish{
			{"Pollock in oat flakes", cs.Since(n, "caper butter, new potatoes (F, M)", cs.At(21, "caper butter, new potatoes (F, G, M)")), "15.50"},
			{"Mushroom pancake", "three kinds from stall 12, soft cheese (G, M, E)", "12.00"},
			{"Liver and onions", "apple, mash, only on Fridays (M)", "13.00"},
		}
		sweet := []dish{{"Rice pudding", "rhubarb, burnt sugar (M)", "6.00"}, {"Walnut tart", "as long as it lasts (G, M, E, N)", "5.50"}}
		return fill(menuLayout, "crumb", n.Hex(30), "version", between(n, 100, 999), "css", n.Hex(12), "announcement", cs.Pick(n, "Bring your own jar and save the planet a cup", "Follow us for what is on the stove", "Gift cards? Ask at the till"), "key", n.Hex(8),
			"button", cs.Pick(n, "Catering", "Feed my team", "Order for the office"), "section", n.Hex(24), "block", n.Hex(20), "block2", n.Hex(20),
			"song", cs.Pick(n, "“Harbour Lights”, The Paper Boats", "“Tin Roof Rain”, Odile Marchetti", "“Slow Ferry”, Brass & Bellows", "“Sunday Shoes”, Hector Quill", "“Oh, Marjoram”, The Allotments"),
			"section2", n.Hex(24), "pot", dishes(pot), "pan", dishes(pan), "sweet", dishes(sweet), "close", cs.Since(n, "15:00", cs.At(33, "15:30")),
			"photos", cs.Each(cs.Some(n, 4, "Steam on a Tuesday", "Hands and dough", "The queue at noon", "Radishes, very pink", "Ana and the big spoon", "A dog who waited", "Crumbs"), func(s string) string {
				return fmt.Sprintf(`<figure class="gallery-grid-item"><img data-image-id="%s" src="https://img.pages.example/%s.jpg?format=750w" alt="%s"><figcaption>%s · ♥ %d</figcaption></figure>`, n.Hex(12), n.Hex(8), s, s, 20+n.IntN(300))
			}), "said", cs.Pick(n, "“The best stool in town.” Osterby Courier", "“I came for salt and stayed for soup.” a guest", "“Small, loud, right.” Pepper & Post"),
			"day", today(n).Format("Monday, January 2"), "bowls", creeping(n, 88_400, 118), "letter", cs.Pick(n, "One mail a month, with a recipe.", "A recipe in your inbox, monthly."), "cookies", cs.Pick(n, "We use cookies. The other kind is at the till.", "By using this website, you agree to our use of cookies."))
	}}
}
