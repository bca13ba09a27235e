package orchard

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

var flatTeasers = []string{"Studio on Quill Street", "Loft at the old mill", "Two rooms near the quay", "House with a yard, Pell End", "Room in a shared flat", "Top floor on Ansel Road"}

// flat is a flat to let, in a framework with utility classes.
func flat() *cs.Page {
	rent := func(n *cs.Run) int { return cs.Since(n, 1380, cs.At(8, 1340), cs.At(9, 1295)) }
	free := func(n *cs.Run) string { return cs.Since(n, "1 May 2026", cs.At(19, "15 May 2026")) }
	state := func(n *cs.Run) string { return cs.Since(n, "Available", cs.At(36, "Let agreed")) }
	return &cs.Page{
		Path: "/homes/harrow-lane-22", Type: "rental",
		Schema: `{"type":"object","properties":{"rent":{"type":"integer"},"available_from":{"type":"string"},"status":{"type":"string"}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"rent": rent(n), "available_from": free(n), "status": state(n)}
		},
		Render: func(n *cs.Run) string {
			cell := func(name, value string) string {
				return `<div class="flex justify-between border-b border-slate-200 py-2"><dt class="text-sm text-slate-500">` + name + `</dt><dd class="text-sm font-medium text-slate-900">` + value + "</dd></div>\n"
			}
			return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/><title>22 Harrow Lane, flat 3 | Nestwell</title><link rel="preload" href="/_app/static/css/` + n.Hex(16) + `.css" as="style"/><script src="/_app/static/chunks/main-` + n.Hex(16) + `.js" defer=""></script></head>
<body class="__className_` + n.Hex(6) + ` antialiased bg-white"><div id="__app">
<header class="sticky top-0 z-40 w-full backdrop-blur border-b"><div class="max-w-7xl mx-auto flex items-center gap-6 px-4 h-16"><a class="font-bold text-xl text-emerald-700" href="/">Nestwell</a><nav class="hidden md:flex gap-4"><a href="/rent">Rent</a><a href="/buy">Buy</a><a href="/agents">Agents</a><a href="/guides">Guides</a></nav><button class="ml-auto rounded-full px-4 py-2" id="radix-:r` + n.Hex(2) + `:">Sign in</button></div></header>
<main class="max-w-7xl mx-auto px-4 py-8 grid lg:grid-cols-3 gap-8"><div class="lg:col-span-2 space-y-6">
<div class="flex items-center gap-2"><span class="inline-flex rounded-full bg-emerald-50 px-2 py-1 text-xs">` + state(n) + `</span><span class="text-xs text-slate-400">` + p("Viewed %d times today", 10+n.Calm.IntN(200)) + `</span></div>
<h1 class="text-3xl font-semibold tracking-tight">Two-bedroom flat, 22 Harrow Lane, Castlebeck</h1>
<p class="text-2xl font-bold">` + p("£%d", rent(n)) + `<span class="text-base font-normal"> per month</span></p>
<div class="grid grid-cols-2 gap-2"><img alt="Living room" src="/_app/image?url=a&amp;w=640&amp;h=` + n.Hex(8) + `"/><img alt="Kitchen" src="/_app/image?url=b&amp;w=640&amp;h=` + n.Hex(8) + `"/></div>
<section><h2 class="text-xl font-semibold">About this home</h2><div class="prose"><p>A light flat on the second floor of a brick house from 1931, with a bay window to the street and a small balcony to the yard. The kitchen was renewed two years ago and has a gas hob, a dishwasher and a washing machine.</p>
<p>Both bedrooms take a double bed. The bathroom has a bath with a shower over it. There is a bicycle shed in the yard, and the bus to the centre stops round the corner.</p>
<p>` + cs.Since(n, "Sorry, no pets.", cs.At(26, "One cat or a small dog is welcome.")) + `</p></div></section>
<section><h2 class="text-xl font-semibold">Details</h2><dl>` + cell("Available from", free(n)) + cell("Deposit", "£1,500") + cell("Shortest term", "12 months") + cell("Size", "68 m²") + cell("Floor", "2 of 3") + cell("Heating", "Gas, central") + cell("Energy rating", "D") + cell("Council tax band", "C") + `</dl></section>
<section><h2 class="text-xl font-semibold">Similar homes</h2><div class="flex gap-4 overflow-x-auto">` + cs.Each(cs.Some(n, 3, flatTeasers...), func(s string) string {
				return `<a class="rounded-xl shadow p-4 shrink-0" href="/homes/` + n.Hex(8) + `"><h3 class="text-sm">` + s + `</h3></a>`
			}) + `</div></section></div>
<aside class="rounded-2xl border p-6 h-fit"><h2 class="font-semibold">Arrange a viewing</h2><p class="text-sm">Pellow &amp; Daughters, 4 Market Hill, Castlebeck</p><form><input type="hidden" name="nonce" value="` + n.Hex(24) + `"/><input placeholder="Your email" id="f-` + n.Hex(5) + `"/><button class="w-full rounded-lg bg-emerald-600 text-white py-2">` + cs.Pick(n, "Ask for a viewing", "Book a viewing", "Contact agent") + `</button></form></aside></main>
<footer class="bg-slate-50 border-t mt-16"><div class="max-w-7xl mx-auto px-4 py-8 text-sm text-slate-500"><a href="/about">About</a> <a href="/privacy">Privacy</a> <a href="/terms">Terms</a><p>© 2026 Nestwell Ltd</p></div></footer>
<div class="fixed bottom-4 inset-x-4 rounded-xl bg-slate-900 text-white p-4"><p>Cookies help us to show you homes.</p><button>OK</button></div></div><script id="__APP_DATA__" type="application/json">{"buildId":"` + n.Hex(20) + `"}</script></body></html>`
		},
	}
}
