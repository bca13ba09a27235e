package compare

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// counters marks numbers of views, visitors, likes and the like.
func (p *passing) counters() {
	for i := range p.in {
		lower := p.lower(i)
		isNoun := counterNouns[lower] || lower == "here" && p.lower(i+1) == "now" ||
			presentWords[lower] && (crowdWords[p.lower(i-1)] || p.kind(i-1) == tokenNumber && len(p.in) <= 6)
		if isNoun && !p.lens.watched[lower] && !p.isLimit(i) {
			for j := i - 1; j >= max(0, i-3); j-- {
				if p.in[j].kind == tokenNumber {
					p.mark(j, j+1)
					break
				} else if p.in[j].kind == tokenSign {
					break
				}
			}
			p.numberAfter(i + 1)
			p.periods()
			p.stars(lower)
		}
		if len(p.in) <= 8 && likeWords[lower] && !p.lens.watched[lower] && p.kind(i+1) == tokenNumber {
			p.mark(i+1, i+2)
		}
		if p.kind(i+1) == tokenNumber &&
			(likeSigns[p.in[i].norm] || starSigns[p.in[i].norm] && len(p.in[i+1].norm) > 1 && isCount(p.in[i+1].norm)) && p.in[i].kind == tokenSign {
			p.mark(i+1, i+2)
		} else if p.in[i].norm == "★" && p.kind(i+1) == tokenNumber && isCount(p.in[i+1].norm) && slices.Contains(p.marked, true) {
			p.mark(i+1, i+2) // stars beside what is counted are counted as well
		}
		if (raisedWords[lower] && p.kind(i-1) == tokenMoney || fundedWords[lower] && p.kind(i-1) == tokenPercent) && !p.lens.watched[lower] {
			p.mark(i-1, i)
		}
		if p.in[i].kind == tokenSign && isPictograph(p.in[i].norm) && p.kind(i+1) == tokenNumber && isCount(p.in[i+1].norm) {
			p.mark(i+1, i+2)
		}
		if counterVerbs[lower] && p.kind(i+1) == tokenNumber && timesWords[p.lower(i+2)] {
			p.mark(i+1, i+2)
		}
	}
}

// isLimit reports whether a count is of what is allowed or included, and not of what was counted: "up to 12 members", "100 requests
// per minute".
func (p *passing) isLimit(noun int) bool {
	if next := p.lower(noun + 1); next == "per" || next == "a" || next == "each" || next == "every" || next == "/" && (timeUnits[p.lower(noun+2)] || p.lower(noun+2) == "second") ||
		next == "pro" || next == "max" || next == "maximum" {
		return true
	}
	for j := noun - 1; j >= max(0, noun-5) && !isBreak(p.in[j].norm); j-- {
		if limitWords[p.lower(j)] {
			return true
		}
	}
	return false
}

var (
	likeWords  = setOf(`like share tweet upvote repost retweet`)
	limitWords = setOf(`up maximum max most least minimum limit limited includes included including allows allow allowed sleeps seats holds bis maximal`)
)

// helpWords ask whether a page was of any help.
var helpWords = setOf(`helpful useful hilfreich nützlich utile útil nuttig servi`)

// isPoll reports whether a text is a poll: it counts votes, or asks a question and has shares that make a hundred.
func isPoll(text string) bool {
	for _, votes := range []string{" votes", " Stimmen", " votos", " voix", " voti", " stemmen"} {
		if strings.Contains(text, votes) {
			return true
		}
	}
	_, answers, asked := strings.Cut(text, "?")
	return asked && strings.Count(answers, "%") >= 2 && isWhole(answers)
}

// isWhole reports whether the shares in a text make a hundred, give or take what rounding does.
func isWhole(text string) bool {
	sum, shares := 0.0, 0
	for _, t := range tokensOf(text, "") {
		if t.kind == tokenPercent {
			share, err := strconv.ParseFloat(t.norm, 64)
			if err != nil {
				return false
			}
			sum, shares = sum+share, shares+1
		}
	}
	return shares >= 2 && sum >= 98 && sum <= 102
}

// pollWords are how polls are headed.
var pollWords = setOf(`poll polls umfrage abstimmung sondage encuesta sondaggio enquête enquete peiling ankieta omröstning afstemning vote`)

