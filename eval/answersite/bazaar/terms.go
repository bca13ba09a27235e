package bazaar

// questions are what shops are asked all day, and when their doors and vans go.
func questions() []kind {
	return []kind{
		{
			name: "faq", page: "FAQ",
			cols: "name days:int free:gbp standard:gbp express:gbp cards:list intl:bool wrap:gbp track:bool cutoff label:bool phone:tel mail:mail giftcards:bool invoice:bool",
			rows: []string{
				"Fern & Fathom help|30|£60|£3.95|£7.50|Visa;Mastercard;PayPal|Yes, to most of Europe=true^Do you send abroad? Yes, to most of Europe|£3.50|Yes, by SMS=true^Can I track my parcel? Yes, by SMS|2 pm|Returns are free=true|-|care@fernandfathom.example|Yes=true^Do you sell gift cards? Yes|-",
				"Tern Botanicals help|14|£35|£2.90|-|Visa;Klarna|No, not at the moment=false^Do you ship abroad? No, not at the moment|-|No=false^Can I track my order? No|noon|You pay the postage=false|01595 555 018|-|No=false^Gift cards? No|-",
				"Harrow Wool help|60|£100|£4.50|£9.00|Visa;Mastercard;Amex|Yes=true|£5.00|Yes=true|-|Returns are free=true|-|wool@harrowwool.example|-|Yes=true^Can I pay by invoice? Yes",
				"Readery help|14|€40=40|€3.90=3.9|€9.90=9.9|Mastercard;SEPA|Yes=true|-|Yes=true|16:00|You pay the postage=false|-|-|-|-",
			},
			looks: []look{
				{"shopify", "www.fernandfathom.example/pages/", `{{name}}
<h1>Frequently asked questions</h1><div class="accordion"><details><summary>How long do I have to return something?</summary><p>{{days}} days from the day it reaches you. {{label}}.</p></details>
<details><summary>What does delivery cost?</summary><p>{{standard}} for standard delivery; nothing if you spend {{free}} or more.</p></details>
<details><summary>And if I am in a hurry?</summary><p>Express is {{express}}: order before {{cutoff}} and it goes out the same day.</p></details>
<details><summary>Do you send abroad?</summary><p>{{intl}}.</p></details><details><summary>Can I track my parcel?</summary><p>{{track}}.</p></details><details><summary>Do you sell gift cards?</summary><p>{{giftcards}}.</p></details><details><summary>Do you wrap presents?</summary><p>For {{wrap}} we do.</p></details></div><p>How can I pay? {{cards}}.</p><p>Still stuck? {{mail}}</p>`},
				{"woo", "shop.ternbotanicals.example/help/", `{{name}}
<h1>Help</h1><h3>Can I track my order?</h3><p>{{track}}, we are too small for that.</p><h3>Do you ship abroad?</h3><p>{{intl}}.</p><h3>Shipping</h3><p>Flat {{standard}}, free over {{free}}. Orders before {{cutoff}} leave the same day.</p><h3>Returns</h3><p>{{days}} days. {{label}}.</p><h3>Gift cards?</h3><p>{{giftcards}}, but we can post a hand-written IOU.</p><h3>Payment</h3><ul>{{cards*li}}</ul><p>Ring {{phone}} on weekday mornings.</p>`},
				{"bootstrap", "www.harrowwool.example/help/", `{{name}}
<h1>{{name}}</h1><script type="application/ld+json">{"@context":"https://schema.org","@type":"FAQPage","mainEntity":[{"@type":"Question","name":"Do you ship worldwide?","acceptedAnswer":{"@type":"Answer","text":"{{intl}}"}},{"@type":"Question","name":"Can I pay by invoice?","acceptedAnswer":{"@type":"Answer","text":"{{invoice}}"}}]}</script><dl><dt>Do you ship worldwide?</dt><dd>{{intl}}</dd><dt>Can I pay by invoice?</dt><dd>{{invoice}}</dd><dt>How many days do I have to change my mind?</dt><dd>{{days}}</dd><dt>Postage</dt><dd>{{standard}}, or {{express}} for next day</dd><dt>From what amount is postage free?</dt><dd>{{free}}</dd><dt>Gift wrap</dt><dd>{{wrap}}</dd><dt>Cards</dt><dd>{{cards}}</dd></dl><p>{{mail}}</p>`},
				{"spa", "store.readery.example/help/", `{{name}}
<div class="css-q">What payment methods do you take?</div><div class="css-a">{{cards*span}}</div><div class="css-q">Delivery</div><div class="css-a">{{standard}} (express {{express}}, order until {{cutoff}})</div><div class="css-a">Free from {{free}}</div><div class="css-q">Returns</div><div class="css-a">Within {{days}} days. {{label}}.</div>`},
			},
			asks: []string{
				`0 1 2|at empty|{url}|return_days=days;standard_delivery=standard;free_delivery_over=free;payment_methods=cards`,
				`0 1|find schema|{name}: delivery questions|shipsAbroad=intl~do they send abroad?;tracking=track~can parcels be tracked?;freeReturns=label~are returns free of charge?;giftCards=giftcards~are gift cards sold?`,
				`2|find schema|Harrow Wool help|invoice=invoice~can one pay by invoice?;expressPrice=express~price of express;phone=!tel~phone@phone,ring`,
				`1|find told|Tern Botanicals help|phone=phone~phone;express=express~price of express delivery@express;cutoff=cutoff~until when to order for the same day`,
				`0|find none|What does gift wrapping cost at Fern & Fathom? (Fern & Fathom help)|x=wrap`,
				`3|at empty|{url}|payment_methods=cards;return_window_days=days;gift_wrap_price=!eur@gift,wrap;email=!mail@mail`,
			},
		},
		{
			name: "deliverytimes", page: "timetable", cols: "name slots:rows(area,leaves,charge:gbp)", rows: []string{
				"Van times, week of 11 May|Kelburn,08:15,£2.00;Eastgate,10:40,£2.50;Nether Oster,13:05,£4.00",
				"Van times, week of 18 May|Kelburn,08:30,£2.00;Eastgate,11:10,£2.75;Nether Oster,13:20,£4.25",
			},
			looks: []look{
				{"theme", "www.greenbox.example/vans/", `{{name}}
<h1>{{name}}</h1><table><thead><tr><th>Area</th><th>Van leaves</th><th>Charge</th></tr></thead><tbody>{{slots%<tr><td>$1</td><td>$2</td><td>$3</td></tr>}}</tbody></table><p>Boxes start at {{box:gbp|£14.50}}. Last orders by {{last|Friday noon}}.</p>`},
				{"theme", "www.greenbox.example/vans/", `{{name}}
<h1>{{name}}</h1>{{slots%<p>$1: van leaves at $2, charge $3</p>}}<p>Boxes start at {{box:gbp|£14.50}}.</p>`},
			},
			asks: []string{
				`0 1|at empty|Rows of {url}|slots=slots`,
				`0|find told|Greenbox {name}|last_orders=last~until when to order;box_from=box~price of the smallest box;sunday=!str~when the van leaves on Sunday@Sunday`,
				`1|find told|Greenbox {name}|box_from=box~price of the smallest box;saturday=!str~when the van leaves on Saturday@Saturday`,
			},
		},
	}
}
