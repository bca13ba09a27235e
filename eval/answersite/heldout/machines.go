package heldout

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const (
	manualHost = "man.loomctl.example"
	busHost    = "fahrplan.aarlen-bus.example"
	reportHost = "reports.amber-bank.example"
	gaugeHost  = "api.pegel-aarlen.example"
)

// flagsOf are the options of the invented tool: name, what it does, what it is unless it is set now and in the version before.
var flagsOf = [][4]string{
	{"weave-width", "number of threads in parallel", "16", "8"},
	{"pattern-dir", "directory of the patterns", "/var/lib/loom", "/etc/loom"},
	{"retry-pause", "pause between two attempts", "750ms", "2s"},
	{"colour-space", "colour space of the output", "oklch", "srgb"},
	{"cache-bytes", "memory for the cache", "134217728", "33554432"},
	{"report-format", "form of the report", "tap", "plain"},
	{"max-knots", "knots in a row at most", "4096", "1024"},
	{"lock-file", "file that is locked while it runs", "/run/loom.lock", "/tmp/loom.lock"},
	{"stitch-timeout", "longest time for a stitch", "12s", "20s"},
	{"seed", "seed of the random patterns", "1977", "42"},
	{"endpoint", "address of the controller", "127.0.0.1:6161", "127.0.0.1:6100"},
	{"verbosity", "how much is printed", "quiet", "normal"},
}

func (w *world) commands() {
	f := frame{brand: "loomctl manual", menu: `<li><a href="/7/">Release 7</a></li><li><a href="/6/">Release 6</a></li>`, bottom: "loomctl manual pages"}
	pages := map[string]*answersite.Page{}
	for r, release := range []string{"7", "6"} {
		for i, flag := range flagsOf {
			body := fmt.Sprintf("<h2>Name</h2><p><code>--%s</code> sets the %s.</p><h2>Default</h2><p><code>%s</code></p><h2>Since</h2><p>%d.%d</p>", flag[0],
				flag[1], flag[2+r], 2+i%3, i)
			if i%3 == 1 {
				body = fmt.Sprintf("<pre>--%s VALUE\n    %s (default: %s)\n    since %d.%d</pre><p>May be given once.</p>", flag[0], flag[1], flag[2+r], 2+i%3, i)
			}
			if r == 1 {
				body = `<div class="warning">You are reading the manual of release 6. Release 7 is the current one.</div>` + body
			}
			pages[release+flag[0]] = w.Add(manualHost, "/"+release+"/"+flag[0], "documentation", f.page("loomctl --"+flag[0]+" (release "+release+")", "", body))
		}
	}
	for i, flag := range flagsOf {
		page := pages["7"+flag[0]]
		w.Pose("flag-"+flag[0], []answersite.Mode{answersite.Searched, answersite.Named}[i%2],
			[]answersite.Form{answersite.FormDescribed, answersite.FormSchema, answersite.FormEmpty, answersite.FormSchema}[i%4],
			[]string{
				"loomctl release 7: what is the default of --" + flag[0] + ", and since which release does the option exist?",
				"Default of --" + flag[0] + " and since when it exists, as in " + page.URL,
			}[i%2],
			said("default", "default of the option", answersite.Str(flag[2]), flag[2], page),
			said("since", "release in which the option appeared", answersite.Str(fmt.Sprintf("%d.%d", 2+i%3, i)), fmt.Sprintf("%d.%d", 2+i%3, i), page))
		switch i % 4 {
		case 1:
			w.Pose("flag6-"+flag[0], answersite.Searched, []answersite.Form{answersite.FormNone, answersite.FormDescribed}[i/4%2],
				"Which default did --"+flag[0]+" have in release 6 of loomctl?",
				said([]string{"result", "default_in_release_6"}[i/4%2], "default in release 6", answersite.Str(flag[3]), flag[3], pages["6"+flag[0]], flag[2]))
		case 2:
			w.Pose("flag4-"+flag[0], answersite.Searched, answersite.FormSchema, "Which default did --"+flag[0]+" have in release 4 of loomctl?",
				unsaid("default_in_release_4", "default in release 4", answersite.Str(""), answersite.OnlyOther, []*answersite.Page{page, pages["6"+flag[0]]},
					[]string{"release 4"}, flag[2], flag[3]))
		}
	}
}

