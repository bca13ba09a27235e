package harbour

// talk are forums, where most are wrong, and the questions that firms answer themselves.
func talk() []kind { return []kind{threads(), answers()} }

func threads() kind {
	return kind{
		name: "thread", page: "forum",
		cols: `name str||the thread
asker str(mudlark/bosunbill/sea_urchin/no_wake/kittiwake9)|asked_by|who asked|Who started the thread "{name}"?|
solver str(riggerjo/old_salt_44/tide_nerd/hullsmith/anode_anna)|solved_by|who gave the accepted answer|Whose answer was accepted in the thread "{name}"?|accepted,solved,solution
on date(-320,110,1)|asked_on|day of the question|When was "{name}" asked?|
fix str|solution|the accepted solution|What solved the problem in "{name}"?|accepted,solution
replies int(3,48,1)|replies|number of replies|How many replies has the thread "{name}"?|replies
views int(210,4800,10)|views|number of views|How often was the thread "{name}" viewed?|views
solved bool|solved|is it solved?|Is the thread "{name}" solved?|solved,unsolved
board str|board|board|In which board is "{name}"?|board,category
part str|part_number|part number that was needed|Which part number was needed in "{name}"?|part number
cost gbp(4,60,1)|repair_cost|cost of the repair|What did the repair in "{name}" cost?|cost
tags list|tags|tags|Which tags has the thread "{name}"?|tags
likes int(4,90,1)|likes|likes of the accepted answer|How many likes has the accepted answer in "{name}"?|likes
hours num(1.5,4,0.5)|hours_taken|hours that it took|How many hours did the repair take in "{name}"?|hours`,
		rows: []string{
			"Yarrow 18 hp will not start when warm|*|*|*|a cracked fuel line at the lift pump|*|*|Solved=true|Engines|YR-5521|*|diesel;yarrow;starting|*|*",
			"Sounder S2 shows no depth|*|*|*|the transducer was fitted bow to stern|*|*|Solved=true|Electronics|-|-|sonar;brackwater|*|-",
			"Best paint for a steel hull|*|-|*|-|*|*|Not solved yet=false|Paint and varnish|-|-|steel;paint;hull|-|-",
			"Petrel VHF keeps switching off|*|*|*|cleaning the battery contacts with vinegar|*|*|Solved=true|Electronics|-|*|vhf;battery|*|-",
			"Yarrow 18 hp smokes at idle|*|-|*|-|*|*|Not solved yet=false|Engines|-|-|diesel;yarrow|-|-",
			"Leaking hatch on a Merganser 26|*|*|*|a new gasket and two turns less on the hinges|*|*|-|Deck and rigging|MG-26-H4|*|-|-|*",
		},
		looks: []look{
			{"discourse", "talk.slipway.example/t/", `{{name}} - {{board}}
<div id="topic-title"><h1><a href="/t/1">{{name}}</a></h1><div class="topic-category">Category: {{board}}</div><div class="discourse-tags">{{tags*span}}</div></div>
<div class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator"><a href="/u/x">{{asker}}</a></span> <time>{{on}}</time></div><div class="post"><p>Title says it all. Two years old, has always behaved. What am I missing?</p></div></div>
<div class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator">barnacle_bob</span></div><div class="post"><p>It is always the impeller. Mine was £199 and nine hours at the yard.</p></div></div>
<div class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator">{{solver}}</span> <span class="badge">Accepted answer</span></div><div class="post"><p>Had this one. It was {{fix}}.[[ You want part number {{part}}.]][[ Cost me {{cost}}]][[ and {{hours}} hours]]</p></div><div>{{likes}} likes</div></div>
<div class="topic-map">{{replies}} replies · {{views}} views[[ · {{solved}}]]</div>`},
			{"vbulletin", "forum.brackwater.example/showthread/", `{{name}}
<table class="tborder"><tr><td class="navbar">Board: {{board}} &gt; {{name}}</td></tr><tr><td class="thead">{{on}}</td></tr><tr><td><b>{{asker}}</b></td><td>Can anyone help? Manual is useless.</td></tr>
<tr><td><b>captain_obvious</b></td><td>Have you switched it on? It is surely the fuse, £2.</td></tr>
<tr><td><b>{{solver}}</b></td><td>[Accepted answer, {{likes}} likes] What helped here: {{fix}}.[[ It cost me {{cost}}.]]</td></tr>
<tr><td><b>{{asker}}</b></td><td>{{solved}}. Thanks all.</td></tr></table><div class="stats">Replies: {{replies}} Views: {{views}} Tags: {{tags}}</div>`},
			{"discourse", "talk.slipway.example/q/", `{{name}} - {{board}}
<h1>{{name}}</h1><div class="topic-category">Board: {{board}}</div><div class="topic-body"><span class="creator">{{asker}}</span> <time>{{on}}</time><p>Opinions welcome.</p></div><div class="topic-body"><span class="creator">barnacle_bob</span><p>Buy a new boat.</p></div>
<div class="topic-body"><span class="creator">{{solver}}</span> (solution) <p>{{fix}}, part number {{part}}. Took me {{hours}} hours, cost {{cost}}.</p></div>
<p>{{tags}}</p>
<p>{{replies}} replies, {{views}} views</p>
<p>Status: {{solved}}</p>`},
		},
		asks: []string{
			`0 1 3|at schema|{url}|asker,solver,on,solved,replies`,
			`0 3|find told|Forum thread "{name}": {asks}|fix,part,cost,solver`,
			`2 4|find schema|{name} thread|asker,replies,views,likes,part`,
			`0 1 5|find none|?|fix,solver`,
			`0 2|at empty|{url}|tags,board,views,likes,hours`,
			`4|find told|Yarrow 18 hp smokes at idle|fix^twin@0,part^twin@0,board,on`,
			`5|find told|Leaking hatch on a Merganser 26|hours,part,cost,tags,likes`,
			`1|find plain|{name}|fix,tags`,
			`2|find none|?|asker,replies`,
		},
	}
}

