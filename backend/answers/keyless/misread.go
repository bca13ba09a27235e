package keyless

import (
	"regexp"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

var (
	// replacedText matches a sentence about what held before, or holds for others.
	replacedText = regexp.MustCompile(`(?i)\b(?:(?:other|earlier|older|previous) versions?|replaces (?:the|our|an?)|supersedes|gave other)\b|\bbefore \d+\.\d`)
	// earlierText matches a task that asks for that.
	earlierText = regexp.MustCompile(`(?i)\b(?:before|previous|earlier|older|former|old|replaces|replaced|supersedes)`)
	// numberedText matches what stands before a number that tells one place from others, and measures nothing.
	numberedText = regexp.MustCompile(`(?i)\b(?:room|no\.|nr\.?|gallery|page|chapter|section|table|figure|route|gate|platform|hall|floor|version|release|scale(?: of)? 1:|1:)\s?$`)
	// serialText matches what stands before the digits of a code: "K2-088".
	serialText = regexp.MustCompile(`\pL[\pL\pN]*-$`)
	// headText matches a label that was taken for a name: "Total posts 48213".
	headText = regexp.MustCompile(`^ \p{Ll}+ \d`)
	// someText matches a number of some, which is nobody's name.
	someText = regexp.MustCompile(`^\d+ \p{Ll}+$`)
	// quotedText matches a sentence that tells what somebody said.
	quotedText = regexp.MustCompile(`["“”].*\b(?:said|says|told|added|explained)\b|\b(?:said|told reporters)\b.*["“”]`)
	clauseMark = regexp.MustCompile(`,? (?:and|but|while) `)
	// placeOf matches what asks for the place where one thing of several was done.
	placeOf = regexp.MustCompile(`(?i)^(?:the )?(?:place|town|city) of \pL+`)
	// lessAsked matches a price that is said to be less than another.
	lessAsked = regexp.MustCompile(`(?i)discount|reduced|sale|offer|now|save|special|instead`)
	// asksTruth matches what asks for yes or no.
	asksTruth = regexp.MustCompile(`(?i)^(?:is|are|was|were|does|do|did|can|may|has|have|will)\b`)
)

// smallNumbers are numbers in words, which name nothing.
var smallNumbers = set("one two three four five six seven eight nine ten eleven twelve")

// isMisread reports whether a finding says something else than its words make believe: what was before, what is another's in the same
// sentence, a number that measures nothing.
func (f *finder) isMisread(w *want, found finding) bool {
	text, isText := found.value.(string)
	if so, isBool := found.value.(bool); isBool {
		return w.isDenied(so, found.quote)
	}
	if replacedText.MatchString(found.quote) && !earlierText.MatchString(f.asked.task.Text+" "+strings.Join(w.raw, " ")+" "+w.field.Description) {
		return true
	}
	if f.lacksAsked(w, found) || isText && f.isTitle(found.quote, text) || w.kind == "phone" && f.isOtherLine(w, found.quote) {
		return true
	}
	if isText && (w.kind == "text" || w.kind == "name") && smallNumbers[strings.ToLower(text)] {
		return true
	}
	if _, isList := found.value.([]any); isList {
		return false
	}
	if !isText {
		text = strings.Trim(string(ask.MarshalValue(found.value)), `"`)
	}
	switch {
	case w.kind == "hours" && slices.Contains(w.raw, "hours") && len(numberText.FindAllString(text, 3)) < 2 && digits(text):
		return true // one time is no time from and until which something is open
	case w.kind == "number" && w.isOfCount(text):
		return true
	case w.kind == "money" && ownText.MatchString(found.quote) && !slices.Contains(w.raw, "paid"):
		return true
	case slices.Contains(w.raw, "until") && !f.isUntil(found, text):
		return true
	case w.isOtherMeasure(found.quote, text):
		return true
	case isText && found.trust <= proseTrust && (w.kind == "" || w.kind == "text" || w.kind == "name") && f.asked.isOwnName(w, text):
		return true
	case asksTruth.MatchString(w.field.Description) && (w.kind == "money" || w.kind == "number"):
		return true // whether it is so is no amount
	case w.kind == "money" && slices.Contains(w.raw, "discount") && !lessAsked.MatchString(found.quote):
		return true
	case w.kind == "money" && strings.ContainsRune(found.quote, '→'):
		return true
	case w.kind == "number" || w.kind == "money" || w.kind == "hours":
		return w.isLabelNumber(found.quote, text) || w.kind == "number" && w.isOfOtherClause(found.quote, text)
	case w.kind == "name" && isText:
		return w.isNoName(found.quote, text)
	}
	return found.trust < 0.65 && strings.Count(text, ". ") > 1
}

// numberText matches a time of day, or its hours.
var numberText = regexp.MustCompile(`\d{1,2}(?:[:.]\d{2})?`)

// ownText matches what somebody who answers another paid.
var ownText = regexp.MustCompile(`\bI paid\b|\b(?:for|than) mine\b|\bmine (?:cost|was)\b`)

// lines are what tells a number that is dialled from the others of somebody, by the words that ask for it.
var lines = map[string]string{
	"mobile": "mobile", "cell": "mobile", "handy": "mobile", "fax": "fax", "telefax": "fax",
	"emergency": "emergency", "emergencies": "emergency", "urgent": "emergency",
}

// isOtherLine reports whether a number is not said to be the line that is asked for, or is said to be one that another field asks for.
func (f *finder) isOtherLine(w *want, quote string) bool {
	lineOf := func(all []string) string {
		for _, word := range all {
			if line := lines[strings.TrimSuffix(word, "number")]; line != "" {
				return line
			}
		}
		return ""
	}
	asked, said := lineOf(append(slices.Clone(w.raw), plainWords(w.field.Description)...)), lineOf(plainWords(quote))
	if asked != "" {
		return said != asked && !(asked == "emergency" && strings.Contains(strings.ToLower(quote), "hours"))
	}
	return said != "" && slices.ContainsFunc(f.asked.task.Format.Fields, func(other ask.Field) bool {
		return other.Path != w.field.Path && lineOf(words(other.Name)) == said
	})
}

// counted are senses of what is counted one by one, and has no unit.
var counted = set("servings capacity rooms employees population pupils member visitors bedrooms bathrooms doors")

// isOfCount reports whether a value has a unit where something is counted: "580 kcal" are no servings.
func (w *want) isOfCount(text string) bool {
	number, unit, ok := measureIn(text, "en")
	return ok && number != "" && isUnit(unit) && len(core(w.name)) == 1 && counted[core(w.name)[0]]
}

// isTitle reports whether a value is what the title of a page is about, behind what sort of page it is: "Review: The Long Field".
func (f *finder) isTitle(quote, text string) bool {
	return strings.HasSuffix(quote, ": "+text) && slices.ContainsFunc(f.pages, func(p placed) bool { return slices.Contains(p.names, quote) })
}

// isDenied reports whether the yes or the no of a sentence is of something else: "cash only, no parking" and "free of toll".
func (w *want) isDenied(so bool, quote string) bool {
	keys := truthKeys(w.raw)
	if len(keys) == 0 {
		return false
	}
	all := plainWords(quote)
	if so {
		at := slices.Index(all, "free")
		return at >= 0 && at+2 < len(all) && (all[at+1] == "of" || all[at+1] == "from") && all[at+2] != "charge" &&
			hasStems(keys, []string{stem(all[at+2])}) && !slices.Contains(w.raw, "free")
	}
	named, denied := false, false
	for clause := range strings.SplitSeq(quote, ", ") {
		words := plainWords(signs.Replace(clause))
		isDenial := slices.ContainsFunc(words, func(word string) bool { return no[word] || word == "not" })
		if sharesStem(keys, truthKeys(words)) {
			named = named || !isDenial
			denied = denied || isDenial
		}
	}
	return named && !denied && strings.Contains(quote, ", ")
}

// lacksAsked reports whether a finding has none of the words that tell what is asked from others of its sort: the place of making is not any
// place, and what two together cost is not the price of one.
func (f *finder) lacksAsked(w *want, found finding) bool {
	var keys []string
	isVague := true
	for _, term := range w.described {
		kind, known := kindOf[term]
		switch {
		case !known && !idle[term]:
			keys = append(keys, stem(term))
		case known && kind != "qualifier":
			isVague = isVague && vague[term]
		}
	}
	switch {
	case len(keys) == 0 || found.standing < own || len(w.raw) > 0:
		return false
	case len(keys) < 3 && !(w.kind != "number" && slices.Contains(w.described, "price") && len(keys) > 1) && !(isVague && placeOf.MatchString(w.field.Description)):
		return false
	}
	said := stemsOf(found.quote)
	return !slices.ContainsFunc(keys, func(key string) bool { return saidIn([]string{key}, said) })
}

// isLabelNumber reports whether a number stands in a sentence only as what tells a room, a page or a part from others, and none of these
// is asked for.
func (w *want) isLabelNumber(quote, number string) bool {
	isAny := false
	for at := 0; number != ""; {
		n := standsAt(quote[at:], number)
		if n < 0 {
			break
		}
		at += n
		before := quote[:at]
		at += len(number)
		label := numberedText.FindString(before)
		if label == "" && !serialText.MatchString(before) || slices.ContainsFunc(plainWords(label), w.names) {
			return false
		}
		isAny = true
	}
	return isAny
}

// names reports whether a word is one of those that say what is wanted.
func (w *want) names(word string) bool {
	return slices.Contains(w.raw, word) || slices.Contains(w.described, word)
}

// proseTrust is how far what sentences say is trusted at most.
const proseTrust = 0.8

// isUntil reports whether a value stands right behind "until": "on 3 May until 6 pm" is no day until which something is.
func (f *finder) isUntil(found finding, text string) bool {
	at := untilText.FindStringIndex(found.quote)
	if at == nil {
		return true
	}
	rest := limit(found.quote[at[1]:], dateBytes+gapMax/2)
	return strings.HasPrefix(rest, text) || slices.Contains(ask.DatesIn(rest, "en"), text) || strings.Contains(limit(rest, len(text)+12), text)
}

var (
	untilText = regexp.MustCompile(`(?i)\b(?:until|till) `)
	// energyText matches a number of what food has in it, which is no number of portions.
	energyText = regexp.MustCompile(`^ ?(?:kcal|kJ|calories|cal|g|mg)\b`)
)

// isOtherMeasure reports whether a number of portions has the unit of what is in one, or a number of calories stands for portions.
func (w *want) isOtherMeasure(quote, number string) bool {
	if !slices.Contains(w.name, "servings") || slices.Contains(w.name, "calories") {
		return false
	}
	if at := energyText.FindStringIndex(strings.TrimLeft(number, "0123456789.,")); at != nil {
		return true
	}
	at := standsAt(quote, number)
	return at >= 0 && energyText.MatchString(quote[at+len(number):])
}

// isOwnName reports whether a value is the subject's own name, with more behind it, where no name of it is asked.
func (a *asked) isOwnName(w *want, text string) bool {
	if len(a.entities) == 0 || len(a.entities[0]) < 2 || slices.ContainsFunc(w.raw, func(word string) bool { return ownNames[word] }) {
		return false
	}
	all, head := plainWords(text), a.entities[0]
	return len(all) >= len(head) && slices.Equal(all[:len(head)], head) && len(w.raw) > 0
}

// ownNames are fields that may have the subject's own name in them.
var ownNames = set("name title headline product model event article subject item label page recipe project definition meaning summary description")

// standsAt is where a number stands in a text by itself, and not in another: 3 is not in 1931. It is -1 where it does not.
func standsAt(text, number string) int {
	for at := 0; ; {
		n := strings.Index(text[at:], number)
		if n < 0 || number == "" {
			return -1
		}
		at += n
		if (at == 0 || !isDigitByte(text[at-1])) && (at+len(number) == len(text) || !isDigitByte(text[at+len(number)])) {
			return at
		}
		at += len(number)
	}
}

// isOfOtherClause reports whether another clause of a sentence than that of a number both names what is wanted and has a number.
func (w *want) isOfOtherClause(quote, number string) bool {
	clauses := clauseMark.Split(quote, -1)
	if len(clauses) < 2 || strings.Contains(quote, ":") || standsAt(quote, number) < 0 {
		return false
	}
	asks := func(clause string) bool {
		return slices.ContainsFunc(marks(clause), func(m mark) bool {
			return w.asks(m.term) || kindOf[m.term] == "qualifier" && slices.Contains(w.raw, m.term)
		})
	}
	isHere, isThere := false, false
	for _, clause := range clauses {
		switch {
		case standsAt(clause, number) >= 0:
			isHere = isHere || asks(clause)
		case len(ask.NumbersIn(clause, "en")) == 1 && asks(clause):
			isThere = true
		}
	}
	return isThere && !isHere
}

// isNoName reports whether a name is a label's first word, a count, or that of somebody who is only quoted.
func (w *want) isNoName(quote, name string) bool {
	if someText.MatchString(name) {
		return true
	}
	if after, ok := strings.CutPrefix(quote, name); ok && !strings.Contains(name, " ") && headText.MatchString(after) {
		return true
	}
	return slices.Contains(w.name, "author") && quotedText.MatchString(quote)
}
