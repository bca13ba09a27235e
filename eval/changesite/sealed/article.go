package sealed

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// article is a post of a baker's blog, whose theme puts adverts between the paragraphs.
func (h hours) article() *cs.Page {
	return &cs.Page{Path: "/2026/02/sourdough-at-altitude/", Type: "article", Render: func(n *cs.Run) string {
		c := n.Calmly()
		advert := func(n *cs.Run) string {
			return fill(`<div class="adsbygoogle" id="div-gpt-ad-{{id}}"><span>Advertisement</span> {{text}}</div>
`, "id", between(n, 100_000, 999_999), "text", cs.Pick(n, "This trick keeps knives sharp for years", "Cheap flights to La Paz", "Stone-ground rye, delivered on Fridays", "Which oven are you? Take the quiz", "Solar panels: see what your roof earns", "Yoga for people who stand all day", "Aprons of heavy linen, made in Porto", "Lose the crumbs: cordless hoovers compared"))
		}
		first, second := between(n, 2, 9), between(n, 1, 9)
		return fill(`<!DOCTYPE html>
<html lang="en-US" prefix="og: https://ogp.me/ns#">
<head>
<title>{{title}} &#8211; Thin Air Bakery</title>
<link rel='stylesheet' id='theme-css' href='/wp-content/themes/crumb/style.css?ver={{version}}' media='all' />
<meta name="generator" content="WordPress" />
<script>var crumb = {"ajax":"/wp-admin/admin-ajax.php","nonce":"{{nonce}}","ts":"{{epoch}}"};</script>
</head>
<body class="post-template-default single single-post postid-2218 {{login}}">
<div id="page" class="site">
<header id="masthead"><p class="site-title"><a href="/?PHPSESSID={{session}}">Thin Air Bakery</a></p><p class="site-description">{{tagline}}</p>
<div class="today-bar">{{today}} | Cusco {{degrees}}°C {{sky}} | {{online}} readers online</div></header>
<div id="content"><main id="primary">
<article id="post-2218" class="post type-post hentry">
<header class="entry-header"><h1 class="entry-title">{{title}}</h1>
<div class="entry-meta">Posted by <a href="/author/ximena/?PHPSESSID={{session}}">Ximena Huamán</a> on <time datetime="2026-02-24">24 February 2026</time> &middot; {{views}} views &middot; <span class="likes">&#9829; {{likes}}</span></div></header>
<div class="entry-content">
<p>Up here a loaf rises faster than you can read about it. The air presses less on the dough, the gas has an easier time, and what would take a night by the sea is over before supper.</p>
{{advert-1}}<p>{{when}}</p>
<h2>What to change</h2>
<p>Give it less leaven and colder water. Shape it earlier than looks right, and let the fridge do the rest: twelve hours there forgive nearly everything.</p>
{{advert-2}}<p>The crust dries before the crumb is done, so keep a lid on for the first half hour, and do not be shy with the steam.</p>
<h2>Ingredients for one loaf</h2>
<ul>
<li>450 g strong white flour</li>
<li>50 g whole rye</li>
<li>{{water}}</li>
<li>60 g ripe leaven</li>
<li>10 g salt</li>
</ul>
<h2>Method</h2>
<ol><li>Mix, and rest for forty minutes.</li><li>Fold four times, half an hour apart.</li><li>Shape, and chill overnight.</li><li>Bake at 235 °C with a lid for 30 minutes, then 15 without.</li></ol>
{{correction}}</div>
<footer class="entry-footer"><div class="sharedaddy">Shared {{shares}} times: {{share}}</div><div class="reading-now">{{reading}} people are reading this post now</div></footer>
</article>
<section class="related"><h3>You might also enjoy</h3><ul>{{related}}</ul></section>
<section id="respond"><h3>Leave a reply</h3><form action="/wp-comments-post.php" method="post"><input type="hidden" name="_wpnonce" value="{{nonce2}}"><label>What is {{first}} + {{second}}? <input name="sum"></label><button>{{post}}</button></form></section>
</main>
<aside id="secondary">
<section class="widget"><h2>Most read today</h2><ol>{{most}}</ol></section>
<section class="widget"><h2>Topics</h2><div class="tagcloud">{{topics}}</div></section>
<section class="widget"><h2>Bakers we follow</h2><ul>{{roll}}</ul></section>
<section class="widget"><h2>Quote of the day</h2><p>{{quote}}</p></section>
{{popup}}</aside></div>
<footer id="colophon"><p>{{visits}} visits since 2014. Proudly baked in Cusco.</p></footer>
</div>
<!-- {{queries}} queries in {{seconds}} seconds, cached at {{clock}} -->
</body></html>`,
			"title", cs.Since(n, "Sourdough at altitude: why it runs away from you", cs.At(8, "Sourdough at altitude: how to slow it down")),
			"version", n.Hex(10), "nonce", n.Hex(10), "epoch", between(n, 1_772_000_000, 1_773_000_000), "login", cs.Pick(n, "", "logged-out", "no-sidebar-cache"), "session", n.Hex(26),
			"tagline", cs.Pick(n, "Bread from 3,400 metres", "Flour, water, salt and not much air", "Baking where kettles boil early", "A blog with a crust"),
			"today", h.now(c).Format("Monday, January 2, 2006"), "degrees", between(c, 6, 19), "sky", cs.Pick(c, "sunny", "showers", "cloudy", "hail", "thunder"), "online", between(n, 5, 77),
			"views", h.count(n, 10_310, 46), "likes", between(n, 310, 420), "advert-1", advert(n),
			"when", cs.Since(n, "From 1,500 metres on you will notice it, and at 3,000 the old timetable is useless. My first loaves here climbed out of their baskets and down the shelf.",
				cs.At(14, "From 1,800 metres on you will notice it, and at 3,000 the old timetable is useless. My first loaves here climbed out of their baskets and down the shelf.")),
			"advert-2", advert(n), "water", cs.Since(n, "320 g water at 12 °C", cs.At(33, "350 g water at 12 °C")),
			"correction", cs.Since(n, "", cs.At(15, "<p><em>Correction: this post used to say that the effect begins at 1,500 metres. Thanks to Dr. Quispe for the measurements.</em></p>\n")),
			"shares", h.count(n, 640, 5), "share", cs.Each(cs.Shuffled(n, "Mail", "Mastodon", "Pinterest", "WhatsApp"), func(name string) string {
				return `<a rel="nofollow" href="?share=` + slug(name) + `&amp;nb=` + n.Hex(3) + `">` + name + "</a> "
			}),
			"reading", between(n, 2, 39), "related", cs.Each(cs.Some(n, 3, "Pressure cooker beans at 3,000 m", "The kettle that never boils", "Quinoa bread without bricks", "My oven, a love letter", "Leaven on a bus", "How salt slows things", "Rye, and why I came back to it", "A week of flatbreads"), func(name string) string {
				return `<li><a href="/` + slug(name) + `/?relatedposts_hit=1&amp;o=` + n.Hex(4) + `">` + name + "</a></li>\n"
			}),
			"nonce2", n.Hex(10), "first", first, "second", second, "post", cs.Pick(n, "Post comment", "Send", "Say it"),
			"most", cs.Each(cs.Some(c, 4, "A starter from nothing", "Is my flour dead?", "Banneton or bowl", "Hot stones", "Focaccia for forty", "The windowpane test", "Sugar is a liar"), tag("li")),
			"topics", cs.Each(cs.Shuffled(n, "altitude", "rye", "ovens", "failures", "travel", "leaven"), func(name string) string {
				return `<a style="font-size:` + between(n, 9, 22) + `pt" href="/tag/` + name + `/">` + name + "</a> "
			}),
			"roll", cs.Each(cs.Shuffled(n, "Crumb Letters", "Ovenbird", "The Patient Loaf", "Mehlwurm"), tag("li")),
			"quote", cs.Pick(c, "Bread is time you can eat.", "All sorrows are less with bread.", "Patience is the best flour.", "Feed your starter, then yourself.", "A sharp knife is half a recipe.", "The oven remembers."),
			"popup", cs.Pick(n, "", "", `<div class="popup-overlay"><p>A letter with one recipe each month?</p><button>Yes please</button><button>Not now</button></div>`),
			"visits", h.count(n, 2_310_442, 120), "queries", between(n, 31, 64), "seconds", decimal(n, 3, 120, 990), "clock", h.now(n).Format("2006-01-02 15:04:05"))
	}}
}
