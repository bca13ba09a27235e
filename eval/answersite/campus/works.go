package campus

func works() []kind {
	return []kind{
		{
			name: "reviews", page: "article", host: "www.pagesandmargins.example",
			cols: "name,author,publisher,pages:int,price:gbp,translator,out:date,critic,stars:int,setting,earlier",
			rows: []string{
				"The Salt Ledger|Imogen Radcliffe-Tan|Corbel House|412|18.99|Judith Achebe|2025-09-04|Paul Strand|four=4|a fishing village in Galicia|Low Water",
				"Nobody's Orchard|Vilmos Kertesz|Green Lantern Press|288|14.50|Agota Molnar|2026-01-15|Rhiannon Pugh|three=3|a suburb of Pecs|The Tram Conductor",
				"A Map of Small Hours|Delphine Okafor|Marten & Sons|356|20|Renata Blum|2025-11-20|Gordon Leith|five=5|night-time Brussels|Twelve Doors",
				"The Cartographer's Dog|Niall Breheny|Corbel House|198|9.99|Sabine Ott|2024-06-13|Paul Strand|two=2|the west of Ireland|Peat",
				"Glass Weather|Solveig Myhre|Hollin Books|530|25|Thomas Aldridge|2026-03-26|Rhiannon Pugh|four=4|Tromso in winter|The Ice Auction",
				"An Accountant in Love|Rafael Quiroga|Green Lantern Press|244|12.99|Megan Farrow|2025-02-27|Gordon Leith|three=3|Montevideo|Sundays Off",
			},
			texts: []string{
				`Review: {name} by {author}
# {name}
<p class="meta">Reviewed by {critic}</p>
{author}'s new novel, which {publisher} brings out on {out}, is set in {setting}. It follows {earlier}, the debut that made the author's name, and at {pages} pages it is twice as long.
The English version is by {translator}, who has an ear for dialect. I would give it {stars} stars out of five.
{name} is published by {publisher} (£18.99 in bookshops, or {price} at our own shop).`,
				`{name}, reviewed
# A book about not much, and all the better for it
In {name} ({publisher}, {pages} pp, {price}), {author} returns to {setting}. Translated by {translator}, the book reads as if it had been written in English.
{critic} thinks that {earlier} was better.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2, 4}, mode: bySearch, form: empty, text: "Who wrote {name}, who publishes it and how many pages does it have?", wants: "author=author;publisher=publisher;pages=pages"},
				{rows: []int{3, 5, 0}, mode: bySearch, form: told, text: "Book data: {name}", wants: "translator=translator~who translated it;release=out~publication date;rating=stars~stars given by the reviewer;setting=setting~where the story takes place"},
				{rows: []int{1, 3}, mode: byURL, form: plain, text: "{url} how much does {name} cost?", wants: "x=price~price of the book"},
				{rows: []int{2}, mode: bySearch, form: none, text: "Who reviewed {name}?", wants: "x=critic"},
				{rows: []int{4, 5}, mode: bySearch, form: empty, text: "ISBN, illustrator and original language of {name}", wants: "isbn=!string;illustrator=!string;original_language=!string"},
				{rows: []int{1}, mode: bySearch, form: empty, text: "Who wrote the novel {name} and when was it published?", wants: "author=author;published=out", ghost: "The Velvet Semaphore"},
			},
		},
		{
			name: "films", page: "article", host: "www.opencyclopedia.example",
			cols: "name,director,writer,year:year,minutes:int,cast:list,composer,budget:usd,gross:usd,country,premiere:date,festival",
			rows: []string{
				"The Long Ferry|Ingrid Halloran|Tom Bascombe|2019|118|Maeve Sturrock/Oskar Lund/Bianca Teller|Aurelio Conti|$4.5 million=4500000|$21 million=21000000|Irish|2019-05-17|the Lido Sud festival",
				"Paper Lanterns|Kenji Marumoto|Aya Tsukino|2022|97|Rei Hanada/Shota Minami/Yui Orihara|Nils Petter Grieve|$2 million=2000000|$6.3 million=6300000|Japanese|2022-09-03|the Toronto Lake festival",
				"Kiln|Adaeze Onwudiwe|Adaeze Onwudiwe|2016|134|Chidi Balogun/Ruth Ampofo/Sefi Atkin|Wale Sanusi|$900,000=900000|$3.1 million=3100000|Nigerian|2016-02-12|the Berlin Spree festival",
				"Last Orders at the Swan|Roger Thackeray|Polly Winch|2008|102|Dennis Orme/Celia Farthing/Jim Blakey|Harriet Moss|$7 million=7000000|$48 million=48000000|British|2008-10-24|the London Thames festival",
				"Cordillera|Ximena Lagos|Matias Verdugo|2024|141|Paloma Soto/Diego Arancibia/Lautaro Vidal|Isidora Munita|$5.2 million=5200000|$9.9 million=9900000|Chilean|2024-08-29|the San Telmo festival",
			},
			texts: []string{
				`{name} (film)
# {name}
{name} is a {year} {country} drama film directed by {director} from a screenplay by {writer}. It stars {cast}. The score was composed by {composer}.
The film had its premiere at {festival} on {premiere}. Made on a budget of {budget}, it grossed {gross} worldwide. It runs for {minutes} minutes.`,
				`{name} - film
# {name}
Shot in only thirty days, {name} was the breakthrough of its director, {director}. The {minutes}-minute film, with music by {composer}, tells of a family that cannot sell its house. The leading parts are played by {cast}.
It cost {budget} and was first shown at {festival}.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 3}, mode: bySearch, form: empty, text: "Who directed the film {name}, who composed the music, and how long does it run in minutes?", wants: "director=director;composer=composer;runtime_minutes=minutes"},
				{rows: []int{2, 4, 1}, mode: bySearch, form: told, text: "Data on the film {name}", wants: "budget=budget~production budget;box_office=gross~worldwide takings;premiere=premiere~date of the first screening;screenwriter=writer~who wrote the script;cast=cast~actors"},
				{rows: []int{3}, mode: byURL, form: schema, text: "{url}: the actors in {name}", wants: "cast=cast~names of the actors"},
				{rows: []int{0}, mode: bySearch, form: none, text: "At which festival was {name} first shown?", wants: "x=festival"},
				{rows: []int{4, 0}, mode: byURL, form: empty, text: "{url} - camera (cinematographer), editor and distributor of {name}", wants: "cinematographer=!string;editor=!string;distributor=!string"},
			},
		},
		{
			name: "papers", page: "article", host: "www.openjournal.example",
			cols: "name,authors:list,journal,sample:int,result:num,published:date,received:date,funder,doi,years:int,lead",
			rows: []string{
				"Sleep and Shift Work in Ferry Crews|Lena Holub/Amir Rastegar/Josephine Watt|Annals of Maritime Health|1264|23|2024-10-07|2024-04-18|the Baltic Welfare Trust|10.9999/amh.2024.118|three=3|Lena Holub",
				"Nest Reuse Among Urban Swifts|Carlo Bertolani/Siobhan Deasy|Journal of City Ecology|382|41.5|2023-05-22|2022-12-01|the Swift Society|10.9999/jce.2023.041|six=6|Carlo Bertolani",
				"Bread Staling at Low Temperature|Wout Janssens/Mei-Ling Chua/Olumide Bello|Cereal Letters|96|17.2|2025-02-14|2024-09-30|the Millers' Union|10.9999/cl.2025.007|two=2|Mei-Ling Chua",
				"Echo Delays in Concrete Churches|Beatrix Vonlanthen/Rupert Hale|Acoustics of Buildings|27|3.8|2022-08-19|2022-02-03|the Cantonal Science Fund|10.9999/ab.2022.290|four=4|Beatrix Vonlanthen",
			},
			texts: []string{
				`{name}
# {name}
<p class="authors">{authors}</p>
<p class="meta">{journal} · Received {received} · Published {published} · doi:{doi}</p>
## Abstract
We followed {sample} participants over {years} years. The effect that we had expected was found in {result} percent of them. A pilot study of 40 participants had given a smaller figure.
## Funding
This work was supported by {funder}. The authors declare no conflict of interest.`,
				`New study: {name}
# What the researchers found
A study that appeared in the {journal} on {published} has looked at {sample} cases over {years} years. {lead}, who led the work, says that {result} percent showed the effect.
The study, "{name}", was paid for by {funder}.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2}, mode: bySearch, form: empty, text: "In the study \"{name}\", what was the sample size, in which journal did it appear, and who funded it?", wants: "sample_size=sample;journal=journal;funding=funder"},
				{rows: []int{2, 0}, mode: byURL, form: told, text: "Read {url}", wants: "authors=authors~names of the authors;published=published~publication date;received=received~date on which the manuscript was received;doi=doi~digital object identifier"},
				{rows: []int{3, 1}, mode: bySearch, form: schema, text: "Lead author of {name} and when it was published, and the editor who handled it", wants: "leadAuthor=lead~who led the study;publicationDate=published~when it appeared;handlingEditor=!string~editor"},
			},
		},
		{
			name: "collection", page: "collection", host: "www.dunmere-museum.example",
			cols: "name,artist,made:year,material,height:num,inventory,donor,acquired:year,room,restored:year,valued:gbp",
			rows: []string{
				"Girl with a Heron|Wilhelmina Tasker|1874|oil on oak|64.5|DM 1902.117|Lady Constance Byrne|1902|Room 12|2011|210,000=210000",
				"The Tin Peddler|Josiah Crane|1811|watercolour on paper|31|DM 1956.024|the Ashby family|1956|Room 4|1998|18,000=18000",
				"Seated Fox|Anton Wiesner|1936|bronze|48|DM 1971.301|Harold Penfold|1971|the sculpture court|2020|75,000=75000",
				"Portrait of a Ropemaker|Cornelia de Witt|1689|oil on canvas|112|DM 1888.009|the Worshipful Company of Ropers|1888|Room 2|2004|540,000=540000",
				"Harvest Bowl|Edith Larkham|1952|glazed stoneware|22.4|DM 1989.078|Miriam Sachs|1989|the ceramics gallery|2015|6,500=6500",
			},
			texts: []string{
				`{name} | Dunmere Museum
# {name}
Painted or made by {artist} in {made}, {name} is among the best-loved things in the museum. The work, in {material}, is {height} cm high.
It was given to the museum in {acquired} by {donor}, who had bought it at a sale in Bath, and has hung in {room} since it was restored in {restored}. Inventory number: {inventory}.`,
				`Collection: {name}
# {name} ({made})
This piece by {artist}, acquired in {acquired}, can be seen in {room}. Its material is {material}. Experts have valued it at £{valued}, ten times what was paid for it.
Cleaning in {restored} brought a signature to light.`,
			},
			asks: []asked{
				{rows: []int{0, 1, 2}, mode: bySearch, form: empty, text: "Who made {name}, when was it made, and in which room can it be seen?", wants: "artist=artist;year=made;location=room"},
				{rows: []int{3, 4}, mode: bySearch, form: told, text: "{name} in the Dunmere Museum", wants: "donor=donor~who gave it to the museum;year_acquired=acquired~year in which the museum got it;inventory_number=inventory~inventory number;height_cm=height~height in centimetres;valuation=valued~what it is worth in pounds"},
				{rows: []int{2, 3}, mode: byURL, form: none, text: "What is {name} made of? {url}", wants: "x=material"},
				{rows: []int{4, 1}, mode: bySearch, form: empty, text: "width, weight and insurance number of {name}", wants: "width=!num;weight=!num;insurance_number=!string"},
			},
		},
	}
}
