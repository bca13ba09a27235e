package wharf

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// practice is the staff and hours of a doctors' practice on a blog system with a bought theme.
func practice() *cs.Page {
	type person struct{ name, role, days string }
	return &cs.Page{Path: "/our-team/", Type: "staff", Render: func(n *cs.Run) string {
		people := []person{
			{"Dr Honor Applegarth", "GP partner", "Monday, Tuesday, Thursday"},
			{"Dr Sunil Bhattarai", "GP partner", cs.Since(n, "Monday to Wednesday", cs.At(19, "Monday to Thursday"))},
			{"Dr Wenna Trevaskis", "Salaried GP", "Wednesday, Friday"},
			{"Joss Amadi", "Nurse practitioner", "Monday to Friday"},
			{"Carys Penhale", "Practice nurse", "Tuesday, Thursday, Friday"},
		}
		people = append(people, cs.Since(n, []person{{"Dr Lionel Oakes", "GP partner", "Thursday, Friday"}}, cs.At(11, []person{}), cs.At(37, []person{{"Dr Mireille Sand", "Salaried GP", "Thursday, Friday"}}))...)
		return fill(`<!DOCTYPE html><html lang="en-GB"><head><meta charset="UTF-8"><title>Our team &#8211; Millpond Surgery</title><link rel="stylesheet" id="medicare-pro-css" href="/wp-content/themes/medicare-pro/style.css?ver=6.{ver}" media="all">
<script>/* <![CDATA[ */ var wpAjax = {"url":"/wp-admin/admin-ajax.php","nonce":"{nonce}"}; /* ]]> */</script></head>
<body class="page-template-default page page-id-27 wp-custom-logo elementor-kit-{kit}"><div id="page" class="site"><a class="skip-link screen-reader-text" href="#primary">Skip to content</a>
<header id="masthead" class="site-header"><div class="site-branding"><p class="site-title"><a href="/" rel="home">Millpond Surgery</a></p><p class="site-description">Caring for Lower Tamsin since 1952</p></div>
<nav id="site-navigation" class="main-navigation"><ul id="primary-menu" class="menu nav-menu"><li class="menu-item menu-item-12"><a href="/">Home</a></li><li class="menu-item menu-item-27 current-menu-item"><a href="/our-team/">Our team</a></li><li class="menu-item menu-item-31"><a href="/appointments/">Appointments</a></li><li class="menu-item menu-item-33"><a href="/prescriptions/">Prescriptions</a></li><li class="menu-item menu-item-40"><a href="/contact/">Find us</a></li></ul></nav></header>
<div id="content" class="site-content"><main id="primary" class="content-area"><article id="post-27" class="post-27 page type-page status-publish hentry"><header class="entry-header"><h1 class="entry-title">Our team</h1></header>
<div class="entry-content"><p>We are a small practice of doctors and nurses. You may ask for whom you like, and we do our best, but on the day you may be seen by somebody else.</p>
<div class="wp-block-columns team-grid">{people}</div>
<h2 class="wp-block-heading">Opening hours</h2><figure class="wp-block-table"><table><tbody><tr><td>Monday to Thursday</td><td>8:00 to 18:30</td></tr><tr><td>Friday</td><td>8:00 to {friday}</td></tr><tr><td>Saturday and Sunday</td><td>Closed</td></tr></tbody></table></figure>
<h2 class="wp-block-heading">When we are closed</h2><p>Ring 111 if it cannot wait, or 999 if a life is in danger. The pharmacy in Tamsin Square is open on Sundays from ten to four.</p>
<h2 class="wp-block-heading">Joining us</h2><p>If you live in Lower Tamsin, Coldwater or the hamlets along the mill stream, bring a form to the desk. You need no proof of address, and no one is turned away for want of papers.</p></div>
<div class="sharedaddy sd-sharing-enabled"><h3 class="sd-title">Share this:</h3><ul><li><a href="/our-team/?share=mail&amp;nb={nb}">Email</a></li></ul></div><footer class="entry-footer"><span class="post-views">{views} views</span> <span class="likes" id="like-{like}">{likes} likes</span></footer></article></main>
<aside id="secondary" class="widget-area"><section id="search-2" class="widget widget_search"><form role="search" method="get" class="search-form"><label>Search for: <input type="search" name="s"></label></form></section>
<section id="health-tip-{tip}" class="widget widget_health_tip"><h2 class="widget-title">Tip of the day</h2><p>{advice}</p></section>
<section id="recent-posts-2" class="widget widget_recent_entries"><h2 class="widget-title">From our blog</h2><ul>{posts}</ul></section>
<section class="widget widget_visitors"><h2 class="widget-title">Visitors</h2><p>Today: {day}<br>Online now: {online}</p></section></aside></div>
<footer id="colophon" class="site-footer"><p>It is {today}. Millpond Surgery, Mill Lane, Lower Tamsin. Theme by Quillworks.</p></footer></div>
<div id="cookie-law-info-bar"><span>This website uses cookies. <a id="cookie_action_close_header">Accept</a></span></div><!-- Page cached by FastPress in {took} seconds, {queries} queries --></body></html>`,
			"ver", num(n, 1, 99), "nonce", n.Hex(10), "kit", num(n, 10, 999), "nb", n.Hex(8), "like", n.Hex(6), "tip", num(n, 1, 99), "took", "0."+num(n, 100, 999), "queries", num(n, 20, 90),
			"people", cs.Each(people, func(m person) string {
				return `<div class="wp-block-column team-member wp-container-` + n.Hex(4) + `"><h3 class="team-name">` + m.name + `</h3><p class="team-role">` + m.role + `</p><p class="team-days">` + m.days + "</p></div>\n"
			}),
			"friday", cs.Since(n, "18:30", cs.At(20, "16:00")), "views", num(n, 3000, 9000), "likes", num(n, 10, 60),
			"advice", cs.Pick(n.Calmly(), "Drink a glass of water before each meal.", "A brisk walk lifts the mood.", "Go to bed at the same hour each night.", "Wash your hands before you cook."),
			"posts", cs.Each(cs.Some(n, 3, "Hay fever, and what helps", "A day with our nurse", "Why we ask you questions", "Sleep and screens", "Ten years of the garden"), func(s string) string {
				return `<li><a href="/?p=` + num(n, 100, 999) + `">` + s + `</a></li>`
			}),
			"day", num(n, 10, 200), "online", num(n, 1, 9), "today", today(n, "Monday 2 January 2006, 15:04:05"))
	}}
}