// buses are timetables with the stops in rows and the runs in columns.
func (w *world) buses() {
	f := frame{brand: "Aarlen Bus", menu: `<li><a href="/">Lines</a></li>`, bottom: "Lost property: lost@aarlen-bus.example", beside: "<p>Day ticket 8.60</p>"}
	for i := range 8 {
		line := fmt.Sprint(11 + i*10)
		stops := []string{communes[i%7], "Kanalplatz", "Hospital " + communes[(i+2)%7], "Depot", communes[(i+4)%7] + " Dorf"}
		runs := []string{"Run 1", "Run 2", "Run 3"}
		at := make([][]string, len(stops))
		var rows strings.Builder
		for s, stop := range stops {
			fmt.Fprintf(&rows, "<tr><th>%s</th>", stop)
			for r := range runs {
				at[s] = append(at[s], fmt.Sprintf("%d.%02d", 6+r*4+(i+s*11)/60, (i*7+s*11+r*3)%60))
				fmt.Fprintf(&rows, "<td>%s</td>", at[s][r])
			}
			rows.WriteString("</tr>")
		}
		body := "<table><thead><tr><th>Stop</th><th>" + strings.Join(runs, "</th><th>") + "</th></tr></thead><tbody>" + rows.String() + "</tbody></table>"
		if i%2 == 1 { // turned over
			var turned strings.Builder
			for r, run := range runs {
				fmt.Fprintf(&turned, "<tr><td>%s</td>", run)
				for s := range stops {
					fmt.Fprintf(&turned, "<td>%s</td>", at[s][r])
				}
				turned.WriteString("</tr>")
			}
			body = "<table><thead><tr><th></th><th>" + strings.Join(stops, "</th><th>") + "</th></tr></thead><tbody>" + turned.String() + "</tbody></table>"
		}
		fare := 2.4 + float64(i)*0.3
		page := w.Add(busHost, "/line/"+line, "timetable", f.page("Line "+line+" "+stops[0]+" – "+stops[4], "",
			body+fmt.Sprintf("<p>Single fare CHF %.2f. Operated with %d vehicles of the type %s.</p>", fare, 2+i, []string{"Citaro", "Urbino", "Lion"}[i%3])))
		s, r := 1+i%3, i%3
		for k := range 2 {
			s, r := (s+k*2)%5, (r+k)%3
			w.Pose(fmt.Sprintf("line-%s-%d", line, k), []answersite.Mode{answersite.Named, answersite.Searched}[(i+k)%2],
				[]answersite.Form{answersite.FormSchema, answersite.FormDescribed, answersite.FormString, answersite.FormEmpty}[(i+k)%4],
				[]string{
					fmt.Sprintf("Departure of %s at %s in %s", strings.ToLower(runs[r]), stops[s], page.URL),
					fmt.Sprintf("Aarlen Bus line %s: when does %s leave %s?", line, strings.ToLower(runs[r]), stops[s]),
				}[(i+k)%2],
				said("departure", fmt.Sprintf("the time at which %s leaves %s", strings.ToLower(runs[r]), stops[s]),
					answersite.Str(at[s][r], strings.Replace(at[s][r], ".", ":", 1), strings.Replace(fmt.Sprintf("%05s", at[s][r]), ".", ":", 1)), at[s][r], page))
		}
		w.Pose("fare-"+line, []answersite.Mode{answersite.Searched, answersite.Named}[i%2],
			[]answersite.Form{answersite.FormEmpty, answersite.FormSchema, answersite.FormDescribed}[i%3],
			[]string{
				"Aarlen Bus, line " + line + ": single fare, number of vehicles, seats per vehicle",
				page.URL + ": single fare, number of vehicles, seats per vehicle",
			}[i%2],
			said("single_fare", "fare of a single ride", answersite.Money(hundredths(fare), "CHF"), fmt.Sprintf("CHF %.2f", fare), page),
			said("vehicles", "number of vehicles", answersite.Int(2+i), fmt.Sprintf("%d vehicles", 2+i), page),
			unsaid("seats", "seats per vehicle", answersite.Int(0), answersite.NoField, []*answersite.Page{page}, []string{"seats", "seat"}))
	}
}

