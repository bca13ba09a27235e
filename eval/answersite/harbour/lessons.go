package harbour

// lessons are courses and the clubs that give some of them.
func lessons() []kind { return []kind{courses(), clubs()} }

func courses() kind {
	return kind{
		name: "course", page: "service",
		cols: `name str||the course
day str(Mondays/Tuesdays/Wednesdays/Thursdays)|weekday|weekday|On which weekday is {name}?|
from date(240,290,1)|start_date|first day|When does {name} start?|starts,begins
to date(300,340,1)|end_date|last day|When does {name} end?|ends on,last class
weeks int(4,12,1)|sessions|number of sessions|How many sessions has {name}?|sessions
fee gbp(48,220,4)|fee|fee|What does {name} cost?|fee
low gbp(24,44,4)|concession_fee|reduced fee|What is the reduced fee of {name}?|concession,reduced
tutor who|tutor|tutor|Who teaches {name}?|tutor,taught
level enum(beginner/intermediate/advanced)|level|level|For what level is {name}?|beginners,intermediate,advanced
places int(6,24,1)|places|number of places|How many places are there on {name}?|places
room str|room|room|In which room is {name}?|room
code str|course_code|course code|What is the code of {name}?|code
online bool|online|is it online?|Is {name} online?|online,in person
book url|booking_url|page for enrolling|Where do I enrol for {name}?|enrol
by date(205,235,1)|enrol_by|deadline for enrolling|By when must I enrol for {name}?|enrol by
bring list|bring|what to bring|What do I have to bring to {name}?|bring
cert bool|certificate|is there a certificate?|Do I get a certificate for {name}?|certificate
time str|time|time of the class|At what time is {name}?|
mail mail|email|e-mail address for questions|Whom do I e-mail about {name}?|mail`,
		rows: []string{
			"Coastal Navigation 1|*|*|*|*|*|*|*|For beginners=beginner|*|Chart Room|NAV101|In person=false|Enrol now=https://enrol.ansellcollege.example/nav101|*|dividers;parallel rule;pencil|You receive a certificate=true|6.30–8.30pm|short.courses@ansellcollege.example",
			"Coastal Navigation 2|*|*|*|*|*|-|*|Intermediate=intermediate|*|Chart Room|NAV201|-|Enrol now=https://enrol.ansellcollege.example/nav201|-|-|-|6.30–9pm|short.courses@ansellcollege.example",
			"Dutch for Deckhands|*|*|-|*|*|*|*|For beginners=beginner|*|-|-|Taught online=true|-|*|-|No certificate=false|7–8.30pm|-",
			"Segeln für Anfänger|dienstags|*|*|*|-|-|*|Für Anfänger=beginner|*|Bootshaus|-|-|Zur Anmeldung=/anmeldung|*|Schwimmweste;Turnschuhe|-|17–19 Uhr|kurse@vhs-emmerfeld.example",
			"Cours de matelotage|le jeudi|*|*|*|-|-|*|Pour débutants=beginner|*|salle des Nœuds|-|-|-|-|couteau;gants|-|18h–20h|cours@saint-brevan.example",
			"Sea Swimming Safely|*|*|-|*|*|*|*|-|*|-|-|-|Join a group=https://swim.gullrock.example/join|-|wetsuit;bright cap;towel|-|7–8am|swim@gullrock.example",
			"Advanced Rope Splicing|*|*|*|*|*|-|*|Advanced=advanced|*|Long Room|-|In person=false|-|*|fid;knife|You receive a certificate=true|10am–noon|learn@ropewalk.example",
			"Curso de cocina marinera|los lunes|*|-|*|-|-|*|-|*|Cocina 2|-|-|Inscribirse=/inscripcion|*|delantal;cuchillo|-|18.00–20.30|-",
		},
		looks: []look{
			{"drupal", "www.ansellcollege.example/short-courses/", `{{name}}
<h1>{{name}}</h1><div class="field"><div class="field__label">Course code</div><div class="field__item">{{code}}</div></div><div class="field"><div class="field__label">Starts</div><div class="field__item">{{from}}</div></div><div class="field"><div class="field__label">Ends on</div><div class="field__item">{{to}}</div></div><div class="field"><div class="field__label">When</div><div class="field__item">{{day}}, {{time}}</div></div><div class="field"><div class="field__label">Sessions</div><div class="field__item">{{weeks}}</div></div><div class="field"><div class="field__label">Fee</div><div class="field__item">{{fee}}[[ (concessions {{low}})]]</div></div><div class="field"><div class="field__label">Tutor</div><div class="field__item">{{tutor}}</div></div><div class="field"><div class="field__label">Room</div><div class="field__item">{{room}}</div></div>
<p>{{level}}. [[{{online}}. ]][[{{cert}} at the end. ]]There are {{places}} places.[[ Please bring {{bring}}.]][[ Enrol by {{by}}.]]</p><p><a href="{{book#}}">{{book}}</a></p>`},
			{"next", "learn.ansellcollege.example/c/", `{{name}} – evening course
<h1>{{name}}</h1><p>{{day}} {{time}}, from {{from}}.</p><p>{{level}}: you have sailed by day and would like to by night. {{tutor}} is your tutor over {{weeks}} sessions in the {{room}}. The fee is {{fee}}. Code {{code}}.</p><p>We have {{places}} places. <a href="{{book#}}">{{book}}</a></p><h3>Also by this department</h3><p>{{~name}}: starts {{~from}}, {{~fee}}</p>`},
			{"hugo", "crewschool.example/", `{{name}}
<h1>{{name}}</h1><p>{{online}} on {{day}}, {{time}}. {{weeks}} sessions starting on {{from}}, with {{tutor}} as tutor. {{level}}.</p><p>It costs {{fee}}, reduced {{low}} for apprentices. {{places}} places; enrol by {{by}}. {{cert}}.</p>`},
			{"typo3", "www.vhs-emmerfeld.example/kurs/", `{{name}}
<h1>{{name}}</h1><p>{{level}}. Beginn: {{from}}, Ende: {{to}}, {{day}} {{time}}, {{weeks}} Termine im {{room}}. Kursleitung: {{tutor}}. Höchstens {{places}} Personen.</p><p>Bitte mitbringen: {{bring}}.</p><p>Anmeldeschluss ist der {{by}}. <a href="{{book#}}">{{book}}</a> Fragen an {{mail}}</p>`},
			{"spip", "www.saint-brevan.example/cours/", `{{name}}
<h1>{{name}}</h1><p>{{level}}, {{day}} {{time}}, {{room}}. Du {{from}} au {{to}}, {{weeks}} séances avec {{tutor}}. {{places}} places.</p><p>À apporter : {{bring}}. Renseignements : {{mail}}</p>`},
			{"elementor", "www.gullrock.example/learn/", `{{name}}
<h1>{{name}}</h1><p>{{day}}, {{time}}. The group starts on {{from}} and meets for {{weeks}} sessions. {{tutor}} is the tutor and has swum the Bank twice.</p><ul><li>Fee: {{fee}}</li><li>Reduced: {{low}}</li><li>Places: {{places}}</li></ul><p>What to bring:</p><ul>{{bring*li}}</ul><p>{{mail}}</p><p><a href="{{book#}}">{{book}}</a></p>`},
			{"squarespace", "www.ropewalk.example/learn/", `{{name}}
<h2>{{name}}</h2><p>{{level}}, {{online}}, {{day}} {{time}} in the {{room}}. It starts on {{from}} and ends on {{to}}: {{weeks}} sessions. Taught by {{tutor}}. The fee is {{fee}}. Enrol by {{by}}; there are {{places}} places. Bring {{bring}}. {{cert}}. Questions to {{mail}}.</p>`},
			{"joomla", "www.lerrinspanish.example/cursos/", `{{name}}
<h1>{{name}}</h1><p>Empieza el {{from}}, {{day}} de {{time}}, en la {{room}}. Son {{weeks}} sesiones con {{tutor}} y hay {{places}} plazas. Hay que traer: {{bring}}. Inscripción hasta el {{by}}.</p><p><a href="{{book#}}">{{book}}</a></p>`},
		},
		asks: []string{
			`0 6|at schema|Course {url}|from,to,weeks,fee,level,online,tutor`,
			`1|find schema|Coastal Navigation 2|from,fee,low^twin@0,by^twin@0,level,cert`,
			`2 5|find told|{name}: {asks}|day,from,fee,low,tutor,places`,
			`3 4 7|at told|{url}: {asks}|from,weeks,tutor,bring,fee`,
			`0 2 6|find none|?|fee,tutor`,
			`0 1 6|find none|?|level`,
			`1 5|find none|?|book`,
			`3|find told|Wann beginnt der Kurs Segeln für Anfänger und was soll ich mitbringen?|from,bring,by`,
			`4|find empty|Cours de matelotage : début, fin, nombre de séances, adresse mail|from,to,weeks,mail`,
			`7|find empty|Curso de cocina marinera: primer día, plazas, sala, inscripción|from,places,room,by`,
			`0 2 6|find schema|Do I get a certificate for {name}, is it online, by when do I have to enrol?|cert,online,by`,
			`3 7|at empty|{url}|book,by,level,low`,
			`5 6|find plain|{name}|bring,weeks`,
			`1 5|at empty|{url}|online,cert,places,book`,
			`4|find none|?|fee,level`,
			`0|find told|{name} evening class|from,fee|Celestial Weather Reading`,
		},
	}
}

