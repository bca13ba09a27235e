package borough

import "github.com/turnpike-edge/turnpike/eval/answersite"

var wareKind = kind{
	name: "products", schema: "Product", page: "product",
	hosts: []string{"shop.hollin.example", "www.kettleandco.example", "outdoor.example", "store.brightside.example"},
	skins: []skin{product, woo, grid, linked, micro, definitions, prose, plainTable},
	intros: []string{
		"The {n} has been with us for years, and we still use ours every day.", "Meet the {n}.", "Built to be repaired: the {n} comes apart with one screwdriver.",
		"Small, quiet and sturdy. The {n} does what it says.",
	},
	columns: []column{
		{
			field: "price", kind: answersite.Price, label: "Price|Our price|RRP|Cost", said: "It sells at {v}.|It is yours for {v}, carriage included.",
			ask: "what it costs|price|the price", prop: "offers",
		},
		{
			field: "brand", kind: answersite.String, label: "Brand|Maker|Manufacturer|Made by", prop: "brand",
			said: "It is made by {v}.|{v} make it in a small works in the hills.", ask: "the brand|manufacturer|who makes it",
		},
		{
			field: "weight", kind: answersite.Number, label: "Weight (kg)|Net weight, kg|Weight in kg", said: "It weighs {v} kg.|At {v} kg it is no burden.",
			ask: "its weight in kilograms|weight|how heavy it is, in kg",
		},
		{
			field: "warranty", kind: answersite.String, label: "Warranty|Guarantee|Guaranteed for", said: "It comes with a guarantee of {v}.|The warranty lasts {v}.",
			ask: "how long the guarantee is|warranty period|warranty",
		},
		{
			field: "sku", kind: answersite.String, label: "SKU|Item no.|Article number|Part number", prop: "sku", said: "Quote article number {v} when you order.",
			ask: "the article number|SKU|item number",
		},
		{
			field: "colours", kind: answersite.List, label: "Colours|Available in|Colour options", said: "It can be had in {v}.",
			ask: "the colours that it comes in|colors|available colours",
		},
		{field: "stock", kind: answersite.Boolean, label: "In stock|Available now|On stock", said: "In stock: {v}.", ask: "whether it is in stock|in stock?|available"},
		{field: "energy", kind: answersite.Enum, label: "Energy class|Energy rating|Efficiency class", said: "It is rated energy class {v}.", allowed: []string{
			"A", "B",
			"C", "D", "E",
		}, ask: "the energy class|energy rating|efficiency class"},
	},
	rows: [][]string{
		{"Brindle K2 Kettle", "£54.90=54.9 GBP", "Brindle", "1.15", "3 years", "BR-K2-04", "cream;slate;red", "Yes=true", "C"},
		{"Brindle K3 Kettle", "£69.00=69 GBP", "Brindle", "1.3", "5 years", "BR-K3-01", "-", "No=false", "B"},
		{"Oxbow 40 Rucksack", "£119.00=119 GBP", "Oxbow", "1.48", "10 years", "OX40-GRN", "moss;navy", "Yes=true", "-"},
		{"Tarn Two-Person Tent", "£245=245 GBP", "Fellside", "2.9", "-", "FS-TARN2", "green;sand", "Yes=true", "-"},
		{"Luma Desk Lamp", "€79.95=79.95 EUR", "Lumenar", "2.2", "24 months", "LUM-118", "black;white;brass", "No=false", "A"},
		{"Haldane Storage Heater", "£389.99=389.99 GBP", "Haldane", "41.5", "7 years", "HSH-900", "white", "Yes=true", "D"},
		{"Corvid Rain Jacket", "£164.50=164.5 GBP", "Corvid", "0.42", "2 years", "CRV-RJ-M", "-", "Yes=true", "-"},
		{"Millstone Coffee Grinder", "£98=98 GBP", "Millstone", "1.9", "3 years", "-", "steel;copper", "No=false", "-"},
		{"Whisper 12 Dehumidifier", "£210.00=210 GBP", "Airlie", "11.2", "2 years", "WH12-UK", "white;grey", "Yes=true", "A"},
		{"Pippin Toaster", "-", "Brindle", "1.7", "3 years", "BR-PIP-2", "cream;mint", "Yes=true", "C"},
		{"Strand Road Bike Lamp", "£34.25=34.25 GBP", "Strand", "0.09", "18 months", "STR-L1", "-", "No=false", "-"},
		{"Ferrous Skillet 26", "£44=44 GBP", "Ferrous", "2.35", "lifetime", "FE-26", "-", "Yes=true", "-"},
		{"Aurelia Wall Clock", "$129.00=129 USD", "Aurelia", "-", "1 year", "AU-WC9", "walnut;oak", "Yes=true", "-"},
		{"Kelpie Wetsuit", "£189.95=189.95 GBP", "Kelpie", "2.6", "2 years", "KLP-54", "-", "-", "-"},
	},
}

