package sealed

import (
	"fmt"
	"slices"
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// machine is an article on the shelf.
type machine struct {
	name, maker, stock string
	pence              int
}

func (m machine) price() string { return thousands(m.pence/100) + fmt.Sprintf(".%02d", m.pence%100) }

// shelf is a category of a shop that sorts by "relevance", which is another order in each answer, with a sponsored place in it.
func (h hours) shelf() *cs.Page {
	machines := func(n *cs.Run) []machine {
		all := []machine{
			{"Lucia One", "Bellotti", "In stock", cs.Since(n, 54900, cs.At(5, 49900))},
			{"Lucia Duo", "Bellotti", "In stock", cs.Since(n, 124900, cs.At(40, 124500))},
			{"Brava Manuale", "Torrefatto", "In stock", 38900},
			{"Compact S", "Hartwig", cs.Since(n, "In stock", cs.At(19, "Sold out")), 21900},
			{"Compact XL", "Hartwig", "Delivery in 2 weeks", 32950},
			{"Velvet Pro", "Okafor & Lind", "In stock", 189000},
		}
		all = append(all, cs.Since(n, []machine{{"Pixie", "Hartwig", "In stock", 14900}}, cs.At(27, []machine{}))...)
		return append(all, cs.Since(n, []machine{}, cs.At(6, []machine{{"Velvet Mini", "Okafor & Lind", "In stock", 99500}}))...)
	}
	return &cs.Page{
		Path: "/kitchen/espresso-machines.html", Type: "listing",
		Schema: `{"type":"object","properties":{"products":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"maker":{"type":"string"},
			"price":{"type":"number"},"stock":{"type":"string"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			products := []any{}
			for _, m := range machines(n) {
				products = append(products, map[string]any{"name": m.name, "maker": m.maker, "price": float64(m.pence) / 100, "stock": m.stock})
			}
			return map[string]any{"products": products}
		},
		Render: func(n *cs.Run) string {
			c := n.Calmly()
			session := strings.ToUpper(n.Hex(20))
			all := machines(n)
			places := []string{}
			for at, m := range cs.Shuffled(n, all...) {
				places = append(places, fill(`<li class="item product product-item" data-position="{{at}}">
 <strong class="product-item-name"><a {{link}}>{{maker}} {{name}}</a></strong>
 <span class="price-wrapper" id="product-price-{{id}}"><span class="price">€{{price}}</span></span>
 <div class="stock">{{stock}}</div><div class="hint">{{views}} views since midnight</div>
 <a href="/compare/add;jsessionid={{session}}?uenc={{uenc}}" class="tocompare">Compare</a>
</li>
`, "at", fmt.Sprint(at+1), "link", attributes(n, `class="product-item-link"`, `href="/`+slug(m.maker+" "+m.name)+`.html;jsessionid=`+session+`"`, `rel="bookmark"`),
					"maker", m.maker, "name", m.name, "id", between(n, 1000, 9999), "price", m.price(), "stock", m.stock, "views", between(n, 4, 190), "session", session, "uenc", n.Hex(14)))
			}
			places = slices.Insert(places, n.IntN(len(places)+1), fill(`<li class="item product-item sponsored"><span class="tag">Sponsored</span><a href="https://click.example.org/{{click}}">{{advert}}</a></li>
`, "click", n.Hex(18), "advert", cs.Pick(n, "Roasted on Monday, at yours on Wednesday: Quay Beans", "Grind finer: the Molino 64 hand mill", "Descaler without the smell", "Barista evening class, first lesson free", "Oat milk by the crate", "Cups that keep their heat: Studio Aarde")))
			return fill(`<!doctype html>
<html lang="en">
<head><title>Espresso machines - Keukenhuis</title>
<link rel="stylesheet" type="text/css" media="all" href="/static/version{{deploy}}/frontend/styles.min.css">
<script>var BASE_URL='https://keukenhuis.example/';require={formKey:"{{key}}"};</script></head>
<body data-container="body" class="catalog-category-view page-{{body}}">
<div class="page-wrapper">
<header class="page-header"><div class="panel header"><span class="greet welcome">{{greeting}}</span> <span class="today">{{today}}</span></div>
<a class="logo" href="/;jsessionid={{session}}">Keukenhuis</a>
<div class="minicart-wrapper"><span class="counter qty">{{cart}}</span></div>
<form class="minisearch" action="/search"><input name="q" placeholder="{{placeholder}}"><input type="hidden" name="form_key" value="{{key}}"></form></header>
<div class="hero hero--{{slide}}"><h2>{{hero}}</h2><a href="/campaign/{{slide}}">{{call}}</a></div>
<div class="breadcrumbs"><ul><li><a href="/">Home</a></li><li><a href="/kitchen">Kitchen</a></li><li>Espresso machines</li></ul></div>
<div class="columns">
<main class="column main">
<h1 class="page-title"><span>Espresso machines</span></h1>
<div class="category-description"><p>From the first lever to the double boiler: every machine here has been on our own counter for a month.</p></div>
<div class="toolbar"><p class="toolbar-amount">{{amount}} items</p><p class="toolbar-time">found in {{seconds}} seconds</p></div>
<ol class="products list items product-items">
{{places}}</ol>
</main>
<div class="sidebar">
<div class="block filter"><strong>Filter by maker</strong><ol>{{makers}}</ol></div>
<div class="block related"><strong>Recently viewed by others</strong><ol>{{recent}}</ol></div>
<div class="block searches"><strong>People search for</strong><p>{{searches}}</p></div>
<div class="block banner" id="banner-{{banner}}"><small>Ad</small><p>{{banner-text}}</p></div>
<div class="block poll"><strong>Poll: how do you take yours?</strong><p>Black {{black}}%, with milk {{milk}}%. {{votes}} votes so far.</p></div>
</div>
</div>
<footer class="page-footer"><p>{{online}} visitors are in the shop at this moment. Counter open since 2011: {{visitors}} visits.</p>
<p>Page built {{clock}} CET on {{node}}, 1 EUR = {{dollar}} USD</p><p>Keukenhuis BV, Utrecht</p></footer>
</div></body></html>`,
				"deploy", between(n, 1_772_000_000, 1_772_999_999), "key", n.Hex(16), "body", n.Hex(6),
				"greeting", cs.Pick(n, "Welcome!", "Good to see you", "Hello, coffee lover", "Sign in for your wish list"), "today", h.now(c).Format("Monday 2 January 2006"),
				"session", session, "cart", cs.Pick(n, "", "", "1", "2"), "placeholder", cs.Pick(n, "Search the whole shop", "What are you looking for?", "Try: milk jug"),
				"slide", n.Hex(4), "hero", cs.Pick(n, "Spring is for stainless steel", "Knives that outlive their drawers", "The bread edit", "Cast iron weeks", "A table for eight", "Enamel, as at grandmother's"),
				"call", cs.Pick(n, "Look inside", "Discover", "See them all", "Shop the story"),
				"amount", fmt.Sprint(len(all)), "seconds", decimal(n, 3, 12, 480), "places", strings.Join(places, ""),
				"makers", cs.Each(cs.Shuffled(n, "Bellotti", "Torrefatto", "Hartwig", "Okafor & Lind"), func(maker string) string {
					return `<li><a href="?maker=` + slug(maker) + `&amp;_=` + n.Hex(5) + `">` + strings.ReplaceAll(maker, "&", "&amp;") + "</a></li>"
				}),
				"recent", cs.Each(cs.Some(n, 3, "Milk thermometer", "Knock box", "Tamper 58 mm", "Glass jug", "Drip scale", "Bean jar", "Cleaning brush", "Group gasket"), tag("li")),
				"searches", strings.Join(cs.Some(n, 4, "moka pot", "pour over", "crema", "filter paper", "latte art", "hand mill", "cold brew", "demitasse"), ", "),
				"banner", n.Hex(7), "banner-text", cs.Pick(n, "Rent a canal boat for the weekend", "Your kitchen, measured free", "Hearing test at Van Dam", "Green power from the dike", "Learn Dutch on the train", "Second-hand design lamps"),
				"black", between(c, 38, 46), "milk", between(c, 47, 53), "votes", h.count(c, 1904, 7),
				"online", between(n, 40, 260), "visitors", h.count(n, 8_214_500, 310), "clock", h.now(n).Add(hour).Format("2006-01-02 15:04:05"), "node", "web"+between(n, 1, 12), "dollar", decimal(c, 4, 10_790, 10_910))
		},
	}
}
