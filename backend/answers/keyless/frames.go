package keyless

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

//go:embed frames.txt
var framesText string

// frame is a relation that sentences say in known ways: who wrote something, where it lies, why it is closed.
type frame struct {
	// keys are the stems of what fields for it are called or asked by, senses what these are in the lexicon.
	keys   [][]string
	senses map[string]bool
	// phrase matches how it is asked for, where its words are not enough: what is made of something is not made by it.
	phrase *regexp.Regexp
	// kind is what sort of value it has.
	kind string
	ways []way
}

// way is one way of saying it.
type way struct {
	// before matches what stands before the value; nil where only what stands behind it tells.
	before *regexp.Regexp
	// behind matches what stands behind; nil where anything may.
	behind *regexp.Regexp
	// begins reports that the value begins the sentence.
	begins bool
}

// dateBytes is how long the day before the year of a date may be.
const dateBytes = 24

// frameTrust is how far what a frame finds is trusted.
const frameTrust = 0.8

// frames are read once they are needed.
var frames = sync.OnceValue(func() []frame {
	var out []frame
	for line := range strings.Lines(framesText) {
		parts := strings.SplitN(strings.TrimSpace(line), " | ", 3)
		if len(parts) != 3 || strings.HasPrefix(line, "#") {
			continue
		}
		f := frame{kind: parts[1], senses: map[string]bool{}}
		var phrases []string
		for key := range strings.SplitSeq(parts[0], ", ") {
			if key = strings.TrimSpace(key); strings.HasPrefix(key, `"`) {
				phrases = append(phrases, strings.Trim(key, `"`))
				continue
			}
			if all := stems(words(key)); len(all) > 0 {
				f.keys = append(f.keys, all)
			}
			if s := senses[strings.Join(singulars(words(key)), " ")]; s != nil {
				f.senses[s.name] = true
			}
		}
		if phrases != nil {
			f.phrase = regexp.MustCompile(`\b(?:` + strings.Join(phrases, "|") + `)\b`)
		}
		for pattern := range strings.SplitSeq(parts[2], " ; ") {
			f.ways = append(f.ways, newWay(strings.TrimSpace(pattern)))
		}
		out = append(out, f)
	}
	return out
})

func newWay(pattern string) way {
	before, behind, _ := strings.Cut(pattern, "_")
	out := way{begins: before == "^"}
	if before != "" && before != "^" && before != `\b` {
		out.before = regexp.MustCompile(before)
	}
	switch {
	case behind == "":
	case out.before != nil:
		out.behind = regexp.MustCompile("^" + behind)
	default:
		out.behind = regexp.MustCompile(behind)
	}
	return out
}

// stems are those of words that say something.
func stems(all []string) []string {
	var out []string
	for _, word := range all {
		if !little[word] && !generic[word] && !unitWords[word] {
			out = append(out, stem(word))
		}
	}
	return out
}

// framesOf are the frames that a field is for: by its name, or else by what asks for it.
func (w *want) framesOf() []frame {
	of := func(is func(f *frame) bool) []frame {
		var out []frame
		for _, f := range frames() {
			if is(&f) && w.fits(&f) {
				out = append(out, f)
			}
		}
		return out
	}
	if raw := stems(w.raw); len(raw) > 0 {
		name := strings.Join(w.raw, " ")
		if found := of(func(f *frame) bool { return f.phrase != nil && f.phrase.MatchString(name) }); found != nil {
			return found
		}
		if found := of(func(f *frame) bool { return f.isCalled(raw) }); found != nil {
			return found
		}
		if own := core(w.name); len(own) == 1 && len(own) == len(w.name) {
			if found := of(func(f *frame) bool { return f.senses[own[0]] }); found != nil {
				return found
			}
		}
	}
	asking := strings.ToLower(w.asking)
	if found := of(func(f *frame) bool { return f.phrase != nil && f.phrase.MatchString(asking) }); found != nil {
		return found
	}
	asked := stems(slices.DeleteFunc(words(w.asking), func(word string) bool { return starters[word] || chief[word] || isYear(word) }))
	return of(func(f *frame) bool { return f.isCalled(asked) })
}

// chief are words that ask for the first of several.
var chief = set("it chief main principal primary key official exact exactly currently actually")

// isCalled reports whether one of a frame's keys is what is asked, with fewer other words than its own.
func (f *frame) isCalled(asked []string) bool {
	return slices.ContainsFunc(f.keys, func(key []string) bool {
		if len(key) == 0 || slices.ContainsFunc(key, func(s string) bool { return !slices.Contains(asked, s) }) {
			return false
		}
		others := 0
		for _, s := range asked {
			if !slices.Contains(key, s) {
				others++
			}
		}
		return others < len(key)
	})
}

