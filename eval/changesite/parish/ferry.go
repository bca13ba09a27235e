package parish

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// ferry is the timetable of a ferry line, in a content management system of modules and blocks.
func ferry() *cs.Page {
	first := func(n *cs.Run) string { return cs.Since(n, "07:15", cs.At(7, "07:05")) }
	adult := func(n *cs.Run) float64 { return cs.Since(n, 9.4, cs.At(17, 9.8)) }
	until := func(n *cs.Run) string { return cs.Since(n, "25 October 2026", cs.At(25, "1 November 2026")) }
	return &cs.Page{
		Path: "/timetables/tarbrax-skerra", Type: "timetable",
		Schema: `{"type":"object","properties":{"route":{"type":"string"},"valid_until":{"type":"string"},"weekday_departures":{"type":"array","items":{"type":"string"}},
			"fares":{"type":"object","properties":{"adult_return":{"type":"number"},"child_return":{"type":"number"},"bicycle":{"type":"number"}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{
				"route": "Tarbrax – Skerra", "valid_until": until(n), "weekday_departures": []any{first(n), "09:00", "11:30", "14:15", "17:40"},
				"fares": map[string]any{"adult_return": adult(n), "child_return": 4.7, "bicycle": 2.0},
			}
		},
		Render: func(n *cs.Run) string {
			notice := `<div class="paragraph paragraph--type--notice"><h2 class="notice__title">Last sailing on Sundays</h2>
<p>Until the slipway at Skerra is mended, the 18:20 sailing on Sundays does not run. The last boat leaves Skerra at 16:50.</p></div>`
			return fill(ferryHTML, "dom", n.Hex(10), "form", n.Hex(32), "css", n.Hex(12), "clock", moment(n).Format("15:04:05"),
				"today", day(n).Format("Mon 2 January 2006"), "shot", 1_788_000_000+n.IntN(9e6),
				"carried", grouped(counted(n, 141_300, 410)), "slide", cs.Pick(n, "Seals off the Black Rock", "Evening at Tarbrax pier",
					"The Morag II in her new paint", "Heather on Skerra"),
				"first", first(n), "fare", fmt.Sprintf("£%.2f", adult(n)), "until", until(n), "notice", cs.Since(n, "", cs.At(8, notice), cs.At(39, "")),
				"promo", cs.Pick(n, "Gift vouchers for a day on the water", "Hire the boat for your wedding", "Follow the crew on Shoreline",
					"Bring a flask, keep the sea clean"),
				"followers", grouped(counted(n, 5_120, 6)),
				"visit", cs.Each(cs.Some(n, 3, "Puffin walk", "Skerra pottery", "Island tea room", "Chapel of St Ronan", "Lighthouse museum", "Kelp trail"),
					func(s string) string {
						return fill(`<div class="views-row"><div class="node node--type-place node--view-mode-teaser" data-history-node-id="{id}"><h3>
<a href="/node/{id}">{title}</a></h3></div></div>`, "id", 100+n.IntN(900), "title", s)
					}))
		},
	}
}

const ferryHTML = `<!DOCTYPE html>
<html lang="en" dir="ltr" prefix="og: https://ogp.me/ns#"><head><meta charset="utf-8"><meta name="Generator" content="Modulo 10">
<title>Tarbrax – Skerra | Inver Sound Ferries</title>
<link rel="stylesheet" media="all" href="/sites/default/files/css/css_{css}.css?delta=0">
<script type="application/json" data-modulo-selector="settings-json">{"path":{"currentPath":"node/31"},"ajaxPageState":{"theme":"sound","token":"{form}"}}</script></head>
<body class="path-node page-node-type-timetable"><a href="#main-content" class="visually-hidden focusable">Skip to main content</a>
<div class="dialog-off-canvas-main-canvas" data-off-canvas-main-canvas><div class="layout-container">
<header role="banner"><div class="region region-header">
<div id="block-sound-branding" class="block block-system block-system-branding-block"><a href="/" rel="home">Inver Sound Ferries</a>
<div class="site-slogan">Nine islands, one rope</div></div>
<div id="block-clock-{dom}" class="block block-clock"><span class="clock__date">{today}</span> <span class="clock__time">{clock}</span></div>
<nav role="navigation" id="block-sound-main-menu"><ul class="menu"><li class="menu-item menu-item--active-trail"><a href="/timetables">Timetables</a></li>
<li class="menu-item"><a href="/fares">Fares</a></li><li class="menu-item"><a href="/freight">Freight</a></li>
<li class="menu-item"><a href="/lost-property">Lost property</a></li></ul></nav></div></header>
<main role="main"><a id="main-content" tabindex="-1"></a><div class="layout-content"><div class="region region-content"><div id="block-sound-page-title" class="block">
<h1 class="page-title"><span class="field field--name-title">Tarbrax – Skerra</span></h1></div>
<article data-history-node-id="31" class="node node--type-timetable node--view-mode-full"><div class="node__content">
<div class="field field--name-body"><p>The crossing takes thirty-five minutes. Be on the pier ten minutes before; the gate closes when the boat lets go.</p>
<p class="validity">Valid from 1 April 2026 until {until}.</p></div>
{notice}
<div class="field field--name-field-sailings field--label-above"><div class="field__label">Monday to Saturday</div><table class="tt" data-striping="1"><thead><tr>
<th>Leaves Tarbrax</th><th>Leaves Skerra</th></tr></thead><tbody><tr class="odd"><td>{first}</td><td>08:00</td></tr><tr class="even"><td>09:00</td><td>09:50</td></tr>
<tr class="odd"><td>11:30</td><td>12:20</td></tr><tr class="even"><td>14:15</td><td>15:05</td></tr><tr class="odd"><td>17:40</td><td>18:30</td></tr></tbody></table></div>
<div class="field field--name-field-sailings field--label-above"><div class="field__label">Sunday</div><table class="tt" data-striping="1"><thead><tr>
<th>Leaves Tarbrax</th><th>Leaves Skerra</th></tr></thead><tbody><tr class="odd"><td>10:30</td><td>11:20</td></tr><tr class="even"><td>16:00</td><td>16:50</td></tr>
<tr class="odd"><td>17:30</td><td>18:20</td></tr></tbody></table></div>
<div class="field field--name-field-fares field--label-above"><div class="field__label">Fares</div><dl class="fares"><dt>Adult, return</dt><dd>{fare}</dd>
<dt>Child from 5 to 15, return</dt><dd>£4.70</dd><dt>Bicycle</dt><dd>£2.00</dd><dt>Dog</dt><dd>free</dd></dl>
<p>Pay on board by card or in cash. Books of ten returns are sold at the pier office.</p></div>
<div class="field field--name-field-access"><h2>Getting on board</h2>
<p>The ramp is steep at low water; the crew will help with prams and wheelchairs. Six bicycles fit on each sailing, first come, first served.</p></div>
<div class="field field--name-field-contact"><h2>Pier office</h2><p>Tarbrax pier, 01632 960 418, open from 06:45 to 18:00.</p></div></div></article>
<div class="views-element-container block block-views" id="block-views-{dom}"><h2>While you are there</h2>
<div class="view view-places view-id-places js-view-dom-id-{form}"><div class="view-content">{visit}</div></div></div></div></div>
<aside class="layout-sidebar-second" role="complementary"><div class="region region-sidebar-second"><div class="block block-webcam">
<h2>Pier camera</h2><img src="/cam/tarbrax.jpg?t={shot}" alt="Tarbrax pier" width="320" height="180"></div>
<div class="block block-slideshow" id="slide-{dom}"><figure><img src="/sites/default/files/styles/side/{css}.jpg" alt=""><figcaption>{slide}</figcaption></figure></div>
<div class="block block-promo"><p><a href="/promo?c={dom}">{promo}</a></p></div>
<div class="block block-form"><form action="/node/31" method="post" id="newsletter-{dom}"><input type="hidden" name="form_build_id" value="form-{form}">
<label for="edit-mail--{dom}">News by email</label><input id="edit-mail--{dom}" type="email" name="mail"></form></div></div></aside></main>
<footer role="contentinfo"><div class="region region-footer"><p>{carried} passengers carried this year · {followers} follow us on Shoreline</p><ul class="menu">
<li><a href="/conditions">Conditions of carriage</a></li><li><a href="/privacy">Privacy</a></li></ul></div></footer>
<div id="sliding-popup" class="eu-cookie-compliance-banner eu-cookie-{dom}"><p>This site stores a cookie to keep your language.</p>
<button type="button">OK</button></div></div></div></body></html>`
