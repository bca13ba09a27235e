package compare

import "strings"

// noisePhrases are how headings begin or end that stand over what rotates, by what it is.
var noisePhrases = []struct {
	reason string
	whole  string // words of which a heading may be made alone
	parts  []string
}{
	{noiseSuggestion, `related recommended recommendations trending similar suggested suggestions popular`, []string{
		"you may also like", "you might also like", "you may like", "you might like", "you'll love", "also like", "also bought", "also viewed",
		"also enjoy", "people also", "customers also", "others also",
		"customers who", "readers also", "others bought", "recommended for", "recommended reading", "recommended products", "related products",
		"related articles", "related posts", "related items",
		"related stories", "related topics", "related pages", "related jobs", "related events", "related links", "related reading", "related content",
		"similar products", "similar items", "similar jobs",
		"similar articles", "similar events", "similar listings", "similar threads", "similar topics", "more like this", "more to explore", "more from",
		"more for you", "trending now", "trending today", "trending topics",
		"what's trending", "what's hot", "popular now", "popular right now", "popular today", "popular posts", "popular articles", "popular this week",
		"popular threads", "most read", "most popular", "most viewed",
		"recently viewed", "frequently bought", "inspired by your", "picked for you", "picks for you", "just for you", "chosen for you", "handpicked",
		"suggested for", "suggested posts", "suggested articles", "read next", "up next", "keep reading",
		"around the web", "from our partners", "partner content", "discover more", "explore more", "others are reading", "others are looking",
		"others are viewing", "pairs well with", "goes well with",
		"complete the look", "shop the look", "hot right now", "hot topics", "you could also", "continue reading", "what to read next", "editor's picks",
		"editors' picks", "staff picks", "from the shop", "from our shop", "from around", "featured today", "in the spotlight",
		"das könnte", "könnte dir", "könnte ihnen", "ähnliche artikel", "ähnliche produkte", "weitere artikel", "auch gekauft", "meistgelesen", "beliebt",
		"empfohlen", "empfehlungen", "vous aimerez", "articles similaires", "produits similaires",
		"recommandé", "à lire aussi", "les plus lus", "también te", "te puede interesar", "productos relacionados", "artículos relacionados", //nolint:misspell // Spanish
		"lo más leído", "recomendad", "potrebbe interessarti", "leggi anche",
	}},
	{noiseAdvert, `ad ads advert advertisement advertisements sponsored sponsor anzeige werbung publicité publicidad promoted advertorial`, []string{
		"sponsored by", "sponsored content", "paid content", "paid partnership", "promoted by", "our sponsors say", "advertisement", "brought to you by",
		"a word from our", "message from our sponsor", "partner offer", "in association with",
	}},
	{noiseRotation, ``, []string{
		"newest member", "latest member", "members online", "users online", "online now", "recent visitors", "latest visitors", "recently joined", "who's here",
		"what our customers say",
		"what people say", "what people are saying",
		"what customers say", "customer stories", "testimonials", "happy customers", "loved by", "who's online", "who is online", "wer ist online", "now playing", "on air now",
	}},
	{noiseSuggestion, `share teilen partager compartir`, []string{
		"share this", "share on", "share via", "share with", "tell a friend", "tell your friends", "spread the word", "seite teilen", "beitrag teilen", "weitersagen",
		"partager cet", "partager sur", "compartir en",
	}},
	{noiseOverlay, `cookies newsletter`, []string{
		"we use cookies", "this site uses cookies", "your privacy", "cookie settings",
		"subscribe to our newsletter", "sign up for our newsletter", "join our newsletter",
	}},
}

// phraseStarts are noisePhrases by their first three bytes, and wholeHeadings the headings of one word.
var phraseStarts, wholeHeadings = func() (starts map[string][]int, whole map[string]string) {
	starts, whole = map[string][]int{}, map[string]string{}
	for i, phrase := range noisePhrases {
		for word := range strings.FieldsSeq(phrase.whole) {
			whole[word] = phrase.reason
		}
		for j, part := range phrase.parts {
			starts[part[:3]] = append(starts[part[:3]], i<<16|j)
		}
	}
	return starts, whole
}()

