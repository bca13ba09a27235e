package unmet

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

type meeting struct {
	date, doors, venue, ticket string
	speakers                   []string
}

func meetingIn(n *cs.Run) meeting {
	return meeting{
		date:   cs.Since(n, "18 September 2026", cs.At(14, "25 September 2026")),
		doors:  cs.Since(n, "9:00", cs.At(40, "8:30")),
		venue:  cs.Since(n, "Kaapeli Hall, Helsinki", cs.At(5, "Old Customs House, Helsinki")),
		ticket: cs.Since(n, "Early bird: 190 €", cs.At(29, "Regular: 260 €")),
		speakers: []string{
			"Ailo Niemi: Maps for people who walk", cs.Since(n, "Greta Lindqvist: Tiles at the edge", cs.At(31, "Tomasz Wilk: Coastlines are long")),
			"Sefa Polat: A projection for every party", "Hana Sato: Trams in real time",
		},
	}
}

// conference is the page of an event, made as one document by hand, with what scripts of others put in it.
func conference() *cs.Page {
	return &cs.Page{
		Path: "/cartocon", Type: "event",
		Schema: `{"type":"object","properties":{"name":{"type":"string"},"date":{"type":"string"},"doors":{"type":"string"},"venue":{"type":"string"},
			"ticket":{"type":"string"},"speakers":{"type":"array","items":{"type":"string"}}}}`,
		Data: func(n *cs.Run) map[string]any {
			m := meetingIn(n)
			return map[string]any{
				"name": "CartoCon", "date": m.date, "doors": m.doors, "venue": m.venue, "ticket": m.ticket, "speakers": cs.Shuffled(n, m.speakers...),
			}
		},
		Render: func(n *cs.Run) string {
			at := now(n)
			m := meetingIn(n)
			interested := creeping(n, 610, 7)
			sky := p("%d °C", n.Calm.IntN(9)-5)
			return p(`<!doctype html><html><head><title>CartoCon</title><base href="/"><link rel=stylesheet href=site.css?%d></head><body style="--hue:%d">
<header><p>Helsinki today, %s: %s</p><div id=hero class=hero-%d><p>%s</p></div><h1>CartoCon</h1><p>One day about maps, by and for those who draw them.</p>
<p><a href="https://tickets.example.com/cartocon?aff=%s" class=cta>%s</a></p></header>
<section id=facts><h2>When and where</h2><p><strong>Date</strong> %s<br><strong>Doors</strong> %s<br><strong>Venue</strong> %s<br><strong>Ticket</strong> %s</p>
<p>%s people are interested, %d are on this page now.</p></section>`,
				n.IntN(1e8), n.IntN(360), at.Format("2 January"), sky, 1+n.IntN(5),
				cs.Pick(n, "Come for the maps, stay for the people", "Paper, pixels and place", "Where is north, and who says so?", "All the world in one day"),
				n.Hex(10), cs.Pick(n, "Get your ticket", "Count me in", "Book a seat"), m.date, m.doors, m.venue, m.ticket, interested, 1+n.IntN(30)) +
				p(`<section id=speakers><h2>Speakers</h2><p>Drawn in a new order each time, as all are equal.</p><ul>%s</ul></section>
<section id=voices><h2>What was said of the last one</h2><blockquote>%s</blockquote></section>
<section id=wall><h2>#cartocon</h2>%s</section>`,
					cs.Each(cs.Shuffled(n, m.speakers...), func(talk string) string { return "<li>" + talk + cs.Pick(n, "", " ") + "</li>" }),
					cs.Pick(n, "I came home with a new hobby.", "Best coffee of any meeting.", "Finally a day without slides full of logos.",
						"I met my co-author in the queue."),
					wall(n)) +
				p(`<section id=sponsors><h2>Thanks to</h2><p>%s</p></section><footer><p>%s</p><p>Your request %s took %d ms</p></footer>
<iframe src="https://maps.example.com/embed?token=%s" title=map></iframe></body></html>`,
					cs.Each(cs.Shuffled(n, "Norppa GIS", "Karhu Print", "Meridian Bank", "Siili Survey"), func(name string) string { return "<span>" + name + "</span> " }),
					cs.Pick(n, "Run by volunteers", "Made with care and coffee", "No trackers, some cookies"), n.Hex(12), 3+n.IntN(90), n.Hex(20))
		},
	}
}

// wall is what others wrote elsewhere, as a widget draws it.
func wall(n *cs.Run) string {
	return cs.Each(cs.Some(n, 3, "packing my compass", "who shares a room?", "anyone else bringing a globe", "train from Turku is booked",
		"learnt so much last time", "hello map friends"),
		func(text string) string {
			return p(`<div class=toot><b>@%s</b> %s <i>%d min</i> ↻ %d</div>`, cs.Pick(n, "isoline", "hachure", "geoid", "azimuth", "rhumb"), text, 1+n.IntN(59), n.IntN(40))
		})
}
