package heldout

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const (
	flatHost   = "wohnen.aarlen.example"
	garageHost = "www.garage-tschudi.example"
	boardHost  = "board.aarlen.example"
)

// flats are lists of flats to let, each in a line of its own.
func (w *world) flats() {
	f := frame{
		brand: "Wohnen Aarlen", menu: `<li><a href="/">Flats</a></li><li><a href="/parking">Parking from 90.–</a></li>`,
		bottom: "No liability for what owners say.", beside: "<p>Insurance from CHF 6.10 a month</p>",
	}
	for n, commune := range communes {
		var lines, rows strings.Builder
		type flat struct {
			ref, rent, area, phone string
			francs                 float64
			square                 float64
			free                   time.Time
		}
		var all []flat
		for k := range 6 {
			x := flat{
				ref: fmt.Sprintf("W%d%02d", n+3, 11+k*7), francs: float64(890 + (n*7+k*13)%30*45), square: 41.5 + float64((n+k*5)%17)*4,
				free: answersite.On(2026, time.July, 1).AddDate(0, k%4, (k+n)%2*14), phone: fmt.Sprintf("079 555 %02d %02d", 10+n*6+k, 21+k),
			}
			x.rent, x.area = "CHF "+answersite.Group(x.francs, 2, "'", "."), answersite.Group(x.square, 1, "", ".")+" m²"
			all = append(all, x)
			fmt.Fprintf(&lines, `<li><strong>%s</strong> · %d½ rooms · %s · %s a month · free from %s · ring %s</li>`, x.ref, 2+k%4, x.area, x.rent,
				x.free.Format("2 January 2006"), x.phone)
			fmt.Fprintf(&rows, `<tr><td>%s</td><td>%d½</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>`, x.ref, 2+k%4, x.area, x.rent,
				x.free.Format("2006-01-02"), x.phone)
		}
		body := "<ul>" + lines.String() + "</ul>"
		if n%2 == 1 {
			body = "<table><tr><th>Reference</th><th>Rooms</th><th>Living area</th><th>Rent a month</th><th>Free from</th><th>Phone</th></tr>" + rows.String() + "</table>"
		}
		page := w.Add(flatHost, "/"+path(commune), "listing", f.page("Flats to let in "+commune, "", "<p>6 offers today.</p>"+body))
		for q, k := range []int{1, 4} {
			x := all[k]
			w.Pose(fmt.Sprintf("flat-%s", x.ref), []answersite.Mode{answersite.Named, answersite.Searched}[q],
				[]answersite.Form{answersite.FormDescribed, answersite.FormSchema, answersite.FormEmpty}[(n+q)%3],
				[]string{
					"Flat " + x.ref + " at " + page.URL + ": rent, living area, when it is free, phone",
					"Wohnen Aarlen has a flat " + x.ref + " in " + commune + ". Rent, living area, when it is free, phone?",
				}[q],
				said("rent", "rent a month in francs", answersite.Money(x.francs, "CHF"), x.rent, page),
				said("living_area_m2", "living area in square metres", answersite.Num(x.square), x.area, page),
				said("free_from", "day from which it is free", answersite.Day(x.free), x.free.Format([]string{"2 January 2006", "2006-01-02"}[n%2]), page),
				said("phone", "phone number of the owner", answersite.Tel(x.phone), x.phone, page))
		}
		if n%3 == 1 {
			var refs []string
			for _, x := range all {
				refs = append(refs, x.ref)
			}
			w.Pose("flats-"+commune, answersite.Named, answersite.FormDescribed, "Give the references of all flats on "+page.URL,
				said("references", "references of all flats", answersite.Several(refs...), refs[0], page))
			w.Pose("flat-missing-"+commune, answersite.Named, answersite.FormDescribed, "Rent of the flat W999 on "+page.URL,
				answersite.Described{Field: "rent", Ask: "rent a month of flat W999", Want: answersite.Want{
					Value:  answersite.Money(0, "CHF"),
					Absent: answersite.NoSubject, Subject: "W999",
				}})
		}
	}
}

var jobsOfGarage = []string{
	"Oil Change", "Brake Pads", "Winter Tyres", "Clutch Replacement", "Windscreen Repair", "Air Conditioning Check", "Timing Belt",
	"Body Polish", "Battery Swap", "Wheel Alignment", "Headlight Aim", "Rust Treatment",
}

