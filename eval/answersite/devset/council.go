package devset

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const (
	jobHost     = "jobs.varland.example"
	councilHost = "www.kelm-council.example"
	forumHost   = "forum.varland-talk.example"
)

var jobTitles = []string{"Lock Keeper", "Night Nurse", "Bus Driver", "Archivist", "Pastry Cook", "Surveyor", "Harbour Pilot", "Gardener", "Data Clerk"}

// jobs are listings: what is said of one must not be taken for another's.
func (b *builder) jobs() {
	c := chrome{
		site: "Varland Jobs", nav: `<a href="/">Jobs</a> <a href="/employers">For employers: from 99 €</a>`,
		foot: "Varland Jobs · support@jobs.varland.example",
	}
	for n := range 8 {
		town := townNames[n*3]
		var rows [][]string
		var cards strings.Builder
		type offer struct {
			salary int
			closes time.Time
			hours  string
			mail   string
		}
		var offers []offer
		for k, title := range jobTitles[:5+n%4] {
			o := offer{
				21000 + (n*7+k*13)%40*450, answersite.On(2026, time.June, 1).AddDate(0, 0, n*3+k*4), fmt.Sprint(20 + (n+k)%5*5),
				fmt.Sprintf("apply-%d%d@jobs.varland.example", n+1, k),
			}
			offers = append(offers, o)
			rows = append(rows, []string{title, answersite.Group(float64(o.salary), 0, ",", ".") + " €", o.hours, o.closes.Format("2 Jan 2006"), o.mail})
			fmt.Fprintf(&cards, `<div class="job"><h3>%s</h3><p>Salary: %s € a year</p><p>Hours a week: %s</p><p>Apply by: %s</p><p>Applications to <a href="mailto:%s">%s</a></p></div>`,
				title, answersite.Group(float64(o.salary), 0, ",", "."), o.hours, o.closes.Format("2 January 2006"), o.mail, o.mail)
		}
		body := table("Open positions in "+town, []string{"Position", "Salary per year", "Hours a week", "Apply by", "Applications to"}, rows...)
		if n%2 == 1 {
			body = cards.String()
		}
		page := b.Add(jobHost, "/in/"+slug(town), "listing", c.wrap("Jobs in "+town, "", fmt.Sprintf("<p>%d open positions.</p>", len(rows))+body))
		for q, k := range []int{1, 3} {
			o := offers[k]
			shownDay := o.closes.Format([]string{"2 Jan 2006", "2 January 2006"}[n%2])
			mode, text := answersite.Named, fmt.Sprintf("On %s, find the position of %s: salary per year, last day to apply, e-mail address for applications.",
				page.URL, jobTitles[k])
			if q == 1 {
				mode, text = answersite.Searched, fmt.Sprintf("Varland Jobs offers a position of %s in %s. Salary per year, last day to apply, e-mail for applications?", jobTitles[k], town)
			}
			b.Pose(fmt.Sprintf("jobs/%d/%d", n, k), mode, []answersite.Form{answersite.FormSchema, answersite.FormDescribed, answersite.FormEmpty}[(n+q)%3], text,
				answersite.Described{Field: "salary", Ask: "salary per year in euros", Want: answersite.Want{
					Value: answersite.Money(float64(o.salary), "EUR"),
					Shown: answersite.Group(float64(o.salary), 0, ",", ".") + " €", URLs: []string{page.URL},
				}},
				answersite.Described{Field: "apply_by", Ask: "last day to apply", Want: answersite.Want{
					Value: answersite.Day(o.closes), Shown: shownDay,
					URLs: []string{page.URL},
				}},
				answersite.Described{Field: "email", Ask: "e-mail address for applications", Want: answersite.Want{
					Value: answersite.Mail(o.mail), Shown: o.mail,
					URLs: []string{page.URL},
				}})
		}
		if n%3 == 0 {
			missing := "Lighthouse Painter"
			b.Pose(fmt.Sprintf("jobs/none/%d", n), answersite.Named, answersite.FormSchema,
				fmt.Sprintf("What is the salary of the position of %s on %s?", missing, page.URL),
				answersite.Described{
					Field: "salary", Ask: "salary per year of the " + missing,
					Want: answersite.Want{Value: answersite.Money(0, "EUR"), Absent: answersite.NoSubject, Subject: missing, URLs: []string{page.URL}},
				})
			var titles []string
			for _, row := range rows {
				titles = append(titles, row[0])
			}
			b.Pose(fmt.Sprintf("jobs/all/%d", n), answersite.Named, answersite.FormDescribed, "Which positions are listed at "+page.URL+"?",
				answersite.Described{Field: "positions", Ask: "titles of all positions", Want: answersite.Want{
					Value: answersite.Several(titles...),
					Shown: titles[0], URLs: []string{page.URL},
				}})
		}
	}
}

