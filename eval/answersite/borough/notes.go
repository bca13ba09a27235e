package borough

import (
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// article is a piece of news.
func article(s *answersite.Set, path, title, date, author string, paragraphs ...string) string {
	body := fmt.Sprintf(`<article class="post"><h1 class="entry-title">%s</h1><div class="entry-meta">Posted on <time datetime="%s">%s</time> by <a rel="author">%s</a></div><div class="entry-content"><p>%s</p></div>`+
		`<div class="comments"><h3>2 comments</h3><p><b>joe</b> I heard it was twice that.</p><p><b>kay</b> Lovely!</p></div></article>`, esc(title), date, date, author, strings.Join(paragraphs, "</p><p>"))
	return s.Add("www.marl-courier.example", path, "article", frame("www.marl-courier.example", title, body)).URL
}

func notes(s *answersite.Set) {
	bridge := article(s, "/2026/03/bridge", "New footbridge opens over the Oster", "2026-03-20", "Pru Hallam",
		"The Heron Bridge, which cost £3.4 million and took 14 months to build, was opened on Friday by the county's engineer, Salma Reyes.",
		"At 128 metres it is the longest footbridge in Marlshire. Lindqvist Optics paid for the lamps.",
		"The old ferry, which carried 900 passengers a week, will stop in May.")
	library := article(s, "/2026/02/library", "Great Dunning Library reopens", "2026-02-11", "Tom Beck",
		"After two years of work Great Dunning Library has reopened with 64,000 books, 40 desks and a café.",
		"The head librarian, Moira Sandell, said that 1,200 people came on the first day.", "It is open until 8pm on Thursdays, and entry is free.")
	match := article(s, "/2026/04/final", "Arkwell Rovers win the county cup", "2026-04-19", "Pru Hallam",
		"Arkwell Rovers beat Saltings Town 3–1 in the final at Marl Park before a crowd of 5,812.",
		"Idris Bowen scored twice. The captain, Leo Vantongeren, lifted the cup for the third time.")
	storm := article(s, "/2026/01/storm", "Storm Agnes leaves 7,300 homes without power", "2026-01-08", "Tom Beck",
		"Some 7,300 homes lost power when Storm Agnes crossed the county on Tuesday night, with gusts of 148 km/h at Gannet Rock.",
		"Repairs are expected to cost about £890,000, the council's leader, Hal Mowbray, said.")
	article(s, "/2025/11/lights", "Lantern night draws crowds", "2025-11-09", "Pru Hallam",
		"The Night of the Lanterns drew 2,200 visitors last year. Tickets were £2.50 in 2025.")
	article(s, "/2026/05/bees", "Bees move to the roof", "2026-05-02", "Tom Beck", "Two hives now stand on the roof of the bus station.")
	s.Pose("news/0", answersite.Searched, answersite.FormDescribed, "Heron Bridge facts", field("cost",
		"what it cost", said(answersite.Money(3400000, "GBP").Or("£3.4 million"), "£3.4 million", bridge)),
		field("length_m", "its length in metres", said(answersite.Int(128).Or("128 metres"), "128 metres", bridge)), field("opened_by",
			"who opened it", said(answersite.Str("Salma Reyes"), "Salma Reyes", bridge)))
	s.Pose("news/1", answersite.Named, answersite.FormEmpty, "Summarise the numbers in "+library, field("books",
		"", said(answersite.Int(64000).Or("64,000"), "64,000", library)), field("desks", "", said(answersite.Int(40), "40", library)),
		field("head_librarian", "", said(answersite.Str("Moira Sandell"), "Moira Sandell", library)))
	s.Pose("news/2", answersite.Searched, answersite.FormNone, "How many people watched the final of the county cup between Arkwell Rovers and Saltings Town?",
		field("x", "", said(answersite.Int(5812).Or("5,812"), "5,812", match)))
	s.Pose("news/3", answersite.Searched, answersite.FormSchema, "Arkwell Rovers county cup final", field("captain",
		"the winning captain", said(answersite.Str("Leo Vantongeren"), "Leo Vantongeren", match)), field("venue",
		"where it was played", said(answersite.Str("Marl Park"), "Marl Park", match)),
		field("score", "the score", said(answersite.Str("3–1"), "3–1", match)))
	s.Pose("news/4", answersite.Searched, answersite.FormEmpty, "Storm Agnes: homes without power, repair cost, highest gust", field("homes_without_power",
		"", said(answersite.Int(7300).Or("7,300"), "7,300", storm)),
		field("repair_cost", "", said(answersite.Money(890000, "GBP"), "£890,000", storm)), field("gusts_kmh",
			"", said(answersite.Int(148).Or("148 km/h"), "148 km/h", storm)))
	s.Pose("news/5", answersite.Named, answersite.FormSchema, "Metadata of "+match, field("author",
		"who wrote the article", said(answersite.Str("Pru Hallam"), "Pru Hallam", match)), field("published",
		"date of publication", said(answersite.Day(answersite.On(2026, 4, 19)), "2026-04-19", match)))
	absent := answersite.Want{Value: answersite.Value{Type: answersite.String}, Absent: answersite.NoField, URLs: []string{bridge}, Clues: []string{
		"architect",
		"designed",
	}}
	s.Pose("news/6", answersite.Searched, answersite.FormNone, "Who is the architect of the Heron Bridge?", field("x", "", absent))
	absent.Absent, absent.Lures, absent.URLs, absent.Clues, absent.Value = answersite.OnlyOther, []string{"2,200"}, []string{bridge}, []string{"2024"}, answersite.Value{Type: answersite.Number}
	s.Pose("news/7", answersite.Searched, answersite.FormEmpty, "How many visitors had the Night of the Lanterns in 2019?", field("visitors_2019", "", absent))
	papers(s)
	data(s)
}

// papers are PDFs.
func papers(s *answersite.Set) {
	pdf := func(host, path, title string, lines ...string) string {
		return s.AddBody(host, path, "PDF", "application/pdf", answersite.PDF(title, lines...)).URL
	}
	menu := pdf("halls.example", "/files/hire.pdf", "Hire of the Corn Hall", "# Hire of the Corn Hall", "Half day: £90.00", "Full day: £160.00", "Deposit: £75.00",
		"Keys: from the warden, Mr A. Pettifer, 01632 964010")
	report := pdf("www.marlshire.gov.example", "/files/annual-report.pdf", "Annual report 2025 of the Marl Rivers Trust", "# Annual report 2025", "Marl Rivers Trust",
		"Members at the end of the year: 4,812", "Income was £318,400 and expenditure £297,150.",
		"Trees planted: 12,300", "Chair: Elswyth Corder", "Contact: office@marlrivers.example")
	sheet := pdf("store.brightside.example", "/files/whisper12.pdf", "Whisper 12 data sheet", "# Whisper 12 data sheet", "Extraction: 12 l per day", "Noise: 38 dB",
		"Tank: 3.5 litres", "Power: 210 W")
	pdf("council.dunning.example", "/files/minutes.pdf", "Minutes of the allotments committee", "# Minutes", "Present: F. Oakley, R. Dene",
		"The gate is to be painted green.")
	s.Pose("pdf/0", answersite.Named, answersite.FormEmpty, "Prices in "+menu, field("half_day", "", said(answersite.Money(90, "GBP"), "£90.00", menu)),
		field("full_day", "", said(answersite.Money(160, "GBP"), "£160.00", menu)), field("deposit", "", said(answersite.Money(75, "GBP"), "£75.00", menu)))
	s.Pose("pdf/1", answersite.Searched, answersite.FormDescribed, "Marl Rivers Trust 2025", field("members",
		"number of members", said(answersite.Int(4812).Or("4,812"), "4,812", report)), field("chair",
		"who chairs it", said(answersite.Str("Elswyth Corder"), "Elswyth Corder", report)),
		field("income", "its income", said(answersite.Money(318400, "GBP"), "£318,400", report)), field("email",
			"e-mail", said(answersite.Mail("office@marlrivers.example"), "office@marlrivers.example", report)))
	s.Pose("pdf/2", answersite.Searched, answersite.FormSchema, "Whisper 12 data sheet", field("noiseDb",
		"noise in decibels", said(answersite.Int(38).Or("38 dB"), "38 dB", sheet)), field("tankLitres",
		"volume of the tank in litres", said(answersite.Num(3.5).Or("3.5 litres"), "3.5 litres", sheet)),
		field("powerWatts", "power in watts", said(answersite.Int(210).Or("210 W"), "210 W", sheet)))
	s.Pose("pdf/3", answersite.Named, answersite.FormNone, "Phone number of the warden in "+menu, field("x",
		"", said(answersite.Tel("01632 964010"), "01632 964010", menu)))
	absent := answersite.Want{Value: answersite.Value{Type: answersite.Price}, Absent: answersite.NoField, URLs: []string{menu}, Clues: []string{"cleaning"}}
	s.Pose("pdf/4", answersite.Named, answersite.FormEmpty, "What does cleaning cost? "+menu, field("cleaning_fee", "", absent))
}

// data are feeds and JSON over HTTP.
func data(s *answersite.Set) {
	rss := s.AddBody("www.marl-courier.example", "/feed", "feed",
		"application/rss+xml", []byte(`<?xml version="1.0"?><rss version="2.0"><channel><title>Marl Courier</title><link>https://www.marl-courier.example/</link><description>News</description>`+
			`<item><title>Council sets budget</title><link>https://www.marl-courier.example/2026/05/budget</link><pubDate>Tue, 12 May 2026 09:00:00 GMT</pubDate><author>desk@marl-courier.example</author><description>The county will spend £412 million.</description></item>`+
			`<item><title>Swans return</title><link>https://www.marl-courier.example/2026/05/swans</link><pubDate>Mon, 11 May 2026 07:30:00 GMT</pubDate><description>Forty swans were counted.</description></item></channel></rss>`)).URL
	atom := s.AddBody(docsHost, "/releases.atom", "feed", "application/atom+xml", []byte(`<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Tidemark releases</title><updated>2026-02-14T10:00:00Z</updated>`+
		`<entry><title>Tidemark 4.2.1</title><link href="https://docs.tidemark.example/changes#421"/><updated>2026-02-14T10:00:00Z</updated><author><name>Jo Petrakis</name></author><summary>A fix.</summary></entry></feed>`)).URL
	station := s.AddBody("api.marlshire.example", "/stations/gannet", "JSON",
		"application/json", []byte(`{"station":{"id":"GR-01","name":"Gannet Rock","elevationM":41,"operator":{"name":"Marl Met","email":"ops@marlmet.example"},"latest":{"windSpeedKmh":52.4,"tempC":11.8,"observedAt":"2026-05-14T09:00:00Z"}}}`)).URL
	library := s.AddBody("api.marlshire.example", "/libraries.json", "JSON",
		"application/json", []byte(`{"count":3,"results":[{"libraryName":"Great Dunning Library","openingYear":1932,"loans":84120,"phone":"01632 965001"},{"libraryName":"Ostermouth Library","openingYear":1905,"loans":190455,"phone":"01632 965012"},`+
			`{"libraryName":"Saltings Library","openingYear":1978,"loans":22740,"phone":"01632 965023"}]}`)).URL
	s.Pose("feed/0", answersite.Named, answersite.FormEmpty, "When was Swans return published? "+rss, field("published",
		"", said(answersite.Day(answersite.On(2026, 5, 11)).Or("Mon, 11 May 2026 07:30:00 GMT"), "Mon, 11 May 2026", rss)))
	s.Pose("feed/1", answersite.Named, answersite.FormSchema, "First entry of "+atom, field("author",
		"the author of Tidemark 4.2.1", said(answersite.Str("Jo Petrakis"), "Jo Petrakis", atom)))
	s.Pose("json/0", answersite.Named, answersite.FormEmpty, station, field("wind_speed", "", said(answersite.Num(52.4), "52.4", station)), field("elevation",
		"", said(answersite.Int(41), "41", station)), field("operator_email", "", said(answersite.Mail("ops@marlmet.example"), "ops@marlmet.example", station)))
	s.Pose("json/1", answersite.Named, answersite.FormDescribed, "Ostermouth Library in "+library, field("opened",
		"the year it opened", said(answersite.Int(1905), "1905", library)), field("phone",
		"telephone", said(answersite.Tel("01632 965012"), "01632 965012", library)), field("loans", "number of loans", said(answersite.Int(190455), "190455", library)))
	s.Pose("json/2", answersite.Searched, answersite.FormNone, "What is the temperature in °C at the station Gannet Rock?", field("x",
		"", said(answersite.Num(11.8), "11.8", station)))
}
