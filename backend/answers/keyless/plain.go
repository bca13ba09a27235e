package keyless

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// inquiry is what is asked in plain words, where the names of fields say little: "Who passed without paying?".
type inquiry struct {
	// by is the word that it asks with, "" where it has none.
	by string
	// sort is what its answer has to have in it: an amount, a time, a name; "" for anything.
	sort string
	// keys are the stems of its other words, each once; measure those of them that the sort says already: "cost" of an amount.
	keys, measure []string
	// isOpen reports that its answer is no name and no number.
	isOpen bool
	// program is that of which the version is asked.
	program string
}

// askedBy are the words that questions begin with, those that ask for the same under one word.
var askedBy = map[string]string{
	"what": "what", "whats": "what", "which": "what", "who": "who", "whos": "who", "whom": "who", "whose": "who", "where": "where", "when": "when", "why": "why", "how": "how",
}

// idle are words of questions that say nothing of what is asked.
var idle = set("can could may might must shall should would will do does did please tell me find give get see read show look explain describe say according page website site " +
	"sentence sentences answer one two words list name names it s t re if or and text there here any some please thanks want know need")

var (
	// versionAsked matches a question for the version of a program, with what that is called.
	versionAsked  = regexp.MustCompile(`(?i)\b(?:which|what) version of (\pL+)\b`)
	amountAsked   = regexp.MustCompile(`(?i)\bhow much\b|^(?:what|which)\b.*\b(?:cost|costs|price|fee|fare|toll|charge|pay|paid|rent|rate)\b`)
	countAsked    = regexp.MustCompile(`(?i)\bhow many\b`)
	durationAsked = regexp.MustCompile(`(?i)\bhow (?:long|fast|soon|quickly)\b`)
	timeAsked     = regexp.MustCompile(`(?i)^when\b|\b(?:at )?what time\b|\b(?:on|in) (?:what|which) (?:day|date|year|month)\b`)
	durationText  = regexp.MustCompile(`(?i)\b(?:\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve|half an?|several|few)[ -](?:working |business |full )?` +
		`(?:second|minute|hour|day|week|month|year)s?\b`)
	whenText = regexp.MustCompile(`(?i)\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:daily|noon|midnight|closed|spring|summer|autumn|winter` +
		`|january|february|march|april|may|june|july|august|september|october|november|december)\b`)
	placeText = regexp.MustCompile(`(?i)\b(?:in|at|on|near|behind|beside|opposite|between|next to|below|above|under|from|inside|outside) `)
	freeText  = regexp.MustCompile(`(?i)\b(?:free|nothing|no charge)\b`)
)

// sortWords are the stems of the words of a question that its sort says already.
var sortWords = map[string]map[string]bool{
	"amount": setOfStems("much cost price fee fare toll charge pay rate"), "count": setOfStems("many number"), "time": setOfStems("time day date year month open begin start"),
	"duration": setOfStems("long fast soon quickly take last"), "version": setOfStems("version least"), "who": {}, "where": setOfStems("place"),
}

// inquire reads a question.
func inquire(text string) inquiry {
	text = strings.TrimSpace(addresses.ReplaceAllString(text, " "))
	q := inquiry{isOpen: openText.MatchString(text)}
	if m := versionAsked.FindStringSubmatch(text); m != nil {
		q.sort, q.program = "version", m[1]
	}
	switch {
	case q.sort != "":
	case amountAsked.MatchString(text):
		q.sort = "amount"
	case countAsked.MatchString(text):
		q.sort = "count"
	case durationAsked.MatchString(text):
		q.sort = "duration"
	case timeAsked.MatchString(text):
		q.sort = "time"
	}
	for _, word := range plainWords(text) {
		if by := askedBy[word]; by != "" {
			if q.by == "" {
				q.by = by
			}
			continue
		}
		if little[word] || idle[word] {
			continue
		}
		s := stem(word)
		switch {
		case slices.Contains(q.keys, s) || slices.Contains(q.measure, s):
		case sortWords[q.sort][s]:
			q.measure = append(q.measure, s)
		default:
			q.keys = append(q.keys, s)
		}
	}
	if q.sort == "" && (q.by == "who" || q.by == "where") {
		q.sort = q.by
	}
	return q
}

