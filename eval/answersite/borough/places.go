package borough

import "github.com/turnpike-edge/turnpike/eval/answersite"

var firmKind = kind{
	name: "companies", schema: "Organization", page: "organisation",
	hosts: []string{"www.marlshire-business.example", "directory.marlow-chamber.example", "en.shirewiki.example"},
	skins: []skin{definitions, tiles, infobox, prose, lines, linked, micro, grid},
	intros: []string{
		"{n} makes things that most people in the county have in the shed.", "{n} is a family business with a long memory.",
		"{n} is one of the county's best known firms.", "If you have driven past the old mill you have seen {n}.",
	},
	columns: []column{
		{
			field: "founded", kind: answersite.Number, label: "Founded|Established|Year of foundation|Since", prop: "foundingDate",
			said: "{n} was set up in {v} by two brothers.|The firm, which dates back to {v}, is still run from the yard where it began.",
			ask:  "the year it was founded|when the company was established|founding year",
		},
		{
			field: "headquarters", kind: answersite.String, label: "Headquarters|Head office|Based in|HQ",
			said: "Its head office is in {v}.|It is headquartered in {v}, an hour from the coast.",
			ask:  "where it is based|the town of the headquarters|head office location",
		},
		{
			field: "employees", kind: answersite.Number, label: "Employees|Staff|Number of employees|Workforce",
			said: "Some {v} people work for it.|The company employs {v} people, most of them locally.",
			ask:  "how many people it employs|number of employees|the size of the workforce",
		},
		{
			field: "ceo", kind: answersite.String, label: "Chief executive|CEO|Managing director|Key people",
			said: "{v}, who joined as an apprentice, is chief executive.|It has been run by its managing director, {v}, for a decade.",
			ask:  "who runs the company|the chief executive's name|its CEO",
		},
		{
			field: "revenue", kind: answersite.Price, label: "Revenue|Annual turnover|Turnover|Sales",
			said: "It turned over {v} last year.|Revenue came to {v} in the last financial year.",
			ask:  "its yearly revenue|annual turnover|how much it turned over",
		},
		{
			field: "phone", kind: answersite.Phone, label: "Telephone|Call|Tel.|Switchboard", prop: "telephone",
			said: "The switchboard can be reached on {v}.|Ring {v} for the switchboard.", ask: "the phone number|telephone|a number to call",
		},
		{
			field: "email", kind: answersite.Email, label: "E-mail|Email address|Enquiries|Write to us", prop: "email",
			said: "Enquiries go to {v}.|Write to {v} for a catalogue.", ask: "an e-mail address for enquiries|e-mail|contact email",
		},
		{
			field: "website", kind: answersite.URL, label: "Website|Web|Homepage|Site", prop: "url", said: "Its catalogue is at {v}.|See {v} for more.",
			ask: "the company's website|homepage URL|web address",
		},
	},
	rows: [][]string{
		{
			"Harrowgate Pumps", "1921", "Stoke Marling", "1,240=1240", "Odette Quill", "£267 million=267000000 GBP", "01632 960114", "hello@harrowgatepumps.example",
			"https://www.harrowgatepumps.example/",
		},
		{"Tolliver & Sons", "1888", "Wickbridge", "86", "Bram Tolliver", "£4.1m=4100000 GBP", "01632 960127", "office@tolliver.example", "-"},
		{
			"Lindqvist Optics", "1974", "Ostermouth", "3,600=3600", "Maja Lindqvist", "€1.2 billion=1200000000 EUR", "+44 1632 960138", "-",
			"https://lindqvist-optics.example/",
		},
		{"Penhallow Cider Works", "1956", "Penhallow", "142", "Jory Trevanion", "£9.75 million=9750000 GBP", "-", "cider@penhallow.example", "https://penhallow.example/"},
		{"Arkwell Timber", "2003", "North Arkwell", "58", "Sunniva Brekke", "-", "01632 960150", "yard@arkwelltimber.example", "https://www.arkwelltimber.example/"},
		{"Cobbold Ropes", "1834", "Ostermouth", "31", "Ines Cobbold", "£1,850,000=1850000 GBP", "01632 960163", "ropes@cobbold.example", "https://cobboldropes.example/"},
		{
			"Fennimore Glass", "1967", "Wickbridge", "410", "Tadeo Marsh", "£33.5 million=33500000 GBP", "01632 960171", "glass@fennimore.example",
			"https://fennimore.example/",
		},
		{
			"Sable Street Press", "1999", "Stoke Marling", "-", "Wren Abernathy", "£620,000=620000 GBP", "01632 960189", "books@sablestreet.example",
			"https://sablestreet.example/",
		},
	},
}

