package almanac

// nature are rivers, plants, animals and the weather.
func nature() []family {
	return []family{
		{
			name: "rivers", page: "place",
			cols: "name,length:num,basin:int,source,height:int,mouth,flow:num,left:list,right:list,flood:date,level:num,towns:list,navigable:bool,gauge",
			rows: []string{
				"River Ald|118|2,140|Ald Head|612|the North Water at Aldmouth|34.7|Lesser Wend;Brook of Ash|Sill;Tarn Beck|13 February 1953|7.42|Ambry;Caddow;Aldmouth|Barges can navigate it as far up as Ambry==true|Ambry Lock",
				"Lesser Wend|41.5|388|Wend Moss|487|the Ald below Caddow|6.2|Kell;Dun Water|Sike;Black Beck|9 December 1965|3.86|Wendby;Caddow|It is not navigable==false|Caddow Mill",
				"River Tor|76|905|Toreth Spring|540|Torhaven Bay|15.9|Mere Brook;Hollow|Cray;Little Tor|27 October 2012|5.1|Toreth;Torhaven|It is navigable for small craft below Toreth weir==true|Toreth Weir",
				"Little Tor|12.3|61|Cray Common|233|the Tor at Mill End|0.9|Fenny Sike;Rill|-|-|-|Mill End;Crayford St Ann|-|-",
			},
			pages: []string{
				`en.openlore.example|wiki|{name} - Openlore
<h1 class="firstHeading">{name}</h1>
<table class="infobox"><tbody><tr><th colspan="2">Physical characteristics</th></tr>
<tr><th>Source</th><td>{source}<br>• elevation {height} m</td></tr>
<tr><th>Mouth</th><td>{mouth}</td></tr>
<tr><th>Length</th><td>{length} km</td></tr>
<tr><th>Basin size</th><td>{basin} km²</td></tr>
<tr><th>Discharge</th><td>{flow} m³/s (mean)</td></tr>
<tr><th colspan="2">Tributaries</th></tr>
<tr><th>• left</th><td>{left}</td></tr>
<tr><th>• right</th><td>{right}</td></tr></tbody></table>
<p>The <b>{name}</b> rises at {source} and enters {mouth} after {length} kilometres, having passed {towns}.</p>
<p>{navigable}.</p>
<p>On {flood} the gauge at {gauge} stood at {level} metres, the highest reading since 1894; the mean is 1.2 metres.</p>`,
				`rivers.environment.gov.example|gov|{name} – catchment summary
<span class="govuk-caption-l">Catchment summary</span><h1 class="govuk-heading-l">{name}</h1>
<p class="govuk-body">This catchment covers {basin} square kilometres. The river is {length} km long, of which 9.4 km run through protected land, and it falls from {height} metres at {source} to its mouth.</p>
<h2 class="govuk-heading-m">Places along the river</h2><ul class="govuk-list govuk-list--bullet">{towns:li}</ul>
<h2 class="govuk-heading-m">Flow</h2><p class="govuk-body">On average {flow} cubic metres a second pass the last gauge.</p>
<p class="govuk-body">The worst flood on record was that of {flood}, when the water at {gauge} reached {level} m.</p>
<p class="govuk-body">{navigable}.</p>
<details class="govuk-details"><summary>Streams that join from the left</summary><ul>{left:li}</ul></details>`,
			},
			tasks: []string{
				"0,1,2 empty | {name}: length in km, catchment area, source | length_km=length;catchment_km2=basin;source=source",
				"0,1 told | {name} | record_flood_date=flood~date of the highest flood;record_level=level~highest water level in metres;left_tributaries=left~streams that join from the left",
				"3 told | About the stream {name} | length=length@twin:76~length in km;mean_flow=flow~mean flow in cubic metres a second;record_flood=flood@twin:27 October 2012~date of the worst flood",
				"2 none | Where does the {name} rise? | x=source",
				"0,2 schema | {url} | navigable=navigable~whether boats can use it;elevation=height~height of the source in metres;towns=towns~places along it",
				"1 schema | {url} - fish stock and bathing water quality | fish=!list#trout/fish;bathing_quality=!enum(good/poor)#bathing",
				"0 empty ghost=River Umberlode | How long is the {name} and where is its source? | length_km=length;source=source",
			},
		},
		{
			name: "herbarium", page: "article",
			cols: "name,latin,family,height:int,tall:int,flowers,colour,toxic:bool,hardy:int,author,described:int,soil,status:enum(least concern/vulnerable/endangered),petals:int,leaf,found,month_end",
			rows: []string{
				"Marsh lanternwort|Lychnaria palustris|Lychnariaceae|30|55|May to July|pale yellow|All parts are poisonous to cattle==true|-18|Wahlin|1781|wet peat|vulnerable|five==5|lance-shaped|the Ald levels|July",
				"Rock lanternwort|Lychnaria saxatilis|Lychnariaceae|10|20|April to June|deep orange|The plant is not poisonous==false|-24|Quist|1849|dry limestone|endangered|four==4|kidney-shaped|Caddow Scar|June",
				"Hedge glasswing|Vitrella sepium|Vitrellaceae|80|140|June to September|white|It is harmless to people and animals, and not poisonous==false|-12|Wahlin|1779|heavy clay|least concern|six==6|heart-shaped|lanes round Ambry|September",
				"Widow's thrift|Armelia vidua|Plumbellaceae|15|35|July to October|violet|The berries are poisonous==true|-9|Okonjo|1926|sand and shingle|vulnerable|five==5|needle-like|Marram Sands|October",
				"False widow's thrift|Armelia falsa|Plumbellaceae|20|45|August|pink|-|-6|-|-|salt marsh|-|five==5|grass-like|Selker Point|August",
			},
			pages: []string{
				`flora.opencounty.example|plain|{name} ({latin})
<article class="taxon"><h1>{name}</h1><p class="sci"><em>{latin}</em></p>
<table class="taxobox"><caption>Scientific classification</caption><tr><td>Kingdom:</td><td>Plantae</td></tr><tr><td>Family:</td><td>{family}</td></tr><tr><td>Species:</td><td><i>{latin}</i></td></tr>
<tr><td>Authority:</td><td>{author}, {described}</td></tr>
<tr><td>Status:</td><td>{status:cap}</td></tr></table>
<p>A perennial of {soil}, {height} to {tall} cm high, with {leaf} leaves. It flowers from {flowers} and has {petals} petals of a {colour} that fades to cream; those of its cousins fade to grey.</p>
<p>{toxic}. Tinctures of the root were sold at 3d a bottle as late as 1911.</p>
<p>In the county it is known from {found}.</p></article>`,
				`www.mrsbeckgrows.example|wordpress|Growing {name} – Mrs Beck Grows
<article><h1>Growing {name}</h1><p class="byline">by Dorothea Beck on March 8, 2026</p>
<p>If somebody gives you <em>{latin}</em>, say thank you and find a corner of {soil}. It wants nothing else. Mine have come through {hardy} °C under snow without a scratch, and I once read of a plant in Norway that bore -30.</p>
<p>Expect something between {height} cm and {tall} cm by the third year. Mine flower {flowers}, and the colour is best called {colour}, whatever the packet says.</p>
<p>Before you ask about the dog: {toxic}.</p>
<p>The leaves are {leaf}, which is how you tell it from its relations.</p><h3>Sowing</h3><p>Sow in March at 15 °C, a pinch per 9 cm pot. Seed is £2.95 a packet at the plant fair.</p></article>`,
			},
			tasks: []string{
				"0,2 empty | {name}: botanical family, habitat, number of petals | family=family;soil=soil;petals=petals",
				"1,3 told | {url} | latin=latin~the botanical name;hardy_to=hardy~lowest temperature it bears, in degrees;max_height=tall~greatest height in cm;colour=colour~colour of the flowers",
				"0,1,3 schema | Is {name} poisonous? | poisonous=toxic~whether it is poisonous",
				"2 schema | {name}, conservation data | status=status~conservation status;firstDescribed=described~year in which it was described;author=author~who described it",
				"4 schema | {name}, conservation data | status=status~conservation status#Status: Vulnerable;firstDescribed=described~year in which it was described;flower_colour=colour@other:violet~colour of the flowers",
				"4 none | What is the botanical name of {name}? | x=latin@lure:Armelia vidua",
				"0,3 none | When does {name} flower? | x=flowers",
				"1 empty | {url} | price_of_plant=!price#a plant costs;pollinators=!list#bees/pollinat",
				"0 empty ghost=Weeping hobbleberry | {name}: height and family | height_cm=tall;family=family",
			},
		},
		{
			name: "animals", page: "article",
			cols: "name,latin,lives:int,weight:num,length:int,young:int,gestation:int,food:list,region,group,nocturnal:bool,seen:int,speed:int,keeper,adopt:price,named",
			rows: []string{
				"Lesser sandgrouper|Phyllomys arenarius|nine==9|1.4|38|four==4|41|beetles;roots;fallen fruit|the Oro dunes|family parties|It is nocturnal==true|1,850|22|Saskia Vos|£35==35 GBP|Pepper",
				"Greater sandgrouper|Phyllomys magnus|fourteen==14|5.9|71|two==2|63|roots;bulbs|the Oro highlands|pairs|Unlike its cousin it is active by day and not nocturnal==false|640|31|Saskia Vos|£60==60 GBP|Duke",
				"Tufted marsh loris|Palustris cristatus|seventeen==17|0.8|27|one==1|128|gum;moths;small frogs|the Sarrat delta|alone|It is strictly nocturnal==true|-|6|Henk Abara|£40==40 GBP|Miso",
				"Blue-footed crakelet|Porzanula caeruleipes|six==6|0.09|16|five==5|19|seeds;snails|the Ald levels|flocks of up to 40|-|12,300|48|Ione Tasker|£15==15 GBP|-",
			},
			pages: []string{
				`www.ambryzoo.example|spa|{name} | Ambry Zoo
<div class="k-hero"><div class="k-h1">{name}</div><div class="k-sub">{latin}</div></div>
<div class="k-facts"><div><span>Weighs</span><b>{weight} kg</b></div><div><span>Body length</span><b>{length} cm</b></div>
<div><span>Life expectancy</span><b>{lives} years</b></div><div><span>Young per litter</span><b>{young}</b></div>
<div><span>Home</span><b>{region:cap}</b></div></div>
<div class="k-text"><p>Ours eat {food}. {nocturnal}, so come at the right hour. Feeding is at 2.15 pm, for ten minutes.</p>
<p>In the wild there may be {seen} left, according to the count of 2024; ten years earlier there were nearly twice as many.</p>
<p>Their keeper is {keeper}. You can adopt one for {adopt} a year, or the whole family for £150.</p></div>`,
				`en.openlore.example|wiki|{name} - Openlore
<h1 class="firstHeading">{name}</h1>
<p>The <b>{name}</b> (<i>{latin}</i>) is an animal of {region}, where it lives in {group}. Adults weigh {weight} kg on average and measure {length} cm without the tail, which adds another 12.</p>
<p>Gestation or incubation takes {gestation} days, after which {young} young are the rule. In captivity they have lived for {lives} years. The record, 23 years, is doubtful.</p>
<p>They feed on {food} and can run or fly at {speed} km/h.</p>
<p>{nocturnal}.<sup>[<i>citation needed</i>]</sup></p>
<p>The population was put at {seen} in the last survey.</p>`,
			},
			tasks: []string{
				"0,2 empty | {name}: weight in kg, lifespan, adoption price | weight_kg=weight;lifespan_years=lives;adoption_price=adopt",
				"1,3 told | {url} | gestation_days=gestation~days of gestation or incubation;diet=food~what it eats;population=seen~how many there are;nocturnal=nocturnal~whether it is active at night#nocturnal",
				"0,1,2 schema | Is the {name} nocturnal, and what does it eat? | nocturnal=nocturnal~active at night;diet=food~food",
				"1 none | How fast can a {name} run? | x=speed",
				"0,3 string | Latin name of the {name} | x=latin~scientific name",
				"2 empty | {name}: population and conservation status | population=seen@twin:1,850;iucn_status=!str#endangered/vulnerable",
				"3 empty | {url} | adoption_fee=adopt@twin:£35/£60;keeper=keeper#keeper",
			},
		},
		{
			name: "weather", page: "collection",
			cols: "name,month,station,altitude:int,max:num,max_day:date,min:num,min_day:date,mean:num,anomaly:num,rain:num,rain_day:num,sun:num,wind:int,gust_day:date,frost:int,observer,days:int",
			rows: []string{
				"Ambry weather, January 2026|January 2026|Ambry Observatory|74|12.8|19 January 2026|−7.3==-7.3|4 January 2026|3.6|0.9|81.4|22.6|48.2|97|12 January 2026|11|Fergus Oyelaran|17",
				"Ambry weather, January 2025|January 2025|Ambry Observatory|74|10.9|27 January 2025|−4.1==-4.1|9 January 2025|2.2|−0.5==-0.5|118.7|31|36.9|82|24 January 2025|14|Fergus Oyelaran|20",
				"Caddow weather, January 2026|January 2026|Caddow Top|389|9.7|20 January 2026|−11.2==-11.2|4 January 2026|0.8|0.6|142.3|40.5|31.5|126|12 January 2026|19|-|22",
				"Ambry weather, July 2025|July 2025|Ambry Observatory|74|33.4|11 July 2025|7.9|2 July 2025|18.1|1.3|29.8|14.2|241.6|-|-|-|Fergus Oyelaran|6",
			},
			pages: []string{
				`www.ambryobservatory.example|old|{name}
<H2>{station} ({altitude} m above the sea): {month}</H2>
<TABLE BORDER="1"><TR><TH>Element</TH><TH>Value</TH><TH>Date</TH></TR>
<TR><TD>Highest temperature</TD><TD>{max} °C</TD><TD>{max_day}</TD></TR>
<TR><TD>Lowest temperature</TD><TD>{min} °C</TD><TD>{min_day}</TD></TR>
<TR><TD>Mean temperature</TD><TD>{mean} °C</TD><TD>&nbsp;</TD></TR>
<TR><TD>Departure from 1991–2020</TD><TD>{anomaly} °C</TD><TD>&nbsp;</TD></TR>
<TR><TD>Total rainfall</TD><TD>{rain} mm</TD><TD>&nbsp;</TD></TR>
<TR><TD>Sunshine</TD><TD>{sun} hours</TD><TD>&nbsp;</TD></TR>
<TR><TD>Strongest gust</TD><TD>{wind} km/h</TD><TD>{gust_day}</TD></TR>
<TR><TD>Days with air frost</TD><TD>{frost}</TD><TD>&nbsp;</TD></TR></TABLE>
<P>Observer: {observer}. Records began in 1884. The wettest January was that of 1928, with 203 mm.`,
				`www.countyweather.example|wordpress|{name}: how it was
<article><h1>{name}: how it was</h1><p>The month at {station} was the sort one forgets. The mercury touched {max} °C on {max_day} and sank to {min} °C on {min_day}; the mean came out at {mean} °C.</p>
<p>Rain fell on {days} days, {rain} mm in all, against a normal of 96.5 mm. The wettest day alone brought {rain_day} mm.</p>
<p>Of sunshine there were {sun} hours.</p>
<p>The wind rose to {wind} km/h on {gust_day}, when the fair had to be put off.</p></article>`,
			},
			tasks: []string{
				"0,2 empty | {name}: highest temperature and its date, total rain in mm | max_temperature=max;max_date=max_day;rain_mm=rain",
				"1,3 told | {url} | lowest=min~lowest temperature in degrees;lowest_on=min_day~day of the lowest temperature;wettest_day=rain_day~rain on the wettest day in mm;sunshine=sun~hours of sunshine",
				"1 empty | {name}: strongest gust in km/h and its date; departure from the mean of 1991-2020 | gust_kmh=wind;gust_date=gust_day;anomaly=anomaly@other:0.9",
				"3 empty | {name}: strongest gust in km/h and its date | gust_kmh=wind@other:97/82;gust_date=gust_day@other:12 January 2026/24 January 2025",
				"0 none | How many hours of sunshine did Ambry have in January 2026? | x=sun@lure:36.9/31.5/241.6",
				"2 schema | {url} | frostDays=frost~days with frost;observer=observer~who observed#Observer;snowDepth=!num~depth of snow in cm#snow",
			},
		},
	}
}
