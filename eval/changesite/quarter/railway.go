package quarter

import (
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// railway is a notice of works on a railway line, in German, from an operator with components of its own.
func railway() *cs.Page {
	type stop struct{ name, first, every string }
	return &cs.Page{Path: "/fahrplan/bauarbeiten/rb-47", Type: "timetable", Render: func(n *cs.Run) string {
		stops := []stop{{"Grünau Bahnhof", "4:52", "22 und 52"}, {"Lindow Markt", "5:04", "04 und 34"}, {"Kesselsdorf Schule", "5:11", "11 und 41"}}
		stops = append(stops, cs.Since(n, []stop{{"Altmühle Ort", "5:19", "19 und 49"}}, cs.At(28, []stop{}))...)
		stops = append(stops, stop{"Wendorf (Kreis Salm) Bahnhof", cs.Since(n, "5:31", cs.At(7, "5:34")), "04 und 34"})
		return railwayFrame(n, p(`<bw-headline level="1"><h1>RB 47: Ersatzverkehr zwischen Grünau und Wendorf</h1></bw-headline>
<div class="bw-meta"><span class="bw-chip bw-chip--warn">%s</span><span class="bw-meta__stamp">Abgerufen heute um %s Uhr</span></div>
<p class="bw-lead">Zwischen Grünau und Wendorf werden Gleise und Weichen erneuert. Vom <strong>9. März</strong> bis <strong>%s</strong> fahren dort keine Züge, sondern
Busse.</p>
<section class="bw-accordion" id="acc-%s"><h2>Was gilt für Fahrgäste?</h2><p>Die Busse halten an den Haltestellen der Tabelle. Rechnen Sie mit bis zu 25 Minuten mehr
Reisezeit. Alle Fahrkarten gelten auch in den Bussen.</p>%s
<p>Gruppen ab zehn Personen melden sich bitte zwei Tage vorher an. Für Fahrgäste mit Rollstuhl fährt auf Bestellung ein Kleinbus; die Nummer steht am Ende der Seite.</p>
<p>In Wendorf wartet der Anschlusszug Richtung Salmstadt bis zu zehn Minuten auf den Bus.</p></section>
<section class="bw-table-wrap"><h2>Abfahrten Richtung Wendorf</h2><table class="bw-table" data-grid="%d"><thead><tr><th>Haltestelle</th><th>Erster Bus</th>
<th>Danach zur Minute</th></tr></thead><tbody>%s</tbody></table>
<p class="bw-small">Letzter Bus ab Grünau: %s Uhr, freitags und samstags 0:22 Uhr.</p></section>
<bw-teaser class="bw-ad" data-campaign="%s"><p>%s</p></bw-teaser>
<section><h2>Lage der Haltestellen</h2><p>Grünau: Vorplatz, Steig C. Lindow: am Rathaus. Wendorf: Parkplatz hinter dem Güterschuppen.</p></section>
<section><h2>Warum jetzt?</h2><p>Die Schwellen zwischen Lindow und Wendorf stammen aus dem Jahr 1974. Auf elf Kilometern werden sie ausgetauscht, dazu vier Weichen und
die Oberleitung im Bahnhof Grünau. Danach fahren die Züge dort wieder mit 100 statt mit 60 Kilometern in der Stunde.</p>
<p>Gearbeitet wird auch nachts. Die Anwohner sind mit einem Brief unterrichtet worden.</p></section>
<section class="bw-poll"><h2>Umfrage</h2><p>Wie kommen Sie zum Bahnhof? Fahrrad %d %%, zu Fuß %d %%, Auto %d %%</p><p>%d Stimmen</p></section>
<p class="bw-feedback">%d Reisende fanden diese Seite hilfreich.</p>`,
			cs.Pick(n, "Bauarbeiten", "Baustelle"), now(n).Format("15:04:05"),
			cs.Since(n, "26. April", cs.At(6, "3. Mai")), n.Hex(6),
			cs.Since(n, "", cs.At(19, "<p>Fahrräder können in den Bussen leider nicht mitgenommen werden.</p>")), n.IntN(10_000),
			cs.Each(stops, func(s stop) string {
				return p(`<tr data-key="%s"><td>%s</td><td>%s</td><td>%s</td></tr>`, n.Hex(6), s.name, s.first, s.every)
			}),
			cs.Since(n, "23:22", cs.At(39, "22:52")), n.Hex(10),
			cs.Pick(n, "Mit dem Rad ans Meer: unser neues Magazin ist da", "Sparpreis nach Prag ab 14,90 Euro", "Jetzt Fan werden: der Podcast für Bahnfreunde",
				"Kaffee im Zug? Unser Bistro stellt sich vor"),
			28+n.Calm.IntN(5), 37+n.Calm.IntN(5), 18+n.Calm.IntN(5), counted(n, 1830, 12), counted(n, 300, 5)))
	}}
}

// german is a date in full.
func german(t time.Time) string {
	weekdays := []string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"}
	months := []string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}
	return p("%s, %d. %s %d", weekdays[t.Weekday()], t.Day(), months[t.Month()-1], t.Year())
}

