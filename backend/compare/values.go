package compare

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// shape is which kinds of values a text has.
type shape uint32

const (
	shapeMoney shape = 1 << iota
	shapePercent
	shapeDate
	shapeClock
	shapeAgo
	shapePhone
	shapeEmail
	shapeVersion
	shapeNumber
	shapeDecimal
	shapeDigits // nothing but numbers
	shapeOpaque // what looks drawn by lot
	shapeState
	shapePlace
	shapeCapital // all words begin with capitals
	shapeQuestion
)

const monthNames = `jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|janv|févr|avr|juin|juil|août|déc|ene|abr|ago|dic`

// shapes are patterns of values, in any language that writes them so.
var shapes = []struct {
	shape   shape
	pattern *regexp.Regexp
}{
	{shapeMoney, regexp.MustCompile(`(?i)[$€£¥₹]\s?\d|\d\s?[$€£¥₹]|\b(?:usd|eur|gbp|cad|aud|chf|inr|pln|sek)\s?\d|\d\s?(?:usd|eur|gbp|cad|aud|chf|inr|pln|sek)\b`)},
	{shapePercent, regexp.MustCompile(`\d\s?%`)},
	{shapeDate, regexp.MustCompile(`(?i)\b(?:19|20)\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}(?:st|nd|rd|th)?\.? (?:` + monthNames + `)|(?:` + monthNames + `)\pL*\.? \d`)},
	{shapeClock, regexp.MustCompile(`(?i)\b\d{1,2}[:h]\d{2}\b|\b\d{1,2}\s?(?:am|pm|a\.m|p\.m|uhr|h)\b`)},
	{shapeAgo, regexp.MustCompile(`(?i)\d+ ?(?:s|sec|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|months?|years?) (?:ago|old)\b` +
		`|\bjust now\b|\byesterday\b|\bvor \d+|\bil y a \d|\bhace \d`)},
	{shapePhone, regexp.MustCompile(`(?:^|[^\w$€£.,-])\+?\(?\d{2,4}\)?(?:[-. /]?\d{2,4}){2,4}(?:$|[^\w.,-])`)},
	{shapeEmail, regexp.MustCompile(`\S@\S+\.\w`)},
	{shapeVersion, regexp.MustCompile(`(?i)\b\d+\.\d+\.\d+\b|\bv\d+(?:\.\d+)*\b|\bversion \d|\b[A-Za-z]+ \d{1,3}\.\d{1,2}\b`)},
	{shapeNumber, regexp.MustCompile(`\d`)},
	{shapeDecimal, regexp.MustCompile(`\d[.,]\d{2}\b`)},
	{shapePlace, regexp.MustCompile(`\b\d{1,5} (?:[NSEW]\.? )?\p{Lu}\pL+|\b\p{Lu}{2} \d{5}\b|(?i:straße|\bstreet\b|\bavenue\b|\brue\b|\bcalle\b)`)},
	{shapeQuestion, regexp.MustCompile(`\?$`)},
}

// stateWords say in which state something is.
var stateWords = setOf(`stock available unavailable availability sold out preorder pre-order waitlist open opened opens closed closes left cart buy add notify shipping
	ships delivery discontinued cancelled canceled postponed delayed active inactive resolved operational outage verfügbar ausverkauft lieferbar lager épuisé disponible
	indisponible rupture agotado coming soon`)

// shapesOfDigits are the shapes that no text without digits has.
const shapesOfDigits = shapeMoney | shapePercent | shapeDate | shapeClock | shapePhone | shapeVersion | shapeNumber | shapeDecimal

func shapeOf(text string) (all shape) {
	text = cutText(text, 400)
	hasDigit := strings.ContainsAny(text, "0123456789")
	for _, s := range shapes {
		if (hasDigit || s.shape&shapesOfDigits == 0) && s.pattern.MatchString(text) {
			all |= s.shape
		}
	}
	words, capital, digits := 0, 0, 0
	for w := range strings.FieldsSeq(text) {
		first := []rune(w)[0]
		words++
		if unicode.IsUpper(first) {
			capital++
		}
		if !strings.ContainsFunc(w, unicode.IsLetter) {
			digits++
		}
		if isDrawn(w) {
			all |= shapeOpaque
		}
		if stateWords[strings.ToLower(strings.Trim(w, ".,:;!?()"))] {
			all |= shapeState
		}
	}
	if words > 0 && digits == words && all&shapeNumber != 0 {
		all |= shapeDigits
	}
	if words > 1 && capital == words {
		all |= shapeCapital
	}
	return all
}

// isOfTime reports whether a text names a day beside the one given, in any usual form.
func isOfTime(text string, at time.Time) bool {
	text = strings.ToLower(strings.ReplaceAll(text, ",", ""))
	for _, day := range []time.Time{at.AddDate(0, 0, -1), at, at.AddDate(0, 0, 1)} {
		for _, layout := range []string{"2 January", "January 2", "2 Jan", "Jan 2", "2006-01-02", "01/02/2006", "1/2/2006", "02/01/2006", "02.01.2006", "2.1.2006"} {
			form := strings.ToLower(day.Format(layout))
			if i := strings.Index(text, form); i >= 0 && (i == 0 || text[i-1] < '0' || text[i-1] > '9') &&
				(i+len(form) == len(text) || text[i+len(form)] < '0' || text[i+len(form)] > '9') {
				return true
			}
		}
	}
	return false
}