// reports are PDFs in prose and in lines.
func (w *world) reports() {
	for i := range 12 {
		branch := communes[i%7] + []string{"", " West"}[i/7]
		profit, staff, deposits := 1.2+float64(i)*0.35, 12+i*3, 210+i*19
		head := people[(i*3+4)%len(people)]
		signed := answersite.On(2026, time.January, 12).AddDate(0, 0, i*3)
		s := &answersite.Subject{Name: "Branch " + branch, Facts: []fact{
			{
				Field: "profit_m", Value: answersite.Num(hundredths(profit)), Label: "Profit", Shown: fmt.Sprintf("%.2f million francs", profit),
				Said: fmt.Sprintf("The profit was %.2f million francs.", profit), Ask: "the profit of 2025 in millions of francs",
			},
			{
				Field: "staff", Value: answersite.Int(staff), Label: "Staff", Shown: fmt.Sprintf("%d employees", staff),
				Said: fmt.Sprintf("The branch had %d employees.", staff), Ask: "the number of employees", Clues: []string{"employees"},
			},
			{
				Field: "deposits_m", Value: answersite.Int(deposits), Label: "Deposits", Shown: fmt.Sprintf("%d million francs", deposits),
				Said: fmt.Sprintf("Deposits rose to %d million francs.", deposits), Ask: "the deposits in millions of francs",
			},
			{
				Field: "head", Value: answersite.Str(head), Label: "Head of the branch", Shown: head, Said: fmt.Sprintf("Head of the branch is %s.", head),
				Ask: "the head of the branch",
			},
			{
				Field: "signed", Value: answersite.Day(signed), Label: "Signed on", Shown: signed.Format("2 January 2006"),
				Said: fmt.Sprintf("Signed on %s in Aarlen.", signed.Format("2 January 2006")), Ask: "the date on which the report was signed",
			},
		}}
		s.Drop([][]string{{"staff"}, {"head"}, {"deposits_m"}}[i%3]...)
		s.Index = i
		w.of["reports"] = append(w.of["reports"], s)
		text := []string{"# Annual report 2025: " + s.Name, "Amber Bank, all figures as of the end of 2025."}
		for _, f := range s.Facts {
			line := f.Said
			if i%2 == 1 {
				line = f.Label + "    " + f.Shown
			}
			text = append(text, strings.NewReplacer("ü", "ue", "ą", "a").Replace(line))
		}
		s.Page = w.AddBody(reportHost, fmt.Sprintf("/2025/%s.pdf", path(branch)), "PDF", "application/pdf",
			answersite.PDF("Annual report 2025: "+s.Name, append(text, "Audited by an independent office.")...))
	}
	w.quiz("reports", []string{"profit_m", "head", "signed", "staff", "deposits_m"},
		[]string{"The report {url} gives {asks}; copy them."}, []string{"Amber Bank's annual report 2025 on {name}: {asks}"},
		[]string{"Amber Bank, annual report 2025, {name}: {asks}?"})
	for _, i := range []int{1, 4, 8} {
		s := w.of["reports"][i]
		w.Pose(fmt.Sprintf("reports-%d-2021", i), answersite.Searched, answersite.FormSchema,
			"What profit did Amber Bank's "+s.Name+" make in 2021, in millions of francs?",
			unsaid("profit_2021_m", "profit of 2021 in millions of francs", answersite.Num(1.5), answersite.OnlyOther, []*answersite.Page{s.Page}, []string{"2021"}))
	}
}