func clubs() kind {
	return kind{
		name: "club", page: "organisation",
		cols: `name str||the club
adult gbp(60,240,5)|adult_membership|yearly membership for adults|What does an adult pay a year at {name}?|adult,adults
junior gbp(15,55,5)|junior_membership|yearly membership for juniors|What is the junior membership of {name}?|junior,juniors
family gbp(260,390,10)|family_membership|yearly membership for families|What is the family membership of {name}?|family,families
join gbp(8,14,1)|joining_fee|joining fee|Has {name} a joining fee, and how much is it?|joining fee
train str|training_times|training times|When does {name} train?|training,train on
chair who|chair|chair|Who chairs {name}?|chair,chaired
youth who|youth_officer|youth officer|Who is youth officer of {name}?|youth officer
tel tel(01947 553 )|phone|phone number|What is the phone number of {name}?|phone,call,ring
mail mail|email|e-mail address|What is the e-mail address of {name}?|mail
since year(1878,1999,1)|founded|year of foundation|When was {name} founded?|founded
members int(38,620,1)|members|number of members|How many members has {name}?|members
age int(6,14,1)|minimum_age|least age|From what age can one join {name}?|aged
kit bool|equipment_lent|is equipment lent?|Does {name} lend equipment?|lend,equipment
trial bool|free_trial|is there a free trial?|Is there a free trial at {name}?|trial
boats list|teams|teams|Which teams has {name}?|teams
agm date(20,110,1)|annual_meeting|date of the annual meeting|When is the annual meeting of {name}?|annual meeting,AGM
form url|application_url|application form|Where is {name}'s application form?|apply,application form`,
		rows: []string{
			"Port Ansell Rowing Club|*|*|*|*|Tuesdays and Thursdays at 6pm|*|*|*|rowers@parc.example|*|*|*|We lend all equipment=true|First session is a free trial=true|Gig A;Gig B;Juniors|*|Application form=/join",
			"Lerrin Fencing Salle|*|*|-|*|Mondays 7–9pm|*|-|*|salle@lerrinfencing.example|*|-|*|Equipment is lent for the first term=true|-|-|-|-",
			"Ansell Bay Rowing Association|*|*|*|-|Saturdays at 8am|*|*|-|crew@abra.example|*|*|-|-|-|Masters;Coastal four|*|-",
			"TSV Emmerfeld Handball|-|-|-|-|mittwochs 18–20 Uhr|*|*|+49 4139 5554###|handball@tsv-emmerfeld.example|*|*|*|-|Kostenloses Probetraining=true|Damen;Herren;Minis|*|-",
			"Brae Chess Circle|*|*|-|-|Fridays from 7.30pm|*|-|-|chess@brae.example|*|*|-|We lend boards and clocks=true|-|First team;Thirds|-|Apply to join=https://forms.brae.example/chess",
			"Skerry Runners|*|*|-|-|Sundays at 9am|*|*|*|run@skerryrunners.example|*|*|*|-|There is no free trial=false|-|-|-",
			"Kelso Street Judo|*|*|*|*|Wednesdays 5–8pm|*|*|*|-|*|-|*|Bring your own suit, we do not lend any=false|Your first class is a free trial=true|-|-|Apply here=/apply",
		},
		looks: []look{
			{"elementor", "www.parc.example/about/", `About {{name}}
<h1>{{name}}</h1><p>Founded in {{since}}, {{name}} has {{members}} members and three slipways. The chair is {{chair}}, the youth officer {{youth}}. Training is on {{train}}. Anyone aged {{age}} or more can join. {{trial}}. {{kit}}.</p><h3>Membership (per year)</h3><table><tr><th>Adult</th><th>Junior</th><th>Family</th></tr><tr><td>{{adult}}</td><td>{{junior}}</td><td>{{family}}</td></tr></table><p>Joining fee: {{join}}</p><p>Teams: {{boats}}</p><p>The annual meeting is on {{agm}}.</p><p>{{tel}} | {{mail}} | <a href="{{form#}}">{{form}}</a></p>`},
			{"next", "www.lerrinfencing.example/", `{{name}}
<h1>{{name}}</h1><p>En garde since {{since}}; we train on {{train}}. Open to anyone aged {{age}} and over.</p><div class="cards"><div><h4>Adult</h4><p>{{adult}} a year</p></div><div><h4>Junior</h4><p>{{junior}} a year</p></div></div><p>There is a joining fee of {{join}}. {{kit}}. {{chair}} is our chair.</p><p>Founded {{since}}. Call {{tel}} or mail {{mail}}.</p>`},
			{"frontpage", "www.abra.example/", `{{name}}
<h2>{{name}}</h2><p>Not to be confused with the club in the inner harbour! Founded {{since}}. {{members}} members. Training {{train}}.</p><table border="1"><tr><td>Adults</td><td>{{adult}}</td></tr><tr><td>Juniors</td><td>{{junior}}</td></tr><tr><td>Families</td><td>{{family}}</td></tr></table><p>Chair: {{chair}}<br>Youth officer: {{youth}}<br>Teams: {{boats}}<br>Annual meeting: {{agm}}<br>Mail: {{mail}}</p>`},
			{"typo3", "www.tsv-emmerfeld.example/handball", `{{name}}
<h1>{{name}}</h1><p>Gegründet {{since}}, {{members}} Mitglieder, ab {{age}} Jahren. Training {{train}}. {{trial}}.</p><p>Vorsitz: {{chair}}. Jugendwartin: {{youth}}. Mannschaften: {{boats}}. Jahresversammlung: {{agm}}.</p><p>Telefon {{tel}}, {{mail}}</p>`},
			{"hugo", "chess.brae.example/", `{{name}}
<h1>{{name}}</h1><p>We meet for training on {{train}} above the bakery. {{kit}}. Founded in {{since}} by a lock keeper; {{members}} members today; chaired by {{chair}}.</p><ul><li>Adults: {{adult}} a year</li><li>Juniors: {{junior}} a year</li></ul><p>Teams: {{boats}}. <a href="{{form#}}">{{form}}</a> or write to {{mail}}.</p>`},
			{"squarespace", "www.skerryrunners.example/about", `About us
<h1>{{name}}</h1><p>We train on {{train}}, rain or rain. {{members}} members, founded {{since}}. Membership is {{adult}} for adults and {{junior}} for juniors (those aged {{age}} and over). {{trial}}. Chair {{chair}}; youth officer {{youth}}. Call {{tel}}, mail {{mail}}.</p>`},
			{"drupal", "www.kelsostreet.example/judo/", `{{name}}
<h1>{{name}}</h1><p>Training: {{train}}</p><p>Adults: {{adult}}, juniors: {{junior}}, families: {{family}}, joining fee: {{join}}. All for a year.</p><p>{{trial}}. {{kit}}. For those aged {{age}} and over. Founded {{since}}.</p><p>Chair: {{chair}} – Youth officer: {{youth}} – Phone: {{tel}}</p><p><a href="{{form#}}">{{form}}</a></p>`},
		},
		asks: []string{
			`0 2 6|find schema|Membership of {name}|adult,junior,family,join,trial`,
			`1 4 5|find told|I would like to join {name}. {asks}?|train,adult,junior,kit,mail`,
			`0 3|at empty|{url}|boats,agm,age,since,members`,
			`0 1 3 5|find none|?|chair,train`,
			`2|find told|Ansell Bay Rowing Association|tel^twin@0,family,age,youth,form^twin@0`,
			`4 5|at schema|{url}|agm,trial,members,form,family`,
			`6 2|at told|{asks} - {url}|youth,mail,members,trial`,
			`0 3|find plain|{name}|boats,agm`,
			`1 5|find none|?|tel`,
			`2|find none|?|tel`,
			`0|find schema|{name} membership|adult,tel|Lerrin Curling Society`,
		},
	}
}
