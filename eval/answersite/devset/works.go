package devset

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const (
	newsHost = "www.varland-courier.example"
	firmHost = "register.varland.example"
)

var workNames = []string{
	"Ilver Bridge", "Ilver Tunnel", "Quay Street School", "Quay Street Library", "North Mole", "South Mole", "Brannick Bypass", "Kelm Swimming Hall",
	"Orvald Tram Line", "Tessing Water Tower",
	"Dunlaith Wind Farm", "Fennaby Sea Wall", "Marrowgate Clinic", "Pellworth Ferry Terminal", "Quarrendon Viaduct", "Stavermouth Lock", "Ravensholm Concert Hall",
	"Kestle Footbridge", "Ashing Heat Plant", "Thornaby Depot",
	"Westermoor Dyke", "Ostermoor Pumping Station",
}

// works are articles in which everything is said in prose.
func (b *builder) works() {
	c := chrome{
		site: "Varland Courier", nav: `<a href="/">News</a> <a href="/sport">Sport</a> <a href="/weather">Weather: 14 °C</a>`,
		foot: "Varland Courier, 12 Press Lane. Subscriptions 18 € a month.", advert: `<aside><p>Read also: Council debates budget of 210 million euros</p></aside>`,
	}
	for i, name := range workNames {
		cost, length := 2.4+float64(i)*1.7, 120+i*83
		opened, published := answersite.On(2025, time.January, 9).AddDate(0, 0, i*19), answersite.On(2025, time.January, 11).AddDate(0, 0, i*19)
		builder, architect, author := []string{"Hallam Construction", "Gebrüder Roth", "Norrbro AB"}[i%3], mayors[(i*3+1)%len(mayors)], mayors[(i*5+2)%len(mayors)]
		costShown := []string{
			fmt.Sprintf("%.1f million euros", cost), fmt.Sprintf("€%.1f million", cost),
			fmt.Sprintf("%s euros", answersite.Group(cost*1e6, 0, ",", ".")),
		}[i%3]
		openedShown := opened.Format([]string{"2 January 2006", "January 2, 2006", "Monday 2 January 2006"}[i%3])
		s := &answersite.Subject{Name: name, Kind: "NewsArticle", Facts: []answersite.Fact{
			b.fact("opening_date", answersite.Day(opened), "Opening", openedShown, fmt.Sprintf([]string{
				"The %s was opened on %s by the minister of works.",
				"On %[2]s, after years of delay, the %[1]s opened.", "Crowds came when the %s was inaugurated on %s.",
			}[i%3], name, openedShown), "",
				"the date on which it opened", "opened on", "inaugurated"),
			b.fact("cost_euros", answersite.Money(round(cost*1e6), "EUR").Or(costShown), "Cost", costShown,
				fmt.Sprintf([]string{"The work cost %s in the end.", "Its price tag came to %s.", "The town paid %s for it."}[i%3], costShown), "",
				"the cost in euros", "cost", "price tag", "paid"),
			b.fact("length_m", answersite.Int(length), "Length", fmt.Sprintf("%s metres", answersite.Group(float64(length), 0, ",", ".")),
				fmt.Sprintf("It is %s metres long.", answersite.Group(float64(length), 0, ",", ".")), "", "the length in metres", "metres"),
			b.fact("contractor", answersite.Str(builder), "Contractor", builder, fmt.Sprintf([]string{
				"%s was the contractor.", "The contract had gone to %s.",
				"It was built by %s.",
			}[i%3], builder), "", "the contractor that built it", "contractor", "contract", "built by"),
			b.fact("architect", answersite.Str(architect), "Architect", architect, fmt.Sprintf([]string{
				"The design is by the architect %s.",
				"Architect %s drew the plans.", "It was designed by the architect %s.",
			}[i%3], architect), "", "the name of the architect", "architect"),
		}}
		s.Drop([][]string{{"length_m"}, {"architect"}, {"contractor"}, {"cost_euros"}}[i%4]...)
		b.keep("works", s)
		byline := fmt.Sprintf("<p class=\"byline\">By %s, %s</p>", author, published.Format("2 January 2006"))
		filler := fmt.Sprintf("<p>Neighbours had complained about dust and noise for %d months. “We are glad that it is over,” said a baker in the next street.</p><p>The older bridge upstream will be closed to lorries from autumn.</p>", 7+i)
		s.Page = b.Add(newsHost, fmt.Sprintf("/%d/%s", published.Year(), slug(name)), "article",
			c.wrap(name+" is open", fmt.Sprintf(`<meta name="author" content="%s"><meta property="article:published_time" content="%s">`,
				answersite.Esc(author), published.Format(time.DateOnly)), byline+prose(s)+filler))
		s.Page.Published = published
		if i%4 == 1 {
			b.Pose(fmt.Sprintf("works/byline/%d", i), answersite.Named, answersite.FormSchema, "Who wrote the article at "+s.Page.URL+" and when was it published?",
				answersite.Described{Field: "author", Ask: "the journalist who wrote it", Want: answersite.Want{
					Value: answersite.Str(author), Shown: author,
					URLs: []string{s.Page.URL},
				}},
				answersite.Described{Field: "published", Ask: "the date of the article", Want: answersite.Want{
					Value: answersite.Day(published),
					Shown: published.Format("2 January 2006"), URLs: []string{s.Page.URL},
				}})
		}
	}
	b.ask(plan{
		kind: "works", every: 1,
		fields: [][]string{
			{"opening_date", "contractor"},
			{"length_m", "architect"},
			{"architect", "opening_date"},
			{"contractor", "cost_euros"},
			{"opening_date", "length_m", "contractor", "architect"},
			{"cost_euros", "architect"},
		},
		named:    []string{"Read the article {url} and answer: {asks} of the {name}.", "{url}: {asks}"},
		searched: []string{"What are {asks} of the {name} in Varland?", "Research the {name}, Varland: {asks}."},
		single:   []string{"What is {asks} of the {name} in Varland?", "{asks}: {name}, Varland?"},
	})
}

