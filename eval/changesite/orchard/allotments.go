package orchard

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// allotments is an association's page on its waiting list, in a blog's theme.
func allotments() *cs.Page {
	return &cs.Page{Path: "/waiting-list", Type: "list", Render: func(n *cs.Run) string {
		sites := [][]string{
			{"Canal Side", "64", cs.Since(n, "31 months", cs.At(1, "29 months")), "Open"},
			{"Dovecote Field", "38", "18 months", cs.Since(n, "Open", cs.At(39, "Closed"))},
			{"Saint Osyth's Piece", "22", "4 years", "Closed"},
			{"Upper Tannery", "51", "12 months", "Open"},
		}
		sites = append(sites, cs.Since(n, nil, cs.At(38, [][]string{{"Pippin Bank", "16", "6 months", "Open"}}))...)
		return `<!DOCTYPE html><html lang="en-GB"><head><meta charset="UTF-8"><title>Waiting list – Thornbury Mere Allotments</title><link rel='stylesheet' id='theme-style-css' href='/wp-content/themes/greenleaf/style.css?ver=` + p("%d", 1_700_000_000+n.IntN(1e7)) + `' media='all'></head>
<body class="page-template-default page page-id-77 wp-embed-responsive"><div id="page" class="hfeed site"><header id="masthead" class="site-header"><p class="site-title"><a href="/" rel="home">Thornbury Mere Allotments</a></p><p class="site-description">Growing together since 1919</p>
<nav id="site-navigation" class="main-navigation"><ul id="primary-menu" class="menu"><li class="menu-item"><a href="/">Home</a></li><li class="menu-item"><a href="/sites">Our sites</a></li><li class="menu-item current-menu-item"><a href="/waiting-list">Waiting list</a></li><li class="menu-item"><a href="/shop">Seed shop</a></li><li class="menu-item"><a href="/contact">Contact</a></li></ul></nav></header>
<div id="content" class="site-content"><div id="primary" class="content-area"><main id="main" class="site-main"><article id="post-77" class="post-77 page type-page status-publish hentry"><header class="entry-header"><h1 class="entry-title">Waiting list</h1></header>
<div class="entry-content"><p>We let plots on sites in all parts of the town. Anybody who lives within the parish can join the list of up to two sites. When a plot becomes free, we write to the first person on the list, who has 14 days to answer.</p>
<figure class="wp-block-table"><table><thead><tr><th>Site</th><th>Plots</th><th>Usual wait</th><th>List</th></tr></thead><tbody>
` + cs.Each(sites, row) + `</tbody></table></figure>
<h2 class="wp-block-heading">Rent</h2><p>A full plot of 250 square metres costs ` + cs.Since(n, "£62", cs.At(16, "£68")) + ` a year, a half plot £36 and a starter bed £15. Water is included. New tenants pay a deposit of £50, which they get back when the plot is left tidy.</p>
<h2 class="wp-block-heading">How to join</h2><ol class="wp-block-list"><li>Fill in the form in the seed shop or ask for one by post.</li><li>Bring a bill with your address on it.</li><li>Confirm each January that you want to stay on the list.</li></ol>
<h2 class="wp-block-heading">What you may do on a plot</h2><p>You can put up a shed of up to 2 by 2.5 metres and a greenhouse of the same size. Hens are allowed on request, cockerels are not. Bonfires may be lit from November to February, after dusk. Three quarters of a plot must be dug or planted by the end of the first year.</p>
<h2 class="wp-block-heading">Leaving the list</h2><p>Tell us when you move away or no longer want a plot. If you say no to two offers, you go to the end of the list. Places on the list cannot be passed on, except to a partner at the same address. We cannot say on the telephone where you stand; the secretary has the list in the shop, and you can look at your own entry there.</p>
<h2 class="wp-block-heading">Who looks after the list</h2><p>The secretary, ` + cs.Since(n, "Maureen Oakes", cs.At(29, "Desmond Tull")) + `, keeps the list and is in the seed shop on Saturdays from 10 to 12.</p></div>
<div class="sharedaddy"><h3>Share this</h3><a href="?share=mail&amp;nb=1&amp;k=` + n.Hex(10) + `">Email</a> <span class="like-count">` + p("%d likes", 10+n.IntN(40)) + `</span></div></article></main></div>
<aside id="secondary" class="widget-area"><section class="widget widget_search"><form role="search"><input type="search" id="search-form-` + p("%d", n.IntN(9999)) + `"></form></section><section class="widget"><h2 class="widget-title">Tip of the day</h2><p>` + cs.Pick(n, "Net your brassicas early.", "Sharpen the hoe before you use it.", "Water in the morning, at the root.", "Label what you sow.") + `</p></section>
<section class="widget"><h2 class="widget-title">From the gallery</h2><ul>` + items(cs.Some(n, 3, "The big pumpkin", "Frost on the sheds", "Dahlias in August", "The old pump", "Plum blossom")) + `</ul></section><section class="widget"><p>` + p("%d visitors online", 1+n.IntN(14)) + `</p></section></aside></div>
<footer id="colophon" class="site-footer"><p>Proudly run by volunteers. Theme: Greenleaf.</p><p>` + p("%d queries in 0.%03d seconds", 30+n.IntN(40), n.IntN(1000)) + `</p></footer></div>
<div id="cookie-law-bar"><span>This site uses cookies.</span> <a role="button">` + cs.Pick(n, "Accept", "Fine by me") + `</a></div></body></html>`
	}}
}
