package bazaar

// stays are hotels, with what they have and have not.
func stays() []kind {
	return []kind{{
		name: "hotel", page: "place",
		cols: "name rate:eur stars:int rooms:int wifi:bool breakfast:bool pets:bool pool:bool parking:bool checkin checkout tel:tel mail:mail site:url street town tax:eur score:num amenities:list cancel open:date petfee:eur",
		rows: []string{
			"Hotel Miramar|€142|4|86|Free WiFi=true|Breakfast included=true|No pets=false|Outdoor pool=true|Parking on site=true|15:00|11:00|+351 289 555 014|stay@hotelmiramar.example|hotelmiramar.example=https://hotelmiramar.example/|Rua do Cais 8|Tavira|€2.00|8.7|Sauna;Bicycle hire;Lift;Roof terrace|Free cancellation until 2 days before arrival=2 days before arrival|-|-",
			"Hotel Miramar Palace|€265|5|142|Free WiFi=true|Breakfast at extra cost=false|Pets welcome=true|Outdoor pool=true|Valet parking=true|16:00|12:00|+351 282 555 901|palace@miramargroup.example|miramargroup.example=https://miramargroup.example/palace|Avenida do Mar 120|Portimão|€4.00|9.1|Spa;Casino;Tennis court|Free cancellation until 14 days before arrival=14 days before arrival|-|€30",
			"Pensjonat Sosna|€58|2|14|No WiFi=false|Breakfast included=true|Pets welcome=true|-|Parking on site=true|14:00|10:00|+48 18 555 22 10|biuro@sosna.example|-|ul. Leśna 4|Zakrze|€0.60|8.2|Fireplace;Sledge hire|-|-|€5",
			"Gasthof Zum Hirschen|€96|3|22|WiFi in the lobby only=false|Breakfast included=true|Dogs on request=true|✗=false^Pool ✗|✓=true^Parking ✓|14:30|10:30|+43 5555 2070|post@hirschen-lech.example|www.hirschen-lech.example=https://www.hirschen-lech.example/|Dorfplatz 1|Unterlech|€3.20|9.0|Sauna;Ski room;Garden|-|1 June 2026=2026-06-01|€12",
			"The Lantern Inn|€118|3|9|✓=true^WiFi ✓|✓=true^Breakfast ✓|✗=false^Pets ✗|✗=false^Pool ✗|✗=false^Parking ✗|15:00|10:00|+353 65 555 0112|hello@lanterninn.example|-|Quay Street 3|Ballyvane|-|9.3|Bar;Open fire;Live music|-|-|-",
			"Hotel Zum Hirschen|€132|4|48|✓=true^✓ WiFi|✗=false^✗ Breakfast|✗=false^✗ Pets|✓=true^✓ Pool|✓=true^✓ Parking|15:00|11:00|+49 8555 7010|info@hirschen-see.example|www.hirschen-see.example=https://www.hirschen-see.example/|Seestraße 44|Oberau|€2.80|8.4|Spa;Gym;Lift|-|-|-",
		},
		looks: []look{
			{"bootstrap", "www.nightly.example/hotel/", `{{name}}, {{town}} – rooms from {{rate}}
<h1>{{name}} <span class="stars" title="{{stars}} stars">{{stars}}★</span></h1><p class="address">{{street}}, {{town}}</p><div class="score"><b>{{score}}</b> Fabulous · 1,204 reviews</div>
<div class="price-box">from <strong>{{rate}}</strong> per night <small>plus city tax of {{tax}} per person</small></div>
<h2>Popular facilities</h2><ul class="facilities"><li>{{wifi}}</li><li>{{breakfast}}</li>
<li>{{pool}}</li>
<li>{{parking}}</li><li>{{pets}}</li></ul><ul class="more">{{amenities*li}}</ul>
<h2>House rules</h2><table class="rules"><tr><th>Check-in</th><td>from {{checkin}}</td></tr><tr><th>Check-out</th><td>until {{checkout}}</td></tr>
<tr><th>Cancellation</th><td>{{cancel}}</td></tr>
</table><div class="nearby"><h3>Also in {{town}}</h3><p>Casa Figueira – from €77 per night</p></div>`},
			{"theme", "miramargroup.example/hotels/", `{{name}}
<h1>{{name}}</h1><p>{{rooms}} rooms and suites on the {{street}}, each with a view of the sea. {{wifi}} throughout, {{pool}} heated all year. {{breakfast}}.</p>
<h2>Good to know</h2><p>{{pets}} ({{petfee}} a night)<br>{{parking}}<br>Check-in {{checkin}}, check-out {{checkout}}</p>
<p>{{cancel}}.</p><p>Reservations: <a href="tel:{{tel}}">{{tel}}</a>, <a href="mailto:{{mail}}">{{mail}}</a></p>
<p>Our sister house, the Hotel Miramar in Tavira, has 86 rooms and a smaller pool.</p>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Hotel","name":"{{name}}","telephone":"{{tel}}","starRating":{"@type":"Rating","ratingValue":"{{stars}}"}}</script>`},
			{"old", "www.sosna.example/", `{{name}}
<CENTER><H1>{{name}}</H1><I>{{town}}, {{street}}</I></CENTER><P>{{rooms}} rooms, double from <B>{{rate}}</B>. {{breakfast}}. {{wifi}}, we are sorry: come for the quiet!
<P>{{pets}}, {{petfee}} a night. {{parking}}.<P>Tel. {{tel}}<BR>{{mail}}<P>Rooms are ready at {{checkin}} and should be free at {{checkout}}.`},
			{"spa", "www.alpenbett.example/h/", `{{name}} in {{town}}
<div class="css-tt">{{name}}</div><div class="css-ad">{{street}}, {{town}}</div><div class="css-pp"><div>{{rate}}</div><div>per night, 2 adults</div></div>
<div class="css-am"><div class="css-li"><div>WiFi</div><div>{{wifi}}</div></div><div class="css-li"><div>Breakfast</div><div>{{breakfast}}</div></div><div class="css-li"><div>Pets</div><div>{{pets}}</div></div><div class="css-li"><div>Pool</div><div>{{pool}}</div></div><div class="css-li"><div>Parking</div><div>{{parking}}</div></div></div>
<div class="css-am">{{amenities*div class="css-chip"}}</div><div class="css-ct"><div>Phone</div><div>{{tel}}</div><div>E-mail</div><div>{{mail}}</div></div>
<div class="css-ct"><div>Opens for the season</div><div>{{open}}</div></div>
<div class="css-ct"><a href="{{site#}}">{{site}}</a></div>
<div class="css-ct"><div>Dogs per night</div><div>{{petfee}}</div></div><div class="css-sim"><div>Similar stays</div><div>Haus Edelweiss</div><div>€84</div></div>`},
			{"bootstrap", "www.innkeepers.example/inns/", `{{name}}
<div itemscope itemtype="https://schema.org/LodgingBusiness"><h1 itemprop="name">{{name}}</h1><p itemprop="address">{{street}}, {{town}}</p><meta itemprop="telephone" content="{{tel}}"><p>{{rooms}} rooms above the bar. Doubles {{rate}}.</p>
<table class="table amenities"><tr><td>WiFi</td><td>{{wifi}}</td><td>Breakfast</td><td>{{breakfast}}</td></tr><tr><td>Pets</td><td>{{pets}}</td><td>Pool</td><td>{{pool}}</td></tr><tr><td>Parking</td><td>{{parking}}</td><td>Lift</td><td>✗</td></tr></table>
<p>Guests give us {{score}} out of 10.</p><p>Arrive after {{checkin}}; leave by {{checkout}}.</p></div>`},
			{"spa", "www.alpenbett.example/lake/", `{{name}} in {{town}}
<div class="css-tt">{{name}}</div><div class="css-st">{{stars}} stars · {{rooms}} rooms</div><div class="css-pp"><div>{{rate}}</div><div>per night</div></div>
<div class="css-am"><div>{{wifi}}</div><div>WiFi</div></div><div class="css-am"><div>{{breakfast}}</div><div>Breakfast</div></div><div class="css-am"><div>{{pets}}</div><div>Pets</div></div><div class="css-am"><div>{{pool}}</div><div>Pool</div></div><div class="css-am"><div>{{parking}}</div><div>Parking</div></div>
<div class="css-more">{{amenities*div class="css-chip"}}</div><div class="css-ct"><div>{{street}}, {{town}}</div><div>{{tel}}</div></div><div class="css-ct"><a href="{{site#}}">Website: {{site}}</a></div>`},
		},
		asks: []string{
			`0 2 4|at empty|{url}|rate=rate;wifi=wifi;check_in=checkin;check_out=checkout`,
			`0 1|find schema|{name}: amenities|hasPool=pool~has a pool;petsAllowed=pets~are pets allowed?;breakfastIncluded=breakfast~is breakfast included in the rate?;freeWifi=wifi~is there free WiFi?`,
			`3 5|at schema|{url}|pool=pool~is there a pool;parking=parking~is there parking;breakfast=breakfast~is breakfast offered;wifiInRooms=wifi~WiFi in the rooms`,
			`1 3|find told|Call the {name}|phone=tel~telephone number;email=mail~e-mail address;pet_fee=petfee~what a pet costs a night`,
			`2|find empty|{name} in Zakrze|rooms=rooms;pets_allowed=pets;wifi=wifi;email=mail`,
			`3 5|find empty|{name}: address and extras|street=street;town=town;amenities=amenities;website=site`,
			`0|find told|{name} in Tavira|stars=stars~star rating;city_tax=tax~city tax per person;cancellation=cancel~until when one can cancel for nothing;phone=!tel~phone@+351,phone^twin:+351 282 555 901`,
			`1|find none|How many rooms has the Hotel Miramar Palace?|x=rooms`,
			`4|find plain|guest score of The Lantern Inn|x=score~score`,
			`4|find schema|{name} in Ballyvane|starRating=!int~stars@stars;checkOut=checkout~latest check-out;city_tax=!eur~city tax@tax`,
			`3|find told|When does the {name} open for the season?|opening=open~day it opens`,
			`5|at empty|{url}|rate=rate;spa_price=!eur@massage,treatment;phone=tel`,
			`0|find empty|{name}: pets and price|pets=!bool;rate=!eur|Hotel Rosmarinus Bay`,
		},
	}}
}

