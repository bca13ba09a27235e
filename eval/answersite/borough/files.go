package borough

import (
	"encoding/json"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// given are context files as people have them: answers of APIs, settings, dumps of tables.
var given = map[string]string{
	"order": `{"meta":{"requestId":"a81","generatedAt":"2026-05-13T08:00:00Z","page":1},"order":{"orderNumber":"SO-20418","customer":{"fullName":"Greta Holm","email":"greta@holm.example","phoneNumber":"+44 1632 966001"},"shippingAddress":{"street":"9 Mill Lane","city":"Wickbridge","postalCode":"MS11 4QT"},` +
		`"items":[{"sku":"BR-K2-04","qty":2,"unitPrice":"54.90"},{"sku":"FE-26","qty":1,"unitPrice":"44.00"}],"currency":"GBP","totalAmount":"153.80","isGift":false,"placedAt":"2026-05-09"}}`,
	"boats": `[{"name":"Merry Dancer","type":"ketch","lengthM":"13.4","builtYear":1972,"homePort":"Ostermouth","berths":6,"price":"£48,500"},{"name":"Kittiwake","type":"sloop","lengthM":"8.2","builtYear":1989,"homePort":"Saltings","berths":4,"price":"£12,750"},` +
		`{"name":"Lady Corder","type":"barge","lengthM":"24","builtYear":1911,"homePort":"Stoke Marling","berths":9}]`,
	"schools": `{"updated":"2026-04-30","source":"county","schools":{"S100":{"title":"Wickbridge Primary","headTeacher":"Anwen Price","pupils":"214","hasCanteen":true,"website":"https://wickbridge-primary.example/"},"S101":{"title":"Ostermouth Grammar","headTeacher":"Colm Devlin","pupils":"1,038","hasCanteen":false,"website":"https://ogs.example/"},` +
		`"S102":{"title":"Saltings Primary","headTeacher":"Uma Patel","pupils":"96","hasCanteen":true}}}`,
	"config": `{"service":{"name":"ferry-booker","version":"2.14.0","maintainers":["nia","torben"],"limits":{"max_seats_per_booking":8,"hold_minutes":15},"endpoints":{"primary":"https://api.osterferries.example/v2"},"features":{"refunds":{"enabled":true,"window_days":14}},"log_level":"warn"}}`,
	"wells":  `{"columns":["well","depth_m","yield_lps","drilled"],"rows":[["Ark 1", 84, 3.2, "1998-04-02"], ["Ark 2", 112, 5.1, "2006-09-18"], ["Hallow 1", 67, 1.9, "2015-03-27"]]}`,
}

func file(id string) answersite.File {
	return answersite.File{ID: id, JSON: json.RawMessage(given[id])}
}

func withFile(s *answersite.Set, name, id string, form answersite.Form, text string, fields ...answersite.Described) {
	for i := range fields {
		fields[i].Want.URLs = []string{"file:" + id}
	}
	s.Pose(name, answersite.WithFile, form, text, fields...).Files = []answersite.File{file(id)}
}

func is(v answersite.Value, shown string) answersite.Want {
	return answersite.Want{Value: v, Shown: shown}
}

func absent(t answersite.Type, clues ...string) answersite.Want {
	return answersite.Want{Value: answersite.Value{Type: t}, Absent: answersite.NoField, Clues: clues}
}

func files(s *answersite.Set) {
	i, st := answersite.Int, answersite.Str
	withFile(s, "file/0", "order", answersite.FormEmpty, "Who placed the order, and how can they be reached?", field("customer_name",
		"", is(st("Greta Holm"), "Greta Holm")), field("email", "", is(answersite.Mail("greta@holm.example"), "greta@holm.example")), field("phone",
		"", is(answersite.Tel("+44 1632 966001"), "+44 1632 966001")))
	withFile(s, "file/1", "order", answersite.FormSchema, "Read the order.", field("total",
		"the total of the order", is(answersite.Money(153.8, "GBP"), "153.80")), field("city", "the city it goes to", is(st("Wickbridge"), "Wickbridge")), field("gift",
		"whether it is a gift", is(answersite.Is(false), "false")),
		field("orderDate", "when it was placed", is(answersite.Day(answersite.On(2026, 5, 9)), "2026-05-09")))
	withFile(s, "file/2", "order", answersite.FormDescribed, "order SO-20418", field("zip", "postal code of the address", is(st("MS11 4QT"), "MS11 4QT")),
		field("vat", "VAT number of the customer", absent(answersite.String, "vat")))
	withFile(s, "file/3", "order", answersite.FormNone, "What is the order number?", field("x", "", is(st("SO-20418"), "SO-20418")))
	withFile(s, "file/4", "boats", answersite.FormEmpty, "Kittiwake: length, year built, port", field("length_m", "", is(answersite.Num(8.2), "8.2")),
		field("year_built", "", is(i(1989), "1989")), field("home_port", "", is(st("Saltings"), "Saltings")))
	withFile(s, "file/5", "boats", answersite.FormNone, "How many berths does the Lady Corder have?", field("x", "", is(i(9), "9")))
	withFile(s, "file/6", "boats", answersite.FormSchema, "What does the Merry Dancer cost and when was it built?", field("price",
		"the price", is(answersite.Money(48500, "GBP").Or("£48,500"), "£48,500")), field("built", "year", is(i(1972), "1972")), field("boatType",
		"type of boat", is(st("ketch"), "ketch")))
	withFile(s, "file/7", "boats", answersite.FormDescribed, "Lady Corder", field("cost",
		"the asking price", answersite.Want{Value: answersite.Value{Type: answersite.Price}, Absent: answersite.NoField, Clues: []string{"£99"}}), field("length",
		"length in metres", is(i(24), "24")))
	withFile(s, "file/8", "boats", answersite.FormEmpty, "Names of all boats in the file", field("names", "", is(answersite.Several("Merry Dancer", "Kittiwake",
		"Lady Corder"), "Merry Dancer")))
	withFile(s, "file/9", "boats", answersite.FormSchema, "How many boats are there in the file?", field("boatCount",
		"number of boats", answersite.Want{Value: i(3).Or("three"), Shown: "name"}))
	withFile(s, "file/10", "schools", answersite.FormEmpty, "Ostermouth Grammar: head teacher, pupils, canteen", field("head_teacher",
		"", is(st("Colm Devlin"), "Colm Devlin")), field("pupils", "", is(i(1038).Or("1,038"), "1,038")), field("has_canteen", "", is(answersite.Is(false), "false")))
	withFile(s, "file/11", "schools", answersite.FormDescribed, "Details of Wickbridge Primary", field("head",
		"who leads the school", is(st("Anwen Price"), "Anwen Price")), field("students", "number of pupils", is(i(214), "214")), field("web",
		"the school's website", is(answersite.Link("https://wickbridge-primary.example/"), "https://wickbridge-primary.example/")))
	withFile(s, "file/12", "schools", answersite.FormEmpty, "website of Saltings Primary", field("website",
		"", answersite.Want{Value: answersite.Value{Type: answersite.URL}, Absent: answersite.NoField, Clues: []string{"saltings-primary.example"}}))
	withFile(s, "file/13", "schools", answersite.FormEmpty, "Great Dunning Comprehensive: pupils", field("pupils",
		"", answersite.Want{Value: answersite.Value{Type: answersite.Number}, Absent: answersite.NoField, Clues: []string{"Great Dunning Comprehensive"}}))
	withFile(s, "file/14", "config", answersite.FormSchema, "Settings of the service", field("version", "version of the service", is(st("2.14.0"), "2.14.0")),
		field("maxSeats", "most seats per booking", is(i(8), "8")), field("refundWindowDays", "days in which refunds are made", is(i(14), "14")),
		field("refundsEnabled", "whether refunds are enabled", is(answersite.Is(true), "true")))
	withFile(s, "file/15", "config", answersite.FormEmpty, "maintainers and primary endpoint", field("maintainers", "", is(answersite.Several("nia",
		"torben"), "nia")), field("primary_endpoint", "", is(answersite.Link("https://api.osterferries.example/v2"), "https://api.osterferries.example/v2")))
	withFile(s, "file/16", "config", answersite.FormString, "log level of ferry-booker", field("x", "log level", is(st("warn"), "warn")))
	withFile(s, "file/17", "wells", answersite.FormEmpty, "Ark 2: depth, yield, date drilled", field("depth_m", "", is(i(112), "112")), field("yield_lps",
		"", is(answersite.Num(5.1), "5.1")), field("drilled", "", is(answersite.Day(answersite.On(2006, 9, 18)), "2006-09-18")))
	withFile(s, "file/18", "order", answersite.FormSchema, "Customer and address from the order", field("customer/name",
		"full name", is(st("Greta Holm"), "Greta Holm")), field("customer/email", "e-mail", is(answersite.Mail("greta@holm.example"), "greta@holm.example")),
		field("address/street", "street", is(st("9 Mill Lane"), "9 Mill Lane")),
		field("address/city", "city", is(st("Wickbridge"), "Wickbridge")))
}

// fillers are the rest of the web: homes, contacts, terms.
func fillers(s *answersite.Set) {
	for n, host := range s.Hosts() {
		name := esc(host)
		switch n % 3 {
		case 0:
			s.Add(host, "/about", "article", frame(host, "About us",
				`<h1>About us</h1><p>Welcome to `+name+`. We are a small team, and we like what we do. Since 2012 we have had 3 offices and 1 dog.</p>`))
		case 1:
			s.Add(host, "/contact-us", "organisation", frame(host, "Contact",
				`<h1>Contact us</h1><p>Phone: 01632 97`+pad(n)+`<br>E-mail: info@`+name+`<br>Office hours: Mon–Fri 9–5</p>`))
		default:
			s.Add(host, "/terms", "documentation", frame(host, "Terms",
				`<h1>Terms and conditions</h1><p>Orders can be cancelled within 14 days. Prices include VAT at 20%. Last changed on 3 March 2025.</p>`))
		}
	}
}

func pad(n int) string {
	digits := []byte("0000")
	for i := 3; n > 0; i-- {
		digits[i] = byte('0' + n%10)
		n /= 10
	}
	return string(digits)
}
