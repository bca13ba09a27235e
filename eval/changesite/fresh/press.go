package fresh

import (
	"strings"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// bridge is a newspaper's article, between what a newspaper lives of.
func bridge() *cs.Page {
	return &cs.Page{Path: "/news/2026/02/harbour-bridge-repairs", Type: "article", Render: func(n *cs.Run) string {
		at := clock(n)
		advert := w(`<div class="ad ad--inline" data-slot="%s"><span>Advertisement</span><a href="https://ads.example/%s">%s</a></div>`, n.Hex(6), n.Hex(12),
			pick(n.Rand, "Hearing aids: the test", "Six broadband deals compared", "Cruises from Southampton", "Is your boiler ten years old?", "Solar panels, fitted"))
		paragraphs := []string{
			"The swing bridge at Port Ellery will shut to cars for " + cs.Since(n, "eleven", cs.At(22, "fourteen")) + " weeks while its bearings are replaced, the council said.",
			"The work is to cost £" + cs.Since(n, "38", cs.At(1, "39")) + " million, most of it paid by the county. Walkers and cyclists may still cross at all hours.",
			cs.Since(n, "“Nobody likes a closure, but the bridge is ninety years old,” said the engineer in charge, Ruth Adeyemi.",
				cs.At(16, "“Nobody likes a closure, but the bridge is ninety-one years old and tired,” said the engineer in charge, Ruth Adeyemi.")),
			"Work begins on " + cs.Since(n, "Monday 13 April", cs.At(30, "Monday 20 April")) + ". A free ferry will run every half hour from the fish quay.",
		}
		paragraphs = cs.Since(n, paragraphs, cs.At(29, append(paragraphs[:4:4],
			"Traders on the east side have asked for help with lost custom, and a petition was handed in on Friday.")))
		var text strings.Builder
		place := n.IntN(len(paragraphs))
		for i, p := range paragraphs {
			_, _ = text.WriteString("<p>" + p + "</p>" + gap(n))
			if i == place {
				_, _ = text.WriteString(advert)
			}
		}
		return fill(bridgePage,
			"hash", n.Hex(8), "title", cs.Since(n, "Harbour bridge to close for repairs", cs.At(6, "Harbour bridge to close until summer for repairs")),
			"today", at.Format("Monday, January 2, 2006"), "time", at.Format("15:04"), "degrees", between(n.Calm, 1, 13), "sky", pick(n.Calm, "cloudy", "showers", "clear", "windy"),
			"index", w("%s.%02d", thousands(8100+n.Calm.IntN(300)), n.Calm.IntN(100)), "move", w("%+.2f%%", float64(n.Calm.IntN(300)-150)/100),
			"oil", w("%d.%02d", 71+n.Calm.IntN(6), n.Calm.IntN(100)),
			"breaking", perhaps(n.Rand, 45, `<div class="breaking"><b>Live</b> `+pick(n.Rand, "Cup draw as it happens", "Budget debate: latest", "Storm watch: all updates")+`</div>`),
			"user", pick(n.Rand, `<a href="/login">Sign in</a>`, `<a href="/subscribe">Subscribe</a>`, `<a href="/login">Sign in</a> <a href="/subscribe">Try a month for £1</a>`),
			"ago", daysAgo(n, 2), "comments", between(n.Calm, 0, 4), "shares", thousands(crept(n, 212, 14)), "minutes", pick(n.Rand, "2 min read", "3 min read", "3-minute read"),
			"text", text.String(), "correction", cs.Since(n, "", cs.At(11, `<p class="footnote"><i>This article was amended. An earlier version gave the wrong length of the bridge.</i></p>`)),
			"most", items(cs.Some(n, 5, "Ferry pilot retires after 44 years", "The best chip shop, by your votes", "Seal pup rescued from slipway", "House prices: your street",
				"Quiz of the week", "Rail strike dates", "Letters to the editor", "How to make marmalade", "Ten walks for spring"), "<li><a href=\"/x?ref=most&s="+n.Hex(6)+"\">", "</a></li>"),
			"letter", pick(n.Rand, "Get the morning briefing", "Ellery in your inbox at seven", "Never miss a story: sign up", "Our newsletter, free"),
			"poll", w("Yes %d%%, no %d%%", 50+n.Number/4, 50-n.Number/4), "votes", thousands(crept(n, 1904, 60)),
			"quote", pick(n.Calm, "A smooth sea never made a skilled sailor.", "Well begun is half done.", "Little strokes fell great oaks.", "Many hands make light work."),
			"offer", perhaps(n.Rand, 50, `<aside class="paywall">`+pick(n.Rand, "You have 3 free articles left.", "Enjoying this? Support local news.", "Half price until Sunday.")+`</aside>`),
			"consent", perhaps(n.Rand, 50, `<div id="cmp">We and our `+between(n.Rand, 140, 180)+` partners store cookies. <button>Agree</button></div>`),
			"build", n.Hex(7), "ms", between(n.Rand, 20, 900),
		)
	}}
}

const bridgePage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title} - Ellery Echo</title><link href="/assets/app-{hash}.css" rel="stylesheet"><meta property="og:title" content="{title}"></head>
<body><div class="masthead_{hash}"><p>{today} | {degrees}° {sky} | {time}</p><p class="ticker">FTSE {index} ({move}) Brent {oil}</p><p>{user}</p><a href="/">Ellery Echo</a></div>{breaking}
<article itemscope itemtype="https://schema.org/NewsArticle"><h1 itemprop="headline">{title}</h1>
<div class="meta"><span itemprop="author">Tom Wickham</span> <span>Published {ago}</span> <span>{minutes}</span> <a href="#c">{shares} shares</a></div>
<div itemprop="articleBody">{text}{correction}</div></article>{offer}
<aside class="rail"><h2>Most read</h2><ol>{most}</ol><div class="box"><h3>{letter}</h3><input placeholder="Email"></div>
<div class="poll"><h3>Should the market move?</h3><p>{poll} ({votes} votes)</p></div><p class="daily">Thought for the day: {quote}</p></aside>
<p class="typing">{comments} readers are typing a comment</p>
<footer>Ellery Echo, est. 1871. Build {build}, {ms} ms</footer>{consent}</body></html>`

type post struct{ who, text string }

// thread is a forum of the old kind: tables, session ids in links, and a line on who is there.
func thread() *cs.Page {
	return &cs.Page{Path: "/viewtopic.php", Type: "thread", Render: func(n *cs.Run) string {
		posts := []post{
			{"gearbox_gill", "Mine grinds when I change from second to third, but only when cold. Anyone had this?"},
			{"oldtimer62", cs.Since(n, "Check the oil first. 75W-80 and nothing thicker.", cs.At(19, "Check the oil first. 75W-90 and nothing thicker."))},
		}
		replies := []post{
			{"sprocket", "Same here at 90,000 miles. It was the synchro ring."},
			{"gearbox_gill", "Oil changed, a little better. I will drive it for a week."},
			{"oldtimer62", "Let us know how it goes."},
			{"tina_t", "Garage quoted me 600 for the ring, parts and labour."},
			{"gearbox_gill", "Solved: it was the clutch cable after all. Thanks everyone."},
		}
		posts = append(posts, cs.Since(n, nil, cs.At(1, replies[:1]), cs.At(5, replies[:2]), cs.At(6, replies[:3]), cs.At(7, replies[:4]), cs.At(24, replies))...)
		sid := n.Hex(32)
		counts := map[string]int{"gearbox_gill": 88, "oldtimer62": 9214, "sprocket": 402, "tina_t": 37}
		rows := cs.Each(posts, func(p post) string {
			return w(`<tr class="row%d"><td width="22%%" valign="top"><b><a href="profile.php?u=%s&amp;sid=%s">%s</a></b><br>Posts: %d<br>%s</td><td><span class="postbody">%s</span><br>
