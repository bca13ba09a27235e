package harbour

// travel are ferries, buses and trains.
func travel() []kind {
	return []kind{{
		name: "line", page: "timetable",
		cols: `name str||the line
from str|from|where it starts|Where does the {name} start?|
to str|to|where it ends|Where does the {name} end?|
first str(5.40am/6.05am/6.35am/7.10am)|first_departure|first departure on weekdays|When is the first weekday departure of the {name}?|first bus,weekdays
last str(8.50pm/9.35pm/10.20pm/11.15pm)|last_departure|last departure on weekdays|When does the last {name} leave on weekdays?|last
mins int(12,95,1)|duration_minutes|journey time in minutes|How many minutes does the {name} take?|minutes,mins
every int(10,55,5)|frequency_minutes|minutes between departures|How often does the {name} run, in minutes?|every
single gbp(2.2,6.4,0.2)|single_fare|single fare|How much is a single on the {name}?|single
return gbp(6.6,11,0.2)|return_fare|return fare|What does a return on the {name} cost?|return
bike gbp(1,2,0.25)|bike_fare|fare for a bicycle|What does a bicycle cost on the {name}?|bicycle,bike,bicycles
bikes bool|bikes_carried|are bicycles carried?|Does the {name} carry bicycles?|bicycle,bicycles,bikes
sunday bool|runs_on_sundays|does it run on Sundays?|Does the {name} run on Sundays?|sunday,sundays
stops list|stops|stops on the way|At which stops does the {name} call?|calls at,calling
operator str|operator|operator|Who operates the {name}?|operated by,operator
tel tel(01947 552 )|phone|phone for travel enquiries|Which number answers questions on the {name}?|enquiries,phone
valid date(80,140,1)|valid_from|first day of the timetable|From what date is the timetable of the {name} valid?|valid from
until date(240,330,1)|valid_until|last day of the timetable|Until when is the timetable of the {name} valid?|valid until
platform str(2/4/B/Pier 3)|platform|platform or pier|From which platform or pier does the {name} leave?|platform,pier
times rows(stop:str,time:str)|times|stops and times of the first run|At what time is the {name}'s first run at each stop?|`,
		rows: []string{
			"Outer Bank Ferry|Port Ansell|Skerry Island|*|*|55|45|*|*|*|Bicycles are carried=true|No service on Sundays=false|Gull Rock;Mussel Hole|Ansell Ferries|*|*|*|-|-",
			"Coastliner 14|Lerrin Bus Station|Port Ansell|*|*|48|30|*|*|-|No bicycles=false|Runs on Sundays too=true|Brae;Saltmarsh;Kelso Street|Lerrin Buses|-|*|-|*|-",
			"Inner Bank Ferry|Port Ansell|Heron Quay|*|*|12|20|*|-|-|-|Runs on Sundays too=true|-|Ansell Ferries|*|-|-|-|-",
			"Linie 7|Emmerfeld Markt|Wismarhagen Bahnhof|5.52 Uhr|22.12 Uhr|31|40|-|-|-|Fahrräder werden befördert=true|Verkehrt nicht sonntags=false|Deichkrug;Alter Hafen|Kreisverkehr Wismar|+49 4131 5557###|*|-|-|Emmerfeld Markt,5.52;Deichkrug,6.01;Alter Hafen,6.14",
			"Cliff Tramway|Fish Quay|Upper Town|9.00am|*|4|10|*|*|-|-|-|-|Port Ansell Town Council|*|-|*|-|Fish Quay,9.00;Halfway,9.02;Upper Town,9.04",
			"Coastliner 14X|Lerrin Bus Station|Port Ansell|*|*|33|60|*|*|*|Bicycles are carried=true|-|Brae|Lerrin Buses|*|-|*|*|Lerrin Bus Station,6.50;Brae,7.09;Port Ansell,7.31",
		},
		looks: []look{
			{"elementor", "www.ansellferries.example/timetables/", `{{name}} timetable
<h1>{{name}}</h1><p>{{from}} – {{to}} and back[[, calling at {{stops}}]]. The crossing takes {{mins}} minutes.</p><table><tr><th></th><th>First</th><th>Last</th><th>Every</th></tr><tr><td>Monday to Friday</td><td>{{first}}</td><td>{{last}}</td><td>{{every}} min</td></tr><tr><td>Saturday</td><td>8.00am</td><td>7.00pm</td><td>60 min</td></tr></table><p>{{sunday}}. [[{{bikes}}.]]</p><h3>Fares</h3><p>Single {{single}}[[, return {{return}}]][[, bicycle {{bike}}]].</p><p>[[Boats leave from {{platform}}. ]][[Timetable valid from {{valid}}. ]][[Enquiries: {{tel}}. ]]Operated by {{operator}}.</p>`},
			{"next", "www.lerrinbuses.example/routes/", `{{name}}: {{from}} to {{to}}
<h1>{{name}}</h1><div class="route"><span>{{from}}</span> → <span>{{to}}</span></div><ul><li>Weekdays: first bus {{first}}, last bus {{last}}, every {{every}} minutes</li><li>Journey time: {{mins}} minutes</li>
<li>{{sunday}}</li>
<li>{{bikes}}</li></ul><p>Calls at {{stops}}.</p><div class="fares"><div>Single <b>{{single}}</b></div><div>Return <b>{{return}}</b></div></div>
<p>Valid from {{valid}}.</p>
<p>Valid until {{until}}.</p><footer>{{operator}}</footer>`},
			{"frontpage", "www.ansellferries.example/old/", `{{name}}
<h2>{{name}}</h2><p>Our little boat goes from {{from}} to {{to}} in {{mins}} minutes. Weekdays the first one leaves at {{first}}, the last one at {{last}}. {{sunday}}. You pay {{single}} for a single. Phone {{tel}}.</p>`},
			{"typo3", "www.kv-wismar.example/fahrplan/", `Fahrplan {{name}}
<h1>{{name}}: {{from}} – {{to}}</h1><p>Erste Fahrt montags bis freitags um {{first}}, letzte Fahrt um {{last}}, Takt: alle {{every}} Minuten. Fahrzeit {{mins}} Minuten. {{sunday}}. {{bikes}}.</p><p>Haltestellen unterwegs: {{stops}}</p><table><tr><th>Haltestelle</th><th>Erste Fahrt</th></tr>{{times%<tr><td>$1</td><td>$2</td></tr>}}</table><p>Fahrplan gültig ab {{valid}}. Auskunft: {{tel}}</p>`},
			{"council", "www.portansell.example/transport/", `{{name}}
<h1>{{name}}</h1><p>The {{name}} between {{from}} and {{to}} is operated by {{operator}}.</p><dl><dt>First car, weekdays</dt><dd>{{first}}</dd><dt>Last car, weekdays</dt><dd>{{last}}</dd><dt>Frequency</dt><dd>every {{every}} minutes</dd><dt>Journey</dt><dd>{{mins}} minutes</dd><dt>Single</dt><dd>{{single}}</dd><dt>Return</dt><dd>{{return}}</dd></dl><table><caption>First run</caption>{{times%<tr><th>$1</th><td>$2</td></tr>}}</table><p>These times are valid until {{until}}.</p>`},
			{"next", "www.lerrinbuses.example/express/", `{{name}} express
<h1>{{name}}</h1><p>The fast bus from {{from}} to {{to}}: {{mins}} minutes, only calling at {{stops}}. {{bikes}}, for {{bike}} each.</p><table><thead><tr><th>Stop</th><th>First run</th></tr></thead><tbody>{{times%<tr><td>$1</td><td>$2</td></tr>}}</tbody></table><p>Leaves from platform {{platform}}. A single is {{single}}, a return {{return}}.</p>`},
		},
		asks: []string{
			`0 1 4|at schema|{url}|first,last,mins,single,return,every`,
			`0 2|find told|{name} ({from} to {to}): {asks}|mins,single,return,sunday,bikes`,
			`1 3|find schema|{name}|sunday,bikes,stops,valid,platform`,
			`3 4 5|at told|Stops and times at {url}|times`,
			`2|find empty|Inner Bank Ferry return fare, bicycle fare, pier, phone|return^twin@0,bike^twin@0,platform,tel`,
			`0 1 3 4|find none|?|mins,last`,
			`5|find told|Coastliner 14X from Lerrin|valid^twin@1,sunday,bike,mins,every`,
			`3|find told|Fahrplan Linie 7: erste Fahrt, letzte Fahrt, Fahrräder, gültig ab|first,last,bikes,valid`,
			`0 5|find plain|{name}|stops,bike`,
			`4 1|at empty|{url}|until,operator,bikes,tel`,
			`2|find none|?|return`,
			`0|find told|{name} first and last|first,last|Spindrift Night Boat`,
		},
	}}
}
