package unmet

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

type plan struct{ name, monthly, storage, sites, sale string }

func plansIn(n *cs.Run) []plan {
	return []plan{
		{"Seed", "$4", "10 GB", "1", cs.Since(n, "Open", cs.At(39, "Closed to new customers"))},
		{"Sapling", cs.Since(n, "$14", cs.At(8, "$16")), "50 GB", "10", "Open"},
		{"Oak", "$45", cs.Since(n, "200 GB", cs.At(19, "250 GB")), "unlimited", "Open"},
	}
}

// plans is the price table of a host of sites, made of the classes of a utility framework.
func plans() *cs.Page {
	return &cs.Page{
		Path: "/pricing", Type: "table",
		Schema: `{"type":"object","properties":{"plans":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},
			"monthly":{"type":"string"},"storage":{"type":"string"},"sites":{"type":"string"},"sale":{"type":"string"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			var all []any
			for _, q := range plansIn(n) {
				all = append(all, map[string]any{"name": q.name, "monthly": q.monthly, "storage": q.storage, "sites": q.sites, "sale": q.sale})
			}
			return map[string]any{"plans": all}
		},
		Render: func(n *cs.Run) string {
			at := now(n)
			hosted := creeping(n, 12_408, 17)
			served := p("%d.%d million", 80+n.Calm.IntN(20), n.Calm.IntN(10))
			return p(`<!doctype html><html lang="en" class="h-full"><head><title>Pricing · Copse Hosting</title><link rel="stylesheet" href="/build/app-%s.css">
<meta name="csrf" content="%s"></head><body class="antialiased" x-data="{seed:%d}"><div class="bg-amber-100 text-sm">%s <time>%02d:%02d:%02d</time></div>
<nav class="flex gap-4"><a href="/">Copse</a><a href="/pricing">Pricing</a><a href="/docs">Docs</a><a href="/start?exp=%s">%s</a></nav>
<div class="max-w-4xl mx-auto"><h1 class="text-4xl">Pricing</h1><p class="mt-2">%s</p><p class="text-slate-500">%s sites live here. %s requests served today, %s.</p>`,
				n.Hex(8), n.Hex(40), n.IntN(1e6), cs.Pick(n, "The next webinar starts in", "Say hello to us on air in", "Coffee with the founders in"),
				n.IntN(24), n.IntN(60), n.IntN(60), n.Hex(3), cs.Pick(n, "Start free", "Try it now", "Create an account"),
				cs.Pick(n, "Simple prices, no surprises.", "Grow when you are ready.", "Pay for what you plant."), hosted, served, at.Format("January 2")) +
				planTable(n) +
				p(`<figure class="rounded p-4"><blockquote>%s</blockquote></figure><div class="flex grayscale">%s</div>
<p class="text-xs">By signing up you agree to the <a href="%s?s=%s">service terms</a>.</p></div>
<div id="chat-%s" class="fixed bottom-2">%s. We typically reply in %d minutes.</div><footer><p>© 2026 Copse · build %s · pop %s</p></footer></body></html>`,
					cs.Pick(n, "“We moved forty sites in an afternoon.” Luz, Agencia Pino", "“Support wrote back before my tea was cold.” Owen, Heron Books",
						"“It just stays up.” Freya, Kiln &amp; Co", "“My bill is shorter than my shopping list.” Abel, potter"),
					cs.Each(cs.Some(n, 4, "Heron Books", "Agencia Pino", "Kiln &amp; Co", "Dorset Choir", "Velo Nord", "Bakery 12", "Tidal FM"), func(name string) string {
						return p(`<span class="logo-%s">%s</span>`, n.Hex(4), name)
					}),
					cs.Since(n, "/legal/terms-2025", cs.At(34, "/legal/terms-2026")), n.Hex(6), n.Hex(8),
					cs.Pick(n, "Mina is here", "Jonah is here", "Ask Ruth anything"), 1+n.IntN(9), n.Hex(7), cs.Pick(n, "IAD", "ORD", "YYZ", "LHR"))
		},
	}
}

func planTable(n *cs.Run) string {
	return p(`<table class="w-full mt-8 %s"><thead><tr><th class="text-left">Plan</th><th>Per month</th><th>Storage</th><th>Sites</th><th>Orders</th></tr>
</thead><tbody>%s</tbody></table>
<ul class="list-disc mt-6"><li>Certificates included</li><li>Backups every night, kept for 14 days</li>%s</ul>`,
		cs.Pick(n, "table-fixed border", "border table-fixed"), cs.Each(plansIn(n), func(q plan) string {
			return p("<tr %s><td>%s</td>%s<td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>",
				cs.Pick(n, `class="odd:bg-slate-50" data-row`, `data-row class="odd:bg-slate-50"`), q.name, cs.Pick(n, "", "\n    "), q.monthly, q.storage, q.sites, q.sale)
		}), cs.Since(n, "", cs.At(27, "<li>Staging copies on all plans</li>")))
}
