package keyless

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

const (
	// zoneWords is how many words before a value may say what it is, nounWords how many behind a number what it counts.
	zoneWords, nounWords = 9, 3
	// farOff is what each word between what is said and its value takes of its trust, breakOff each mark that parts clauses.
	farOff, breakOff = 0.006, 0.03
	proseBytes       = 800
)

// ofProse are what the sentences of a page say in the ways of the language: a number by the noun behind it or what is before it, a
// date and an amount by the verb that they go with, a name by the role beside it or what was done.
func (f *finder) ofProse(w *want, p placed) []finding {
	kind := w.proseKind()
	if kind == "" {
		return nil
	}
	t := f.asked.telling(w, kind)
	if (p.standing > local) && (kind == "date" || kind == "year") {
		if found, ok := f.lifespan(w, t, p); ok {
			return found
		}
	}
	var out []finding
	sentences := p.sentences
	if p.standing > local {
		for _, name := range p.names {
			sentences = append(sentences[:len(sentences):len(sentences)], sentence{text: ask.Plain(name), around: terms(words(name))})
		}
	}
	for _, s := range sentences {
		if strings.HasSuffix(s.text, "?") || len(s.text) > proseBytes || len(sentences) > manySentences && !t.speaks(s.text) {
			continue
		}
		if !w.qualifiedBy(s.around) && !w.qualifiedBy(withRange(s)) || !f.isOfYear(w, s.text+" "+s.heading, p) {
			continue
		}
		if f.isOthers(w, s, p) || isOthersOwn(s.text) {
			continue
		}
		for _, said := range clearest(t.in(s.text, w, p.page, f.asked)) {
			value, ok := w.proseValue(kind, said.text, p.page)
			if text, isText := value.(string); isText && kind == "number" {
				value = w.withUnit(text, s.text)
			}
			if mineText.MatchString(s.text) {
				said.trust -= 0.1
			}
			if ok && said.trust >= trustMin {
				out = append(out, finding{value, p.source.URL, s.text, said.trust, p.standing})
			}
		}
	}
	return out
}

// mineText matches what somebody says of a thing of his own.
var mineText = regexp.MustCompile(`\b(?:[Mm]ine|[Mm]y|I|I've|I'm)\b`)

// isOthersOwn reports whether somebody says a sentence of another thing of the same sort: "I paid 90 for mine".
func isOthersOwn(text string) bool {
	return strings.HasPrefix(text, "Re: ") || (strings.Contains(text, "mine") || strings.Contains(text, "Mine")) && othersOwn.MatchString(text)
}

var othersOwn = regexp.MustCompile(`\b(?:for|of) mine\b|\b[Mm]ine (?:is|was|has|had|cost|took|weighs?|lasted|runs?|came|needed)\b`)

// clearBy is how much further than the others of its sentence a value is to be trusted.
const clearBy = 0.025

// clearest leaves of the values of a sentence the one that stands out; all where none does, so that they are rivals.
func clearest(all []told) []told {
	if len(all) < 2 {
		return all
	}
	slices.SortStableFunc(all, func(x, y told) int { return cmp.Compare(y.trust, x.trust) })
	for _, other := range all[1:] {
		if other.text != all[0].text {
			if other.trust < all[0].trust-clearBy {
				return all[:1]
			}
			break
		}
	}
	return all
}

// lifespanText matches the days between which somebody lived, as encyclopaedias have them behind the name.
var lifespanText = regexp.MustCompile(`\((?:born |b\. |\* ?)?([^()–—-]{4,30}?)\s?[–—-]\s?(?:died |† ?)?([^()–—-]{4,30}?)\)`)

// lifespan finds when somebody was born and died in the brackets behind the name.
func (f *finder) lifespan(w *want, t *telling, p placed) ([]finding, bool) {
	at := 0
	for _, c := range t.cues {
		switch {
		case slices.Contains(c.keys[0], "birth") && len(c.keys) == 1:
			at = 1
		case slices.Contains(c.keys[0], "death") && len(c.keys) == 1:
			at = 2
		}
	}
	for _, s := range p.sentences[:min(len(p.sentences), leadSentences)] {
		m := lifespanText.FindStringSubmatch(s.text)
		if at == 0 || m == nil {
			continue
		}
		if value, ok := w.typed(t.kind, m[at], p.page); ok {
			return []finding{{value, p.source.URL, s.text, 0.85, p.standing}}, true
		}
	}
	return nil, false
}