// rentals are flats and cottages for a holiday.
func rentals() []kind {
	return []kind{{
		name: "rental", page: "listing",
		cols: "name night:usd cleaning:usd sleeps:int beds:int baths:num wifi:bool pets:bool washer:bool aircon:bool min:int host superhost:bool rules:list kind:enum(cabin/apartment/houseboat/house) licence",
		rows: []string{
			"Fern Hollow Cabin|$164|$85|6|3|1.5|No WiFi=false|Pets welcome=true|Washer=true|-|2|Odalys|Superhost=true|No smoking;No parties;Quiet after 10 pm|cabin|STR-20817",
			"Fern Hollow Cottage|$121|$60|4|2|1|Fast WiFi=true|No pets=false|-|-|3|Odalys|Superhost=true|No smoking;Shoes off|house|STR-20818",
			"Loft over the Bakery|$98|$35|2|1|1|Included=true^Wifi Included|Not allowed=false^Pets Not allowed|Not included=false^Washer Not included|Included=true^Air conditioning Included|1|Benedikt|-|No smoking;Mind the stairs|apartment|-",
			"The Drowsy Heron|$210|$110|4|2|1|WiFi: none=false|Pets by arrangement=true|Washer: none=false|-|4|Wilhelmina|-|Life jackets for children;No candles|houseboat|HB-0417",
			"Pinecone A-Frame|$149|$75|5|2|1|Unavailable: WiFi=false|Pets welcome=true|Unavailable: Washer=false|-|2|Teo|-|No campfires;No parties|cabin|STR-11920",
			"Sunny Studio Calle Luna|$87|$30|2|1|1|Included=true^Wifi Included|Not allowed=false^Pets Not allowed|Included=true^Washer Included|Included=true^Air conditioning Included|2|Marisela|-|-|apartment|VT-55102",
		},
		looks: []look{
			{"spa", "www.perch.example/rooms/", `{{name}} – Perch
<div class="_1n81at5"><div role="heading">{{name}}</div><div>Entire {{kind}} hosted by {{host}}</div>
<div class="_tag">{{superhost}}</div>
</div><div class="_ol"><span>{{sleeps}} guests</span> · <span>{{beds}} bedrooms</span> · <span>{{baths}} baths</span></div>
<div class="_amen"><div>What this place offers</div><div>{{wifi}}</div><div>{{pets}}</div>
<div>{{washer}}</div>
</div><div class="_book"><span>{{night}}</span> <span>night</span><div>Cleaning fee {{cleaning}}</div><div>Service fee $24</div><div>{{min}} nights minimum</div></div>
<div class="_rules"><div>House rules</div>{{rules*div}}</div><div>Registration number {{licence}}</div>`},
			{"spa", "www.perch.example/homes/", `{{name}} – Perch
<div class="_hd">{{name}}</div><div class="_pr">{{night}} x 5 nights</div><div class="_fees"><div>Cleaning fee</div><div>{{cleaning}}</div></div><div class="_am"><div>{{wifi}}</div><div>{{pets}}</div></div>
<div class="_txt">{{host}} has two places on this hill; the Cabin, next door, sleeps six and costs more. This one sleeps {{sleeps}} in {{beds}} bedrooms, with {{baths}} bath.</div><div class="_txt">Stay {{min}} nights or longer. {{rules}}.</div>`},
			{"theme", "stays.smalltown.example/", `{{name}}
<h1>{{name}}</h1><p>{{host}} lets this {{kind}} for {{night}} a night, at least {{min}} nights; {{cleaning}} for cleaning is added once.</p><figure class="wp-block-table"><table><tbody><tr><th>Wifi</th><td>{{wifi}}</td></tr><tr><th>Pets</th><td>{{pets}}</td></tr><tr><th>Washer</th><td>{{washer}}</td></tr><tr><th>Air conditioning</th><td>{{aircon}}</td></tr><tr><th>Sleeps</th><td>{{sleeps}}</td></tr></tbody></table></figure>
<p>Licence {{licence}}</p>
<ul>{{rules*li}}</ul>`},
		},
		asks: []string{
			`0 3|at empty|{url}|nightly_rate=night;cleaning_fee=cleaning;max_guests=sleeps`,
			`0 3|find schema|{name} rental|wifi=wifi~is there WiFi?;petsAllowed=pets~may pets come?;type=kind~type of place;minNights=min~least number of nights`,
			`1|find told|Fern Hollow Cottage|price=night~price per night;fee=cleaning~cleaning fee;pets=pets~are pets allowed;washing_machine=!bool~has it a washer@washer,washing`,
			`2 5|at schema|{url}|washer=washer~washing machine;airConditioning=aircon~air conditioning;petsAllowed=pets~pets;licence=licence~licence number`,
			`0 2|find told|House rules of {name}|rules=rules~all house rules;host=host~name of the host`,
			`4|find empty|{name}: bedrooms, baths, checkout time|bedrooms=beds;baths=baths;checkout=!str@checkout,check-out`,
			`3|find none|What is the cleaning fee of The Drowsy Heron?|x=cleaning`,
			`0|find empty|{name}|night=!usd;pets=!bool|Otter Creek Yurt`,
		},
	}}
}