// passPercents has shares pass, as those of votes do beside their count.
func passPercents(tokens []token) {
	for i := range tokens {
		if tokens[i].kind == tokenPercent {
			tokens[i].kind, tokens[i].norm, tokens[i].unit = tokenPassing, "~", ""
		}
	}
}

// periods marks the numbers in a short text of what was counted by the day: "Visitors today: 412, yesterday: 391".
func (p *passing) periods() {
	for i := range p.in {
		if periodWords[p.lower(i)] && len(p.in) <= 16 {
			p.numberAfter(i + 1)
		}
	}
}

// stars marks how good something was found by so many: "4.5 out of 5 (912 reviews)".
func (p *passing) stars(noun string) {
	if len(p.in) > 14 || !ratedNouns[noun] {
		return
	}
	for i := range p.in {
		if whole, _, ok := strings.Cut(p.in[i].norm, "."); ok && p.kind(i) == tokenNumber && len(whole) == 1 {
			p.mark(i, i+1)
		}
	}
}

var ratedNouns = setOf(`reviews review ratings rating bewertungen avis reseñas recensioni customers`)

// openings marks a text of nothing but whether it is open now, and until or from when.
func (p *passing) openings() {
	if len(p.in) > 14 || p.lens.watched["open"] || p.lens.watched["opening"] || p.lens.watched["hours"] || p.lens.watched["closed"] {
		return
	}
	state, verb, now, own, clock, parted := false, false, false, false, false, false
	for i := range p.in {
		t, lower := &p.in[i], p.lower(i)
		switch {
		case p.marked[i] || t.kind == tokenTime || t.kind == tokenNumber && i > 0:
			clock = clock || t.kind == tokenTime || t.kind == tokenNumber || timeUnits[lower] || dayWords[lower]
			now = now || lower == "now"
		case weekdays[lower] && (openStates[p.lower(i-1)] || glueWords[p.lower(i-1)] && openStates[p.lower(i-2)]):
			return // a day on which it is always so
		case t.kind == tokenSign || weekdays[lower] || glueWords[lower] || dayWords[lower] || timeUnits[lower]:
		case t.kind == tokenWord && (openingWords[lower] || openStates[lower] || openVerbs[lower] || openNow[lower]):
		default:
			return
		}
		parted = parted || state && t.kind == tokenSign
		state, verb = state || openStates[lower], verb || openVerbs[lower]
		now, own = now || lower == "now" || lower == "currently" || openNow[lower], own || lower == "we" || lower == "we're"
	}
	if state && (now && (own || p.lower(0) != "currently") || verb && clock && parted) {
		p.mark(0, len(p.in))
	}
}

// Words of whether it is open.
var (
	openStates = setOf(`open closed geöffnet geschlossen ouvert fermé abierto cerrado aperto chiuso gesloten aberto fechado`)
	openVerbs  = setOf(`opens closes öffnet schließt ouvre ferme abre cierra apre chiude opent sluit fecha reopens`)
	openNow    = setOf(`jetzt maintenant ahora adesso nu agora actuellement momentan`)
	// openingWords are the others.
	openingWords = setOf(`until bis jusqu'à hasta fino tot opening closing now currently we are we're till from again wieder soon las alle heures est`)
)

var (
	// saidOfThis are what readers do with a page: "12 writers like this".
	saidOfThis = setOf(`like likes liked love loved share shared recommend recommended bookmarked`)
	// replies are what one answers to whether a page was of help.
	replies = setOf(`yes no ja nein oui non sí si nee sim não`)
)

// isReplies reports whether a text says no more than how many answered yes, or no: "Yes (12)".
func (p *passing) isReplies() bool {
	return len(p.in) == 4 && replies[p.lower(0)] && p.in[1].norm == "(" && p.kind(2) == tokenNumber && p.in[3].norm == ")"
}

