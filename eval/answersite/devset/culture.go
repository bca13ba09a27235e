package devset

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const (
	recipeHost = "www.spoonwright.example"
	eventHost  = "agenda.varland.example"
)

var recipeNames = []string{
	"Saffron Mussel Stew", "Smoked Mussel Stew", "Rye Plum Cake", "Rye Pear Cake", "Leek and Barley Soup", "Leek and Potato Soup", "Juniper Braised Cabbage",
	"Brown Butter Dumplings",
	"Fennel Salt Cod", "Cloudberry Fool", "Mustard Herring", "Walnut Flatbread", "Beetroot Pie", "Chestnut Pasta", "Lovage Risotto", "Honey Buckwheat Pancakes",
	"Sour Cherry Strudel", "Dill Pickled Eggs", "Elderflower Jelly", "Red Lentil Loaf", "Buttermilk Rusks", "Apple Horseradish Relish",
}

func (b *builder) recipes() {
	c := chrome{
		site: "Spoonwright", nav: `<a href="/">Recipes</a> <a href="/seasons">By season</a>`, foot: "Spoonwright. Cook something.",
		advert: `<aside>Our knife set: now 79 €</aside>`,
	}
	layouts := b.layouts(bullets, lines, prose, infobox, definitions, labelled)
	larder := []string{"butter", "rye flour", "leeks", "sea salt", "thyme", "cream", "shallots", "white wine", "barley", "brown sugar", "eggs"}
	for i, name := range recipeNames {
		prep, cook, serves, kcal := 10+i%6*5, 15+i*7%80, 2+i%7, 180+i*23
		author, published := mayors[(i+9)%len(mayors)], answersite.On(2023, time.March, 3).AddDate(0, i, i%20)
		ingredients := []string{larder[i%11], larder[(i+3)%11], larder[(i+7)%11]}
		s := &answersite.Subject{Name: name, Kind: "Recipe", Facts: []answersite.Fact{
			b.fact("prep_minutes", answersite.Int(prep), []string{"Preparation", "Prep time"}[i%2], fmt.Sprintf("%d minutes", prep),
				fmt.Sprintf("Preparation takes %d minutes.", prep), "", "the preparation time in minutes", "preparation"),
			b.fact("cook_minutes", answersite.Int(cook), []string{"Cooking time", "Cooks for"}[i%2], fmt.Sprintf("%d min", cook),
				fmt.Sprintf("Cooking time on a low flame is %d min in all.", cook), "", "the cooking time in minutes", "cooking time"),
			b.fact("servings", answersite.Int(serves), []string{"Serves", "Servings"}[i%2], fmt.Sprint(serves), fmt.Sprintf("The recipe serves %d.", serves),
				"recipeYield", "the number of servings", "serves"),
			b.fact("calories", answersite.Int(kcal), []string{"Energy per serving", "Calories per serving"}[i%2], fmt.Sprintf("%d kcal", kcal),
				fmt.Sprintf("One serving has %d kcal.", kcal), "", "the calories (kcal) per serving", "kcal"),
			b.fact("ingredients", answersite.Several(ingredients...), "Ingredients", strings.Join(ingredients, ", "),
				fmt.Sprintf("You need these ingredients: %s.", strings.Join(ingredients, ", ")), "recipeIngredient", "the ingredients", "ingredients"),
			b.fact("author", answersite.Str(author), []string{"Recipe by", "Author"}[i%2], author, fmt.Sprintf("This recipe is by %s.", author), "author",
				"the author of the recipe", "recipe by", "recipe is by"),
			b.fact("published", answersite.Day(published), "Published", published.Format([]string{"2 January 2006", "2006-01-02", "Jan 2, 2006"}[i%3]),
				"Published "+published.Format([]string{"2 January 2006", "2006-01-02", "Jan 2, 2006"}[i%3])+" in our kitchen diary.", "datePublished",
				"the date of publication", "published"),
		}}
		s.Drop([][]string{{"calories"}, {"author"}, {"prep_minutes"}, {"published"}}[i%4]...)
		b.keep("recipes", s)
		head := ""
		if i%3 == 1 {
			head = s.LD()
		}
		tail := "<h2>Method</h2><ol><li>Warm a heavy pan and soften what has layers.</li><li>Stir for 5 minutes, then leave it alone.</li><li>Rest under a cloth for a quarter of an hour.</li></ol><p>Tip: tastes better the next day.</p>"
		b.page(c, s, "recipe", recipeHost, "/recipes/"+slug(name), head, layouts[i%len(layouts)](s)+tail)
	}
	b.ask(plan{
		kind: "recipes", every: 1,
		fields: [][]string{
			{"cook_minutes", "servings"},
			{"author", "published"},
			{"calories", "ingredients"},
			{"prep_minutes", "cook_minutes", "calories"},
			{"published", "servings", "author"},
		},
		named:    []string{"Give {asks} for {url}", "Recipe card of {url}: {asks}."},
		searched: []string{"Spoonwright's recipe for {name}: {asks}", "How is {name} made by Spoonwright? I need {asks}."},
		single:   []string{"What is {asks} of the {name} by Spoonwright?", "{name}, Spoonwright: {asks}?"},
	})
}