// noiseHeading says why what stands under a heading is noise, "" where it is not.
func noiseHeading(text string) string {
	if len(text) > 80 {
		return ""
	}
	lower := strings.ToLower(strings.TrimRight(text, ":!?.… "))
	if reason := wholeHeadings[lower]; reason != "" {
		return reason
	}
	if isDailyName(lower) {
		return noiseDaily
	}
	for i := 0; i+3 <= len(lower); i++ {
		if i > 0 && lower[i-1] != ' ' {
			continue
		}
		for _, at := range phraseStarts[lower[i:i+3]] {
			if phrase := &noisePhrases[at>>16]; strings.HasPrefix(lower[i:], phrase.parts[at&0xffff]) {
				return phrase.reason
			}
		}
	}
	return ""
}

// Words of texts that pass.
var (
	timeUnits = setOf(`second seconds sec secs s minute minutes min mins m hour hours hr hrs h day days d week weeks w wk wks month months mo year years yr yrs y
		sekunde sekunden minuten stunde stunden std tag tagen tage woche wochen monat monaten jahr jahren seconde secondes heure heures jour jours semaine semaines mois an ans
		segundo segundos minuto minutos hora horas día días semana semanas mes meses año años secondo secondi minuti ora ore giorno giorni settimana settimane
		dia dias dag dagen weken uur uren maanden dagar timme timmar minuter vecka veckor månad månader dni dzień godzin godziny godzinę tygodni tydzień`)
	someWords  = setOf(`a an one few couple several some einer einem einigen wenigen une un quelques una unos`)
	aboutWords = setOf(`about over almost nearly around less than more approximately circa ca`)
	agoBefore  = setOf(`vor hace il há`)
	agoAfter   = setOf(`ago fa atrás geleden sedan temu siden`)
	// spanWords are of what takes time.
	replyWords = setOf(`reply replies replied answer answers respond responds antworten antwortet`)
	spanWords  = setOf(`stay duration time cook cooking prep length max min total read reading session course runtime parking film movie drive walk flight lasts
		workout hike ride trip tour episode`)
	relativeUnits = setOf(`week month year monday tuesday wednesday thursday friday saturday sunday night evening
		morning afternoon weekend`)
	weatherWords = setOf(`weather wind winds windy gusts gusty breezy humidity forecast sunny sun cloudy clouds overcast rain raining rainy snowing showers drizzle clear
		snow snowy sleet
		hail fog foggy mist misty haze hazy storm stormy thunder thunderstorm thunderstorms frost bright grey gray fair dry feels outside
		wetter sonnig heiter bewölkt wolkig bedeckt regen schauer nebel schnee gewitter windig météo ensoleillé nuageux couvert pluie averses neige brouillard
		orage tiempo soleado nublado lluvia nieve niebla tormenta
		spells breeze calm sleety drizzly nebelfelder neblig hochnebel dunst diesig sonne regenschauer nieselregen windstill böig gewitterschauer schneefall
		éclaircies éclaircie voilé averse bruine brumeux brume vent orageux orages despejado despejados chubasco chubascos llovizna lluvioso ventoso brumas
		viento tormentas nubes`)
	weatherUnits = setOf(`° °c °f c f knots kn mph bft hpa mbar % ms kmh`)
	dayWords     = setOf(`yesterday today tomorrow tonight gestern heute morgen hier aujourd'hui demain ayer hoy mañana ieri oggi domani`)
	supplyWords  = setOf(`ship ships shipped shipping deliver delivers delivered delivery dispatch dispatched dispatches lead arrives versand lieferung
		lieferbar livraison envío entrega restock back available ready`)
	leftWords   = setOf(`left remaining remain übrig verbleibend restants restantes`)
	updateWords = setOf(`updated refreshed generated rendered checked retrieved fetched synced synchronized crawled modified cached accessed printed
		loaded polled recalculated rebuilt revalidated aktualisiert stand generiert abgerufen actualisé actualizado aggiornato bijgewerkt revised`)
	lastWords = setOf(`updated update modified edited changed checked check refreshed refresh seen visit visited login active activity sync synced
		revised generated build built deploy deployed poll polled run ping scan crawl heartbeat`)
	nowWords   = setOf(`now today currently current clock heute jetzt aktuell maintenant ahora`)
	clockNouns = setOf(`time clock uhrzeit zeit heure hora date timestamp datum`)
	glueWords  = setOf(`at on um le à a um the utc gmt cet cest est edt pst pdt cst cdt mst mdt bst ist jst z uhr and und et y of am pm h`)
	speedWords = setOf(`generated rendered took takes loaded served processed query queries executed response latency ping elapsed load average built
		results ergebnisse résultats fetched computed compiled sekunden memory cpu usage uptime queries peak`)
	speedUnits   = setOf(`s sec secs second seconds ms µs us milliseconds millisecond sekunden secondes segundos`)
	counterNouns = setOf(`searches lookups viewings enquiries inquiries suchanfragen recherches búsquedas
		view views visitor visitors visits reads hits likes shares share follower followers viewer viewers watcher watchers plays
		listens impressions clicks upvotes votes karma reputation claps reactions pageviews downloads installs subscribers sold
		ratings reviews stars forks applicants requests repositories posts topics threads
		kommentar kommentare bewertungen antworten commentaire commentaires avis réponses comentarios respuestas reseñas commenti recensioni reacties verkauft
		replies answers responses comment review vote rating answer
		messages comments bookings orders backers supporters donors signatures members fans bids streams players readers listeners
		aufrufe besucher besuche leser vues visiteurs visites lectures visitas vistas visitantes lecturas visualizzazioni visualizações bezoekers weergaven` +
		" opiniones") //nolint:misspell // Spanish
	// crowdVerbs are what crowds do on a page, and not in what it tells of.
	crowdVerbs = setOf(`viewed viewing watched watching liked like likes interested voted rated joined following follow reading found bought
		recommend recommended saved favorited bookmarked applied subscribed enrolled going attending checking visited browsing looked keep use trust rely say said says
		agree agreed voting answered
		fanden finden fand gefällt abgestimmt empfehlen antworteten lesen répondu jugé trouvé aimé voté recommandent lisent encontraron dicen votaron recomiendan leyendo
		risposto trovato votato consigliano vinden vonden gestemd hilfreich utile útil nuttig`)
	// raisedWords come after what others gave together, and waitWords before how long they wait.
	raisedWords = setOf(`raised pledged donated collected gespendet`)
	fundedWords = setOf(`funded finanziert financé financiado finanziato gefinancierd`)
	waitWords   = setOf(`wait waiting queue wartezeit attente espera`)
	// skyWords are of what is measured each day or hour, and marketWords of what is quoted.
	skyWords = setOf(`sunrise sunset soleil tramonto amanecer atardecer waxing waning gibbous crescent marée marea moonrise moonset tide tides
		pollen aqi uv sonnenaufgang sonnenuntergang`)
	marketWords  = setOf(`ftse dax nasdaq nikkei dow stoxx brent wti bitcoin btc ethereum euribor sensex`)
	linkVerbs    = setOf(`is ist est es è`)
	todayWords   = setOf(`today tonight heute aujourd'hui hoy oggi`)
	counterVerbs = setOf(`viewed read visited played watched shared liked accessed opened downloaded loaded seen lu lue lus vu vue vues consulté consultée
		gelesen angesehen aufgerufen leído leída visto vista letto letta bekeken gelezen`)
	timesWords    = setOf(`times x fois mal veces volte keer`)
	presenceWords = setOf(`online offline away busy idle`)
	ownWords      = setOf(`board server local current system page site forum our your`)
	presentWords  = setOf(`online viewing watching browsing logged active connected`)
	crowdWords    = setOf(`people person users user members member guests guest visitors visitor shoppers shopper customers others reader readers others
		someone voters respondents readers candidates applicants teams companies businesses fans readers listeners viewers developers students travellers travelers folks
		besucher gäste personnes personas
		leser leserinnen nutzer kunden kundinnen teilnehmer menschen personen lectrices clients voyageurs utilisateurs visiteurs internautes abonnés
		lectores usuarios visitantes persone utenti clienti lettori visitatori lezers klanten bezoekers mensen leitores pessoas passengers residents citizens
		neighbours neighbors pupils parents drivers riders cyclists` +
		" lecteurs clientes") //nolint:misspell // French and Spanish
	proofPhrases = []string{
		"viewing this", "looking at this", "watching this", "bought this", "just bought", "just purchased", "recently bought", "recently purchased",
		"in their cart", "in their carts", "in their basket", "in their baskets",
		"are viewing", "is viewing", "viewing now", "viewing right now", "are watching", "shopping now", "online right now", "looked at this",
		"viewed this", "added to", "have this in", "has this in", "added this to", "just booked", "just signed", "are reading this", "is reading this",
		"sold in the last", "bought in the last", "booked in the last", "sehen sich", "personnes regardent", "personas están",
	}
	proofVerbs = setOf(`bought sold booked ordered purchased looked viewed viewing watched added reserved`)
	proofSpans = setOf(`last past week today hour hours day days month`)
	likeSigns  = setOf(`♥ ❤ 👍 👁 💬`)
	starSigns  = setOf(`★ ⭐ ☆`)
	idWords    = setOf(`session sessions request requestid trace traceid nonce csrf ray cookie correlation reqid sid rid uid visitor-id transaction sitzung
		fingerprint challenge`)
	hostWords = setOf(`served server node host instance pod backend edge worker machine shard replica container cluster pop datacenter cache mirror region zone`)
	// placeWords are those of them that are places, too.
	placeWords = setOf(`zone region machine container edge mirror`)
	proofOfID  = setOf(`commit sha sha1 sha256 sha512 md5 checksum hash revision serial sku mpn ean isbn upc part model coupon voucher code order
		tracking key digest fingerprint asin address`)
	cartWords = setOf(`cart basket bag warenkorb panier carrito carrello winkelwagen wishlist merkliste compare`)
	greetings = []string{
		"good morning", "good afternoon", "good evening", "good night", "good day", "guten morgen", "guten tag", "guten abend",
		"bonjour", "bonsoir", "buenos días", "buenas tardes", "buenas noches",
	}
	deadlines = setOf(`ends expires closes starts begins ending countdown remaining endet läuft`)
	// dueWords are of what has a date of its own.
	dueWords = setOf(`deadline due effective valid expires expiry ends end starts start begins term terms applies launch launches opens closes release
		meeting event departure arrival frist gültig`)
	stateWords = setOf(`stock available unavailable availability sold out backorder preorder pre-order waitlist notify discontinued in-stock out-of-stock restocked
		open opened closed closes cancelled canceled postponed rescheduled delayed confirmed full filled expired ended active inactive paused suspended
		operational outage degraded disruption resolved investigating identified monitoring maintenance incident down offline online up healthy unhealthy
			partial major minor critical
		released deprecated stable beta alpha draft final approved rejected pending shipped free paid new removed retired archived locked solved unsolved
			accepted answered verified
		registration applications enrolment tickets limited last verfügbar ausverkauft lieferbar geschlossen geöffnet abgesagt verschoben épuisé disponible
			indisponible annulé agotado cancelado`)
)

