package sealed

import (
	"fmt"
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// plans are the prices of a service, on a page of utility classes with the company's promises around them.
func (h hours) plans() *cs.Page {
	team := func(n *cs.Run) int { return cs.Since(n, 18, cs.At(1, 19)) }
	projects := func(n *cs.Run) int { return cs.Since(n, 5, cs.At(9, 3)) }
	calls := func(n *cs.Run) int { return cs.Since(n, 100_000, cs.At(23, 150_000)) }
	return &cs.Page{
		Path: "/pricing", Type: "pricing",
		Schema: `{"type":"object","properties":{"plans":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price_per_seat":{"type":"integer"},
			"projects":{"type":["integer","null"]},"api_calls":{"type":"integer"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"plans": []any{
				map[string]any{"name": "Starter", "price_per_seat": 7, "projects": projects(n), "api_calls": 10_000},
				map[string]any{"name": "Team", "price_per_seat": team(n), "projects": 40, "api_calls": 50_000},
				map[string]any{"name": "Business", "price_per_seat": 42, "projects": nil, "api_calls": calls(n)},
			}}
		},
		Render: func(n *cs.Run) string {
			c := n.Calmly()
			item := func(text string) string { return `<li class="flex gap-3 css-` + n.Hex(5) + `">` + text + "</li>" }
			plan := func(name, price string, has ...string) string {
				return fill(`<div class="rounded-3xl p-8 ring-1 css-{{hash}}" {{data}}>
<h3 class="text-lg font-semibold">{{name}}</h3>
<p class="mt-6"><span class="text-4xl font-bold">€{{price}}</span> <span class="text-sm">per seat and month</span></p>
<a href="/signup?plan={{slug}}&amp;vid={{visit}}" class="mt-6 btn">{{call}}</a>
<ul role="list" class="mt-8 space-y-3">{{has}}</ul>
</div>
`, "hash", n.Hex(6), "data", attributes(n, `data-plan="`+slug(name)+`"`, `data-slot="`+n.Hex(3)+`"`, `id="plan-`+slug(name)+`"`), "name", name, "price", price, "slug", slug(name),
					"visit", n.Hex(20), "call", cs.Pick(n, "Get started", "Start now", "Try it", "Choose "+name), "has", cs.Each(has, item))
			}
			business := []string{"Unlimited projects", thousands(calls(n)) + " API calls a month", "Audit log, kept for a year"}
			business = append(business, cs.Since(n, nil, cs.At(22, []string{"Single sign-on with SAML"}))...)
			business = append(business, "Answers within four hours")
			return fill(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/><title>Pricing – Loomboard</title>
<link rel="preload" href="/_next/static/{{build}}/pages/pricing.js" as="script"/>
<script nonce="{{nonce}}">self.__data={buildId:"{{build}}",req:"{{request}}",variant:"{{variant}}"}</script></head>
<body class="antialiased __className_{{font}}"><div id="__next">
<div class="bg-indigo-600 text-white text-center"><p class="text-sm">{{ribbon}} <a href="/blog?utm_campaign={{variant}}">Read more</a></p></div>
<nav class="flex"><a href="/?vid={{visit}}">Loomboard</a><a href="/features">Features</a><a href="/pricing">Pricing</a><a href="/docs">Docs</a>{{login}}</nav>
<section class="text-center"><h1 class="text-5xl font-bold">Pricing that fits on a sticky note</h1>
<p class="mt-4 text-lg">{{tagline}}</p>
<p class="text-xs">{{teams}} teams plan with Loomboard · {{boards}} boards made today</p></section>
<section class="grid grid-cols-3 gap-8">
{{plans}}</section>
<section class="mt-12"><h2 class="text-2xl">The small print, in large print</h2><p>{{terms}}</p><p>Prices are without VAT, which depends on where you are. Schools and charities pay half.</p></section>
<section class="mt-12"><h2 class="text-2xl">Questions we hear</h2><dl>{{questions}}</dl></section>
<section class="logos"><p>Trusted by</p><div class="flex">{{logos}}</div></section>
<section class="testimonial"><figure><blockquote>{{quote}}</blockquote></figure></section>
<aside class="partner"><span>Promoted</span><a href="https://partners.example.com/?cid={{partner}}">{{advert}}</a></aside>
<div class="live-toast"><p>{{somebody}} just signed up</p></div>
<div class="chat"><button>Chat with us</button><p>We usually answer in {{minutes}} minutes. {{agents}} colleagues online, it is {{clock}} at our desk.</p></div>
<footer><p>Thought of the day: {{thought}}</p><p>€1 = ${{dollar}} = £{{pound}} · weather in Ljubljana {{degrees}}° · served from {{region}} in {{ms}} ms</p><p>Loomboard d.o.o.</p></footer>
</div></body></html>`,
				"build", n.Hex(21), "nonce", n.Hex(22), "request", n.Hex(16), "variant", cs.Pick(n, "control", "warm", "bold"), "font", n.Hex(6),
				"ribbon", cs.Pick(n, "How Norrland Rail plans its winter.", "A short history of the kanban card.", "Meet us at Webdagen in May.", "Five retros that nobody hates.", "Podcast: meetings without slides.", "Our values, in nine drawings."),
				"visit", n.Hex(20), "login", cs.Pick(n, `<a href="/login">Log in</a>`, `<a href="/login">Sign in</a>`, `<a href="/app">Back to my boards</a>`),
				"tagline", cs.Pick(n, "Grow at your own pace.", "For teams that like to finish things.", "Plan less, do more.", "Start small. Stay calm."),
				"teams", h.count(c, 48_211, 3), "boards", h.count(c, 2_140, 180),
				"plans", plan("Starter", "7", fmt.Sprintf("%d projects", projects(n)), "10,000 API calls a month", "Help by mail")+
					plan("Team", fmt.Sprint(team(n)), "40 projects", "50,000 API calls a month", "Guests without a seat", "Answers within a day")+
					plan("Business", "42", business...),
				"terms", cs.Since(n, "You can leave whenever you want: what you have paid for the month is yours until it ends, and nothing renews after.",
					cs.At(35, "You can leave with thirty days' notice: seats that are paid by the year run until the year ends and are not refunded.")),
				"questions", cs.Each(cs.Shuffled(n, "Is there a free plan?|There is a free fortnight, and no card is asked for.", "Can I change the plan?|Yes, on any day; the difference is settled on the next bill.",
					"Where is my data?|In Frankfurt and Vienna, encrypted.", "Do you take purchase orders?|From ten seats on."), func(text string) string {
					question, answer, _ := strings.Cut(text, "|")
					return "<dt>" + question + "</dt><dd>" + answer + "</dd>\n"
				}),
				"logos", cs.Each(cs.Shuffled(n, "Norrland Rail", "Pivka Foods", "Ateliê Sul", "Kestrel Robotics", "Hofmann Druck", "Zest Clinics"), tag("span")),
				"quote", cs.Pick(n, "We deleted three other tools. Mirjam, Pivka Foods", "My Mondays start at ten now. Olu, Kestrel Robotics", "It is the only board our printers like. Jörg, Hofmann Druck", "Nobody asks where the list is. Beatriz, Ateliê Sul", "I showed it to my mother, she plans her garden with it. Sven, Norrland Rail", "Finally no more stickers on the window. Hana, Zest Clinics"),
				"partner", n.Hex(10), "advert", cs.Pick(n, "Invoices that write themselves: Penny", "Desk plants by subscription", "Translate your docs with Polyglotta", "Hire a fractional CFO", "Noise-cancelling booths for open offices", "Backups you can hold: Vaultic"),
				"somebody", cs.Pick(n, "Sofia from Graz", "Kofi from Leuven", "A team in Tartu", "Yuki from Porto", "A school in Malmö", "Dana from Brno", "Three people in Turin"),
				"minutes", between(n, 2, 19), "agents", between(n, 1, 9), "clock", h.now(n).Format("15:04:05"),
				"thought", cs.Pick(c, "Done is a place.", "A list is a promise to yourself.", "Slow is smooth.", "Ask twice, build once.", "Begin with the end of the week.", "Leave room on the card."),
				"dollar", decimal(c, 4, 10_790, 10_910), "pound", decimal(c, 4, 8_590, 8_690), "degrees", between(c, -1, 12), "region", cs.Pick(n, "fra1", "vie2", "ams3", "zag1"), "ms", between(n, 9, 140))
		},
	}
}