var services = []string{
	"Passport", "Residence Permit", "Dog Licence", "Building Permit", "Parking Card", "Library Card", "Wedding Ceremony", "Bulky Waste Collection",
	"Fishing Licence", "Market Stall", "Moorings", "Birth Certificate",
}

// council are services with their fees, and questions with their answers.
func (b *builder) council() {
	c := chrome{site: "Kelm Council", nav: `<a href="/">Council</a> <a href="/services">Services A–Z</a>`, foot: "Kelm Council, Town Hall Square 1 · Emergencies: 112"}
	layouts := b.layouts(prose, labelled, definitions, infobox)
	for i, name := range services {
		fee, express := 8.5+float64(i*11%60), 30+float64(i*7%40)
		feeShown := []string{fmt.Sprintf("€%.2f", fee), answersite.Group(fee, 2, "", ",") + " €"}[i%2]
		days, phone, room := 3+i*5%30, fmt.Sprintf("05554 77-%d", 100+i*9), fmt.Sprintf("%d.%02d", i%4, 3+i)
		online := i%3 == 0
		s := &answersite.Subject{Name: name, Kind: "GovernmentService", Facts: []answersite.Fact{
			b.fact("fee", answersite.Money(fee, "EUR"), "Fee", feeShown, fmt.Sprintf("The fee is %s.", feeShown), "", "the fee", "fee is"),
			b.fact("express_fee", answersite.Money(express, "EUR"), "Surcharge for express service", fmt.Sprintf("€%.2f", express),
				fmt.Sprintf("Express service costs €%.2f more.", express), "", "the surcharge for express service", "express"),
			b.fact("processing_days", answersite.Int(days), "Processing time", fmt.Sprintf("%d working days", days),
				fmt.Sprintf("Processing takes %d working days.", days), "", "the processing time in working days", "working days"),
			b.fact("phone", answersite.Tel(phone), "Call", phone, fmt.Sprintf("Call %s with questions.", phone), "telephone", "the phone number for questions", "05554"),
			b.fact("room", answersite.Str(room, "Room "+room), "Counter", room, fmt.Sprintf("Apply in person at counter %s.", room), "",
				"the counter in the town hall", "counter"),
			b.fact("online", answersite.Is(online), "Online application", map[bool]string{true: "possible", false: "not possible"}[online],
				map[bool]string{true: "An online application is possible.", false: "An online application is not possible."}[online], "",
				"whether one can apply online", "online"),
		}}
		s.Drop([][]string{{"express_fee"}, {"phone"}, {"online"}, {"room"}}[i%4]...)
		b.keep("council", s)
		b.page(c, s, "service", councilHost, "/services/"+slug(name), "", "<p>For residents of Kelm. Bring proof of identity.</p>"+layouts[i%len(layouts)](s))
	}
	b.ask(plan{
		kind: "council", every: 1,
		fields:   [][]string{{"fee", "processing_days"}, {"phone", "room"}, {"online", "fee"}, {"room", "express_fee", "processing_days"}},
		named:    []string{"What does {url} say about {asks}?", "{asks}: see {url}"},
		searched: []string{"Kelm Council, service {name}: {asks}?", "I need a {name} in Kelm. What are {asks}?"},
		single:   []string{"What is {asks} for a {name} at Kelm Council?"},
	})
	for i, topic := range []string{"Recycling", "Cemetery", "Swimming Lessons", "Allotments", "Street Lights", "School Meals", "Bicycle Storage", "Snow Clearing"} {
		pickup, mail, price := []string{"Monday", "Tuesday", "Thursday", "Friday"}[i%4], "desk"+fmt.Sprint(i+1)+"@kelm-council.example", 2.4+float64(i)*1.3
		priceShown := fmt.Sprintf("%.2f €", price)
		qa := [][2]string{
			{"Whom do I write to?", "Please write to " + mail + "."},
			{"On which day is the desk open?", "The desk is open on " + pickup + "s only."},
			{"How much is it?", "It is " + priceShown + " a month."},
			{"Can I pay in cash?", "Yes, you can."},
		}
		var body strings.Builder
		for _, pair := range qa {
			fmt.Fprintf(&body, []string{"<h3>%s</h3><p>%s</p>", "<details><summary>%s</summary><p>%s</p></details>", "<dt>%s</dt><dd>%s</dd>"}[i%3], pair[0], pair[1])
		}
		page := b.Add(councilHost, "/faq/"+slug(topic), "FAQ", c.wrap(topic+": frequently asked questions", "", body.String()))
		b.Pose(fmt.Sprintf("faq/%d", i), []answersite.Mode{answersite.Named, answersite.Searched}[i%2],
			[]answersite.Form{answersite.FormDescribed, answersite.FormSchema, answersite.FormEmpty}[i%3],
			[]string{
				"From " + page.URL + ": e-mail address, price per month, opening day.",
				"Kelm Council on " + topic + ": e-mail address, price per month, opening day of the desk?",
			}[i%2],
			answersite.Described{Field: "email", Ask: "e-mail address to write to", Want: answersite.Want{
				Value: answersite.Mail(mail), Shown: mail,
				URLs: []string{page.URL},
			}},
			answersite.Described{Field: "price_per_month", Ask: "price per month", Want: answersite.Want{
				Value: answersite.Money(round(price), "EUR"),
				Shown: priceShown, URLs: []string{page.URL},
			}},
			answersite.Described{
				Field: "open_on", Ask: "weekday on which the desk is open",
				Want: answersite.Want{Value: answersite.Str(pickup, pickup+"s", pickup+"s only"), Shown: pickup + "s", URLs: []string{page.URL}},
			})
	}
}

