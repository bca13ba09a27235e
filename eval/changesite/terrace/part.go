package terrace

import (
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const partSchema = `{"type":"object","properties":{"part_number":{"type":"string"},"stock":{"type":"integer"},"lead_time":{"type":"string"},
"lifecycle":{"type":"string"},"prices":{"type":"array","items":{"type":"object","properties":{"quantity":{"type":"integer"},"unit_price":{"type":"number"}}}}}}`

// part is a relay that few still have, of a distributor whose shop is of tables and view states.
func part() *cs.Page {
	stock := func(n *cs.Run) int { return cs.Since(n, 23, cs.At(1, 17), cs.At(15, 0), cs.At(35, 40)) }
	lead := func(n *cs.Run) string {
		return cs.Since(n, "ships the same day", cs.At(15, "11 weeks, to order"), cs.At(35, "ships the same day"))
	}
	life := func(n *cs.Run) string { return cs.Since(n, "Active", cs.At(28, "Last orders until 30 June 2026")) }
	tens := func(n *cs.Run) float64 { return cs.Since(n, 41.6, cs.At(16, 44.2)) }
	return &cs.Page{
		Path: "/catalog/Item.aspx", Type: "product", Schema: partSchema,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{
				"part_number": "WR-1138-24", "stock": stock(n), "lead_time": lead(n), "lifecycle": life(n), "prices": []any{
					map[string]any{"quantity": 1, "unit_price": 46.9},
					map[string]any{"quantity": 10, "unit_price": tens(n)},
					map[string]any{"quantity": 50, "unit_price": 38.15},
				},
			}
		},
		Render: func(n *cs.Run) string {
			session := "/(S(" + n.Hex(24) + "))"
			others := cs.Each(cs.Some(n, 4, "SK-08 octal socket|6.20", "HC-24 hold-down clip|0.85", "DN-35 rail adapter|3.40", "VS-24 varistor module|4.95", "LG-3 contact cleaner|11.50",
				"CR-22 coil tester|89.00", "TM-1 mercury waste box|14.75"), func(s string) string {
				name, price, _ := strings.Cut(s, "|")
				return p(`<tr><td class="tiny"><a href="%s/catalog/Item.aspx?id=%d">%s</a></td><td class="tiny" align="right">%s</td></tr>`, session, 1000+n.IntN(9000), name, price)
			})
			at := now(n)
			return fill(partHTML, "session", session, "view", n.Hex(220), "valid", n.Hex(90), "stock", num(stock(n)), "lead", lead(n), "life", life(n),
				"tens", p("%.2f", tens(n)), "others", others, "clock", at.Format("Monday, January 2, 2006 15:04:05"),
				"cutoff", p("%d h %02d min", 15-at.Hour(), 59-at.Minute()), "rate", p("%.4f", 1.08+float64(n.Calm.IntN(260))/1e4), "online", num(18+n.IntN(70)),
				"hits", num(creeping(n, 60418, 23)), "banner", cs.Pick(n, "Spring trade counter at Hall B, Lodby fairground", "New: thermal fuses by the reel",
					"Sell us your surplus, we pay carriage", "Ask for the printed catalogue, 412 pages"),
				"tip", cs.Pick(n.Calmly(), "Store mercury-wetted parts upright.", "A coil's resistance rises by 0.4 % per kelvin.", "Tin before you crimp? Please do not.",
					"Reed parts dislike ultrasonic baths."), "ms", num(30+n.IntN(400)))
		},
	}
}

