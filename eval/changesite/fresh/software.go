package fresh

import (
	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// parcels is a page of an API's reference, whose samples are made for the reader.
func parcels() *cs.Page {
	return &cs.Page{Path: "/docs/api/parcels", Type: "docs", Render: func(n *cs.Run) string {
		rows := [][3]string{
			{"weight", "integer", "In grams, at most " + cs.Since(n, "30000", cs.At(4, "31500"))},
			{"service", "string", "One of <code>standard</code>, <code>express</code>"},
			{"reference", "string", "Yours, up to 40 characters"},
		}
		rows = cs.Since(n, rows, cs.At(18, append(rows[:3:3], [3]string{"insured", "boolean", "Whether to insure it for its value"})))
		scope := "_" + n.Hex(5)
		return fill(parcelsPage,
			"scope", scope, "chunk", n.Hex(20), "version", cs.Since(n, "2.3", cs.At(10, "2.4"), cs.At(34, "2.5")), "nonce", n.Hex(16),
			"notice", cs.Since(n, "", cs.At(27, `<div class="admonition warning"><p>The field reference is deprecated and goes away in version 3.</p></div>`)),
			"rows", cs.Each(rows, func(r [3]string) string {
				return w(`<tr class="%s"><td><code>%s</code></td><td>%s</td><td>%s</td></tr>`, scope, r[0], r[1], r[2]) + gap(n)
			}),
			"key", "sk_test_"+n.Hex(24), "request", "req_"+n.Hex(14), "sample", clock(n).Format("2006-01-02T15:04:05Z"), "id", "pcl_"+n.Hex(10),
			"status", cs.Since(n, "200", cs.At(19, "201")), "limit", cs.Since(n, "100", cs.At(11, "120")),
			"sdk", cs.Since(n, "https://code.example/parcel/sdk-js", cs.At(36, "https://code.example/parcel/sdk-ts")),
			"helped", thousands(crept(n, 214, 4)), "ask", pick(n.Rand, "Was this page helpful?", "Did this help?", "How are we doing?"),
			"user", pick(n.Rand, `<a href="/login">Sign in to see your keys</a>`, `<span>Test mode</span>`, `<a href="/register">Get a key</a>`),
			"tip", pick(n.Rand, "Tip: press / to search.", "Tip: copy a page as Markdown with one click.", "Tip: try it in the console.", ""),
			"event", perhaps(n.Rand, 40, `<div class="ribbon">`+pick(n.Rand, "Meet us at PostExpo", "We are hiring writers", "Webinar: returns made easy")+`</div>`),
			"health", pick(n.Rand, "API latency 41 ms", "API latency 38 ms", "API latency 57 ms", "API latency 44 ms"), "stars", thousands(crept(n, 2190, 12)),
			"build", clock(n).Format("20060102")+"."+between(n.Calm, 1, 9), "chat", perhaps(n.Rand, 50, `<div class="chat">Hi! I am the docs bot. <button>Ask me</button></div>`),
		)
	}}
}

const parcelsPage = `<!doctype html><html data-theme="light"><head><meta charset="utf-8"><title>Create a parcel | Parcel API</title>
<script nonce="{nonce}" src="/_next/static/chunks/{chunk}.js"></script></head><body><div id="__docs">{event}
<nav class="navbar {scope}"><a href="/">Parcel</a><span>{user}</span><a href="https://code.example/parcel">★ {stars}</a></nav>
<aside class="sidebar"><ul><li><a href="/docs/start">Start here</a></li><li><a href="/docs/api/parcels">Parcels</a></li><li><a href="/docs/api/labels">Labels</a></li></ul><p>{tip}</p></aside>
<main class="{scope}"><p class="crumb">API reference, version {version}</p><h1>Create a parcel</h1>{notice}
<p>Registers a parcel and answers with its label. You may make {limit} calls a minute.</p>
<h2>Parameters</h2><table><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead><tbody>{rows}</tbody></table>
<h2>Example</h2><pre><code class="language-bash">curl https://api.example/v2/parcels \
  -H "Authorization: Bearer {key}" \
  -d weight=1200 -d service=express</code></pre>
<p>The answer has the status {status}:</p><pre><code class="language-json">{"id": "{id}", "created": "{sample}", "request": "{request}", "service": "express"}</code></pre>
<p>There is a <a href="{sdk}">client for browsers</a>.</p>
<div class="feedback"><p>{ask}</p><button>Yes</button><button>No</button><small>{helped} readers said yes</small></div></main>
<footer><span class="dot"></span>{health} · docs build {build}</footer>{chat}</div></body></html>`

type release struct {
	version string
	day     int // of the run; before the baseline it is negative
	notes   []string
}

// changelog is the releases of a program on a forge, newest first.
func changelog() *cs.Page {
	return &cs.Page{Path: "/tidewater/releases", Type: "changelog", Render: func(n *cs.Run) string {
		all := []release{
			{"v3.0.0", 38, []string{"The old configuration format is no longer read", "New: plans can be signed"}},
			{"v2.9.2", 23, []string{"Fixes a crash on empty plans"}},
			{"v2.9.1", 11, []string{"Puts back the flag --quiet, which 2.9.0 had lost"}},
			{"v2.9.0", 10, []string{"Plans run in parallel", "Needs Go 1.24 or later"}},
			{"v2.8.4", 2, []string{"Fixes times in logs on Windows"}},
			{"v2.8.3", -12, []string{cs.Since(n, "Faster start with many plans", cs.At(30, "Faster start with many plans, by Kwame"))}},
			{"v2.8.2", -40, []string{"Fixes CVE-2026-10" + cs.Since(n, "17", cs.At(15, "71")), "Updates translations"}},
		}
		shown := cs.Since(n, all[5:], cs.At(2, all[4:]), cs.At(10, all[3:]), cs.At(11, all[2:]), cs.At(23, all[1:]), cs.At(38, all))
		return fill(changelogPage,
			"hash", n.Hex(12), "token", n.Hex(64), "stars", w("%.1fk", float64(crept(n, 11_400, 120))/1000), "forks", thousands(crept(n, 604, 6)),
			"watch", pick(n.Rand, "Watch", "Sign in to watch", "Notifications"), "fetch", n.Hex(32),
			"releases", cs.Each(shown, func(r release) string {
				return w(`<section aria-labelledby="hd-%s"><h2 id="hd-%s"><a href="/tidewater/releases/tag/%s" data-hydro="%s">%s</a></h2><relative-time datetime="%s">%s</relative-time>`,
					n.Hex(8), n.Hex(8), r.version, n.Hex(16), r.version, baseline.AddDate(0, 0, r.day).Format("2006-01-02"), daysAgo(n, -r.day)) +
					w(`<ul>%s</ul><p class="dl">%s downloads</p><button class="reaction">👍 %d</button><button class="reaction">🎉 %d</button></section>`,
						items(r.notes, "<li>", "</li>"), thousands(crept(n, 400+30*(len(r.version)+r.day+40), 80)), crept(n, 4, 2), crept(n, 1, 2)) + gap(n)
			}),
			"people", items(cs.Some(n, 4, "akwame", "bliss", "corrie-d", "dunya", "eskil", "farid"), `<img alt="@`, `" src="/avatars/x">`),
			"used", thousands(crept(n, 5120, 30)), "explore", items(cs.Some(n, 2, "lantern: a tiny queue", "sluice: flow control", "moor: mounts for tests", "skerry: maps"), "<li>", "</li>"),
			"flash", perhaps(n.Rand, 40, `<div class="flash">`+pick(n.Rand, "You signed in with another tab. Reload.", "Join the survey of maintainers.", "Learn about packages.")+`</div>`),
			"year", "2026", "region", pick(n.Rand, "iad-7", "fra-2", "sin-1"),
		)
	}}
}

const changelogPage = `<!DOCTYPE html><html lang="en" data-color-mode="auto"><head><meta charset="utf-8"><title>Releases · tidewater</title>
<meta name="request-id" content="{fetch}"><link rel="stylesheet" href="/assets/light-{hash}.css"></head><body>{flash}
<div class="repo-head"><a href="/tidewater">tidewater</a> <span>{watch}</span> <span>Star {stars}</span> <span>Fork {forks}</span></div>
<form action="/search"><input type="hidden" name="authenticity_token" value="{token}"></form>
<main><h1>Releases</h1>{releases}</main>
<aside><h3>Contributors</h3>{people}<p>Used by {used} repositories</p><h3>Explore more</h3><ul>{explore}</ul></aside>
<footer>© {year} Forge, Inc. <!-- {region} --> <span>Served from {region}</span></footer></body></html>`
