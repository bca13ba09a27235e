package devset

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const (
	docsHost  = "docs.tidewire.example"
	ferryHost = "www.skerry-lines.example"
	sheetHost = "files.norrland-works.example"
	dataHost  = "data.varland-met.example"
)

// option is a setting of the invented software.
type option struct {
	name, about      string
	value, old, unit string
}

var options = []option{
	{"listen_port", "the port on which the broker listens", "7447", "7400", ""},
	{"max_frame_bytes", "the largest frame that is taken", "262144", "65536", "bytes"},
	{"idle_timeout", "how long a silent connection is kept", "90s", "30s", ""},
	{"retention_days", "how many days messages are kept", "14", "7", "days"},
	{"log_level", "how much is logged", "warn", "info", ""},
	{"replicas", "how many copies of each queue there are", "3", "2", ""},
	{"fsync_interval", "how often the journal is written to disk", "250ms", "1s", ""},
	{"compression", "the codec for stored messages", "zstd", "none", ""},
	{"auth_realm", "the realm that is announced to clients", "tidewire", "default", ""},
	{"queue_depth_max", "how many messages may wait in a queue", "500000", "100000", "messages"},
	{"metrics_path", "the path of the metrics", "/stats", "/metrics", ""},
	{"shutdown_grace", "how long a shutdown waits for consumers", "45s", "10s", ""},
}

// software is documentation, of the present version and of one that is out of date.
func (b *builder) software() {
	c := chrome{site: "Tidewire documentation", nav: `<a href="/4/">Version 4</a> <a href="/3/">Version 3 (out of date)</a>`, foot: "Tidewire is free software."}
	pages := map[string]*answersite.Page{}
	for _, version := range []string{"4", "3"} {
		for i, o := range options {
			value := o.value
			if version == "3" {
				value = o.old
			}
			body := fmt.Sprintf("<p>Tidewire %[5]s. The setting <code>%[1]s</code> is %[2]s.</p><table><tr><th>Default</th><td>%[3]s</td></tr><tr><th>Environment variable</th><td>TIDEWIRE_%[4]s</td></tr></table>", o.name, o.about, value, strings.ToUpper(o.name), version)
			if i%2 == 1 {
				body = fmt.Sprintf("<p>In Tidewire %s the setting <code>%s</code> says %s. The default is <code>%s</code>.</p><pre><code>%s = %s</code></pre><p>It may also be set by the environment variable TIDEWIRE_%s.</p>",
					version, o.name, strings.TrimPrefix(o.about, "is "), value, o.name, value, strings.ToUpper(o.name))
			}
			if version == "3" {
				body = "<p>This page is of version 3, which is no longer supported since June 2024.</p>" + body
			}
			p := b.Add(docsHost, "/"+version+"/settings/"+o.name, "documentation", c.wrap(o.name+" (Tidewire "+version+")", "", body))
			pages[version+o.name] = p
		}
	}
	for i, o := range options {
		page, mode := pages["4"+o.name], answersite.Named
		text := fmt.Sprintf("Default and environment variable of %s, from %s", o.name, page.URL)
		if i%2 == 1 {
			mode, text = answersite.Searched, fmt.Sprintf("In Tidewire 4, what are the default of the setting %s and its environment variable?", o.name)
		}
		b.Pose("docs/4/"+o.name, mode, []answersite.Form{answersite.FormEmpty, answersite.FormDescribed, answersite.FormSchema}[i%3], text,
			answersite.Described{Field: "default", Ask: "the default value", Want: answersite.Want{
				Value: answersite.Str(o.value, o.value+" "+o.unit),
				Shown: o.value, URLs: []string{page.URL},
			}},
			answersite.Described{
				Field: "environment_variable", Ask: "the environment variable that sets it",
				Want: answersite.Want{
					Value: answersite.Str("TIDEWIRE_" + strings.ToUpper(o.name)), Shown: "TIDEWIRE_" + strings.ToUpper(o.name),
					URLs: []string{page.URL},
				},
			})
		if i%4 == 2 {
			b.Pose("docs/3/"+o.name, answersite.Searched, answersite.FormNone, fmt.Sprintf("What was the default of %s in Tidewire version 3?", o.name),
				answersite.Described{Field: "result", Want: answersite.Want{
					Value: answersite.Str(o.old), Shown: o.old, URLs: []string{pages["3"+o.name].URL},
					Lures: []string{o.value},
				}})
		}
		if i%4 == 0 {
			b.Pose("docs/2/"+o.name, answersite.Searched, answersite.FormDescribed, fmt.Sprintf("What was the default of %s in Tidewire version 2?", o.name),
				answersite.Described{Field: "default_in_version_2", Ask: "default value in Tidewire version 2", Want: answersite.Want{
					Value: answersite.Str(""), Absent: answersite.OnlyOther, URLs: []string{page.URL, pages["3"+o.name].URL},
					Clues: []string{"Tidewire 2", "version 2"}, Lures: []string{o.value, o.old},
				}})
		}
	}
}

