package almanac

// visits are houses that can be seen, what is on, and when the boats go.
func visits() []family {
	return []family{
		{
			name: "houses", page: "organisation",
			cols: "name,town,adult:price,child:price,opens,closes,season_from:date,season_to:date,dogs:bool,parking:bool,cafe:bool,lift:bool,mail:mail,phone:tel,built:int,director,visitors:int,closed,rooms:int,site:url",
			rows: []string{
				"Stane Museum|Ambry|£9.50==9.5 GBP|£4==4 GBP|10 am|5.30 pm|-|-|Dogs are not allowed, guide dogs excepted==false|-|There is a café on the ground floor==true|A lift serves all floors==true|visit@stanemuseum.example|01632 960 350|1871|Honora Wick|84,200|Mondays|fourteen==14|https://stanemuseum.example",
				"Harcourt House|Torhaven|£12.00==12 GBP|£6.00==6 GBP|11 am|4.30 pm|28 March 2026|1 November 2026|Dogs are welcome on a lead in the gardens==true|Parking is free for visitors==true|-|There is no lift==false|hello@harcourt-house.example|01632 960 377|1704|Lucian Peel|31,500|Tuesdays and Wednesdays|twenty-two==22|-",
				"Quay Museum|Pendlewick|£0==0 GBP|£0==0 GBP|9.30 am|6 pm|-|-|-|There is no parking on the site==false|There is no café, but picnics may be eaten on deck==false|-|info@quaymuseum.example|-|1926|Jo Sattar|19,800|-|five==5|https://quaymuseum.example",
			},
			pages: []string{
				`visit.opencounty.example|bootstrap|{name}, {town} – visitor information
<h1>{name}</h1><p class="lead">In {town}, built in {built}. Led by {director} since 2019; {visitors} people came last year, against 77,000 in the year before the roof was mended.</p>
<div class="row"><div class="col-6"><h3>Hours</h3><p>{opens} to {closes}; last admission half an hour earlier. The shop closes at 5 pm.</p>
<p>Closed on {closed}.</p>
<p>Season: {season_from} – {season_to}</p>
</div><div class="col-6"><h3>Admission</h3><ul><li>Adults: {adult}</li><li>Children (5–15): {child}</li><li>Groups of ten: ask</li></ul></div></div>
<h3>Good to know</h3>
<p>{dogs}.</p>
<p>{parking}.</p>
<p>{cafe}.</p>
<p>{lift}.</p>
<p>{rooms} rooms are shown.</p>
<h3>Get in touch</h3><address>
{mail}<br>
{phone}<br>
<a href="{site}">{site}</a></address>`,
			},
			tasks: []string{
				"0,1,2 schema | {name}: dogs, café? | dogs_allowed=dogs~whether dogs are allowed#dogs;cafe=cafe~whether there is a café#café",
				"0,1,2 empty | {name} in {town}: adult ticket, closing time, e-mail | adult_price=adult;closing_time=closes;email=mail",
				"1,2 schema | {url} | parking=parking~whether there is parking;lift=lift~whether there is a lift#lift;website=site~website#https",
				"0,1 told | {url} | director=director~who leads it;season_end=season_to~last day of the season#Season;visitors=visitors~visitors last year;phone=phone~telephone",
				"0 none | On which day is the {name} closed? | x=closed",
				"1 empty | {url} | wifi=!bool#Wi-Fi/wifi;number_of_rooms=rooms;annual_pass=!price#annual",
				"2 string | Phone of the {name} | x=phone~telephone number",
				"0 empty ghost=Museum of Bells, Selker | {name}: opening time, ticket | opening_time=opens;ticket=adult",
			},
		},
		{
			name: "festivals", page: "event",
			cols: "name,fest,from:date,to:date,place,price:price,day_price:price,acts:list,director,visitors:int,deadline:date,mail:mail,edition:int,camping:bool,bus,rain:bool,site:url,capacity:int",
			rows: []string{
				"Lantern Festival 2026|Lantern Festival|3 July 2026|5 July 2026|Cray Common|£68.00==68 GBP|£29.50==29.5 GBP|the Lantern Six;Mora Tait;Slow Herons|Dee Ransome|-|12 June 2026|tickets@lanternfest.example|twelfth==12|Camping is included in the weekend ticket==true|bus 14|It takes place in any weather==true|https://lanternfest.example|4,500",
				"Lantern Festival 2025|Lantern Festival|4 July 2025|6 July 2025|Cray Common|£62.00==62 GBP|£27.00==27 GBP|Mora Tait;Okechukwu Bell|Dee Ransome|4,310|-|-|eleventh==11|Camping was not allowed after the storm of 2024==false|-|-|-|-",
				"Ambry Book Days 2026|Ambry Book Days|18 September 2026|20 September 2026|the Corn Hall|-|£7.00==7 GBP|Theodora Finn;Ilse Vantongen|Priya Castell|-|1 September 2026|books@ambry.example|fourth==4|-|tram 2|It is held indoors and takes place in any weather==true|-|380",
				"Caddow Fell Race 2026|Caddow Fell Race|30 August 2026|30 August 2026|Caddow Top|£15.00==15 GBP|-|-|Leif Amory|-|16 August 2026|race@caddowfell.example|61st==61|-|-|The race is cancelled in fog==false|https://caddowfell.example/enter|250",
			},
			pages: []string{
				`whatson.opencounty.example|plain|{name}
<article class="event"><h1>{name}</h1><p>The {edition} {fest} is to be held at {place} from {from} to {to} under {director}.</p>
<p>You will hear {acts}, and forty more.</p>
<ul class="prices"><li>Whole event {price}</li>
<li>One day {day_price}</li></ul>
<p>{camping}.</p>
<p>{rain}.</p>
<p>No more than {capacity} tickets will be sold. The cheap ones end on {deadline}.</p>
<p>Get there by {bus}.</p>
<p>Tickets and questions: {mail}</p>
<p><a href="{site}">{site}</a></p></article>`,
				`blog.lanternfest.example|wordpress|{name}: all there is to know
<article><h1>{name}: all there is to know</h1><p>So: {place}, {from}. Write it on your hand.</p>
<p>That was the {edition} time, and {visitors} of you came.</p>
<p>On stage: {acts}.</p>
<p>A weekend was {price}, one day {day_price}.</p>
<p>{camping}.</p>
<p>{rain}.</p>
<p>Entry is {price}, shirts are £12.</p>
<p>Entries close on {deadline} or when {capacity} have entered.</p>
<p>Write to {director} at {mail}, or go to {site}.</p></article>`,
			},
			tasks: []string{
				"0,2 empty | {name}: first day, last day, one-day ticket | start_date=from;end_date=to;day_ticket=day_price",
				"1,3 told | {url} | ticket=price~price of the whole event or entry;place=place~where;deadline=deadline~last day to enter or buy#Entries close;email=mail~e-mail#Write to",
				"0,1 schema | {name}: can one camp, and who plays? | camping=camping~whether camping is possible;acts=acts~who plays",
				"0,2,3 schema | {name}: does it take place in bad weather? | any_weather=rain~whether it takes place in any weather",
				"0 none | What does a weekend ticket for the {name} cost? | x=price@lure:£62.00",
				"2 empty | {url} | camping=camping#camp;weekend_ticket=price@twin:£68.00;bus=bus",
				"0 empty | How many visitors had the {name}? | visitors=visitors@other:4,310",
			},
		},
		{
			name: "sailings", page: "timetable",
			cols: "name,from,to,first,last,minutes:int,fare:price,bike:price,valid_from:date,valid_to:date,operator,phone:tel,sundays:bool,vessel,stops:list,times:table(departs:str/arrives:str),every:int",
			rows: []string{
				"Sill ferry, summer 2026|Marram Sands|Selker|6.40|21.10|25|£3.80==3.8 GBP|£1.00==1 GBP|23 May 2026|6 September 2026|Sill Ferries|01632 960 440|It runs on Sundays, too==true|Lady Fennimore|Marram Sands;Gull Holm;Selker|6.40,7.05;9.10,9.35;14.20,14.45;21.10,21.35|-",
				"Sill ferry, winter 2025/26|Marram Sands|Selker|7.30|17.50|30|£3.50==3.5 GBP|-|26 October 2025|22 May 2026|Sill Ferries|01632 960 440|There is no boat on Sundays==false|Little Gull|Marram Sands;Selker|7.30,8.00;12.15,12.45;17.50,18.20|-",
				"Beacon railway 2026|Caddow|Beacon Top|9.00|18.30|12|£6.20==6.2 GBP|£2.50==2.5 GBP|28 March 2026|31 October 2026|Beacon Railway Trust|-|-|car No. 2|Caddow;Halfway;Beacon Top|9.00,9.12;13.00,13.12;18.30,18.42|20",
			},
			pages: []string{
				`timetables.opencounty.example|old|{name}
<H2>{name}: {from} – {to}</H2><P>Valid from {valid_from} to {valid_to}. Run by {operator}.
<TABLE BORDER="1"><TR><TH>Leaves {from}</TH><TH>At {to}</TH></TR>
{times:tr}</TABLE>
<P>The crossing or ride takes {minutes} minutes. First departure {first}, last {last}. Calls at {stops}.
<P>Between 10 and 4 there is one every {every} minutes.
<P>Single fare {fare}, return £7.00.
<P>Bicycles {bike}.
<P>{sundays}.
<P>Usually served by {vessel}.
<P>In fog ring {phone}.`,
			},
			tasks: []string{
				"0,2 empty | {name}: first departure, last departure, single fare | first=first;last=last;fare=fare",
				"1 told | {name} | last=last~last departure from {from};fare=fare~single fare;bicycle=bike~fare for a bicycle#Bicycles;duration=minutes~minutes",
				"0,1 schema | {name}: on Sundays? | sundays=sundays~whether it runs on Sundays;timetable=times~departures and arrivals",
				"2 schema | {url} | sundays=sundays~whether it runs on Sundays#Sundays;valid_to=valid_to~last day of validity;phone=phone~number to ring#ring",
				"0 none | Until what date is the summer 2026 timetable of the Sill ferry valid? | x=valid_to",
				"1 string | {url} | x=vessel~the boat",
			},
		},
	}
}
