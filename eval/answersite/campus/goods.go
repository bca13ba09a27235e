package campus

func goods() []kind {
	return []kind{
		{
			name: "shop", page: "product", host: "www.gearbarn.example",
			cols: "name,maker,price:eur,old:eur,weight:num,battery:int,colours:list,warranty:int,made_in,material,launch:date,stock:int,sku",
			rows: []string{
				"Torrent 40 Backpack|Halvard Outdoor|129|159|1.35|9|moss/slate/rust|five=5|Portugal|recycled nylon|2025-03-10|23|HV-40-TR",
				"Pebble S2 Headphones|Auralis|89.90|119.90|0.21|34|black/ivory|two=2|Vietnam|aluminium and felt|2025-10-02|140|AU-PS2",
				"Lumen Trail Lamp|Nightjar|64|72|0.12|48|orange/grey|three=3|Slovenia|anodised aluminium|2024-09-18|61|NJ-TL1",
				"Kessel Pour-Over Kettle|Brauhaus & Co|74.50|95|0.98|12|copper/black/white|four=4|Austria|stainless steel|2025-01-27|9|BH-KPK",
				"Drift Sleeping Mat|Halvard Outdoor|99|140|0.61|7|blue/yellow|ten=10|Estonia|laminated polyester|2026-02-05|35|HV-DR-M",
				"Scribe E-Ink Pad|Folio Labs|279|329|0.39|21|graphite/sand|two=2|Taiwan|magnesium|2025-06-24|18|FL-SC1",
			},
			texts: []string{
				`{name} by {maker} | Gearbarn
# {name}
The {name} from {maker} used to cost {old}; until the end of the month we sell it for {price}. It weighs just {weight} kg, comes in {colours}, and is made of {material} in {made_in}.
{maker} gives {warranty} years of warranty. We have {stock} in stock.
## What customers say
"Mine weighs 2 kg with everything in it. Great!" - Lotte`,
				`Tested: {name}
# {name}: our verdict
{maker} launched the {name} on {launch}. At {weight} kilograms it is the lightest of its class, and the battery, which the maker says lasts {battery} hours, gave up after 30 in our test.
You pay {price} (down from {old}). There are {colours} versions, and a warranty of {warranty} years.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2, 5}, mode: bySearch, form: empty, text: "What does the {name} cost now, and what does it weigh in kg?", wants: "price=price;weight_kg=weight"},
				{rows: []int{3, 4, 0}, mode: bySearch, form: told, text: "{name} details", wants: "manufacturer=maker~company that makes it;previous_price=old~price before the reduction;warranty_years=warranty~length of the warranty in years;colors=colours~colours in which it is sold;country=made_in~country of manufacture"},
				{rows: []int{5, 1}, mode: byURL, form: schema, text: "{url}", wants: "batteryHours=battery~battery life that the maker states, in hours;launchDate=launch~date of launch;material=material~what it is made of"},
				{rows: []int{2}, mode: bySearch, form: none, text: "How many {name}s are in stock at Gearbarn?", wants: "x=stock"},
				{rows: []int{2, 4}, mode: bySearch, form: empty, text: "{name} SKU, dimensions, waterproof rating", wants: "sku=!string;dimensions=!string;waterproof_rating=!string"},
				{rows: []int{3}, mode: bySearch, form: empty, text: "Price and weight of the {name}", wants: "price=price;weight=weight", ghost: "Gannet 55 Rucksack"},
			},
		},
		{
			name: "flats", page: "listing", host: "www.keysandstairs.example",
			cols: "name,street,rent:eur,deposit:eur,size:num,rooms:int,floor,pets:bool,free:date,heating,landlord,tel:tel,costs:eur",
			rows: []string{
				"Bright attic flat by the canal|Lindengracht 14|€1,150=1150|€2,300=2300|62|three=3|fourth floor|pets are welcome=true|2026-06-01|district heating|Mrs Oldenkamp|+31 20 555 0142|140",
				"Studio near the station|Bahnhofsplatz 3|690|€1,380=1380|31|one=1|second floor|no pets, please=false|2026-07-15|gas heating|Wohnbau Ritter|+49 30 5550 1177|95",
				"Family flat with garden|Rue des Tilleuls 27|€1,820=1820|€3,640=3640|118|five=5|ground floor|pets are welcome=true|2026-09-01|a heat pump|Monsieur Delattre|+33 1 55 50 12 34|210",
				"Loft in the old mill|Mill Lane 8|€1,490=1490|€2,980=2980|95|two=2|third floor|no pets, please=false|2026-05-20|underfloor heating|the Mill Trust|+353 1 555 0190|160",
			},
			texts: []string{
				`{name}
# {name}
For rent from {free}: {rooms} rooms on the {floor} of {street}, {size} square metres in all. The rent is {rent} a month, to which come about {costs} of running costs; a deposit of {deposit} is due when you move in.
There is {heating}, and {pets}. Call {landlord} on {tel}.`,
				`To let: {name}
# {name}, {street}
{landlord} lets this flat of {size} m² ({rooms} rooms, {floor}). It will be free on {free}. Monthly rent {rent} plus {costs} for heating and water. As for animals: {pets}.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2}, mode: bySearch, form: empty, text: "\"{name}\": what is the monthly rent, how large is it and when is it available?", wants: "rent=rent;size_m2=size;available_from=free"},
				{rows: []int{3, 2}, mode: byURL, form: told, text: "Flat at {url}", wants: "deposit=deposit~deposit;rooms=rooms~number of rooms;running_costs=costs~running costs per month;phone=tel~phone number to call;address=street~street and number"},
				{rows: []int{1, 0}, mode: byURL, form: schema, text: "{url} Are pets allowed?", wants: "petsAllowed=pets~whether pets are allowed"},
				{rows: []int{3, 1}, mode: byURL, form: empty, text: "{url} - year of construction, energy class and e-mail of the landlord", wants: "year_built=!int;energy_class=!string;email=!mail"},
			},
		},
		{
			name: "recipes", page: "recipe", host: "www.thesmallstove.example",
			cols: "name,cook,serves:int,oven:int,bake:int,rest:int,flour:int,origin,wine,calories:int,key",
			rows: []string{
				"Buckwheat Plum Cake|Hedda Lorentz|eight=8|175|45|20|250|Lower Silesia|a glass of tokay|320|plums",
				"Leek and Mussel Pie|Gwilym Rees|six=6|190|35|30|300|the Gower coast|dry cider|410|mussels",
				"Chestnut Flatbread|Donatella Ricci|four=4|220|12|60|400|Garfagnana|young chianti|280|chestnut flour",
				"Smoked Trout Gratin|Jukka Salonen|five=5|200|25|10|40|Savonia|a light beer|365|trout",
			},
			texts: []string{
				`{name} - The Small Stove
# {name}
<p class="by">A recipe by {cook}</p>
This dish comes from {origin}, where {cook} grew up. It feeds {serves} hungry people. Rub {flour} g of flour with 120 g of butter, let the dough rest for {rest} minutes, and meanwhile see to the {key}.
Bake for {bake} minutes at {oven} °C, then turn the oven down to 140 °C and leave it in for another ten. Each portion has about {calories} kcal. With it goes {wine}.`,
				`{name}
# {name}, the way {cook} makes it
"Do not hurry," says {cook}. The oven has to be at {oven} degrees before anything goes in; {bake} minutes later it is done. The quantities are for {serves} people. Of flour you need {flour} grams.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2}, mode: bySearch, form: empty, text: "How many people does the {name} serve, at what temperature is it baked and for how many minutes?", wants: "servings=serves;oven_temperature=oven;baking_minutes=bake"},
				{rows: []int{2, 3}, mode: bySearch, form: told, text: "{name} recipe", wants: "author=cook~whose recipe it is;flour_g=flour~grams of flour;resting_time=rest~minutes of resting;calories=calories~kcal per portion;region=origin~where the dish comes from"},
				{rows: []int{0, 3}, mode: byURL, form: empty, text: "{url}: sugar, salt and what to drink with it", wants: "sugar_g=!int;salt_g=!int;drink=wine"},
			},
		},
		{
			name: "locals", page: "service", host: "www.highstreet-guide.example",
			cols: "name,owner,opened:year,street,tel:tel,mail:mail,price:gbp,service,hours,closed,reviews:int,rating:num,founder",
			rows: []string{
				"Bobbin & Thread|Yasmin Farouk|2012|7 Cooper's Row|01632 960 501|stitch@bobbin.example|14|hemming a pair of trousers|from nine to half past five|Wednesdays|88|4.7|Pearl Hobday",
				"Copperfield Cycles|Duncan Waite|1994|31 Station Approach|01632 960 533|ride@copperfield.example|55|a full service|from eight to six|Sundays|241|4.4|Reg Waite",
				"The Sharp Scissor|Milena Kovar|2018|2 Bell Yard|01632 960 574|cut@sharpscissor.example|32|a cut and blow-dry|from ten to seven|Mondays|132|4.9|Milena Kovar",
				"Larch Lane Locksmiths|Tunde Adeyemi|2005|90 Larch Lane|01632 960 590|keys@larchlane.example|68|opening a jammed door|round the clock|Christmas Day|57|4.1|Brian Stott",
				"Fig & Olive Deli|Stavroula Manes|1987|15 Market Place|01632 960 612|shop@figandolive.example|9.50|a lunch box|from seven to three|Saturdays|319|4.6|Kostas Manes",
			},
			texts: []string{
				`{name}, {street}
# {name}
{name} has been at {street} since {opened}, when {founder} opened it. Today it belongs to {owner}. For {service} you pay {price}, which is fair.
It is open {hours}, except on {closed}. To book, ring {tel} or write to {mail}.
Readers give it {rating} out of 5 ({reviews} reviews).`,
				`Our favourite: {name}
# {name}
{owner}, who owns {name} ({street}), took the shop over from {founder}. It opened its doors in {opened} and it shuts them only on {closed}. The phone number is {tel}; {service} will set you back {price}.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 4}, mode: bySearch, form: empty, text: "Who owns {name}, when did it open and what is its phone number?", wants: "owner=owner;opened=opened;phone=tel"},
				{rows: []int{1, 2, 3}, mode: bySearch, form: told, text: "Local business: {name}", wants: "address=street~street address;price=price~price of {service};email=mail~e-mail address;rating=rating~average rating;review_count=reviews~number of reviews;closed_on=closed~when it is shut"},
				{rows: []int{2}, mode: byURL, form: none, text: "When is {name} closed? {url}", wants: "x=closed"},
				{rows: []int{3, 0}, mode: byURL, form: empty, text: "{url} number of employees, VAT number, website", wants: "employees=!int;vat_number=!string;website=!url"},
				{rows: []int{0}, mode: bySearch, form: empty, text: "Phone number and owner of {name}", wants: "phone=tel;owner=owner", ghost: "Nettle & Rook Upholstery"},
			},
		},
	}
}