func firms(s *answersite.Set) {
	ask(s, firmKind.build(s), []question{
		{answersite.FormEmpty, answersite.Named, "Fill this in from {url}", "founded employees:staffCount ceo:chief_executive"},
		{answersite.FormDescribed, answersite.Searched, "Tell me about the company {name}.", "revenue:annual_revenue headquarters:based_in website"},
		{answersite.FormSchema, answersite.Searched, "Extract company data for {name}", "founded:foundedYear employees:employeeCount email:contactEmail"},
		{answersite.FormString, answersite.Searched, "Who is in charge of {name}?", "ceo"},
		{answersite.FormNone, answersite.Searched, "How many people work at {name}?", "employees"},
		{answersite.FormEmpty, answersite.Searched, "{name} phone and email", "phone:tel email"},
		{answersite.FormSchema, answersite.Named, "From {url} get {asks}.", "revenue:turnover ceo:managing_director headquarters:head_office"},
		{answersite.FormDescribed, answersite.Named, "Company profile: {url}", "employees:workforce founded:since website:homepage"},
		{answersite.FormNone, answersite.Searched, "What year was {name} founded?", "founded"},
		{answersite.FormEmpty, answersite.Searched, "Look up {name}: website, phone, headquarters.", "website:url phone:phoneNumber headquarters"},
		{answersite.FormString, answersite.Named, "What is the revenue of the firm at {url}?", "revenue"},
		{answersite.FormDescribed, answersite.Searched, "{name} key facts", "ceo:head phone:telephone email:email_address revenue:sales"},
		{answersite.FormSchema, answersite.Searched, "I need {asks} of {name}.", "revenue:annual_turnover founded:established"},
		{answersite.FormNone, answersite.Searched, "email address {name}", "email"},
	})
	nobody(s, "companies/none/0", answersite.FormEmpty, "Harrowby Valves", "When was {name} founded and who runs it?",
		field("founded", "the year", answersite.Want{Value: answersite.Int(1)}), field("ceo", "who runs it", answersite.Want{Value: answersite.Str("x")}))
	nobody(s, "companies/none/1", answersite.FormNone, "Pellinore Castings", "How many people does {name} employ?", field("employees",
		"staff", answersite.Want{Value: answersite.Int(1)}))
}

var hallKind = kind{
	name: "venues", schema: "Museum", page: "place",
	hosts: []string{"visit.marlshire.example", "www.ostermouth-culture.example", "halls.example"},
	skins: []skin{lines, headings, prose, micro, bullets, grid, summary, tiles},
	intros: []string{
		"{n} is worth a detour, and not only when it rains.", "Behind a plain front {n} hides more than one would think.", "Children like {n} for the tower.",
		"{n} was nearly pulled down, and is now the pride of the street.",
	},
	columns: []column{
		{
			field: "admission", kind: answersite.Price, label: "Admission|Entry|Adult ticket|Entrance fee",
			said: "Admission is {v} for adults.|Grown-ups pay {v} to get in.", ask: "what an adult pays to get in|the entrance fee|adult ticket price",
		},
		{
			field: "capacity", kind: answersite.Number, label: "Capacity|Seats|Visitors at a time|Holds", prop: "maximumAttendeeCapacity",
			said: "Its great hall seats {v}.|It has room for {v} people.", ask: "how many people fit in|seating capacity|capacity",
		},
		{
			field: "opened", kind: answersite.Date, label: "Opened|Opening date|Inaugurated|First opened",
			said: "It opened its doors on {v}.|It was inaugurated on {v} by a cousin of the mayor.", ask: "the day on which it opened|opening date|when it was inaugurated",
		},
		{
			field: "architect", kind: answersite.String, label: "Architect|Designed by|Built by|Architects",
			said: "The building was designed by {v}.|{v} drew the plans.", ask: "who designed the building|the architect|name of the architect",
		},
		{
			field: "hours", kind: answersite.String, label: "Opening hours|Hours|Open|Opening times", prop: "openingHours",
			said: "It is open {v}.|Doors are open {v}, bank holidays included.", ask: "when it is open|opening hours|the hours",
		},
		{
			field: "accessible", kind: answersite.Boolean, label: "Wheelchair access|Step-free|Accessible|Wheelchairs", said: "As for wheelchair access: {v}.",
			ask: "whether it is wheelchair accessible|is there step-free access|wheelchair access",
		},
		{
			field: "phone", kind: answersite.Phone, label: "Box office|Telephone|Phone|Bookings", prop: "telephone",
			said: "The box office answers on {v}.|To book, call {v}.", ask: "the phone number|box office number|a number for bookings",
		},
	},
	rows: [][]string{
		{"Ostermouth Lantern Museum", "£8.50=8.5 GBP", "180", "4 May 1934=1934-05-04", "Hesper Doyle", "Tue–Sun 10am–5pm", "Yes=true", "01632 961001"},
		{"Wickbridge Corn Hall", "£12=12 GBP", "640", "17 September 1871=1871-09-17", "Ambrose Tull", "Mon–Sat 9:00–18:00", "No=false", "01632 961018"},
		{"The Ropewalk", "£6.00=6 GBP", "95", "-", "Leontine Farrow", "daily from 11am to 4pm", "Yes=true", "01632 961023"},
		{"Marling Observatory", "£14.75=14.75 GBP", "60", "21 June 1968=1968-06-21", "Piet Oosthuis", "Wednesday to Sunday, 2pm–10pm", "Yes=true", "-"},
		{"Penhallow Tin Theatre", "-", "310", "1 March 1902=1902-03-01", "Cuthbert Rowe", "Thu–Sun 18:30–23:00", "No=false", "01632 961047"},
		{"Saltings Gallery", "£5=5 GBP", "120", "9 October 2011=2011-10-09", "Ngaio Ferris", "Tue–Fri 12:00–19:00", "Yes=true", "01632 961052"},
		{"Arkwell Mill", "£7.20=7.2 GBP", "75", "30 April 1989=1989-04-30", "-", "Sat–Sun 10:00–16:30", "Yes=true", "01632 961066"},
		{"Quayside Playhouse", "£22.00=22 GBP", "1,150=1150", "12 November 1958=1958-11-12", "Brunel Ashby", "Mon–Sun 10:00–22:00", "-", "01632 961079"},
		{"Beacon Street Baths", "£4.80=4.8 GBP", "400", "2 July 1911=1911-07-02", "Dorcas Lyle", "Mon–Fri 6:30–21:00", "Yes=true", "01632 961084"},
	},
}

