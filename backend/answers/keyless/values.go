package keyless

import (
	"cmp"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// part is a value that stands in a text.
type part struct {
	start, end int
	text       string
}

var (
	emailText = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9][A-Za-z0-9.-]*\.[A-Za-z]{2,}`)
	phoneText = regexp.MustCompile(`(?:\+|\b0|\(0)[\d() /.-]{5,22}\d`)
	urlText   = regexp.MustCompile(`(?:https?://|www\.)[^\s"'<>()]+[^\s"'<>().,;:?!]`)
	moneyText = regexp.MustCompile(`(?i)(?:(?:US ?\$|A\$|C\$|[€$£¥]|\b(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|JPY|kr` +
		`|Rs)\.?)\s?\d[\d.,' \x{a0}\x{202f}\x{2009}]*(?:\s?(?:million|billion|thousand|bn|m|k|Mio)\b)?` +
		`|\d[\d.,' \x{a0}\x{202f}\x{2009}]*(?:\s?(?:million|billion|thousand|bn|Mio\.?))?\s?(?:€|\$|£|¥|(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|JPY|kr|zł|euros?` +
		`|dollars?|pounds?|francs?|crowns?|kronor|kroner|cents?|pence|penny|pennies|yen)\b))`)
	dateText = regexp.MustCompile(`(?i)\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:\b|T)|\b\d{1,2}(?:st|nd|rd|th|er|\.)?(?: of| de)? \pL{3,10}\.?,?(?: de)? \d{4}\b|` +
		`\b\pL{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{4}\b`)
	yearText  = regexp.MustCompile(`\b(?:1[0-9]|20)\d{2}\b`)
	hoursText = regexp.MustCompile(`(?i)(?:\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b,? (?:from )?)?\b\d{1,2}(?:[:.]\d{2})?\s?(?:am|pm|h` +
		`|Uhr)?(?:\s?(?:–|-|—|to|until|and|bis)\s?\d{1,2}(?:[:.]\d{2})?\s?(?:am|pm|h|Uhr)?)\b|\b\d{1,2}[:.]\d{2}\s?(?:am|pm|h|Uhr)?\b|\b\d{1,2}\s?(?:am|pm)\b`)
	dayText  = regexp.MustCompile(`\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day`)
	nameText = regexp.MustCompile(`(?:\p{Lu}[\pL\pN'’.&-]*|\p{Lu}\.)` +
		`(?: (?:(?:of|de|du|des|del|della|dos|van|von|der|den|zum|zur|di|da|la|le|al|bin|and|&|the) )*(?:\p{Lu}[\pL\pN'’&.-]*|\d+))*`)
)

// parts are the values of a kind in a text.
func parts(text, kind, language string, w *want) []part {
	var pattern *regexp.Regexp
	switch kind {
	case "email":
		pattern = emailText
	case "phone":
		pattern = phoneText
	case "url":
		pattern = urlText
	case "money":
		pattern = moneyText
	case "date":
		pattern = dateText
	case "year":
		pattern = yearText
	case "weekday":
		pattern = dayText
	case "hours":
		pattern = hoursText
	case "name":
		pattern = nameText
	case "number":
		return numberParts(text, language, w)
	default:
		return nil
	}
	var out []part
	if kind == "money" && !mayBeMoney(text) || pattern != nameText && pattern != dayText && pattern != urlText && pattern != emailText && !digits(text) {
		return nil // which is told sooner
	}
	for _, at := range pattern.FindAllStringIndex(text, 200) {
		found := strings.TrimRight(text[at[0]:at[1]], " ,.;:")
		if kind == "phone" {
			if n := len(onlyDigits(found)); n < 6 || n > 16 {
				continue
			}
		}
		if kind == "date" {
			found = strings.TrimSuffix(found, "T") // before the time of day
		}
		if kind == "money" && lessText.MatchString(text[at[1]:]) {
			continue // what is taken off is no price
		}
		if kind == "date" && len(ask.DatesIn(found, language)) == 0 {
			continue
		}
		out = append(out, part{at[0], at[0] + len(found), found})
	}
	return out
}

// currencies are what at least one of stands in each amount of money, in lower case.
var currencies = []string{
	"€", "$", "£", "¥", "eur", "usd", "gbp", "chf", "sek", "nok", "dkk", "pln", "jpy", "kr", "rs", "zł",
	"dollar", "pound", "franc", "crown", "cent", "pence", "penn", "yen",
}

// mayBeMoney reports whether a text may have an amount of money, without looking at how it is written.
func mayBeMoney(text string) bool {
	if !digits(text) {
		return false
	}
	lower := strings.ToLower(text)
	return slices.ContainsFunc(currencies, func(name string) bool { return strings.Contains(lower, name) })
}

// amountsIn is where the amounts of money of a text stand.
func amountsIn(text string, most int) [][]int {
	if !mayBeMoney(text) {
		return nil
	}
	return moneyText.FindAllStringIndex(text, most)
}

// daysIn is where the dates of a text stand.
func daysIn(text string, most int) [][]int {
	if !digits(text) {
		return nil
	}
	return dateText.FindAllStringIndex(text, most)
}

// lessText matches what stands behind an amount by which something is cheaper.
var lessText = regexp.MustCompile(`(?i)^ ?(?:off|less than|less|cheaper|discount|voucher|cashback)\b`)

func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// numberParts are the numbers that may be a count or a measure: no amounts of money, no dates, and no percentages where those are
// not asked for.
func numberParts(text, language string, w *want) []part {
	var out []part
	taken := append(amountsIn(text, 50), daysIn(text, 50)...)
	if strings.Contains(text, "@") {
		taken = append(taken, emailText.FindAllStringIndex(text, 50)...)
	}
	if strings.Contains(text, "://") || strings.Contains(text, "www.") {
		taken = append(taken, urlText.FindAllStringIndex(text, 50)...)
	}
	for _, n := range ask.NumbersIn(text, language) {
		if slices.ContainsFunc(taken, func(at []int) bool { return at[0] <= n.Start && n.End <= at[1] }) {
			continue
		}
		if u := ask.UnitNames()[n.Unit]; w != nil && w.unit != "" && u[0] == w.dimension && u[1] != w.unit {
			continue
		}
		if w != nil && n.Unit == "%" && w.unit != "%" && w.unit != "" {
			continue
		}
		out = append(out, part{n.Start, n.End, text[n.Start:n.End]})
	}
	slices.SortStableFunc(out, func(a, b part) int { return cmp.Compare(a.start, b.start) })
	return out
}

// value makes the value of a field of a text that is all of it, or begins with it.
func (w *want) value(text string, p *page, whole bool) (any, bool) {
	text = ask.Plain(strings.TrimSpace(text))
	if text == "" || text == "-" || isNothing(text) {
		return nil, false
	}
	switch {
	case w.field.Type == "" && isVerdict(text) && !hasLetter(text):
		return truthOf(text) // a sign
	case w.field.Type == "array":
		return w.listValue(p.parted(text))
	case w.field.Type == "boolean":
		return truthOf(text)
	case len(w.field.Enum) > 0:
		return w.choice(text)
	}
	number := w.field.Type == "number" || w.field.Type == "integer"
	if w.kind == "" && !number {
		return w.text(text, whole)
	}
	kind := w.kind
	if number && (kind == "" || kind == "text" || kind == "hours") {
		kind = "number"
	}
	text = timed(text, kind, whole)
	found := parts(text, kind, p.language, w)
	if kind == "date" && len(found) == 0 && w.field.Form == "" && w.field.Type != "number" {
		if y := parts(text, "year", p.language, w); len(y) == 1 {
			return y[0].text, true
		}
	}
	if kind == "money" && len(found) == 0 {
		found = numberParts(text, p.language, w)
		if len(found) != 1 || unitWords[firstWordOf(text[found[0].end:])] {
			return nil, false
		}
	}
	if kind == "hours" && len(found) > 0 && whole && w.field.Type != "number" && len(text) < 200 {
		return text, true
	}
	if len(found) == 0 {
		if kind == "number" && !number && whole && w.unit == "" && len(strings.Fields(text)) <= 4 && len(text) < 40 && w.isLasting() {
			return strings.TrimRight(text, " ,;."), true // a guarantee for life
		}
		if (kind == "name" || kind == "text" || kind == "list" || kind == "hours") && !number {
			return w.text(text, whole)
		}
		return nil, false
	}
	if (kind == "name" || kind == "text") && whole {
		return w.text(text, whole)
	}
	return w.among(found, kind, text, p, whole)
}

// among makes the value of a text of one of the parts of it that are of the kind that is wanted.
func (w *want) among(found []part, kind, text string, p *page, whole bool) (any, bool) {
	first := found[0]
	if kind == "money" && len(found) > 1 && strings.ContainsAny(text[first.end:found[1].start], "→>") {
		return nil, false // from one to the other
	}
	if kind == "date" && len(found) == 2 && w.isLast() && spanText.MatchString(text[first.end:found[1].start]) {
		first = found[1] // the end of "3 May 2026 – 8 June 2026"
	} else if len(found) > 1 && kind != "name" && !isFirst(first) {
		return nil, false
	}
	if measure := w.measured(text, first, len(found), whole); kind == "number" && measure != "" {
		return measure, true
	}
	return w.typed(kind, first.text, p)
}

// begunText matches the first word of what follows a name, where lines were joined.
var begunText = regexp.MustCompile(` (?:The|It|He|She|This|Its|They)$`)

// measured is one number of a text with its unit, where a field gets that; "" where it does not.
func (w *want) measured(text string, number part, n int, whole bool) string {
	if !whole && n == 1 {
		if unit := w.unitBehind(text[number.end:]); unit != "" {
			return number.text + unit
		}
	}
	if whole && w.isQuantity(text, number, n) {
		return strings.TrimRight(text, " ,;.")
	}
	return ""
}

// spanText matches what stands between the first and the last day of a time.
var spanText = regexp.MustCompile(`^\s*(?:[-–—]|to|until|till|through|and)\s*(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? )?$`)

// lastWords ask for the last day of a time.
var lastWords = set("end ends last until closes expires expiry")

// isLast reports whether the last day of a time is wanted, not the first.
func (w *want) isLast() bool {
	return slices.ContainsFunc(append(slices.Clone(w.raw), words(w.field.Description)...), func(word string) bool {
		return lastWords[word] || word == "to" && slices.Contains(w.raw, "to")
	})
}

// timed is a text without the time of day behind a date, and without what stands before a time.
func timed(text, kind string, whole bool) string {
	switch {
	case kind == "date":
		return clockText.ReplaceAllString(text, "$1")
	case kind == "hours" && whole:
		return fromText.ReplaceAllString(text, "$1")
	}
	return text
}

var (
	// clockText matches a date with the time of day behind it, as programs write it.
	clockText = regexp.MustCompile(`\b(\d{4}-\d{2}-\d{2})T\d\S*`)
	// fromText matches what stands before a time from or until which something is so.
	fromText = regexp.MustCompile(`(?i)^(?:from|until|till|by|after|before|at|by latest) (\d{1,2}[:.]?\d{0,2} ?(?:am|pm)?)$`)
)

// isLasting reports whether what is wanted is how long something lasts, which words can say without a number.
func (w *want) isLasting() bool {
	return slices.ContainsFunc(append(slices.Clone(w.name), w.described...), func(term string) bool {
		return term == "warranty" || term == "processing" || term == "delivery" || term == "duration" || term == "validity"
	})
}

// quantityMax is how long a number with its unit is.
const quantityMax = 30

// isQuantity reports whether a text is one number with its unit, which a field gets whole that is no number and names no unit.
func (w *want) isQuantity(text string, number part, n int) bool {
	if w.field.Type == "number" || w.field.Type == "integer" || w.unit != "" || w.isCount || n != 1 || len(text) > quantityMax || number.start > 0 {
		return false
	}
	rest := words(text[number.end:])
	if len(rest) == 1 && len(rest[0]) <= 4 && !little[rest[0]] && !generic[rest[0]] {
		return true // "22 nmi"
	}
	return len(rest) > 0 && len(rest) <= 3 && !slices.ContainsFunc(rest, func(word string) bool { return !unitWords[word] && !unitWords[word+"s"] && !isUnit(word) })
}

// unitBehind is the unit behind a number, with the space before it, where a field gets that: " years".
func (w *want) unitBehind(rest string) string {
	if w.field.Type == "number" || w.field.Type == "integer" || w.unit != "" || w.isCount || !strings.HasPrefix(rest, " ") {
		return ""
	}
	unit := rest[1:]
	if end := strings.IndexFunc(unit, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		unit = unit[:end]
	}
	if len(unit) < 2 && unit != "m" || unit == "per" || unit == "cent" || !unitWords[unit] && !isUnit(unit) {
		return ""
	}
	return " " + unit
}

// isUnit reports whether a word is the spelling of a unit.
func isUnit(word string) bool {
	_, ok := ask.UnitNames()[word]
	return ok
}

// isFirst reports whether a text begins with a value, other values being beside the point.
func isFirst(first part) bool {
	return first.start <= 6
}

func isNothing(text string) bool {
	switch strings.ToLower(strings.Trim(text, " .")) {
	case "-", "–", "—", "n/a", "none", "unknown", "tba", "tbc", "not known", "not stated", "not specified", "null", "?", "tbd", "not available", "not given", "not listed":
		return true
	}
	return false
}

// typed writes a value that was found as the field wants it.
func (w *want) typed(kind, text string, p *page) (any, bool) {
	if w.field.Type == "number" || w.field.Type == "integer" {
		numbers := ask.NumbersIn(ask.Plain(text), p.language)
		if len(numbers) == 0 || w.field.Type == "integer" && !numbers[0].Value.IsInt() {
			return nil, false
		}
		return json.Number(decimal(numbers[0].Value)), true
	}
	if kind == "date" && (w.field.Form == "date" || w.field.Form == "") {
		dates := ask.DatesIn(text, p.language)
		if len(dates) == 0 {
			return nil, false
		}
		return dates[0], true
	}
	if kind == "name" {
		text = begunText.ReplaceAllString(text, "")
	}
	if kind == "url" && strings.HasPrefix(text, "www.") {
		return text, w.field.Form == ""
	}
	return text, true
}

func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	s := strings.TrimRight(r.FloatString(12), "0")
	return strings.TrimSuffix(s, ".")
}

// textMax is how long a value is that is a text; a field that asks for one whole gets it.
const textMax = 400

func (w *want) text(text string, whole bool) (any, bool) {
	text = squeeze(text)
	if len(text) > textMax && !whole || len(text) > 8000 {
		return nil, false
	}
	if w.field.Form != "" {
		return nil, false
	}
	if w.kind == "name" && (len(text) > 120 || !strings.ContainsFunc(text, isUpper)) && !digits(text) && len(strings.Fields(text)) > 3 {
		return nil, false
	}
	if before, _, ok := strings.Cut(text, " ("); ok && strings.HasSuffix(text, ")") && before != "" && w.kind != "" && len(text) < 120 {
		text = before // what follows explains it
	}
	if whole && len(text) < 120 && (w.kind == "name" || w.kind == "text" || w.kind == "") {
		text = w.withoutRest(text)
	}
	if w.kind != "email" && emailText.FindString(text) == text {
		return nil, false
	}
	text = w.code(text)
	if !whole {
		text = doneBy.ReplaceAllString(text, "")
	} else if all := split(text); len(all) > 1 && (w.kind == "text" || w.kind == "list") && len(strings.Fields(all[0])) <= firstWords {
		text = strings.TrimSuffix(all[0], ".") // what follows says more of it
	}
	return strings.TrimRight(text, " ,;"), true
}

var (
	// versionCode matches a version before what is said of when it came out, serialCode a code before the sentence that begins behind it.
	versionCode = regexp.MustCompile(`^(v?\d+(?:\.\d+)+)(?:,| \(| of| from| released)? .*\d`)
	serialCode  = regexp.MustCompile(`^([\pL\d]*\d[\pL\d]*(?:[/.-][\pL\d]+)*|[\pL\d]+(?:[/.-][\pL\d]+)*[/-]\d+) \p{Lu}\p{Ll}+ \p{Ll}`)
)

// code is a version or a code without what is said behind it.
func (w *want) code(text string) string {
	wanted := core(w.name)
	if len(wanted) == 0 {
		wanted = core(w.described)
	}
	switch {
	case slices.Contains(wanted, "version"):
		if m := versionCode.FindStringSubmatch(text); m != nil {
			return m[1]
		}
	case slices.Contains(wanted, "sku"):
		if m := serialCode.FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	return text
}

// restText matches what stands behind a name of how that person is reached, and of what begins behind it where lines were joined.
var restText = regexp.MustCompile(`(?:,| [-–]|;| \() ?(?:\+?[\d(]{2}|\S+@|[Tt]el\b|[Pp]hone|[Ee]-?mail).*$| (?:The|It|He|She|This|Its|They)(?: \p{Ll}.*)?$`)

// withoutRest is a value without what is said beside it: behind a name how that person is reached, and behind a dot what else there is.
func (w *want) withoutRest(text string) string {
	if w.kind == "name" {
		text = restText.ReplaceAllString(text, "")
	}
	for _, mark := range []string{" • ", " · "} {
		if before, after, ok := strings.Cut(text, mark); ok && !strings.Contains(after, mark) && digits(after) && !digits(before) {
			return before
		}
	}
	return text
}

// firstWords is how many words the first sentence of a value has that says all of it.
const firstWords = 5

// doneBy matches what was done before who did it.
var doneBy = regexp.MustCompile(`^(?:\p{Ll}+ed|written|led|built|run|held|made|drawn|taught) by (?:the )?`)

func isUpper(r rune) bool { return r >= 'A' && r <= 'Z' || r > 127 }

var listMarks = regexp.MustCompile(`\s*(?:\n|;|,|\s\|\s|•|·)\s*(?:and |or )?|\s+(?:and|&)\s+`)

// splitList parts a list at the marks that it has: at its lines where it has several, else at semicolons, else at commas and the last "and".
func splitList(text string) []string {
	if lines := strings.Split(strings.TrimSpace(text), "\n"); len(lines) > 1 {
		return lines
	}
	if strings.Contains(text, ";") {
		return strings.Split(text, ";")
	}
	return listMarks.Split(text, -1)
}

func (w *want) listValue(text string) (any, bool) {
	if isVerdict(text) {
		return nil, false
	}
	if all := split(text); len(all) > 1 && !strings.Contains(text, "\n") && strings.ContainsAny(all[0], ",;") && !strings.ContainsAny(text, "•·|") {
		text = all[0] // what follows is no part of it
	}
	var out []any
	for _, item := range splitList(text) {
		item = strings.Trim(squeeze(item), " .-*•")
		if item == "" || len(item) > 300 {
			continue
		}
		if w.field.ItemType == "number" || w.field.ItemType == "integer" {
			numbers := ask.NumbersIn(item, "en")
			if len(numbers) != 1 {
				return nil, false
			}
			out = append(out, json.Number(decimal(numbers[0].Value)))
			continue
		}
		out = append(out, item)
	}
	return out, len(out) > 0 && len(out) <= 100
}

var (
	yes = set("yes true ja oui si available included allowed permitted welcome provided possible required needed open active free offered present accessible friendly ✓ ✔")
	no  = set("no false nein non none not never without unavailable impossible excluded prohibited forbidden closed inactive absent ✗ ✘ neither nor cannot unable")
)

// truthOf reads a yes or a no at the beginning of a text.
func truthOf(text string) (any, bool) {
	all := plainWords(strings.NewReplacer("✓", " yes ", "✔", " yes ", "✗", " no ", "✘", " no ", "n't", " not").Replace(text))
	if len(all) == 0 || len(all) > 30 {
		return nil, false
	}
	switch {
	case slices.ContainsFunc(all, func(word string) bool { return no[word] }):
		return false, true
	case slices.ContainsFunc(all, func(word string) bool { return yes[word] }):
		return true, true
	}
	return nil, false
}

// choice is the one value of an enum whose words a text has.
func (w *want) choice(text string) (any, bool) {
	folded := " " + strings.Join(words(text), " ") + " "
	best := ""
	for _, value := range w.field.Enum {
		own := strings.Join(words(value), " ")
		if own == "" || !strings.Contains(folded, " "+own+" ") || strings.Contains(folded, " not "+own+" ") {
			continue
		}
		if best != "" && len(words(best)) == len(words(value)) {
			return nil, false
		}
		if len(own) > len(best) {
			best = value
		}
	}
	return best, best != ""
}
