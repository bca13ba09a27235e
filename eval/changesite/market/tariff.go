package market

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const tariffLayout = `<!DOCTYPE html>
<html lang="en-GB" xmlns:og="http://ogp.me/ns#"><head><meta charset="UTF-8"/><title>Electricity tariffs | Northmoor Energy</title>
<link rel="stylesheet" href="/etc.clientlibs/northmoor/clientlibs/clientlib-base.lc-[[lc]]-lc.min.css" type="text/css"/><meta name="x-correlation" content="[[correlation]]"/></head>
<body class="page basicpage" id="page-[[page]]" data-cmp-data-layer-enabled="true"><div class="root responsivegrid"><div class="aem-Grid aem-Grid--12 aem-Grid--default--12">
<div class="notification aem-GridColumn"><div class="cmp-notification" role="status"><span class="cmp-notification__text">[[queue]]</span></div></div>
<header class="experiencefragment aem-GridColumn"><div class="cmp-experiencefragment cmp-experiencefragment--header"><div class="cmp-logo"><a href="/home.html">Northmoor Energy</a></div>
<nav class="cmp-navigation"><ul class="cmp-navigation__group"><li class="cmp-navigation__item cmp-navigation__item--level-0"><a class="cmp-navigation__item-link" href="/home/electricity.html">Electricity</a></li><li class="cmp-navigation__item cmp-navigation__item--level-0"><a class="cmp-navigation__item-link" href="/home/heat.html">Heat</a></li><li class="cmp-navigation__item cmp-navigation__item--level-0"><a class="cmp-navigation__item-link" href="/home/moving.html">Moving house</a></li><li class="cmp-navigation__item cmp-navigation__item--level-0"><a class="cmp-navigation__item-link" href="/home/help.html">Help</a></li></ul></nav></div></header>
<main class="container responsivegrid aem-GridColumn aem-GridColumn--default--12"><div id="container-[[page]]" class="cmp-container">
<div class="breadcrumb"><nav class="cmp-breadcrumb"><ol class="cmp-breadcrumb__list"><li class="cmp-breadcrumb__item"><a href="/home.html">Home</a></li><li class="cmp-breadcrumb__item">Electricity</li><li class="cmp-breadcrumb__item cmp-breadcrumb__item--active">Tariffs</li></ol></nav></div>
<div class="title"><div id="title-[[t1]]" class="cmp-title"><h1 class="cmp-title__text">Our electricity tariffs</h1></div></div>
<div class="text"><div id="text-[[t2]]" class="cmp-text"><p>All prices are for homes in the Northmoor area on a single-rate meter, paid by direct debit. They include VAT at 5%.</p></div></div>
<div class="tariffcards"><div class="cmp-tariffs" data-experiment="[[experiment]]">[[cards]]</div></div>
<div class="promo"><div class="cmp-promo"><p class="cmp-promo__text">[[promo]]</p><a class="cmp-button" href="/switch.html?cid=[[correlation]]"><span class="cmp-button__text">[[button]]</span></a></div></div>
<div class="title"><div class="cmp-title"><h2 class="cmp-title__text">Leaving us</h2></div></div>
<div class="text"><div class="cmp-text"><p>You can end a Flexible contract with [[notice]] notice, in writing or in your account. There is no exit fee. A Fixed contract runs to its end date; leaving before costs £40 for each fuel.</p></div></div>
<div class="title"><div class="cmp-title"><h2 class="cmp-title__text">Where the power comes from</h2></div></div>
<div class="text"><div class="cmp-text"><p>[[source]]</p></div></div>
<div class="gridlive"><div class="cmp-gridlive" data-refresh="300"><h3>The grid at this moment</h3><ul><li>Wind [[wind]]%</li><li>Sun [[sun]]%</li><li>Demand [[demand]] MW</li></ul></div></div>
<div class="title"><div class="cmp-title"><h2 class="cmp-title__text">If you cannot pay</h2></div></div>
<div class="text"><div class="cmp-text"><p>Ring us before the bill is due and we agree on instalments. Nobody over 70 and no household with a child under five is disconnected between October and April.</p></div></div>
</div></main>
<div class="teaserlist aem-GridColumn"><div class="cmp-teaserlist"><h2>Save energy</h2>[[teasers]]</div></div>
<footer class="experiencefragment"><div class="cmp-experiencefragment--footer"><p>Northmoor Energy Supply plc, Tarn Street, Kelderby. We have planted [[trees]] trees so far.</p><p>[[rating]]</p><ul><li><a href="/home/legal.html">Legal</a></li><li><a href="/home/privacy.html">Privacy</a></li></ul><p class="stamp">Page served [[served]] by publish-[[server]]</p></div></footer>
</div></div><div id="consent-[[t1]]" class="cmp-consent"><p>[[cookies]]</p><button>Accept all</button><button>Only what is needed</button></div></body></html>`

