package market

import (
	"fmt"
	"strconv"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const hireLayout = `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html lang="de"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><title>Mietpark Kreuzer - Mietpreise</title>
<script language="JavaScript">var sid="[[sid]]"; var t0=[[stamp]];</script></head>
<body bgcolor="#FFFFE8" text="#202020" link="#A02000" vlink="#A02000">
<table width="920" border="0" cellspacing="0" cellpadding="4" align="center">
<tr><td colspan="3" bgcolor="#F2B600"><table width="100%" border="0"><tr><td><font face="Arial" size="6"><b>Mietpark Kreuzer</b></font><br><font face="Arial" size="2">Baumaschinen und Ger&auml;te in Oberlindach seit 1983</font></td>
<td align="right"><font face="Arial" size="1">[[date]]<br>[[clock]] Uhr<br>[[weather]]</font></td></tr></table></td></tr>
<tr><td colspan="3" align="center"><a href="banner.php?id=[[ad]]&amp;sid=[[sid]]"><img src="b/[[ad]].gif" width="468" height="60" border="0" alt="Anzeige"></a><br><font size="1">[[advert]]</font></td></tr>
<tr valign="top"><td width="150" bgcolor="#EEE6C0"><font face="Arial" size="2"><b>Men&uuml;</b><br>
<a href="index.php?sid=[[sid]]">Startseite</a><br><a href="mietpreise.html?sid=[[sid]]">Mietpreise</a><br><a href="verkauf.php?sid=[[sid]]">Gebrauchte</a><br><a href="anfahrt.php?sid=[[sid]]">Anfahrt</a><br><a href="kontakt.php?sid=[[sid]]">Kontakt</a><br><br>
<b>Umfrage</b><br>Was bauen Sie dieses Jahr?<br>Terrasse [[poll1]] %<br>Carport [[poll2]] %<br>Teich [[poll3]] %<br><br>
<b>Spruch des Tages</b><br><i>[[saying]]</i></font></td>
<td width="620"><font face="Arial"><h2>Mietpreise</h2>
<p><font size="2">Alle Preise in Euro und mit Mehrwertsteuer. Ein Tag hat acht Betriebsstunden. Wochenende ist von Freitag, 15 Uhr, bis Montag, 7 Uhr.</font></p>
<table border="1" width="100%" cellspacing="0" cellpadding="3" bordercolor="#C0A040">
<tr bgcolor="#F2E29C"><th align="left">Maschine</th><th>Tag</th><th>Wochenende</th><th>Woche</th><th>Kaution</th></tr>
[[rows]]</table>
<p><font size="2"><b>Lieferung:</b> [[delivery]] Wer selbst abholt, braucht f&uuml;r Maschinen &uuml;ber 750 kg einen gebremsten Anh&auml;nger, den wir f&uuml;r 25 Euro am Tag mitgeben.</font></p>
<p><font size="2"><b>Treibstoff:</b> Die Maschinen gehen vollgetankt hinaus und kommen vollgetankt zur&uuml;ck. Sonst rechnen wir den Liter Diesel mit 2,10 Euro ab.</font></p>
<p><font size="2"><b>Reinigung:</b> Grob gereinigt gen&uuml;gt. Wer den Bagger im Lehm zur&uuml;ckbringt, zahlt 40 Euro.</font></p>
<h3>&Ouml;ffnungszeiten der Ausgabe</h3>
<table border="0"><tr><td>Montag bis Freitag</td><td>6:30 - 17:30 Uhr</td></tr><tr><td>Samstag</td><td>[[saturday]] Uhr</td></tr><tr><td>Sonntag</td><td>geschlossen</td></tr></table>
<p><font size="2">Vorbestellungen unter 0555 / 73 41 20, Herr Kreuzer junior oder Frau Adeyemi.</font></p></font></td>
<td width="150" bgcolor="#EEE6C0"><font face="Arial" size="2"><b>Gerade online</b><br>[[online]] G&auml;ste<br><br><b>Neu im Verkauf</b><br>[[used]]<br><br><b>Werbung</b><br>[[partner]]</font></td></tr>
<tr><td colspan="3" align="center" bgcolor="#F2B600"><font face="Arial" size="1">Sie sind Besucher Nr. [[visitor]] seit dem 1.1.2009 | Seite erzeugt in 0,[[ms]] s | <a href="impressum.php?sid=[[sid]]">Impressum</a> | <a href="datenschutz.php?sid=[[sid]]">Datenschutz</a></font></td></tr>
</table></body></html>`

// machine is a row of the price list, in euro.
type machine struct {
	name                        string
	day, weekend, week, deposit int
}

func machines(n *cs.Run) []machine {
	return append([]machine{
		{"Minibagger 1,8 t", cs.Since(n, 139, cs.At(4, 145)), 229, 590, 500},
		{"Radlader 0,6 m³", 155, 259, 640, 500},
		{"Teleskoplader 7 m", 210, 349, 890, cs.Since(n, 1500, cs.At(18, 2000))},
		{"Rüttelplatte 90 kg", 42, 69, cs.Since(n, 165, cs.At(17, 156)), 100},
		{"Stampfer 62 kg", 46, 75, 180, 100},
		{"Kernbohrgerät mit Ständer", 58, 92, 230, 200},
		{"Erdbohrer, zwei Mann", 49, 79, 195, 100},
	}, cs.Since(n, nil, cs.At(25, []machine{{"Häcksler bis 12 cm", 88, 139, 350, 250}}))...)
}

func hire() *cs.Page {
	saturday := func(n *cs.Run) string { return cs.Since(n, "7:00 - 12:00", cs.At(30, "8:00 - 13:00")) }
	return &cs.Page{
		Path: "/mietpreise.html", Type: "price list",
		Schema: `{"type":"object","properties":{"saturday_hours":{"type":"string"},"machines":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},
			"day":{"type":"number"},"weekend":{"type":"number"},"week":{"type":"number"},"deposit":{"type":"number"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			list := []any{}
			for _, m := range machines(n) {
				list = append(list, map[string]any{"name": m.name, "day": m.day, "weekend": m.weekend, "week": m.week, "deposit": m.deposit})
			}
			return map[string]any{"saturday_hours": saturday(n), "machines": list}
		},
		Render: func(n *cs.Run) string {
			terrace, carport := 38+n.Calm.IntN(5), 27+n.Calm.IntN(5)
			day := today(n)
			return fill(hireLayout, "sid", n.Hex(26), "stamp", between(n, 1e8, 9e8),
				"date", []string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"}[day.Weekday()]+", "+day.Format("02.01.2006"), "clock", now(n).Format("15:04:05"),
				"weather", fmt.Sprintf("Oberlindach: %s, %d °C", cs.Pick(n.Calmly(), "heiter", "bedeckt", "Regen", "Schauer", "Nebel"), 1+n.Calm.IntN(14)), "ad", between(n, 10, 99),
				"advert", cs.Pick(n, "Dachrinnen Zollner - dicht ist dicht", "Autohaus am Ring: Transporter im Leasing", "Gasthof Linde, jeden Freitag Haxe", "Steuerberatung Uhl & Töchter"),
				"poll1", strconv.Itoa(terrace), "poll2", strconv.Itoa(carport), "poll3", strconv.Itoa(100-terrace-carport),
				"saying", cs.Pick(n.Calmly(), "Wer den Acker pflegt, den pflegt der Acker.", "Viele Hände machen bald ein Ende.", "Erst wägen, dann wagen.", "Gut gebaut ist halb gewohnt.", "Kein Meister fällt vom Himmel."),
				"rows", cs.Each(machines(n), func(m machine) string {
					cells := cs.Each([]int{m.day, m.weekend, m.week, m.deposit}, func(euro int) string { return fmt.Sprintf(`<td align="right">%d</td>`, euro) })
					return "<tr><td>" + m.name + "</td>" + cells + "</tr>\n"
				}), "delivery", cs.Since(n, "Im Umkreis von 10 km liefern wir frei Haus, darüber nach Kilometern.", cs.At(37, "Jede Anfahrt kostet 35 Euro, über 10 km dazu 1,20 Euro für jeden Kilometer.")),
				"saturday", saturday(n), "online", between(n, 1, 19),
				"used", cs.Pick(n, "Anhänger 2 t, Bj. 2014", "Betonmischer 140 l", "Steintrenner, wie neu", "Gerüst 40 m²"), "partner", cs.Pick(n, "Arbeitsschuhe Bruckner", "Diesel Reuter, frei Baustelle", "Versicherung Halm & Co."),
				"visitor", creeping(n, 418_200, 61), "ms", between(n, 100, 999))
		},
	}
}
