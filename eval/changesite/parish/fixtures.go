package parish

import (
	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

type match struct{ on, pushBack, opponent, ground, result string }

// fixtures are a hockey club's, on a page that a member writes by hand.
func fixtures() *cs.Page {
	return &cs.Page{Path: "/firsts/fixtures.html", Type: "fixtures", Render: func(n *cs.Run) string {
		const thornby = "Thornby Ladies"
		matches := []match{
			{"Sat 12 Sept", "12.30", "Cawdale", "Home", cs.Since(n, "", cs.At(6, "Won 3-1"))},
			{"Sat 19 Sept", "14.00", "Upper Melling", "Away", cs.Since(n, "", cs.At(13, "Lost 0-2"))},
			{"Sat 26 Sept", cs.Since(n, "12.30", cs.At(10, "13.45")), "Stainforth Bridge", "Home", cs.Since(n, "", cs.At(20, "Drawn 2-2"))},
			{"Sat 3 Oct", "11.00", thornby, "Away", cs.Since(n, "", cs.At(14, "Postponed to 7 November"))},
			{"Sat 10 Oct", "12.30", "Pennick University", "Home", cs.Since(n, "", cs.At(34, "Won 5-0"))},
			{"Sat 24 Oct", "13.00", "Garrow Vale", "Away", ""},
			{"Sat 31 Oct", "12.30", "Old Marlians", "Home", ""},
		}
		before := 58 + n.Calm.IntN(6) + n.IntN(3)
		return fill(fixturesHTML, "today", day(n).Format("Monday 2 January 2006"), "hits", counted(n, 88_412, 37), "members", 1+n.IntN(9),
			"days", int(centenary.Sub(day(n)).Hours()/24),
			"sky", cs.Pick(n.Calmly(), "Dry, light wind", "Showers", "Bright spells", "Overcast"), "degrees", 8+n.Calm.IntN(11),
			"sponsor", cs.Pick(n, "Lowe &amp; Daughters, solicitors", "The Packhorse Inn", "Aldermoor Physiotherapy", "Green's Minibuses"), "sid", n.Hex(16),
			"banner", n.IntN(900),
			"snap", cs.Pick(n, "Tour to Leuven, 2019", "Clubhouse roof goes on, 1987", "Junior camp", "The famous mud final", "Quiz night"),
			"yes", before, "no", 100-before,
			"rows", cs.Each(matches, func(m match) string {
				return fill(`<tr><td nowrap>{on}</td><td align="center">{at}</td><td>{who}</td><td>{ground}</td><td><b>{result}</b></td></tr>
`, "on", m.on, "at", m.pushBack, "who", m.opponent, "ground", m.ground, "result", m.result)
			}),
			"captain", cs.Since(n, "Bryony Haddow", cs.At(29, "Tamsin Okeke")))
	}}
}

// centenary is what the club counts down to.
var centenary = start.AddDate(0, 8, 0)

const fixturesHTML = `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">
<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><title>Aldermoor Hockey Club - First XI fixtures</title>
<style type="text/css">body { font-family: Verdana, Arial; font-size: 12px; background: #0b3d2e } a { color: #b00020 } .box { border: 1px solid #999; margin-bottom: 8px
}</style></head>
<body><center><table width="780" bgcolor="#ffffff" border="0" cellspacing="0" cellpadding="8">
<tr><td colspan="3" bgcolor="#f4d35e"><font size="6" face="Georgia">Aldermoor Hockey Club</font><br><font size="2">Founded 1927. Green and gold since 1931. Today is
{today}.</font></td></tr>
<tr><td colspan="3" bgcolor="#eeeeee" align="center"><a href="/index.html">Home</a> | <a href="/firsts/fixtures.html">First XI</a> |
<a href="/seconds/fixtures.html">Second XI</a> | <a href="/juniors.html">Juniors</a> | <a href="/find-us.html">Find us</a> |
<a href="/members/login.php?PHPSESSID={sid}">Members</a></td></tr>
<tr valign="top"><td width="130"><div class="box"><font size="1"><b>Countdown</b><br>{days} days to the centenary dinner</font></div>
<div class="box"><font size="1"><b>At the moor</b><br>{sky}, {degrees} degrees</font></div>
<div class="box"><font size="1"><b>Members on line:</b> {members}</font></div>
<div class="box"><font size="1"><b>Club poll</b><br>Teas before or after the match?<br>Before: {yes}%<br>After: {no}%<br><a href="/poll.php?s={sid}">Vote</a></font></div></td>
<td width="500"><h2>Ladies' First XI: fixtures and results</h2>
<p>We play this season in Division Two of the Ridings League. All home matches are on the water-based pitch at Moor End, push back as below. Meet at the ground forty-five
minutes before, or at the clubhouse at the time your captain texts you for away matches.</p>
<table border="1" width="100%" cellpadding="3" cellspacing="0"><tr bgcolor="#0b3d2e"><th><font color="#ffffff">Date</font></th>
<th><font color="#ffffff">Push back</font></th><th><font color="#ffffff">Opponents</font></th><th><font color="#ffffff">Ground</font></th>
<th><font color="#ffffff">Result</font></th></tr>
{rows}</table>
<h3>Captain</h3><p>{captain}. Please tell her by Wednesday night if you cannot play.</p>
<h3>Training</h3><p>Tuesdays from 7 to 8.30 at Moor End. Mouth guards and shin pads for all, no exceptions; the club has spares in the blue box.</p>
<h3>Kit</h3><p>Gold shirts at home. Green away, and if colours clash the visitors change. Socks are sold behind the bar.</p>
<h3>Match fees</h3><p>Nine pounds, students and under-eighteens five. It pays for umpires, lights and teas.</p>
<h3>Lifts</h3><p>Drivers get their match fee back. The minibus leaves from the clubhouse and takes fourteen; put your name on the sheet in the lobby. Parents who drive
juniors need a form from the welfare officer first.</p></td>
<td width="150"><div class="box" align="center"><font size="1">This page is brought to you by<br><a href="/out.php?b={banner}&amp;s={sid}"><b>{sponsor}</b></a></font></div>
<div class="box" align="center"><img src="/album/pic{banner}.jpg" width="130" height="98" alt=""><br><font size="1">From the album: {snap}</font></div>
<div class="box"><font size="1"><b>Links</b><br><a href="http://league.example/">Ridings League</a><br><a href="http://umpires.example/">Umpires</a></font></div></td></tr>
<tr><td colspan="3" bgcolor="#eeeeee" align="center"><font size="1">You are visitor no. {hits} since the big storm. Webmaster: Colin. Best viewed with your boots
off.<br>We use one cookie, to keep you logged in.</font></td></tr>
</table></center></body></html>`
