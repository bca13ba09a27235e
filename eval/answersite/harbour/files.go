package harbour

// files are papers, feeds and JSON.
func files() []kind { return []kind{papers(), records(), feeds()} }

func papers() kind {
	return kind{
		name: "paper", page: "PDF",
		cols: `name str||the paper
ref str|reference|reference number|What is the reference of the {name}?|reference,ref
on date(-60,130,1)|issued|date of issue|When was the {name} issued?|issued
from date(131,200,1)|in_force_from|first day in force|From when is the {name} in force?|in force
by who|signed_by|who signed it|Who signed the {name}?|signed
small gbp(42,70,1)|fee_up_to_8_m|yearly fee for boats up to 8 m|What is the yearly fee for a boat up to 8 m in the {name}?|up to 8 m
large gbp(88,140,1)|fee_over_8_m|yearly fee for boats over 8 m|What is the yearly fee for a boat over 8 m in the {name}?|over 8 m
tel tel(01632 957 )|phone|phone number|Which phone number is in the {name}?|phone,telephone
mail mail|email|e-mail address|Which e-mail address is in the {name}?|mail
night gbp(9,28,1)|fee_per_night|fee of a visitor for a night|What does a visitor pay for a night, by the {name}?|night
present list|present|who was present|Who was present according to the {name}?|present
next dwd(180,260,1)|next_meeting|date of the next meeting|When is the next meeting according to the {name}?|next meeting
votes int(5,14,1)|votes_for|votes in favour|How many voted in favour, according to the {name}?|in favour
passed bool|motion_carried|was the motion carried?|Was the motion carried, according to the {name}?|carried,rejected
sum gbp(1200,9800,100)|grant|grant|How large is the grant in the {name}?|grant`,
		rows: []string{
			"Port Ansell mooring tariff 2026|PA/M/26|*|*|*|*|*|*|moorings@portansell.example|*|-|-|-|-|-",
			"Lerrin mooring tariff 2026|LR-26-2|*|*|-|*|*|*|-|-|-|-|-|-|-",
			"Minutes of the Harbour Users Group|HUG/31|-|-|*|-|-|-|-|-|Capt. Elin Roscoe;Tobias Frayne;Ngozi Adair|*|*|The motion was carried=true|*",
			"Minutes of the Lerrin Bridge Panel|LBP/8|-|-|*|-|-|-|bridge@lerrin.example|-|Prof. Maud Ettrick;Silas Orme|*|*|The motion was rejected=false|-",
			"Saltmarsh warden's report|SW-2026|*|-|*|-|-|*|-|-|-|-|-|-|*",
		},
		looks: []look{
			{"pdf", "www.portansell.example/docs/{}.pdf", `{{name}}
# {{name}}
Reference: {{ref}}
Issued on {{on}}, in force from {{from}}.
Boats up to 8 m: {{small}} a year
Boats over 8 m: {{large}} a year
Visitors: {{night}} a night
Questions: phone {{tel}}
or by e-mail to {{mail}}
Signed: {{by}}, Harbour Master`},
			{"pdf", "www.lerrin.example/files/{}.pdf", `{{name}}
# {{name}}
Lerrin Port Authority, {{ref}}, issued {{on}}
From {{from}} the following is in force. A boat up to 8 m pays {{small}} a year,
and one over 8 m {{large}}. For the reduced winter rate
telephone {{tel}}.`},
			{"pdf", "www.portansell.example/docs/hug/{}.pdf", `{{name}}
# {{name}}
Ref. {{ref}}
Present: {{present}}
1. The grant for the new pontoon is {{sum}}.
2. On dredging, {{votes}} members were in favour. {{passed}}.
3. The next meeting is on {{next}}.
Signed {{by}}`},
			{"pdf", "www.lerrin.example/files/lbp/{}.pdf", `{{name}}
# {{name}}
Reference {{ref}}
Present: {{present}}
A toll for bicycles was proposed; {{votes}} were in favour. {{passed}}.
Next meeting: {{next}}
Letters to {{mail}}. Signed: {{by}}`},
			{"pdf", "www.saltmarsh.example/{}.pdf", `{{name}}
# {{name}}
Reference: {{ref}}. Issued {{on}} by the warden's office.
Avocets did well. A grant of {{sum}} paid for the new hide.
The warden, {{by}}, signed this report. Telephone {{tel}}.`},
		},
		asks: []string{
			`0 1|at schema|{url}|ref,on,from,small,large,night`,
			`0 2|find told|{name}: {asks}|by,ref,mail,tel`,
			`2 3|at told|{url}: {asks}|present,next,votes,passed,sum`,
			`0 1|find none|?|small,from`,
			`1|find schema|Lerrin mooring tariff|large,night^twin@0,mail^twin@0,by^twin@0`,
			`4|find empty|Saltmarsh warden's report|sum,on,by,mail,next`,
			`1|find told|What did a mooring in Lerrin cost in 2023, by the tariff of 2023?|!small^other@1,!large^other@1`,
			`3 2|find plain|{name}|present,next`,
		},
	}
}

