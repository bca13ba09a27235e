package keyless

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mark is where a sentence speaks of something.
type mark struct {
	term       string
	start, end int // bytes
	first, n   int // tokens
}

// marks are the terms of a sentence, with their places.
func marks(text string) []mark {
	var tokens []mark
	var folded []string
	start := -1
	for i, r := range text + " " {
		isWord := i < len(text) && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '’')
		switch {
		case isWord && start < 0:
			start = i
		case !isWord && start >= 0:
			for _, word := range plainWords(text[start:i]) {
				tokens = append(tokens, mark{term: word, start: start, end: i, first: len(tokens), n: 1})
				folded = append(folded, singular(word))
			}
			start = -1
		}
	}
	var out []mark
	for i := 0; i < len(tokens); {
		if n := phraseAt(folded[i:]); n > 0 {
			s := senses[strings.Join(folded[i:i+n], " ")]
			if other := plurals[joinTerms(tokens[i:i+n])]; other != nil {
				s = other
			}
			out = append(out, mark{s.name, tokens[i].start, tokens[i+n-1].end, i, n})
			i += n
			continue
		}
		t := tokens[i]
		t.term = folded[i]
		if !little[tokens[i].term] {
			out = append(out, t)
		}
		i++
	}
	return out
}

func joinTerms(tokens []mark) string {
	var all []string
	for _, t := range tokens {
		all = append(all, t.term)
	}
	return strings.Join(all, " ")
}

// told is a value that a sentence says.
type told struct {
	text  string
	trust float64
}

// gapMax is how many bytes lie between what is wanted and its value.
const gapMax = 70

// tell looks for the value of a field in a sentence.
func (w *want) tell(s sentence, p *page, a *asked) (told, bool) {
	text := s.text
	if strings.HasSuffix(text, "?") || len(text) > 800 {
		return told{}, false
	}
	all, around := s.marks, s.around
	if slices.ContainsFunc(core(w.name), func(term string) bool {
		_, known := kindOf[term]
		return !known && (len(core(w.name)) > 1 || slices.Contains(w.described, term)) && !slices.Contains(around, term)
	}) {
		return told{}, false // a town is no twin town
	}
	if !slices.ContainsFunc(all, func(m mark) bool { return w.asks(m.term) }) && w.kind != "name" {
		return told{}, false
	}
	wanted := append(slices.Clone(w.name), w.described...)
	for _, q := range qualifiers(wanted) {
		if !slices.Contains(around, q) && (!soft[q] || slices.Contains(w.name, q)) {
			return told{}, false
		}
	}
	best, trust := "", 0.0
	if w.kind == "name" {
		if name := w.done(text, a); name != "" {
			return told{name, 0.72}, true
		}
	}
	for i, m := range all {
		if !w.asks(m.term) || w.isQualified(all, i, wanted) {
			continue
		}
		value, t := w.beside(text, all, i, p, a)
		if t > trust && w.isNearest(text, value, all, wanted, p) {
			best, trust = value, t
		}
	}
	return told{best, trust}, best != ""
}

// isNearest reports whether of several amounts or numbers of a sentence the one that was found stands nearest to what tells what is wanted
// from others of its sort: "instead of the €3 that had been planned it cost €5".
func (w *want) isNearest(text, value string, all []mark, wanted []string, p *page) bool {
	if w.kind != "money" && w.kind != "number" && w.kind != "hours" {
		return true
	}
	found := parts(text, w.kind, p.language, w)
	if len(found) < 2 {
		return true
	}
	for _, m := range all {
		isEnd := w.kind == "hours" && (m.term == "first" || m.term == "last")
		if kindOf[m.term] != "qualifier" || soft[m.term] && !isEnd || !slices.Contains(wanted, m.term) {
			continue
		}
		nearest := slices.MinFunc(found, func(x, y part) int { return cmp.Compare(apartBy(text, m, x), apartBy(text, m, y)) })
		if !strings.Contains(value, nearest.text) && !strings.Contains(nearest.text, value) {
			return false
		}
	}
	return true
}

// clauseBytes is how far off what another clause says is, besides the bytes between.
const clauseBytes = 60

