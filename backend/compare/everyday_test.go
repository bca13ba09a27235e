package compare

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEverydayNoise: what pages say of the hour and the day, of their readers and of themselves is no change, though each look
// says the same.
func TestEverydayNoise(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, before, after string }{
		{"hours ago", `<p>Posted 3 hrs ago</p>`, `<p>Posted yesterday</p>`},
		{"hours ago, short", `<p>Ada · 3h</p>`, `<p>Ada · 1d</p>`},
		{"half an hour ago", `<p>Seen half an hour ago</p>`, `<p>Seen an hour ago</p>`},
		{"a day ago", `<p>Asked a day ago by Ada</p>`, `<p>Asked 2 days ago by Ada</p>`},
		{"over a year ago", `<p>Asked over a year ago</p>`, `<p>Asked about 13 months ago</p>`},
		{"in German", `<p>Vor 3 Stunden gemeldet</p>`, `<p>Vor einem Tag gemeldet</p>`},
		{"in Spanish", `<p>Publicado hace 2 días</p>`, `<p>Publicado hace una semana</p>`},
		{"in French", `<p>Publié il y a 3 jours</p>`, `<p>Publié il y a 4 jours</p>`},
		{"in Italian", `<p>Pubblicato 3 giorni fa</p>`, `<p>Pubblicato 4 giorni fa</p>`},
		{"in Portuguese", `<p>Publicado há 3 dias</p>`, `<p>Publicado há 4 dias</p>`},
		{"in Dutch", `<p>Geplaatst 3 dagen geleden</p>`, `<p>Geplaatst 4 dagen geleden</p>`},
		{"in Swedish", `<p>Publicerad för 3 dagar sedan</p>`, `<p>Publicerad för 4 dagar sedan</p>`},
		{"in Polish", `<p>Dodano 3 dni temu</p>`, `<p>Dodano 4 dni temu</p>`},
		{"this morning", `<p>Heard this morning from Ada</p>`, `<p>Heard last night from Ada</p>`},
		{"days until", `<p>33 days until kick-off</p>`, `<p>32 days until kick-off</p>`},
		{"days to go", `<p>Only 33 days to go!</p>`, `<p>Only 32 days to go!</p>`},
		{"days left", `<p>Only 4 days left to register</p>`, `<p>Only 3 days left to register</p>`},
		{"days in German", `<p>Noch 4 Tage</p>`, `<p>Noch 3 Tage</p>`},
		{"days in French", `<p>Plus que 4 jours</p>`, `<p>Plus que 3 jours</p>`},
		{"countdown", `<p>02d 14h 33m 12s</p>`, `<p>01d 13h 12m 01s</p>`},
		{"countdown with a colon", `<p>Sale ends in 02:14:33</p>`, `<p>Sale ends in 01:02:07</p>`},
		{
			"countdown in boxes", `<div class="cd"><div><b>12</b><span>Days</span></div><div><b>4</b><span>Hours</span></div><div><b>33</b><span>Minutes</span></div></div>`,
			`<div class="cd"><div><b>11</b><span>Days</span></div><div><b>9</b><span>Hours</span></div><div><b>2</b><span>Minutes</span></div></div>`,
		},
		{"next departure", `<p>Next bus in 4 min</p>`, `<p>Next bus in 11 min</p>`},
		{"reviewed today", `<p>Last reviewed: 2 March 2026</p>`, `<p>Last reviewed: 3 March 2026</p>`},
		{"as of", `<p>As of 2 March 2026, 08:00 GMT</p>`, `<p>As of 3 March 2026, 08:00 GMT</p>`},
		{"edition", `<p>Edition of Monday, 2 March 2026</p>`, `<p>Edition of Tuesday, 3 March 2026</p>`},
		{"the date in French", `<p>Lundi 2 mars 2026</p>`, `<p>Mardi 3 mars 2026</p>`},
		{"day of the year", `<p>Day 61 of 2026</p>`, `<p>Day 62 of 2026</p>`},
		{"get it by", `<p>Get it by Thursday, 5 March</p>`, `<p>Get it by Friday, 6 March</p>`},
		{"arrives between", `<p>Arrives Thu 5 - Sat 7 Mar</p>`, `<p>Arrives Fri 6 - Sun 8 Mar</p>`},
		{"order within", `<p>Order within 3 hrs 20 mins for delivery tomorrow</p>`, `<p>Order within 1 hr 4 mins for delivery tomorrow</p>`},
		{"looking", `<p>23 people are looking at this</p>`, `<p>8 people are looking at this</p>`},
		{"basket", `<p>14 shoppers have this in their basket</p>`, `<p>9 shoppers have this in their basket</p>`},
		{"bought", `<p>Bought 40 times in the past week</p>`, `<p>Bought 44 times in the past week</p>`},
		{"booked", `<p>Last booked 2 hours ago</p>`, `<p>Last booked 5 minutes ago</p>`},
		{"somebody", `<p>Someone in Leeds just bought this</p>`, `<p>Someone in York just bought this</p>`},
		{"viewed today", `<p>In high demand: viewed 12 times today</p>`, `<p>In high demand: viewed 31 times today</p>`},
		{"views", `<p>1.2k views</p>`, `<p>1.3k views</p>`},
		{"comments", `<h2>Comments (12)</h2><p>Be kind to each other.</p>`, `<h2>Comments (14)</h2><p>Be kind to each other.</p>`},
		{"replies", `<p>12 replies</p>`, `<p>13 replies</p>`},
		{"answers", `<p>Ada's question · 12 answers</p>`, `<p>Ada's question · 13 answers</p>`},
		{"rating", `<p>4.6 (1,203 ratings)</p>`, `<p>4.6 (1,211 ratings)</p>`},
		{"rating, bare", `<p>★ 4.6 (1,203)</p>`, `<p>★ 4.6 (1,211)</p>`},
		{"like", `<p>Like 33 · Share 12</p>`, `<p>Like 34 · Share 14</p>`},
		{"reactions", `<p>❤ 120 · 💬 7</p>`, `<p>❤ 128 · 💬 9</p>`},
		{"poll", `<ul><li>Yes: 53 % (212 votes)</li><li>No: 47 % (188 votes)</li></ul>`, `<ul><li>Yes: 52 % (231 votes)</li><li>No: 48 % (213 votes)</li></ul>`},
		{
			"poll in a table", `<table><tr><th>Yes</th><td>53 %</td><td>212 votes</td></tr><tr><th>No</th><td>47 %</td><td>188 votes</td></tr></table>`,
			`<table><tr><th>Yes</th><td>52 %</td><td>231 votes</td></tr><tr><th>No</th><td>48 %</td><td>213 votes</td></tr></table>`,
		},
		{"poll by its question", `<p>What do you build this year? Terrace 38 % Carport 28 % Pond 34 %</p>`, `<p>What do you build this year? Terrace 39 % Carport 29 % Pond 32 %</p>`},
		{"poll by its heading", `<h3>Umfrage</h3><ul><li>Ja 38 %</li><li>Nein 62 %</li></ul>`, `<h3>Umfrage</h3><ul><li>Ja 39 %</li><li>Nein 61 %</li></ul>`},
		{"helpful in French", `<p>Cette page vous a-t-elle servi ? 310 voyageurs ont répondu oui.</p>`, `<p>Cette page vous a-t-elle servi ? 316 voyageurs ont répondu oui.</p>`},
		{"helpful in German", `<p>310 Leser fanden das hilfreich</p>`, `<p>316 Leser fanden das hilfreich</p>`},
		{"wording under trial", `<p data-experiment="hero">Grow at your own pace.</p>`, `<p data-experiment="hero">Grow as fast as you like.</p>`},
		{"voters", `<p>53 % of 412 voters say yes</p>`, `<p>52 % of 431 voters say yes</p>`},
		{"others", `<p>Join 12,044 others who get our letter</p>`, `<p>Join 12,051 others who get our letter</p>`},
		{"queue", `<p>You are number 14 in the queue</p>`, `<p>You are number 9 in the queue</p>`},
		{"weather", `<p>London 7°C, light rain</p>`, `<p>London 11°C, sunny spells</p>`},
		{"weather now", `<p>Currently 14 °C and cloudy in Oslo</p>`, `<p>Currently 9 °C and raining in Oslo</p>`},
		{"weather, two degrees", `<p>Oslo 12° / 5° Partly cloudy</p>`, `<p>Oslo 9° / 2° Heavy snow</p>`},
		{"wind", `<p>Wind 14 km/h NW, humidity 80 %</p>`, `<p>Wind 22 km/h SW, humidity 71 %</p>`},
		{"air", `<p>Air quality index: 42</p>`, `<p>Air quality index: 57</p>`},
		{"quote of a share", `<p>ACME 102.30 +1.2%</p>`, `<p>ACME 101.10 -1.2%</p>`},
		{"ticker", `<p>AAPL 187.20 ▲ 0.4% · MSFT 402.10 ▼ 0.2%</p>`, `<p>AAPL 188.00 ▲ 0.6% · MSFT 399.10 ▼ 0.7%</p>`},
		{"exchange", `<p>EUR/USD 1.0831</p>`, `<p>EUR/USD 1.0799</p>`},
		{"coin", `<p>BTC $64,120</p>`, `<p>BTC $63,870</p>`},
		{"index", `<p>FTSE 100 7,702.2 (+0.3%)</p>`, `<p>FTSE 100 7,688.9 (-0.2%)</p>`},
		{"cookies", `<div><p>We use cookies to make this site better.</p><button>Accept</button></div>`, `<div><p>This site stores cookies. See our privacy notice.</p><button>Fine</button></div>`},
		{"privacy", `<div><p>We value your privacy. By going on you agree to our use of cookies.</p></div>`, `<div><p>Your privacy matters. We and our partners store cookies.</p></div>`},
		{"open now", `<p>Open now · Closes 5 pm</p>`, `<p>Closed now · Opens 9 am</p>`},
		{"open now, with a day", `<p>Open now · Closes at 17:00</p>`, `<p>Closed · Opens at 09:00 tomorrow</p>`},
		{"opens in", `<p>Closed. Opens in 2 hours</p>`, `<p>Closed. Opens in 40 minutes</p>`},
		{"currently open", `<p>We are currently open</p>`, `<p>We are currently closed</p>`},
		{"address of the reader", `<p>Your IP address is 203.0.113.7</p>`, `<p>Your IP address is 198.51.100.20</p>`},
		{"reference", `<p>Request ID: 8f3ab2c1</p>`, `<p>Request ID: 11ab2f0e</p>`},
		{"saying", `<h3>Saying of the day</h3><p>Still waters run deep.</p>`, `<h3>Saying of the day</h3><p>Many hands make light work.</p>`},
		{"saying in German", `<h3>Spruch des Tages</h3><p>Morgenstund hat Gold im Mund.</p>`, `<h3>Spruch des Tages</h3><p>Wer rastet, der rostet.</p>`},
		{"saying in French", `<h3>La citation du jour</h3><p>Qui vivra verra.</p>`, `<h3>La citation du jour</h3><p>Tout vient à point.</p>`},
		{"saying in Spanish", `<h3>Frase del día</h3><p>No hay mal.</p>`, `<h3>Frase del día</h3><p>A quien madruga.</p>`},
		{"word in Dutch", `<h3>Woord van de dag</h3><p>Uitwaaien.</p>`, `<h3>Woord van de dag</h3><p>Gezellig.</p>`},
		{"word in Swedish", `<h3>Dagens ord</h3><p>Lagom.</p>`, `<h3>Dagens ord</h3><p>Fika.</p>`},
		{"proverb in bold", `<p><b>Proverb of the week</b><br>Still waters run deep.</p>`, `<p><b>Proverb of the week</b><br>Many hands make light work.</p>`},
		{"word in a line", `<p><strong>Word of the day:</strong> lagniappe</p>`, `<p><strong>Word of the day:</strong> petrichor</p>`},
		{"did you know", `<h3>Did you know?</h3><p>Bees sleep.</p>`, `<h3>Did you know?</h3><p>Otters hold hands.</p>`},
		{"random fact", `<h3>Random fact</h3><p>Bees sleep.</p>`, `<h3>Random fact</h3><p>Otters hold hands.</p>`},
		{"today's joke", `<h3>Today's joke</h3><p>Bees sleep.</p>`, `<h3>Today's joke</h3><p>Otters hold hands.</p>`},
		{"on this day", `<h3>On this day</h3><p>In 1911 a bridge opened.</p>`, `<h3>On this day</h3><p>In 1830 a king died.</p>`},
		{
			"related in bold", `<div><strong>Related articles</strong><ul><li><a href="/1">Mug</a></li><li><a href="/2">Cup</a></li></ul></div>`,
			`<div><strong>Related articles</strong><ul><li><a href="/3">Jar</a></li><li><a href="/4">Tin</a></li></ul></div>`,
		},
		{"advert's label", `<p>Advertisement</p><div><a href="https://ads.example/1">Gold</a></div>`, `<p>Advertisement</p><div><a href="https://ads.example/2">Silver</a></div>`},
		{"funded", `<p>31 % funded · 412 backers · 23 days to go</p>`, `<p>33 % funded · 431 backers · 22 days to go</p>`},
		{"replies", `<h3>Of any use?</h3><ul><li>Yes (420)</li><li>No (97)</li></ul>`, `<h3>Of any use?</h3><ul><li>Yes (422)</li><li>No (98)</li></ul>`},
		{"who likes it", `<p>12 rowers like this</p>`, `<p>14 rowers like this</p>`},
		{"who found it helpful", `<p>303 Reisende fanden diese Seite hilfreich.</p>`, `<p>308 Reisende fanden diese Seite hilfreich.</p>`},
		{"days from today", `<table><tr><th>Papers</th><td>17 April 2031 (45 days from today)</td></tr></table>`, `<table><tr><th>Papers</th><td>17 April 2031 (44 days from today)</td></tr></table>`},
		{"helpful, by a vote each", `<p>Was this page helpful? Yes (12) No (3)</p>`, `<p>Was this page helpful? Yes (14) No (3)</p>`},
		{"order in the next hours", `<p>Order in the next 3 h 12 min and we ship today.</p>`, `<p>Order in the next 40 min and we ship today.</p>`},
		{"order by", `<p>Order by 14:00 for delivery tomorrow, 3 March</p>`, `<p>Order by 14:00 for delivery tomorrow, 4 March</p>`},
		{"bought last week", `<p>Customers bought 30 of these last week</p>`, `<p>Customers bought 34 of these last week</p>`},
		{"last post", `<p>Replies: 12 · Views: 310 · Last post today, 08:12</p>`, `<p>Replies: 14 · Views: 344 · Last post yesterday, 22:10</p>`},
		{"last commit", `<p>Latest commit 8f3ab2c1 3 days ago</p>`, `<p>Latest commit 8f3ab2c1 4 days ago</p>`},
		{"plays", `<p>1,204 plays · 37 saves</p>`, `<p>1,390 plays · 37 saves</p>`},
		{"results", `<p>1-20 of 1,240 results (0.12 seconds)</p>`, `<p>1-20 of 1,240 results (0.31 seconds)</p>`},
		{"members, labelled", `<dl><dt>Members</dt><dd>1,204</dd><dt>Posts</dt><dd>88,120</dd></dl>`, `<dl><dt>Members</dt><dd>1,206</dd><dt>Posts</dt><dd>88,131</dd></dl>`},
		{"shares in a class", `<span class="share-count">412</span>`, `<span class="share-count">431</span>`},
		{"time element", `<p>Opened <time datetime="2026-03-02T07:12:00Z">48 minutes ago</time></p>`, `<p>Opened <time datetime="2026-03-02T07:12:00Z">1 day ago</time></p>`},
		{"published today", `<p>Published today at 07:12</p>`, `<p>Published yesterday at 07:12</p>`},
		{"posted weekday", `<p>Posted on Monday</p>`, `<p>Posted yesterday</p>`},
		{"chat", `<p>Mina is online and answers within 4 minutes</p>`, `<p>Mina is online and answers within 7 minutes</p>`},
		{"reply time", `<p>We typically reply in 4 minutes.</p>`, `<p>We typically reply in 9 minutes.</p>`},
		{"you are the nth", `<p>You are our 120,441st visitor</p>`, `<p>You are our 120,460th visitor</p>`},
		{"page generated", `<p>Generated in 0.031 s with 14 queries</p>`, `<p>Generated in 0.044 s with 17 queries</p>`},
		{"node", `<p>Served by web-14 in eu-west-1</p>`, `<p>Served by web-3 in eu-west-1</p>`},
		{"cached", `<p>Cached copy from 08:00</p>`, `<p>Cached copy from 09:30</p>`},
		{"expires", `<p>This offer expires in 2 days 3 hours</p>`, `<p>This offer expires in 1 day 2 hours</p>`},
		{"today and its weekday", `<p>Today is Monday</p>`, `<p>Today is Tuesday</p>`},
		{"the year so far", `<p>This year so far: 14,204 km cycled</p>`, `<p>This year so far: 14,377 km cycled</p>`},
		{"stars in a class", `<div class="rating" aria-label="4.6 of 5">4.6 <span>(1,203 reviews)</span></div>`, `<div class="rating" aria-label="4.6 of 5">4.6 <span>(1,211 reviews)</span></div>`},
		{"raised", `<p>£12,040 raised of £20,000</p>`, `<p>£12,310 raised of £20,000</p>`},
		{"signatures", `<p>12,044 of 15,000 signatures</p>`, `<p>12,311 of 15,000 signatures</p>`},
		{"signed", `<p>12,044 people have signed</p>`, `<p>12,311 people have signed</p>`},
		{"planted", `<p>We have planted 20,140 trees so far.</p>`, `<p>We have planted 20,171 trees so far.</p>`},
		{"planted, few", `<p>We have planted 214 trees so far.</p>`, `<p>We have planted 221 trees so far.</p>`},
		{"rated by", `<p>Rated 4.5 by 912 customers</p>`, `<p>Rated 4.5 by 923 customers</p>`},
		{"rating moves", `<p>Rated 4.5 out of 5 (912 reviews)</p>`, `<p>Rated 4.6 out of 5 (923 reviews)</p>`},
		{"before you", `<p>3 people are before you in the chat.</p>`, `<p>7 people are before you in the chat.</p>`},
		{"wait", `<p>Our lines are busy: you wait about 4 minutes.</p>`, `<p>Our lines are busy: you wait about 19 minutes.</p>`},
		{"spaces", `<p>131 parking spaces free now</p>`, `<p>98 parking spaces free now</p>`},
		{"parking, in German", `<p>Aktuell 131 Parkplätze frei</p>`, `<p>Aktuell 98 Parkplätze frei</p>`},
		{"water", `<p>Water today: 17.3 °C</p>`, `<p>Water today: 17.9 °C</p>`},
		{"air and water", `<p>Air 7 °C, water 11 °C</p>`, `<p>Air 9 °C, water 12 °C</p>`},
		{"a river", `<p>River level 2.31 m, rising</p>`, `<p>River level 2.18 m, falling</p>`},
		{"a river in German", `<p>Pegelstand: 231 cm</p>`, `<p>Pegelstand: 218 cm</p>`},
		{"snow", `<p>Snow depth 120 cm</p>`, `<p>Snow depth 114 cm</p>`},
		{"grid", `<h3>The grid at this moment</h3><ul><li>Wind 41%</li><li>Demand 593 MW</li></ul>`, `<h3>The grid at this moment</h3><ul><li>Wind 22%</li><li>Demand 524 MW</li></ul>`},
		{"right now", `<h3>Right now</h3><p>Bikes at the dock: 7</p>`, `<h3>Right now</h3><p>Bikes at the dock: 12</p>`},
		{"live", `<h3>Live</h3><p>Queue at gate A: 14</p>`, `<h3>Live</h3><p>Queue at gate A: 3</p>`},
		{"the sun", `<p>Sunrise 06:43, sunset 17:46</p>`, `<p>Sunrise 06:41, sunset 17:48</p>`},
		{"the sun in French", `<p>Lever du soleil 06:43, coucher 17:46</p>`, `<p>Lever du soleil 06:41, coucher 17:48</p>`},
		{"high tide", `<p>High tide at 04:12 and 16:40</p>`, `<p>High tide at 05:01 and 17:26</p>`},
		{"moon", `<p>Moon: waxing, 61 %</p>`, `<p>Moon: waxing, 70 %</p>`},
		{"name day", `<p>Name day: Kunigunde</p>`, `<p>Name day: Kasimir</p>`},
		{"name day in German", `<p>Namenstag heute: Kunigunde</p>`, `<p>Namenstag heute: Kasimir</p>`},
		{"on duty", `<p>On duty today: Dr Ames</p>`, `<p>On duty today: Dr Bell</p>`},
		{"newest member", `<p>Our newest member is ada_l</p>`, `<p>Our newest member is bob_k</p>`},
		{"newest member, labelled", `<p>Newest member: ada_l</p>`, `<p>Newest member: bob_k</p>`},
		{"issue", `<p>Issue 1,204 · Monday, 2 March 2026</p>`, `<p>Issue 1,205 · Tuesday, 3 March 2026</p>`},
		{"uptime", `<p>Up for 41 days, load 0.42</p>`, `<p>Up for 42 days, load 0.61</p>`},
		{"days without", `<p>141 days without an accident</p>`, `<p>142 days without an accident</p>`},
		{"years and days old", `<p>Online since 1,204 days</p>`, `<p>Online since 1,205 days</p>`},
		{"updated hours ago", `<p>Stock checked 2 hours ago</p>`, `<p>Stock checked 40 minutes ago</p>`},
		{"stand", `<p>Stand: 02.03.2026, 08:00 Uhr</p>`, `<p>Stand: 03.03.2026, 08:00 Uhr</p>`},
		{"the date in French, in a line", `<p>Mis à jour le 2 mars 2026</p>`, `<p>Mis à jour le 3 mars 2026</p>`},
		{"the date in Spanish", `<p>Hoy es lunes, 2 de marzo de 2026</p>`, `<p>Hoy es martes, 3 de marzo de 2026</p>`},
		{"opening in German", `<p>Jetzt geöffnet, schließt um 18:00 Uhr</p>`, `<p>Jetzt geschlossen, öffnet um 9:00 Uhr</p>`},
		{"opening in French", `<p>Ouvert maintenant · Ferme à 18 h</p>`, `<p>Fermé · Ouvre demain à 9 h</p>`},
		{"opening in Spanish", `<p>Abierto ahora · Cierra a las 20:00</p>`, `<p>Cerrado ahora · Abre a las 9:00</p>`},
		{"greeting with a day", `<p>Happy Monday!</p>`, `<p>Happy Tuesday!</p>`},
		{"visitors today", `<p>Visitors today: 412 · yesterday: 391</p>`, `<p>Visitors today: 77 · yesterday: 412</p>`},
		{"Besucher", `<p>Besucher heute: 412, gesamt: 120.441</p>`, `<p>Besucher heute: 77, gesamt: 120.853</p>`},
		{"visits in French", `<p>120 441 visites depuis 2004</p>`, `<p>120 853 visites depuis 2004</p>`},
		{"comments in German", `<p>12 Kommentare</p>`, `<p>14 Kommentare</p>`},
		{"comments in French", `<p>12 commentaires</p>`, `<p>14 commentaires</p>`},
		{"reviews in Spanish", `<p>12 reseñas</p>`, `<p>14 reseñas</p>`},
		{"in stock creeping", `<p>Over 1,240 sold</p>`, `<p>Over 1,260 sold</p>`},
		{"sold in German", `<p>1.240 verkauft</p>`, `<p>1.266 verkauft</p>`},
		{"watching in German", `<p>14 Personen sehen sich das gerade an</p>`, `<p>9 Personen sehen sich das gerade an</p>`},
		{"watching in French", `<p>14 personnes regardent cette annonce</p>`, `<p>9 personnes regardent cette annonce</p>`},
		{"delivery by a weekday", `<p>Order now, and it is with you on Thursday.</p>`, `<p>Order now, and it is with you on Friday.</p>`},
		{"delivery in German", `<p>Lieferung bis Donnerstag, 5. März</p>`, `<p>Lieferung bis Freitag, 6. März</p>`},
		{"next slot", `<p>Next free slot: Thursday, 5 March, 10:20</p>`, `<p>Next free slot: Friday, 6 March, 09:40</p>`},
		{"next departure at", `<p>Next departure: 08:12</p>`, `<p>Next departure: 08:42</p>`},
		{"now playing", `<p>Now playing: Blue Train</p>`, `<p>Now playing: Naima</p>`},
		{"fuel saved", `<p>Our roof has made 31,204 kWh since 2019</p>`, `<p>Our roof has made 31,247 kWh since 2019</p>`},
		{"crumb of a session", `<p>Session 8f3a2b ends in 19 minutes</p>`, `<p>Session 11ab2c ends in 20 minutes</p>`},
		{"recent readers", `<h3>Recent visitors</h3><ul><li>ada</li><li>bob</li></ul>`, `<h3>Recent visitors</h3><ul><li>cleo</li><li>dan</li></ul>`},
		{"who is here", `<h3>Members online</h3><p>ada, bob, cleo</p>`, `<h3>Members online</h3><p>bob, dan</p>`},
		{"greeting", `<p>Good morning, guest!</p>`, `<p>Good evening, guest!</p>`},
		{"online", `<p>33 users online</p>`, `<p>41 users online</p>`},
		{"served", `<p>Serving 12,408 sites</p>`, `<p>Serving 12,425 sites</p>`},
		{
			"nested cards shuffled", `<div><div class="c"><div><h3>Lamp</h3><div><span>9 €</span><p>Warm light.</p></div></div></div><div class="c"><div><h3>Desk</h3><div><span>7 €</span><p>Oak top.</p></div></div></div></div>`,
			`<div><div class="c"><div><h3>Desk</h3><div><span>7 €</span><p>Oak top.</p></div></div></div><div class="c"><div><h3>Lamp</h3><div><span>9 €</span><p>Warm light.</p></div></div></div></div>`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, beside := range []string{"", `<p>Lamps are made in our own works.</p>`} {
				if diff := Compare(visit(t, 0, tt.before+beside), visit(t, 24, tt.after+beside), &Noise{}, Options{}); diff.Changed {
					t.Errorf("got a change: %s\n%s", diff.Summary, diff.Unified)
				}
			}
		})
	}
}

