package terrace

import (
	"strings"
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// lunch is the menu of a primary school's kitchen: that of the week, which the office replaces on Fridays for the next.
func lunch() *cs.Page {
	type week struct {
		from string
		// monday is the day in January 2026, counted on through February.
		monday int
		dishes [5][2]string
	}
	thursday := func(n *cs.Run) string {
		return cs.Since(n, "Roast turkey, gravy and carrots", cs.At(8, "Vegetable lasagne and garlic bread"))
	}
	return &cs.Page{Path: "/index.php/parents/lunch-menu", Type: "menu", Render: func(n *cs.Run) string {
		w := cs.Since(n,
			week{"12 January", 12, [5][2]string{
				{"Cheese and tomato pizza", "Baked potato with beans"},
				{"Beef bolognese", "Lentil bolognese"},
				{"Chicken pie", "Leek pie"},
				{"Sausages and mash", "Bean sausages and mash"},
				{"Fish fingers and chips", "Halloumi wrap"},
			}},
			cs.At(4, week{"19 January", 19, [5][2]string{
				{"Macaroni cheese", "Tomato and basil pasta"}, {"Chicken fajita", "Pepper fajita"}, {"Cottage pie", "Lentil cottage pie"}, {"", "Nut-free roast loaf"}, {"Battered pollock and chips", "Vegetable nuggets"},
			}}),
			cs.At(11, week{"26 January", 26, [5][2]string{
				{"Margherita pizza", "Vegetable chow mein"}, {"Beef burger in a bun", "Spicy bean burger"}, {"Roast chicken and stuffing", "Cauliflower cheese"}, {"Lamb hotpot", "Chickpea hotpot"}, {"Salmon fishcake and chips", "Cheese flan"},
			}}),
			cs.At(18, week{"2 February", 33, [5][2]string{
				{"Tuna pasta bake", "Cheese and onion roll"}, {"Mild chicken curry and rice", "Spinach dhal and rice"}, {"Gammon and pineapple", "Broccoli quiche"}, {"Meatballs in tomato sauce", "Soya meatballs"}, {"Fish goujons and chips", "Baked potato with cheese"},
			}}),
			cs.At(25, week{"9 February", 40, [5][2]string{
				{"Ham and sweetcorn pizza", "Plain pizza"}, {"Chilli con carne", "Three bean chilli"}, {"Roast pork and apple", "Mushroom Wellington"}, {"Chicken noodles", "Tofu noodles"}, {"Breaded haddock and chips", "Egg mayonnaise roll"},
			}}))
		price := cs.Since(n, "£2.60", cs.At(21, "£2.75"))
		var rows []string
		for i, dish := range w.dishes {
			if dish[0] == "" {
				dish[0] = thursday(n)
			}
			day, today := 12+n.Number, ""
			if day == w.monday+i {
				today = ` <span class="label label-info">Today</span>`
			}
			rows = append(rows, p(`<tr class="sectiontableentry%d"><td><strong>%s</strong>%s</td><td>%s</td><td>%s</td></tr>`, 1+i%2, time.Weekday(i+1), today, dish[0], dish[1]))
		}
		menu := cs.Since(n, p(`<h3>Week beginning Monday, %s</h3><table class="table table-bordered menu"><tbody><tr><th>Day</th><th>Main</th><th>Vegetarian</th></tr>%s</tbody></table>`, w.from, strings.Join(rows, "")),
			cs.At(32, `<h3>Half-term holiday</h3><p>No lunches are served from Monday, 16 to Friday, 20 February. The menu for the second half of term will be put here on the 20th.</p>`))
		at := now(n)
		return fill(lunchHTML, "menu", menu, "price", price, "date", at.Format("Monday, 02 January 2006"), "token", n.Hex(32), "media", n.Calmly().Hex(32), "hits", num(creeping(n, 20114, 31)),
			"guests", num(1+n.IntN(40)), "weather", p("%d°C %s", n.Calm.IntN(11)-1, cs.Pick(n.Calmly(), "drizzle", "cloudy", "bright", "sleet", "fog", "showers")),
			"word", cs.Pick(n.Calmly(), "curious", "gleam", "thorough", "burrow", "whisper", "island", "knuckle", "drizzle"), "slide", num(1+n.IntN(12)),
			"joke", cs.Pick(n, "What do you call a sleeping bull? A bulldozer.", "Why did the bicycle fall over? It was two tired.", "What is orange and sounds like a parrot? A carrot."),
			"news", cs.Each(cs.Some(n, 3, "Year 4 and the leaking volcano", "Thank you for 61 jars of jam", "Chess club beats Marl Hill", "The pond has frogs again", "Photos from the lantern walk", "Our choir at the market"), func(s string) string {
				return p(`<li><a href="/index.php/news?id=%d&amp;Itemid=%d">%s</a></li>`, 100+n.IntN(300), 100+n.IntN(90), s)
			}))
	}}
}

const lunchHTML = `<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en-gb" dir="ltr">
<head><base href="https://ellerbyroad.example/index.php/parents/lunch-menu" /><meta http-equiv="content-type" content="text/html; charset=utf-8" /><title>Lunch menu - Ellerby Road Primary</title>
<link href="/templates/meadow/css/template.css?{{media}}" rel="stylesheet" /><script src="/media/jui/js/jquery.min.js?{{media}}"></script>
<script type="application/json" class="joomla-script-options">{"csrf.token":"{{token}}"}</script></head>
<body class="site com_content view-article no-layout itemid-137"><div class="container">
<header class="header" role="banner"><div class="header-inner clearfix"><a class="brand" href="/">Ellerby Road Primary School</a><div class="site-description">Kind hands, busy heads</div>
<div class="header-right">{{date}} <span class="weather">{{weather}}</span></div></div></header>
<nav class="navigation" role="navigation"><ul class="nav menu nav-pills mod-list"><li class="item-101"><a href="/">Home</a></li><li class="item-120"><a href="/index.php/our-school">Our school</a></li>
<li class="item-131 active parent"><a href="/index.php/parents">Parents</a></li><li class="item-140"><a href="/index.php/classes">Classes</a></li><li class="item-150"><a href="/index.php/governors">Governors</a></li></ul></nav>
<div class="row-fluid"><div id="sidebar" class="span3"><div class="moduletable"><h3>Parents</h3><ul class="nav menu"><li class="current"><a href="/index.php/parents/lunch-menu">Lunch menu</a></li>
<li><a href="/index.php/parents/term-dates">Term dates</a></li><li><a href="/index.php/parents/uniform">Uniform</a></li><li><a href="/index.php/parents/clubs">Clubs</a></li></ul></div>
<div class="moduletable"><h3>Word of the day</h3><p>{{word}}</p></div><div class="moduletable"><h3>Who's online</h3><p>We have {{guests}}&#160;guests and no members online</p></div></div>
<main id="content" role="main" class="span6"><div id="system-message-container"></div><div class="item-page" itemscope itemtype="https://schema.org/Article"><div class="page-header"><h2 itemprop="headline">Lunch menu</h2></div>
<dl class="article-info muted"><dt class="article-info-term">Details</dt><dd class="createdby">Written by School Office</dd><dd class="hits">Hits: {{hits}}</dd></dl>
<div itemprop="articleBody"><p>Lunch is cooked in our own kitchen and served in the hall from 11:50, the younger classes first. Fresh bread, salad, fruit and water are on the tables every day.</p>
{{menu}}
<h3>Price and payment</h3><table class="table"><tbody><tr><td>Reception to Year 2</td><td>free</td></tr><tr><td>Years 3 to 6, a meal</td><td>{{price}}</td></tr><tr><td>Visitors, by the day before</td><td>£3.90</td></tr></tbody></table>
<p>Please pay a week ahead through the parents' account. Cash can be handed in at the office in a named envelope on Mondays.</p>
<div class="bannergroup"><img src="/images/slides/kitchen-{{slide}}.jpg" alt="" /><p class="caption">{{joke}}</p></div>
<h3>Allergies</h3><p>Tell the office in writing, with a letter from your doctor. The kitchen uses no nuts at all, and marks dishes with milk, egg and gluten on the board in the hall.</p>
<h3>Packed lunches</h3><p>Children may bring their own. No sweets, fizzy drinks or nuts, please, and nothing that must be warmed up.</p></div></div></main>
<div id="aside" class="span3"><div class="well"><h3 class="page-header">Latest from the classes</h3><ul class="newsflash">{{news}}</ul></div>
<div class="well"><form action="/index.php" method="post" id="login-form"><input type="text" name="username" /><input type="hidden" name="{{token}}" value="1" /><button>Staff log in</button></form></div></div></div></div>
<footer class="footer"><div class="container"><p class="pull-right"><a href="#top">Back to top</a></p><p>Ellerby Road Primary School, Ellerby Road, Tansford. Office: 01555 010 188</p></div></footer>
<div id="eprivacy" class="plg_system_eprivacy_message"><p>This website uses cookies to manage logins.</p><button>I agree</button></div></body></html>`
