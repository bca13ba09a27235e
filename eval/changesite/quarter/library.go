package quarter

import (
	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// library is the page for visitors of a library, made by a static generator with some widgets.
func library() *cs.Page {
	hours := func(n *cs.Run) [][2]string {
		return [][2]string{
			{"Monday", "closed"},
			{"Tuesday", "10:00 – 18:00"},
			{"Wednesday", "10:00 – 18:00"},
			{"Thursday", cs.Since(n, "10:00 – 20:00", cs.At(10, "10:00 – 19:00"))},
			{"Friday", "10:00 – 18:00"},
			{"Saturday", cs.Since(n, "9:30 – 14:00", cs.At(30, "9:30 – 15:00"))},
			{"Sunday", "closed"},
		}
	}
	return &cs.Page{
		Path: "/library/visit/", Type: "hours",
		Schema: `{"type":"object","properties":{"hours":{"type":"array","items":{"type":"object",
			"properties":{"day":{"type":"string"},"open":{"type":"string"}}}},"telephone":{"type":"string"}}}`,
		Data: func(n *cs.Run) map[string]any {
			week := []any{}
			for _, d := range hours(n) {
				week = append(week, map[string]any{"day": d[0], "open": d[1]})
			}
			return map[string]any{"hours": week, "telephone": "01555 880 214"}
		},
		Render: func(n *cs.Run) string {
			return libraryFrame(n, p(`<article class="page"><header><h1>Visit us</h1><p class="reading-time">%s · 2 min read</p></header>
<p>The library stands at the top of Ferry Hill, between the school and the chapel. Everybody may come in and read; to borrow you need a card, which is free for those who
live in the valley.</p>
<h2 id="opening-hours">Opening hours</h2>
<table class="hours"><tbody>%s</tbody></table>
%s<h2 id="getting-here">Getting here</h2><p>Bus 6 stops in front of the door. There are stands for twenty bicycles, and two parking spaces for visitors with a blue badge.
The lift is to the left of the entrance.</p>
<h2 id="regular">Every week</h2><ul><li>Tuesday, 10:30: rhymes for babies</li><li>Wednesday, 15:00: %s</li><li>Thursday, 17:30: homework club</li></ul>
<h2 id="rooms">Rooms and machines</h2><p>The reading room is upstairs and quiet. Downstairs one may talk. There are six computers, which you can use for an hour a day
without a card, and a printer: black and white 10p a page, colour 30p. The study for two people can be booked at the desk.</p>
<h2 id="loans">What you can borrow</h2><p>Up to twelve items at a time: books for four weeks, films and games for one. You may renew twice unless somebody waits for it.
Late books cost nothing, but you cannot borrow more until they are back. Lost books are charged at the price of a new one.</p>
<h2 id="inter">From elsewhere</h2><p>What we do not have we fetch from the county store at Tregarth. The van comes on Wednesdays; a request takes one to two weeks. We
write to you when it has come, and keep it for ten days.</p>
<p class="live" id="w%s">Items on loan at this moment: %d</p>
<h2 id="contact">Contact</h2><p>Telephone 01555 880 214, or <a href="/library/contact/?t=%s">write to us</a>.</p>
<div class="widget-books"><h3>Picked from the shelves</h3><ul>%s</ul></div></article>`,
				cs.Pick(n, "Good morning, reader", "Hello there", "Welcome in"),
				cs.Each(hours(n), func(d [2]string) string {
					class := ""
					if d[0] == day(n).Weekday().String() {
						class = ` class="today"`
					}
					return p(`<tr%s><th>%s</th><td>%s</td></tr>`, class, d[0], d[1])
				}),
				cs.Since(n, "", cs.At(13, `<p class="notice">We are closed from Good Friday, 3 April, to Easter Monday, 6 April.</p>`)),
				cs.Since(n, "stories with Mrs Pell", cs.At(37, "stories with Mr Adeyemi")), n.Hex(4), 8000+n.Calm.IntN(900)+n.IntN(5), n.Hex(10),
				items(cs.Some(n, 4, "The Salt Road, by I. Maddern", "A Field Guide to Lichens", "Winter Bees, by Tomas Orr", "Bread without Hurry",
					"The Lamp Trimmer’s Daughter", "Owls at Noon", "Maps of Places That Sank", "Knots and Splices"), `<li><em>%s</em></li>`)))
		},
	}
}

// libraryFrame is the layout of the generator, with a search index and a footer that scripts fill.
func libraryFrame(n *cs.Run, main string) string {
	return p(`<!DOCTYPE html>
<html lang="en-GB">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="generator" content="Hugo 0.145.0">
<title>Visit us :: Penwarrow Library</title>
<link rel="stylesheet" href="/css/main.min.%s.css" integrity="sha256-%s"><link rel="alternate" type="application/rss+xml" href="/index.xml">
</head>
<body class="kind-page type-visit">
<header class="masthead"><a class="site-title" href="/">Penwarrow Library</a><p class="tagline">%s</p><nav><ul class="menu"><li><a href="/library/visit/">Visit</a></li>
<li><a href="/library/catalogue/">Catalogue</a></li><li><a href="/library/children/">Children</a></li><li><a href="/library/friends/">Friends</a></li><li>
<a href="/library/contact/">Contact</a></li></ul></nav></header>
<div class="strip"><span class="date">%s</span> <span class="tide">High water at the quay %02d:%02d</span> <span class="sky">%d °C outside</span></div>
<div class="cols"><main role="main">
%s
</main>
<aside class="side"><section class="quote"><blockquote>%s</blockquote></section>
<section class="catalogue"><h4>Search the catalogue</h4><form action="/search"><input name="q"><input type="hidden" name="sess" value="%s"></form></section>
<section class="poll"><h4>Poll: paper or screen?</h4><p>Paper %d votes, screen %d votes</p></section>
<section class="links"><h4>Elsewhere</h4><ul>%s</ul></section></aside></div>
<footer class="foot"><p>Penwarrow Library, Ferry Hill, Penwarrow. Run by the parish with the help of volunteers. Registered charity 5550192.</p>
<p>Visitors this week: %d. Page loaded at %s.</p></footer>
<script src="/js/bundle.%s.js"></script>
</body>
</html>`,
		n.Hex(16), n.Hex(44), cs.Pick(n, "Books, warmth and a window seat", "Reading on the hill since 1911", "Come in, it is dry here"),
		day(n).Format("Monday 2 January 2006"), n.Calm.IntN(24), n.Calm.IntN(60), 4+n.Calm.IntN(10), main,
		cs.Pick(n, "A book is a garden carried in a pocket.", "Quiet, please: somebody is in another country.", "So many shelves, so little Sunday."), n.Hex(26),
		counted(n, 512, 4), counted(n, 138, 3),
		items(cs.Shuffled(n, "Parish council", "Penwarrow School", "Ferry timetable", "Museum of Slate"), `<li><a href="/links">%s</a>
</li>`), 90+n.Calm.IntN(400), now(n).Format("15:04:05"), n.Hex(16))
}
