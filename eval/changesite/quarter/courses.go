package quarter

import (
	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

type course struct{ name, when, leader, fee, places string }

// courses is the list of courses of a rowing club, in a theme for clubs with plugins.
func courses() *cs.Page {
	return &cs.Page{Path: "/training/courses/", Type: "listing", Render: func(n *cs.Run) string {
		list := []course{
			{"Learn to row", "Saturdays, 9:00", "Greta Samuelsson", "€120", cs.Since(n, "places free", cs.At(11, "fully booked, waiting list open"))},
			{"Sculling for the advanced", "Tuesdays, 18:30", cs.Since(n, "Milo Trent", cs.At(18, "Hanne Bruns")), "€90", "places free"},
			{"Juniors, 12 to 15 years", "Wednesdays, 16:00", "Paul Okonjo", "€45", "places free"},
		}
		list = append(list, cs.Since(n, []course{{"Rowing machine in the evening", "Thursdays, 19:00", "Greta Samuelsson", "€40", "places free"}}, cs.At(36, []course{}))...)
		list = append(list, cs.Since(n, nil, cs.At(2, []course{{"Coxing for beginners", "Sundays, 10:00", "Ada Wolfram", "€60", "places free"}}))...)
		return club(n, p(`<article id="post-318" class="post-318 page type-page status-publish hentry"><header class="entry-header"><h1 class="entry-title">Courses</h1>
<div class="entry-meta">by admin · %d views · %d likes</div></header>
<div class="entry-content"><p>All our courses run for eight weeks and begin in the second week of May. Boats, oars and vests are ours; bring shoes that may get wet, and a
dry set of clothes.</p>
<div class="tribe-courses-list" data-instance="%s">%s</div>
<div class="adsbygoogle" data-ad-slot="%d"><p>%s</p></div>
<h3 class="wp-block-heading">Before you register</h3><ul class="wp-block-list"><li>You can swim 300 metres.</li>
<li>You are a member, or you become one for the season (€%s).</li><li>Under 18: a parent signs the form.</li></ul>
<h3 class="wp-block-heading">%s</h3><p>Write to courses@oarsmen.example with the name of the course. Places go by the order of arrival. Who cancels until two weeks before
the beginning gets the money back, less €10.</p>
<div class="sharedaddy"><h3 class="sd-title">%s</h3><ul><li><a href="/training/courses/?share=post&amp;nb=%d">Post</a></li><li>
<a href="/training/courses/?share=mail&amp;nb=%d">Mail</a></li></ul><div class="likes-widget-placeholder" id="like-post-wrapper-%s">%d bloggers like this</div></div>
</div></article>
<div class="jp-relatedposts"><h3>Related</h3>%s</div>`,
			counted(n, 5230, 22)+n.IntN(5), counted(n, 61, 2), n.Hex(10),
			cs.Each(list, func(c course) string {
				return p(`<div class="course-card elementor-element-%s"><h3><a href="/course/?c=%s&amp;_wpnonce=%s">%s</a></h3><ul class="course-facts"><li>
<i class="fa fa-clock"></i> %s</li><li><i class="fa fa-user"></i> with %s</li><li><i class="fa fa-tag"></i> %s</li><li><i class="fa fa-check"></i> %s</li></ul></div>`+"\n",
					n.Hex(7), n.Hex(4), n.Hex(10), c.name, c.when, c.leader, c.fee, c.places)
			}), n.IntN(1e9), cs.Pick(n, "Rubber boots, now in yellow", "Protein bars without sugar", "Your boat insured in an hour", "Watches for water and weather"),
			cs.Since(n, "75", cs.At(25, "80")), cs.Since(n, "Registration", cs.At(30, "Registration, open from 7 April")),
			cs.Pick(n, "Share this:", "Tell a friend:", "Spread the word:"), n.IntN(1e6), n.IntN(1e6), n.Hex(12), counted(n, 12, 2),
			cs.Each(cs.Some(n, 3, "Photographs of the boat christening", "We painted the shed", "A day at the regatta in Holm", "Cake recipe from the winter party",
				"Ducks on the pontoon", "How the club got its flag"), func(s string) string {
				return p(`<div class="jp-relatedposts-post"><a href="/?p=%d&amp;relatedposts_hit=1">%s</a></div>`, n.IntN(999), s)
			})))
	}}
}

// club is the theme, with widgets.
func club(n *cs.Run, main string) string {
	return p(`<!DOCTYPE html>
<html lang="en-US"><head><meta charset="UTF-8"><title>Courses &#8211; Oarsmen of Velmere</title>
<link rel='stylesheet' id='sporty-style-css' href='/wp-content/themes/sporty/style.css?ver=%d' media='all' />
<script>var ajax_object={"ajax_url":"/wp-admin/admin-ajax.php","nonce":"%s"};</script></head>
<body class="page-template-default page page-id-318 wp-custom-logo group-blog"><div id="page" class="site">
<header id="masthead" class="site-header"><p class="site-title"><a href="/" rel="home">Oarsmen of Velmere</a></p><p class="site-description">%s</p>
<nav id="site-navigation" class="main-navigation"><ul id="primary-menu" class="menu"><li class="menu-item"><a href="/">Home</a></li><li class="menu-item">
<a href="/club/">The club</a></li><li class="menu-item"><a href="/boats/">Boats</a></li><li class="menu-item current-menu-item"><a href="/training/courses/">Courses</a>
</li><li class="menu-item"><a href="/gallery/">Gallery</a></li></ul></nav></header>
<div id="content" class="site-content"><div id="primary" class="content-area"><main id="main" class="site-main">%s</main></div>
<aside id="secondary" class="widget-area"><section class="widget widget_weather"><h2 class="widget-title">On the lake</h2><p>Air %d °C, wind %d knots, %s</p></section>
<section class="widget widget_online"><p>%d guests and %d members online</p></section>
<section class="widget widget_recent_comments"><h2 class="widget-title">Recent comments</h2><ul>%s</ul></section>
<section class="widget widget_tag_cloud"><div class="tagcloud">%s</div></section>
<section class="widget widget_sponsor"><h2 class="widget-title">Our sponsors</h2><p>%s</p></section></aside></div>
<footer id="colophon" class="site-footer"><div class="site-info">Oarsmen of Velmere 1907, Boathouse Lane 2, Velmere · <a href="/imprint/">Imprint</a> · <a
href="/privacy/">Privacy</a></div><!-- %d queries in 0.%03d seconds --><p>%s</p></footer></div>
<div class="cmplz-cookiebanner" data-id="%s"><div>Manage consent</div><button>Accept</button><button>Deny</button></div></body></html>`,
		1_770_000_000+n.IntN(1e6), n.Hex(10), cs.Pick(n, "Together in one boat", "On the water since 1907", "Easy all!"), main, 2+n.Calm.IntN(16), n.Calm.IntN(18),
		cs.Pick(n.Calmly(), "clear", "hazy", "showers", "overcast"), 1+n.IntN(30), n.IntN(6),
		items(cs.Some(n, 3, "Birgit on We painted the shed", "Leo on Ducks on the pontoon", "Old Oar on A day at the regatta in Holm",
			"Susi on Cake recipe from the winter party", "Nils on How the club got its flag"), `<li class="recentcomments">%s</li>`),
		cs.Each(cs.Shuffled(n, "regatta", "winter", "boats", "party", "youth", "travel"), func(s string) string {
			return p(`<a href="/tag/%s/" style="font-size: %dpt;">%s</a> `, s, 8+n.IntN(14), s)
		}), cs.Pick(n, "Bakery Thorsen", "Velmere Savings Bank", "Garage Lund", "Pharmacy at the Pier"), 30+n.IntN(40), n.IntN(1000),
		now(n).Format("January 2, 2006 3:04:05 pm"), n.Hex(6))
}
