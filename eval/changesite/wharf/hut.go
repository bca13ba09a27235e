package wharf

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// hut is a mountain hut on a booking site: a server-rendered framework with utility classes.
func hut() *cs.Page {
	price := func(n *cs.Run) int { return cs.Since(n, 46, cs.At(9, 48)) }
	state := func(n *cs.Run) string {
		return cs.Since(n, "Bookable", cs.At(21, "Fully booked until 12 July"), cs.At(28, "Bookable"))
	}
	beds := func(n *cs.Run) int { return cs.Since(n, 54, cs.At(35, 50)) }
	return &cs.Page{
		Path: "/stays/grauspitz-hut", Type: "rental",
		Schema: `{"type":"object","properties":{"name":{"type":"string"},"price_per_bed":{"type":"number"},"availability":{"type":"string"},"beds":{"type":"integer"}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"name": "Grauspitz Hut", "price_per_bed": price(n), "availability": state(n), "beds": beds(n)}
		},
		Render: func(n *cs.Run) string {
			return fill(`<!DOCTYPE html><html lang="en" class="h-full antialiased"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width"/><title>Grauspitz Hut | Bivvy</title>
<link rel="preload" href="/_next/static/css/{asset}.css" as="style"/><link rel="stylesheet" href="/_next/static/css/{asset}.css" data-n-g=""/><script defer="" src="/_next/static/chunks/main-{chunk}.js"></script></head>
<body class="min-h-full bg-stone-50 text-stone-900"><div id="__next"><div class="sticky top-0 z-40 bg-emerald-900 px-4 py-2 text-center text-sm text-white">{promo}</div>
<header class="mx-auto flex max-w-7xl items-center justify-between px-6 py-4"><a class="text-xl font-bold tracking-tight" href="/">Bivvy</a>
<nav aria-label="Main" class="hidden gap-8 md:flex"><a class="text-sm font-medium hover:underline" href="/stays">Stays</a><a class="text-sm font-medium hover:underline" href="/routes">Routes</a><a class="text-sm font-medium hover:underline" href="/guides">Guides</a><a class="text-sm font-medium hover:underline" href="/login?state={state_token}">Log in</a></nav></header>
<main class="mx-auto max-w-7xl px-6 pb-24"><nav aria-label="Breadcrumb" class="text-xs text-stone-500"><ol class="flex gap-2"><li><a href="/stays">Stays</a></li><li><a href="/stays/eastern-ridge">Eastern Ridge</a></li><li aria-current="page">Grauspitz Hut</li></ol></nav>
<div class="mt-6 grid grid-cols-1 gap-10 lg:grid-cols-3"><div class="lg:col-span-2"><h1 class="text-4xl font-semibold">Grauspitz Hut</h1>
<p class="mt-1 text-sm text-stone-500">Eastern Ridge, 2,214 m above the sea</p>
<div class="mt-4 flex gap-2"><img class="h-64 w-full rounded-2xl object-cover" src="/_next/image?url=%2Fgrauspitz-{photo}.jpg&amp;w=1080" alt=""/></div>
<section aria-labelledby="{rid}-about" class="mt-8"><h2 id="{rid}-about" class="text-2xl font-medium">About this hut</h2>
<p class="mt-2 leading-7">A stone hut from 1911 on a saddle above the Lauen glacier, with a wood stove, a drying room and a view of three valleys. {access}</p>
<p class="mt-2 leading-7">Half board is cooked by the wardens, Tilde and Anders Roth. Tell them of allergies when you book. There is no shower, and no signal but at the bench behind the chapel.</p></section>
<section aria-labelledby="{rid}-facts" class="mt-8"><h2 id="{rid}-facts" class="text-2xl font-medium">Facts</h2><dl class="mt-2 grid grid-cols-2 gap-4 text-sm">
<div class="rounded-xl bg-white p-4 shadow-sm"><dt class="text-stone-500">Beds</dt><dd class="font-medium">{beds} in dormitories</dd></div><div class="rounded-xl bg-white p-4 shadow-sm"><dt class="text-stone-500">Season</dt><dd class="font-medium">20 June to 27 September</dd></div>
<div class="rounded-xl bg-white p-4 shadow-sm"><dt class="text-stone-500">Winter room</dt><dd class="font-medium">Open, 8 places, no warden</dd></div><div class="rounded-xl bg-white p-4 shadow-sm"><dt class="text-stone-500">Payment</dt><dd class="font-medium">Cash or transfer</dd></div></dl></section></div>
<aside class="h-fit rounded-3xl border border-stone-200 bg-white p-6 shadow-lg"><p class="text-3xl font-semibold">€{price}<span class="text-base font-normal text-stone-500"> per bed and night</span></p>
<p class="mt-2 text-sm font-medium text-emerald-800">{state}</p><button type="button" id="radix-:r{radix}:" class="mt-4 w-full rounded-full bg-emerald-800 py-3 text-white">{button}</button>
<p class="mt-3 text-xs text-stone-500">{looking} people are looking at this hut. Last viewed {ago} minutes ago.</p></aside></div>
<section class="mt-16"><h2 class="text-xl font-medium">More places to sleep up high</h2><div class="mt-4 grid grid-cols-3 gap-6">{related}</div></section></main>
<div role="dialog" aria-label="Cookies" class="fixed inset-x-0 bottom-0 bg-white p-6 shadow-2xl"><p class="text-sm">We use cookies to remember your dates. Choose which you allow.</p><button class="rounded-full border px-4 py-2 text-sm">Only needed</button><button class="rounded-full border px-4 py-2 text-sm">Allow all</button></div>
<footer class="border-t border-stone-200 px-6 py-10 text-xs text-stone-500"><p>© 2026 Bivvy Stays Cooperative. Request {request}</p></footer></div><script id="__NEXT_DATA__" type="application/json">{"buildId":"{chunk}","nonce":"{state_token}"}</script></body></html>`,
				"asset", n.Hex(16), "chunk", n.Hex(16), "state_token", n.Hex(24), "photo", num(n, 1, 9), "rid", "r"+n.Hex(4), "radix", n.Hex(2), "request", n.Hex(20),
				"promo", cs.Pick(n, "New: plan whole tours in the app", "Members save on every tenth night", "Gift a night under the stars"),
				"access", cs.Since(n, "The walk from Lauen takes three hours.", cs.At(22, "The path from Lauen is closed by a rockfall; come up from Sankt Jost, which takes four and a half hours.")),
				"beds", fmt.Sprint(beds(n)), "price", fmt.Sprint(price(n)), "state", state(n),
				"button", cs.Pick(n, "Choose dates", "Check dates", "Pick your nights"), "looking", num(n, 2, 40), "ago", num(n, 1, 59),
				"related", cs.Each(cs.Some(n, 3, "Lauen Bothy", "Sankt Jost Inn", "Rauhkofel Shelter", "Three Larches Farm", "Murgsee Boathouse", "Old Customs House"), func(s string) string {
					return `<a class="block rounded-2xl bg-white p-4 shadow-sm" href="/stays/` + n.Hex(6) + `"><h3 class="font-medium">` + s + `</h3></a>`
				}))
		},
	}
}