// isAnswered reports whether a text has what a question asks for.
func (q *inquiry) isAnswered(text string) bool {
	switch q.sort {
	case "amount":
		return digits(text) || freeText.MatchString(text)
	case "version":
		_, rest, ok := strings.Cut(text, q.program+" ")
		return ok && rest != "" && strings.ContainsRune("0123456789v", rune(rest[0])) && digits(rest)
	case "count":
		return len(ask.NumbersIn(text, "en")) > 0
	case "duration":
		return durationText.MatchString(text)
	case "time":
		return whenText.MatchString(text)
	case "where":
		return placeText.MatchString(text)
	case "who":
		_, rest, _ := strings.Cut(text, " ")
		return strings.ContainsFunc(rest, unicode.IsUpper)
	}
	return true
}

// saidIn reports whether each of some keys is among the stems of a text, in another word for it too.
func saidIn(keys []string, all map[string]bool) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { return !hasKey(key, all) })
}

func hasKey(key string, all map[string]bool) bool {
	if all[key] {
		return true
	}
	for _, idea := range concepts[key] {
		if all[idea] {
			return true
		}
	}
	return false
}

// stemsOf are the stems of a text's words, with the ideas that they stand for.
func stemsOf(texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, text := range texts {
		for _, word := range plainWords(text) {
			for _, idea := range ideas(stem(word)) {
				out[idea] = true
			}
		}
	}
	return out
}

// inquiries are what may be asked for a field: what its description asks, and where it is the only one the task.
func (f *finder) inquiries(field ask.Field) []inquiry {
	var out []inquiry
	add := func(text string) {
		if q := inquire(text); len(q.keys) > 0 {
			out = append(out, q)
		}
	}
	if field.Description != "" && f.asked.task.Format.Kind != ask.KindText {
		add(field.Description)
	}
	if len(f.asked.task.Format.Fields) > 1 {
		return out
	}
	text := addresses.ReplaceAllString(limit(f.asked.task.Text, taskBytesMax), " ")
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == '?' || r == '\n' || r == '!' })
	for _, part := range parts {
		for _, s := range split(strings.TrimSpace(part)) {
			if first, _, _ := strings.Cut(strings.ToLower(s), " "); askedBy[first] != "" || asking[first] || len(parts) == 1 {
				add(s)
				break
			}
		}
	}
	return out
}

// asking are other words that questions begin with.
var asking = set("can could may might must shall should would will do does did is are was were has have had under in at on from by to for")

