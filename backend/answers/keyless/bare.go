package keyless

import (
	"regexp"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// bareTrust is how far a value without a label is trusted that its unit, its address or its form tells, rangeTrust an end of a range.
const bareTrust, rangeTrust = 0.64, 0.72

// bare finds what a page says without a label, in a short text of its own: a measure by its unit, an address for mail by the name in it,
// the ends of a range of money.
func (f *finder) bare(w *want, p placed) []finding {
	if p.standing <= local || w.field.Type == "array" {
		return nil
	}
	if found := f.formed(w, p); len(found) > 0 {
		return found
	}
	switch {
	case w.kind == "money", w.kind == "" || w.kind == "number", w.kind == "text":
		if found := f.ranges(w, p); len(found) > 0 {
			return found
		}
	}
	switch {
	case w.kind == "email" || w.kind == "phone":
		return f.contacts(w, p)
	case w.kind == "" && slices.Equal(w.raw, []string{"contact"}) && w.field.Type != "boolean":
		return f.alone(w.as("email"), p)
	case w.kind == "number" && slices.ContainsFunc(w.name, func(term string) bool { return bareUnits[term] != nil }):
		return f.measures(w, p)
	}
	return nil
}

// form is how a thing is written that is known by that alone, where a page has but one.
type form struct {
	asked, text *regexp.Regexp
}

// forms are such things: variables of programs, their files, names of species.
var forms = []form{
	{regexp.MustCompile(`(?i)\benv(?:ironment)? ?var`), regexp.MustCompile(`\b([A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9])\b`)},
	{
		regexp.MustCompile(`(?i)\bconfig(?:uration)? ?(?:file|path)`),
		regexp.MustCompile(`(?:^|[\s"'(])((?:/[\w.-]+)*/?[\w.-]+\.(?:toml|ya?ml|conf|ini|cfg|properties))\b`),
	},
	{
		regexp.MustCompile(`(?i)\b(?:latin|scientific|botanical|species)\b.*\bname\b|^latin$|\bbinomial\b`),
		regexp.MustCompile(`(?:^|\()(\p{Lu}\p{Ll}{3,} \p{Ll}+(?:us|um|is|ii|ens|ae|[^r]ia|[^t]a|ides|ops|ipes))(?:\)|\.?$)`),
	},
}

// formed finds what is known by how it is written, if a page has but one such thing.
func (f *finder) formed(w *want, p placed) []finding {
	if w.field.Type != "" && w.field.Type != "string" || w.field.Form != "" {
		return nil
	}
	asking := strings.Join(w.raw, " ") + " " + w.asking
	for _, one := range forms {
		if !one.asked.MatchString(strings.Join(w.raw, " ")) && !one.asked.MatchString(asking) {
			continue
		}
		var out []finding
		for _, s := range p.sentences {
			for _, m := range one.text.FindAllStringSubmatch(s.text, 4) {
				if slices.ContainsFunc(p.names, func(name string) bool { return strings.Contains(name, m[1]) }) {
					continue
				}
				if len(out) > 0 && out[0].value != m[1] {
					return nil
				}
				out = append(out, finding{m[1], p.source.URL, s.text, bareTrust, p.standing})
			}
		}
		return out
	}
	return nil
}

// bareUnits are the units in which a number without a label is of the sense: of metres nobody knows what they measure.
var bareUnits = map[string]map[string]bool{
	"area":    {"m2": true, "sqm": true, "m²": true, "ha": true, "acre": true, "acres": true},
	"mileage": {"km": true, "miles": true, "mi": true},
}

func (f *finder) measures(w *want, p placed) []finding {
	var out []finding
	for _, x := range p.items {
		number, unit, ok := measureIn(x.text, p.language)
		if !ok || p.cards[x.card] {
			continue
		}
		for _, term := range w.name {
			if bareUnits[term][unit] {
				if value, ok := w.typed("number", number, p.page); ok {
					out = append(out, finding{value, p.source.URL, x.text, bareTrust, p.standing})
				}
			}
		}
	}
	return out
}

// measureIn is the number and the unit that a text is, and nothing else.
func measureIn(text, language string) (number, unit string, ok bool) {
	if !digits(text) {
		return "", "", false
	}
	plain := ask.Plain(text)
	numbers := ask.NumbersIn(plain, language)
	if len(numbers) != 1 || numbers[0].Start > 0 {
		return "", "", false
	}
	unit = strings.ToLower(strings.TrimSpace(plain[numbers[0].End:]))
	return plain[:numbers[0].End], unit, unit != "" && !strings.Contains(unit, " ")
}

// ends matches what parts the ends of a range.
var ends = regexp.MustCompile(`^ ?(?:-|–|—|to|and|bis) ?$`)

// leastWords and mostWords name the ends of a range.
var (
	leastWords = set("minimum min from low lower lowest least")
	mostWords  = set("maximum max high higher highest most upper")
)

// ranges finds the least or the most of a range of money that a label or the field's sense names.
func (f *finder) ranges(w *want, p placed) []finding {
	all := append(append(slices.Clone(w.name), w.described...), w.raw...)
	isLeast := slices.ContainsFunc(all, func(word string) bool { return leastWords[word] })
	isMost := slices.ContainsFunc(all, func(word string) bool { return mostWords[word] })
	wanted := slices.DeleteFunc(core(w.name), func(term string) bool {
		return leastWords[term] || mostWords[term] || term == "height" && isMost && !slices.Contains(w.raw, "height")
	})
	if isLeast == isMost || len(wanted) != 1 {
		return nil
	}
	var out []finding
	pick := func(text, quote string, trust float64) {
		found := parts(text, "money", p.language, nil)
		if len(found) != 2 || !ends.MatchString(text[found[0].end:found[1].start]) {
			return
		}
		at := 0
		if isMost {
			at = 1
		}
		if value, ok := w.typed("money", found[at].text, p.page); ok {
			out = append(out, finding{value, p.source.URL, quote, trust, p.standing})
		}
	}
	for _, fact := range p.facts {
		if slices.Equal(core(fact.terms), wanted) && !fact.isRow && !fact.edge {
			pick(fact.value, fact.quote, rangeTrust)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, x := range p.items {
		if !p.cards[x.card] && !strings.Contains(x.text, ":") {
			pick(x.text, x.text, bareTrust)
		}
	}
	return out
}

// contacts finds a number or an address for mail of a part of somebody by that part's name: "Sales: …", sales@….
func (f *finder) contacts(w *want, p placed) []finding {
	var keys []string
	for _, term := range core(w.name) {
		if kind := kindOf[term]; kind != "email" && kind != "phone" && !anybody[term] {
			keys = append(keys, term)
		}
	}
	if len(keys) == 0 && !slices.ContainsFunc(append(core(w.name), core(w.described)...), func(term string) bool {
		return term != w.kind && !anybody[term] && !f.asked.inName(term)
	}) {
		return f.alone(w, p)
	}
	if len(keys) != 1 || f.asked.inName(keys[0]) {
		return nil
	}
	var out []finding
	for _, fact := range p.facts {
		if fact.question || fact.edge || fact.isRow || !slices.Contains(fact.terms, keys[0]) || len(core(fact.terms)) > 2 {
			continue
		}
		if found := parts(fact.value, w.kind, p.language, w); len(found) == 1 {
			out = append(out, finding{found[0].text, p.source.URL, fact.quote, rangeTrust, p.standing})
		}
	}
	if len(out) > 0 || w.kind != "email" || p.source.Document == nil {
		return out
	}
	for _, found := range parts(limit(p.source.Document.Text, textBytesMax), "email", p.language, w) {
		if before, _, _ := strings.Cut(found.text, "@"); slices.Equal(terms(words(before)), keys) {
			out = append(out, finding{found.text, p.source.URL, found.text, bareTrust, p.standing})
		}
	}
	return out
}

// anybody are words by which a number or an address is that of whom one turns to about the subject, whoever that is.
var anybody = set("contact contactperson agent seller dealer booking bookings reservation reservations enquiry enquiries general main office")

// alone finds the one address for mail, or the one number that is dialled, that stands alone in a text of its own.
func (f *finder) alone(w *want, p placed) []finding {
	var out []finding
	isAnybody := slices.ContainsFunc(append(slices.Clone(w.name), w.described...), func(term string) bool { return anybody[term] })
	for _, x := range p.items {
		found := parts(x.text, w.kind, p.language, w)
		if len(found) != 1 || w.kind == "phone" && !isDialled(found[0].text) || p.cards[x.card] && !f.asked.isRowOf([]string{x.card}, p.page) {
			continue
		}
		if isAll := len(found[0].text) == len(x.text); !isAll && !(w.kind == "phone" && dialText.MatchString(x.text[:found[0].start])) {
			continue
		}
		if !isAnybody && f.isOfAnother(w, x.text, x.card, x.block, p) {
			continue
		}
		out = append(out, finding{found[0].text, p.source.URL, x.text, bareTrust - 0.02, p.standing})
	}
	for _, fact := range p.facts {
		if fact.edge || fact.isRow || !slices.Equal(fact.terms, []string{w.kind}) || f.isOfAnother(w, fact.label+" "+fact.quote, fact.around, fact.block, p) {
			continue
		}
		if found := parts(fact.value, w.kind, p.language, w); len(found) == 1 {
			out = append(out, finding{found[0].text, p.source.URL, fact.quote, bareTrust - 0.02, p.standing})
		}
	}
	if slices.ContainsFunc(out, func(other finding) bool { return keyOf(other.value) != keyOf(out[0].value) }) {
		return nil
	}
	return out
}

// dialText matches what stands before a number that is dialled.
var dialText = regexp.MustCompile(`(?i)\b(?:phone|tel|telephone|telefon|téléphone|call|ring|dial)\b[ .:]*$`)

// dialledText matches how numbers begin that are dialled, with the country or the first nought.
var dialledText = regexp.MustCompile(`^(?:\+|00[1-9]|\(?0[1-9]|\(\+)`)

// isDialled reports whether a number is written as those are that one dials, and not as codes and months are.
func isDialled(text string) bool {
	return dialledText.MatchString(text) && strings.ContainsAny(text, " -/") && len(onlyDigits(text)) >= dialledMin
}

// dialledMin is how many digits a number has at least that is dialled from everywhere.
const dialledMin = 9
