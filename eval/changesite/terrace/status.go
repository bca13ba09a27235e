package terrace

import (
	"strings"
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// status is the status page of a host, rendered by a framework that gives classes hashed names, with a month of days below.
func status() *cs.Page {
	return &cs.Page{Path: "/status", Type: "status", Render: func(n *cs.Run) string {
		c := "svelte-" + n.Calmly().Hex(6)
		storage := cs.Since(n, "Operational", cs.At(12, "Degraded performance"), cs.At(13, "Operational"))
		component := func(name, state string) string {
			var bars []string
			for day := 29; day >= 0; day-- {
				bars = append(bars, p(`<i title="%s"></i>`, start().AddDate(0, 0, n.Number-day).Format("Jan 2")))
			}
			return p(`<li class="component %s"><span class="name %s">%s</span><span class="state %s">%s</span><div class="bars %s" aria-hidden="true">%s</div></li>`, c, c, name, c, state, c, strings.Join(bars, ""))
		}
		incident := cs.Since(n, "",
			cs.At(12, `<h4>Slow reads from object storage in Fenby</h4><p><b>Investigating</b> Since 04:50 UTC one read in twenty takes more than two seconds. Nothing is lost.</p>`),
			cs.At(13, `<h4>Slow reads from object storage in Fenby</h4><p><b>Resolved</b> A shelf of disks was replaced at 19:25 UTC, and reads are as fast as before.</p>`+
				`<p><b>Investigating</b> Since 04:50 UTC one read in twenty takes more than two seconds. Nothing is lost.</p>`))
		done := cs.Since(n, "", cs.At(34, `<h4>Database upgrade</h4><p><b>Completed</b> All managed databases run version 17 now. The longest pause was 48 seconds.</p>`))
		var history []string
		for day := range 30 {
			date, said := start().AddDate(0, 0, n.Number-day), "<p>No incidents reported.</p>"
			switch {
			case date.Month() == time.January && date.Day() == 24:
				said = incident
			case date.Month() == time.February && date.Day() == 15:
				said = done
			}
			history = append(history, p(`<section class="day %s"><h3 class="%s">%s</h3>%s</section>`, c, c, date.Format("Jan 2, 2006"), said))
		}
		hours := cs.Since(n, "02:00 to 04:00 UTC", cs.At(30, "03:00 to 05:00 UTC"))
		planned := cs.Since(n, "", cs.At(25, `<h2>Scheduled maintenance</h2><article class="maintenance"><h3>Database upgrade</h3><p class="when">Sunday, 15 February 2026, {{hours}}</p>`+
			`<p>Managed databases are upgraded one after the other. Each is read-only for up to two minutes.</p></article>`), cs.At(34, ""))
		return fill(statusHTML, "c", c, "build", n.Calmly().Hex(8), "banner", cs.Since(n, "All systems operational", cs.At(12, "Some systems are slower than usual"), cs.At(13, "All systems operational")),
			"planned", fill(planned, "hours", hours), "components", component("Virtual machines", "Operational")+component("Managed databases", "Operational")+
				component("Object storage", storage)+component("Load balancers", "Operational")+component("Control panel", "Operational"),
			"history", strings.Join(history, ""), "checked", num(1+n.IntN(59)), "api", num(38+n.IntN(30)), "panel", num(110+n.IntN(90)), "clock", now(n).Format("15:04:05"),
			"people", grouped(creeping(n, 3204, 5), ","), "req", n.Hex(16), "theme", cs.Pick(n, "Dark mode", "Light mode"), "next", num(1+n.IntN(60)),
			"blog", cs.Pick(n, "How we halved the power our racks draw", "Meet the night shift", "Why we still write our own scheduler", "A tour of the Fenby halls"))
	}}
}

const statusHTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><title>Loomgrid status</title>
<link rel="modulepreload" href="/_app/immutable/entry/start.{{build}}.js"><link rel="stylesheet" href="/_app/immutable/assets/0.{{build}}.css">
</head>
<body data-sveltekit-preload-data="hover">
<div style="display: contents">
<header class="top {{c}}"><a class="brand {{c}}" href="https://loomgrid.example">Loomgrid</a><div class="links {{c}}"><a href="https://loomgrid.example/docs">Docs</a>
<a href="https://loomgrid.example/support">Support</a><button class="{{c}}">{{theme}}</button><button class="{{c}}">Subscribe</button></div></header>
<main class="{{c}}">
<h1 class="banner {{c}}">{{banner}}</h1>
<p class="checked {{c}}">Checked {{checked}} seconds ago. Next check in {{next}} s.</p>
<div id="state" class="{{c}}">
{{planned}}
<h2 class="{{c}}">Services in Fenby and Orrow</h2>
<ul class="components {{c}}">{{components}}</ul>
<h2 class="{{c}}">Response times</h2>
<table class="latency {{c}}"><tbody><tr><td>API, median</td><td>{{api}} ms</td></tr><tr><td>Control panel, median</td><td>{{panel}} ms</td></tr></tbody></table>
<h2 class="{{c}}">Past incidents</h2>
{{history}}
</div>
</main>
<aside class="side {{c}}"><p>{{people}} people get our notices by mail.</p><p>From the blog: <a href="https://loomgrid.example/blog?r={{req}}">{{blog}}</a></p></aside>
<footer class="{{c}}"><span>All times in UTC, now {{clock}}</span><span>Loomgrid Hosting, Fenby</span><a href="/history.atom">Atom</a><a href="/imprint">Imprint</a></footer>
<script nonce="{{req}}">{ __sveltekit_{{build}} = { base: "" }; }</script>
</div>
</body>
</html>`
