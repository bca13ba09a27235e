package harbour

// places are local services with fees and opening hours, and halls for hire.
func places() []kind { return []kind{baths(), halls()} }

func baths() kind {
	return kind{
		name: "visit", page: "place",
		cols: `name str||the place
adult gbp(4,14,0.5)|adult_price|price of an adult ticket|How much does an adult pay at {name}?|adult,adults
child gbp(2,3.5,0.25)|child_price|price of a child's ticket|How much is a child's ticket at {name}?|child,children
family gbp(15,38,1)|family_price|price of a family ticket|How much is a family ticket at {name}?|family,families
senior gbp(3.6,3.9,0.1)|senior_price|price for seniors|What do seniors pay at {name}?|senior,seniors,over 65
season gbp(45,130,5)|season_ticket|price of a season ticket|How much does a season ticket of {name} cost?|season ticket,annual pass
free int(2,5,1)|free_under_age|age below which children come in free|Up to what age are children free at {name}?|free
hours str|opening_hours|opening hours in summer|What are the opening hours of {name} in summer?|open from,opening hours
last str|last_entry|last entry|When is last entry at {name}?|last entry,last admission
closed str|closed_day|weekday on which it is closed|On which day is {name} closed?|closed on
tel tel(01947 550 )|phone|phone number|What is the phone number of {name}?|phone,ring,call
mail mail|email|e-mail address|What is the e-mail address of {name}?|mail
dogs bool|dogs_allowed|are dogs allowed?|Are dogs allowed at {name}?|dogs,pets
step bool|step_free|is it step-free?|Is {name} step-free?|step-free,wheelchair,ramp
park gbp(1,3,0.5)|parking_fee|parking fee for a day|What does parking cost at {name}?|parking,car park
cards bool|cards_accepted|are cards accepted?|Can I pay by card at {name}?|card,cards,cash
book url|booking_url|address for booking tickets|Where can tickets for {name} be booked?|book
facilities list|facilities|facilities|What facilities has {name}?|sauna,café,lockers
opened date|opened|date on which it opened|When did {name} open?|opened,inaugurated
depth num|pool_depth_m|depth of the pool in metres|How deep is the pool at {name}?|deep,depth
season_end date|season_end|last day of the 2026 season|When does the 2026 season of {name} end?|season ends,until,last day`,
		rows: []string{
			"Gull Rock Lido|*|*|*|*|*|*|7am to 8pm|7.15pm|Monday=Monday|*|lido@gullrock.example|No dogs, please=false|Step-free from the car park=true|*|Cards only, no cash=true|Book a swim=/book|sauna;café;lockers|1934-06-02|2.8|2026-09-27",
			"Lantern Point Aquarium|14.5|9|42|12|*|3|10am to 6pm|5pm|-|*|hello@lanternpoint.example|No dogs apart from assistance dogs=false|Step-free throughout=true|-|-|Buy tickets=https://tickets.lanternpoint.example/|touch pool;shop;picnic deck|1998-04-11|-|-",
			"Gull Rock Lighthouse|5|2.5|-|-|-|6|11am to 4pm|3.30pm|Tuesday=Tuesday|-|-|Dogs on a lead are welcome=true|No step-free access: 143 stairs=false|-|Cash only=false|-|-|1861-09-17|-|2026-10-04",
			"Ansell Museum of Knots|*|*|*|-|*|*|10am to 5pm|4.15pm|Wednesday=Wednesday|*|office@knotmuseum.example|-|Step-free entrance in Twine Lane=true|*|-|-|café;workshop;reading room|-|-|-",
			"Lerrin Leisure Pool|*|*|*|*|*|3|6.30am to 9.30pm|-|-|*|-|-|-|*|Cards and cash are accepted=true|Reserve a lane=https://lerrin-leisure.example/lanes|steam room;crèche;gym|2009-01-24|1.9|-",
			"Brae Castle|*|*|*|*|-|5|9.30am to 6pm|5.30pm|Thursday=Thursday|*|castle@brae.example|Dogs on a lead are welcome=true|-|*|-|-|-|-|-|2026-10-31",
			"Kelso Street Wash House|3.8|2|-|-|-|4|8am to 7pm|6pm|Sunday=Sunday|*|-|-|No step-free entrance=false|-|Cash only=false|-|hot room;lockers|1927-03-12|-|-",
			"Port Ansell Ice Hall|*|*|*|-|*|4|noon to 9pm|8.15pm|Monday=Monday|*|ice@portansell.example|-|Step-free to the rink=true|*|Cards and cash are accepted=true|Book a slot=/slots|skate hire;café|2015-11-28|-|2026-04-06",
			"Lerrin Lifeboat Museum|4|1|9|-|-|-|1pm to 5pm|-|Friday=Friday|*|lifeboat@lerrin.example|Dogs on a lead are welcome=true|-|-|-|-|shop|1988-07-09|-|-",
		},
		looks: []look{
			{"elementor", "www.{}.example/visit/", `Plan your visit
<h1>{{name}}</h1><p>Come as you are. {{name}} is open from {{hours}} in summer[[, with last entry at {{last}}]][[, and is closed every {{closed}}]].</p>
<h2>Tickets</h2><table class="prices"><tbody><tr><td>Adults</td><td>{{adult}}</td></tr><tr><td>Children under 16</td><td>{{child}}</td></tr>
<tr><td>Families (2+3)</td><td>{{family}}</td></tr>
<tr><td>Seniors</td><td>{{senior}}</td></tr>
<tr><td>Season ticket</td><td>{{season}}</td></tr>
</tbody></table><p>Children under {{free}} come in free.</p>
<p>{{dogs}}. [[{{step}}.]] [[{{cards}}.]]</p>
<p>A day in our car park costs {{park}}.</p>
<ul class="facilities">{{facilities*li}}</ul>
<p>The 2026 season ends on {{season_end}}.</p>
<p>[[The pool is {{depth}} m deep at the tower. ]][[It opened on {{opened}}.]]</p>
<p>Questions? {{tel}}[[ or {{mail}}]]</p>
<a class="elementor-button" href="{{book#}}">{{book}}</a>
<div class="also"><h4>Nearby</h4><p>{{~name}}: adults {{~adult}}</p></div>`},
			{"next", "{}.example/", `{{name}}
<script type="application/ld+json">{"@context":"https://schema.org","@type":"TouristAttraction","name":"{{name!}}","telephone":"{{tel!}}"}</script>
<h1>{{name}}</h1><div class="grid"><div class="tile"><span>Adult</span><strong>{{adult}}</strong></div><div class="tile"><span>Child (4–15)</span><strong>{{child}}</strong></div>
<div class="tile"><span>Family</span><strong>{{family}}</strong></div>
<div class="tile"><span>Senior</span><strong>{{senior}}</strong></div></div>
<p>Daily {{hours}}, last admission {{last}}.</p>
<p>We are closed on {{closed}}.</p>
<p>{{dogs}}.</p>
<p>{{step}}.</p>
<p>{{cards}}.</p>
<h3>On site</h3><div class="chips">{{facilities*span}}</div>
<p>First opened {{opened}}.</p>
<p><a href="{{book#}}">{{book}}</a></p>`},
			{"frontpage", "www.{}.example/prices.htm", `{{name}} - hours and prices
<h2>{{name}}</h2><p>First opened on {{opened}}. We are here from {{hours}} during the summer.</p>
<p>Last entry is at {{last}}, and {{closed}} is our day of rest, when we are closed.</p>
<table border="1"><tr><th>Adults</th><th>Children</th></tr><tr><td>{{adult}}</td><td>{{child}}</td></tr></table>
<p>Under {{free}} free. {{cards}}. [[{{dogs}}.]] {{step}}.</p>
<p>Open until {{season_end}}, then again at Easter.</p>
<p>Telephone {{tel}}</p>`},
			{"council", "www.portansell.example/leisure/", `{{name}}: opening times and charges
<h1>{{name}}</h1><h2>Opening times</h2><dl><dt>Summer</dt><dd>{{hours}}</dd><dt>Closed on</dt><dd>{{closed}}</dd><dt>Last entry</dt><dd>{{last}}</dd></dl><h2>Charges from 1 April 2026</h2><p>An adult pays {{adult}} and a child {{child}}. [[A family ticket for two adults and up to three children is {{family}}.]] [[A season ticket, valid until the end of October, costs {{season}}.]]</p>
<p>{{step}}. [[{{cards}}.]]</p>
<p>Parking behind the building: {{park}} a day.</p>
<p>There is a {{facilities}}.</p>
<p>The present season ended on {{season_end}}.</p>
<h2>Contact</h2><p>Phone: {{tel}}<br>Email: {{mail}}</p>`},
			{"drupal", "www.lerrin.example/leisure/", `{{name}}
<h1>{{name}}</h1><p>Whatever the weather, come in from {{hours}}.</p><div class="paragraph--type--fees"><h3>Admission</h3><p>Adults: {{adult}}</p><p>Children: {{child}}</p>
<p>Families: {{family}}</p>
<p>Seniors: {{senior}}</p>
<p>Season ticket: {{season}}</p></div>
<p>No charge for children under {{free}}.</p>
<p>Main pool: {{depth}} m deep. Facilities: {{facilities}}.</p>
<p>{{cards}}.</p>
<p>For lane bookings see <a href="{{book#}}">{{book}}</a>, for everything else call {{tel}}.</p><div class="comments"><h3>Comments</h3><p><b>seabird77</b>: it was £1.20 when I was a girl!</p></div>`},
			{"squarespace", "www.{}.example/visit", `Visit
<h1>Visit {{name}}</h1><h3>Hours</h3><p>{{hours}}. Last entry {{last}}. Closed on {{closed}}.</p><h3>Admission</h3><p>Adults {{adult}} | Children {{child}}[[ | Families {{family}}]][[ | Seniors {{senior}}]]</p>
<p>{{dogs}}.</p>
<p>Parking {{park}}.</p>
<p>{{tel}}[[ · {{mail}}]]</p><p>The gate is open until {{season_end}} this year.</p>`},
		},
		asks: []string{
			`0 4 1|at schema|Entry fees at {url}|adult,child,family,senior,season`,
			`0 3 7|find told|Visiting {name}: {asks}|hours,last,adult,park,dogs`,
			`1 5|at empty|{url}|dogs,step,family,closed`,
			`0 2 3 4 5|find none|?|adult,hours`,
			`0 1 6|find none|{name} {asks}|last,park`,
			`2|find schema|Gull Rock Lighthouse (not the lido)|adult,family^twin@0,season^twin@0,tel^twin@0,dogs,step`,
			`8|find told|Lerrin Lifeboat Museum tickets and facilities|adult,child,family,facilities,last`,
			`0 4|at schema|{url}|depth,opened,facilities,book,cards`,
			`7 0|find empty|{name} season end, booking page, step-free?|season_end,book,step`,
			`6 2|at told|{asks} - {url}|cards,step,free,opened`,
			`3|find empty|Ansell Museum of Knots family and senior price, dogs, pay by card|family,senior,dogs,cards`,
			`0|find schema|How much is {name}?|adult,child,family|Cormorant Bay Splash Park`,
			`1|find none|?|adult|Ravenscar Tram Depot`,
			`3 0|find plain|{name}|season,closed`,
			`4|find none|?|last`,
			`2|find none|?|tel^twin@0`,
		},
	}
}

