package bazaar

// shops are three makers' product pages of household goods, with models that are told apart by a word.
func shops() []kind {
	return []kind{{
		name: "product", page: "product",
		cols: "name price:gbp old:gbp sku brand colour material weight:num warranty stock:bool vegan:bool sizes:list rating:num reviews:int ships bundle:gbp returns:int made",
		rows: []string{
			"Alder 2 Stovetop Kettle|£42.00|£56.00|FF-AL2-SND|Alder & Ash|Sand|Enamelled steel|1.2|2 years|In stock=true|-|1.5 L;2 L;2.5 L|4.6|218|Dispatched in 2–3 working days|Kettle + two Alder mugs: £58.00|30|Portugal",
			"Alder 2 Pro Stovetop Kettle|£68.00|-|FF-AL2P-GRA|Alder & Ash|Graphite|Brushed stainless steel|1.4|5 years|Sold out=false|-|1.5 L;2.5 L|4.8|97|Dispatched in 2–3 working days|-|30|Portugal",
			"Alder Mug|£11.50|£14.00|FF-ALM-SND|Alder & Ash|Sand|Enamelled steel|0.2|-|In stock=true|-|250 ml;350 ml|4.1|1,046|Dispatched the same day|Set of four: £40.00|30|Portugal",
			"Cloudberry Hand Cream|£18.00|£22.50|TB-CB-75|Tern Botanicals|-|-|0.09|-|Only 6 left in stock=true|Vegan: yes=true|75 ml;150 ml|4.9|64|Free delivery over £35|Hand cream and soap duo – £26.00|14|Shetland",
			"Sea Kelp Soap Bar|£6.50|-|TB-SK-100|Tern Botanicals|-|Cold-pressed olive oil|0.1|-|Out of stock=false|Vegan: yes=true|100 g;200 g|4.7|312|Free delivery over £35|-|14|Shetland",
			"Beeswax Lip Balm|£4.25|£5.00|TB-BW-15|Tern Botanicals|-|Beeswax|-|-|In stock=true|Vegan: no=false|15 ml|4.4|88|Free delivery over £35|-|14|Orkney",
			"Harrow Merino Jumper|£95.00|£130.00|HW-J-07|Harrow Wool|Bracken|100% merino|0.48|-|In stock=true|-|XS;S;M;L;XL|4.5|41|Ships within 24 hours|-|60|Scotland",
			"Harrow Merino Cardigan|£118.00|-|HW-C-03|Harrow Wool|Heather|90% merino and 10% cashmere|0.52|-|Back in June=false|-|S;M;L|4.2|19|Ships within 24 hours|-|60|Scotland",
			"Harrow Merino Beanie|£32.00|£38.00|HW-B-11|Harrow Wool|Bracken|100% merino|0.07|-|In stock=true|-|One size|-|-|Ships within 24 hours|-|60|Scotland",
			"Alder 1 Stovetop Kettle|£29.00|£48.00|FF-AL1-BLU|Alder & Ash|Harbour Blue|Enamelled steel|1.1|1 year|Sold out=false|-|1.5 L|3.9|530|Discontinued: last pieces only|-|30|Romania",
			"Tern Shaving Brush|£27.00|-|TB-SB-01|Tern Botanicals|Walnut|Beech and synthetic bristle|0.06|-|In stock=true|Vegan: yes=true|-|4.0|23|Free delivery over £35|Brush and bowl gift box – £44.00|14|Fife",
			"Harrow Wool Throw|£149.00|£185.00|HW-T-22|Harrow Wool|Oatmeal|Lambswool|1.9|-|In stock=true|-|130 x 180 cm;150 x 200 cm|4.9|156|Ships within 24 hours|Throw plus two cushions: £210.00|60|Wales",
		},
		looks: []look{
			{"shopify", "www.fernandfathom.example/products/", `{{name}}
<div class="product__wrapper grid"><div class="product__media"><img src="/cdn/1.jpg" alt="{{name}}"></div><div class="product__info-wrapper">
<p class="product__text caption-with-letter-spacing">{{brand}}</p>
<div class="product__title"><h1>{{name}}</h1></div>
<div class="price price--on-sale"><div class="price__sale"><span class="visually-hidden">Regular price</span><s class="price-item price-item--regular">{{old}}</s> <span class="visually-hidden">Sale price</span> <span class="price-item price-item--sale">{{price}}</span>
<span class="badge price__badge-sale">Sale</span></div></div>
<div class="product__tax caption">Tax included. <a href="/policies/shipping-policy">Shipping</a> calculated at checkout.</div>
<fieldset class="product-form__input"><legend>Capacity</legend>{{sizes*label class="variant"}}</fieldset>
<p class="product__inventory">{{stock}}</p>
<div class="product__description rte"><p>Boils fast, pours clean and sits happily on any hob. Our first kettle took four years to get right; we have never stopped fiddling with it since.</p></div>
<details><summary>Materials & care</summary><p>{{material}}. Wipe with a damp cloth; not for the dishwasher.</p></details>
<details><summary>Delivery & returns</summary><p>{{ships}}. Return within {{returns}} days for a full refund.</p></details>
<div class="bundle"><h3>Better together</h3><p>{{bundle}}</p></div>
<p class="sku">SKU: {{sku}}</p></div></div>
<product-recommendations><h2>You may also like</h2><ul><li><a href="/products/birch-board">Birch chopping board</a> <span class="price-item">£24.00</span></li><li><a href="/products/tea-towel">Linen tea towel</a> <s>£12.00</s> <span class="price-item">£9.00</span></li></ul></product-recommendations>
<script type="application/ld+json">{"@context":"http://schema.org/","@type":"Product","name":"{{name!}}","sku":"{{sku}}","offers":[{"@type":"Offer","priceCurrency":"GBP","price":{{price#}}}]}</script>`},
			{"shopify", "www.fernandfathom.example/products/pro/", `{{name}}
<section class="pdp"><nav class="breadcrumbs"><a href="/">Home</a> / <a href="/collections/kettles">Kettles</a> / {{name}}</nav><h1 class="pdp__title">{{name}}</h1>
<div class="pdp__rating"><span aria-label="{{rating}} out of 5 stars">★★★★★</span> {{rating}} ({{reviews}} reviews)</div>
<div class="pdp__price">{{price}}</div>
<div class="pdp__stock"><button disabled>{{stock}}</button></div>
<ul class="pdp__bullets"><li><b>Made in</b> {{made}}</li>
<li><b>Guarantee</b> {{warranty}}</li>
<li><b>Finish</b> {{colour}}</li>
<li><b>Made of</b> {{material}}</li>
</ul><div class="pdp__sizes"><span>Choose your size:</span>{{sizes*button}}</div>
<p>Weighs {{weight}} kg with its box. Item {{sku}}.</p></section>
<div class="compare"><h2>Which one is for me?</h2><p>The lighter sister of this piece costs £5 less and has a one-year guarantee on its lid. If you camp, take that one.</p></div>`},
			{"shopify", "www.fernandfathom.example/products/classic/", `{{name}}
<div class="product-single"><div class="product-single__meta"><h1 itemprop="name">{{name}}</h1><h2 class="vendor">by {{brand}}</h2>
<ul class="product-single__prices"><li><span>Was</span> <del>{{old}}</del></li>
<li><span>Now</span> <ins>{{price}}</ins></li></ul>
<table class="variants"><thead><tr><th>Option</th></tr></thead><tbody><tr>{{sizes*td}}</tr></tbody></table>
<p><em>{{ships}}</em> · <strong>{{stock}}</strong></p>
<p>{{bundle}}</p>
<div class="tabs"><div class="tab" id="spec"><dl><dt>Weight</dt><dd>{{weight}} kg</dd><dt>Country of origin</dt><dd>{{made}}</dd></dl></div></div></div></div>`},
			{"woo", "shop.ternbotanicals.example/product/", `{{name}}
<div class="woocommerce-notices-wrapper"></div><div id="product-311" class="product type-product instock sale"><span class="onsale">Sale!</span>
<div class="summary entry-summary"><h1 class="product_title entry-title">{{name}}</h1>
<div class="woocommerce-product-rating"><div class="star-rating" role="img" aria-label="Rated {{rating}} out of 5"></div><a href="#reviews">({{reviews}} customer reviews)</a></div>
<p class="price"><del aria-hidden="true"><span class="woocommerce-Price-amount amount"><bdi>{{old}}</bdi></span></del> <span class="screen-reader-text">Original price was: {{old}}.</span> <ins><span class="woocommerce-Price-amount amount"><bdi>{{price}}</bdi></span></ins> <span class="screen-reader-text">Current price is: {{price}}.</span></p>
<div class="woocommerce-product-details__short-description"><p>Picked on the cliffs above the workshop, rendered slowly, and nothing else in the jar.</p><p>{{vegan}}</p></div>
<p class="stock in-stock">{{stock}}</p><form class="cart"><table class="variations"><tr><th><label>Size</label></th><td><select><option value="">Choose an option</option>{{sizes*option}}</select></td></tr></table><button>Add to basket</button></form>
<div class="product_meta"><span class="sku_wrapper">SKU: <span class="sku">{{sku}}</span></span> <span class="posted_in">Category: <a rel="tag">Bath & body</a></span></div></div>
<div class="woocommerce-tabs"><h2>Additional information</h2><table class="woocommerce-product-attributes shop_attributes">
<tr><th>Weight</th><td>{{weight}} kg</td></tr>
<tr><th>Made in</th><td><p>{{made}}</p></td></tr></table></div>
<p class="promo">{{bundle}}</p><p class="promo">{{ships}}</p></div>
<section class="related products"><h2>Related products</h2><ul><li><h2 class="woocommerce-loop-product__title">Heather Bath Salts</h2><span class="price"><bdi>£13.75</bdi></span></li></ul></section>`},
			{"woo", "shop.ternbotanicals.example/soap/", `{{name}}
<div class="product"><h1 class="product_title entry-title">{{name}}</h1><p class="price"><bdi>{{price}}</bdi></p>
<p>{{material}}, scented with whatever the season has. {{vegan}}</p>
<p class="stock out-of-stock">{{stock}}</p><p>Comes in {{sizes}}. Made by hand on {{made}} by the five of us at {{brand}}.</p>
<p>Changed your mind? Send it back within {{returns}} days.</p><span class="sku">{{sku}}</span></div>
<div class="up-sells"><h2>You may also like…</h2><ul><li>Sea Kelp Shampoo Bar <bdi>£8.95</bdi></li></ul></div>`},
			{"theme", "shop.ternbotanicals.example/balms/", `{{name}}
<h1 class="wp-block-post-title">{{name}}</h1><div class="wp-block-columns"><div class="wp-block-column"><p>Normally {{old}}, this month {{price}}. One {{sizes}} tin lasts most people a winter.</p>
<p>{{vegan}}. Made on {{made}} from a single keeper's hives.</p>
<p>Average score: {{rating}} from {{reviews}} buyers</p></div></div>`},
			{"bootstrap", "www.harrowwool.example/shop/", `{{name}} | Harrow Wool
<div itemscope itemtype="https://schema.org/Product" class="row"><div class="col-md-6"><h1 itemprop="name">{{name}}</h1><small>Art. <span itemprop="sku">{{sku}}</span></small><span itemprop="brand" class="d-none">{{brand}}</span>
<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span class="h3" itemprop="price" content="{{price#}}">{{price}}</span><meta itemprop="priceCurrency" content="GBP"> <span class="text-muted">RRP <del>{{old}}</del></span>
<span class="badge bg-success">{{stock}}</span></div>
<div itemprop="aggregateRating" itemscope itemtype="https://schema.org/AggregateRating"><span itemprop="ratingValue">{{rating}}</span>/5 from <span itemprop="reviewCount">{{reviews}}</span> ratings</div>
<div class="btn-group">{{sizes*span class="btn"}}</div></div><div class="col-md-6"><table class="table table-sm"><tbody><tr><td>Colour</td><td>{{colour}}</td><td>Yarn</td><td>{{material}}</td></tr><tr><td>Knitted in</td><td>{{made}}</td><td>Weight</td><td>{{weight}} kg</td></tr></tbody></table>
<p>{{ships}}; {{returns}} days to return it.</p></div></div>`},
			{"bootstrap", "www.harrowwool.example/knit/", `{{name}} | Harrow Wool
<h1>{{name}}</h1><p class="lead">{{price}}</p><div class="alert alert-warning">{{stock}}</div><dl class="row"><dt class="col-3">Sizes</dt>{{sizes*dd class="col-9"}}</dl>
<dl><dt>Composition</dt><dd>{{material}}</dd><dt>Shade</dt><dd>{{colour}}</dd><dt>Article</dt><dd>{{sku}}</dd></dl><p>The jumper of the same name is £95.00 and comes in five sizes.</p>`},
			{"bootstrap", "www.harrowwool.example/hats/", `{{name}} | Harrow Wool
<h1>{{name}}</h1><p>Two prices: <span class="text-decoration-line-through">{{old}}</span> → <strong>{{price}}</strong>. {{stock}}, in {{colour}}.</p><ul class="list-unstyled"><li>Fits all – {{sizes}}</li><li>{{material}}</li><li>Ref. {{sku}}</li></ul>`},
		},
		asks: []string{
			`0 3 6|at empty|Extract {url}|price=price;original_price=old;sku=sku;in_stock=stock`,
			`1 4 7|find told|Is the {name} available and what does it cost?|available=stock~whether it can be bought now;cost=price~current price`,
			`0 3 11|find schema|{name} product data|salePrice=price~price now;regularPrice=old~price before the sale;sizes=sizes~all sizes offered`,
			`1|find empty|{name}: weight and warranty|weight_kg=weight;warranty=warranty`,
			`9|find empty|{name}: weight and price|weight_kg=weight~@weighs,kg;price=price`,
			`2 5 8|at schema|Read {url} and return the product|price=price~;listPrice=old~crossed-out price;energyClass=!enum(A/B/C/D)~EU energy class@Energy,class`,
			`4|find schema|{name}|vegan=vegan~is it vegan?;brand=brand~maker;priceGbp=price~price in pounds`,
			`10|find schema|{name}|vegan=vegan~is it vegan?@vegan;priceGbp=price~price in pounds`,
			`5|at schema|{url}|isVegan=vegan~suitable for vegans;rating=rating~average rating;reviewCount=reviews~number of reviews`,
			`6|find told|Harrow Merino Jumper sizes|sizes=sizes~sizes it comes in;old=old~recommended retail price;returns=returns~days to return`,
			`1 7|at empty|{url}|sizes=sizes;discount_price=!gbp@Sale,Was`,
			`3|find none|How many customer reviews has the Cloudberry Hand Cream?|x=reviews`,
			`0|find none|What does the Alder 2 Stovetop Kettle cost together with two mugs?|x=bundle`,
			`2|find plain|current price of the Alder Mug|x=price~price`,
			`9 0|find empty|{name}|made_in=made;material=material;sku=sku`,
			`10|find told|Tern Shaving Brush gift box|made_in=made~place of making;materials=material~materials;stock=stock~available?`,
			`0|find empty|price and colour of the {name}|price=!gbp;colour=!str|Alder 3 Induction Kettle`,
			`0|find schema|{name}: is it vegan, and the price|vegan=!bool~vegan?;price=!gbp~price|Puffin Beard Oil`,
		},
	}}
}

