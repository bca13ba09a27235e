package keyless

import (
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
	isYear          bool
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
	w.raw = name
	if outer, _, ok := cutLast(field.Path); ok {
		w.parents = words(outer)
	}
	description = addresses.ReplaceAllString(description, " ")
	described := words(description)
	w.isCount = strings.Contains(strings.ToLower(description), "number of") || strings.Contains(strings.ToLower(description), "how many")
	named := slices.DeleteFunc(slices.Clone(described), func(word string) bool { return a.inName(word) })
	w.name, w.described = terms(withoutUnit(name)), terms(named)
	w.years = yearsOf(append(slices.Clone(name), described...))
	if len(w.years) == 0 {
		w.years = a.years
	}
	w.name, w.described = slices.DeleteFunc(w.name, isYear), slices.DeleteFunc(w.described, isYear)
	w.unit, w.dimension = ask.UnitOf(field)
	w.isYear = slices.Contains(name, "year") || slices.Contains(described, "year") && !strings.Contains(description, "per year") && !strings.Contains(description, "a year")
	w.kind = w.kindOf(name, description, kind)
	return w
}

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
	best := 0.0
	for i, list := range [][]string{w.name, w.described} {
		wanted := core(list)
		if len(wanted) == 0 {
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