// forum are threads in which people are wrong about what other pages say, or say what no other page does.
func (b *builder) forum() {
	c := chrome{site: "Varland Talk", nav: `<a href="/">Boards</a> <a href="/login">Log in</a>`, foot: "Varland Talk: 48,211 members, 3 online"}
	post := func(who string, when time.Time, text string) string {
		return fmt.Sprintf(`<div class="post"><div class="meta">%s wrote on %s</div><div class="body"><p>%s</p></div></div>`, who, when.Format("2 January 2006"),
			answersite.Esc(text))
	}
	for i := range 20 {
		venue, product := b.made["venues"][i], b.made["shop"][(i*3)%44]
		asked := answersite.On(2026, time.January, 5).AddDate(0, 0, i*5)
		wrong := fmt.Sprintf("%d,50 €", 21+i)
		code := fmt.Sprintf("%d", 4000+i*37)
		title, posts := "Visiting the "+venue.Name, []string{
			post("tramfan"+fmt.Sprint(i), asked, "What does a ticket for the "+venue.Name+" cost these days?"),
			post("sandpiper", asked.AddDate(0, 0, 1), "I think I paid "+wrong+" per adult years ago, but I may be wrong."),
			post("kelmling", asked.AddDate(0, 0, 2), "Look at their page, prices have changed since."),
		}
		if i%2 == 1 {
			title = "Service code of the " + product.Name
			posts = []string{
				post("tinkerer"+fmt.Sprint(i), asked, "Does anybody know the service code of the "+product.Name+"? Mine is locked."),
				post("sandpiper", asked.AddDate(0, 0, 1), "Try 0000, it works for most."),
				post("tinkerer"+fmt.Sprint(i), asked.AddDate(0, 0, 3),
					"0000 is wrong. The service code of the "+product.Name+" is "+code+", it says so inside the lid."),
			}
		}
		page := b.Add(forumHost, fmt.Sprintf("/t/%d", 500+i), "forum", c.wrap(title, "", strings.Join(posts, "\n")+`<p class="pager">Page 1 of 1</p>`))
		switch {
		case i%4 == 1:
			b.Pose(fmt.Sprintf("forum/code/%d", i), []answersite.Mode{answersite.Named, answersite.Searched}[i/4%2],
				[]answersite.Form{answersite.FormDescribed, answersite.FormNone}[i/4%2],
				[]string{
					"What is the service code of the " + product.Name + " according to " + page.URL + "?",
					"What is the service code of the " + product.Name + "?",
				}[i/4%2],
				answersite.Described{Field: "service_code", Ask: "the service code", Want: answersite.Want{
					Value: answersite.Str(code), Shown: code,
					URLs: []string{page.URL},
				}})
		case i%4 == 0:
			f, known := venue.Fact("admission_adult")
			if !known {
				continue
			}
			b.Ask(answersite.Asking{
				Name: fmt.Sprintf("forum/trap/%d", i), Mode: answersite.Searched, Form: []answersite.Form{answersite.FormNone, answersite.FormSchema}[i/4%2],
				Text: "What does an adult pay at the {name} in Kelm? The museum's own page counts.", Subject: venue, Fields: []string{f.Field}, Lures: []string{wrong},
			})
		case i%8 == 3:
			b.Pose(fmt.Sprintf("forum/asker/%d", i), answersite.Named, answersite.FormSchema, "Who asked the first question at "+page.URL+", and when?",
				answersite.Described{Field: "member", Ask: "name of the member who asked", Want: answersite.Want{
					Value: answersite.Str("tinkerer" + fmt.Sprint(i)),
					Shown: "tinkerer" + fmt.Sprint(i), URLs: []string{page.URL},
				}},
				answersite.Described{Field: "asked_on", Ask: "date of the question", Want: answersite.Want{
					Value: answersite.Day(asked),
					Shown: asked.Format("2 January 2006"), URLs: []string{page.URL},
				}})
		}
	}
}

