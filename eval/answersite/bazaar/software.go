package bazaar

// plans are the price tables of subscriptions.
func plans() []kind {
	return []kind{{
		name: "plan", page: "service",
		cols: "name free:usd basic:usd team:usd seats:int storage basic_sso:bool team_sso:bool trial:int annual sales:mail billing:enum(monthly/yearly/both) features:list tiers:rows(plan,price:usd) api:bool refund",
		rows: []string{
			"Ledgerly|$0|$12|$29|25|10 GB|✗=false|✓=true|14|Save 20% with yearly billing|sales@ledgerly.example|both|Invoices;Receipts;Bank feeds|Solo,$0;Basic,$12;Team,$29|-|-",
			"Ledgerly Books|-|$18|$39|40|25 GB|✗=false|✓=true|30|Two months free when paid yearly|books@ledgerly.example|both|Payroll;VAT returns;Bank feeds|Basic,$18;Team,$39|-|-",
			"Pingwise|$0|$7|$19|10|-|✗=false|✗=false|-|-|-|monthly|Status page;SMS alerts;Heartbeats|Hobby,$0;Starter,$7;Crew,$19|Included=true^API access Included|Cancel within 30 days for your money back",
			"Formkeep|$0|$9|$24|-|1 GB|Not included=false|Included=true|7|15% off for a year|hello@formkeep.example|both|Spam filter;File uploads;Webhooks|Free,$0;Plus,$9;Business,$24|Included=true^API access Included|-",
			"Mapstack|-|$49|$199|15|50 GB|✗=false|✓=true|21|-|sales@mapstack.example|yearly|Tiles;Routing;Geocoding|Studio,$49;Agency,$199|-|No refunds once tiles have been served",
			"Pingwise Pro|-|$15|$45|50|-|✗=false|✓=true|10|-|pro@pingwise.example|monthly|Status page;Phone calls;Rotas|Starter,$15;Crew,$45|Not included=false^API access Not included|-",
		},
		looks: []look{
			{"bootstrap", "www.{}.example/pricing/", `{{name}} pricing – simple and honest
<div class="text-center"><h1>{{name}}: plans & pricing</h1><p>{{annual}}. Try any plan for {{trial}} days, no card needed.</p>
</div><div class="row row-cols-3"><div class="card"><div class="card-header">Basic</div><h2 class="card-title pricing-card-title">{{basic}}<small>/mo</small></h2><ul><li>1 user</li>
<li>{{storage}} of storage</li>
</ul></div>
<div class="card border-primary"><div class="card-header">Team</div><h2 class="card-title pricing-card-title">{{team}}<small>/mo</small></h2><ul>
<li>Up to {{seats}} users</li>
<li>Priority support</li></ul></div></div>
<h2>Compare plans</h2><table class="table text-center"><thead><tr><th></th><th>Basic</th><th>Team</th></tr></thead><tbody>
<tr><th scope="row">Single sign-on</th><td>{{basic_sso}}</td><td>{{team_sso}}</td></tr>
<tr><th scope="row">Audit log</th><td>✗</td><td>✓</td></tr></tbody></table>
<h3>In every plan</h3><ul>{{features*li}}</ul><p>Larger company? Write to <a href="mailto:{{sales}}">{{sales}}</a>.</p>`},
			{"spa", "www.{}.example/plans/", `{{name}} | Plans
<div class="css-hd">{{name}} plans</div><div class="css-toggle"><div>Monthly</div><div>Yearly</div></div><div class="css-grid">{{tiers%<div class="css-plan"><div class="css-nm">$1</div><div class="css-am">$2</div><div class="css-per">per month</div><div class="css-cta">Choose $1</div></div>}}</div>
<div class="css-incl"><div>Everything includes</div>{{features*div}}</div><div class="css-note">Free trial of {{trial}} days</div>
<div class="css-note">Talk to us: {{sales}}</div>`},
			{"theme", "{}.example/price/", `What {{name}} costs
<h1>What {{name}} costs</h1>{{tiers%<div class="wp-block-column"><h3>$1</h3><p><strong>$2</strong> a month</p></div>}}
<figure class="wp-block-table"><table><tbody><tr><td>API access</td><td>{{api}}</td></tr><tr><td>Features</td><td>{{features}}</td></tr><tr><td>Billing</td><td>{{billing}}</td></tr></tbody></table></figure>
<p>{{refund}}.</p>`},
		},
		asks: []string{
			`0 3|at empty|{url}|basic_price=basic;team_price=team;trial_days=trial;contact=sales`,
			`0 3|find schema|{name} pricing: single sign-on|ssoOnBasic=basic_sso~single sign-on on the Basic plan;ssoOnTeam=team_sso~single sign-on on the Team plan;maxUsers=seats~users on the Team plan`,
			`1 4|find told|{name} plans|plans=tiers~;trial_days=trial~length of the free trial in days;api=!bool~whether it has an API@API`,
			`2 5|at schema|Pricing on {url}|apiAccess=api~API access;billing=billing~how it is billed;features=features~features of all plans`,
			`2|find empty|{name} price table|plans=tiers;refund_policy=refund`,
			`4|find none|How long is the free trial of {name}, in days?|x=trial`,
			`1|find empty|{name} (the bookkeeping one): sales e-mail and trial|email=sales;trial=trial;storage=!str@GB,storage^twin:10 GB`,
			`5|at empty|{url}|phone=!tel@phone number,call us;features=features`,
			`0|find told|{name}|team=!usd~monthly price of the Team plan;sso=!bool~single sign-on|Quorumly`,
		},
	}}
}

