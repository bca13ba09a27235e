package heldout

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const (
	bikeHost = "www.velo-amber.example"
	innHost  = "stay.aarlen.example"
)

var bikeNames = []string{
	"Amber Swift 5", "Amber Swift 7", "Torrent GX", "Torrent GX Carbon", "Mule Cargo", "Mule Cargo Long", "Finch City", "Finch City Step-Through", "Gravelle 1",
	"Gravelle 2",
	"Ibex Enduro", "Ibex Enduro 29", "Moth Folding", "Moth Folding E", "Nightjar", "Nightjar Disc", "Osprey Tri", "Osprey Tri Pro", "Pony 20", "Pony 24",
	"Quarry Fat", "Rambler", "Rambler Lady", "Saffran Tandem",
	"Trolley Kids", "Umbra Track", "Vagabond", "Vagabond Ti", "Wren", "Wren E", "Xenon Aero", "Yak Touring", "Yak Touring Disc", "Zephyra", "Kite Fixie", "Lodestar",
	"Lodestar S", "Dune Hybrid", "Ember Mixte", "Frost Cyclo",
}

func (w *world) bicycles() {
	f := frame{
		brand: "Velo Amber", menu: `<li><a href="/bikes">Bicycles</a></li><li><a href="/service">Service from 89.–</a></li>`,
		bottom: "Velo Amber AG, Kanalgasse 9, Aarlen. All prices with tax. Shipping 25.00",
		beside: `<div class="promo">Helmets now 59.90! <br> Lights 2 for 1</div>`,
	}
	materials := []string{"aluminium", "carbon", "steel", "titanium"}
	shapes := []shape{graph, grid, spans, noted, story, across, dashed, twoUp}
	for i, name := range bikeNames {
		price, currency := 690+float64(i*i)*4.5, []string{"CHF", "JPY", "SEK"}[i%3]
		shown := "CHF " + answersite.Group(price, 2, "'", ".")
		switch currency {
		case "JPY":
			price = float64(int(price)) * 150
			shown = "¥" + answersite.Group(price, 0, ",", ".")
		case "SEK":
			price = float64(int(price)) * 10
			shown = answersite.Group(price, 0, " ", ",") + " kr"
		}
		grams, speeds, model := 7350+i*211, []int{1, 8, 11, 12, 22}[i%5], 2022+i%4
		sizes := [][]string{{"S", "M", "L"}, {"XS", "M", "XL"}, {"48", "52", "56"}}[i%3]
		material := materials[i*3%4]
		code := fmt.Sprintf("76100%08d", 4310+i*777)
		distance, state := 40+i*3, []string{"available", "sold out", "on order"}[i*2%3]
		s := &answersite.Subject{Name: name, Kind: "Product", Facts: []fact{
			{
				Field: "retail_price", Value: answersite.Money(price, currency), Label: []string{"Retail", "Price incl. tax"}[i%2], Shown: shown,
				Said: fmt.Sprintf([]string{"Expect to spend %s.", "It sells at %s.", "Yours for %s."}[i%3], shown), Prop: "offers", Ask: "the retail price",
			},
			{
				Field: "frame", Value: answersite.OneOf(material, materials...), Label: "Frame", Shown: material, Said: fmt.Sprintf("Its frame is of %s.", material),
				Prop: "material", Ask: "the material of the frame",
			},
			{
				Field: "speeds", Value: answersite.Int(speeds), Label: []string{"Speeds", "Gears"}[i%2], Shown: fmt.Sprint(speeds),
				Said: fmt.Sprintf("The number of gears is %d.", speeds), Ask: "the number of gears", Clues: []string{"gears"},
			},
			{
				Field: "weight_g", Value: answersite.Int(grams), Label: []string{"Mass", "Weight without pedals"}[i%2],
				Shown: answersite.Group(float64(grams), 0, "'", ".") + " g", Said: fmt.Sprintf("On our scales it showed %s g.",
					answersite.Group(float64(grams), 0, "'", ".")), Ask: "the weight in grams", Clues: []string{"scales"},
			},
			{
				Field: "sizes", Value: answersite.Several(sizes...), Label: "Sizes", Shown: strings.Join(sizes, ", "),
				Said: fmt.Sprintf("Sizes: %s.", strings.Join(sizes, ", ")), Ask: "the sizes",
			},
			{
				Field: "model_year", Value: answersite.Int(model), Label: "Model year", Shown: fmt.Sprint(model),
				Said: fmt.Sprintf("This is the model year %d.", model), Ask: "the model year",
			},
			{
				Field: "gtin", Value: answersite.Str(code), Label: "GTIN", Shown: code, Said: fmt.Sprintf("The box bears the GTIN %s.", code), Prop: "gtin13",
				Ask: "the GTIN",
			},
			{
				Field: "range_km", Value: answersite.Int(distance), Label: []string{"Range", "Reach of the battery"}[i%2], Shown: fmt.Sprintf("%d km", distance),
				Said: fmt.Sprintf("One charge of the battery lasts for %d km.", distance), Ask: "the range of the battery in kilometres",
				Clues: []string{"battery", "km"},
			},
			{
				Field: "stock", Value: answersite.OneOf(state, "available", "sold out", "on order"), Label: "Stock", Shown: state,
				Said: fmt.Sprintf("Currently %s.", state), Ask: "the state of the stock: available, sold out or on order",
			},
		}}
		s.Drop([][]string{{"gtin"}, {"range_km", "model_year"}, {"weight_g"}, {"range_km"}, {"sizes", "speeds"}}[i%5]...)
		w.add("bicycles", s, f, "product", bikeHost, "/bikes/"+path(name), "",
			"<p>Test ride any day. If in doubt, look at the "+bikeNames[(i+7)%len(bikeNames)]+", too.</p>"+shapes[i%len(shapes)](s))
	}
	w.quiz("bicycles", []string{"retail_price", "weight_g", "gtin", "frame", "speeds", "range_km", "stock", "model_year", "sizes"},
		[]string{"Data sheet from {url}: {asks}.", "Check {url} and note {asks} of the {name}."},
		[]string{"Velo Amber sells the {name}. Note {asks}.", "Bicycle {name} by Velo Amber: tell me {asks}."},
		[]string{"What is {asks} of the bicycle {name} at Velo Amber?", "Velo Amber, bicycle {name}: give {asks}."})
	w.astray("bicycles", "range_km", "Velo Amber's {name}: {asks}?", answersite.FormSchema, 1, 3, 13)
	w.comparisons(f)
}

