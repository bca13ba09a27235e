package harbour

// events are dated things to go to, each year's on a page of its own, and where they are listed.
func events() []kind { return []kind{gigs(), festivals(), listings()} }

func gigs() kind {
	return kind{
		name: "gig", page: "event",
		cols: `name str||the event
day dwd(150,320,1)|date|date|On what date is {name}?|
doors str|doors|time at which doors open|When do doors open for {name}?|doors
start str|start_time|time at which it begins|What time does {name} begin?|begins,starts
venue str|venue|venue|Where does {name} take place?|
full gbp(12,34,1)|ticket_price|price of a ticket|How much is a ticket for {name}?|tickets,ticket
reduced gbp(6,11,0.5)|concession_price|concession price|What is the concession price for {name}?|concession,concessions,reduced,students
age int(12,18,1)|minimum_age|minimum age|What is the minimum age for {name}?|over,minimum age,aged
book url|ticket_url|address for tickets|Where can I buy tickets for {name}?|book
host who|presenter|who presents it|Who presents {name}?|presented by,presenter
org str|organiser|organiser|Who organises {name}?|organised by,organiser
mail mail|email|e-mail address of the organiser|Which e-mail address is given for {name}?|mail
status enum(scheduled/cancelled/postponed/sold out)|status|status|Has {name} been cancelled, postponed or sold out?|cancelled,postponed,sold out
acts list|performers|who performs|Who performs at {name}?|with,line-up
mins int(60,150,5)|duration_minutes|length in minutes|How many minutes does {name} last?|minutes
sign bool|sign_language|is there sign language?|Is {name} signed?|sign language,BSL
end str|ends|time at which it ends|What time does {name} end?|ends,until`,
		rows: []string{
			"Shanty Night at Ropewalk Hall|*|7pm|7.45pm|Ropewalk Hall|*|*|*|Buy tickets=https://tickets.ropewalk.example/shanty|*|Ropewalk Trust|box@ropewalk.example|-|The Bilge Rats;Salt Sisters;Old Ned Orrin|*|-|-",
			"The Tide Table, a comedy|*|-|7.30pm|Customs House Theatre|*|*|-|Book seats=/book/tide-table|-|Customs House Company|-|Sold out=sold out|-|*|BSL interpreted=true|9.40pm",
			"Lecture: Wrecks of the Outer Bank|*|6pm|6.30pm|Ansell College|*|-|-|-|*|Ansell History Society|wrecks@ansellhistory.example|Postponed: please note the new date=postponed|-|*|-|-",
			"Brass on the Quay|*|-|2pm|Fish Quay|-|-|-|-|-|Port Ansell Town Band|band@portansell.example|-|Port Ansell Town Band;Lerrin Youth Brass|*|-|4pm",
			"Shanty Morning for Families|*|-|10.30am|Ropewalk Hall|*|*|-|Buy tickets=https://tickets.ropewalk.example/families|-|Ropewalk Trust|-|-|Salt Sisters|-|-|11.30am",
			"Harbour Light Tea Dance|*|1.30pm|2pm|Harbour Light Ballroom|*|*|*|-|*|-|-|Cancelled=cancelled|The Harker Trio|*|-|-",
			"Four Horns at the Old Granary|*|7pm|7.30pm|Brae Granary|*|*|-|-|-|Brae Music Circle|seats@braemusic.example|-|Wismar Horn Quartet|-|-|9.15pm",
			"Night Swim at Gull Rock|*|8.30pm|9pm|Gull Rock Lido|*|-|*|Reserve a place=https://tickets.gullrock.example/night|-|Gull Rock Swimmers|swim@gullrock.example|-|-|*|-|10.15pm",
		},
		looks: []look{
			{"squarespace", "www.ropewalk.example/events/", `{{name}}
<article class="eventitem"><h1 class="eventitem-title">{{name}}</h1><ul class="eventitem-meta"><li><time>{{day}}</time></li><li>{{start}}[[ – {{end}}]]</li><li>{{venue}}</li></ul><p>[[Doors open at {{doors}}. ]][[Tickets are {{full}}]][[, concessions {{reduced}}]].</p><p>[[On stage with {{acts}}.]] [[Presented by {{host}}.]]</p>
<p>For those aged {{age}} and over.</p>
<p>[[About {{mins}} minutes. ]][[A production organised by {{org}}]][[ ({{mail}})]].</p>
<p><a class="sqs-block-button" href="{{book#}}">{{book}}</a></p></article><p class="pager">Next: {{~name}}, {{~day}}</p>`},
			{"next", "www.customshouse.example/whats-on/", `{{name}} | Customs House
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Event","name":"{{name!}}","startDate":"{{day#}}","location":{"@type":"Place","name":"{{venue!}}"}}</script>
<h1>{{name}}</h1><div class="meta"><span>{{day}}</span><span>{{start}}</span><span>{{venue}}</span></div>
<div class="badge">{{status}}</div>
<div class="price"><span>Tickets</span><b>{{full}}</b></div>
<div class="price"><span>Concessions</span><b>{{reduced}}</b></div>
<p>[[Running time {{mins}} minutes. ]][[{{sign}}. ]][[Ends {{end}}.]]</p>
<p>Aged {{age}} and over only.</p>
<p>[[Organised by {{org}}. ]][[With {{acts}}.]]</p>
<p>Write to {{mail}}.</p>
<a href="{{book#}}">{{book}}</a>`},
			{"hugo", "ansellhistory.example/diary/", `{{name}}
<h1>{{name}}</h1><p>{{day}}, {{start}} (doors {{doors}}), {{venue}}[[. Entry {{full}}]][[, students {{reduced}}]].</p>
<p><em>{{status}}.</em></p>
<p>[[{{host}} is the presenter this year, and plans {{mins}} minutes with slides. ]]The evening is organised by {{org}}; write to {{mail}}.</p>
<p>[[Line-up: {{acts}}. ]][[It ends at {{end}}.]]</p>`},
			{"frontpage", "www.ansellband.example/dates/", `{{name}}
<h2>{{name}}</h2><p><b>{{day}}</b> at {{start}}[[, until {{end}}]], {{venue}}</p><p>Line-up: {{acts}}. [[{{mins}} minutes without a break. ]][[Organised by {{org}}.]]</p>
<p>Mail: {{mail}}</p>`},
		},
		asks: []string{
			`0 1 4|at schema|Event at {url}|day,start,venue,full,reduced,book`,
			`2 3 7|find told|{name}: {asks}|day,start,org,mail,full`,
			`0 5|find empty|{name}: price, presenter, minimum age, acts|full,host,age,acts`,
			`1 2 5|find schema|Is {name} still on?|status,day,venue`,
			`0 2 3 4|find none|?|day,start`,
			`4|find told|Shanty Morning for Families at Ropewalk Hall|day,doors^twin@0,age^twin@0,reduced,acts`,
			`6|find schema|Four Horns concert in Brae: date, doors, ticket price, organiser's mail|day,start,doors,full,mail`,
			`1 3|at empty|{url}|sign,end,age,reduced,mail`,
			`7 1|at schema|{url}|mins,age,end,sign,host`,
			`0 3|find plain|{name}|acts,org`,
			`2|find none|?|doors`,
			`3|find none|?|full`,
			`0|find schema|When is {name}?|day,start,full|Kipper Ball`,
		},
	}
}

