package campus

func happenings() []kind {
	return []kind{
		{
			name: "festivals", page: "event", host: "www.whatson-westshire.example",
			cols: "name,place,opens:date,closes:date,full:eur,reduced:eur,star,organiser,visitors:int,deadline:date,edition:int,site:url,camp:bool",
			rows: []string{
				"Ardenne Accordion Days|the old slaughterhouse of Limont|2026-07-03|2026-07-05|48|30|Josette Fabri|the Limont Music Circle|9000|2026-06-15|the 22nd=22|https://accordion.limont.example/|camping is not possible=false",
				"Saltburn Kite Gathering|the North Sands|2026-08-21|2026-08-23|12|7|the Weymouth Flyers|Saltburn Town Council|14500|2026-08-01|the eighth=8|https://kites.saltburn.example/|camping is allowed=true",
				"Vintner's Night Market|the cloister of Sankt Urban|2026-09-11|2026-09-12|15|9|Trio Muskat|the Winegrowers' Guild|3200|2026-08-28|the fifth=5|https://nightmarket.urban.example/|camping is not possible=false",
				"Fjord Poetry Week|the Grieg Hall Annexe|2026-10-05|2026-10-10|60|35|Ragnhild Osen|the Bergen Letters Society|2100|2026-09-20|the 31st=31|https://poetryweek.fjord.example/|camping is allowed=true",
				"Clockwork Fair|the Engine Sheds at Derrow|2026-06-19|2026-06-21|22|14|Professor Sprocket|the Derrow Model Engineers|6400|2026-05-31|the 17th=17|https://clockwork.derrow.example/|camping is allowed=true",
			},
			texts: []string{
				`{name} 2026
# {name}
{edition} edition of the {name} opens on {opens} at {place} and ends on {closes}. {star} will play on the first evening.
A ticket for all days costs {full}; students and pensioners pay {reduced}. Last year {visitors} visitors came, and {organiser}, which organises it, expects no fewer. Stallholders can apply until {deadline}.
Parking is free and {camp}. More on <a href="{site}">the festival's own pages</a>.`,
				`What's on: {name}
# Three good reasons to go to the {name}
From {opens} to {closes}, {place} belongs to the {name}, run by {organiser}. The main attraction this year is {star}.
Admission: {full}, or {reduced} if you buy before {deadline}.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2}, mode: bySearch, form: empty, text: "When does the {name} 2026 start and end, and where does it take place?", wants: "start_date=opens;end_date=closes;venue=place"},
				{rows: []int{3, 4, 1}, mode: bySearch, form: told, text: "Tickets for the {name}", wants: "regular_price=full~price of a full-price ticket;reduced_price=reduced~price of a reduced ticket;organizer=organiser~who organises it"},
				{rows: []int{0, 2}, mode: byURL, form: schema, text: "{url} How many visitors came last year, by when must stallholders apply, and which edition is it?", wants: "visitors=visitors~visitors of last year;applicationDeadline=deadline~last day for applications of stallholders;edition=edition~number of the edition"},
				{rows: []int{4}, mode: bySearch, form: none, text: "Who is the main attraction of the {name}?", wants: "x=star"},
				{rows: []int{3, 1}, mode: bySearch, form: empty, text: "{name}: phone number of the box office, sponsor, visitors in 2019", wants: "box_office_phone=!tel;sponsor=!string;visitors_2019=!int@other:14,500"},
				{rows: []int{2, 4}, mode: bySearch, form: schema, text: "Is camping allowed at the {name}?", wants: "camping=camp~whether camping is allowed"},
			},
		},
		{
			name: "matches", page: "article", host: "www.theharbourpost.example",
			cols: "name,home,away,score,scorer,minute:int,crowd:int,referee,ground,coach,day:date,next,keeper",
			rows: []string{
				"Selby Rovers beat Trill United|Selby Rovers|Trill United|2–1|Kwame Odlum|78|11430|Jane Thorne|Pier Road|Alf Wragg|2026-03-14|Dunmere Athletic|Moss Tierney",
				"Late goal sinks Dunmere Athletic|Arbroek City|Dunmere Athletic|1–0|Luka Perisek|89|7214|Owen Bright|the Mill Ground|Hilde Maas|2026-04-04|Selby Rovers|Piet Vos",
				"Goals galore at Gull Park|Gull Park Rangers|Lanford Town|4–3|Eddie Sim|61|3950|Rita Coll|Gull Park|Des Farrow|2026-02-21|Trill United|Hugo Lamb",
				"Castlebar hold the champions|Castlebar|Utterveld|0–0|nobody|90|22108|Stig Aalto|the Citadel|Nora Hynes|2026-05-02|Lanford Town|Ciaran Foy",
			},
			texts: []string{
				`{name}
# {name}
{day}. {home} won {score} against {away} at {ground} in front of {crowd} spectators. {scorer} scored the winner in the {minute}th minute, after {away}'s keeper had dropped a corner.
"We were lucky," said {coach}, the coach of {home}. Referee {referee} showed five yellow cards. Next week {home} play {next}.`,
				`{name}
# {name}
It ended {score}. {home} and {away} met at {ground} on {day}, watched by a crowd of {crowd}, and the man of the match was {keeper} between the posts. The referee, {referee}, had a quiet evening. {coach}, who coaches {home}, was content.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2, 3}, mode: bySearch, form: empty, text: "{home} against {away}: what was the final score, how many spectators were there, and who was the referee?", wants: "score=score;attendance=crowd;referee=referee"},
				{rows: []int{0, 2}, mode: bySearch, form: told, text: "Match report of {home} v {away}", wants: "scorer=scorer~who scored the winning goal;coach=coach~coach of {home};stadium=ground~where it was played;date=day~date of the match;next_opponent=next~next opponent of {home}"},
				{rows: []int{1, 3}, mode: byURL, form: empty, text: "{url} - half-time score, red cards and man of the match", wants: "half_time_score=!string;red_cards=!int;man_of_the_match=keeper"},
			},
		},
		{
			name: "courses", page: "event", host: "www.lenmouth-college.example",
			cols: "name,teacher,credits:int,starts:date,ends:date,fee:gbp,level:enum(beginner/intermediate/advanced),room,seats:int,day,needs,signup:date",
			rows: []string{
				"Introduction to Bookbinding|Rosamund Tyne|6|2026-09-14|2026-12-07|245|beginner|Workshop 3|fourteen=14|Mondays|no experience|2026-08-31",
				"Dutch for Readers|Maarten de Bruyn|10|2026-10-01|2027-02-25|310|intermediate|Room B 204|24|Thursdays|a year of German|2026-09-15",
				"Statistics of Rare Events|Prof. Evangeline Stavros|15|2027-01-11|2027-04-30|520|advanced|Lecture Hall 1|90|Tuesdays|calculus|2026-12-10",
				"Field Recording|Casper Nyholm|5|2026-06-08|2026-07-13|180|beginner|the Sound Lab|ten=10|Mondays|your own headphones|2026-05-29",
				"Medieval Kitchens|Dr Philippa Garde|8|2026-09-23|2026-12-16|275|intermediate|the Old Refectory|sixteen=16|Wednesdays|a strong stomach|2026-09-09",
			},
			texts: []string{
				`{name} - Lenmouth College
# {name}
This {level} course, which is taught by {teacher} and worth {credits} credits, begins on {starts} and runs until {ends}. We meet on {day} in {room}. There are {seats} places.
The fee is {fee}, payable when you register, which you must have done by {signup}. You need {needs}.`,
				`Courses: {name}
# {name}
Taught by {teacher}, this course for {level} learners takes place in {room} on {day}. The first meeting is on {starts}, the last on {ends}.
Cost: {fee}. Places: {seats}.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2}, mode: bySearch, form: empty, text: "Who teaches the course {name} at Lenmouth College, when does it start, and what is the fee?", wants: "instructor=teacher;start_date=starts;fee=fee"},
				{rows: []int{3, 4, 0}, mode: bySearch, form: schema, text: "Course {name}", wants: "level=level~level of the course;credits=credits~credits awarded;capacity=seats~number of places;registrationDeadline=signup~last day to register"},
				{rows: []int{2, 4}, mode: byURL, form: plain, text: "{url} in which room does {name} meet?", wants: "x=room~room"},
				{rows: []int{1, 3}, mode: bySearch, form: empty, text: "{name}: exam date, textbook, teaching assistant", wants: "exam_date=!date;textbook=!string;teaching_assistant=!string"},
				{rows: []int{1}, mode: bySearch, form: empty, text: "Who teaches {name} and what does it cost?", wants: "teacher=teacher;fee=fee", ghost: "Advanced Falconry Accounting"},
			},
		},
	}
}
