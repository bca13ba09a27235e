package lantern

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// library is a branch's page in a theme as WordPress has them.
func library() *cs.Page {
	return &cs.Page{Path: "/branches/quayside", Type: "opening hours", Render: func(n *cs.Run) string {
		hours := [][2]string{
			{"Monday", "closed"},
			{"Tuesday", "10 am to 6 pm"},
			{"Wednesday", "10 am to 6 pm"},
			{"Thursday", cs.Since(n, "10 am to 8 pm", cs.At(6, "10 am to 7 pm"))},
			{"Friday", "10 am to 6 pm"},
			{"Saturday", "9.30 am to 3 pm"},
			{"Sunday", cs.Since(n, "closed", cs.At(27, "1 pm to 4 pm"))},
		}
		notice := cs.Since(n, "", cs.At(15, `<div class="wp-block-notice is-style-info">
<p>The library is closed from Good Friday, 3 April, until Easter Monday, 6 April. Loans that fall due on these days are extended to 8 April.</p></div>`),
			cs.At(36, ""))
		version := n.Hex(8)
		return `<!DOCTYPE html>
<html lang="en-GB" class="no-js">
<head><meta charset="UTF-8"><title>Quayside branch &#8211; Tarn Valley Libraries</title>
<link rel="stylesheet" id="shelfmark-style-css" href="/wp-content/themes/shelfmark/style.css?ver=` + version + `" media="all">
<script src="/wp-includes/js/jquery/jquery.min.js?ver=` + version + `"></script>
<script>var shelfmark = {"ajaxurl":"/wp-admin/admin-ajax.php","nonce":"` + n.Hex(10) + `"};</script></head>
<body class="page-template-default page page-id-412 wp-theme-shelfmark has-sidebar">
<a class="skip-link screen-reader-text" href="#primary">Skip to content</a>
<div id="cookie-notice" class="cookie-notice-hidden"><p>We use cookies to remember your card number.</p>
<button class="cn-set-cookie">` + cs.Pick(n, "OK", "Got it", "Accept") + `</button></div>
<header id="masthead" class="site-header"><p class="site-title"><a href="/">Tarn Valley Libraries</a></p>
<form role="search" class="search-form" action="/"><input type="hidden" name="_wpnonce" value="` + n.Hex(10) + `">
<input type="search" name="s" placeholder="` + cs.Pick(n, "Search the catalogue", "Find a book", "Title, author or subject") + `"></form>
<nav id="site-navigation" class="main-navigation"><ul id="primary-menu" class="menu"><li id="menu-item-31"><a href="/catalogue/">Catalogue</a></li>
<li id="menu-item-32" class="current-menu-item"><a href="/branches/">Branches</a></li>
<li id="menu-item-33"><a href="/events/">Events</a></li><li id="menu-item-34"><a href="/join/">Join</a></li></ul></nav>
<div class="top-bar"><span class="date">` + today(n).Format("Monday 2 January 2006") + `</span> <span class="weather">` + p("%d °C, %s", 3+n.Calm.IntN(12),
			cs.Pick(n.Calmly(), "cloudy", "showers", "sunny spells")) + `</span></div></header>
<div id="content" class="site-content"><main id="primary" class="content-area">
<article id="post-412" class="post-412 page type-page status-publish hentry"><header class="entry-header"><h1 class="entry-title">Quayside branch</h1>
<div class="entry-meta"><span class="post-views">` + p("%d views", 4100+n.Number*31+n.IntN(30)) + `</span></div></header>
<div class="entry-content">` + notice + `
<p>Quayside is the smallest of our four branches. It stands between the chandlery and the lifeboat house, in the old sail loft, and has some nine thousand books, a
room for children and a reading terrace over the water.</p>
<h2 class="wp-block-heading">Opening hours</h2>
<figure class="wp-block-table"><table><tbody>` + cs.Each(hours, func(h [2]string) string { return "<tr><td>" + h[0] + "</td><td>" + h[1] + "</td></tr>\n" }) +
			`</tbody></table></figure>
<h2 class="wp-block-heading">What you can do here</h2>
<ul class="wp-block-list">
<li>Borrow and return books, films and sheet music</li>
<li>Print and scan: ` + cs.Since(n, "10p", cs.At(19, "15p")) + ` a page in black and white, 40p in colour</li>
<li>Use one of six computers, for an hour at a time</li>
<li>Collect reservations from any other branch</li>
</ul>
<h2 class="wp-block-heading">Getting in touch</h2>
<p>Branch librarian: ` + cs.Since(n, "Orla Fennimore", cs.At(28, "Desmond Achterberg")) + `</p>
<p>Telephone 01632 960 417. The line is answered while the branch is open. You can also leave a message at any other branch, and we will ring you back within two
working days.</p>
<p>There is a ramp from the harbour side, and a lift to the terrace. Dogs are welcome in the porch only.</p>
</div>
<div class="sharedaddy"><span class="like-count">` + p("%d people like this", 20+n.IntN(40)) + `</span><a href="/share?p=412&amp;nonce=` + n.Hex(8) + `">Share</a></div></article>
</main>
<aside id="secondary" class="widget-area"><section class="widget widget_new_books"><h2 class="widget-title">Readers also borrowed</h2><ul>` +
			cs.Each(cs.Some(n, 4, "The Salt Ledger", "Knots for Beginners", "A Winter on Skerry", "Bread and Bells", "The Lamplighter's Map", "Birds of the Estuary",
				"Seven Small Harbours", "The Glass Orchard"), li) + `</ul></section>
<section class="widget widget_online"><h2 class="widget-title">Online now</h2><p>` + p("%d guests, %d members", 2+n.IntN(40), n.IntN(9)) + `</p></section></aside></div>
<footer id="colophon" class="site-footer"><p>Tarn Valley Libraries is a charity. Registered office: 2 Exchange Street, Tarnmouth.</p><p>Theme: Shelfmark</p></footer>
<!-- Page cached in ` + p("0.%03d", n.IntN(999)) + ` seconds at ` + clock(n) + ` -->
</body></html>`
	}}
}
