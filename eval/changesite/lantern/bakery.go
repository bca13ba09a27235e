package lantern

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// bakery is a baker's price list in tables of the nineties, kept by hand.
func bakery() *cs.Page {
	return &cs.Page{Path: "/bread.htm", Type: "price list", Render: func(n *cs.Run) string {
		loaves := [][3]string{
			{"Country loaf", "900 g", cs.Since(n, "4.80", cs.At(11, "4.90"))},
			{"Rye with caraway", "750 g", "4.40"},
			{"Walnut loaf", cs.Since(n, "600 g", cs.At(32, "500 g")), "5.60"},
			{"Spelt tin loaf", "500 g", "4.20"},
			{"White plait", "450 g", "3.70"},
		}
		loaves = append(loaves, cs.Since(n, [][3]string{{"Carrot bread, till Easter", "500 g", "4.60"}}, cs.At(38, [][3]string{}))...)
		return `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><title>Pennywhistle Bakery - our bread</title></head>
<body bgcolor="#FFF8E7" text="#402000" link="#804000">
<center><table width="780" border="0" cellpadding="0" cellspacing="0">
<tr><td colspan="3" bgcolor="#D9B36C" height="70" align="center"><font face="Georgia" size="6"><b>Pennywhistle Bakery</b></font><br>
<font size="2">in Mill Row since 1931</font></td></tr>
<tr><td colspan="3" align="right" bgcolor="#F2DDB0"><font size="1">` + today(n).Format("Monday, January 2, 2006") + ` &nbsp; ` + clock(n) + ` &nbsp;</font></td></tr>
<tr><td width="140" valign="top" bgcolor="#F2DDB0"><table border="0" cellpadding="6"><tr><td><a href="index.htm"><font size="2">Home</font></a></td></tr><tr><td>
<a href="bread.htm"><font size="2"><b>Bread</b></font></a></td></tr><tr><td><a href="cakes.htm"><font size="2">Cakes</font></a></td></tr><tr><td>
<a href="guest.htm"><font size="2">Guest book</font></a></td></tr><tr><td><a href="find.htm"><font size="2">How to find us</font></a></td></tr></table>
<p align="center"><img src="counter.cgi?x=` + n.Hex(6) + `" alt="counter" width="80" height="20"><br>
<font size="1">` + p("Visitor no. %06d", 184_000+n.Number*140+n.IntN(130)) + `</font></p></td>
<td width="500" valign="top"><table border="0" cellpadding="10" width="100%"><tr><td>
<h2><font color="#804000">Our bread</font></h2>
<p><font size="3">All our bread is made with flour from Tolley's mill, sea salt, water and time. The sourdough is older than the baker. We bake through the night,
and when a shelf is empty it is empty until the morning.</font></p>
<table border="1" cellpadding="4" cellspacing="0" width="100%" bordercolor="#D9B36C">
<tr bgcolor="#F2DDB0"><td><b>Loaf</b></td><td><b>Weight</b></td><td align="right"><b>Price in &pound;</b></td></tr>
` + cs.Each(loaves, func(l [3]string) string {
			return `<tr><td>` + l[0] + `</td><td>` + l[1] + `</td><td align="right">` + l[2] + "</td></tr>\n"
		}) + `</table>
<h3><font color="#804000">When we are open</font></h3>
<p>Tuesday to Friday ` + cs.Since(n, "6.30", cs.At(23, "7.00")) + ` to 14.00<br>Saturday 6.30 to 12.00<br>Sunday and Monday we sleep</p>
<h3><font color="#804000">Orders</font></h3>
<p>` + cs.Since(n, "Orders by noon are ready the next day.", cs.At(12, "Orders by noon are ready two days later, as we are one oven short.")) + ` Ring 01632 960 583
or ask over the counter. We do not take orders by letter any more.</p>
<p>For a wedding or a fair please give us three weeks. We will gladly slice your bread, thick or thin, at no charge. Bags are 20 pence, and go to the brass band.</p>
<h3><font color="#804000">What is in it</font></h3>
<p>All loaves have gluten. The walnut loaf has nuts, the plait has milk and egg. Everything is made in one room, so we cannot promise that any loaf is free of traces.</p>
<h3><font color="#804000">Keeping it fresh</font></h3>
<p>Keep sourdough in its paper bag, cut side down, on a wooden board. It is at its best on the second day and makes good toast on the fifth. Do not put it in the
refrigerator: it goes stale there faster than anywhere. You can freeze it in slices, for up to two months, and toast them as they are.</p>
</td></tr></table></td>
<td width="140" valign="top" align="center"><table border="0" cellpadding="6"><tr><td align="center" bgcolor="#FFFFFF"><font size="1">Advertisement</font><br>
<a href="http://banners.example/go.cgi?id=` + p("%d", n.IntN(1e6)) + `"><b>` +
			cs.Pick(n, "Harlow's Bicycles", "Fresh fish at Pier 2", "Piano lessons with Miss Oake", "Dobbs the Plumber") + `</b></a></td></tr>
<tr><td align="center"><font size="2"><i>` + cs.Pick(n.Calmly(), "A crust shared is a crust doubled.", "Good bread needs no butter, but likes it.",
			"Slow dough, quick supper.", "Never trust a thin baker.") + `</i></font></td></tr>
<tr><td><font size="1"><b>From the guest book</b><br>` + cs.Each(cs.Some(n, 2, "Came by boat, left with six loaves. - Ted", "My gran bought here too! - Lou",
			"Greetings from Antwerp. - Fam. Claes", "Best plait in the county. - R.", "Hello to Brenda at the till. - Jo"), func(s string) string {
			return s +
				"<br>\n"
		}) + `</font></td></tr></table></td></tr>
<tr><td colspan="3" bgcolor="#D9B36C" align="center"><font size="1">Best viewed at 800 x 600 &middot; made by young Mr. Pennywhistle &middot; ` + p("%d on line now",
			1+n.IntN(9)) + `</font></td></tr>
</table></center>
<!-- served ` + n.Hex(8) + ` -->
</body></html>`
	}}
}