// comparisons are tables with a bicycle in each column, and a list.
func (w *world) comparisons(f frame) {
	for n := range 4 {
		var head, brakes, tyres, load strings.Builder
		for k := range 4 {
			i := n*9 + k*2
			fmt.Fprintf(&head, "<th>%s</th>", bikeNames[i])
			fmt.Fprintf(&brakes, "<td>%s</td>", []string{"disc", "rim", "drum"}[(n+k)%3])
			fmt.Fprintf(&tyres, "<td>%d mm</td>", 23+(n*5+k*7)%40)
			fmt.Fprintf(&load, "<td>%d kg</td>", 95+n*8+k*11)
		}
		page := w.Add(bikeHost, fmt.Sprintf("/compare/%d", n+1), "collection", f.page(fmt.Sprintf("Comparison %d", n+1), "",
			`<table><thead><tr><th></th>`+head.String()+`</tr></thead><tbody><tr><th>Brakes</th>`+brakes.String()+`</tr><tr><th>Tyre width</th>`+tyres.String()+`</tr><tr><th>Permitted load</th>`+load.String()+`</tr></tbody></table>`))
		for q, k := range []int{1, 2} {
			name := bikeNames[n*9+k*2]
			w.Pose(fmt.Sprintf("compare-%d-%d", n, k), []answersite.Mode{answersite.Named, answersite.Searched}[q],
				[]answersite.Form{answersite.FormSchema, answersite.FormDescribed, answersite.FormEmpty}[(n+q)%3],
				[]string{
					"In the comparison " + page.URL + ": brakes, tyre width and permitted load of the " + name,
					"Velo Amber's comparison: which brakes, tyre width and permitted load has the " + name + "?",
				}[q],
				said("brakes", "type of brakes", answersite.Str([]string{"disc", "rim", "drum"}[(n+k)%3]), []string{"disc", "rim", "drum"}[(n+k)%3], page),
				said("tyre_width_mm", "width of the tyres in millimetres", answersite.Int(23+(n*5+k*7)%40), fmt.Sprintf("%d mm", 23+(n*5+k*7)%40), page),
				said("permitted_load_kg", "permitted load in kilograms", answersite.Int(95+n*8+k*11), fmt.Sprintf("%d kg", 95+n*8+k*11), page))
		}
	}
}

