package borough

import "github.com/turnpike-edge/turnpike/eval/answersite"

var personKind = kind{
	name: "staff", schema: "Person", page: "person/staff",
	hosts: []string{"www.dunning-college.example", "people.marl-university.example", "www.hartwelllaw.example"},
	skins: []skin{lines, definitions, prose, micro, grid, infobox, bullets},
	intros: []string{
		"{n} came to us by way of the sea.", "{n} divides the week between the laboratory and the garden.", "{n} speaks four languages, one of them well.",
		"Students know {n} for long walks.",
	},
	columns: []column{
		{
			field: "role", kind: answersite.String, label: "Position|Role|Job title|Title", prop: "jobTitle", said: "Here {n} works as {v}.|{n} is {v} with us.",
			ask: "the job title|position|what they do here",
		},
		{
			field: "email", kind: answersite.Email, label: "E-mail|Email|Mail", prop: "email", said: "Mail reaches them at {v}.|Please write to {v}.",
			ask: "the e-mail address|email|mail",
		},
		{
			field: "phone", kind: answersite.Phone, label: "Phone|Direct line|Tel", prop: "telephone", said: "The direct line is {v}.|By phone: {v}.",
			ask: "the phone number|direct line|telephone",
		},
		{
			field: "office", kind: answersite.String, label: "Office|Room|Where to find", said: "You will find the office in {v}.|Knock at {v}.",
			ask: "the office|room|which room",
		},
		{
			field: "department", kind: answersite.String, label: "Department|Division|Group", said: "The post belongs to the department of {v}.|This is a post in {v}.",
			ask: "the department|division|which department",
		},
		{
			field: "joined", kind: answersite.Number, label: "Joined|With us since|Year of joining", said: "{n} joined in {v}.|{n} has been with us since {v}.",
			ask: "the year of joining|since when|when they joined",
		},
		{
			field: "languages", kind: answersite.List, label: "Languages|Speaks|Spoken languages", prop: "knowsLanguage", said: "{n} speaks {v}.",
			ask: "languages spoken|languages|the languages",
		},
	},
	rows: [][]string{
		{"Dr Ottoline Vance", "Senior Lecturer", "o.vance@dunning-college.example", "01632 962010", "B2.14", "Hydrology", "2009", "English;Dutch"},
		{"Prof. Lucan Steyn", "Professor of Botany", "l.steyn@dunning-college.example", "-", "Glasshouse 3", "Plant Sciences", "1998", "-"},
		{"Imogen Hartwell", "Partner", "imogen@hartwelllaw.example", "01632 962033", "-", "Family Law", "2004", "English;French"},
		{"Kasimir Blum", "Research Fellow", "-", "01632 962041", "A0.07", "Geophysics", "2021", "German;English"},
		{"Roisin Tarleton", "Registrar", "registrar@dunning-college.example", "01632 962056", "C1.01", "Administration", "-", "-"},
		{"Dov Merriweather", "Associate", "dov@hartwelllaw.example", "01632 962062", "Room 12", "Property", "2018", "English;Hebrew;Italian"},
		{"Thandi Osei", "Head of Laboratory", "t.osei@marl-university.example", "01632 962075", "D3.22", "Chemistry", "2015", "-"},
		{"Edda Halloran", "Librarian", "e.halloran@marl-university.example", "01632 962088", "L1.05", "-", "1991", "Irish;English"},
	},
}

func people(s *answersite.Set) {
	ask(s, personKind.build(s), []question{
		{answersite.FormEmpty, answersite.Searched, "contact details {name}", "email phone office:room"},
		{answersite.FormDescribed, answersite.Named, "Who is this? {url}", "role:job_title department joined:start_year"},
		{answersite.FormSchema, answersite.Searched, "Find {asks} for {name}", "email:emailAddress phone:phoneNumber"},
		{answersite.FormNone, answersite.Searched, "What is {name}'s email?", "email"},
		{answersite.FormString, answersite.Searched, "{name} phone", "phone"},
		{answersite.FormSchema, answersite.Named, "{url}: {asks}", "languages:spokenLanguages role:position"},
		{answersite.FormEmpty, answersite.Searched, "In which office does {name} sit, and since when has {name} worked there?", "office joined:since"},
		{answersite.FormNone, answersite.Searched, "Which department does {name} belong to?", "department"},
		{answersite.FormDescribed, answersite.Searched, "{name}", "role:title email:mail languages"},
		{answersite.FormEmpty, answersite.Named, "Fill in the card from {url}", "role phone:tel email department"},
	})
	nobody(s, "staff/none/0", answersite.FormSchema, "Cornelius Wragg", "What is the email of {name} at Dunning College?", field("email",
		"mail", answersite.Want{Value: answersite.Mail("a@b.c")}))
}

