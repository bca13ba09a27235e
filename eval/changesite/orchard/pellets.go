package orchard

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// pellets is a fuel merchant's price list, in a layout of tables.
func pellets() *cs.Page {
	loose := func(n *cs.Run) int { return cs.Since(n, 318, cs.At(7, 312), cs.At(8, 309), cs.At(29, 327)) }
	bags := func(n *cs.Run) int { return cs.Since(n, 345, cs.At(16, 354)) }
	return &cs.Page{
		Path: "/prices.htm", Type: "price list",
		Schema: `{"type":"object","properties":{"loose_per_tonne":{"type":"integer"},"bags_per_tonne":{"type":"integer"}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"loose_per_tonne": loose(n), "bags_per_tonne": bags(n)}
		},
		Render: func(n *cs.Run) string {
			line := func(name, unit, price string) string {
				return `<TR BGCOLOR="#FFFFEE"><TD><FONT FACE="Arial" SIZE="2">` + name + `</FONT></TD><TD ALIGN="center"><FONT FACE="Arial" SIZE="2">` + unit + `</FONT></TD><TD ALIGN="right"><FONT FACE="Arial" SIZE="2"><B>` + price + "</B></FONT></TD></TR>\n"
			}
			return `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><HTML><HEAD><META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=utf-8"><TITLE>Gorse &amp; Sons, Fuel Merchants - Prices</TITLE></HEAD>
<BODY BGCOLOR="#FFFFFF" TEXT="#000000" LINK="#006600"><TABLE WIDTH="760" BORDER="0" CELLPADDING="4" CELLSPACING="0" ALIGN="center"><TR><TD COLSPAN="2" BGCOLOR="#336633"><FONT FACE="Arial" SIZE="5" COLOR="#FFFFFF">Gorse &amp; Sons, Fuel Merchants</FONT></TD></TR>
<TR><TD COLSPAN="2" BGCOLOR="#CCDDCC"><FONT FACE="Arial" SIZE="1">It is now ` + clock(n) + ` on our server | Welcome, visitor no. ` + p("%06d", n.IntN(900_000)) + `</FONT></TD></TR>
<TR><TD WIDTH="150" VALIGN="top" BGCOLOR="#EEEEEE"><FONT FACE="Arial" SIZE="2"><A HREF="index.htm?PHPSESSID=` + n.Hex(32) + `">Home</A><BR><A HREF="prices.htm?PHPSESSID=` + n.Hex(32) + `">Prices</A><BR><A HREF="stoves.htm">Stoves</A><BR><A HREF="area.htm">Where we deliver</A><BR><A HREF="links.htm">Links</A><BR><A HREF="guest.htm">Guest book</A></FONT>
<HR><FONT FACE="Arial" SIZE="1">Advertisement<BR><A HREF="http://ads.example.net/go.cgi?` + n.Hex(8) + `">` + cs.Pick(n, "Chimney sweep Arkwright", "Wellies at Barn Stores", "Tractor tyres fitted while you wait", "Bed and breakfast at Dunmoor") + `</A></FONT></TD>
<TD VALIGN="top"><FONT FACE="Arial"><H1>Prices</H1></FONT><P><FONT FACE="Arial" SIZE="2">All prices are in euro with tax, delivered within 25 km of the yard. We blow loose pellets into your store with a hose of up to 30 metres. Bags are of 15 kg and come on a pallet to the kerb.</FONT></P>
<TABLE WIDTH="100%" BORDER="1" CELLPADDING="3" CELLSPACING="0"><TR BGCOLOR="#99BB99"><TH>Fuel</TH><TH>Unit</TH><TH>Price</TH></TR>
` + line("Wood pellets, loose, from 3 tonnes", "tonne", p("%d.00", loose(n))) + line("Wood pellets, bags", "tonne", p("%d.00", bags(n))) + line("Beech logs, 33 cm, dried", "cubic metre", "138.00") + line("Birch logs, 33 cm, dried", "cubic metre", "129.00") + line("Spruce logs, 50 cm", "cubic metre", "84.00") + line("Briquettes, oak", "pallet", "412.00") + line("Kindling", "net", "6.50") + `</TABLE>
<P><FONT FACE="Arial" SIZE="2">Farther than 25 km we ask for 1.40 a kilometre. Delivery takes about ` + cs.Since(n, "10 working days", cs.At(36, "15 working days")) + `. Pay by transfer within 14 days, or take 1 percent off when you pay the driver.</FONT></P>
<FONT FACE="Arial"><H2>Quality</H2></FONT><P><FONT FACE="Arial" SIZE="2">Our pellets come from two mills in the hills and are of class A1: at most 0.7 percent ash and 8 percent water. Each load is weighed on a calibrated lorry, and you get the slip.</FONT></P>
<FONT FACE="Arial"><H2>To order</H2></FONT><P><FONT FACE="Arial" SIZE="2">Telephone 0555 4410 from Monday to Friday, 7 to 12 and 13 to 17, or come to the yard in Station Road, Dunmoor. Please say how wide your gate is and whether a lorry of 18 tonnes can turn at your house. In October and November the telephone is often busy: leave your number and we shall call you back in the evening.</FONT></P></TD></TR>
<TR><TD COLSPAN="2" BGCOLOR="#CCDDCC" ALIGN="center"><FONT FACE="Arial" SIZE="1">(c) Gorse &amp; Sons 2026 | best viewed at 1024 x 768 | users online: ` + p("%d", 1+n.IntN(9)) + `</FONT></TD></TR></TABLE></BODY></HTML>`
		},
	}
}
