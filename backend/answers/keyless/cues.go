package keyless

import (
	"regexp"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// cue is what a sentence has to speak of to say the value of a field.
type cue struct {
	// keys are its words, each with the ideas that it may stand for.
	keys [][]string
	// trust is how far a sentence that has all of them is trusted, coverMin the share of them that it has to have.
	trust, coverMin float64
	// isName reports that they are those of its name, of which the last is what it is: the end of a closure, not its beginning.
	isName bool
}

// telling is how a field is looked for in prose.
type telling struct {
	cues []cue
	kind string
	// many reports that a list is wanted.
	many bool
}

// sensePhrases are the phrases of each sense of the lexicon, as ideas.
var sensePhrases = func() map[string][][][]string {
	out := map[string][][][]string{}
	for phrase, s := range senses {
		var keys [][]string
		for word := range strings.FieldsSeq(phrase) {
			if unitWords[word] || word == "per" {
				keys = nil
				break // "per serving" says nothing without its number
			}
			if !little[word] {
				keys = append(keys, []string{stem(word)})
			}
		}
		if len(keys) == 1 && slices.Contains([]string{"dat", "nam", "tim", "numb"}, keys[0][0]) {
			continue // "dates from" is in many sentences
		}
		if len(keys) > 0 && len(keys) < 4 {
			out[s.name] = append(out[s.name], keys)
		}
	}
	return out
}()

// telling reads a field: what is asked by its name, by its description, and by the part of the task that asks for it.
func (a *asked) telling(w *want, kind string) *telling {
	t := &telling{kind: kind, many: w.field.Type == "array"}
	add := func(all []string, trust, coverMin float64, isName bool) {
		var keys [][]string
		for _, word := range all {
			if little[word] || unitWords[word] || isYear(word) || starters[word] && !isName || generic[word] && (len(all) > 1 || !isName) || len(word) < 2 {
				continue
			}
			if !isName && a.inName(word) || kindOf[word] == "qualifier" && word != "first" {
				continue
			}
			keys = append(keys, ideas(stem(word)))
		}
		if len(keys) > 0 {
			t.cues = append(t.cues, cue{keys, trust, max(coverMin, coverOf(len(keys))), isName})
		}
	}
	raw := w.raw
	if n := len(raw); n > 1 && (raw[n-1] == "size" || raw[n-1] == "total") && t.kind == "number" {
		raw = raw[:n-1] // of a sample it is how many there are
	}
	add(raw, 0.8, 0.6, true)
	if w.asking != "" {
		asking := w.asking
		if m := whichText.FindString(asking); m != "" && asksThing(asking) && len(words(asking)) > 4 {
			asking = asking[len(m):] // of "in which journal did it appear" what it did
		}
		add(words(asking), 0.76, 0.5, false)
	}
	sole := core(w.name)
	if len(sole) == 0 {
		sole = core(w.described)
	}
	if len(sole) == 1 && sole[0] == "listprice" {
		sole = []string{"price"}
	}
	trust := 0.78
	if len(sole) > 1 && len(w.raw) == 0 && kind == "number" {
		sole = slices.DeleteFunc(slices.Clone(sole), func(term string) bool { return kindOf[term] != "number" || vague[term] })
		trust = 0.74 // what is measured, among other words of the question
	}
	if len(sole) == 1 {
		for _, keys := range sensePhrases[sole[0]] {
			t.cues = append(t.cues, cue{keys, trust, 1, false})
		}
	}
	return t
}

// coverOf is the share of a number of words that a sentence has to have: of one or two all, though one may stand farther off.
func coverOf(keys int) float64 {
	switch keys {
	case 1:
		return 1
	case 2:
		return 0.8
	}
	return 0.55
}

// kindBy is the kind of value that the last word of a field's name says.
var kindBy = map[string]string{
	"cost": "money", "price": "money", "fee": "money", "salary": "money", "rent": "money", "amount": "money", "revenue": "money", "budget": "money",
	"date": "date", "deadline": "date", "year": "year", "years": "number", "hours": "number", "minutes": "number", "days": "number", "seconds": "number", "count": "number",
	"number": "", "name": "name", "person": "name", "by": "name",
}

// whereText matches a question for a thing in or at which something is.
var whereText = regexp.MustCompile(`(?i)^(?:in|at) (?:which|what) (\pL+)`)

// noThings are nouns of such questions that ask for no thing and no place.
var noThings = set("year month week day decade century season time date version language price cost age order")

// asksThing reports whether a question asks for a thing in or at which something is.
func asksThing(asking string) bool {
	m := whereText.FindStringSubmatch(asking)
	return m != nil && !noThings[strings.ToLower(m[1])]
}

// whichText matches a question for a thing of a sort: "at which festival".
var whichText = regexp.MustCompile(`(?i)^(?:(?:at|in|on|for|by|to|from|with) )?(?:which|what) (\pL+)`)

// measureText matches what is counted in units: "days of leave".
var measureText = regexp.MustCompile(`(?i)^(?:days|years|hours|minutes|weeks|months|grams|metres) of `)

// onDayText matches a question for the day of something, onceText for what was or will be once, weeklyText for what is each week.
var (
	onDayText  = regexp.MustCompile(`(?i)\bon (?:what|which) day\b`)
	onceText   = regexp.MustCompile(`(?i)\bon (?:what|which) day (?:will|was|did|were)\b`)
	weeklyText = regexp.MustCompile(`(?i)\bdays\b|\bweek|\bopen|\bclosed?\b|\bshut|\bevery\b|\beach\b|\bmarket\b|\bmeets?\b|\bregular`)
)

// refineBy sets the kind of a field by the end of its name and by what asks for it, which say it better than the words in between.
func (w *want) refineBy() {
	number := w.field.Type == "number" || w.field.Type == "integer"
	if w.field.Type == "array" || w.field.Type == "boolean" || len(w.field.Enum) > 0 || w.field.Form != "" {
		return
	}
	if w.isRestDay() {
		w.kind = "text" // of a place that is closed each week, not of one that was closed
		return
	}
	if len(w.raw) == 0 && howMany.MatchString(w.asking) && w.kind != "money" {
		w.kind = "number"
		return
	}
	if w.isInUnit() && w.kind != "money" {
		w.kind = "number"
		return
	}
	if len(w.raw) == 0 && !number && w.kind == "money" && strings.HasPrefix(strings.ToLower(w.asking), "when ") {
		w.kind = "date" // "when is the last entry" asks for no price
		return
	}
	if !number && onDayText.MatchString(w.asking) && (onceText.MatchString(w.asking) || w.kind == "weekday" && !weeklyText.MatchString(w.asking)) {
		w.kind = "date"
		w.described = slices.DeleteFunc(w.described, func(term string) bool { return term == "weekday" || term == "closedon" })
		return
	}
	if len(w.raw) == 0 && !number && w.asksOther() {
		return
	}
	if kind := kindOf[w.head]; len(w.raw) == 0 && !number && (kind == "phone" || kind == "email") {
		w.kind = kind
		return
	}
	if n := len(w.name); n > 1 && (kindOf[w.name[n-1]] == "phone" || kindOf[w.name[n-1]] == "email") && !number {
		w.kind = kindOf[w.name[n-1]] // the phone of a maker is no maker
		return
	}
	if len(w.raw) > 1 {
		if kind := kindBy[w.raw[len(w.raw)-1]]; kind != "" && !(kind == "name" && w.kind != "") && !(kind == "date" && number) {
			w.loose = w.kind == ""
			w.kind = kind
			return
		}
	}
	if m := whichText.FindStringSubmatch(w.asking); m != nil && len(w.raw) == 0 && !number {
		if isUnknown(strings.ToLower(m[1])) || isBe[strings.ToLower(m[1])] && w.asksUnknown() {
			w.kind = ""
			return
		}
	}
	if w.kind != "" && w.kind != "text" && w.kind != "number" && !measureText.MatchString(w.asking) {
		return
	}
	w.loose = w.kind == ""
	if kind := w.proseKind(); kind != "text" && kind != "place" && kind != "list" && kind != "" && kind != "hours" {
		w.kind = kind
	}
}

// isUnknown reports whether a noun is none of those whose sort of value is known.
func isUnknown(noun string) bool {
	return !isBe[noun] && !generic[noun] && !unitWords[noun] && senses[singular(noun)] == nil
}

// whatText matches a question for what something has: "what is the motto of IT".
var whatText = regexp.MustCompile(`(?i)^what (?:is|are|was|were) (?:the |its |their |his |her )?([\pL '’-]+?)(?: (?:of|for|in|at|on|by|from|to)\b|[?.]?$)`)

// asksUnknown reports whether a question for what something is or has says nothing of the sort of value: its nouns are not known, or are
// those of texts, or of days that may be named in any way: "what was opened by N", "what is the day of the fair".
func (w *want) asksUnknown() bool {
	if w.kind == "text" || w.kind == "date" || w.kind == "year" {
		return true
	}
	m := whatText.FindStringSubmatch(w.asking)
	return m != nil && !slices.ContainsFunc(plainWords(m[1]), func(noun string) bool { return !little[noun] && !isUnknown(noun) })
}

// isRestDay reports whether the days are wanted on which something is closed.
func (w *want) isRestDay() bool {
	isText := w.field.Type == "" || w.field.Type == "string"
	if !isText || onceText.MatchString(w.asking) || w.field.Form != "" || w.field.Enum != nil {
		return false
	}
	return slices.Contains(w.name, "closedon") || len(w.raw) == 0 && slices.Contains(w.described, "closedon")
}

// howMany matches a question for a number of things.
var howMany = regexp.MustCompile(`(?i)^how many\b`)

// lived are what is asked by where somebody was born and died, instead of when.
var lived = map[string]string{"born": "birthplace", "died": "deathplace"}

// makers are who did what a question says was done, instead of when.
var makers = map[string]string{
	"founded": "founder", "built": "contractor", "published": "publisher", "opened": "opener", "released": "releaser", "price": "payer", "salary": "payer",
	"joined": "joiner", "start": "starter",
}

// asksOther sets the kind of a question by the word that it begins with, where what follows says another: "where was N born" asks for no
// date, nor does "who founded N". It reports whether it did.
func (w *want) asksOther() bool {
	isWhere := askPlace.MatchString(w.asking) || asksThing(w.asking)
	isWho := strings.HasPrefix(strings.ToLower(w.asking), "who ") || strings.HasPrefix(strings.ToLower(w.asking), "by whom ")
	other := map[bool]map[string]string{true: lived, false: makers}[isWhere]
	if !isWhere && !isWho || w.kind != "date" && w.kind != "year" && w.kind != "money" && w.kind != "hours" {
		return false
	}
	for i, term := range w.described {
		if sense := other[term]; sense != "" {
			w.described[i] = sense
		}
	}
	w.kind = map[bool]string{true: "text", false: "name"}[isWhere]
	w.loose, w.head = true, ""
	return true
}

var (
	askName = regexp.MustCompile(`(?i)^(?:also |and )?(?:who\b|whose\b|whom\b|to whom|by whom|(?:the )?(?:name of the )?(?:person|people|reporter|candidate|someone)\b)`)
	askDate = regexp.MustCompile(`(?i)^(?:also |and )?(?:when\b|(?:by|until|since|from) when|(?:the |planned |exact )?(?:date|(?:first |last )?day)\b` +
		`|on (?:what|which) (?:date|day))`)
	askYear  = regexp.MustCompile(`(?i)\b(?:in (?:what|which) year|^(?:the )?year\b)`)
	askMoney = regexp.MustCompile(`(?i)\b(?:how much (?:money|damage)|price|cost|fee|salary|income|pay|paid|budget` +
		`|revenue|rent|deposit|amount of money|what amount|worth|takings|sum)\b|\bin money\b`)
	askNumber = regexp.MustCompile(`(?i)\b(?:how (?:many|long|high|old|wide|deep|tall|large|big|heavy|often)|number of` +
		`|^(?:days|years|hours|minutes|weeks|months|grams|metres) of|in (?:metres|minutes|centimetres|seconds|km|cm|mb|hours|years))\b`)
	askPlace = regexp.MustCompile(`(?i)^(?:also |and )?(?:where\b|in (?:what|which) (?:town|city|room|place|country)|(?:the )?(?:place|town|city|street|venue|room)\b)`)
)

// questionKind is the kind of value that the words of a question settle before all else; "" where they do not.
func (w *want) questionKind() string {
	switch {
	case w.isRestDay():
		return "text"
	case w.kind == "number" && w.isInUnit():
		return "number"
	case len(w.raw) == 0 && w.kind == "number" && howMany.MatchString(w.asking):
		return "number"
	case len(w.raw) == 0 && w.kind == "text" && (askPlace.MatchString(w.asking) || asksThing(w.asking)):
		return "place"
	}
	return ""
}

// proseKind is what sort of value is looked for in prose, by what is asked and the field's name and type.
func (w *want) proseKind() string {
	last := ""
	if len(w.raw) > 0 {
		last = w.raw[len(w.raw)-1]
	}
	number := w.field.Type == "number" || w.field.Type == "integer"
	if kind := w.questionKind(); kind != "" {
		return kind
	}
	switch {
	case measureText.MatchString(w.asking):
		return "number"
	case w.field.Type == "boolean" || len(w.field.Enum) > 0 || slices.Contains([]string{"email", "phone", "url", "boolean", "enum", "weekday"}, w.kind):
		return ""
	case w.field.Type == "array":
		return "list"
	case w.field.Form == "date" || w.field.Form == "date-time":
		return "date"
	case w.kind == "name" && !number, w.kind == "money":
		return w.kind
	case last != "" && kindBy[last] == "number":
		return "number"
	case last == "year" || slices.Contains(w.raw, "year") && !slices.Contains(w.raw, "per"), w.kind == "year", number && w.kind == "date":
		return "year"
	case last == "date" || last == "deadline" || last == "day" || w.kind == "date":
		return "date"
	}
	for _, asks := range []struct {
		text *regexp.Regexp
		kind string
	}{{askYear, "year"}, {askName, "name"}, {askDate, "date"}, {askPlace, "place"}, {askNumber, "number"}, {askMoney, "money"}} {
		if asks.text.MatchString(w.asking) && !(number && (asks.kind == "name" || asks.kind == "place")) {
			if asks.kind == "date" && number {
				return "year"
			}
			if asks.kind == "money" && w.kind == "number" && !(len(core(w.name)) == 0 || slices.ContainsFunc(core(w.name), func(term string) bool { return kindOf[term] == "" })) {
				continue // a sense that is counted
			}
			return asks.kind
		}
	}
	switch {
	case asksThing(w.asking) && !number:
		return "place"
	case places[w.kind] || slices.ContainsFunc(w.name, func(term string) bool { return places[term] }):
		return "place"
	case w.kind == "money" || w.kind == "name":
		return w.kind
	case w.kind == "number" || number:
		return "number"
	case last == "by" || last == "name" || last == "person":
		return "name"
	case w.kind == "hours":
		return "hours"
	}
	return "text"
}

// clauses parts a task where one thing that is asked ends and the next begins.
var clauses = regexp.MustCompile(`[?:;]\s*|,?\s+and\s+(?:also\s+)?|,\s+|\.\s+`)

// asking is the part of a task that asks for a field: the one that shares a word with its name or, where there are as many parts as
// fields, the one in its place.
func (a *asked) asking(name []string, at, fields int) string {
	text := addresses.ReplaceAllString(limit(a.task.Text, taskBytesMax), " ; ")
	for _, entity := range a.entities {
		pattern := `(?i)\b` + strings.Join(mapped(entity, regexp.QuoteMeta), `[^\pL\pN]+`) + `\b`
		if re, err := regexp.Compile(pattern); err == nil {
			text = re.ReplaceAllString(text, "IT")
		}
	}
	text = sortText.ReplaceAllStringFunc(text, func(found string) string {
		if word := words(found)[1]; a.isKind(word) {
			return "IT" // "the painter IT"
		}
		return found
	})
	var parts []string
	spoken, most, equals := "", 0, 0
	for _, part := range clauses.Split(text, 40) {
		part = strings.TrimSpace(part)
		if len(terms(words(strings.ReplaceAll(part, "IT", "")))) == 0 && !askDate.MatchString(part) && !askPlace.MatchString(part) {
			continue
		}
		parts = append(parts, part)
		var all []string
		for _, word := range words(part) {
			all = append(all, stem(word))
		}
		shared := 0
		for _, word := range name {
			if !little[word] && slices.Contains(all, stem(word)) {
				if shared++; !generic[word] {
					shared++ // a word that says more
				}
			}
		}
		switch {
		case shared > most:
			spoken, most, equals = part, shared, 1
		case shared == most && shared > 0:
			equals++
		}
	}
	switch {
	case equals == 1:
		return spoken
	case len(parts) == fields:
		return parts[at]
	}
	return ""
}

// isBe are the verbs behind "what" and "which" where no noun is.
var isBe = set("is are was were s")

// sortText matches what the subject is, before its name.
var sortText = regexp.MustCompile(`\bthe \p{Ll}+ IT\b`)

func mapped(all []string, f func(string) string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = f(s)
	}
	return out
}

// asks is what asks for a field in words.
func (f *finder) asks(field ask.Field) string {
	format := f.asked.task.Format
	if who := f.who(field); who != "" {
		return who
	}
	switch {
	case format.Kind == ask.KindText:
		return f.asked.asking(nil, 0, 1)
	case field.Description != "":
		return addresses.ReplaceAllString(field.Description, " ")
	}
	at := slices.IndexFunc(format.Fields, func(other ask.Field) bool { return other.Path == field.Path })
	return f.asked.asking(words(field.Name), at, len(format.Fields))
}

// isOfNumber reports whether what is said has the number that a field's name has, such as that of a version: release_date_7_7.
func (w *want) isOfNumber(said string, p placed) bool {
	var number []string
	for _, word := range w.raw {
		if strings.Trim(word, "0123456789") == "" && !isYear(word) {
			number = append(number, word)
		}
	}
	return len(number) < 2 || strings.Contains(" "+strings.Join(plainWords(said+" "+strings.Join(p.names, " ")), " ")+" ", " "+strings.Join(number, " ")+" ")
}