func (w *want) proseValue(kind, text string, p *page) (any, bool) {
	switch kind {
	case "list":
		return w.listValue(text)
	case "place", "text", "name", "hours":
		if w.field.Type == "number" || w.field.Type == "integer" {
			return nil, false
		}
		return w.text(text, false)
	}
	return w.typed(kind, text, p)
}

// in are the values that a sentence says.
func (t *telling) in(text string, w *want, p *page, a *asked) []told {
	all := a.without(wordsIn(text))
	if found := t.formulas(text, w, a); len(found) > 0 {
		return found
	}
	switch t.kind {
	case "name":
		return t.names(text, all, w, a)
	case "list", "text", "place", "hours":
		return append(t.phrases(text, all, w, a), t.nouned(text, w, a)...)
	}
	var spans []part
	for _, kind := range map[string][]string{"date": {"date"}, "year": {"year"}, "money": {"money"}, "number": {"number"}}[t.kind] {
		spans = append(spans, parts(text, kind, p.language, w)...)
	}
	if t.kind == "number" {
		spans = slices.DeleteFunc(spans, func(v part) bool { return w.isOther(text, v) || versionText.MatchString(text[:v.start]) })
	}
	if t.kind == "date" && len(spans) == 0 && w.field.Form == "" {
		spans = parts(text, "year", p.language, w)
	}
	var out []told
	if found, ok := t.ranged(text, all, w, p); ok {
		return found
	}
	if t.kind == "date" && len(spans) > 1 && spanText.MatchString(text[spans[0].end:spans[1].start]) {
		if w.isLast() {
			spans = slices.Delete(spans, 0, 1)
		} else {
			spans = slices.Delete(spans, 1, 2)
		}
	}
	for i, v := range spans {
		from, to := 0, len(text)
		if i > 0 {
			from = spans[i-1].end
		}
		if i+1 < len(spans) {
			to = spans[i+1].start
		}
		if trust := t.weigh(text, all, v, from, to, w, len(spans)); trust > 0 {
			out = append(out, told{v.text, trust})
		}
	}
	return out
}

// versionText matches a name before a number that is a part of it: "needs Java 21".
var versionText = regexp.MustCompile(`\p{Ll},? \p{Lu}\p{Ll}+ $`)

// withUnit is a number as a sentence has it, with the unit behind it where the field gets that.
func (w *want) withUnit(number, sentence string) string {
	_, rest, ok := strings.Cut(sentence, number)
	if !ok || strings.Contains(rest, number) {
		return number
	}
	if speed := speedText.FindString(rest); speed != "" && w.unitBehind(" km") != "" {
		return number + speed
	}
	return number + w.unitBehind(rest)
}

// rangeText matches two numbers or dates between which something lies.
var rangeText = regexp.MustCompile(`(?i)\b(from|between) ([€$£]?\d[\w .,€$£]{0,28}?) (to|and|until|till) ([€$£]?\d[\d.,]*(?: (?:euros?|dollars?|pounds?|€|\pL{3,9} \d{4}))?)`)

// sinceText matches what stands before the first day of a time.
var sinceText = regexp.MustCompile(`(?i)\b(?:from|between|since) (?:the )?(?:\pL+day,? (?:the )?)?$`)

// dayRange matches the first day of a time before its last one, which alone has a month.
var dayRange = regexp.MustCompile(`(?i)\b(?:from|between) (?:the )?(?:\pL+day,? )?\d{1,2}(?:st|nd|rd|th)? (?:to|and|until) (?:the )?(?:\pL+day,? )?$`)

// doneWords are fields for when something was finished.
var doneWords = set("completed completion finished")

// spanned reads the first or the last day of a time that a sentence names by both: "from 3 May 2030 to 5 May 2030".
func (t *telling) spanned(text string, w *want, p *page) ([]told, bool) {
	ends := func(idea string) bool {
		return slices.ContainsFunc(t.cues, func(c cue) bool { return slices.Contains(c.keys[len(c.keys)-1], idea) })
	}
	isFirst := ends("/begin/start") || slices.Contains(w.raw, "first")
	isLast := ends("/end/clos") || w.isLast() || slices.ContainsFunc(w.raw, func(word string) bool { return doneWords[word] })
	if isFirst == isLast {
		return nil, false
	}
	found := parts(text, t.kind, p.language, w)
	for _, v := range found {
		if dayRange.MatchString(text[:v.start]) {
			if isLast {
				return []told{{v.text, 0.76}}, true
			}
			return nil, true // "from 3 to 17 March"
		}
	}
	for i, v := range found[:max(0, len(found)-1)] {
		next := found[i+1]
		if !sinceText.MatchString(text[:v.start]) || !spanText.MatchString(text[v.end:next.start]) {
			continue
		}
		if isFirst {
			return []told{{v.text, 0.76}}, true
		}
		return []told{{next.text, 0.76}}, true
	}
	return nil, false
}