// crowds marks the numbers of a sentence of a short text that says what others did: "37 of 180 readers found this helpful".
func (p *passing) crowds() {
	if len(p.in) > 18 || slices.ContainsFunc(p.in, func(t token) bool { return p.lens.watched[t.lower] }) {
		return
	}
	polled := isPoll(p.text)
	if p.isReplies() {
		p.mark(2, 3)
	}
	if strings.Contains(p.text, "?") && slices.ContainsFunc(p.in, func(t token) bool { return helpWords[t.lower] }) {
		p.markKinds(tokenNumber, tokenPercent)
	}
	for from := 0; from < len(p.in); {
		to := from
		crowd, verb := polled, polled
		for ; to < len(p.in) && !isSentenceEnd(p.in[to].norm); to++ {
			lower := p.lower(to)
			crowd = crowd || crowdWords[lower] && p.kind(to-1) != tokenSign
			verb = verb || crowdVerbs[lower]
			isOfThis := p.kind(from) == tokenNumber && (helpWords[lower] || lower == "this" && saidOfThis[p.lower(to-1)])
			if isOfThis || lower == "helpful" || p.in[to].kind == tokenNumber && to == from && (crowdWords[p.lower(to+1)] || crowdWords[p.lower(to+2)]) {
				crowd, verb = true, true
			}
		}
		// "2,387 letters sent today"
		last := p.lower(to - 1)
		isOfDay := p.kind(from) == tokenNumber && to-from >= 3 && to-from <= 8 && todayWords[last]
		if isOfDay || to-from <= 10 && (last == "far" && p.lower(to-2) == "so" || last == "counting" || last == "bisher") {
			crowd, verb = true, !slices.ContainsFunc(p.in[from:to], func(t token) bool { return isState(t.lower) })
		}
		if slices.ContainsFunc(p.in[from:to], func(t token) bool { return limitWords[t.lower] && t.lower != "up" && t.lower != "least" }) {
			crowd = false
		}
		for i := from; i < to && crowd && verb; i++ {
			if p.in[i].kind == tokenNumber || p.in[i].kind == tokenPercent {
				p.mark(i, i+1)
			}
		}
		from = to + 1
	}
}

// measures marks what instruments and markets say: the weather now, a quotation that rose, a rate of exchange.
func (p *passing) measures() {
	p.rates()
	if len(p.in) <= measuredMax {
		p.measured()
		return
	}
	for from := 0; from < len(p.in); {
		to := from
		for to < len(p.in) && !isSentenceEnd(p.in[to].norm) {
			to++
		}
		if to-from <= measuredMax {
			sentence := &passing{lens: p.lens, text: p.text, in: p.in[from:to], marked: p.marked[from:to]}
			sentence.measured()
		}
		from = to + 1
	}
}

// measuredMax bounds the tokens of what instruments and markets say.
const measuredMax = 28

// measured marks what is measured in a short text, or in a sentence of a longer one.
func (p *passing) measured() {
	if len(p.in) == 0 {
		return
	}
	weather, unit, arrow, degrees, waits, sky, market, queue := false, false, false, false, false, false, false, false
	for i := range p.in {
		lower := p.lower(i)
		if p.lens.watched[lower] {
			return
		}
		weather = weather || weatherWords[lower]
		unit = unit || weatherUnits[lower] || p.kind(i) == tokenPercent || lower == "km" && p.lower(i+1) == "/" || lower == "m" && p.lower(i+1) == "/"
		degrees = degrees || p.in[i].kind == tokenNumber && isDegreesAt(p, i+1)
		arrow = arrow || lower == "▲" || lower == "▼" || lower == "⬆" || lower == "⬇"
		sky, market = sky || skyWords[lower] || lower == "air" && p.lower(i+1) == "quality", market || marketWords[lower] || isPair(p, i)
		queue = queue || lower == "queue" || lower == "line" && p.lower(i-1) == "in" || lower == "warteschlange"
		waits = waits || waitWords[lower]
		if waits && p.in[i].kind == tokenNumber && timeUnits[p.lower(i+1)] && len(p.in) <= 14 {
			p.mark(i, i+1)
		}
	}
	if queue && len(p.in) <= 12 && slices.ContainsFunc(p.in, func(t token) bool { return queueWords[t.lower] }) {
		p.markKinds(tokenNumber)
	}
	p.quotes()
	if slices.ContainsFunc(p.in, func(t token) bool { return ruleWords[t.lower] }) {
		weather = false
	}
	if weather && degrees {
		p.weather()
	}
	if sky {
		p.markKinds(tokenNumber, tokenTime, tokenPercent)
	}
	if market {
		p.markKinds(tokenNumber, tokenPercent, tokenMoney)
	}
	if len(p.in) > 14 {
		return
	}
	if weather && unit || arrow {
		p.markKinds(tokenNumber, tokenPercent)
		for i := range p.in {
			if compassWords[p.lower(i)] && weather {
				p.mark(i, i+1)
			}
		}
	}
	if arrow {
		p.markKinds(tokenMoney, tokenSign)
	}
}

