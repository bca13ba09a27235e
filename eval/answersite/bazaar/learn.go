package bazaar

// courses are taught by several schools, some under the same name.
func courses() []kind {
	return []kind{{
		name: "course", page: "service",
		cols: "name fee:gbp early:gbp starts:date ends:date weeks:int level:enum(beginner/intermediate/advanced) teacher places:int online:bool certificate:bool language enrol:url venue mail:mail topics:list materials:bool sessions credits:int",
		rows: []string{
			"Bookbinding for Beginners|£240|£210|7 September 2026=2026-09-07|26 October 2026=2026-10-26|8|Beginners=beginner|Agnete Holm|10|In person=false|-|English|Enrol here=https://enrol.lanehouse.example/bb1|Lane House Studio|hello@lanehouse.example|Folding;Coptic stitch;Case binding|Materials included=true|Mondays 18:30–21:00|-",
			"Bookbinding: Next Steps|£280|-|9 September 2026=2026-09-09|28 October 2026=2026-10-28|8|Intermediate=intermediate|Agnete Holm|8|In person=false|-|English|Enrol here=https://enrol.lanehouse.example/bb2|Lane House Studio|hello@lanehouse.example|Leather;Gold tooling|Materials cost extra=false|Wednesdays 18:30–21:00|-",
			"Intro to Spreadsheets|£49|-|-|-|3|Beginner=beginner|Prakash Nair|-|100% online=true|Certificate of completion=true|English|-|-|-|Formulas;Charts;Pivot tables|-|Self-paced|-",
			"Spreadsheets for Accountants|£129|£99|-|-|6|Advanced=advanced|Prakash Nair|-|100% online=true|Certificate of completion=true|English|-|-|-|Reconciliation;Macros;Audit trails|-|Self-paced|-",
			"BUS 214 Retail Pricing|£1,150|-|21 September 2026=2026-09-21|11 December 2026=2026-12-11|12|Intermediate=intermediate|Dr Hollis Amadi|60|No=false^Online No|No=false^Certificate No|English|-|Sutton Building 2.14|h.amadi@dunmarl.ac.example|Elasticity;Bundling;Price tests|-|Tuesdays 10:00–12:00|15",
			"BUS 214 Retail Pricing (2025)|£1,090|-|22 September 2025=2025-09-22|12 December 2025=2025-12-12|12|Intermediate=intermediate|Dr Mirela Stan|55|No=false^Online No|No=false^Certificate No|English|-|Sutton Building 1.02|m.stan@dunmarl.ac.example|Elasticity;Bundling|-|Thursdays 14:00–16:00|15",
		},
		looks: []look{
			{"theme", "www.lanehouse.example/courses/", `{{name}}
<h1>{{name}}</h1><p>{{weeks}} evenings with {{teacher}}, {{sessions}}, from {{starts}} to {{ends}}. {{online}} at {{venue}}, {{places}} places.</p><h3>Price</h3><p>{{fee}}</p>
<p>{{early}} if you book before 1 July</p>
<p>{{materials}}.</p><h3>What we do</h3><ul>{{topics*li}}</ul><p><a class="button" href="{{enrol#}}">{{enrol}}</a></p><p>Questions: {{mail}}</p>`},
			{"theme", "www.lanehouse.example/evenings/", `{{name}}
<h1>{{name}}</h1><figure class="wp-block-table"><table><tbody><tr><td><strong>Starts</strong></td><td>{{starts}}</td></tr><tr><td><strong>Tutor</strong></td><td>{{teacher}}</td></tr><tr><td><strong>Fee</strong></td><td>{{fee}}</td></tr><tr><td><strong>Level</strong></td><td>{{level}}</td></tr><tr><td><strong>When</strong></td><td>{{sessions}}</td></tr></tbody></table></figure><p>{{materials}}: reckon with £35. Covers {{topics}}.</p><p>You should have done Bookbinding for Beginners (£240) or the like.</p><a href="{{enrol#}}">{{enrol}}</a>`},
			{"spa", "learn.gradely.example/course/", `{{name}} | Gradely
<div class="css-cr">{{name}}</div><div class="css-by">Taught by {{teacher}}</div><div class="css-buy">{{fee}}</div><div class="css-facts"><div>{{online}}</div><div>{{level}} level</div><div>{{weeks}} weeks at 3 hours a week</div><div>{{certificate}}</div><div>{{sessions}}</div></div><div class="css-syll">{{topics*div}}</div><div class="css-more"><div>Learners also took</div><div>Typing fast, £15</div></div>`},
			{"spa", "learn.gradely.example/pro/", `{{name}} | Gradely
<div class="css-cr">{{name}}</div><div class="css-buy"><s>{{fee}}</s></div><div class="css-buy">{{early}} until the end of May</div><div class="css-facts"><div>Level: {{level}}</div><div>Duration: {{weeks}} weeks</div><div>{{certificate}}</div></div><div>With {{teacher}}. You will learn: {{topics}}.</div>`},
			{"old", "www.dunmarl.ac.example/modules/", `{{name}}
<H2>{{name}}</H2><TABLE BORDER="1"><TR><TD>Module leader</TD><TD>{{teacher}}</TD></TR><TR><TD>Credits</TD><TD>{{credits}}</TD></TR><TR><TD>Fee</TD><TD>{{fee}}</TD></TR><TR><TD>Teaching begins</TD><TD>{{starts}}</TD></TR><TR><TD>Teaching ends</TD><TD>{{ends}}</TD></TR><TR><TD>Room</TD><TD>{{venue}}</TD></TR><TR><TD>Slot</TD><TD>{{sessions}}</TD></TR><TR><TD>Capacity</TD><TD>{{places}}</TD></TR><TR><TD>Online</TD><TD>{{online}}</TD></TR></TABLE><P>Topics: {{topics}}`},
			{"old", "www.dunmarl.ac.example/archive/", `{{name}}
<H2>{{name}}</H2><P>Archived module page.<P>Led by {{teacher}} ({{mail}}), {{sessions}}, {{venue}}. {{credits}} credits. Fee for visiting students: {{fee}}. Ran from {{starts}} to {{ends}} for {{places}} students.`},
		},
		asks: []string{
			`0 1|at empty|{url}|fee=fee;start_date=starts;tutor=teacher;materials_included=materials`,
			`0|find schema|{name} at Lane House|earlyBird=early~early booking price;places=places~number of places;enrolUrl=enrol~link to enrol;online=online~is it online?`,
			`2 3|find schema|Gradely: {name}|level=level~level;weeks=weeks~length in weeks;certificate=certificate~is there a certificate?;topics=topics~what one learns`,
			`3|at told|{url}|normal_price=fee~price without the offer;offer=early~price with the offer;start=!date~start date@starts`,
			`4|find told|BUS 214 Retail Pricing, autumn 2026|leader=teacher~module leader;fee=fee~fee;begins=starts~first day of teaching;email=!mail~e-mail of the leader@mail^twin:m.stan@dunmarl.ac.example`,
			`5|at empty|{url}|leader=teacher;fee=fee;ended=ends;credits=credits`,
			`4|find schema|BUS 214 Retail Pricing 2026|fee2027=!gbp~fee in 2027/28@2027;credits=credits~credits;topics=topics~topics`,
			`2|find none|Who teaches Intro to Spreadsheets on Gradely?|x=teacher`,
			`1|find told|{name}|certificate=!bool~is there a certificate@certificate;places=places~number of places@places`,
			`0|find empty|{name}|fee=!gbp;starts=!date|Paper Marbling Weekend`,
		},
	}}
}

