package parish

import (
	"strings"
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

type vacancy struct {
	title, employer, place, hours, pay, closes string
	posted                                     time.Time
}

// vacancies are a job board's, in a framework with utility classes.
func vacancies() *cs.Page {
	open := func(n *cs.Run) []vacancy {
		september := func(day int) time.Time { return time.Date(2026, 9, day, 0, 0, 0, 0, time.UTC) }
		nurse := vacancy{"Community nurse", "Wexmouth Trust", "Wexmouth East", "", "", "23 October", september(2)}
		nurse.hours = cs.Since(n, "Full time", cs.At(12, "Full or part time"))
		nurse.pay = cs.Since(n, "£33,400 a year", cs.At(11, "£34,900 a year"))
		list := []vacancy{
			nurse,
			{"Harbour electrician", "Wexmouth Port Authority", "Old Dock", "Full time", "£41,000 a year", cs.Since(n, "2 October", cs.At(26, "30 October")), september(4)},
			{"Teaching assistant", "St Brannoc Primary", "Hollins", "Term time, 28 hours", "£13.10 an hour", "25 October", september(1)},
			{"Bus driver", "Estuary Lines", "Marsh Lane depot", "Full time, shifts", "£15.20 an hour", "31 October", september(3)},
		}
		list = append(list, cs.Since(n, nil, cs.At(1, []vacancy{{
			"Library supervisor", "Wexmouth Town Council", "Market Street", "Part time, 22 hours",
			"£16.05 an hour", "19 October", september(7),
		}}))...)
		list = append(list, cs.Since(n, []vacancy{{"Pastry chef", "The Lantern Rooms", "Seafront", "Full time", "£29,500 a year", "27 September", september(5)}},
			cs.At(21, []vacancy{}))...)
		return append(list, cs.Since(n, nil, cs.At(36, []vacancy{
			{"Planning officer", "Wexmouth Town Council", "Market Street", "Full time", "£38,200 a year", "6 November", start.AddDate(0, 0, 35)},
			{"Ward clerk", "Wexmouth Trust", "Wexmouth East", "Full time", "£25,100 a year", "2 November", start.AddDate(0, 0, 35)},
		}))...)
	}
	return &cs.Page{
		Path: "/vacancies", Type: "jobs",
		Schema: `{"type":"object","properties":{"jobs":{"type":"array","items":{"type":"object","properties":{"title":{"type":"string"},"employer":{"type":"string"},
			"location":{"type":"string"},"hours":{"type":"string"},"pay":{"type":"string"},"closes":{"type":"string"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			var jobs []any
			for _, v := range cs.Shuffled(n, open(n)...) {
				jobs = append(jobs, map[string]any{"title": v.title, "employer": v.employer, "location": v.place, "hours": v.hours, "pay": v.pay, "closes": v.closes})
			}
			return map[string]any{"jobs": jobs}
		},
		Render: func(n *cs.Run) string {
			list := open(n)
			build, apply := n.Hex(20), cs.Pick(n, "Quick apply", "Apply now")
			return fill(vacanciesHTML, "build", build, "chunk", n.Hex(16), "csrf", n.Hex(40), "count", len(list), "r", n.Hex(6), "online", 40+n.IntN(300),
				"searches", grouped(3_000+n.Calm.IntN(2_500)),
				"weekday", day(n).Format("Mon, Jan 2"), "alert", cs.Pick(n, "Get new jobs by email", "Email me jobs like these"),
				"cards", cs.Each(cs.Shuffled(n, list...), func(v vacancy) string {
					return fill(vacancyHTML, "id", n.Hex(6), "slug", strings.ReplaceAll(strings.ToLower(v.title), " ", "-"), "token", n.Hex(16), "title", v.title,
						"employer", v.employer, "place", v.place,
						"hours", v.hours, "pay", v.pay, "closes", v.closes, "posted", ago(n, v.posted), "viewers", 1+n.IntN(24), "apply", apply)
				}),
				"advice", cs.Each(cs.Some(n, 3, "How to write a covering letter", "Questions to ask at an interview", "Changing careers at fifty",
					"What goes on page two of a CV", "Handling a gap in your record", "First week nerves"), func(s string) string {
					return fill(`<li class="py-2"><a class="text-sm text-teal-700 hover:underline" href="/advice/{slug}?src=rail&amp;v={v}">{title}</a></li>`,
						"slug", strings.ReplaceAll(strings.ToLower(s), " ", "-"), "v", n.Hex(5), "title", s)
				}),
				"advert", cs.Pick(n, "Forklift licence in five days with LiftRight", "Study accounting from home", "Vans for hire from £39 a day",
					"Reading glasses, two pairs for one"))
		},
	}
}

const vacancyHTML = `<li class="rounded-xl border border-slate-200 bg-white p-5 shadow-sm" id=":r{id}:"><div class="flex items-start justify-between gap-4"><div>
<h2 class="text-lg font-semibold text-slate-900"><a href="/vacancies/{slug}?tk={token}">{title}</a></h2>
<p class="mt-1 text-sm text-slate-600">{employer} <span aria-hidden="true">·</span> {place}</p></div>
<button type="button" class="rounded-md bg-teal-600 px-3 py-1.5 text-sm text-white">{apply}</button></div>
<div class="mt-3 flex flex-wrap gap-2"><span class="rounded bg-slate-100 px-2 py-0.5 text-xs">{pay}</span>
<span class="rounded bg-slate-100 px-2 py-0.5 text-xs">{hours}</span><span class="rounded bg-amber-50 px-2 py-0.5 text-xs">Closes {closes}</span></div>
<div class="mt-3 flex gap-4 text-xs text-slate-400"><time>Posted {posted}</time><span>{viewers} people viewing</span></div></li>
`

const vacanciesHTML = `<!DOCTYPE html><html lang="en" class="h-full scroll-smooth"><head><meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/><title>Jobs in Wexmouth | Quayside Jobs</title><meta name="csrf-token" content="{csrf}"/>
<link rel="stylesheet" href="/_app/static/css/{chunk}.css" data-precedence="next"/><script src="/_app/static/chunks/main-{chunk}.js" async=""></script></head>
<body class="h-full bg-slate-50 font-sans antialiased __variable_{r}"><div id="__app">
<header class="sticky top-0 z-40 border-b border-slate-200 bg-white/90 backdrop-blur">
<div class="mx-auto flex h-16 max-w-6xl items-center justify-between px-4"><a class="text-xl font-bold text-teal-700" href="/">Quayside Jobs</a>
<nav class="hidden gap-6 md:flex"><a class="text-sm" href="/vacancies">Find work</a>
<a class="text-sm" href="/employers">Employers</a><a class="text-sm" href="/advice">Advice</a></nav>
<div class="flex items-center gap-3"><span class="text-xs text-slate-400">{weekday}</span><a class="text-sm" href="/login?state={chunk}">Sign in</a></div></div></header>
<div class="mx-auto grid max-w-6xl grid-cols-12 gap-8 px-4 py-8">
<aside class="col-span-3"><form class="space-y-4" action="/vacancies"><input type="hidden" name="_csrf" value="{csrf}"/>
<fieldset><legend class="text-sm font-medium">Hours</legend><label class="flex gap-2 text-sm"><input type="checkbox" name="h" value="ft" id=":r{r}:a"/>Full time</label>
<label class="flex gap-2 text-sm"><input type="checkbox" name="h" value="pt" id=":r{r}:b"/>Part time</label></fieldset>
<fieldset><legend class="text-sm font-medium">Distance</legend>
<select name="d" class="w-full rounded border"><option>Within 5 miles</option><option>Within 15 miles</option></select></fieldset></form></aside>
<main class="col-span-6" id="results"><div class="mb-6"><h1 class="text-2xl font-bold tracking-tight text-slate-900">Jobs in Wexmouth</h1>
<p class="mt-1 text-sm text-slate-600">{count} vacancies from employers in town and along the estuary</p>
<p class="mt-1 text-xs text-slate-400">{searches} searches today, {online} people here now</p></div>
<ul role="list" class="space-y-4">
{cards}</ul>
<div class="mt-8 rounded-xl bg-teal-50 p-5"><h2 class="font-semibold">Before you apply</h2>
<p class="mt-2 text-sm text-slate-700">No employer on this board may ask you for money. Tell us if one does and we take the post down the same day.</p></div></main>
<aside class="col-span-3"><div class="rounded-xl border border-slate-200 bg-white p-4"><h3 class="text-sm font-semibold">{alert}</h3>
<input class="mt-2 w-full rounded border px-2" type="email" name="e{r}" placeholder="you@example.org"/></div><div class="mt-6">
<h3 class="text-sm font-semibold">Career advice</h3><ul class="divide-y divide-slate-100">{advice}</ul></div>
<div class="mt-6 rounded bg-slate-100 p-3 text-center text-xs" data-slot="{r}"><span class="uppercase">Ad</span><p>{advert}</p></div></aside></div>
<footer class="border-t border-slate-200 py-8">
<div class="mx-auto max-w-6xl px-4 text-xs text-slate-500"><a href="/terms">Terms</a> <a href="/privacy">Privacy</a> <a href="/contact">Contact</a>
<p class="mt-2">© 2026 Quayside Jobs Co-operative · build {build}</p></div></footer>
<div role="dialog" aria-label="Cookies" class="fixed bottom-4 right-4 max-w-sm rounded-lg bg-white p-4 shadow-lg">
<p class="text-sm">We use cookies to remember your searches.</p><button class="mt-2 text-sm font-medium">Fine by me</button></div></div>
<script id="__DATA__" type="application/json">{"buildId":"{build}","page":"/vacancies","t":"{csrf}"}</script></body></html>`
