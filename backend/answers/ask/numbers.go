package ask

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// Number is a number in a text.
type Number struct {
	// Value is exact.
	Value *big.Rat
	// Start and End are its byte offsets in the text, including its sign and a word such as "million".
	Start, End int
	// Unit is the word after it, in lower case; may be empty.
	Unit string
}

// numberText matches digits with their separators: groups of three after a space, comma, point or apostrophe, and decimals.
var numberText = regexp.MustCompile(`\d{1,3}(?: \d{3})+(?:[.,]\d+)?\b|\d+(?:[.,']\d+)*`)

// scales are the factors of words after a number.
var scales = map[string]int64{
	"thousand": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9, "billions": 1e9, "trillion": 1e12, "mio": 1e6, "mrd": 1e9,
	"millionen": 1e6, "milliarden": 1e9, "bn": 1e9, "mn": 1e6,
}

var unitText = regexp.MustCompile(`^(?:[ -]?(%|°\s?[CF]\b|[A-Za-zµ²³]+\d?))`)

// NumbersIn returns the whole numbers of a text in Plain's form. Separators depend on the language: "1.234" is a little
// over one in English, and over a thousand in German.
func NumbersIn(text, language string) []Number {
	var out []Number
	for _, at := range numberText.FindAllStringIndex(text, -1) {
		start, end := at[0], at[1]
		if !standsAlone(text, start, end) {
			continue
		}
		value, ok := readNumber(text[start:end], language)
		if !ok {
			continue
		}
		if start > 0 && text[start-1] == '-' && (start == 1 || strings.ContainsRune(" \t\n(:|", rune(text[start-2]))) {
			value.Neg(value)
			start--
		}
		n := Number{Value: value, Start: start, End: end}
		n.scale(text)
		out = append(out, n)
	}
	return append(out, spelled(text)...)
}

// scale reads what follows the number: "million", and a unit.
func (n *Number) scale(text string) {
	rest := text[n.End:]
	m := unitText.FindStringSubmatch(rest)
	if m == nil {
		return
	}
	unit := strings.ToLower(m[1])
	if factor, ok := scales[unit]; ok {
		n.Value.Mul(n.Value, new(big.Rat).SetInt64(factor))
		n.End += len(m[0])
		if m = unitText.FindStringSubmatch(text[n.End:]); m == nil {
			return
		}
		unit = strings.ToLower(m[1])
	} else if !strings.HasPrefix(rest, " ") && (unit == "k" || unit == "m" || unit == "b") && isMoney(text[:n.Start]) {
		n.Value.Mul(n.Value, new(big.Rat).SetInt64(map[string]int64{"k": 1e3, "m": 1e6, "b": 1e9}[unit]))
		n.End += len(m[0])
		return
	}
	n.Unit = unit
}

func isMoney(before string) bool {
	before = strings.TrimRight(before, " ")
	for _, sign := range []string{"€", "$", "£", "¥", "USD", "EUR", "GBP"} {
		if strings.HasSuffix(before, sign) {
			return true
		}
	}
	return false
}

// standsAlone refuses digits that are part of something else: a name ("A4"), a time, a version, a telephone number.
func standsAlone(text string, start, end int) bool {
	if start > 0 {
		before := text[start-1]
		if strings.IndexByte("_#+", before) >= 0 || before >= 'a' && before <= 'z' || before >= 'A' && before <= 'Z' {
			return false
		}
		if (before == '.' || before == '-') && start > 1 && isLetterByte(text[start-2]) {
			return false // "C.107", "BW-4920"
		}
		if before == ':' && start > 1 && isDigitByte(text[start-2]) {
			return false
		}
		if (before == '/' || before == '-') && start > 1 && isDigitByte(text[start-2]) && isDateLike(text, start, end) {
			return false
		}
		if (before == '.' || before == ',' || before == '\'') && start > 1 && isDigitByte(text[start-2]) {
			return false
		}
	}
	if end+1 < len(text) && text[end] == ':' && isDigitByte(text[end+1]) {
		return false
	}
	if end+1 < len(text) && (text[end] == '/' || text[end] == '-') && isDigitByte(text[end+1]) && isDateLike(text, start, end) {
		return end-start == 4 && (start == 0 || !strings.ContainsRune("/-", rune(text[start-1]))) // the year
	}
	return true
}

