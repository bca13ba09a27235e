package market

import (
	"fmt"
	"strconv"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const jobsLayout = `<!DOCTYPE html><html lang="en" class="__variable_[[font]] h-full antialiased"><head><meta charSet="utf-8"/><title>Open roles at Quillon Freight</title>
<link rel="stylesheet" href="/_next/static/css/[[chunk]].css" data-precedence="next"/><script src="/_next/static/chunks/main-app-[[chunk]].js" async=""></script></head>
<body class="min-h-screen bg-slate-50 text-slate-900"><div id="__next"><header class="sticky top-0 z-40 flex items-center justify-between border-b bg-white/80 px-6 py-3 backdrop-blur">
<a class="flex items-center gap-2 text-lg font-semibold tracking-tight" href="/">Quillon Freight</a>
<nav class="hidden gap-6 text-sm md:flex"><a class="hover:underline" href="/network">Network</a><a class="hover:underline" href="/customers">Customers</a><a class="hover:underline" href="/careers">Careers</a><a class="hover:underline" href="/blog">Blog</a></nav>
<a class="rounded-full bg-indigo-600 px-4 py-2 text-sm text-white" href="/quote?ref=[[ref]]">[[button]]</a></header>
<main class="mx-auto max-w-5xl px-6 py-12"><div class="mb-10"><p class="text-sm font-medium text-indigo-600">Careers</p><h1 class="mt-2 text-4xl font-bold">Open roles</h1>
<p class="mt-4 max-w-2xl text-slate-600">We move other people's goods by rail and by barge, with 340 colleagues in four depots. We answer each application, and nobody is asked for unpaid work.</p></div>
<div class="mb-6 flex items-center justify-between text-sm text-slate-500"><span>Sorted by what we think fits you</span><span class="inline-flex items-center gap-1"><span class="h-2 w-2 animate-pulse rounded-full bg-emerald-500"></span>[[viewers]] people are browsing these roles</span></div>
<ul role="list" class="grid gap-4" id=":r[[id]]:">[[roles]]</ul>
<section class="mt-16 rounded-2xl border bg-white p-8"><h2 class="text-2xl font-semibold">How we hire</h2><ol class="mt-4 list-decimal space-y-2 pl-5 text-slate-700"><li>You send a page about yourself, no photograph and no date of birth.</li><li>We talk for half an hour on the telephone.</li><li>You spend a paid day at the depot with the people you would work with.</li></ol>
<p class="mt-4 text-slate-700">[[closing]]</p></section>
<section class="mt-12"><h2 class="text-2xl font-semibold">What everyone gets</h2><dl class="mt-4 grid grid-cols-2 gap-4"><div><dt class="font-medium">Holiday</dt><dd class="text-slate-600">28 days and the public ones</dd></div><div><dt class="font-medium">Pension</dt><dd class="text-slate-600">8 percent from us</dd></div><div><dt class="font-medium">Travel</dt><dd class="text-slate-600">Rail pass for the region</dd></div><div><dt class="font-medium">Parents</dt><dd class="text-slate-600">26 weeks on full pay</dd></div></dl></section>
<section class="mt-12"><div class="rounded-xl bg-indigo-50 p-6"><blockquote class="italic">[[quote]]</blockquote></div></section></main>
<aside class="mx-auto max-w-5xl px-6 pb-12"><h2 class="text-lg font-semibold">From the blog</h2><div class="mt-4 grid grid-cols-3 gap-4">[[posts]]</div></aside>
<footer class="border-t bg-white px-6 py-8 text-sm text-slate-500"><p>&copy; [[year]] Quillon Freight Ltd, Canal Wharf, Marbury</p><p>[[followers]] followers on the networks</p></footer>
<div class="fixed bottom-4 right-4 rounded-lg bg-slate-900 p-4 text-white" data-testid="consent-[[ref]]"><p>[[cookies]]</p><button class="underline">Fine by me</button></div></div>
<script nonce="[[nonce]]">self.__next_f.push([1,"b:[\"$\",\"[[ref]]\",null,{\"buildId\":\"[[chunk]]\"}]"])</script></body></html>`

const roleLayout = `<li class="css-[[css]] rounded-xl border bg-white p-6 shadow-sm"><div class="flex items-start justify-between"><div><h3 class="text-lg font-semibold"><a href="/careers/[[slug]]?trk=[[trk]]">[[title]]</a></h3><p class="mt-1 text-sm text-slate-600">[[place]]</p></div><span class="rounded bg-slate-100 px-2 py-1 text-xs">[[hours]]</span></div>
<p class="mt-3 font-mono text-sm">[[pay]]</p><p class="mt-2 text-xs text-slate-400">Posted [[posted]] · seen [[seen]] times</p></li>`

// role is a job on offer, and the run in which it was put up.
type role struct {
	title, place, hours, pay string
	posted                   int
}

func roles(n *cs.Run) []role {
	list := []role{
		{"Train planner", "Marbury", "Full time", cs.Since(n, "£36,500 to £41,000", cs.At(3, "£38,500 to £43,000")), -6},
		{"Crane driver, nights", cs.Since(n, "Depot Eastwater", cs.At(21, "Depot Saltley Bridge")), "Full time", "£33,200 and shift pay", -11},
		{"Customs clerk", "Marbury or from home", cs.Since(n, "Full time", cs.At(35, "32 hours a week")), "£29,800", -2},
		{"Data engineer", "From home, within two hours of UTC", "Full time", "£58,000 to £66,000", -20},
	}
	list = append(list, cs.Since(n, []role{{"Barge master", "Canal Wharf", "Full time", "£41,400", -15}}, cs.At(9, []role{}))...)
	return append(list, cs.Since(n, nil, cs.At(10, []role{{"Apprentice fitter", "Depot Eastwater", "Four years, one day at college", "£17,900 in the first year", 10}}))...)
}

func jobs() *cs.Page {
	return &cs.Page{
		Path: "/careers/open-roles", Type: "job board",
		Schema: `{"type":"object","properties":{"roles":{"type":"array","items":{"type":"object","properties":{"title":{"type":"string"},"place":{"type":"string"},"hours":{"type":"string"},"pay":{"type":"string"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			list := []any{}
			for _, r := range cs.Shuffled(n, roles(n)...) {
				list = append(list, map[string]any{"title": r.title, "place": r.place, "hours": r.hours, "pay": r.pay})
			}
			return map[string]any{"roles": list}
		},
		Render: func(n *cs.Run) string {
			return fill(jobsLayout, "font", n.Hex(6), "chunk", n.Hex(16), "ref", n.Hex(10), "button", cs.Pick(n, "Get a quote", "Ask for a price", "Ship with us"), "viewers", between(n, 4, 60), "id", n.Hex(2),
				"roles", cs.Each(cs.Shuffled(n, roles(n)...), func(r role) string {
					return fill(roleLayout, "css", n.Hex(6), "slug", slug(r.title), "trk", n.Hex(12), "title", r.title, "place", r.place, "hours", r.hours, "pay", r.pay, "posted", since(n, r.posted), "seen", strconv.Itoa(40+13*(n.Number-r.posted)+n.IntN(6)))
				}), "closing", cs.Since(n, "Applications for the autumn intake close on 30 April 2026.", cs.At(29, "Applications for the autumn intake close on 17 April 2026.")),
				"quote", cs.Pick(n, "“I came for a summer and have stayed for nine years.” Tomasz, signaller", "“Nobody counts my coffee breaks.” Ayesha, planning", "“The barge is the best office I ever had.” Lionel, deckhand"),
				"posts", cs.Each(cs.Some(n, 3, "What a lock keeper does all day", "Why barges are slow, and why it does not matter", "A depot goes solar", "Reading a waybill", "The last mile by cargo bike", "Our oldest wagon retires"), func(s string) string {
					return fmt.Sprintf(`<a class="block rounded-lg border p-4 text-sm" href="/blog/%s?s=%s"><span class="text-xs">%d min read</span>%s</a>`, slug(s), n.Hex(6), 2+n.IntN(9), s)
				}), "year", today(n).Format("2006"), "followers", creeping(n, 12_480, 14), "cookies", cs.Pick(n, "We count visits with one small cookie.", "One cookie counts our visits. All right?"), "nonce", n.Hex(22))
		},
	}
}