// garage are services, and questions with answers in JSON-LD.
func (w *world) garage() {
	f := frame{
		brand: "Garage Tschudi", menu: `<li><a href="/services">Services</a></li>`, bottom: "Garage Tschudi, Industrie 4, Aarlen",
		beside: "<p>Car wash 14.50</p>",
	}
	shapes := []shape{story, headed, grid, spans, noted}
	for i, name := range jobsOfGarage {
		price, hours, mechanic := 49.5+float64(i*i)*6.5, 0.5+float64(i%5)*0.75, people[(i*2+7)%len(people)]
		warranty, wait := 6+i%5*6, i%2 == 0
		code := fmt.Sprintf("GT/%d", 70+i*3)
		s := &answersite.Subject{Name: name, Kind: "Service", Facts: []fact{
			{
				Field: "flat_rate", Value: answersite.Money(price, "CHF"), Label: "Flat rate", Shown: "CHF " + answersite.Group(price, 2, "'", "."),
				Said: fmt.Sprintf("We charge a flat rate of CHF %s.", answersite.Group(price, 2, "'", ".")), Ask: "the flat rate",
			},
			{
				Field: "hours", Value: answersite.Num(hours), Label: "Duration", Shown: fmt.Sprintf("%.2f h", hours),
				Said: fmt.Sprintf("It keeps us busy for %.2f h.", hours), Ask: "the duration in hours", Clues: []string{"busy"},
			},
			{
				Field: "mechanic", Value: answersite.Str(mechanic), Label: "In charge", Shown: mechanic, Said: fmt.Sprintf("The mechanic in charge is %s.", mechanic),
				Ask: "the mechanic in charge",
			},
			{
				Field: "guarantee_months", Value: answersite.Int(warranty), Label: "Guarantee", Shown: fmt.Sprintf("%d months", warranty),
				Said: fmt.Sprintf("There is a guarantee of %d months on it.", warranty), Ask: "the guarantee in months",
			},
			{
				Field: "can_wait", Value: answersite.Is(wait), Label: "Waiting possible", Shown: yes(wait, "yes", "no"),
				Said: yes(wait, "Waiting possible? Yes.", "Waiting possible? No."), Ask: "whether one can wait for it",
			},
			{
				Field: "code", Value: answersite.Str(code), Label: "Work code", Shown: code, Said: fmt.Sprintf("On the bill it has the work code %s.", code),
				Ask: "the work code",
			},
		}}
		s.Drop([][]string{{"guarantee_months"}, {"mechanic", "can_wait"}, {"code"}, {"hours"}}[i%4]...)
		w.add("garage", s, f, "service", garageHost, "/s/"+path(name), "", shapes[i%len(shapes)](s))
	}
	w.quiz("garage", []string{"flat_rate", "hours", "mechanic", "guarantee_months", "code", "can_wait"},
		[]string{"Of the service on {url}: {asks}", "{asks} - all on {url}"}, []string{"My car is at Garage Tschudi for: {name}. What are {asks}?"},
		[]string{"{name} at Garage Tschudi: please give {asks}"})
	for i, topic := range []string{"Collection Service", "Courtesy Cars", "Storage of Tyres", "Accident Help", "Leasing", "Classic Cars", "Motorbikes", "Inspection"} {
		price, phone, weekday := 12+float64(i)*4.5, fmt.Sprintf("055 733 4%d 1%d", i, i), []string{"Saturdays", "Wednesdays", "Fridays", "Mondays"}[i%4]
		qa := [][2]string{
			{"What do I pay?", fmt.Sprintf("You pay CHF %.2f a day.", price)},
			{"Which number do I ring?", "Ring " + phone + " at any hour."},
			{"When is it not offered?", "It is not offered on " + weekday + "."},
			{"Do I need a form?", "No."},
		}
		var entities []any
		var shown strings.Builder
		for _, pair := range qa {
			entities = append(entities, map[string]any{"@type": "Question", "name": pair[0], "acceptedAnswer": map[string]any{"@type": "Answer", "text": pair[1]}})
			fmt.Fprintf(&shown, `<div class="faq"><p class="q"><b>Q. %s</b></p><p class="a">A. %s</p></div>`, pair[0], pair[1])
		}
		head := ""
		if i%2 == 0 {
			head = `<script type="application/ld+json">` + string(answersite.JSON(map[string]any{
				"@context": "https://schema.org", "@type": "FAQPage",
				"mainEntity": entities,
			})) + `</script>`
		}
		page := w.Add(garageHost, "/faq/"+path(topic), "FAQ", f.page(topic+": questions and answers", head, shown.String()))
		w.Pose(fmt.Sprintf("faq-%d", i), []answersite.Mode{answersite.Searched, answersite.Named}[i%2],
			[]answersite.Form{answersite.FormSchema, answersite.FormDescribed, answersite.FormEmpty}[i%3],
			[]string{"Garage Tschudi, " + topic + ": price a day, phone number, deposit?", "From " + page.URL + ": price a day, phone number, deposit"}[i%2],
			said("price_per_day", "price per day", answersite.Money(price, "CHF"), fmt.Sprintf("CHF %.2f", price), page),
			said("phone", "phone number", answersite.Tel(phone), phone, page),
			unsaid("deposit", "deposit in francs", answersite.Money(0, "CHF"), answersite.NoField, []*answersite.Page{page}, []string{"deposit"}))
	}
}

