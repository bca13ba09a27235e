package fresh

import (
	"slices"
	"strconv"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

type plan struct {
	name           string
	price, storage int
	support        string
}

// pricing is what a service costs, on a page that is made to convince.
func pricing() *cs.Page {
	plans := func(n *cs.Run) []plan {
		return []plan{
			{"Solo", cs.Since(n, 9, cs.At(18, 8)), 20, "by mail"},
			{"Team", cs.Since(n, 29, cs.At(5, 31)), cs.Since(n, 100, cs.At(13, 150)), cs.Since(n, "by mail, within 24 hours", cs.At(32, "by mail, within 12 hours"))},
			{"Firm", 99, cs.Since(n, 1000, cs.At(14, 2000)), "by phone"},
		}
	}
	trial := func(n *cs.Run) int { return cs.Since(n, 14, cs.At(25, 30)) }
	return &cs.Page{
		Path: "/pricing", Type: "prices",
		Schema: `{"type":"object","properties":{"plans":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"integer"},
"storage_gb":{"type":"integer"},"support":{"type":"string"}}}},"trial_days":{"type":"integer"}}}`,
		Data: func(n *cs.Run) map[string]any {
			var list []any
			for _, p := range plans(n) {
				list = append(list, map[string]any{"name": p.name, "price": p.price, "storage_gb": p.storage, "support": p.support})
			}
			return map[string]any{"plans": list, "trial_days": trial(n)}
		},
		Render: func(n *cs.Run) string {
			list := plans(n)
			cell := func(write func(plan) string) string {
				return cs.Each(list, func(p plan) string { return w(`<td class="sc-%s">`, n.Hex(6)) + write(p) + "</td>" + gap(n) })
			}
			extra := cs.Since(n, "", cs.At(21, `<tr><th scope="row">Single sign-on</th><td>no</td><td>no</td><td>yes</td></tr>`))
			rate := 91 + n.Calm.IntN(4)
			return fill(pricingPage,
				"hash", n.Hex(9), "hero", pick(n.Rand, "Pricing that grows with you", "Simple pricing, no surprises", "Pick a plan and go"),
				"sub", pick(n.Rand, "Start free today.", "No card needed.", "Cancel whenever you like.", ""), "variant", pick(n.Rand, "a", "b", "c"),
				"prices", cell(func(p plan) string {
					return w(`<b>$%d</b> a month <button data-exp="%s">%s</button>`, p.price, n.Hex(4), pick(n.Rand, "Choose", "Get started", "Try it free"))
				}),
				"storage", cell(func(p plan) string { return strconv.Itoa(p.storage) + " GB" }), "support", cell(func(p plan) string { return p.support }), "extra", extra,
				"trial", strconv.Itoa(trial(n)), "euro", w("0.%d", rate), "pound", w("0.%d", rate-13),
				"notice", cs.Since(n, "Give 30 days' notice to leave; what is left is not paid back.", cs.At(37, "Leave at any time; what is left of a month is paid back.")),
				"teams", thousands(crept(n, 12_480, 70)), "files", thousands(crept(n, 904_112_377, 2_000_000)),
				"logos", items(cs.Some(n, 4, "Norvik", "Papermill", "Quill & Daughters", "Studio Oho", "Baltic Rail", "Hexa", "Umbra"), "<li>", "</li>"),
				"voice", pick(n.Rand, "“We threw out three other tools.” Lena, Norvik", "“Support answers like humans.” Ravi, Hexa", "“Set up before lunch.” Jo, Umbra"),
				"bar", perhaps(n.Rand, 50, `<div class="bar">`+pick(n.Rand, "New: meet us in Lisbon", "Webinar on Thursday: tidy folders", "We raised a round. Read why")+` <button>×</button></div>`),
				"chat", perhaps(n.Rand, 50, `<div id="chat-`+n.Hex(6)+`">`+pick(n.Rand, "Ana", "Bo", "Chidi")+` is online. Ask about plans!</div>`),
				"viewing", between(n.Rand, 4, 90), "release", clock(n).Format("2006.1.2")+"-"+between(n.Calm, 1, 6),
			)
		},
	}
}

const pricingPage = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Pricing · Stackroom</title><style data-styled="{hash}">.sc-{hash}{color:#223}</style></head>
<body data-variant="{variant}"><div id="root"><div class="sc-{hash}"><a href="/">Stackroom</a><a href="/features">Features</a><a href="/pricing">Pricing</a></div>{bar}
<div class="sc-{hash} hero"><h2>{hero}</h2><p>{sub}</p></div><h1>Plans</h1>
<table class="sc-{hash}"><thead><tr><th></th><th>Solo</th><th>Team</th><th>Firm</th></tr></thead><tbody>
<tr><th scope="row">Price</th>{prices}</tr><tr><th scope="row">Storage</th>{storage}</tr><tr><th scope="row">Support</th>{support}</tr>{extra}</tbody></table>
<p class="fx">$1 is about €{euro} or £{pound} today</p><p>Each plan is free for the first {trial} days.</p>
<h2>Questions</h2><details open><summary>How do I leave?</summary><p>{notice}</p></details><details open><summary>Do you delete my files?</summary><p>Yes, 90 days after you left.</p></details>
<div class="proof"><p>{teams} teams keep {files} files with us</p><ul>{logos}</ul><blockquote>{voice}</blockquote><p>{viewing} people are comparing plans</p></div>
<div class="sc-{hash} foot">© Stackroom GmbH · {release}</div>{chat}</div></body></html>`

type opening struct {
	id, title, place, pay, state string
	day                          int // of the run on which it was posted
}

// openings is the jobs at a hospital, on the board of a maker of such boards.
func openings() *cs.Page {
	jobs := func(n *cs.Run) []opening {
		list := []opening{
			{"7701", "Midwife", "Ward 4", cs.Since(n, "£36,200", cs.At(24, "£36,900")), "Open", -20},
			{"7712", cs.Since(n, "Porter", cs.At(17, "Porter (nights)")), "Main site", "£24,100", "Open", -9},
			{"7720", "Data analyst", "Remote", "£41,500", cs.Since(n, "Open", cs.At(33, "Closed")), -4},
			{"7725", "Dietitian", cs.Since(n, "Hill House", cs.At(10, "Main site")), "£35,400", "Open", -1},
			{"7698", "Locksmith", "Main site", "£29,000", "Open", -31},
		}
		with := slices.Concat(list, []opening{{"7731", "Ward clerk", "Ward 9", "£23,800", "Open", 2}})
		shorter := slices.Concat(with[:4], with[5:])
		return cs.Since(n, list, cs.At(2, with), cs.At(8, shorter), cs.At(9, append(shorter[:4:4], opening{"7733", "Radiographer", "Main site", "£38,000", "Open", 9})))
	}
	closing := func(n *cs.Run) string { return cs.Since(n, "30 April", cs.At(29, "8 May")) }
	return &cs.Page{
		Path: "/careers/openings", Type: "jobs",
		Schema: `{"type":"object","properties":{"openings":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"title":{"type":"string"},
"place":{"type":"string"},"pay":{"type":"string"},"state":{"type":"string"}}}},"closing":{"type":"string"}}}`,
		Data: func(n *cs.Run) map[string]any {
			var list []any
			for _, o := range cs.Shuffled(n, jobs(n)...) {
				list = append(list, map[string]any{"id": o.id, "title": o.title, "place": o.place, "pay": o.pay, "state": o.state})
			}
			return map[string]any{"openings": list, "closing": closing(n)}
		},
		Render: func(n *cs.Run) string {
			applied := map[string]int{}
			for i, o := range jobs(n) {
				applied[o.id] = crept(n, 3+5*i, 2)
			}
			return fill(openingsPage,
				"csrf", n.Hex(36), "hash", n.Hex(10), "closing", closing(n), "rows", cs.Each(cs.Shuffled(n, jobs(n)...), func(o opening) string {
					return w(`<div role="listitem" id="ember%d" class="job-%s">`, 100+n.IntN(900), n.Hex(5)) +
						tag(n, "a", w(`href="/careers/job/%s?src=board&tid=%s"`, o.id, n.Hex(12)), `data-qa="title"`, `class="t"`) + o.title + "</a>" +
						w(`<span>%s</span><span>%s</span><span class="badge">%s</span><small>Posted %s, %d applicants</small></div>`, o.place, o.pay, o.state, daysAgo(n, -o.day), applied[o.id]) + gap(n)
				}),
				"story", pick(n.Rand, "“I started as a cleaner; now I lead the ward.” Precious", "“The rota is fair.” Dan", "“They paid for my course.” Siobhan"),
				"hero", pick(n.Rand, "Care starts with you", "Work that matters", "Join four thousand of us"), "alert", pick(n.Rand, "Get alerts", "Mail me new jobs", "Set up a job alert"),
				"viewers", between(n.Rand, 2, 40), "wait", between(n.Calm, 10, 240), "now", clock(n).Format("2 January 2006, 15:04"), "followers", thousands(crept(n, 22_900, 24)),
				"match", perhaps(n.Rand, 40, `<div class="match">Upload a CV and see how well you match. `+pick(n.Rand, "Takes a minute.", "Free.", "Try it.")+`</div>`),
				"similar", items(cs.Some(n, 3, "Nurse, St Brannoc", "Driver, Blood Service", "Cook, Seaview School", "Clerk, County Hall", "Carer, Elm Lodge"), "<li>", " <i>ad</i></li>"),
				"consent", perhaps(n.Rand, 50, `<div class="ot">Cookies help us. <a href="#">Settings</a></div>`), "login", pick(n.Rand, "Candidate log in", "My applications", "Log in"),
				"benefits", items(cs.Shuffled(n, "Pension", "33 days' leave", "Cycle scheme"), "<li>", "</li>"), "pod", pick(n.Rand, "eu3", "eu4", "eu7"),
			)
		},
	}
}

const openingsPage = `<!doctype html><html lang="en-GB"><head><title>Openings | Bayview Hospitals</title><meta name="csrf" content="{csrf}"><script src="/b/vendor-{hash}.js"></script></head>
<body class="ember-application"><div class="top"><a href="/careers">Bayview careers</a> <a href="/login?t={csrf}">{login}</a></div><div class="band">{hero}</div>{match}
<div class="main"><h1>Openings</h1><p>Apply by {closing}. Interviews are held on the main site.</p><div role="list">{rows}</div><button>{alert}</button><p>{viewers} others are viewing jobs</p></div>
<div class="side"><h3>Why Bayview</h3><ul>{benefits}</ul><p>{story}</p><h3>Jobs from partners</h3><ul>{similar}</ul></div>
<div class="bottom"><p>Emergency department: waiting time {wait} minutes</p><p>{followers} followers · {now} · {pod}</p></div>{consent}</body></html>`

type component struct{ name, state string }

// status is how a service fares, measured each minute.
func status() *cs.Page {
	components := func(n *cs.Run) []component {
		return []component{
			{"Website", "Operational"},
			{cs.Since(n, "API", cs.At(30, "API v2")), cs.Since(n, "Operational", cs.At(11, "Degraded performance"), cs.At(12, "Major outage"), cs.At(13, "Operational"))},
			{"Webhooks", cs.Since(n, "Operational", cs.At(26, "Under maintenance"), cs.At(27, "Operational"))},
			{"Mail delivery", cs.Since(n, "Degraded performance", cs.At(1, "Operational"))},
		}
	}
	incident := func(n *cs.Run) string {
		return cs.Since(n, "None", cs.At(11, "Slow answers of the API"), cs.At(13, "None"))
	}
	return &cs.Page{
		Path: "/status", Type: "status",
		Schema: `{"type":"object","properties":{"components":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"state":{"type":"string"}}}},