// events are what tickets are sold for, this year and last.
func events() []kind {
	return []kind{{
		name: "event", page: "event",
		cols: "name day:date doors starts venue prices:rows(ticket,price:gbp) from:gbp soldout:bool age:int tickets:url organiser mail:mail seated:bool step_free:bool fee:gbp capacity:int line_up:list refunds:bool ends:date",
		rows: []string{
			"Marl Folk Weekend 2026|17 July 2026=2026-07-17|16:00|17:30|Priory Meadow|Weekend,£86.00;Day,£38.00;Child,£12.00|£12.00|Tickets available=false|-|Buy tickets=https://tickets.marlfolk.example/2026|Marl Folk Trust|box@marlfolk.example|-|Step-free access: yes=true|£1.50|4,500|The Withies;Nora Quill;Saltmarsh Band|No refunds=false|19 July 2026=2026-07-19",
			"Marl Folk Weekend 2025|18 July 2025=2025-07-18|16:00|17:30|Castle Field|Weekend,£79.00;Day,£35.00;Child,£10.00|£10.00|Sold out=true|-|-|Marl Folk Trust|-|-|-|-|4,000|Nora Quill;The Hop Pickers|-|20 July 2025=2025-07-20",
			"Nora Quill: The Lamplight Tour|3 October 2026=2026-10-03|19:00|20:00|Corn Exchange|Stalls,£29.50;Circle,£24.00;Standing,£21.00|£21.00|Last few=false|14|Get tickets=/book/nora-quill|Lowtide Promotions|-|-|-|£2.20|820|Nora Quill;Wren Abbot|-|-",
			"Retail Futures Summit|12 November 2026=2026-11-12|08:30|09:15|Exhibition Hall 4|Standard,£395.00;Start-up,£195.00;Student,£45.00|£45.00|On sale=false|18|Register=https://retailfutures.example/register|Kiosk Media|team@retailfutures.example|Seated: yes=true|-|-|1,200|Halima Osei;Bertrand Lecoq;June Park|Refunds until 1 October=true|13 November 2026=2026-11-13",
			"Pottery Fair|30 May 2026=2026-05-30|10:00|-|Guildhall Square|Adult,£4.00;Under 16,£0.00|£4.00|-|-|-|Dunmarl Potters|potters@dunmarl.example|-|Step-free access: no=false|-|-|-|-|31 May 2026=2026-05-31",
		},
		looks: []look{
			{"theme", "www.marlfolk.example/festival/", `{{name}}
<h1>{{name}}</h1><p class="dates">{{day}} – {{ends}}, {{venue}}</p><h2>Tickets</h2><ul class="tickets">{{prices%<li><span class="t-name">$1</span> <span class="t-price">$2</span></li>}}</ul><p>{{soldout}}. Booking fee {{fee}} per ticket. {{refunds}}.</p>
<p><a href="{{tickets#}}">{{tickets}}</a></p><h2>Line-up</h2><ul>{{line_up*li}}</ul><p>Gates {{doors}}, first band {{starts}}. {{step_free}}.</p><p>{{organiser}} · {{mail}} · room for {{capacity}} people</p>`},
			{"theme", "www.marlfolk.example/archive/", `{{name}} (archive)
<h1>{{name}}</h1><p>Thank you to all who came to {{venue}} on {{day}}! {{soldout}} for the first time.</p><table><tbody>{{prices%<tr><td>$1 ticket</td><td>$2</td></tr>}}</tbody></table><p>Played: {{line_up}}.</p>`},
			{"bootstrap", "www.cornexchange.example/whatson/", `{{name}}
<script type="application/ld+json">{"@context":"https://schema.org","@type":"MusicEvent","name":"{{name}}","startDate":"{{day#}}T20:00","location":{"@type":"Place","name":"{{venue}}"}}</script>
<h1>{{name}}</h1><div class="row"><div class="col">{{day}}</div><div class="col">Doors {{doors}} / Show {{starts}}</div><div class="col">Age {{age}}+</div></div><table class="table"><thead><tr><th>Area</th><th>Price</th></tr></thead><tbody>{{prices%<tr><td>$1</td><td>$2</td></tr>}}</tbody></table><p>{{soldout}}. Booking fee {{fee}}.</p><p>With {{line_up}}. Presented by {{organiser}}.</p><a class="btn" href="{{tickets#}}">{{tickets}}</a><aside><h4>Next week</h4><p>Tribute night, £16.00</p></aside>`},
			{"spa", "retailfutures.example/", `{{name}} 2026
<div class="css-h1">{{name}}</div><div class="css-d">{{day}} to {{ends}}</div><div class="css-d">{{venue}}</div><div class="css-tix">{{prices%<div class="css-card"><div>$1</div><div>$2</div><div>plus VAT</div></div>}}</div><div class="css-sp">{{line_up*div class="css-name"}}</div><div class="css-f">{{refunds}}</div><div class="css-f">{{seated}}</div><a href="{{tickets#}}">{{tickets}}</a><div class="css-f">Minimum age {{age}}</div><div class="css-f">{{mail}}</div>`},
			{"gov", "www.dunmarl.gov.example/events/", `{{name}}
<h1 class="govuk-heading-l">{{name}}</h1><p class="govuk-body">{{venue}}, {{day}} and {{ends}}, from {{doors}}.</p><p class="govuk-body">Entry: adults {{from}}, under 16 free. {{step_free}}.</p><p>Organised by {{organiser}} (<a href="mailto:{{mail}}">{{mail}}</a>).</p>`},
		},
		asks: []string{
			`0 2 3|at empty|Tickets at {url}|tickets=prices;date=day;venue=venue`,
			`0|find schema|Marl Folk Weekend 2026|soldOut=soldout~is it sold out?;refunds=refunds~are there refunds?;ticketUrl=tickets~where to buy tickets;stepFree=step_free~step-free access;bookingFee=fee~booking fee`,
			`1|find told|Marl Folk Weekend 2025|venue=venue~where it was;sold_out=soldout~was it sold out?;line_up=line_up~who played;booking_fee=fee~booking fee@booking fee^other:£1.50`,
			`2|find schema|Nora Quill at the Corn Exchange|minAge=age~least age;ticketUrl=tickets~link to tickets;doors=doors~when doors open;refunds=!bool~are there refunds?@refund`,
			`3|find told|{name}: last day, age and contact|last_day=ends~last day;minimum_age=age~least age;email=mail~e-mail;refundable=refunds~can tickets be given back;speakers=line_up~all speakers`,
			`4|find empty|{name} in Dunmarl|adult_price=from;date=day;organiser=organiser;email=mail;step_free=step_free`,
			`0|find none|How many people is there room for at the Marl Folk Weekend 2026?|x=capacity`,
			`4|at schema|{url}|bookingUrl=!url~link for bookings@book;capacity=!int~how many may come@room for`,
			`0|find told|{name}: price of a day ticket|price=!gbp~price of a day ticket|Marl Jazz Picnic`,
		},
	}}
}