var eventNames = []string{
	"Lantern Festival", "Night of the Lanterns", "Harbour Regatta", "Harbour Jazz Days", "Apple Fair", "Cider Fair", "Winter Book Market", "Spring Book Market",
	"Kite Weekend", "Steam Engine Rally",
	"Chamber Music at Fort Ilver", "Organ Summer", "Robotics Open Day", "Fossil Walk", "Coastal Half Marathon", "Coastal Marathon", "Film Nights on the Quay",
	"Bee Keepers' Meeting", "Old Boats Parade", "Poetry Ferry",
	"Street Piano Week", "Bread Day", "Astronomy Evening", "Dialect Slam", "Chess in the Park", "Glass Blowers' Convention",
}

func (b *builder) events() {
	c := chrome{
		site: "Agenda Varland", nav: `<a href="/">Agenda</a> <a href="/today">Today, 14 May 2026</a> <a href="/submit">Submit an event</a>`,
		foot: "Agenda Varland, the calendar of all towns. Last build 14 May 2026.", advert: `<aside>Advertise here for 12 € a day.</aside>`,
	}
	layouts := b.layouts(labelled, prose, lines, infobox, prose, definitions, microdata)
	statuses := []string{"scheduled", "cancelled", "postponed"}
	for i, name := range eventNames {
		day := answersite.On(2026, time.May, 20).AddDate(0, 0, i*9)
		dayShown := []string{
			day.Format("Monday, 2 January 2006"), day.Format("2 January 2006"), day.Format("02.01.2006"), day.Format("January 2, 2006"),
			answersite.DateIn("fr", day),
		}[i%5]
		start, fee := fmt.Sprintf("%d:%02d", 10+i%10, i%2*30), 6+float64(i%9)*2.5
		feeShown := []string{fmt.Sprintf("€ %.2f", fee), answersite.Group(fee, 2, "", ",") + " €"}[i%2]
		venue, organiser := venueNames[(i*5+2)%len(venueNames)], []string{"Kelm Arts Trust", "Harbour Society", "Friends of the Quay", "Varland Athletics Union"}[i%4]
		status := statuses[[]int{0, 0, 1, 0, 2}[i%5]]
		link := fmt.Sprintf("https://seats.varland.example/e/%d", 7100+i*13)
		s := &answersite.Subject{Name: name + " 2026", Kind: "Event", Facts: []answersite.Fact{
			b.fact("date", answersite.Day(day), []string{"Date", "When"}[i%2], dayShown, fmt.Sprintf("It takes place on %s.", dayShown), "startDate", "the date",
				"takes place on"),
			b.fact("start_time", answersite.Str(start, start+" h", "0"+start, start+":00"), []string{"Begins", "Start"}[i%2], start,
				fmt.Sprintf("The programme begins at %s.", start), "", "the time at which it begins", "begins at"),
			b.fact("venue", answersite.Str(venue), []string{"Venue", "Where", "Place"}[i%3], venue, fmt.Sprintf("The venue is the %s.", venue), "location",
				"the venue", "venue is"),
			b.fact("ticket_price", answersite.Money(fee, "EUR"), []string{"Ticket", "Tickets", "Admission"}[i%3], feeShown,
				fmt.Sprintf("Tickets are %s at the door.", feeShown), "offers", "the price of a ticket", "at the door", "tickets are"),
			b.fact("organiser", answersite.Str(organiser), []string{"Organiser", "Organised by"}[i%2], organiser, fmt.Sprintf("It is organised by the %s.", organiser),
				"organizer", "the organiser", "organised by"),
			b.fact("status", answersite.OneOf(status, statuses...), "Status", status, fmt.Sprintf("As of today the event is %s.", status), "",
				"the status of the event", "the event is"),
			b.fact("booking_url", answersite.Link(link), []string{"Booking", "Book at"}[i%2], link,
				fmt.Sprintf("Seats can be booked at %s until the day before.", link), "url", "the URL for booking", "seats.varland"),
		}}
		s.Drop([][]string{{"booking_url"}, {"organiser"}, {"ticket_price"}, {"start_time"}, {"status"}}[i*3%5]...)
		b.keep("events", s)
		b.page(c, s, "event", eventHost, "/2026/"+slug(name), "", layouts[i%len(layouts)](s)+"<p>Please come by bus or bicycle. Children under 6 are free.</p>")
		if i%3 == 0 {
			b.oldEvent(c, s, name, i)
		}
	}
	b.ask(plan{
		kind: "events", every: 1,
		fields: [][]string{
			{"date", "venue"},
			{"ticket_price", "start_time"},
			{"organiser", "date"},
			{"status", "booking_url"},
			{"venue", "start_time", "ticket_price"},
			{"booking_url", "organiser"},
			{"date", "status"},
		},
		named:    []string{"For the calendar, from {url}: {asks}.", "{url} - {asks}?"},
		searched: []string{"When and how: {name} in Varland. Needed are {asks}.", "Find {asks} of the {name} in Varland."},
		single:   []string{"What is {asks} of the {name} in Varland?", "{name}, Varland: {asks}?"},
	})
}

