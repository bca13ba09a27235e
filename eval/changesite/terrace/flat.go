package terrace

import (
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const flatSchema = `{"type":"object","properties":{"address":{"type":"string"},"rent_pcm":{"type":"integer"},"deposit":{"type":"integer"},
"available_from":{"type":"string"},"status":{"type":"string"},"bedrooms":{"type":"integer"},"furnished":{"type":"boolean"}}}`

// flat is a home to let, of an agency's application in a framework with utility classes.
func flat() *cs.Page {
	rent := func(n *cs.Run) int { return cs.Since(n, 1465, cs.At(8, 1395)) }
	deposit := func(n *cs.Run) int { return rent(n) * 12 * 5 / 52 }
	from := func(n *cs.Run) string { return cs.Since(n, "1 March 2026", cs.At(17, "16 February 2026")) }
	state := func(n *cs.Run) string {
		return cs.Since(n, "Available", cs.At(29, "Under offer"), cs.At(37, "Available"))
	}
	return &cs.Page{
		Path: "/to-let/14c-kestrel-wharf", Type: "rental listing", Schema: flatSchema,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{
				"address": "14C Kestrel Wharf, Aldmouth", "rent_pcm": rent(n), "deposit": deposit(n), "available_from": from(n),
				"status": state(n), "bedrooms": 2, "furnished": false,
			}
		},
		Render: func(n *cs.Run) string {
			about := cs.Since(n,
				"The living room faces the water and has a small balcony. The kitchen was refitted in 2019 with an oven, a hob and a dishwasher.",
				cs.At(22, "The living room faces the water and opens on a balcony for two. The kitchen has an oven, an induction hob and a dishwasher; "+
					"there is no washing machine, but a laundry room on the ground floor."))
			viewings := cs.Since(n, "", cs.At(30, `<p class="mt-3 rounded-md bg-amber-50 p-3 text-sm text-amber-900">No further viewings are being booked `+
				`while the applicant's references are checked.</p>`), cs.At(37, ""))
			near := cs.Each(cs.Some(n, 3, "Ropewalk House, 2 bed|£1,350", "Tidemill Court, 1 bed|£1,120", "Signal Street, 2 bed|£1,510", "Chandler's Yard, 3 bed|£1,890",
				"Quay Terrace, studio|£940", "Lime Basin, 2 bed|£1,425", "Old Custom House, 1 bed|£1,205"), func(s string) string {
				name, price, _ := strings.Cut(s, "|")
				return p(`<a class="group block rounded-lg border p-4 hover:shadow" href="/to-let/r/%s?src=similar&amp;rid=%s"><img class="h-32 w-full object-cover" alt=""
src="https://img.stillwater-lets.example/%s.webp?w=480&amp;s=%s"><p class="mt-2 font-medium">%s</p><p class="text-slate-500">%s pcm</p></a>`,
					n.Hex(6), n.Hex(10), n.Hex(12), n.Hex(16), name, price)
			})
			return fill(flatHTML, "build", n.Calmly().Hex(20), "nonce", n.Hex(24), "state", state(n), "rent", grouped(rent(n), ","), "weekly", num(rent(n)*12/52),
				"deposit", grouped(deposit(n), ","), "from", from(n), "about", about, "viewings", viewings, "near", near,
				"listed", num(-days(n, 1, 5)), "looking", num(2+n.IntN(11)), "saved", num(creeping(n, 31, 4)), "session", n.Hex(32),
				"ask", cs.Pick(n, "Arrange a viewing", "Book a viewing", "Request a viewing"), "radix", n.Hex(4),
				"ad", cs.Pick(n, "Moving soon? Compare three removal firms in a minute.", "Fibre broadband from Piper, first two months free.",
					"Contents insurance for renters, from £5 a month.", "Store a roomful from £9 a week with BoxHaven."),
				"review", cs.Pick(n, "“Quick, polite and honest about the damp.” Rhian", "“They found us a place within a week.” Tomasz",
					"“Keys on the day, no drama.” Adaeze and Will"), "s1", n.Hex(16), "s2", n.Hex(16), "s3", n.Hex(16))
		},
	}
}

