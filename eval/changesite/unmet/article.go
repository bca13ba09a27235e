package unmet

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// article is a report in a regional newspaper's own content system.
func article() *cs.Page {
	return &cs.Page{Path: "/2026/02/28/harbour-ferry", Type: "article", Render: func(n *cs.Run) string {
		at := now(n)
		weather := p("%d° %s", 3+n.Calm.IntN(11), cs.Pick(n.Calmly(), "Showers", "Bright spells", "Overcast", "Fog at sea"))
		index := p("%d.%02d (%+.2f %%)", 7400+n.Calm.IntN(300), n.Calm.IntN(100), n.Calm.Float64()*3-1.5)
		shares := creeping(n, 340, 8)
		return p(`<!doctype html>
<html lang="en"><head><title>Harbour ferry will carry lorries again | The Strand Courier</title><meta name="correlation-id" content="%s">
<link href="/assets/courier.%s.css" rel="stylesheet"></head><body>
<div class="masthead"><div class="masthead__date">%s</div><div class="masthead__weather">%s</div><div class="masthead__ticker">Coast 100 %s</div>
<a class="masthead__title" href="/?visit=%s">The Strand Courier</a><div class="masthead__user">%s</div></div>
<div class="leaderboard" data-slot="%d"><a href="https://click.example.org/?c=%s">%s</a></div>`,
			n.Hex(16), n.Hex(8), at.Format("Monday 2 January 2006"), weather, index, n.Hex(10),
			cs.Pick(n, "Sign in", "Subscribe", "Good to see you, reader"), n.IntN(99), n.Hex(14),
			cs.Pick(n, "Stairlifts fitted within the week", "Your old gold is worth more than you think", "River cruises from 899", "Hear every word again")) +
			ferryStory(n, ago(at, 3), shares) + courierAside(n)
	}}
}

func ferryStory(n *cs.Run, age, shares string) string {
	advert := p(`<div class="inline-ad"><span>ADVERTISEMENT</span><p>%s</p></div>`,
		cs.Pick(n, "Dream kitchens, zero interest for a year", "One weird trick against moles in the lawn", "Compare energy tariffs in two minutes",
			"Try the puzzle app everybody talks about"))
	return p(`<div class="story" itemscope itemtype="https://schema.org/NewsArticle"><h1 itemprop="headline">Harbour ferry will carry lorries again</h1>
<div class="story__by">By <a href="/staff/orla-brand">Orla Brand</a> · <span>%s</span> · <span>%s shares</span> · <span>%d reading now</span></div>
<div class="story__text">
<p>After eleven months in the yard the ferry Grebe is back on the crossing between Port Annet and the islands. She takes %s cars, or forty lorries, on two decks.</p>
<p>%s</p>%s
<p>“We were promised a ship by Easter, and a ship by Easter is what we got,” said Hamish Tarrell, %s. Fares stay as they were, at least until the winter timetable.</p>
<p>The relief boat, which had been chartered from Norway, leaves on Sunday with the evening tide.</p>%s</div>
<div class="story__meter">%s</div></div>`,
		age, shares, 20+n.IntN(300),
		cs.Since(n, "412", cs.At(4, "421")),
		cs.Since(n, "The refit cost nine million, a third more than was set aside, and the county will have to find the rest from the roads budget.",
			cs.At(12, "The refit cost nine million, a third more than was set aside. The county says that the yard will bear the rest, as the contract has it.")),
		advert, cs.Since(n, "who chairs the islands' council", cs.At(30, "who chaired the islands' council until last week")),
		cs.Since(n, "", cs.At(13, `<p class="correction"><em>Correction: an earlier version of this report said that the county would pay for the whole of the refit.</em></p>`)),
		p("You have %d free articles left this month. %s", 1+n.IntN(5), cs.Pick(n, "Read on for 1 a week", "Support local reporting", "Get the full paper on your phone")))
}

func courierAside(n *cs.Run) string {
	return p(`<div class="rail"><div class="rail__box"><h3>Most read</h3><ol>%s</ol></div><div class="rail__box"><h3>Poll</h3>
<p>Should the bandstand get a roof?</p><p>Yes %d %% · No %d %%</p></div></div>
<div class="base"><p>The Strand Courier, founded 1871</p><p>Page %s, %s</p></div><img src="https://count.example.org/p.gif?r=%d" alt=""></body></html>`,
		cs.Each(cs.Some(n, 5, "Otter seen in the lido", "Bin strike: what we know", "Chip shop of the year named", "Quarry fire is out", "Ten walks for wet days",
			"Choir seeks tenors", "The mystery of the blue door", "Swans stop the 8:15"), func(title string) string {
			return p(`<li><a href="/most-read/%s?pos=%d">%s</a></li>`, slug(title), n.IntN(9), title)
		}),
		30+n.IntN(40), 20+n.IntN(10), n.Hex(7), cs.Pick(n, "cms-a", "cms-b", "cms-c"), n.IntN(1e9))
}
