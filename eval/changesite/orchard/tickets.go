package orchard

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// tickets is a concert with its tickets, with the hashed classes of styled components.
func tickets() *cs.Page {
	balcony := func(n *cs.Run) string { return cs.Since(n, "available", cs.At(11, "few left"), cs.At(12, "sold out")) }
	day := func(n *cs.Run) string {
		return cs.Since(n, "Friday, 18 September 2026", cs.At(23, "Saturday, 19 September 2026"))
	}
	return &cs.Page{
		Path: "/events/hollow-choir", Type: "event",
		Schema: `{"type":"object","properties":{"date":{"type":"string"},"balcony":{"type":"string"}}}`,
		Data:   func(n *cs.Run) map[string]any { return map[string]any{"date": day(n), "balcony": balcony(n)} },
		Render: func(n *cs.Run) string {
			class := func(name string) string { return `class="` + name + `__Box-sc-` + n.Hex(6) + `-0 ` + n.Hex(5) + `"` }
			tier := func(name, price, state string) string {
				return `<li ` + class("Tier") + ` data-testid="tier"><div ` + class("Name") + `>` + name + `</div><div ` + class("Price") + `>` + price + `</div><div ` + class("State") + `>` + state + "</div></li>\n"
			}
			return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The Hollow Choir at Gasworks Hall | Stagepost</title><script src="/static/js/main.` + n.Hex(8) + `.chunk.js"></script></head><body><div id="root">
<div ` + class("Header") + `><a href="/">Stagepost</a><a href="/concerts">Concerts</a><a href="/theatre">Theatre</a><a href="/comedy">Comedy</a><a href="/sell?vid=` + n.Hex(16) + `">Sell tickets</a><button aria-label="Account">Log in</button></div>
<div ` + class("Promo") + `>` + cs.Pick(n, "Get the app for mobile tickets", "Gift cards from £10", "Follow artists and hear of shows first") + `</div>
<main ` + class("Main") + `><div ` + class("Hero") + `><img alt="The Hollow Choir on stage" src="https://img.stagepost.example/h.jpg?sig=` + n.Hex(20) + `"><h1 ` + class("Title") + `>The Hollow Choir</h1><p ` + class("Fans") + `>` + p("%d fans are viewing this event", 20+n.IntN(400)) + `</p></div>
<section ` + class("Facts") + `><div><strong>Date</strong> <span>` + day(n) + `</span></div><div><strong>Doors</strong> <span>` + cs.Since(n, "7:00 pm", cs.At(30, "6:30 pm")) + `</span></div><div><strong>Venue</strong> <span>Gasworks Hall, Merrow Dock</span></div><div><strong>Age</strong> <span>14 and over</span></div></section>
<section ` + class("Tickets") + `><h2>Tickets</h2><ul>` + tier("Standing", "£34.00", "available") + tier("Balcony, seated", "£46.50", balcony(n)) + tier("Box for four", "£240.00", "available") + tier("Wheelchair space with companion", "£34.00", "by telephone") + `</ul><p>A booking fee of £3.20 is added to each ticket. You can buy six tickets at most. Tickets can be given back until 30 days before the show.</p><button ` + class("Button") + `>` + cs.Pick(n, "Find tickets", "Get tickets", "See tickets") + `</button></section>
<section ` + class("About") + `><h2>About the show</h2><p>Eleven singers, two drums and a harmonium: the Hollow Choir come home to Merrow Dock with the songs of their third record, "Salt Almanac". They have sung in cathedrals, in a drained swimming bath and once on a moving ferry.</p><p>` + cs.Since(n, "Support comes from Ida Brandvold.", cs.At(6, "Support comes from Ida Brandvold and the Pigeon Street Brass.")) + ` The show lasts about two hours and has one interval.</p></section>
<section ` + class("Venue") + `><h2>Getting there</h2><p>Gasworks Hall is five minutes on foot from Merrow Dock station. There is no car park, but 80 stands for bicycles are in front of the hall. Large bags cannot be taken in, and the cloakroom costs £2.</p></section>
<section ` + class("Questions") + `><h2>Questions</h2><h3>How do I get my ticket?</h3><p>It is in your account from two weeks before the show. Show it on your telephone at the door; a printed one is good too.</p><h3>Can I change the name?</h3><p>Yes, as often as you like until the day before, in your account under "My tickets".</p><h3>What if the show is called off?</h3><p>Then you get back what you paid, with the fee, to the card that you paid with.</p></section></main>
<div ` + class("More") + `><h2>Fans also like</h2><ul>` + items(cs.Some(n, 4, "Marrow Lights", "Tessa Quaye", "Low Orchard", "The Ninth Tide", "Bram and the Eels", "Corvid Parade")) + `</ul></div>
<footer ` + class("Footer") + `><a href="/help">Help</a><a href="/terms">Terms of use</a><a href="/privacy">Privacy</a><span>© 2026 Stagepost</span></footer>
<div id="consent-` + n.Hex(6) + `" role="dialog"><p>We and our partners store cookies.</p><button>Agree</button><button>Options</button></div></div><script>window.__STATE__={"requestId":"` + n.Hex(32) + `","ts":` + p("%d", n.IntN(1e9)) + `}</script></body></html>`
		},
	}
}
