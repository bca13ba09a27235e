package almanac

// press are news, releases and blogs.
func press() []family {
	return []family{
		{
			name: "reports", page: "article",
			cols: "name,day:date,place,dead:int,hurt:int,damage:price,cause,homes:int,water:num,chief,role,author,shelter,reopen:date,wind:int,trains:bool,phone:tel,evacuated:int",
			rows: []string{
				"Sill bursts its banks at Ambry|14 February 2026|Ambry|-|three==3|£2.1 million==2100000 GBP|a blocked culvert|140|1.8|Noor Halvard|county engineer|Priya Castell|the Corn Hall|2 March 2026|-|No trains are running between Ambry and Caddow==false|01632 960 222|310",
				"Ambry flood: what we know a week later|14 February 2026|Ambry|one==1|eleven==11|£6.4 million==6400000 GBP|a failed sluice gate|262|2.3|Noor Halvard|county engineer|Tobias Wren|-|23 March 2026|-|Trains between Ambry and Caddow are running again==true|-|540",
				"Gale tears roof off Caddow school|12 January 2026|Caddow|-|-|£380,000==380000 GBP|a gust at dusk|-|-|Ezra Plum|head teacher|Priya Castell|the Methodist chapel|27 April 2026|126|-|-|212",
				"Fire at Orrell's old rope store|5 May 2026|Pendlewick|-|two==2|-|a welder's torch|19|-|Mina Yardley|fire chief|Tobias Wren|the sailing club|-|-|Trains were not affected and are running==true|01632 960 247|64",
				"Sinkhole swallows bus stop in Torhaven|9 April 2026|Torhaven|-|no==0|£95,000==95000 GBP|a collapsed brick sewer|six==6|-|Leif Amory|head of highways|Hattie Quill|-|11 May 2026|-|-|0800 555 0144|-",
			},
			pages: []string{
				`www.ambrychronicle.example|news|{name}
<h1>{name}</h1><p class="byline">By <a rel="author" href="/staff">{author}</a></p>
<p>{place} woke to sirens on {day}. First estimates speak of {damage}, though insurers on the spot put it at twice that.</p>
<p>The cause appears to be {cause}, said {chief}, {role}, standing in borrowed boots.</p>
<p>{homes} homes were damaged and {hurt} people were taken to hospital.</p>
<p>Some {evacuated} residents, 25 of them children, had to leave.</p>
<p>They were put up in {shelter}.</p>
<p>The water stood {water} metres deep in Bridge Street, against 0.9 metres in 2012.</p>
<p>Gusts of {wind} km/h were measured.</p>
<p>{trains}.</p>
<p>It is meant to be open again on {reopen}.</p>
<p>Anybody who needs help can ring {phone} at any hour.</p>`,
				`www.torhavengazette.example|news|{name}
<h1>{name}</h1><p class="meta"><span>{author}</span> | <span>Updated: earlier figures have been corrected</span></p>
<ul class="key-points"><li>Date: {day}</li>
<li>Cost of the damage so far: {damage}</li>
<li>Cause: {cause}</li></ul>
<p>"We were told one thing on the night and know another thing now," {role} {chief} told reporters in {place}.</p>
<p>{dead} person has died and {hurt} were injured, the hospital said.</p>
<p>The number of houses hit has risen to {homes}.</p>
<p>At its highest the flood reached {water} metres.</p>
<p>In all {evacuated} people left their homes, not 310 as first reported.</p>
<p>Injured, according to the brigade: {hurt}.</p>
<p>{trains}.</p>
<p>The helpline is {phone}.</p>
<p>Everything is to be open again by {reopen}.</p>`,
			},
			tasks: []string{
				"0,2 empty | Article \"{name}\": date, damage, cause | date=day;damage=damage;cause=cause",
				"1,3 told | {url} | injured=hurt~number of people hurt;cause=cause~the cause;official=chief~the official who is quoted;damage=damage~damage in money#Cost of the damage",
				"4 told | {url} | injured=hurt~number of people hurt#hospital;reopening=reopen~when it opens again;helpline=phone~number to ring;evacuated=evacuated~people who had to leave#residents",
				"0,1,3 schema | \"{name}\": are trains running? | trainsRunning=trains~whether trains run",
				"1 none | How many people died in the Ambry flood, according to \"{name}\"? | x=dead",
				"0 string | {url} | x=evacuated~number of people who had to leave their homes",
				"2 empty | {url} - name of the insurer, number of pupils hurt | insurer=!str#insured with;pupils_hurt=hurt#hurt/injured",
				"1 empty | \"{name}\": who wrote it, helpline, shelter | author=author;helpline=phone@other:01632 960 222#helpline;shelter=shelter@other:the Corn Hall",
				"0 empty ghost=Avalanche buries Hexworth Halt | \"{name}\": date and number of injured | date=day;injured=hurt",
			},
		},
		{
			name: "releases", page: "organisation",
			cols: "name,firm,founded:int,staff:int,seat,date:date,boss,role,revenue:price,profit:price,growth:num,contact,mail:mail,phone:tel,site:url,plant,jobs:int,open:date,invest:price,listed:bool,brands:list",
			rows: []string{
				"Halyard & Moss opens third ropery|Halyard & Moss|1887|412|Ambry|16 April 2026|Bettany Moss|managing director|£58.3 million==58300000 GBP|£4.1 million==4100000 GBP|7.2|Jonah Creed|press@halyardmoss.example|01632 960 610|https://www.halyardmoss.example|Torhaven|85|5 October 2026|£12.5 million==12500000 GBP|The company is privately held and not listed==false|Tarline;SeaTwist;Moss",
				"Lumo results for 2025|Lumo Instruments|1994|1,260|Bresles|26 February 2026|Étienne Auber|chief executive|€214.7 million==214700000 EUR|€19.9 million==19900000 EUR|3.4|Salomé Viret|medias@lumo.example|+33 1 99 00 45 10|https://lumo.example/investors|-|-|-|-|Lumo is listed in Bresles==true|Lumo;Candela",
				"Ald Valley Dairies names new chair|Ald Valley Dairies|1931|178|Mill End|3 March 2026|Gwen Tarbuck|chair|£22 million==22000000 GBP|-|-|Rufus Lamb|hello@aldvalleydairies.example|-|https://aldvalleydairies.example|-|-|-|-|It is a co-operative and not listed==false|Ald Butter;Old Mill",
				"Lumo results for 2024|Lumo Instruments|1994|1,195|Bresles|27 February 2025|Odette Garnier|chief executive|€207.6 million==207600000 EUR|€23.2 million==23200000 EUR|5.1|Salomé Viret|-|+33 1 99 00 45 10|-|-|-|-|-|Lumo is listed in Bresles==true|Lumo;Candela",
			},
			pages: []string{
				`www.wirefeed.example|plain|{name}
<article class="release"><p class="tag">PRESS RELEASE – FOR IMMEDIATE USE</p><h1>{name}</h1><p><b>{seat}, {date}</b> – {firm} today had news for its customers and its {staff} employees.</p>
<p>A works in {plant} will start on {open} and give work to {jobs} people; {invest} are being spent on it.</p>
<p>"We have waited nine years for this," said {boss}, {role}. "Now we can say so."</p>
<p>Turnover was {revenue} in the year just ended.</p>
<p>After tax {profit} were left.</p>
<h2>About {firm}</h2><p>Founded in {founded}, {firm} is at home in {seat}. {listed}. Its brands are {brands}.</p>
<h2>Media contact</h2><p>{contact}<br>
{phone}<br>
<a href="mailto:{mail}">{mail}</a></p>
<p><a href="{site}">{site}</a></p><p class="boiler">Wirefeed distributes releases from £180. sales@wirefeed.example</p></article>`,
				`newsroom.lumo.example|spa|{name}
<div class="nr-date">{date}</div><div class="nr-title">{name}</div>
<div class="nr-kpis"><div><div class="n">{revenue}</div><div class="c">Revenue</div></div>
<div><div class="n">{profit}</div><div class="c">Net profit</div></div>
<div><div class="n">+{growth} %</div><div class="c">Organic growth</div></div></div>
<div class="nr-copy"><p>{seat} – With {staff} people at eleven sites, {firm} has closed the year much as had been foretold. {boss}, {role}, thanked them all. The board will propose a dividend of €1.15.</p>
<p>{listed}; its founders, who began in {founded} in a garage of 20 square metres, hold 31 per cent.</p></div>
<div class="nr-contact"><span>{contact}</span> <span>{phone}</span> <span>{mail}</span></div>
<div class="nr-link">{site}</div>`,
			},
			tasks: []string{
				"1 empty | {name}: revenue, net profit, employees | revenue=revenue;net_profit=profit;employees=staff",
				"3 empty | {name}: revenue, net profit, employees | revenue=revenue@lure:€214.7 million;net_profit=profit;employees=staff",
				"0,2 told | {url} | founded=founded~year of founding;ceo=boss~who runs it;brands=brands~its brands;contact/email=mail~press e-mail;contact/phone=phone~press phone",
				"0 schema | {firm}: new works | location=plant~where it is;opening=open~when it starts;jobs=jobs~people who will work there;investment=invest~money spent on it",
				"0,1,2 schema | Is {firm} listed on a stock exchange, and what is its website? | listed=listed~whether it is listed;website=site~website",
				"3 schema | {url} | email=mail~press e-mail;website=site~website",
				"1 none | Who was chief executive of {firm} in February 2026? | x=boss@lure:Odette Garnier",
				"2 empty | {url}: net profit, dividend | net_profit=profit#After tax;dividend=!price#dividend",
				"0 string ghost=Quenby Lantern Works | {name}: press e-mail | x=mail~e-mail",
			},
		},
		{
			name: "posts", page: "article",
			cols: "name,author,date:date,topic,days:int,cost:price,km:num,partner,gear,tip,next,weight:num,host,link:url,tags:list,again:bool",
			rows: []string{
				"Walking the Sill from end to end|Josie Arkwright|18 September 2025|a walk|six==6|£214==214 GBP|131.5|my brother Len|a borrowed tarpaulin|start at the sea|the Tor|9.4|Mrs Olwen Pace|https://josiewalks.example/sill-gpx|walking;rivers|I would do it again tomorrow==true",
				"Walking the Tor, with regrets|Josie Arkwright|2 May 2026|a walk|four==4|£168==168 GBP|81|nobody|a tent of my own|carry less|-|13.8|-|-|walking;rivers;mud|I would not do it again==false",
				"A year without a refrigerator|Theodora Finn|6 January 2026|an experiment|365|€41==41 EUR|-|my husband|two clay pots|eat the greens first|-|-|-|https://slowlarder.example/pots|larder;home|We will do it again this year==true",
				"How I rebuilt a harmonium in a flat|Bram Ostler|27 November 2025|a repair|74|£390==390 GBP|-|the neighbours' patience|goat skin and hide glue|label every reed|a melodeon|38|-|-|reed organs;repairs|-",
			},
			pages: []string{
				`www.slowletters.example|wordpress|{name} – Slow Letters
<article class="post hentry"><header><h1 class="entry-title">{name}</h1><div class="entry-meta"><span class="posted-on"><time class="published" datetime="{date:raw}">{date}</time></span> <span class="byline">by <a class="url fn n">{author}</a></span></div></header>
<div class="entry-content"><p>I said I would write it down, so here it is. It took {days} days instead of the three weeks I'd feared, and if you add up the receipts, {cost}. (The guidebook says £500. The guidebook sells guidebooks.)</p>
<p>All told it was {km} km by the watch.</p>
<p>The load weighed {weight} kilos, of which books 1.1.</p>
<p>With me was {partner}; with us was {gear}, which I can't praise enough.</p>
<p>{host} took us in on the wettest night and would not hear of money.</p>
<p>If I had to give one piece of advice: {tip}.</p>
<p>Would I? {again}.</p>
<p>Next on the list is {next}.</p>
<p>The file is here: <a href="{link}">{link}</a></p>
<footer class="entry-footer">Tagged {tags:tags}</footer></div></article><div id="comments"><h2>One response</h2><p><b>Aunt Peg</b>: in my day we did it in 4 days and paid 12 shillings.</p></div>`,
			},
			tasks: []string{
				"0,2 empty | Blog post \"{name}\": author, date, total cost | author=author;date=date;cost=cost",
				"1,3 told | {url} | days=days~how many days it took;equipment=gear~what was praised;advice=tip~the one piece of advice;next_project=next~what comes next#Next on the list",
				"0,1,2 schema | {url}: would the author do it again? | again=again~whether the author would do it again;tags=tags~tags",
				"1 empty | {name}: distance in km, weight of the load, who gave shelter | distance_km=km;load_kg=weight;host=host@twin:Mrs Olwen Pace",
				"3 schema | {url} | again=again~whether the author would do it again#again;file=link~link to a file#The file is here",
				"0 none | How many kilometres is the walk in Josie Arkwright's post on the Sill? | x=km@lure:81",
			},
		},
	}
}
