package devset

import (
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const visitHost = "www.visit-kelm.example"

var venueNames = []string{
	"Museum of Lanterns", "Museum of Lighthouses", "Kelm Observatory", "Kelm Conservatory", "Glass Pavilion", "Glass House Gardens", "Old Custom House",
	"New Custom House",
	"Salt Mine of Orvald", "Salt Works of Orvald", "Aviary on the Hill", "Tower of Saint Brice", "Maritime Arsenal", "Paper Mill Museum", "Clockmakers' Hall",
	"Cathedral Treasury",
	"Botanic Rooms", "Harbour Aquarium", "Tram Depot Museum", "Weavers' Cottage", "Fort Ilver", "Puppet Theatre Archive", "Museum of Maps", "Wind Organ Park",
}

func (b *builder) venues() {
	c := chrome{
		site: "Visit Kelm", nav: `<a href="/">Visit Kelm</a> <a href="/see">See</a> <a href="/eat">Eat</a>`,
		foot: "Tourist office, 1 Station Square, open daily 8:30–19:00. visit@visit-kelm.example", advert: `<aside>City pass: 3 days, all trams, 39 €.</aside>`,
	}
	layouts := b.layouts(prose, labelled, infobox, bullets, mixed, definitions, divided)
	for i, name := range venueNames {
		adult := 4.5 + float64(i*3%17)*0.5
		adultShown := []string{
			fmt.Sprintf("%.2f €", adult), "€" + answersite.Group(adult, 2, "", "."), answersite.Group(adult, 2, "", ",") + " €",
			fmt.Sprintf("EUR %.2f", adult),
		}[i%4]
		opens, closes := 8+i%3, 16+i%4
		hours := fmt.Sprintf("%d:00–%d:30", opens, closes)
		street := fmt.Sprintf("%d %s", 3+i*7, []string{"Cooper Lane", "Ropewalk", "Saint Brice Street", "Quay Road"}[i%4])
		phone := fmt.Sprintf("+43 5554 %d", 20118+i*311)
		mail := fmt.Sprintf("%s@visit-kelm.example", slug(strings.Fields(strings.ToLower(name))[len(strings.Fields(name))-1]+fmt.Sprint(i)))
		access, dogs := i%3 != 1, i%4 == 2
		opened := answersite.On(1961+i*2, 1, 1).AddDate(0, i%12, i*5%27)
		openedShown := []string{opened.Format("2 January 2006"), opened.Format("02.01.2006"), opened.Format("January 2, 2006"), answersite.DateIn("de", opened)}[i%4]
		closed := []string{"Monday", "Tuesday", "Wednesday"}[i%3]
		s := &answersite.Subject{Name: name, Kind: "Museum", Facts: []answersite.Fact{
			b.fact("opening_hours", answersite.Str(hours, fmt.Sprintf("%d:00 to %d:30", opens, closes), fmt.Sprintf("%02d:00–%d:30", opens, closes),
				fmt.Sprintf("daily %s", hours)), []string{"Opening hours", "Open"}[i%2], hours,
				fmt.Sprintf("The doors are open %s.", hours), "", "the opening hours", "doors are open"),
			b.fact("closed_on", answersite.OneOf(closed, "Monday", "Tuesday", "Wednesday", "Thursday").Or(closed+"s"),
				[]string{"Closed on", "Weekly closing day"}[i%2], closed+"s",
				fmt.Sprintf("It stays closed on %ss.", closed), "", "the weekday on which it is closed", "closed on"),
			b.fact("admission_adult", answersite.Money(adult, "EUR"), []string{"Admission (adults)", "Adult ticket", "Entrance fee, adults"}[i%3], adultShown,
				fmt.Sprintf([]string{"Adults pay %s.", "Admission for adults is %s.", "A ticket for adults costs %s."}[i%3], adultShown), "",
				"the admission price for adults", "adults", "adult"),
			b.fact("address", answersite.Str(street, street+", Kelm"), "Address", street, fmt.Sprintf("You find it at %s.", street), "address", "the street address",
				"find it at"),
			b.fact("contact/phone", answersite.Tel(phone), []string{"Phone", "Telephone"}[i%2], phone, fmt.Sprintf("Groups book by phone: %s.", phone), "telephone",
				"the phone number", "+43"),
			b.fact("contact/email", answersite.Mail(mail), []string{"E-mail", "Contact"}[i%2], mail, fmt.Sprintf("Questions go to %s.", mail), "email",
				"the e-mail address", "questions go to"),
			b.fact("wheelchair_accessible", answersite.Is(access), []string{"Wheelchair accessible", "Wheelchair access"}[i%2],
				map[bool]string{true: "yes", false: "no"}[access],
				map[bool]string{
					true:  "All floors are wheelchair accessible: yes, even the cellar.",
					false: "There are only stairs, so no, it is not wheelchair accessible.",
				}[access], "", "whether it is wheelchair accessible", "wheelchair"),
			b.fact("dogs_allowed", answersite.Is(dogs), "Dogs allowed", map[bool]string{true: "yes", false: "no"}[dogs],
				map[bool]string{true: "Are dogs allowed? Yes, dogs are allowed on a leash.", false: "Are dogs allowed? No, dogs are not allowed."}[dogs], "",
				"whether dogs are allowed", "dogs"),
			b.fact("opened", answersite.Day(opened), []string{"Opened to the public", "Inaugurated"}[i%2], openedShown,
				fmt.Sprintf([]string{"It opened to the public on %s.", "It was inaugurated on %s."}[i%2], openedShown), "",
				"the date on which it opened to the public", "inaugurated", "to the public"),
		}}
		s.Drop([][]string{{"dogs_allowed"}, {"contact/phone"}, {"opened", "closed_on"}, {"wheelchair_accessible"}, {"contact/email"}, {"admission_adult"}}[i%6]...)
		b.keep("venues", s)
		head := ""
		if i%6 == 4 {
			head = s.LD()
		}
		lead := fmt.Sprintf("<p>A favourite of visitors. Tram %d stops in front of the door, every 12 minutes.</p>", 1+i%7)
		b.page(c, s, "place", visitHost, "/see/"+slug(name), head, lead+layouts[i%len(layouts)](s))
	}
	b.ask(plan{
		kind: "venues", every: 1,
		fields: [][]string{
			{"opening_hours", "admission_adult"},
			{"contact/phone", "contact/email"},
			{"wheelchair_accessible", "address"},
			{"opened", "closed_on"},
			{"dogs_allowed", "admission_adult"},
			{"admission_adult", "opened", "wheelchair_accessible"},
			{"address", "contact/phone"},
		},
		named:    []string{"We plan a visit to {name}; see {url}. Needed: {asks}.", "Extract {asks} from {url}"},
		searched: []string{"{name}, Kelm: what are {asks}?", "Planning a trip to Kelm. For the {name}: {asks}."},
		single:   []string{"What is {asks} of the {name} in Kelm?", "{name} (Kelm): {asks}?"},
	})
	for n, i := range []int{1, 5, 7} {
		s, twin := b.made["venues"][i], b.made["venues"][i-1]
		field := []string{"contact/phone", "admission_adult", "contact/phone"}[n]
		if f, ok := twin.Fact(field); ok {
			b.only(s, []answersite.Form{answersite.FormDescribed, answersite.FormNone, answersite.FormSchema}[n], answersite.Searched,
				"{asks} of the {name} in Kelm?", field, f.Shown, f.Value.Text)
		}
	}
}