// gadgets are a dealer's pages in old layouts, and a shop that is drawn by scripts.
func gadgets() []kind {
	return []kind{{
		name: "gadget", page: "product",
		cols: "name price:eur was:eur maker model battery:num screen:num wifi:bool bluetooth:bool usbc:bool waterproof:bool os:enum(Android/Linux/none) weight:int box:list launch:date manual:url support:mail delivery:eur stars:num",
		rows: []string{
			"Corvo E6 Reader|€139.00|€159.00|Corvo|CE6-2025|42|6|Yes=true^Wi-Fi Yes|No=false^Bluetooth No|Yes=true^USB-C Yes|No=false^Waterproof No|Linux|158|Reader;USB cable;Quick guide|2025-04-08=2025-04-08|Manual (PDF)=/files/ce6.pdf|help@corvo.example|€4.90|4.3",
			"Corvo E6 Plus Reader|€189.00|-|Corvo|CE6P-2025|60|6.8|Yes=true^Wi-Fi Yes|Yes=true^Bluetooth Yes|Yes=true^USB-C Yes|Yes=true^Waterproof Yes|Linux|192|Reader;USB cable;Sleeve|2025-09-16=2025-09-16|Manual (PDF)=/files/ce6p.pdf|help@corvo.example|€4.90|4.6",
			"Corvo E5 Reader|€89.00|€119.00|Corvo|CE5-2022|35|6|Yes=true^Wi-Fi Yes|No=false^Bluetooth No|No=false^USB-C No|No=false^Waterproof No|Linux|171|Reader;Micro-USB cable|2022-03-01=2022-03-01|-|help@corvo.example|€4.90|3.8",
			"Palisade Solar Lantern|€44.50|-|Palisade|PSL-300|18|-|No=false^Wi-Fi No|No=false^Bluetooth No|Yes=true^USB-C Yes|Yes=true^Waterproof Yes|none|310|Lantern;Hook;Cable|2024-05-20=2024-05-20|Download the leaflet=/files/psl300.pdf|-|€6.50|4.7",
			"Palisade Weather Radio|€62.00|€75.00|Palisade|PWR-12|30|2.4|No=false^Wi-Fi No|Yes=true^Bluetooth Yes|Yes=true^USB-C Yes|Yes=true^Waterproof Yes|none|420|Radio;Strap;Crank|2025-10-01=2025-10-01|Download the leaflet=/files/pwr12.pdf|-|€6.50|4.4",
			"Quill Tab 10|€329.00|€399.00|Quill|QT10-W|11|10.1|✓=true^Wi-Fi ✓|✓=true^Bluetooth ✓|✓=true^USB-C ✓|✗=false^Waterproof ✗|Android|465|Tablet;Charger;Stylus|2025-06-12=2025-06-12|User guide=https://support.quill.example/qt10/guide|care@quill.example|€0.00|4.1",
			"Quill Tab 10 LTE|€399.00|-|Quill|QT10-L|10|10.1|✓=true^Wi-Fi ✓|✓=true^Bluetooth ✓|✓=true^USB-C ✓|✗=false^Waterproof ✗|Android|478|Tablet;Charger;Stylus;SIM pin|2025-08-28=2025-08-28|User guide=https://support.quill.example/qt10l/guide|care@quill.example|€0.00|4.0",
			"Quill Tab 8|€219.00|€249.00|Quill|QT8-W|9|8|✓=true^Wi-Fi ✓|✓=true^Bluetooth ✓|✗=false^USB-C ✗|✗=false^Waterproof ✗|Android|320|Tablet;Charger|2023-11-03=2023-11-03|-|care@quill.example|€3.90|3.6",
		},
		looks: []look{
			{"old", "www.elektro-kontor.example/artikel/", `{{name}}
<H2>{{name}}</H2><IMG SRC="pix/1.gif" ALIGN="RIGHT"><P><FONT COLOR="#CC0000" SIZE="4"><B>Our price: {{price}}</B></FONT>
<BR><FONT SIZE="2">List price {{was}}</FONT>
<BR>Delivery: {{delivery}} (within the country)</P>
<TABLE BORDER="1" CELLSPACING="0"><TR><TD BGCOLOR="#DDDDDD"><B>Maker</B></TD><TD>{{maker}}</TD><TD BGCOLOR="#DDDDDD"><B>Model</B></TD><TD>{{model}}</TD></TR>
<TR><TD BGCOLOR="#DDDDDD"><B>Screen</B></TD><TD>{{screen}} in</TD><TD BGCOLOR="#DDDDDD"><B>Weight</B></TD><TD>{{weight}} g</TD></TR>
<TR><TD BGCOLOR="#DDDDDD"><B>Wi-Fi</B></TD><TD>{{wifi}}</TD><TD BGCOLOR="#DDDDDD"><B>Bluetooth</B></TD><TD>{{bluetooth}}</TD></TR>
<TR><TD BGCOLOR="#DDDDDD"><B>USB-C</B></TD><TD>{{usbc}}</TD><TD BGCOLOR="#DDDDDD"><B>Waterproof</B></TD><TD>{{waterproof}}</TD></TR>
<TR><TD BGCOLOR="#DDDDDD"><B>System</B></TD><TD>{{os}}</TD><TD BGCOLOR="#DDDDDD"><B>Battery</B></TD><TD>up to {{battery}} hours</TD></TR></TABLE>
<P><B>In the box:</B><UL>{{box*LI}}</UL>
<P><A HREF="{{manual#}}">{{manual}}</A>
<P>Questions? <A HREF="mailto:{{support}}">{{support}}</A>`},
			{"spa", "store.readery.example/p/", `{{name}}
<div class="css-hero"><div class="css-t1">{{name}}</div><div class="css-pr"><div class="css-pr-now">{{price}}</div><div class="css-pr-was">{{was}}</div></div></div>
<div class="css-tabs"><div role="tab">Overview</div><div role="tab">Tech specs</div><div role="tab">Reviews</div></div>
<div class="css-specs"><div class="css-row"><div>Model number</div><div>{{model}}</div></div><div class="css-row"><div>Battery life</div><div>{{battery}} h</div></div>
<div class="css-row"><div>Display</div><div>{{screen}}"</div></div>
<div class="css-row"><div>Weight</div><div>{{weight}} g</div></div><div class="css-row"><div>Wi-Fi</div><div>{{wifi}}</div></div><div class="css-row"><div>Bluetooth</div><div>{{bluetooth}}</div></div><div class="css-row"><div>USB-C</div><div>{{usbc}}</div></div><div class="css-row"><div>Waterproof</div><div>{{waterproof}}</div></div>
<div class="css-row"><div>Released</div><div>{{launch}}</div></div></div>
<div class="css-box"><div>What's in the box</div>{{box*div}}</div><div class="css-ship">Delivery {{delivery}}</div><div class="css-stars">{{stars}} / 5</div>
<div class="css-alt"><div>Customers also viewed</div><div>Reading lamp clip</div><div>€15.90</div></div>`},
			{"bootstrap", "www.geizpreis.example/offers/", `{{name}} – best offers
<h1>{{name}}</h1><p>From <b>{{price}}</b> at 1 of 7 shops (delivery {{delivery}})</p><script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"{{name}}","mpn":"{{model}}","brand":{"@type":"Brand","name":"{{maker}}"},"aggregateRating":{"@type":"AggregateRating","ratingValue":"{{stars}}","reviewCount":"57"}}</script>
<ul class="specs"><li>Operating system: {{os}}</li><li>On sale since {{launch}}</li><li>Display size: {{screen}} inches</li>
<li>Wi-Fi: {{wifi}}</li><li>USB-C: {{usbc}}</li><li>Bluetooth: {{bluetooth}}</li></ul>
<p><a class="btn" href="{{manual#}}">{{manual}}</a></p>`},
		},
		asks: []string{
			`0 3|at empty|{url}|price=price;list_price=was;maker=maker;model=model`,
			`0 6|at schema|Specs at {url}|wifi=wifi~has Wi-Fi;bluetooth=bluetooth~has Bluetooth;waterproof=waterproof~is it waterproof?;weight_g=weight~weight in grams`,
			`1 4 7|find told|{name} specs|battery_hours=battery~hours of battery life;usb_c=usbc~has USB-C;contents=box~everything in the box`,
			`2 5|find schema|{name}: operating system and release date|os=os~operating system;released=launch~date it went on sale;price=price~lowest price`,
			`3|at told|{url}|manual=manual~link to the manual;support_email=!mail~e-mail of support@Questions`,
			`5|find schema|Where is the user guide of the {name}?|guideUrl=manual~address of the user guide`,
			`1|find none|How much does the Corvo E6 Plus Reader weigh, in grams?|x=weight`,
			`4|find plain|delivery cost of the Palisade Weather Radio|x=delivery~delivery cost`,
			`1 7|at empty|{url}|ram_gb=!int@RAM,memory;model_number=model;rating=stars`,
			`2|find told|Corvo E5 Reader old price|previous_price=was~price before it was lowered^twin:€159.00`,
			`6|find empty|What comes in the box of the {name}?|box=box;price=price;discount=!eur@List price`,
			`0|find empty|{name}|price=!eur;launch=!date|Corvo E9 Colour Reader`,
		},
	}}
}