// gauges are JSON and feeds.
func (w *world) gauges() {
	for i := range 10 {
		river, id := []string{"Arl", "Emmatbach", "Bisse Noire"}[i%3], 3001+i*14
		level, flow, read := 88+i*23, 1.25+float64(i)*2.5, time.Date(2026, time.May, 14, 5+i/2, i%2*30, 0, 0, time.UTC)
		s := &answersite.Subject{Name: fmt.Sprintf("gauge %d", id), Facts: []fact{
			{Field: "level_cm", Value: answersite.Int(level), Label: "levelCm", Shown: fmt.Sprint(level), Ask: "the water level in centimetres"},
			{Field: "flow_m3s", Value: answersite.Num(flow), Label: "flowM3s", Shown: answersite.Num(flow).Text, Ask: "the flow in cubic metres per second"},
			{Field: "river", Value: answersite.Str(river), Label: "river", Shown: river, Ask: "the name of the river"},
			{Field: "alarm", Value: answersite.Is(i%4 == 1), Label: "alarm", Shown: fmt.Sprint(i%4 == 1), Ask: "whether there is an alarm"},
			{
				Field: "owner_email", Value: answersite.Mail(fmt.Sprintf("g%d@pegel-aarlen.example", id)), Label: "owner",
				Shown: fmt.Sprintf("g%d@pegel-aarlen.example", id), Ask: "the owner's e-mail address",
			},
			{Field: "turbidity", Value: answersite.Num(1.5), Label: "turbidity", Shown: "1.5", Ask: "the turbidity"},
		}}
		s.Drop("turbidity")
		s.Index = i
		w.of["gauges"] = append(w.of["gauges"], s)
		object := map[string]any{
			"gauge": id, "name": s.Name, "river": river, "alarm": i%4 == 1, "owner": map[string]string{"email": fmt.Sprintf("g%d@pegel-aarlen.example", id)},
			"latest":   map[string]any{"levelCm": level, "flowM3s": flow, "at": read.Format(time.RFC3339)},
			"previous": []any{map[string]any{"year": 2019, "peak": level + 301}},
		}
		s.Page = w.AddBody(gaugeHost, fmt.Sprintf("/gauges/%d", id), "JSON", "application/json", answersite.JSON(object))
	}
	w.quiz("gauges", []string{"level_cm", "river", "flow_m3s", "turbidity", "owner_email", "alarm"}, []string{"GET {url} and report {asks}"},
		[]string{"Pegel Aarlen, {name}: {asks}"}, []string{"What is {asks} at {name} of Pegel Aarlen?"})
	for n, subject := range []string{"roads", "cableways", "ice rinks", "ski runs"} {
		var entries []any
		var items strings.Builder
		for k := range 5 {
			title := fmt.Sprintf("Notice %d: %s", 610+n*20-k, []string{"closed", "open again", "works", "delays", "inspection"}[(k+n)%5])
			when := time.Date(2026, time.May, 13-k, 7+n, 15, 0, 0, time.UTC)
			link := fmt.Sprintf("%s/notices/%d", w.Origin(gaugeHost), 610+n*20-k)
			entries = append(entries, map[string]any{
				"id": link, "url": link, "title": title,
				"content_text": fmt.Sprintf("Concerns %d places. Desk: %s.", 2+k+n, people[(n*5+k)%len(people)]), "date_published": when.Format(time.RFC3339),
			})
			fmt.Fprintf(&items, "<item><title>%s</title><link>%s</link><pubDate>%s</pubDate><description><![CDATA[<p>Concerns %d places. Desk: %s.</p>]]></description></item>", title, link, when.Format(time.RFC1123Z), 2+k+n, people[(n*5+k)%len(people)])
		}
		mediaType, body := "application/feed+json", []byte(answersite.JSON(map[string]any{
			"version": "https://jsonfeed.org/version/1.1",
			"title":   "Notices: " + subject, "home_page_url": w.Origin(gaugeHost) + "/", "items": entries,
		}))
		if n%2 == 1 {
			mediaType = "application/rss+xml"
			body = []byte(`<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>Notices: ` + subject + `</title><link>` + w.Origin(gaugeHost) + `/</link><description>By the canton</description>` + items.String() + `</channel></rss>`)
		}
		page := w.AddBody(gaugeHost, "/notices/"+path(subject), "feed", mediaType, body)
		k := 1 + n%3
		w.Pose("notices-"+path(subject), []answersite.Mode{answersite.Named, answersite.Searched}[n/2], answersite.FormDescribed,
			[]string{fmt.Sprintf("What does notice %d in %s say?", 610+n*20-k, page.URL), fmt.Sprintf("What does notice %d of the canton of Aarlen on %s say?",
				610+n*20-k, subject)}[n/2],
			said("desk", fmt.Sprintf("who is at the desk for notice %d", 610+n*20-k), answersite.Str(people[(n*5+k)%len(people)]), people[(n*5+k)%len(people)], page),
			said("published", fmt.Sprintf("date of notice %d", 610+n*20-k), answersite.Day(answersite.On(2026, time.May, 13-k)),
				time.Date(2026, time.May, 13-k, 7+n, 15, 0, 0, time.UTC).Format([]string{time.RFC3339, "Mon, 02 Jan 2006"}[n%2]), page),
			said("places", fmt.Sprintf("how many places notice %d concerns", 610+n*20-k), answersite.Int(2+k+n), fmt.Sprintf("Concerns %d places", 2+k+n), page))
	}
}
