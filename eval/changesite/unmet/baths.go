package unmet

import (
	"fmt"
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// baths is a town's page of its swimming baths, in German, from the content system that towns there have.
func baths() *cs.Page {
	return &cs.Page{Path: "/rathaus/baeder/nordbad.html", Type: "notice", Render: func(n *cs.Run) string {
		at := now(n)
		weather := p("%d °C, %s", 2+n.Calm.IntN(12), cs.Pick(n.Calmly(), "bedeckt", "heiter", "Regenschauer", "Hochnebel"))
		name := cs.Pick(n.Calmly(), "Albert", "Gudrun", "Notburga", "Kunigunde", "Friedrich")
		return p(`<!DOCTYPE html><html dir="ltr" lang="de-DE"><head><meta charset="utf-8"><!-- This website is powered by TYPO3 --><title>Nordbad - Stadt Wiesenau</title>
<link rel="stylesheet" href="/typo3temp/assets/compressed/merged-%s.css?%d" media="all"></head><body id="page-318">
<div class="c-top"><span>Heute ist %s</span> <span>Wetter in Wiesenau: %s</span> <span>Namenstag: %s</span></div>
<div class="c-nav">
<a href="/startseite.html">Startseite</a> | <a href="/rathaus.html">Rathaus</a> | <a href="/rathaus/baeder.html">Bäder</a> | <a href="/kontakt.html?cHash=%s">Kontakt</a></div>
<div class="c-teaser"><p>%s</p></div>`,
			n.Hex(32), n.IntN(1e9), german(at), weather, name, n.Hex(32),
			cs.Pick(n, "Stadtbücherei: Vorlesen am Mittwoch", "Wochenmarkt auf dem Kirchplatz", "Ehrenamt: Wir suchen Schülerlotsen",
				"Musikschule: freie Plätze für Blockflöte")) +
			nordbad(n) +
			p(`<div class="c-marginal"><h3>Veranstaltungen</h3><ul>%s</ul></div>
<div class="c-foot"><p>Stadt Wiesenau, Am Markt 1</p><p>Sie sind Besucher Nr. %d</p><p>%s</p><!-- Parsetime: %dms, Cached page generated %d --></div></body></html>`,
				cs.Each(cs.Some(n, 3, "Flohmarkt am Bahnhof", "Orgelkonzert in St. Veit", "Radtour zum Moor", "Lesung im Kornspeicher",
					"Tag der offenen Werkstatt", "Tanztee im Kursaal"),
					func(title string) string {
						return p(`<li><a href="/termine/%s.html?cHash=%s">%s</a></li>`, slug(title), n.Hex(32), title)
					}),
				100_000+n.IntN(800_000), cs.Pick(n, "Diese Seite weiterempfehlen", "Seite drucken oder teilen", "Lob oder Tadel? Schreiben Sie uns"), n.IntN(500), n.IntN(1e9))
	}}
}

func nordbad(n *cs.Run) string {
	return p(`<div class="c-content"><div id="c%d" class="frame frame-default">
<h1>Nordbad</h1>%s<p>Das Nordbad hat ein Sportbecken mit sechs Bahnen, ein Lehrbecken und eine Sauna.</p></div>
<div id="c%d" class="frame frame-default"><h2>Öffnungszeiten</h2><p>Dienstag bis Freitag: %s Uhr<br>Samstag und Sonntag: 9 bis 18 Uhr<br>Montag geschlossen</p></div>
<div id="c%d" class="frame frame-default"><h2>Eintritt</h2><table class="contenttable"><tr><td>Erwachsene</td><td>%s Euro</td></tr>
<tr><td>Kinder bis 14 Jahre</td><td>2,50 Euro</td></tr>
<tr><td>Zehnerkarte</td><td>48,00 Euro</td></tr></table></div><div id="c%d" class="frame frame-default"><h2>Dokumente</h2><ul class="ce-uploads">
<li><a href="/fileadmin/haus-und-badeordnung.pdf?v=%d">Haus- und Badeordnung</a> (PDF)</li>%s</ul></div></div>`,
		n.IntN(9000), cs.Since(n, "", cs.At(1, `<p class="hinweis">Das Lehrbecken bleibt vom 13. bis 17. April wegen Reparatur geschlossen.</p>`)),
		n.IntN(9000), cs.Since(n, "7 bis 20", cs.At(12, "7 bis 21")), n.IntN(9000), cs.Since(n, "5,50", cs.At(18, "5,80")), n.IntN(9000), n.IntN(1e9),
		cs.Since(n, "", cs.At(32, `<li><a href="/fileadmin/kursplan-sommer.pdf">Kursplan Sommer</a> (PDF)</li>`)))
}

// german is a date in German. All runs are in March.
func german(at time.Time) string {
	day := [...]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"}[at.Weekday()]
	return fmt.Sprintf("%s, %d. März %d", day, at.Day(), at.Year())
}