func festivals() kind {
	return kind{
		name: "festival", page: "event",
		cols: `name str||the festival
fest str|festival|name without the year|What is it called?|
from date(130,280,1)|first_day|first day|On what day does {name} begin?|opens on
to date|last_day|last day|On what day does {name} end?|
day gbp(18,45,1)|day_ticket|price of a day ticket|How much is a day ticket for {name}?|day ticket
week gbp(60,140,5)|weekend_ticket|price of a weekend ticket|How much is a weekend ticket for {name}?|weekend ticket
camp gbp(10,17,1)|camping_fee|camping fee|What does camping cost at {name}?|camping,tent
visitors int(2000,18000,250)|visitors|number of visitors|How many visitors came to {name}?|visitors
director who|director|director|Who directs {name}?|director
vol date(60,125,1)|volunteer_deadline|deadline for volunteers|By when do volunteers for {name} have to apply?|volunteer
heads list|headliners|headliners|Who are the headliners of {name}?|headliners
apply url|volunteer_url|page for volunteers|Where do volunteers for {name} sign up?|volunteer
place str|place|place|Where is {name} held?|
dogs bool|dogs_allowed|are dogs allowed?|Are dogs allowed at {name}?|dogs`,
		rows: []string{
			"Lantern Tide Festival 2026|Lantern Tide Festival|2026-08-07|2026-08-09|*|*|*|-|*|2026-06-12|Mother Ceto;Pale Harbours;Orla Quick|Volunteer with us=/volunteer|Saltmarsh Fields|Dogs stay at home=false",
			"Lantern Tide Festival 2025|Lantern Tide Festival|2025-08-01|2025-08-03|*|*|*|*|*|-|The Low Sun;Gannet Parade|-|Saltmarsh Fields|-",
			"Lerrin Book Week 2026|Lerrin Book Week|2026-10-12|2026-10-18|-|-|-|-|*|-|Hanne Vold;T. R. Osgood|-|Lerrin Library|-",
			"Lerrin Book Week 2025|Lerrin Book Week|2025-10-13|2025-10-19|*|*|-|*|*|2025-08-29|Ruth Amadi;Jon Spragg|-|Lerrin Library|-",
			"Wismarhagener Hafentage 2026|Wismarhagener Hafentage|2026-07-16|2026-07-19|-|-|-|-|*|-|Windlicht;Die Kaimauer|-|Alter Hafen|Hunde sind willkommen=true",
			"Fête des Voiles 2026|Fête des Voiles|2026-07-03|2026-07-05|-|-|-|-|-|-|Régate Blanche;Les Amarres|-|port de Saint-Brévan|-",
		},
		looks: []look{
			{"next", "www.lanterntide.example/", `{{name}}
<h1>{{name}}</h1><p class="lead">{{from}} to {{to}}, {{place}}</p><h2>Headliners</h2><ul>{{heads*li}}</ul><h2>Tickets</h2><table><tr><th>Day ticket</th><td>{{day}}</td></tr><tr><th>Weekend ticket</th><td>{{week}}</td></tr><tr><th>Camping</th><td>{{camp}} a tent</td></tr></table><p>{{dogs}}. Festival director: {{director}}.</p><p>Volunteers apply by {{vol}}. <a href="{{apply#}}">{{apply}}</a></p>`},
			{"hugo", "archive.lanterntide.example/", `{{name}}: looking back
<h1>{{name}}</h1><p>From {{from}} to {{to}}, {{visitors}} visitors came to {{place}} to hear {{heads}}, the headliners. {{director}} was director for the last time. A day ticket was {{day}}, a weekend ticket {{week}}, a tent on the camping field {{camp}}.</p>`},
			{"drupal", "www.lerrin.example/books/", `{{name}}
<h1>{{name}}</h1><p>{{name}} opens on {{from}} and closes on {{to}} at {{place}}. {{director}}, its director, promises {{heads}}. The programme and prices will be announced in June.</p>`},
			{"council", "www.lerrin.example/news/", `{{name}}: a record
<h1>{{name}}</h1><p>Between {{from}} and {{to}}, {{visitors}} visitors bought a day ticket ({{day}}) or a weekend ticket ({{week}}) for {{place}}. Director {{director}} thanked the volunteers, who had signed up by {{vol}}.</p>`},
			{"typo3", "www.wismarhagen.example/", `{{name}}
<h1>{{name}}</h1><p>Vom {{from}} bis zum {{to}} feiert die Stadt am {{place}}. Auf der Bühne: {{heads}}. {{dogs}}. Leitung: {{director}}. Der Eintritt ist frei.</p>`},
			{"spip", "www.saint-brevan.example/", `{{name}}
<h1>{{name}}</h1><p>Du {{from}} au {{to}}, au {{place}}. Au programme : {{heads}}. Entrée libre.</p>`},
		},
		asks: []string{
			`0|at schema|{url}|from,to,day,week,camp,dogs,director`,
			`0|find none|?|day,from,director,vol`,
			`1|find told|Lantern Tide Festival in 2025|visitors,day,director,heads`,
			`0|find told|How many visitors came to the Lantern Tide Festival in 2026, and where do volunteers sign up?|visitors^other@1,apply,vol`,
			`2|find schema|Lerrin Book Week 2026 prices|day^other@3,week^other@3,from,vol^other@3`,
			`2|find none|?|day^other@3,from,visitors^other@3`,
			`3|find empty|Lerrin Book Week 2025|from,to,visitors,week,dogs`,
			`4|find schema|{name}: Beginn, Ende, Leitung, Hunde, Camping|from,to,director,dogs,camp`,
			`5|at told|{asks} sur {url}|from,to,place,director`,
			`1|find empty|Lantern Tide Festival 2024: day ticket, director, visitors|!day^other@1,!director^other@1,!visitors^other@1`,
			`4 5|find plain|{name}|heads,from`,
			`0|find schema|{name} tickets|day,from|Oystercatcher Film Weekend 2026`,
		},
	}
}

