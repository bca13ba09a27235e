package campus

func organisations() []kind {
	return []kind{
		{
			name: "institutes", page: "organisation", host: "www.scholarly-houses.example",
			cols: "name,short,city,founder,founded:year,director,since:year,former,staff:int,budget:eur,topic,mail:mail,students:int",
			rows: []string{
				"Ostrand Institute for Marine Acoustics|the institute|Ostrand|Henrik Vallgren|1962|Mara Lindqvist|2014|Tobias Ekholm|214|18.4 million=18400000|the hearing of whales|office@ostrand-acoustics.example|61",
				"Belvoir Centre of Glaciology|the centre|Chamfort|Odile Marchetti|1987|Bastien Roulin|2021|Claire Fauconnet|78|€6.2 million=6200000|the retreat of small glaciers|info@belvoir-glaciers.example|24",
				"Kestrel Academy of Instrument Making|the academy|Wexcombe|Dorothea Plunkett|1911|Ivor Hathersage|2009|Lionel Crabbe|43|€2.9 million=2900000|the repair of old wind instruments|hello@kestrel-academy.example|130",
				"Tamarind Foundation for Soil Research|the foundation|Port Ellery|Rosalind Oyelaran|1995|Desmond Achterberg|2018|Agnes Tolliver|35|€4.7 million=4700000|salty farmland|contact@tamarind-soil.example|12",
				"Nordhavn School of Lighthouse Studies|the school|Nordhavn|Sigrid Aasen|1978|Pernille Thorsager|2020|Magnus Rydahl|29|€1.3 million=1300000|the optics of lighthouses|mail@nordhavn-lights.example|88",
				"Calloway Observatory of Variable Stars|the observatory|Mount Calloway|Edwin Strake|1934|Yolanda Pereyra|2016|Gilbert Nock|52|€7.8 million=7800000|pulsating stars|desk@calloway-obs.example|17",
			},
			texts: []string{
				`{name} - About
# A short history
The {name} was founded in {founded} by {founder}, an engineer who had spent the war on submarines. It has its seat in {city}, a short walk from the old harbour.
Since {since} {short} has been led by {director}, who took over from {former}. Today it employs {staff} people, of whom about a third are technicians, and works mainly on {topic}.
Its library was rebuilt in 1999 after a fire.`,
				`The {name}
# {name}
Few places have done as much for {topic} as {short} in {city}. {director}, the director since {since}, likes to say that it began in a shed: {founder}, its founder, rented one in {founded} and never quite moved out.
With an annual budget of {budget} and a staff of {staff}, it is no longer small. Some {students} students come every year. The former director, {former}, still keeps an office on the top floor.
Anyone who would like to visit should write to {mail}.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 3}, mode: bySearch, form: empty, text: "Who runs the {name} today, and in which year was it founded?", wants: "director=director;founded=founded"},
				{rows: []int{2, 5}, mode: byURL, form: told, text: "From {url} collect the facts about {name}.", wants: "head=director~name of the person who currently leads it;predecessor=former~who led it before;employees=staff~how many people work there;budget=budget~yearly budget;contact_email=mail~e-mail address"},
				{rows: []int{4}, mode: bySearch, form: none, text: "Who founded the {name}?", wants: "founder=founder"},
				{rows: []int{1, 2}, mode: bySearch, form: schema, text: "Find the number of staff, the town and the student numbers of the {name}.", wants: "staffCount=staff~number of employees;city=city~town where it is;studentCount=students~students per year"},
				{rows: []int{0}, mode: bySearch, form: empty, text: "What is the {name}?", wants: "director=director;budget=director", ghost: "Fernhollow Institute of Dew Ponds"},
				{rows: []int{3, 0}, mode: byURL, form: plain, text: "See {url}. What is the chief research subject of the {name}?", wants: "topic=topic~chief subject of research"},
				{rows: []int{0, 4}, mode: bySearch, form: empty, text: "{name}: phone number, deputy director, director", wants: "phone=!tel;deputy_director=!string;director=director"},
			},
		},
		{
			name: "companies", page: "article", host: "www.ledger-and-lathe.example",
			cols: "name,ceo,founder,year:year,city,people:int,revenue:usd,round:usd,investor,product,plan:int,customers:int",
			rows: []string{
				"Quillmark|Anneke Verstappen|Jonas Dreier|2013|Utterveld|340|$61 million=61000000|$25 million=25000000|Redpoll Capital|scheduling software for dentists|450|5200",
				"Brightwater Robotics|Samir Haddoub|Elise Montcalm|2017|Lanford|95|$12 million=12000000|$40 million=40000000|Osprey Ventures|harvesting robots for strawberries|160|37",
				"Halden & Pike|Greta Solheim|Arthur Pike|1949|Dunmere|1200|$210 million=210000000|$80 million=80000000|the Colmore Fund|brass valves for ships|1,400=1400|860",
				"Fennel Street Foods|Marcus Obuya|Lucia Garrone|2008|Arbroek|510|$94 million=94000000|$15 million=15000000|Tiller Partners|frozen soups|600|2400",
				"Cobalt Loom|Ines Carvalhal|Peter Naismith|2020|Seabridge|48|$5 million=5000000|$9 million=9000000|Northfold|antimicrobial hospital curtains|75|112",
				"Vantry|Orla Quinlan|Dev Chaudhari|2015|Castlebar Heights|220|$33 million=33000000|$18 million=18000000|Lumen Growth|parking sensors|300|94",
			},
			texts: []string{
				`{name} raises {round} to grow abroad
# {name} raises {round}
By our business desk. 3 February 2026
{name}, the {city}-based maker of {product}, has raised {round} in a round led by {investor}, it said on Tuesday. The company, founded in {year} by {founder}, had revenue of {revenue} last year.
"We have been profitable since last spring," said {ceo}, its chief executive, who joined four years ago. The firm has {people} employees now and wants to have {plan} by the end of the year.
It sells to {customers} customers in nine countries.`,
				`An interview with {ceo}
# "We never wanted to be big"
{ceo} has run {name} since its founder, {founder}, retired. We met at the headquarters in {city}, where {people} people make {product}.
How did it start?
"In {year}, with two rented desks. We had one customer then; today we have {customers}."
And the plans?
"{plan} colleagues by next year, if all goes well. {investor} would have liked more."`,
			},
			asks: []asked{
				{rows: []int{0, 2, 4}, mode: bySearch, form: empty, text: "How much money did {name} raise and who led the round? Also its chief executive.", wants: "amount_raised=round;lead_investor=investor;ceo=ceo"},
				{rows: []int{1, 3, 0}, mode: bySearch, form: told, text: "Company profile of {name}", wants: "ceo=ceo~the chief executive;founded=year~year in which it was founded;headquarters=city~city of the head office;employees=people~present number of employees;revenue=revenue~revenue of last year"},
				{rows: []int{5}, mode: byURL, form: schema, text: "Read {url} and say how many employees {name} has now and how many customers.", wants: "employeeCount=people~current employees;customerCount=customers~number of customers"},
				{rows: []int{2, 5}, mode: bySearch, form: none, text: "Who founded {name}?", wants: "x=founder"},
				{rows: []int{4}, mode: bySearch, form: plain, text: "What does {name} make?", wants: "x=product~what the company makes"},
				{rows: []int{1}, mode: bySearch, form: empty, text: "Who is the chief executive of {name}, and where is it based?", wants: "ceo=ceo;city=city", ghost: "Larkspur Bearings"},
				{rows: []int{2, 3}, mode: byURL, form: empty, text: "{url} - net profit, stock symbol and chief financial officer of {name}", wants: "net_profit=!price;ticker=!string;cfo=!string"},
			},
		},
		{
			name: "teams", page: "person/staff", host: "www.merrowpractice.example",
			cols: "name,lead,role,second,second_role,mail:mail,tel:tel,joined:year,third,third_role",
			rows: []string{
				"Merrow Veterinary Practice|Dr Helena Straub|head veterinarian|Callum Orde|practice manager|h.straub@merrowvets.example|+44 1632 960 112|2011|Priya Nandakumar|veterinary nurse",
				"Tolworth Architects|Benedikt Auer|managing partner|Saoirse Kinnane|head of design|b.auer@tolworth.example|+44 1632 960 245|2006|Luis Ferrandiz|structural engineer",
				"Pinebank Law Chambers|Winifred Osei|senior partner|Hugh Latchford|office manager|w.osei@pinebank.example|+44 1632 960 377|1998|Nadia Berisha|family lawyer",
				"Sorrel Studio|Takumi Ishibe|creative director|Frances Ogilvy|producer|takumi@sorrel-studio.example|+44 1632 960 408|2019|Emil Brandvold|illustrator",
			},
			texts: []string{
				`Our team | {name}
# The people behind {name}
<div class="card"><h3>{lead}</h3><p>{role}</p><p>With us since {joined}. Reach {lead} at <a href="mailto:{mail}">{mail}</a> or on {tel}.</p></div>
<div class="card"><h3>{second}</h3><p>{second_role}</p><p>Keeps the diary and answers most calls.</p></div>
<div class="card"><h3>{third}</h3><p>{third_role}</p><p>Came straight from university.</p></div>`,
				`Meet us - {name}
# Who we are
{name} is a small house. {lead} ({role}) joined in {joined} and can be reached on {tel}. {second}, our {second_role}, looks after everything else, and {third} works here as {third_role}.`,
			},
			asks: []asked{
				{rows: []int{0, 2, 1}, mode: bySearch, form: empty, text: "Who is the {role} of {name}? I need the name and e-mail address and phone.", wants: "name=lead;email=mail;phone=tel"},
				{rows: []int{1, 3}, mode: byURL, form: told, text: "From {url}: who is {second_role} and who is {third_role} at {name}?", wants: "first_person=second~{second_role};second_person=third~{third_role}"},
				{rows: []int{0, 3}, mode: bySearch, form: none, text: "In which year did {lead} join {name}?", wants: "x=joined"},
				{rows: []int{2}, mode: byURL, form: plain, text: "{url} what is {second}'s job at {name}?", wants: "x=second_role~job title"},
				{rows: []int{2, 3}, mode: bySearch, form: empty, text: "{name}: fax number and chief accountant", wants: "fax=!tel;chief_accountant=!string"},
			},
		},
	}
}