// ranged reads the least and the most of a range, or its first and its last day.
func (t *telling) ranged(text string, all []word, w *want, p *page) ([]told, bool) {
	if t.kind == "date" || t.kind == "year" {
		return t.spanned(text, w, p)
	}
	m := rangeText.FindStringSubmatchIndex(text)
	if m == nil {
		return nil, false
	}
	wanted := append(slices.Clone(w.name), w.described...)
	var at int
	switch {
	case slices.Contains(wanted, "minimum"):
		at = 4
	case slices.Contains(wanted, "maximum"):
		at = 8
	default:
		return nil, false
	}
	var before []word
	for _, x := range all {
		if x.end <= m[2] {
			before = append([]word{x}, before...)
		}
	}
	var behind []word
	for _, x := range all {
		if x.start >= m[9] {
			behind = append(behind, x)
		}
	}
	for i, c := range t.cues { // the range says which end is wanted
		t.cues[i].keys = slices.DeleteFunc(slices.Clone(c.keys), func(key []string) bool {
			return slices.Contains([]string{"lowest", "highest", "least", "most"}, key[0])
		})
	}
	t.cues = slices.DeleteFunc(t.cues, func(c cue) bool { return len(c.keys) == 0 })
	trust := max(t.match(before, all, w, 0), t.match(behind[:min(4, len(behind))], all, w, 0)-0.05)
	if trust == 0 {
		return nil, false
	}
	return []told{{strings.TrimRight(text[m[at]:m[at+1]], " .,"), trust}}, true
}

// zones are the words before a value, the nearest first, and those behind it, as far as its clauses and neighbours go.
func zones(all []word, v part, from, to int) (before, behind []word) {
	ends := to
	for _, x := range all {
		switch {
		case x.end <= v.start && x.start >= from:
			if x.breaks == ';' {
				before = nil
			}
			before = append(before, x)
		case x.start >= v.end && x.end <= ends:
			if x.breaks == ';' {
				ends = 0
				continue
			}
			behind = append(behind, x)
		}
	}
	before = before[max(0, len(before)-zoneWords):]
	slices.Reverse(before)
	if at := slices.IndexFunc(before, func(x word) bool { return pronouns[x.lower] }); at > 0 && !between[before[at-1].lower] {
		before = before[:at] // who does it begins a clause; to whom it is done does not
	}
	return before, behind
}

// whenBehind matches what follows a time of which it is said what happened then.
var whenBehind = regexp.MustCompile(`^,? when `)

// weigh is how far a value of a sentence is what is wanted; from and to are where its neighbours of its kind are.
func (t *telling) weigh(text string, all []word, v part, from, to int, w *want, rivals int) float64 {
	before, behind := zones(all, v, from, to)
	near := behind[:min(len(behind), 4)]
	if at := slices.IndexFunc(near, func(x word) bool { return x.breaks != 0 }); at >= 0 && t.kind == "money" && to < len(text) {
		near = near[:at] // what follows is of the next amount: "€21, reduced €9"
	}
	around := termsOfWords(before, near)
	if t.kind == "money" && isFormer(text, v) {
		if wanted := append(slices.Clone(w.name), w.described...); !slices.Contains(wanted, "old") && !slices.Contains(wanted, "listprice") {
			return 0
		}
		around = append(around, "old")
		before = append(before, behind...)
	}
	if t.kind == "money" && !isFormer(text, v) && slices.Contains(w.name, "listprice") && !slices.Contains(terms(words(text[from:v.start])), "listprice") {
		return 0
	}
	if !w.qualifiedBy(around) || len(before) > 1 && before[0].lower == "of" && isOrdinal(before[1].lower) {
		return 0
	}
	if t.kind == "number" {
		before = append(before, unitWord(text, v)...)
		if trust, ok := t.counts(text, all, before, v, from, to, w, nounOf(behind, v, text)); ok {
			return trust
		}
	}
	trust := t.match(before, all, w, v.start)
	if (t.kind == "year" || t.kind == "date") && whenBehind.MatchString(text[v.end:]) {
		trust = max(trust-breakOff, t.match(behind[:min(len(behind), zoneWords)], all, w, 0)-0.02) // "until 1958, when it was sold"
	}
	if t.kind == "year" && trust > 0 && isDay(text, v) {
		trust -= 0.1
	}
	isOf := t.kind == "money" && strings.HasPrefix(text[v.end:], " of ") // "€40 of running costs"
	if trust == 0 && (rivals == 1 || isOf) && !w.isQualifiedIn(before) {
		limit := min(len(behind), zoneWords)
		trust = t.match(behind[:limit], all, w, 0) - 0.06
	}
	if trust == 0 && t.kind == "money" && from > 0 && w.isParted(before) && t.speaks(text[:from]) {
		trust = partedTrust
	}
	if trust > 0 && (t.kind == "number" || t.kind == "money") && w.isFuture(text, from, to, v) {
		trust -= 0.12
	}
	if t.kind == "number" && trust > 0 && w.unit != "" && w.measures(text, v) {
		trust += 0.03
	}
	return trust
}