// tables are restaurants and what they cook.
func tables() []kind {
	return []kind{
		{
			name: "restaurant", page: "organisation",
			cols: "name menu:rows(dish,price:gbp) cuisine tel:tel mail:mail book:url chef vegan:bool terrace:bool closed halal:bool seats:int set:gbp corkage:gbp area kids:bool",
			rows: []string{
				"Saffron & Smoke|Lamb kofta,£9.50;Charred aubergine,£8.00;Saffron rice,£4.25;Fig tart,£6.75|Persian|020 7946 0311|table@saffronsmoke.example|Book a table=https://book.saffronsmoke.example/|Roya Daneshvar|Vegan options=true|Terrace: yes=true|Mondays=Monday|Halal kitchen=true|44|£32|-|Kelburn|-",
				"The Gilded Turnip|Leek soup,£7.00;Hake and samphire,£21.50;Mushroom pie,£16.00;Treacle pudding,£8.25|British|020 7946 0722|hello@gildedturnip.example|Reserve=/reserve|Ned Asquith|Vegan options=true|Terrace: no=false|Sunday evenings|-|62|£28|£15|Marlow Yard|High chairs available=true",
				"Noodle House Wen|Dan dan noodles,£11.00;Smacked cucumber,£5.50;Pork dumplings,£7.80|Sichuan|020 7946 0105|-|-|Wen Liqiu|✓=true^Vegan dishes ✓|✗=false^Outdoor seats ✗|Tuesdays|✗=false^Halal ✗|28|-|-|Kelburn|✓=true^Children welcome ✓",
				"Saffron & Salt|Salt cod fritters,£8.50;Paella for two,£38.00;Crema catalana,£6.00|Catalan|020 7946 0399|hola@saffronsalt.example|Book a table=https://book.saffronsalt.example/|Joan Puig|-|Terrace: yes=true|Wednesdays|-|36|£35|£18|Eastgate|-",
				"Trattoria Da Nella|Gnocchi al pesto,£13.00;Vitello tonnato,£15.50;Tiramisu,£6.50|Ligurian|020 7946 0868|nella@danella.example|Reserve=/prenota|Nella Bruzzone|-|Terrace: yes=true|Mondays|-|50|-|£12|Eastgate|High chairs available=true",
			},
			looks: []look{
				{"theme", "www.{}.example/menu/", `{{name}} | Menu
<h1 class="wp-block-heading">{{name}}</h1><p>{{cuisine}} cooking over coals in {{area}}. Chef {{chef}}.</p><h2>Menu</h2>{{menu%<div class="menu-item"><h4>$1 <span class="menu-price">$2</span></h4></div>}}
<p>Set menu {{set}} per person.</p>
<p>{{vegan}}.</p>
<p>{{terrace}}.</p>
<p>{{halal}}.</p>
<p>Closed on {{closed}}.</p><p><a class="wp-block-button__link" href="{{book#}}">{{book}}</a> or call <a href="tel:{{tel}}">{{tel}}</a></p>
<p><a href="mailto:{{mail}}">{{mail}}</a></p>`},
				{"bootstrap", "{}.example/food/", `{{name}} – food & drink
<h1>{{name}}</h1><p class="lead">{{cuisine}}, seasonal, a bit muddy. {{area}}.</p><table class="table menu"><tbody>{{menu%<tr><td>$1</td><td class="text-end">$2</td></tr>}}</tbody></table><p>{{seats}} seats. Corkage {{corkage}}. {{kids}}.</p>
<p>Two courses at lunch: {{set}}.</p>
<a class="btn btn-primary" href="{{book#}}">{{book}}</a><div class="small">{{tel}} · {{mail}}</div>`},
				{"old", "www.noodlehousewen.example/", `{{name}}
<H1>{{name}}</H1><TABLE WIDTH="90%">{{menu%<TR><TD>$1</TD><TD ALIGN="RIGHT">$2</TD></TR>}}</TABLE><P>Vegan dishes {{vegan}}<BR>Outdoor seats {{terrace}}<BR>Halal {{halal}}<BR>Children welcome {{kids}}</P><P>{{area}}, {{seats}} seats, closed {{closed}}. Phone {{tel}}. No bookings: come early!`},
			},
			asks: []string{
				`0 1 2|at empty|Menu of {url} with prices|menu=menu`,
				`3 4|find told|Full menu of {name}|dishes=menu~every dish with its price`,
				`0 3|find schema|{name}: bookings|bookingUrl=book~link for bookings;phone=tel~phone;email=mail~e-mail;hasTerrace=terrace~is there a terrace?`,
				`1 4|find empty|{name} restaurant|corkage=corkage;seats=seats;booking_url=book`,
				`2|at schema|{url}|vegan=vegan~vegan dishes;outdoor=terrace~outdoor seats;halal=halal~halal;bookings_email=!mail~e-mail for bookings@mail`,
				`3|find told|Saffron & Salt|set_menu=set~price of the set menu;chef=chef~chef;halal=!bool~halal?@halal^twin:Halal kitchen`,
				`0|find none|On what day is Saffron & Smoke closed?|x=closed`,
				`4|find plain|corkage at Trattoria Da Nella|x=corkage~corkage`,
				`0|find empty|{name}: phone and chef|phone=!tel;chef=!str|Bistro Pomme Noire`,
			},
		},
		{
			name: "recipe", page: "recipe", cols: "name prep:int serves:int kcal:int needs:list veg:bool cost:gbp author", rows: []string{
				"Charred Aubergine with Pomegranate|35|4|210|aubergine;pomegranate;tahini;mint|Vegan: yes=true|£1.80|Roya Daneshvar",
				"Mushroom Pie from the Turnip|90|6|540|chestnut mushrooms;ale;puff pastry;thyme|Vegan: no=false|£2.60|-",
			},
			looks: []look{{"theme", "www.forkful.example/recipes/", `{{name}}
<h1>{{name}}</h1><div class="tasty-recipes-details"><ul><li><span class="tasty-recipes-label">Total time:</span> {{prep}} minutes</li><li><span class="tasty-recipes-label">Yield:</span> {{serves}} servings</li><li>{{kcal}} kcal a portion</li><li>About {{cost}} a head</li></ul></div><h3>Ingredients</h3><ul>{{needs*li}}</ul><p>{{veg}}.</p>
<p>By {{author}}</p>
<h3>Instructions</h3><ol><li>Heat the grill.</li><li>Season and serve.</li></ol>`}},
			asks: []string{
				`0|find schema|{name}|minutes=prep~total minutes;servings=serves~servings;vegan=veg~is it vegan?;ingredients=needs~ingredients`,
				`1|at empty|{url}|servings=serves;calories=kcal;cost_per_head=cost;author=author`,
			},
		},
		{
			name: "menupdf", page: "PDF", cols: "name", rows: []string{"Wedding menu of The Gilded Turnip"},
			looks: []look{{"pdf", "the-gilded-turnip.example/files/wedding.pdf", `{{name}}
# {{name}}
Three courses: {{three:gbp|£54.00}} per guest
Evening buffet: {{buffet:gbp|£19.50}} per guest
Children under ten: {{child:gbp|£18.00}}
Least number of guests: {{guests:int|30}}
A deposit of {{deposit:gbp|£400.00}} holds the date.
Write to {{mail:mail|weddings@gildedturnip.example}}`}},
			asks: []string{
				`0|at empty|{url}|three_courses=three;buffet=buffet;minimum_guests=guests;contact=mail`,
				`0|find told|wedding menu of The Gilded Turnip|deposit=deposit~deposit;children=child~price for a child;hire=!gbp~hire of the room@hire`,
			},
		},
	}
}
