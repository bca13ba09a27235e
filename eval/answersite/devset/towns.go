package devset

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const townHost = "www.varland-gazetteer.example"

// Pairs of towns follow each other that are easily taken for one another.
var townNames = []string{
	"Harlow Bay", "Harlow Head", "Upper Kelm", "Lower Kelm", "Sankt Orvald", "Port Orvald", "Brannick", "Brannock", "Tessing", "Little Tessing",
	"Ostermoor", "Westermoor", "Fennaby", "Fennaby-on-Sea", "Quarrendon", "Dunlaith", "Marrowgate", "Ilverton", "Kestle Mill", "Thornaby Wick",
	"Ravensholm", "Pellworth", "Cold Ashing", "Stavermouth",
}

var mayors = []string{
	"Ingrid Falk", "Tomas Renner", "Alice Whitcombe", "Piet Verhoeven", "Halldor Briem", "Simone Aubry", "Greta Malm", "Owen Tregarth", "Nadia Kessler",
	"Luis Carvalho",
	"Freya Lindt", "Bastian Moor", "Hester Pryce", "Jonas Egeland", "Clara Voss", "Denis Marchetti", "Rhona McAllan", "Viktor Sand", "Eleni Stathis", "Magnus Bray",
	"Petra Hollis", "Anton Dreyer", "Cecily Hart", "Rufus Nyland",
}

func (b *builder) towns() {
	c := chrome{
		site: "Varland Gazetteer", nav: `<a href="/">Places</a> <a href="/maps">Maps</a> <a href="/about">About the gazetteer</a>`,
		foot:   "Varland Gazetteer, edited since 1998. Texts may be used freely.",
		advert: `<aside class="ad">Holiday flats from 49 € a night! 1,200 offers for your next trip.</aside>`,
	}
	layouts := b.layouts(infobox, prose, definitions, mixed, labelled, bullets, prose, divided)
	for i, name := range townNames {
		people, area, founded, elevation := 3100+i*1373+b.r.IntN(900), 8.4+float64(i)*3.7, 1180+i*29+b.r.IntN(12), 3+i*17
		shown := answersite.Group(float64(people), 0, []string{",", " ", "", "."}[i%4], ".")
		s := &answersite.Subject{Name: name, Kind: "City", Facts: []answersite.Fact{
			b.fact("population", answersite.Int(people), []string{"Population", "Inhabitants", "Population (2025)"}[i%3], shown,
				fmt.Sprintf([]string{"%s has %s inhabitants.", "%s is home to %s people.", "The population of %s stands at %s."}[i%3], name, shown), "",
				"the number of inhabitants", "inhabitants", "people"),
			b.fact("area_km2", answersite.Num(area), []string{"Area", "Surface"}[i%2], strings.ReplaceAll(fmt.Sprintf("%.1f km²", area), ".", []string{".", ","}[i/2%2]),
				fmt.Sprintf("The municipality covers %s.", strings.ReplaceAll(fmt.Sprintf("%.1f km²", area), ".", []string{".", ","}[i/2%2])), "",
				"the area in square kilometres", "covers", "km²"),
			b.fact("mayor", answersite.Str(mayors[i]), []string{"Mayor", "Head of council"}[i/3%2], mayors[i],
				fmt.Sprintf([]string{"Its mayor is %s.", "%s has been mayor since the last election.", "The town is led by mayor %s."}[i%3], mayors[i]), "",
				"the name of the mayor", "mayor"),
			b.fact("founded", answersite.Int(founded), []string{"Founded", "First recorded", "Town charter"}[i%3], fmt.Sprint(founded),
				fmt.Sprintf([]string{"It was founded in %d.", "The place is first recorded in %d.", "It received its town charter in %d."}[i%3], founded), "",
				"the year in which it was founded or first recorded",
				"founded", "recorded", "charter"),
			b.fact("elevation_m", answersite.Int(elevation), []string{"Elevation", "Height above sea level"}[i%2], fmt.Sprintf("%d m", elevation),
				fmt.Sprintf("The market square lies %d m above sea level.", elevation), "", "the elevation in metres above sea level", "above sea"),
			b.fact("postal_code", answersite.Str(fmt.Sprintf("VL-%d", 2100+i*37)), []string{"Postal code", "Postcode"}[i%2], fmt.Sprintf("VL-%d", 2100+i*37),
				fmt.Sprintf("Letters need the postal code VL-%d.", 2100+i*37), "postalCode", "the postal code", "VL-"),
			b.fact("website", answersite.Link("https://"+slug(name)+".varland.example/"), "Website", "https://"+slug(name)+".varland.example/",
				fmt.Sprintf("The council publishes its notices at https://%s.varland.example/ every week.", slug(name)), "url",
				"the address of the official web site", slug(name)+".varland"),
		}}
		s.Drop([][]string{{"elevation_m"}, {"website", "mayor"}, {"postal_code"}, {"founded"}, {"mayor"}, {"website", "area_km2"}}[i%6]...)
		b.keep("towns", s)
		near := townNames[(i+5)%len(townNames)]
		lead := fmt.Sprintf("<p>%s is a %s in the %s of Varland, on the road to %s.</p>", name, []string{"town", "market town", "harbour town"}[i%3],
			[]string{"north", "south-west", "east", "hills"}[i%4], near)
		tail := fmt.Sprintf("<h2>Getting there</h2><p>Buses to %s leave every %d minutes from the station. Parking is free on Sundays.</p>", near, 10+i%5*5)
		b.page(c, s, "place", townHost, "/places/"+slug(name), "", lead+layouts[i%len(layouts)](s)+tail)
	}
	b.oldTowns(c)
	b.ask(plan{
		kind: "towns", every: 1,
		fields: [][]string{
			{"population", "mayor"},
			{"founded", "area_km2", "elevation_m"},
			{"postal_code", "website"},
			{"mayor", "population", "founded"},
			{"area_km2"},
			{"elevation_m", "postal_code"},
			{"population", "website", "mayor"},
		},
		named:    []string{"Read {url} and give {asks} of {name}.", "Fill in the form from {url}", "{url}: what are {asks}?"},
		searched: []string{"Find {asks} of {name} in Varland.", "I am writing about {name}, Varland. I need {asks}.", "Facts about {name} (Varland): {asks}"},
		single:   []string{"What is {asks} of {name} in Varland?", "Tell me {asks} of {name}, Varland."},
	})
	for _, i := range []int{1, 7, 13} { // without a mayor, whose twin before them has one
		s, twin := b.made["towns"][i], b.made["towns"][i-1]
		if f, ok := twin.Fact("mayor"); ok {
			b.only(s, answersite.FormDescribed, answersite.Searched, "Who is the mayor of {name} in Varland?", "mayor", f.Shown, f.Value.Text)
		}
	}
}

