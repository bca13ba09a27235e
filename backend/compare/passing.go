package compare

import (
	"slices"
	"strings"
	"time"
)

// lens is how the blocks of a page are read for a comparison.
type lens struct {
	language string
	at       time.Time
	// watched are the words of focus, which say what is watched: what they name never passes.
	watched map[string]bool
	focus   *focus
}

// passing marks the tokens of a block that differ by when, where and by whom a page is asked for.
type passing struct {
	lens   *lens
	text   string
	in     []token
	marked []bool
	proven bool // its label says that what looks drawn by lot is of the thing: a checksum, a serial number
}

// read makes the tokens of a text with what passes marked as such. Label is what names it: its row, column or term.
func (l *lens) read(text, label string) []token {
	p := &passing{lens: l, text: text, in: tokensOf(text, l.language)}
	if len(p.in) == 0 {
		return p.in
	}
	p.marked = make([]bool, len(p.in))
	if p.proof() || isGreeting(text) {
		return []token{{kind: tokenPassing, norm: "~", begin: 0, end: len(text)}}
	}
	p.byLabel(label)
	p.relative()
	p.clocks()
	p.speeds()
	p.counters()
	p.crowds()
	p.measures()
	p.instruments()
	p.ids()
	p.rest()
	p.openings()
	return p.collapse()
}

func (p *passing) mark(from, to int) {
	for i := max(from, 0); i < min(to, len(p.in)); i++ {
		p.marked[i] = true
	}
}

func (p *passing) lower(i int) string {
	if i < 0 || i >= len(p.in) {
		return ""
	}
	if p.in[i].kind == tokenSign {
		return p.in[i].norm
	}
	return p.in[i].lower
}

func (p *passing) kind(i int) tokenKind {
	if i < 0 || i >= len(p.in) {
		return tokenSign
	}
	return p.in[i].kind
}

// proof reads what a short text tells of how many others are there, sentence by sentence, and reports whether there is nothing else in it.
func (p *passing) proof() bool {
	if len(p.in) > 24 || p.lens.watched["viewing"] {
		return false
	}
	proven, other := false, false
	for i := 0; i < len(p.in); {
		end := i
		for end < len(p.in) && !isSentenceEnd(p.in[end].norm) {
			end++
		}
		if p.isProof(i, end) {
			proven = true
			p.mark(i, end)
		} else {
			other = other || slices.ContainsFunc(p.in[i:end], func(t token) bool { return tokenTypes[t.kind] != "" || isState(t.lower) })
		}
		i = end + 1
	}
	return proven && !other
}

func isSentenceEnd(sign string) bool {
	return sign == "." || sign == "!" || sign == "?" || sign == "·" || sign == "|" || sign == ";"
}

// isProof reports whether a sentence tells how many others are there.
func (p *passing) isProof(from, to int) bool {
	if from >= to {
		return false
	}
	verb, span, number := false, false, false
	for i := from; i < to; i++ {
		if p.in[i].kind == tokenMoney {
			return false
		}
		verb, span, number = verb || proofVerbs[p.in[i].lower], span || proofSpans[p.in[i].lower], number || p.in[i].kind == tokenNumber
	}
	if verb && span && number && to-from <= 16 {
		return true
	}
	lower := strings.ToLower(p.text[p.in[from].begin:p.in[to-1].end])
	for _, phrase := range proofPhrases {
		if strings.Contains(lower, phrase) {
			for i := from; i < to; i++ {
				if k := p.in[i].kind; k == tokenNumber || crowdWords[p.in[i].lower] || p.in[i].lower == "just" {
					return true
				}
			}
		}
	}
	return false
}

func isGreeting(text string) bool {
	if len(text) > 60 {
		return false
	}
	lower := strings.ToLower(text)
	for _, greeting := range greetings {
		if rest, ok := strings.CutPrefix(lower, greeting); ok && (rest == "" || strings.ContainsAny(rest[:1], ",!.:;") || strings.Count(rest, " ") <= 2) {
			return true
		}
	}
	return false
}