// apartBy is how far a value stands from a mark, in bytes, with a clause that begins between them.
func apartBy(text string, m mark, v part) int {
	between := text[min(m.end, v.start):max(m.end, v.start)]
	if v.end <= m.start {
		between = text[v.end:m.start]
	}
	if strings.ContainsAny(between, ",;(") || slices.ContainsFunc(plainWords(between), func(word string) bool { return pronouns[word] }) {
		return distance(m, v) + clauseBytes
	}
	return distance(m, v)
}

// distance is how many bytes lie between a mark and a value.
func distance(m mark, v part) int {
	if m.start >= v.end {
		return m.start - v.end
	}
	return max(0, v.start-m.end)
}

// deeds are the senses of who did something.
var deeds = map[string][]string{
	"founded": {"founder"}, "established": {"founder"}, "designed": {"architect"}, "built": {"contractor"}, "constructed": {"contractor"},
	"written": {"author"}, "directed": {"filmdirector", "director"}, "composed": {"composer"}, "published": {"publisher"}, "operated": {"operator"},
	"run": {"operator", "organiser"}, "managed": {"operator"}, "owned": {"owner"}, "organised": {"organiser"}, "organized": {"organiser"}, "curated": {"curator"},
	"headed": {"director"}, "led": {"director"}, "made": {"manufacturer"}, "manufactured": {"manufacturer"}, "hosted": {"organiser"},
}

var deedText = regexp.MustCompile(`\b(founded|established|designed|built|constructed|written|directed|composed|published|operated|run|managed|owned|organi[sz]ed|curated|` +
	`headed|led|made|manufactured|hosted)\b(?: (?:in|on|between|from) [^.;,]{2,30})? by (?:the )?(?:architects? |firm |company |engineers? )?`)

// done finds who did what a sentence says was done: "founded in 1897 by N".
func (w *want) done(text string, a *asked) string {
	for _, m := range deedText.FindAllStringSubmatchIndex(text, 10) {
		for _, sense := range deeds[text[m[2]:m[3]]] {
			if slices.Contains(w.name, sense) || slices.Contains(w.described, sense) {
				return leadingName(text[m[1]:], a)
			}
		}
	}
	return ""
}

// asks reports whether a term is what is wanted, not only one that tells it from others.
func (w *want) asks(term string) bool {
	kind, isSense := kindOf[term]
	if term == "date" && !slices.Contains(w.name, "date") && (len(core(w.name)) > 0 || len(core(w.described)) > 1) {
		return false // "when" says nothing of what else is asked
	}
	if isSense {
		return kind != "qualifier" && (slices.Contains(w.name, term) || slices.Contains(w.described, term))
	}
	return slices.Contains(w.name, term) && len(core(w.name)) == 1 || slices.Contains(w.described, term) && len(core(w.described)) == 1
}

// isQualified reports whether words that stand about a term make another thing of it than what is wanted: a former mayor.
func (w *want) isQualified(all []mark, i int, wanted []string) bool {
	for j := max(0, i-3); j < min(len(all), i+3); j++ {
		term := all[j].term
		if kindOf[term] == "qualifier" && !slices.Contains(wanted, term) && !soft[term] && abs(all[j].first-all[i].first) <= 3 {
			return true
		}
	}
	return false
}

func abs(n int) int { return max(n, -n) }

// beside finds a value of the kind that is wanted beside a term.
func (w *want) beside(text string, all []mark, i int, p *page, a *asked) (string, float64) {
	m := all[i]
	switch w.kind {
	case "boolean":
		return text, 0.6
	case "weekday":
		if found := parts(text, w.kind, p.language, w); len(found) == 1 {
			return found[0].text, 0.7
		}
		return "", 0
	case "", "text", "enum", "list":
		if places[m.term] {
			if name := placeAfter(text, m, a); name != "" {
				return name, 0.65
			}
		}
		return said(text, m)
	case "name":
		return w.nameBeside(text, m, a)
	}
	found := parts(text, w.kind, p.language, w)
	if w.kind == "date" && len(found) == 0 && w.field.Form == "" {
		found = parts(text, "year", p.language, w)
	}
	if w.kind == "number" {
		found = slices.DeleteFunc(found, func(v part) bool { return w.isOther(text, v) || w.isOfOther(text, v) })
	}
	best, least := "", gapMax+1
	for _, v := range found {
		gap := v.start - m.end
		if v.end <= m.start {
			gap = m.start - v.end
			if w.kind == "number" && strings.ContainsAny(text[v.end:m.start], ",;.") {
				continue
			}
		} else if v.start < m.end {
			gap = 0
		}
		if gap > gapMax || w.isTaken(all, i, v) {
			continue
		}
		if gap < least {
			best, least = v.text, gap
		}
	}
	if best == "" {
		return "", 0
	}
	switch {
	case len(found) == 1:
		return best, 0.75
	case least > 30:
		return "", 0 // others are as near
	}
	return best, 0.65
}