const cardLayout = `<div class="cmp-tariffs__card" id="card-[[id]]"><h2 class="cmp-tariffs__name">[[name]]</h2><p class="cmp-tariffs__state">[[state]]</p><dl><dt>Unit price</dt><dd>[[unit]]p per kWh</dd><dt>Standing charge</dt><dd>[[standing]]p a day</dd><dt>Contract</dt><dd>[[term]]</dd></dl></div>`

// plan is a tariff, in hundredths of a penny.
type plan struct {
	name, state, term string
	unit, standing    int
}

func plans(n *cs.Run) []plan {
	open := "Open to new customers"
	return []plan{
		{"Northmoor Flexible", open, "no end date", cs.Since(n, 2740, cs.At(2, 2810)), 5210},
		{"Northmoor Fixed 18", open, "18 months", 2595, cs.Since(n, 5480, cs.At(12, 5390))},
		{"Northmoor Night", cs.Since(n, open, cs.At(38, "Closed to new customers")), "no end date", 1860, 5890},
	}
}

func tariff() *cs.Page {
	notice := func(n *cs.Run) string { return cs.Since(n, "four weeks'", cs.At(26, "six weeks'")) }
	pence := func(hundredths int) string { return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100) }
	return &cs.Page{
		Path: "/home/electricity/tariffs.html", Type: "tariff",
		Schema: `{"type":"object","properties":{"tariffs":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"state":{"type":"string"},"unit_price":{"type":"string"},"standing_charge":{"type":"string"},"contract":{"type":"string"}}}}}}`,
		Data: func(n *cs.Run) map[string]any {
			list := []any{}
			for _, t := range plans(n) {
				list = append(list, map[string]any{"name": t.name, "state": t.state, "unit_price": pence(t.unit) + "p per kWh", "standing_charge": pence(t.standing) + "p a day", "contract": t.term})
			}
			return map[string]any{"tariffs": list}
		},
		Render: func(n *cs.Run) string {
			return fill(tariffLayout, "lc", n.Hex(32), "correlation", n.Hex(24), "page", n.Hex(10),
				"queue", cs.Pick(n, "Our lines are busy: you wait about "+between(n, 2, 25)+" minutes.", "Chat with us: "+between(n, 1, 9)+" people are before you.", "Did you know? You can send your reading by text message."),
				"t1", n.Hex(10), "t2", n.Hex(10), "experiment", cs.Pick(n, "control", "variant-b"),
				"cards", cs.Each(plans(n), func(t plan) string {
					return fill(cardLayout, "id", n.Hex(8), "name", t.name, "state", t.state, "unit", pence(t.unit), "standing", pence(t.standing), "term", t.term)
				}), "promo", cs.Pick(n, "Switching takes five minutes. We tell your old supplier.", "Five minutes, and we do the rest with your old supplier."), "button", cs.Pick(n, "Switch now", "Start my switch", "See my price"), "notice", notice(n),
				"source", cs.Since(n, "Last year 61% of what we sold came from wind, 12% from water and 27% from gas. We publish the certificates each spring, once the auditor has signed them.",
					cs.At(27, "Last year 68% of what we sold came from wind, 13% from water and 19% from gas. The auditor signed the certificates on 20 March, and our last contract with a gas plant ends in 2028.")),
				"wind", between(n, 18, 62), "sun", between(n, 0, 20), "demand", between(n, 410, 690),
				"teasers", cs.Each(cs.Some(n, 3, "Bleed your radiators in ten minutes", "What a fridge costs in a year", "Draughts: find them with a candle", "Heat pumps in old houses", "The kettle myth", "How to read a meter upside down"), func(s string) string {
					return fill(`<div class="cmp-teaser" id="teaser-[[id]]"><h3><a href="/advice/[[slug]].html?teaser=[[id]]">[[s]]</a></h3></div>`, "id", n.Hex(6), "slug", slug(s), "s", s)
				}), "trees", creeping(n, 20_140, 31), "rating", "Rated 4.5 by "+creeping(n, 9120, 12)+" customers",
				"served", now(n).Format("Mon 2 Jan 2006 15:04:05 MST"), "server", between(n, 1, 6), "cookies", cs.Pick(n, "We use cookies to make this site better.", "Cookies help us to see what works."))
		},
	}
}