// byLabel marks what a label says is counted or timed.
func (p *passing) byLabel(label string) {
	if label == "" || len(label) > 60 {
		return
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(strings.ReplaceAll(label, "-", "")), func(r rune) bool { return !isWordRune(r) }) {
		p.proven = p.proven || proofOfID[word]
	}
	words := strings.FieldsFunc(strings.ToLower(label), func(r rune) bool { return !isWordRune(r) })
	if len(words) == 0 || len(words) > 4 {
		return
	}
	last, clock := false, false
	for i, word := range words {
		if p.lens.watched[word] {
			return
		}
		last = last || word == "last"
		clock = clock || updateWords[word] || last && i > 0 && lastWords[word] || (nowWords[word] || word == "server" ||
			word == "local") && i+1 < len(words) && clockNouns[words[i+1]] ||
			len(words) == 1 && (word == "now" || word == "clock")
		if !p.hasRate() && (counterNouns[word] || presentWords[word] && len(words) <= 3 && crowdWords[words[0]]) && i >= len(words)-2 || cartWords[word] && len(words) <= 3 {
			p.markKinds(tokenNumber, tokenMoney)
		}
		if idWords[word] || hostWords[word] && len(words) <= 2 && (!placeWords[word] || len(words) == 1) {
			p.markCoded()
		}
		if speedWords[word] && len(words) <= 3 && p.hasSpeed() {
			p.markKinds(tokenNumber)
		}
	}
	if clock {
		p.markKinds(tokenDate, tokenTime)
	}
}

// hasRate reports whether a text says how much there is in a span of time: "1,000 per month".
func (p *passing) hasRate() bool {
	for i := range p.in {
		if lower := p.lower(i); (lower == "per" || lower == "/" || lower == "a" || lower == "pro") && timeUnits[p.lower(i+1)] {
			return true
		}
	}
	return false
}

func (p *passing) hasSpeed() bool {
	for i := range p.in {
		if speedUnits[p.in[i].lower] {
			return true
		}
	}
	return false
}

func (p *passing) markKinds(kinds ...tokenKind) {
	for i := range p.in {
		for _, kind := range kinds {
			if p.in[i].kind == kind {
				p.marked[i] = true
			}
		}
	}
}

// markCoded marks words that have digits: names of machines, sessions.
func (p *passing) markCoded() {
	for i := range p.in {
		if p.isCoded(i) {
			p.marked[i] = true
		}
	}
}

func (p *passing) isCoded(i int) bool {
	if i >= len(p.in) {
		return false
	}
	t := &p.in[i]
	return t.kind == tokenID || t.kind == tokenNumber || t.kind == tokenWord && strings.ContainsAny(t.norm, "0123456789") ||
		t.kind == tokenVersion && strings.Contains(t.norm, "-")
}

// amount reads how long something is from i on, "2 days 4 hours", and returns where it ends; i itself where nothing is said.
func (p *passing) amount(i int) int {
	end := i
	for j := i; j < len(p.in); {
		for aboutWords[p.lower(j)] {
			j++
		}
		t := p.kind(j)
		switch {
		case t == tokenNumber && timeUnits[p.lower(j+1)]:
			j += 2
		case t == tokenNumber && p.in[j].unit == "" && len(p.in[j].norm) > 1 && p.in[j].norm[len(p.in[j].norm)-1] == 'm':
			j++ // 5m
		case someWords[p.lower(j)] && timeUnits[p.lower(j+1)]:
			j += 2
		case (p.lower(j) == "half" || p.lower(j) == "quarter") && (someWords[p.lower(j+1)] && timeUnits[p.lower(j+2)] || p.lower(j+1) == "of" && someWords[p.lower(j+2)]):
			j += 3
		case someWords[p.lower(j)] && someWords[p.lower(j+1)] && timeUnits[p.lower(j+2)]:
			j += 3
		default:
			return end
		}
		end = j
		if p.lower(j) == "," || p.lower(j) == "and" || p.lower(j) == "und" || p.lower(j) == "et" {
			j++
		}
	}
	return end
}