var routes = [][2]string{
	{"Fennaby-on-Sea", "Skerry Holm"},
	{"Fennaby-on-Sea", "Lamb Island"},
	{"Port Orvald", "Skerry Holm"},
	{"Stavermouth", "Great Gull"},
	{"Stavermouth", "Little Gull"},
	{"Harlow Bay", "Pellworth"},
	{"Harlow Head", "Pellworth"},
	{"Kestle Mill", "Otter Rock"},
}

// ferries are timetables, by rows and by columns.
func (b *builder) ferries() {
	c := chrome{
		site: "Skerry Lines", nav: `<a href="/">Timetables</a> <a href="/fares">Fares</a> <a href="/contact">Contact</a>`,
		foot: "Skerry Lines, Quay 4, Stavermouth. Times are local.", advert: `<aside>Breakfast on board: 11.50 €</aside>`,
	}
	days := []string{"Monday", "Wednesday", "Friday", "Sunday"}
	for i, route := range routes {
		name := "Ferry " + route[0] + " – " + route[1]
		minutes, car := 25+i*15, 14.5+float64(i)*2.25
		first, last := make([]string, len(days)), make([]string, len(days))
		for d := range days {
			first[d], last[d] = fmt.Sprintf("%02d:%02d", 5+(i+d)%4, (i*7+d*11)%60), fmt.Sprintf("%d:%02d", 18+(i+d*2)%5, (i*13+d*17)%60)
		}
		var times string
		if i%2 == 0 {
			var rows [][]string
			for d, day := range days {
				rows = append(rows, []string{day, first[d], last[d]})
			}
			times = table("Departures from "+route[0], []string{"Day", "First departure", "Last departure"}, rows...)
		} else {
			times = table("Departures from "+route[0], append([]string{""}, days...), append([]string{"First departure"}, first...),
				append([]string{"Last departure"}, last...))
		}
		carShown := fmt.Sprintf("%.2f €", car)
		body := times + fmt.Sprintf("<p>The crossing takes %d minutes. A car with its driver costs %s one way. Vessel on this route: MS %s.</p><p>Valid from 1 April to 30 September 2026.</p>", minutes, carShown, []string{"Gannet", "Fulmar", "Razorbill"}[i%3])
		page := b.Add(ferryHost, "/timetables/"+slug(route[0]+"-"+route[1]), "timetable", c.wrap(name, "", body))
		d := i % 4
		mode, text := answersite.Named, fmt.Sprintf("%s: when are the first and the last departure on a %s?", page.URL, days[d])
		if i%3 == 1 {
			mode, text = answersite.Searched, fmt.Sprintf("Skerry Lines ferry from %s to %s: first and last departure on a %s?", route[0], route[1], days[d])
		}
		b.Pose(fmt.Sprintf("ferries/times/%d", i), mode, []answersite.Form{answersite.FormDescribed, answersite.FormSchema}[i%2], text,
			answersite.Described{
				Field: "first_departure", Ask: "the first departure on a " + days[d],
				Want: answersite.Want{Value: answersite.Str(first[d], strings.TrimPrefix(first[d], "0")), Shown: first[d], URLs: []string{page.URL}},
			},
			answersite.Described{
				Field: "last_departure", Ask: "the last departure on a " + days[d],
				Want: answersite.Want{Value: answersite.Str(last[d]), Shown: last[d], URLs: []string{page.URL}},
			})
		b.Pose(fmt.Sprintf("ferries/crossing/%d", i), []answersite.Mode{answersite.Searched, answersite.Named}[i%2],
			[]answersite.Form{answersite.FormSchema, answersite.FormEmpty, answersite.FormDescribed}[i%3],
			fmt.Sprintf("How long does the ferry from %s to %s take, what does a car cost, and what does a bicycle cost? %s", route[0], route[1],
				[]string{"", page.URL}[i%2]),
			answersite.Described{
				Field: "crossing_minutes", Ask: "duration of the crossing in minutes",
				Want: answersite.Want{Value: answersite.Int(minutes), Shown: fmt.Sprintf("%d minutes", minutes), URLs: []string{page.URL}},
			},
			answersite.Described{
				Field: "car_price", Ask: "price of a car with its driver, one way, in euros",
				Want: answersite.Want{Value: answersite.Money(car, "EUR"), Shown: carShown, URLs: []string{page.URL}},
			},
			answersite.Described{
				Field: "bicycle_price", Ask: "price of a bicycle in euros",
				Want: answersite.Want{Value: answersite.Money(0, "EUR"), Absent: answersite.NoField, URLs: []string{page.URL}, Clues: []string{"bicycle", "bike"}},
			})
		if i%4 == 3 {
			b.Pose(fmt.Sprintf("ferries/all/%d", i), answersite.Named, answersite.FormDescribed, "List the first departure of each day from "+page.URL,
				answersite.Described{Field: "departures", Ask: "first departure of each day", Want: answersite.Want{
					Value: answersite.Entries([]answersite.Column{
						{Name: "day", Ask: "day of the week"},
						{Name: "first_departure", Ask: "time of the first departure"},
					}, rowsOf("day", days, "first_departure", first)...), Shown: first[0],
					URLs: []string{page.URL},
				}})
		}
	}
}

