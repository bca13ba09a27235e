package unmet

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

type colleague struct{ name, role, place string }

func colleaguesIn(n *cs.Run) []colleague {
	people := []colleague{
		{"Rosalind Achterberg", "Managing partner", "Leeds"},
		{"Dafydd Pryce", cs.Since(n, "Structural engineer", cs.At(16, "Head of structures")), "Cardiff"},
		{"Yewande Coker", "Landscape architect", "Leeds"},
		cs.Since(n, colleague{"Marten Sillitoe", "Site supervisor", "Hull"}, cs.At(36, colleague{"Bronagh Keel", "Site supervisor", "Hull"})),
	}
	people = append(people, cs.Since(n, []colleague{}, cs.At(7, []colleague{{"Ignatius Farrow", "Quantity surveyor", "Cardiff"}}))...)
	return append(people, cs.Since(n, []colleague{{"Priti Raval", "Office manager", "Leeds"}}, cs.At(27, []colleague{}))...)
}

// team is the page of people of a practice of architects, from a builder of sites by drag and drop.
func team() *cs.Page {
	return &cs.Page{Path: "/studio/people", Type: "team", Render: func(n *cs.Run) string {
		at := now(n)
		outside := p("%d °C and %s", 2+n.Calm.IntN(13), cs.Pick(n.Calmly(), "dry", "drizzle", "bright", "blowy"))
		thought := cs.Pick(n.Calmly(), "“Less is a bore.” Robert Venturi", "“God is in the details.” Mies van der Rohe",
			"“We shape our buildings; thereafter they shape us.” Winston Churchill", "“Architecture starts when you carefully put two bricks together.” Mies van der Rohe")
		return p(`<!DOCTYPE html><html lang="en"><head><title>People — Achterberg Pryce</title><meta name="generator" content="Tilesmith %d.%d">
<script async src="https://cdn.tilesmith.example/%s/runtime.js"></script></head><body id="collection-%s">
<div class="sqs-announcement">%s</div><div class="header-inner"><h2 class="brand"><a href="/">Achterberg Pryce</a></h2>
<ul class="links"><li><a href="/work">Work</a></li><li><a href="/studio">Studio</a></li><li><a href="/write-to-us">%s</a></li></ul>
<div class="header-note">%s. Leeds: %s. %s</div></div>`,
			7, n.IntN(400), n.Hex(20), n.Hex(24),
			cs.Pick(n, "See the new film about the mill in Saltaire", "Our drawings are on show in the print room", "Listen: what timber can do",
				"A walk through the market hall"),
			cs.Pick(n, "Get in touch", "Start a project", "Talk to us"), at.Format("Mon 2 January"), outside, thought) +
			people(n) +
			p(`<div class="block feed"><h3>From our feed</h3>%s</div><div class="foot"><p>%d people like us</p><p>%s</p><p><small>%s · %s</small></p></div>
<div class="consent" data-v="%d">%s</div></body></html>`,
				cs.Each(cs.Some(n, 3, "Concrete, day one", "Model shop mess", "Roof on at last", "Lunch on the scaffold", "Snagging", "Drawing by hand", "Fog on site"),
					func(caption string) string {
						return p(`<figure><img src="https://img.example.net/%s.jpg" alt=""><figcaption>%s ♥ %d</figcaption></figure>`, n.Hex(10), caption, 20+n.IntN(300))
					}),
				900+n.IntN(80), cs.Pick(n, "Letters from the studio, four times a year", "Sign up for our letters", "Stay in touch by post"), n.Hex(6),
				cs.Pick(n, "edge-lhr", "edge-man", "edge-dub"), n.IntN(99), cs.Pick(n, "", "This site counts visits with cookies. Fine by me / No thanks"))
	}}
}

func people(n *cs.Run) string {
	number := cs.Since(n, "0113 496 0182", cs.At(28, "0113 496 0185"))
	return p(`<div class="block text"><h1>People</h1>
<p>We are a small practice, and whoever draws your house also answers the telephone: %s. Here we are, in no particular order.</p></div>
<div class="summary-grid">%s</div>`, number, cs.Each(cs.Shuffled(n, colleaguesIn(n)...), func(c colleague) string {
		return p(`<div class="summary-item yui3-%s" %s><div class="img" style="background-position:%d%% 50%%"></div><div class="summary-title">%s</div>
<div class="summary-excerpt"><p>%s</p></div><div class="summary-meta">%s</div></div>`,
			n.Hex(12), cs.Pick(n, `data-animate="in" data-col="1"`, `data-col="1" data-animate="in"`), n.IntN(100), c.name, c.role, c.place)
	}))
}
