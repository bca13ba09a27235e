package harbour

// goods are data sheets of products, and collections of what a shop has.
func goods() []kind { return []kind{products(), collections()} }

func products() kind {
	return kind{
		name: "product", page: "product",
		cols: `name str||the product
price gbp(39,620,1)|price|price|How much is the {name}?|
was gbp(640,790,5)|former_price|price before the sale|What did the {name} cost before the sale?|was
weight int(140,3900,10)|weight_g|weight in grams|How many grams does the {name} weigh?|weight,weighs
battery num(6,48,0.5)|battery_hours|battery life in hours|How many hours does the battery of the {name} last?|battery,batteries
depth int(5,60,5)|depth_rating_m|depth in metres to which it is waterproof|How deep can the {name} go, in metres?|waterproof
warranty int(1,6,1)|warranty_years|warranty in years|How many years of warranty has the {name}?|warranty
screen num(2.4,9,0.2)|screen_inches|screen in inches|How large is the screen of the {name}?|screen,display
released date(-500,60,1)|released|release date|When was the {name} released?|released
sku str|model_number|model number|What is the model number of the {name}?|model number
floats bool|floats|does it float?|Does the {name} float?|float,floats,sinks
bt bool|bluetooth|has it Bluetooth?|Does the {name} have Bluetooth?|bluetooth
box list|in_the_box|what is in the box|What is in the box of the {name}?|in the box
colours list|colours|colours|In which colours is the {name} sold?|colours,colour
stock enum(in stock/out of stock/pre-order)|availability|availability|Is the {name} in stock?|in stock,out of stock,pre-order
manual url|manual_url|address of the manual|Where is the manual of the {name}?|manual
rating num(3.1,4.9,0.1)|rating|average rating|What is the average rating of the {name}?|rated,rating
reviews int(12,480,1)|reviews|number of reviews|How many reviews has the {name}?|reviews
ship gbp(3,6.5,0.5)|delivery_cost|cost of delivery|What does delivery of the {name} cost?|delivery`,
		rows: []string{
			"Sounder S2 fishfinder|189|219|620|-|*|*|*|-|SND-S2-04|-|No Bluetooth=false|transducer;bracket;fuse|black;white|In stock=in stock|Download the manual=https://docs.brackwater.example/s2.pdf|*|*|*",
			"Sounder S3 fishfinder|349|-|710|-|*|*|*|*|SND-S3-01|-|Bluetooth 5.2=true|transducer;bracket;sun cover|black|Pre-order=pre-order|Download the manual=https://docs.brackwater.example/s3.pdf|-|-|*",
			"Petrel VHF handheld|129|-|290|*|*|*|*|-|PVH-20|It floats and blinks=true|Bluetooth 5.0=true|charger;belt clip;strap|yellow;grey|In stock=in stock|Read the manual=/manuals/petrel|*|*|-",
			"Petrel VHF mini|89|-|180|*|*|-|-|*|PVH-08|-|-|charger;strap|yellow|Out of stock=out of stock|-|*|*|-",
			"Ember deck lantern|*|-|850|*|-|*|-|*|EMB-1|It sinks=false|-|hook;cable|brass;navy;red|In stock=in stock|-|*|*|*",
			"Nordstern Kompass K4|*|-|240|-|*|*|-|-|NK4-88|Schwimmfähig=true|-|Halterung;Etui|schwarz;weiß|Auf Lager=in stock|Anleitung öffnen=https://www.nordlicht-lf.example/k4|-|-|*",
			"Tern drybag 30|24.5|29|390|-|*|*|-|-|TRN-30|It floats when rolled shut=true|-|-|orange;slate|In stock=in stock|-|*|*|*",
			"Tern drybag 60|36|-|560|-|-|*|-|-|TRN-60|-|-|-|orange;slate;black|Out of stock=out of stock|-|*|*|-",
		},
		looks: []look{
			{"shop", "www.brackwatershop.example/p/", `{{name}}
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"{{name!}}","sku":"{{sku!}}","offers":{"@type":"Offer","price":"{{price#}}","priceCurrency":"GBP"}}</script>
<h1>{{name}}</h1><div class="price-final">{{price}}</div>
<div class="price-old">was {{was}}</div>
<div class="stock available"><span>{{stock}}</span></div>
<div class="rating">Rated {{rating}} out of 5 ({{reviews}} reviews)</div>
<table class="data"><caption>Specifications</caption><tr><th>Model number</th><td>{{sku}}</td></tr><tr><th>Weight</th><td>{{weight}} g</td></tr>
<tr><th>Screen</th><td>{{screen}} in</td></tr>
<tr><th>Waterproof to</th><td>{{depth}} m</td></tr>
<tr><th>Battery</th><td>{{battery}} h</td></tr>
<tr><th>Wireless</th><td>{{bt}}</td></tr>
<tr><th>Warranty</th><td>{{warranty}} years</td></tr></table>
<p>In the box: {{box}}</p>
<p>Colours: {{colours}}</p>
<p>{{floats}}. [[Released on {{released}}.]]</p>
<p>Delivery {{ship}}</p>
<p><a href="{{manual#}}">{{manual}}</a></p><div class="upsell"><h3>Others bought</h3><p>{{~name}} {{~price}}</p></div>`},
			{"next", "www.brackwater.example/products/", `{{name}} | Brackwater
<h1>{{name}}</h1><p class="price">{{price}}</p><p class="pill">{{stock}}</p><p>[[Released {{released}}. ]][[{{bt}}. ]]The {{name}} weighs {{weight}} g[[ and is waterproof to {{depth}} m]].[[ Its battery lasts {{battery}} hours.]][[ The screen measures {{screen}} inches across.]][[ A warranty of {{warranty}} years is included.]]</p>
<dl><dt>Model number</dt><dd>{{sku}}</dd><dt>Colours</dt><dd>{{colours}}</dd></dl>
<h3>In the box</h3><ul>{{box*li}}</ul>
<p>[[Delivery: {{ship}}]]</p>
<p>Rated {{rating}} by {{reviews}} reviews</p>
<a href="{{manual#}}">{{manual}}</a>`},
			{"elementor", "www.petrelradio.example/", `{{name}}
<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">{{name}}</h1><p itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" content="{{price#}}">{{price}}</span></p>
<p>was {{was}} until April</p>
<ul><li>Weight: {{weight}} g</li><li>Battery: {{battery}} hours</li></ul>
<p>Waterproof to {{depth}} m. [[{{floats}}. ]][[{{bt}}. ]][[Display {{screen}} in. ]]</p>
<p>{{colours}}</p>
<p>[[{{warranty}} years of warranty. ]]{{stock}}.</p>
<p>In the box: {{box}}.</p>
<p>Rated {{rating}}, {{reviews}} reviews</p>
<a href="{{manual#}}">{{manual}}</a></div>`},
			{"hugo", "gear.crew.example/", `{{name}}: data sheet
<h1>{{name}}</h1><table><tr><th>Price</th><th>Weight</th><th>Model number</th></tr><tr><td>{{price}}</td><td>{{weight}} g</td><td>{{sku}}</td></tr></table><p>[[Battery life is {{battery}} hours. ]][[Waterproof to {{depth}} m. ]][[Released on {{released}}. ]]</p><p>Sold in these colours: {{colours}}. [[In the box: {{box}}. ]]{{stock}}.</p><p>{{reviews}} reviews, rated {{rating}}.</p>`},
		},
		asks: []string{
			`0 1 2|at schema|Specs of {url}|price,weight,depth,warranty,bt,stock`,
			`1 3|find told|{name}: {asks}|released,price,box,battery,floats`,
			`4 6|at empty|{url}|price,weight,floats,colours,ship`,
			`0 2 3 4|find none|?|price,weight`,
			`3|find schema|Petrel VHF mini|battery,bt^twin@2,warranty^twin@2,screen^twin@2,stock`,
			`7|find told|Tern drybag 60|price,was^twin@6,depth^twin@6,colours,stock`,
			`0 2|find empty|{name} manual, model number, rating, reviews, released|manual,sku,rating,reviews,released`,
			`5|find schema|Nordstern Kompass K4|price,weight,floats,manual,battery`,
			`0 1|find plain|{name}|manual`,
			`0 3|find none|?|stock,colours`,
			`4 7|find plain|{name}|colours,rating`,
			`0 2|at told|{url}: {asks}|was,bt,floats,ship`,
			`3|find none|?|bt,floats`,
			`2|find plain|{name} data|box,battery`,
			`0|find schema|{name} price|price,weight|Fulmar Depth Log D9`,
		},
	}
}

