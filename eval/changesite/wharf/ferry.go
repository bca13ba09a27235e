package wharf

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// ferry is the timetable of a ferry in German, laid out in tables by hand, around 2003.
func ferry() *cs.Page {
	type sailing struct{ from, to, ship, note string }
	return &cs.Page{Path: "/fahrplan.php", Type: "timetable", Render: func(n *cs.Run) string {
		sailings := []sailing{
			{"06:40", "07:25", "MS Stint", "Mo-Fr"},
			{cs.Since(n, "08:15", cs.At(5, "08:20")), "09:00", "MS Stint", "täglich"},
			{"10:30", "11:15", cs.Since(n, "MS Kliesche", cs.At(18, "MS Maifisch")), "täglich"},
			{"13:00", "13:45", "MS Stint", "täglich"},
			{"15:45", "16:30", "MS Stint", "täglich, mit Autos"},
			{"18:10", "18:55", "MS Stint", "nicht sonntags"},
		}
		sailings = append(sailings, cs.Since(n, nil, cs.At(26, []sailing{{"21:05", "21:50", "MS Maifisch", "Fr und Sa"}}))...)
		row := 0
		return fill(`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html lang="de"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><title>Fähre Oldersum-Möwenort: Fahrplan</title>
<script type="text/javascript">var sid="{sid}";function drucken(){window.print();}</script></head>
<body bgcolor="#e8f0f8" link="#003366" vlink="#003366"><center>
<table width="780" border="0" cellspacing="0" cellpadding="4" bgcolor="#ffffff"><tr><td colspan="3" bgcolor="#003366"><font color="#ffffff" size="5" face="Verdana"><b>Reederei Tjarks &amp; Söhne</b></font><br>
<font color="#ccddee" size="1">Heute ist der {today} &middot; {clock} Uhr &middot; Wetter am Anleger: {weather}, {degrees} &deg;C, Wind {wind}</font></td></tr>
<tr><td width="140" valign="top" bgcolor="#d0e0f0"><font face="Verdana" size="2"><b>Menü</b><br>
<a href="index.php?PHPSESSID={sid}">Startseite</a><br><a href="fahrplan.php?PHPSESSID={sid}">Fahrplan</a><br><a href="preise.php?PHPSESSID={sid}">Preise</a><br>
<a href="schiffe.php?PHPSESSID={sid}">Unsere Schiffe</a><br><a href="anfahrt.php?PHPSESSID={sid}">Anfahrt</a><br><a href="gaestebuch.php?PHPSESSID={sid}">Gästebuch</a><br><a href="impressum.php?PHPSESSID={sid}">Impressum</a><br><br>
<b>Besucher</b><br>heute: {day}<br>gesamt: 4{total}<br>online: {online}<br><br><b>Anzeige</b><br><a href="http://werbung.example/klick.cgi?b={banner}"><img src="/banner/{banner}.gif" width="120" height="60" alt="{advert}"></a><br>{advert}</font></td>
<td valign="top"><h2><font face="Verdana" color="#003366">Fahrplan Oldersum &ndash; Möwenort</font></h2>
<p><font face="Verdana" size="2">Gültig {valid}. Die Überfahrt dauert etwa 45 Minuten. Bitte seien Sie mit dem Auto {early} Minuten vor der Abfahrt am Anleger.</font></p>
<table border="1" cellspacing="0" cellpadding="3" width="100%"><tr bgcolor="#003366"><th><font color="#ffffff">Ab Oldersum</font></th><th><font color="#ffffff">An Möwenort</font></th><th><font color="#ffffff">Schiff</font></th><th><font color="#ffffff">Hinweis</font></th></tr>
{rows}</table>
<p><font face="Verdana" size="2">Die Rückfahrt ab Möwenort ist jeweils 20 Minuten nach der Ankunft. Bei Sturm oder Niedrigwasser können Fahrten ausfallen; Auskunft gibt das Büro am Anleger.</font></p>
<p><font face="Verdana" size="2"><b>Fahrräder:</b> Fahrräder fahren auf allen Schiffen mit, solange Platz ist. Gruppen ab zehn Rädern melden sich bitte am Vortag an. Hunde sind an der Leine willkommen.</font></p>
<p><font face="Verdana" size="2"><b>Büro am Anleger:</b> Telefon {phone}, montags bis samstags von 6 bis 18 Uhr.</font></p>
<p><a href="javascript:drucken()"><font size="1">{print}</font></a></p></td>
<td width="130" valign="top" bgcolor="#f4f4e0"><font face="Verdana" size="1"><b>Umfrage</b><br>Wie finden Sie unsere neue Seite?<br>Schön: {yes} Stimmen<br>Geht so: {soso} Stimmen<br><br><b>Aus dem Gästebuch</b><br>{guest}<br><br><b>Bild der Stunde</b><br><img src="/webcam/mole.jpg?{cam}" width="110" height="80" alt="Webcam"></font></td></tr>
<tr><td colspan="3" align="center" bgcolor="#003366"><font color="#ffffff" size="1">&copy; 1998-2026 Reederei Tjarks &amp; Söhne &middot; Seite erzeugt in 0,{took} Sekunden &middot; am besten mit 1024 x 768</font></td></tr></table></center></body></html>`,
			"sid", n.Hex(32), "today", today(n, "02.01.2006"), "clock", today(n, "15:04:05"),
			"weather", cs.Pick(n.Calmly(), "heiter", "wolkig", "bedeckt", "leichter Regen"), "degrees", num(n.Calmly(), 2, 14), "wind", cs.Pick(n.Calmly(), "NW 3", "W 4", "SW 5", "NO 2"),
			"day", num(n, 20, 300), "total", num(n, 10000, 99999), "online", num(n, 1, 19), "banner", num(n, 1, 999),
			"advert", cs.Pick(n, "Pension Leuchtfeuer: Zimmer mit Meerblick", "Fischbude Hinrichs am Hafen", "Strandkörbe von Ehmen", "Autohaus Buss, Ihr Partner"),
			"valid", cs.Since(n, "vom 1. März bis 31. Oktober 2026", cs.At(33, "vom 1. März bis 8. November 2026")),
			"early", cs.Since(n, "20", cs.At(6, "30")), "phone", "04924 55 01 80",
			"rows", cs.Each(sailings, func(s sailing) string {
				row++
				color := []string{"#ffffff", "#eef4fa"}[row%2]
				return `<tr bgcolor="` + color + `"><td align="center"><b>` + s.from + `</b></td><td align="center">` + s.to + `</td><td>` + s.ship + `</td><td><font size="1">` + s.note + "</font></td></tr>\n"
			}),
			"print", cs.Pick(n, "Seite drucken", "Diese Seite drucken", "Druckansicht"), "yes", num(n, 200, 900), "soso", num(n, 20, 90),
			"guest", cs.Pick(n, "Es war ein herrlicher Tag! Familie Poppinga", "Grüße aus Kassel von Heinz und Rita", "Tolle Seite, weiter so. Uwe", "Wir kommen wieder! Die Kegelfreunde"),
			"cam", num(n, 1_770_000_000, 1_779_000_000), "took", num(n, 100, 999))
	}}
}