// fits reports whether a field may have the values of a frame.
func (w *want) fits(f *frame) bool {
	kind := w.proseKind()
	switch f.kind {
	case "money", "date", "number":
		return kind == f.kind || kind == "text" && w.kind == "" // "box_office" does not say that it is money
	case "year":
		return kind == "year" || kind == "date" && w.field.Form == ""
	case "list":
		return kind == "list" || kind == "text"
	}
	if w.field.Type != "" && w.field.Type != "string" || w.field.Form != "" {
		return false
	}
	switch kind {
	case "name":
		return f.kind == "name" || f.kind == "org" || f.kind == "river"
	case "place":
		return f.kind != "name" && f.kind != "code" && f.kind != "clause"
	}
	return kind == "text" || kind == "number" && len(w.raw) == 1 && singular(w.raw[0]) == w.raw[0] // "school" is none of a number of schools
}

// ofFrames are what the sentences of a page say in the ways of the frame that a field is for.
func (f *finder) ofFrames(w *want, p placed) []finding {
	var out []finding
	for _, fr := range w.framesOf() {
		out = append(out, f.ofFrame(w, p, &fr)...)
	}
	return out
}

// ofFrame is what they say in the ways of one frame.
func (f *finder) ofFrame(w *want, p placed, fr *frame) []finding {
	var out []finding
	for _, s := range p.sentences {
		if len(s.text) > proseBytes || strings.HasSuffix(s.text, "?") {
			continue
		}
		for _, found := range fr.in(s.text, w, p.page, f.asked) {
			if f.isOthers(w, s, p) || !f.isOfYear(w, s.text+" "+s.heading, p) {
				break
			}
			if value, ok := w.proseValue(fr.valueKind(), found, p.page); ok {
				out = append(out, finding{value, p.source.URL, s.text, frameTrust, p.standing})
			}
		}
	}
	return out
}

// valueKind is the kind of a frame's value as fields have it.
func (f *frame) valueKind() string {
	switch f.kind {
	case "money", "date", "number", "year", "list":
		return f.kind
	}
	return "text"
}

// in are the values that a sentence gives to a frame.
func (f *frame) in(text string, w *want, p *page, a *asked) []string {
	for _, one := range f.ways {
		var found string
		if one.before == nil {
			found = f.ahead(text, one, w, p, a)
		} else if !a.isBegunByAnother(text, p) || strings.HasPrefix(one.before.String(), "^") {
			found = f.following(text, one, w, p, a)
		}
		if found != "" {
			return []string{found}
		}
	}
	return nil
}

// isBegunByAnother reports whether a sentence begins with the name of somebody else than the page and the task are about.
func (a *asked) isBegunByAnother(text string, p *page) bool {
	at := nameText.FindStringIndex(text)
	if at == nil || at[0] != 0 {
		return false
	}
	all := plainWords(text[:at[1]])
	if len(all) < 2 || isDated(all) || starters[all[0]] || little[all[0]] || !goesOn.MatchString(text[at[1]:]) {
		return false
	}
	return !slices.ContainsFunc(all, func(word string) bool {
		return !little[word] && (a.has(word) || slices.ContainsFunc(p.names, func(name string) bool { return slices.Contains(plainWords(name), word) }))
	})
}

// goesOn matches what follows a name that a sentence is about.
var goesOn = regexp.MustCompile(`^(?:,| \()?.? ?\p{Ll}`)

// following is the value behind what a way has before it.
func (f *frame) following(text string, one way, w *want, p *page, a *asked) string {
	for _, at := range one.before.FindAllStringIndex(text, 10) {
		value, end := f.leading(text[at[1]:], w, p, a)
		if value != "" && (one.behind == nil || one.behind.MatchString(text[at[1]+end:])) {
			return value
		}
	}
	return ""
}

