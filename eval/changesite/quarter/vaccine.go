package quarter

import (
	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// vaccine is advice of a health service, in a content system with blocks. For a month nobody touches it.
func vaccine() *cs.Page {
	return &cs.Page{Path: "/health/vaccination/tick-borne-encephalitis", Type: "advice", Render: func(n *cs.Run) string {
		return service(n, p(`<article class="node node--type-advice node--view-mode-full" data-history-node-id="2207" about="/health/vaccination/tick-borne-encephalitis">
<h1 class="page-header"><span>Vaccination against tick-borne encephalitis</span></h1>
<div class="node__meta"><span class="stats">Read %d times, %d times today</span> <a href="/print/2207?token=%s">Print version</a></div>
<div class="field field--name-body"><p>Tick-borne encephalitis is an inflammation of the brain and its membranes. It is passed on by the bite of a tick. There is no
treatment of the cause, but there is a vaccine.</p>
<h2>Who should be vaccinated?</h2><p>Everybody from three years on who lives in the canton or spends time in its woods and meadows, even in gardens. Ticks are active from
March to November, below an altitude of 1,500 metres.</p>
<h2>Doses</h2><table class="table table-bordered views-table-%d"><thead><tr><th>Dose</th><th>When</th></tr></thead><tbody><tr><td>First</td>
<td>any day, best in winter</td></tr><tr><td>Second</td><td>1 to 3 months after the first</td></tr><tr><td>Third</td><td>5 to 12 months after the second</td></tr><tr>
<td>Booster</td><td>%s</td></tr></tbody></table>
<p>Children under twelve get the vaccine for children, which holds half the amount.</p>
<h2>Side effects</h2><p>One person in three feels pain at the arm for a day or two. Fever is rare in adults, and more frequent in small children after the first dose.</p>
%s<h2>How well does it protect?</h2><p>After three doses, more than 95 of 100 people are protected. The vaccine does not help against other diseases that ticks carry,
such as Lyme disease: wear long trousers in high grass, and search your skin in the evening.</p>
<h2>What does it cost?</h2><p>%s</p>
<h2>Where?</h2><p>At your family doctor, in most pharmacies, and at the vaccination centre of the canton, Lindengasse 12, without an appointment on Wednesdays from 13:00
to 17:00.</p></div>
<div class="rate-widget" id="rate-%s"><span>%d found this useful</span></div>
<div class="block-related"><h2>Others also looked at</h2><ul>%s</ul></div></article>`,
			counted(n, 40_310, 85), 10+n.Calm.IntN(90)+n.IntN(4), n.Hex(43), n.IntN(100),
			cs.Since(n, "every 10 years", cs.At(32, "every 5 years, from 60 years on every 3 years")),
			cs.Since(n, "", cs.At(33, `<h2>Before you come</h2><p>Tell us if you are allergic to egg white, if you are pregnant, or if you take medicines that weaken the
immune system. Who has a fever should wait until two days after it has gone. Bring your vaccination card; if it is lost, we write a new one.</p>
`)),
			cs.Since(n, "The health insurance pays for it, less the deductible.", cs.At(40, "The health insurance pays for it, and the deductible does not apply.")),
			n.Hex(8), counted(n, 1204, 3),
			items(cs.Some(n, 4, "Removing a tick", "Vaccination card lost", "Travel to the tropics", "Whooping cough", "Shingles", "Influenza", "Measles", "Hay fever"),
				`<li class="views-row"><a href="/health">%s</a></li>`)))
	}}
}

// service is the frame of the health service.
func service(n *cs.Run, main string) string {
	stairs := 54 + n.Calm.IntN(6)
	return p(`<!DOCTYPE html>
<html lang="en" dir="ltr" prefix="content: http://purl.org/rss/1.0/modules/content/"><head><meta charset="utf-8" />
<meta name="Generator" content="Drupal 11 (https://www.drupal.org)" /><title>Tick-borne encephalitis | Health Service of the Canton of Rauen</title>
<link rel="stylesheet" media="all" href="/sites/default/files/css/css_%s.css?delta=0&amp;include=%s" /></head>
<body class="path-node page-node-type-advice"><a href="#main-content" class="visually-hidden focusable">Skip to main content</a>
<div class="dialog-off-canvas-main-canvas" data-off-canvas-main-canvas><div class="layout-container">
<header role="banner"><div class="region region-header"><a href="/" rel="home">Canton of Rauen</a><p class="slogan">Health Service</p>
<nav role="navigation" aria-labelledby="block-lang"><ul><li>EN</li><li><a href="/de">DE</a></li><li><a href="/fr">FR</a></li></ul></nav></div></header>
<div class="region region-primary-menu"><ul class="menu"><li><a href="/health/emergency">Emergency</a></li><li><a href="/health/vaccination">Vaccination</a></li><li>
<a href="/health/school">Schools</a></li><li><a href="/health/food">Food</a></li><li><a href="/health/water">Bathing water</a></li></ul>
<form action="/search/node" method="get" id="search-block-form--%s"><input autocomplete="off" type="hidden" name="form_build_id" value="form-%s" />
<input type="search" name="keys" placeholder="Search" /></form></div>
<div class="region region-highlighted"><p class="today">%s, %d °C in Rauen</p></div>
<main role="main"><a id="main-content" tabindex="-1"></a><div class="layout-content"><div class="region region-content" data-dom-id="%s">%s</div></div>
<aside class="layout-sidebar-second" role="complementary"><div class="block block-views"><h2>From the canton</h2>%s</div><div class="block block-poll"><h2>%s</h2>
<p>Stairs %d %%, lift %d %%</p></div><div class="block block-tip"><p>%s</p></div></aside></main>
<footer role="contentinfo"><p>Health Service, Amtshausplatz 1, Rauen. Telephone 0555 31 22 00</p><ul class="menu"><li><a href="/legal">Legal notice</a></li><li>
<a href="/accessibility">Accessibility</a></li></ul><p class="perf">Cached at %s, request %s</p></footer></div></div>
<div role="alertdialog" class="eu-cookie"><p>We only use cookies that this website needs.</p><button>Understood</button></div>
<script type="application/json" data-drupal-selector="drupal-settings-json">{"ajaxPageState":{"theme_token":"%s"},"user":{"uid":0,"permissionsHash":"%s"}}</script></body>
</html>`,
		n.Hex(43), n.Hex(60), n.Hex(6), n.Hex(43), day(n).Format("Monday, 2 January 2006"), 2+n.Calm.IntN(14), n.Hex(64), main,
		cs.Each(cs.Some(n, 3, "New rector at the music school", "The archive shows old maps", "Open day at the fire brigade", "Prize for a wooden bridge",
			"Road sweepers on tour", "Young cooks win medals", "Concert in the town park"), func(s string) string {
			return p(`<div class="views-row"><a href="/news/%d">%s</a></div>`, n.IntN(9000), s)
		}), cs.Pick(n, "Do you take the stairs?", "Stairs or lift?"), stairs, 100-stairs, cs.Pick(n, "Drink a glass of water now and then.",
			"Stretch your back once an hour.", "An apple a day is a good start.", "Wash your hands for as long as a song."),
		now(n).Format("2006-01-02 15:04:05"), n.Hex(16), n.Hex(43), n.Hex(64))
}