// board are threads: a question, guesses, and an answer that is marked as the solution; some say again, and wrongly, what
// other pages say.
func (w *world) board() {
	f := frame{brand: "Board Aarlen", menu: `<li><a href="/new">New topics</a></li>`, bottom: "Be kind.", beside: "<p>27 online</p>"}
	for i := range 18 {
		bike, inn := w.of["bicycles"][i*2], w.of["inns"][i]
		opened := answersite.On(2026, time.February, 3).AddDate(0, 0, i*4)
		torque := 5 + i*2
		title, posts := fmt.Sprintf("Torque for the %s?", bike.Name), []string{
			"Can anybody tell me the stem torque of the " + bike.Name + "?", "As tight as you can, ha ha. I use 60 Nm.",
			fmt.Sprintf("The stem torque of the %s is %d Nm according to the sticker on the fork.", bike.Name, torque),
		}
		if i%2 == 1 {
			title, posts = "A night at "+inn.Name, []string{
				"We want to stay at " + inn.Name + ". Is it dear?",
				fmt.Sprintf("My cousin paid CHF %d for a double room, but that was long ago.", 401+i), "Then see what they ask now.",
			}
		}
		var b strings.Builder
		for k, text := range posts {
			fmt.Fprintf(&b, `<section class="post%s" id="p%d"><p class="author"><a href="/u/%d">%s</a> <time datetime="%s">%s</time></p><p>%s</p></section>`,
				[]string{"", "", " solution"}[k], k, i*3+k, []string{"hilde", "spoke_", "ostwind"}[k]+fmt.Sprint(i),
				opened.AddDate(0, 0, k).Format(time.DateOnly), opened.AddDate(0, 0, k).Format("Jan 2, 2006"), esc(text))
		}
		page := w.Add(boardHost, fmt.Sprintf("/topic/%d", 8800+i*3), "forum", f.page(title, "", b.String()))
		switch {
		case i%2 == 0 && i%3 != 2:
			w.Pose(fmt.Sprintf("torque-%d", i), []answersite.Mode{answersite.Searched, answersite.Named}[i/2%2],
				[]answersite.Form{answersite.FormSchema, answersite.FormDescribed}[i/4%2],
				[]string{
					"What is the stem torque of the bicycle " + bike.Name + "?",
					"According to " + page.URL + ", what is the stem torque of the " + bike.Name + "?",
				}[i/2%2],
				said("stem_torque_nm", "torque of the stem in newton metres", answersite.Int(torque), fmt.Sprintf("%d Nm", torque), page))
		case i%4 == 1:
			w.Ask(answersite.Asking{
				Name: fmt.Sprintf("hearsay-%d", i), Mode: answersite.Searched, Form: []answersite.Form{answersite.FormDescribed, answersite.FormNone}[i/4%2],
				Subject: inn, Fields: []string{"rate_per_night"},
				Text: "As the house itself says: what is {asks} at {name} in Aarlen?", Lures: []string{fmt.Sprintf("CHF %d", 401+i)},
			})
		}
	}
}