var firmNames = []string{
	"Aldermoor Timber", "Aldermoor Timber Holding", "Corvex Pharma", "Corvex Pharmaceuticals North", "Tidewire", "Tidewind Energy", "Brightwell Ltd",
	"Sankt Orvald Werft", "Boulangerie Maury", "Pemberton & Sons",
	"Casa Fabbri", "Ikuno", "Norrland Works", "Gebrüder Roth", "Hallam Construction", "Skerry Lines", "Kelm Savings Bank", "Varland Dairy", "Ostermoor Glas",
	"Lumière et Fils",
	"Pellworth Shipping", "Quill Electronics",
}

func (b *builder) firms() {
	layouts := b.layouts(infobox, definitions, divided, labelled, lines)
	for i, name := range firmNames {
		language := []string{"en", "de", "fr"}[i%3]
		c := chrome{
			site: "Varland Register", nav: `<a href="/">Register</a> <a href="/search">Search</a>`,
			foot: "Varland Register of Companies. No liability is accepted.", lang: language,
		}
		staff, revenue, founded := 14+i*97, 1.8+float64(i*i)*0.9, answersite.On(1871+i*6, time.Month(1+i%12), 2+i%25)
		ceo, seat := mayors[(i*7+4)%len(mayors)], townNames[(i*5+1)%len(townNames)]
		vat := fmt.Sprintf("VL%d", 30011245+i*8713)
		phone := fmt.Sprintf("0%d / %d-0", 4310+i, 55120+i*91)
		l := map[string][]string{
			"en": {"Employees", "Managing director", "Registered office", "Founded", "VAT number", "Telephone", "Revenue 2025", "Legal form"},
			"de": {"Mitarbeiter", "Geschäftsführung", "Sitz", "Gegründet", "USt-IdNr.", "Telefon", "Umsatz 2025", "Rechtsform"},
			"fr": {"Effectif", "Directeur général", "Siège", "Création", "Numéro de TVA", "Téléphone", "Chiffre d'affaires 2025", "Forme juridique"},
		}[language]
		people := answersite.Group(float64(staff), 0, map[string]string{"en": ",", "de": ".", "fr": " "}[language], ".")
		money := map[string]string{
			"en": fmt.Sprintf("€ %.1f million", revenue), "de": answersite.Group(revenue, 1, ".", ",") + " Mio. €",
			"fr": answersite.Group(revenue, 1, " ", ",") + " millions d'euros",
		}[language]
		day := map[string]string{"en": founded.Format("2 January 2006"), "de": answersite.DateIn("de", founded), "fr": answersite.DateIn("fr", founded)}[language]
		legal := []string{"limited company", "partnership", "foundation"}[i%3]
		legalShown := []string{"limited company", "Personengesellschaft (partnership)", "fondation (foundation)"}[i%3]
		s := &answersite.Subject{Name: name, Kind: "Organization", Facts: []answersite.Fact{
			fact("employees", answersite.Int(staff), l[0], people, "", "numberOfEmployees", "the number of employees"),
			fact("ceo", answersite.Str(ceo), l[1], ceo, "", "", "the managing director (CEO)"),
			fact("headquarters", answersite.Str(seat), l[2], seat, "", "", "the town of its registered office"),
			fact("founded_on", answersite.Day(founded), l[3], day, "", "foundingDate", "the date on which it was founded"),
			fact("vat_id", answersite.Str(vat), l[4], vat, "", "vatID", "the VAT number", "VL30"),
			fact("phone", answersite.Tel(phone), l[5], phone, "", "telephone", "the telephone number"),
			fact("revenue_2025", answersite.Money(round(revenue*1e6), "EUR").Or(money), l[6], money, "", "", "the revenue of 2025 in euros", "2025"),
			fact("legal_form", answersite.OneOf(legal, "limited company", "partnership", "foundation").Or(legalShown,
				strings.TrimSuffix(legalShown, " ("+legal+")")), l[7], legalShown, "", "", "the legal form"),
		}}
		s.Drop([][]string{{"phone"}, {"revenue_2025"}, {"vat_id", "ceo"}, {"employees"}, {"founded_on"}}[i%5]...)
		b.keep("firms", s)
		head := ""
		if i%4 == 0 {
			head = s.LD()
		}
		tail := map[string]string{
			"en": "<p>Entries are checked once a year.</p>", "de": "<p>Die Angaben werden jährlich geprüft.</p>",
			"fr": "<p>Les données sont vérifiées chaque année.</p>",
		}[language]
		b.page(c, s, "organisation", firmHost, "/firms/"+slug(name), head, layouts[i%len(layouts)](s)+tail)
	}
	b.ask(plan{
		kind: "firms", every: 1,
		fields: [][]string{
			{"employees", "ceo"},
			{"headquarters", "founded_on"},
			{"vat_id", "phone"},
			{"ceo", "legal_form"},
			{"founded_on", "employees", "headquarters"},
			{"phone", "headquarters"},
			{"legal_form", "vat_id"},
		},
		named:    []string{"Company profile from {url}: {asks}.", "Read {url} ({name}): {asks}"},
		searched: []string{"Varland register, firm {name}: {asks}", "Find {asks} of the company {name} in Varland."},
		single:   []string{"What is {asks} of the company {name} in Varland?", "{name} (company in Varland): {asks}?"},
	})
	for n, i := range []int{1, 7, 11} { // what is said is of 2025
		s := b.made["firms"][i]
		b.Pose(fmt.Sprintf("firms/2019/%d", i), []answersite.Mode{answersite.Named, answersite.Searched}[n%2], answersite.FormDescribed,
			fmt.Sprintf("What was the profit of the company %s in 2019? %s", s.Name, []string{s.Page.URL, ""}[n%2]),
			answersite.Described{Field: "profit_2019", Ask: "profit in 2019, in euros", Want: answersite.Want{
				Value: answersite.Money(0, "EUR"), Absent: answersite.OnlyOther, URLs: []string{s.Page.URL}, Clues: []string{"2019", "profit", "Gewinn", "bénéfice"},
			}})
	}
}
