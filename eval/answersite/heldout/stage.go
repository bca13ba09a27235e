package heldout

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const (
	concertHost = "programme.aarlen-hall.example"
	paperHost   = "www.aarlen-bote.example"
	dishHost    = "kochen.aarlen.example"
)

var concertNames = []string{
	"Requiem for a River", "Rivers and Requiems", "The Tin Opera", "The Tin Soldier", "Bach by Candlelight", "Brahms by Candlelight", "Nordic Voices",
	"Voices of the North", "Accordion Summit", "Viola Week Finale",
	"Silent Film with Organ", "Symphony of Bells", "Children's Carnival of Animals", "Gamelan Morning", "Lute Recital", "Quartet Marathon", "New Year's Rehearsal",
	"Baroque Brunch", "Steel Drum Gala", "Tango in the Foyer", "Winterreise Retold", "Harp Circle", "Jazz for Two Pianos", "Chorale Night",
}

func (w *world) concerts() {
	f := frame{
		brand: "Aarlen Hall", menu: `<li><a href="/season">Season 2026/27</a></li><li><a href="/hall">The hall</a></li>`,
		bottom: "Aarlen Hall, founded 1911. Box office Tue–Sat 12–18 h.", beside: "<p>Gift vouchers from CHF 50.00</p>",
	}
	shapes := []shape{story, spans, tagged, headed, twoUp, graph, dashed}
	for i, name := range concertNames {
		day := answersite.On(2026, time.September, 4).AddDate(0, 0, i*8)
		shown := []string{day.Format("Monday, January 2, 2006"), ordinalDay(day), day.Format("2006/01/02"), answersite.DateIn("es", day), day.Format("02/01/2006")}[i%5]
		if i%5 == 4 && day.Day() <= 12 {
			shown = day.Format("2 January, 2006")
		}
		doors, seat := fmt.Sprintf("%d.30", 17+i%4), 28+float64(i%9)*6.5
		seatShown := []string{fmt.Sprintf("CHF %.2f", seat), fmt.Sprintf("Fr. %.2f", seat)}[i%2]
		conductor, hall := people[(i*7+1)%len(people)], []string{"Great Hall", "Chapel", "Foyer", "Studio B"}[i%4]
		minutes, sold := 55+i*4, i%5 == 3
		s := &answersite.Subject{Name: name, Kind: "MusicEvent", Facts: []fact{
			{
				Field: "performed_on", Value: answersite.Day(day), Label: []string{"Performance", "On"}[i%2], Shown: shown,
				Said: fmt.Sprintf([]string{"The performance is on %s.", "Come and hear it on %s.", "The only evening is %s."}[i%3], shown), Prop: "startDate",
				Ask: "the date of the performance",
			},
			{
				Field: "doors", Value: answersite.Str(doors, strings.Replace(doors, ".", ":", 1), doors+" h"), Label: "Doors", Shown: doors + " h",
				Said: fmt.Sprintf("Doors at %s h.", doors), Prop: "doorTime", Ask: "the time at which the doors open",
			},
			{
				Field: "hall", Value: answersite.Str(hall), Label: "Room", Shown: hall, Said: fmt.Sprintf("We play in the %s.", hall),
				Ask: "the room in which it is played", Clues: []string{"we play"},
			},
			{
				Field: "best_seat", Value: answersite.Money(seat, "CHF"), Label: []string{"Seats", "Seat, first category"}[i%2], Shown: seatShown,
				Said: fmt.Sprintf("The best seat is sold at %s.", seatShown), Prop: "offers", Ask: "the price of the best seat", Clues: []string{"best seat"},
			},
			{
				Field: "conductor", Value: answersite.Str(conductor), Label: []string{"Conductor", "Conducted by"}[i%2], Shown: conductor,
				Said: fmt.Sprintf([]string{"%s conducts.", "Under the baton of %s.", "At the desk stands conductor %s."}[i%3], conductor), Ask: "the conductor",
				Clues: []string{"conducts", "baton", "conductor"},
			},
			{
				Field: "duration_min", Value: answersite.Int(minutes), Label: "Lasts", Shown: fmt.Sprintf("%d min", minutes),
				Said: fmt.Sprintf("With the interval it lasts %d min.", minutes), Ask: "the duration in minutes", Clues: []string{"lasts"},
			},
			{
				Field: "sold_out", Value: answersite.Is(sold), Label: "Sold out", Shown: yes(sold, "yes", "no"), Said: yes(sold, "Sold out? Yes.", "Sold out? No."),
				Ask: "whether it is sold out",
			},
		}}
		s.Drop([][]string{{"duration_min"}, {"conductor"}, {"best_seat", "sold_out"}, {"doors"}}[i%4]...)
		w.add("concerts", s, f, "event", concertHost, "/2026/"+path(name), "", shapes[i%len(shapes)](s)+"<p>Latecomers wait for a pause. Cloakroom CHF 2.</p>")
		if i%3 == 1 {
			guest, was := people[(i*3+8)%len(people)], answersite.On(2022, time.November, 2).AddDate(0, 0, i*5)
			old := w.Add(concertHost, "/archive/2022/"+path(name), "event", f.page(name+" (2022)", "",
				fmt.Sprintf("<p>From our archive: on %s, %s was heard here, with the soloist %s. An audience of %d came.</p>", was.Format("2 January 2006"), name,
					guest, 310+i*9)))
			old.Published = was
			if i%2 == 1 {
				w.Pose(fmt.Sprintf("soloist-%d", i), answersite.Searched, []answersite.Form{
					answersite.FormSchema, answersite.FormNone,
					answersite.FormDescribed,
				}[i/6%3], "Who is the soloist of "+name+" at Aarlen Hall in the season of 2026?",
					unsaid("soloist", "the soloist of the performance of 2026", answersite.Str(""), answersite.OnlyOther, []*answersite.Page{s.Page},
						[]string{"soloist"}, guest))
			} else {
				w.Pose(fmt.Sprintf("soloist-%d", i), answersite.Searched, answersite.FormDescribed,
					"Aarlen Hall's performance of "+name+" in 2022: who was the soloist, how large was the audience?",
					said("soloist", "soloist in 2022", answersite.Str(guest), guest, old), said("audience", "size of the audience in 2022", answersite.Int(310+i*9),
						fmt.Sprint(310+i*9), old))
			}
		}
	}
	w.quiz("concerts", []string{"performed_on", "conductor", "doors", "best_seat", "hall", "duration_min", "sold_out"},
		[]string{"Evening out: {url}. I want {asks}.", "Put {asks} from {url} into the form"},
		[]string{"Aarlen Hall plays {name}. I want {asks}.", "{name} at Aarlen Hall: find {asks}"},
		[]string{"At Aarlen Hall they give {name}. What is {asks}?", "I would like to know {asks} for {name} at Aarlen Hall"})
}