"incident":{"type":"string"}}}`,
		Data: func(n *cs.Run) map[string]any {
			var list []any
			for _, c := range components(n) {
				list = append(list, map[string]any{"name": c.name, "state": c.state})
			}
			return map[string]any{"components": list, "incident": incident(n)}
		},
		Render: func(n *cs.Run) string {
			at := clock(n)
			return fill(statusPage,
				"etag", n.Hex(14), "ago", between(n.Rand, 2, 59), "next", between(n.Rand, 5, 60), "time", at.Format("15:04 MST"), "date", at.Format("Jan 2, 2006"),
				"rows", cs.Each(components(n), func(c component) string {
					return w(`<div class="component-inner-container" data-component-id="%s"><span class="name">%s</span> <span class="component-status">%s</span><span class="ms">%d ms</span></div>`,
						n.Hex(12), c.name, c.state, 12+n.IntN(400)) + gap(n)
				}),
				"incident", incident(n), "planned", cs.Since(n, "No maintenance is planned.", cs.At(22, "Maintenance of webhooks is planned for 28 March, 02:00 to 04:00 UTC."), cs.At(27, "No maintenance is planned.")),
				"requests", thousands(crept(n, 48_300_112, 900_000)), "p50", between(n.Rand, 20, 60), "p99", between(n.Rand, 200, 900), "subscribers", thousands(crept(n, 3_311, 9)),
				"mail", cs.Since(n, "status@ferrypost.example", cs.At(36, "help@ferrypost.example")), "subscribe", pick(n.Rand, "Subscribe to updates", "Get updates", "Notify me"),
				"points", cs.Each(cs.Shuffled(n, 1, 2, 3, 4, 5, 6), func(int) string { return w("<i style=height:%dpx>%d</i>", 1+n.IntN(40), n.IntN(500)) }),
				"edge", pick(n.Rand, "AMS", "LHR", "CDG", "WAW"), "token", n.Hex(48), "follow", pick(n.Rand, "Follow @ferrypost", "We post on @ferrypost first", "@ferrypost"),
				"hint", perhaps(n.Rand, 40, `<p class="hint">`+pick(n.Rand, "Did you know? There is a feed of this page.", "See times in your own zone.", "Dark mode is here.")+`</p>`),
			)
		},
	}
}

const statusPage = `<!DOCTYPE html><html><head><title>Ferrypost status</title><meta http-equiv="refresh" content="{next}"><script>window.__ETAG="{etag}"</script></head><body class="status index">
<div class="layout-content"><h1>Ferrypost status</h1><p class="checked">Last checked {ago} seconds ago, at {time}. Next check in {next} s</p>
<form action="/subscribe"><input type="hidden" name="authenticity_token" value="{token}"><a class="btn">{subscribe}</a></form>{hint}
<div class="components-container">{rows}</div>
<div class="incidents-list"><h2>Current incident</h2><p>{incident}</p></div><div class="scheduled"><h2>Maintenance</h2><p>{planned}</p></div>
<div class="metrics"><h2>Live metrics</h2><p>p50 {p50} ms, p99 {p99} ms</p><div class="spark">{points}</div><p>{requests} requests today, {date}</p></div>
<div class="page-footer"><p>Write to {mail} or: {follow}. {subscribers} subscribers. Edge {edge}</p></div></div></body></html>`