func records() kind {
	return kind{
		name: "record", page: "JSON",
		cols: `name str||the thing
id str|station_id|identifier|What is the identifier of {name}?|
lat num(54.1,54.9,0.01)|latitude|latitude|What is the latitude of {name}?|
height num(1.2,6.9,0.1)|water_level_m|water level in metres|What is the water level at {name} in metres?|level
temp num(7.1,15.5,0.1)|water_temperature_c|water temperature in °C|What is the water temperature at {name}?|temperature
state enum(active/maintenance/retired)|status|status|What is the status of {name}?|active,maintenance,retired
since diso(-900,0,1)|installed|day of installation|When was {name} installed?|installed
owner str|owner|owner|Who owns {name}?|owner
mail mail|contact_email|e-mail address|What is the contact e-mail of {name}?|mail,contact
public bool|public|is it open to the public?|Is {name} public?|public
sensors list|sensors|sensors|Which sensors has {name}?|sensors
site url|webcam_url|address of the webcam|Where is the webcam of {name}?|webcam
price gbp(18,34,1)|berth_price|price of a berth for a night|What does a berth at {name} cost a night?|price
tel tel(01632 958 )|phone|phone number|What is the phone number of {name}?|phone`,
		rows: []string{
			"Gull Rock tide gauge|TG-104|*|*|*|active|*|Lerrin Port Authority|gauges@lerrin.example|true=true|pressure;radar;thermometer|https://cams.lerrin.example/104|-|-",
			"Skerry wave buoy|WB-022|*|-|*|maintenance|*|Ansell College|-|false=false|accelerometer;thermometer|-|-|-",
			"Heron Quay Marina|HQM|*|-|-|-|-|Heron Quay Ltd|dock@heronquay.example|-|-|https://cams.heronquay.example/|*|*",
			"Brae tide gauge|TG-108|*|*|-|retired|*|-|-|true=true|pressure|-|-|-",
			"Lerrin Roads wave buoy|WB-031|*|-|*|active|*|Ansell College|-|true=true|accelerometer;compass|-|-|-",
			"Mussel Hole Marina|MHM|*|-|-|-|-|Kelp & Keel|-|-|-|-|*|*",
		},
		looks: []look{
			{"json", "api.lerrin.example/v1/gauges/{}.json", `{"name":"{{name!}}","id":"{{id!}}","position":{"latitude":{{lat#}}},
"reading":{"level":{{height#}}[[,"temperature":{{temp#}}]]},
"status":"{{state!}}","installed":"{{since!}}",
"owner":"{{owner!}}",
"contact":"{{mail!}}",
"webcam":"{{site#}}",
"sensors":"{{sensors!}}",
"public":{{public!}}}`},
			{"json", "data.ansellcollege.example/buoys/{}.json", `{"station":{"id":"{{id!}}","label":"{{name!}}","status":"{{state!}}","owner":"{{owner!}}","installed":"{{since!}}","public":{{public!}}},
"latest":{"water_temperature":{{temp#}}},"lat":{{lat#}},
"sensors":"{{sensors!}}"}`},
			{"json", "berths.quayline.example/api/{}.json", `{"marina":"{{name!}}","code":"{{id!}}","operator":{"owner":"{{owner!}}","phone":"{{tel!}}"},
"email":"{{mail!}}",
"webcam":"{{site#}}",
"latitude":{{lat#}},"berth":{"price_per_night":"{{price!}}","currency":"GBP"}}`},
		},
		asks: []string{
			`0 3|at schema|{url}|id,lat,height,state,since,public`,
			`1 2|find told|{name}: {asks}|id,lat,owner,mail,site`,
			`1 3 4|at schema|{url}|state,since,lat`,
			`0 1|at none|? {url}|temp,height`,
			`2 5|find schema|A berth at {name}|price,tel,site,public`,
			`0 1|at told|{url}: {asks}|sensors,public,tel`,
			`3|find empty|Brae tide gauge|height,temp^twin@0,owner^twin@0,mail^twin@0,sensors`,
		},
	}
}

