package orchard

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// campground is a park's page on what is open, with the nested blocks of a content management system.
func campground() *cs.Page {
	return &cs.Page{Path: "/parks/silverfen/conditions", Type: "status", Render: func(n *cs.Run) string {
		field := func(name, value string) string {
			return `<div class="views-row"><div class="views-field views-field-title"><span class="field-content">` + name + `</span></div><div class="views-field views-field-field-state"><div class="field-content">` + value + "</div></div></div>\n"
		}
		dom := "js-view-dom-id-" + n.Hex(64)
		return `<!DOCTYPE html><html lang="en" dir="ltr" prefix="og: https://ogp.me/ns#"><head><meta charset="utf-8"/><title>Current conditions | Silverfen State Park</title><link rel="stylesheet" media="all" href="/sites/default/files/css/css_` + n.Hex(43) + `.css?delta=0"/></head>
<body class="path-node page-node-type-conditions"><div class="dialog-off-canvas-main-canvas" data-off-canvas-main-canvas><div class="layout-container">
<header role="banner"><div id="block-branding"><a href="/" rel="home">State Parks of Tamarack</a></div><nav role="navigation" id="block-main-menu"><ul class="menu"><li class="menu-item"><a href="/find">Find a park</a></li><li class="menu-item"><a href="/reserve?token=` + n.Hex(16) + `">Reservations</a></li><li class="menu-item"><a href="/passes">Passes</a></li><li class="menu-item"><a href="/volunteer">Volunteer</a></li></ul></nav></header>
<main role="main"><a id="main-content" tabindex="-1"></a><div class="layout-content"><div class="region region-content"><div id="block-page-title"><h1><span class="field field--name-title">Silverfen: current conditions</span></h1></div>
<article role="article" class="node node--type-conditions node--view-mode-full"><div class="node__content"><div class="clearfix text-formatted field field--name-body"><p>Rangers check roads and trails each morning. Call the ranger station at 555-0139 before you drive out, as there is no telephone reception beyond the gate.</p>
<p>` + cs.Since(n, "Campfires are permitted in fire rings.", cs.At(25, "Campfires are banned in the whole park."), cs.At(35, "Campfires are permitted in fire rings from 6 pm to midnight.")) + `</p></div>
<h2>Roads</h2><div class="view view-roads ` + dom + `"><div class="view-content">` + field("Entrance road", "Open") + field("Loon Pass road", cs.Since(n, "Closed by snow", cs.At(14, "Open, chains advised"), cs.At(15, "Open"))) + field("Beaver Dam road", "Open to high vehicles") + `</div></div>
<h2>Trails</h2><div class="view view-trails"><div class="view-content">` + field("Lakeshore loop, 3.1 miles", "Open") + field("Heron boardwalk, 0.8 miles", cs.Since(n, "Open", cs.At(7, "Closed for repairs"))) + field("Cinder ridge, 7.4 miles", "Open, icy in places above the spring") + field("Old mill path, 2.2 miles", "Open") + `</div></div>
<h2>Campgrounds</h2><div class="view view-camps"><div class="view-content">` + field("Fern Hollow", "Open, 42 sites, water and toilets") + field("Loon Pass", "Opens 22 May") + field("Group camp", "By reservation only") + `</div></div>
<h2>Good to know</h2><div class="text-formatted"><ul><li>Keep food in the steel lockers, as bears are about.</li><li>Water from the lake must be boiled.</li><li>Dogs are welcome on a leash of six feet.</li><li>Canoes can be hired at the boathouse; motors are not permitted on the lake.</li></ul><h2>Fees</h2><p>A day pass is $9 for each vehicle and is paid in the green box at the gate, in cash or by check. Annual passes of the state hang from the mirror. Those who come on foot or by bicycle pay $2, and children under 12 pay nothing.</p></div></div></article>
<div class="block block-poll"><h2>Poll: what is your favourite season in the park?</h2><ul><li>Spring ` + p("%d", 100+n.Calm.IntN(50)) + ` votes</li><li>Summer ` + p("%d", 200+n.Calm.IntN(90)) + ` votes</li><li>Fall ` + p("%d", 300+n.Calm.IntN(90)) + ` votes</li></ul></div></div></div>
<aside class="layout-sidebar-second" role="complementary"><div class="block"><h2>Photo of the day</h2><img src="/files/styles/medium/p.jpg?itok=` + n.Hex(8) + `" alt=""/><p>` + cs.Pick(n, "Mist over the reeds, by L. Amsel", "Otter tracks, by J. Pruitt", "Evening at the dock, by S. Odaka") + `</p></div><div class="block"><h2>Shop</h2><p>` + cs.Pick(n, "Park posters and mugs", "Gift cards for campers", "Field guides to birds") + `</p></div></aside></main>
<footer role="contentinfo"><p>Tamarack Department of Parks, 200 Capitol Road</p><ul><li><a href="/accessibility">Accessibility</a></li><li><a href="/privacy">Privacy</a></li></ul><p>Today is ` + p("%02d/%02d/2026", 1+n.Calm.IntN(12), 1+n.Calm.IntN(28)) + `</p></footer></div></div>
<form id="user-login-` + n.Hex(6) + `"><input type="hidden" name="form_build_id" value="form-` + n.Hex(43) + `"/></form></body></html>`
	}}
}