<span class="gensmall">%d people found this helpful</span><hr><span class="sig">%s</span></td></tr>%s`, 1+n.IntN(2), p.who, sid, p.who, counts[p.who]+n.Number*2,
				pick(n.Rand, `<img src="on.gif" alt="online">`, `<img src="off.gif" alt="offline">`), p.text, n.IntN(12),
				pick(n.Rand, "Keep the shiny side up", "It is not leaking, it is marking its territory", "Life is short, double-declutch", ""), gap(n))
		})
		return fill(threadPage,
			"sid", sid, "now", clock(n).Format("Mon Jan 02, 2006 3:04 pm"), "state", cs.Since(n, "", cs.At(26, "<b>[Closed]</b> ")), "views", thousands(crept(n, 3310, 44)),
			"reply", cs.Since(n, `<a href="posting.php?mode=reply">Post reply</a>`, cs.At(26, "This topic is closed, you cannot reply.")),
			"rows", rows, "online", items(cs.Some(n, 4, "amps", "bodgeit", "camshaft", "dieselboy", "edna", "flywheel", "gasket"), "", ", "), "guests", between(n.Rand, 20, 180),
			"members", thousands(crept(n, 15_204, 10)), "newest", pick(n.Calm, "hubcap7", "liftback", "rev_limiter", "tow_bar", "v6_vera"),
			"banner", pick(n.Rand, "Brake pads at trade prices", "Classic car cover: quotes in two minutes", "Garage floor paint", "Sell us your car"),
			"similar", items(cs.Some(n, 3, "Whine in fifth", "Which jack?", "Rust on sills", "Radio code lost", "Wipers park halfway", "Best polish?"),
				`<tr><td><a href="viewtopic.php?sid=`+sid+`">`, "</a></td></tr>"),
			"bots", pick(n.Rand, "Bing [Bot]", "Google [Bot]", "none"), "sql", between(n.Rand, 9, 24), "time", w("0.%03d", n.IntN(900)),
			"birthday", pick(n.Calm, "mudflap (41)", "No birthdays today", "tappet (29), wheelnut (63)"),
			"login", perhaps(n.Rand, 60, `<form><input name="username"><input type="hidden" name="form_token" value="`+n.Hex(40)+`"><input type="submit" value="Log in"></form>`),
		)
	}}
}

const threadPage = `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><HTML><HEAD><TITLE>Grinding noise, 2nd to 3rd - Spanner Talk</TITLE></HEAD>
<BODY bgcolor=#e5e5e5><table width="100%" cellpadding=4><tr><td><a href="index.php?sid={sid}">Spanner Talk</a></td><td align=right>It is currently {now}</td></tr></table>
<center><a href="adclick.php?n={sid}">{banner}</a></center>{login}
<h2>{state}<a href="viewtopic.php?t=4471&amp;sid={sid}">Grinding noise, 2nd to 3rd</a></h2><p>{views} views. {reply}</p>
<table border=1 width="100%"><tr><th>Author</th><th>Message</th></tr>{rows}</table>
<table><tr><th>Similar topics</th></tr>{similar}</table>
<h4>Who is online</h4><p>Users browsing this forum: {online}{bots} and {guests} guests</p><p>{members} members, our newest member is {newest}. Birthdays: {birthday}</p>
<p><small>Time: {time}s | {sql} queries | GZIP: on</small></p></BODY></HTML>`