func listings() kind {
	return kind{
		name: "boat", page: "listing",
		cols: `name str||the boat
price gbp(4500,38500,250)|price|asking price|What is the asking price of the {name}?|£
built year(1968,2019,1)|year_built|year in which it was built|When was the {name} built?|built
length num(6.2,13.4,0.1)|length_m|length in metres|How long is the {name}?|length,m long
draught num(0.9,1.9,0.1)|draught_m|draught in metres|What is the draught of the {name}?|draught
berths int(2,8,1)|berths|number of berths|How many berths has the {name}?|berths
hull enum(GRP/steel/wood/aluminium)|hull_material|material of the hull|What is the hull of the {name} made of?|hull
engine str(Yarrow 18 hp/Kesteven 29 hp/Borg 40 hp)|engine|engine|Which engine has the {name}?|engine
hours int(240,2900,10)|engine_hours|engine hours|How many hours has the engine of the {name} run?|hours
lying str|lying|where it lies|Where does the {name} lie?|lying
seller who|seller|seller|Who sells the {name}?|seller
tel tel(01632 967 )|phone|phone of the seller|What is the seller's phone number for the {name}?|phone,call
vat bool|vat_paid|is VAT paid?|Is VAT paid on the {name}?|VAT
trailer bool|trailer_included|is a trailer included?|Is a trailer included with the {name}?|trailer
survey date(-400,120,1)|last_survey|date of the last survey|When was the {name} last surveyed?|survey,surveyed
inv list|inventory|inventory|What comes with the {name}?|inventory
old gbp(39000,46000,500)|former_price|price before it was reduced|What did the {name} cost before it was reduced?|reduced,was`,
		rows: []string{
			"Merganser 26|18500|*|7.9|*|4|GRP=GRP|*|*|Port Ansell|*|*|VAT paid=true|-|*|cooker;autopilot;liferaft|19950",
			"Merganser 31|31250|*|9.4|*|6|GRP=GRP|*|*|Lerrin|*|*|VAT not paid=false|-|-|bow thruster;spray hood|-",
			"Dogger 9 Motorsailer|*|*|9.1|*|5|Steel=steel|*|*|Wismarhagen|*|*|-|Sold without a trailer=false|*|radar;windlass;heater|-",
			"Sandling Dayboat|3900|*|4.8|-|-|Wood=wood|-|-|Brae|*|*|-|Trailer included=true|-|oars;boom tent|4400",
			"Skua 33|*|*|10.1|*|*|Aluminium=aluminium|*|-|Port Ansell|*|-|VAT paid=true|-|*|spinnaker;plotter|-",
		},
		looks: []look{
			{"shop", "www.slipway.example/for-sale/", `{{name}} for sale
<h1 class="page-title">{{name}}</h1><div class="price-box"><span class="price">{{price}}</span></div>
<div class="old-price">was {{old}}</div>
<table class="additional-attributes"><tr><th>Built</th><td>{{built}}</td></tr><tr><th>Length</th><td>{{length}} m</td></tr>
<tr><th>Draught</th><td>{{draught}} m</td></tr>
<tr><th>Berths</th><td>{{berths}}</td></tr>
<tr><th>Hull</th><td>{{hull}}</td></tr>
<tr><th>Engine</th><td>{{engine}}</td></tr>
<tr><th>Engine hours</th><td>{{hours}}</td></tr>
<tr><th>Lying</th><td>{{lying}}</td></tr></table><p>[[{{vat}}. ]][[{{trailer}}. ]][[Last surveyed on {{survey}}. ]]Inventory: {{inv}}.</p><p>Sold by {{seller}}[[, phone {{tel}}]]</p><div class="related"><h3>You may also like</h3><p>{{~name}}, {{~length}} m, {{~price}}</p></div>`},
			{"vbulletin", "forum.slipway.example/market/", `FS: {{name}}
<table class="tborder"><tr><td>For sale: <b>{{name}}</b>, lying {{lying}}. {{length}} m long, built {{built}}[[, {{berths}} berths]][[, {{hull}} hull]][[, draught {{draught}} m]].[[ {{engine}} engine]][[ with {{hours}} hours]].[[ {{vat}}.]][[ {{trailer}}.]]<br>Inventory: {{inv}}.<br>{{price}} or near offer. {{seller}}, {{tel}}</td></tr><tr><td>Re: lovely boat, I paid £7,150 for mine.</td></tr></table>`},
			{"next", "boats.quayline.example/b/", `{{name}}
<h1>{{name}}</h1><p class="text-2xl">{{price}}</p>
<p class="line-through">{{old}}</p>
<div class="grid"><div><dt>Year built</dt><dd>{{built}}</dd></div><div><dt>Length</dt><dd>{{length}} m</dd></div>
<div><dt>Hull</dt><dd>{{hull}}</dd></div><div><dt>Location</dt><dd>Lying {{lying}}</dd></div></div>
<p>{{trailer}}.[[ Surveyed {{survey}}.]]</p><div>{{inv*span}}</div><p>{{seller}}</p><p>{{tel}}</p>`},
		},
		asks: []string{
			`0 2|at schema|{url}|price,built,length,hull,survey,vat`,
			`1 3|find told|{name} for sale: {asks}|price,length,seller,tel,trailer`,
			`1|find empty|Merganser 31: draught, last survey, previous price, trailer|draught,survey^twin@0,old^twin@0,trailer`,
			`0 1 4|find none|?|price,built`,
			`3 4|find schema|{name} boat|hull,berths,inv,draught,hours`,
			`0 3|find told|{name}: {asks}|old,inv,vat`,
			`0 1 4|find told|{name}: {asks}|hull,lying,engine`,
			`4 2|at empty|{url}|tel,seller,berths,inv`,
			`2|find plain|{name}|inv,trailer`,
			`0|find told|{name} asking price|price,length|Petrel 22 Sloop`,
		},
	}
}
