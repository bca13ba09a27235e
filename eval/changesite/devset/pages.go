package devset

import (
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

func article() *cs.Page {
	return &cs.Page{Path: "/news/tram", Type: "article", Render: func(n *cs.Run) string {
		return around(n, "Tram line 9 opens", p(`<article><h1>%s</h1><p class="byline">By Ines Carvalho · <time>%d hours ago</time> · %d views</p>
<p>The city council has approved the new tram line along the river. Construction took %s years and cost more than was planned.</p>
<p class="x%s">The first tram leaves the depot at six in the morning. Tickets can be bought %s at every stop.</p>
<div class="ad"><p>%s</p></div>
<p>Residents of the old port welcomed the decision, while shop owners fear for their parking spaces.</p>
<h2>What comes next</h2><p>The council will vote on the extension to the airport on %s.</p>%s
<p class="share">%d shares</p></article>`,
			cs.Since(n, "Tram line 9 opens to the public", cs.At(23, "Tram line 9 opens to passengers")), 1+n.IntN(20), n.IntN(9000),
			cs.Since(n, "four", cs.At(7, "five")), n.Hex(6), cs.Pick(n, "", " "),
			cs.Pick(n, "Win a cruise with Atlantic Lines", "Buy gold now, safely", "Hearing aids for less"),
			cs.Since(n, "12 May 2027", cs.At(31, "19 May 2027")),
			cs.Since(n, "", cs.At(36, "<p>Update from the editors: an earlier version named the wrong depot.</p>")), n.IntN(400)))
	}}
}

func product() *cs.Page {
	price := func(n *cs.Run) float64 {
		return cs.Since(n, 1299.0, cs.At(1, 1249.0), cs.At(2, 1199.0), cs.At(20, 1199.5))
	}
	stock := func(n *cs.Run) string { return cs.Since(n, "In stock", cs.At(14, "Out of stock")) }
	return &cs.Page{
		Path: "/p/desk", Type: "product", Schema: `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"availability":{"type":"string"},
			"features":{"type":"array","items":{"type":"string"}}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{
				"name": "Standing desk Rana", "price": price(n), "availability": stock(n) + cs.Pick(n, "", " "),
				"features": cs.Shuffled(n, "Solid oak top", "Two motors", "Memory for four heights"),
			}
		},
		Render: func(n *cs.Run) string {
			amount := price(n)
			written := cs.Pick(n, p("%.2f €", amount), p("€%.2f", amount), p("€ %.2f", amount))
			if n.IntN(2) == 0 {
				written = strings.Replace(written, "1", "1,", 1)
			}
			return around(n, "Standing desk Rana", p(`<div class="product" data-id="%d"><h1>Standing desk Rana</h1><div class="price-box"><span class="price">%s</span> <span class="note">incl. VAT</span></div>
<p class="availability">%s</p><p class="fomo">%d people are viewing this right now</p><button data-ab="%s">%s</button>
<h2>Features</h2><ul>%s</ul><h2>Specifications</h2><table><tr><th>Width</th><td>160 cm</td></tr><tr><th>Depth</th><td>80 cm</td></tr><tr><th>Weight</th><td>42 kg</td></tr></table>
<h2>You may also like</h2><div class="grid">%s</div><p>Offer ends in %02d:%02d:%02d</p></div>`,
				n.IntN(1e6), written, stock(n), 2+n.IntN(40), cs.Pick(n, "a", "b"), cs.Pick(n, "Add to cart", "Buy it now"),
				cs.Each(cs.Shuffled(n, "Solid oak top", "Two motors", "Memory for four heights"), func(s string) string { return "<li>" + s + "</li>" }),
				cs.Each(cs.Some(n, 3, "Lamp Iva 89 €", "Chair Tolo 249 €", "Mat Soft 39 €", "Tray Neo 29 €", "Shelf Una 119 €"), func(s string) string {
					return `<div class="card"><a href="/p/` + n.Hex(4) + `">` + s + `</a></div>`
				}), n.IntN(24), n.IntN(60), n.IntN(60)))
		},
	}
}

func listing() *cs.Page {
	type item struct{ name, price, note string }
	return &cs.Page{Path: "/shop/lamps", Type: "listing", Render: func(n *cs.Run) string {
		items := []item{
			{"Lamp Iva", "89.00 €", "In stock"},
			{"Lamp Oro", cs.Since(n, "120.00 €", cs.At(11, "121.00 €")), "In stock"},
			{"Lamp Sol", "45.00 €", cs.Since(n, "In stock", cs.At(18, "Sold out"))},
			{"Lamp Nox", "210.00 €", "Ships in 3 days"},
			{"Lamp Eos", "64.50 €", "In stock"},
			{"Lamp Ura", "33.00 €", "In stock"},
		}
		items = append(items, cs.Since(n, []item{}, cs.At(29, []item{{"Lamp Pyr", "75.00 €", "In stock"}}))...)
		items[4] = cs.Since(n, items[4], cs.At(33, item{"Lamp Rex", "67.00 €", "In stock"}))
		return around(n, "Lamps", p(`<h1>Lamps</h1><p>Sorted by popularity</p><div class="products">%s</div>`, cs.Each(cs.Shuffled(n, items...), func(i item) string {
			return p(`<article class="card" data-pos="%d"><a href="/p/%s?pos=%d&amp;sid=%s"><h3>%s</h3></a><span class="price">%s</span><span class="stock">%s</span><span>%d views today</span></article>`,
				n.IntN(99), strings.ToLower(strings.ReplaceAll(i.name, " ", "-")), n.IntN(99), n.Hex(12), i.name, i.price, i.note, n.IntN(500))
		})))
	}}
}

func documentation() *cs.Page {
	return &cs.Page{Path: "/docs/install", Type: "docs", Render: func(n *cs.Run) string {
		return around(n, "Install the agent", p(`<h1>Install the agent</h1><p>Last updated: %d minutes ago</p><section><h2>Requirements</h2><p>You need Linux with kernel %s or later and 512 MB of memory.</p></section>
<section><h2>Steps</h2><ol><li>Download the archive.</li><li>%s the archive to /opt.</li><li>Run the installer.</li></ol><pre><code>curl -O https://get.example/agent.tgz
./install --port %s
</code></pre></section><section><h2>Help</h2><p>Ask in the <a href="%s">forum</a> or write to us.</p></section>
<p>Was this page helpful? %d of %d readers liked it.</p>`, 1+n.IntN(59), cs.Since(n, "5.4", cs.At(9, "5.10")), cs.Since(n, "Unpack", cs.At(21, "Extract")), cs.Since(n, "8080", cs.At(27, "8443")),
			cs.Since(n, "/forum/agent", cs.At(34, "/community/agent"))+"?utm_source=docs&amp;_="+p("%d", 1_700_000_000+n.IntN(1e6)), n.IntN(90), 100+n.IntN(90)))
	}}
}

func thread() *cs.Page {
	type post struct{ who, text string }
	return &cs.Page{Path: "/forum/t/88", Type: "thread", Render: func(n *cs.Run) string {
		posts := []post{
			{"mara", "Does anybody know how to oil an oak table without stains?"},
			{"jules", cs.Since(n, "Use hard wax oil and a lint free cloth.", cs.At(12, "Use hard wax oil and a lint free cloth, twice."))},
			{"oskar", "Sand it with 240 grit first, then wipe it."},
		}
		posts = append(posts, cs.Since(n, nil, cs.At(5, []post{{"petra", "Thanks, that worked for mine."}}), cs.At(6, []post{{"petra", "Thanks, that worked for mine."}, {"mara", "Great, I will try it on Sunday."}}),
			cs.At(26, []post{{"mara", "Great, I will try it on Sunday."}}))...)
		return around(n, "Oiling oak", p(`<h1>Oiling an oak table</h1><p class="meta">Views: %d · Users online: %d</p>%s`, 500+n.IntN(900), n.IntN(60), cs.Each(posts, func(p0 post) string {
			return p(`<div class="post" id="p%d"><div class="author">%s</div><div class="when">%d days ago</div><div class="body"><p>%s</p></div><div class="likes">%d likes</div></div>`,
				n.IntN(1e6), p0.who, 1+n.IntN(30), p0.text, n.IntN(30))
		})))
	}}
}

func event() *cs.Page {
	return &cs.Page{Path: "/events/fair", Type: "event", Render: func(n *cs.Run) string {
		return around(n, "Craft fair", p(`<h1>Craft fair at the old port</h1><dl><dt>Date</dt><dd>%s</dd><dt>Doors</dt><dd>%s</dd><dt>Place</dt><dd>%s</dd><dt>Tickets</dt><dd>%s</dd></dl>
<p>%d people are interested</p><p>Starts in %d days</p><h2>Exhibitors</h2><ul>%s</ul>`,
			cs.Since(n, "Saturday, 3 October 2026", cs.At(8, "Saturday, 10 October 2026")), cs.Since(n, "10:00", cs.At(16, "9:30")), cs.Since(n, "Hall 4", cs.At(25, "Hall 5")), cs.Since(n, "available", cs.At(39, "sold out")),
			100+n.IntN(300), n.IntN(60), cs.Each(cs.Shuffled(n, "Karo Ceramics", "Baltic Linen", "Tin Soldier Works", "Bee & Barrel"), func(s string) string { return "<li>" + s + "</li>" })))
	}}
}

func jobs() *cs.Page {
	type job struct{ title, city, pay string }
	return &cs.Page{Path: "/jobs", Type: "jobs", Render: func(n *cs.Run) string {
		all := []job{{"Backend engineer", "Berlin", "70,000 €"}, {"Product designer", cs.Since(n, "Lisbon", cs.At(10, "Porto")), "52,000 €"}, {"Accountant", "Remote", cs.Since(n, "48,000 €", cs.At(19, "50,000 €"))}}
		all = append(all, cs.Since(n, []job{{"Warehouse lead", "Hamburg", "39,000 €"}}, cs.At(15, []job{}), cs.At(38, []job{{"Store manager", "Hamburg", "45,000 €"}}))...)
		return around(n, "Jobs", p(`<h1>Open positions</h1><ul class="jobs">%s</ul><p>%d candidates viewed these jobs today</p>`, cs.Each(cs.Shuffled(n, all...), func(j job) string {
			return p(`<li><h3><a href="/jobs/%s?t=%d">%s</a></h3><p>%s · %s</p><p>posted %d days ago</p></li>`, strings.ReplaceAll(strings.ToLower(j.title), " ", "-"), n.IntN(1e9), j.title, j.city, j.pay, 1+n.IntN(20))
		}), n.IntN(1000)))
	}}
}

func prices() *cs.Page {
	type row struct{ name, a, b string }
	return &cs.Page{
		Path: "/rates", Type: "table", Schema: `{"type":"object","properties":{"rates":{"type":"array","items":{"type":"object","properties":{"city":{"type":"string"},"letter":{"type":"number"},"parcel":{"type":"number"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"rates": cs.Shuffled(n, []any{
				map[string]any{"city": "Inland", "letter": cs.Since(n, 0.95, cs.At(4, 1.0)), "parcel": 5.49},
				map[string]any{"city": "Europe", "letter": 1.25, "parcel": cs.Since(n, 11.9, cs.At(17, 12.9))},
				map[string]any{"city": "World", "letter": 1.8, "parcel": cs.Since(n, 24.0, cs.At(30, 25.0), cs.At(31, 24.0))},
			}...)}
		},
		Render: func(n *cs.Run) string {
			rows := []row{
				{"Inland", cs.Since(n, "0.95 €", cs.At(4, "1.00 €")), "5.49 €"},
				{"Europe", "1.25 €", cs.Since(n, "11.90 €", cs.At(17, "12.90 €"))},
				{"World", "1.80 €", cs.Since(n, "24.00 €", cs.At(30, "25.00 €"), cs.At(31, "24.00 €"))},
			}
			return around(n, "Rates", p(`<h1>Postal rates</h1><p>As of %02d:%02d, prices in euro.</p><table><thead><tr><th>Zone</th><th>Letter</th><th>Parcel</th></tr></thead><tbody>%s</tbody></table>`, n.IntN(24), n.IntN(60),
				cs.Each(cs.Shuffled(n, rows...), func(r row) string { return p(`<tr><td>%s</td><td>%s</td><td>%s</td></tr>`, r.name, r.a, r.b) })))
		},
	}
}

func status() *cs.Page {
	return &cs.Page{Path: "/status", Type: "status", Render: func(n *cs.Run) string {
		services := [][2]string{{"API", cs.Since(n, "Operational", cs.At(13, "Degraded performance"), cs.At(14, "Operational"))}, {"Dashboard", "Operational"}, {"Webhooks", cs.Since(n, "Operational", cs.At(24, "Major outage"))}}
		return around(n, "Status", p(`<h1>System status</h1><div class="status-banner">%s</div><p>Last checked %d seconds ago · response time %d ms</p>%s<h2>Past incidents</h2>%s`,
			cs.Since(n, "All systems operational", cs.At(24, "Some systems are down")), n.IntN(60), 20+n.IntN(200), cs.Each(services, func(s [2]string) string {
				return p(`<div class="component"><div class="name">%s</div><div class="state">%s</div></div>`, s[0], s[1])
			}), cs.Since(n, "", cs.At(35, "<p>3 June 2026: webhooks were delayed by a full disk.</p>"))))
	}}
}

func changelog() *cs.Page {
	return &cs.Page{Path: "/changelog", Type: "changelog", Render: func(n *cs.Run) string {
		return around(n, "Changelog", p(`<h1>Changelog</h1>%s<h2>2.3.1</h2><ul><li>%s</li><li>Removed the old importer.</li></ul><h2>2.3.0</h2><ul><li>Added dark mode.</li></ul><p>Build %s, cached %d min ago</p>`,
			cs.Since(n, "", cs.At(3, `<h2>2.4.0</h2><ul><li>New editor.</li></ul>`), cs.At(22, `<h2>2.4.1</h2><ul><li>New editor.</li></ul>`), cs.At(28, `<h2>2.4.1</h2><ul><li>New editor.</li><li>Fixed printing.</li></ul>`)),
			cs.Since(n, "Fixed a crash on start.", cs.At(37, "Fixed a crash on exit.")), n.Hex(10), n.IntN(50)))
	}}
}