// software are pages of programs: features, releases, threads.
func software() []kind {
	return []kind{
		{
			name: "release", page: "documentation", cols: "name out:date breaking:bool fixes:list minimum licence:enum(MIT/Apache-2.0/GPL-3.0) download:url size author",
			rows: []string{
				"Skein 4.2|14 April 2026=2026-04-14|Breaking changes: none=false|Fix a leak in the pool;Keep headers on redirect;Quote paths with spaces|Go 1.24=1.24|Apache-2.0|Download for Linux=https://dl.skein.example/4.2/skein-linux.tar.gz|18.4 MB|Maren Ilves",
				"Skein 4.1|20 January 2026=2026-01-20|Breaking changes: yes=true|Drop the old config format;Retry on 429|Go 1.23=1.23|Apache-2.0|Download for Linux=https://dl.skein.example/4.1/skein-linux.tar.gz^https://dl.skein.example/4.1/skein-linux.tar.gz|18.1 MB|Tobiah Renner",
				"Skein 3.9|2 September 2025=2025-09-02|-|Backport the redirect fix|Go 1.21=1.21|-|Download for Linux=https://dl.skein.example/3.9/skein-linux.tar.gz|-|Maren Ilves",
				"Skein UI 4.2|30 April 2026=2026-04-30|Breaking changes: none=false|Dark theme;Sort by age;Copy as curl|Node 20=20|MIT|-|6.2 MB|-",
			},
			looks: []look{
				{"docs", "skein.example/changelog/", `{{name}}
<header><h1>{{name}}</h1><div class="blog-meta"><time datetime="{{out#}}">{{out}}</time> · {{author}}</div></header>
<p>{{breaking}}. Needs {{minimum}} or later.</p>
<h2 id="fixes">Fixes and changes</h2><ul>{{fixes*li}}</ul>
<h2>Get it</h2><p><a href="{{download#}}">{{download}}</a> ({{size}})</p>
<p>Licence: {{licence}}</p>`},
				{"docs", "skein.example/releases/", `Release notes: {{name}}
<h1>Release notes: {{name}}</h1><dl><dt>Released</dt><dd>{{out}}</dd><dt>Requires</dt><dd>{{minimum}}</dd></dl>
<dl><dt>Release manager</dt><dd>{{author}}</dd></dl>
<div class="admonition admonition-danger"><p>{{breaking}}</p></div>
<ol>{{fixes*li}}</ol>
<pre><code>curl -LO {{download#}}</code></pre>
<table><tbody><tr><td>SPDX</td><td><code>{{licence}}</code></td></tr><tr><td>Archive size</td><td>{{size}}</td></tr></tbody></table>`},
			},
			asks: []string{
				`0 3|find schema|{name} release|released=out~release date;breakingChanges=breaking~any breaking changes?;licence=licence~SPDX licence`,
				`1|at empty|{url}|release_date=out;requires=minimum;changes=fixes;release_manager=author`,
				`0 1|find told|{name} download|download_url=download~address of the Linux archive;size=size~size of the archive`,
				`2|find empty|{name}: release date and checksum|date=out;sha256=!str@sha256,checksum`,
				`0|find none|Which version of Go does {name} need?|x=minimum`,
				`3|find empty|{name}: who made the release?|release_manager=author;minimum_node=minimum`,
				`0|find told|{name}|released=!date~when it came out;go=!str~Go version|Skein 5.0`,
			},
		},
		{
			name: "versions", page: "documentation", cols: "name matrix:rows(feature,community,enterprise)", rows: []string{"Community or Enterprise|LDAP,No,Yes;Clustering,No,Yes;Webhooks,Yes,Yes;Audit export,No,Yes"},
			looks: []look{{"docs", "skein.example/docs/editions", `{{name}}?
<h1>{{name}}?</h1><p>Skein comes in two editions. Community is free; Enterprise starts at {{enterprise_price:eur|€2,400}} a year for {{nodes:int|three=3}} nodes.</p>
<table><thead><tr><th>Feature</th><th>Community</th><th>Enterprise</th></tr></thead><tbody>{{matrix%<tr><td>$1</td><td>$2</td><td>$3</td></tr>}}
<tr><td>Support hours</td><td>–</td><td>{{hours|Mon–Fri 8–18 CET}}</td></tr></tbody></table><p>Buy at <a href="{{buy:url|our shop=https://shop.skein.example/enterprise}}">the shop</a>.</p>`}},
			asks: []string{
				`0|at empty|Feature matrix of {url}|rows=matrix`,
				`0|find empty|Skein Enterprise price per year, nodes included, support hours|yearly_price=enterprise_price;nodes=nodes;support_hours=hours`,
			},
		},
		{
			name: "thread", page: "forum", cols: "name asker answer version:num fixed", rows: []string{
				"Skein 4.1 drops cookies on redirect|wren_h|Set keep_cookies to always in the transport block|4.1|4.2",
				"Export to CSV is cut off at 500 rows|olu|Raise export.limit and restart the worker|3.9|-",
				"Refund for a cancelled seat?|marisol|Open the billing page and choose Release seat|-|-",
			},
			looks: []look{{"forum", "forum.skein.example/t/", `{{name}}
<h2 class="topic-title">{{name}}</h2><div class="post bg2"><p class="author">by <strong>{{asker}}</strong> » Tue Mar 10, 2026 9:14 am</p><div class="content">Has anybody seen this? I tried a restart and a fresh install. Any help welcome.</div><div class="signature">Sent from my toaster</div></div>
<div class="post bg1"><p class="author">by <strong>grumbler</strong></p><div class="content">Works for me.</div></div>
<div class="post bg2 answered"><p class="author">by <strong>dana_support</strong> » Accepted answer</p><div class="content">{{answer}}.</div></div>
<div class="post bg1"><div class="content">For the record: first seen in {{version}}.</div></div>
<div class="post bg1"><div class="content">Fixed in {{fixed}}.</div></div>`}},
			asks: []string{
				`0|find told|forum: "{name}"|asked_by=asker~who asked;fixed_in=fixed~version with the fix`,
				`1|at empty|{url}|solution=answer;fixed_in_version=fixed`,
			},
		},
		{
			name: "suite", page: "service", cols: "name", rows: []string{"Huddle vs Parley vs Tandem"},
			looks: []look{{"bootstrap", "www.softpick.example/compare/", `{{name}}: side by side
<h1>{{name}}</h1><table class="table table-bordered"><tr><td></td><td><b>Huddle</b></td><td><b>Parley</b></td><td><b>Tandem</b></td></tr>
<tr><td>Starting price</td><td>{{hp:usd|$6.50}} / user</td><td>{{pp:usd|$4.00}} / user</td><td>{{tp:usd|$11.25}} / user</td></tr>
<tr><td>People in a call</td><td>{{hc:int|100}}</td><td>{{pc:int|50}}</td><td>{{tc:int|250}}</td></tr>
<tr><td>Recording</td><td>{{hr:bool|Yes=true}}</td><td>{{pr:bool|No=false}}</td><td>{{tr:bool|Yes=true}}</td></tr>
<tr><td>Breakout rooms</td><td>{{hb:bool|No=false}}</td><td>No</td><td>{{tb:bool|Yes=true}}</td></tr>
<tr><td>Based in</td><td>{{hl|Tallinn}}</td><td>{{pl|Utrecht}}</td><td>{{tl|Lyon}}</td></tr></table>`}},
			asks: []string{
				`0|find schema|Parley video calls compared with Huddle and Tandem: Parley's data|startingPrice=pp~starting price of Parley per user;maxParticipants=pc~people in a Parley call;recording=pr~does Parley record?`,
				`0|at told|Tandem in {url}|price=tp~price of Tandem;rooms=tb~breakout rooms in Tandem;city=tl~where Tandem is based`,
				`0|at empty|From {url}: what is Huddle's starting price and is there a free plan?|huddle_price=hp;huddle_free_plan=!bool@free plan,free tier`,
			},
		},
		{
			name: "appfeed", page: "feed", cols: "name", rows: []string{"Skein releases"},
			looks: []look{{"rss", "skein.example/changelog.xml", `<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>{{name}}</title><link>https://skein.example/changelog</link><description>What is new</description>
<item><title>{{first|Skein 4.2 is out}}</title><link>https://skein.example/changelog/skein-4-2</link><pubDate>Tue, 14 Apr 2026 08:00:00 GMT</pubDate><description>Fixes for redirects and paths.</description></item>
<item><title>{{second|Skein 4.1 is out}}</title><link>https://skein.example/changelog/skein-4-1</link><pubDate>{{secondday:date|Tue, 20 Jan 2026=2026-01-20}} 08:00:00 GMT</pubDate><description>The old config format is gone.</description></item></channel></rss>`}},
			asks: []string{`0|at empty|When was "Skein 4.1 is out" published? {url}|published=secondday`, `0|at told|{url}|latest=first~title of the newest entry`},
		},
		{
			name: "pricesjson", page: "JSON", cols: "name", rows: []string{"Bulk price list"},
			looks: []look{{"json", "api.fernandfathom.example/v1/prices.json", `{"title":"{{name}}","currency":"GBP","updated":"{{updated:date|2026-05-01}}","items":[{"sku":"FF-R1","name":"Jute Runner","unitPrice":{{jute:gbp|27.3}},"minQty":{{juteqty:int|10}},"discontinued":{{jutegone:bool|false}}},
{"sku":"FF-S9","name":"Birch Stool","unitPrice":{{stool:gbp|44.8}},"minQty":{{stoolqty:int|4}},"discontinued":true},{"sku":"FF-A4","name":"Linen Apron","unitPrice":13.2,"minQty":24,"discontinued":false}]}`}},
			asks: []string{
				`0|at schema|Jute Runner in {url}|unitPrice=jute~unit price;minQty=juteqty~least quantity;discontinued=jutegone~is it discontinued?`,
				`0|at empty|Birch Stool: {url}|unit_price=stool;min_qty=stoolqty;colour=!str@colour`,
			},
		},
	}
}

