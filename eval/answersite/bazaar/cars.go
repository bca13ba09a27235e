package bazaar

// cars are used ones, several of the same make.
func cars() []kind {
	return []kind{{
		name: "car", page: "listing",
		cols: "name price:eur km:int first:date fuel:enum(petrol/diesel/electric/hybrid) gearbox:enum(manual/automatic) power:int doors:int colour owners:int accident:bool vat:bool towbar:bool inspection:date dealer tel:tel vin extras:list was:eur co2:int financing:eur",
		rows: []string{
			"Marelli Brio 1.2|€8,450|94,300 km=94300|12 March 2018=2018-03-12|Petrol=petrol|Manual=manual|69|5|Red|2|Accident-free=false|VAT not deductible=false|-|1 March 2027=2027-03-01|Autohaus Pfister|+49 7655 5501|MBR12X0183321|Air conditioning;Heated seats;Parking sensors|€8,990|112|-",
			"Marelli Brio 1.4 Sport|€11,900|61,750 km=61750|4 June 2019=2019-06-04|Petrol=petrol|Automatic=automatic|103|3|Black|1|Accident-free=false|VAT deductible=true|-|-|Autohaus Pfister|+49 7655 5501|MBR14S0220917|Sunroof;Cruise control|-|128|€179",
			"Volta Piccolo EV|€15,200|38,020 km=38020|30 September 2021=2021-09-30|Electric=electric|Automatic=automatic|100|5|White|1|-|VAT deductible=true|-|1 September 2026=2026-09-01|Garage Léman|+41 21 555 08 08|VPE21C0044102|Heat pump;Navigation;Rear camera|€16,400|0|-",
			"Kestrel Combi 2.0 TD|€6,300|187,400 km=187400|1 February 2014=2014-02-01|Diesel=diesel|Manual=manual|110|5|Silver|3|Repaired accident damage=true|-|Tow bar fitted=true|1 July 2026=2026-07-01|private seller|+33 4 55 50 19 91|-|Roof rails;Winter tyres|-|149|-",
			"Kestrel Combi 1.6 Hybrid|€18,750|52,600 km=52600|19 May 2021=2021-05-19|Hybrid=hybrid|Automatic=automatic|141|5|Blue|1|Accident-free=false|VAT deductible=true|Tow bar fitted=true|1 May 2027=2027-05-01|Nordgarage|+46 8 555 01 77|KCH16H0310558|Lane assist;Keyless entry;Heated seats|€19,900|98|€249",
			"Volta Piccolo|€9,950|71,900 km=71900|8 January 2019=2019-01-08|Petrol=petrol|Manual=manual|75|5|Yellow|2|Accident-free=false|-|-|-|Garage Léman|+41 21 555 08 08|-|Navigation;USB port|-|109|-",
			"Osprey Van L2|€13,400|120,850 km=120850|22 October 2017=2017-10-22|Diesel=diesel|Manual=manual|130|4|White|1|-|VAT deductible=true|Tow bar fitted=true|1 October 2026=2026-10-01|Nordgarage|+46 8 555 01 77|OSV17L2093340|Bulkhead;Ply lining;Reversing camera|-|177|-",
		},
		looks: []look{
			{"bootstrap", "www.wagenmarkt.example/ad/", `{{name}} for {{price}} – Wagenmarkt
<h1>{{name}}</h1><div class="price-block"><span class="h2">{{price}}</span></div>
<div class="price-block"><small class="text-muted"><del>{{was}}</del> price lowered</small></div>
<div class="price-block">or {{financing}} a month*</div>
<div class="key-features d-flex"><div><i class="icon-road"></i>{{km}}</div><div><i class="icon-cal"></i>{{first}}</div><div><i class="icon-fuel"></i>{{fuel}}</div><div><i class="icon-gear"></i>{{gearbox}}</div></div>
<table class="table table-striped"><tbody><tr><th>Mileage</th><td>{{km}}</td></tr><tr><th>First registration</th><td>{{first}}</td></tr><tr><th>Fuel</th><td>{{fuel}}</td></tr><tr><th>Transmission</th><td>{{gearbox}}</td></tr><tr><th>Power</th><td>{{power}} hp</td></tr>
<tr><th>Previous owners</th><td>{{owners}}</td></tr><tr><th>CO2</th><td>{{co2}} g/km</td></tr>
<tr><th>Condition</th><td>{{accident}}</td></tr>
<tr><th>Next inspection</th><td>{{inspection}}</td></tr>
<tr><th>VIN</th><td>{{vin}}</td></tr></tbody></table><h3>Extras</h3><ul>{{extras*li}}</ul>
<div class="dealer"><b>{{dealer}}</b><br>{{tel}}</div>
<div class="similar"><h3>Similar cars</h3><p>Marelli Brio 1.0, 120,000 km, €5,900</p></div>`},
			{"spa", "app.autojet.example/v/", `{{name}} | Autojet
<div class="css-n">{{name}}</div><div class="css-p">{{price}}</div><div class="css-monthly">{{financing}}/month</div>
<div class="css-kv"><span>{{km}}</span><span>{{power}} hp</span><span>{{gearbox}}</span><span>{{fuel}}</span></div>
<div class="css-kv"><div>Doors</div><div>{{doors}}</div></div><div class="css-kv"><div>Colour</div><div>{{colour}}</div></div><div class="css-kv"><div>Registered</div><div>{{first}}</div></div><div class="css-kv"><div>Owners</div><div>{{owners}}</div></div>
<div class="css-badges"><div>{{accident}}</div></div>
<div class="css-badges"><div>{{vat}}</div></div>
<div class="css-badges"><div>{{towbar}}</div></div>
<div class="css-kv"><div>Inspection due</div><div>{{inspection}}</div></div>
<div class="css-eq">{{extras*div}}</div><div class="css-sel">Sold by {{dealer}}</div>`},
			{"old", "www.garage-leman.example/occasions/", `{{name}}
<H2>{{name}}, {{colour}}</H2><P>{{fuel}}, {{gearbox}}, {{power}} hp, {{doors}} doors. On the road since {{first}}. {{km}} on the clock.
<P><B>{{price}}</B>
<BR>instead of {{was}}
<BR>{{vat}}
<BR>Next inspection: {{inspection}}
<P>Comes with: {{extras}}<P>Ring us: {{tel}} ({{dealer}})`},
		},
		asks: []string{
			`0 1 4|at schema|Car at {url}|price=price~asking price in euros;mileageKm=km~mileage in km;fuel=fuel~fuel;gearbox=gearbox~gearbox;firstRegistration=first~date of first registration`,
			`3 6|find schema|{name} used car ad|hadAccident=accident~has it had an accident?;powerHp=power~power in hp;inspectionUntil=inspection~next inspection`,
			`2 5|find told|{name}|price=price~asking price;old=was~price before it was lowered;extras=extras~extras;phone=tel~phone of the seller`,
			`1 4|at empty|{url}|doors=doors;colour=colour;financing_per_month=financing;owners=owners`,
			`0|find empty|Marelli Brio 1.2: VIN, owners, next inspection|vin=vin;owners=owners;next_inspection=inspection;warranty_months=!int@warranty,guarantee`,
			`4|find schema|{name}|towbar=towbar~has it a tow bar?;vatDeductible=vat~is VAT deductible?;co2=co2~CO2 in g/km@CO2`,
			`5|find told|Volta Piccolo (petrol)|next_inspection=inspection~date of the next inspection@inspection^twin:1 September 2026;mileage=km~kilometres`,
			`3|find none|How many kilometres has the Kestrel Combi 2.0 TD done?|x=km`,
			`2|find plain|previous price of the Volta Piccolo EV|x=was~price before`,
			`6|at empty|{url}|price=price;payload_kg=!int@payload;dealer=dealer`,
			`0|find schema|{name}|price=!eur~price;fuel=!enum(petrol/diesel/electric)~fuel|Marelli Fiorella Cabrio`,
		},
	}}
}

