package devset

import (
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const shopHost = "shop.brightwell.example"

// Every second name is a variant of the one before.
var productNames = []string{
	"Norvik 300", "Norvik 300 S", "Halden Trail Lamp", "Halden Trail Lamp Mini", "Corvo Kettle", "Corvo Kettle Pro", "Ember Stove 2", "Ember Stove 3",
	"Tarn Backpack 40", "Tarn Backpack 60",
	"Fjell Tent Duo", "Fjell Tent Trio", "Alder Desk", "Alder Desk XL", "Vesper Headphones", "Vesper Headphones Air", "Quill E-Reader", "Quill E-Reader Plus",
	"Bramble Blender", "Bramble Blender Max",
	"Onyx Drill 18", "Onyx Drill 12", "Sable Monitor 27", "Sable Monitor 32", "Heron Kayak", "Heron Kayak Tandem", "Pike Saw", "Pike Saw Compact", "Lumen Strip",
	"Lumen Strip Outdoor",
	"Rook Chair", "Rook Chair Mesh", "Petrel Jacket", "Petrel Jacket Women", "Sorrel Pan 24", "Sorrel Pan 28", "Tidal Watch", "Tidal Watch SE", "Wicker Heater",
	"Wicker Heater Eco",
	"Juniper Scale", "Juniper Scale Smart", "Kestrel Drone", "Kestrel Drone FPV",
}

var availability = []string{"in stock", "out of stock", "preorder"}

func (b *builder) shop() {
	c := chrome{
		site: "Brightwell", nav: `<a href="/">Shop</a> <a href="/sale">Sale: up to 30 % off</a> <a href="/basket">Basket (0)</a>`,
		foot:   "Brightwell Ltd · Prices include VAT · Free delivery from £ 40",
		advert: `<aside><h2>Customers also bought</h2><ul><li>Spare battery £ 19.90</li><li>Cleaning set £ 7.49</li></ul></aside>`,
	}
	layouts := b.layouts(infobox, microdata, prose, definitions, divided, bullets, labelled)
	for i, name := range productNames {
		price := 19.9 + float64(i*37%211)*3.5
		currency, priceShown := "GBP", fmt.Sprintf("£%s", answersite.Group(price, 2, ",", "."))
		switch i % 4 {
		case 1:
			currency, priceShown = "EUR", answersite.Group(price*2, 2, ".", ",")+" €"
			price *= 2
		case 2:
			currency, priceShown = "USD", "US$ "+answersite.Group(price*3, 2, ",", ".")
			price *= 3
		}
		weight := 0.35 + float64(i*13%50)*0.25
		colours := [][]string{{"black", "sand"}, {"red", "blue", "slate"}, {"white", "moss green"}, {"graphite", "copper", "navy"}}[i%4]
		warranty, sku, stock := 12+i%4*6, fmt.Sprintf("BW-%d-%c", 4410+i*17, 'A'+rune(i%20)), availability[i*5%3]
		rating := float64(31+i*7%18) / 10
		maker := []string{"Norrland Works", "Casa Fabbri", "Pemberton & Sons", "Ikuno"}[i/2%4]
		s := &answersite.Subject{Name: name, Kind: "Product", Facts: []answersite.Fact{
			b.fact("price", answersite.Money(round(price), currency), []string{"Price", "Our price", "Now"}[i%3], priceShown,
				fmt.Sprintf("You can have it for %s.", priceShown), "offers", "the price"),
			b.fact("currency", answersite.OneOf(currency, "GBP", "EUR", "USD", "SEK"), "Currency", currency, "All amounts are in "+currency+".", "",
				"the currency of the price"),
			b.fact("weight_kg", answersite.Num(weight), []string{"Weight", "Net weight"}[i%2], answersite.Group(weight, 2, "", ".")+" kg",
				fmt.Sprintf("It weighs %s kg without packaging.", answersite.Group(weight, 2, "", ".")), "", "the weight in kilograms", "weighs", " kg"),
			b.fact("sku", answersite.Str(sku), []string{"Article number", "SKU", "Item no."}[i%3], sku, fmt.Sprintf("Quote article number %s when you call.", sku),
				"sku", "the article number (SKU)", "BW-"),
			b.fact("warranty_months", answersite.Int(warranty), []string{"Warranty", "Guarantee"}[i%2], fmt.Sprintf("%d months", warranty),
				fmt.Sprintf("The maker gives a warranty of %d months.", warranty), "", "the warranty in months", "warranty", "guarantee"),
			b.fact("colours", answersite.Several(colours...), []string{"Colours", "Available colours"}[i%2], strings.Join(colours, ", "),
				fmt.Sprintf("It comes in the colours %s.", and(colours)), "", "the colours it comes in", "colours"),
			b.fact("availability", answersite.OneOf(stock, availability...), []string{"Availability", "Stock"}[i%2], strings.ToUpper(stock[:1])+stock[1:],
				fmt.Sprintf("The %s is %s.", name, stock), "", "the availability", "stock", "preorder"),
			b.fact("manufacturer", answersite.Str(maker), []string{"Manufacturer", "Made by", "Brand"}[i%3], maker, fmt.Sprintf("It is made by %s.", maker), "brand",
				"the manufacturer", "made by"),
			b.fact("rating", answersite.Num(rating).Or(fmt.Sprintf("%.1f out of 5", rating)), "Rating", fmt.Sprintf("%.1f out of 5", rating),
				fmt.Sprintf("Buyers rate it %.1f out of 5.", rating), "", "the average rating by buyers", "out of 5"),
		}}
		s.Drop([][]string{
			{"currency", "rating"},
			{"currency", "warranty_months"},
			{"currency", "weight_kg"},
			{"currency", "colours"},
			{"currency", "manufacturer"},
			{"currency", "sku"},
		}[i%6]...)
		b.keep("shop", s)
		head := ""
		if i%5 == 0 {
			head = s.LD()
		}
		other := productNames[(i+9)%len(productNames)]
		lead := fmt.Sprintf("<p>Built for long days. Compare it with the %s before you choose.</p>", other)
		b.page(c, s, "product", shopHost, "/p/"+slug(name), head, lead+layouts[i%len(layouts)](s))
	}
	b.shelves(c)
	b.ask(plan{
		kind: "shop", every: 1,
		fields: [][]string{
			{"price", "availability"},
			{"weight_kg", "sku"},
			{"warranty_months", "price"},
			{"colours", "manufacturer"},
			{"rating", "price"},
			{"availability", "sku", "warranty_months"},
			{"manufacturer", "weight_kg", "colours"},
		},
		named:    []string{"From {url} extract {asks} of the {name}.", "What does {url} say on {asks}?", "{url} - product data sheet: {asks}"},
		searched: []string{"Find {asks} of the {name} at Brightwell.", "Brightwell {name}: {asks}", "I want to buy the {name} at Brightwell and need {asks}."},
		single:   []string{"What is {asks} of the {name} at Brightwell?", "{name} at Brightwell: {asks}?"},
	})
	for n, i := range []int{1, 3, 7, 9, 13, 15} {
		field := [][]string{0: {"rating"}, 1: {"warranty_months"}, 2: {"weight_kg"}, 3: {"colours"}, 4: {"manufacturer"}, 5: {"sku"}}[i%6][0]
		s, twin := b.made["shop"][i], b.made["shop"][i-1]
		f, ok := twin.Fact(field)
		if !ok || f.Value.Type == answersite.List {
			continue
		}
		b.only(s, []answersite.Form{answersite.FormDescribed, answersite.FormSchema, answersite.FormEmpty, answersite.FormNone}[n%4],
			[]answersite.Mode{answersite.Searched, answersite.Named}[n%2], []string{"Brightwell {name}: {asks}?", "{url}: what is {asks} of the {name}?"}[n%2],
			field, f.Shown, f.Value.Text)
	}
}

// shelves are pages that list products with what their own pages do not say.
func (b *builder) shelves(c chrome) {
	for n := range 4 {
		var rows [][]string
		var cards strings.Builder
		for i := n * 11; i < n*11+11; i++ {
			s := b.made["shop"][i]
			row := []string{s.Name, fmt.Sprintf("%d %%", 5+i%7*5), fmt.Sprintf("%d days", 2+i%9)}
			rows = append(rows, row)
			fmt.Fprintf(&cards, `<article class="tile"><h3>%s</h3><p>Discount: %s</p><p>Delivery time: %s</p></article>`, answersite.Esc(row[0]), row[1], row[2])
		}
		body := table("Discounts this week", []string{"Product", "Discount", "Delivery time"}, rows...)
		if n%2 == 1 {
			body = cards.String()
		}
		page := b.Add(shopHost, fmt.Sprintf("/shelf/%d", n+1), "collection", c.wrap(fmt.Sprintf("Shelf %d: discounts this week", n+1), "", body))
		for k, at := range []int{2, 5, 8} {
			mode, text := answersite.Named, fmt.Sprintf("On %s, what are the discount and the delivery time of the %s?", page.URL, rows[at][0])
			if k == 2 {
				mode, text = answersite.Searched, fmt.Sprintf("What is this week's discount on the %s at Brightwell, and its delivery time in days?", rows[at][0])
			}
			i := n*11 + at
			b.Pose(fmt.Sprintf("shop/shelf/%d/%d", n, at), mode, []answersite.Form{answersite.FormDescribed, answersite.FormSchema, answersite.FormEmpty}[(n+k)%3],
				text,
				answersite.Described{
					Field: "discount_percent", Ask: "the discount in per cent",
					Want: answersite.Want{Value: answersite.Int(5 + i%7*5), Shown: rows[at][1], URLs: []string{page.URL}},
				},
				answersite.Described{
					Field: "delivery_days", Ask: "the delivery time in days",
					Want: answersite.Want{Value: answersite.Int(2 + i%9), Shown: rows[at][2], URLs: []string{page.URL}},
				})
		}
	}
}

func round(f float64) float64 { return float64(int(f*100+0.5)) / 100 }

func and(items []string) string {
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}