func ordinalDay(t time.Time) string {
	suffix := "th"
	switch t.Day() {
	case 1, 21, 31:
		suffix = "st"
	case 2, 22:
		suffix = "nd"
	case 3, 23:
		suffix = "rd"
	}
	return fmt.Sprintf("%d%s %s", t.Day(), suffix, t.Format("January 2006"))
}

var expeditionNames = []string{
	"Arl Glacier Drilling", "Arl Glacier Survey", "Deep Cave Bodmen", "Bog Pollen Project", "Wolf Census", "Lynx Census", "Night Sky Archive", "Peat Railway Dig",
	"Roman Bridge Dig", "Sunken Barge Recovery", "Alpine Swift Ringing", "Echo Mapping of Lake Ottil",
	"Forgotten Dialects Tour", "Seed Vault Convoy", "Meteorite Hunt", "Balloon Crossing", "Salt Road Walk", "Avalanche Radar Trial", "Otter Return",
	"Lightning Field Study",
}

// expeditions are articles.
func (w *world) expeditions() {
	f := frame{
		brand: "Aarlen-Bote", menu: `<li><a href="/region">Region</a></li><li><a href="/stocks">Stocks: +0.4 %</a></li>`,
		bottom: "Aarlen-Bote. Newsroom 055 722 00 00.", beside: "<ul><li>Snow closes pass at 2 140 m</li><li>Council spends 3.2 million on roofs</li></ul>",
	}
	for i, name := range expeditionNames {
		leader, writer := people[(i*5+2)%len(people)], people[(i*11+6)%len(people)]
		left, out := answersite.On(2025, time.February, 5).AddDate(0, 0, i*17), answersite.On(2025, time.March, 1).AddDate(0, 0, i*17)
		leftShown := []string{left.Format("January 2, 2006"), ordinalDay(left), left.Format("2 Jan 2006")}[i%3]
		size, budget, sponsor := 4+i*2, 38000+float64(i)*12500, []string{"Gebert Foundation", "Canton of Aarlen", "Amber Bank", "University of Gorvik"}[i%4]
		budgetShown := []string{
			answersite.Group(budget, 0, "'", ".") + " francs", "CHF " + answersite.Group(budget, 0, ",", "."),
			fmt.Sprintf("Fr. %s", answersite.Group(budget, 0, " ", ".")),
		}[i%3]
		s := &answersite.Subject{Name: name, Kind: "NewsArticle", Facts: []fact{
			{
				Field: "leader", Value: answersite.Str(leader, "Professor "+leader), Label: "Leader", Shown: leader,
				Said: fmt.Sprintf([]string{
					"%s leads the undertaking.", "In charge is %s, who leads it for the first time.",
					"The crew is headed by %s as its leader.",
				}[i%3], leader), Ask: "the leader", Clues: []string{"leads", "headed"},
			},
			{
				Field: "started_on", Value: answersite.Day(left), Label: "Start", Shown: leftShown,
				Said: fmt.Sprintf([]string{"Work started on %s.", "The first boxes were carried up on %s, when the project started.", "It all began on %s."}[i%3],
					leftShown), Ask: "the date on which it started", Clues: []string{"started", "began"},
			},
			{
				Field: "team_size", Value: answersite.Int(size), Label: "Team", Shown: fmt.Sprintf("%d people", size),
				Said: fmt.Sprintf([]string{"Altogether %d people take part.", "The team consists of %d people.", "On site are %d people."}[i%3], size),
				Ask:  "the number of people in the team", Clues: []string{"people"},
			},
			{
				Field: "budget", Value: answersite.Money(budget, "CHF").Or(budgetShown), Label: "Budget", Shown: budgetShown,
				Said: fmt.Sprintf([]string{"The budget amounts to %s.", "A budget of %s was granted.", "There is a budget of %s for it."}[i%3], budgetShown),
				Ask:  "the budget in francs",
			},
			{
				Field: "sponsor", Value: answersite.Str(sponsor, "the "+sponsor), Label: "Sponsor", Shown: sponsor,
				Said: fmt.Sprintf([]string{"The sponsor is the %s.", "The %s acts as sponsor.", "It is sponsored by the %s."}[i%3], sponsor), Ask: "the sponsor",
				Clues: []string{"sponsored"},
			},
		}}
		s.Drop([][]string{{"sponsor"}, {"team_size"}, {"budget"}, {"leader"}}[i%4]...)
		s.Index = i
		w.of["expeditions"] = append(w.of["expeditions"], s)
		body := fmt.Sprintf(`<div class="dateline"><span class="by">Report: %s</span> <time datetime="%s">%s</time></div>`, writer, out.Format(time.DateOnly),
			out.Format("02.01.2006"))
		s.Page = w.Add(paperHost, "/a/"+path(name), "article", f.page(name+": a visit", "",
			body+"<p>Fog hung over the valley when we arrived, an hour late.</p>"+story(s)+"<blockquote>“Ask me again in a year”, we were told.</blockquote><p>Last year another crew gave up after 11 days.</p>"))
		s.Page.Published = out
		if i%4 == 0 {
			w.Pose(fmt.Sprintf("report-%d", i), answersite.Named, answersite.FormDescribed, "Who reported in "+s.Page.URL+", and on which day did it appear?",
				said("reporter", "author of the report", answersite.Str(writer), writer, s.Page),
				said("appeared", "day of publication", answersite.Day(out), out.Format("02.01.2006"), s.Page))
		}
	}
	w.quiz("expeditions", []string{"leader", "started_on", "budget", "team_size", "sponsor"},
		[]string{"Summarise {url} by {asks}.", "The article {url} mentions {asks}; which?"},
		[]string{"News about the {name} near Aarlen: {asks}", "The {name} in Aarlen - what are {asks}?"},
		[]string{"What is {asks} of the {name} in Aarlen?"})
}