// jobs are vacancies.
func jobs() []kind {
	return []kind{{
		name: "job", page: "article",
		cols: "name employer place pay:gbp paymax:gbp type:enum(FULL_TIME/PART_TIME/CONTRACT) remote:bool closes:date posted:date apply:url mail:mail hours:num holidays:int ref perks:list visa:bool start:date contact skills:list",
		rows: []string{
			"Senior Baker|Crumb & Co|Leith|£31,500|£34,000|Full-time=FULL_TIME|On site=false|29 May 2026=2026-05-29|1 May 2026=2026-05-01|Apply now=https://jobs.crumbco.example/apply/118|-|40|33|CC-118|Free bread;Pension;Cycle scheme|-|-|-|Laminating;Shaping;Team lead",
			"Baker (nights)|Crumb & Co|Portobello|£27,000|£29,500|Part-time=PART_TIME|On site=false|12 June 2026=2026-06-12|8 May 2026=2026-05-08|Apply now=https://jobs.crumbco.example/apply/121|-|24|28|CC-121|Free bread;Taxi home|-|-|-|Shaping;Deck ovens",
			"Platform Engineer|Ledgerly|Remote (UK)|£62,000|£75,000|Full-time=FULL_TIME|Fully remote=true|-|2 April 2026=2026-04-02|Apply for this job=/apply/platform-engineer|people@ledgerly.example|37.5|30|-|Laptop;Learning budget;Sabbatical|No visa sponsorship=false|-|Ines Kaplan|Go;Postgres;Linux",
			"Product Designer|Ledgerly|Leeds|£48,000|£56,000|Contract=CONTRACT|Hybrid: two days in the office=false|30 June 2026=2026-06-30|20 April 2026=2026-04-20|Apply for this job=/apply/product-designer|people@ledgerly.example|37.5|-|-|Laptop;Learning budget|Visa sponsorship available=true|-|Ines Kaplan|Prototyping;Research",
			"Museum Learning Officer|Harbour Museum|Dunmarl|£28,400|-|Part-time=PART_TIME|-|5 June 2026=2026-06-05|-|-|jobs@harbourmuseum.example|21|25|HM/26/04|-|-|1 September 2026=2026-09-01|Dr Farah Lindqvist|-",
			"Museum Registrar|Harbour Museum|Dunmarl|£33,966|-|Full-time=FULL_TIME|-|19 June 2026=2026-06-19|-|-|jobs@harbourmuseum.example|35|25|HM/26/05|-|-|-|Dr Farah Lindqvist|-",
		},
		looks: []look{
			{"bootstrap", "www.shiftboard.example/jobs/", `{{name}} at {{employer}}
<script type="application/ld+json">{"@context":"https://schema.org","@type":"JobPosting","title":"{{name!}}","datePosted":"{{posted#}}","employmentType":"{{type#}}","hiringOrganization":{"@type":"Organization","name":"{{employer!}}"}}</script>
<h1>{{name}}</h1><p>{{employer}} · {{place}} · Posted {{posted}}</p><ul class="tags"><li>{{type}}</li><li>{{remote}}</li></ul><p class="salary">{{pay}} – {{paymax}} a year</p><a class="btn btn-success" href="{{apply#}}">{{apply}}</a>
<h3>The role</h3><p>You start at four so that the town has rolls at seven. {{hours}} hours a week, {{holidays}} days of holiday.</p><h3>What you bring</h3><ul>{{skills*li}}</ul><h3>What you get</h3><ul>{{perks*li}}</ul>
<p>Apply by {{closes}} and quote {{ref}}.</p>
<h3>More jobs</h3><p>Barista, £24,500 · Delivery driver, £26,000</p>`},
			{"bootstrap", "www.shiftboard.example/vacancy/", `{{name}} – {{employer}}, {{place}}
<h1>{{name}}</h1><dl class="row"><dt>Employer</dt><dd>{{employer}}</dd><dt>Location</dt><dd>{{place}}</dd><dt>Salary</dt><dd>from {{pay}} to {{paymax}}</dd><dt>Contract</dt><dd>{{type}}, {{hours}} hours</dd><dt>Closing date</dt><dd>{{closes}}</dd><dt>Reference</dt><dd>{{ref}}</dd></dl><p>Benefits: {{perks}}</p><a href="{{apply#}}">{{apply}}</a>`},
			{"spa", "careers.ledgerly.example/o/", `{{name}} – Ledgerly careers
<div class="posting-headline"><h2>{{name}}</h2><div class="posting-categories"><div class="location">{{place}}</div><div class="commitment">{{type}}</div><div class="workplace">{{remote}}</div></div></div><div class="section"><div>Pay: {{pay}} to {{paymax}}</div><div>{{visa}}</div></div><div class="section"><div>You know</div>{{skills*div}}</div>
<div class="section"><div>Benefits</div>{{perks*div}}</div>
<div class="section">{{holidays}} days off, {{hours}} hours a week</div><div class="last"><a class="postings-btn" href="{{apply#}}">{{apply}}</a></div><div>Hiring manager: {{contact}}</div>`},
			{"spa", "careers.ledgerly.example/p/", `{{name}} – Ledgerly careers
<div class="css-h">{{name}}</div><div class="css-m">{{place}} | {{type}} | closes {{closes}}</div><div class="css-b">{{remote}}. {{visa}}. We pay between {{pay}} and {{paymax}}.</div><div class="css-b">Ask {{contact}}: <a href="mailto:{{mail}}">{{mail}}</a></div><div class="css-b"><a href="{{apply#}}">{{apply}}</a></div>`},
			{"gov", "www.dunmarl.gov.example/vacancies/", `{{name}}
<h1 class="govuk-heading-xl">{{name}}</h1><dl class="govuk-summary-list"><div class="govuk-summary-list__row"><dt>Organisation</dt><dd>{{employer}}</dd></div><div class="govuk-summary-list__row"><dt>Salary</dt><dd>{{pay}} (pro rata)</dd></div><div class="govuk-summary-list__row"><dt>Hours</dt><dd>{{hours}} per week</dd></div><div class="govuk-summary-list__row"><dt>Working pattern</dt><dd>{{type}}</dd></div><div class="govuk-summary-list__row"><dt>Closing date</dt><dd>{{closes}}</dd></div><div class="govuk-summary-list__row"><dt>Reference</dt><dd>{{ref}}</dd></div></dl>
<p>The post starts on {{start}}.</p>
<p>Questions to {{contact}}, <a href="mailto:{{mail}}">{{mail}}</a>. You get {{holidays}} days of annual leave.</p>`},
			{"theme", "www.harbourmuseum.example/jobs/", `Join us: {{name}}
<h1>Join us: {{name}}</h1><p>{{employer}} is looking for someone who knows where everything is. Salary: {{pay}}. {{type}} ({{hours}} hours). Send a letter to {{mail}} by {{closes}}, with the reference {{ref}}.</p>`},
		},
		asks: []string{
			`0 1|at schema|Job at {url}|salaryMin=pay~least salary;salaryMax=paymax~most salary;employmentType=type~type of employment;closingDate=closes~closing date;applyUrl=apply~where to apply`,
			`2 3|find schema|Ledgerly {name} job|remote=remote~is it fully remote?;visaSponsorship=visa~is a visa sponsored?;applyUrl=apply~link to apply;type=type~type of contract`,
			`4 5|find empty|{name}: hours, closing date, reference|hours_per_week=hours;closing_date=closes;reference=ref;email=mail`,
			`0 2|find told|{name}: benefits and skills|perks=perks~benefits;skills=skills~skills wanted;closing=closes~last day to apply@closes,apply by`,
			`4|find told|When does the Museum Learning Officer start?|start=start~first day of work;holidays=holidays~days of leave;manager=contact~whom to ask`,
			`5|find told|Museum Registrar|start=start~first day of work@starts^twin:1 September 2026;salary=pay~salary`,
			`3|at empty|{url}|apply_url=apply;hiring_contact=contact;contact_email=mail;days_of_holiday=!int@holiday,leave`,
			`1|find none|By when do I have to apply for the job Baker (nights) at Crumb & Co?|x=closes`,
			`0|find empty|{name} at Crumb & Co|pay=!gbp;closes=!date|Pastry Apprentice`,
		},
	}}
}

