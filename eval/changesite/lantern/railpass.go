package lantern

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// railPass is a regional rail pass, in German, of a content system for large companies.
func railPass() *cs.Page {
	return &cs.Page{Path: "/tickets/netzkarte", Type: "tariff", Render: func(n *cs.Run) string {
		rows := [][3]string{
			{"Erwachsene", cs.Since(n, "89,00 €", cs.At(12, "92,50 €")), "934,00 €"},
			{"Junge Leute bis 26 Jahre", "59,00 €", cs.Since(n, "619,00 €", cs.At(13, "629,00 €"))},
			{"Ab 65 Jahren", "69,00 €", "724,00 €"},
			{"Hund", "24,00 €", "252,00 €"},
		}
		days := []string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"}
		component := p("c%d", 1000+n.IntN(9000))
		return `<!DOCTYPE html>
<html lang="de"><head><meta charset="utf-8"><title>Netzkarte Ostalm | Ostalmbahn</title>
<link rel="stylesheet" href="/etc.clientlibs/oab/base.lc-` + n.Hex(32) + `-lc.min.css">
<script>window.dataLayer=[{"pageViewId":"` + n.Hex(16) + `"}]</script></head>
<body class="page basicpage" id="page-` + n.Hex(10) + `">
<div class="cmp-consent"><p>Wir verwenden Cookies, um unsere Seiten zu verbessern.</p>
<button>` + cs.Pick(n, "Alle zulassen", "Zustimmen", "Einverstanden") + `</button><button>Nur notwendige</button></div>
<header class="cmp-header"><a class="cmp-header__logo" href="/">Ostalmbahn</a><nav class="cmp-navigation"><ul class="cmp-navigation__group"><li>
<a href="/fahrplan">Fahrplan</a></li><li><a href="/tickets">Tickets</a></li><li><a href="/ausfluege">Ausflüge</a></li><li>
<a href="/service">Service</a></li></ul></nav>
<div class="cmp-clock">` + days[int(today(n).Weekday())] + `, ` + today(n).Format("02.01.2006") + `, ` + clock(n) + ` Uhr</div></header>
<ol class="cmp-breadcrumb"><li><a href="/">Start</a></li><li><a href="/tickets">Tickets</a></li><li>Netzkarte Ostalm</li></ol>
<main class="root container responsivegrid"><div class="cmp-container" id="` + component + `">
<div class="cmp-title"><h1 class="cmp-title__text">Netzkarte Ostalm</h1></div>
<div class="cmp-text"><p>Mit der Netzkarte fahren Sie auf allen Strecken der Ostalmbahn und in den Bussen der Gemeinden, so oft Sie möchten. Die Karte ist persönlich
und nicht übertragbar.</p></div>
<div class="cmp-title"><h2 class="cmp-title__text">Preise</h2></div>
<div class="cmp-table"><table><thead><tr><th scope="col">Für wen</th><th scope="col">Monat</th><th scope="col">Jahr</th></tr></thead>
<tbody>` + cs.Each(rows, func(r [3]string) string {
			return `<tr><th scope="row">` + r[0] + `</th><td>` + r[1] + `</td><td>` + r[2] + "</td></tr>\n"
		}) + `</tbody></table></div>
<div class="cmp-title"><h2 class="cmp-title__text">Wo die Karte gilt</h2></div>
<div class="cmp-text"><p>Sie gilt in der zweiten Klasse zwischen Hallbruck, Sankt Veitl und ` + cs.Since(n, "Obermoos", cs.At(20, "Grünsee")) + `. In den Nachtzügen
kommt ein Zuschlag von 4,00 € hinzu.</p>
<ul><li>Regionalzüge R1 bis R5</li><li>Busse der Linien 20 bis 48</li>` + cs.Since(n, "", cs.At(29, "<li>Seilbahn Kogelblick, eine Bergfahrt am Tag</li>")) +
			`<li>Schiff auf dem Hallsee, von Mai bis September</li></ul></div>
<div class="cmp-accordion"><div class="cmp-accordion__item"><h3>Darf ich mein Fahrrad mitnehmen?</h3>
<p>` + cs.Since(n, "Ja, montags bis freitags ab 9 Uhr und am Wochenende ganztägig.", cs.At(37, "Nur mit einer Fahrradkarte zu 6,00 € am Tag.")) + `</p></div>
<div class="cmp-accordion__item"><h3>Wie kündige ich?</h3><p>Die Jahreskarte endet nach zwölf Monaten von selbst. Eine Kündigung vor der Zeit ist zum Monatsende
möglich; bereits gefahrene Monate werden zum Monatspreis berechnet.</p></div>
<div class="cmp-accordion__item"><h3>Wer fährt mit mir mit?</h3><p>Bis zu drei Kinder unter sechs Jahren fahren ohne eigene Karte mit. An Sonn- und Feiertagen darf
außerdem eine weitere Person kostenlos mitfahren, wenn Sie die Jahreskarte haben.</p></div>
<div class="cmp-accordion__item"><h3>Ab wann gilt die Karte?</h3><p>Ab dem Tag, den Sie beim Kauf wählen. Die Monatskarte gilt bis zum selben Tag des folgenden
Monats, zwölf Uhr mittags, die Jahreskarte ein ganzes Jahr. Ein Lichtbild ist nicht mehr nötig.</p></div>
<div class="cmp-accordion__item"><h3>Was gilt bei Verlust?</h3><p>Am Schalter stellen wir gegen 15,00 € eine Ersatzkarte aus. Bringen Sie bitte einen Ausweis mit.</p></div></div>
<div class="cmp-button"><a class="cmp-button__link" href="/shop/netzkarte;jsessionid=` + n.Hex(24) + `">` + cs.Pick(n, "Jetzt kaufen", "Zum Kauf",
			"Karte bestellen") + `</a></div>
</div></main>
<aside class="cmp-teasers">` + cs.Each(cs.Some(n, 3, "Mit dem Zug zum Skifest", "Wandern am Hallsee", "Unsere Lokführerinnen im Gespräch",
			"Frühstück im Speisewagen", "Modellbahn zu gewinnen", "Zu Fuß auf den Kogel"), func(s string) string {
			return `<div class="cmp-teaser"><h3>` + s + `</h3><a href="/magazin?cid=` + n.Hex(6) + `">Mehr lesen</a></div>` + "\n"
		}) + `</aside>
<section class="cmp-poll"><h3>Umfrage: Fenster oder Gang?</h3><p>` + p("Fenster: %d Stimmen, Gang: %d Stimmen", 800+n.IntN(200), 300+n.IntN(200)) + `</p></section>
<footer class="cmp-footer"><p>Ostalmbahn AG, Bahnhofplatz 1, Hallbruck</p><ul><li><a href="/impressum">Impressum</a></li><li>
<a href="/datenschutz">Datenschutz</a></li></ul><p>` + p("Instanz pub-%d", 1+n.IntN(6)) + `</p></footer></body></html>`
	}}
}
