package harbour

// guides tell how a thing is done: articles, documentation and recipes.
func guides() []kind { return []kind{howtos(), manuals(), recipes()} }

func howtos() kind {
	return kind{
		name: "howto", page: "article",
		cols: `name str||the guide
author who|author|author|Who wrote the guide "{name}"?|by
on date(-200,120,1)|published|date of publication|When was "{name}" published?|published,posted
mins int(15,240,5)|time_minutes|time it takes in minutes|How many minutes does it take, according to "{name}"?|minutes
cost gbp(6,85,1)|material_cost|cost of materials|What do the materials cost, according to "{name}"?|materials cost,cost
hard enum(easy/moderate/hard)|difficulty|difficulty|How difficult is it, according to "{name}"?|difficulty,easy,moderate,hard
tools list|tools|tools needed|Which tools are needed, according to "{name}"?|tools,tool
steps int(4,11,1)|steps|number of steps|How many steps has "{name}"?|steps
dry int(2,48,2)|drying_hours|drying time in hours|How many hours does it have to dry, according to "{name}"?|dry,drying
temp int(5,18,1)|minimum_temperature_c|lowest temperature in °C|At what temperature at least should one work, according to "{name}"?|°C
alone bool|one_person|can one person do it?|Can one person do it, according to "{name}"?|one person,on your own,helper
video url|video_url|address of the video|Where is the video of "{name}"?|video
mail mail|author_email|e-mail address of the author|What is the e-mail address of the author of "{name}"?|mail
grit str(80/120/180/240)|grit|grit of the sandpaper|Which grit of sandpaper does "{name}" use?|grit
supplier str|supplier|supplier of the materials|Who supplies the materials in "{name}"?|supplied,bought from`,
		rows: []string{
			"How to varnish a tiller|*|*|*|*|Easy=easy|brush;tack cloth;sanding block|*|*|*|One person can do it=true|Watch the video=https://video.quayline.example/tiller|-|*|Tidewell Chandlery",
			"How to replace a bilge pump|*|*|*|*|Moderate=moderate|screwdriver;crimping pliers;multimeter|*|-|-|You need a helper=false|-|pumps@slipway.example|-|Brackwater Instruments",
			"How to varnish a mast|*|*|*|*|Hard=hard|brush;bosun's chair;sanding block|*|*|*|-|-|-|-|-",
			"Ein Segel flicken|*|*|*|-|Einfach=easy|Segelnadel;Segelhandschuh;Schere|*|-|-|-|-|-|-|Ferrand Voilerie",
			"Applying for a mooring|*|*|-|-|-|-|*|-|-|-|Watch a short film=/film|moorings@portansell.example|-|-",
			"Comment épisser un cordage|*|*|*|-|Facile=easy|couteau;épissoir;ruban|*|-|-|-|Voir la vidéo=https://video.quayline.example/epissure|-|-|-",
		},
		looks: []look{
			{"hugo", "slipway-notes.example/", `{{name}}
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"{{name!}}","datePublished":"{{on#}}","author":{"@type":"Person","name":"{{author!}}"}}</script>
<h1>{{name}}</h1><div class="post-meta">{{on}} · {{author}}</div><p>Varnish is patience in a tin. Set aside {{mins}} minutes of work in {{steps}} steps, and {{dry}} hours for the last coat to dry. Do not begin below {{temp}} °C. Difficulty: {{hard}}.</p><p>[[{{alone}}. ]]The materials cost about {{cost}}[[, bought from {{supplier}}]].</p><h2>Tools</h2><ul>{{tools*li}}</ul>
<p>Sand with {{grit}} grit until it is dull all over.</p>
<p><a href="{{video#}}">{{video}}</a></p><section class="comments"><p><b>Old Pete:</b> nonsense, mine took 20 minutes and dried in an hour.</p></section>`},
			{"elementor", "www.slipway.example/diy/", `{{name}}
<h1>{{name}}</h1><p class="entry-meta">Posted on {{on}} by {{author}}</p><table><tr><td>Difficulty</td><td>{{hard}}</td></tr><tr><td>Time</td><td>{{mins}} minutes</td></tr><tr><td>Cost</td><td>{{cost}}</td></tr></table><p>{{alone}}: one to look down, one to look up. Follow our {{steps}} steps. Tools: {{tools}}. Our pump was bought from {{supplier}}. Questions: {{mail}}</p>`},
			{"squarespace", "www.mastwork.example/journal/", `{{name}}
<h1>{{name}}</h1><p>By {{author}}, published {{on}}</p><p>Difficulty: {{hard}}, let us not pretend. Allow {{mins}} minutes before the tide turns, {{steps}} steps, and then {{dry}} hours of drying at no less than {{temp}} °C. Materials cost {{cost}}.</p><p>You need these tools: {{tools}}.</p>`},
			{"typo3", "www.segelheft.example/tipps/", `{{name}}
<h1>{{name}}</h1><p>Von {{author}}, {{on}}</p><p>Schwierigkeit: {{hard}}. Dauer: {{mins}} Minuten, {{steps}} Schritte. Material von {{supplier}}.</p><p>Werkzeug: {{tools}}</p>`},
			{"council", "www.portansell.example/moorings/", `{{name}}
<h1>{{name}}</h1><p>Published {{on}} by {{author}}.</p><p>There are {{steps}} steps. Fill in the form, attach a photograph of the vessel and wait for a letter. Write to {{mail}} if you are stuck. <a href="{{video#}}">{{video}}</a></p>`},
			{"spip", "www.matelots.example/fiches/", `{{name}}
<h1>{{name}}</h1><p>par {{author}}, le {{on}}</p><p>Difficulté : {{hard}}. Comptez {{mins}} minutes et {{steps}} étapes. Outils : {{tools}}.</p><p><a href="{{video#}}">{{video}}</a></p>`},
		},
		asks: []string{
			`0 1|at schema|{url}|author,on,mins,cost,hard,alone,tools`,
			`0|find told|How to varnish a tiller: {asks}|dry,temp,grit,video,steps,mail`,
			`2|find schema|How to varnish a mast|mins,dry,hard,grit^twin@0,supplier^twin@0,alone`,
			`3 5|at told|{url} - {asks}|hard,mins,tools,cost,dry`,
			`0 1 2|find none|?|mins,cost`,
			`4 1|at empty|{url}|author,on,mail,tools,mins`,
			`1 0|find plain|{name}|tools,hard`,
			`4|find told|Applying for a mooring in Port Ansell|steps,cost,author,video`,
		},
	}
}