func halls(s *answersite.Set) {
	ask(s, hallKind.build(s), []question{
		{answersite.FormDescribed, answersite.Searched, "I want to visit the {name}. Find {asks}.", "admission:adult_price hours:opening_hours"},
		{answersite.FormEmpty, answersite.Named, "{url}", "capacity opened:openingDate architect"},
		{answersite.FormSchema, answersite.Searched, "Accessibility and cost at {name}", "accessible:wheelchairAccessible admission:entranceFee opened:opened_on"},
		{answersite.FormNone, answersite.Searched, "How much does it cost to get into {name}?", "admission"},
		{answersite.FormString, answersite.Searched, "{name}: number of seats", "capacity"},
		{answersite.FormSchema, answersite.Named, "Read {url} and return {asks}", "phone:box_office hours architect:designer"},
		{answersite.FormEmpty, answersite.Searched, "who designed {name} and when did it open", "architect:architect opened:opened"},
		{answersite.FormDescribed, answersite.Named, "Is the place at {url} accessible, and how many does it hold?", "accessible:step_free capacity:holds"},
		{answersite.FormNone, answersite.Searched, "When did {name} open to the public?", "opened"},
		{answersite.FormNone, answersite.Searched, "What is the phone number of {name}?", "phone"},
		{answersite.FormDescribed, answersite.Searched, "{name} tickets", "admission:cost phone:contact_phone accessible:wheelchair"},
		{answersite.FormSchema, answersite.Searched, "Give me the details of {name}.", "capacity:maxVisitors hours:openingHours phone"},
		{answersite.FormEmpty, answersite.Searched, "{name} price, hours", "admission:price hours:hours"},
		{answersite.FormString, answersite.Named, "Opening hours of {url}", "hours"},
		{answersite.FormEmpty, answersite.Searched, "Find the architect of {name}", "architect:architect_name"},
		{answersite.FormSchema, answersite.Named, "See {url}. Wheelchairs?", "accessible:isAccessible"},
	})
	nobody(s, "venues/none/0", answersite.FormSchema, "Dunmere Puppet House", "What does it cost to visit the {name}?", field("admission",
		"price", answersite.Want{Value: answersite.Money(1, "GBP")}))
}