// plain is what a page says in the words of the question itself: below a heading that asks the same, in a row that the question names, or
// in a sentence that has all of its words. It is for what nothing else finds.
func (f *finder) plain(w *want) []ask.Value {
	field := w.field
	if field.Enum != nil || field.Form != "" && field.Form != "date" || field.Type != "string" && field.Type != "" && field.Type != "array" {
		return nil
	}
	best := local
	for _, p := range f.pages {
		best = max(best, p.standing)
	}
	kind := f.asked.task.Format.Kind
	w.isAnswer, w.isRow = w.isSentence(kind), sentenceText.MatchString(field.Description)
	var found []finding
	for _, q := range f.inquiries(field) {
		for _, p := range f.pages {
			if p.standing == best && (best > local || slices.Contains(f.asked.urls, p.source.URL)) {
				found = append(found, f.plainly(w, &q, p)...)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	return f.choose(w, found)
}

// plainly are the answers of one page to a question.
func (f *finder) plainly(w *want, q *inquiry, p placed) []finding {
	switch {
	case w.field.Type == "array":
		return f.below(w, q, p)
	case w.kind == "date" || w.field.Form != "":
		if found := f.heldOn(w, q, p); len(found) > 0 || !w.isAnswer {
			return found
		}
	}
	if found := f.defined(w, q, p); len(found) > 0 {
		return found
	}
	for _, find := range []func(*want, *inquiry, placed) []finding{f.below, f.rowsOf, f.sentencesOf} {
		if found := find(w, q, p); len(found) > 0 {
			return found
		}
	}
	return nil
}

// plainBytes is how long a text may be that answers a question.
const plainBytes = 400

// below is what stands below a heading that asks what the question asks: both have the same words, but for the page's own name.
func (f *finder) below(w *want, q *inquiry, p placed) []finding {
	isList := w.field.Type == "array"
	if !isList && !w.isOpen(q) {
		return nil
	}
	own := stemsOf(append(slices.Clone(p.names), p.source.Title)...)
	whole := stemsOf(strings.Join(f.asked.list, " "), w.field.Description)
	var out []finding
	for _, fact := range p.facts {
		if !fact.question || fact.edge || fact.isRow && !f.isOf(w, fact, p) {
			continue
		}
		other := inquire(fact.label)
		keys := slices.Concat(other.keys, other.measure)
		if len(keys) == 0 || other.by != "" && q.by != "" && other.by != q.by || !saidIn(keys, whole) {
			continue
		}
		heading := stemsOf(fact.label)
		if slices.ContainsFunc(q.keys, func(key string) bool { return !hasKey(key, heading) && !hasKey(key, own) }) || !q.isSame(keys) {
			continue
		}
		if isList {
			if value, ok := w.listValue(fact.under); ok {
				out = append(out, finding{value, p.source.URL, fact.under, plainTrust, p.standing})
			}
			continue
		}
		if value := firstAnswer(fact.value); fact.under == "" && len(value) <= plainBytes && q.isAnswered("x "+value) {
			out = append(out, finding{value, p.source.URL, value, plainTrust, p.standing})
		}
	}
	return out
}

// firstAnswer is a text up to the next question in it.
func firstAnswer(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasSuffix(line, "?") {
			break
		}
		out = append(out, line)
	}
	return squeeze(strings.Join(out, " "))
}

// isSame reports whether some of the question's words are among those of a heading.
func (q *inquiry) isSame(heading []string) bool {
	return slices.ContainsFunc(append(slices.Clone(q.keys), q.measure...), func(key string) bool {
		return slices.ContainsFunc(heading, func(other string) bool { return akin(ideas(key), ideas(other)) })
	})
}

// plainTrust is how far is trusted what is found by the words of a question.
const plainTrust = 0.7

// heldText matches what a sentence says of when something is, behind its name and before the date.
var heldText = regexp.MustCompile(`^ (?:(?:is|was|are|will be)(?: held| planned| set)?|takes place|took place|will take place|happens|returns)` +
	`(?: again)? (?:on|for) (?:\pL+day,? (?:the )?)?$`)

// heldOn is the day of what a page is about, where the question is when that is.
func (f *finder) heldOn(w *want, q *inquiry, p placed) []finding {
	if q.sort != "time" || !saidIn(q.keys, stemsOf(append(slices.Clone(p.names), p.source.Title)...)) {
		return nil
	}
	for _, s := range p.sentences[:min(len(p.sentences), leadSentences)] {
		found := parts(s.text, "date", p.language, w)
		if len(found) != 1 || !f.isOfYear(w, s.text, p) {
			continue
		}
		for _, name := range p.names {
			for _, called := range []string{name, strings.TrimRight(name, " 0123456789")} {
				if rest, ok := strings.CutPrefix(strings.TrimPrefix(s.text[:found[0].start], "The "), called); !ok || !heldText.MatchString(rest) {
					continue
				}
				if value, ok := w.typed("date", found[0].text, p.page); ok {
					return []finding{{value, p.source.URL, s.text, plainTrust, p.standing}}
				}
			}
		}
	}
	return nil
}

var (
	// sentenceText matches what asks for a sentence.
	sentenceText = regexp.MustCompile(`(?i)\b(?:sentence|explain|explanation|in words|quote|answer)\b`)
	// openText matches questions whose answers are no names and no numbers.
	openText = regexp.MustCompile(`(?i)^(?:the )?(?:how to|how (?:do|does|did|is|are|was|can|may|must|should|to|the)\b|why\b|reason` +
		`|what (?:happens|happened|to do|should|must|can|is done)|where (?:to|do|can)\b|(?:can|may|must|do|does|is|are|should|will)\b|steps|instructions)`)
	// answerNames are fields that say nothing of what is asked.
	answerNames = set("answer explanation sentence quote response result reply statement")
)

// isSentence reports whether a field wants a sentence.
func (w *want) isSentence(kind ask.Kind) bool {
	return kind == ask.KindText || sentenceText.MatchString(w.field.Description) || len(w.raw) == 1 && answerNames[w.raw[0]] && kind != ask.KindString
}

// isOpen reports whether a text of some words may be the value of a field: where it wants one, or where the question does.
func (w *want) isOpen(q *inquiry) bool {
	return w.isAnswer || q.isOpen && (w.kind == "" || w.kind == "text" || q.by == "why")
}

// defined is the sentence that says what something is, where that is asked: "A turnpike was a spiked barrier across a road."
func (f *finder) defined(w *want, _ *inquiry, p placed) []finding {
	for _, called := range f.definiendum(w, p) {
		for _, s := range p.sentences {
			if len(s.text) > plainBytes || !isDefinition(s.text, called) || f.isOthers(w, s, p) {
				continue
			}
			return []finding{{s.text, p.source.URL, s.text, plainTrust, p.standing}}
		}
	}
	return nil
}

var (
	// definedText matches a question for what something or somebody is.
	definedText = regexp.MustCompile(`(?i)(?:^|[.?!:]\s+)(?:what|who)(?:'s|’s| is| are| was| were) (?:an? |the |meant by )?([^?.,;:]{2,60}?)(?:\?|\.?\s*$|\.?\s+(?:see|read)\b)`)
	// describedText matches a description that asks for it.
	describedText = regexp.MustCompile(`(?i)\b(?:what|who) (?:an? |the )?([^?.,;:]{2,60}?) (?:is|are|was|were|means)\b(?: about)?[.]?$` +
		`|\b(?:definition|meaning) of (?:an? |the )?([^?.,;:]{2,60}?)$`)
	// definingNames are fields that such a sentence is for.
	definingNames = set("definition meaning description explanation summary about intro introduction bio answer what who is it")
)

// definiendum is what is to be defined, under the names that it may have on a page; none where nothing is.
func (f *finder) definiendum(w *want, p placed) []string {
	isNamed := len(w.raw) > 0 && !slices.ContainsFunc(w.raw, func(word string) bool { return !definingNames[word] })
	var out []string
	if m := describedText.FindStringSubmatch(w.field.Description); m != nil {
		out = append(out, m[1]+m[2])
	}
	if isNamed && w.field.Description == "" || w.isAnswer || len(out) > 0 {
		if m := definedText.FindStringSubmatch(strings.TrimSpace(addresses.ReplaceAllString(f.asked.task.Text, ""))); m != nil {
			out = append(out, m[1])
		}
	}
	for i, called := range out {
		if slices.Contains([]string{"it", "he", "she", "they", "this"}, strings.ToLower(called)) {
			out[i] = ""
			for _, name := range p.names {
				out = append(out, firstPart(name))
			}
		}
	}
	return slices.DeleteFunc(out, func(called string) bool { return len(plainWords(called)) == 0 || len(plainWords(called)) > 6 })
}

// definesText matches what follows the name in a sentence that says what is called so.
var definesText = regexp.MustCompile(`(?i)^(?: \([^)]{1,60}\)|, [^,]{1,60},)? ` +
	`(?:(?:is|are|was|were) (?:an?|the|one of|any|some|what|where|made|called|\p{Ll}+s\b)|means|refers to|stands for|describes)\b`)

// isDefinition reports whether a sentence begins with a name, and says what it is.
func isDefinition(text, called string) bool {
	rest := text
	for _, article := range []string{"A ", "An ", "The "} {
		rest = strings.TrimPrefix(rest, article)
	}
	if len(rest) < len(called) || !strings.EqualFold(rest[:len(called)], called) {
		return false
	}
	return definesText.MatchString(rest[len(called):])
}

// rowsOf are the cells, or where a sentence is wanted the rows, that a question names: it has all words of the row's first cell, and the
// rest of its own are of the column, of what stands about the table, or say what sort of value is asked.
func (f *finder) rowsOf(w *want, q *inquiry, p placed) []finding {
	if !w.isAnswer {
		return nil
	}
	var out []finding
	whole := stemsOf(strings.Join(f.asked.list, " "))
	for _, g := range p.tables {
		if len(g.header) < 2 || len(g.quotes) > 0 {
			continue
		}
		about := append([]string{g.around, p.source.Title, strings.Join(g.header, " ")}, p.names...)
		for _, row := range g.rows {
			first := stems(plainWords(row[0]))
			if len(first) == 0 || !saidIn(first, whole) {
				continue
			}
			context := stemsOf(append(about, row[0])...)
			if !saidIn(q.keys, context) {
				continue
			}
			column := f.columnOf(q, g, row)
			if column < 0 {
				continue
			}
			text := row[column]
			if w.isRow {
				text = strings.Join(row, " ")
			}
			out = append(out, finding{text, p.source.URL, strings.Join(row, " "), plainTrust, p.standing})
		}
	}
	return out
}

// columnOf is the one column of a table that a question may ask for, -1 where there is none.
func (f *finder) columnOf(q *inquiry, g grid, row []string) int {
	column, named := -1, false
	for j := 1; j < len(row); j++ {
		isNamed := len(stems(plainWords(g.header[j]))) > 0 && saidIn(stems(plainWords(g.header[j])), stemsOf(strings.Join(f.asked.list, " ")))
		if row[j] == "" || !q.isAnswered("x "+row[j]) && !isNothing(row[j]) || named && !isNamed {
			continue
		}
		if column >= 0 && isNamed == named {
			return -1
		}
		column, named = j, isNamed
	}
	if !named && len(row) > 2 {
		return -1
	}
	return column
}

// How a sentence of a page says what a question asks: with all of its words, as what goes on about the page's subject ("It flowers in
// May"), or as what is said on the subject's own page of nobody else.
const (
	unsaid = iota
	saidByTheWay
	saidOfSubject
)

// saysOf is how a sentence says what a question asks.
func (a *asked) saysOf(q *inquiry, keys []string, text string, p placed) int {
	all := stemsOf(text)
	if saidIn(keys, all) {
		return saidOfSubject
	}
	names := stemsOf(p.names...)
	if first := firstWordOf(text); first == "it" || first == "they" {
		rest := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return hasKey(key, names) })
		if len(rest) > 0 && saidIn(rest, all) {
			return saidOfSubject
		}
	}
	if p.standing < own || a.isBegunByAnother(text, p.page) {
		return unsaid
	}
	own := stemsOf(append(slices.Clone(p.names), p.source.Title)...)
	rest := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return hasKey(key, own) })
	isSaid := goingOn[firstWordOf(text)] || slices.ContainsFunc(rest, func(key string) bool {
		return !slices.Contains(q.measure, key) // "open" alone may be said of anything
	})
	if isSaid && len(rest) > 0 && saidIn(rest, all) {
		return saidByTheWay
	}
	return unsaid
}

// goingOn are the first words of sentences about what the one before was about.
var goingOn = set("it they he she")

// sentencesOf is the one sentence that has all words of a question, and what it asks for.
func (f *finder) sentencesOf(w *want, q *inquiry, p placed) []finding {
	keys := slices.Clone(q.keys)
	if q.sort != "version" {
		keys = append(keys, q.measure...)
	}
	if !w.isAnswer || len(keys) < 2 && !w.isRow {
		return nil
	}
	var out []finding
	best := unsaid
	for _, s := range p.sentences {
		if len(s.text) > plainBytes || strings.HasSuffix(s.text, "?") || !strings.HasSuffix(s.text, ".") || !q.isAnswered(s.text) {
			continue
		}
		says := f.asked.saysOf(q, keys, s.text, p)
		if says == unsaid || says < best || f.isOthers(w, s, p) || !f.isOfYear(w, s.text+" "+s.heading, p) {
			continue
		}
		if says > best {
			best, out = says, nil
		}
		out = append(out, finding{s.text, p.source.URL, s.text, plainTrust, p.standing})
	}
	if slices.ContainsFunc(out, func(other finding) bool { return other.quote != out[0].quote }) {
		return nil // two that may be meant
	}
	return out
}