func wares(s *answersite.Set) {
	ask(s, wareKind.build(s), []question{
		{answersite.FormEmpty, answersite.Named, "Extract product data from {url}", "price brand sku"},
		{answersite.FormDescribed, answersite.Searched, "How much is the {name}, and is it available?", "price:cost stock:in_stock"},
		{answersite.FormSchema, answersite.Searched, "Product details for {name}", "price weight:weightKg warranty"},
		{answersite.FormNone, answersite.Searched, "How much does the {name} cost?", "price"},
		{answersite.FormString, answersite.Searched, "{name} weight in kg", "weight"},
		{answersite.FormSchema, answersite.Named, "{url} → {asks}", "energy:energyClass brand:manufacturer stock:inStock"},
		{answersite.FormEmpty, answersite.Searched, "colors and warranty of {name}", "colours:colors warranty"},
		{answersite.FormDescribed, answersite.Named, "Scrape {url}", "sku:item_number price:unit_price weight:weight_kg"},
		{answersite.FormNone, answersite.Searched, "Who makes the {name}?", "brand"},
		{answersite.FormEmpty, answersite.Searched, "{name}: price, energy class, colours", "price:price energy:energy_class colours:colours"},
		{answersite.FormSchema, answersite.Searched, "Is the {name} in stock?", "stock:available"},
		{answersite.FormDescribed, answersite.Searched, "I want to buy the {name}", "price:price warranty:guarantee brand:maker"},
		{answersite.FormNone, answersite.Named, "What guarantee comes with the thing on {url}?", "warranty"},
		{answersite.FormString, answersite.Searched, "SKU of {name}", "sku"},
		{answersite.FormEmpty, answersite.Searched, "Brindle range: {name}", "price:price_gbp energy:energyRating"},
		{answersite.FormSchema, answersite.Searched, "Get {asks} for the {name}.", "colours:availableColours sku"},
		{answersite.FormEmpty, answersite.Named, "{url}", "price:currentPrice weight stock:isAvailable"},
		{answersite.FormNone, answersite.Searched, "price {name}", "price"},
	})
	nobody(s, "products/none/0", answersite.FormEmpty, "Brindle Q7 Waffle Iron", "price of the {name}", field("price",
		"price", answersite.Want{Value: answersite.Money(1, "GBP")}))
	nobody(s, "products/none/1", answersite.FormDescribed, "Tarnhelm Six-Person Tent", "{name}: cost and weight", field("cost",
		"what it costs", answersite.Want{Value: answersite.Money(1, "GBP")}),
		field("weight", "in kg", answersite.Want{Value: answersite.Num(1)}))
}