// files are tasks with context files, alone and together with pages.
func (b *builder) files() {
	for i := range 14 {
		id := fmt.Sprintf("file_dev%02d", i)
		product := b.made["shop"][i*3]
		order, total, due := fmt.Sprintf("A-%d", 7700+i*31), 120.5+float64(i)*17.25, answersite.On(2026, time.June, 2).AddDate(0, 0, i*3)
		customer, mail := mayors[(i*2+5)%len(mayors)], fmt.Sprintf("buyer%d@post.example", i)
		orders := []any{
			map[string]any{"order": "A-1002", "customer": "Ben Sorrow", "total": 18.0, "due": "2026-07-30", "email": "ben@post.example"},
			map[string]any{
				"order": order, "customer": customer, "total": answersite.JSON(total), "due": due.Format(time.DateOnly), "item": product.Name,
				"email": mail,
			},
			map[string]any{"order": "A-1003", "customer": "Ada Sorrow", "total": 44.0, "due": "2026-07-31"},
		}
		file := answersite.File{ID: id, JSON: answersite.JSON(map[string]any{"exported": "2026-05-01", "orders": orders})}
		url := "file:" + id
		fields := []answersite.Described{
			{Field: "customer", Ask: "name of the customer", Want: answersite.Want{Value: answersite.Str(customer), Shown: customer, URLs: []string{url}}},
			{Field: "total", Ask: "total of the order", Want: answersite.Want{Value: answersite.Num(total), Shown: answersite.Num(total).Text, URLs: []string{url}}},
			{Field: "due", Ask: "date on which it is due", Want: answersite.Want{Value: answersite.Day(due), Shown: due.Format(time.DateOnly), URLs: []string{url}}},
			{Field: "email", Ask: "e-mail address of the customer", Want: answersite.Want{Value: answersite.Mail(mail), Shown: mail, URLs: []string{url}}},
		}
		text := fmt.Sprintf("From the orders in the file: customer, total, due date and e-mail of order %s.", order)
		form := []answersite.Form{answersite.FormDescribed, answersite.FormSchema, answersite.FormEmpty, answersite.FormNone}[i%4]
		switch {
		case form == answersite.FormNone:
			fields, text = fields[:1], fmt.Sprintf("Who is the customer of order %s in the file?", order)
		case i%3 == 1:
			fields = append(fields[:2:2], answersite.Described{
				Field: "discount_code", Ask: "discount code of the order",
				Want: answersite.Want{Value: answersite.Str(""), Absent: answersite.NoField, URLs: []string{url}, Clues: []string{"discount"}},
			})
			text = fmt.Sprintf("Customer, total and discount code of order %s in the file.", order)
		case i%3 == 2:
			sku, known := product.Fact("sku")
			if known {
				fields = append(fields[:1:1], answersite.Described{
					Field: "item", Ask: "name of the item",
					Want: answersite.Want{Value: answersite.Str(product.Name), Shown: product.Name, URLs: []string{url}},
				},
					answersite.Described{
						Field: "sku", Ask: "article number (SKU) of the item at Brightwell",
						Want: answersite.Want{Value: sku.Value, Shown: sku.Shown, URLs: []string{product.Page.URL}},
					})
				text = fmt.Sprintf("Customer and item of order %s in the file, and the item's article number: %s", order, product.Page.URL)
			}
		}
		b.Pose("files/"+id, answersite.WithFile, form, text, fields...).Files = []answersite.File{file}
	}
}