func collections() kind {
	return kind{
		name: "range", page: "collection",
		cols: `name str||the collection
all rows(name:str,price:gbp)|items|all with name and price|What is in {name}, at what price?|
count int(3,4,1)|count|number of things|How many things are in {name}?|
from date(60,130,1)|updated|day on which it was updated|When was {name} last updated?|updated
mail mail|email|e-mail address for orders|Whom do I e-mail to order from {name}?|mail
post gbp(2,6,0.5)|postage|postage|What is the postage for {name}?|postage
by who|curator|who chose it|Who chose {name}?|chosen,picked
tel tel(01632 968 )|phone|phone for orders|What is the phone number for orders from {name}?|phone,call
abroad bool|ships_abroad|is it sent abroad?|Is {name} sent abroad?|abroad,overseas`,
		rows: []string{
			"Ropes by the metre|Hempline 10,4.5;Dyneema 6,7.25;Cotton 8,2.1;Nylon 12,5.4|-|*|ropes@tidewellchandlery.example|*|-|*|We do not send abroad=false",
			"Summer charts|Outer Bank,18;Inner Bank,16.5;Lerrin Roads,21|-|*|-|*|*|-|Sent abroad on request=true",
			"Lanterns and lamps|Bosun,34;Mate,28.5;Cabin Boy,12|3|-|lamps@kelpandkeel.example|-|*|*|-",
			"Tinned fish club picks|Smoked Sprats,3.8;Mackerel in Cider,4.6;Mussels in Dill,5.2;Pilchards,2.4|-|*|-|*|*|-|-",
		},
		looks: []look{
			{"squarespace", "www.tidewellchandlery.example/shop/", `{{name}}
<h1>{{name}}</h1><div class="products-flex">{{all%<div class="product"><h3>$1</h3><span>$2</span></div>}}</div><p>Postage is {{post}}. {{abroad}}. Orders: {{mail}}, phone {{tel}}. Updated {{from}}.</p>`},
			{"shop", "charts.brackwater.example/", `{{name}}
<h1>{{name}}</h1><ol class="products list">{{all%<li><strong>$1</strong> <span class="price">$2</span></li>}}</ol><p>Chosen by {{by}} and updated on {{from}}. {{abroad}}; postage {{post}}.</p>`},
			{"frontpage", "www.kelpandkeel.example/lamps/", `{{name}}
<h2>{{name}}</h2><table border="1"><tr><th>Lamp</th><th>Price</th></tr>{{all%<tr><td>$1</td><td>$2</td></tr>}}</table><p>All {{count}} of them picked by {{by}}. Mail {{mail}} or call {{tel}}.</p>`},
			{"hugo", "tins.example/", `{{name}}
<h1>{{name}}</h1><ul>{{all%<li>$1, $2</li>}}</ul><p>Picked by {{by}}. Postage {{post}} a parcel. Updated {{from}}.</p>`},
		},
		asks: []string{
			`0 1 2 3|at schema|List all of {url}|all`,
			`0 1|find told|{name}: {asks}|post,abroad,from,mail`,
			`2 3|find told|{name}: everything with its price|all,by,post`,
			`1 3|find none|?|by,post`,
			`2 0|at empty|{url}|tel,mail,by,post`,
		},
	}
}