func isLetterByte(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

var dateLike = regexp.MustCompile(`\b(?:\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[-/]\d{1,2}[-/]\d{2,4}|\d{4}-\d{2})\b`)

// isDateLike reports whether a number is part of a date in digits.
func isDateLike(text string, start, end int) bool {
	from, to := max(0, start-8), min(len(text), end+8)
	for _, at := range dateLike.FindAllStringIndex(text[from:to], -1) {
		if from+at[0] <= start && end <= from+at[1] {
			return true
		}
	}
	return false
}

// commaDecimal are the languages with a decimal comma.
var commaDecimal = map[string]bool{
	"de": true, "fr": true, "es": true, "it": true, "nl": true, "pt": true, "da": true, "sv": true, "nb": true, "no": true, "fi": true, "pl": true,
	"cs": true, "ru": true, "tr": true, "ro": true, "hu": true, "el": true, "uk": true, "id": true,
}

// unspaced removes spaces and apostrophes between digit groups, unmarked points and commas.
var (
	unspaced = strings.NewReplacer(" ", "", "'", "")
	unmarked = strings.NewReplacer(",", "", ".", "")
)

func readNumber(s, language string) (*big.Rat, bool) {
	if len(s) > 60 {
		return nil, false
	}
	s = unspaced.Replace(s)
	language, _, _ = strings.Cut(strings.ToLower(language), "-")
	comma, point := strings.Count(s, ","), strings.Count(s, ".")
	decimal := byte(0)
	switch {
	case comma > 0 && point > 0:
		decimal = s[max(strings.LastIndexByte(s, ','), strings.LastIndexByte(s, '.'))]
		if strings.Count(s, string(decimal)) > 1 {
			return nil, false
		}
	case comma+point > 1:
		if !isGrouped(s) {
			return nil, false // a version, a date
		}
	case comma == 1:
		if !isGrouped(s) || commaDecimal[language] {
			decimal = ','
		}
	case point == 1:
		if !isGrouped(s) || !commaDecimal[language] {
			decimal = '.'
		}
	}
	if decimal != 0 {
		whole, rest, _ := strings.Cut(s, string(decimal))
		if !isGrouped(whole) && strings.ContainsAny(whole, ".,") {
			return nil, false
		}
		s = unmarked.Replace(whole) + "." + rest
	} else {
		s = unmarked.Replace(s)
	}
	return new(big.Rat).SetString(s)
}

// isGrouped reports whether the separators are between groups of three digits.
func isGrouped(s string) bool {
	groups := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '.' })
	for i, group := range groups {
		if i > 0 && len(group) != 3 || i == 0 && (len(group) > 3 || group == "0") {
			return false
		}
	}
	return len(groups) > 0
}

var ones = map[string]int64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30,
	"forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

const (
	upToNine   = `one|two|three|four|five|six|seven|eight|nine`
	byTens     = `twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety`
	upToTwenty = `zero|` + upToNine + `|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen`
)

var spelledText = regexp.MustCompile(`(?i)\b(?:(?:` + byTens + `)[- ](?:` + upToNine + `)|` + upToTwenty + `|` + byTens + `)\b`)

var higher = regexp.MustCompile(`(?i)^[- ](?:and[- ])?(?:hundred|thousand|million|billion|dozen|half|third|quarter)`)

// spelledParts are strings of which each such word contains at least one.
var spelledParts = []string{"one", "two", "three", "four", "fiv", "fif", "six", "seven", "eigh", "nine", "ten", "eleven", "twel", "twen", "thir", "fort", "zero"}

// spelled returns the numbers below a hundred that are written in words, not as parts of larger ones.
func spelled(text string) []Number {
	lower := strings.ToLower(text)
	if !slices.ContainsFunc(spelledParts, func(part string) bool { return strings.Contains(lower, part) }) {
		return nil
	}
	var out []Number
	for _, at := range spelledText.FindAllStringIndex(text, -1) {
		before := strings.ToLower(strings.TrimRight(text[:at[0]], " -"))
		if higher.MatchString(text[at[1]:]) || strings.HasSuffix(before, "hundred") || strings.HasSuffix(before, "hundred and") || strings.HasSuffix(before, "thousand") {
			continue
		}
		sum := int64(0)
		for _, word := range strings.FieldsFunc(strings.ToLower(text[at[0]:at[1]]), func(r rune) bool { return r == '-' || r == ' ' }) {
			sum += ones[word]
		}
		n := Number{Value: new(big.Rat).SetInt64(sum), Start: at[0], End: at[1]}
		if m := unitText.FindStringSubmatch(text[n.End:]); m != nil {
			n.Unit = strings.ToLower(m[1])
		}
		out = append(out, n)
	}
	return out
}