var happeningKind = kind{
	name: "events", schema: "Event", page: "event",
	hosts: []string{"whatson.marlshire.example", "events.halls.example", "www.dunningfest.example"},
	skins: []skin{prose, lines, tiles, micro, headings, summary, prose, grid},
	intros: []string{
		"{n} is back.", "Bring a coat: {n} is held in all weathers.", "{n} is for the curious of any age.",
	},
	columns: []column{
		{
			field: "date", kind: answersite.Date, label: "Date|When|Day", prop: "startDate", said: "It takes place on {v}.|Join us on {v}, come rain or shine.",
			ask: "the date|when it takes place|date of the event",
		},
		{
			field: "venue", kind: answersite.String, label: "Venue|Where|Location|Place", prop: "location", said: "The venue is {v}.|This year it is held at {v}.",
			ask: "where it is held|venue|location",
		},
		{
			field: "ticket", kind: answersite.Price, label: "Tickets|Ticket price|Fee|Cost", said: "Tickets cost {v} at the door.|Entry is {v} a head.",
			ask: "what a ticket costs|ticket price|fee",
		},
		{
			field: "organiser", kind: answersite.String, label: "Organiser|Organised by|Host|Presented by", prop: "organizer",
			said: "It is organised by {v}.|{v} puts it on.", ask: "who organises it|organizer|host",
		},
		{
			field: "speakers", kind: answersite.List, label: "Speakers|With|Line-up", prop: "performer", said: "There will be talks by {v}.",
			ask: "who speaks|speakers|the line-up",
		},
		{
			field: "deadline", kind: answersite.Date, label: "Book by|Registration closes|Deadline", said: "Registration closes on {v}.|Places must be booked by {v}.",
			ask: "the last day to register|registration deadline|deadline",
		},
		{
			field: "places", kind: answersite.Number, label: "Places|Spaces|Max. participants", prop: "maximumAttendeeCapacity",
			said: "There are {v} places.|No more than {v} people can take part.", ask: "how many can take part|number of places|max participants",
		},
	},
	rows: [][]string{
		{"Marl Raft Race", "12 July 2026=2026-07-12", "Town Quay", "£5.00=5 GBP", "Stoke Marling Rowing Club", "-", "1 July 2026=2026-07-01", "40"},
		{"Night of the Lanterns", "Saturday 7 November 2026=2026-11-07", "Lantern Square", "£3=3 GBP", "Ostermouth Guild", "-", "-", "2,500=2500"},
		{"Hydrology Open Day", "June 18, 2026=2026-06-18", "Weir House", "-", "Dunning College", "Ottoline Vance;Marek Sou", "10 June 2026=2026-06-10", "120"},
		{"County Cheese Fair", "2026-09-05", "Wickbridge Common", "£6.50=6.5 GBP", "Marlshire Dairies", "-", "-", "900"},
		{
			"Poets at the Mill", "3 October 2026=2026-10-03", "Arkwell Barn", "£11=11 GBP", "Sable Street Press", "Wilf Anker;Josie Pell;Ama Nkansah",
			"26 September 2026=2026-09-26", "60",
		},
		{"Harbour Swim", "16 August 2026=2026-08-16", "East Mole", "£18.00=18 GBP", "-", "-", "31 July 2026=2026-07-31", "300"},
		{"Repair Day", "25 April 2026=2026-04-25", "Great Dunning Library", "£2.50=2.5 GBP", "The Menders", "-", "-", "80"},
		{
			"Stargazers' Supper", "Friday, 11 December 2026=2026-12-11", "Orchard Dome", "£29.50=29.5 GBP", "Friends of the Sky", "Piet Oosthuis;Lena Vogt",
			"4 December 2026=2026-12-04", "-",
		},
	},
}

func happenings(s *answersite.Set) {
	ask(s, happeningKind.build(s), []question{
		{answersite.FormDescribed, answersite.Searched, "Details of the {name} please", "date:event_date venue:location ticket:price"},
		{answersite.FormEmpty, answersite.Named, "{url}", "date venue organiser:organizer"},
		{answersite.FormSchema, answersite.Searched, "I'd like to take part in {name}: {asks}?", "deadline:registrationDeadline speakers places:capacity"},
		{answersite.FormNone, answersite.Searched, "When is the {name}?", "date"},
		{answersite.FormNone, answersite.Searched, "Where is {name} held?", "venue"},
		{answersite.FormString, answersite.Searched, "{name} ticket price", "ticket"},
		{answersite.FormEmpty, answersite.Searched, "{name} organiser, deadline", "organiser deadline:book_by"},
		{answersite.FormSchema, answersite.Named, "Parse {url}", "ticket:ticketPrice date:startDate places:maxParticipants"},
		{answersite.FormDescribed, answersite.Named, "From {url}: {asks}", "speakers:speakers organiser:host deadline:last_day"},
		{answersite.FormNone, answersite.Searched, "Who organises the {name}?", "organiser"},
		{answersite.FormEmpty, answersite.Searched, "how much is {name} and how many can come", "ticket:admission places:places"},
		{answersite.FormSchema, answersite.Searched, "speakers at {name}", "speakers:lineUp venue:where"},
	})
	nobody(s, "events/none/0", answersite.FormNone, "Bramcote Kite Gala", "When is the {name} this year?", field("date",
		"the date", answersite.Want{Value: answersite.Day(answersite.Now)}))
}