// Words beside a number in a queue, and in what is no report of the weather but a rule.
var (
	queueWords = setOf(`number no position place people persons person ahead before front waiting wait minutes minute nummer platz personen vor`)
	ruleWords  = setOf(`store stored keep bake baked wash washed serve served cook cooked heat oven iron up maximum minimum least most withstands bears rated lagern
		waschen backen preheat tumble cool angle rotate rotates turn turns tilt tilts operating operates comfort sleeping four waschbar gas`)
)

// isPair reports whether a token begins a pair of currencies: "EUR/USD".
func isPair(p *passing, i int) bool {
	return currencies[p.in[i].norm] != "" && p.lower(i+1) == "/" && i+2 < len(p.in) && (currencies[p.in[i+2].norm] != "" || p.in[i+2].kind == tokenMoney)
}

// quotes marks what a share is quoted at: after its symbol, up to by how much it rose or fell.
func (p *passing) quotes() {
	for i := range p.in {
		if k := p.kind(i + 1); len(p.in[i].norm) > 5 || !isSymbol(p.in[i].norm) || k != tokenNumber && k != tokenMoney {
			continue
		}
		for j := i + 2; j < min(i+5, len(p.in)); j++ {
			if t := &p.in[j]; t.kind == tokenPercent && (strings.HasPrefix(t.norm, "-") || p.lower(j-1) == "+" || p.lower(j-1) == "-") {
				p.mark(i+1, j+1)
			}
		}
	}
}

// isSymbol reports whether a word is of capitals alone.
func isSymbol(word string) bool {
	for i := range len(word) {
		if !isCapital(word[i]) {
			return false
		}
	}
	return len(word) >= 2
}

// weather marks what is said between signs with a word of the weather or degrees in it: "Sunny spells, 7 °C".
func (p *passing) weather() {
	for i := 0; i < len(p.in); i++ {
		end, says := i, false
		for ; end < len(p.in) && !isBreak(p.in[end].norm); end++ {
			says = says || weatherWords[p.lower(end)] || isDegrees(&p.in[end])
		}
		if says && end-i <= 6 {
			p.mark(i, end)
		}
		i = end
	}
	for i := range p.in {
		switch lower := p.lower(i); {
		case weatherWords[lower] || skyDegrees[lower] || isDegrees(&p.in[i]) || p.kind(i) == tokenNumber && (isDegreesAt(p, i+1)) || p.kind(i) == tokenPercent:
			p.mark(i, i+1)
		case (lower == "c" || lower == "f") && p.lower(i-1) == "°":
			p.mark(i, i+1)
		}
	}
}

func isDegreesAt(p *passing, i int) bool { return i < len(p.in) && isDegrees(&p.in[i]) }

// skyDegrees say how much of the weather there is, and from where the wind blows.
var skyDegrees = setOf(`light heavy partly mostly scattered patchy spells occasional moderate strong gentle fresh isolated freezing blowing intervals`)

var compassWords = setOf(`n ne nne ene e se ese sse s sw ssw wsw w nw wnw nnw`)

func isBreak(sign string) bool {
	return sign == "," || sign == "." || sign == "|" || sign == ":" || sign == "·" || sign == ";"
}

// rates marks amounts in a short text that says what one of a currency is in another.
func (p *passing) rates() {
	if len(p.in) > 16 {
		return
	}
	one, units := false, map[string]bool{}
	for i := range p.in {
		if t := &p.in[i]; t.kind == tokenMoney {
			one = one || t.norm == "1"
			units[t.unit] = true
		}
	}
	if one && len(units) > 1 && !p.lens.watched["rate"] {
		p.markKinds(tokenMoney)
	}
}

// isPictograph reports whether a sign is a picture, as of those by which people say what they think.
func isPictograph(sign string) bool {
	r, _ := utf8.DecodeRuneInString(sign)
	return 0x1f300 <= r && r <= 0x1faff
}

func (p *passing) numberAfter(i int) {
	for j := i; j < min(i+4, len(p.in)); j++ {
		switch lower := p.lower(j); {
		case p.in[j].kind == tokenNumber:
			p.mark(j, j+1)
			return
		case lower == ":" || lower == "#" || lower == "(" || lower == "number" || lower == "no" || lower == "count" || lower == "today" ||
			lower == "total" || lower == "nr" || lower == "." || lower == "so" || lower == "far" || lower == "since" || lower == "all" || lower == "time":
		default:
			return
		}
	}
}