const partHTML = `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<title>WR-1138-24 - Halden Relay and Valve Co.</title><link rel="stylesheet" type="text/css" href="/WebResource.axd?d={{valid}}">
<script type="text/javascript">function __doPostBack(t,a){document.forms[0].submit();}</script></head>
<body bgcolor="#e8e4d8" leftmargin="0" topmargin="0"><form method="post" action="{{session}}/catalog/Item.aspx?id=4471" id="aspnetForm">
<input type="hidden" name="__VIEWSTATE" id="__VIEWSTATE" value="/wEP{{view}}"><input type="hidden" name="__EVENTVALIDATION" value="/wEW{{valid}}">
<table width="980" align="center" cellpadding="0" cellspacing="0" border="0" bgcolor="#ffffff">
<tr><td colspan="3" bgcolor="#23405f"><table width="100%" cellpadding="6"><tr><td><font color="#ffffff" size="5"><b>Halden Relay &amp; Valve Co.</b></font></td>
<td align="right"><font color="#ffffff" size="1">{{clock}}<br>Today's dispatch closes in {{cutoff}}</font></td></tr></table></td></tr>
<tr><td colspan="3" bgcolor="#c9d4e0" class="bar"><a href="{{session}}/Default.aspx">Home</a> | <a href="{{session}}/catalog/Search.aspx">Parts search</a> |
<a href="{{session}}/Quote.aspx">Quotations</a> | <a href="{{session}}/Terms.aspx">Terms</a> | <a href="{{session}}/Basket.aspx">Basket</a></td></tr>
<tr valign="top"><td width="170" bgcolor="#f3f1ea"><table width="100%" cellpadding="4"><tr><td class="boxhead"><b>Departments</b></td></tr>
<tr><td><a href="{{session}}/catalog/List.aspx?d=1">Relays, sealed</a></td></tr><tr><td><a href="{{session}}/catalog/List.aspx?d=2">Relays, open</a></td></tr>
<tr><td><a href="{{session}}/catalog/List.aspx?d=3">Valves and tubes</a></td></tr><tr><td><a href="{{session}}/catalog/List.aspx?d=4">Sockets</a></td></tr>
<tr><td><a href="{{session}}/catalog/List.aspx?d=5">Surplus lots</a></td></tr><tr><td class="boxhead"><b>Bench tip of the day</b></td></tr><tr><td class="tiny">{{tip}}</td></tr>
<tr><td class="boxhead"><b>Who is here</b></td></tr><tr><td class="tiny">{{online}} customers online</td></tr></table></td>
<td width="610" id="ctl00_main"><table width="100%" cellpadding="8"><tr><td>
<font size="1"><a href="{{session}}/catalog/List.aspx?d=1">Relays, sealed</a> &gt; Mercury-wetted &gt; WR series</font>
<h2>WR-1138-24 mercury-wetted relay, 24 V DC</h2>
<table width="100%"><tr valign="top"><td width="180"><img src="/img/wr1138.jpg" width="170" height="140" alt="WR-1138-24"></td>
<td><p>Single changeover, octal base, bounce-free contacts. Direct replacement for the Orrin 2751 and the Pell 60-M. Made in Halden from the original drawings.</p>
<p>Not to be sent by air. A declaration of use is asked for with the first order.</p></td></tr></table>
<table width="100%" border="1" bordercolor="#c9d4e0" cellspacing="0" cellpadding="5" class="stock"><tr bgcolor="#f3f1ea"><th align="left">Availability</th><th align="left">Warehouse Halden</th></tr>
<tr><td>In stock</td><td><b><span id="ctl00_main_lblStock">{{stock}}</span></b> pcs</td></tr><tr><td>Delivery</td><td>{{lead}}</td></tr>
<tr><td>Life cycle</td><td>{{life}}</td></tr><tr><td>Packing unit</td><td>1 pc, in foam</td></tr></table>
<br><table width="100%" border="1" bordercolor="#c9d4e0" cellspacing="0" cellpadding="5"><tr bgcolor="#f3f1ea"><th align="left">From quantity</th><th align="right">Unit price, EUR</th></tr>
<tr><td>1</td><td align="right">46.90</td></tr><tr><td>10</td><td align="right">{{tens}}</td></tr><tr><td>50</td><td align="right">38.15</td></tr></table>
<p><font size="1">Net prices. Reference rate today: 1 EUR = {{rate}} USD.</font></p>
<input type="text" name="ctl00$main$qty" size="4" value="1"> <input type="submit" name="ctl00$main$add" value="Add to basket">
<h3>Technical data</h3><table width="100%" border="1" bordercolor="#c9d4e0" cellspacing="0" cellpadding="4">
<tr><td>Coil</td><td>24 V DC, 1150 ohm</td></tr><tr><td>Must operate</td><td>16.8 V</td></tr><tr><td>Must release</td><td>3.6 V</td></tr><tr><td>Contact load</td><td>5 A, 500 V, 250 VA</td></tr>
<tr><td>Operate time</td><td>4.5 ms</td></tr><tr><td>Mounting</td><td>vertical, within 30 degrees</td></tr><tr><td>Weight</td><td>62 g</td></tr></table>
<p><a href="/datasheets/wr1138-rev-f.pdf">Data sheet, revision F</a></p></td></tr></table></td>
<td width="200" bgcolor="#f3f1ea"><table width="100%" cellpadding="4"><tr><td colspan="2" class="boxhead"><b>Often ordered together</b></td></tr>{{others}}
<tr><td colspan="2" align="center" bgcolor="#fff4c2"><b>{{banner}}</b></td></tr></table></td></tr>
<tr><td colspan="3" bgcolor="#23405f" align="center"><font color="#ffffff" size="1">Halden Relay &amp; Valve Co. Ltd, Works Lane 3, Halden. Page seen {{hits}} times. Made in {{ms}} ms.</font></td></tr>
</table></form></body></html>`