// state reports whether a word says in what state something is.
func isState(lower string) bool { return stateWords[lower] }

// noiseText says why a text is noise by how it begins: "Sponsored: …", "Quote of the day: …".
func noiseText(text string) string {
	if len(text) > 600 {
		return ""
	}
	lower := strings.ToLower(text[:min(len(text), 60)])
	for _, mark := range []string{"[ad]", "(ad)", "ad:", "ad ·", "ad -", "[sponsored]", "sponsored ", "advertisement ", "promoted ", "anzeige ", "werbung "} {
		if strings.HasPrefix(lower, mark) {
			return noiseAdvert
		}
	}
	if isCookieNotice(text) {
		return noiseOverlay
	}
	i := strings.IndexAny(lower, ":-·|")
	if i <= 0 {
		return ""
	}
	head := lower[:i]
	if reason := noiseHeading(strings.TrimSpace(head)); reason != "" && strings.Count(head, " ") <= 5 {
		return reason
	}
	switch strings.TrimSpace(head) {
	case "sort", "sort by", "sorted by", "order by", "view as", "theme", "display", "show": // how the page is set
		return noiseRotation
	}
	if strings.HasPrefix(head, "weather") || strings.HasPrefix(head, "tip ") || strings.TrimSpace(head) == "tip" && len(text) < 200 {
		return noiseRotation
	}
	return ""
}

// isCookieNotice reports whether a short text asks for consent to cookies.
func isCookieNotice(text string) bool {
	if len(text) > 240 {
		return false
	}
	lower := strings.ToLower(text)
	if first, _, _ := strings.Cut(lower, ". "); !strings.Contains(lower, "cookies") || !strings.Contains(first, "cookie") && !strings.Contains(first, "privacy") {
		return false
	}
	for _, said := range []string{"use", "store", "we and our", "help us", "accept", "consent", "privacy", "verwende", "utilis", "utiliza", "setz"} {
		if strings.Contains(lower, said) {
			return true
		}
	}
	return false
}