func manuals() kind {
	return kind{
		name: "manual", page: "documentation",
		cols: `name str||the thing
port year(2101,2990,1)|default_port|default port|What is the default port of {name}?|port
timeout int(15,95,5)|timeout_seconds|timeout in seconds|What is the default timeout of {name} in seconds?|timeout
max int(4,64,4)|maximum_connections|most connections at a time|How many connections does {name} allow?|connections
version str(2.4.1/3.0.2/1.9.0/5.1.3)|latest_version|latest version|What is the latest version of {name}?|latest version,release
needs str(Python 3.11/Go 1.23/Node 20)|requires|what it requires|What does {name} require?|requires
released diso(-120,120,1)|released|date of release|When was the latest version of {name} released?|released
lic str(MIT/Apache-2.0/BSD-3-Clause)|license|licence|Under which licence is {name}?|license,licence
formats list|formats|formats written|Which formats does {name} write?|formats
auth bool|needs_authentication|is a token needed?|Does {name} need a token?|token,authentication
level enum(debug/info/warning/error)|log_level|default log level|What is the default log level of {name}?|log level
repo url|repository|address of the source code|Where is the source code of {name}?|source code,repository
mail mail|security_email|e-mail address for security reports|Where do I report a security problem of {name}?|security
windows bool|runs_on_windows|does it run on Windows?|Does {name} run on Windows?|windows
opts rows(option:str,default:str)|options|options and their defaults|What options has {name}, with which defaults?|
retry int(2,9,1)|retries|retries|How often does {name} retry?|retries,retry`,
		rows: []string{
			"tidecast|*|*|*|*|*|*|*|json;csv;netcdf|Needs a token=true|warning|Source code=https://code.quayline.example/tidecast|security@tidecast.example|Runs on Windows, too=true|station,all;unit,metre;days,7|-",
			"nmea-relay|*|*|*|*|*|*|*|-|No token is needed=false|info|Source code=https://code.quayline.example/nmea-relay|-|Does not run on Windows=false|baud,4800;device,/dev/ttyUSB0|*",
			"tidecast-lite|-|*|-|*|*|*|*|json|-|-|-|-|-|-|-",
			"berthbook API|-|*|*|*|-|*|-|json;ical|Needs a token=true|-|-|security@berthbook.example|-|limit,50;sort,date;lang,en|*",
			"lockgate|*|*|*|*|*|-|*|-|-|error|Source code=https://code.quayline.example/lockgate|-|-|-|*",
		},
		looks: []look{
			{"mkdocs", "docs.tidecast.example/", `{{name}}
<h1>{{name}}</h1><p><code>{{name}}</code> predicts tides from harmonic constants. Latest version: {{version}}[[, released {{released}}]]. It requires {{needs}}.[[ {{windows}}.]]</p><h2>Server</h2><p>It listens on port <code>{{port}}</code> by default and serves up to {{max}} connections at a time. Requests are given up after a timeout of {{timeout}} seconds. [[{{auth}}.]]</p><p>Formats: {{formats}}</p><p>The log level is <code>{{level}}</code> unless you say otherwise.</p><h2>Options</h2><table><thead><tr><th>Option</th><th>Default</th></tr></thead><tbody>{{opts%<tr><td><code>$1</code></td><td><code>$2</code></td></tr>}}</tbody></table><p>License: {{lic}}. <a href="{{repo#}}">{{repo}}</a>. Security reports go to {{mail}}.</p>`},
			{"hugo", "nmea.example/docs/", `{{name}} configuration
<h1>{{name}}</h1><dl><dt>port</dt><dd>{{port}}</dd><dt>timeout</dt><dd>{{timeout}} seconds</dd><dt>connections</dt><dd>{{max}}</dd><dt>retries</dt><dd>{{retry}}</dd><dt>log level</dt><dd>{{level}}</dd></dl><p>{{auth}}. {{windows}}. {{name}} requires {{needs}} and is released under {{lic}}. The latest version is {{version}} of {{released}}.</p><ul>{{opts%<li><code>$1</code> (default <code>$2</code>)</li>}}</ul><p><a href="{{repo#}}">{{repo}}</a></p>`},
			{"mkdocs", "lite.tidecast.example/", `{{name}}
<h1>{{name}}</h1><p>The little one: no server, one file. Latest version {{version}}, released {{released}}; it requires {{needs}}. Timeout for downloads: {{timeout}} seconds. It writes {{formats}} only. {{lic}} license.</p>`},
			{"next", "developers.berthbook.example/", `{{name}} reference
<h1>{{name}}</h1><p>{{auth}}. Send it as a header.</p><p>We allow {{max}} connections per key; requests have a timeout of {{timeout}} seconds; we retry webhooks {{retry}} times.</p><h3>Query parameters</h3><table><tr><th>Parameter</th><th>Default</th></tr>{{opts%<tr><td>$1</td><td>$2</td></tr>}}</table><p>Formats: {{formats}}. Version {{version}}, latest version since {{released}}. {{mail}} takes security reports.</p>`},
			{"hugo", "lockgate.example/manual/", `{{name}} manual
<h1>{{name}}</h1><pre><code>port = {{port}}
timeout = {{timeout}}
connections = {{max}}
retries = {{retry}}</code></pre><p>These are the defaults; the timeout is in seconds. The default log level is {{level}}. Latest version: {{version}}. Requires {{needs}}. License {{lic}}. <a href="{{repo#}}">{{repo}}</a></p>`},
		},
		asks: []string{
			`0 1|at schema|{url}|port,timeout,max,auth,level,windows,retry`,
			`0 1 3|at told|Options and defaults in {url}|opts`,
			`0 1|find none|?|level,auth`,
			`0 1 4|find told|{name} documentation: {asks}|version,port,lic,repo,released`,
			`2|find schema|tidecast-lite|version,port^twin@0,formats,repo^twin@0,auth,windows`,
			`0 1 4|find none|?|port,needs`,
			`3|find empty|berthbook API|auth,timeout,retry,formats,needs`,
			`0 3|find plain|{name}|formats,mail`,
			`4|at empty|{url}|level,timeout,windows,mail,formats`,
			`0|find told|{name} default port|port,version|gangplankd`,
		},
	}
}

