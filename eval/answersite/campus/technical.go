package campus

func technical() []kind {
	return []kind{
		{
			name: "releases", page: "article", host: "blog.softwarehouses.example",
			cols: "name,program,maker,version,date:date,fixes:int,minimum,licence,manager,next,next_date:date,before,size:num",
			rows: []string{
				"Tessel 4.2 is out|Tessel|the Tessel project|4.2|2026-02-18|137|Rust 1.74|MPL-2.0|Ondrej Mracek|5.0|2026-09-01|4.1|18.5",
				"Marrow 11 released|Marrow|Bonecraft Ltd|11.0|2025-12-09|64|Java 21|Apache-2.0|Shirin Vakili|11.1|2026-06-15|10.4|212",
				"Announcing Quern 0.9|Quern|the Quern authors|0.9|2026-04-22|41|Go 1.23|BSD-3-Clause|Wade Tillman|1.0|2026-11-03|0.8|9.7",
				"Plumbob 3.7 has landed|Plumbob|Leadline Software|3.7|2026-01-13|209|Python 3.11|GPL-3.0|Celestine Abara|3.8|2026-07-07|3.6|33.2",
				"Hatchway 2026.1|Hatchway|Hatchway AG|2026.1|2026-03-03|88|Node 20|MIT|Urs Baumgartner|2026.2|2026-08-18|2025.4|54",
			},
			texts: []string{
				`{name}
# {name}
On {date}, {maker} released version {version} of {program}. It closes {fixes} bugs and needs {minimum} or later; whoever cannot upgrade should stay with {before}, which will get security fixes for another year.
{program} is free software under the {licence} licence. The release was managed by {manager}. The next version, {next}, is planned for {next_date}.`,
				`{name} - release notes
# {name}
We are happy to announce {program} {version}. Thanks to everyone who helped us to fix {fixes} bugs since {before}!
## Requirements
You need {minimum} at least. The download is {size} MB.
## Outlook
{program} {next} will follow on {next_date}. Questions go to our release manager, {manager}.`,
			},
			asks: []asked{
				{rows: []int{0, 2, 4}, mode: bySearch, form: empty, text: "When was {program} {version} released, which licence does it have and who managed the release?", wants: "release_date=date;license=licence;release_manager=manager"},
				{rows: []int{1, 3}, mode: bySearch, form: told, text: "{program} release {version}", wants: "bugs_fixed=fixes~number of bugs fixed;minimum_requirement=minimum~runtime that is needed at least;download_size_mb=size~size of the download in MB;next_version=next~the next version;next_release_date=next_date~planned date of the next version"},
				{rows: []int{0, 3}, mode: byURL, form: schema, text: "{url} From which older version on are security fixes still given, and is there a checksum?", wants: "previousVersion=before~the version before;checksum=!string~SHA-256 checksum"},
				{rows: []int{2}, mode: bySearch, form: none, text: "When will the next version of {program} appear?", wants: "x=next_date"},
				{rows: []int{1, 4}, mode: bySearch, form: empty, text: "{program}: release date of version 7.7, number of contributors", wants: "release_date_7_7=!date@other:{version};contributors=!int"},
			},
		},
		{
			name: "reference", page: "documentation", host: "docs.parcelwire.example",
			cols: "name,call,timeout:int,limit:int,size:int,header,code:int,format,since,max:int,retry:int,mail:mail",
			rows: []string{
				"Sending parcels|POST /v2/parcels|30|120|5|X-Parcel-Token|409|JSON|2.3|50|three=3|api@parcelwire.example",
				"Tracking|GET /v2/tracks|10|600|1|X-Track-Key|404|JSON|1.8|200|five=5|api@parcelwire.example",
				"Printing labels|POST /v2/labels|45|60|8|X-Label-Token|422|PDF|2.0|25|two=2|labels@parcelwire.example",
				"Customs forms|PUT /v2/customs|60|30|12|X-Customs-Key|451|XML|2.6|10|four=4|customs@parcelwire.example",
				"Webhooks|POST /v2/hooks|15|20|2|X-Hook-Secret|410|JSON|2.1|100|six=6|hooks@parcelwire.example",
			},
			texts: []string{
				`{name} - Parcelwire API
# {name}
Requests are made with <code>{call}</code>, which has been there since version {since}. Send your key in the header {header}.
A request that takes longer than {timeout} seconds is ended by the server. You may make {limit} requests per minute; a body may have {size} MB at most, and a list {max} entries.
If the object is in the wrong state, status {code} is returned. We try {retry} times before we give up. Answers are in {format}.
Should anything be unclear, write to {mail}.`,
				`{name} | Developers
# {name}
<p>To authenticate, put your key into <code>{header}</code>.</p>
<pre>{call}</pre>
<p>The default timeout is {timeout} seconds and cannot be changed. The rate limit of {limit} calls per minute is shared by all keys of an account. Responses come as {format}. Pages have up to {max} entries.</p>`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2}, mode: bySearch, form: empty, text: "Parcelwire API, {name}: what is the timeout in seconds, the rate limit per minute and the header for the key?", wants: "timeout_seconds=timeout;requests_per_minute=limit;auth_header=header"},
				{rows: []int{2, 4, 3}, mode: byURL, form: told, text: "{url}", wants: "max_body_mb=size~largest body in MB;max_entries=max~most entries of a list;conflict_status=code~status code when the object is in the wrong state;retries=retry~how often it is tried;response_format=format~format of the answers"},
				{rows: []int{4}, mode: bySearch, form: none, text: "To which address do I write with questions about the Parcelwire page on {name}?", wants: "x=mail"},
				{rows: []int{1, 0}, mode: byURL, form: empty, text: "{url} sandbox URL and price per request", wants: "sandbox_url=!url;price_per_request=!price"},
			},
		},
		{
			name: "threads", page: "forum", host: "forum.tinkerers.example",
			cols: "name,asker,solver,fix,version,date:date,votes:int,device,cause,views:int",
			rows: []string{
				"Printer stops after first layer|maggie_w|fredolin|lowering the Z offset to 0.15 mm|firmware 2.1.8|2026-01-07|34|Corvid Mini|a loose belt|1820",
				"Radio hums when the fridge runs|old_tube|kilohertz|a ferrite ring on the mains lead|board revision C|2025-11-19|12|Zenvox 30|bad earthing|640",
				"Boiler shows E17 at night|coldfeet|plumberpat|replacing the flow sensor|firmware 1.4|2026-02-02|51|Thermex 24|a stuck valve|9110",
				"Telescope drifts to the east|nightowl77|stellaris|setting the site's longitude|handset 5.02|2025-10-28|27|Orion's Mate 8|a wrong time zone|2255",
				"Bread machine kneads but never bakes|crusty|ohmslaw|a new thermal fuse|model year 2019|2026-03-30|8|Panetta 500|a blown fuse|415",
			},
			texts: []string{
				`{name} - Tinkerers' forum
# {name}
<div class="post"><h4>{asker}</h4><p>Hi all, my {device} ({version}) has this fault since last week. I tried a reset, and somebody told me to buy a new one. Any ideas?</p></div>
<div class="post"><h4>gizmo</h4><p>Could be anything. Throw it away.</p></div>
<div class="post accepted"><h4>{solver}</h4><p>It is most likely {cause}. What helped me was {fix}.</p><span>{votes} votes</span></div>
<div class="post"><h4>{asker}</h4><p>Thank you, {solver}, {fix} did it! Marked as solved on {date}.</p></div>`,
				`[Solved] {name}
# {name}
<p class="info">Asked by {asker} on {date} · {views} views</p>
<p>{asker} wrote: The {device} does this every day. I have {version}.</p>
<p>{solver} wrote (accepted answer, {votes} votes): The cause is {cause}; {fix} solves it.</p>`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2}, mode: bySearch, form: empty, text: "Forum thread \"{name}\": who asked, whose answer was it that helped, and what was the fix?", wants: "asked_by=asker;solved_by=solver;solution=fix"},
				{rows: []int{3, 4}, mode: byURL, form: told, text: "Summarise {url}", wants: "device=device~the device with the fault;cause=cause~what caused the fault;votes=votes~votes of the accepted answer;views=views~number of views"},
				{rows: []int{2, 3}, mode: byURL, form: empty, text: "{url} price of the spare part; moderator", wants: "spare_part_price=!price;moderator=!string"},
			},
		},
		{
			name: "help", page: "FAQ", host: "www.gearbarn.example",
			cols: "name,returns:int,free:eur,ship:eur,days:int,mail:mail,tel:tel,hours,pay:list,abroad:bool,warehouse",
			rows: []string{
				"Orders and returns|100|60|4.95|two=2|help@gearbarn.example|+43 1 555 01 80|from eight to four|card/transfer/invoice|We do not deliver abroad=false|Linz",
				"Questions from club members|45|30|2.50|three=3|clubs@gearbarn.example|+43 1 555 01 81|from nine to five|card/direct debit|Yes, we deliver abroad=true|Wels",
				"Trade customers|14|250|12|five=5|trade@gearbarn.example|+43 1 555 01 82|from seven to noon|transfer/invoice|Yes, we deliver abroad=true|Graz",
			},
			texts: []string{
				`{name} - help
# {name}
## How long can I send things back?
You have {returns} days, counted from the day on which the parcel reached you. (The law asks for 14 only.)
## What does delivery cost?
We charge {ship} for each order; from {free} on, delivery is free. It takes {days} days as a rule.
## Do you deliver abroad?
{abroad}. Everything is sent from {warehouse}.
## How can I pay?
You can pay by {pay}.
## How do I reach you?
By mail to {mail}, or by phone {hours} on {tel}.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2}, mode: byURL, form: empty, text: "{url} How many days do I have for returns, what does delivery cost and from what amount on is it free?", wants: "return_days=returns;delivery_cost=ship;free_delivery_from=free"},
				{rows: []int{1, 2}, mode: bySearch, form: told, text: "Gearbarn help, {name}", wants: "contact_email=mail~e-mail address for questions;contact_phone=tel~phone number;payment_methods=pay~ways to pay;delivery_days=days~days until delivery"},
				{rows: []int{0}, mode: byURL, form: schema, text: "{url}", wants: "deliversAbroad=abroad~whether they deliver to other countries;giftWrapPrice=!price~price of gift wrapping"},
			},
		},
		{
			name: "podcasts", page: "feed", host: "feeds.longwave.example",
			cols: "name,host,guest,date:date=,minutes:int,topic,second,second_date:date=",
			rows: []string{
				"Below the Tideline|Orsolya Beck|Hamish Trevanion|Tue, 05 May 2026 06:00:00 GMT=2026-05-05|47|kelp farming|The last lightship|Tue, 21 Apr 2026 06:00:00 GMT=2026-04-21",
				"Rust and Reason|Delroy Pinnock|Agathe Simmler|Mon, 11 May 2026 05:30:00 GMT=2026-05-11|33|the end of coal|A bridge too many|Mon, 27 Apr 2026 05:30:00 GMT=2026-04-27",
				"Loose Leaves|Fionnuala Grady|Pavel Hrubin|Fri, 08 May 2026 17:00:00 GMT=2026-05-08|58|samizdat|Tea with typographers|Fri, 01 May 2026 17:00:00 GMT=2026-05-01",
			},
			texts: []string{
				`<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>{name}</title><link>https://feeds.longwave.example/</link><description>{name}, a podcast by {host}.</description>
<item><title>On {topic}</title><description>{host} talks to {guest} about {topic}. The episode lasts {minutes} minutes.</description><pubDate>{date}</pubDate></item>
<item><title>{second}</title><description>A repeat from the archive.</description><pubDate>{second_date}</pubDate></item></channel></rss>`,
			},
			asks: []asked{
				{rows: []int{0, 1}, mode: byURL, form: empty, text: "From the feed {url}: who is the guest of the newest episode and when did it come out?", wants: "guest=guest;published=date"},
				{rows: []int{2}, mode: byURL, form: told, text: "{url}", wants: "host=host~who makes the podcast;previous_episode=second~title of the episode before the newest;length_minutes=minutes~length of the newest episode in minutes;subscribers=!int~number of subscribers"},
			},
		},
		{
			name: "registry", page: "JSON", host: "api.packagebarn.example",
			cols: "name,owner,latest,licence,downloads:int,home:url,updated:date=,issues:int,tags:list=",
			rows: []string{
				"leafcutter|wren-tools|3.4.1|MIT|48211=48211|https://leafcutter.example/|2026-04-30=2026-04-30|17|parser/html",
				"gravelpit|stonework|0.12.0|ISC|905=905|https://gravelpit.example/|2025-08-11=2025-08-11|4|queue/redis",
				"ottermap|holt-maps|7.0.2|Apache-2.0|120450=120450|https://ottermap.example/|2026-03-19=2026-03-19|62|maps/tiles",
			},
			texts: []string{`{"package":{"name":"{name}","maintainer":"{owner}","version":"{latest}","license":"{licence}","homepage":"{home}"},"stats":{"downloads_last_month":{downloads},"open_issues":{issues}},"updated":"{updated}"}`},
			asks: []asked{
				{rows: []int{0, 1}, mode: byURL, form: empty, text: "{url} - latest version of {name}, its license and who maintains it", wants: "latest_version=latest;license=licence;maintainer=owner"},
				{rows: []int{2}, mode: byURL, form: told, text: "{url} {name}", wants: "downloads=downloads~downloads in the last month;open_issues=issues~number of open issues;last_update=updated~date of the last update;homepage=home~home page;size=!int~size of the package in bytes"},
			},
		},
	}
}
