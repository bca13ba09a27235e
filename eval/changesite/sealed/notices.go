package sealed

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// notice is a sheet on the board.
type notice struct{ title, text string }

// notices are the board of a small town, on a page that has been laid out with tables since 2003.
func (h hours) notices() *cs.Page {
	return &cs.Page{Path: "/board.php", Type: "notices", Render: func(n *cs.Run) string {
		c := n.Calmly()
		session := n.Hex(26)
		board := append(cs.Since(n, nil, cs.At(3, []notice{{"Hedges and footpaths", "Owners are asked to cut back hedges that reach over the pavement before 30 April. After that date the town will have it done at their cost."}})),
			notice{"Meeting of the town council", cs.Since(n, "The council meets in public on Tuesday 17 March 2026 at 7 pm in the Guildhall. The papers lie in the library from the Thursday before.",
				cs.At(12, "The council meets in public on Tuesday 24 March 2026 at 7 pm in the Guildhall. The papers lie in the library from the Thursday before."))},
			notice{"Garden waste", cs.Since(n, "Permits for the brown bin cost £24.00 for the year and can be had at the counter or by post.", cs.At(36, "Permits for the brown bin cost £26.50 for the year and can be had at the counter or by post."))})
		board = append(board, cs.Since(n, []notice{{"Mill Lane closed", "Mill Lane is closed to traffic between the church and the bridge while the water main is renewed. The 14 bus goes by Station Road."}}, cs.At(24, []notice{}))...)
		board = append(board, notice{"Allotments", "Three plots at Nether Field are free from Lady Day. Write to the clerk, who keeps the list."})
		return fill(`<HTML><HEAD><TITLE>Notice Board - Wexcombe Town Council</TITLE>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=utf-8"><META HTTP-EQUIV="Refresh" CONTENT="{{refresh}}">
<LINK REL=stylesheet HREF="town.css?{{asset}}"></HEAD>
<BODY BGCOLOR="#f4f0e0">
<TABLE WIDTH="100%" {{table}}><TR><TD><IMG SRC="crest.gif" ALT="Crest"></TD><TD><B>Wexcombe Town Council</B><BR><FONT SIZE="2">{{today}}, {{clock}}. Sunrise {{rise}}, sunset {{set}}. {{degrees}} degrees at the weather station, wind {{wind}} mph.</FONT></TD>
<TD ALIGN=right><A HREF="login.php?PHPSESSID={{session}}">{{login}}</A></TD></TR></TABLE>
<HR>
<TABLE WIDTH="100%"><TR VALIGN=top>
<TD WIDTH="150"><A HREF="index.php?PHPSESSID={{session}}">Home</A><BR><A HREF="board.php?PHPSESSID={{session}}">Notice Board</A><BR><A HREF="council.php?PHPSESSID={{session}}">Council</A><BR><A HREF="contact.php?PHPSESSID={{session}}">Contact</A><BR><BR>
<B>Clubs and societies</B><BR>{{clubs}}<BR>
<B>Poll</B><BR>Should the fair go back to the green?<BR>Yes {{yes}} votes<BR>No {{no}} votes</TD>
<TD><H1>Notice Board</H1>
{{board}}</TD>
<TD WIDTH="180"><CENTER><FONT SIZE="1">Our advertisers</FONT><BR><TABLE BORDER=1 ID="ad{{slot}}"><TR><TD><A HREF="out.php?b={{slot}}">{{advert}}</A></TD></TR></TABLE><BR>
<TABLE BORDER=1><TR><TD><A HREF="out.php?b={{slot2}}">{{advert2}}</A></TD></TR></TABLE><BR>
<B>From the archive</B><BR><IMG SRC="pictures/{{picture-file}}.jpg?{{cache}}"><BR><I>{{picture}}</I><BR><BR>
<B>Saying of the day</B><BR>{{saying}}<BR><BR>
<B>Guest book</B><BR>{{guest}}</CENTER></TD>
</TR></TABLE>
<HR>
<FONT SIZE="1">You are visitor no. {{visitor}} since 1 May 2003. {{guests}} guests and {{members}} members online. Page made in {{seconds}} s. {{browser}}</FONT>
<FORM ACTION="search.php"><INPUT TYPE=hidden NAME="PHPSESSID" VALUE="{{session}}"><INPUT NAME=q><INPUT TYPE=submit VALUE="{{search}}"></FORM>
</BODY></HTML>`,
			"refresh", between(n, 280, 320), "asset", between(n, 10_000, 99_999), "table", attributes(n, "BORDER=0", `CELLPADDING="2"`, `CELLSPACING="0"`, `ID="t`+n.Hex(3)+`"`),
			"today", h.now(c).Format("Monday, 2 January 2006"), "clock", h.now(n).Format("3:04:05 pm"), "rise", fmt.Sprintf("6:%d am", 47-2*h.now(c).Day()), "set", fmt.Sprintf("5:%d pm", 42+2*h.now(c).Day()), "degrees", between(c, 3, 12), "wind", between(c, 2, 31),
			"session", session, "login", cs.Pick(n, "Members: log in", "Log in", "Councillors' entrance"),
			"clubs", cs.Each(cs.Shuffled(n, "Bell Ringers", "Bowls Club", "Camera Club", "Silver Band", "Twinning Association", "Wexcombe Players"), func(name string) string {
				return `<A HREF="club.php?c=` + slug(name) + `&PHPSESSID=` + session + `">` + name + "</A><BR>\n"
			}),
			"yes", h.count(c, 212, 3), "no", h.count(c, 187, 2),
			"board", cs.Each(board, func(sheet notice) string {
				return "<P><A NAME=\"" + n.Hex(4) + "\"></A><B>" + sheet.title + "</B><BR>" + cs.Pick(n, "", "\n") + sheet.text + "</P>\n"
			}),
			"slot", between(n, 100, 999), "advert", cs.Pick(n, "P. Hallett & Son, chimney sweeps", "The Ship Inn: pie night", "Wexcombe Taxis, day and night", "Dot's Wool Shop", "Farrow Estate Agents", "Cut & Curl, High Street", "Organic eggs at Upper Farm"),
			"slot2", between(n, 100, 999), "advert2", cs.Pick(n, "MOT while you wait: Brook Garage", "Piano lessons, all ages", "Firewood by the load", "Barnes Opticians", "Sash windows mended", "Kittens to good homes: call at the vet's"),
			"picture-file", n.Hex(6), "cache", between(n, 1, 99_999), "picture", cs.Pick(n, "The weir in flood, 1953", "Carnival queen, 1971", "Snow on Church Hill", "The last train leaves", "High Street before the bypass", "Swans on the mill pond", "Harvest supper, 1936"),
			"saying", cs.Pick(c, "A dry March never begs its bread.", "Many hands make light work.", "Still waters run deep.", "Oak before ash, only a splash.", "Rain before seven, fine by eleven.", "A stitch in time saves nine."),
			"guest", cs.Pick(n, "Greetings from Ontario! My nan was born in Fore Street. (Cheryl)", "Lovely walk, muddy dog. (The Prestons)", "Does anybody remember Mr Tull's sweet shop? (Ray)", "Bonjour from your twin town. (Mairie)", "Third summer in a row. (Anke and Uwe)", "Find the bench by the weir, best view in the county. (J.)"),
			"visitor", h.count(n, 604_118, 9), "guests", between(n, 3, 28), "members", between(n, 0, 4), "seconds", decimal(n, 3, 40, 600),
			"browser", cs.Pick(n, "Best seen at 1024 by 768.", "Made with a text editor.", "This site uses cookies to keep you logged in."), "search", cs.Pick(n, "Search", "Go", "Find"))
	}}
}
