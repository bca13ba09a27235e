package campus

func people() []kind {
	return []kind{
		{
			name: "lives", page: "article", host: "www.opencyclopedia.example",
			cols: "name,last,born:date,birthplace,died:date,job,work,work_year:year,prize,prize_year:year,teacher,spouse,school",
			rows: []string{
				"Ottoline Greaves|Greaves|1888-04-17|Saltmarsh|1961-11-02|botanist|The Moss Atlas|1924|the Harrow Medal|1931|Conrad Bletchley|Philip Amory|the University of Lenmouth",
				"Casimir Dubrowski|Dubrowski|1903-09-30|Wolin Grod|1979-01-21|composer|Five Winter Songs|1938|the Orpheum Prize|1952|Ludwika Stanek|Hanna Zielonka|the conservatory of Tarnow Gate",
				"Abena Korsah|Korsah|1921-06-08|Kwadaso|2004-03-14|economist|Markets Without Money|1963|the Lindahl Award|1971|Simon Ashgrove|Kofi Amponsah|the London College of Trade",
				"Leopold Finsterwald|Finsterwald|1856-12-01|Graubach|1932-07-19|clockmaker|the Graubach Regulator|1891|the Golden Pendulum|1900|Matthias Oehri|Rosina Kuster|the guild school of Sankt Erhard",
				"Marisol Etchart|Etchart|1947-02-25|Villa Ombu|2019-08-30|photographer|River People|1982|the Aguado Prize|1990|Ernesto Bula|Jorge Pandolfi|the School of Fine Arts in Rosario Norte",
				"Torvald Hemming|Hemming|1912-05-03|Skarvoy|1988-10-11|polar explorer|Nine Hundred Nights|1949|the Silver Compass|1950|Anders Myrvold|Liv Brekke|the naval school of Horten Bay",
			},
			texts: []string{
				`{name} - Opencyclopedia
# {name}
<p><b>{name}</b> ({born} – {died}) was a {job}, best known for <i>{work}</i> ({work_year}).</p>
## Life
Born in {birthplace} as the third of six children, {last} studied at {school} under {teacher}. In {work_year} appeared {work}, on which eleven years of work had been spent, and in {prize_year} followed {prize}.
{last} was married to {spouse}. The house in which they lived is a museum now.`,
				`{name}
# {name}, {job}
{name}, who was born on {born} in {birthplace} and died on {died}, was one of the great figures of the age. A pupil of {teacher}, {last} was awarded {prize} in {prize_year}.
{work}, published in {work_year}, is still in print. Of the private life little is known.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 4}, mode: bySearch, form: empty, text: "When and where was {name} born?", wants: "birth_date=born;birth_place=birthplace"},
				{rows: []int{2, 3, 5}, mode: bySearch, form: told, text: "Biographical data of {name}", wants: "born=born~date of birth;died=died~date of death;occupation=job~what they did for a living;award=prize~the prize they won;awardYear=prize_year~the year of that prize;spouse=spouse~husband or wife"},
				{rows: []int{0, 2}, mode: byURL, form: plain, text: "{url} - whose pupil was {name}?", wants: "x=teacher~the teacher"},
				{rows: []int{5, 1}, mode: bySearch, form: none, text: "In what year did {work} by {name} come out?", wants: "x=work_year"},
				{rows: []int{4}, mode: bySearch, form: schema, text: "Where did {name} study and to whom was {last} married?", wants: "school=school~place of study;marriedTo=spouse~spouse's name"},
				{rows: []int{3}, mode: bySearch, form: empty, text: "When was {name} born and when did they die?", wants: "birth_date=born;death_date=died", ghost: "Hortensia Quillfeather"},
				{rows: []int{1, 0}, mode: bySearch, form: empty, text: "{name}: number of children, place of death, religion", wants: "children=!int;place_of_death=!string;religion=!string"},
			},
		},
		{
			name: "profiles", page: "article", host: "www.theharbourpost.example",
			cols: "name,last,age:int,post,body,before,start:date,ends:year,born_in,salary:gbp,rival,votes:int",
			rows: []string{
				"Geraldine Moxham|Moxham|54|harbour master|the Port of Selby Sands|deputy harbour master of Trill|2023-03-01|2028|Whitby Ness|78,000=78000|Roland Fitch|312",
				"Idris Penhallow|Penhallow|47|chief librarian|the Trelawn City Library|archivist at Truro Grange|2021-09-13|2026|St Issey|61,500=61500|Barbara Keck|47",
				"Katarzyna Wolny|Wolny|39|conductor|the Sandhurst Philharmonic|second conductor in Gdow|2024-01-08|2029|Krosno Dolne|92,000=92000|Felix Armbruster|58",
				"Bartholomew Eze|Eze|61|chairman|the Marlow Rowing Club|treasurer of the club|2019-05-20|2027|Enugu Hills|12,000=12000|Clive Rampton|204",
			},
			texts: []string{
				`Profile: {name}
# The quiet one
<p class="by">By Tessa Lorimer</p>
When {name} was elected {post} of {body}, nobody was more surprised than the winner. {last}, {age}, beat {rival} by {votes} votes to 40.
Until then, {last} had been {before}. The new {post} took office on {start} and will serve until {ends}. Born in {born_in}, {last} still speaks with the accent of the place.`,
				`{name} starts at {body}
# New face at {body}
{body} has a new {post}: {name} ({age}), formerly {before}, took up the post on {start}. The contract runs until {ends} and is worth £{salary} a year.
{rival}, the other candidate, withdrew in the last round.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2}, mode: bySearch, form: empty, text: "When did {name} become {post} of {body}, and how old is {last}?", wants: "start_date=start;age=age"},
				{rows: []int{3, 1}, mode: bySearch, form: told, text: "{name}, {post}: what was the previous job, who was the rival, until when is the term, and what is the pay?", wants: "previous_position=before~position held before;opponent=rival~the other candidate;term_ends=ends~year in which the term ends;salary=salary~pay per year in pounds"},
				{rows: []int{2, 0}, mode: byURL, form: none, text: "Where was {name} born? {url}", wants: "x=born_in"},
				{rows: []int{3}, mode: bySearch, form: schema, text: "Who is the chairman's vice and who wrote the profile of {name}?", wants: "viceChair=!string~the vice-chairman;birthDate=!date~date of birth"},
			},
		},
	}
}