var officeKind = kind{
	name: "services", schema: "GovernmentService", page: "service",
	hosts: []string{"www.marlshire.gov.example", "council.dunning.example"},
	skins: []skin{summary, prose, headings, plainTable, lines, bullets, definitions},
	intros: []string{
		"Use this page to find out about {n}.", "You may need {n} before you begin work.", "Most people who ask for {n} do so in spring.",
	},
	columns: []column{
		{
			field: "fee", kind: answersite.Price, label: "Fee|Charge|Cost|What it costs",
			said: "The fee is {v}, payable by card.|You will be charged {v} when you apply.", ask: "the fee|how much it costs|charge",
		},
		{
			field: "processing", kind: answersite.String, label: "Processing time|How long it takes|Decision within",
			said: "Decisions take {v}.|We aim to answer within {v}.", ask: "how long it takes|processing time|time to decision",
		},
		{
			field: "email", kind: answersite.Email, label: "Email|Questions to|E-mail us", said: "If in doubt, email {v}.|Questions are answered at {v}.",
			ask: "e-mail for questions|contact email|email",
		},
		{
			field: "phone", kind: answersite.Phone, label: "Telephone|Helpline|Phone us", said: "The helpline is {v}.|You can also ring {v}.",
			ask: "helpline|phone number|telephone number",
		},
		{
			field: "online", kind: answersite.Boolean, label: "Apply online|Online application|Can be done online", said: "Online application: {v}.",
			ask: "whether one can apply online|online application possible|can it be done online",
		},
		{
			field: "valid", kind: answersite.Number, label: "Valid for (years)|Validity in years|Years valid", said: "It is valid for {v} years.",
			ask: "how many years it is valid|validity in years|years of validity",
		},
		{
			field: "documents", kind: answersite.List, label: "Documents needed|Bring|What to bring", said: "Bring {v}.",
			ask: "the documents needed|required documents|what to bring",
		},
	},
	rows: [][]string{
		{"Skip permit", "£42.00=42 GBP", "5 working days", "skips@marlshire.gov.example", "01632 963001", "Yes=true", "-", "proof of address;photograph"},
		{"Street trading licence", "£310=310 GBP", "8 weeks", "trading@marlshire.gov.example", "01632 963014", "No=false", "3", "-"},
		{"Blue badge", "£10.00=10 GBP", "12 weeks", "-", "01632 963029", "Yes=true", "3", "proof of identity;letter from a doctor"},
		{"Mooring consent", "£127.50=127.5 GBP", "20 days", "river@marlshire.gov.example", "-", "No=false", "5", "insurance certificate;plan of the bank"},
		{"Market stall pitch", "-", "2 weeks", "market@dunning.example", "01632 963042", "Yes=true", "1", "-"},
		{"Tree works notice", "£0=0 GBP", "six weeks", "trees@dunning.example", "01632 963057", "Yes=true", "2", "sketch;photographs"},
		{"Allotment tenancy", "£38.60=38.6 GBP", "-", "plots@dunning.example", "01632 963061", "No=false", "1", "-"},
	},
}

func offices(s *answersite.Set) {
	ask(s, officeKind.build(s), []question{
		{answersite.FormEmpty, answersite.Searched, "How do I get a {name} in Marlshire?", "fee processing:processing_time online:apply_online"},
		{answersite.FormDescribed, answersite.Named, "{url}: {asks}?", "fee:cost phone:helpline valid:validity_years"},
		{answersite.FormSchema, answersite.Searched, "Council service: {name}", "fee:feeAmount documents:requiredDocuments email"},
		{answersite.FormNone, answersite.Searched, "How much is a {name}?", "fee"},
		{answersite.FormString, answersite.Searched, "{name} contact email", "email"},
		{answersite.FormSchema, answersite.Named, "Read {url}", "online:canApplyOnline processing:decisionTime valid:validYears"},
		{answersite.FormEmpty, answersite.Searched, "what to bring for a {name}", "documents:documents"},
		{answersite.FormNone, answersite.Searched, "How long does a {name} take to be decided?", "processing"},
		{answersite.FormDescribed, answersite.Searched, "Applying for {name}", "email:contact phone:phone fee:charge online:online"},
		{answersite.FormEmpty, answersite.Named, "{url}", "phone:telephone email:email fee"},
	})
	nobody(s, "services/none/0", answersite.FormDescribed, "Falconry warrant", "What is the fee for a {name}?", field("fee",
		"the fee", answersite.Want{Value: answersite.Money(1, "GBP")}))
}
