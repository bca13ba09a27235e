package campus

func notices() []kind {
	return []kind{
		{
			name: "jobs", page: "listing", host: "www.worktidings.example",
			cols: "name,employer,city,low:eur,high:eur,hours:num,starts:date,deadline:date,contact,mail:mail,years:int,boss,contract,leave:int",
			rows: []string{
				"Night baker|Fennel Street Foods|Arbroek|32,000=32000|36,000=36000|38.5|2026-08-01|2026-06-12|Birgit Holm|jobs@fennelstreet.example|two=2|the head baker|permanent|28",
				"Junior acoustician|the Ostrand Institute|Ostrand|41,500=41500|47,000=47000|40|2026-10-01|2026-07-31|Tor Bergstrom|apply@ostrand-acoustics.example|one=1|the head of the tank laboratory|two-year|30",
				"Bridge painter|Span Care|Lenmouth|29,800=29800|33,400=33400|37|2026-07-06|2026-05-29|Mavis Tolland|hr@spancare.example|three=3|the site foreman|seasonal|25",
				"Payroll clerk|Halden & Pike|Dunmere|27,500=27500|31,000=31000|30|2026-09-07|2026-07-10|Enid Barlow|people@haldenpike.example|four=4|the finance director|permanent|27",
				"Web archivist|the Trelawn City Library|Trelawn|38,000=38000|43,000=43000|35|2026-06-15|2026-05-22|Jago Pender|careers@trelawnlibrary.example|five=5|the chief librarian|three-year|31",
			},
			texts: []string{
				`{name} wanted in {city}
# {name} (m/f/d)
{employer} is looking for a {name} in {city}, to start on {starts}. You will work {hours} hours a week and report to {boss}.
We offer a {contract} contract, {leave} days of leave and, depending on what you bring, between {low} and {high} euros a year. You should have {years} years of experience.
Applications until {deadline}, please, to {contact} ({mail}), who will also answer your questions.`,
				`{name} - {employer}
# {name} at {employer}
Where: {city}. The job is full of variety. It pays from {low} to {high} euros, for {hours} hours a week, and it comes with {leave} days of leave. Apply to {mail} by {deadline}; the job itself starts on {starts}.`,
			},
			asks: []asked{
				{rows: []int{0, 2, 1}, mode: bySearch, form: empty, text: "Job advert \"{name}\" at {employer}: by when do I have to apply, when does the job start and how many hours a week is it?", wants: "application_deadline=deadline;start_date=starts;weekly_hours=hours"},
				{rows: []int{3, 4, 0}, mode: bySearch, form: told, text: "{name} job at {employer}", wants: "minimum_salary=low~lowest pay per year;maximum_salary=high~highest pay per year;holidays=leave~days of leave;contact_person=contact~person to whom one applies;experience_years=years~years of experience that are asked for"},
				{rows: []int{4}, mode: byURL, form: plain, text: "{url} - whom does the {name} report to?", wants: "x=boss~superior"},
				{rows: []int{1, 2}, mode: byURL, form: empty, text: "{url} company car, bonus and reference number of the job", wants: "company_car=!bool;bonus=!price;reference_number=!string"},
			},
		},
		{
			name: "closures", page: "timetable", host: "www.westshire-transit.example",
			cols: "name,line,from,to,start:date,end:date,bus,reason,tel:tel,minutes:int,first,last,stops:int",
			rows: []string{
				"No trams to Pier Road|tram 4|Guildhall|Pier Road|2026-06-08|2026-06-26|replacement bus 4X|new rails are being laid|01632 960 700|12|5.10|23.40|six=6",
				"Works at Derrow tunnel|the Derrow branch line|Lanford|Derrow|2026-07-18|2026-08-30|coach service D1|the tunnel is being waterproofed|01632 960 714|35|6.05|22.15|four=4",
				"Ferry in dock|the Selby ferry|Selby Sands|Trill Quay|2026-05-18|2026-05-24|the water taxi|the hull has to be painted|01632 960 731|20|7.00|19.30|two=2",
				"Cable car inspection|the Beacon cable car|Lower Station|Beacon Down|2026-11-02|2026-11-20|minibus B7|the rope is inspected|01632 960 748|15|9.00|17.00|three=3",
			},
			texts: []string{
				`{name}
# {name}
From {start} until {end}, {line} does not run between {from} and {to}, because {reason}. Use {bus} instead, which takes {minutes} minutes longer and calls at {stops} stops.
The first one leaves {from} at {first}, the last at {last}. Questions? Ring {tel}.`,
				`Notice: {name}
# {name}
{line} will be closed between {from} and {to}: {reason}. The closure begins on {start} and ends on {end}. Passengers are carried by {bus}.
<table><tr><th>Stop</th><th>First</th><th>Last</th></tr><tr><td>{from}</td><td>{first}</td><td>{last}</td></tr><tr><td>{to}</td><td>6.45</td><td>23.05</td></tr></table>`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2}, mode: bySearch, form: empty, text: "\"{name}\": until when does the closure last, what is the replacement and why is it closed?", wants: "closure_end=end;replacement=bus;reason=reason"},
				{rows: []int{3, 1}, mode: byURL, form: told, text: "{url}", wants: "first_departure=first~first departure from {from};last_departure=last~last departure from {from};closure_start=start~first day of the closure;information_phone=tel~number for questions;extra_minutes=minutes~minutes that it takes longer"},
				{rows: []int{2, 0}, mode: byURL, form: empty, text: "{url} refund amount and name of the operator", wants: "refund=!price;operator=!string"},
			},
		},
		{
			name: "news", page: "article", host: "www.theharbourpost.example",
			cols: "name,who,role,what,amount:gbp,hurt:int,street,day:date,police,next:date,author,owner,built:year,reopen",
			rows: []string{
				"Fire destroys rope works|Cordage & Twine|fire chief Alma Rickard|the old rope works|£2.3 million=2300000|three=3|Hemp Street|2026-04-17|Sergeant Noel Brace|2026-05-20|Tessa Lorimer|the Byrne family|1883|next spring",
				"Flood closes the Corn Exchange|Ambry Events|engineer Joel Pascoe|the Corn Exchange|£640,000=640000|nobody=0|Market Place|2026-02-24|Constable Ivy Renn|2026-06-02|Marcus Delgado|the town council|1847|in September",
				"Crane topples at the docks|Harbour Lifts|inspector Greta Nunn|the eastern dock|£1.1 million=1100000|two=2|Quay Road|2026-03-09|Inspector Wilf Amos|2026-07-14|Tessa Lorimer|the Port of Selby Sands|1962|at Whitsun",
				"School loses its roof in storm|Westshire Schools|surveyor Bela Toth|Ropewalk School|£380,000=380000|one=1|Ropewalk|2026-01-12|Sergeant Noel Brace|2026-05-28|Hattie Crowe|the county|1971|after Easter",
				"Lorry sheds eleven tons of herring|Brine Brothers|vet Sally Oake|the ring road|£55,000=55000|four=4|Trill Lane|2026-05-06|Constable Ivy Renn|2026-06-19|Marcus Delgado|Brine Brothers|2014|tomorrow",
			},
			texts: []string{
				`{name} | The Harbour Post
# {name}
<p class="byline">{author}</p>
On {day}, shortly after midnight, {what} in {street} was badly hit. According to {role}, the damage amounts to {amount}; an earlier estimate had been half of that. {hurt} people were hurt.
The building, put up in {built}, belongs to {owner}. {police}, who leads the investigation, asked witnesses to come forward. A public meeting has been called for {next}.
It is hoped that {what} will reopen {reopen}.`,
				`{name}
# {name}
By {author}
{owner}, to whom {what} belongs, was still counting the cost yesterday: {amount}, says {role}. It happened on {day} in {street}.
{police} is in charge of the inquiry. "{hurt} injured, and we were lucky," was the comment of a neighbour.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2}, mode: bySearch, form: empty, text: "{name}: how much damage was done, when did it happen and who leads the investigation?", wants: "damage=amount;date=day;investigator=police"},
				{rows: []int{4, 3}, mode: bySearch, form: told, text: "News report \"{name}\"", wants: "author=author~the reporter;owner=owner~to whom it belongs;injured=hurt~number of injured people;year_built=built~year in which it was built;public_meeting=next~date of the public meeting;location=street~street"},
				{rows: []int{2, 3}, mode: byURL, form: empty, text: "{url} insurance company, eyewitness, number of firefighters", wants: "insurer=!string;eyewitness=!string;firefighters=!int"},
			},
		},
	}
}
