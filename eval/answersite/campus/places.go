package campus

func places() []kind {
	return []kind{
		{
			name: "gazetteer", page: "place", host: "www.opencyclopedia.example",
			cols: "name,kind,region,people:int,census:year,before:int,area:num,mayor,hill,height:int,river,first:year,old_mayor,twin",
			rows: []string{
				"Great Ambry|market town|Westshire|14382|2021|13970|21.4|Philippa Stead|Beacon Down|214|the Amber|1086|Keith Lomax|Saint-Oulph",
				"Sankt Urban|village|Upper Styrmark|2914|2022|3105|47.9|Alois Kreuzer|the Hochkogel|1673|the Laming|1147|Maria Brandl|Tolmezzo Alto",
				"Little Ambry|village|Westshire|611|2021|640|6.2|Neville Crook|Gallows Hill|131|the Amber|1201|Joan Tarrant|none",
				"Vila do Forno|fishing town|the Algar coast|8256|2021|7811|33.5|Henriqueta Pais|Monte Raso|402|the Sequeiro|1518|Abel Fontes|Kinsalebeg",
				"Kivisalmi|municipality|North Savonia|5073|2020|5590|812.3|Outi Rantala|Tervavuori|289|the Kivijoki|1639|Eino Hakala|Otepaa Vald",
				"Ballyfarn|town|County Roscam|3347|2022|2960|4.8|Malachy Deasy|Knockfarn|176|the Suck Beag|1594|Bridie Nolan|Plouarzh",
			},
			texts: []string{
				`{name} - Opencyclopedia
# {name}
{name} is a {kind} in {region}. At the {census} census it had {people} inhabitants, against {before} ten years earlier, on an area of {area} km².
It lies on {river}. The highest point of the area, {hill}, rises to {height} m. First mentioned in a charter of {first}, the place was granted a market in 1312.
Its mayor is {mayor}, who succeeded {old_mayor} in 2023. It is twinned with {twin}.`,
				`{name}
# {name} ({region})
<p>Some {people} people live in {name}, a {kind} that stretches along {river}; in the census before that of {census} there were {before}. The area covers {area} square kilometres.</p>
<p>The mayor since 2022 has been {mayor}. The place is first mentioned in {first}.</p>`,
			},
			asks: []asked{
				{rows: []int{0, 1, 4}, mode: bySearch, form: empty, text: "How many inhabitants does {name} have, who is its mayor, and how large is its area in km²?", wants: "population=people;mayor=mayor;area_km2=area"},
				{rows: []int{2, 3, 5}, mode: bySearch, form: told, text: "Geography of {name}", wants: "river=river~river on which it lies;highest_point=hill~name of the highest point;elevation=height~height of the highest point in metres;first_mention=first~year in which it was first mentioned"},
				{rows: []int{4, 0}, mode: byURL, form: schema, text: "{url} mayor before the present one, twin town, region", wants: "formerMayor=old_mayor~the former mayor;twinTown=twin~twin town;region=region~region in which it lies"},
				{rows: []int{5}, mode: bySearch, form: none, text: "Who is the mayor of {name}?", wants: "x=mayor"},
				{rows: []int{1, 3}, mode: bySearch, form: empty, text: "{name}: postcode, unemployment rate, population in 1950", wants: "postcode=!string;unemployment_rate=!num;population_1950=!int@other:{people}"},
				{rows: []int{0}, mode: bySearch, form: empty, text: "Population and mayor of {name}", wants: "population=people;mayor=mayor", ghost: "Nether Quenby"},
			},
		},
		{
			name: "buildings", page: "place", host: "www.structures-of-note.example",
			cols: "name,kind,architect,engineer,opened:date,planned:eur,cost:eur,length:int,city,begun:year,client,height:num,closed:year,prize",
			rows: []string{
				"Sallow Bridge|footbridge|Tamsin Ferrar|Otto Linde|2016-06-25|€8 million=8000000|€13.5 million=13500000|286|Lenmouth|2012|the city council|31.5|2020|the Gilded Span",
				"Meridian Baths|public swimming pool|Kaspar Engel|Ruth Nyberg|1998-04-03|€14 million=14000000|€17 million=17000000|74|Ostrand|1995|the Bathing Society|12.2|2011|the Blue Tile award",
				"Corncrake Library|library|Aoife Tunney|Hamid Sorush|2021-10-16|€22 million=22000000|€26.4 million=26400000|91|Ballyfarn|2017|the county|18.6|2024|the Reading Room prize",
				"Vessel Hall|concert hall|Eliska Novotna|Jean Baptiste Corot-Lame|2009-01-30|€60 million=60000000|€112 million=112000000|140|Utterveld|2001|the Orchestra Trust|44|2018|the Acoustic Crown",
				"Tern Point Lighthouse|lighthouse|Angus Balfour|Angus Balfour|1871-08-12|€90,000=90000|€130,000=130000|9|Nordhavn|1868|the Northern Pilots|38|1989|the Heritage Lamp",
			},
			texts: []string{
				`{name}
# {name}
{name}, a {kind} in {city}, was designed by {architect} and opened on {opened}. Construction, which had begun in {begun}, was to have cost {planned}; in the end {cost} was spent.
It is {length} metres long and {height} metres high. It was built for {client}, and won {prize} a year later. The engineer was {engineer}.`,
				`{name}, {city}
# {name}
Commissioned by {client} and built between {begun} and the day it opened, {opened}, the {kind} is the work of the architect {architect}, with {engineer} as engineer. Instead of the {planned} that had been planned it cost {cost}. From end to end it measures {length} m.
It was closed for repairs in {closed}.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2}, mode: bySearch, form: empty, text: "Who was the architect of {name}, when was it opened, and how much did it cost in the end?", wants: "architect=architect;opening_date=opened;cost=cost"},
				{rows: []int{3, 4}, mode: bySearch, form: told, text: "{name} ({city})", wants: "construction_start=begun~year in which building began;planned_cost=planned~cost that had been planned;length_m=length~length in metres;client=client~who had it built;engineer=engineer~engineer;award=prize~award that it won"},
				{rows: []int{2, 0}, mode: byURL, form: none, text: "How high is {name}? {url}", wants: "x=height"},
				{rows: []int{1, 3}, mode: byURL, form: empty, text: "{url} number of floors, number of seats, parking fee", wants: "floors=!int;seats=!int;parking_fee=!price"},
			},
		},
		{
			name: "minutes", page: "PDF", host: "www.great-ambry-council.example",
			cols: "name,chair,date:date,amount:gbp,purpose,yes:int,no:int,next:date,secretary,absent,venue,petition:int",
			rows: []string{
				"Minutes of the Parks Committee|Agatha Somerville|2026-02-11|48,500=48500|the new bandstand|nine=9|two=2|2026-03-11|Leonard Quist|Councillor Debbage|the Corn Exchange|412",
				"Minutes of the Harbour Board|Fergus Ludlow|2026-01-20|125,000=125000|dredging the inner basin|seven=7|four=4|2026-02-17|Pamela Ince|Captain Rawle|the Pilot House|96",
				"Minutes of the Schools Panel|Beverley Achterman|2026-03-05|17,200=17200|new music rooms|eleven=11|one=1|2026-04-16|Leonard Quist|Mrs Tansley|Room 9 of the Guildhall|1,030=1030",
				"Minutes of the Heritage Group|Cuthbert Nairn|2025-11-26|6,900=6900|cleaning the statue of the herring girl|five=5|three=3|2026-01-28|Zoe Hanley|Mr Bickerdike|the Old Armoury|58",
			},
			texts: []string{
				`{name}
Great Ambry Council
The committee met on {date} in {venue}. {chair} was in the chair; {secretary} took the minutes. {absent} had sent apologies.
It was resolved, by {yes} votes to {no}, to spend £{amount} on {purpose}. An offer of £99,000 for another scheme had been withdrawn.
A petition with {petition} signatures was received.
The next meeting will be held on {next}.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2}, mode: byURL, form: empty, text: "{url} Who chaired the meeting, when was it, and when is the next one?", wants: "chair=chair;meeting_date=date;next_meeting=next"},
				{rows: []int{3, 2}, mode: bySearch, form: told, text: "{name}, Great Ambry", wants: "amount=amount~sum that the committee resolved to spend;purpose=purpose~what the money is for;votes_against=no~votes against;minutes_by=secretary~who took the minutes;signatures=petition~signatures of the petition"},
				{rows: []int{1, 3}, mode: byURL, form: schema, text: "{url}", wants: "treasurer=!string~the treasurer;startTime=!string~time at which the meeting began;place=venue~where they met"},
			},
		},
	}
}