// attachments are tasks with context files.
func (w *world) attachments() {
	for i := range 14 {
		id, inn := fmt.Sprintf("file_held%02d", i), w.of["inns"][i]
		guest, code := people[(i*3+1)%len(people)], fmt.Sprintf("R-%d", 5100+i*7)
		arrival, paid := answersite.On(2026, time.August, 1).AddDate(0, 0, i*2), 44.4+float64(i)*31
		phone := fmt.Sprintf("+41 79 600 %02d %02d", 10+i, 30+i)
		body := map[string]any{"reservations": map[string]any{
			"R-1": map[string]any{"guest": "Nobody Inparticular", "arrival": "2026-12-24", "paid": 9.5, "phone": "+41 79 000 00 00"},
			code: map[string]any{
				"guest": guest, "arrival": arrival.Format(time.DateOnly), "paid": answersite.JSON(hundredths(paid)), "phone": phone,
				"house": inn.Name,
			},
		}}
		if i%2 == 1 {
			body = map[string]any{"rows": [][]any{
				{"code", "guest", "arrival", "paid", "phone"},
				{"R-1", "Nobody Inparticular", "2026-12-24", 9.5, "+41 79 000 00 00"},
				{
					code, guest, arrival.Format(time.DateOnly),
					answersite.JSON(hundredths(paid)), phone,
				},
			}}
		}
		file := &answersite.Page{URL: "file:" + id}
		fields := []answersite.Described{
			said("guest", "name of the guest", answersite.Str(guest), guest, file), said("arrival", "day of arrival", answersite.Day(arrival),
				arrival.Format(time.DateOnly), file),
			said("paid", "amount paid", answersite.Num(hundredths(paid)), answersite.Num(hundredths(paid)).Text, file),
			said("phone", "phone number of the guest", answersite.Tel(phone), phone, file),
		}
		text, form := "Reservation "+code+" in the attached file: guest, arrival, amount paid, phone",
			[]answersite.Form{answersite.FormSchema, answersite.FormEmpty, answersite.FormDescribed, answersite.FormString}[i%4]
		switch {
		case form == answersite.FormString:
			fields, text = fields[:1], "Who made reservation "+code+" in the attached file?"
		case i%3 == 0:
			fields = append(fields[1:3:3], unsaid("voucher", "number of the voucher", answersite.Str(""), answersite.NoField, []*answersite.Page{file},
				[]string{"voucher"}))
			text = "For reservation " + code + " of the attached file: arrival, amount paid, voucher number"
		case i%3 == 1 && i%2 == 0:
			fields = append(fields[:2:2], said("house", "name of the house", answersite.Str(inn.Name), inn.Name, file))
			if street, known := inn.Fact("where/street"); known {
				fields = append(fields, said("street", "street and number of the house", street.Value, street.Shown, inn.Page))
			}
			text = "Who comes when for reservation " + code + " of the attached file, to which house, and in which street is that? " + inn.Page.URL
		}
		w.Pose("attached-"+id, answersite.WithFile, form, text, fields...).Files = []answersite.File{{ID: id, JSON: answersite.JSON(body)}}
	}
}

// phantoms are asked for and are not there.
func (w *world) phantoms() {
	for i, p := range []struct {
		text, subject, field, ask string
		value                     answersite.Value
	}{
		{"How deep is Lake Perdu in the canton of Aarlen?", "Perdu", "max_depth_m", "maximum depth in metres", answersite.Num(1)},
		{"Phone number of Dr Balthasar Zwicky, Clinic Aarlen", "Zwicky", "phone", "phone number of Dr Zwicky", answersite.Tel("")},
		{"What does the bicycle Halcyon cost at Velo Amber?", "Halcyon", "price", "price of the Halcyon", answersite.Money(1, "CHF")},
		{"Rate per night at Hotel Mirabell in Aarlen", "Mirabell", "rate", "rate per night at Hotel Mirabell", answersite.Money(1, "CHF")},
		{"On what date does Aarlen Hall give the Tuba Sonatas?", "Tuba", "date", "date of the Tuba Sonatas", answersite.Value{Type: answersite.Date}},
		{"Who chairs the Kite Club Aarlen?", "Kite Club", "chairperson", "chairperson of the Kite Club Aarlen", answersite.Str("")},
		{"Which default has --loom-shuttle in release 7 of loomctl?", "loom-shuttle", "default", "default of --loom-shuttle", answersite.Str("")},
		{"Single fare on line 97 of Aarlen Bus", "line 97", "fare", "fare of a single ride on line 97", answersite.Money(1, "CHF")},
		{
			"What was the budget of the Beaver Telemetry project near Aarlen?", "Beaver", "budget", "budget of the Beaver Telemetry in francs",
			answersite.Money(1, "CHF"),
		},
		{"Kochen in Aarlen: how many portions does the Aubergine Stack make?", "Aubergine", "portions", "number of portions of the Aubergine Stack", answersite.Int(1)},
		{"E-mail address of the Yodel Society Emmat", "Yodel", "email", "e-mail address of the Yodel Society", answersite.Mail("")},
		{"Flat rate for an Exhaust Weld at Garage Tschudi", "Exhaust", "flat_rate", "flat rate for an Exhaust Weld", answersite.Money(1, "CHF")},
	} {
		w.Pose("phantom-"+path(p.subject), answersite.Searched, turn[(i*2+1)%len(turn)], p.text,
			answersite.Described{Field: p.field, Ask: p.ask, Want: answersite.Want{Value: p.value, Absent: answersite.NoSubject, Subject: p.subject}})
	}
}
