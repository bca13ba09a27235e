package parish

import (
	"fmt"
	"slices"
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

type course struct{ number, title, begins, room, fee, state string }

// courses are the dates of a German adult school, on the pages of a municipal system.
func courses() *cs.Page {
	all := func(n *cs.Run) []course {
		list := []course{
			{"262-4101", "Italienisch A1 für Anfänger", cs.Since(n, "Di, 22.09.2026, 18:00 Uhr", cs.At(2, "Do, 24.09.2026, 18:00 Uhr")), "Raum 12", "96,00 €", "Plätze frei"},
			{"262-4105", "Italienisch B1 Gesprächskreis", "Mo, 28.09.2026, 19:30 Uhr", "Raum 12", "78,00 €", "Plätze frei"},
			{"262-4203", "Französisch A2 am Vormittag", "Mi, 23.09.2026, 09:15 Uhr", "Raum 3", "102,00 €", cs.Since(n, "wenige Plätze", cs.At(9, "Warteliste"))},
			{"262-4310", "Dänisch A1 Intensivwoche", "Mo, 05.10.2026, 09:00 Uhr", cs.Since(n, "Raum 7", cs.At(10, "Raum 204")), "134,00 €", "Plätze frei"},
			{"262-4402", "Polnisch A1", "Do, 01.10.2026, 18:15 Uhr", "Raum 5", "96,00 €", cs.Since(n, "Plätze frei", cs.At(18, "entfällt"))},
			{"262-4508", "Deutsch als Fremdsprache B2", "Mo, 14.09.2026, 17:00 Uhr", "Raum 9", "188,00 €", "Warteliste"},
		}
		return slices.Insert(list, 5, cs.Since(n, nil, cs.At(22, []course{{"262-4421", "Portugiesisch A1", "Mi, 14.10.2026, 18:30 Uhr", "Raum 5", "96,00 €", "Plätze frei"}}))...)
	}
	return &cs.Page{
		Path: "/programm/sprachen", Type: "courses",
		Schema: `{"type":"object","properties":{"kurse":{"type":"array","items":{"type":"object","properties":{"nummer":{"type":"string"},"titel":{"type":"string"},
			"beginn":{"type":"string"},"raum":{"type":"string"},"entgelt":{"type":"string"},"status":{"type":"string"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			var list []any
			for _, c := range all(n) {
				list = append(list, map[string]any{"nummer": c.number, "titel": c.title, "beginn": c.begins, "raum": c.room, "entgelt": c.fee, "status": c.state})
			}
			return map[string]any{"kurse": list}
		},
		Render: func(n *cs.Run) string {
			return fill(coursesHTML, "chash", n.Hex(32), "css", n.Hex(32), "uid", n.IntN(9000), "today", german(n), "clock", moment(n).Format("15:04"), "sid", n.Hex(26),
				"visitors", strings.ReplaceAll(grouped(counted(n, 418_200, 230)), ",", "."), "online", 2+n.IntN(19),
				"degrees", 9+n.Calm.IntN(12), "sky", cs.Pick(n.Calmly(), "heiter", "wolkig", "leichter Regen", "Nebelfelder", "sonnig"),
				"photo", cs.Pick(n, "Aquarelle aus dem Malkurs", "Unser Chor im Bürgersaal", "Ausflug zur Burg Hohenried", "Neue Töpferscheiben im Keller", "Sommerfest im Hof"),
				"advert", cs.Pick(n, "Sparkasse Birkental: Ihr Konto vor Ort", "Buchhandlung Amsel am Markt", "Stadtwerke Birkental, Strom aus der Region",
					"Fahrrad Künzel: Wartung ab 49 €"),
				"rows", cs.Each(all(n), func(c course) string {
					return fill(`<tr class="kurs"><td class="nr">{nr}</td><td><a href="/programm/kurs/{nr}?cHash={chash}">{title}</a></td><td>{begins}</td>
<td>{room}</td><td align="right">{fee}</td><td class="status">{state}</td></tr>
`, "nr", c.number, "chash", n.Hex(16), "title", c.title, "begins", c.begins, "room", c.room, "fee", c.fee, "state", c.state)
				}),
				"teasers", cs.Each(cs.Some(n, 2, "Vortrag: Was Bienen uns erzählen", "Lesung mit Jutta Wiedenroth", "Kochen mit Kürbis", "Fit am Morgen",
					"Nähen für Eilige", "Erste Hilfe am Kind"), func(s string) string {
					return fill(`<div class="csc-default" id="c{id}"><p class="bodytext"><a href="/index.php?id={id}">{text}</a></p></div>`, "id", 1000+n.IntN(9000), "text", s)
				}))
		},
	}
}

// german is the date of a run as Germans write it.
func german(n *cs.Run) string {
	today := day(n)
	weekdays := [...]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"}
	months := [...]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}
	return fmt.Sprintf("%s, %d. %s %d", weekdays[today.Weekday()], today.Day(), months[today.Month()-1], today.Year())
}

const coursesHTML = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" lang="de"><head><meta charset="utf-8" /><title>Sprachen - Volkshochschule Birkental</title>
<link rel="stylesheet" href="/typo3temp/stylesheet_{css}.css" /><script src="/typo3temp/javascript_{css}.js"></script></head>
<body id="page-{uid}"><div id="wrap">
<table width="980" cellpadding="0" cellspacing="0" border="0" align="center" class="kopf"><tr>
<td width="240"><a href="/index.php?id=1&amp;cHash={chash}"><img src="/fileadmin/logo.gif" alt="Volkshochschule Birkental" width="220" height="80" /></a></td>
<td valign="bottom"><span class="slogan">Lernen im Tal, seit 1921</span></td>
<td align="right" valign="bottom" class="datum">{today}, {clock} Uhr<br />{degrees} °C, {sky}</td></tr></table>
<table width="980" cellpadding="6" cellspacing="0" border="0" align="center"><tr valign="top"><td width="190" class="links">
<ul class="navi"><li><a href="/programm">Programm</a><ul><li class="act"><a href="/programm/sprachen">Sprachen</a></li>
<li><a href="/programm/gesundheit">Gesundheit</a></li><li><a href="/programm/kultur">Kultur</a></li><li><a href="/programm/beruf">Beruf und EDV</a></li></ul></li>
<li><a href="/anmeldung">Anmeldung</a></li><li><a href="/kontakt">Kontakt</a></li></ul>
<div class="kasten"><b>Anmelden</b><form action="/login" method="post"><input type="hidden" name="__referrer" value="{chash}" />
<input type="hidden" name="PHPSESSID" value="{sid}" /><input type="text" name="user" size="14" /><input type="password" name="pass" size="14" />
<input type="submit" value="Los" /></form></div>
<div class="kasten"><b>Aus dem Fotoalbum</b><br /><img src="/fileadmin/album/{uid}.jpg" alt="" width="160" height="110" /><br />{photo}</div></td>
<td width="600" id="inhalt"><div class="brotkrumen">Sie sind hier: <a href="/">Start</a> &gt; <a href="/programm">Programm</a> &gt; Sprachen</div>
<h1 class="csc-firstHeader">Sprachkurse im Herbstsemester 2026</h1>
<p class="bodytext">Unsere Sprachkurse folgen dem Europäischen Referenzrahmen von A1 bis C1. Wenn Sie nicht sicher sind, welche Stufe passt, kommen Sie gern zur Beratung:
jeden Dienstag von 16 bis 18 Uhr, ohne Termin, in Zimmer 2.</p>
<p class="bodytext">Ein Kurs findet statt, wenn sich mindestens sieben Personen anmelden. Wer Arbeitslosengeld bezieht oder studiert, zahlt die Hälfte.</p>
<table class="kursliste" width="100%" border="1" cellpadding="4" cellspacing="0"><tr bgcolor="#dfe8d8"><th>Nr.</th><th>Kurs</th><th>Beginn</th><th>Ort</th>
<th>Entgelt</th><th>Status</th></tr>
{rows}</table>
<h2>Anmeldung</h2><p class="bodytext">Sie können sich online, per Post oder in der Geschäftsstelle anmelden. Bis sieben Tage vor Beginn treten Sie kostenlos zurück,
danach wird die Hälfte des Entgelts fällig.</p>
<h2>Lehrbücher</h2><p class="bodytext">Bitte kaufen Sie Lehrbücher erst nach dem ersten Abend. Die Buchhandlungen am Ort halten sie bereit.</p>
<h2>Geschäftsstelle</h2><p class="bodytext">Lindenplatz 4, 1. Stock. Montag bis Freitag 9 bis 12 Uhr, Donnerstag auch 14 bis 18 Uhr.</p></td>
<td width="170" class="rechts"><div class="kasten"><b>Auch interessant</b>{teasers}</div>
<div class="kasten anzeige"><small>Anzeige</small><br /><a href="/klick?b={uid}&amp;s={sid}">{advert}</a></div>
<div class="kasten zaehler"><small>Besucher seit 2009: {visitors}<br />Gerade online: {online}</small></div></td></tr></table>
<div id="fuss" align="center"><a href="/impressum">Impressum</a> | <a href="/datenschutz">Datenschutz</a> | <a href="/barrierefreiheit">Barrierefreiheit</a></div></div>
<div id="cookiehinweis-{uid}" class="cookie">Diese Seite verwendet nur notwendige Cookies. <a href="/datenschutz">Mehr erfahren</a></div>
</body></html>`
