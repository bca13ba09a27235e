package keyless

import (
	"regexp"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// want is a field that is looked for.
type want struct {
	field ask.Field
	// name and described are what its name, with the names around it, and its description speak of.
	name, described []string
	years           []string
	// raw are the words of its name as it is, parents those of the objects that it is in.
	raw, parents []string
	// kind is what sort of value it has, "" for any.
	kind string
	// unit reports that it is asked for in per cent, or in another unit.
	unit, dimension string
	isCount         bool
	// asking is what asks for it in words: its description, or its part of the task.
	asking string
	// loose reports that the lexicon does not know the kind of its value, so that only what is asked says it.
	loose bool
	// isAnswer reports that a sentence will do, isRow that one is asked for.
	isAnswer, isRow bool
	isYear          bool
	// head is the first sense of a description, which what follows only explains: "calories in a portion"; "" where there is none.
	head string
}

// newWant reads a field. For a single result the task itself says what is wanted.
func newWant(field ask.Field, a *asked, kind ask.Kind) *want {
	w := &want{field: field}
	description := field.Description
	name := words(field.Name)
	switch {
	case kind == ask.KindText:
		description, name = a.task.Text, nil
	case kind == ask.KindString:
		name = nil
	}
	if description != "" && len(name) == 2 && generic[name[1]] && kindOf[senseName(name[0])] == "qualifier" {
		if name = name[1:]; name[0] != "person" && name[0] != "name" {
			name = nil
		} // "first_person" says no more than which of several it is
	}
	w.raw = name
	if outer, _, ok := cutLast(field.Path); ok {
		w.parents = words(outer)
		if len(terms(withoutUnit(name))) == 0 && len(name) > 0 {
			name = append(slices.Clone(w.parents), name...) // "customer": {"name"}
		}
	}
	description = addresses.ReplaceAllString(description, " ")
	described := words(description)
	w.isCount = countedText.MatchString(description) && !callText.MatchString(description) && !itsNumber.MatchString(description) ||
		strings.Contains(strings.ToLower(description), "how many") || measureText.MatchString(description)
	sort := a.sortOf()
	isQuestion := kind == ask.KindText
	named := slices.DeleteFunc(slices.Clone(described), func(word string) bool {
		return a.inName(word) || slices.Contains(sort, word) || isQuestion && monthNames[word] && word != "may"
	})
	w.name, w.described = terms(withoutUnit(name)), terms(named)
	w.years = yearsOf(append(slices.Clone(name), described...))
	if len(w.years) == 0 {
		w.years = a.years
	}
	w.name, w.described = slices.DeleteFunc(w.name, isYear), slices.DeleteFunc(w.described, isYear)
	w.name, w.described = soleAddress(w.name), soleAddress(w.described)
	w.unit, w.dimension = ask.UnitOf(field)
	w.measure(description)
	w.isYear = slices.Contains(name, "year") || slices.Contains(described, "year") && !strings.Contains(description, "per year") && !strings.Contains(description, "a year")
	w.kind = w.kindOf(name, description, kind)
	w.head = a.headOf(description)
	return w
}

// sortOf are the words before the subject's name that say what it is, and ask for nothing: "the ship Perseverance".
func (a *asked) sortOf() []string {
	if len(a.entities) == 0 {
		return nil
	}
	at := runIn(a.list, a.entities[0])
	for n := 1; n <= kindWords && at-n > 0; n++ {
		word := a.list[at-n]
		if s := senses[singular(word)]; little[word] || starters[word] || linking[word] || s != nil && s.kind != "" && s.kind != "name" && s.kind != "text" {
			return nil
		}
		if a.list[at-n-1] == "the" && at-n-1 > 0 {
			return a.list[at-n : at]
		}
	}
	return nil
}

// soleAddress leaves out that an address of the web is wanted where other words say which.
func soleAddress(list []string) []string {
	if !slices.ContainsFunc(list, func(term string) bool { return kindOf[term] == "url" && term != "website" }) {
		return list
	}
	return slices.DeleteFunc(list, func(term string) bool { return term == "website" })
}

// senseName is the sense of a word, "" where it has none.
func senseName(word string) string {
	if s := senses[word]; s != nil {
		return s.name
	}
	return ""
}

// countedText matches what asks for a count, callText what is a number that is dialled.
var (
	countedText = regexp.MustCompile(`(?i)number of`)
	itsNumber   = regexp.MustCompile(`(?i)number of (?:the|a|an|its|this|that) `)
	callText    = regexp.MustCompile(`(?i)(?:phone|fax|mobile|call) number of`)
)

// cutLast parts a path before its last name.
func cutLast(path string) (string, string, bool) {
	at := strings.LastIndexByte(path, '/')
	if at <= 0 {
		return "", path, false
	}
	return path[:at], path[at+1:], true
}

// inName reports whether a word is of the subject's name only.
func (a *asked) inName(word string) bool {
	return slices.ContainsFunc(a.entities, func(name []string) bool { return slices.Contains(name, word) })
}

// withoutUnit leaves out a unit at the end of a name: "depth_m", "flow_l_per_h".
func withoutUnit(name []string) []string {
	for len(name) > 1 && phraseAt(singulars(name)) < len(name) && (unitWords[name[len(name)-1]] || name[len(name)-1] == "per") && !qualifies(name) {
		name = name[:len(name)-1]
	}
	return name
}

// qualifies reports whether a name ends in a time by which a value is told from another: "price_per_month".
func qualifies(name []string) bool {
	if len(name) < 2 {
		return false
	}
	return name[len(name)-2] == "per" && slices.Contains([]string{"month", "year", "day", "week", "hour"}, name[len(name)-1]) && len(name) > 2
}

func yearsOf(all []string) []string {
	var out []string
	for _, word := range all {
		if isYear(word) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

func (w *want) kindOf(name []string, description string, kind ask.Kind) string {
	switch w.field.Form {
	case "date", "date-time":
		return "date"
	case "email":
		return "email"
	case "uri", "url", "iri":
		return "url"
	}
	if w.isMeasured(name) {
		w.described = slices.DeleteFunc(w.described, func(term string) bool { return term == "date" })
		return w.refine("number")
	}
	if len(name) > 1 && w.field.Type != "boolean" && w.field.Type != "array" {
		if last := kindOf[senseName(name[len(name)-1])]; last == "email" || last == "phone" {
			return w.refine(last) // the "sales e-mail" is no amount of sales
		}
	}
	if slices.ContainsFunc(w.name, func(term string) bool { return kindOf[term] == "money" }) {
		return w.refine("money") // a "delivery charge" is no number of days
	}
	for _, isVague := range []bool{false, true} {
		for _, term := range append(slices.Clone(w.name), w.described...) {
			if k := kindOf[term]; k != "" && k != "qualifier" && vague[term] == isVague {
				if k == "number" && w.field.Type == "string" && slices.ContainsFunc(w.described, func(other string) bool { return kindOf[other] == "name" }) {
					return "name" // "member" is one of them, though "members" are counted
				}
				return w.refine(k)
			}
		}
	}
	lower := strings.ToLower(description)
	switch {
	case w.field.Type == "boolean":
		return "boolean"
	case len(w.field.Enum) > 0:
		return "enum"
	case strings.HasPrefix(lower, "who "), strings.HasPrefix(lower, "the name of"), strings.HasPrefix(lower, "name of the"):
		return "name"
	case slices.Contains(name, "url") || strings.HasPrefix(lower, "the url"):
		return "url"
	case slices.Contains(name, "date") || strings.HasPrefix(lower, "when "):
		return "date"
	case w.field.Type == "number" || w.field.Type == "integer" || w.unit != "" || kind == ask.KindText && w.isCount:
		return "number"
	}
	return ""
}

// measures are plurals that end the names of fields for a number of them: "retention_days".
var measures = set("days weeks months years hours minutes mins seconds secs metres meters kilometres kilometers miles feet grams kilograms kilos tonnes litres liters watts " +
	"bytes cm mm km kg mb gb kb lb lbs ml kwh kw mph kmh km2 m2 sqm hectares acres percent pct celsius degrees")

// isMeasured reports whether a field's name ends in what its value is counted in, and is no sum of money by that.
func (w *want) isMeasured(name []string) bool {
	n := len(name)
	if n < 2 || !measures[name[n-1]] || name[n-2] == "per" || w.field.Type == "boolean" || w.field.Type == "array" {
		return false
	}
	return !slices.ContainsFunc(w.name, func(term string) bool { return kindOf[term] == "money" || kindOf[term] == "hours" })
}

// vague are senses that words of other meanings have too: others go before them.
var vague = set("date venue type status total headline town region height length duration hours start end")

// refine fits the kind of a sense to the type of the field.
func (w *want) refine(kind string) string {
	number := w.field.Type == "number" || w.field.Type == "integer"
	switch {
	case w.field.Type == "boolean":
		return "boolean"
	case len(w.field.Enum) > 0:
		return "enum"
	case w.field.Type == "array":
		return "list"
	case number && (kind == "date" || kind == "year"):
		return "year"
	case number && kind != "money":
		return "number"
	case kind == "date" && w.isYear:
		return "year"
	}
	return kind
}

// senses are the terms that say what is wanted, without those that tell it from others.
func core(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(term string) bool { return kindOf[term] == "qualifier" })
}

func qualifiers(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(term string) bool { return kindOf[term] != "qualifier" })
}

// soft are qualifiers that may be left out, since values mostly have but one.
var soft = set("monthly yearly weekly daily hourly net gross first last average oneway optional")

// match is how well a label names what is wanted, 0 to 1. around are the terms of what stands about it, which may say what the
// label does not.
func (w *want) match(label, around []string) float64 {
	if len(label) == 0 {
		return 0
	}
	all := append(slices.Clone(w.name), w.described...)
	for _, term := range label {
		if kindOf[term] == "qualifier" && !slices.Contains(all, term) && !soft[term] {
			return 0
		}
	}
	for _, term := range qualifiers(all) {
		if !slices.Contains(label, term) && !slices.Contains(around, term) && (!soft[term] || slices.Contains(w.name, term)) {
			return 0
		}
	}
	if slices.ContainsFunc(core(w.name), func(term string) bool {
		_, known := kindOf[term]
		return !known && len(core(w.name)) > 1 && !slices.Contains(label, term) && !slices.Contains(around, term)
	}) && !slices.Equal(core(w.described), core(label)) {
		return 0 // the price of gift wrapping is not that of delivery
	}
	if slices.Equal(core(label), []string{"price"}) && slices.Contains(w.name, "price") && slices.ContainsFunc(core(w.name), func(term string) bool {
		return term != "price" && !slices.Contains(around, term)
	}) {
		return 0 // nor is what the thing costs
	}
	best := 0.0
	for i, list := range [][]string{w.name, w.described} {
		wanted := core(list)
		if len(wanted) == 0 {
			continue
		}
		if i == 1 && !w.isHalf(wanted, label, around) {
			continue
		}
		best = max(best, overlap(wanted, core(label), core(around), all)-0.03*float64(i))
	}
	for _, term := range qualifiers(label) {
		if !slices.Contains(all, term) {
			best -= 0.1
		}
	}
	return best
}

// headOf is the first sense of a description that is no vague one.
func (a *asked) headOf(description string) string {
	for _, m := range marks(description) {
		if kind := kindOf[m.term]; kind != "" && kind != "qualifier" && !vague[m.term] && !a.inName(strings.ToLower(description[m.start:m.end])) {
			return m.term
		}
	}
	return ""
}

// isHalf reports whether a label may answer to a part of the description only: not where the name says something that the label does
// not. A "VAT number of the customer" is no customer.
func (w *want) isHalf(described, label, around []string) bool {
	named := slices.DeleteFunc(core(w.name), func(term string) bool { return kindOf[term] == "" })
	if len(named) == 0 && w.head != "" {
		named = []string{w.head}
	}
	if len(named) == 0 || slices.ContainsFunc(named, func(term string) bool { return slices.Contains(label, term) }) {
		return true
	}
	return !slices.ContainsFunc(described, func(term string) bool { return !slices.Contains(label, term) && !slices.Contains(around, term) })
}

// overlap compares the terms that are wanted with those of a label.
func overlap(wanted, label, around, all []string) float64 {
	shared, known := 0, false
	for _, term := range wanted {
		if slices.Contains(label, term) {
			shared++
			_, isSense := kindOf[term]
			known = known || isSense
		}
	}
	if shared == 0 {
		return 0
	}
	extra := 0
	for _, term := range label {
		if !slices.Contains(all, term) {
			extra++
		}
	}
	missing := 0
	for _, term := range wanted {
		if !slices.Contains(label, term) && !slices.Contains(around, term) {
			missing++
		}
	}
	switch {
	case extra == 0 && missing == 0:
		return 1
	case missing == 0 && extra == 1:
		return 0.75
	case extra == 0 && known && missing <= 3:
		return 0.85 - 0.05*float64(missing)
	case extra == 0 && shared*2 >= len(wanted):
		return 0.62
	}
	return 0
}
