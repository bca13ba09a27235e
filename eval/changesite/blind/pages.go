package blind

import (
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

func press() *cs.Page {
	return &cs.Page{Path: "/press/2026/merger", Type: "article", Render: func(n *cs.Run) string {
		return frame(n, "Fernhill and Mossgrove to merge", w(`<div class="c-article"><h1 class="c-article__title">%s</h1><div class="c-article__meta"><span>%s</span><span>%s</span><span>%d comments</span></div>
<div class="c-article__body"><p>The two nurseries will join under one roof by the end of the year. Together they employ %s people at nine sites.</p>
<p>“%s,” said the managing director, Aoife Brennan. The brand Mossgrove stays on the shelves.</p><div class="c-share">Share: %d</div>
<p>Shareholders vote on <time datetime="%s">%s</time>; the regulator has until autumn to object.</p>%s</div></div>
<div class="c-related"><h2>You might be interested in</h2><ul>%s</ul></div>`,
			cs.Since(n, "Fernhill and Mossgrove to merge", cs.At(30, "Fernhill and Mossgrove merge")), cs.Pick(n, "4 min read", "4 min read"), cs.Pick(n, "2 days ago", "Tuesday", "3 days ago"), 12, cs.Since(n, "640", cs.At(11, "460")),
			cs.Since(n, "We grow better together", cs.At(26, "We will grow better together")), n.IntN(300), n.Hex(6), cs.Since(n, "9 June", cs.At(18, "16 June")),
			cs.Since(n, "", cs.At(37, "<p>Correction: Mossgrove has four sites, not five.</p>")), cs.Each(cs.Some(n, 3, "How to prune roses", "Our new greenhouse", "Peat free by 2030", "Meet the growers", "Moss on lawns"), func(s string) string {
				return w(`<li><a href="/a/%s?src=rel">%s</a></li>`, strings.ReplaceAll(strings.ToLower(s), " ", "-"), s)
			})))
	}}
}

func seedling() *cs.Page {
	price := func(n *cs.Run) float64 { return cs.Since(n, 12.95, cs.At(7, 11.95), cs.At(8, 12.95)) }
	return &cs.Page{
		Path: "/shop/quince", Type: "product", Schema: `{"type":"object","properties":{"sku":{"type":"string"},"price":{"type":"number"},"sizes":{"type":"array","items":{"type":"object","properties":{"size":{"type":"string"},"stock":{"type":"integer"}}}},"rating":{"type":"number"}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"sku": "QU-7", "price": price(n), "rating": 4.5, "sizes": cs.Shuffled(n, []any{
				map[string]any{"size": "2 litre", "stock": cs.Since(n, 8, cs.At(23, 0))}, map[string]any{"size": "5 litre", "stock": 3}, map[string]any{"size": "10 litre", "stock": 0},
			}...)}
		},
		Render: func(n *cs.Run) string {
			return frame(n, "Japanese quince | Fernhill", w(`<div class="c-product" data-sku="QU-7" data-session="%s"><h1>Japanese quince</h1><div class="c-price"><span class="c-price__currency">€</span><span class="c-price__value">%.2f</span></div>
<div class="c-rating">4.5 out of 5</div><p class="c-urgency">%s</p><form><input type="hidden" name="nonce" value="%s"><ul class="c-sizes">%s</ul><button class="c-btn">%s</button></form>
<h2>Care</h2><ul class="c-care">%s</ul><p>Delivery: %s</p><p>Article number QU-7 · plant passport %s</p></div>`, n.Hex(10), price(n),
				cs.Pick(n, "Selling fast: 31 bought in the last day", "14 people looked at this in the past hour", "Trending: 52 sold this week"), n.Hex(24),
				cs.Each([]string{"2 litre: " + cs.Since(n, "8 left", cs.At(23, "sold out")), "5 litre: 3 left", "10 litre: sold out"}, func(s string) string { return "<li>" + s + "</li>" }),
				cs.Pick(n, "Add to basket", "Into the basket", "Order now"), cs.Each(cs.Shuffled(n, "Full sun", cs.Since(n, "Water weekly", cs.At(15, "Water twice a week")), "Hardy to -20 °C"), func(s string) string { return "<li>" + s + "</li>" }),
				cs.Since(n, "2 to 4 working days", cs.At(34, "3 to 5 working days")), "IE-0042"))
		},
	}
}

func catalogue() *cs.Page {
	type course struct{ code, name, seats, term string }
	return &cs.Page{Path: "/courses", Type: "listing", Render: func(n *cs.Run) string {
		list := []course{
			{"BIO101", "Botany for beginners", "24 places", "Spring"},
			{"BIO204", cs.Since(n, "Soil and roots", cs.At(1, "Soils and roots")), "18 places", "Autumn"},
			{"ECO110", "Hedges and verges", cs.Since(n, "30 places", cs.At(21, "31 places")), "Spring"},
			{"ECO330", "Peatlands", "12 places", cs.Since(n, "Summer", cs.At(28, "Autumn"))},
			{"GEN150", "Seeds", "40 places", "Autumn"},
		}
		list = cs.Since(n, list, cs.At(12, list[:4]), cs.At(13, append(list[:4:4], course{"GEN151", "Seeds and cuttings", "36 places", "Autumn"})))
		return frame(n, "Courses", w(`<h1>Courses</h1><p>%d courses, sorted by %s</p><ul class="c-list c-list--cards">%s</ul>`, len(list), "relevance", cs.Each(cs.Shuffled(n, list...), func(c course) string {
			return w(`<li class="c-list__item" id="i%s"><a href="/courses/%s?ref=%s"><strong>%s</strong> %s</a><dl><dt>Places</dt><dd>%s</dd><dt>Term</dt><dd>%s</dd></dl><span class="c-badge">%d watching</span></li>`,
				n.Hex(4), strings.ToLower(c.code), n.Hex(9), c.code, c.name, c.seats, c.term, n.IntN(50))
		})))
	}}
}

func reference() *cs.Page {
	return &cs.Page{Path: "/docs/api/plants", Type: "docs", Render: func(n *cs.Run) string {
		return frame(n, "Plants API", w(`<div class="c-doc"><h1>Plants API</h1><p class="c-doc__updated">Page updated %s</p><h2 id="list">List plants</h2><pre><code>GET /v%s/plants?limit=%s
Authorization: Bearer TOKEN</code></pre><p>Answers with at most %s plants.</p><table class="c-table"><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>%s</tbody></table>
<h2>Errors</h2><p>See the <a href="%s">list of errors</a>. %d developers found this useful.</p></div>`, cs.Pick(n, "3 days ago", "last week", "5 days ago"), cs.Since(n, "2", cs.At(32, "3")), "50", cs.Since(n, "100", cs.At(9, "200")),
			cs.Each(cs.Shuffled(n, [][3]string{{"id", "string", "Identifier"}, {"height", cs.Since(n, "integer", cs.At(19, "number")), "In centimetres"}, {"hardy", "boolean", "Survives frost"}}...), func(r [3]string) string {
				return w("<tr><td><code>%s</code></td><td>%s</td><td>%s</td></tr>", r[0], r[1], r[2])
			}), cs.Since(n, "/docs/errors", cs.At(36, "/docs/api/errors")), n.IntN(90)))
	}}
}

func questions() *cs.Page {
	type answer struct{ who, text string }
	return &cs.Page{Path: "/q/77", Type: "thread", Render: func(n *cs.Run) string {
		all := []answer{{"rhona", cs.Since(n, "Cut them back in late winter.", cs.At(16, "Cut them back in early spring."))}, {"ben_k", "Feed with seaweed twice in summer."}}
		all = append(all, cs.Since(n, nil, cs.At(4, []answer{{"ivo", "Mine only flowered in the third year."}}), cs.At(25, []answer{{"ivo", "Mine only flowered in the third year."}, {"rhona", "Patience helps as well."}}))...)
		return plain(n, "Why does my quince not flower?", w(`<h1>Why does my quince not flower?</h1><p>Asked by lorcan, viewed %d times</p>%s<h3>%s</h3><p><b>Who is online:</b> %s</p>`, 2000+n.IntN(3000), cs.Each(cs.Shuffled(n, all...), func(a answer) string {
			return w(`<article class="answer" data-score="%d"><p class="score">%d votes</p><p>%s</p><footer>answered by %s, %s</footer></article>`, n.IntN(40), n.IntN(40), a.text, a.who, cs.Pick(n, "2 h ago", "yesterday", "Monday"))
		}), cs.Since(n, "Open question", cs.At(38, "Closed question")), strings.Join(cs.Some(n, 3, "rhona", "ben_k", "lorcan", "ivo", "tess", "mads"), ", ")))
	}}
}

func lecture() *cs.Page {
	return &cs.Page{Path: "/events/moss.html", Type: "event", Render: func(n *cs.Run) string {
		return plain(n, "Lecture: the secret life of moss", w(`<h2>The secret life of moss</h2><table border="1"><tr><td>Speaker</td><td>%s</td></tr><tr><td>When</td><td>%s</td></tr><tr><td>Where</td><td>%s</td></tr><tr><td>Fee</td><td>%s</td></tr></table>
<p>%s</p><p>Countdown: %d days, %d hours</p><p>Current local time is %02d:%02d.</p>`, cs.Since(n, "Dr Tamsin Hale", cs.At(20, "Prof Tamsin Hale")), cs.Since(n, "Thursday 14 May 2026, 18:30", cs.At(6, "Thursday 21 May 2026, 18:30"), cs.At(7, "Thursday 21 May 2026, 19:00")),
			cs.Since(n, "Room 2.14", cs.At(29, "Room 2.41")), cs.Since(n, "free", cs.At(35, "£5")), "Please bring a magnifying glass.", n.IntN(90), n.IntN(24), n.IntN(24), n.IntN(60)))
	}}
}

func careers() *cs.Page {
	type job struct{ title, team, where string }
	return &cs.Page{Path: "/careers", Type: "jobs", Render: func(n *cs.Run) string {
		list := []job{{"Head gardener", "Estate", "Cork"}, {"Data engineer", "Platform", cs.Since(n, "Remote", cs.At(14, "Dublin"))}, {"Driver", "Logistics", "Faro"}, {"Botanist", "Research", "Cork"}}
		list = cs.Since(n, list, cs.At(5, list[:3]), cs.At(24, append(list[:3:3], job{"Beekeeper", "Estate", "Cork"})), cs.At(39, append(list[1:3:3], job{"Beekeeper", "Estate", "Cork"})))
		return frame(n, "Careers", w(`<h1>Work with us</h1><div class="c-jobs">%s</div><p class="c-hint">%d people have applied in the last week</p>`, cs.Each(cs.Shuffled(n, list...), func(j job) string {
			return w(`<a class="c-job" href="/careers/%s?gh_src=%s"><div class="c-job__title">%s</div><div class="c-job__team">%s</div><div class="c-job__place">%s</div><div class="c-job__age">%d d</div></a>`,
				strings.ToLower(strings.ReplaceAll(j.title, " ", "-")), n.Hex(9), j.title, j.team, j.where, 3)
		}), n.IntN(200)))
	}}
}

func plans() *cs.Page {
	return &cs.Page{
		Path: "/pricing", Type: "table", Schema: `{"type":"object","properties":{"plans":{"type":"array","items":{"type":"object","properties":{"plan":{"type":"string"},"monthly":{"type":"number"},"seats":{"type":"integer"}}}},"updated":{"type":"string","format":"date"}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"updated": cs.Pick(n, "2026-02-01", "1 Feb 2026"), "plans": cs.Shuffled(n, []any{
				map[string]any{"plan": "Seed", "monthly": 0, "seats": 1}, map[string]any{"plan": "Sprout", "monthly": cs.Since(n, 9.0, cs.At(10, 10.0)), "seats": cs.Since(n, 5, cs.At(33, 3))}, map[string]any{"plan": "Tree", "monthly": 49, "seats": 50},
			}...)}
		},
		Render: func(n *cs.Run) string {
			return frame(n, "Pricing", w(`<h1>Pricing</h1><div class="c-plans">%s</div><h2>Questions</h2><details><summary>Can I cancel?</summary><p>%s</p></details><p>Rates as of %02d:%02d today</p>`, cs.Each([][4]string{
				{"Seed", "$0", "1 seat", "Mail support"}, {"Sprout", cs.Since(n, "$9", cs.At(10, "$10")), cs.Since(n, "5 seats", cs.At(33, "3 seats")), cs.Since(n, "Mail support", cs.At(22, "Chat support"))}, {"Tree", "$49", "50 seats", "Phone support"},
			}, func(p [4]string) string {
				return w(`<div class="c-plan"><h3>%s</h3><p class="c-plan__price"><b>%s</b> / month</p><ul><li>%s</li><li>%s</li></ul><a class="c-btn" href="/signup?plan=%s&amp;v=%d">%s</a></div>`, p[0], p[1], p[2], p[3], strings.ToLower(p[0]), n.IntN(1e6), cs.Pick(n, "Start", "Get started", "Try it"))
			}), cs.Since(n, "Yes, at any time.", cs.At(27, "Yes, at the end of each month.")), n.IntN(24), n.IntN(60)))
		},
	}
}

func uptime() *cs.Page {
	return &cs.Page{Path: "/status.html", Type: "status", Render: func(n *cs.Run) string {
		return plain(n, "Status", w(`<h1>%s</h1><table><tr><th>Service</th><th>State</th><th>Latency</th><th>Last check</th></tr>%s</table><h2>History</h2><ul>%s</ul>`, cs.Since(n, "Everything works", cs.At(3, "There are problems"), cs.At(4, "Everything works")),
			cs.Each([][2]string{{"Shop", cs.Since(n, "up", cs.At(17, "slow"))}, {"Search", "up"}, {"Mail", cs.Since(n, "up", cs.At(31, "down"), cs.At(32, "up"))}}, func(s [2]string) string {
				return w("<tr><td>%s</td><td>%s</td><td>%d ms</td><td>%02d:%02d</td></tr>", s[0], s[1], 10+n.IntN(400), n.IntN(24), n.IntN(60))
			}), cs.Each(cs.Since(n, []string{"2026-01-09 Search was down for ten minutes."}, cs.At(40, []string{"2026-03-09 Mail was late.", "2026-01-09 Search was down for ten minutes."})), func(s string) string { return "<li>" + s + "</li>" })))
	}}
}

func releases() *cs.Page {
	return &cs.Page{Path: "/releases", Type: "changelog", Render: func(n *cs.Run) string {
		entry := func(version, date, text string) string {
			return w(`<section class="c-release"><h2>%s <small>%s</small></h2><div class="c-release__body"><p>%s</p></div><div class="c-release__stats">%d downloads · ★ %d</div></section>`, version, date, text, n.IntN(9000), n.IntN(500))
		}
		return frame(n, "Releases", `<h1>Releases</h1>`+cs.Since(n, "", cs.At(2, entry("5.2", "1 March 2026", "Faster search.")), cs.At(22, entry("5.3", "2 April 2026", "Dark theme.")+entry("5.2", "1 March 2026", "Faster search.")))+
			entry("5.1", cs.Since(n, "3 February 2026", cs.At(12, "4 February 2026")), cs.Since(n, "Import from spreadsheets.", cs.At(37, "Import from spreadsheets and calendars."))))
	}}
}
