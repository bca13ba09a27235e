package harbour

// health are practices and who to ring.
func health() []kind {
	return []kind{{
		name: "practice", page: "service",
		cols: `name str||the practice
tel tel(01947 554 )|phone|phone for appointments|What number do I ring for an appointment at {name}?|appointments
urgent tel(01947 555 )|emergency_phone|number out of hours|What is the out-of-hours number of {name}?|out of hours,emergency
mail mail|email|e-mail address|What is the e-mail address of {name}?|mail
hours str|opening_hours|opening hours|What are the opening hours of {name}?|open from,opening hours
doctors list|practitioners|who practises there|Who practises at {name}?|dr
lead who|practice_manager|practice manager|Who is practice manager at {name}?|practice manager
new bool|accepts_new_patients|are new patients taken?|Does {name} take new patients?|new patients,new clients
first gbp(38,95,1)|first_visit_fee|fee of a first visit|What does a first visit at {name} cost?|first visit,initial
next gbp(22,36,1)|follow_up_fee|fee of a follow-up visit|What does a follow-up at {name} cost?|follow-up
child gbp(12,21,1)|child_fee|fee for children|What does {name} charge for children?|children
missed gbp(10,11.5,0.5)|missed_appointment_fee|fee for a missed appointment|What does {name} charge for a missed appointment?|missed
notice int(24,72,12)|cancellation_notice_hours|hours of notice for cancelling|How many hours before must I cancel at {name}?|cancel,notice
langs list|languages|languages spoken|Which languages are spoken at {name}?|languages,spoken
park bool|has_parking|is there parking?|Is there parking at {name}?|parking
book url|booking_url|page for online booking|Where can I book online at {name}?|book
flu dwd(262,300,1)|vaccination_day|day of the flu vaccination|On which day does {name} vaccinate against flu?|flu,vaccination
regs str|registration_number|registration number|What is the registration number of {name}?|registration
sector enum(public/private)|sector|public or private|Is {name} public or private?|private,public`,
		rows: []string{
			"Quayside Surgery|*|*|reception@quayside-surgery.example|8am to 6.30pm|Dr Petra Maas;Dr Owen Tamblyn;Dr Sunita Rao|*|We are taking new patients=true|-|-|-|-|*|English;Cornish;Hindi|Free parking for patients=true|Book online=https://book.quayside-surgery.example/|*|-|A public practice=public",
			"Lerrin Dental Rooms|*|*|smile@lerrindental.example|9am to 5pm|Dr Karim Obadia;Dr Lise Fonck|-|Our list is full: no new patients at present=false|*|*|*|*|*|-|-|Book a check-up=/book|-|DP-40772|A private practice=private",
			"Gull Lane Physiotherapy|*|-|hello@gulllane.example|7.30am to 7pm|-|*|We welcome new patients=true|*|*|-|*|*|English;Polish|No parking, the bus stops outside=false|Book your visit=https://gulllane.example/visit|-|PH-1183|-",
			"Praxis am Deich|+49 4139 5556###|-|praxis@amdeich.example|8 bis 12 und 15 bis 18 Uhr|Dr. Almut Reese;Dr. Henrik Voss|-|Neue Patienten werden aufgenommen=true|-|-|-|-|-|Deutsch;Plattdeutsch;Dänisch|-|Termin buchen=/termin|-|-|-",
			"Brae Veterinary Centre|*|*|-|8.30am to 6pm|-|*|-|*|*|-|-|*|-|Free parking behind the house=true|-|-|-|-",
			"Lerrin Dental Studio|*|-|desk@lerrinstudio.example|10am to 8pm|Dr Wanda Priestley|*|We are taking new patients=true|*|*|-|-|-|English;Urdu|-|-|-|DP-51190|-",
			"Cabinet du Port|+33 2 55 50 72 ##|-|-|8h30 à 18h|Dr Solène Kerbrat;Dr Yann Le Goff|-|Nouveaux patients acceptés=true|-|-|-|-|-|français;breton;anglais|-|Prendre rendez-vous=https://rdv.cabinetduport.example/|-|-|-",
		},
		looks: []look{
			{"council", "www.quayside-surgery.example/", `{{name}}
<h1>{{name}}</h1><p>{{sector}} near the old slip, open from {{hours}}, Monday to Friday. {{new}}.</p><h2>Appointments</h2><p>Ring {{tel}} for appointments or <a href="{{book#}}">{{book}}</a>. Please give {{notice}} hours of notice if you cannot come. Out of hours call {{urgent}}.</p><h2>Doctors</h2><ul>{{doctors*li}}</ul><p>Practice manager: {{lead}}. Languages spoken: {{langs}}. {{park}}.</p><p>Flu vaccination takes place on {{flu}}.</p><p>{{mail}}</p>`},
			{"next", "www.lerrindental.example/", `{{name}}
<h1>{{name}}</h1><p>{{sector}}. {{new}}.</p><div class="table"><div class="row"><div>First visit</div><div>{{first}}</div></div><div class="row"><div>Follow-up</div><div>{{next}}</div></div><div class="row"><div>Children</div><div>{{child}}</div></div><div class="row"><div>Missed appointment</div><div>{{missed}}</div></div></div><p>You can cancel up to {{notice}} hours before.</p><p>Open from {{hours}}. Appointments {{tel}}, emergency {{urgent}}, {{mail}}.</p><p>Your dentists are {{doctors}}. Registration {{regs}}.</p><a href="{{book#}}">{{book}}</a>`},
			{"elementor", "{}.example/fees/", `Fees – {{name}}
<h1>{{name}}: fees</h1><p>[[{{new}}. ]]An initial assessment (first visit) costs {{first}}. Each follow-up is {{next}}.[[ A missed appointment is charged at {{missed}}.]][[ Cancel with {{notice}} hours of notice and you pay nothing.]]</p><p>[[{{park}}. ]]Appointments: {{tel}}[[, {{mail}}]]. We are open from {{hours}}.</p><p>[[Practice manager {{lead}}. ]][[Out of hours: {{urgent}}.]]</p>
<p>Languages spoken at the desk: {{langs}}.</p>
<p>Registration {{regs}}</p>
<a href="{{book#}}">{{book}}</a>`},
			{"typo3", "www.praxis-amdeich.example/", `{{name}}
<h1>{{name}}</h1><p>{{new}}. Sprechzeiten: {{hours}}.</p><p>Ärztinnen und Ärzte: {{doctors}}. Wir sprechen {{langs}}.</p><p>Telefon {{tel}}, E-Mail {{mail}}. <a href="{{book#}}">{{book}}</a></p>`},
			{"frontpage", "www.braevets.example/", `{{name}}
<h2>{{name}}</h2><table border="1"><tr><td>First visit</td><td>{{first}}</td></tr><tr><td>Follow-up</td><td>{{next}}</td></tr></table><p>Opening hours: {{hours}}. Appointments: {{tel}}. Emergency: {{urgent}}. {{park}}. Please cancel {{notice}} hours before. Practice manager: {{lead}}</p>`},
			{"squarespace", "www.lerrinstudio.example/", `{{name}}
<h1>{{name}}</h1><p>Evenings are our mornings: open from {{hours}}. {{new}}. A first visit is {{first}}, a follow-up {{next}}. {{doctors}} sees everyone in person; {{lead}} is practice manager. Languages: {{langs}}. Registration {{regs}}. Ring {{tel}} for appointments or mail {{mail}}.</p>`},
			{"spip", "www.cabinetduport.example/", `{{name}}
<h1>{{name}}</h1><p>Ouvert de {{hours}}. {{new}}. Médecins : {{doctors}}. Langues parlées : {{langs}}.</p><p>Téléphone : {{tel}} - <a href="{{book#}}">{{book}}</a></p>`},
		},
		asks: []string{
			`0 1|at schema|{url}|tel,urgent,mail,hours,new,sector,notice`,
			`1 2|find told|Fees of {name}: {asks}|first,next,missed,child,notice`,
			`5|find schema|Lerrin Dental Studio|first,child^twin@1,missed^twin@1,urgent^twin@1,new`,
			`0 2 3|find empty|{name}: new patients, languages, parking, booking page|new,langs,park,book`,
			`0 1 3 4|find none|?|tel,hours`,
			`3 6|at told|{url} - {asks}|doctors,langs,book,urgent`,
			`0|find none|?|flu,lead,mail`,
			`0 1|find plain|{name}|sector,book`,
			`6|find empty|Cabinet du Port : médecins, langues, rendez-vous, parking|doctors,langs,book,park`,
			`4|find told|Brae Veterinary Centre|first,urgent,park,new,mail`,
			`6 5|find plain|{name}|doctors,langs`,
			`1|find schema|Lerrin Dental Rooms|lead^twin@5,langs^twin@5,flu,doctors`,
			`2|find none|?|urgent`,
			`0|find told|{name} appointments|tel,hours|Sandpiper Eye Clinic`,
		},
	}}
}