// oldEvent is the page of a year before, with what was true then; one in two says what the new page does not.
func (b *builder) oldEvent(c chrome, s *answersite.Subject, name string, i int) {
	day := answersite.On(2024, time.June, 1).AddDate(0, 0, i*5)
	visitors, guest := 800+i*61, mayors[(i+3)%len(mayors)]
	body := fmt.Sprintf("<p>The %s of 2024 is over. It took place on %s and had %d visitors. Guest of honour was %s.</p><p>Tickets cost 3.80 € in 2024.</p>", name,
		day.Format("2 January 2006"), visitors, guest)
	page := b.Add(eventHost, "/2024/"+slug(name), "event", c.wrap(name+" 2024", "", body))
	page.Published = day
	if i%2 == 1 {
		b.Pose(fmt.Sprintf("events/visitors/%d", i), answersite.Searched, answersite.FormSchema,
			fmt.Sprintf("How many visitors did the %s in Varland have in 2024, and who was the guest of honour?", name),
			answersite.Described{Field: "visitors", Ask: "number of visitors in 2024", Want: answersite.Want{
				Value: answersite.Int(visitors),
				Shown: fmt.Sprint(visitors), URLs: []string{page.URL},
			}},
			answersite.Described{
				Field: "guest_of_honour", Ask: "name of the guest of honour in 2024",
				Want: answersite.Want{Value: answersite.Str(guest), Shown: guest, URLs: []string{page.URL}},
			})
		return
	}
	b.Pose(fmt.Sprintf("events/guest/%d", i), answersite.Searched, []answersite.Form{
		answersite.FormDescribed, answersite.FormNone, answersite.FormSchema,
		answersite.FormString,
	}[i/6%4],
		fmt.Sprintf("Who is the guest of honour of the %s in Varland?", s.Name),
		answersite.Described{Field: "guest_of_honour", Ask: "the guest of honour in 2026", Want: answersite.Want{
			Value: answersite.Str(""), Absent: answersite.OnlyOther, URLs: []string{s.Page.URL}, Clues: []string{"guest"}, Lures: []string{guest},
		}})
}
