package harbour

// firms are companies, their teams and who works there.
func firms() []kind { return []kind{companies(), teams(), staff()} }

func companies() kind {
	return kind{
		name: "company", page: "organisation",
		cols: `name str||the company
tel tel(01632 960 )|phone|main phone number|What is the phone number of {name}?|phone,call us,tel
mail mail(name)|email|general e-mail address|What is the e-mail address of {name}?|mail to
press mail|press_email|e-mail address for the press|Where can journalists e-mail {name}?|press,media
since year(1922,2004,1)|founded|year in which it was founded|In which year was {name} founded?|founded,established,since
staff int(12,340,1)|employees|number of employees|How many people work at {name}?|employees,people work,staff of
boss who|managing_director|managing director|Who is the managing director of {name}?|managing director,chief executive,CEO
street str|street|street address|What is the street address of {name}?|street,quay
town str|town|town of the head office|In which town does {name} have its head office?|head office
vat str|vat_number|VAT number|What is {name}'s VAT number?|VAT
offices list|offices|towns with an office|In which towns does {name} have offices?|offices
site url|careers_url|address of the page with open positions|Where are {name}'s open positions listed?|vacancies,open positions,careers
iso bool|iso_certified|is it certified to ISO 9001?|Is {name} certified to ISO 9001?|ISO,certified
legal enum(Ltd/GmbH/SARL/cooperative)|legal_form|legal form|What is the legal form of {name}?|limited company,cooperative,legal form
turnover eur(2,90,1)|turnover|turnover of last year|What was the turnover of {name}?|turnover,revenue
fax tel(01632 961 )|fax|fax number|What is the fax number of {name}?|fax`,
		rows: []string{
			"Tidewell Rigging|*|hello@tidewell.example|press@tidewell.example|*|*|*|14 Capstan Row|Port Ansell|GB 771 2043 18|Port Ansell;Lerrin;Ostend|See open positions=/jobs|Certified to ISO 9001=true|a private limited company (Ltd)=Ltd|-|-",
			"Brackwater Instruments|*|info@brackwater.example|-|*|*|*|3 Sextant House|Lerrin|-|Lerrin;Aarhus|Work with us=https://careers.brackwater.example/|-|-|-|*",
			"Nordlicht Leuchtfeuer GmbH|+49 4131 5550###|kontakt@nordlicht-lf.example|presse@nordlicht-lf.example|*|*|*|Deichstraße 9|Wismarhagen|DE 300 418 772|Wismarhagen;Emmerfeld|-|Zertifiziert nach ISO 9001=true|GmbH=GmbH|-|+49 4131 5559###",
			"Ferrand Voilerie|+33 2 55 50 41 ##|atelier@ferrand-voiles.example|-|*|*|*|8 quai des Mouettes|Saint-Brévan|-|Saint-Brévan;Concarnet|-|-|SARL=SARL|-|-",
			"Kelp & Keel Cooperative|*|office@kelpandkeel.example|-|*|*|*|Unit 5, Smokehouse Yard|Port Ansell|-|-|Current vacancies=/join|Not certified to ISO 9001=false|a workers' cooperative=cooperative|-|-",
			"Tidewell Chandlery|*|shop@tidewellchandlery.example|-|*|-|*|22 Capstan Row|Port Ansell|-|Port Ansell;Brae|-|-|-|-|*",
			"Halyard Analytics|*|team@halyard.example|media@halyard.example|*|*|*|Wharf Tower|Lerrin|GB 802 5511 07|Lerrin;Ghent;Porto|Open roles=/careers|Certified to ISO 9001=true|-|-|-",
			"Emmerfeld Bootsbau GmbH|+49 4139 5551###|werft@emmerfeld-boot.example|-|*|*|*|Am Slip 2|Emmerfeld|DE 300 991 240|-|-|Nicht nach ISO 9001 zertifiziert=false|GmbH=GmbH|-|+49 4139 5558###",
		},
		looks: []look{
			{"next", "www.{}.example/about", `About {{name}}
<section><h1 class="text-4xl">We keep you afloat.</h1><p>{{name}} was founded in {{since}} by two sisters and a welder[[, and {{staff}} people work with us today]]. Our head office is in {{town}}, with offices in {{offices}}.</p>
<p>[[{{boss}} has been managing director for nine years.]] We are {{legal}}.</p>
<p>{{iso}} since 2011.</p></section>
<section class="grid grid-cols-2"><div><h3>General enquiries</h3><p><a href="mailto:{{mail}}">{{mail}}</a></p></div><div><h3>Press</h3><p>{{press}}</p></div><div><h3>Call us</h3><p><a href="tel:{{tel#}}">{{tel}}</a></p></div></section>
<p>Join a crew that sails on Fridays. <a class="underline" href="{{site#}}">{{site}}</a></p><p>VAT: {{vat}}</p>`},
			{"elementor", "www.{}.example/contact/", `Contact {{name}}
<h1 class="elementor-heading-title">Get in touch</h1><div class="elementor-icon-box-wrapper"><h3>Visit</h3><p>{{name}}<br>{{street}}<br>{{town}}</p></div><div class="elementor-icon-box-wrapper"><h3>Phone</h3><p>{{tel}}</p></div>
<div class="elementor-icon-box-wrapper"><h3>Fax</h3><p>{{fax}}</p></div>
<div class="elementor-icon-box-wrapper"><h3>E-mail</h3><p><a href="mailto:{{mail}}">{{mail}}</a></p></div>
<div class="elementor-text-editor"><p>Since {{since}} we have built gauges that do not mind salt. [[Our {{staff}} employees work in {{offices}}.]]</p></div><a class="elementor-button" href="{{site#}}"><span>{{site}}</span></a>`},
			{"typo3", "www.{}.example/impressum", `Impressum
<h1>Impressum</h1><p><strong>{{name}}</strong><br>{{street}}<br>{{town}}</p><p>Telefon: {{tel}}<br>E-Mail: <a href="mailto:{{mail}}">{{mail}}</a></p>
<p>Telefax: {{fax}}</p>
<p>Presse: {{press}}</p>
<p>Geschäftsführung: {{boss}}</p><p>Umsatzsteuer-ID: {{vat}}</p><p>Rechtsform: {{legal}}</p><h2>Über uns</h2><p>Gegründet {{since}}, heute {{staff}} Mitarbeitende. {{iso}}.</p>
<p>Niederlassungen: {{offices}}</p>`},
			{"spip", "www.{}.example/contact", `Nous contacter
<h1>{{name}}</h1><p>Maison fondée en {{since}}. Gérante : {{boss}}. Effectif : {{staff}} personnes.</p><ul class="spip"><li>Adresse : {{street}}, {{town}}</li><li>Téléphone : {{tel}}</li><li>Courriel : {{mail}}</li><li>Forme juridique : {{legal}}</li><li>Ateliers à {{offices}}</li></ul>`},
			{"frontpage", "www.{}.example/about.htm", `About {{name}}
<h2>{{name}}</h2><p>We are {{legal}}, owned by those who work here. Established {{since}}. <b>{{iso}}.</b></p><table border="1" cellpadding="3"><tr><td>Phone</td><td>{{tel}}</td></tr><tr><td>E-mail</td><td>{{mail}}</td></tr><tr><td>Address</td><td>{{street}}, {{town}}</td></tr><tr><td>Members at work</td><td>{{staff}}</td></tr><tr><td>Chair and managing director</td><td>{{boss}}</td></tr></table><p><a href="{{site#}}">{{site}}</a></p>`},
			{"squarespace", "www.{}.example/our-story", `Our story
<h2>{{name}}</h2><p class="sqsrte-large">Rope by the metre and paint by the litre since {{since}}.</p><p>You find the counter at {{street}} in {{town}}. {{boss}}, our managing director, is often behind it. There are shops in {{offices}}.</p><p>{{mail}} / {{tel}}</p><p>We are not the riggers down the road, who are a firm of their own.</p>`},
		},
		asks: []string{
			`0 1 6|find schema|Contact details of {name}|tel,mail,press,fax`,
			`0 4 6|at told|From {url}: {asks}|boss,staff,since,iso`,
			`2 7|find empty|{name}: Telefon, Fax, Geschäftsführung, USt-ID|tel,fax,boss,vat`,
			`3|at schema|{url}|boss,tel,mail,legal,vat`,
			`2 4|at schema|Company profile from {url}|legal,iso,turnover,site`,
			`0 1 4|find none|?|boss,tel,since`,
			`1 3|find none|?|mail`,
			`0 4|find none|?|site`,
			`5|find told|Tidewell Chandlery in Port Ansell (the shop, not the riggers)|tel,staff^twin@0,press^twin@0,mail`,
			`6 3|find plain|{name}|since,offices`,
			`0 6|at empty|{url}|offices,site,turnover,vat`,
			`1|find empty|{name} fax, e-mail, managing director|fax,mail,boss`,
			`0|find schema|Details of the company {name}|tel,mail,since|Oarlock & Daughters`,
			`1|find none|?|tel|Saltmarsh Optics`,
		},
	}
}

