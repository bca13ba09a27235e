package unmet

import (
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

type post struct {
	who, text string
	// days is how many days before run 0 it was written.
	days int
}

func postsIn(n *cs.Run) []post {
	posts := []post{
		{"rye_not", "My starter doubles in the jar, but the loaf spreads on the stone like a pancake. Hydration is 78 %, white flour. What am I missing?", 6},
		{"Grandma Loaf", cs.Since(n, "Too wet for that flour. Go down to 70 % and see.", cs.At(19, "Too wet for that flour. Go down to 68 % and see.")), 5},
		{"bannetonia", "Shape it twice, with half an hour between, and put it in the fridge over night.", 5},
	}
	posts = append(posts, cs.Since(n, []post{}, cs.At(2, []post{{"Hearth & Home", "How old is the flour? Mine went slack after a year in the shed.", -1}}))...)
	return append(posts, cs.Since(n, []post{}, cs.At(8, []post{{"rye_not", "Bought fresh flour, used less water: it stands up! Photos to come.", -4}}))...)
}

// thread is a topic of a bulletin board, in tables, with signatures and an advert after the first post.
func thread() *cs.Page {
	return &cs.Page{Path: "/viewtopic.php/t-2291", Type: "thread", Render: func(n *cs.Run) string {
		at := now(n)
		views := creeping(n, 1180, 22)
		members := creeping(n, 8011, 5)
		birthday := cs.Pick(n.Calmly(), "crumbly", "Oven Ready", "poolish_joe", "levain22", "Miss Miche")
		sid := n.Hex(32)
		return p(`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><html><head><title>Loaf spreads on the stone - The Crumb Board</title>
<link rel="stylesheet" href="./style.php?id=4&amp;lang=en&amp;sid=%s"></head><body class="ltr">
<table width="100%%" cellspacing="0"><tr><td class="row1"><a href="./index.php?sid=%s">The Crumb Board</a></td><td align="right">It is currently %s</td></tr>
<tr><td><a href="./ucp.php?mode=%s&amp;sid=%s">%s</a></td><td align="right"><a href="./search.php?sid=%s">Search</a></td></tr></table>`,
			sid, sid, at.Format("02 Jan 2006, ")+clock(n, at), cs.Pick(n, "login", "register"), sid, cs.Pick(n, "Login", "Register", "You have no new messages"), sid) +
			p(`<h2><a href="./viewtopic.php/t-2291?sid=%s">%sLoaf spreads on the stone</a></h2><p class="stats">Views: %s</p>%s%s`,
				sid, cs.Since(n, "", cs.At(20, "[Solved] ")), views, boardPosts(n, at, sid),
				cs.Since(n, `<p class="buttons"><a href="./posting.php">Post a reply</a></p>`,
					cs.At(35, `<p class="locked">This topic is locked, you cannot edit posts or make further replies.</p>`))) +
			p(`<h3>Similar topics</h3><table class="similar">%s</table><table class="online"><tr><td>Who is online</td></tr>
<tr><td>Users browsing this forum: %s and %d guests</td></tr><tr><td>Members: %s · Birthday today: %s</td></tr></table>
<form method="post"><input type="hidden" name="creation_time" value="%d"><input type="hidden" name="form_token" value="%s"></form>
<p class="copyright">[ Time: 0.%03ds | Queries: %d | GZIP: On ]</p></body></html>`,
				cs.Each(cs.Some(n, 3, "Dutch oven or stone", "Starter smells of paint", "Which scale to buy", "Spelt never rises", "Crust too hard", "Scoring for beginners"),
					func(title string) string {
						return p(`<tr><td><a href="./viewtopic.php/t-%s?sid=%s">%s</a></td></tr>`, slug(title), sid, title)
					}),
				cs.Pick(n, "no registered users", "Oven Ready", "levain22, Dough Boy", "bannetonia"), 1+n.IntN(40), members, birthday,
				n.IntN(1e9), n.Hex(40), n.IntN(1000), 12+n.IntN(20))
	}}
}

func boardPosts(n *cs.Run, at time.Time, sid string) string {
	first := true
	written := 2*n.Number + n.Calm.IntN(2)
	return cs.Each(postsIn(n), func(q post) string {
		advert := ""
		if first {
			advert = p(`<table class="tablebg"><tr><td class="rowad"><a href="https://ads.example.net/%s">%s</a></td></tr></table>`, n.Hex(8),
				cs.Pick(n, "Stone mills for the kitchen, 10 % off", "Flour to your door each month", "A baking course by the sea", "Proofing boxes that fold"))
			first = false
		}
		return p(`<table class="tablebg" width="100%%" id="p%d"><tr><td class="row1" valign="top" width="150"><b class="postauthor">%s</b><br><span>Posts: %d</span></td>
<td class="row2" valign="top"><div class="postdate">Posted: %s</div><div class="postbody">%s</div>
<div class="signature">_________________<br>%s</div><a href="./report.php?p=%d&amp;sid=%s">Report</a> · %d likes</td></tr></table>%s`,
			n.IntN(1e6), q.who, 60*len(q.who)+written, ago(at, q.days), q.text,
			cs.Pick(n, "In crust we trust.", "Bread is life, the rest is butter.", "Knead, proof, repeat.", "Flour to the people."), n.IntN(1e6), sid, n.IntN(12), advert)
	})
}