// nobody are tasks about what there is not.
func (b *builder) nobody() {
	for i, n := range []struct{ text, subject, field, ask string }{
		{"How many inhabitants does Grimsholt in Varland have?", "Grimsholt", "population", "number of inhabitants"},
		{"What is the e-mail address of Desmond Arkwright at Orrin University?", "Arkwright", "email", "e-mail address of Desmond Arkwright"},
		{"What does the Zephyr Toaster cost at Brightwell?", "Zephyr", "price", "price of the Zephyr Toaster"},
		{"When does the Museum of Buttons in Kelm open?", "Museum of Buttons", "opening_hours", "opening hours of the Museum of Buttons"},
		{"When is the Festival of Thimbles in Varland in 2026?", "Thimbles", "date", "date of the Festival of Thimbles"},
		{"Who is the managing director of the company Vandermeer Optics in Varland?", "Vandermeer", "ceo", "managing director of Vandermeer Optics"},
		{"What is the default of the setting socket_backlog in Tidewire 4?", "socket_backlog", "default", "default value of socket_backlog"},
		{"How long does the Skerry Lines ferry from Fennaby-on-Sea to Walrus Point take?", "Walrus Point", "crossing_minutes", "duration of the crossing in minutes"},
		{"How long does Spoonwright's Turnip Gratin cook?", "Turnip", "cook_minutes", "cooking time of the Turnip Gratin in minutes"},
		{"What was the cost of the Merrow Aqueduct in Varland?", "Merrow", "cost_euros", "cost of the Merrow Aqueduct in euros"},
		{"What is the phone number of the Velvet Museum in Kelm?", "Velvet Museum", "phone", "phone number of the Velvet Museum"},
		{"Which languages does Professor Cornelius Bligh of Orrin University speak?", "Bligh", "languages", "languages spoken by Cornelius Bligh"},
	} {
		types := map[string]answersite.Value{
			"population": answersite.Int(1), "email": answersite.Mail(""), "price": answersite.Money(1, "GBP"), "date": {Type: answersite.Date},
			"crossing_minutes": answersite.Int(1),
			"cook_minutes":     answersite.Int(1), "cost_euros": answersite.Money(1, "EUR"), "phone": answersite.Tel(""), "languages": answersite.Several("x"),
		}
		value, ok := types[n.field]
		if !ok {
			value = answersite.Str("")
		}
		form := forms[i%len(forms)]
		if value.Type == answersite.List {
			form = answersite.FormSchema
		}
		b.Pose("nobody/"+slug(n.subject), answersite.Searched, form, n.text,
			answersite.Described{Field: n.field, Ask: n.ask, Want: answersite.Want{Value: value, Absent: answersite.NoSubject, Subject: n.subject}})
	}
}
