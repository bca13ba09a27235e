package lantern

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// car is a used car at a dealer's, in a framework with utility classes.
func car() *cs.Page {
	price := func(n *cs.Run) int { return cs.Since(n, 14_950, cs.At(9, 14_450), cs.At(10, 13_990)) }
	state := func(n *cs.Run) string { return cs.Since(n, "Available", cs.At(31, "Reserved"), cs.At(34, "Sold")) }
	mileage := func(n *cs.Run) int { return cs.Since(n, 38_412, cs.At(22, 38_472)) }
	thousands := func(i int) string { return p("%d,%03d", i/1000, i%1000) }
	return &cs.Page{
		Path: "/used/veloro-tarka-2021", Type: "product",
		Schema: `{"type":"object","properties":{"model":{"type":"string"},"price":{"type":"integer"},"mileage":{"type":"integer"},"availability":{"type":"string"}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"model": "Veloro Tarka 1.2 Touring", "price": price(n), "mileage": mileage(n), "availability": state(n)}
		},
		Render: func(n *cs.Run) string {
			build := n.Hex(8)
			facts := [][2]string{
				{"First registered", "May 2021"},
				{"Mileage", thousands(mileage(n)) + " miles"},
				{"Fuel", "Petrol"},
				{"Gearbox", "Manual, 6 gears"},
				{"Power", "81 kW (110 hp)"},
				{"Colour", "Moss green"},
				{"Doors", "5"},
				{"Previous owners", "1"},
			}
			return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Veloro Tarka 1.2 Touring | Brackenhill Motors</title>
<link rel="preload" as="script" href="/_next/static/chunks/main-` + build + `.js"><link rel="stylesheet" href="/_next/static/css/` + n.Hex(16) + `.css"></head>
<body class="__className_` + n.Hex(6) + ` antialiased bg-zinc-50"><div id="__next">
<header class="sticky top-0 z-40 flex items-center justify-between border-b bg-white px-6 py-4"><a class="text-xl font-semibold tracking-tight" href="/">Brackenhill Motors</a>
<nav class="hidden gap-6 md:flex"><a class="text-sm hover:underline" href="/used">Used cars</a><a class="text-sm hover:underline" href="/workshop">Workshop</a>
<a class="text-sm hover:underline" href="/finance">Finance</a><a class="text-sm hover:underline" href="/contact">Contact</a></nav></header>
<div class="bg-amber-100 px-6 py-2 text-center text-xs">` + cs.Pick(n, "Free tea in our showroom", "Ask us about winter tyres", "Rated 4.7 by our customers") + `</div>
<main class="mx-auto grid max-w-6xl gap-8 px-6 py-10 lg:grid-cols-3">
<section class="lg:col-span-2"><div class="aspect-video overflow-hidden rounded-2xl">
<img class="object-cover" alt="Veloro Tarka from the front" src="/_next/image?url=%2Ftarka-1.jpg&amp;w=1200&amp;q=75&amp;v=` + n.Hex(6) + `"></div>
<h1 class="mt-6 text-3xl font-bold">Veloro Tarka 1.2 Touring</h1>
<p class="mt-1 text-sm text-zinc-500">Stock number BH-20714</p>
<p class="mt-4 leading-7">A tidy family hatchback from a single owner in the village, serviced with us each year since new. ` + cs.Since(n,
				"The tyres were replaced last autumn.", cs.At(17, "The tyres were replaced last autumn, and the clutch in February.")) + `</p>
<p class="mt-2 leading-7">Both keys and the complete service book are with the car. Small scratch on the rear bumper, shown in picture 9. You are welcome to bring
your own mechanic.</p>
<dl class="mt-8 grid grid-cols-2 gap-x-8 gap-y-3 border-t pt-6">` + cs.Each(facts, func(f [2]string) string {
				return `<div class="flex justify-between"><dt class="text-zinc-500">` + f[0] + `</dt><dd class="font-medium">` + f[1] + "</dd></div>\n"
			}) + `</dl>
<h2 class="mt-10 text-xl font-semibold">Equipment</h2><ul class="mt-3 grid list-disc grid-cols-2 pl-5">` + cs.Each(cs.Shuffled(n, "Air conditioning",
				"Heated front seats", "Reversing camera", "Tow bar, removable", "Cruise control", "Roof rails", "Phone mirroring"), li) + `</ul></section>
<aside class="space-y-4"><div class="rounded-2xl border bg-white p-6 shadow-sm"><span class="inline-flex rounded-full bg-zinc-100 px-3 py-1 text-xs">` + state(n) + `</span>
<p class="mt-3 text-4xl font-bold tabular-nums">£` + thousands(price(n)) + `</p><p class="text-xs text-zinc-500">includes 12 months of warranty</p>
<button class="mt-5 w-full rounded-xl bg-emerald-700 py-3 text-white" data-exp="` + cs.Pick(n, "cta-a", "cta-b") + `">` + cs.Pick(n, "Ask about this car",
				"Send us a message", "Get in touch") + `</button>
<p class="mt-3 text-xs text-zinc-500">` + p("%d people are looking at this car", 2+n.IntN(17)) + `</p></div>
<div class="rounded-2xl border bg-white p-6 text-sm"><p class="font-semibold">Brackenhill Motors</p><p>Fosse Lane 8, Upper Wending</p>
<p>Monday to Friday 8.30 to 17.30, Saturday 9 to 13</p></div></aside>
<section class="lg:col-span-3"><h2 class="text-xl font-semibold">You might also like</h2><div class="mt-4 grid grid-cols-3 gap-4">` +
				cs.Each(cs.Some(n, 3, "Norrland Fjell estate|£17,200", "Castell Mini Van|£9,850", "Veloro Otter 1.0|£8,490", "Hoshi Lantern hybrid|£19,900",
					"Dunmore Pick-up|£21,450"), func(s string) string {
					return `<a class="rounded-xl border p-4" href="/used/r?id=` + n.Hex(6) + `">` + teaser(s, "block font-medium", "text-sm") + "</a>\n"
				}) + `</div></section></main>
<footer class="border-t px-6 py-8 text-xs text-zinc-500"><p>© 2026 Brackenhill Motors Ltd. Prices include VAT where it applies.</p>
<p>` + p("Rendered %s by edge-%d", clock(n), n.IntN(12)) + `</p></footer>
<div role="dialog" class="fixed bottom-4 left-4 rounded-xl bg-white p-4 shadow-lg"><p class="text-sm">We measure visits with cookies.</p><button>Accept</button>
<button>Decline</button></div></div>
<script id="__NEXT_DATA__" type="application/json">{"buildId":"` + build + `","nonce":"` + n.Hex(16) + `"}</script></body></html>`
		},
	}
}