// railwayFrame is the site of the operator: a journey planner with the time of now, the weather, other notices.
func railwayFrame(n *cs.Run, main string) string {
	return p(`<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><title>RB 47: Bauarbeiten | Salmtalbahn</title>
<script src="/static/runtime.%s.js" nonce="%s" defer></script><link rel="stylesheet" href="/static/app.%s.css"></head><body><div id="__app" data-build="%s">
<header class="bw-header"><a href="/" class="bw-logo">Salmtalbahn</a><nav class="bw-nav"><a href="/fahrplan">Fahrplan</a><a href="/tickets">Tickets</a>
<a href="/unternehmen">Unternehmen</a><a href="/service">Service</a><a href="/freizeit">Freizeit</a></nav>
<div class="bw-now">%s</div><div class="bw-weather">Salmstadt %d °C, %s</div></header>
<form class="bw-planner" action="/auskunft"><input name="von" placeholder="Von"><input name="nach" placeholder="Nach"><input name="zeit" value="%s">
<input type="hidden" name="_csrf" value="%s"><button>%s</button></form>
<ol class="bw-crumbs"><li>Fahrplan</li><li>Bauarbeiten</li><li>RB 47</li></ol>
<main class="bw-main" id="inhalt">%s</main>
<aside class="bw-aside"><h3>Ausflugstipps</h3><ul>%s</ul><h3>Meistgelesen</h3><ol>%s</ol></aside>
<footer class="bw-footer"><p>Salmtalbahn GmbH, Am Lokschuppen 3, Salmstadt. Kundentelefon 0555 47 11 00, täglich 6 bis 22 Uhr.</p>
<a href="/impressum">Impressum</a> <a href="/datenschutz">Datenschutz</a> <a href="/barrierefreiheit">Barrierefreiheit</a><p class="bw-id">Anfrage %s-%s</p></footer>
<dialog class="bw-consent"><p>Wir verwenden Cookies, um unsere Seiten zu verbessern.</p><button>Alle annehmen</button><button>Nur notwendige</button></dialog></div>
</body></html>`,
		n.Hex(20), n.Hex(16), n.Hex(20), n.Hex(12), german(day(n)), 3+n.Calm.IntN(14), cs.Pick(n.Calmly(), "heiter", "bedeckt", "Regen", "Nebel"), now(n).Format("15:04"),
		n.Hex(36), cs.Pick(n, "Suchen", "Verbindung finden"), main,
		items(cs.Some(n, 3, "Wandern am Salmsee", "Die Burg von Altenwied", "Glasmuseum mit Werkstatt", "Radweg durch die Heide", "Obstblüte im Norden", "Mühlentag",
			"Therme mit Außenbecken"), `<li><a href="/freizeit">%s</a></li>`),
		items(cs.Shuffled(n, "Fundsachen", "Gruppen anmelden", "Fahrgastrechte", "Schülerkarten"), `<li>%s</li>`), n.Hex(8), n.Hex(4))
}
