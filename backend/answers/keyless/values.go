package keyless

import (
	"cmp"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"

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
		`|dollars?|pounds?|francs?|crowns?|kronor|kroner|cents?|yen)\b))`)
	dateText = regexp.MustCompile(`(?i)\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b|\b\d{1,2}(?:st|nd|rd|th|er|\.)?(?: of| de)? \pL{3,10}\.?,?(?: de)? \d{4}\b|` +
		`\b\pL{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{4}\b`)
	yearText  = regexp.MustCompile(`\b(?:1[0-9]|20)\d{2}\b`)
	hoursText = regexp.MustCompile(`(?i)(?:\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b,? (?:from )?)?\b\d{1,2}(?:[:.]\d{2})?\s?(?:am|pm|h` +
		`|Uhr)?(?:\s?(?:–|-|—|to|until|and|bis)\s?\d{1,2}(?:[:.]\d{2})?\s?(?:am|pm|h|Uhr)?)\b|\b\d{1,2}[:.]\d{2}\s?(?:am|pm|h|Uhr)?\b|\b\d{1,2}\s?(?:am|pm)\b`)
	dayText  = regexp.MustCompile(`\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day`)
	nameText = regexp.MustCompile(`(?:\p{Lu}[\pL\pN'’.&-]*|\p{Lu}\.)(?: (?:(?:of|de|van|von|der|den|di|da|la|le|al|bin|and|&|the) )*(?:\p{Lu}[\pL\pN'’&.-]*|\d+))*`)
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
	for _, at := range pattern.FindAllStringIndex(text, 200) {
		found := strings.TrimRight(text[at[0]:at[1]], " ,.;:")
		if kind == "phone" {
			if n := len(onlyDigits(found)); n < 6 || n > 16 {
				continue
			}
		}
		if kind == "date" && len(ask.DatesIn(found, language)) == 0 {
			continue
		}
		out = append(out, part{at[0], at[0] + len(found), found})
	}
	return out
}

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
	taken := append(moneyText.FindAllStringIndex(text, 50), dateText.FindAllStringIndex(text, 50)...)
	taken = append(taken, emailText.FindAllStringIndex(text, 50)...)
	taken = append(taken, urlText.FindAllStringIndex(text, 50)...)
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
	case w.field.Type == "array":
		return w.listValue(text)
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
	found := parts(text, kind, p.language, w)
	if kind == "date" && len(found) == 0 && (w.field.Form == "" && w.field.Type != "number") {
		if y := parts(text, "year", p.language, w); len(y) == 1 && w.field.Form == "" {
			return y[0].text, true
		}
	}
	if kind == "money" && len(found) == 0 {
		found = numberParts(text, p.language, w)
		if len(found) != 1 {
			return nil, false
		}
	}
	if kind == "hours" && len(found) > 0 && whole && w.field.Type != "number" && len(text) < 200 {
		return text, true
	}
	if len(found) == 0 {
		if (kind == "name" || kind == "text" || kind == "list" || kind == "hours") && !number {
			return w.text(text, whole)
		}
		return nil, false
	}
	if (kind == "name" || kind == "text") && whole {
		return w.text(text, whole)
	}
	first := found[0]
	if len(found) > 1 && kind != "name" && !isFirst(first) {
		return nil, false
	}
	return w.typed(kind, first.text, p)
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
	return strings.TrimRight(text, " ,;"), true
}

func isUpper(r rune) bool { return r >= 'A' && r <= 'Z' || r > 127 }

var listMarks = regexp.MustCompile(`\s*(?:\n|;|,|\s\|\s|•|·)\s*(?:and |or )?|\s+(?:and|&)\s+`)

func (w *want) listValue(text string) (any, bool) {
	var out []any
	for _, item := range listMarks.Split(text, -1) {
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
