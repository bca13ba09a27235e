package lantern

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// flat is a flat for rent on a portal, rendered by web components.
func flat() *cs.Page {
	rent := func(n *cs.Run) int { return cs.Since(n, 1180, cs.At(13, 1140)) }
	from := func(n *cs.Run) string { return cs.Since(n, "1 May 2026", cs.At(3, "15 May 2026")) }
	charges := func(n *cs.Run) int { return cs.Since(n, 165, cs.At(29, 185)) }
	return &cs.Page{
		Path: "/rent/48213", Type: "rental listing",
		Schema: `{"type":"object","properties":{"title":{"type":"string"},"rent":{"type":"integer"},"charges":{"type":"integer"},"available_from":{"type":"string"},
"rooms":{"type":"integer"},"area":{"type":"number"}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"title": "Three rooms above the old tannery", "rent": rent(n), "charges": charges(n), "available_from": from(n), "rooms": 3, "area": 74.5}
		},
		Render: func(n *cs.Run) string {
			scope := n.Hex(7)
			item := func(k, v string) string {
				return `<li class="fact" data-v-` + scope + `><span class="fact-label">` + k + `</span><span class="fact-value">` + v + "</span></li>\n"
			}
			return `<!DOCTYPE html><html lang="en" data-n-head="` + n.Hex(6) + `"><head><meta charset="utf-8">
<title>Three rooms above the old tannery, Gerwell | Keyhole Lets</title><link rel="modulepreload" href="/_nuxt/entry.` + n.Hex(8) + `.js"></head>
<body><div id="__nuxt"><div class="app" data-v-` + scope + `><nav class="topnav"><a href="/">Keyhole Lets</a><ul><li><a href="/rent">Rent</a></li><li>
<a href="/buy">Buy</a></li><li><a href="/guides">Guides</a></li><li><a href="/account?rt=` + n.Hex(14) + `">Account</a></li></ul></nav>
<div class="promo-strip">` + cs.Pick(n, "Movers near you: compare five firms", "Home insurance from a name you know", "Need boxes? We have boxes") + `</div>
<main class="listing"><div class="gallery" data-start="` + p("%d", n.IntN(9)) + `">
<img alt="Living room with beams" src="https://img.example/48213/1.webp?sig=` + n.Hex(20) + `">
<img alt="Kitchen" src="https://img.example/48213/2.webp?sig=` + n.Hex(20) + `"></div>
<div class="listing-head"><h1>Three rooms above the old tannery</h1><p class="address">Tanner's Steps 6, Gerwell</p>
<div class="pricebox"><span class="rent">` + p("€%d,%03d", rent(n)/1000, rent(n)%1000) + `</span><span class="per">a month, cold</span></div>
<p class="social"><keyhole-eye></keyhole-eye> ` + p("%d people are viewing this page", 3+n.IntN(30)) + `</p></div>
<ul class="facts">` + item("Rooms", "3") + item("Living area", "74.5 m²") + item("Floor", "2 of 3") + item("Charges", p("€%d a month", charges(n))) + item("Deposit",
				"two months' rent") + item("Free from", from(n)) + item("Pets", cs.Since(n, "on request", cs.At(21, "not allowed"))) + item("Heating", "gas, central") + `</ul>
<section class="description"><h2>About this home</h2><p>A bright flat in the back house, reached through the yard with the walnut tree. The living room has beams of
1822 and windows on both sides. The kitchen was fitted four years ago and stays, with cooker and dishwasher.</p>
<p>The bathroom has a tub and a window. A cellar of six square metres and a place for two bicycles in the yard come with the flat. ` + cs.Since(n, "", cs.At(37,
				"A parking space can be had for €55 a month. ")) + `</p>
<p>Trains to the city go every half hour from Gerwell station, nine minutes on foot. There is a nursery across the street and a market on Wednesdays.</p></section>
<section class="energy"><h2>Energy</h2><table><tr><th>Certificate</th><td>by use</td></tr><tr><th>Demand</th><td>112 kWh per m² and year</td></tr><tr><th>Class</th>
<td>D</td></tr><tr><th>Year of the boiler</th><td>2014</td></tr></table></section>
<section class="contact"><h2>Contact</h2><p>Let by Mrs. Ingeborg Tahl, private owner</p><form><input type="hidden" name="csrf" value="` + n.Hex(32) + `">
<textarea name="message"></textarea><button type="submit">` + cs.Pick(n, "Write to the owner", "Send a message", "Contact now") + `</button></form></section>
</main>
<section class="similar"><h2>Similar homes</h2><div class="cards">` + cs.Each(cs.Some(n, 4, "Loft by the weir|€1,320", "Two rooms with balcony|€890",
				"Garden flat in Oster|€1,050", "Town house, Mill Lane|€1,780", "Studio at the station|€610", "Four rooms, newly painted|€1,410",
				"Attic with a view|€940"), func(s string) string {
				return `<a class="card" href="/rent/` + p("%d", 30000+n.IntN(9000)) + `?rank=` + n.Hex(3) + `">` + teaser(s, "card-title", "card-rent") + "</a>\n"
			}) + `</div></section>
<aside class="calc"><h2>Moving costs</h2><p>` + cs.Pick(n, "Our readers pay less with a fixed quote.", "Ask three firms, then choose.", "Start packing early.") + `</p></aside>
<footer class="foot"><p>Keyhole Lets is a portal and does not own the homes it shows.</p>
<p>` + p("%d homes seen by visitors today, %s", 5000+n.IntN(3000), clock(n)) + `</p><ul><li><a href="/imprint">Imprint</a></li><li>
<a href="/privacy">Privacy</a></li></ul></footer>
<div class="consent"><p>Cookies help us show homes that suit you.</p><button>` + cs.Pick(n, "Fine by me", "Agree", "Accept") + `</button>
<button>Settings</button></div></div></div>
<script>window.__NUXT__={state:"` + n.Hex(24) + `"}</script></body></html>`
		},
	}
}