// oddShops are pages of which there is one each: lists, comparisons, sets.
func oddShops() []kind {
	return []kind{
		{
			name: "collection", page: "collection", cols: "name rugs:rows(name,price:gbp)",
			rows: []string{"Rugs and runners|Jute Runner,£39.00;Cotton Dhurrie,£64.00;Rag Rug,£28.50;Felt Mat,£17.00"},
			looks: []look{{"shopify", "www.fernandfathom.example/collections/rugs", `{{name}}
<h1>{{name}}</h1><p>{{count:int|4}} products</p><ul class="grid product-grid">{{rugs%<li class="grid__item"><a href="#">$1</a> <span>$2</span></li>}}</ul>
<p>Prices from {{low:gbp|£17.00}} to {{high:gbp|£64.00}}.</p>`}},
			asks: []string{
				`0|at empty|How many products are in the collection {url}, and the price range?|product_count=count;lowest_price=low;highest_price=high`,
				`0|at schema|{url}|rugs=rugs~all rugs with their prices`,
			},
		},
		{
			name: "listing", page: "listing", cols: "name offers:rows(product,price:gbp,sku)", rows: []string{
				"Spring clearance|Jute Runner,£29.00,FF-R1;Cotton Dhurrie,£48.00,FF-R2;Birch Stool,£55.50,FF-S9;Linen Apron,£19.00,FF-A4",
				"Autumn clearance|Jute Runner,£25.00,FF-R1;Wool Cushion,£21.00,FF-C2;Birch Stool,£49.00,FF-S9",
				"Last pieces|Ash Coat Rack,£72.00,FF-K7;Felt Mat,£12.00,FF-M1",
			},
			looks: []look{
				{"shopify", "www.fernandfathom.example/sale/", `{{name}}
<h1>{{name}}</h1><table class="sale"><thead><tr><th>Product</th><th>Price</th><th>SKU</th></tr></thead><tbody>{{offers%<tr><td><a href="/p/$3">$1</a></td><td>$2</td><td>$3</td></tr>}}</tbody></table>`},
				{"shopify", "www.fernandfathom.example/sale/", `{{name}}
<h1>{{name}}</h1><ul class="product-grid">{{offers%<li class="card"><h3 class="card__heading">$1</h3><span class="price-item">$2</span><small>SKU $3</small></li>}}</ul>`},
				{"old", "www.remnants.example/sale/", `{{name}}
<H2>{{name}}</H2>{{offers%<P><B>$1</B> ....... $2 (order no. $3)}}`},
			},
			asks: []string{
				`0 1|at empty|List all offers on {url}|offers=offers`,
				`2|at schema|All offers at {url}|offers=offers~each offer on the page`,
				`0|find told|Fern and Fathom Spring clearance: all products with price and SKU|products=offers~`,
			},
		},
		{
			name: "versus", page: "article", cols: "name", rows: []string{"Nimbus, Stratus or Cirrus: which air purifier?"},
			looks: []look{{"theme", "www.plainreviews.example/purifiers", `{{name}}
<h1>{{name}}</h1><p class="byline">By {{author|Petra Oyelaran}} · updated {{updated:date|3 March 2026=2026-03-03}}</p><p>We ran all three in the same bedroom for a month.</p>
<table class="compare"><thead><tr><th></th><th>Nimbus 200</th><th>Stratus S</th><th>Cirrus Max</th></tr></thead><tbody>
<tr><th>Price</th><td>{{nprice:usd|$149}}</td><td>{{sprice:usd|$219}}</td><td>{{cprice:usd|$329}}</td></tr>
<tr><th>Noise (dB)</th><td>{{nnoise:int|48}}</td><td>{{snoise:int|39}}</td><td>{{cnoise:int|44}}</td></tr>
<tr><th>Room size (m²)</th><td>{{nroom:int|20}}</td><td>{{sroom:int|28}}</td><td>{{croom:int|55}}</td></tr>
<tr><th>App control</th><td>{{napp:bool|✗=false^✗}}</td><td>{{sapp:bool|✓=true^✓}}</td><td>{{capp:bool|✓=true^✓}}</td></tr>
<tr><th>HEPA filter</th><td>H11</td><td>H13</td><td>H13</td></tr></tbody></table>
<h2>Our pick</h2><p>For most people it is the {{pick|Stratus S}}: quiet at night, and the filters are cheap at {{filter:usd|$29}} a piece.</p>`}},
			asks: []string{
				`0|find empty|Stratus S air purifier: price, noise, room size|price=sprice;noise_db=snoise;room_m2=sroom`,
				`0|find told|Cirrus Max air purifier|price=cprice~what it costs;app=capp~whether an app controls it;weight=!num~weight in kilograms@weight,kg`,
				`0|at schema|Nimbus 200 in {url}|price=nprice~price of the Nimbus 200;appControl=napp~app control of the Nimbus 200;roomSize=nroom~room size in square metres`,
				`0|at empty|{url}|author=author;recommended=pick;updated=updated;replacement_filter_price=filter`,
			},
		},
		{
			name: "bundle", page: "product", cols: "name parts:list", rows: []string{"First Flat Kitchen Set|Alder Mug;Birch chopping board;Linen tea towel;Cast iron pan"},
			looks: []look{{"shopify", "www.fernandfathom.example/bundles/first-flat", `{{name}}
<h1>{{name}}</h1><p>Everything for the first kitchen, {{save:gbp|£31.00}} less than bought one by one.</p><div class="price">{{price:gbp|£128.00}}</div><h3>What you get</h3><ul>{{parts*li}}</ul><p>Ships in one box, free of charge. Gift wrapping {{wrap:gbp|£3.50}}.</p>`}},
			asks: []string{
				`0|find empty|First Flat Kitchen Set contents and price|items=parts;price=price;savings=save`,
				`0|at schema|{url}|giftWrapPrice=wrap~price of gift wrapping;price=price~price of the set;colour=!str~colour@colour`,
			},
		},
	}
}
