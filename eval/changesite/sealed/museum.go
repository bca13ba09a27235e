package sealed

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// museum is the page of a museum's opening hours and tickets, made of blocks and views.
func (h hours) museum() *cs.Page {
	thursday := func(n *cs.Run) string { return cs.Since(n, "10:00 to 18:00", cs.At(6, "10:00 to 21:00")) }
	adult := func(n *cs.Run) float64 { return cs.Since(n, 14.0, cs.At(20, 15.0)) }
	closed := func(n *cs.Run) []string {
		return cs.Since(n, []string{"1 January", "21 July", "25 December"}, cs.At(28, []string{"1 January", "27 April", "21 July", "25 December"}))
	}
	return &cs.Page{
		Path: "/en/visit/opening-hours", Type: "opening hours",
		Schema: `{"type":"object","properties":{"hours":{"type":"object","properties":{"tuesday_wednesday":{"type":"string"},"thursday":{"type":"string"},"friday_sunday":{"type":"string"}}},
			"adult_ticket":{"type":"number"},"reduced_ticket":{"type":"number"},"closed_on":{"type":"array","items":{"type":"string"}}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{
				"hours":        map[string]any{"tuesday_wednesday": "10:00 to 18:00", "thursday": thursday(n), "friday_sunday": "09:30 to 18:00"},
				"adult_ticket": adult(n), "reduced_ticket": 9.0, "closed_on": closed(n),
			}
		},
		Render: func(n *cs.Run) string {
			c := n.Calmly()
			token := n.Hex(43)
			return fill(`<!DOCTYPE html>
<html lang="en" dir="ltr" prefix="schema: https://schema.org/">
<head><meta charset="utf-8" /><title>Opening hours and tickets | Museum of Salt and Trade</title>
<link rel="stylesheet" media="all" href="/sites/default/files/css/css_{{css}}.css?t{{bust}}" />
<script type="application/json" data-drupal-selector="drupal-settings-json">{"path":{"currentPath":"node/17"},"user":{"uid":0,"permissionsHash":"{{permissions}}"},"ajaxTrustedUrl":{"{{ajax}}":true}}</script></head>
<body class="path-node page-node-type-visit">
<div class="dialog-off-canvas-main-canvas">
<div class="region region-top"><div class="block block-date">{{today}}, {{clock}} in Ghent. {{sky}}, {{degrees}} °C.</div><div class="block block-search"><form action="/en/search"><input type="hidden" name="form_build_id" value="form-{{token}}" /><input type="submit" value="{{find}}" /></form></div></div>
<header><a href="/en?SESS={{session}}" rel="home">Museum of Salt and Trade</a>
<nav><ul><li><a href="/en/visit">Visit</a></li><li><a href="/en/collection">Collection</a></li><li><a href="/en/schools">Schools</a></li><li><a href="/en/shop?SESS={{session}}">Shop</a></li></ul></nav></header>
<div class="region region-hero"><div class="view view-hero js-view-dom-id-{{dom}}"><h2>{{hero}}</h2><a href="/en/node/{{node}}">{{more}}</a></div></div>
<main role="main"><a id="main-content" tabindex="-1"></a>
<h1 class="page-header">Opening hours and tickets</h1>
<div class="field field--name-body">
<h2>Opening hours</h2>
<table><tbody><tr><td>Monday</td><td>closed</td></tr><tr><td>Tuesday and Wednesday</td><td>10:00 to 18:00</td></tr><tr><td>Thursday</td><td>{{thursday}}</td></tr><tr><td>Friday to Sunday</td><td>09:30 to 18:00</td></tr></tbody></table>
<p>The last tickets are sold an hour before closing. The museum is also closed on these days:</p>
<ul>{{closed}}</ul>
<h2>Tickets</h2>
<table><tbody><tr><td>Adults</td><td>€ {{adult}}</td></tr><tr><td>Students and over 65</td><td>€ 9.00</td></tr><tr><td>Under 19</td><td>free</td></tr></tbody></table>
<h2>In the galleries</h2>
<p>{{rules}}</p>
</div>
<div class="feedback"><p>Was this page of use? {{useful}} readers say yes.</p><form id="vote-{{dom}}"><input type="hidden" name="form_token" value="{{token}}" /><button>Yes</button><button>No</button></form></div>
</main>
<aside class="region region-sidebar">
<div class="block block-views"><h2>Object of the moment</h2><p>{{object}}</p></div>
<div class="block block-views"><h2>From the shop</h2><ul>{{shop}}</ul></div>
<div class="block block-quote"><h2>In the visitors' book</h2><p>{{visitor}}</p></div>
<div class="block block-simpleads" data-ad="{{ad}}"><span>Advertising</span><a href="/simpleads/redirect/{{ad}}">{{advert}}</a></div>
<div class="block block-poll"><h2>This month's question</h2><p>Sweet {{sweet}} votes, salty {{salty}} votes</p></div>
<div class="block block-who"><h2>Who's online</h2><p>There are currently {{online}} visitors online.</p></div>
</aside>
<footer class="region region-footer"><ul class="friends">{{friends}}</ul>
<p>{{letter}}</p><p>{{pages}} pages read since our doors went online. Saying of the day: {{saying}}</p><p>Rendered on {{server}} in {{ms}} ms</p></footer>
</div>{{consent}}</body></html>`,
				"css", n.Hex(32), "bust", n.Hex(6), "permissions", n.Hex(40), "ajax", "form_action_"+n.Hex(10),
				"today", h.now(c).Format("Monday 2 January 2006"), "clock", h.now(n).Add(hour).Format("15:04:05"), "sky", cs.Pick(c, "Cloudy", "Sunny", "Rainy", "Windy", "Foggy"), "degrees", between(c, 1, 12),
				"token", token, "find", cs.Pick(n, "Search", "Find", "Go"), "session", n.Hex(32), "dom", n.Hex(40),
				"hero", cs.Pick(n, "White gold: a walk in nine rooms", "The ship in the attic", "Draw with us on Sunday", "What a salt tax does to soup", "Behind the scenes: the depot", "Your birthday among barrels"), "node", between(n, 100, 999), "more", cs.Pick(n, "More", "Read on", "Have a look", "Discover more"),
				"thursday", thursday(n), "closed", cs.Each(closed(n), tag("li")), "adult", fmt.Sprintf("%.2f", adult(n)),
				"rules", cs.Since(n, "You may take photographs without flash. Pushchairs are welcome; large bags go in the lockers, which take a one euro coin.",
					cs.At(32, "You may take photographs without flash, but not in the temporary exhibition. Pushchairs are welcome; large bags go in the lockers, which are free.")),
				"useful", h.count(c, 1_304, 3),
				"object", cs.Pick(n, "Salt cellar in the shape of a swan, 1688", "Ledger of the widow Claes", "Model of a cog, lime wood", "Scales from Hallstatt", "Customs seal, lead", "Pickling jar with a wedding scene", "Map of the white roads"),
				"shop", cs.Each(cs.Some(n, 3, "Smoked salt, 80 g", "Tea towel with herrings", "The big book of brine", "Wooden spoon", "Postcards, set of ten", "Salt pig, stoneware", "Puzzle of the harbour"), tag("li")),
				"visitor", cs.Pick(n, "We licked nothing, promise. Class 4b", "Wonderful guards, they know everything. M. Peeters", "Came for the rain, stayed for the ships. Oona", "The lift talks! Emil, 6", "Merci pour les bancs. Famille Roux", "My grandfather worked in this warehouse. L. De Smet"),
				"ad", between(n, 10, 99)+n.Hex(4), "advert", cs.Pick(n, "Waffles at the Korenlei", "Boat trips every half hour", "Hotel in a former chapel", "Bicycle hire by the station", "Theatre: The Miser, until June", "Mustard since 1790"),
				"sweet", h.count(c, 318, 3), "salty", h.count(c, 401, 4), "online", between(n, 2, 54),
				"friends", cs.Each(cs.Shuffled(n, "City of Ghent", "Flanders Heritage", "Port Authority", "Friends of the Museum", "Salt Route Association"), tag("li")),
				"letter", cs.Pick(n, "Sign up for the newsletter", "Stay in touch with the museum", "News from the warehouse, four times a year"), "pages", h.count(n, 4_902_611, 70),
				"saying", cs.Pick(c, "Below the salt sit the better stories.", "A guest eats salt twice.", "Worth one's salt.", "Salt remembers the sea.", "No soup without patience."), "server", cs.Pick(n, "drp", "web")+between(n, 1, 6), "ms", between(n, 30, 480),
				"consent", cs.Pick(n, "", `<div id="sliding-popup"><p>We use cookies on this site to enhance your visit.</p><button>OK, I agree</button><button>No, thanks</button></div>`))
		},
	}
}
