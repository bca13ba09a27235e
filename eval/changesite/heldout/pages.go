package heldout

import (
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

func report() *cs.Page {
	return &cs.Page{Path: "/stories/breakwater.html", Type: "article", Render: func(n *cs.Run) string {
		return soup(n, "Breakwater repairs", f(`<h1>Breakwater repairs begin</h1><div>Posted %s by the harbour office, read %d times</div>
<div>Repairs of the northern breakwater begin this autumn. Divers found %s cracks below the waterline, the longest of them %s metres.</div>
<div><a href="https://track.adnet.example/r?c=%d"><b>%s</b></a></div>
<div>Fishing boats will use the inner basin until %s. The work is paid for by the county and costs %s million pounds.</div>
<div>Questions? Call the office on 01700 900%s or read the <a href="/files/plan-%s.pdf?t=%d">plan</a>.</div>
<h3>More from Port Ellery</h3><ul>%s</ul>`,
			cs.Pick(n, "yesterday", "2 days ago", "3 days ago", "last week"), 200+n.IntN(9000), cs.Since(n, "eleven", cs.At(12, "twelve")), cs.Since(n, "4.2", cs.At(3, "4.6")), n.IntN(1e8),
			cs.Pick(n, "Cash for your old boat", "Waterproof boots, half price", "Dentist without waiting list"),
			cs.Since(n, "14 March", cs.At(22, "15 March")), cs.Since(n, "3.1", cs.At(37, "3.4")), "123", cs.Since(n, "a", cs.At(29, "b")), n.IntN(1e9),
			cs.Each(cs.Some(n, 3, "Choir seeks tenors", "Bins on Thursday", "New bus shelter", "Library closed for stocktaking", "Cat found"), func(s string) string { return `<li><a href="#">` + s + `</a></li>` })))
	}}
}

func kayak() *cs.Page {
	price := func(n *cs.Run) string { return cs.Since(n, "749.00", cs.At(5, "748.00"), cs.At(27, "699.00")) }
	colours := func(n *cs.Run) []string {
		return cs.Since(n, []string{"Signal red", "Sea green", "Sand"}, cs.At(16, []string{"Signal red", "Sea green", "Slate"}))
	}
	return &cs.Page{
		Path: "/hire-and-buy/kayak-17", Type: "product",
		Schema: `{"type":"object","properties":{"product":{"type":"string"},"price_gbp":{"type":"number"},"colours":{"type":"array","items":{"type":"string"}},"in_stock":{"type":"integer"},"next_delivery":{"type":"string","format":"date"}}}`,
		Data: func(n *cs.Run) map[string]any {
			price := price(n)
			return map[string]any{
				"product": cs.Pick(n, "Sea kayak 17", " Sea  kayak 17"), "price_gbp": jsonNumber(cs.Pick(n, price, strings.TrimSuffix(price, ".00"))), "colours": cs.Shuffled(n, colours(n)...),
				"in_stock": cs.Since(n, 6, cs.At(34, 0)), "next_delivery": cs.Pick(n, "2026-09-01", "1 September 2026"),
			}
		},
		Render: func(n *cs.Run) string {
			return semantic(n, "Sea kayak 17", f(`<h1 class="text-3xl">Sea kayak 17</h1><div class="flex"><div class="text-2xl font-bold">%s</div><div class="text-sm line-through">£ 899</div></div>
<p class="text-green-700">%s</p><p class="text-orange-600">%s</p><div><label>Colour</label><select name="c">%s</select></div><a class="btn" href="/basket/add/17?token=%s">%s</a>
<dl><dt>Length</dt><dd>5.2 m</dd><dt>Next delivery</dt><dd>%s</dd><dt>Seen by</dt><dd>%d visitors this week</dd></dl>`,
				cs.Pick(n, "£"+price(n), "£ "+strings.TrimSuffix(price(n), ".00"), price(n)+" GBP"), cs.Since(n, "6 in stock at the slipway", cs.At(34, "Currently out of stock")),
				cs.Pick(n, "3 others have this in their basket", "12 others have this in their basket", "Someone in Leith bought this 4 minutes ago"),
				cs.Each(cs.Shuffled(n, colours(n)...), func(s string) string { return "<option>" + s + "</option>" }), n.Hex(32), cs.Pick(n, "Add to basket", "Put in basket", "Buy"),
				cs.Pick(n, "1 September 2026", "2026-09-01", "1 Sep 2026"), 10+n.IntN(90)))
		},
	}
}

func jsonNumber(text string) any { return number(text) }

// number is written into JSON as it is.
type number string

// MarshalJSON writes it.
func (n number) MarshalJSON() ([]byte, error) { return []byte(n), nil }

func market() *cs.Page {
	type stall struct{ name, sells, fee string }
	return &cs.Page{Path: "/market", Type: "listing", Render: func(n *cs.Run) string {
		stalls := []stall{
			{"Ebba's Bread", "rye and oat loaves", "4.20"},
			{"Northshore Fish", cs.Since(n, "herring, cod", cs.At(1, "herring, haddock")), "11.50"},
			{"Glass by Tove", "vases", "30.00"},
			{"Cheese Cellar", "goat and cow", cs.Since(n, "7.80", cs.At(19, "7.90"))},
			{"Honest Soap", "lavender bars", "3.00"},
		}
		stalls = cs.Since(n, stalls, cs.At(9, stalls[:4]), cs.At(25, append(stalls[:4:4], stall{"Kelp & Co", "dried seaweed", "5.00"})))
		return soup(n, "Market", f(`<h1>Saturday market</h1><div class="tw-a">Sort: %s</div><div class="tw-b">%s</div><div>Page 1 of 1 — %d hits in 0.%02d seconds</div>`, cs.Pick(n, "A–Z", "nearest first"),
			cs.Each(cs.Shuffled(n, stalls...), func(s stall) string {
				return f(`<div class="tw-c"><div><b>%s</b></div><div>%s</div><div>from £%s</div><div>♥ %d likes</div></div>`, s.name, s.sells, s.fee, n.IntN(99))
			}), len(stalls), n.IntN(99)))
	}}
}

func manual() *cs.Page {
	return &cs.Page{Path: "/manual/radio", Type: "docs", Render: func(n *cs.Run) string {
		return semantic(n, "Marine radio manual", f(`<article><h1 id="%s">Marine radio manual</h1><p>Revision of %s. This page was last refreshed at %02d:%02d.</p>
<h2>Channels</h2><table class="w-full"><tr><th>Channel</th><th>Use</th><th>Power</th></tr>%s</table>
<h2>%s</h2><ol>%s</ol><p>See <a href="https://docs.example/%s?utm_campaign=m%d">the handbook</a> for more.</p></article>`, "h"+n.Hex(6), cs.Since(n, "2 February 2026", cs.At(33, "20 July 2026")), n.IntN(24), n.IntN(60),
			cs.Each([][3]string{{"16", "Distress", "25 W"}, {"12", cs.Since(n, "Harbour", cs.At(7, "Harbour and pilots")), "1 W"}, {"72", "Ship to ship", cs.Since(n, "1 W", cs.At(15, "5 W"))}}, func(r [3]string) string {
				return f("<tr><td>%s</td><td>%s</td><td>%s</td></tr>", r[0], r[1], r[2])
			}), cs.Since(n, "Sending a distress call", cs.At(24, "How to send a distress call")),
			cs.Each(cs.Since(n, []string{"Lift the red cover.", "Hold the button for five seconds.", "Speak slowly."}, cs.At(38, []string{"Hold the button for five seconds.", "Lift the red cover.", "Speak slowly."})), func(s string) string { return "<li>" + s + "</li>" }),
			"v1/handbook", n.IntN(99)))
	}}
}

func discussion() *cs.Page {
	type reply struct{ who, text string }
	return &cs.Page{Path: "/club/viewtopic.php", Type: "thread", Render: func(n *cs.Run) string {
		replies := []reply{
			{"skipper_jo", "Which anchor holds best in the bay?"}, {"tideline", "I swear by a plough anchor, ten kilos."}, {"old_salt", cs.Since(n, "Mud over rock, so take a Danforth.", cs.At(18, "Mud over rock, so take a Bruce."))},
		}
		replies = append(replies, cs.Since(n, nil, cs.At(10, []reply{{"newbie22", "What about chain length?"}}), cs.At(11, []reply{{"newbie22", "What about chain length?"}, {"tideline", "Five times the depth."}}), cs.At(32, []reply{{"tideline", "Five times the depth."}}))...)
		return soup(n, "Anchors", f(`<table width="100%%" role="presentation"><tr><td><h1>Which anchor?</h1></td><td>%d views, %d guests and %d members reading this topic</td></tr></table>%s<p>Board time: %02d:%02d</p>`, 900+n.IntN(999), n.IntN(20), n.IntN(9), cs.Each(replies, func(r reply) string {
			return f(`<div class="bx"><div class="who">%s<br>Karma: %d<br>%s</div><div class="msg">%s</div><div class="sig">%s</div></div>`, r.who, n.IntN(500), cs.Pick(n, "online", "offline"), r.text, "Posted "+cs.Pick(n, "3 hours ago", "yesterday at 14:02", "today at 9:17"))
		}), n.IntN(24), n.IntN(60)))
	}}
}

func concert() *cs.Page {
	return &cs.Page{Path: "/calendar/storm-songs", Type: "event", Render: func(n *cs.Run) string {
		return semantic(n, "Storm songs", f(`<h1>Storm songs</h1><p class="lead">%s, %s at the %s</p><p>Tickets £%s, concessions £8</p><p>%s</p><p>Only %d days to go!</p><h2>On stage</h2><ul>%s</ul><p>%d people have marked this as interesting</p>`,
			cs.Since(n, "Friday 20 November 2026", cs.At(13, "Saturday 21 November 2026")), cs.Since(n, "7.30 pm", cs.At(21, "8.00 pm")), cs.Since(n, "Guildhall", cs.At(2, "Town Hall"), cs.At(4, "Guildhall")), cs.Since(n, "14", cs.At(28, "16")),
			cs.Since(n, "Doors open half an hour before.", cs.At(36, "This concert is cancelled.")), n.IntN(99), cs.Each(cs.Shuffled(n, "The Ellery Shantymen", "Mairi Kerr", "Quartet Nordwind"), func(s string) string { return "<li>" + s + "</li>" }), n.IntN(600)))
	}}
}

func vacancies() *cs.Page {
	type vacancy struct{ post, where, closes string }
	return &cs.Page{Path: "/council/vacancies.aspx", Type: "jobs", Render: func(n *cs.Run) string {
		rows := []vacancy{
			{"Harbour pilot", "Quay 2", cs.Since(n, "30/09/2026", cs.At(8, "14/10/2026"))}, {"School cook", "Primary school", "01/10/2026"}, {cs.Since(n, "Librarian", cs.At(26, "Senior librarian")), "Old Library", "15/10/2026"},
		}
		rows = cs.Since(n, rows, cs.At(17, append(rows[:3:3], vacancy{"Lifeguard", "South beach", "20/10/2026"})), cs.At(35, append(rows[:1:1], rows[2], vacancy{"Lifeguard", "South beach", "20/10/2026"})))
		return soup(n, "Vacancies", f(`<h2>Vacancies</h2><table id="t%d"><thead><tr><th>Post</th><th>Where</th><th>Closing date</th><th>Views</th></tr></thead><tbody>%s</tbody></table><p>List generated %s</p>`, n.IntN(1e6),
			cs.Each(cs.Shuffled(n, rows...), func(v vacancy) string {
				return f(`<tr data-row="%s"><td><a href="/council/v.aspx;jsessionid=%s?post=%s">%s</a></td><td>%s</td><td>%s</td><td>%d</td></tr>`, n.Hex(8), n.Hex(20), strings.Fields(v.post)[0], v.post, v.where, v.closes, n.IntN(900))
			}), f("%02d %s 2026 at %02d:%02d", 1+n.IntN(28), cs.Pick(n, "May", "June"), n.IntN(24), n.IntN(60))))
	}}
}

func fares() *cs.Page {
	return &cs.Page{
		Path: "/ferry/fares", Type: "table",
		Schema: `{"type":"object","properties":{"fares":{"type":"array","items":{"type":"object","properties":{"route":{"type":"string"},"adult":{"type":"number"},"child":{"type":"number"}}}},"valid_from":{"type":"string"}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"valid_from": cs.Since(n, "2026-04-01", cs.At(30, "2027-04-01")), "fares": cs.Shuffled(n, []any{
				map[string]any{"route": "Ellery–Skarra", "adult": cs.Since(n, 12.4, cs.At(6, 12.5)), "child": 6.2},
				map[string]any{"route": "Ellery–Holm", "adult": 8, "child": cs.Since(n, 4.0, cs.At(20, 4.1))},
				map[string]any{"route": "Skarra–Holm", "adult": 5.0, "child": cs.Since[any](n, 2.5, cs.At[any](39, nil))},
			}...)}
		},
		Render: func(n *cs.Run) string {
			return soup(n, "Fares", f(`<h1>Ferry fares</h1><table><tr><td><b>Route</b></td><td><b>Adult</b></td><td><b>Child</b></td></tr>%s</table><p>Fares valid from %s. Prices last checked %d minutes ago.</p>`,
				cs.Each([][3]string{{"Ellery–Skarra", cs.Since(n, "£12.40", cs.At(6, "£12.50")), "£6.20"}, {"Ellery–Holm", "£8", cs.Since(n, "£4.00", cs.At(20, "£4.10"))}, {"Skarra–Holm", "£5", cs.Since(n, "£2.50", cs.At(39, "free"))}}, func(r [3]string) string {
					return f("<tr><td>%s</td><td>%s</td><td>%s</td></tr>", r[0], r[1], r[2])
				}), cs.Since(n, "1 April 2026", cs.At(30, "1 April 2027")), 1+n.IntN(59)))
		},
	}
}

func ferries() *cs.Page {
	return &cs.Page{Path: "/ferry/live", Type: "status", Render: func(n *cs.Run) string {
		return semantic(n, "Live service", f(`<h1>Live service</h1><p class="rounded bg-green-100">%s</p><div class="grid">%s</div><h2>Notices</h2><ul>%s</ul><p>As at %02d:%02d:%02d. Refreshes in %d seconds.</p><p>Wind %d knots</p>`,
			cs.Since(n, "All sailings as planned", cs.At(14, "Some sailings are delayed"), cs.At(15, "All sailings as planned")), cs.Each([][2]string{{"MV Gannet", cs.Since(n, "Running", cs.At(23, "Suspended"))}, {"MV Tern", "Running"}, {"MV Petrel", cs.Since(n, "In dock", cs.At(31, "Running"))}}, func(s [2]string) string {
				return f(`<div class="border p-2"><span>%s</span><span>%s</span></div>`, s[0], s[1])
			}), cs.Each(cs.Since(n, []string{"No dogs on the upper deck."}, cs.At(40, []string{"No dogs on the upper deck.", "Card payments only."})), func(s string) string { return "<li>" + s + "</li>" }), n.IntN(24), n.IntN(60), n.IntN(60), n.IntN(60), n.IntN(40)))
	}}
}

func firmware() *cs.Page {
	return &cs.Page{Path: "/radio/firmware.txt.html", Type: "changelog", Render: func(n *cs.Run) string {
		return soup(n, "Firmware", f(`<h1>Firmware history</h1>%s<h4>v1.8 (3 January 2026)</h4><p>%s</p><h4>v1.7 (2 June 2025)</h4><p>First release for the RX-9.</p><p>Downloads so far: %d</p><p>Mirror: eu-%d · ticket %s</p>`,
			cs.Since(n, "", cs.At(11, "<h4>v1.9 (4 March 2026)</h4><p>Weather alerts on channel 10.</p>"), cs.At(34, "<h4>v1.9 (4 March 2026)</h4><p>Weather alerts on channel 10. Withdrawn.</p>")), cs.Since(n, "Longer battery life.", cs.At(5, "Longer battery life and a dimmer display.")), 4000+n.IntN(4000), n.IntN(9), n.Hex(14)))
	}}
}
