package fresh

import (
	"slices"
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

type person struct{ name, role, phone string }

// people is the staff of an architects' office, in an order that favours nobody.
func people() *cs.Page {
	return &cs.Page{Path: "/studio/people", Type: "team", Render: func(n *cs.Run) string {
		staff := []person{
			{"Yusuf Karaca", "Partner", "0221 555 010"},
			{"Greta Lindqvist", cs.Since(n, "Architect", cs.At(21, "Senior architect")), "0221 555 014"},
			{"Noor van Dam", "Partner", cs.Since(n, "0221 555 012", cs.At(28, "0221 555 017"))},
			{"Petr Havel", "Model maker", "0221 555 019"},
			{"Adaeze Obi", "Landscape architect", "0221 555 020"},
		}
		joined := slices.Concat(staff, []person{{"Milo Ferrante", "Student assistant", "0221 555 022"}})
		staff = cs.Since(n, staff, cs.At(3, joined), cs.At(14, append(joined[:3:3], joined[4:]...)))
		return fill(peoplePage,
			"grid", n.Hex(6), "slide", pick(n.Rand, "Library, Ghent", "Boathouse, Lake Bled", "School in the woods", "Tower of timber"),
			"claim", pick(n.Rand, "We build with what is there.", "Less concrete, more sense.", "Rooms that stay."),
			"cards", cs.Each(cs.Shuffled(n, staff...), func(p person) string {
				return tag(n, "figure", w(`class="p_%s"`, n.Hex(4)), w(`style="--delay:%dms"`, n.IntN(400)), `data-reveal`) +
					w(`<img src="/media/%s.avif?w=640&amp;sig=%s" alt=""><figcaption><strong>%s</strong><span>%s</span><span>T %s</span></figcaption></figure>`,
						strings.ToLower(p.name[:4]), n.Hex(10), p.name, p.role, p.phone) + gap(n)
			}),
			"open", cs.Since(n, "Mon–Fri 9:00–18:00", cs.At(32, "Mon–Thu 9:00–18:00")), "street", cs.Since(n, "Weidengasse 40", cs.At(36, "Weidengasse 46")),
			"client", pick(n.Rand, "“They listened first.” A school board", "“On time, to the week.” A developer", "“Our favourite room in town.” A café"),
			"latest", items(cs.Some(n, 2, "Talk in Vienna on reuse", "Second prize in Basel", "Topping out in Deventer", "Model show in the foyer"), "<li>", "</li>"),
			"likes", thousands(crept(n, 8_830, 20)), "now", clock(n).Format("15:04"), "sun", pick(n.Calm, "sunny", "grey", "drizzle"), "degrees", between(n.Calm, 3, 12),
			"follow", pick(n.Rand, "Follow us", "See our pictures", "Come along"), "kb", between(n.Rand, 180, 240), "grams", w("0.%02d", 11+n.IntN(20)),
			"banner", perhaps(n.Rand, 50, `<dialog open><p>This site uses one cookie.</p><button>Fine</button></dialog>`),
		)
	}}
}

const peoplePage = `<!doctype html><html lang=en><meta charset=utf-8><title>People — Karaca van Dam</title><body class="g-{grid}">
<div class=hero><p>{slide}</p><h2>{claim}</h2></div><a href=/studio>Studio</a> <a href=/work>Work</a> <a href=/studio/people>People</a>
<section><h1>People</h1><p>Nobody comes first here: the order is drawn by lot.</p><div class="masonry-{grid}">{cards}</div></section>
<section id=visit><h2>Visit us</h2><p>{street}, 50668 Cologne</p><p>{open}</p></section>
<section><p class=voice>{client}</p><ul class=latest>{latest}</ul></section>
<footer><p>Cologne, {now}, {sun}, {degrees} °C</p><p>{follow}: {likes} followers</p><p>This page weighed {kb} kB and {grams} g of CO₂</p></footer>{banner}`

// lanterns is an evening of a theatre, sold by a ticket office.
func lanterns() *cs.Page {
	date := func(n *cs.Run) string {
		return cs.Since(n, "Saturday 9 May 2026", cs.At(6, "Sunday 10 May 2026"), cs.At(7, "Saturday 16 May 2026"))
	}
	venue := func(n *cs.Run) string { return cs.Since(n, "Old Customs House", cs.At(16, "Mill Yard")) }
	doors := func(n *cs.Run) string { return cs.Since(n, "19:00", cs.At(23, "19:30")) }
	price := func(n *cs.Run) int { return cs.Since(n, 24, cs.At(1, 26)) }
	acts := func(n *cs.Run) []string {
		return cs.Since(n, []string{"The Paper Moons", "Oona Strand", "Duo Kestrel"}, cs.At(27, []string{"The Paper Moons", "Oona Strand", "Bellows & Co"}))
	}
	return &cs.Page{
		Path: "/whats-on/lantern-night", Type: "event",
		Schema: `{"type":"object","properties":{"date":{"type":"string"},"venue":{"type":"string"},"doors":{"type":"string"},"price":{"type":"integer"},
"acts":{"type":"array","items":{"type":"string"}}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"date": date(n), "venue": venue(n), "doors": doors(n), "price": price(n), "acts": acts(n)}
		},
		Render: func(n *cs.Run) string {
			return fill(lanternsPage,
				"view", n.Hex(28), "generator", between(n.Rand, 1e5, 9e5), "date", date(n), "venue", venue(n), "doors", doors(n), "price", w("£%d", price(n)),
				"acts", items(acts(n), `<li class="views-row"><div class="field-content">`, `</div></li>`),
				"days", w("%d", 75-n.Number), "interested", thousands(crept(n, 410, 12)), "booked", perhaps(n.Rand, 50,
					`<div class="nudge">`+pick(n.Rand, "Sofia from Leeds", "Hamid from Hull", "Bea from York")+` booked `+between(n.Rand, 2, 55)+` minutes ago</div>`),
				"age", cs.Since(n, "", cs.At(34, "<p>Under 14s must come with an adult.</p>")), "book", pick(n.Rand, "Book now", "Get tickets", "Find seats"),
				"tonight", pick(n.Calm, "Improv at eight", "Closed for rehearsals", "Silent film with organ", "Open mic"), "today", clock(n).Format("Monday 2 January"),
				"queue", between(n.Rand, 1, 60), "basket", between(n.Rand, 0, 3), "sky", pick(n.Calm, "Rain later", "Fair", "Cold and bright", "Gusty"),
				"others", cs.Each(cs.Some(n, 3, "The Winter's Tale", "Ukulele for beginners", "A Night of Fado", "Bingo with Brenda", "Backstage tour", "Puppet lab"), func(s string) string {
					return tag(n, "article", w(`data-history-node-id="%d"`, n.IntN(900)), `class="node teaser"`) + w(`<h3><a href="/whats-on/x?src=%s">%s</a></h3></article>`, n.Hex(6), s) + gap(n)
				}),
				"press", pick(n.Rand, "★★★★ “A gem of a stage”", "★★★★★ “The warmest house in town”", "“Worth the train fare”"),
				"give", pick(n.Rand, "Support us from £3 a month", "Become a friend", "Name a seat"), "raised", thousands(crept(n, 31_400, 380)),
				"token", n.Hex(43), "honeypot", n.Hex(8), "logos", items(cs.Shuffled(n, "Arts Trust", "City Brewery", "Tram Co"), "<span>", "</span>"),
			)
		},
	}
}

const lanternsPage = `<!DOCTYPE html><html lang="en" dir="ltr"><head><meta charset="utf-8" /><title>Lantern Night | Quayside Theatre</title>
<link rel="stylesheet" media="all" href="/sites/default/files/css/css_{view}.css" /></head><body class="path-node page-node-type-event">
<div class="dialog-off-canvas-main-canvas"><div class="region region-top"><p>Today, {today}: {tonight}</p><p>{sky}</p><p>Basket: {basket}</p></div>
<div class="region-content"><h1 class="page-title"><span>Lantern Night</span></h1>
<div class="field field--date"><div class="label">Date</div><div class="item">{date}</div></div>
<div class="field field--venue"><div class="label">Where</div><div class="item">{venue}</div></div>
<div class="field field--doors"><div class="label">Doors</div><div class="item">{doors}</div></div>
<div class="field field--price"><div class="label">Tickets</div><div class="item">{price}</div></div>
<p class="countdown">{days} days to go!</p><p class="flag">{interested} people are interested</p>{booked}
<div class="body"><p>Songs, shadows and five hundred paper lanterns, lit at dusk.</p>{age}</div><h2>On stage</h2><ul>{acts}</ul>
<form id="ticket-{honeypot}"><input type="hidden" name="form_build_id" value="form-{token}" /><input name="url_{honeypot}" value="" /><button>{book}</button><small>{queue} in the queue</small></form></div>
<div class="views-element-container js-view-dom-id-{view}"><h2>You may also like</h2>{others}</div><blockquote>{press}</blockquote>
<div class="region-footer"><p>{give}. £{raised} raised for the roof</p><div>{logos}</div><p>Ref {generator}</p></div></div></body></html>`

var (
	weekdays = []string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"}
	months   = []string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}
)

// notice is what a German town makes known about the use of water, on the system that all its offices share.
func notice() *cs.Page {
	return &cs.Page{Path: "/rathaus/bekanntmachungen/wasserentnahme", Type: "notice", Render: func(n *cs.Run) string {
		at := clock(n)
		return fill(noticePage,
			"jsession", strings.ToUpper(n.Hex(32)), "print", n.Hex(10), "today", w("%s, %d. %s %d", weekdays[at.Weekday()], at.Day(), months[at.Month()-1], at.Year()),
			"time", at.Format("15:04"), "sky", pick(n.Calm, "heiter", "bedeckt", "Schauer", "Nebel"), "degrees", between(n.Calm, 0, 15),
			"visits", strings.ReplaceAll(thousands(crept(n, 184_000, 700)), ",", "."), "online", between(n.Rand, 2, 70),
			"stage", cs.Since(n, "Stufe 1", cs.At(2, "Stufe 2"), cs.At(31, "Stufe 1")), "fine", cs.Since(n, "1.000", cs.At(13, "1.200")),
			"hours", cs.Since(n, "8 bis 20 Uhr", cs.At(20, "10 bis 19 Uhr")), "desk", cs.Since(n, "montags bis donnerstags von 9 bis 15 Uhr", cs.At(26, "montags bis mittwochs von 9 bis 15 Uhr")),
			"form", cs.Since(n, "", cs.At(9, `<li><a href="/download/antrag-ausnahme.pdf">Antrag auf Ausnahme (PDF, 120 kB)</a></li>`)),
			"map", cs.Since(n, "/karten/entnahmestellen-2025", cs.At(38, "/karten/entnahmestellen-2026")),
			"tip", pick(n.Rand, "Stadtbücherei: Lesenacht für Kinder", "Ehrenamt gesucht!", "Bus und Bahn: neue Abos", "Jetzt Hund anmelden", "Volkshochschule: Kurse im Frühjahr"),
			"photo", pick(n.Rand, "Blick vom Schlossberg", "Marktplatz im Morgenlicht", "Alte Mühle"), "useful", pick(n.Rand, "War diese Seite hilfreich?", "Ihre Meinung zählt!", "Wie zufrieden sind Sie?"),
			"bin", pick(n.Calm, "Papier", "Restmüll", "Bio", "Gelber Sack"), "wait", between(n.Calm, 3, 50), "call", between(n.Rand, 1, 99),
			"cookie", perhaps(n.Rand, 50, `<div class="consent" role="alertdialog"><p>Wir verwenden Cookies.</p><button>Alle zulassen</button><button>Nur notwendige</button></div>`),
			"survey", perhaps(n.Rand, 30, `<div class="umfrage"><p>Nehmen Sie an unserer Umfrage teil!</p></div>`), "server", pick(n.Rand, "cms1", "cms2", "cms3"),
			"links", items(cs.Shuffled(n, "Impressum", "Datenschutz", "Barrierefreiheit", "Kontakt"), `<a href="/x;jsessionid=`+n.Hex(8)+`">`, "</a>"+gap(n)),
			"clubs", items(cs.Some(n, 3, "Turnverein 1862", "Musikkapelle", "Alpenverein", "Schachklub", "Landfrauen"), "<li>", "</li>"),
		)
	}}
}

const noticePage = `<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"/><title>Wasserentnahme - Stadt Lindenau</title><base href="/"/>
<script src="/javax.faces.resource/jsf.js;jsessionid={jsession}"></script></head><body>
<div id="kopf"><a href="#inhalt_{print}">Zum Inhalt</a><p>Heute ist {today}, {time} Uhr. Wetter: {sky}, {degrees} °C</p><img src="/kopf.jpg?{print}" alt="{photo}"/><p class="bild">{photo}</p></div>
{survey}<div id="inhalt_{print}" class="bekanntmachung"><h1>Entnahme von Wasser aus Bächen und Seen</h1>
<p>Wegen der Trockenheit gilt im Stadtgebiet bis auf Weiteres die {stage} der Allgemeinverfügung.</p>
<p>Das Pumpen von Wasser ist von {hours} verboten. Wer dagegen verstößt, zahlt bis zu {fine} Euro.</p>
<p>Das Schöpfen mit der Hand bleibt erlaubt, siehe <a href="{map}">Karte der Entnahmestellen</a>.</p>
<h2>Unterlagen</h2><ul><li><a href="/download/verfuegung.pdf">Allgemeinverfügung (PDF, 310 kB)</a></li>{form}</ul>
<h2>Auskunft</h2><p>Umweltamt, Zimmer 214, {desk}.</p></div>
<div id="rechts"><h3>Aktuelles</h3><p>{tip}</p><h3>Müllabfuhr heute</h3><p>{bin}</p><h3>Bürgerbüro</h3><p>Wartezeit {wait} Minuten, aufgerufen: A{call}</p><h3>Vereine</h3><ul>{clubs}</ul></div>
<form action="/feedback;jsessionid={jsession}"><p>{useful}</p><input type="hidden" name="javax.faces.ViewState" value="{jsession}:{print}"/><input type="radio"/>Ja <input type="radio"/>Nein</form>
<div id="fuss">{links}<p>Besucher: {visits}, zurzeit {online} online. Seite gedruckt am {today}. {server}</p></div>{cookie}</body></html>`