var placeKind = kind{
	name: "wiki", schema: "City", page: "article",
	hosts: []string{"en.shirewiki.example", "en.shirewiki.example", "gazetteer.example"},
	skins: []skin{infobox, prose, plainTable, prose, infobox, grid, prose},
	intros: []string{
		"{n} is a market town on the river Marl.", "{n} is a port of old.", "{n} lies where two drovers' roads meet.", "{n} is known for its bells.",
	},
	columns: []column{
		{
			field: "population", kind: answersite.Number, label: "Population|Inhabitants|Population (2021)|Residents",
			said: "At the census of 2021 it had {v} inhabitants.|The town is home to {v} people.|With {v} residents it is the second town of the county.",
			ask:  "how many people live there|population|number of inhabitants",
		},
		{
			field: "area", kind: answersite.Number, label: "Area (km²)|Area in km²|Land area, km²",
			said: "It covers {v} square kilometres.|The parish has an area of {v} km².", ask: "its area in square kilometres|area|surface area in km2",
		},
		{
			field: "mayor", kind: answersite.String, label: "Mayor|Mayor (2026)|Head of council",
			said: "The mayor is {v}.|Since the last election its mayor has been {v}.", ask: "who is mayor|the mayor's name|name of the mayor",
		},
		{
			field: "elevation", kind: answersite.Number, label: "Elevation|Height above sea level|Altitude",
			said: "The market square lies {v} above the sea.|It stands at a height of {v}.", ask: "how high it lies in metres|elevation|altitude in m",
		},
		{
			field: "postcode", kind: answersite.String, label: "Postcode|Postcode district|Postal code", prop: "postalCode",
			said: "Letters carry the postcode {v}.|Its postcode is {v}.", ask: "the postcode|postal code|zip code",
		},
		{
			field: "river", kind: answersite.String, label: "River|Watercourse|On the river",
			said: "The {v} runs through the middle of it.|It stands on the {v}, which is navigable in winter.", ask: "the river that it stands on|name of the river|river",
		},
		{
			field: "twins", kind: answersite.List, label: "Twin towns|Twinned with|Sister cities", said: "It is twinned with {v}.",
			ask: "its twin towns|sister cities|the towns it is twinned with",
		},
	},
	rows: [][]string{
		{"Stoke Marling", "48,210=48210", "31.4", "Philippa Crane", "62 m=62", "MS4", "Marl", "Vireux;Altmark"},
		{"Wickbridge", "17,905=17905", "12.75", "Osric Thane", "118 m=118", "MS11", "Wick", "-"},
		{"Ostermouth", "103,400=103400", "58", "Delyth Amory", "4 m=4", "MS1", "Oster", "Skagholm;Brestal;Portanova"},
		{"Penhallow", "6,310=6310", "22.1", "-", "87 metres=87", "MS17", "Hallow Brook", "Quimblec"},
		{"North Arkwell", "2,088=2088", "9.6", "Barnaby Sykes", "203 m=203", "MS22", "Ark", "-"},
		{"Saltings", "11,640=11640", "-", "Gwendolen Pike", "2 m=2", "MS2", "Oster", "Zeekapelle"},
		{"Great Dunning", "29,733=29733", "19.3", "Ferris Oakley", "-", "MS8", "Dun", "Laubheim;Mirecourt"},
	},
}

func places(s *answersite.Set) {
	ask(s, placeKind.build(s), []question{
		{answersite.FormEmpty, answersite.Searched, "town facts {name}", "population mayor area:area_km2"},
		{answersite.FormDescribed, answersite.Named, "Read {url}.", "elevation:altitude river twins:twin_towns"},
		{answersite.FormSchema, answersite.Searched, "What do we know about the town of {name}?", "population:inhabitants postcode:postalCode mayor:mayorName"},
		{answersite.FormNone, answersite.Searched, "How many people live in {name}?", "population"},
		{answersite.FormString, answersite.Searched, "Who is the mayor of {name}?", "mayor"},
		{answersite.FormEmpty, answersite.Named, "Get population, area and elevation from {url}", "population:residents area:areaKm2 elevation"},
		{answersite.FormDescribed, answersite.Searched, "Geography of {name}", "river:river area:size elevation:height_m"},
		{answersite.FormNone, answersite.Named, "Which river does the town at {url} stand on?", "river"},
		{answersite.FormSchema, answersite.Searched, "twin towns of {name}", "twins:twinTowns"},
		{answersite.FormEmpty, answersite.Searched, "{name} postcode and river", "postcode river"},
		{answersite.FormSchema, answersite.Named, "Return {asks} ({url})", "mayor population"},
		{answersite.FormNone, answersite.Searched, "mayor of {name}", "mayor"},
	})
	nobody(s, "wiki/none/0", answersite.FormDescribed, "Lower Cransley", "What is the population of {name}?", field("population",
		"how many people live there", answersite.Want{Value: answersite.Int(1)}))
}