// relative marks times that are told from now: "5 minutes ago", "in 3 days", "2 d 4 h left", "just now".
func (p *passing) relative() {
	for i := range p.in {
		lower := p.lower(i)
		if lower == "" {
			lower = p.in[i].norm
		}
		p.countdown(i)
		switch end := p.amount(i); {
		case end > i && (agoAfter[p.lower(end)] || leftWords[p.lower(end)] || p.lower(end) == "to" && p.lower(end+1) == "go" ||
			p.lower(end) == "until" || p.lower(end) == "away" || p.lower(end) == "old" && p.isAlone(i, end+1)):
			p.mark(i, end+1)
		case end > i && i > 0 && (agoBefore[p.lower(i-1)] || p.lower(i-1) == "a" && p.lower(i-2) == "y"):
			p.mark(i-1, end)
			if p.lower(i-1) == "a" {
				p.mark(i-3, end)
			}
		case end > i+2 && p.lower(i-1) == "within" && p.isClock(i, end): // hours and minutes count down
			p.mark(i, end)
		case end > i && (p.lower(i-1) == "next" && p.lower(i-2) == "the" || (p.lower(i-1) == "within" || p.lower(i-1) == "in") && p.isReply(i)) && p.isClock(i, end):
			p.mark(i, end)
		case end > i && p.lower(i-1) == "in" && !p.isSupply(i-2):
			p.mark(i-1, end)
		case end > i && i > 0 && (deadlines[p.lower(i-1)] || p.lower(i-1) == ":" && deadlines[p.lower(i-2)]):
			p.mark(i, end)
		case dayWords[lower] && p.in[i].kind == tokenWord, (lower == "last" || lower == "next" || lower == "this") && relativeUnits[p.lower(i+1)]:
			end := i + 1
			if !dayWords[lower] {
				end++
			}
			for j := end; j < min(end+3, len(p.in)) && dayWords[lower]; j++ {
				if weekdays[p.lower(j)] {
					end = j + 1
				} else if !linkVerbs[p.lower(j)] && p.kind(j) != tokenSign {
					break
				}
			}
			for j := end; j < min(end+3, len(p.in)) && (p.kind(j) == tokenTime || p.kind(j) == tokenSign || glueWords[p.lower(j)]); j++ {
				if p.kind(j) == tokenTime {
					end = j + 1
				}
			}
			p.mark(i, end)
		case (lower == "open" || lower == "closed") && p.lower(i+1) == "now", lower == "jetzt" && (p.lower(i+1) == "geöffnet" || p.lower(i+1) == "geschlossen"):
			p.mark(i, i+2)
		case lower == "just" && p.lower(i+1) == "now", lower == "right" && p.lower(i+1) == "now", lower == "moments" && p.lower(i+1) == "ago",
			lower == "gerade" && p.lower(i+1) == "eben":
			p.mark(i, i+2)
		}
	}
}

// countdown marks what runs down to the second, and a bare "3h" after a sign in the middle of a line, as is said beside a name.
func (p *passing) countdown(i int) {
	end := p.amount(i)
	if end == i {
		return
	}
	units := 0
	for j := i; j < end; j++ {
		if p.kind(j) == tokenNumber {
			units++
		}
	}
	if units >= 3 && p.isAlone(i, end) {
		p.mark(i, end)
		return
	}
	// "3h" is a number and a letter without white space between.
	if isAside := i > 1 && (p.lower(i-1) == "·" || p.lower(i-1) == "•") && (end == len(p.in) || isBreak(p.in[end].norm)); isAside && end == i+2 && p.in[i].end == p.in[i+1].begin {
		for j := range i {
			if spanWords[p.lower(j)] {
				return
			}
		}
		p.mark(i, end)
	}
}

// isReply reports whether a text says before i that somebody answers.
func (p *passing) isReply(i int) bool {
	return slices.ContainsFunc(p.in[:i], func(t token) bool { return replyWords[t.lower] })
}

// isClock reports whether how long something is, is said in hours and minutes.
func (p *passing) isClock(i, end int) bool {
	for ; i < end; i++ {
		if lower := p.lower(i); timeUnits[lower] && len(lower) > 0 && lower[0] == 'm' && lower != "month" && lower != "months" && lower != "mo" {
			return true
		}
	}
	return false
}