// weekdayText matches the day of the week before a date.
var weekdayText = regexp.MustCompile(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? (?:the )?`)

// roleText matches what somebody is before the name: "the novelist ".
var roleText = regexp.MustCompile(`^(?:(?:the|an?|our|its|his|her|their) (?:\p{Ll}[\pL-]+ ){0,3}|(?:\p{Ll}[\pL-]+ ){1,2})`)

// stuffEnd matches where what something is made of ends.
var stuffEnd = regexp.MustCompile(` (?:in|by|at|from|and (?:is|has|was|it)) `)

// daysText matches days of the week and of feasts.
var daysText = regexp.MustCompile(`^(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|(?:public|bank) holidays|Christmas(?: Day)?|New Year's Day|Good Friday)` +
	`(?:(?:,| and| or|, and| to) (?:(?:on )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|(?:public|bank) holidays|Christmas(?: Day)?|New Year's Day))*`)

// termText matches what is named by capitals and numbers, with dots and hyphens between them: "Apache-2.0", "MIT".
var termText = regexp.MustCompile(`^\p{Lu}[\pL\d]*(?:[ .-](?:\p{Lu}[\pL\d]*|v?\d[\d.]*\d|\d))*`)

// codeWord matches what begins with digits or letters and has a digit in it.
var codeWord = regexp.MustCompile(`^[\pL\d][^\s,;]*`)

// leading is the value that a text begins with, and how long that is.
func (f *frame) leading(rest string, w *want, p *page, a *asked) (string, int) {
	switch f.kind {
	case "money", "date", "number", "year":
		day := len(weekdayText.FindString(rest))
		if found := parts(rest, f.kind, p.language, w); len(found) > 0 && (found[0].start <= day || f.kind == "year" && found[0].start < dateBytes && isDay(rest, found[0])) {
			return found[0].text, found[0].end
		}
	case "list":
		if all := cmp.Or(strings.Join(enumerated(rest), "\n"), listed(rest)); strings.Contains(all, "\n") {
			return all, 0
		}
	case "days":
		if found := daysText.FindString(rest); found != "" {
			return found, len(found)
		}
	case "code":
		if found := strings.TrimRight(codeWord.FindString(rest), ".)"); digits(found) {
			return found, len(found)
		}
	case "term":
		if found := termText.FindString(rest); found != "" {
			return found, len(found)
		}
	case "clause":
		return clauseOf(rest, 14)
	case "stuff":
		found, end := clauseOf(withoutArticle(rest), 12)
		if at := stuffEnd.FindStringIndex(found); at != nil {
			return found[:at[0]], at[0]
		}
		return found, end
	case "phrase":
		return clauseOf(withoutArticle(rest), 8)
	case "place":
		if found := placeBehind(" in "+rest, a); found != "" {
			return found, strings.Index(rest, strings.TrimPrefix(found, "the ")) + len(strings.TrimPrefix(found, "the "))
		}
	case "name":
		skipped := roleText.FindString(rest)
		if strings.ContainsFunc(skipped, unicode.IsLetter) && slices.ContainsFunc(plainWords(skipped), func(word string) bool { return between[word] || verbal(word) }) {
			skipped = ""
		}
		name, end := leadName(rest, skipped, a)
		if len(plainWords(name)) == 1 && a.isSubject(name) {
			return "", 0
		}
		return name, end
	default:
		skipped := ""
		if strings.HasPrefix(rest, "the ") {
			skipped = "the "
		}
		if value, end := leadName(rest, skipped, a); value != "" || f.kind != "org" || skipped == "" {
			return value, end
		}
		return clauseOf(rest, 4)
	}
	return "", 0
}

// listedWords is how many words an entry has at most of what is only parted by commas.
const listedWords = 3

// listed are the entries, a line each, of what goes to the end of a sentence with commas alone between them: "Danish, Polish, Greek."
func listed(rest string) string {
	rest = strings.TrimSuffix(rest, ".")
	if strings.ContainsAny(rest, ".;:()?!") {
		return ""
	}
	var out []string
	for item := range strings.SplitSeq(rest, ",") {
		item = strings.TrimSpace(item)
		if all := strings.Fields(item); len(all) == 0 || len(all) > listedWords || strings.HasPrefix(item, "but ") || strings.HasPrefix(item, "or ") {
			return ""
		}
		out = append(out, item)
	}
	return strings.Join(out, "\n")
}

// leadName is the name that a text begins with behind some words that are not of it.
func leadName(rest, skipped string, a *asked) (string, int) {
	name := leadingName(rest[len(skipped):], a)
	if name == "" || !isPerson(name, false) {
		return "", 0
	}
	end := strings.Index(rest, name) + len(name)
	if whole, owned := strings.CutSuffix(name, "'s"); owned {
		return whole, end - len("'s")
	}
	return name, end
}

// isSubject reports whether a word is of the names that the task is about.
func (a *asked) isSubject(word string) bool {
	return slices.ContainsFunc(plainWords(word), a.inName)
}

// clauseOf is a text up to where its clause ends, of so many words at most, and how long it is.
func clauseOf(rest string, wordsMax int) (string, int) {
	found := clause(rest)
	if n := len(strings.Fields(found)); n == 0 || n > wordsMax || pronouns[firstWordOf(found)] && wordsMax < 10 {
		return "", 0
	}
	return found, len(found)
}

// ahead is the value that stands before what a way has behind it.
func (f *frame) ahead(text string, one way, w *want, p *page, a *asked) string {
	for _, at := range one.behind.FindAllStringIndex(text, 10) {
		head := text[:at[0]]
		if f.kind == "number" {
			found := parts(head, "number", p.language, w)
			if n := len(found); n > 0 && found[n-1].end == len(strings.TrimRight(head, " ")) && (!one.begins || found[n-1].start == 0) {
				return found[n-1].text
			}
			continue
		}
		name := trailingName(head, a)
		if name != "" && isPerson(name, false) && (!one.begins || strings.TrimPrefix(strings.TrimPrefix(head, "The "), "the ") == name) {
			return name
		}
		if one.begins && f.kind == "org" && strings.HasPrefix(strings.ToLower(head), "the ") && len(strings.Fields(head)) <= 4 {
			return strings.TrimSpace(head)
		}
	}
	return ""
}
