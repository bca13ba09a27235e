package bazaar

// desks are how firms are reached, and what they write on their doors.
func desks() []kind {
	return []kind{
		{
			name: "contact", page: "organisation",
			cols: "name tel:tel fax:tel sales:mail support:mail press:mail street city vat number founded:int head opens wheelchair:bool form:url staff:int weekend:bool branches:list",
			rows: []string{
				"Ledgerly Ltd|+44 113 555 0182|-|sales@ledgerly.example|support@ledgerly.example|press@ledgerly.example|4 Canal Wharf|Leeds|GB 482 1190 33|09318842|2016|Adaeze Bright|-|-|Write to us=/contact/form|64|-|Leeds;Utrecht",
				"Elektro-Kontor GmbH|+49 40 5550 190|+49 40 5550 199|verkauf@elektro-kontor.example|service@elektro-kontor.example|-|Speicherstraße 21|Hamburg|DE 811 204 556|HRB 90412|1988|Jost Brennecke|9:00 to 18:00|-|-|-|Open on Saturdays=true|-",
				"Orde & Vale|01632 960410|-|homes@ordevale.example|-|-|2 Market Hill|Dunmarl|-|-|1974|Tamsin Orde|9.30am to 5.30pm|Step-free entrance=true|-|11|Closed at weekends=false|Dunmarl;Nether Oster",
				"Quayhomes|01632 960777|-|hello@quayhomes.example|-|-|Heron Wharf 1|Dunmarl|-|-|2017|Lucan Pryce|10am to 6pm|No step-free entrance=false|Send a message=https://www.quayhomes.example/message|23|Open on Saturdays=true|-",
				"Parcelwing|+353 1 555 0909|-|-|help@parcelwing.example|media@parcelwing.example|Dock Road 77|Limerick|IE 9S555012L|-|2012|Saoirse Tully|-|-|-|140|-|Limerick;Cork;Ghent",
				"Garage Léman SA|+41 21 555 08 08|-|vente@garage-leman.example|atelier@garage-leman.example|-|Route du Lac 15|Morges|CHE-555.081.902|-|1961|Odile Chappuis|7:30 to 18:00|-|-|17|Closed at weekends=false|-",
				"Crumb & Co|0131 496 0150|-|orders@crumbco.example|-|-|18 Shore|Leith|-|SC 771204|2009|Isla Drummond|7am to 4pm|Step-free entrance=true|-|38|Open on Saturdays=true|Leith;Portobello;Stockbridge",
			},
			looks: []look{
				{"bootstrap", "{}.example/contact/", `Contact | {{name}}
<h1>Contact {{name}}</h1><div class="row"><div class="col"><h4>Sales</h4><a href="mailto:{{sales}}">{{sales}}</a></div>
<div class="col"><h4>Support</h4><a href="mailto:{{support}}">{{support}}</a></div>
<div class="col"><h4>Press</h4><a href="mailto:{{press}}">{{press}}</a></div></div>
<p>Call <a href="tel:{{tel}}">{{tel}}</a></p><address>{{street}}<br>{{city}}</address>
<p>Company no. {{number}}</p>
<p>VAT {{vat}}</p>
<p>Offices in {{branches}}</p>
<a class="btn" href="{{form#}}">{{form}}</a>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Organization","name":"{{name!}}","foundingDate":"{{founded}}"}</script>`},
				{"old", "www.elektro-kontor.example/", `{{name}} - Imprint
<H2>Imprint</H2><P><B>{{name}}</B><BR>{{street}}<BR>{{city}}<P><TABLE><TR><TD>Tel.</TD><TD>{{tel}}</TD></TR><TR><TD>Fax</TD><TD>{{fax}}</TD></TR><TR><TD>Orders</TD><TD>{{sales}}</TD></TR><TR><TD>Repairs</TD><TD>{{support}}</TD></TR><TR><TD>VAT ID</TD><TD>{{vat}}</TD></TR><TR><TD>Register</TD><TD>{{number}}</TD></TR></TABLE><P>Managing director: {{head}}. Founded {{founded}}. Counter open {{opens}}. {{weekend}}.`},
				{"theme", "www.ordevale.example/find-us/", `Find us – {{name}}
<h1>{{name}}</h1><p>Estate agents since {{founded}}, led by {{head}}. Come and see the {{staff}} of us at {{street}}, {{city}}.</p><p>{{weekend}}; otherwise {{opens}}. {{wheelchair}}.</p><p>{{tel}} · {{sales}}</p><p>Branches: {{branches}}</p>`},
				{"spa", "www.quayhomes.example/about/", `{{name}} | About
<div class="css-o">{{name}}</div><div class="css-r"><div>Founded</div><div>{{founded}}</div></div><div class="css-r"><div>People</div><div>{{staff}}</div></div><div class="css-r"><div>Managing partner</div><div>{{head}}</div></div><div class="css-r"><div>{{wheelchair}}</div></div><div class="css-r"><div>{{weekend}}</div></div><a href="{{form#}}">{{form}}</a><div>{{tel}}</div>`},
				{"docs", "docs.parcelwing.example/", `{{name}} – contact
<h1>Contact</h1><table><thead><tr><th>For</th><th>Write to</th></tr></thead><tbody><tr><td>Developers</td><td>{{support}}</td></tr><tr><td>Journalists</td><td>{{press}}</td></tr></tbody></table><p>{{name}}, {{street}}, {{city}}. {{staff}} people work in {{branches}}. Managed by {{head}}.</p>`},
				{"old", "www.garage-leman.example/", `{{name}}
<H1>{{name}}</H1><P>{{street}}, {{city}}<BR>Cars: {{sales}}<BR>Workshop: {{support}}<BR>{{tel}}<P>{{opens}}, {{weekend}}. In the family since {{founded}}; today {{head}} and {{staff}} others.<P>{{vat}}`},
				{"theme", "www.crumbco.example/visit/", `Visit {{name}}
<h1>Visit {{name}}</h1><dl><dt>Opening hours</dt><dd>{{opens}}</dd><dt>Saturdays</dt><dd>{{weekend}}</dd><dt>Access</dt><dd>{{wheelchair}}</dd><dt>Cake orders</dt><dd>{{sales}}</dd><dt>Shops</dt>{{branches*dd}}</dl><p>{{name}} was opened by {{head}} in {{founded}}.</p><p>Registered as {{number}}</p>`},
			},
			asks: []string{
				`0 1 5|at empty|{url}|sales_email=sales;support_email=support;phone=tel;vat_number=vat`,
				`2 6|find schema|Visit {name}|openOnSaturdays=weekend~is it open on Saturdays?;stepFree=wheelchair~is there a step-free entrance?;branches=branches~all branches;founded=founded~year of foundation`,
				`3|find schema|{name} of Dunmarl|contactForm=form~address of the contact form;founded=founded~year;openOnSaturdays=weekend~open on Saturdays;email=!mail~e-mail@mail,hello`,
				`4|find told|Parcelwing contact|developers=support~e-mail for developers;press=press~e-mail for journalists;phone=tel~phone@+353;offices=branches~where they have offices`,
				`0|find told|Ledgerly Ltd: company number, founder and fax|company_number=number~company number;fax=!tel~fax@fax^twin:+49 40 5550 199;founder=!str~who founded it@founder,founded by`,
				`1|find none|Who is the managing director of Elektro-Kontor GmbH?|x=head`,
				`6|find plain|year in which Crumb & Co was opened|x=founded~year`,
				`6|find told|Crumb & Co|phone=tel~phone@0131;orders=sales~e-mail for orders;wifi=!bool~is there WiFi@WiFi`,
			},
		},
		{
			name: "terms", page: "service",
			cols: "name fee:gbp days within free:gbp saturday:bool sunday:bool sign:bool max:num return_fee:gbp refund:int updated:date law insured:gbp islands:bool",
			rows: []string{
				"Delivery terms – Fern & Fathom|£3.95|2 to 3 working days|-|£60|Yes=true^Saturday delivery Yes|No=false^Sunday delivery No|No=false^Signature needed No|25|£0.00|14|1 March 2026=2026-03-01|Scotland|£100|-",
				"Delivery terms – Harrow Wool|£4.50|1 to 2 working days|-|£100|✓=true|✗=false|✓=true|15|£0.00|10|12 January 2026=2026-01-12|-|£250|-",
				"Delivery terms – Tern Botanicals|£2.90|3 to 5 working days|-|£35|-|-|-|2|£2.60|7|4 May 2026=2026-05-04|-|-|Northern Isles at no extra charge=true",
				"Delivery terms – Fern & Fathom Trade|£9.00|5 to 8 working days|-|£400|No=false^Saturday delivery No|No=false^Sunday delivery No|Yes=true^Signature needed Yes|900|£45.00|30|1 February 2026=2026-02-01|England and Wales|£2,000|-",
			},
			looks: []look{
				{"shopify", "www.fernandfathom.example/policies/", `{{name}}
<h1>{{name}}</h1><div class="rte"><p>Last updated: {{updated}}</p><table><tbody><tr><td>Standard delivery</td><td>{{fee}}</td></tr><tr><td>Free from</td><td>{{free}}</td></tr><tr><td>Takes</td><td>{{days}}</td></tr><tr><td>Saturday delivery</td><td>{{saturday}}</td></tr><tr><td>Sunday delivery</td><td>{{sunday}}</td></tr><tr><td>Signature needed</td><td>{{sign}}</td></tr></tbody></table><p>Parcels may weigh up to {{max}} kg and are insured up to {{insured}}. We pay refunds within {{refund}} days. The law of {{law}} applies.</p></div>`},
				{"bootstrap", "www.harrowwool.example/legal/", `{{name}}
<h1>{{name}}</h1><table class="table"><thead><tr><th>Saturday delivery</th><th>Sunday delivery</th><th>Signature needed</th></tr></thead><tbody><tr><td>{{saturday}}</td><td>{{sunday}}</td><td>{{sign}}</td></tr></tbody></table><p>Postage is {{fee}} below {{free}} and nothing above. It takes {{days}}. Sending a thing back costs you {{return_fee}}; we refund within {{refund}} days of receipt. As of {{updated}}.</p>`},
				{"woo", "shop.ternbotanicals.example/terms/", `{{name}}
<h1>{{name}}</h1><ol><li>We charge {{fee}} per order, nothing over {{free}}.</li><li>Allow {{days}}.</li><li>{{islands}}.</li><li>If you send something back, {{return_fee}} is taken off the refund, which you have {{refund}} days later.</li></ol><p>Version of {{updated}}</p>`},
			},
			asks: []string{
				`0 3|find schema|{name}|saturdayDelivery=saturday~delivery on Saturdays;signature=sign~is a signature needed?;maxWeightKg=max~greatest weight in kg;insuredUpTo=insured~up to what amount parcels are insured`,
				`1 2|at empty|{url}|postage=fee;free_from=free;return_cost=return_fee;refund_days=refund`,
				`2|find told|Tern Botanicals delivery terms|islands=islands~are the Northern Isles free of extra charge;insurance=insured~insured amount@insured;updated=updated~date of this version`,
				`1|find schema|{name}|sundayDelivery=sunday~Sunday delivery;law=law~law that applies@law;updated=updated~date of the terms`,
				`3|find none|How much is standard delivery for trade customers of Fern & Fathom? (Delivery terms – Fern & Fathom Trade)|x=fee`,
				`0|find empty|{name}|postage=!gbp;refund_days=!int|Delivery terms – Puddle & Pike`,
			},
		},
	}
}

