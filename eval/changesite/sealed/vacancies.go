package sealed

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// vacancy is a post to be filled.
type vacancy struct{ title, place, pay, kind string }

// vacancies are those of a company, on the page that its tool for applicants makes.
func (h hours) vacancies() *cs.Page {
	open := func(n *cs.Run) []vacancy {
		all := []vacancy{
			{"Signalling engineer", "York", cs.Since(n, "£46,000 to £54,000", cs.At(10, "£48,000 to £56,000")), "Full time"},
			{"Data analyst, timetables", cs.Since(n, "Leeds", cs.At(25, "Leeds or remote")), "£38,000 to £43,000", "Full time"},
			{"Apprentice fitter", "Doncaster", "£21,500", "Full time"},
			{"Payroll officer", "York", "£29,000 to £31,000", "Part time, 24 hours"},
		}
		all = append(all, cs.Since(n, []vacancy{{"Museum guide, weekends", "Shildon", "£12.90 an hour", "Seasonal"}}, cs.At(34, []vacancy{}))...)
		return append(all, cs.Since(n, []vacancy{}, cs.At(11, []vacancy{{"Head of depot safety", "Doncaster", "£61,000", "Full time"}}))...)
	}
	return &cs.Page{
		Path: "/careers/open-roles", Type: "jobs",
		Schema: `{"type":"object","properties":{"vacancies":{"type":"array","items":{"type":"object","properties":{"title":{"type":"string"},"place":{"type":"string"},
			"pay":{"type":"string"},"kind":{"type":"string"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			list := []any{}
			for _, v := range open(n) {
				list = append(list, map[string]any{"title": v.title, "place": v.place, "pay": v.pay, "kind": v.kind})
			}
			return map[string]any{"vacancies": list}
		},
		Render: func(n *cs.Run) string {
			c := n.Calmly()
			visit := n.Hex(32)
			return fill(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Open roles at Northgate Rail Works</title>
<meta name="authenticity-token" content="{{token}}"><link href="//cdn.hirely.example/packs/board-{{pack}}.css" rel="stylesheet">
<script>dataLayer=[{visitId:"{{visit}}",bucket:{{bucket}},sentAt:{{epoch}}}]</script></head>
<body id="job-board" class="hirely {{bucket-class}}">
{{cookies}}<div role="banner"><a href="/?v={{visit}}">Northgate Rail Works</a><span>{{account}}</span></div>
<div class="carousel" data-slide="{{slide}}"><figure><img src="/photos/{{slide}}.webp" alt="{{photo}}"><figcaption>{{photo}}</figcaption></figure></div>
<div role="main">
<h1>Open roles</h1>
<p class="lead">We keep 212 locomotives moving. {{count}} roles are open at present, and all of them come with a pension and free travel.</p>
<div class="sort">Sorted for you · loaded in {{ms}} ms</div>
<section class="openings">
{{vacancies}}</section>
<form action="/talent-pool" method="post"><input type="hidden" name="authenticity_token" value="{{token}}"><p>{{pool}}</p><button class="btn-{{hash}}">{{call}}</button></form>
</div>
<div role="complementary">
<h2>Why people stay</h2><ul class="perks">{{perks}}</ul>
<h2>A colleague says</h2><blockquote>{{colleague}}</blockquote>
<div class="box-ad" data-creative="{{creative}}"><p>Advertisement</p><a href="https://adserve.example.net/{{creative}}">{{advert}}</a></div>
<h2>Other employers on Hirely</h2><ul>{{others}}</ul>
<div class="widget-weather">York: {{degrees}}°, {{sky}}</div><div class="widget-share">NRW shares {{share}}p ({{move}}%)</div>
</div>
<div role="contentinfo"><p>{{today}} · {{clock}} · {{recruiters}} recruiters online · {{candidates}} people have read this board today</p>
<p>Powered by Hirely, release {{release}}, served by {{node}}. {{applied}} applications sent with Hirely.</p></div>
</body></html>`,
				"token", n.Hex(44), "pack", n.Hex(20), "visit", visit, "bucket", between(n, 0, 99), "epoch", between(n, 1_772_000_000, 1_773_000_000), "bucket-class", cs.Pick(n, "ab-one", "ab-two", "ab-three"),
				"cookies", cs.Pick(n, "", "", `<div class="gdpr-bar"><p>We and our partners store cookies on your device.</p><button>Agree</button><button>Settings</button></div>
`),
				"account", cs.Pick(n, "Sign in", "Hello, guest", "My applications"), "slide", n.Hex(8),
				"photo", cs.Pick(n, "The wheel lathe at night", "Tea in the paint shop", "Open day, platform 3", "Apprentices of last year", "Our whippet, Flange", "Steam in January", "The canteen choir"),
				"count", fmt.Sprint(len(open(n))), "ms", between(n, 40, 900),
				"vacancies", cs.Each(cs.Shuffled(n, open(n)...), func(v vacancy) string {
					return fill(`<div class="opening" {{attributes}}>
  <h4><a href="/careers/open-roles/{{slug}}?gh_src={{source}}">{{title}}</a></h4>
  <span class="location">{{place}}</span>{{gap}}<span class="pay">{{pay}}</span>
  <span class="kind">{{kind}}</span>
  <small>viewed {{views}} times, last {{ago}} minutes ago</small>
</div>
`, "attributes", attributes(n, `data-key="`+n.Hex(6)+`"`, `data-dept="works"`, `role="listitem"`), "slug", slug(v.title), "source", n.Hex(8), "title", v.title, "place", v.place,
						"gap", cs.Pick(n, " ", "\n  "), "pay", v.pay, "kind", v.kind, "views", between(n, 11, 480), "ago", between(n, 1, 59))
				}),
				"pool", cs.Pick(n, "Nothing for you today? Leave us your name.", "Not sure yet? Have a coffee with us.", "We call when the right thing comes."), "hash", n.Hex(5), "call", cs.Pick(n, "Join the pool", "Keep me posted", "Stay in touch"),
				"perks", cs.Each(cs.Shuffled(n, "Free travel for the family", "A bank holiday on your birthday", "Tools you may take home", "A real canteen", "Six weeks for new parents"), tag("li")),
				"colleague", cs.Pick(n, "I came for a summer and that was 1998. (Bev, stores)", "You hear what you mended go past your house. (Hassan, fitter)", "They paid for my degree. (Jo, design)", "I have never had to wear a tie. (Colin, planning)", "My team is the best pub quiz team in Yorkshire. (Ola, IT)", "Night shifts end with the sunrise over the yard. (Kaz, yard)"),
				"creative", between(n, 10_000, 99_999), "advert", cs.Pick(n, "Moving north? Vans from £35 a day", "Your CV, polished by people", "Safety boots with next-day delivery", "Evening classes in welding", "Train sets for grown-ups", "Compare pensions in two minutes"),
				"others", cs.Each(cs.Some(n, 3, "Harbottle Ferries", "Dales Buses", "Tyne Cranes", "Pennine Water", "Aire Logistics", "Holme Power", "Swale Textiles"), tag("li")),
				"degrees", between(c, 0, 12), "sky", cs.Pick(c, "rain", "sun and cloud", "sleet", "mist", "fair"), "share", decimal(c, 1, 2_140, 2_260), "move", cs.Pick(c, "+", "-")+decimal(c, 2, 1, 190),
				"today", h.now(c).Format("Monday 2 January 2006"), "clock", h.now(n).Format("15:04:05"), "recruiters", between(n, 1, 6), "candidates", h.count(c, 140, 16),
				"release", "2026.9."+between(n, 100, 999), "node", cs.Pick(n, "ip-10-0-", "ip-10-1-")+between(n, 2, 250), "applied", h.count(n, 31_204_118, 900))
		},
	}
}
