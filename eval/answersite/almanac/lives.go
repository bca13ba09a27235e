package almanac

// lives are biographies, obituaries and timelines.
func lives() []family {
	return []family{
		{
			name: "lives", page: "person/staff",
			cols: "name,short,full,born:date,birthplace,died:date,deathplace,job,known,spouse,children:int,school,party,office_from:int,office_to:int,successor,predecessor,awards:list,book,book_year:int,burial",
			rows: []string{
				"Edmund Tallis Crane|Crane|Edmund Tallis Crane|11 March 1829|Ambry|2 December 1899|Torhaven|engineer|the Caddow Viaduct drainage|Louisa Beck|six==6|the Ambry Academy|Reform|1874|1881|Walter Plumb|Sir Josias Reed|Telford Ribbon;Order of the Anchor|On Wet Foundations|1868|St Ebba's churchyard",
				"Edmund Crane (painter)|Crane|Edmund Lucian Crane|29 July 1861|Torhaven|18 April 1940|Bresles|painter|the Harbour Nocturnes|Odile Marchand|none==0|the Bresles atelier|-|-|-|-|-|Prix Aumont|-|-|the Cimetière du Nord",
				"Wilhelmina Okoro|Okoro|Wilhelmina Adaeze Okoro|6 January 1918|Pendlewick|23 June 2007|Ambry|physician|the first register of twins|Daniel Frayne|three==3|Queen Maud's College|Liberal|1959|1970|Ruth Applegarth|Lionel Moss|Stane Medal;Order of the Anchor|Two by Two|1954|Ambry crematorium",
				"Aurelio Bastide|Bastide|Aurelio Jaime Bastide|14 October 1883|Sarrat|1 September 1951|Sarrat|aviator|the mail flight to Oro|-|two==2|the lycée of Sarrat|-|-|-|-|-|Golden Kestrel;Prix Aumont|Wind from the Left|1932|-",
				"Honor Greatorex|Greatorex|Honor Philippa Greatorex|30 May 1944|Caddow|-|-|judge|the Mill End inquiry|Peter Sayle|one==1|Wendby Grammar|-|1996|2009|Dame Alison Pryor|Lord Hexley|Order of the Anchor|Reasons|2011|-",
			},
			pages: []string{
				`en.openlore.example|wiki|{name} - Openlore
<h1 class="firstHeading">{name}</h1>
<table class="infobox biography vcard"><tbody><tr><th colspan="2" class="infobox-above"><div class="fn">{full}</div></th></tr>
<tr><th class="infobox-label">Born</th><td>{born}<br>{birthplace}</td></tr>
<tr><th class="infobox-label">Died</th><td>{died}<br>{deathplace}</td></tr>
<tr><th class="infobox-label">Occupation</th><td>{job:cap}</td></tr>
<tr><th class="infobox-label">Political party</th><td>{party}</td></tr>
<tr><th class="infobox-label">Spouse</th><td>{spouse}</td></tr>
<tr><th class="infobox-label">Children</th><td>{children}</td></tr>
<tr><th class="infobox-label">Awards</th><td><div class="plainlist"><ul>{awards:li}</ul></div></td></tr>
<tr><th class="infobox-label">Alma mater</th><td>{school}</td></tr></tbody></table>
<p><b>{full}</b>, {job}, is best remembered for {known}. The family had come to the county from Sarrat in 1790.</p>
<h2>Public life</h2><p>{short} sat for the county from {office_from} to {office_to}, having taken the seat of {predecessor}; {successor} came next.</p>
<p><i>{book}</i>, brought out in {book_year}, went through nine editions.</p>`,
				`www.dictionaryoflives.example|plain|{full} – Dictionary of County Lives
<article><h1>{full}</h1>
<p><strong>{short}, {full}</strong>, {job}, was born in {birthplace} on {born}, the younger child of a chandler. Schooling was had at {school}; a cousin of the same name, born in 1859, is often taken for our subject.</p>
<p>In middle life came the work for which the name still stands, {known}. An earlier biographer dates it ten years too soon.</p>
<p>A marriage to {spouse} in Ambry was happy.</p>
<p>Children: {children}.</p>
<p>The bench was held from {office_from} to {office_to}, in succession to {predecessor}.</p>
<p>The end came on {died}, in {deathplace}.</p>
<p>The grave is in {burial}.</p>
<p class="sources">Sources: parish registers; letters in the county archive (box 14); the catalogue of 1961. Honours: {awards:semi}.</p></article>`,
			},
			tasks: []string{
				"0,2 empty | When and where was {full} born and when did they die? | birth_date=born;birth_place=birthplace;death_date=died",
				"1,3 told | {full}: biographical data | occupation=job~what they did;born=born~date of birth;died=died~date of death;known_for=known~what they are known for;children=children~number of children#children",
				"4 told | {full} | birth_date=born~date of birth;death_date=died~date of death#Died;spouse=spouse~husband or wife;awards=awards~honours received",
				"0 schema | {url} | successor=successor~who followed in the seat;awards=awards~awards;party=party~political party;religion=!str~religion#Religion",
				"3 schema | {url} | spouse=spouse~husband or wife#Spouse/marriage;awards=awards~awards;burialPlace=burial~where the grave is#grave",
				"1 none | Where is the painter Edmund Lucian Crane buried? | x=burial@lure:St Ebba's churchyard",
				"2 none | Which book did {full} bring out in 1954? | x=book",
				"1 empty | The painter Edmund Lucian Crane: party, years as member for the county | party=party@twin:Reform;elected=office_from@twin:1874;left=office_to@twin:1881",
				"0 empty ghost=Philomena Truscott-Hay | When did {name} die, and where? | death_date=died;death_place=deathplace",
				"2 string | Alma mater of {full} | x=school~the school or college",
			},
		},
		{
			name: "obituaries", page: "article",
			cols: "name,age:int,died:date,born:date,job,firm,cause,spouse,married:int,kids:list,service:date,church,charity,mail:mail,writer,started:int,prize,flowers:bool",
			rows: []string{
				"Marguerite Dolan|91|21 April 2026|2 June 1934|bookbinder|Dolan & Daughter|a short illness|Frank Dolan|1957|Teresa;Bernard;Clodagh|8 May 2026|St Ebba's|the Lifeboat Fund|family@dolanbinders.example|Priya Castell|1955|the Binders' Thimble|The family asks that no flowers be sent==false",
				"Sir Roderick Vane|78|30 March 2026|12 August 1947|shipbroker|Vane Castlemaine|a fall|Lady Isolde Vane|1974|Hugo;Arabella|17 April 2026|Ambry Minster|the Seamen's Rest|-|Tobias Wren|1971|-|Flowers are welcome and may be sent to the undertaker==true",
				"Okechukwu Bell|66|9 May 2026|28 February 1960|trumpeter|the Lantern Six|heart failure|-|-|Nneka;Thomas|22 May 2026|the Jazz Cellar|Brass for Schools|bell.memorial@lanternsix.example|Priya Castell|1981|the Golden Mute|Please, no flowers==false",
				"Sister Bridget Hallam|103|14 January 2026|19 November 1922|midwife|the Mill End clinic|old age|-|-|-|23 January 2026|the convent chapel|-|-|Tobias Wren|1944|the Order of the Anchor|-",
			},
			pages: []string{
				`www.ambrychronicle.example|news|{name}, {job}, dies at {age} | Ambry Chronicle
<h1 class="headline">{name}, {job}, dies at {age}</h1><p class="byline">By <span class="author">{writer}</span></p>
<p>{name}, who for four decades was the best-known {job} in the county, died on {died} of {cause}. The life of {age} years spanned three reigns and two floods.</p>
<p>Born on {born}, the youngest of nine, {name} began at {firm} in {started} for 30 shillings a week.</p>
<p>In {married} came the wedding with {spouse}, who survives.</p>
<p>So do the children: {kids}.</p>
<p>Colleagues remember the day on which {prize} was handed over, and what was said about the speeches.</p>
<p>The funeral will be at {church} on {service}, at 11.30 am.</p>
<p>{flowers}. Donations may be made to {charity}.</p>
<p>Memories can be shared with the family at <a href="mailto:{mail}">{mail}</a>.</p>`,
				`notices.quartomedia.example|bootstrap|{name}: death notice
<div class="card notice"><div class="card-header">Deaths</div><div class="card-body"><h4 class="card-title">{name}</h4><p class="text-muted">{born} – {died}</p>
<p>Late of {firm}.</p><p>Peacefully, after {cause}, aged {age}.</p>
<p>Husband, wife or partner: {spouse}.</p>
<p>Service at {church}, {service}.</p>
<p>{flowers}.</p>
<p>Gifts in memory to {charity}.</p></div><div class="card-footer">Notice 88213, placed by Orme & Sons, funeral directors, 01632 960 402. Notices cost £64 for 30 words.</div></div>`,
			},
			tasks: []string{
				"0,2 empty | Obituary of {name}: date of death, age, date of the funeral | date_of_death=died;age=age;funeral_date=service",
				"1,3 told | {url} | name_of_employer=firm~where they worked;church=church~place of the service;cause=cause~cause of death;donations_to=charity~charity for donations#Gifts in memory",
				"0,2 schema | {name} obituary | flowers=flowers~whether flowers may be sent;email=mail~the family's e-mail address;children=kids~names of the children",
				"2 told | {url} | author=writer~who wrote it;spouse=spouse~surviving spouse#wedding/survives;prize=prize~prize won;career_start=started~year in which the career began",
				"1 none | To which charity may one give in memory of {name}? | x=charity",
				"3 empty | {url} | spouse=spouse#Husband;grandchildren=!int#grandchild",
				"1 empty | {name}: who wrote the obituary, and what are the children called | author=writer#Tobias;children=kids#Hugo",
				"0 none ghost=Barnaby Twisleton | When is the funeral of {name}? | x=service",
			},
		},
		{
			name: "timelines", page: "article",
			cols: "name,place,founded:int,charter:date,fire:date,homes:int,railway:date,twin,merged:date,with,people:int,mayor,first:int,lamp:date,closed:date,events:table(year:int/event:str)",
			rows: []string{
				"Timeline of Caddow|Caddow|1188|24 June 1311|3 September 1697|214|1 May 1877|Nurnweiler|-|-|8,410|Agnes Rill|1924|5 November 1893|31 March 1966|1188,first named in a deed;1311,market charter;1697,the great fire;1877,railway arrives;1966,railway closes",
				"Timeline of Ambry|Ambry|871|2 February 1204|19 October 1742|530|14 July 1849|Bresles|1 April 1974|Wendby|61,300|Constance Ipe|1938|12 January 1888|-|871,founded by monks;1204,borough charter;1742,the bakery fire;1849,first train;1974,union with Wendby",
				"Timeline of Marram Sands|Marram Sands|1821|-|-|-|30 May 1863|-|-|-|2,970|Lettice Dray|1951|-|7 October 1962|1821,first bathing house;1863,branch line opens;1898,pier built;1962,branch line shuts",
			},
			pages: []string{
				`localhistory.opencounty.example|plain|{name}
<h1>{name}</h1><p>What happened when in {place}, as far as the records tell.</p>
<table class="timeline"><thead><tr><th>Year</th><th>Event</th></tr></thead><tbody>
{events:tr}</tbody></table>
<h2>Notes</h2><p>{place} is first heard of in {founded}.</p>
<p>Its charter is dated {charter}; the copy in the museum is of 1650.</p>
<p>The fire of {fire} took {homes} houses and, strangely, no lives.</p>
<p>The first train drew in on {railway}, nineteen minutes late.</p>
<p>The last one left on {closed}.</p>
<p>Electric light came on {lamp}.</p>
<p>Since {merged} it has been one with {with}.</p>
<p>Some {people} people lived there in 2021. The first woman to be mayor was {mayor}, in {first}. It is twinned with {twin}.</p>`,
			},
			tasks: []string{
				"0,1 empty | {place}: date of the charter, date of the great fire, houses burnt | charter=charter;fire_date=fire;houses_lost=homes",
				"0,2 told | When did the railway come to {place} and when did it close? | opened=railway~date of the first train;closed=closed~date of the last train",
				"1 told | Railway history of {place} | opened=railway~date of the first train;closed=closed~date of the last train#last one left",
				"0 schema | {url} | events=events~all events of the table",
				"2 schema | {url}: table | events=events~all events of the table;charterDate=charter~date of the charter#charter",
				"1 none | Who was the first woman to be mayor of {place}? | x=mayor",
				"2 empty | {place}: date of the merger with its neighbour, date of electric light | merged_on=merged@twin:1 April 1974;electric_light=lamp#Electric",
			},
		},
	}
}
