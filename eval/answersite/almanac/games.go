package almanac

// games are match reports, tables of leagues and those who run and throw.
func games() []family {
	return []family{
		{
			name: "matches", page: "article",
			cols: "name,home,away,score,half,day:date,ground,crowd:int,referee,first,minute:int,penalty:bool,sent,next:date,coach,yellow:int,scorers:list",
			rows: []string{
				"Arden Town 3–1 Brackwater|Arden Town|Brackwater|3–1|1–1|7 March 2026|Tallow Lane|6,214|Inga Pohl|Kofi Lund|12|Lund made it two from a penalty==true|Jan Essam|21 March 2026|Marta Reiss|four==4|Kofi Lund;Ravi Stokes",
				"Brackwater 2–2 Arden Town|Brackwater|Arden Town|2–2|0–2|11 October 2025|the Salt Ground|4,870|Denis Ough|Ravi Stokes|8|No penalty was given all afternoon==false|-|18 October 2025|Owen Bright|two==2|Ravi Stokes;Theo Mance;Jan Essam",
				"Wendby Rangers 0–1 Cray Athletic|Wendby Rangers|Cray Athletic|0–1|0–0|2 May 2026|Mill Field|1,933|Inga Pohl|Dara Quill|88|The one goal was a penalty==true|Lou Farrant|-|Sal Ivers|five==5|Dara Quill",
				"Torhaven 5–4 Pendlewick|Torhaven|Pendlewick|5–4|3–1|4 April 2026|Harbour Park|-|Colm Adair|Eli Vance|3|-|Nico Prowse|18 April 2026|Gus Hanley|one==1|Eli Vance;Nico Prowse;Abel Stroud;Finn Castle",
			},
			pages: []string{
				`www.ambrychronicle.example|news|Match report: {name}
<div class="kicker">County League, Premier Division</div><h1>{home} {score} {away} (half-time {half})</h1><time datetime="{day:raw}">{day}</time>
<p>A crowd of {crowd} saw what they had come for at {ground}.</p>
<p>{first} struck after {minute} minutes and there was no looking away after that.</p>
<p>{penalty}.</p>
<p>{sent} was shown a straight red card for a word too many.</p>
<p>"We were second to every ball," said the visitors' manager; his opposite number {coach} said only that there were three games left.</p>
<p>Referee: {referee}. Booked: {yellow}. Goals came from {scorers}.</p>
<p>{home} are at home again on {next}.</p>
<table class="scores"><caption>Elsewhere</caption><tr><td>Cray Athletic</td><td>2–0</td><td>Mill End</td></tr><tr><td>Caddow</td><td>1–4</td><td>Selker</td></tr></table>`,
				`www.terracevoice.example|wordpress|{name}: ratings and regrets
<article><h1 class="entry-title">{home} {score} {away}: ratings and regrets</h1><p class="posted-on">Played on Saturday, {day}</p>
<p>Let us be fair: {half} at the break flattered somebody. {first} had it in the net after {minute} minutes, the stand at {ground} fell silent for once, and {referee} waved away everything that followed.</p>
<p>{penalty}.</p>
<p>Official attendance: {crowd}. I counted about nine hundred.</p>
<p>Still, {coach} knows what has to be done before {next}.</p><p>On the sheet: {scorers}.</p>
<p>Last season's meeting ended 0–6. Six!</p></article>`,
			},
			tasks: []string{
				"0,2 empty | Result of {home} against {away} in spring 2026: score, half-time score, attendance | score=score;half_time=half;attendance=crowd",
				"1 told | {home} v {away} in October 2025 | attendance=crowd~official attendance;first_scorer=first~who scored first;referee=referee~the referee;sent_off=sent@other:Jan Essam~who was sent off",
				"3 told | {home} v {away} in April 2026 | attendance=crowd~official attendance#attendance;date=day~date of the match;manager=coach~the manager;scorers=scorers~who scored",
				"0,2 schema | {url} | penalty=penalty~whether there was a penalty;sentOff=sent~who was sent off;bookings=yellow~number of players booked;nextHomeGame=next~date of the next home game#at home again",
				"1 none | On what date did {home} play {away} at the Salt Ground? | x=day",
				"2 none | Who refereed the match between {home} and {away}? | x=referee",
				"0 empty | {url} - player of the match and ticket price | player_of_the_match=!str#player of the match;ticket_price=!price#£",
				"1 schema | Was there a penalty in {name}? | penalty=penalty~whether a penalty was given",
			},
		},
		{
			name: "leagues", page: "collection",
			cols: "name,season,champion,points:int,second,second_pts:int,last,last_pts:int,last_won:int,top,goals:int,teams:int,up:list,down:list,start:date,end:date,table:table(team:str/played:int/won:int/points:int),average:int,rule",
			rows: []string{
				"County League 2024–25|2024–25|Arden Town|71|Torhaven|66|Mill End|19|four==4|Theo Mance|24|fourteen==14|Selker;Caddow|Mill End|17 August 2024|10 May 2025|Arden Town,26,22,71;Torhaven,26,20,66;Brackwater,26,14,47;Mill End,26,4,19|2,210|three points for a win",
				"County League 2025–26|2025–26|Torhaven|64|Brackwater|63|Selker|22|five==5|Kofi Lund|19|fourteen==14|Pendlewick;Cray Athletic|Selker;Caddow|16 August 2025|9 May 2026|Torhaven,26,19,64;Brackwater,26,19,63;Arden Town,26,17,55;Selker,26,5,22|2,480|three points for a win",
				"County Women's League 2025–26|2025–26|Wendby Rangers|51|Ambry Ladies|44|Caddow|6|two==2|Sunniva Kell|31|ten==10|Torhaven|-|6 September 2025|25 April 2026|Wendby Rangers,18,17,51;Ambry Ladies,18,14,44;Cray Athletic,18,11,35;Caddow,18,2,6|-|-",
			},
			pages: []string{
				`en.openlore.example|wiki|{name} - Openlore
<h1 class="firstHeading">{name}</h1><p>The <b>{name}</b> was contested by {teams} clubs between {start} and {end}. {champion} won it with {points} points; {second} came second, on {second_pts}. The season before, the title had gone to Selker, with 68 points.</p>
<h2>Final table</h2><table class="wikitable sortable"><tbody><tr><th>Team</th><th>Pld</th><th>W</th><th>Pts</th></tr>
{table:tr}</tbody></table><p>The places between the third and the last are left out here.</p>
<p>Rule: {rule}.</p>
<p>Relegated: {down}.</p>
<p>Promoted for the next season: {up}. Top scorer was {top} with {goals} goals.</p>
<p>The average attendance was {average}.</p>`,
				`stats.countyfa.example|bootstrap|{name} | County FA
<h1>{name}</h1><div class="alert alert-info">Tables are unofficial until they are signed by the secretary.</div>
<div class="row g-3"><div class="col-6 col-md-3"><div class="card text-center"><div class="card-body"><div class="fs-2">{champion}</div><div class="text-muted small">Champions</div></div></div></div>
<div class="col-6 col-md-3"><div class="card text-center"><div class="card-body"><div class="fs-2">{goals}</div><div class="text-muted small">Goals by {top}, top scorer</div></div></div></div>
<div class="col-6 col-md-3"><div class="card text-center"><div class="card-body"><div class="fs-2">{average}</div><div class="text-muted small">Average crowd</div></div></div></div></div>
<table class="table table-sm table-hover"><thead><tr><th>Club</th><th>Played</th><th>Won</th><th>Points</th></tr></thead><tbody>
{table:tr}</tbody></table>
<p>First match {start}, last match {end}. Runners-up: {second}. Bottom: {last}, with {last_pts} points.</p>
<p>Going up: {up}. Going down: {down}.</p>`,
			},
			tasks: []string{
				"0,1 empty | Who won the {name}, who was top scorer and with how many goals? | champion=champion;top_scorer=top;goals=goals",
				"2 empty | {name}: champions, points of the champions, average attendance | champions=champion;points=points;average_attendance=average@twin:2,480/2,210",
				"0,1 schema | {url} | table=table~the rows of the final table;relegated=down~clubs that went down",
				"1 told | {name} | points_of_bottom_club=last_pts~points of the last club;runner_up=second~who came second;last_match=end~date of the last match",
				"0 none | How many points did Torhaven have in the County League 2024–25? | x=second_pts@lure:64",
				"1 none | How many points did Mill End have at the end of the County League 2025–26? | x=!int@other:19",
				"0 empty ghost=County League 1893–94 | Champions of the {name} | champion=champion",
			},
		},
		{
			name: "athletes", page: "person/staff",
			cols: "name,event,club,born:date,height:num,weight:int,best:num,best_day:date,best_place,coach,world:int,medals:list,retired:bool,job,hand,indoor:num",
			rows: []string{
				"Sunniva Aske|pole vault|Torhaven Harriers|17 May 2001|1.74|63|4.81|28 June 2025|Nurnweiler|Pirmin Good|seven==7|silver at Bresles 2024;bronze at Oro 2025|She has not retired==false|physiotherapist|right|4.76",
				"Lemuel Okafor|javelin|Ambry AC|3 November 1996|1.91|98|84.06|14 September 2023|Sarrat|Hetty Crouch|nineteen==19|gold at Sarrat 2023|He retired at the end of last season==true|fireman|left|-",
				"Joachim Lauter|shot put|Caddow Ironside|22 February 1999|1.97|124|20.92|9 August 2024|Ambry|Hetty Crouch|-|bronze at Bresles 2024|-|-|right|20.4",
			},
			pages: []string{
				`athletes.countyathletics.example|plain|{name} – athlete profile
<div itemscope itemtype="https://schema.org/Person"><h1 itemprop="name">{name}</h1><p>Event: {event} · Club: <span itemprop="affiliation">{club}</span></p>
<ul class="profile"><li><span>Date of birth</span> <time itemprop="birthDate" datetime="{born:raw}">{born}</time></li>
<li><span>Height</span> <span itemprop="height">{height} m</span></li><li><span>Weight</span> <span itemprop="weight">{weight} kg</span></li></ul>
<table><tr><th></th><th>Mark</th><th>Date</th><th>Place</th></tr><tr><td>Personal best</td><td>{best} m</td><td>{best_day}</td><td>{best_place}</td></tr><tr><td>Season's best</td><td>4.55 m</td><td>2 May 2026</td><td>Ambry</td></tr></table>
<p>Coached by {coach}.</p>
<p>World ranking: {world}.</p>
<p>{retired}. By day a {job}.</p>
<h2>Medals</h2><ul>{medals:li}</ul></div>`,
				`www.ambrychronicle.example|news|Ten questions for {name}
<h1>Ten questions for {name}</h1><p class="byline">By Priya Castell</p>
<p>{name}, {height} m and {weight} kg, throws with the {hand} hand and answers with a shrug. The {event} was a second choice, after chess. The {best} metres at {best_place} on {best_day} still make the {club} website's front page.</p>
<p>{retired}, as readers will know, and works as a {job}.</p><p><b>Who was the best coach?</b> {coach}, no question.</p><p><b>Proudest moment?</b> {medals:cap}. My brother's record was 79.12, so that too.</p>`,
			},
			tasks: []string{
				"0,1 empty | {name}: personal best in metres, where and when | personal_best=best;venue=best_place;date=best_day",
				"0,2 told | {url} | coach=coach~the coach;born=born~date of birth;ranking=world~world ranking#ranking;medals=medals~medals won",
				"0,1 schema | Has {name} retired, and what is their job? | retired=retired~whether they have retired;occupation=job~their job",
				"2 schema | Has {name} retired, and what is their job? | retired=retired~whether they have retired#retired;occupation=job~their job#By day",
				"1 empty | {name}: date of birth, indoor best | birth_date=born#Date of birth;indoor_best=indoor#indoor",
				"2 none | What is the personal best of {name}? | x=best@lure:4.55",
			},
		},
	}
}