// references are pages of interfaces, of two versions that are nearly the same.
func references() []kind {
	return []kind{{
		name: "endpoint", page: "documentation",
		cols: "name method:enum(GET/POST/DELETE/PATCH) path limit:int pagesize:int auth:bool params:list status:int base:url deprecated:date scope timeout:int",
		rows: []string{
			"Create a parcel (v2)|POST|/v2/parcels|120|-|Authentication: required=true|to;from;weight_g;service|201|https://api.parcelwing.example=https://api.parcelwing.example|-|parcels:write|30",
			"Create a parcel (v1)|POST|/v1/parcel/new|60|-|Authentication: required=true|dest;origin;kg|200|https://old.parcelwing.example=https://old.parcelwing.example|31 December 2026=2026-12-31|-|-",
			"List parcels (v2)|GET|/v2/parcels|300|100|Authentication: required=true|status;since;cursor|200|https://api.parcelwing.example=https://api.parcelwing.example|-|parcels:read|10",
			"Quote a rate (v2)|GET|/v2/rates|600|-|Authentication: not needed=false|to;from;weight_g|200|https://api.parcelwing.example=https://api.parcelwing.example|-|-|5",
			"Cancel a pick-up (v2)|DELETE|/v2/pickups/:id|30|-|Authentication: required=true|id|204|https://api.parcelwing.example=https://api.parcelwing.example|-|pickups:write|10",
		},
		looks: []look{
			{"docs", "docs.parcelwing.example/api/", `{{name}}
<h1>{{name}}</h1><pre><code class="language-http">{{method}} {{path}}</code></pre><p>{{auth}}. At most {{limit}} requests a minute.</p>
<p>Needs the scope <code>{{scope}}</code>.</p>
<h2>Parameters</h2><ul class="params">{{params*li class="param"}}</ul>
<h2>Responses</h2><table><tr><th>Status</th><th>Meaning</th></tr><tr><td>{{status}}</td><td>Success</td></tr><tr><td>401</td><td>The key is wrong</td></tr><tr><td>429</td><td>Too many requests</td></tr></table>
<p>Requests time out after {{timeout}} seconds.</p>`},
			{"docs", "docs.parcelwing.example/legacy/", `{{name}}
<h1>{{name}}</h1><div class="theme-admonition-warning">This call will be switched off on {{deprecated}}.</div>
<table><tbody><tr><td>Base URL</td><td>{{base}}</td></tr><tr><td>Method</td><td>{{method}}</td></tr><tr><td>Path</td><td>{{path}}</td></tr><tr><td>Rate limit (per minute)</td><td>{{limit}}</td></tr></tbody></table>
<p>Fields: {{params}}. {{auth}}.</p>`},
			{"docs", "docs.parcelwing.example/api/lists/", `{{name}}
<div class="openapi__method"><span class="badge">{{method}}</span> <h2>{{path}}</h2></div><h1>{{name}}</h1><div class="openapi-schema">{{params*div class="openapi-schema__property"}}</div>
<p>Page size: {{pagesize}} at most. Rate limit: {{limit}} per minute.</p>
<div>{{auth}}</div><div>Server: {{base}}</div>`},
		},
		asks: []string{
			`0 3|find schema|Parcelwing API: {name}|method=method~HTTP method;path=path~path;authRequired=auth~is authentication required?;rateLimit=limit~requests per minute`,
			`1|find told|Parcelwing API: {name}|sunset=deprecated~date on which it is switched off;base_url=base~base URL;rate_limit=limit~requests per minute`,
			`2|at empty|{url}|page_size=pagesize;parameters=params;rate_limit=limit`,
			`0|find empty|Parcelwing: {name}|success_status=status;timeout_seconds=timeout;sunset_date=!date@switched off^twin:31 December 2026`,
			`4|find told|Parcelwing API: {name}|scope=!str~OAuth scope@pickups:write;method=method~HTTP method`,
			`3|at schema|{url}|scope=scope~OAuth scope;status=status~status of success;timeout=timeout~time limit in seconds`,
			`0|find empty|Parcelwing API: {name}|method=!str;path=!str|Refund a label`,
		},
	}}
}