func rowsOf(a string, as []string, b string, bs []string) []map[string]answersite.Value {
	var rows []map[string]answersite.Value
	for i := range as {
		rows = append(rows, map[string]answersite.Value{a: answersite.Str(as[i]), b: answersite.Str(bs[i], strings.TrimPrefix(bs[i], "0"))})
	}
	return rows
}

// sheets are data sheets in PDF.
func (b *builder) sheets() {
	for i := range 12 {
		model := fmt.Sprintf("NP-%d", 110+i*15)
		power, flow, weight := 0.75+float64(i)*0.55, 1200+i*340, 18+i*4
		issued := answersite.On(2025, time.February, 3).AddDate(0, i, i)
		mail := fmt.Sprintf("pumps%d@norrland-works.example", i)
		s := &answersite.Subject{Name: "Pump " + model, Kind: "Product", Facts: []answersite.Fact{
			fact("power_kw", answersite.Num(float64(int(power*100+0.5))/100), "Rated power", fmt.Sprintf("%.2f kW", power), "", "", "the rated power in kilowatts",
				"kW"),
			fact("flow_l_per_h", answersite.Int(flow), "Maximum flow", answersite.Group(float64(flow), 0, ",", ".")+" l/h", "", "",
				"the maximum flow in litres per hour", "l/h"),
			fact("weight_kg", answersite.Int(weight), "Weight", fmt.Sprintf("%d kg", weight), "", "", "the weight in kilograms", "kg"),
			fact("issued", answersite.Day(issued), "Date of issue", issued.Format("2 January 2006"), "", "", "the date of issue of the data sheet"),
			fact("contact_email", answersite.Mail(mail), "Contact", mail, "", "", "the contact e-mail address", "norrland-works.example"),
			fact("protection", answersite.Str(fmt.Sprintf("IP%d", 54+i%3*5)), "Protection class", fmt.Sprintf("IP%d", 54+i%3*5), "", "", "the protection class",
				"IP5", "IP6"),
		}}
		s.Drop([][]string{{"weight_kg"}, {"issued"}, {"contact_email"}}[i%3]...)
		b.keep("sheets", s)
		text := []string{"# Data sheet: " + s.Name, "Norrland Works builds pumps for clear and for dirty water."}
		for _, f := range s.Facts {
			text = append(text, f.Label+": "+f.Shown)
		}
		s.Page = b.AddBody(sheetHost, "/sheets/"+slug(model)+".pdf", "PDF", "application/pdf",
			answersite.PDF("Data sheet: "+s.Name, append(text, "Keep this sheet with the machine.")...))
	}
	b.ask(plan{
		kind: "sheets", every: 1,
		fields:   [][]string{{"power_kw", "weight_kg"}, {"flow_l_per_h", "issued"}, {"contact_email", "protection"}, {"issued", "power_kw", "weight_kg"}},
		named:    []string{"From the data sheet {url}: {asks}."},
		searched: []string{"Data sheet of {name} by Norrland Works: {asks}?"},
		single:   []string{"What is {asks} of {name} by Norrland Works?"},
	})
}