func teams() kind {
	return kind{
		name: "team", page: "organisation",
		cols: `name str||the team
p1 who|head|who leads the team|Who leads {name}?|
r1 str|head_role|role of {p1}|What is {p1}'s role at {name}?|
t1 tel(01632 962 )|head_phone|direct line of {p1}|What is {p1}'s phone number at {name}?|
m1 mail(p1)|head_email|e-mail address of {p1}|What is {p1}'s e-mail address at {name}?|
p2 who|accountant|name of the accountant|Who does the books at {name}?|
r2 str|accounts_role|role of {p2}|What does {p2} do at {name}?|
t2 tel(01632 963 )|accounts_phone|phone number of {p2}|What is the phone number of {p2} at {name}?|
m2 mail(p2)|accounts_email|e-mail address of {p2}|What is the e-mail address of {p2} at {name}?|
p3 who|trainee|name of the apprentice|Who is the apprentice at {name}?|
r3 str|trainee_job|job title of {p3}|What is {p3}'s job at {name}?|
t3 tel(01632 964 )|trainee_mobile|mobile number of {p3}|What is {p3}'s mobile number?|
m3 mail(p3)|trainee_email|e-mail of {p3}|What is the e-mail of {p3}?|
p4 who|service_manager|name of the service manager|Who is service manager at {name}?|
r4 str|service_title|job title of {p4}|What is the job title of {p4}?|
t4 tel(01632 965 )|service_phone|direct dial of {p4}|What is the direct dial of {p4} at {name}?|
m4 mail(p4)|service_email|e-mail address of {p4}|How can I e-mail {p4} of {name}?|
days str|office_days|days on which {p2} works|On which days does {p2} work?|`,
		rows: []string{
			"Lerrin Marine Insurance|*|Head of Claims|*|@lmi.example|*|Accounts Manager|*|@lmi.example|*|Apprentice Broker|*|@lmi.example|*|Service Manager|*|@lmi.example|Monday to Wednesday",
			"Skerry Surveyors|*|Chief Surveyor|*|@skerry.example|*|Bookkeeper|-|@skerry.example|*|Trainee Surveyor|-|-|*|Client Services|*|@skerry.example|-",
			"Stadtwerke Wismarhagen|*|Leitung Kundendienst|+49 4131 5552###|@sw-wismarhagen.example|*|Buchhaltung|+49 4131 5553###|@sw-wismarhagen.example|*|Auszubildende|-|-|*|Technischer Dienst|+49 4131 5554###|@sw-wismarhagen.example|Montag bis Donnerstag",
			"Port Ansell Harbour Office|*|Harbour Master|*|@harbour.portansell.example|*|Finance Officer|*|@harbour.portansell.example|*|Cadet|*|@harbour.portansell.example|*|Berthing Manager|*|@harbour.portansell.example|Tuesdays and Thursdays",
			"Brae Property Agents|*|Director|*|@braeproperty.example|*|Office Manager|*|@braeproperty.example|*|Junior Negotiator|-|@braeproperty.example|*|Lettings Manager|*|-|-",
		},
		looks: []look{
			{"next", "www.lmi.example/team", `Meet the team | {{name}}
<h1>Meet the team</h1><p>{{name}} is six people and a parrot.</p><div class="grid">
<div class="card"><h3>{{p1}}</h3><p class="role">{{r1}}</p><a href="tel:{{t1#}}">{{t1}}</a><br><a href="mailto:{{m1}}">{{m1}}</a></div>
<div class="card"><h3>{{p2}}</h3><p class="role">{{r2}}</p><a href="tel:{{t2#}}">{{t2}}</a><br><a href="mailto:{{m2}}">{{m2}}</a><p>In the office {{days}}</p></div>
<div class="card"><h3>{{p3}}</h3><p class="role">{{r3}}</p><a href="tel:{{t3#}}">{{t3}}</a><br><a href="mailto:{{m3}}">{{m3}}</a></div>
<div class="card"><h3>{{p4}}</h3><p class="role">{{r4}}</p><a href="tel:{{t4#}}">{{t4}}</a><br><a href="mailto:{{m4}}">{{m4}}</a></div></div>`},
			{"hugo", "skerry.example/people/", `People of {{name}}
<h1>People of {{name}}</h1><p><strong>{{p1}}</strong>, {{r1}}, has climbed into more bilges than anybody on this coast. Ring {{t1}} or write to {{m1}}.</p><p><strong>{{p2}}</strong> is our {{r2}} ({{m2}}).</p><p><strong>{{p4}}</strong>, {{r4}}, answers {{t4}} and {{m4}}.</p><p><strong>{{p3}}</strong> joined last autumn as {{r3}}.</p>`},
			{"typo3", "www.sw-wismarhagen.example/ansprechpartner", `Ansprechpartner
<h1>Ihre Ansprechpartner</h1><p>{{name}}</p><table class="ce-table"><thead><tr><th>Name</th><th>Aufgabe</th><th>Telefon</th><th>E-Mail</th></tr></thead><tbody><tr><td>{{p1}}</td><td>{{r1}}</td><td>{{t1}}</td><td>{{m1}}</td></tr><tr><td>{{p2}}</td><td>{{r2}} ({{days}})</td><td>{{t2}}</td><td>{{m2}}</td></tr><tr><td>{{p3}}</td><td>{{r3}}</td><td>–</td><td>–</td></tr><tr><td>{{p4}}</td><td>{{r4}}</td><td>{{t4}}</td><td>{{m4}}</td></tr></tbody></table>`},
			{"council", "www.portansell.example/harbour-office/staff", `Harbour office staff
<h1>Harbour office staff</h1><p>The {{name}} is on the first floor of the customs house.</p><dl><dt>{{r1}}</dt><dd>{{p1}}, {{t1}}, {{m1}}</dd><dt>{{r2}}</dt><dd>{{p2}}, {{t2}}, {{m2}} ({{days}})</dd><dt>{{r4}}</dt><dd>{{p4}}, {{t4}}, {{m4}}</dd><dt>{{r3}}</dt><dd>{{p3}}, {{t3}}, {{m3}}</dd></dl>`},
			{"frontpage", "www.braeproperty.example/staff.htm", `Our staff
<h3>{{name}} - our staff</h3><table border="1"><tr><th></th><th>{{p1}}</th><th>{{p2}}</th><th>{{p3}}</th><th>{{p4}}</th></tr><tr><th>Position</th><td>{{r1}}</td><td>{{r2}}</td><td>{{r3}}</td><td>{{r4}}</td></tr><tr><th>Telephone</th><td>{{t1}}</td><td>{{t2}}</td><td></td><td>{{t4}}</td></tr><tr><th>Mail</th><td>{{m1}}</td><td>{{m2}}</td><td>{{m3}}</td><td></td></tr></table>`},
		},
		asks: []string{
			`0 3|find schema|{p2} and {p4} at {name}: how to reach them|t2,m2,t4,m4`,
			`1 2|at told|{url} - {asks}|t2,r2,t4,m4`,
			`4 2|at schema|{p3} and {p4}, {url}|r3,r4,t3,m4`,
			`0 1 2 3 4|find none|?|t1,r2`,
			`0 2|at told|Look at {url} and give me {asks}|days,r4,t1`,
			`1 4|find plain|{name}|m1,t1`,
			`1 4|find told|{p3} at {name}: {asks}|r3,t3`,
		},
	}
}