var dishKind = kind{
	name: "recipes", schema: "Recipe", page: "recipe",
	hosts:  []string{"www.larderandhearth.example", "kitchen.example"},
	skins:  []skin{recipeCard, lines, linked, bullets, micro, tiles},
	intros: []string{"My aunt made {n} every harvest.", "{n} is better on the second day.", "Nothing warms like {n}."},
	columns: []column{
		{
			field: "prep", kind: answersite.Number, label: "Prep (min)|Preparation, minutes|Prep time in minutes", said: "Allow {v} minutes for preparation.",
			ask: "minutes of preparation|prep time in minutes|how long preparation takes, in minutes",
		},
		{
			field: "servings", kind: answersite.Number, label: "Serves|Servings|Portions|Makes", prop: "recipeYield",
			said: "This serves {v}.|The quantities are for {v} people.", ask: "how many it serves|servings|number of portions",
		},
		{
			field: "calories", kind: answersite.Number, label: "Calories|Energy (kcal)|kcal per portion", said: "A portion has {v} calories.",
			ask: "calories per portion|kcal|calories",
		},
		{field: "difficulty", kind: answersite.Enum, label: "Difficulty|Level|Skill", said: "Difficulty: {v}.", allowed: []string{
			"easy", "medium",
			"hard",
		}, ask: "how difficult it is|difficulty|skill level"},
		{
			field: "ingredients", kind: answersite.List, label: "Ingredients|You need|What you need", prop: "recipeIngredient", said: "You need {v}.",
			ask: "the ingredients|ingredients|what is needed",
		},
		{field: "author", kind: answersite.String, label: "Recipe by|Author|From", prop: "author", said: "The recipe is by {v}.", ask: "who wrote the recipe|author|cook"},
	},
	rows: [][]string{
		{"Marl Valley Hotpot", "25", "6", "540", "Easy=easy", "lamb;potatoes;leeks;thyme", "Nell Garrity"},
		{"Saltings Fish Pie", "40", "4", "615", "Medium=medium", "haddock;milk;butter;peas", "Osk Lindgren"},
		{"Plum Batter Pudding", "15", "8", "-", "Easy=easy", "plums;flour;eggs;milk;sugar", "Hattie Brome"},
		{"Smoked Eel Tart", "50", "6", "480", "Hard=hard", "eel;cream;chives", "-"},
		{"Barley and Beet Salad", "20", "2", "350", "Easy=easy", "barley;beetroot;dill", "Ivo Castellane"},
		{"Arkwell Oat Loaf", "-", "12", "190", "Medium=medium", "oats;honey;yeast", "Mabel Stray"},
	},
}

// recipeCard shows the ingredients as a list, and the rest as plugins for recipes do.
func recipeCard(s *answersite.Subject, intro string) string {
	rest, list := "", ""
	for i, f := range s.Facts {
		if f.Value.Type != answersite.List {
			rest += each(s.Facts[i:i+1], `<div class="wprm-recipe-block"><span class="wprm-label">{l}: </span><span class="wprm-value">{v}</span></div>`)
			continue
		}
		s.Facts[i].Shown = f.Value.Items[0]
		list = `<h3>` + esc(f.Label) + `</h3><ul>`
		for _, item := range f.Value.Items {
			list += `<li class="wprm-ingredient">` + esc(item) + `</li>`
		}
		list += `</ul>`
	}
	return `<h1>` + esc(s.Name) + `</h1><p>` + esc(intro) + `</p><div class="wprm-recipe">` + rest + list + `<h3>Method</h3><ol><li>Heat the oven.</li><li>Mix it all and bake until done.</li></ol></div>`
}

func dishes(s *answersite.Set) {
	ask(s, dishKind.build(s), []question{
		{answersite.FormEmpty, answersite.Named, "{url}", "servings ingredients difficulty"},
		{answersite.FormSchema, answersite.Searched, "Recipe for {name}", "prep:prepMinutes servings:serves calories:kcal"},
		{answersite.FormDescribed, answersite.Searched, "Let's cook {name}. What do I need?", "ingredients:shopping_list calories"},
		{answersite.FormNone, answersite.Searched, "How many people does the {name} serve?", "servings"},
		{answersite.FormString, answersite.Searched, "{name}: number of minutes to prepare", "prep"},
		{answersite.FormEmpty, answersite.Searched, "who wrote the recipe {name}", "author prep:prep_time_minutes"},
		{answersite.FormSchema, answersite.Named, "Read the recipe at {url}", "difficulty:level author ingredients"},
		{answersite.FormNone, answersite.Searched, "calories in a portion of {name}", "calories"},
	})
}