// TestEverydayEdits are told, however small they are and whatever stands beside them.
func TestEverydayEdits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, before, after string }{
		{"a unit", `<p>Take 5 mg a day.</p>`, `<p>Take 5 g a day.</p>`},
		{"a unit in a cell", `<table><tr><th>Load</th><td>10 kg</td></tr><tr><th>Height</th><td>80 cm</td></tr></table>`, `<table><tr><th>Load</th><td>10 lb</td></tr><tr><th>Height</th><td>80 cm</td></tr></table>`},
		{"not", `<p>Dogs are allowed on the beach.</p>`, `<p>Dogs are not allowed on the beach.</p>`},
		{"may and must", `<p>Members may attend.</p>`, `<p>Members must attend.</p>`},
		{"cancel days", `<p>Cancel up to 2 days before.</p>`, `<p>Cancel up to 3 days before.</p>`},
		{"returns", `<p>Returns within 30 days.</p>`, `<p>Returns within 14 days.</p>`},
		{"delivery", `<p>Delivery in 3 days.</p>`, `<p>Delivery in 5 days.</p>`},
		{"warranty", `<p>Warranty: 2 years</p>`, `<p>Warranty: 3 years</p>`},
		{"closing time", `<p>The library closes at 17:00.</p>`, `<p>The library closes at 18:00.</p>`},
		{"hours", `<table><tr><th>Monday</th><td>9-17</td></tr><tr><th>Tuesday</th><td>9-17</td></tr></table>`, `<table><tr><th>Monday</th><td>9-16</td></tr><tr><th>Tuesday</th><td>9-17</td></tr></table>`},
		{"closed day", `<p>Closed on Mondays.</p>`, `<p>Closed on Tuesdays.</p>`},
		{"deadline", `<p>Applications close on 12 May 2026.</p>`, `<p>Applications close on 19 May 2026.</p>`},
		{"updated deadline", `<p>The updated deadline is 12 May 2026.</p>`, `<p>The updated deadline is 19 May 2026.</p>`},
		{"rate limit", `<p>100 requests per minute</p>`, `<p>200 requests per minute</p>`},
		{
			"limit in a plan", `<table><tr><th>Plan</th><th>Messages</th></tr><tr><td>Small</td><td>1,000 messages per month</td></tr><tr><td>Large</td><td>9,000 messages per month</td></tr></table>`,
			`<table><tr><th>Plan</th><th>Messages</th></tr><tr><td>Small</td><td>2,000 messages per month</td></tr><tr><td>Large</td><td>9,000 messages per month</td></tr></table>`,
		},
		{"most members", `<p>Up to 12 members</p>`, `<p>Up to 20 members</p>`},
		{"guests", `<p>Sleeps 4 guests</p>`, `<p>Sleeps 6 guests</p>`},
		{"beside readers", `<p>12 people are looking at this room. It sleeps 4.</p>`, `<p>9 people are looking at this room. It sleeps 6.</p>`},
		{"beside views", `<p>1,204 views · Room 204</p>`, `<p>1,390 views · Room 206</p>`},
		{"beside a clock", `<p>It is 14:03:22 and the bridge is shut.</p>`, `<p>It is 15:11:40 and the bridge is passable.</p>`},
		{"beside a date of today", `<p>On 2 March 2026 we have 3 kittens.</p>`, `<p>On 3 March 2026 we have 4 kittens.</p>`},
		{"telephone", `<p>Call 020 7946 0123.</p>`, `<p>Call 020 7946 0124.</p>`},
		{"mail", `<p>Write to ada@shop.example.</p>`, `<p>Write to bob@shop.example.</p>`},
		{"gate", `<p>Gate B12</p>`, `<p>Gate B14</p>`},
		{"checksum", `<p>SHA-256: 8f3a2b9c8f3a2b9c8f3a2b9c8f3a2b9c</p>`, `<p>SHA-256: 11aa2b9c8f3a2b9c8f3a2b9c8f3a2b9d</p>`},
		{
			"checksum in a cell", `<table><tr><th>SHA-256</th><td>8f3a2b9c8f3a2b9c8f3a2b9c8f3a2b9c</td></tr><tr><th>Size</th><td>80 MB</td></tr></table>`,
			`<table><tr><th>SHA-256</th><td>11aa2b9c8f3a2b9c8f3a2b9c8f3a2b9d</td></tr><tr><th>Size</th><td>80 MB</td></tr></table>`,
		},
		{"coupon", `<p>Use the code SAVE20 at the till.</p>`, `<p>Use the code SAVE25 at the till.</p>`},
		{"score", `<p>Ayr 2-1 Fife</p>`, `<p>Ayr 3-1 Fife</p>`},
		{"oven", `<p>Bake at 180 °C for 20 minutes.</p>`, `<p>Bake at 200 °C for 20 minutes.</p>`},
		{"wash", `<dl><dt>Wash</dt><dd>30 °C</dd></dl>`, `<dl><dt>Wash</dt><dd>40 °C</dd></dl>`},
		{"ages", `<p>Ages 6 and up</p>`, `<p>Ages 8 and up</p>`},
		{"deal of the day", `<h3>Deal of the day</h3><p>Oak desk for 90 €</p>`, `<h3>Deal of the day</h3><p>Oak desk for 80 €</p>`},
		{"deal without an amount", `<h3>Deal of the day</h3><p>Oak desk</p>`, `<h3>Deal of the day</h3><p>Elm chair</p>`},
		{"soup with a price", `<h3>Soup of the day</h3><p>Leek, 4 €</p>`, `<h3>Soup of the day</h3><p>Leek, 5 €</p>`},
		{"events of the day", `<h3>How the council voted at the end of the day</h3><p>The bridge stays.</p>`, `<h3>How the council voted at the end of the day</h3><p>The bridge goes.</p>`},
		{"a randomised trial", `<h3>Randomised trials</h3><p>Two were begun.</p>`, `<h3>Randomised trials</h3><p>Both were ended.</p>`},
		{"a good day", `<p>Good Day Café opens at nine.</p>`, `<p>Good Day Café opens at ten.</p>`},
		{"a line of an address", `<p>Acme Ltd<br>1 High Street<br>Ayr</p>`, `<p>Acme Ltd<br>2 High Street<br>Ayr</p>`},
		{"a bold line", `<p><b>Mill Lane closed</b><br>Use Station Road.</p>`, `<p><b>Mill Lane open</b><br>Use Station Road.</p>`},
		{"below a bold line", `<p><b>Mill Lane</b><br>Use Station Road.</p>`, `<p><b>Mill Lane</b><br>Use Church Road.</p>`},
		{"a paragraph by lines", `<div>First comes this one.<br><br>Then that one here.</div>`, `<div>First comes this one.<br><br>Then no one here.</div>`},
		{"a paragraph by lines goes", `<div>First comes this one.<br><br>Then that one here.</div>`, `<div>First comes this one.</div>`},
		{"a value by lines", `<p>Price: 9 €<br>Size: large<br>Stock: 4</p>`, `<p>Price: 9 €<br>Size: small<br>Stock: 4</p>`},
		{"a verse", `<p>The wind is in the willow,<br>the rain is on the hill.</p>`, `<p>The wind is in the willow,<br>the snow is on the hill.</p>`},
		{"values exchanged by lines", `<p>Ada: 4<br>Bob: 7</p>`, `<p>Ada: 7<br>Bob: 4</p>`},
		{"a link by lines", `<p><a href="/a">Rules</a><br><a href="/b">Forms</a></p>`, `<p><a href="/a">Rules</a><br><a href="/c">Forms</a></p>`},
		{"closes early", `<p>Open now. From May the café is closed on Sundays.</p>`, `<p>Open now. From June the café is closed on Sundays.</p>`},
		{"a year", `<p>Founded in 1911.</p>`, `<p>Founded in 1912.</p>`},
		{
			"a price under trial", `<div data-experiment="control"><div class="t"><h3>Oak</h3><dl><dt>Price</dt><dd>27.4p per kWh</dd></dl></div><div class="t"><h3>Elm</h3><dl><dt>Price</dt><dd>25.4p per kWh</dd></dl></div></div>`,
			`<div data-experiment="control"><div class="t"><h3>Oak</h3><dl><dt>Price</dt><dd>28.1p per kWh</dd></dl></div><div class="t"><h3>Elm</h3><dl><dt>Price</dt><dd>25.4p per kWh</dd></dl></div></div>`,
		},
		{"what it is made of", `<p>Cotton 60 %, wool 40 %</p>`, `<p>Cotton 55 %, wool 45 %</p>`},
		{"after an advert", `<div><span>Advertisement</span> Cheap flights to Oslo</div><p>The loaf rests for one hour.</p>`, `<div><span>Advertisement</span> Cheap flights to Oslo</div><p>The loaf rests for two hours.</p>`},
		{
			"a state in a card", `<div><div class="t"><h3>Oak</h3><p>Open to new customers</p><dl><dt>Unit</dt><dd>4 kWh</dd><dt>Term</dt><dd>none</dd></dl></div><div class="t"><h3>Elm</h3><p>Open</p></div></div>`,
			`<div><div class="t"><h3>Oak</h3><p>Closed to new customers</p><dl><dt>Unit</dt><dd>4 kWh</dd><dt>Term</dt><dd>none</dd></dl></div><div class="t"><h3>Elm</h3><p>Open</p></div></div>`,
		},
		{"an id drawn as an advert's", `<div id="rel-ad"><p>The mount works on kernels before 6.1.</p></div>`, `<div id="rel-ad"><p>The mount works on kernels before 6.6.</p></div>`},
		{
			"a cell among many", `<table><tr><th>Zone</th><th>Adult</th><th>Child</th></tr><tr><td>A</td><td>2.40</td><td>1.20</td></tr><tr><td>B</td><td>3.10</td><td>1.60</td></tr></table>`,
			`<table><tr><th>Zone</th><th>Adult</th><th>Child</th></tr><tr><td>A</td><td>2.40</td><td>1.20</td></tr><tr><td>B</td><td>3.10</td><td>1.50</td></tr></table>`,
		},
		{
			"a column's head", `<table><tr><th>Zone</th><th>Adult</th></tr><tr><td>A</td><td>2.40</td></tr><tr><td>B</td><td>3.10</td></tr></table>`,
			`<table><tr><th>Zone</th><th>Senior</th></tr><tr><td>A</td><td>2.40</td></tr><tr><td>B</td><td>3.10</td></tr></table>`,
		},
		{
			"departures", `<table><tr><th>Stop</th><th>1</th><th>2</th></tr><tr><td>Market</td><td>08:12</td><td>09:12</td></tr><tr><td>Church</td><td>08:20</td><td>09:20</td></tr></table>`,
			`<table><tr><th>Stop</th><th>1</th><th>2</th></tr><tr><td>Market</td><td>08:12</td><td>09:12</td></tr><tr><td>Church</td><td>08:22</td><td>09:20</td></tr></table>`,
		},
		{
			"a column is swapped", `<table><tr><th>Stop</th><th>1</th><th>2</th></tr><tr><td>Market</td><td>8</td><td>9</td></tr><tr><td>Church</td><td>4</td><td>5</td></tr></table>`,
			`<table><tr><th>Stop</th><th>1</th><th>2</th></tr><tr><td>Market</td><td>9</td><td>8</td></tr><tr><td>Church</td><td>4</td><td>5</td></tr></table>`,
		},
		{"an ingredient", `<ul><li>450 g flour</li><li>320 ml water</li></ul>`, `<ul><li>450 g flour</li><li>340 ml water</li></ul>`},
		{"a step", `<ol><li>Mix and rest.</li><li>Fold four times.</li></ol>`, `<ol><li>Mix and rest.</li><li>Fold five times.</li></ol>`},
		{"two at once", `<p>The fee is 9 €.</p><p>The hall seats 80.</p>`, `<p>The fee is 9 €.</p><p>The hall seats 90.</p>`},
		{"a name", `<p>Ask for Ada Ames.</p>`, `<p>Ask for Ada Bell.</p>`},
		{"case and number of rooms", `<p>3 bedrooms, 2 baths</p>`, `<p>2 bedrooms, 2 baths</p>`},
		{"notice", `<p>Notice: four weeks</p>`, `<p>Notice: six weeks</p>`},
		{"notice in days", `<p>Give 28 days' notice.</p>`, `<p>Give 29 days' notice.</p>`},
		{"a stay", `<p>At least 2 nights</p>`, `<p>At least 3 nights</p>`},
		{"a course of days", `<p>The course takes 5 days.</p>`, `<p>The course takes 6 days.</p>`},
		{"days off", `<p>Holiday: 28 days a year</p>`, `<p>Holiday: 29 days a year</p>`},
		{"days in a table", `<table><tr><th>Holiday</th><td>28 days</td></tr><tr><th>Hours</th><td>38</td></tr></table>`, `<table><tr><th>Holiday</th><td>29 days</td></tr><tr><th>Hours</th><td>38</td></tr></table>`},
		{"payment", `<p>Payable within 14 days, else 4 % interest</p>`, `<p>Payable within 14 days, else 5 % interest</p>`},
		{"a reader's tariff", `<p>12 issues a year for readers abroad</p>`, `<p>10 issues a year for readers abroad</p>`},
		{"lot", `<p>Lot 3: 40 chairs</p>`, `<p>Lot 3: 44 chairs</p>`},
		{"questions until", `<p>Questions until 20 March 2026, 12:00</p>`, `<p>Questions until 24 March 2026, 12:00</p>`},
		{"tender put off by a day", `<p>Bids are opened on 20 March 2026.</p>`, `<p>Bids are opened on 21 March 2026.</p>`},
		{"a near date put off by two days", `<p>The meeting is on Thursday, 5 March 2026.</p>`, `<p>The meeting is on Saturday, 7 March 2026.</p>`},
		{"tide of a table", `<p>The mill turns at 09:30.</p>`, `<p>The mill turns at 10:30.</p>`},
		{"sold out", `<p>Tickets: on sale</p>`, `<p>Tickets: sold out</p>`},
		{"a dish", `<ul><li>Trout with almonds · 19 €</li><li>Soup · 6 €</li></ul>`, `<ul><li>Trout with hazelnuts · 19 €</li><li>Soup · 6 €</li></ul>`},
		{"an allergen", `<p>Contains: milk, nuts</p>`, `<p>Contains: milk, nuts, celery</p>`},
		{"a dish of a weekday", `<table><tr><th>Monday</th><td>Leek soup</td></tr><tr><th>Tuesday</th><td>Trout</td></tr></table>`, `<table><tr><th>Monday</th><td>Bean soup</td></tr><tr><th>Tuesday</th><td>Trout</td></tr></table>`},
		{"the price in a card beside the text", `<aside><p>€46 per bed</p><p>Bookable</p><button>Choose dates</button></aside>`, `<aside><p>€48 per bed</p><p>Bookable</p><button>Choose dates</button></aside>`},
		{"the state in a card beside the text", `<aside><p>€46 per bed</p><p>Bookable</p><button>Choose dates</button></aside>`, `<aside><p>€46 per bed</p><p>Fully booked until 12 July</p><button>Choose dates</button></aside>`},
		{
			"what may be chosen after a lone line of praise", `<div>See what our customers say</div><fieldset><legend>Colour</legend><ul><li>Black In stock</li><li>Birch In stock</li></ul></fieldset>`,
			`<div>See what our customers say</div><fieldset><legend>Colour</legend><ul><li>Black Sold out</li><li>Birch In stock</li></ul></fieldset>`,
		},
		{"in a class that ends in a number", `<div class="box wp-container-ad41"><p>Mon to Wed</p></div>`, `<div class="box wp-container-ad41"><p>Mon to Thu</p></div>`},
		{
			"a text in one of a few items in a list by its role", `<section class="s"><div role="list"><div role="listitem"><h3>Tom</h3><p>Needs a bed.</p></div><div role="listitem"><h3>Gus</h3><p>Strong.</p></div></div></section><section class="s"><p>How it goes</p></section>`,
			`<section class="s"><div role="list"><div role="listitem"><h3>Tom</h3><p>Needs a bed. We pay his vet.</p></div><div role="listitem"><h3>Gus</h3><p>Strong.</p></div></div></section><section class="s"><p>How it goes</p></section>`,
		},
		{"the poll's question", `<h3>Poll</h3><p>Shall the fair go back to the green?</p>`, `<h3>Poll</h3><p>Shall the fair stay at the station?</p>`},
		{"a rule", `<p>Bicycles may be taken free of charge after 19:00.</p>`, `<p>Bicycles may be taken free of charge after 20:00.</p>`},
		{"a comma moves", `<p>Weight: 1.50 kg</p>`, `<p>Weight: 15.0 kg</p>`},
		{"a range", `<p>Open May - September</p>`, `<p>Open April - September</p>`},
		{"a range of days", `<p>The fair is on 5 - 7 June.</p>`, `<p>The fair is on 4 - 7 June.</p>`},
		{"salary", `<p>38,000 - 42,000 € a year</p>`, `<p>38,000 - 44,000 € a year</p>`},
		{"remote", `<p>Place: Leeds or remote</p>`, `<p>Place: Leeds</p>`},
		{"a link in a list", `<ul><li><a href="/form-2025.pdf">Form</a></li><li><a href="/rules.pdf">Rules</a></li></ul>`, `<ul><li><a href="/form-2026.pdf">Form</a></li><li><a href="/rules.pdf">Rules</a></li></ul>`},
		{"a heading's digit", `<h2>Chapter 4</h2><p>It rains.</p>`, `<h2>Chapter 5</h2><p>It rains.</p>`},
		{"what is in a tooltip's place", `<p>Depth <b>40</b> cm</p>`, `<p>Depth <b>45</b> cm</p>`},
		{"a bracket", `<p>Entry 4 € (children free)</p>`, `<p>Entry 4 € (children 2 €)</p>`},
		{"in an article of its own", `<article><h2>Bridge</h2><p>It is shut until May.</p></article><article><h2>Weir</h2><p>All is well.</p></article>`, `<article><h2>Bridge</h2><p>It is shut until June.</p></article><article><h2>Weir</h2><p>All is well.</p></article>`},
		{"in a details", `<details><summary>Can I pay later?</summary><p>Yes, by invoice.</p></details>`, `<details><summary>Can I pay later?</summary><p>No, not by invoice.</p></details>`},
		{"in a caption", `<figure><img src="a.jpg" alt="Mill"><figcaption>The mill in 1911</figcaption></figure>`, `<figure><img src="a.jpg" alt="Mill"><figcaption>The mill in 1912</figcaption></figure>`},
		{"in a quotation", `<blockquote>All members may vote.</blockquote>`, `<blockquote>All members shall vote.</blockquote>`},
		{"in code", `<pre>listen 8080\nworkers 4</pre>`, `<pre>listen 8080\nworkers 8</pre>`},
		{"struck out", `<p>Price <del>90 €</del> 70 €</p>`, `<p>Price <del>90 €</del> 65 €</p>`},
		{"a question", `<p>Is it safe? Yes, it is.</p>`, `<p>Is it safe? No, it is not.</p>`},
		{"after weather", `<p>Sunny, 14 °C. The lift is running.</p>`, `<p>Cloudy, 9 °C. The lift is shut.</p>`},
		{"in a promotion", `<div class="promo"><table><tr><th>Small</th><td>9 €</td></tr><tr><th>Large</th><td>19 €</td></tr></table></div>`, `<div class="promo"><table><tr><th>Small</th><td>9 €</td></tr><tr><th>Large</th><td>18 €</td></tr></table></div>`},
		{"a term of service updated", `<p>These terms were last updated on 12 January 2026.</p><p>You must be 16.</p>`, `<p>These terms were last updated on 2 March 2026.</p><p>You must be 18.</p>`},
		{"open until", `<p>Open until 18:00</p>`, `<p>Open until 20:00</p>`},
		{"closed on a day", `<p>Closed Monday. Opens 9:00</p>`, `<p>Closed Monday. Opens 10:00</p>`},
		{"a load", `<p>Load: 10 kg</p>`, `<p>Load: 12 kg</p>`},
		{"parking", `<p>The hall has 120 parking spaces.</p>`, `<p>The hall has 140 parking spaces.</p>`},
		{"under a heading of music", `<h3>Live</h3><ul><li>The Herons</li></ul>`, `<h3>Live</h3><ul><li>The Kestrels</li></ul>`},
		{"a fine", `<p>Drivers found without a permit pay 60.</p>`, `<p>Drivers caught without a permit pay 60.</p>`},
		{
			"rows of boxes", `<div><div class="row"><div>Zone A</div><div>2.40</div></div><div class="row"><div>Zone B</div><div>3.10</div></div></div>`,
			`<div><div class="row"><div>Zone A</div><div>2.40</div></div><div class="row"><div>Zone B</div><div>3.20</div></div></div>`,
		},
		{"values of two rows exchanged", `<table><tr><th>Oslo</th><td>4</td></tr><tr><th>Rome</th><td>5</td></tr></table>`, `<table><tr><th>Oslo</th><td>5</td></tr><tr><th>Rome</th><td>4</td></tr></table>`},
		{"a row is added", `<table><tr><th>Oslo</th><td>4</td></tr><tr><th>Rome</th><td>5</td></tr></table>`, `<table><tr><th>Oslo</th><td>4</td></tr><tr><th>Rome</th><td>5</td></tr><tr><th>Bern</th><td>6</td></tr></table>`},
		{"a step is put between", `<ol><li>Mix.</li><li>Bake.</li></ol>`, `<ol><li>Mix.</li><li>Rest.</li><li>Bake.</li></ol>`},
		{"a link's words", `<p><a href="/r">Rules of 2025</a></p>`, `<p><a href="/r">Rules of 2026</a></p>`},
		{"a power", `<p>Plot of 40 m<sup>2</sup></p>`, `<p>Plot of 40 m<sup>3</sup></p>`},
		{"a fraction", `<p>Add ½ cup</p>`, `<p>Add ¼ cup</p>`},
		{"a sign of state", `<table><tr><th>API</th><td>✅</td></tr><tr><th>Mail</th><td>✅</td></tr></table>`, `<table><tr><th>API</th><td>❌</td></tr><tr><th>Mail</th><td>✅</td></tr></table>`},
		{"dogs", `<p>Dogs: yes</p>`, `<p>Dogs: no</p>`},
		{"a greater sign", `<p>Limit: &lt; 5 t</p>`, `<p>Limit: &lt; 4 t</p>`},
		{"in the header of an article", `<article><header><h2>Weir</h2><p>By Ada Ames</p></header><p>All is well.</p></article>`, `<article><header><h2>Weir</h2><p>By Bob Bell</p></header><p>All is well.</p></article>`},
		{"under a bold heading", `<div><b>Fees</b><ul><li>Adults 9</li><li>Children 4</li></ul></div>`, `<div><b>Fees</b><ul><li>Adults 9</li><li>Children 5</li></ul></div>`},
		{"a bold line for a day", `<p><b>Monday</b><br>9 to 17<br><b>Tuesday</b><br>9 to 13</p>`, `<p><b>Monday</b><br>9 to 17<br><b>Tuesday</b><br>9 to 14</p>`},
		{"lines exchanged under bold ones", `<p><b>Monday</b><br>9 to 17<br><b>Tuesday</b><br>9 to 13</p>`, `<p><b>Monday</b><br>9 to 13<br><b>Tuesday</b><br>9 to 17</p>`},
		{"bold within a line", `<p>You must <b>not</b> swim here.</p>`, `<p>You must <b>always</b> swim here.</p>`},
		{"a copy on loan", `<p>Copies: 3 of 5 available</p>`, `<p>Copies: 2 of 5 available</p>`},
		{"rooms left", `<p>Only 3 rooms left</p>`, `<p>Only 2 rooms left</p>`},
		{"a bid", `<p>Current bid: 120 €</p>`, `<p>Current bid: 140 €</p>`},
		{"a plan's users", `<li>5 users included</li>`, `<li>3 users included</li>`},
		{"shares of power", `<p>Last year 61% of what we sold came from wind and 39% from gas.</p>`, `<p>Last year 68% of what we sold came from wind and 32% from gas.</p>`},
		{"percent in a question", `<h3>How much may I keep?</h3><p>You keep 70 % of each sale.</p>`, `<h3>How much may I keep?</h3><p>You keep 60 % of each sale.</p>`},
		{"members of a board", `<p>The board has 9 seats.</p>`, `<p>The board has 11 seats.</p>`},
		{"temperature to store at", `<p>Store at 2 to 8 °C in a dry place.</p>`, `<p>Store at 2 to 6 °C in a dry place.</p>`},
		{"a wind to bear", `<p>The tent bears wind up to 80 km/h.</p>`, `<p>The tent bears wind up to 60 km/h.</p>`},
		{"clear water", `<p>Water clear to 30 m</p>`, `<p>Water clear to 20 m</p>`},
		{"queue lanes", `<p>Please queue in lane 4.</p>`, `<p>Please queue in lane 6.</p>`},
		{"a chapter a week", `<p>Chapters 1 to 4 by week 12</p>`, `<p>Chapters 1 to 5 by week 12</p>`},
		{"of what day a file is", `<li><a href="/minutes-3.pdf">Minutes of 12 January</a></li>`, `<li><a href="/minutes-4.pdf">Minutes of 9 February</a></li>`},
		{"a week", `<p>Collection: every second week</p>`, `<p>Collection: every week</p>`},
		{"a negation beside today's date", `<p>Tuesday, 2 March 2026: the ferry runs.</p>`, `<p>Wednesday, 3 March 2026: the ferry does not run.</p>`},
		{"a price beside a share", `<p>ACME 102.30 +1.2%. Our fee is 9 €.</p>`, `<p>ACME 101.10 -1.2%. Our fee is 8 €.</p>`},
		{"weather works are cancelled", `<p>Walk in the rain on 9 May at 10:00</p>`, `<p>Walk in the rain on 9 May at 11:00</p>`},
		{"a page of the day", `<h2>Rules</h2><p>No dogs.</p>`, `<h2>Rules</h2><p>No cats.</p>`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, beside := range []string{"", `<p>Lamps are made in our own works.</p>`} {
				for _, sides := range [][2]string{{tt.before, tt.after}, {tt.after, tt.before}} {
					if diff := Compare(visit(t, 0, sides[0]+beside), visit(t, 24, sides[1]+beside), &Noise{}, Options{}); !diff.Changed {
						t.Error("got no change")
					}
				}
			}
		})
	}
}