func recipes() kind {
	return kind{
		name: "recipe", page: "recipe",
		cols: `name str||the dish
serves int(2,8,1)|servings|servings|How many does the {name} recipe serve?|
prep int(10,40,5)|prep_minutes|preparation in minutes|How many minutes of preparation does {name} take?|preparation,prep
cook int(45,95,5)|cook_minutes|cooking time in minutes|How many minutes does {name} cook?|
oven int(160,220,5)|oven_c|oven temperature in °C|At what oven temperature is {name} baked?|°C,oven
ing list|ingredients|ingredients|What are the ingredients of {name}?|
veg bool|vegetarian|is it vegetarian?|Is {name} vegetarian?|vegetarian,vegetarians
kcal int(240,720,10)|kcal_per_serving|kcal per serving|How many kcal has a serving of {name}?|kcal,calories
by who|author|author|Whose recipe is {name}?|
on date(-300,120,1)|published|date of publication|When was the recipe {name} published?|published
hard enum(easy/medium/demanding)|difficulty|difficulty|How difficult is {name}?|easy,medium,demanding
keep int(2,6,1)|keeps_days|days that it keeps|How many days does {name} keep?|keeps,days
freeze bool|can_be_frozen|can it be frozen?|Can {name} be frozen?|freeze,frozen
wine str|drink|drink to go with it|What does one drink with {name}?|drink`,
		rows: []string{
			"Saltmarsh lamb pie|*|*|*|*|lamb shoulder;samphire;leeks;shortcrust|Not vegetarian=false|*|*|*|Medium=medium|*|It can be frozen=true|a dry cider",
			"Leek and samphire tart|*|*|*|*|leeks;samphire;eggs;cream|Vegetarian=true|-|*|*|Easy=easy|-|-|-",
			"Kelp broth with barley|*|*|*|-|kelp;pearl barley;carrots;miso|Suitable for vegetarians=true|*|*|-|Easy=easy|*|-|-",
			"Labskaus nach Art der Werft|*|*|*|-|Kartoffeln;Rote Bete;Pökelfleisch;Gurken|-|-|*|-|-|-|-|ein kühles Pils",
			"Smoked sprat chowder|*|*|*|-|smoked sprats;potatoes;milk;onions|Not vegetarian=false|*|*|*|-|-|Do not freeze it=false|-",
		},
		looks: []look{
			{"elementor", "www.saltkitchen.example/recipes/", `{{name}}
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Recipe","name":"{{name!}}","recipeYield":"{{serves#}}","prepTime":"PT{{prep#}}M","author":{"@type":"Person","name":"{{by!}}"}}</script>
<h1>{{name}}</h1><div class="wprm-recipe"><span>Prep: {{prep}} min</span> <span>Cook: {{cook}} min</span> <span>Serves {{serves}}</span></div>
<div class="wprm-recipe">{{kcal}} kcal per serving</div>
<p>By {{by}}, published on {{on}}</p><h3>Ingredients</h3><ul>{{ing*li}}</ul><p>[[Bake at {{oven}} °C until brown. ]][[{{veg}}. ]][[{{hard}}. ]]</p>
<p>It keeps for {{keep}} days. {{freeze}}.</p>
<p>Drink {{wine}} with it.</p>`},
			{"hugo", "coastcook.example/", `{{name}}
<h1>{{name}}</h1><p>Serves {{serves}}. {{by}} gave us this one[[ on {{on}}]]: {{prep}} minutes of preparation, then {{cook}} minutes on the stove or in the oven[[ at {{oven}} °C]].</p><ul>{{ing*li}}</ul><p>[[{{veg}}. ]][[{{hard}}. ]][[{{kcal}} kcal a serving. ]][[{{freeze}}.]]</p>`},
			{"squarespace", "www.broth.example/table/", `{{name}}
<h1>{{name}}</h1><p>Preparation {{prep}} min / cooking {{cook}} min / for {{serves}}</p><p>You need {{ing}}.</p><p>{{veg}}, {{hard}}. A serving has {{kcal}} kcal. From the notebook of {{by}}. Keeps {{keep}} days in the fridge.</p>`},
			{"typo3", "www.kombuese.example/rezepte/", `{{name}}
<h1>{{name}}</h1><p>Für {{serves}} Personen. Vorbereitung: {{prep}} Minuten, Kochzeit: {{cook}} Minuten. Rezept von {{by}}.</p><p>Zutaten: {{ing}}</p><p>Dazu passt {{wine}}.</p>`},
			{"elementor", "www.chowderday.example/", `{{name}}
<h1>{{name}}</h1><div itemscope itemtype="https://schema.org/Recipe"><p>Servings: <span itemprop="recipeYield">{{serves}}</span></p><ul><li itemprop="recipeIngredient">smoked sprats</li><li itemprop="recipeIngredient">potatoes</li><li itemprop="recipeIngredient">milk</li><li itemprop="recipeIngredient">onions</li></ul><p>Prep {{prep}} minutes, cook {{cook}} minutes; {{kcal}} kcal. By <span itemprop="author">{{by}}</span>, published {{on}}. {{veg}}. {{freeze}}.</p><!-- {{ing}} --></div>`},
		},
		asks: []string{
			`0 1 4|at schema|{url}|serves,prep,cook,ing,veg,keep`,
			`0 2 3|find told|{name} recipe: {asks}|serves,ing,kcal,wine`,
			`0 1 4|find none|?|prep,ing`,
			`1|find empty|Leek and samphire tart: oven, difficulty, freezing, kcal, drink|oven,hard,freeze,kcal,wine`,
			`0|find schema|Saltmarsh lamb pie|freeze,hard,oven,on,by`,
			`3 2|at told|{asks} {url}|serves,cook,oven,by`,
			`3|find empty|Labskaus nach Art der Werft: Personen, Zutaten, Kochzeit|serves,ing,cook`,
			`4|find schema|Smoked sprat chowder|freeze,veg,hard,by`,
			`0|find schema|{name} recipe|serves,ing|Gannet Island gingerbread`,
		},
	}
}