// counts weighs a number by its unit and the noun that it counts; it reports false where they leave what it is to other words.
func (t *telling) counts(text string, all, before []word, v part, from, to int, w *want, noun []word) (float64, bool) {
	if w.isOfOther(text, v) || w.countsOnly() && w.measures(text, v) {
		return 0, true
	}
	if len(noun) > 0 {
		if trust := t.match(noun, all, w, 0); trust > 0 {
			if w.isLoose(noun) {
				trust = max(trust-looseOff, t.match(before, all, w, 0)-0.02)
			}
			if w.isFuture(text, from, to, v) {
				return trust - 0.14, true
			}
			return trust + 0.02, true
		}
		if !w.measures(text, v) && !isUnitAt(noun[0].lower) && len(noun[0].ideas) > 0 || strings.Contains(text[v.end:noun[0].start], " of ") {
			return 0, true
		}
	}
	return 0, isYear(v.text)
}

// partedTrust is how far an amount is trusted of which only for whom it is stands before it: "Tickets are €21, for students €9".
const partedTrust = 0.72

// isParted reports whether the few words before an amount are all that tells whose it is.
func (w *want) isParted(before []word) bool {
	hard := slices.DeleteFunc(qualifiers(append(slices.Clone(w.name), w.described...)), func(q string) bool { return soft[q] })
	all := termsOfWords(before)
	return len(hard) > 0 && len(before) > 0 && len(before) <= 4 && !slices.ContainsFunc(hard, func(q string) bool { return !slices.Contains(all, q) }) && !w.isQualifiedIn(before)
}

func isUnitAt(lower string) bool { return unitWords[lower] }

// qualifiedBy reports whether terms have all that tells what is wanted from others of its sort.
func (w *want) qualifiedBy(around []string) bool {
	wanted := append(slices.Clone(w.name), w.described...)
	return !slices.ContainsFunc(qualifiers(wanted), func(q string) bool {
		if (q == "minimum" || q == "maximum") && slices.Contains(around, "range") {
			return false
		}
		return !slices.Contains(around, q) && (!soft[q] || slices.Contains(w.name, q))
	})
}

// pronouns begin clauses.
var pronouns = set("it he she they we you i")

// withRange are the terms about a sentence, and that there is a range in it, or an amount that is no longer asked.
func withRange(s sentence) []string {
	around := slices.Clone(s.around)
	if rangeText.MatchString(s.text) {
		around = append(around, "range")
	}
	for _, at := range amountsIn(s.text, 10) {
		if isFormer(s.text, part{start: at[0], end: at[1]}) {
			around = append(around, "old")
		}
	}
	return around
}

func termsOfWords(zones ...[]word) []string {
	var all []string
	for _, zone := range zones {
		for _, x := range zone {
			all = append(all, x.lower)
		}
	}
	return terms(all)
}

// without leaves no ideas to the words of the task's names, which say nothing of what is wanted: Tolworth Architects designed nothing.
func (a *asked) without(all []word) []word {
	for i := range all {
		if all[i].capital && a.inName(all[i].lower) {
			all[i].ideas = nil
		}
	}
	return all
}

func isOrdinal(word string) bool {
	return slices.Contains([]string{"first", "second", "third", "fourth", "fifth", "sixth", "last", "one"}, word) || strings.HasSuffix(word, "th") && digits(word)
}

func isDay(text string, v part) bool {
	return slices.ContainsFunc(daysIn(text, 20), func(at []int) bool { return at[0] <= v.start && v.end <= at[1] })
}

