package quarter

import (
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// papers is a call for papers in tables, as a chair has kept it for years.
func papers() *cs.Page {
	deadline := func(n *cs.Run) time.Time {
		return cs.Since(n, time.Date(2026, 4, 17, 0, 0, 0, 0, time.UTC), cs.At(14, time.Date(2026, 4, 30, 0, 0, 0, 0, time.UTC)))
	}
	notice := func(n *cs.Run) string { return cs.Since(n, "12 June 2026", cs.At(15, "26 June 2026")) }
	pages := func(n *cs.Run) int { return cs.Since(n, 12, cs.At(24, 10)) }
	return &cs.Page{
		Path: "/~tidal/2026/cfp.html", Type: "call",
		Schema: `{"type":"object","properties":{"submission_deadline":{"type":"string"},
			"notification":{"type":"string"},"pages_max":{"type":"integer"},"venue":{"type":"string"}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{
				"submission_deadline": deadline(n).Format("2 January 2006"), "notification": notice(n), "pages_max": pages(n),
				"venue": "Old Brewery, Ostrava-Lhota",
			}
		},
		Render: func(n *cs.Run) string {
			at := cs.Since(n, "submit.tidal-workshop.example/2026", cs.At(8, "papers.tidal-workshop.example/w26"))
			return faculty(n, p(`<h1 align="center">9th Workshop on Tidal Data and Models</h1>
<p align="center"><b>15-17 September 2026, Old Brewery, Ostrava-Lhota</b></p>
<p align="center"><font color="#990000" size="2">[ It is %s ]</font></p>
<hr noshade size="1">
<h3>Call for papers</h3>
<p>We invite papers on the measurement, modelling and forecasting of tides, estuaries and storm surges. Work in progress is welcome, as are reports of what did not work.
Topics are, among others:</p>
<ul><li>gauges, buoys and what they miss<li>assimilation of sparse data<li>learned surrogates of shallow water models<li>reconstruction of historical records<li>open data
and its upkeep</ul>
<h3>Dates</h3>
<table border="1" cellpadding="4" cellspacing="0"><tr bgcolor="#dddddd"><td>Paper submission</td><td><b>%s</b> (%d days from today)</td></tr><tr><td>Notification</td>
<td>%s</td></tr><tr bgcolor="#dddddd"><td>Final version</td><td>31 July 2026</td></tr><tr><td>Early registration ends</td><td>7 August 2026</td></tr></table>
<h3>Submission</h3>
<p>Papers have at most %d pages without references, and are anonymous. Send them at <a href="https://%s?s=%s">%s</a>. Each paper gets three reviews. Proceedings appear
with a DOI.</p>
<p>Use the style of the series, in one column. Figures may be in colour, and have to be readable when printed in grey. Code and data can be sent as an archive of up to
200 MB; reviewers are asked, but not obliged, to look at it. Papers that are under review elsewhere are returned without review.</p>
<p>At least one author registers and presents on site. There is no hybrid session, but talks are recorded for those who agree.</p>
<h3>Invited speakers</h3>
<ul><li>Marit Haugland, Coastal Institute of Tromvik: <i>Two hundred years of one gauge</i>%s</ul>
<h3>Prizes and grants</h3>
<p>A jury of three gives a prize of 500 EUR to the best paper of a student. Six travel grants are for authors from countries without a tide gauge network of their own;
write two paragraphs and a budget.</p>
<h3>Chairs</h3>
<p>Bohdan Výchoz (general), %s (programme), Ines Quartier (local)</p>
<h3>Programme committee (in random order)</h3>
<p>%s</p>
<p align="right"><font size="1">You are visitor <img src="/cgi-bin/count?f=cfp&amp;d=6&amp;r=%d" alt="%06d"> since January. Mirror: node%d</font></p>`,
				now(n).Format("Mon Jan 2 15:04:05 UTC 2006"), deadline(n).Format("2 January 2006"), -ago(n, deadline(n).Year(), deadline(n).Month(), deadline(n).Day()),
				notice(n), pages(n), at, n.Hex(16), at,
				cs.Since(n, "", cs.At(29, "<li>Teo Brandariz, University of Almaren: <i>Surges in a bathtub: what small models teach</i>")),
				cs.Since(n, "Ruth Ekelund-Mora", cs.At(35, "Ruth Ekelöf-Mora")),
				cs.Each(cs.Shuffled(n, "A. Danso (Keta)", "L. Fairweather (Orkmouth)", "H. Ito (Sakazaki)", "P. Lindqvist (Umeholm)", "C. Moreau (Saint-Avel)",
					"F. Oyelaran (Ibeju)", "J. Sandoval (Puerto Mar)", "W. Tichý (Lhota)"), func(s string) string { return s + "; " }),
				n.IntN(1e6), counted(n, 3120, 14)+n.IntN(6), 1+n.IntN(6)))
		},
	}
}

// faculty is the frame of the faculty: a table with a column of links, a logo and notices.
func faculty(n *cs.Run, main string) string {
	return p(`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html lang="en"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><title>TDM 2026 - Call for Papers</title>
<meta name="DC.date" content="%s"><script type="text/javascript">var sid="%s";</script></head>
<body bgcolor="#ffffff" link="#003399">
<table width="980" border="0" cellpadding="0" cellspacing="0" align="center"><tr bgcolor="#003366"><td colspan="3" height="60">
<font color="#ffffff" size="5">&nbsp;Faculty of Hydrology</font><br><font color="#ffffff" size="1">&nbsp;%s</font></td></tr>
<tr><td width="150" valign="top" bgcolor="#eeeeee"><p><b>Workshop</b><br><a href="index.html">Home</a><br><a href="cfp.html">Call for papers</a><br>
<a href="programme.html">Programme</a><br><a href="venue.html">Venue</a><br><a href="register.html?PHPSESSID=%s">Registration</a><br><a href="past.html">Past years</a></p>
<p><b>Faculty</b><br><a href="/">Start</a><br><a href="/people">People</a><br><a href="/teaching">Teaching</a><br><a href="/canteen">Canteen</a></p><p>
<font size="1">Guests online: %d</font></p></td>
<td width="660" valign="top" id="body">
%s
</td>
<td width="170" valign="top"><table width="100%%" border="0" bgcolor="#f5f5dc"><tr><td><b>Notice board</b></td></tr>%s</table><p>
<font size="1">Water level at the weir today: %d cm</font></p></td></tr>
<tr><td colspan="3" align="center"><hr><font size="1">Faculty of Hydrology, U Jezu 5, Ostrava-Lhota. Webmaster: web@hydro.example. Rendered in %d ms, load %d.%02d</font>
</td></tr></table>
</body></html>`,
		now(n).Format(time.RFC3339), n.Hex(32), cs.Pick(n, "Water finds its way", "Founded 1919", "Teaching and research by the river"), n.Hex(26), 1+n.IntN(40), main,
		items(cs.Some(n, 3, "Lost: blue umbrella in room B2", "Choir looks for tenors", "Bicycle for sale", "Talk on Friday: the flood of 1897",
			"Canteen closed for inventory", "Yoga in the gym hall", "Thesis prize awarded"), `<tr><td><font size="2">%s</font></td></tr>`),
		90+n.Calm.IntN(60), 20+n.IntN(300), n.IntN(4), n.IntN(100))
}