func feeds() kind {
	return kind{
		name: "feed", page: "feed",
		cols: `name str||the news
what str|headline|headline of the latest entry|What is the latest headline of {name}?|
on dwd(100,133,1)|closure_date|day of the closure|On what day is the closure that {name} announce?|closed on
until str|until|until when it is closed|Until when is it closed, according to {name}?|
by who|author|author of the latest entry|Who wrote the latest entry of {name}?|
tel tel(01632 956 )|phone|phone number|Which phone number do {name} give?|phone,call
fine gbp(45,120,5)|fine|fine|How high is the fine in {name}?|fine
mail mail|editor_email|e-mail address of the editor|How can I e-mail the editor of {name}?|mail
link url|details_url|address of the details|Where are the details of the latest entry of {name}?|
free bool|free_parking|is parking free meanwhile?|Is parking free meanwhile, according to {name}?|parking
crew int(4,22,1)|crew|size of the crew|How many people are on the crew in {name}?|crew`,
		rows: []string{
			"Port Ansell road notices|Capstan Row closed for resurfacing|*|6pm|*|*|-|roads@portansell.example|https://www.portansell.example/roads/capstan|Parking on Fish Quay is free meanwhile=true|-",
			"Lerrin lock notices|North gate out of use|*|noon|*|*|*|-|https://www.lerrin.example/lock/north|-|-",
			"Outer Bank lifeboat log|A yawl towed home|-|-|*|-|-|log@outerbank.example|https://www.outerbank.example/log/311|-|*",
			"Kelso Street market news|Cheese stall moves indoors|*|-|*|-|-|-|https://www.kelsostreet.example/market/cheese|No free parking on market days=false|-",
		},
		looks: []look{
			{"feed", "www.{}.example/feed.xml", `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>{{name}}</title><link>https://news.example/</link>
<description>What is new[[ (write to the editor: {{mail}})]]</description>
<item><title>{{what}}</title><link>{{link#}}</link><dc:creator>{{by}}</dc:creator>
<description>It is closed on {{on}}[[ until {{until}}]].[[ Questions to the duty officer, phone {{tel}}.]][[ Ignoring the signs costs a fine of {{fine}}.]][[ {{free}}.]]</description>
<description>A crew of {{crew}} went out in a north-westerly six.</description>
</item></channel></rss>`},
		},
		asks: []string{
			`0 1|at schema|{url}|what,on,until,by,tel,fine`,
			`2 3|find told|{name}: {asks}|what,by,crew,mail`,
			`0 3|at told|{url}: {asks}|on,free,fine`,
			`0 1 2|find none|?|by,tel`,
		},
	}
}