// isAlone reports whether tokens from i to end are all there is.
func (p *passing) isAlone(i, end int) bool { return i == 0 && end >= len(p.in) }

// isSupply reports whether what comes within a few words before is about how long something takes.
func (p *passing) isSupply(i int) bool {
	for j := i; j >= 0 && j > i-4; j-- {
		if supplyWords[p.lower(j)] {
			return true
		}
	}
	return false
}

// clocks marks times that are of the page, and not of what it tells of.
func (p *passing) clocks() {
	for i := range p.in {
		t := &p.in[i]
		switch lower := p.lower(i); {
		case t.kind == tokenTime && strings.Count(t.norm, ":") == 2:
			p.stamp(i)
		case t.kind == tokenDate && len(t.norm) > len("2006-01-02") && !strings.HasSuffix(t.norm, ":00Z"):
			p.mark(i, i+1)
		case lower == "last" && lastWords[p.lower(i+1)]:
			p.timesAfter(i + 2)
		case updateWords[lower] && !p.lens.watched[lower]:
			p.timesAfter(i + 1)
		case lower == "as" && p.lower(i+1) == "of":
			p.timesAfter(i + 2)
		case lower == "©" || lower == "copyright":
			for j := i + 1; j < min(i+5, len(p.in)); j++ {
				if p.in[j].kind == tokenNumber {
					p.mark(j, j+1)
				}
			}
		case (nowWords[lower] || ownWords[lower]) && (clockNouns[p.lower(i+1)] || p.lower(i+1) == ":" || p.lower(i+1) == "is"),
			clockNouns[lower] && p.lower(i+1) == "now", lower == "now" && p.kind(i+1) == tokenTime:
			p.timesAfter(i + 1)
		}
	}
	p.byCapture()
}

// stamp marks a time with its date, if that is beside it.
func (p *passing) stamp(i int) {
	p.mark(i, i+1)
	for j := i - 1; j >= max(0, i-5); j-- {
		if p.in[j].kind == tokenDate || weekdays[p.lower(j)] {
			p.mark(j, i)
		} else if p.in[j].kind != tokenSign && !glueWords[p.lower(j)] {
			break
		}
	}
}

// timesAfter marks the date and the time that follow, but for a few words between.
func (p *passing) timesAfter(i int) {
	for j, skipped := i, 0; j < len(p.in) && skipped <= 3; j++ {
		switch k := p.in[j].kind; {
		case k == tokenDate || k == tokenTime || weekdays[p.lower(j)] || p.marked[j]:
			p.mark(j, j+1)
			skipped = 0
		case k == tokenSign && p.in[j].norm != "." || glueWords[p.lower(j)]:
		case dueWords[p.lower(j)]:
			return
		default:
			skipped++
		}
	}
}

// byCapture marks a text of nothing but a date and a time where it is when the page was read.
func (p *passing) byCapture() {
	var date, clock string
	for i := range p.in {
		switch t := &p.in[i]; {
		case t.kind == tokenDate && len(t.norm) == len(time.DateOnly):
			date = t.norm
		case t.kind == tokenTime:
			clock = t.norm
		case t.kind == tokenSign, weekdays[p.lower(i)], glueWords[p.lower(i)]:
		default:
			return
		}
	}
	if date == "" || p.lens.at.IsZero() {
		return
	}
	shown, err := time.Parse(time.DateOnly+" 15:04", date+" "+(clock + "12:00")[:5])
	if clock == "" {
		shown, err = time.Parse(time.DateOnly, date)
		shown = shown.Add(12 * time.Hour)
	}
	if err == nil && shown.Sub(p.lens.at).Abs() < 26*time.Hour {
		p.mark(0, len(p.in))
	}
}

// isMade reports whether a text says before i that a page was made.
func (p *passing) isMade(i int) bool {
	return slices.ContainsFunc(p.in[:i], func(t token) bool { return t.lower == "generated" || t.lower == "rendered" })
}

