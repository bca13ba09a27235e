package fill

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	// A number as people write it, with points, commas, apostrophes or thin spaces for thousands.
	numberText = regexp.MustCompile(`[-−]?\d(?:[\d.,'’]|[\x{00A0}\x{202F}\x{2009} ]\d{3}(?:\D|$))*`)
	isoTime    = regexp.MustCompile(`^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$`)
	spokenTime = regexp.MustCompile(`(?i)(\d+)\s*(h|hours?|hrs?|std|stunden?|heures?|horas?)\b\.?`)
	spokenMins = regexp.MustCompile(`(?i)(\d+)\s*(m|mins?|minutes?|minuten|minutos?)\b`)
	outOf      = regexp.MustCompile(`(?i)^\D{0,20}(\d(?:[.,]\d+)?)\s*(?:/|out of|von|sur|de|of)\s*(?:5|10|100)\b`)
)

// number reads the only number of a text, in the form of JSON. Texts with several numbers do not count, except ranges if
// an end is asked for, ratings out of five, and times.
func (c *converter) number(w *want, text string) (string, bool) {
	if units[w.unit] == "time" || w.means("preptime", "cooktime", "totaltime", "duration") {
		if number, ok := span(text, w.unit); ok {
			return number, true
		}
	}
	if w.means("rating") {
		if m := outOf.FindStringSubmatch(text); m != nil {
			return c.plain(m[1])
		}
	}
	found := c.numbers(text)
	if w.bound != boundNone && len(found) == 2 {
		return c.plain(found[int(w.bound)-1])
	}
	if len(found) != 1 || !c.sameUnit(w, text) || len(words(text)) > 8 {
		return "", false
	}
	if w.bound == boundMax && strings.Contains(text, "+") {
		return "", false
	}
	return c.plain(found[0])
}

// numbers are the numbers of a text as written. Digits that are part of a word do not count: "H2O", "m2".
func (c *converter) numbers(text string) []string {
	var out []string
	for _, at := range numberText.FindAllStringIndex(text, 20) {
		begin, end := at[0], at[1]
		for end > begin && !isDigit(text[end-1]) {
			end--
		}
		number := text[begin:end]
		if begin > 0 && (endsInLetter(text[:begin]) || isDigit(text[begin-1])) {
			continue
		}
		if number[0] == '-' && len(out) > 0 || strings.HasPrefix(number, "−") && len(out) > 0 {
			number = strings.TrimLeft(number, "-−") // the dash of a range
		}
		out = append(out, number)
	}
	return out
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// commaLanguages write 1.234,5 or 1 234,5; others write 1,234.5.
var commaLanguages = []string{"de", "fr", "es", "it", "nl", "pt", "pl", "cs", "sv", "da", "no", "nb", "fi", "ru", "tr", "at", "ro", "hu", "el"}

// plain writes a number as JSON has it, or fails if it is ambiguous.
func (c *converter) plain(number string) (string, bool) {
	sign := ""
	if rest := strings.TrimLeft(number, "-−"); rest != number {
		sign, number = "-", rest
	}
	number = strings.Map(func(r rune) rune {
		switch r {
		case '\'', '’', ' ', '\u00a0', '\u202f', '\u2009':
			return -1
		}
		return r
	}, number)
	points, commas := strings.Count(number, "."), strings.Count(number, ",")
	decimal := ""
	switch {
	case points > 0 && commas > 0:
		decimal = "."
		if strings.LastIndex(number, ",") > strings.LastIndex(number, ".") {
			decimal = ","
		}
		if strings.Count(number, decimal) > 1 {
			return "", false
		}
	case points+commas > 1:
		// A repeated mark separates thousands: 1.234.567.
	case points+commas == 1:
		mark := "."
		if commas == 1 {
			mark = ","
		}
		whole, fraction, _ := strings.Cut(number, mark)
		thousands := len(fraction) == 3 && len(whole) <= 3 && whole != "0"
		usesComma := slices.Contains(commaLanguages, c.language) && c.region != "CH"
		if !thousands || (mark == ",") == usesComma {
			decimal = mark
		}
	}
	whole, fraction := number, ""
	if decimal != "" {
		whole, fraction, _ = strings.Cut(number, decimal)
	}
	if groups := strings.FieldsFunc(whole, func(r rune) bool { return r == '.' || r == ',' }); len(groups) > 1 {
		if len(groups[0]) > 3 || slices.ContainsFunc(groups[1:], func(g string) bool { return len(g) != 3 }) {
			return "", false // a date, a version, a telephone number
		}
		whole = strings.Join(groups, "")
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		whole += "." + fraction
	}
	if len(whole) > 30 {
		return "", false
	}
	if whole == "0" {
		sign = ""
	}
	return sign + whole, true
}

func sameNumber(a, b string) bool {
	x, ok1 := new(big.Rat).SetString(a)
	y, ok2 := new(big.Rat).SetString(b)
	return ok1 && ok2 && x.Cmp(y) == 0
}

// sameUnit rejects a text whose unit differs from the name's but measures the same dimension.
func (c *converter) sameUnit(w *want, text string) bool {
	kind := units[w.unit]
	if kind == "" {
		return true
	}
	if kind == "money" {
		code, ok := currencyOf(text)
		return !ok || code == strings.ToUpper(w.unit)
	}
	for _, word := range words(unitSigns.Replace(text)) {
		word = strings.TrimLeft(word, "0123456789")
		if units[word] == kind && singular(word) != singular(w.unit) && !(kind == "area" && meters[word] && meters[w.unit]) {
			return false
		}
	}
	return true
}

var (
	unitSigns = strings.NewReplacer("m²", " sqm ", "m2", " sqm ", "qm", " sqm ", "sq ft", " sqft ", "%", " percent ")
	meters    = set("sqm m2 qm")
)

// span reads a duration: PT1H30M, 1 h 30 min, 45 minutes. Without a unit in the name it is in minutes, as in recipes.
func span(text, unit string) (string, bool) {
	var minutes int64
	add := func(digits string, factor int64) {
		n, err := strconv.ParseInt(digits, 10, 32)
		if err == nil {
			minutes += n * factor
		}
	}
	if m := isoTime.FindStringSubmatch(text); m != nil && text != "P" && text != "PT" {
		add(m[1], 24*60)
		add(m[2], 60)
		add(m[3], 1)
		if m[4] != "" {
			return "", false
		}
	} else {
		hours, mins := spokenTime.FindAllStringSubmatch(text, 2), spokenMins.FindAllStringSubmatch(text, 2)
		if len(hours) > 1 || len(mins) > 1 || len(hours)+len(mins) == 0 || strings.ContainsAny(text, "–.,") {
			return "", false
		}
		for _, m := range hours {
			add(m[1], 60)
		}
		for _, m := range mins {
			add(m[1], 1)
		}
	}
	switch unit {
	case "", "min", "mins", "minute", "minutes":
		return strconv.FormatInt(minutes, 10), true
	case "h", "hr", "hrs", "hour", "hours":
		return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(float64(minutes)/60, 'f', 2, 64), "0"), "."), true
	case "s", "sec", "second", "seconds":
		return strconv.FormatInt(minutes*60, 10), true
	}
	return "", false
}