var dishNames = []string{
	"Barley Broth Grison", "Barley Broth Ticino", "Capuns Verde", "Hay Cheese Fondue", "Marmot Cake", "Polenta Nera", "Quince Paste", "Rösti Bodmen",
	"Plum Dumplings", "Trout in Paper", "Walnut Tart", "Spinach Gnocchi",
	"Onion Wähe", "Pear Bread", "Carrot Torte", "Lentil Hotpot", "Nettle Soup", "Buckwheat Crêpes", "Sourdough Wheel", "Rhubarb Fool",
}

func (w *world) dishes() {
	f := frame{brand: "Kochen in Aarlen", menu: `<li><a href="/all">All dishes</a></li>`, bottom: "Cook slowly.", beside: "<p>Pans from CHF 39.90</p>"}
	shapes := []shape{dashed, story, spans, noted, headed}
	for i, name := range dishNames {
		total, people4, cook := 25+i*5, 2+i%5, people[(i*5+11)%len(people)]
		oven, kcal := 150+i%8*10, 210+i*31
		level := []string{"easy", "medium", "difficult"}[i*2%3]
		posted := answersite.On(2024, time.June, 2).AddDate(0, 0, i*13)
		s := &answersite.Subject{Name: name, Kind: "Recipe", Facts: []fact{
			{
				Field: "minutes_total", Value: answersite.Int(total), Label: []string{"Total time", "Ready in"}[i%2], Shown: fmt.Sprintf("%d minutes", total),
				Said: fmt.Sprintf("You will be done in %d minutes.", total), Ask: "the total time in minutes", Clues: []string{"done in"},
			},
			{
				Field: "portions", Value: answersite.Int(people4), Label: "Portions", Shown: fmt.Sprint(people4), Said: fmt.Sprintf("Makes portions for %d.", people4),
				Prop: "recipeYield", Ask: "the number of portions",
			},
			{
				Field: "oven_c", Value: answersite.Int(oven), Label: "Oven", Shown: fmt.Sprintf("%d °C", oven), Said: fmt.Sprintf("Heat the oven to %d °C.", oven),
				Ask: "the temperature of the oven in degrees Celsius",
			},
			{
				Field: "kcal", Value: answersite.Int(kcal), Label: "Energy", Shown: fmt.Sprintf("%d kcal per portion", kcal),
				Said: fmt.Sprintf("A portion comes to %d kcal per portion.", kcal), Ask: "the energy in kcal per portion",
			},
			{
				Field: "level", Value: answersite.OneOf(level, "easy", "medium", "difficult"), Label: "Difficulty", Shown: level,
				Said: fmt.Sprintf("Difficulty: %s.", level), Ask: "the difficulty",
			},
			{
				Field: "cook", Value: answersite.Str(cook), Label: []string{"Cook", "From the kitchen of"}[i%2], Shown: cook,
				Said: fmt.Sprintf("We have it from the cook %s.", cook), Prop: "author", Ask: "the name of the cook it is from", Clues: []string{"the cook"},
			},
			{
				Field: "posted", Value: answersite.Day(posted), Label: "Posted", Shown: posted.Format("2006-01-02"),
				Said: "Posted " + posted.Format("2006-01-02") + ".", Prop: "datePublished", Ask: "the date on which it was posted",
			},
		}}
		s.Drop([][]string{{"oven_c"}, {"posted"}, {"minutes_total"}, {"level"}, {"kcal"}}[i%5]...)
		head := ""
		if i%2 == 0 {
			head = s.LD()
		}
		w.add("dishes", s, f, "recipe", dishHost, "/d/"+path(name), head,
			shapes[i%len(shapes)](s)+"<h2>How</h2><p>Chop, sweat for 8 minutes, cover. Salt at the end.</p>")
	}
	w.quiz("dishes", []string{"minutes_total", "cook", "oven_c", "portions", "posted", "kcal", "level"},
		[]string{"From the dish at {url} take {asks}.", "{url}, please: {asks}"},
		[]string{"Kochen in Aarlen has {name}. Which are {asks}?", "Dish {name} of Kochen in Aarlen; {asks}"},
		[]string{"For the dish {name} of Kochen in Aarlen: {asks}?"})
}
