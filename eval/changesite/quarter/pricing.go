package quarter

import (
	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

type plan struct {
	name     string
	monthly  int
	storage  string
	features []string
}

// pricing is the price table of a service, in a framework with utility classes.
func pricing() *cs.Page {
	plans := func(n *cs.Run) []plan {
		team := []string{"Up to 25 members", "Shared templates", "Audit log for 90 days"}
		return []plan{
			{"Starter", 9, cs.Since(n, "10 GB", cs.At(15, "5 GB")), []string{"One member", "Three projects", "Help by mail"}},
			{"Team", cs.Since(n, 29, cs.At(5, 32)), "100 GB", cs.Since(n, team, cs.At(16, team[:2]))},
			{"Company", 79, "1 TB", []string{"Unlimited members", "Single sign-on", "Audit log for two years", "Help by telephone"}},
		}
	}
	discount := func(n *cs.Run) int { return cs.Since(n, 15, cs.At(31, 20)) }
	return &cs.Page{
		Path: "/pricing", Type: "prices",
		Schema: `{"type":"object","properties":{"plans":{"type":"array","items":{"type":"object",
			"properties":{"name":{"type":"string"},"monthly_eur":{"type":"number"},"storage":{"type":"string"},
			"features":{"type":"array","items":{"type":"string"}}}}},"yearly_discount_percent":{"type":"number"}}}`,
		Data: func(n *cs.Run) map[string]any {
			list := []any{}
			for _, x := range plans(n) {
				list = append(list, map[string]any{"name": x.name, "monthly_eur": x.monthly, "storage": x.storage, "features": x.features})
			}
			return map[string]any{"plans": list, "yearly_discount_percent": discount(n)}
		},
		Render: func(n *cs.Run) string {
			button := cs.Pick(n, "Start for free", "Try it for free", "Get started")
			return application(n, p(`<section class="mx-auto max-w-7xl px-6 py-24"><div class="text-center">
<h2 class="text-base font-semibold text-indigo-600">Pricing</h2><h1 class="mt-2 text-5xl font-bold tracking-tight">Plans that grow with your paperwork</h1>
<p class="mt-6 text-lg text-gray-600">All plans begin with 14 days in which nothing is charged. Pay by the year and save %d%%.</p></div>
<div class="isolate mt-16 grid grid-cols-1 gap-8 lg:grid-cols-3" id="radix-:r%s:">%s</div>
<p class="mt-8 text-sm text-gray-500"><span class="animate-pulse">●</span> %d teams opened an account this week</p></section>
<section class="bg-gray-50 px-6 py-16"><h2 class="text-2xl font-semibold">What customers say</h2><figure class="mt-6"><blockquote>%s</blockquote></figure>
<div class="mt-8 flex gap-x-8 opacity-60">%s</div></section>
<section class="mx-auto max-w-3xl px-6 py-16"><h2 class="text-2xl font-semibold">Questions</h2><dl class="mt-10 space-y-6 divide-y">
<div class="pt-6" data-state="closed" aria-controls="radix-%s"><dt class="font-semibold">Can I change my plan?</dt>
<dd class="mt-2 text-gray-600">At any time. What you paid and did not use is credited to your next invoice.</dd></div>
<div class="pt-6" data-state="closed" aria-controls="radix-%s"><dt class="font-semibold">Where is my data?</dt>
<dd class="mt-2 text-gray-600">On machines in Tampere and Lyon. Backups are kept for 35 days.</dd></div>
<div class="pt-6" data-state="closed" aria-controls="radix-%s"><dt class="font-semibold">What happens when I cancel?</dt><dd class="mt-2 text-gray-600">%s</dd></div>
<div class="pt-6" data-state="closed" aria-controls="radix-%s"><dt class="font-semibold">Do you invoice with VAT?</dt>
<dd class="mt-2 text-gray-600">Yes. Prices are without VAT; it is added by the country that you choose.</dd></div></dl></section>`,
				discount(n), n.Hex(2), cs.Each(plans(n), func(x plan) string {
					return p(`<div class="rounded-3xl p-8 ring-1 ring-gray-200 xl:p-10" data-plan="%s"><h3 class="text-lg font-semibold leading-8">%s</h3>
<p class="mt-6 flex items-baseline gap-x-1"><span class="text-4xl font-bold">€%d</span><span class="text-sm font-semibold">/ month</span></p>
<a href="/signup?plan=%s&amp;exp=%s" class="mt-6 block rounded-md px-3 py-2 text-center">%s</a><ul role="list" class="mt-8 space-y-3 text-sm">
<li class="flex gap-x-3">%s of storage</li>%s</ul></div>`,
						n.Hex(6), x.name, x.monthly, n.Hex(4), n.Hex(8), button, x.storage, items(x.features, `<li class="flex gap-x-3">%s</li>`))
				}), 120+n.Calm.IntN(300)+n.IntN(9),
				cs.Pick(n, "“We stopped printing. That says it all.” Lena, bookkeeper", "“My inbox is half as long.” Rafael, architect",
					"“Setting it up took one coffee.” Oona, head of office", "“Our lawyers like it, and they like nothing.” Piet, founder"),
				items(cs.Shuffled(n, "Norrby Tools", "Café Ulm", "Brightwater", "Studio Onze", "Kestrel Legal"), `<span class="h-8">%s</span>`), n.Hex(5), n.Hex(5), n.Hex(5),
				cs.Since(n, "You can download everything for 60 days after the end of the month. Then it is deleted for good.",
					cs.At(38, "Your account turns read-only at once, and after 30 days it is deleted. "+
						"Ask us for an archive before that; we make it within two working days.")), n.Hex(5)))
		},
	}
}

// application is the shell of the service: chunks with hashes, a banner, a chat that opens by itself.
func application(n *cs.Run, main string) string {
	build := n.Hex(21)
	return p(`<!DOCTYPE html><html lang="en" class="scroll-smooth antialiased"><head><meta charSet="utf-8"/><title>Pricing | Foliant</title>
<meta name="next-head-count" content="%d"/>
<link rel="preload" href="/_next/static/css/%s.css" as="style"/><script src="/_next/static/chunks/main-%s.js" defer=""></script>
<script src="/_next/static/%s/_buildManifest.js" defer=""></script></head>
<body class="__variable_%s bg-white"><div id="__next"><div class="relative isolate flex items-center gap-x-6 bg-indigo-600 px-6 py-2.5">
<p class="text-sm text-white">%s</p></div>
<header class="sticky top-0 z-50"><nav class="flex items-center justify-between p-6" aria-label="Global"><a href="/" class="-m-1.5 p-1.5">Foliant</a>
<div class="hidden lg:flex lg:gap-x-12"><a href="/product">Product</a><a href="/pricing">Pricing</a><a href="/customers">Customers</a><a href="/docs">Documentation</a>
<a href="/blog">Blog</a></div><a href="/login?next=%%2Fpricing&amp;state=%s">Log in</a></nav></header>
<main class="flex-auto">%s</main>
<section class="px-6 py-12" aria-label="Blog"><h2 class="text-xl">Read on our blog</h2><ul class="mt-4">%s</ul></section>
<footer class="border-t px-6 py-12 text-sm text-gray-500"><p>© 2026 Foliant Oy, Satamakatu 9, Tampere</p><div class="flex gap-x-6"><a href="/terms">Terms</a>
<a href="/privacy">Privacy</a><a href="/security">Security</a></div></footer>
<div class="fixed bottom-4 right-4 rounded-xl shadow-lg" data-chat="%s"><p>%s</p></div><div class="fixed inset-x-0 bottom-0 p-4" role="dialog">
<p>Cookies help us to understand what is read.</p><button>Fine by me</button><button>No, thanks</button></div></div>
<script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{"visit":"%s"}},"page":"/pricing","buildId":"%s"}</script></body></html>`,
		10+n.IntN(5), n.Hex(16), n.Hex(16), build, n.Hex(6), cs.Pick(n, "Join our talk on tidy archives", "We are hiring in Lyon", "Read how a bakery went paperless"),
		n.Hex(32), main,
		cs.Each(cs.Some(n, 3, "Why folders fail", "An office without a printer", "Ten shortcuts worth learning", "How we name things", "Scanning receipts on the train",
			"The history of the paper clip", "Meet our support team"), func(s string) string {
			return p(`<li><a href="/blog?ref=%s">%s</a> <span>%d min</span></li>`, n.Hex(4), s, 2+n.IntN(8))
		}), n.Hex(12), cs.Pick(n, "Hi, I am Aino. Any questions?", "Need a hand? Write to us", "Hello! Looking for something?"), n.Hex(16), build)
}
