package sealed

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// talk is a slot of a programme.
type talk struct{ time, title, speaker, room string }

// programme is a day of a conference, on a page made by a generator with widgets that fill in as it is served.
func (h hours) programme() *cs.Page {
	return &cs.Page{Path: "/2026/programme", Type: "programme", Render: func(n *cs.Run) string {
		c := n.Calmly()
		talks := []talk{
			{"09:30", "Opening", "The organisers", "Great Hall"},
			{"10:00", "Maps that admit what they do not know", "Ilze Ozola", cs.Since(n, "Room B", cs.At(7, "Room C"))},
			{"11:00", "Ten years of one small database", "Farid Haddad", "Great Hall"},
			{"11:00", "Type on low-power screens", cs.Since(n, "Noor de Wit", cs.At(18, "Emeka Nwosu")), "Room B"},
			{cs.Since(n, "13:30", cs.At(26, "13:45")), "What the post office taught me about queues", "Saskia Brandl", "Great Hall"},
		}
		talks = append(talks, cs.Since(n, talk{"14:45", "Counting birds with cheap microphones", "Teemu Laine", "Room C"}, cs.At(27, talk{"14:45", "Forms people finish", "Adaeze Obi", "Room C"})),
			talk{"16:00", "Lightning talks", "Anybody", "Great Hall"})
		return fill(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Programme | Amberconf 2026</title>
<link rel="stylesheet" href="/css/main.min.{{asset}}.css" integrity="sha256-{{integrity}}">
<script defer data-visitor="{{visitor}}" src="/js/live.{{asset2}}.js"></script></head>
<body>
<header><a class="brand" href="/2026/?ref={{ref}}">Amberconf</a> <span class="where">Riga, 14 May 2026</span>
<p class="countdown">Doors open in <b>{{days}}</b> days <b>{{hours}}</b> hours <b>{{minutes}}</b> minutes</p>
<a class="cta" href="https://tickets.example.org/amberconf?session={{session}}">{{call}}</a></header>
<div class="stage stage-{{stage}}"><blockquote>{{praise}}</blockquote></div>
<main>
<h1>Programme</h1>
<p>One day, two rooms and a hall. All talks are in English and are filmed.</p>
<div class="schedule">
{{talks}}</div>
<h2>Workshop</h2>
<div class="workshop"><p>Build a weather station from scrap, with Līga Kalniņa. 17:15 to 19:00 in the Cellar.</p><p class="places">{{places}}</p></div>
</main>
<section class="faces"><h2>Faces of Amberconf</h2><ul {{faces-attributes}}>{{faces}}</ul></section>
<section class="partners"><h2>Thank you</h2><div>{{sponsors}}</div></section>
<section class="wall"><h2>#amberconf</h2>{{wall}}</section>
<aside class="advert"><span>Ad</span> <a href="https://beds.example.net/r/{{bed}}">{{advert}}</a></aside>
<footer><p>{{looking}} people are looking at the programme · it is {{clock}} in Riga, {{degrees}}°C and {{sky}}</p>
<p>{{calendar}} calendars follow this page · {{letters}} people get our letter · coffee cups since 2017: {{cups}}</p>
<p>{{join}} <input type="hidden" name="hp" value="{{honey}}"></p><p>edge {{edge}} · build {{build}}</p></footer>
{{consent}}</body></html>`,
			"asset", n.Hex(8), "integrity", n.Hex(44), "visitor", n.Hex(18), "asset2", n.Hex(8), "ref", n.Hex(6),
			"days", fmt.Sprint((73*24-h(n))/24), "hours", fmt.Sprint((73*24-h(n))%24), "minutes", between(n, 0, 59), "session", n.Hex(30),
			"call", cs.Pick(n, "Get a ticket", "Come along", "Join us in Riga", "Tickets"), "stage", n.Hex(3),
			"praise", cs.Pick(n, "The only conference where I stayed for every talk. (Mikko, 2024)", "Small, warm, and very good soup. (Jana, 2023)", "I left with a job and a sunburn. (Luis, 2022)", "Nobody tried to sell me anything. (Edyta, 2025)", "Best corridor conversations north of the Alps. (Gwen, 2019)", "My daughter liked the badges. (Artūrs, 2025)"),
			"talks", cs.Each(talks, func(t talk) string {
				return fill(`<article class="slot" {{attributes}}><time>{{time}}</time><h3>{{title}}</h3><p class="who">{{speaker}}</p><p class="room">{{room}}</p><p class="stars">★ {{stars}} bookmarked</p></article>
`, "attributes", attributes(n, `id="s-`+n.Hex(4)+`"`, `data-room="`+slug(t.room)+`"`, `tabindex="0"`), "time", t.time, "title", t.title, "speaker", t.speaker, "room", t.room, "stars", between(n, 8, 96))
			}),
			"places", cs.Since(n, "Places are free, sign up at the desk.", cs.At(37, "Fully booked.")),
			"faces-attributes", attributes(n, `class="avatars"`, `data-seed="`+n.Hex(4)+`"`),
			"faces", cs.Each(cs.Shuffled(n, "Anete (volunteers)", "Bruno (sound)", "Dace (kitchen)", "Jurģis (money)", "Mare (programme)", "Otto (lights)"), tag("li")),
			"sponsors", cs.Each(cs.Shuffled(n, "Baltic Cloud", "Daugava Print", "Lielais Foods", "Northfibre", "Pine & Pixel"), tag("span")),
			"wall", cs.Each(cs.Some(n, 3, "packing my bag already", "who else takes the night train?", "rehearsing my talk to the cat", "any good bakeries near the venue?", "first time in Riga, so excited", "need a sofa for two nights", "my slides have a typo in the title", "see you all at the quiz"), func(post string) string {
				return `<p class="toot">` + post + " <small>" + between(n, 1, 59) + " min</small></p>\n"
			}),
			"bed", n.Hex(9), "advert", cs.Pick(n, "Hotel Dzintars: breakfast until noon", "Rent a bike on the Daugava", "airBaltic weekend fares", "Hostel Blue Cow, bunks from €19", "Smoked fish at the Central Market", "Spa day in Jūrmala"),
			"looking", between(n, 4, 88), "clock", h.now(n).Add(2*hour).Format("15:04:05"), "degrees", between(c, -6, 7), "sky", cs.Pick(c, "snowing", "clear", "grey", "windy", "sleet"),
			"calendar", h.count(c, 731, 2), "letters", h.count(c, 5_210, 4), "cups", h.count(n, 48_190, 3),
			"join", cs.Pick(n, "Get the letter", "Hear from us", "One mail a month, promised"), "honey", n.Hex(12), "edge", cs.Pick(n, "arn", "hel", "waw", "fra")+between(n, 1, 8), "build", n.Hex(7),
			"consent", cs.Pick(n, "", `<div id="consent"><p>This page counts its visitors with a cookie. All right?</p><button>Fine</button><button>No</button></div>
`))
	}}
}