// places are the senses of where something is.
var places = set("headquarters venue town region country")

// placeAfter is the name of the place behind a term: "headquartered in N".
func placeAfter(text string, m mark, a *asked) string {
	rest := text[m.end:]
	for _, word := range []string{" in ", " at ", " on "} {
		rest = strings.TrimPrefix(rest, word)
	}
	if rest == text[m.end:] && !strings.HasSuffix(text[m.start:m.end], " in") && !strings.HasSuffix(text[m.start:m.end], " at") {
		return ""
	}
	return leadingName(strings.TrimPrefix(strings.TrimPrefix(rest, " "), "the "), a)
}

// isOther reports whether a number counts or measures something else: a year, an ordinal, or a unit of another kind.
func (w *want) isOther(text string, v part) bool {
	if isYear(v.text) && w.kind == "number" {
		before := strings.ToLower(strings.TrimRight(text[:v.start], " "))
		for _, word := range []string{" in", "in", "since", "of", "until", "by", "from"} {
			if strings.HasSuffix(before, word) {
				return true
			}
		}
	}
	rest := text[v.end:]
	return strings.HasPrefix(rest, "th ") || strings.HasPrefix(rest, "st ") || strings.HasPrefix(rest, "nd ") || strings.HasPrefix(rest, "rd ")
}

// isTaken reports whether another term of the same kind stands nearer to a value.
func (w *want) isTaken(all []mark, i int, v part) bool {
	kind := w.kind
	for j, m := range all {
		k := kindOf[m.term]
		same := k == kind || kind == "year" && k == "date" || kind == "number" && (k == "number" || k == "money") || kind == "date" && k == "year"
		if j != i && same && m.term != all[i].term && !w.asks(m.term) && distance(m, v) < distance(all[i], v) {
			return true
		}
	}
	return false
}

var saying = []string{" is ", " are ", " was ", ": ", " = ", " being ", " reads "}

// said is what a sentence says that something is: "the default is zstd".
func said(text string, m mark) (string, float64) {
	rest := text[m.end:]
	if of := ofText.FindString(rest); of != "" {
		rest = rest[len(of)-len(lastWord(of)):]
	}
	for _, verb := range saying {
		if after, ok := strings.CutPrefix(rest, verb); ok {
			after = withoutArticle(clause(after))
			if name := nameText.FindString(after); strings.HasPrefix(after, name) && strings.Contains(name, " ") && between[firstWordOf(after[len(name):])] {
				after = name // "the keeper was N between the posts"
			}
			if after == "" || len(after) > 80 || !isAnswer(after) {
				return "", 0
			}
			return after, 0.65
		}
	}
	if at := codeText.FindString(rest); at != "" {
		return strings.TrimSpace(at), 0.65 // "the environment variable X_Y"
	}
	return "", 0
}

// between are words that begin what is added to a name.
var between = set("in on at of from for with between by near under over since until against behind before after")

// isAnswer reports whether what follows "is" may name something: it does not begin as a remark does, and is short, or has a name or a
// number in it.
func isAnswer(text string) bool {
	all := plainWords(text)
	if len(all) == 1 && strings.HasSuffix(all[0], "ed") && strings.ToLower(text) == text {
		return false // what was done to it: "was received"
	}
	return len(all) > 0 && !remarks[all[0]] && (len(all) <= 4 || len(all) <= 7 && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) }))
}

// remarks begin what is said about something, where it is not named.
var remarks = set("on in at to for from by with without of not no also now still only very so too as well being made given taken found known used needed required kept set " +
	"located situated based there here it its this that they he she we you what why how when where who which because if than then more less most least " +
	"quite rather about under over " +
	"open closed shown listed written said held done his her their our your one some many few all both each every never always often usually free wide " +
	"long high old new good best")

// ofText matches whose something is, up to the verb: "the service code of the pump is".
var ofText = regexp.MustCompile(`^ (?:of|for) [^.;:,]{2,60}? (?:is|are|was) `)