// homes are for sale and to let.
func homes() []kind {
	return []kind{{
		name: "home", page: "listing",
		cols: "name price:gbp tenure:enum(freehold/leasehold) beds:int baths:int area:num epc:enum(A/B/C/D/E/F/G) tax_band charge:gbp lease:int garden:bool parking:bool lift:bool chain:bool agent tel:tel ref added:date features:list viewing:url was:gbp built:int",
		rows: []string{
			"12 Tanner's Row|£385,000|Freehold=freehold|3|2|104|D|C|-|-|Garden: yes=true|Off-street parking=true|-|No onward chain=false|Orde & Vale|01632 960410|OV-2211|28 April 2026=2026-04-28|Wood burner;Cellar;Sash windows|Book a viewing=https://ordevale.example/viewing/2211|£399,950|1891",
			"Flat 4, 12 Tanner's Row|£214,500|Leasehold=leasehold|2|1|61.5|C|B|£1,180|112|Garden: no=false|-|Lift: no=false|-|Orde & Vale|01632 960410|OV-2198|3 March 2026=2026-03-03|Bay window;Entry phone|Book a viewing=https://ordevale.example/viewing/2198|-|-",
			"Heron Wharf Penthouse|£725,000|Leasehold=leasehold|3|3|148|B|F|£4,600|987|✗=false^Garden ✗|✓=true^Parking ✓|✓=true^Lift ✓|-|Quayhomes|01632 960777|QH/883|10 May 2026=2026-05-10|Wraparound terrace;Concierge;Gym|Arrange a viewing=/viewing/883|£760,000|2019",
			"Heron Wharf Studio|£168,000|Leasehold=leasehold|0|1|32|B|A|£1,350|987|✗=false^Garden ✗|✗=false^Parking ✗|✓=true^Lift ✓|-|Quayhomes|01632 960777|QH/871|14 February 2026=2026-02-14|Concierge;Gym|Arrange a viewing=/viewing/871|-|2019",
			"Mill Barn, Nether Oster|£595,000|Freehold=freehold|4|2|176|E|G|-|-|Garden: yes=true|Double garage=true|-|-|Orde & Vale|01632 960410|OV-2240|7 May 2026=2026-05-07|Exposed beams;Orchard;Annexe|-|-|1820",
		},
		looks: []look{
			{"bootstrap", "www.hearthmove.example/property/", `{{name}} | {{beds}} bedrooms | {{price}}
<h1>{{name}}</h1><p class="price">Offers over {{price}}</p>
<p class="reduced">Reduced from {{was}}</p>
<ul class="icons"><li>{{beds}} bed</li><li>{{baths}} bath</li><li>{{area}} m²</li></ul><h2>Key features</h2><ul>{{features*li}}</ul><dl><dt>Tenure</dt><dd>{{tenure}}</dd><dt>EPC rating</dt><dd>{{epc}}</dd><dt>Council tax band</dt><dd>{{tax_band}}</dd></dl>
<p>{{garden}}. {{parking}}.</p><p>{{chain}}</p>
<div class="agent">{{agent}} <a href="tel:{{tel}}">{{tel}}</a> Ref. {{ref}}</div><a class="btn" href="{{viewing#}}">{{viewing}}</a><p>Added {{added}}</p><div class="mortgage"><h3>Mortgage from £1,742 a month</h3></div>`},
			{"spa", "www.domicily.example/for-sale/", `{{name}} – {{price}}
<div class="css-x1">{{price}}</div><div class="css-x2">{{beds}} bedroom home, {{name}}</div><div class="css-x3"><div>Tenure</div><div>{{tenure}}</div></div><div class="css-x3"><div>Floor area</div><div>{{area}} sq m</div></div><div class="css-x3"><div>Energy rating</div><div>{{epc}}</div></div>
<div class="css-x3"><div>Service charge (yearly)</div><div>{{charge}}</div></div>
<div class="css-x3"><div>Years left on lease</div><div>{{lease}}</div></div>
<div class="css-x4">{{garden}}</div>
<div class="css-x4">{{lift}}</div>
<div class="css-x5">{{features*span}}</div><div class="css-x6">Listed on {{added}} by {{agent}}, {{tel}}</div>
<a href="{{viewing#}}">{{viewing}}</a>`},
			{"bootstrap", "www.quayhomes.example/homes/", `{{name}}
<h1>{{name}}</h1><table class="table"><tr><td>Guide price</td><td>{{price}}</td><td>Bedrooms</td><td>{{beds}}</td></tr><tr><td>Garden</td><td>{{garden}}</td><td>Parking</td><td>{{parking}}</td></tr><tr><td>Lift</td><td>{{lift}}</td><td>Built</td><td>{{built}}</td></tr><tr><td>Ground rent and service</td><td>{{charge}} a year</td><td>EPC</td><td>{{epc}}</td></tr></table><p>In the building: {{features}}.</p><a href="{{viewing#}}">{{viewing}}</a><p>Quote {{ref}}.</p>`},
			{"bootstrap", "www.quayhomes.example/studios/", `{{name}}
<div itemscope itemtype="https://schema.org/Residence"><h1 itemprop="name">{{name}}</h1><p>A studio of {{area}} square metres at {{price}}, {{tenure}} with {{lease}} years to run and {{charge}} a year in charges.</p><ul><li>Garden {{garden}}</li><li>Parking {{parking}}</li><li>Lift {{lift}}</li></ul><p>Call {{tel}}</p></div>`},
			{"theme", "www.ordevale.example/homes/", `For sale: {{name}}
<h1>For sale: {{name}}</h1><p>Converted in {{built}}, with {{beds}} bedrooms and {{area}} m² under the beams, it is offered {{tenure}} at {{price}}. {{garden}}; {{parking}}.</p><p>{{features}}</p><p>EPC {{epc}} · Council tax {{tax_band}} · Ref {{ref}} · {{agent}}, {{tel}}</p>`},
		},
		asks: []string{
			`0 4|at empty|{url}|price=price;bedrooms=beds;floor_area_m2=area;agent_phone=tel`,
			`0 1|find schema|Home for sale: {name}|tenure=tenure~tenure;epcRating=epc~EPC rating;hasGarden=garden~is there a garden?;viewingUrl=viewing~where to book a viewing`,
			`1 3|find told|{name}: lease and charges|lease_years=lease~years left on the lease;service_charge=charge~service charge a year;price=price~price`,
			`2 3|at schema|{url}|lift=lift~is there a lift?;parking=parking~is there parking?;garden=garden~is there a garden?`,
			`0|find told|12 Tanner's Row (the house)|before=was~price before the reduction;chain=chain~is there an onward chain?;features=features~key features;service_charge=!gbp~service charge@service charge^twin:£1,180`,
			`2|find empty|Heron Wharf Penthouse|built=built;viewing_url=viewing;reference=ref;lease_years=!int@lease,years^twin:987`,
			`4|find none|What is the council tax band of Mill Barn, Nether Oster?|x=tax_band`,
			`4|find schema|Mill Barn, Nether Oster|viewingUrl=!url~link to book a viewing@viewing;tenure=tenure~tenure;epc=epc~EPC`,
			`0|find empty|{name}|price=!gbp;epc=!str|7 Saltpan Cottages`,
		},
	}}
}