var innNames = []string{
	"Hotel Krone", "Hotel Krone Post", "Gasthaus Linde", "Gasthaus zur Alten Linde", "Pension Edelraute", "Albergo Sole", "Auberge du Lac", "Hostel Nordwand",
	"Kurhaus Emmat", "Villa Carlotta", "Berghaus Fur", "Bergheim Furka-Blick",
	"Motel A3", "Schloss Degersund", "Sporthotel Gorvik", "Ferienhof Bodmen", "Hotel Bellerive", "Hotel Bellevue", "Hüttenhotel Arl", "Townhouse Six",
	"Rotel Station", "Casa Lupo", "Casa Lupino", "Seehof",
}

func (w *world) inns() {
	f := frame{
		brand: "Stay in Aarlen", menu: `<li><a href="/">Where to stay</a></li>`, bottom: "Tourism Aarlen · +41 55 711 00 00 · hello@stay.aarlen.example",
		beside: "<p>Rail pass: 3 days for 120.–</p>",
	}
	shapes := []shape{headed, tagged, dashed, story, across, graph, noted}
	for i, name := range innNames {
		rate, breakfast := 79+float64(i*17%160), 9.5+float64(i%8)
		rateShown := []string{fmt.Sprintf("CHF %.0f.–", rate), fmt.Sprintf("%.2f francs (CHF)", rate), fmt.Sprintf("from CHF %.2f", rate)}[i%3]
		in, rooms, stars := fmt.Sprintf("%d.%02d", 14+i%4, i%2*30), 6+i*7, 1+i*3%5
		phone, mail, link := fmt.Sprintf("+41 55 711 %02d %02d", 12+i, 34+i), fmt.Sprintf("desk%d@stay.aarlen.example", 40+i),
			fmt.Sprintf("https://inn%d.stay.aarlen.example/welcome", 40+i)
		pets, street := i%4 != 1, fmt.Sprintf("%s %d", []string{"Seeweg", "Via Grande", "Bahnhofstrasse", "Quai du Nord"}[i%4], 2+i*3)
		renovated := answersite.On(2009+i%15, time.Month(1+i*5%12), 1+i*9%27)
		s := &answersite.Subject{Name: name, Kind: "Hotel", Facts: []fact{
			{
				Field: "rate_per_night", Value: answersite.Money(rate, "CHF"), Label: []string{"Double room", "Double, one night"}[i%2], Shown: rateShown,
				Said: fmt.Sprintf("A double room is yours at %s for one night.", rateShown), Ask: "the rate of a double room per night", Clues: []string{"double"},
			},
			{
				Field: "breakfast_price", Value: answersite.Money(breakfast, "CHF"), Label: "Breakfast", Shown: fmt.Sprintf("CHF %.2f", breakfast),
				Said: fmt.Sprintf("For breakfast add CHF %.2f.", breakfast), Ask: "the price of breakfast",
			},
			{
				Field: "check_in_from", Value: answersite.Str(in, strings.Replace(in, ".", ":", 1), in+" h"), Label: []string{"Check-in from", "Arrival from"}[i%2],
				Shown: in + " h", Said: fmt.Sprintf("Check-in is from %s h.", in), Prop: "checkinTime", Ask: "the earliest time of check-in",
				Clues: []string{"check-in"},
			},
			{
				Field: "rooms", Value: answersite.Int(rooms), Label: "Rooms", Shown: fmt.Sprint(rooms), Said: fmt.Sprintf("The house counts %d rooms.", rooms),
				Prop: "numberOfRooms", Ask: "the number of rooms", Clues: []string{"counts"},
			},
			{
				Field: "stars", Value: answersite.Int(stars), Label: "Category", Shown: fmt.Sprintf("%d stars", stars),
				Said: fmt.Sprintf("Inspectors awarded %d stars.", stars), Ask: "the number of stars", Clues: []string{"stars"},
			},
			{
				Field: "pets_welcome", Value: answersite.Is(pets), Label: "Pets", Shown: yes(pets, "welcome", "not welcome"),
				Said: yes(pets, "Pets are welcome.", "Pets are not welcome."), Ask: "whether pets are welcome",
			},
			{
				Field: "where/street", Value: answersite.Str(street), Label: "Street", Shown: street, Said: fmt.Sprintf("Walk to %s and ring twice.", street),
				Prop: "address", Ask: "the street and number", Clues: []string{"ring twice"},
			},
			{
				Field: "where/telephone", Value: answersite.Tel(phone), Label: "Tel", Shown: phone, Said: fmt.Sprintf("Those in a hurry dial %s.", phone),
				Prop: "telephone", Ask: "the telephone number", Clues: []string{"dial"},
			},
			{
				Field: "where/mail", Value: answersite.Mail(mail), Label: "Mail", Shown: mail, Said: fmt.Sprintf("Others send a line to %s.", mail), Prop: "email",
				Ask: "the e-mail address", Clues: []string{"send a line"},
			},
			{
				Field: "web", Value: answersite.Link(link), Label: "Web", Shown: link, Said: fmt.Sprintf("Photographs are at %s for who wants to see.", link),
				Prop: "url", Ask: "the address of its web page", Clues: []string{"photographs"},
			},
			{
				Field: "renovated", Value: answersite.Day(renovated), Label: "Reopened after works", Shown: renovated.Format("2 Jan 2006"),
				Said: fmt.Sprintf("After long works it reopened on %s.", renovated.Format("2 Jan 2006")), Ask: "the date of its reopening",
				Clues: []string{"reopened"},
			},
		}}
		s.Drop([][]string{{"breakfast_price", "web"}, {"stars", "where/telephone"}, {"renovated", "where/mail"}, {"rooms"}, {"check_in_from"}}[i%5]...)
		w.add("inns", s, f, "service", innHost, "/house/"+path(name), "",
			"<p>Quiet at night. The bus stop is 200 m away, the lake 1.5 km.</p>"+shapes[i%len(shapes)](s))
	}
	w.quiz("inns", []string{
		"rate_per_night", "where/telephone", "check_in_from", "stars", "rooms", "where/mail", "breakfast_price", "pets_welcome", "renovated",
		"where/street", "web",
	},
		[]string{"Booking aid: open {url}, write down {asks}.", "{url} => {asks}"},
		[]string{"We sleep at {name} in Aarlen. What are {asks}?", "{name}, Aarlen, accommodation: {asks}"},
		[]string{"Please find {asks} of {name}, an accommodation in Aarlen."})
	w.astray("inns", "where/telephone", "Telephone of {name} in Aarlen, that is {asks}", answersite.FormEmpty, 1, 11)
}
