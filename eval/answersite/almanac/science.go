package almanac

// science are abstracts, standards and questions that somebody answered.
func science() []family {
	return []family{
		{
			name: "papers", page: "documentation",
			cols: "name,authors:list,journal,volume:int,pages,doi:url,received:date,published:date,sample:int,effect:num,p,years:int,fund,licence:enum(CC BY 4.0/CC BY-NC 4.0/All rights reserved),mail:mail,keywords:list,data:bool,peer,versions:int",
			rows: []string{
				"Sleep and tide: evidence from 2,140 lighthouse keepers|Rosalind Achterberg;Tunde Mfoni|Annals of Maritime Health|38|201–219|https://doi.example/10.5555/amh.38.201|14 May 2024|3 February 2025|2,140|−0.42==-0.42|0.003|eleven==11|the Harbour Trust|CC BY 4.0|r.achterberg@univ-aldmouth.example|sleep;circadian rhythm;seafarers|All data are openly available==true|two anonymous referees|two==2",
				"Sleep and tide revisited: no effect in 318 ferry crews|Ilse Vantongen;Pradeep Rhys;Marlo Quint|Annals of Maritime Health|39|77–84|https://doi.example/10.5555/amh.39.77|8 September 2025|20 January 2026|318|0.03|0.61|three==3|no external funds|All rights reserved|i.vantongen@ferrylab.example|sleep;replication|The data are not publicly available==false|-|one==1",
				"Mortar from oyster shell outlasts Portland cement in salt spray|Chidi Solberg|Journal of Old Buildings|12|5–31|https://doi.example/10.5555/job.12.5|2 March 2025|30 June 2025|96|1.7|0.01|twenty-two==22|Stane Foundation|CC BY-NC 4.0|-|lime;masonry;durability|Measurements are openly available from the author's archive==true|three anonymous referees|four==4",
				"Do crakelets count? Numerosity in a marsh bird|Ione Tasker;Wen Haskell|Bird Minds|7|1–12|https://doi.example/10.5555/bm.7.1|19 October 2025|6 April 2026|27|0.88|-|two==2|-|-|tasker@ambryzoo.example|cognition;birds;number sense|-|-|three==3",
			},
			pages: []string{
				`www.annalsonline.example|plain|{name}
<article class="c-article"><p class="c-article-identifiers">Research · Open access since 2019 · Published: <time datetime="{published:raw}">{published}</time></p><h1 class="c-article-title">{name}</h1>
<ul class="c-article-author-list">{authors:li}</ul><p class="c-article-info-details"><i>{journal}</i> volume <b>{volume}</b>, pages {pages}</p>
<section><h2>Abstract</h2><p>The question has been asked since Pliny. Over {years} years we followed {sample} cases, after 60 had been excluded for want of records. The standardised effect was {effect}, a third of what the pilot study had promised.</p>
<p>The p-value was {p}; a threshold of 0.05 had been registered in advance.</p>
<p>{data}.</p></section>
<section><h2>Article information</h2><ul><li>Received: {received}</li><li>DOI: <a href="{doi}">{doi}</a></li>
<li>Funding: {fund}</li>
<li>Corresponding author: {mail}</li>
<li>Licence: {licence}</li></ul><h3>Keywords</h3><p>{keywords:tags}</p></section>
<section><h2>Cited by</h2><ol><li>Orme J. Tides and tempers. 2025; 40 crews.</li></ol></section></article>`,
				`preprints.openarchive.example|plain|[2601.01187] {name}
<div id="abs"><div class="dateline">(Submitted on {received}, last revised {published}, version {versions})</div><h1 class="title"><span class="descriptor">Title:</span>{name}</h1>
<div class="authors"><span class="descriptor">Authors:</span>{authors:semi}</div>
<blockquote class="abstract"><span class="descriptor">Abstract:</span> Earlier work with more than two thousand subjects reported a sizeable effect. Using {sample} subjects observed during {years} years we find {effect} instead. Alternative explanations are discussed, among them that the first authors counted naps.</blockquote>
<table class="metatable"><tr><td class="label">Comments:</td><td>{pages}, 4 figures; accepted by {journal}</td></tr>
<tr><td class="label">Funding:</td><td>{fund}</td></tr>
<tr><td class="label">License:</td><td>{licence}</td></tr>
<tr><td class="label">Related DOI:</td><td><a href="{doi}">{doi}</a></td></tr></table>
<p>{data}.</p>
</div>`,
			},
			tasks: []string{
				"0,2 empty | Paper \"{name}\": journal, publication date, sample size | journal=journal;published=published;sample_size=sample",
				"1 told | {url} | authors=authors~the authors;funding=fund~who paid for it;version=versions~number of the version;doi=doi~link of the DOI",
				"3 told | {url} | authors=authors~the authors;funding=fund~who paid for it#Funding;license=licence~licence#License;doi=doi~link of the DOI",
				"0,1 schema | Is the data of \"{name}\" public and under which licence does the paper stand? | dataAvailable=data~whether the data are open;licence=licence~licence of the paper",
				"2 schema | {url} | email=mail~address of the corresponding author#Corresponding;keywords=keywords~keywords;received=received~date received;doi=doi~the DOI as a link",
				"1 empty | \"{name}\": p-value and corresponding author's e-mail | p_value=p@twin:0.003;email=mail@twin:r.achterberg@univ-aldmouth.example",
				"3 none | What is the effect size in \"{name}\"? | x=effect",
				"0 none ghost=Herring memory: a longitudinal study | Who wrote \"{name}\"? | x=authors",
			},
		},
		{
			name: "standards", page: "documentation",
			cols: "name,title,status:enum(Draft/Published/Withdrawn),edition:int,issued:date,replaces,by,pages:int,fee:price,review:int,min:num,max:num,unit,test,icon,committee,sections:list,mandatory:bool",
			rows: []string{
				"CS 417-1|Rope ladders for harbour use – Part 1: Requirements|Published|four==4|12 September 2023|CS 417:2009|-|38|£112.00==112 GBP|2028|4.5|18|kN|hang a mass of 240 kg for ten minutes|yellow|TC 9 Ports|Scope;Terms;Requirements;Marking|Compliance is mandatory in ports of class A==true",
				"CS 417-2|Rope ladders for harbour use – Part 2: Inspection|Draft|one==1|20 February 2026|-|-|17|-|2031|6|12|months|count broken strands over 500 mm|-|TC 9 Ports|Scope;Intervals;Records|Use of this part is voluntary and not mandatory==false",
				"CS 88|Enamel signs for public footpaths|Withdrawn|two==2|30 April 1996|CS 88:1971|CS 1204|22|£64.00==64 GBP|-|0.8|1.2|mm|strike with a steel ball of 225 g|green|TC 3 Signs|Scope;Materials;Colours|-",
				"CS 1204|Signs for footpaths and bridleways|Published|one==1|8 August 2017|CS 88|-|54|£139.50==139.5 GBP|2027|1|2.5|mm|strike with a steel ball of 500 g|white|TC 3 Signs|Scope;Materials;Colours;Recycling|It is mandatory for public authorities only==true",
			},
			pages: []string{
				`store.countystandards.example|bootstrap|{name}: {title}
<nav aria-label="breadcrumb"><ol class="breadcrumb"><li>Store</li><li>{committee}</li></ol></nav><h1>{name}</h1><h2 class="h4">{title}</h2><span class="badge bg-secondary">{status}</span>
<table class="table"><tbody><tr><th>Edition</th><td>{edition}</td><th>Issued</th><td>{issued}</td></tr>
<tr><th>Pages</th><td>{pages}</td><th>Next review</th><td>{review}</td></tr>
<tr><th>Replaces</th><td>{replaces}</td></tr>
<tr><th>Replaced by</th><td>{by}</td></tr>
<tr><th>PDF, single user</th><td>{fee}</td></tr></tbody></table>
<h3>Abstract</h3><p>The clause on strength has been rewritten: values between {min} {unit} and {max} {unit} are now accepted, where the old text asked for 3 to 9. To test, {test}.</p>
<p>{mandatory}.</p>
<h3>Contents</h3><ol>{sections:li}</ol><div class="related"><h4>Customers also bought</h4><p>CS 12, Fenders, £48.00</p></div>`,
			},
			tasks: []string{
				"0,3 empty | Standard {name}: date of issue, number of pages, price | issued=issued;pages=pages;price=fee",
				"1 empty | Standard {name}: date of issue, number of pages, price | issued=issued;pages=pages;price=fee@twin:£112.00",
				"2,3 told | {url} | replaced_by=by~the standard that replaces it#Replaced by;replaces=replaces~what it replaces;committee=committee~the committee;test_method=test~how it is tested",
				"0,1,2 schema | Status of standard {name} | status=status~status;mandatory=mandatory~whether it has to be followed#mandatory;sections=sections~sections",
				"0 none | Which committee is behind {name}, \"{title}\"? | x=committee",
				"2 none | By what has {name} been replaced? | x=by",
				"1 schema | {url} | maximum=max~largest value;edition=edition~edition;isbn=!str~ISBN#ISBN",
			},
		},
		{
			name: "threads", page: "forum",
			cols: "name,asker,asked:date,answerer,votes:int,answer,wrong,model,year:int,price:price,hours:num,temp:int,version,accepted:bool,views:int,tags:list,link:url",
			rows: []string{
				"Boiler loses pressure overnight|damp_dan|3 November 2025|heatpumpHelga|41|the expansion vessel|the pressure relief valve|Thermo 24c|2014|£38==38 GBP|1.5|-|-|This answer was accepted==true|5,120|boiler;pressure;plumbing|https://parts.thermo.example/vessel-8l",
				"Boiler loses pressure after bleeding|coldfeet|12 January 2026|pipewrench|17|the filling loop|the expansion vessel|Thermo 30|2019|£22==22 GBP|0.5|-|-|This answer was accepted==true|840|boiler;radiators|-",
				"Sourdough spreads flat in the oven|crumbwatcher|22 March 2026|miller_mo|63|too long a second rise|too much water|-|-|-|3|235|-|-|12,480|sourdough;baking|https://miller-mo.example/rise",
				"Sextant reads two minutes too high|old_salt|7 July 2025|navrose|9|index error|a bent frame|Plath Minor|1962|£140==140 GBP|2|-|-|No answer has been accepted yet==false|312|sextant;navigation|-",
				"Printer prints every page twice|inkless|30 April 2026|tonerman|28|the duplex default in the driver|the queue|Lumo 480|2021|-|-|-|6.2.1|This answer was accepted==true|2,204|printer;driver|https://support.lumo.example/driver-6-2-1",
			},
			pages: []string{
				`ask.fixandmend.example|discourse|{name} - Repairs - Fix and Mend
<div itemscope itemtype="https://schema.org/DiscussionForumPosting"><h1 itemprop="headline">{name}</h1><div class="tags">{tags:tags}</div>
<div class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator">{asker}</span> <time datetime="{asked:raw}">{asked}</time></div><div class="post">
<p>It is a {model} from {year}.</p>
<p>Every morning it's the same. A neighbour says it must be {wrong}. Before I spend £200 on a man with a van: what is it?</p></div></div>
<div class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator">guesswork</span> 7 likes</div><div class="post"><p>+1 for {wrong}. Took me 6 hours and £95.</p></div></div>
<div class="topic-body crawler-post accepted-answer"><div class="crawler-post-meta"><span class="creator">{answerer}</span> {votes} likes</div><div class="post"><p>No. Nine times out of ten it is {answer}.</p>
<p>The part is {price}.</p>
<p>Reckon {hours} hours for it, tea included.</p>
<p>See {link} for pictures.</p></div></div>
<p>{accepted}.</p><div class="topic-map">{views} views</div></div>`,
				`board.oldhands.example|phpbb|{name} - Old Hands
<h2 class="topic-title">{name}</h2><div class="pagination">4 posts • Page 1 of 1 • {views} views</div>
<div class="post bg2"><p class="author">by <strong>{asker}</strong> » {asked}</p><div class="content">Hello all, long time reader, first time poster.
<br>Mine: {model}, {year}.
<br>Could it be {wrong}? That is what the leaflet says.</div><div class="signature">Life begins at 60</div></div>
<div class="post bg1"><p class="author">by <strong>oracle</strong></p><div class="content"><blockquote><cite>{asker} wrote:</cite>Could it be {wrong}?</blockquote>Yes of course it is. Everybody knows that.</div></div>
<div class="post bg2 answer"><p class="author">by <strong>{answerer}</strong> ({votes} thanks)</p><div class="content">With respect: it's {answer}, and I have mended forty of them.
<br>New one: {price}.
<br>Time needed: {hours} h.</div></div>
<div class="post bg1"><p class="author">by <strong>{asker}</strong></p><div class="content">That was it, thank you!!</div></div>
<p>{accepted}.</p>`,
			},
			tasks: []string{
				"0,2 empty | Forum: \"{name}\" - what is the cause according to the best answer, and who gave it? | cause=answer;answered_by=answerer",
				"1,3 told | {url} | cause=answer~the cause that was right;asked_by=asker~who asked;asked_on=asked~when it was asked;part_price=price~price of the part",
				"4 told | {url} | cause=answer~the cause that was right;model=model~model of the device;driver_page=link~link that the answer gives;part_price=price~price of the part#The part is",
				"0,3 schema | Has an answer to \"{name}\" been accepted, and how many votes or thanks has it? | accepted=accepted~whether an answer was accepted;votes=votes~likes or thanks of the answer;views=views~views",
				"1 none | My boiler loses pressure after bleeding (Old Hands thread). What was it in the end? | x=answer@lure:the expansion vessel",
				"2 schema | {url} | tags=tags~tags of the topic;oven_temperature=temp~temperature in degrees#°C;hours=hours~hours it takes",
				"4 empty | {url} | operating_system=!str#Windows/Linux/macOS;warranty=!bool#warranty",
				"0 string ghost=Harmonium wheezes on B flat | {name}: what was the solution? | x=answer~the solution",
			},
		},
	}
}