func halls() kind {
	return kind{
		name: "hall", page: "place",
		cols: `name str||the hall
seats int(120,1900,10)|seats|number of seats|How many seats has {name}?|seats,seated
standing int(300,2600,50)|standing_capacity|standing capacity|How many people can stand at {name}?|standing
hire gbp(180,950,10)|hire_per_day|hire for a day|What does it cost to hire {name} for a day?|hire,a day
hour gbp(25,90,5)|hire_per_hour|hire for an hour|What is the hourly hire of {name}?|an hour,per hour,hourly
deposit gbp(50,300,25)|deposit|deposit|What deposit does {name} ask for?|deposit
stage str|stage|size of the stage|How large is the stage of {name}?|stage
area int(90,640,5)|area_m2|floor area in square metres|What is the floor area of {name} in square metres?|m²,square metres
manager who|manager|manager|Who manages {name}?|manager
tel tel(01947 551 )|phone|phone for bookings|What number do I call to book {name}?|phone,call
mail mail|email|e-mail address for bookings|Which e-mail address takes bookings for {name}?|mail
bar bool|has_bar|is there a bar?|Does {name} have a bar?|bar
music str|music_until|until when music is allowed|Until when is music allowed at {name}?|music
built year(1860,1990,1)|built|year in which it was built|When was {name} built?|built
rooms rows(room:str,capacity:int,price:gbp)|rooms|its rooms, each with capacity and price|What rooms does {name} have?|room
kit list|equipment|equipment included|What equipment is included at {name}?|projector,piano,equipment
licence bool|alcohol_licence|is there an alcohol licence?|Is {name} licensed for alcohol?|licence,licensed`,
		rows: []string{
			"Ropewalk Hall|220|350|*|*|*|9 m by 6 m|*|*|*|bookings@ropewalk.example|There is a bar=true|11pm|*|Long Room,80,45;Loft,30,28;Cellar,55,34|projector;upright piano;tables|-",
			"Customs House Theatre|412|-|*|-|*|11 m by 8 m|-|*|*|hire@customshouse.example|There is a bar=true|10.30pm|*|-|lighting desk;grand piano|Licensed for alcohol=true",
			"Bürgerhaus Emmerfeld|1180|1500|-|-|-|8 m x 5 m|*|*|+49 4139 5553###|buergerhaus@emmerfeld.example|Ohne Bar=false|22 Uhr|*|-|Beamer;Klavier;Küche|-",
			"Mission Yard|140|210|*|*|-|-|*|*|*|-|No bar on the premises=false|-|-|Chapel,120,60;Vestry,16,15|sound system;urn|Not licensed for alcohol=false",
			"Ropewalk Studio|36|-|-|*|*|-|*|-|*|-|-|9pm|-|-|mirrors;sprung floor|-",
			"Harbour Light Ballroom|480|900|*|-|*|7 m by 4 m|-|*|*|ballroom@harbourlight.example|-|midnight|*|Main floor,400,520;Balcony,90,140|-|Licensed for alcohol=true",
		},
		looks: []look{
			{"squarespace", "www.ropewalk.example/", `Hire {{name}}
<h1>{{name}}</h1><p>Built in {{built}} to twist rope, {{name}} now seats {{seats}}, or {{standing}} standing. The stage is {{stage}}, the floor {{area}} m². {{bar}}, and music may play until {{music}}.</p>
<h2>Rates</h2><p>Hire is {{hire}} a day or {{hour}} an hour. We take a deposit of {{deposit}}.</p><table><tr><th>Room</th><th>Capacity</th><th>Half day</th></tr>{{rooms%<tr><td>$1</td><td>$2</td><td>$3</td></tr>}}</table><p>Included: {{kit}}.</p><p>Speak to {{manager}}, our manager, on {{tel}} or {{mail}}.</p>`},
			{"drupal", "www.customshouse.example/hire/", `Hire the {{name}}
<h1>{{name}}</h1><dl><dt>Seats</dt><dd>{{seats}}</dd><dt>Stage</dt><dd>{{stage}}</dd><dt>Day hire</dt><dd>{{hire}}</dd><dt>Deposit</dt><dd>{{deposit}}</dd><dt>Year built</dt><dd>{{built}}</dd></dl><p>{{bar}}. {{licence}}. Music has to end by {{music}}.</p><p>Equipment: {{kit}}</p><p>Theatre manager: {{manager}}. Bookings: {{tel}}, {{mail}}.</p>`},
			{"typo3", "www.emmerfeld.example/buergerhaus", `Bürgerhaus mieten
<h1>{{name}}</h1><p>Das Haus wurde {{built}} erbaut und bietet {{seats}} Sitzplätze oder {{standing}} Stehplätze auf {{area}} m². Die Bühne misst {{stage}}. {{bar}}.</p><p>Musik ist bis {{music}} erlaubt. Zur Ausstattung gehören:</p><ul>{{kit*li}}</ul><p>Hausverwaltung: {{manager}}, Telefon {{tel}}, {{mail}}</p>`},
			{"elementor", "www.mission-yard.example/hire/", `Hire {{name}}
<h1>{{name}}</h1><h3>{{seats}} seats</h3><p>{{standing}} standing, {{area}} square metres.</p><div class="price-list">{{rooms%<div class="price-list-item"><span class="title">$1</span> <span class="desc">up to $2 people</span> <span class="price">$3</span></div>}}</div><p>Whole building: {{hire}} a day, {{hour}} per hour. {{bar}}. {{licence}}.</p><p>{{kit}} come with it. Call {{tel}} and ask for {{manager}}.</p>`},
			{"next", "www.ropewalk.example/", `{{name}}
<h1>{{name}}</h1><p>The small sister of the hall, for dancers.</p><ul><li>{{seats}} seats along the wall</li><li>{{area}} m² of floor</li><li>{{hour}} an hour</li><li>{{deposit}} deposit</li><li>Music until {{music}}</li><li>{{kit}}</li></ul><p>Phone {{tel}}</p>`},
			{"frontpage", "www.harbourlight.example/hire.htm", `{{name}} for hire
<h2>{{name}}</h2><table border="1"><tr><td>Seats</td><td>{{seats}}</td></tr><tr><td>Standing</td><td>{{standing}}</td></tr><tr><td>Hire, a day</td><td>{{hire}}</td></tr><tr><td>Deposit</td><td>{{deposit}}</td></tr><tr><td>Stage</td><td>{{stage}}</td></tr><tr><td>Built</td><td>{{built}}</td></tr><tr><td>Manager</td><td>{{manager}}</td></tr></table><p>{{licence}}. Music until {{music}}. Tel. {{tel}}, {{mail}}</p><table border="1"><tr><th>Part</th><th>People</th><th>Evening</th></tr>{{rooms%<tr><td>$1</td><td>$2</td><td>$3</td></tr>}}</table>`},
		},
		asks: []string{
			`0 3 5|at schema|The rooms listed at {url} with capacity and price|rooms`,
			`0 1 5|find told|I want to hire {name}: {asks}|seats,hire,deposit,manager,tel`,
			`2|find schema|Bürgerhaus Emmerfeld mieten: Plätze, Bühne, Ausstattung, Preis|seats,stage,kit,hire,bar`,
			`4|find empty|Ropewalk Studio hourly hire, phone, day hire, e-mail, bar|hour,tel,hire^twin@0,mail^twin@0,bar`,
			`0 1 3|find none|?|bar,seats`,
			`1 3|at told|{url}|licence,kit,bar,area`,
			`5 2|find plain|{name}|music,built`,
			`3 0|at empty|{url}|standing,hour,kit,music`,
			`4|find none|?|kit`,
			`0|find told|{name} hire|seats,hire|Gannet Street Drill Hall`,
		},
	}
}
