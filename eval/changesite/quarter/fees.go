package quarter

import (
	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

type fee struct {
	permit string
	amount int
	days   string
}

// fees is a fee schedule in the portal of a city.
func fees() *cs.Page {
	schedule := func(n *cs.Run) []fee {
		list := []fee{
			{"Building permit, up to 500 sq ft", 310, "20"},
			{"Building permit, above 500 sq ft", 640, "30"},
			{"Demolition permit", 275, "15"},
			{"Fence or retaining wall", 85, cs.Since(n, "10", cs.At(35, "15"))},
			{"Sidewalk terrace, per season", cs.Since(n, 180, cs.At(9, 195)), "10"},
			{"Dumpster on a public street, per week", 60, "3"},
			{"Block party", 25, "5"},
			{"Film or photo shoot, per day", 150, "5"},
			{"Tree removal", 70, "10"},
		}
		return append(list, cs.Since(n, nil, cs.At(22, []fee{{"Electric vehicle charger at home", 95, "7"}}))...)
	}
	counter := func(n *cs.Run) string { return cs.Since(n, "Room 114", cs.At(39, "Room 208")) }
	return &cs.Page{
		Path: "/departments/permits/fees", Type: "table",
		Schema: `{"type":"object","properties":{"fees":{"type":"array","items":{"type":"object",
			"properties":{"permit":{"type":"string"},"fee_usd":{"type":"number"},"working_days":{"type":"string"}}}},
			"counter":{"type":"string"}}}`,
		Data: func(n *cs.Run) map[string]any {
			list := []any{}
			for _, f := range schedule(n) {
				list = append(list, map[string]any{"permit": f.permit, "fee_usd": f.amount, "working_days": f.days})
			}
			return map[string]any{"fees": cs.Shuffled(n, list...), "counter": counter(n)}
		},
		Render: func(n *cs.Run) string {
			return portal(n, p(`<h1 class="page-title" id="h-%s">Permit Fee Schedule</h1>
<p class="usa-intro">Fees are due when you apply. They are not refunded if an application is withdrawn.</p>
<div class="page-tools"><span>Today is %s</span> | <a href="javascript:print()">Print</a> | <a href="/share?p=4471&amp;jsessionid=%s">Email this page</a> | Viewed %d
times</div>
<table class="usa-table usa-table--striped" id="tbl_%d"><caption>Fees of the Permit Office, in US dollars</caption><thead><tr><th scope="col">Permit</th>
<th scope="col">Fee</th><th scope="col">Working days</th></tr></thead><tbody>
%s</tbody></table>
<h2>How to pay</h2><p>Pay by card or check at the counter, or online with the number of your application. A service charge of 2.4%% is added to payments by card.</p>
<h2>Reduced fees</h2><p>Non-profit organizations pay half of each fee above $100. Bring the letter from the state with your application. Residents of 65 years or older
pay no fee for tree removal.</p>
<h2>Work without a permit</h2><p>If work has begun before the permit is issued, the fee is doubled. The Permit Office may order the work to stop until the fee has been
paid. Emergency repairs may begin at once if an application is filed by the end of the next working day.</p>
<h2>Where to find us</h2><p>Permit Office, City Hall, %s, 40 Granary Street. Monday to Thursday 8:30 a.m. to 4 p.m., Friday until noon.</p>
<div class="usa-alert usa-alert--info"><p>%s</p></div>
<div class="feedback" data-token="%s"><p>Was this page helpful?</p><button>Yes (%d)</button><button>No (%d)</button></div>`,
				n.Hex(5), day(n).Format("Monday, January 2, 2006"), n.Hex(32), counted(n, 18_400, 41)+n.IntN(9), n.IntN(100_000),
				cs.Each(schedule(n), func(f fee) string {
					return p(`<tr><th scope="row">%s</th><td data-cell="%d">$%d.00</td><td>%s</td></tr>`+"\n", f.permit, n.IntN(1000), f.amount, f.days)
				}), counter(n),
				cs.Pick(n, "Did you know? You can follow the city on the neighborhood app.", "Tip: sign up for text messages from City Hall.",
					"New here? Take the tour of the website."),
				n.Hex(24), counted(n, 420, 2), counted(n, 96, 2)))
		},
	}
}

// portal is the frame that all departments of the city share.
func portal(n *cs.Run, main string) string {
	return p(`<!DOCTYPE html>
<html lang="en-us"><head><meta charset="utf-8"><title>Permit Fee Schedule | City of Alder Falls</title><meta name="csrf-token" content="%s">
<meta name="generated" content="%s">
<link rel="stylesheet" href="/themes/civic/dist/main.%s.css"></head><body class="page-node-4471 section-departments">
<div class="usa-banner"><header class="usa-banner__header"><p>An official website of the City of Alder Falls</p></header></div>
<header class="usa-header usa-header--extended"><div class="usa-navbar"><em class="usa-logo__text"><a href="/">City of Alder Falls</a></em>
<span class="weather">%d°F %s</span></div>
<nav class="usa-nav" aria-label="Primary"><ul class="usa-nav__primary"><li><a href="/residents">Residents</a></li><li><a href="/business">Business</a></li><li>
<a href="/departments">Departments</a></li><li><a href="/council">City Council</a></li><li><a href="/jobs">Jobs</a></li></ul>
<form role="search"><input type="hidden" name="form_build_id" value="form-%s"><input type="search" placeholder="%s"></form></nav></header>
<nav class="usa-breadcrumb"><ol><li><a href="/">Home</a></li><li><a href="/departments">Departments</a></li><li><a href="/departments/permits">Permit Office</a></li>
<li>Fees</li></ol></nav>
<div class="grid-container"><div class="grid-row grid-gap"><div class="grid-col-3"><ul class="usa-sidenav"><li><a href="/departments/permits/apply">Apply</a></li><li>
<a class="usa-current" href="/departments/permits/fees">Fees</a></li><li><a href="/departments/permits/inspections">Inspections</a></li><li>
<a href="/departments/permits/forms">Forms</a></li></ul>
<div class="block block-news"><h3>City news</h3><ul>%s</ul></div></div>
<main class="grid-col-9 usa-prose" id="main-content">%s</main></div></div>
<footer class="usa-footer"><div class="usa-footer__primary"><a href="/accessibility">Accessibility</a> <a href="/records">Public records</a> <a
href="/privacy">Privacy</a></div>
<address>City Hall, 40 Granary Street, Alder Falls · (555) 014-2200</address><p class="tiny">Server CF-WEB%d · your session ends in %d:%02d minutes · %s</p></footer>
</body></html>`,
		n.Hex(40), now(n).Format("2006-01-02T15:04:05Z"), n.Hex(8), 38+n.Calm.IntN(25), cs.Pick(n.Calmly(), "cloudy", "sunny", "light rain", "windy"), n.Hex(43),
		cs.Pick(n, "Search", "How can we help?", "Search the city"),
		items(cs.Some(n, 3, "Mayor opens the spring market", "Volunteers clean up Mill Creek", "Fire crews practice at the old cannery", "Meet the new police dog",
			"Youth council looks for members", "Mural on Third Avenue finished", "Leaf collection: thank you"), `<li><a href="/news">%s</a></li>`),
		main, 1+n.IntN(4), 19, n.IntN(60), now(n).Format("01/02/2006 03:04:05 PM"))
}
