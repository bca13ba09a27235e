package lantern

import (
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// plan is a server that can be rented.
type plan struct {
	name       string
	cents      int
	memory     string
	disk, note string
}

// plans are the servers of a run.
func plans(n *cs.Run) []plan {
	list := []plan{
		{"Wren", cs.Since(n, 490, cs.At(5, 550)), "1 GB", "25 GB", "For a first site"},
		{"Heron", 1190, cs.Since(n, "4 GB", cs.At(21, "6 GB")), "80 GB", "For shops and small teams"},
		{"Osprey", cs.Since(n, 2790, cs.At(33, 2590)), "16 GB", "240 GB", "For databases"},
	}
	return append(list, cs.Since(n, []plan{}, cs.At(14, []plan{{"Condor", 6490, "64 GB", "960 GB", "For what does not fit elsewhere"}}))...)
}

// hosting is a provider's price list, of cards and a table, with classes that a bundler names.
func hosting() *cs.Page {
	return &cs.Page{
		Path: "/pricing/servers", Type: "price list",
		Schema: `{"type":"object","properties":{"plans":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},
"memory":{"type":"string"},"disk":{"type":"string"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			var list []any
			for _, pl := range plans(n) {
				list = append(list, map[string]any{"name": pl.name, "price": float64(pl.cents) / 100, "memory": pl.memory, "disk": pl.disk})
			}
			return map[string]any{"plans": list}
		},
		Render: func(n *cs.Run) string {
			h := n.Hex(5)
			return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Server pricing · Nimbusdock</title>
<script type="module" src="/assets/index-` + n.Hex(8) + `.js"></script><link rel="stylesheet" href="/assets/index-` + n.Hex(8) + `.css">
<meta name="csrf-token" content="` + n.Hex(32) + `"></head><body>
<div class="TopBar_root__` + h + `"><a href="/status?ref=top">` + cs.Pick(n, "See how we cool our halls", "Read our engineering blog",
				"Meet us at a conference near you") + `</a></div>
<header class="Header_root__` + h + `"><a class="Logo_link__` + h + `" href="/">Nimbusdock</a><nav aria-label="Main"><ul><li><a href="/servers">Servers</a></li><li>
<a href="/domains">Domains</a></li><li><a href="/pricing/servers">Pricing</a></li><li><a href="/docs">Docs</a></li></ul></nav>
<a class="Button_ghost__` + h + `" href="/login?state=` + n.Hex(16) + `">Log in</a></header>
<main class="Page_main__` + h + `"><section class="Hero_root__` + h + `"><h1>Servers, by the month</h1>
<p>No contract and no set-up fee. Each plan has its own address, a firewall and a copy of the disk every night.</p></section>
<section class="Plans_grid__` + h + `" aria-label="Plans">` + cs.Each(plans(n), func(pl plan) string {
				return `<div class="Card_root__` + h + `" id="r` + n.Hex(4) + `"><h2>` + pl.name + `</h2><p class="Card_hint__` + h + `">` + pl.note + `</p>
<p class="Card_price__` + h + `"><strong>` +
					p("€%d.%02d", pl.cents/100, pl.cents%100) + `</strong> <span>per month</span></p><ul><li>` + pl.memory + ` memory</li>
<li>` + pl.disk + ` disk</li></ul><a class="Button_root__` + h + `" href="/order?plan=` + strings.ToLower(pl.name) + `&amp;t=` + n.Hex(10) + `">` +
					cs.Pick(n, "Order", "Get started", "Choose plan") + "</a></div>\n"
			}) + `</section>
<section class="Extras_root__` + h + `"><h2>What costs extra</h2><table><thead><tr><th>Item</th><th>Price</th></tr></thead><tbody>
<tr><td>Further IPv4 address</td><td>€2.00 per month</td></tr>
<tr><td>Traffic beyond the included amount</td><td>€1.20 per TB</td></tr>
<tr><td>Snapshot storage</td><td>€0.04 per GB</td></tr>
<tr><td>Hands-on help</td><td>€45.00 per half hour</td></tr></tbody></table></section>
<section class="Faq_root__` + h + `"><h2>Questions</h2><details open><summary>How much traffic is included?</summary>
<p>` + cs.Since(n, "Each server may send 20 TB a month; what it receives is free.", cs.At(22,
				"Each server may send 15 TB a month; what it receives is free.")) + `</p></details>
<details open><summary>Can I move to a larger plan?</summary><p>Yes, at any time. The server restarts once and keeps its address. A move to a smaller plan needs a
fresh disk.</p></details>
<details open><summary>Where are the machines?</summary><p>In two halls of our own, at Varberg and at Linz. You choose when you order, and data never leaves the hall
that you chose.</p></details>
<details open><summary>How do I pay?</summary><p>By card, by direct debit or on account. We bill on the first of the month for the month before, by the hour and
never for more than the monthly price.</p></details>
<details open><summary>What happens when I leave?</summary><p>Delete the server and it stops costing at once. We keep the nightly copy for a week in case that you
change your mind, and wipe the disk after that.</p></details></section>
<section class="Quotes_root__` + h + `"><h2>What customers say</h2>` + cs.Each(cs.Some(n, 2, "Moved over a weekend and nobody noticed.",
				"Support answered before my coffee was cold.", "It just runs.", "The panel is dull, in the best way.", "Our shop has never been this quick."),
				func(s string) string {
					return "<blockquote><p>" + s + "</p></blockquote>\n"
				}) + `</section></main>
<footer class="Footer_root__` + h + `"><ul><li><a href="/imprint">Imprint</a></li><li><a href="/privacy">Privacy</a></li><li><a href="/terms">Terms</a></li></ul>
<p>` + p("%d servers started in the last hour", 100+n.IntN(400)) + `</p><p>© 2026 Nimbusdock AB</p></footer>
<div class="Consent_root__` + h + `"><p>May we count your visit?</p><button>` + cs.Pick(n, "Yes, fine", "Allow") + `</button><button>No</button></div>
<div class="Chat_root__` + h + `"><p>` + cs.Pick(n, "Mila", "Jonas", "Ravi") + ` is online</p></div></body></html>`
		},
	}
}