// people are who answers in shops and offices.
func people() []kind {
	return []kind{{
		name: "person", page: "person/staff", cols: "name role employer mail:mail tel:tel since:int languages:list office site:url",
		rows: []string{
			"Tamsin Orde|Head of Lettings|Orde & Vale|tamsin@ordevale.example|01632 960411|2014|English;Welsh|Room 3|-",
			"Thomas Orde|Valuer|Orde & Vale|thomas@ordevale.example|-|2021|English|Room 5|-",
			"Ines Kaplan|People Lead|Ledgerly|-|-|2023|English;Turkish;Portuguese|Leeds|Profile=https://people.example/ineskaplan",
		},
		looks: []look{
			{"theme", "www.ordevale.example/team/", `{{name}} – our team
<div class="team-member"><h1>{{name}}</h1><p class="role">{{role}}</p><p>With {{employer}} since {{since}}. Speaks {{languages}}. Find {{name}} in {{office}}.</p>
<p><a href="mailto:{{mail}}">Email</a> {{mail}}</p>
<p>Direct line <a href="tel:{{tel}}">{{tel}}</a></p>
</div>`},
			{"theme", "www.ordevale.example/people/", `{{name}}
<table><tr><th>Name</th><td>{{name}}</td></tr><tr><th>Position</th><td>{{role}}</td></tr><tr><th>Mail</th><td>{{mail}}</td></tr><tr><th>Joined</th><td>{{since}}</td></tr></table><p>Other valuers: Ruth Vale, Osman Tay.</p>`},
			{"spa", "careers.ledgerly.example/team/", `{{name}}
<div class="css-pp">{{name}}</div><div class="css-rr">{{role}}, {{office}}</div><div class="css-ll">{{languages*span}}</div><a href="{{site#}}">{{site}}</a>`},
		},
		asks: []string{
			`0 1|find told|{name} at Orde & Vale|email=mail~e-mail;phone=tel~direct line@Direct line;joined=since~year of joining`,
			`2|at schema|{url}|languages=languages~languages spoken;profile=site~address of the profile;phone=!tel~phone@phone,call`,
			`1|find none|What is Thomas Orde's position?|x=role`,
		},
	}}
}