// oldTowns are editions of the gazetteer that are out of date, and a list of all towns with a figure that no other page has.
func (b *builder) oldTowns(c chrome) {
	for n, i := range []int{2, 4, 8, 10, 14, 16, 18, 20} {
		s := b.made["towns"][i]
		population, _ := s.Fact("population")
		old := answersite.Group(float64(2000+i*811), 0, ",", ".")
		body := fmt.Sprintf(`<p class="notice">This is the edition of 2011. It is kept for reference and no longer updated.</p>
<p>In 2011, %s had %s inhabitants. The mayor at the time was Edmund Carrow.</p><table><tr><th>Census of 2011</th><td>%s</td></tr><tr><th>Households in 2011</th><td>%d</td></tr></table>`,
			s.Name, old, old, 900+i*77)
		page := b.Add(townHost, "/archive/2011/"+slug(s.Name), "place", c.wrap(s.Name+" (edition of 2011)",
			`<meta property="article:published_time" content="2011-09-01">`, body))
		page.Published = answersite.On(2011, time.September, 1)
		switch n % 2 {
		case 0:
			b.Pose(fmt.Sprintf("towns/old/%d", i), answersite.Searched, answersite.FormDescribed,
				fmt.Sprintf("How many households did %s in Varland have in 2024?", s.Name),
				answersite.Described{Field: "households_2024", Ask: "number of households in 2024", Want: answersite.Want{
					Value: answersite.Int(0), Absent: answersite.OnlyOther, URLs: []string{s.Page.URL}, Clues: []string{"households"},
					Lures: []string{fmt.Sprint(900 + i*77)},
				}})
		default:
			b.Pose(fmt.Sprintf("towns/now/%d", i), answersite.Searched, answersite.FormNone, fmt.Sprintf("How many inhabitants does %s in Varland have today?", s.Name),
				answersite.Described{Field: "result", Want: answersite.Want{
					Value: population.Value, Shown: population.Shown, URLs: []string{s.Page.URL}, Lures: []string{old},
				}})
		}
	}
	var rows [][]string
	for i, s := range b.made["towns"] {
		rows = append(rows, []string{s.Name, []string{"North", "South-West", "East", "Hills"}[i%4], fmt.Sprint(2 + i%9), fmt.Sprintf("%.1f %%", 2.1+float64(i)*0.3)})
	}
	list := b.Add(townHost, "/statistics/schools", "collection", c.wrap("Schools and unemployment by town, 2025", "", "<p>As of December 2025.</p>"+
		table("Varland's towns", []string{"Town", "District", "Schools", "Unemployment rate"}, rows...)))
	for n, i := range []int{0, 3, 6, 9, 15, 21} {
		s := b.made["towns"][i]
		text := fmt.Sprintf("From the table at %s: the number of schools and the unemployment rate of %s.", list.URL, s.Name)
		mode := answersite.Named
		if n%2 == 1 {
			text, mode = fmt.Sprintf("How many schools does %s in Varland have, and what is its unemployment rate?", s.Name), answersite.Searched
		}
		b.Pose(fmt.Sprintf("towns/schools/%d", i), mode, []answersite.Form{answersite.FormSchema, answersite.FormDescribed}[n/2%2], text,
			answersite.Described{Field: "schools", Ask: "number of schools", Want: answersite.Want{
				Value: answersite.Int(2 + i%9), Shown: rows[i][2],
				URLs: []string{list.URL},
			}},
			answersite.Described{
				Field: "unemployment_percent", Ask: "unemployment rate in per cent",
				Want: answersite.Want{Value: answersite.Num(float64(21+i*3) / 10), Shown: rows[i][3], URLs: []string{list.URL}},
			})
	}
}

func slug(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(name)), "-")
}