// speeds marks how long a page took: "generated in 0.03 s".
func (p *passing) speeds() {
	for i := range p.in {
		if p.lower(i) == "queries" && p.kind(i-1) == tokenNumber && p.isMade(i) {
			p.mark(i-1, i)
		}
		if p.in[i].kind != tokenNumber || !speedUnits[p.lower(i+1)] {
			continue
		}
		for j := i - 1; j >= max(0, i-5); j-- {
			if speedWords[p.lower(j)] {
				p.mark(i, i+2)
			}
		}
	}
}

// ids marks what looks drawn by lot, and what is said to be a session, a request or a machine.
func (p *passing) ids() {
	for i := range p.in {
		lower := p.lower(i)
		switch t := &p.in[i]; {
		case lower == "ip" && !p.lens.watched["ip"] && (p.lower(i-1) == "your" || p.lower(i-1) == "from" || i == 0 && p.kind(i+2) == tokenVersion):
			for j := i + 1; j < min(i+5, len(p.in)); j++ {
				if p.in[j].kind == tokenVersion {
					p.mark(j, j+1)
				}
			}
		case t.kind == tokenNumber && p.lower(i-1) == "build" && len(t.norm) >= 8:
			p.mark(i, i+1)
		case t.kind == tokenID && !p.proven && !p.isProofOfID(i) && (isUUID(t.norm) || len(t.norm) >= 12 || p.saysID(i)):
			p.mark(i, i+1)
		case (idWords[lower] || hostWords[lower]) && !p.lens.watched[lower]:
			for j := i + 1; j < min(i+4, len(p.in)); j++ {
				if p.in[j].kind == tokenNumber && !idWords[lower] && p.lower(j-1) != "#" {
					break
				}
				if p.isCoded(j) {
					p.mark(j, j+1)
					break
				} else if p.in[j].kind == tokenWord && p.lower(j) != "id" && p.lower(j) != "by" && p.lower(j) != "number" && !hostWords[p.lower(j)] {
					break
				}
			}
		}
	}
}

func (p *passing) saysID(i int) bool {
	for j := i - 1; j >= max(0, i-4); j-- {
		if lower := p.lower(j); idWords[lower] || lower == "id" || lower == "ref" || lower == "token" || lower == "build" {
			return true
		}
	}
	return false
}

func (p *passing) isProofOfID(i int) bool {
	for j := i - 1; j >= max(0, i-3); j-- {
		if proofOfID[strings.ReplaceAll(p.lower(j), "-", "")] {
			return true
		}
	}
	return false
}

// rest marks carts, and the number that a title begins with where something is unread.
func (p *passing) rest() {
	if len(p.in) > 3 && p.in[0].norm == "(" && p.in[1].kind == tokenNumber && p.in[2].norm == ")" {
		p.mark(0, 3)
	}
	if len(p.in) > 9 {
		return
	}
	for i := range p.in {
		if cartWords[p.lower(i)] && p.lower(i-1) != "to" {
			p.markKinds(tokenNumber, tokenMoney)
		}
	}
}

// collapse puts what passes beside each other into one token, so that "just now" is "5 minutes ago".
func (p *passing) collapse() []token {
	out := p.in[:0]
	for i := 0; i < len(p.in); i++ {
		if !p.marked[i] {
			out = append(out, p.in[i])
			continue
		}
		t := token{kind: tokenPassing, norm: "~", begin: p.in[i].begin, end: p.in[i].end}
		for j := i + 1; j < len(p.in) && j <= i+4; j++ {
			if p.marked[j] {
				t.end, i = p.in[j].end, j
			} else if p.in[j].kind != tokenSign && !glueWords[p.lower(j)] && !weekdays[p.lower(j)] {
				break
			}
		}
		// A zone after a clock belongs to it.
		if i+1 < len(p.in) && (p.lower(i+1) == "utc" || p.lower(i+1) == "gmt" || p.lower(i+1) == "z") {
			i++
			t.end = p.in[i].end
		}
		out = append(out, t)
	}
	return out
}