// loose are pages that stand around the others: news of shops, reviews, lists of what is near, and some that nobody asks about.
func loose() []kind {
	return []kind{
		{
			name: "review", page: "article", cols: "name score:num out author day:date paid:gbp pros:list cons:list buy:url again:bool", rows: []string{
				"Review: Alder 2 Pro Stovetop Kettle|8.5|10|Jonas Ekwall|22 March 2026=2026-03-22|£68.00|Thick base;Good spout|Heavy when full;Only two sizes|See it at Fern & Fathom=https://www.fernandfathom.example/products/pro/alder-2-pro-stovetop-kettle|Would buy again: yes=true",
				"Review: Corvo E6 Plus Reader|7|10|Mina Solberg|4 January 2026=2026-01-04|£165.00|Warm light;Page buttons|Slow store;No stylus|-|Would buy again: no=false",
				"Review: Hotel Miramar Palace|4|5|Jonas Ekwall|9 October 2025=2025-10-09|£244.00|Pool;Breakfast terrace|Noisy casino;Dear bar|Rates=https://miramargroup.example/palace|-",
				"Review: Torfell Camp Stove|6|10|Mina Solberg|18 April 2026=2026-04-18|£54.00|Boils in four minutes;Folds flat|Rattles;No lighter|-|-",
			},
			looks: []look{
				{"theme", "www.plainreviews.example/tests/", `{{name}}
<article class="hentry"><h1 class="entry-title">{{name}}</h1><div class="entry-meta"><span class="author vcard">{{author}}</span> <time datetime="{{day#}}">{{day}}</time></div><p>We paid {{paid}} for ours, out of our own pocket.</p><div class="verdict"><span class="score">{{score}}</span><span class="of">out of {{out}}</span></div>
<h3>Liked</h3><ul class="pros">{{pros*li}}</ul><h3>Did not like</h3><ul class="cons">{{cons*li}}</ul>
<p>{{again}}.</p>
<p><a href="{{buy#}}">{{buy}}</a></p>
</article>`},
				{"bootstrap", "www.kritik.example/r/", `{{name}}
<h1>{{name}}</h1><p>{{day}}, {{author}}</p><table class="table"><tr><th>Pros</th><th>Cons</th></tr><tr><td>{{pros}}</td><td>{{cons}}</td></tr></table><p>Bought for {{paid}}. Verdict: {{score}} / {{out}}.</p>
<p>{{again}}</p>`},
			},
			asks: []string{
				`0 2|at empty|{url}|reviewer=author;score=score;pros=pros;cons=cons`,
				`1 3|find told|{name}|paid=paid~what the reviewers paid;published=day~date of the review;score=score~score`,
				`0 1|find schema|{name}|wouldBuyAgain=again~would they buy it again?;buyUrl=buy~link to the shop;price=paid~price they paid`,
				`3|at schema|{url}|wouldBuyAgain=!bool~would they buy it again@again;weight=!num~weight@weight,weighs`,
			},
		},
		{
			name: "market", page: "place", cols: "name days stalls:int pitch:gbp parking:bool toilets:bool manager mail:mail opens closes cash:bool", rows: []string{
				"Dunmarl Friday Market|Fridays|62|£18.00|Parking: free=true|Toilets: yes=true|Bridie Lomax|market@dunmarl.gov.example|08:00|14:30|Cards accepted at most stalls=false",
				"Kelburn Flea Market|first Sunday of the month|140|£25.00|No parking=false|Toilets: no=false|Otis Farrell|-|07:00|13:00|Cash only=true",
				"Eastgate Night Market|Thursdays in summer|35|£40.00|No parking=false|-|Priya Sethi|eat@eastgate.example|17:00|22:30|-",
			},
			looks: []look{
				{"gov", "www.dunmarl.gov.example/markets/", `{{name}}
<h1 class="govuk-heading-l">{{name}}</h1><p>Held on {{days}}, {{opens}} to {{closes}}, with {{stalls}} stalls.</p><h2>For traders</h2><p>A pitch costs {{pitch}} a day. Ask {{manager}}.</p>
<p>{{mail}}</p>
<h2>For visitors</h2><ul class="govuk-list"><li>{{parking}}</li>
<li>{{toilets}}</li>
<li>{{cash}}</li>
</ul>`},
				{"theme", "kelburn.example/flea/", `{{name}}
<h1>{{name}}</h1><p>{{stalls}} stalls of other people's treasures on the {{days}}. Gates {{opens}}–{{closes}}. {{cash}}, {{parking}}. {{toilets}}.</p><p>Pitches {{pitch}}: talk to {{manager}}.</p>`},
			},
			asks: []string{
				`0 1|find schema|{name}|parking=parking~is there parking?;cashOnly=cash~is it cash only?;toilets=toilets~are there toilets?;pitchFee=pitch~price of a pitch`,
				`2|at empty|{url}|stalls=stalls;manager=manager;email=mail;opens=opens;closes=closes`,
				`1 2|find told|{name}|email=mail~e-mail@mail;toilets=toilets~toilets?@toilets;stalls=stalls~number of stalls`,
				`0|find empty|{name}: days and stalls|days=!str;stalls=!int|Saltpan Antiques Market`,
			},
		},
		{
			name: "chat", page: "article", cols: "name", rows: []string{"Why our parcels are brown", "A week in the dye house", "Notes from the spring fair", "We are moving to Shore Street"},
			looks: []look{{"theme", "www.smallshopsjournal.example/", `{{name}}
<h1>{{name}}</h1><p>People ask us this at every fair, and the answer is longer than they think. It began with a box, a wet van and an unhappy aunt.</p><p>Next month: how we choose a till.</p>`}},
		},
		{
			name: "warranty", page: "documentation", cols: "name years:int covers:list not_covers:list claim:mail register:url within:int transfer:bool", rows: []string{
				"Alder & Ash guarantee|five=5|Handles;Enamel;Lids|Rust from salt water;Scratches|claims@alderash.example|Register your product=https://alderash.example/register|60|Transferable: yes=true",
				"Corvo limited warranty|two=2|Display;Battery;Buttons|Cracked glass;Water|warranty@corvo.example|-|-|Transferable: no=false",
			},
			looks: []look{
				{"shopify", "alderash.example/pages/", `{{name}}
<h1>{{name}}</h1><p>We stand behind what we make for {{years}} years.</p><div class="grid"><div><h3>Covered</h3><ul>{{covers*li}}</ul></div><div><h3>Not covered</h3><ul>{{not_covers*li}}</ul></div></div><p>{{transfer}}. Register within {{within}} days: <a href="{{register#}}">{{register}}</a></p><p>Claims to {{claim}}.</p>`},
				{"docs", "support.corvo.example/", `{{name}}
<h1>{{name}}</h1><p>Duration: {{years}} years. {{transfer}}.</p><table><tr><th>Covered</th><td>{{covers}}</td></tr><tr><th>Excluded</th><td>{{not_covers}}</td></tr></table><p>Write to {{claim}} with your receipt.</p>`},
			},
			asks: []string{
				`0 1|find schema|{name}|years=years~length in years;covered=covers~what is covered;transferable=transfer~may it be passed on?;claimsEmail=claim~e-mail for claims`,
				`0|at told|{url}|registration=register~where to register;register_within_days=within~days to register;not_covered=not_covers~what is not covered`,
				`1|find empty|{name}: exclusions, registration|exclusions=not_covers;register_url=!url@register;max_claim=!eur@up to`,
			},
		},
	}
}