func answers() kind {
	return kind{
		name: "faq", page: "FAQ",
		cols: `name str||the firm
refund int(7,45,1)|refund_days|days in which it can be returned|How many days do I have to return something to {name}?|return,refund
fee gbp(15,45,5)|cancellation_fee|cancellation fee|What does a cancellation cost at {name}?|cancellation
deposit gbp(100,650,50)|deposit|deposit|What deposit does {name} ask for?|deposit
age int(16,25,1)|minimum_age|least age of a hirer|How old must one be to hire at {name}?|aged,years old
pets bool|pets_allowed|are pets allowed?|Are pets allowed at {name}?|pets,dogs
insured bool|insurance_included|is insurance included?|Is insurance included at {name}?|insurance,insured
pay list|payment_methods|ways to pay|How can I pay at {name}?|pay with,payment
reply int(1,5,1)|reply_days|working days until a reply|Within how many working days does {name} reply?|working days,reply
mail mail|complaints_email|e-mail address for complaints|Where do I send a complaint to {name}?|complain,complaints
tel tel(01632 969 )|lost_property_phone|phone of the lost property office|Which number do I ring at {name} about lost property?|lost
claim url|claim_form|claim form|Where is {name}'s claim form?|claim
late gbp(4,14,1)|late_fee|late fee for an hour|What is the late fee at {name}?|late
licence bool|licence_needed|is a licence needed?|Do I need a licence at {name}?|licence
from date(70,125,1)|terms_valid_from|first day of the terms|Since when have the terms of {name} applied?|terms apply,since`,
		rows: []string{
			"Ansell Boat Hire|-|*|*|*|Pets are welcome aboard=true|Insurance is included=true|card;bank transfer;vouchers|-|sorry@ansellboathire.example|*|-|*|No licence is needed=false|*",
			"Tidewell Mail Order|*|-|-|-|-|-|card;invoice|*|complaints@tidewell.example|-|Start a claim=/claim|-|-|*",
			"Lerrin Houseboats|-|*|*|*|No pets, we are sorry=false|Insurance is not included=false|card;bank transfer|*|-|-|-|-|You need an inland licence=true|-",
			"Bootsverleih Wismar|-|*|*|*|Hunde sind erlaubt=true|Versicherung inklusive=true|Karte;bar|-|beschwerde@bvw.example|+49 4131 5558###|-|-|Führerschein erforderlich=true|*",
			"Ansell Ferries|*|*|-|-|Pets travel free=true|-|-|*|care@ansellferries.example|*|Claim for a delay=https://claims.ansellferries.example/|-|-|*",
		},
		looks: []look{
			{"elementor", "www.{}.example/faq/", `Questions – {{name}}
<h1>{{name}}: your questions</h1>
<details><summary>Can I bring my pets?</summary><p>{{pets}}.</p></details>
<details><summary>Am I covered?</summary><p>{{insured}}. The deposit is {{deposit}} and is returned the same day.</p></details>
<details><summary>How do I pay with you?</summary><p>With {{pay}}.</p></details>
<details><summary>Who can hire?</summary><p>Anybody aged {{age}} or more. {{licence}}.</p></details>
<details><summary>What if we are late?</summary><p>The late fee is {{late}} an hour.</p></details>
<details><summary>What does a cancellation cost?</summary><p>{{fee}}, whenever it comes.</p></details>
<details><summary>I want to complain.</summary><p>Oh. Please write to {{mail}}.</p></details>
<details><summary>I have lost something.</summary><p>Ring {{tel}}.</p></details>
<p>These terms apply from {{from}}.</p>`},
			{"next", "help.{}.example/faq", `Help centre
<h1>{{name}} help</h1><script type="application/ld+json">{"@context":"https://schema.org","@type":"FAQPage","mainEntity":[{"@type":"Question","name":"How long do I have to return something?","acceptedAnswer":{"@type":"Answer","text":"You have {{refund}} days to return it."}}]}</script>
<h3>How long do I have to return something?</h3><p>You have {{refund}} days to return it.</p><h3>How can I pay?</h3><p>We take payment by {{pay}}.</p><h3>When will you reply?</h3><p>Within {{reply}} working days.</p><h3>How do I complain?</h3><p>E-mail {{mail}}. <a href="{{claim#}}">{{claim}}</a></p><p>Since {{from}} these answers are our terms.</p>`},
			{"frontpage", "www.{}.example/faq.htm", `FAQ
<h2>{{name}} FAQ</h2><p><b>Q: Pets?</b><br>A: {{pets}}.</p><p><b>Q: Deposit?</b><br>A: Yes, {{deposit}}.</p><p><b>Q: Insurance?</b><br>A: {{insured}}.</p><p><b>Q: Cancellation?</b><br>A: It costs {{fee}}.</p><p><b>Q: How old must I be?</b><br>A: At least {{age}} years old. {{licence}}.</p><p><b>Q: How to pay?</b><br>A: {{pay}}.</p><p><b>Q: I wrote, when do you reply?</b><br>A: In {{reply}} working days.</p>`},
			{"typo3", "www.{}.example/fragen", `Häufige Fragen
<h1>{{name}}: Häufige Fragen</h1><h3>Darf der Hund mit?</h3><p>{{pets}}.</p><h3>Wie hoch ist die Kaution?</h3><p>{{deposit}}</p><h3>Bin ich versichert?</h3><p>{{insured}}. {{licence}}.</p><h3>Was kostet eine Stornierung?</h3><p>{{fee}}</p><h3>Ab welchem Alter?</h3><p>Ab {{age}} Jahren.</p><h3>Wie kann ich zahlen?</h3><p>{{pay}}</p><p>Fundsachen: {{tel}}. Beschwerden: {{mail}}. Gültig ab {{from}}.</p>`},
			{"drupal", "www.{}.example/faq", `FAQ
<h1>{{name}}: FAQ</h1><dl><dt>Do pets pay?</dt><dd>{{pets}}.</dd><dt>How long can I return a ticket?</dt><dd>For {{refund}} days after buying it; a cancellation costs {{fee}}.</dd><dt>I lost my umbrella.</dt><dd>The lost property office is at {{tel}}.</dd><dt>My boat was delayed.</dt><dd><a href="{{claim#}}">{{claim}}</a>. We reply within {{reply}} working days. Complaints: {{mail}}</dd></dl><p>These terms apply since {{from}}.</p>`},
		},
		asks: []string{
			`0 2 4|at schema|{url}|pets,insured,deposit,age,fee`,
			`1 4|find told|{name}: {asks}|refund,reply,mail,claim,pay`,
			`3|find schema|Bootsverleih Wismar: Hund, Kaution, Versicherung, Mindestalter|pets,deposit,insured,age,licence`,
			`0 2 3|find none|?|deposit,age`,
			`2|find empty|{name}|licence,pets,late,mail,refund`,
			`0 4|find told|{name}: {asks}|tel,late,licence,from`,
			`1 0|find plain|{name}|pay,mail`,
			`1|find none|?|insured,deposit`,
			`0|find told|{name} deposit|deposit,pets|Marram Canoe Hire`,
		},
	}
}