// TestEditsAmongNoise: what is drawn for each answer is no change in any run, and an edit beside it is told in its run, and in no other.
func TestEditsAmongNoise(t *testing.T) {
	t.Parallel()
	pick := func(r *rand.Rand, all ...string) string { return all[r.IntN(len(all))] }
	some := func(r *rand.Rand, count int, all ...string) []string {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return all[:count]
	}
	for _, tt := range []struct {
		name string
		page func(r *rand.Rand, edited bool) string
	}{
		{"a column of lines", func(r *rand.Rand, edited bool) string {
			hours := "Open on weekdays"
			if edited {
				hours = "Open at weekends"
			}
			return `<table><tr><td><h2>Board</h2><p>The fair is in May.</p></td><td><b>From the archive</b><br><i>` + pick(r, "The weir", "The queen", "A harvest", "Snow on the hill") + `</i><br><br><b>Library</b><br>` +
				hours + `<br><br><b>Guest book</b><br>` + pick(r, "Greetings from Ontario!", "Lovely walk, muddy dog.", "Third summer in a row.", "Bonjour!") + `</td></tr></table>`
		}},
		{"a teaser in the article", func(r *rand.Rand, edited bool) string {
			rest := "two hours"
			if edited {
				rest = "three hours"
			}
			return `<p>Mix the flour and the water.</p><div class="x` + fmt.Sprint(r.IntN(100)) + `">` + pick(r, "Our new book is out: order it.", "Come to the course in Leeds.", "Knives, sharpened while you wait.") +
				`</div><p>Let it rest for ` + rest + ` in the cold.</p>`
		}},
		{"names with numbers", func(r *rand.Rand, edited bool) string {
			sites := "10"
			if edited {
				sites = "12"
			}
			return `<p>Up to ` + sites + ` sites for each plan</p><p>They trust us: ` + strings.Join(some(r, 4, "Heron Books", "Bakery 12", "Tidal FM", "Studio 54", "Velo Nord", "Pier 39", "Dorset Choir"), ", ") + `</p>`
		}},
		{"a line of a rotating strip", func(r *rand.Rand, edited bool) string {
			strip := pick(r, "Free returns for thirty days.", "Read our letter.", "Made in Leeds.", "Ask us by mail.")
			if edited {
				strip = "Our shop is closed on Good Friday."
			}
			return `<div class="strip">` + strip + `</div><p>Lamps of oak and of elm.</p>`
		}},
		{"shuffled cards with nested texts", func(r *rand.Rand, edited bool) string {
			price := "19 €"
			if edited {
				price = "18 €"
			}
			cards := some(r, 3, `<div class="k"><div><h3>Lamp</h3><div><p>Warm light.</p><span>9 €</span></div></div></div>`, `<div class="k"><div><h3>Desk</h3><div><p>Oak top.</p><span>`+price+`</span></div></div></div>`,
				`<div class="k"><div><h3>Chair</h3><div><p>Elm seat.</p><span>7 €</span></div></div></div>`)
			return `<div>` + strings.Join(cards, "") + `</div>`
		}},
		{"in the sentence of a counter", func(r *rand.Rand, edited bool) string {
			seats := "80"
			if edited {
				seats = "90"
			}
			return fmt.Sprintf(`<p>The hall seats %s; %d people looked at this page, and %s wrote to us.</p>`, seats, r.IntN(900), pick(r, "Ada", "Bob", "Cleo", "Dan"))
		}},
		{"a row among drawn rows", func(r *rand.Rand, edited bool) string {
			state := "running"
			if edited {
				state = "stopped"
			}
			return fmt.Sprintf(`<table><tr><th>Line</th><th>State</th><th>Delay</th></tr><tr><td>Market</td><td>running</td><td>%d s</td></tr><tr><td>Church</td><td>%s</td><td>%d s</td></tr></table>`, r.IntN(90), state, r.IntN(90))
		}},
		{"a list drawn from many", func(r *rand.Rand, edited bool) string {
			list := some(r, 3, "The kettle myth", "Draughts and candles", "What a fridge costs", "Old houses", "Meters upside down", "Ten minutes")
			rule := "Nobody over 70 is cut off."
			if edited {
				rule = "Nobody over 65 is cut off."
			}
			return `<p>` + rule + `</p><h2>Advice</h2><ul><li>` + strings.Join(list, "</li><li>") + `</li></ul>`
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(6) {
				r := rand.New(rand.NewPCG(seed, 7))
				m := monitor(t)
				for run := range 14 {
					if got, want := m.sees(draws(func() string { return tt.page(r, run >= 9) })...), run == 9; got != want {
						t.Errorf("seed %d, run %d: got changed %v, want %v", seed, run, got, want)
					}
				}
			}
		})
	}
}
