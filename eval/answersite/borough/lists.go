package borough

import (
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// grown is a table of things with a row for each.
func grown(class string, rows [][]string) string {
	var b strings.Builder
	b.WriteString(`<table class="` + class + `"><thead><tr>`)
	for _, cell := range rows[0] {
		b.WriteString(`<th scope="col">` + esc(cell) + `</th>`)
	}
	b.WriteString(`</tr></thead><tbody>`)
	for _, row := range rows[1:] {
		b.WriteString("<tr><td>" + strings.Join(row, "</td><td>") + "</td></tr>\n")
	}
	return b.String() + `</tbody></table>`
}

// lists are listings, collections and timetables.
func lists(s *answersite.Set) {
	flats := s.Add("www.marl-lettings.example", "/to-let", "listing", frame("www.marl-lettings.example", "Flats to let in Stoke Marling",
		`<h1>Flats to let</h1>`+grown("listing", [][]string{
			{"Property", "Rent pcm", "Bedrooms", "Floor area (m²)", "Available from", "Pets"},
			{"12 Weaver's Row", "£865", "2", "61", "1 June 2026", "Yes"},
			{"Flat 4, The Maltings", "£1,120", "3", "88", "15 July 2026", "No"},
			{"7a Quay Street", "£640", "1", "37", "now", "No"},
			{
				"Old Sorting Office, Flat 2", "£990",
				"2", "70", "1 August 2026", "Yes",
			},
		}))).URL
	var cards strings.Builder
	for _, job := range [][]string{
		{"Night Baker", "Hearth & Crumb", "£13.40 per hour", "Wickbridge", "30 May 2026"},
		{
			"Ferry Deckhand", "Oster Ferries", "£27,300 a year", "Ostermouth",
			"12 June 2026",
		},
		{"Archive Assistant", "County Record Office", "£24,950 a year", "Stoke Marling", "5 June 2026"},
		{
			"Pump Fitter", "Harrowgate Pumps", "£31,800 a year",
			"Stoke Marling", "19 June 2026",
		},
	} {
		fmt.Fprintf(&cards, `<li class="job-card"><h3 class="job-title"><a href="/job/%s">%s</a></h3><p class="company">%s</p><p>Salary: %s</p><p>Location: %s</p><p>Apply by %s</p></li>`, slug(job[0]), job[0], esc(job[1]), job[2], job[3], job[4])
	}
	jobs := s.Add("jobs.marlshire.example", "/all", "listing", frame("jobs.marlshire.example", "Jobs in Marlshire",
		`<h1>4 vacancies</h1><ul class="jobs">`+cards.String()+`</ul>`)).URL
	cars := s.Add("www.dunningmotors.example", "/used", "listing", frame("www.dunningmotors.example", "Used cars", `<h1>Used cars</h1>`+
		`<div class="card"><h4>2019 Corsair Estate</h4><span class="price">£11,450</span><ul><li>48,200 miles</li><li>Diesel</li><li>Manual</li></ul></div>`+
		`<div class="card"><h4>2021 Wren Electric</h4><span class="price">£15,995</span><ul><li>19,750 miles</li><li>Electric</li><li>Automatic</li></ul></div>`+
		`<div class="card"><h4>2016 Hob Van</h4><span class="price">£6,200</span><ul><li>92,010 miles</li><li>Diesel</li><li>Manual</li></ul></div>`)).URL
	walks := s.Add("www.marlwalks.example", "/walks", "collection", frame("www.marlwalks.example", "Walks", `<h1>Our five best walks</h1>`+
		`<article><h2>1. Beacon Round</h2><p>Length: 9.5 km. Climb: 310 m. Time: 3 hours.</p></article><article><h2>2. Saltings Path</h2><p>Length: 6 km. Climb: 5 m. Time: 90 minutes.</p></article>`+
		`<article><h2>3. Drovers' Way</h2><p>Length: 17.2 km. Climb: 540 m. Time: 6 hours.</p></article><article><h2>4. Mill Loop</h2><p>Length: 4.8 km. Climb: 60 m. Time: 75 minutes.</p></article>`+
		`<article><h2>5. Three Weirs</h2><p>Length: 11 km. Climb: 45 m. Time: 3 hours.</p></article>`)).URL
	lights := s.Add("en.shirewiki.example", "/wiki/List_of_lighthouses", "collection", frame("en.shirewiki.example", "List of lighthouses in Marlshire",
		`<h1>List of lighthouses in Marlshire</h1>`+
			`<p>There are three lighthouses on the coast.</p>`+grown("wikitable sortable", [][]string{
			{"Name", "Built", "Height", "Range", "Automated"}, {"East Mole Light", "1841", "23 m", "14 nmi", "1986"}, {
				"Gannet Rock", "1869", "41 m", "22 nmi",
				"1992",
			}, {"Saltings Low Light", "1903", "12 m", "8 nmi", "1971"},
		}))).URL
	press := s.Add("sablestreet.example", "/books", "collection", frame("sablestreet.example", "Books",
		`<h1>All our books</h1><ul class="books"><li><cite>The Salt Road</cite> by Ama Nkansah (2023), 214 pages, £10.99</li>`+
			`<li><cite>Weir and Water</cite> by Josie Pell (2025), 96 pages, £8.50</li><li><cite>An Atlas of Fog</cite> by Wilf Anker (2021), 308 pages, £16.00</li></ul>`)).URL
	bus := s.Add("www.marlbuses.example", "/timetable/14", "timetable", frame("www.marlbuses.example", "14 Stoke Marling – Ostermouth",
		`<h1>Service 14</h1><table class="timetable"><caption>Mondays to Fridays</caption>`+
			`<tr><th>Stoke Marling, Bus Station</th><td>06:50</td><td>09:20</td><td>17:05</td></tr><tr><th>Wickbridge, Corn Hall</th><td>07:18</td><td>09:47</td><td>17:36</td></tr><tr><th>Ostermouth, Quay</th><td>07:55</td><td>10:22</td><td>18:14</td></tr></table>`)).URL
	ferry := s.Add("www.osterferries.example", "/sailings", "timetable", frame("www.osterferries.example", "Sailings",
		`<h1>Sailings in summer</h1>`+grown("t", [][]string{
			{"Route", "Departs", "Arrives", "Crossing (min)", "Single fare"}, {"Ostermouth – Gannet Island", "08:30", "09:15", "45", "£9.80"}, {
				"Ostermouth – Zeekapelle",
				"10:00", "14:40", "280", "£36.00",
			}, {"Saltings – East Mole", "07:15", "07:35", "20", "£4.20"},
		}))).URL
	pool := s.Add("council.dunning.example", "/leisure/pool-times", "timetable", frame("council.dunning.example", "Pool times",
		`<h1>Pool times</h1><table><tr><td></td><th>Opens</th><th>Closes</th><th>Lanes</th></tr>`+
			`<tr><th>Monday</th><td>06:30</td><td>21:00</td><td>6</td></tr><tr><th>Tuesday</th><td>07:00</td><td>20:00</td><td>4</td></tr><tr><th>Saturday</th><td>08:00</td><td>17:30</td><td>3</td></tr></table>`)).URL
	trains := s.Add("rail.marlshire.example", "/fares", "timetable", frame("rail.marlshire.example", "Fares",
		`<h1>Fares from Great Dunning</h1><table border="1"><tr><th rowspan="2">To</th><th colspan="2">Single</th><th colspan="2">Return</th></tr>`+
			`<tr><th>Adult</th><th>Child</th><th>Adult</th><th>Child</th></tr><tr><td>Ostermouth</td><td>£7.40</td><td>£3.70</td><td>£12.10</td><td>£6.05</td></tr><tr><td>Penhallow</td><td>£4.90</td><td>£2.45</td><td>£8.30</td><td>£4.15</td></tr></table>`)).URL
	listTasks(s, flats, jobs, cars)
	collectionTasks(s, walks, lights, press)
	timeTasks(s, bus, ferry, pool, trains)
}

func listTasks(s *answersite.Set, flats, jobs, cars string) {
	i, m := answersite.Int, answersite.Money
	s.Pose("flats/0", answersite.Searched, answersite.FormEmpty, "Flat 4, The Maltings: rent, bedrooms, floor area", field("rent",
		"", said(m(1120, "GBP"), "£1,120", flats)), field("bedrooms", "", said(i(3), "3", flats)), field("floor_area", "", said(i(88), "88", flats)))
	s.Pose("flats/1", answersite.Named, answersite.FormNone, "What is the rent of 7a Quay Street on "+flats+"?", field("x", "", said(m(640, "GBP"), "£640", flats)))
	s.Pose("flats/2", answersite.Searched, answersite.FormSchema, "Are pets allowed at 12 Weaver's Row, and when is it available?", field("petsAllowed",
		"pets allowed", said(answersite.Is(true), "Yes", flats)),
		field("availableFrom", "when it is available", said(answersite.Day(answersite.On(2026, 6, 1)), "1 June 2026", flats)))
	s.Pose("flats/3", answersite.Named, answersite.FormDescribed, "List what is on "+flats, field("flats",
		"the flats", said(answersite.Entries([]answersite.Column{{Name: "property", Ask: "address"}, {Name: "rent", Ask: "monthly rent"}},
			row("property", answersite.Str("12 Weaver's Row"), "rent", m(865, "GBP").Or("£865")), row("property", answersite.Str("Flat 4, The Maltings"), "rent", m(1120, "GBP").Or("£1,120")),
			row("property", answersite.Str("7a Quay Street"), "rent", m(640, "GBP").Or("£640")), row("property", answersite.Str("Old Sorting Office, Flat 2"), "rent", m(990, "GBP").Or("£990"))), "12 Weaver's Row", flats)))
	s.Pose("jobs/0", answersite.Searched, answersite.FormEmpty, "job: Ferry Deckhand. salary, employer location, closing date", field("salary",
		"", said(m(27300, "GBP").Or("£27,300 a year"), "£27,300", jobs)),
		field("location", "", said(answersite.Str("Ostermouth"), "Ostermouth", jobs)), field("apply_by", "", said(answersite.Day(answersite.On(2026, 6, 12)),
			"12 June 2026", jobs)))
	s.Pose("jobs/1", answersite.Searched, answersite.FormDescribed, "Archive Assistant vacancy", field("pay",
		"the yearly salary", said(m(24950, "GBP").Or("£24,950 a year"), "£24,950", jobs)),
		field("deadline", "last day to apply", said(answersite.Day(answersite.On(2026, 6, 5)), "5 June 2026", jobs)))
	s.Pose("jobs/2", answersite.Named, answersite.FormNone, "What is the salary of the Pump Fitter on "+jobs+"?", field("x",
		"", said(m(31800, "GBP").Or("£31,800 a year"), "£31,800", jobs)))
	s.Pose("cars/0", answersite.Searched, answersite.FormEmpty, "2021 Wren Electric price", field("price", "", said(m(15995, "GBP"), "£15,995", cars)))
	s.Pose("cars/1", answersite.Named, answersite.FormSchema, "The 2019 Corsair Estate on "+cars, field("price",
		"what it costs", said(m(11450, "GBP"), "£11,450", cars)), field("mileage", "miles driven", said(i(48200).Or("48,200 miles"), "48,200 miles", cars)))
	nobodyOf := answersite.Want{Value: answersite.Money(1, "GBP")}
	nobody(s, "cars/none", answersite.FormEmpty, "2020 Tamar Coupe", "price of the {name}", field("price", "", nobodyOf))
}

func collectionTasks(s *answersite.Set, walks, lights, press string) {
	i := answersite.Int
	s.Pose("walks/0", answersite.Searched, answersite.FormEmpty, "Drovers' Way walk: length, climb, time", field("length_km",
		"", said(answersite.Num(17.2).Or("17.2 km"), "17.2 km", walks)),
		field("climb_m", "", said(i(540).Or("540 m"), "540 m", walks)), field("time", "", said(answersite.Str("6 hours"), "6 hours", walks)))
	s.Pose("walks/1", answersite.Named, answersite.FormNone, "How many walks are there on "+walks+"?", field("x", "", said(i(5).Or("five"), "five", walks)))
	s.Pose("walks/2", answersite.Named, answersite.FormEmpty, "Names of all walks on "+walks, field("walks", "", said(answersite.Several("Beacon Round",
		"Saltings Path", "Drovers' Way", "Mill Loop", "Three Weirs"), "Beacon Round", walks)))
	s.Pose("lights/0", answersite.Searched, answersite.FormSchema, "Gannet Rock lighthouse", field("built", "year built", said(i(1869), "1869", lights)),
		field("height", "height in metres", said(i(41).Or("41 m"), "41 m", lights)),
		field("range", "the range", said(answersite.Str("22 nmi"), "22 nmi", lights)))
	s.Pose("lights/1", answersite.Searched, answersite.FormNone, "In which year was the East Mole Light automated?", field("x", "", said(i(1986), "1986", lights)))
	s.Pose("lights/2", answersite.Named, answersite.FormSchema, "All lighthouses on "+lights, field("lighthouses",
		"all of them", said(answersite.Entries([]answersite.Column{{Name: "name", Ask: "name"}, {Name: "built", Ask: "year built"}},
			row("name", answersite.Str("East Mole Light"), "built", i(1841)), row("name", answersite.Str("Gannet Rock"), "built", i(1869)), row("name", answersite.Str("Saltings Low Light"), "built", i(1903))), "East Mole Light", lights)))
	s.Pose("books/0", answersite.Searched, answersite.FormEmpty, "The Salt Road book: author, pages, price", field("author",
		"", said(answersite.Str("Ama Nkansah"), "Ama Nkansah", press)), field("pages", "", said(i(214).Or("214 pages"), "214 pages", press)),
		field("price", "", said(answersite.Money(10.99, "GBP"), "£10.99", press)))
	s.Pose("books/1", answersite.Searched, answersite.FormNone, "Who wrote An Atlas of Fog?", field("x", "", said(answersite.Str("Wilf Anker"), "Wilf Anker", press)))
}

func timeTasks(s *answersite.Set, bus, ferry, pool, trains string) {
	st := answersite.Str
	s.Pose("bus/0", answersite.Named, answersite.FormEmpty, "First departure from Wickbridge, Corn Hall on "+bus, field("first_departure",
		"", said(st("07:18"), "07:18", bus)))
	s.Pose("bus/1", answersite.Searched, answersite.FormSchema, "Bus 14 times at Ostermouth, Quay", field("times",
		"all times at the stop Ostermouth, Quay", said(answersite.Several("07:55", "10:22", "18:14"), "07:55", bus)))
	s.Pose("ferry/0", answersite.Searched, answersite.FormEmpty, "ferry Ostermouth – Zeekapelle: departure, arrival, fare", field("departs",
		"", said(st("10:00"), "10:00", ferry)), field("arrives", "", said(st("14:40"), "14:40", ferry)),
		field("single_fare", "", said(answersite.Money(36, "GBP"), "£36.00", ferry)))
	s.Pose("ferry/1", answersite.Searched, answersite.FormNone, "How many minutes does the crossing Saltings – East Mole take?", field("x",
		"", said(answersite.Int(20), "20", ferry)))
	s.Pose("pool/0", answersite.Named, answersite.FormDescribed, "See "+pool, field("saturday_close",
		"when it closes on Saturday", said(st("17:30"), "17:30", pool)), field("tuesday_lanes", "number of lanes on Tuesday", said(answersite.Int(4), "4", pool)))
	s.Pose("trains/0", answersite.Named, answersite.FormEmpty, "Adult return to Penhallow on "+trains, field("adult_return",
		"", said(answersite.Money(8.3, "GBP"), "£8.30", trains)))
	s.Pose("trains/1", answersite.Searched, answersite.FormDescribed, "Train fares from Great Dunning to Ostermouth", field("child_single",
		"child single fare", said(answersite.Money(3.7, "GBP"), "£3.70", trains)),
		field("adult_single", "adult single fare", said(answersite.Money(7.4, "GBP"), "£7.40", trains)))
	absent := answersite.Want{Value: answersite.Value{Type: answersite.String}, Absent: answersite.NoField, URLs: []string{pool}, Clues: []string{"Sunday"}}
	s.Pose("pool/1", answersite.Named, answersite.FormEmpty, "When does it close on Sunday? "+pool, field("sunday_close", "", absent))
}

// row is an entry of a list of objects.
func row(pairs ...any) map[string]answersite.Value {
	m := map[string]answersite.Value{}
	for i := 0; i < len(pairs); i += 2 {
		name, _ := pairs[i].(string)
		value, _ := pairs[i+1].(answersite.Value)
		m[name] = value
	}
	return m
}