func staff() kind {
	return kind{
		name: "staff", page: "person/staff",
		cols: `name who||the person
role str|role|position|What is {name}'s position at {firm}?|position
firm str|employer|employer|Who does {name} work for?|
tel tel(01632 966 )|phone|direct line|What is the direct line of {name}?|phone,direct line,call
mobile tel(07700 900 )|mobile|mobile number|What is {name}'s mobile number?|mobile,cell
mail mail(name)|email|e-mail address|What is {name}'s e-mail address at {firm}?|email,mail
since year(2003,2024,1)|joined|year of joining|In which year did {name} join {firm}?|joined,since
langs list|languages|languages spoken|Which languages does {name} speak?|languages,speaks
room str(2.14/1.07/3.22/0.05/4.11)|room|room|In which room is {name} of {firm}?|room
boss who|reports_to|whom they report to|Whom does {name} report to?|reports to
degree str|degree|degree|What degree does {name} have?|degree,BSc,studied
site url|profile_url|address of the profile on Quayline|Where is {name}'s Quayline profile?|quayline
hours str|consultation_hours|consultation hours|When are {name}'s consultation hours?|consultation
assistant who|assistant|assistant|Who is {name}'s assistant?|assistant
born date|birthday|date of birth|When was {name} born?|born,birthday
part bool|part_time|works part-time?|Does {name} work part-time?|part-time,full-time`,
		rows: []string{
			"*|Senior Underwriter|Lerrin Marine Insurance|*|*|@lmi.example|*|English;Danish|*|*|-|Profile on Quayline=https://quayline.example/u/4471|-|-|-|Works part-time=true",
			"*|Lecturer in Hydrology|Ansell College|*|-|@ansellcollege.example|*|English;Dutch;Frisian|*|-|PhD in Hydrology|-|Tuesdays 2–4pm|*|-|-",
			"Marit Sølberg|Naval Architect|Emmerfeld Bootsbau|+49 4139 5552###|-|marit@emmerfeld-boot.example|*|Deutsch;Norwegisch|-|-|-|-|-|-|-|-",
			"*|Claims Handler|Lerrin Marine Insurance|-|*|@lmi.example|*|English|*|*|-|-|-|-|-|Works full-time=false",
			"*|Registrar|Ansell College|*|-|@ansellcollege.example|*|-|*|-|MA in Archives|-|Mondays 9–11am|-|-|-",
			"*|Marine Biologist|Lantern Point Aquarium|*|-|@lanternpoint.example|*|English;Portuguese|-|*|BSc in Zoology|Find me on Quayline=https://quayline.example/u/9020|-|-|-|Works part-time=true",
			"*|Risk Engineer|Lerrin Marine Insurance|*|-|@lmi.example|*|English;Polish;Greek|*|*|-|-|-|*|-|Works full-time=false",
			"*|Professor of Ship Law|Ansell College|*|-|-|*|English;French|*|-|LLM|Quayline profile=https://quayline.example/u/1203|Wednesdays 10am–noon|*|-|-",
		},
		looks: []look{
			{"next", "www.lmi.example/team/", `{{name}} | Lerrin Marine Insurance
<div class="flex"><div><h1>{{name}}</h1><p class="text-xl">{{role}}</p><p>{{firm}}</p></div><ul class="text-sm"><li><span class="label">Direct line</span> <span>{{tel}}</span></li>
<li><span class="label">Mobile</span> <span>{{mobile}}</span></li>
<li><span class="label">Email</span> <a href="mailto:{{mail}}">{{mail}}</a></li><li><span class="label">Room</span> <span>{{room}}</span></li></ul></div>
<p>{{name}} joined us in {{since}} and reports to {{boss}}. [[Speaks {{langs}}.]] [[{{part}}.]]</p>
<p><a href="{{site#}}">{{site}}</a></p>`},
			{"drupal", "www.ansellcollege.example/people/", `{{name}}
<h1>{{name}}</h1><div class="field field--name-field-role"><div class="field__label">Position</div><div class="field__item">{{role}}, {{firm}}</div></div><div class="field"><div class="field__label">Telephone</div><div class="field__item">{{tel}}</div></div>
<div class="field"><div class="field__label">E-mail</div><div class="field__item">{{mail}}</div></div>
<div class="field"><div class="field__label">Room</div><div class="field__item">{{room}}</div></div><div class="field"><div class="field__label">Consultation hours</div><div class="field__item">{{hours}}</div></div>
<div class="field"><div class="field__label">Assistant</div><div class="field__item">{{assistant}}</div></div>
<div class="field"><div class="field__label">Degree</div><div class="field__item">{{degree}}</div></div>
<div class="field"><div class="field__label">Languages</div><div class="field__item">{{langs}}</div></div>
<p>At the college since {{since}}.</p>
<p><a href="{{site#}}">{{site}}</a></p>`},
			{"hugo", "notes.crew.example/who/", `{{name}}
<h1>{{name}}</h1><p>I am a {{role}} at {{firm}} and I have been there since {{since}}. At home we speak {{langs}}.</p><p>Write to {{mail}}[[ or call {{tel}}]].</p><p>[[I have a {{degree}}.]] <a href="{{site#}}">{{site}}</a></p>
<p>At work I report to {{boss}}.</p>`},
		},
		asks: []string{
			`0 3|at schema|Profile {url}|role,tel,mobile,mail,since,part`,
			`1 4|find told|{name} of Ansell College: {asks}|tel,hours,assistant,room`,
			`6 7|at empty|{url}|mail,since,langs,mobile,born`,
			`0 1 4 6|find none|?|role,room`,
			`5 2|find schema|{name}|role,mail,langs,born,mobile`,
			`3|find told|{name}, Lerrin Marine Insurance|tel,boss,mobile`,
			`7 0|find plain|{name}|langs,site`,
			`4|find empty|{name} registrar college languages, degree, assistant|langs,degree,assistant`,
			`0|find told|Which role and phone number has {name} at Lerrin Marine Insurance?|role,tel|Barnaby Tolliver`,
		},
	}
}