const flatHTML = `<!DOCTYPE html><html lang="en-GB" class="scroll-smooth"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width"/>
<title>2 bed flat to let, Kestrel Wharf | Stillwater Lets</title>
<link rel="preload" href="/_next/static/{{build}}/app.css" as="style"/><script defer nonce="{{nonce}}" src="/_next/static/chunks/main-{{build}}.js"></script></head>
<body class="bg-white text-slate-900 antialiased"><div id="__next">
<header class="sticky top-0 z-40 border-b bg-white/90 backdrop-blur"><div class="mx-auto flex max-w-6xl items-center justify-between px-4 py-3">
<a href="/" class="text-xl font-semibold">Stillwater Lets</a><nav class="hidden gap-6 md:flex"><a href="/to-let">To let</a><a href="/landlords">Landlords</a>
<a href="/tenant-fees">Tenant fees</a><a href="/contact">Contact</a></nav><button class="rounded-full border px-4 py-1.5" aria-controls="radix-:r{{radix}}:">Sign in</button></div></header>
<main class="mx-auto max-w-6xl px-4 py-8">
<nav aria-label="Breadcrumb" class="text-sm text-slate-500"><a href="/to-let">To let</a> / <a href="/to-let/aldmouth">Aldmouth</a> / Kestrel Wharf</nav>
<div class="mt-4 grid gap-8 lg:grid-cols-3"><section id="listing" class="lg:col-span-2">
<div class="grid grid-cols-3 gap-2 overflow-hidden rounded-xl"><img class="col-span-2" alt="Living room" src="https://img.stillwater-lets.example/kw14c-1.webp?s={{s1}}">
<div><img alt="Kitchen" src="https://img.stillwater-lets.example/kw14c-2.webp?s={{s2}}"><img alt="View" src="https://img.stillwater-lets.example/kw14c-3.webp?s={{s3}}"></div></div>
<div class="mt-6 flex items-start justify-between"><div><h1 class="text-3xl font-bold tracking-tight">14C Kestrel Wharf, Aldmouth</h1>
<p class="mt-1 text-slate-600">Two-bedroom flat, third floor with lift</p></div>
<span class="inline-flex rounded-full bg-emerald-100 px-3 py-1 text-sm font-medium text-emerald-800">{{state}}</span></div>
<p class="mt-4 text-2xl font-semibold">£{{rent}} <span class="text-base font-normal text-slate-500">per month</span></p>
<p class="text-sm text-slate-500">About £{{weekly}} a week</p>
<div class="mt-3 flex gap-4 text-sm text-rose-700"><span><svg class="inline h-4 w-4"></svg> {{looking}} people are looking at this home</span><span>Saved by {{saved}} renters</span></div>
{{viewings}}
<dl class="mt-6 grid grid-cols-2 gap-4 rounded-xl bg-slate-50 p-6 text-sm"><div><dt class="text-slate-500">Available from</dt><dd class="font-medium">{{from}}</dd></div>
<div><dt class="text-slate-500">Deposit</dt><dd class="font-medium">£{{deposit}} (five weeks)</dd></div><div><dt class="text-slate-500">Bedrooms</dt><dd class="font-medium">2</dd></div>
<div><dt class="text-slate-500">Furnishing</dt><dd class="font-medium">Unfurnished</dd></div><div><dt class="text-slate-500">Shortest let</dt><dd class="font-medium">12 months</dd></div>
<div><dt class="text-slate-500">Council tax</dt><dd class="font-medium">Band C</dd></div><div><dt class="text-slate-500">Energy rating</dt><dd class="font-medium">C (74)</dd></div>
<div><dt class="text-slate-500">Added</dt><dd class="font-medium">{{listed}} days ago</dd></div></dl>
<h2 class="mt-8 text-xl font-semibold">About this home</h2>
<p class="mt-2 leading-7">A bright flat in a converted grain store, five minutes on foot from Aldmouth Harbour station. Both bedrooms are doubles with fitted wardrobes.</p>
<p class="mt-2 leading-7">{{about}}</p>
<p class="mt-2 leading-7">Heating is by a communal boiler, billed each quarter by meter. One cycle space is included; a parking space can be rented from the management company.</p>
<div class="my-6 rounded-xl border border-dashed p-4" data-slot="mpu-{{radix}}"><p class="text-xs uppercase text-slate-400">Advertisement</p><p>{{ad}}</p></div>
<h2 class="mt-8 text-xl font-semibold">Who may apply</h2><ul class="mt-2 list-disc pl-6"><li>Household income of at least 30 times the monthly rent</li><li>One small pet by agreement</li>
<li>No smoking indoors</li></ul></section>
<aside class="space-y-6"><form class="rounded-xl border p-6" action="/enquire" method="post"><input type="hidden" name="csrf" value="{{session}}"/><p class="font-semibold">Interested?</p>
<p class="mt-1 text-sm text-slate-500">Call 01555 010 144 or leave your number.</p><input class="mt-3 w-full rounded border p-2" name="phone" id="f-{{radix}}"/>
<button class="mt-3 w-full rounded bg-teal-700 py-2 font-medium text-white">{{ask}}</button></form>
<blockquote class="rounded-xl bg-teal-50 p-6 text-sm italic">{{review}}</blockquote></aside></div>
<section class="mt-12"><h2 class="text-xl font-semibold">Similar homes nearby</h2><div class="mt-4 grid gap-4 sm:grid-cols-3">{{near}}</div></section></main>
<footer class="mt-16 border-t bg-slate-50"><div class="mx-auto max-w-6xl px-4 py-10 text-sm text-slate-500"><p>Stillwater Lets, 8 Capstan Row, Aldmouth. Member of the Lettings Redress Panel.</p>
<p class="mt-2"><a href="/privacy">Privacy</a> · <a href="/complaints">Complaints</a> · <a href="/client-money">Client money protection</a></p></div></footer>
<div role="dialog" aria-label="Cookies" class="fixed inset-x-0 bottom-0 bg-slate-900 p-4 text-sm text-white">We use cookies to keep your shortlist. <button>Accept</button> <button>Decline</button></div>
</div><script id="__NEXT_DATA__" type="application/json">{"buildId":"{{build}}","props":{"sid":"{{session}}"}}</script></body></html>`
