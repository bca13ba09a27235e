package wharf

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// savings are the rates of a building society, on an enterprise content system.
func savings() *cs.Page {
	type account struct {
		name    string
		rate    float64
		minimum int
		access  string
	}
	accounts := func(n *cs.Run) []account {
		return []account{
			{"Everyday Saver", cs.Since(n, 2.10, cs.At(2, 2.05)), 1, "Any time"},
			{"Ninety Day Notice", 3.45, cs.Since(n, 500, cs.At(13, 1000)), "After 90 days"},
			{"One Year Fixed", cs.Since(n, 4.20, cs.At(27, 4.02)), 1000, "At maturity"},
			{"Two Year Fixed", cs.Since(n, 4.05, cs.At(27, 3.9), cs.At(28, 3.95)), 1000, "At maturity"},
			{"Young Mariner", 5.00, 10, "Twice a year"},
		}
	}
	return &cs.Page{
		Path: "/savings/rates.html", Type: "rates",
		Schema: `{"type":"object","properties":{"accounts":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"gross_rate_percent":{"type":"number"},"minimum":{"type":"integer"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			var list []any
			for _, a := range accounts(n) {
				list = append(list, map[string]any{"name": a.name, "gross_rate_percent": a.rate, "minimum": a.minimum})
			}
			return map[string]any{"accounts": list}
		},
		Render: func(n *cs.Run) string {
			return fill(`<!DOCTYPE HTML><html lang="en-GB"><head><meta charset="UTF-8"/><title>Savings rates - Anchor &amp; Vale Building Society</title><meta name="template" content="rates-page"/><link rel="stylesheet" href="/etc.clientlibs/anchorvale/clientlibs/clientlib-site.lc-{asset}-lc.min.css" type="text/css"/><script>var digitalData={"page":{"visitId":"{visit}","variant":"{variant}"}};</script></head>
<body class="page basicpage rates-page" id="rates-page-{id}"><div class="root container responsivegrid"><div id="container-{id}" class="cmp-container"><div class="experiencefragment"><header class="cmp-experiencefragment cmp-experiencefragment--header"><div class="aem-Grid aem-Grid--12"><div class="logo image"><a href="/">Anchor &amp; Vale</a></div>
<nav class="cmp-navigation" role="navigation"><ul class="cmp-navigation__group"><li class="cmp-navigation__item cmp-navigation__item--level-0"><a href="/mortgages.html" class="cmp-navigation__item-link">Mortgages</a></li><li class="cmp-navigation__item cmp-navigation__item--active"><a href="/savings.html" class="cmp-navigation__item-link">Savings</a></li><li class="cmp-navigation__item"><a href="/branches.html" class="cmp-navigation__item-link">Branches</a></li><li class="cmp-navigation__item"><a href="/members.html" class="cmp-navigation__item-link">Members</a></li></ul></nav><a class="cmp-button" href="https://online.anchorvale.example/login?rid={visit}"><span class="cmp-button__text">{login}</span></a></div></header></div>
<main class="container responsivegrid main-content"><div class="title"><div id="title-{id}" class="cmp-title"><h1 class="cmp-title__text">Savings rates</h1></div></div>
<div class="text"><div id="text-{id}" class="cmp-text"><p>Interest is worked out each day and paid on the last day of the year. Rates are gross, which is before tax.</p><p><b>Your savings are protected</b> up to {protected} for each person by the national scheme.</p></div></div>
<div class="tablefilter"><table class="cmp-rates__table" id="rates-{id}"><caption class="cmp-rates__caption">Accounts on sale</caption><thead><tr><th scope="col">Account</th><th scope="col">Gross a year</th><th scope="col">Minimum</th><th scope="col">Your money back</th></tr></thead><tbody>{rows}</tbody></table></div>
<div class="accordion panelcontainer"><div id="accordion-{id}" class="cmp-accordion" data-cmp-is="accordion"><div class="cmp-accordion__item"><h3 class="cmp-accordion__header"><button class="cmp-accordion__button"><span class="cmp-accordion__title">How to open an account</span></button></h3><div class="cmp-accordion__panel"><p>Come to a branch with a passport and a letter that shows where you live, or open it online in ten minutes. Children need a parent with them.</p></div></div><div class="cmp-accordion__item"><h3 class="cmp-accordion__header"><button class="cmp-accordion__button"><span class="cmp-accordion__title">Taking money out early</span></button></h3><div class="cmp-accordion__panel"><p>From fixed accounts you cannot. From Ninety Day Notice you can, and lose {loss} days of interest.</p></div></div></div></div></main>
<aside class="container responsivegrid rail"><div class="teaser"><div id="teaser-{teaser}" class="cmp-teaser"><h2 class="cmp-teaser__title">{tease}</h2><a class="cmp-teaser__action-link" href="/c/{teaser}.html">{more}</a></div></div><div class="queue"><p class="queue__text">Calls are answered in about {wait} minutes. {callers} members are online.</p></div><div class="list"><h2>News from the society</h2><ul class="cmp-list">{news}</ul></div></aside>
<div class="experiencefragment"><footer class="cmp-experiencefragment--footer"><p>Anchor &amp; Vale Building Society, 1 Ropery Row. Page served on {now} by publish{node}.</p></footer></div></div></div>
<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" role="alertdialog"><p>We use cookies to keep you safe and to improve our pages.</p><button id="onetrust-accept-btn-handler">Accept all</button></div></div></body></html>`,
				"asset", n.Hex(32), "visit", n.Hex(24), "variant", cs.Pick(n, "a", "b", "c"), "id", n.Hex(10), "login", cs.Pick(n, "Log in", "Sign in", "Online service"),
				"protected", cs.Since(n, "£85,000", cs.At(36, "£120,000")), "loss", "90",
				"rows", cs.Each(accounts(n), func(a account) string {
					return fmt.Sprintf(`<tr><th scope="row"><a href="/savings/a.html?icid=%s">%s</a></th><td>%.2f%%</td><td>£%d</td><td>%s</td></tr>`, n.Hex(6), a.name, a.rate, a.minimum, a.access)
				}),
				"teaser", n.Hex(8), "tease", cs.Pick(n, "Thinking of moving?", "Meet your local branch", "Teach them to save", "Home insurance made plain"), "more", cs.Pick(n, "Find out more", "Learn more", "Read on"),
				"wait", num(n, 2, 15), "callers", num(n, 40, 500),
				"news", cs.Each(cs.Some(n, 2, "Our charity walk", "A new clock for Ropery Row", "Spotting a scam", "Staff who serve the lifeboat"), func(s string) string {
					return `<li class="cmp-list__item"><a href="/news/` + n.Hex(5) + `.html">` + s + `</a></li>`
				}),
				"now", today(n, "02/01/2006 15:04:05"), "node", num(n, 1, 8))
		},
	}
}
