package almanac

// home are recipes, instruments that are sold and lots at auction.
func home() []family {
	return []family{
		{
			name: "recipes", page: "recipe",
			cols: "name,cook,serves:int,prep:int,bake:int,temp:int,flour:int,butter:int,eggs:int,sugar:int,kcal:int,ingredients:list,vegan:bool,tin,keeps:int,date:date,from,rating:num,tool",
			rows: []string{
				"Caddow gingerbread|Nell Harker|eight==8|20|45|170|300|125|two==2|150|312|flour;butter;black treacle;ginger;eggs|This cake is not vegan==false|a square tin of 20 cm|nine==9|14 November 2025|her grandmother at Wend Moss|4.7|a wooden spoon",
				"Caddow gingerbread without eggs|Oswin Platt|twelve==12|15|50|160|340|-|-|180|287|flour;rapeseed oil;black treacle;ginger;oat milk|It is entirely vegan==true|a loaf tin|five==5|3 December 2025|-|4.2|a hand whisk",
				"Torhaven crab tart|Silvio Renn|six==6|35|30|190|200|100|three==3|-|455|flour;butter;brown crab;cream;eggs|-|a flan ring of 24 cm|two==2|21 May 2025|the quay kitchen of Renn & Sons|4.9|-",
				"Marram samphire pickle|Nell Harker|-|25|-|-|-|-|-|60|38|samphire;cider vinegar;sugar;mustard seed|The pickle is vegan==true|-|ninety==90|30 June 2025|-|-|three jars",
			},
			pages: []string{
				`www.harkerskitchen.example|wordpress|{name} - Harker's Kitchen
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Recipe","name":"{name}","author":{"@type":"Person","name":"{cook}"},"datePublished":"{date:raw}"}</script>
<article><h1 class="entry-title">{name}</h1><p>Posted {date}. <a href="#recipe">Jump to recipe</a></p><p>You know how it is in November. The original I had from {from}, who made it with 400 g of sugar and lived to be 96.</p>
<p>{vegan}.</p>
<p>It keeps for {keeps} days in a box.</p>
<div id="recipe" class="wprm-recipe-container"><h2 class="wprm-recipe-name">{name}</h2>
<div class="wprm-recipe-rating">{rating} from 61 votes</div>
<div class="wprm-recipe-meta"><span>Prep time</span> <span>{prep} mins</span></div>
<div class="wprm-recipe-meta"><span>Cook time</span> <span>{bake} mins</span></div>
<div class="wprm-recipe-meta"><span>Servings</span> <span>{serves}</span></div>
<div class="wprm-recipe-meta"><span>Calories</span> <span>{kcal} kcal</span></div>
<h3>Ingredients</h3><ul>{ingredients:li}</ul>
<h3>Instructions</h3><ol><li>Heat the oven to {temp} °C.</li>
<li>Rub {butter} g of butter into {flour} g of flour.</li>
<li>Beat in {eggs} eggs, one at a time.</li>
<li>Turn into {tin} and bake.</li>
<li>Rest 10 minutes before you cut it.</li></ol></div></article>`,
				`recipes.commonpot.example|plain|{name} by {cook}
<div itemscope itemtype="https://schema.org/Recipe"><h1 itemprop="name">{name}</h1><p>A recipe by <span itemprop="author">{cook}</span>, added on {date}.</p>
<p>Rated <span>{rating}</span> by 18 cooks.</p>
<p>{vegan}, whatever you may have heard. You'll want {tool} and {tin}.</p>
<p>For {serves} people. Takes {prep} minutes to put together and {bake} in the oven, which should stand at {temp} degrees (fan: 20 less).</p>
<table class="ingr"><tr><th>What</th><th>How much</th></tr><tr><td>Flour</td><td>{flour} g</td></tr>
<tr><td>Sugar</td><td>{sugar} g</td></tr>
<tr><td>Butter</td><td>{butter} g</td></tr></table>
<p>Shopping list: {ingredients:semi}.</p>
<p>Per portion: {kcal} kcal. Will keep {keeps} days.</p></div>
<aside><h3>Variations</h3><p>With eggs: bake at 170 degrees, serves eight. With pears: add 200 g.</p></aside>`,
			},
			tasks: []string{
				"0,1 empty | {name} recipe: oven temperature, servings, preparation time in minutes | oven_temperature_c=temp;servings=serves;prep_minutes=prep",
				"2,3 told | {url} | author=cook~who wrote the recipe;ingredients=ingredients~the ingredients;calories=kcal~kcal per portion;date=date~when it was published",
				"0,1 schema | Is {name} vegan? | vegan=vegan~whether it is vegan;flour_g=flour~grams of flour",
				"1 empty | {name}: butter in grams, number of eggs | butter_g=butter@twin:125#Butter;eggs=eggs",
				"2 schema | {url} | vegan=vegan~whether it is vegan#vegan;keeps=keeps~days that it keeps;source=from~where the cook has it from",
				"0 none | How many grams of butter are in {name}? | x=butter",
				"0 none ghost=Selker eel crumble | How long does {name} bake? | x=bake",
			},
		},
		{
			name: "instruments", page: "product",
			cols: "name,maker,price:price,was:price,weight:int,power:num,lens:int,field:int,waterproof:bool,colours:list,stock:enum(In stock/Low stock/Sold out),warranty:int,sku,rating:num,reviews:int,ship:price,made,rival,rival_price:price",
			rows: []string{
				"Candela 8x42 binoculars|Lumo|£349.00==349 GBP|£399.00==399 GBP|655|8|42|128|They are waterproof to three metres==true|black;olive|In stock|ten==10|LU-842|4.6|212|£4.95==4.95 GBP|Bresles|Candela 12x50|£429.00==429 GBP",
				"Candela 10x42 binoculars|Lumo|£379.00==379 GBP|-|671|10|42|108|They are waterproof to three metres==true|black|Low stock|ten==10|LU-1042|4.4|87|£4.95==4.95 GBP|Bresles|Candela 8x42|£349.00==349 GBP",
				"Quay spotting scope|Orme Optical|€512.50==512.5 EUR|-|1,480|20|65|37|It is splash-proof but not waterproof==false|grey|Sold out|two==2|OO-2065|-|-|€9.00==9 EUR|Ambry|Heath scope|€455.00==455 EUR",
				"Plath Minor pocket sextant|Plath & Rowe|$1,190==1190 USD|$1,250==1250 USD|830|3|-|-|-|brass;black|In stock|five==5|PR-M3|4.9|31|-|Torhaven|Plath Major|$2,340==2340 USD",
			},
			pages: []string{
				`shop.farsight.example|bootstrap|{name} | Farsight
<div class="row"><div class="col-md-6"><h1 class="product-title">{name}</h1><p class="vendor">by {maker}</p><div class="price"><ins>{price}</ins>
<del>{was}</del>
</div><span class="badge">{stock}</span><p>Article {sku}</p>
<p>Standard delivery {ship}, free over £500.</p>
<p>Rated {rating} out of 5 ({reviews} reviews)</p>
<form><label>Colour</label><select>
<option>Choose</option></select><button>Add to basket</button></form></div></div>
<h2>Compare</h2><table class="table compare"><thead><tr><th></th><th>{name}</th><th>{rival}</th><th>Heron 7x35</th></tr></thead><tbody>
<tr><th>Price</th><td>{price}</td><td>{rival_price}</td><td>£219.00</td></tr>
<tr><th>Weight</th><td>{weight} g</td><td>702 g</td><td>590 g</td></tr>
<tr><th>Magnification</th><td>{power}×</td><td>12×</td><td>7×</td></tr>
<tr><th>Field of view at 1000 m</th><td>{field} m</td><td>99 m</td><td>150 m</td></tr>
<tr><th>Guarantee</th><td>{warranty} years</td><td>3 years</td><td>1 year</td></tr></tbody></table>
<p>{waterproof}. Comes in {colours}.</p>
<p>Made in {made}.</p>`,
				`www.ormeandrowe.example|spa|{name}
<div class="pd"><div class="pd-t">{name}</div><div class="pd-m">{maker}</div><div class="pd-p">{price}</div>
<div class="pd-w">Before: {was}</div>
<div class="pd-s">{stock}</div></div>
<div class="pd-specs"><div class="r"><i>Mass</i><i>{weight} g</i></div><div class="r"><i>Enlarges</i><i>{power} times</i></div>
<div class="r"><i>Objective</i><i>{lens} mm</i></div>
<div class="r"><i>Finish</i><i>{colours}</i></div></div>
<div class="pd-x"><p>{waterproof}. Every piece is put together in {made} and carries a promise of {warranty} years.</p>
<p>Each is adjusted by hand in {made} before it leaves us; {warranty} years of guarantee are included.</p>
<p>Owners give it {rating} stars on average.</p></div>
<div class="pd-rel"><div>{rival}</div><div>{rival_price}</div><div>Leather case</div><div>€39.00</div></div>`,
			},
			tasks: []string{
				"0,2 empty | {name}: price, weight in grams, magnification | price=price;weight_g=weight;magnification=power",
				"1,3 told | {url} | price=price~price now;previous_price=was~price before;guarantee=warranty~years of guarantee;made_in=made~place of making",
				"0,1,2 schema | {name} | waterproof=waterproof~whether it is waterproof;stock=stock~availability;colours=colours~colours",
				"3 schema | {url} | waterproof=waterproof~whether it is waterproof#waterproof;stock=stock~availability;currentPrice=price~price",
				"0 none | How much does delivery of the {name} cost at Farsight? | x=ship@lure:£349.00/£399.00",
				"2 empty | {url} | rating=rating#stars;delivery=ship#delivery;ean=!str#EAN",
				"1 string ghost=Halberd 15x70 binoculars | {name} | x=price~the price",
			},
		},
		{
			name: "lots", page: "listing",
			cols: "name,lot:int,house,sale:date,low:price,high:price,sold:price,premium:num,condition,provenance,signed:bool,size,viewing,contact:mail,bids:int,year:int",
			rows: []string{
				"A Penhale bracket clock|214|Gidley & Daughters|11 June 2026|£2,800==2800 GBP|£3,600==3600 GBP|-|24|one foot replaced|the rectory at Wendby|The dial is signed by Josiah Penhale==true|41 × 27 cm|8 to 10 June|clocks@gidley.example|-|1738",
				"A pair of Bresles herons|87|Gidley & Daughters|26 March 2026|£600==600 GBP|£900==900 GBP|£1,450==1450 GBP|24|one beak restored|-|Neither bird is signed==false|19 × 11 cm|-|china@gidley.example|23|1770",
				"Harbour nocturne by Edmund Crane|12|Maison Aumont|4 July 2026|€18,000==18000 EUR|€24,000==24000 EUR|-|27.5|relined|the artist's sister|It is signed lower left==true|61 × 92 cm|2 and 3 July|tableaux@aumont.example|-|1894",
			},
			pages: []string{
				`www.lotfinder.example|bootstrap|Lot {lot}: {name}
<h1>Lot {lot}: {name}</h1><p class="lead">{house}, sale of {sale}</p>
<p><strong>Estimate</strong> {low} – {high}<br>
<strong>Sold for</strong> {sold}<br>
<strong>Bids</strong> {bids}<br>
<strong>Buyer's premium</strong> {premium} %</p>
<p>Made in {year}, {size}. Condition: {condition}. {signed}.</p>
<p>Provenance: {provenance}.</p>
<p>On view from {viewing}.</p>
<p>Condition reports: <a href="mailto:{contact}">{contact}</a></p><h2>Next lots</h2><ul><li>Lot 88: tea caddy, £120 – £180</li><li>Lot 215: barometer, £400 – £500</li></ul>`,
			},
			tasks: []string{
				"0,2 empty | Auction lot \"{name}\": date of the sale, low estimate, high estimate | sale_date=sale;low_estimate=low;high_estimate=high",
				"1 told | {url} | hammer_price=sold~price it was sold for;bids=bids~number of bids;provenance=provenance~whence it comes#Provenance",
				"0 told | {url} | hammer_price=sold~price it was sold for#Sold for;condition=condition~its condition;signed_by=!str~who signed the certificate#certificate",
				"0,1,2 schema | {url}: is it signed? | signed=signed~whether it is signed;email=contact~address for condition reports",
				"2 none | What is the condition of the lot \"{name}\"? | x=condition",
			},
		},
	}
}
