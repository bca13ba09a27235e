package keyless

import (
	"regexp"
	"slices"
	"strings"
)

const (
	// truthTrust is how far a clause is trusted that says whether something is so.
	truthTrust = 0.7
	// nearWords is how far from what is asked the word may stand that makes it so, or not.
	nearWords = 5
)

// asserted are words that, before or behind what is asked, say that it is so.
var asserted = set("is are be being has have offers offer includes include with there takes take accepts accept provides provide comes come allowed welcome permitted available " +
	"included possible accepted provided offered required needed necessary mandatory compulsory obligatory can may must free open fitted supplied serves remains supports")

// denying are words that say that something is not so.
var denying = set("no not never without none neither nor cannot nobody nothing isn't aren't doesn't don't can't")

// needs and allows are the stems of what a field may ask more than whether something is there.
var (
	needs  = set("requir need mandator compulsor obligator necess must")
	allows = set("allow permit welcom accept admit possibl may can friendl")
)

// unsure are words by which a clause says less than that something is so.
var unsure = set("if whether unless except only might would should could hope hopes planned plans soon formerly " +
	"previously once until used elsewhere other others another former nearby " +
	"off removed withdrawn suspended stopped lost ended some sometimes usually most many optional extra request arrangement")

// clauseMarks parts a sentence where another thing may be said.
var clauseMarks = regexp.MustCompile(`[,;:–—()] |: | - | but | although | though | while | whereas | so | because | and (?:it|they|there|we|you|is|are|has|have) `)

// truths are what the clauses of a page's sentences say of whether something is so: that which is asked is its predicate, or stands
// with a word that says that it is there, allowed or needed.
func (f *finder) truths(w *want, p placed) []finding {
	if w.field.Type != "boolean" || p.standing <= local {
		return nil
	}
	asked := w.raw
	if len(truthKeys(asked)) == 0 {
		asked = words(w.field.Description)
	}
	keys := truthKeys(slices.DeleteFunc(slices.Clone(asked), f.asked.inName))
	if len(keys) == 0 || len(keys) > 3 {
		return nil
	}
	var out []finding
	for _, s := range p.sentences {
		if strings.HasSuffix(s.text, "?") || len(s.text) > proseBytes || mineText.MatchString(s.text) || f.asked.isBegunByAnother(s.text, p.page) {
			continue
		}
		for _, clause := range clausesOf(s.text) {
			so, ok := saysSo(clause, keys, asked)
			if !ok {
				continue
			}
			if f.isOthers(w, s, p) || !f.isOfYear(w, s.text+" "+s.heading, p) {
				break
			}
			out = append(out, finding{so, p.source.URL, clause, truthTrust, p.standing})
		}
	}
	return out
}

func clausesOf(text string) []string {
	var out []string
	start := 0
	for _, at := range clauseMarks.FindAllStringIndex(text, 20) {
		out = append(out, strings.Trim(text[start:at[0]], " "))
		start = at[1]
		if mark := strings.TrimSpace(text[at[0]:at[1]]); strings.HasPrefix(mark, "and ") {
			start = at[0] + len(" and ")
		}
	}
	return append(out, strings.Trim(text[start:], ` ."`))
}

// saysSo reports whether a clause says that what has the keys is so, or that it is not.
func saysSo(clause string, keys, asked []string) (so, ok bool) {
	all := plainWords(clause)
	if len(all) < 2 || len(all) > 16 || slices.ContainsFunc(all, func(word string) bool { return unsure[word] }) {
		return false, false
	}
	stems := mapped(all, stem)
	at := -1
	for _, key := range keys {
		i := slices.IndexFunc(stems, func(s string) bool { return s == key || singular(s) == singular(key) })
		if i < 0 {
			return false, false
		}
		at = max(at, i)
	}
	first := slices.IndexFunc(stems, func(s string) bool { return slices.Contains(keys, s) })
	if first < 0 {
		first = at
	}
	for _, more := range []map[string]bool{needs, allows} {
		isAsked := slices.ContainsFunc(asked, func(word string) bool { return more[stem(word)] })
		isSaid := slices.ContainsFunc(stems, func(s string) bool { return more[s] }) || slices.ContainsFunc(all, func(word string) bool { return more[word] })
		if isAsked && !isSaid {
			return false, false
		}
	}
	if slices.Contains(asked, "free") && !slices.Contains(all, "free") {
		return false, false
	}
	if isFragment(all, stems, keys) {
		return true, true
	}
	near := all[max(0, first-nearWords):min(len(all), at+nearWords+1)]
	if slices.ContainsFunc(near, func(word string) bool { return denying[word] }) {
		return false, !slices.Contains(all, "only")
	}
	return true, slices.ContainsFunc(near, func(word string) bool { return asserted[word] }) && !slices.ContainsFunc(all, func(word string) bool { return denying[word] })
}

// addedWords are words that a fragment may have beside what is asked, and say no less for it.
var addedWords = set("too also fully always already now since all every")

// isFragment reports whether a clause says what is asked, all of it, and nothing else: "VAT paid", "Runs on Sundays, too".
func isFragment(all, stems, keys []string) bool {
	if len(keys) < 2 || len(all) > len(keys)+3 {
		return false
	}
	for i, word := range all {
		isKey := slices.ContainsFunc(keys, func(key string) bool { return stems[i] == key || singular(stems[i]) == singular(key) })
		if denying[word] || !isKey && !little[word] && !addedWords[word] && !digits(word) {
			return false
		}
	}
	return true
}