// stations are data for machines: JSON, and feeds.
func (b *builder) stations() {
	for i := range 10 {
		town := townNames[i*2]
		id := fmt.Sprintf("VM%03d", 17+i*9)
		temperature, wind := 4.5+float64(i*7%20), 3+i*11%40
		at := answersite.On(2026, time.May, 13).AddDate(0, 0, -i)
		s := &answersite.Subject{Name: "Station " + id, Facts: []answersite.Fact{
			fact("temperature_c", answersite.Num(temperature), "temperature_c", answersite.Group(temperature, 1, "", "."), "", "",
				"the temperature in degrees Celsius"),
			fact("wind_kmh", answersite.Int(wind), "wind_kmh", fmt.Sprint(wind), "", "", "the wind speed in km/h"),
			fact("town", answersite.Str(town), "town", town, "", "", "the town where it stands"),
			fact("observed", answersite.Day(at), "observed", at.Format(time.DateOnly), "", "", "the date of the observation"),
			fact("humidity_percent", answersite.Int(50+i), "humidity_percent", fmt.Sprint(50+i), "", "", "the humidity in per cent", "humidity"),
			fact("active", answersite.Is(i%3 != 0), "active", fmt.Sprint(i%3 != 0), "", "", "whether the station is active"),
		}}
		s.Drop("humidity_percent")
		b.keep("stations", s)
		object := map[string]any{
			"station": id, "town": town, "observed": at.Format(time.DateOnly), "active": i%3 != 0,
			"readings": map[string]any{"temperature_c": answersite.JSON(temperature), "wind_kmh": wind},
		}
		s.Page = b.AddBody(dataHost, "/v1/stations/"+id+".json", "JSON", "application/json", answersite.JSON(object))
	}
	b.ask(plan{
		kind: "stations", every: 1,
		fields:   [][]string{{"temperature_c", "humidity_percent"}, {"town", "observed"}, {"wind_kmh", "active"}},
		named:    []string{"Read {url}: {asks}."},
		searched: []string{"Varland weather {name}: {asks}?"},
		single:   []string{"What is {asks} of the weather {name} in Varland?"},
	})
	for n, town := range []string{"Kelm", "Orvald", "Brannick", "Tessing"} {
		var items strings.Builder
		url, mediaType := fmt.Sprintf("/feeds/%s.xml", slug(town)), "application/rss+xml"
		dates := make([]time.Time, 5)
		for k := range 5 {
			dates[k] = time.Date(2026, time.May, 12-k-n, 6+k, 0, 0, 0, time.UTC)
			title := fmt.Sprintf("%s warning no. %d for %s", []string{"Gale", "Flood", "Frost", "Fog", "Heat"}[(k+n)%5], 40-k-n, town)
			if n%2 == 0 {
				fmt.Fprintf(&items, "<item><title>%s</title><link>%s/warnings/%s-%d</link><pubDate>%s</pubDate><description>Level %d of 4. Stay informed.</description></item>\n",
					title, b.Origin(dataHost), slug(town), k, dates[k].Format(time.RFC1123Z), 1+(k+n)%4)
			} else {
				fmt.Fprintf(&items, `<entry><title>%s</title><id>%s/warnings/%s-%d</id><link href="%[2]s/warnings/%[3]s-%[4]d"/><updated>%[5]s</updated><summary>Level %[6]d of 4. Stay informed.</summary></entry>`,
					title, b.Origin(dataHost), slug(town), k, dates[k].Format(time.RFC3339), 1+(k+n)%4)
			}
		}
		body := fmt.Sprintf(`<?xml version="1.0"?><rss version="2.0"><channel><title>Warnings for %s</title><link>%s/</link><description>Weather warnings</description>%s</channel></rss>`, town, b.Origin(dataHost), items.String())
		if n%2 == 1 {
			mediaType = "application/atom+xml"
			body = fmt.Sprintf(`<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Warnings for %s</title><id>%s/</id><updated>2026-05-12T00:00:00Z</updated>%s</feed>`, town, b.Origin(dataHost), items.String())
		}
		page := b.AddBody(dataHost, url, "feed", mediaType, []byte(body))
		kind := []string{"Gale", "Flood", "Frost", "Fog", "Heat"}[(2+n)%5]
		b.Pose(fmt.Sprintf("feeds/%d", n), answersite.Named, []answersite.Form{answersite.FormDescribed, answersite.FormSchema}[n%2],
			fmt.Sprintf("In the feed %s, what are the number and the level of the %s warning?", page.URL, strings.ToLower(kind)),
			answersite.Described{
				Field: "number", Ask: "number of the " + strings.ToLower(kind) + " warning",
				Want: answersite.Want{Value: answersite.Int(38 - n), Shown: fmt.Sprintf("%s warning no. %d", kind, 38-n), URLs: []string{page.URL}},
			},
			answersite.Described{
				Field: "level", Ask: "level of the " + strings.ToLower(kind) + " warning",
				Want: answersite.Want{Value: answersite.Int(1 + (2+n)%4), Shown: fmt.Sprintf("Level %d", 1+(2+n)%4), URLs: []string{page.URL}},
			})
	}
}
