package terrace

import (
	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const recallSchema = `{"type":"object","properties":{"produkt":{"type":"string"},"hersteller":{"type":"string"},"chargen":{"type":"array","items":{"type":"string"}},
"mindestens_haltbar_bis":{"type":"string"},"telefon":{"type":"string"}}}`

// recall is a notice of a recalled food, in German, on the portal of an office.
func recall() *cs.Page {
	lots := func(n *cs.Run) []string {
		return cs.Since(n, []string{"L25-3071", "L25-3072"}, cs.At(2, []string{"L25-3071", "L25-3072", "L25-3080"}))
	}
	phone := func(n *cs.Run) string { return cs.Since(n, "0555 01 98 20", cs.At(16, "0555 01 98 77")) }
	return &cs.Page{
		Path: "/verbraucherschutz/rueckrufe/haferriegel", Type: "recall notice", Schema: recallSchema,
		Data: func(n *cs.Run) map[string]any {
			list := []any{}
			for _, lot := range lots(n) {
				list = append(list, lot)
			}
			return map[string]any{
				"produkt": "Haferriegel Apfel-Zimt, 6 × 40 g", "hersteller": "Mühle Tannenbrück GmbH", "chargen": list, "mindestens_haltbar_bis": "30.06.2026", "telefon": phone(n),
			}
		},
		Render: func(n *cs.Run) string {
			at := now(n)
			date := p("%s, %d. %s %d", [...]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"}[at.Weekday()], at.Day(),
				[...]string{"Januar", "Februar"}[at.Month()-1], at.Year())
			read := cs.Each(cs.Some(n, 4, "Trinkwasser: was Messwerte bedeuten", "Pilze sicher sammeln", "So lesen Sie ein Zutatenverzeichnis", "Spielzeugkauf auf Märkten",
				"Küchenhygiene in fünf Schritten", "Allergene in loser Ware", "Honig richtig lagern"), func(s string) string {
				return p(`<li><a href="/index.php?id=%d&amp;cHash=%s">%s</a></li>`, 100+n.IntN(900), n.Hex(32), s)
			})
			return fill(recallHTML, "date", date, "time", at.Format("15:04"), "hash", n.Hex(32), "trust", n.Hex(60), "css", n.Calmly().Hex(10), "read", read, "uid", num(1000+n.IntN(9000)),
				"lots", cs.Each(lots(n), func(s string) string { return "<li>" + s + "</li>" }), "phone", phone(n),
				"why", cs.Since(n, "Bei einer Eigenkontrolle des Herstellers wurden in einzelnen Packungen Kunststoffteile gefunden.",
					cs.At(3, "Bei Kontrollen wurden in mehreren Packungen scharfkantige Metallspäne gefunden, die aus einer defekten Walze stammen.")),
				"update", cs.Since(n, "", cs.At(31, `<h2>Aktualisierung vom 12. Februar 2026</h2><p>Die Untersuchung ist abgeschlossen. Riegel, die nach dem 20. Januar hergestellt wurden, sind einwandfrei `+
					`und wieder im Handel. Der Rückruf der genannten Chargen gilt weiter.</p>`)),
				"seen", p("%d.%03d", creeping(n, 12840, 90)/1000, creeping(n, 12840, 90)%1000), "queue", num(1+n.IntN(7)),
				"teaser", cs.Pick(n, "Newsletter Verbraucherschutz: jeden Freitag neu", "Karriere: Wir suchen Lebensmittelkontrolleure", "Broschüre „Gut gelagert“ kostenlos bestellen",
					"Tag der offenen Tür im Landeslabor"),
				"ask", cs.Pick(n, "War dieser Artikel hilfreich?", "Wie hat Ihnen diese Seite geholfen?"), "air", cs.Pick(n.Calmly(), "gut", "mäßig", "sehr gut", "befriedigend"), "pollen", num(n.Calm.IntN(3)))
		},
	}
}

const recallHTML = `<!DOCTYPE html>
<html lang="de" dir="ltr"><head><meta charset="utf-8"><title>Rückruf: Haferriegel Apfel-Zimt - Landesamt für Verbraucherschutz Ostermark</title>
<!-- This website is powered by TYPO3 --><link rel="stylesheet" href="/typo3temp/assets/css/{{css}}.css"></head>
<body id="p418" class="page-418 pagelevel-3 layout-default"><a class="visually-hidden" href="#c{{uid}}">Zum Inhalt</a>
<div class="service-bar"><span class="date">{{date}}, {{time}} Uhr</span><a href="/leichte-sprache">Leichte Sprache</a><a href="/gebaerdensprache">Gebärdensprache</a>
<a href="/index.php?id=418&amp;schrift=gross&amp;cHash={{hash}}">Schrift größer</a></div>
<header id="page-header" class="bp-page-header"><a class="navbar-brand" href="/">Landesamt für Verbraucherschutz<br>Ostermark</a>
<nav id="mainnavigation"><ul class="navbar-nav"><li><a href="/lebensmittel">Lebensmittel</a></li><li><a href="/produkte">Produkte</a></li><li class="active"><a href="/verbraucherschutz">Verbraucherschutz</a></li>
<li><a href="/tiergesundheit">Tiergesundheit</a></li><li><a href="/das-amt">Das Amt</a></li></ul></nav></header>
<nav class="breadcrumb-section"><ol class="breadcrumb"><li><a href="/">Start</a></li><li><a href="/verbraucherschutz">Verbraucherschutz</a></li>
<li><a href="/verbraucherschutz/rueckrufe">Rückrufe</a></li><li>Haferriegel</li></ol></nav>
<div id="page-content" class="bp-page-content main-section"><!--TYPO3SEARCH_begin--><section class="section section-default"><div class="container"><div class="section-row">
<div class="section-column maincontent-wrap" role="main" id="inhalt"><div id="c{{uid}}" class="frame frame-default frame-type-text">
<p class="dachzeile">Warnung und Rückruf vom 9. Januar 2026</p><h1>Rückruf: Haferriegel Apfel-Zimt</h1>
<p class="lead">Die Mühle Tannenbrück GmbH ruft Haferriegel zurück. Vom Verzehr wird dringend abgeraten.</p>
<h2>Betroffenes Produkt</h2><table class="table table-striped"><tbody><tr><th scope="row">Produkt</th><td>Haferriegel Apfel-Zimt, 6 × 40 g</td></tr>
<tr><th scope="row">Hersteller</th><td>Mühle Tannenbrück GmbH</td></tr><tr><th scope="row">Marke</th><td>Kornkammer</td></tr><tr><th scope="row">Mindestens haltbar bis</th><td>30.06.2026</td></tr>
<tr><th scope="row">Losnummern</th><td><ul>{{lots}}</ul></td></tr></tbody></table>
<figure class="image"><img src="/fileadmin/_processed_/3/a/csm_haferriegel_{{css}}.jpg" alt="Packung des Haferriegels"><figcaption>Die Losnummer steht unter der Lasche.</figcaption></figure>
<h2>Grund</h2><p>{{why}}</p>{{update}}
<div class="frame frame-type-teaser" id="t{{uid}}"><a href="/aktion?cHash={{hash}}">{{teaser}}</a></div>
<h2>Wo das Produkt verkauft wurde</h2><ul class="shops"><li>Frischmarkt Odin</li><li>Kaufhalle Brandauer</li></ul>
<h2>Was Sie tun können</h2><p>Bringen Sie die Packung in das Geschäft zurück, in dem Sie sie gekauft haben. Der Kaufpreis wird auch ohne Kassenbon erstattet.</p>
<p>Wer bereits davon gegessen hat und Beschwerden spürt, wende sich an eine Ärztin oder einen Arzt.</p>
<h2>Fragen an den Hersteller</h2><p>Telefon</p><p class="tel">{{phone}}</p><p>Montag bis Freitag von 8 bis 17 Uhr, E-Mail: rueckruf@muehle-tannenbrueck.example</p></div></div>
<aside class="section-column subcontent-wrap"><div class="frame"><h3>Häufig gelesen</h3><ul>{{read}}</ul></div>
<div class="frame"><h3>Luft heute</h3><p>Luftgüte in Ostermark: {{air}}</p><p>Pollenflug, Stufe {{pollen}}</p></div>
<div class="frame"><h3>Bürgertelefon</h3><p>0555 01 10 00</p><p>Anrufer vor Ihnen: {{queue}}</p></div></aside></div></div></section><!--TYPO3SEARCH_end--></div>
<form class="feedback" action="/index.php?id=418&amp;cHash={{hash}}" method="post"><input type="hidden" name="tx_feedback[__trustedProperties]" value="{{trust}}"><p>{{ask}}</p>
<button>Ja</button><button>Nein</button></form>
<footer id="page-footer" class="bp-page-footer"><p>Landesamt für Verbraucherschutz Ostermark, Am Hafertor 5, Altenwied</p><p>Aufrufe dieser Seite: {{seen}}</p>
<ul><li><a href="/impressum">Impressum</a></li><li><a href="/datenschutz">Datenschutz</a></li><li><a href="/barrierefreiheit">Barrierefreiheit</a></li></ul></footer>
<div id="cookieman-modal"><p>Wir verwenden nur notwendige Cookies.</p><button>Verstanden</button></div></body></html>`
