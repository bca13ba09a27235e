package sealed

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// status is a hosting company's page of components and incidents.
func (h hours) status() *cs.Page {
	return &cs.Page{Path: "/status/", Type: "status", Render: func(n *cs.Run) string {
		c := n.Calmly()
		const fine, slow = "Operational", "Degraded performance"
		components := [][2]string{
			{"Control panel", fine},
			{"Virtual machines", fine},
			{"Object storage", cs.Since(n, fine, cs.At(13, slow), cs.At(16, fine))},
			{"Name servers", fine},
			{"Mail relay", fine},
		}
		return fill(`<!DOCTYPE html>
<html><head><title>Larkhost Status</title><meta name="request-id" content="{{request}}"><meta http-equiv="refresh" content="{{reload}}">
<link rel="stylesheet" href="/packs/status_manifest-{{pack}}.css"></head>
<body class="status index status-{{level}}" data-csrf="{{csrf}}">
<div class="layout-content">
<div class="masthead"><a href="https://larkhost.example/?lsid={{session}}">Larkhost</a><button {{button}}>{{subscribe}}</button></div>
<div class="container">
<div class="page-status"><h2 class="status font-large">{{summary}}</h2><span class="last-updated">Checked {{checked}} seconds ago, next look in {{next}} s</span></div>
{{incident}}<div class="components-section"><h4>Components</h4>
{{components}}</div>
<div class="maintenance"><h4>Scheduled maintenance</h4>{{maintenance}}</div>
<div class="past"><h4>Past incidents</h4>{{past}}<div class="day"><p>19 February 2026. Name servers in Madrid answered slowly from 04:10 to 04:42 UTC. A faulty fan was replaced.</p></div></div>
<div class="probes"><h4>Round trips from our probes</h4><table><tbody>{{probes}}</tbody></table></div>
<div class="channels"><h4>Get told</h4><ul>{{channels}}</ul></div>
<div class="promo-slot" data-zone="{{zone}}"><small>Ad</small><a href="https://zone.example.net/{{zone}}">{{advert}}</a></div>
<div class="talk"><h4>From the community</h4><p>{{talk}}</p></div>
<div class="footer"><p>{{clock}} UTC · {{readers}} people on this page · {{requests}} requests served today · {{followers}} followers</p>
<p>Page by Beaconry {{beacon}} ({{node}}) · Office dog on duty: {{dog}} · {{sky}} over the data centre, {{degrees}}°C outside</p></div>
</div></div></body></html>`,
			"request", n.Hex(32), "reload", between(n, 55, 65), "pack", n.Hex(24), "level", cs.Pick(n, "x", "y")+n.Hex(3), "csrf", n.Hex(28), "session", n.Hex(26),
			"button", attributes(n, `class="subscribe"`, `data-js="`+n.Hex(5)+`"`, `type="button"`), "subscribe", cs.Pick(n, "Subscribe to updates", "Get updates", "Tell me"),
			"summary", cs.Since(n, "All systems operational", cs.At(13, "Some systems are slow"), cs.At(16, "All systems operational")), "checked", between(n, 1, 59), "next", between(n, 1, 60),
			"incident", cs.Since(n, "",
				cs.At(13, `<div class="unresolved"><h3>Slow object storage in Lisbon</h3><p><b>Investigating</b> Uploads take longer than usual. Downloads are not affected.</p></div>
`),
				cs.At(14, `<div class="unresolved"><h3>Slow object storage in Lisbon</h3><p><b>Identified</b> One rack has lost half of its uplink. A technician is on the way.</p><p><b>Investigating</b> Uploads take longer than usual. Downloads are not affected.</p></div>
`),
				cs.At(16, "")),
			"components", cs.Each(components, func(component [2]string) string {
				return `<div class="component-inner" data-component-id="` + n.Hex(12) + `"><span class="name">` + component[0] + `</span> <span class="component-status">` + component[1] + `</span><svg data-points="` + n.Hex(30) + `"></svg></div>
`
			}),
			"maintenance", cs.Since(n, "<p>None is planned.</p>", cs.At(31, "<p>Virtual machines in Lisbon restart once on 12 March 2026 between 01:00 and 03:00 UTC for a new kernel.</p>")),
			"past", cs.Since(n, "", cs.At(16, `<div class="day"><p>2 March 2026. Uploads to object storage in Lisbon were slow for three hours. A broken uplink was replaced.</p></div>`)),
			"probes", cs.Each(cs.Shuffled(n, "Lisbon", "Madrid", "Warsaw", "Athens", "Dublin", "Bergen"), func(probe string) string {
				return "<tr><td>" + probe + "</td><td>" + between(n, 4, 88) + " ms</td></tr>\n"
			}),
			"channels", cs.Each(cs.Shuffled(n, "Mail", "Text message", "Feed", "Webhook", "Chat"), func(name string) string {
				return `<li><a href="/subscribe/` + slug(name) + `?t=` + n.Hex(10) + `">` + name + "</a></li>"
			}),
			"zone", n.Hex(6), "advert", cs.Pick(n, "Pagers that let you sleep", "Uptime posters for your wall", "Cable ties, 10,000 in a bucket", "Learn incident command in a day", "Rent a generator", "Racks second-hand, like new"),
			"talk", cs.Pick(n, "Somebody hosts a choir's archive with us. Listen in.", "How Ana moved 40 shops in one night", "Show us your smallest machine", "Our forum turned five thousand threads", "A reader's guide to reverse DNS", "Moving from shared hosting: three stories"),
			"clock", h.now(n).Format("2006-01-02 15:04:05"), "readers", between(n, 2, 63), "requests", h.count(c, 81_204_000, 9_100_000), "followers", h.count(c, 2_871, 2),
			"beacon", "7."+between(n, 0, 9)+"."+between(n, 0, 40), "node", "bcn-"+n.Hex(4), "dog", cs.Pick(n, "Pastel", "Bit", "Mrs Higgins", "Turbo", "Azeitona"), "sky", cs.Pick(c, "Sun", "Cloud", "Rain", "Haze"), "degrees", between(c, 9, 21))
	}}
}