var numbers = regexp.MustCompile(`\d[\d,.]*`)

// numberIn is the first number of a text; ok is false for none.
func numberIn(text string) (value float64, ok bool) {
	found := strings.TrimRight(numbers.FindString(text), ",.")
	if found == "" {
		return 0, false
	}
	value, err := strconv.ParseFloat(decimalText(found), 64)
	return value, err == nil && !math.IsInf(value, 0)
}

// decimalText is a number with a point for its decimals and nothing for its thousands.
func decimalText(text string) string {
	last := strings.LastIndexAny(text, ",.")
	if last < 0 {
		return text
	}
	plain := strings.NewReplacer(",", "", ".", "")
	if len(text)-last-1 == 3 && text[0] != '0' || strings.Count(text, text[last:last+1]) > 1 {
		return plain.Replace(text) // it parts thousands
	}
	return plain.Replace(text[:last]) + "." + text[last+1:]
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

const valuesMax = 8

var (
	dated = regexp.MustCompile(`(?i)\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\.\d{1,2}\.\d{4}\b|\b\d{1,2}/\d{1,2}/\d{4}\b` +
		`|\b\d{1,2}(?:st|nd|rd|th)?\.? \pL{3,9}\.?,? \d{4}\b|\b\pL{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}\b`)
	// amounts are numbers with what stands before and after them.
	amounts    = regexp.MustCompile(`([$€£¥₹]|\b[A-Z]{3})?\s?(-?\d[\d.,]*\d|-?\d)\s?(%|[$€£¥₹]|[A-Z]{3}\b)?`)
	ordinal    = regexp.MustCompile(`(\d)(?:st|nd|rd|th)\b`)
	currencies = map[string]string{
		"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "USD": "USD", "EUR": "EUR", "GBP": "GBP", "CAD": "CAD", "AUD": "AUD", "CHF": "CHF", "JPY": "JPY", "INR": "INR",
	}
)

// dayIn is the one date that a text has, in ISO 8601.
func dayIn(text string) (string, bool) {
	found := dated.FindAllString(text, 2)
	if len(found) != 1 {
		return "", false
	}
	plain := strings.NewReplacer(",", "", ". ", " ").Replace(ordinal.ReplaceAllString(found[0], "$1"))
	for _, layout := range []string{time.DateOnly, "2.1.2006", "1/2/2006", "2/1/2006", "2 January 2006", "2 Jan 2006", "January 2 2006", "Jan 2 2006"} {
		if day, err := time.Parse(layout, plain); err == nil {
			return day.Format(time.DateOnly), true
		}
	}
	return "", false
}

// valuesOf are the values that one text has in place of those of another: as many and of the same kinds.
func valuesOf(was, now string) []ValueChange {
	if from, ok1 := dayIn(was); ok1 {
		if to, ok2 := dayIn(now); ok2 && from != to {
			v := ValueChange{Type: "date", Old: from, New: to}
			x, _ := time.Parse(time.DateOnly, from) // dayIn writes it so
			y, _ := time.Parse(time.DateOnly, to)
			v.Delta = strconv.Itoa(int(y.Sub(x).Hours() / 24))
			return []ValueChange{v}
		}
	}
	shapes := shapeOf(was) | shapeOf(now)
	if shapes&(shapePhone|shapeEmail|shapeClock|shapeDate|shapeOpaque) != 0 {
		return nil // its digits are no amounts
	}
	from, to := amounts.FindAllStringSubmatch(was, valuesMax+1), amounts.FindAllStringSubmatch(now, valuesMax+1)
	if len(from) != len(to) || len(from) > valuesMax {
		return nil
	}
	var out []ValueChange
	for i := range from {
		v := ValueChange{Type: "number", Old: decimalText(from[i][2]), New: decimalText(to[i][2])}
		unit := currencies[from[i][1]] + currencies[from[i][3]]
		switch {
		case v.Old == v.New:
			continue
		case shapes&shapeVersion != 0:
			v.Type, v.Old, v.New = "version", from[i][2], to[i][2]
		case unit != "" && unit == currencies[to[i][1]]+currencies[to[i][3]]:
			v.Type, v.Unit = "money", unit
		case from[i][3] == "%" && to[i][3] == "%":
			v.Type = "percent"
		}
		if v.Type != "version" {
			v.Delta, v.Percent = delta(v.Old, v.New)
		}
		out = append(out, v)
	}
	return out
}

// delta is the difference of two decimals, exactly, and in percent of the first.
func delta(before, after string) (difference string, percent *float64) {
	from, ok1 := new(big.Rat).SetString(before)
	to, ok2 := new(big.Rat).SetString(after)
	if !ok1 || !ok2 || len(before) > 40 || len(after) > 40 {
		return "", nil
	}
	d := new(big.Rat).Sub(to, from)
	if from.Sign() != 0 {
		share, _ := new(big.Rat).Quo(new(big.Rat).Mul(d, big.NewRat(100, 1)), new(big.Rat).Abs(from)).Float64()
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(share, 'f', 1, 64), 64) // what was just written
		percent = &rounded
	}
	return decimalOf(d), percent
}

// decimalOf writes a number with as many decimals as it has, at most twelve.
func decimalOf(r *big.Rat) string {
	return strings.TrimSuffix(strings.TrimRight(r.FloatString(12), "0"), ".")
}