// match is how far a zone, its nearest word first, speaks of what is wanted: 0 where it does not.
func (t *telling) match(zone, all []word, w *want, _ int) float64 {
	if w.isQualifiedIn(zone) {
		return 0
	}
	best := 0.0
	for _, c := range t.cues {
		cover, off := 0.0, 0.0
		var used []int
		isHead := !c.isName
		for i, key := range c.keys {
			at := slices.IndexFunc(zone, func(x word) bool { return len(x.ideas) > 0 && x.ideas[0] == key[0] })
			if at < 0 {
				at = slices.IndexFunc(zone, func(x word) bool { return !slices.Contains(used, x.start) && akin(x.ideas, key) })
			}
			isHead = isHead || at >= 0 && i == len(c.keys)-1
			if at >= 0 {
				used = append(used, zone[at].start)
			}
			switch {
			case at >= 0:
				cover++
				lost := farOff * float64(at)
				for _, x := range zone[:at] {
					if x.breaks != 0 {
						lost += breakOff
					}
				}
				off = max(off, lost)
			case cover > 0 && slices.ContainsFunc(all, func(x word) bool { return !slices.Contains(used, x.start) && akin(x.ideas, key) }):
				cover += 0.7
			}
		}
		if share := cover / float64(len(c.keys)); isHead && cover >= 1 && share >= c.coverMin {
			best = max(best, c.trust-off-0.15*(1-min(1, share)))
		}
	}
	return best
}

// others are words that make another thing of what they stand by, with the qualifier that asks for it.
var others = map[string]string{
	"former": "old", "formerly": "old", "previous": "old", "previously": "old", "earlier": "old", "predecessor": "old", "original": "old", "originally": "old", "until": "",
	"deputy": "deputy", "vice": "deputy", "acting": "deputy", "assistant": "deputy", "planned": "planned", "estimated": "planned", "expected": "planned", "proposed": "planned",
	"next": "planned", "pilot": "planned", "reduced": "reduced", "discounted": "reduced", "would": "planned",
}

// isNoUnit reports whether a word is no unit of time or measure, so that "per" before it says of what a number is.
func isNoUnit(word string) bool { return !unitWords[word] && !isUnit(word) }

// isQualifiedIn reports whether the nearest words of a zone make another thing of it than what is wanted.
func (w *want) isQualifiedIn(zone []word) bool {
	wanted := append(slices.Clone(w.name), w.described...)
	for i, x := range zone {
		if i > 4 || x.breaks == ';' {
			break
		}
		q := others[x.lower]
		if x.lower == "per" && i == 1 && !slices.Contains(w.raw, "per") && isNoUnit(zone[0].lower) {
			q = "per" // "per portion"
		}
		if x.lower == "to" && i+1 < len(zone) && (zone[i+1].lower == "was" || zone[i+1].lower == "were") {
			q = "planned" // "was to have cost"
		}
		if x.lower == "used" && i > 0 && zone[i-1].lower == "to" {
			continue
		}
		if s := senses[singular(x.lower)]; q == "" && s != nil && s.kind == "qualifier" && !soft[s.name] && i < 3 {
			q = s.name
		}
		if q != "" && !slices.Contains(wanted, q) && !slices.Contains(w.raw, x.lower) && !strings.Contains(strings.ToLower(w.asking), x.lower) {
			return true
		}
	}
	return false
}

// enumerated are the entries that a text begins with: "A, B and C".
func enumerated(text string) []string {
	var out []string
	for range 30 {
		end := strings.IndexAny(text, ",.;:()")
		item := text
		if end >= 0 {
			item = text[:end]
		}
		if !strings.Contains(item, " and ") {
			item = strings.Replace(item, " or ", " and ", 1)
		}
		if first, last, ok := strings.Cut(item, " and "); ok {
			if len(out) == 0 && len(strings.Fields(first)) > 4 || len(strings.Fields(last)) > 6 {
				return nil
			}
			return append(out, strings.TrimSpace(first), strings.TrimSpace(last))
		}
		if len(strings.Fields(item)) > 5 || end < 0 || text[end] != ',' {
			return nil
		}
		out = append(out, strings.TrimSpace(item))
		text = strings.TrimPrefix(text[end+1:], " ")
		if after, ok := strings.CutPrefix(text, "and "); ok {
			if end := strings.IndexAny(after, ",.;:("); end >= 0 {
				after = after[:end]
			}
			return append(out, strings.TrimSpace(after))
		}
	}
	return nil
}