// lastWord is the last word of a text that ends in a space, with the spaces around it.
func lastWord(s string) string { return s[strings.LastIndexByte(s[:len(s)-1], ' '):] }

// codeText matches a word behind another that is written as programs, codes and numbers are.
var codeText = regexp.MustCompile(`^ (?:[A-Z][a-z]+ \d[\w.-]*\w|[A-Z][A-Z0-9]*[_-][A-Z0-9_-]*[A-Z0-9]|[A-Z]*\d[\w-]*)\b`)

func withoutArticle(s string) string {
	for _, article := range []string{"the ", "a ", "an "} {
		s = strings.TrimPrefix(s, article)
	}
	return s
}

// clause is a text up to where its clause ends.
func clause(text string) string {
	for _, mark := range []string{". ", "; ", ", ", " and ", " but ", " which ", " (", " – ", " - "} {
		text, _, _ = strings.Cut(text, mark)
	}
	return strings.Trim(strings.TrimRight(text, ".;,!"), ` "'`)
}

// ownerText matches whose somebody is what is wanted: "N, the county's engineer".
var ownerText = regexp.MustCompile(` \p{Ll}+['’]s$`)

// nameBeside finds a name that a sentence puts beside a term: "the mayor is N", "mayor N", "N is the mayor", "designed by N".
func (w *want) nameBeside(text string, m mark, a *asked) (string, float64) {
	rest := text[m.end:]
	for _, between := range []string{
		" is the architect ", " is ", " was ", ", ", ": ", " of the town is ", " ", " by ",
		" went to ", " had gone to ", " is by ", " at the time was ", " the architect ",
	} {
		if after, ok := strings.CutPrefix(rest, between); ok {
			if name := leadingName(after, a); name != "" {
				return name, 0.75
			}
		}
	}
	before := ownerText.ReplaceAllString(strings.TrimRight(text[:m.start], " "), "")
	for _, verb := range []string{
		" is the", " was the", " is its", " was its", " became the", " is", " was", " has been",
		" has been the", " as", " as the", ", the", ",", ", its", " the",
	} {
		if head, ok := strings.CutSuffix(before, verb); ok {
			if name := trailingName(head, a); name != "" {
				return name, 0.72
			}
		}
	}
	if name := trailingName(before, a); name != "" && isVerb(text[m.start:m.end]) {
		return name, 0.7
	}
	return "", 0
}

// isVerb reports whether what is wanted was said by what somebody did: "drew the plans", "won the contract".
func isVerb(phrase string) bool {
	first, _, _ := strings.Cut(strings.ToLower(phrase), " ")
	return slices.Contains([]string{"drew", "won", "wrote", "leads", "designed", "built", "heads"}, first)
}

func leadingName(text string, a *asked) string {
	text = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "the "), "a "), "architect ")
	at := nameText.FindStringIndex(text)
	if at == nil || at[0] != 0 {
		return ""
	}
	return properName(text[:at[1]], a)
}

func trailingName(text string, a *asked) string {
	all := nameText.FindAllStringIndex(text, -1)
	if len(all) == 0 {
		return ""
	}
	last := all[len(all)-1]
	if last[1] != len(strings.TrimRight(text, " ,")) {
		return ""
	}
	return properName(text[last[0]:last[1]], a)
}

// begunBehind matches the first word of what begins behind a name where lines were joined.
var begunBehind = regexp.MustCompile(`(\p{Ll}) (?:The|It|He|She|They|This|These|Its|His|Her|Their|We|Our|In|On|At|For|From|There|You|If|When)$`)

// properName refuses what is no name, or the subject's own.
func properName(name string, a *asked) string {
	name = strings.TrimRight(name, " .,'&-")
	name = begunBehind.ReplaceAllString(strings.TrimPrefix(name, "The "), "$1")
	all := plainWords(name)
	if len(all) == 0 || len(name) > 80 || starters[all[0]] && len(all) == 1 || little[all[0]] && len(all) == 1 {
		return ""
	}
	for len(all) > 1 && (all[0] == "architect" || all[0] == "mayor" || all[0] == "mr" || all[0] == "mrs" || all[0] == "ms") {
		_, name, _ = strings.Cut(name, " ")
		all = all[1:]
	}
	for _, entity := range a.entities {
		if slices.Equal(all, entity) {
			return ""
		}
	}
	if first, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(first) {
		return ""
	}
	return name
}
