package almanac

// structures are bridges, ships and things in museums.
func structures() []family {
	return []family{
		{
			name: "bridges", page: "place",
			cols: "name,river,town,length:num,feet,span:num,width:num,opened:date,designer,material,cost:price,traffic:int,grade:enum(Grade I/Grade II*/Grade II),toll:bool,was,spans:int",
			rows: []string{
				"Weir Bridge (Aldmouth)|the Ald|Aldmouth|214.5|704|61.2|9.8|16 May 1908|Hester Quarmby|riveted steel|£48,200==48200 GBP|11,400|Grade II*|No toll has been charged since the county bought out the trust==false|1961|five==5",
				"Weir Bridge (Torhaven)|the Tor|Torhaven|96|315|38|7.4|3 September 1931|Osric Blaine|reinforced concrete|-|2,950|Grade II|Motorists still pay a toll at the north gate==true|1888|three==3",
				"Caddow Viaduct|the Lesser Wend|Caddow|402|1,319|24.5|8.2|1 August 1876|Thaddeus Lorne|red sandstone|£91,750==91750 GBP|-|Grade I|-|-|sixteen==16",
				"Pendlewick Swing Bridge|the Ship Cut|Pendlewick|58.3|191|52|5.6|22 April 1899|Hester Quarmby|wrought iron|£17,300==17300 GBP|830|Grade II|Crossing is free of toll for everyone==false|1894|two==2",
				"New Caddow Bridge|the Lesser Wend|Caddow|511|1,677|180|21.4|11 October 2003|Amrit Sandhu|weathering steel|£38.6 million==38600000 GBP|27,800|-|Users are not charged a toll==false|-|seven==7",
				"Marram Footbridge|the Sill|Marram Sands|73.9|242|73.9|3|14 June 2014|Juno Vasselin|glued larch|£1.9 million==1900000 GBP|-|-|-|1952|a single==1",
			},
			pages: []string{
				`en.openlore.example|wiki|{name} - Openlore
<h1 class="firstHeading">{name}</h1>
<div class="hatnote">For other bridges of this kind, see <a href="/Bridges_of_the_county">Bridges of the county</a>.</div>
<table class="infobox"><tbody><tr><th colspan="2" class="infobox-above">{name}</th></tr><tr><td colspan="2"><img src="/b.jpg" alt=""><div>View from the south bank in 2018</div></td></tr>
<tr><th scope="row">Crosses</th><td>{river}</td></tr>
<tr><th scope="row">Locale</th><td>{town}</td></tr>
<tr><th scope="row">Designer</th><td>{designer}</td></tr>
<tr><th scope="row">Material</th><td>{material:cap}</td></tr>
<tr><th scope="row">Total length</th><td>{length} metres ({feet} ft)<sup>[2]</sup></td></tr>
<tr><th scope="row">Longest span</th><td>{span} metres</td></tr>
<tr><th scope="row">Heritage status</th><td>{grade}</td></tr>
<tr><th scope="row">Opened</th><td>{opened}</td></tr>
<tr><th scope="row">Daily traffic</th><td>{traffic} vehicles (2023)</td></tr>
</tbody></table>
<p><b>{name}</b> is a road bridge across {river} at {town}. Its {spans} spans carry the A-road to the coast.</p>
<h2><span class="mw-headline">History</span></h2>
<p>A ferry plied here until the 1840s, when a timber bridge of 150 metres took its place. The present structure, to plans by {designer}, was opened to traffic by the lord lieutenant on {opened}.</p>
<p>Building it cost {cost}, about a third more than had been voted.</p>
<p>{toll}.</p>
<h2><span class="mw-headline">References</span></h2><ol class="references"><li>County Surveyor's Report 1977, p. 31.</li><li>"Measured drawings", 1983.</li></ol>`,
				`www.spansandarches.example|wordpress|{name}: a pilgrim's notes | Spans and Arches
<article><h1 class="wp-block-post-title">{name}: a pilgrim's notes</h1><div class="wp-block-post-date">19 January 2025</div>
<p>I had meant to see it for years. You come down the hill into {town} and there it lies, {length} metres of {material}, and hardly anybody looks up.</p>
<p>We owe it to {designer}, who was just short of thirty when the drawings were handed in, and who lived to see the ribbon cut on {opened}. The widest of its openings measures {span} m; the roadway is {width} m from kerb to kerb.</p>
<p>Its predecessor had been swept away in the flood of {was}.</p>
<p>The books of the borough put the bill at {cost}. For comparison: the town hall, finished four years later, came to £22,000.</p>
<p>{toll}.</p>
<p>The listing officer has it down as {grade}.</p>
<p>There is tea to be had at the Lock House, 200 metres downstream, for £2.40.</p></article>
<section class="comments"><h2>3 thoughts on this</h2><p><b>Basil</b> says: lovely. The one at Ambry is longer, 240 m I think.</p></section>`,
			},
			tasks: []string{
				"0,2 empty | {name}: opening date, designer, length in metres | opened=opened;designer=designer;length_m=length",
				"1,3 told | Facts about the {name} please | material=material~what it is made of;main_span=span~longest span in metres;engineer=designer~who designed it;cost=cost~cost of construction#cost/bill",
				"0 none | How long is the {name} in metres? | x=length@lure:96/150",
				"1,5 none | On what date was the {name} opened? | x=opened",
				"4 schema | {url} | cost=cost~construction cost;dailyTraffic=traffic~vehicles per day;spans=spans~number of spans;heritageGrade=grade~listing grade#Grade",
				"3 schema | Is there a toll on the {name}, and what is its listing? | toll=toll~whether users pay a toll;grade=grade~heritage grade",
				"1,0 empty | Read {url} - year the previous bridge was lost, height above water, contractor | predecessor_lost=was#swept away;clearance_m=!num#clearance/headroom;contractor=!str#contractor",
				"2 empty | How many vehicles cross the {name} each day? | vehicles_per_day=traffic@twin:27,800",
				"0 empty ghost=Hollinsclough Aqueduct | When was the {name} opened and who built it? | opened=opened;engineer=designer",
				"5 string | What did the {name} cost? | x=cost~the cost of building it",
			},
		},
		{
			name: "ships", page: "article",
			cols: "name,type,builder,yard,launched:date,tonnage:int,length:num,crew:int,captain,fate,lost:date,home,speed:num,owner,masts:int,wreck:num,saved:int",
			rows: []string{
				"Perseverance (1874)|three-masted barque|Jessop & Sons|Aldmouth|2 March 1874|912|58.4|24|Enoch Tarrant|wrecked on the Hen Rocks|17 November 1891|Aldmouth|11|the Wend Shipping Company|three==3|31|nineteen==19",
				"Perseverance (1911)|steam trawler|Cormack Brothers|Torhaven|28 June 1911|248|37.2|11|Silas Orchard|sunk by a mine|4 February 1917|Torhaven|10.5|Northern Fisheries Ltd|two==2|47|four==4",
				"Queen of the Sill|paddle steamer|Cormack Brothers|Torhaven|9 April 1898|366|52.1|32|Ada Fennimore|broken up|30 September 1936|Marram Sands|14|the Sill Ferry Company|one==1|-|-",
				"Halcyon Star|cargo liner|Orrell Shipbuilding|Pendlewick|19 October 1948|7,480|141.3|63|Magnus Iversen|scrapped|12 May 1973|Pendlewick|16.5|Meridian Line|two==2|-|-",
				"Little Constance|pilot cutter|Jessop & Sons|Aldmouth|23 May 1889|44|17.6|5|Obadiah Finch|driven ashore in a gale|26 December 1912|Caddow Quay|9|the Aldmouth Pilots|one==1|6|all five==5",
			},
			pages: []string{
				`www.shipwright-archive.example|old|{name}
<CENTER><FONT SIZE="6">{name}</FONT></CENTER><HR>
<TABLE BORDER="1" CELLPADDING="3"><TR><TD><B>Rig / type</B></TD><TD>{type}</TD><TD><B>Yard</B></TD><TD>{builder}, {yard}</TD></TR>
<TR><TD><B>Launched</B></TD><TD>{launched}</TD><TD><B>Gross tons</B></TD><TD>{tonnage}</TD></TR>
<TR><TD><B>Length</B></TD><TD>{length} m</TD><TD><B>Complement</B></TD><TD>{crew}</TD></TR>
<TR><TD><B>Port of registry</B></TD><TD>{home}</TD><TD><B>Owners</B></TD><TD>{owner}</TD></TR></TABLE>
<P>Last master: Capt. {captain}.
<P>End: {fate}, {lost}.
<P>Of those on board {saved} were saved.
<P>The remains lie in {wreck} metres of water and may not be dived without leave of the Receiver.
<P><FONT SIZE="2">Sister ships: <I>Patience</I> (1875, 905 tons), <I>Prudence</I> (1877, 921 tons).</FONT>`,
				`collections.quaymuseum.example|bootstrap|{name} – Quay Museum
<div class="row"><div class="col-lg-8"><h1 class="display-5">{name}</h1><p class="lead">A {type} in the service of {owner}.</p>
<p>She left the slip of {builder} in {yard} on {launched}, to the cheers of some 3,000 townspeople, and was for a time the fastest of her kind on this coast: {speed} knots over the measured mile, half a knot more than had been promised.</p>
<p>Registered in {home}, she gave work to {crew} men and women, most of them from two streets. {captain} commanded her longest, for twelve years.</p>
<p>The end came on {lost}, when she was {fate}.</p>
<p>Only {saved} of the crew lived to tell of it.</p>
</div><div class="col-lg-4"><div class="card"><div class="card-body"><h5 class="card-title">Model</h5><p class="card-text">A model to the scale of 1:48, 118 cm long, is on show in Room 4.</p></div></div>
<div class="card"><div class="card-body"><h5 class="card-title">Also in this gallery</h5><ul><li>Patience, 905 tons, launched 1875</li><li>Dover Maid, 1902</li></ul></div></div></div></div>`,
			},
			tasks: []string{
				"0,2 empty | {url} | builder=builder;launch_date=launched;gross_tonnage=tonnage",
				"1 told | The ship {name}: speed, owner, captain and tonnage | speed_knots=speed~speed in knots;owner=owner~who owned her;captain=captain~her commander;tonnage=tonnage@twin:912~gross tonnage#gross",
				"3 told | Ship {name} | launched=launched~date of launching;top_speed=speed~speed in knots;port=home~port of registry;crew=crew~number of crew;length=length~length in metres#length",
				"0,4 none | What became of the ship {name}? | x=fate",
				"1 none | When was the {name} sunk? | x=lost@lure:17 November 1891/1891",
				"2 schema | For the paddle steamer {name} find | launched=launched~launch date;lastMaster=captain~last captain;survivors=saved~how many were saved#saved",
				"4 schema | {url} | depth=wreck~depth of the wreck in metres;cargo=!str~what she carried#cargo;engine=!str~engine#engine/boiler",
				"3 empty | {name} - cost to build, name of the architect | build_cost=!price#£;naval_architect=!str#architect",
				"1 empty ghost=Indefatigable Rose | Who was the last captain of the ship {name}? | captain=captain",
			},
		},
		{
			name: "objects", page: "collection",
			cols: "name,number,maker,made,year:int,place,material,height:num,width:num,weight:int,given,acquired:int,room,view:bool,credit,themes:list",
			rows: []string{
				"Brass astrolabe of Ibn Yarrow|1934.17.2|Ibn Yarrow|in the spring of 1421|1421|Sarrat|engraved brass|24.1|19.6|1,310|Lady Violet Stane|1934|Room 7|The object is on display in the long gallery==true|Bequest of Lady Violet Stane|Astronomy;Navigation;Metalwork",
				"Brass astrolabe, unsigned|1958.4.11|-|in 1587|1587|Nurnweiler|cast brass and ink|17.8|14|640|the Harcourt Fund|1958|Store B|The object is not on display==false|Purchased with help from the Harcourt Fund|Astronomy;Trade",
				"Salt cellar with three herons|1902.88.1|Agathe Morel|about 1764|1764|Bresles|soft-paste porcelain|11.3|16.2|-|the Guild of Grocers|1902|Room 12|Visitors can see it on display==true|Gift of the Guild of Grocers|Tableware;Birds",
				"Fragment of a sail map|2011.3.40|the Oro workshop|before 1790|1790|Lower Oro|palm rib and shell|88|61.5|940|Teuila Manu|2011|-|It has been taken off display for conservation==false|Given in memory of Teuila Manu|Navigation;Islands;Weaving",
				"Long-case clock No. 31|1977.20.5|Josiah Penhale|in 1742|1742|Caddow|oak and steel|214|48.3|41,500|the Penhale family|1977|Room 3|The clock is on display and is wound every Monday==true|Accepted in lieu of tax|Timekeeping;Furniture",
			},
			pages: []string{
				`collection.stanemuseum.example|plain|{name} | Stane Museum collection
<div class="node node--type-object" itemscope itemtype="https://schema.org/VisualArtwork"><h1 itemprop="name">{name}</h1><figure><img itemprop="image" src="/o.jpg" alt="{name}"><figcaption>Photograph: museum studio, 2016</figcaption></figure>
<div class="field field--name-body"><p>Made {made}, this is among the best-loved pieces of the house. A twin of it, dated 1431, was sold at auction in 1988 for £86,000 and has not been seen since.</p></div>
<dl class="object-record"><dt>Accession no.</dt><dd>{number}</dd>
<dt>Maker</dt><dd itemprop="creator">{maker}</dd>
<dt>Place made</dt><dd>{place}</dd>
<dt>Materials</dt><dd itemprop="artMedium">{material}</dd>
<dt>Dimensions</dt><dd>H {height} cm × W {width} cm</dd>
<dt>Weight</dt><dd>{weight} g</dd>
<dt>Credit</dt><dd>{credit}</dd>
<dt>Location</dt><dd>{room}</dd></dl>
<p>{view}.</p>
<div class="field--name-tags">Themes: {themes:tags}</div></div>
<section class="views-related"><h2>You might also like</h2><article><h3>Bronze sundial</h3><p>H 9 cm, 1620</p></article><article><h3>Ivory compass</h3><p>H 4.5 cm, Room 8</p></article></section>`,
				`www.harcourt-house.example|spa|{name}
<div class="hdr-1x9"><div class="t-2kd">{name}</div><div class="s-9dk">{place}, {year}</div></div>
<div class="p-77a"><div class="l-3">Object number</div><div class="v-3">{number}</div></div>
<div class="p-77a"><div class="l-3">Artist or maker</div><div class="v-3">{maker}</div></div>
<div class="p-77a"><div class="l-3">Material and technique</div><div class="v-3">{material}</div></div>
<div class="p-77a"><div class="l-3">Size</div><div class="v-3">{height} × {width} cm</div></div>
<div class="p-77a"><div class="l-3">Acquired</div><div class="v-3">{acquired}, from {given}</div></div>
<div class="txt-0"><p>{view}. Requests to study it should reach the keeper six weeks ahead.</p></div>`,
			},
			tasks: []string{
				"0,4 empty | {name}: accession number, maker, weight in grams | accession_number=number;maker=maker;weight_g=weight",
				"1,3 told | {url} | object_number=number~the museum's number;height_cm=height~height in centimetres;year_acquired=acquired~year in which it came to the museum;maker=maker~who made it#maker",
				"2 schema | Museum object \"{name}\" | themes=themes~themes;onDisplay=view~whether it is on display;creditLine=credit~credit line;material=material~material",
				"3 schema | Can one see the {name} at the moment? | on_display=view~whether it is on display;donor=given~from whom it came",
				"1 none | Who made the \"{name}\"? | x=maker@twin:Ibn Yarrow",
				"0 none | What is the height of the {name}? | x=height@lure:17.8",
				"2,0 empty | {url} insurance value, restorer | insured_value=!price#insured/insurance;conservator=!str#conservator/restored by",
				"4 string | Where was {name} made? | x=place~place of making",
				"0 told ghost=Gilded nef of Bishop Aumery | Tell me about the {name} in the museum | maker=maker~maker;material=material~what it is made of",
			},
		},
	}
}
