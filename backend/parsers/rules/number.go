package rules

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

// numberOptions resolve ambiguous numbers: 1.299 means different numbers in German and English.
type numberOptions struct {
	comma   bool // the decimal mark is a comma
	certain bool // given, not guessed
}

// numberDigitsMax is the maximum number of digits, beyond which programs cannot hold a number.
const numberDigitsMax = 30

// commaLanguages are languages that write 1.299,00.
var commaLanguages = " af az be bg bs ca cs da de el es et eu fi fo fr gl hr hu hy id is it ka kk lt lv mk nb nl nn no pl pt ro ru sk sl sq sr sv tr uk uz vi "

// usesDecimalComma guesses the decimal mark from a page's language.
func usesDecimalComma(language string) bool {
	primary, region, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(language, "_", "-")), "-")
	if primary == "es" && (region == "mx" || region == "us" || region == "419") {
		return false
	}
	if primary == "de" && (region == "ch" || region == "li") {
		return false
	}
	return primary != "" && strings.Contains(commaLanguages, " "+primary+" ")
}

// parseNumber reads the first number in s, with a decimal mark and groups as people write them, and returns it in JSON's form.
func parseNumber(s string, o *numberOptions) (json.Number, bool) {
	text := asciiDigits(s)
	start := strings.IndexFunc(text, isDigit)
	if start < 0 {
		return "", false
	}
	end := start
	for end < len(text) {
		if isDigit(rune(text[end])) {
			end++
			continue
		}
		// A mark belongs to the number only if a digit follows.
		if c := text[end]; strings.IndexByte(".,' ", c) >= 0 && end+1 < len(text) && isDigit(rune(text[end+1])) && (c != ' ' || isGroup(text[end+1:])) {
			end++
			continue
		}
		break
	}
	digits := text[start:end]
	sign := signBefore(text[:start])
	// Numbers such as .5 and -.5
	if start > 0 && text[start-1] == '.' && (start == 1 || !isDigit(rune(text[start-2]))) && !strings.ContainsAny(digits, ".,") {
		if before := text[:start-1]; strings.TrimRight(before, "-−+ ") == "" || strings.HasSuffix(before, " ") || strings.HasSuffix(before, "-") {
			digits, sign = "0."+digits, signBefore(before)
		}
	}
	whole, fraction, ok := splitNumber(digits, o)
	if !ok || len(whole)+len(fraction) > numberDigitsMax {
		return "", false
	}
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if strings.Trim(whole, "0.") == "" {
		sign = ""
	}
	return json.Number(sign + whole), true
}

// signBefore is the sign at the end of the text before a number. A hyphen within a word or range is not a sign.
func signBefore(before string) string {
	trimmed := strings.TrimRight(before, " ")
	for _, mark := range []string{"-", "−"} {
		rest, ok := strings.CutSuffix(trimmed, mark)
		if !ok {
			continue
		}
		last := strings.TrimRight(rest, " ")
		if last == rest && rest != "" && !strings.HasSuffix(rest, "(") && !strings.ContainsAny(rest[len(rest)-1:], "$:=") {
			return "" // A-7, 3-5
		}
		if last != "" && isDigit(rune(last[len(last)-1])) {
			return "" // 3 - 5
		}
		return "-"
	}
	return ""
}

// splitNumber separates the digit groups from the fraction.
func splitNumber(digits string, o *numberOptions) (whole, fraction string, ok bool) {
	digits = strings.NewReplacer("'", "", " ", "").Replace(digits)
	dots, commas := strings.Count(digits, "."), strings.Count(digits, ",")
	mark := ""
	switch {
	case dots > 0 && commas > 0:
		mark = digits[max(strings.LastIndexByte(digits, '.'), strings.LastIndexByte(digits, ',')):][:1]
	case dots == 1:
		mark = "."
	case commas == 1:
		mark = ","
	}
	own := "."
	if o.comma {
		own = ","
	}
	if mark != "" && mark != own && (o.certain || isAmbiguous(digits, mark)) {
		mark = ""
	}
	if mark == "" {
		whole = digits
	} else if at := strings.LastIndex(digits, mark); at >= 0 {
		if strings.Count(digits, mark) > 1 {
			return "", "", false // 1,234.567,89
		}
		whole, fraction = digits[:at], digits[at+1:]
	}
	if strings.ContainsAny(fraction, ".,") || !areGroups(whole) {
		return "", "", false
	}
	return strings.NewReplacer(".", "", ",", "").Replace(whole), fraction, true
}

// areGroups reports whether digits are grouped like a number: by three, or in India by two before the last three. So a
// Version such as 2.0.1 is not a number.
func areGroups(digits string) bool {
	groups := strings.FieldsFunc(digits, func(c rune) bool { return !isDigit(c) })
	for i, group := range groups[1:] {
		if n := len(group); n != 3 && (n != 2 || i == len(groups)-2) {
			return false
		}
	}
	return true
}

// isAmbiguous reports whether the mark may separate thousands, as in 1.299 and 1,299. In 0.299 and 1.29 it cannot.
func isAmbiguous(digits, mark string) bool {
	if strings.Count(digits, ".")+strings.Count(digits, ",") != 1 {
		return false
	}
	whole, fraction, _ := strings.Cut(digits, mark)
	return len(fraction) == 3 && len(whole) <= 3 && whole[0] != '0'
}

// isGroup reports whether s starts with exactly three digits.
func isGroup(s string) bool {
	return len(s) >= 3 && isDigit(rune(s[0])) && isDigit(rune(s[1])) && isDigit(rune(s[2])) && (len(s) == 3 || !isDigit(rune(s[3])))
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

// asciiDigits converts the digits of all scripts to 0 to 9, and their group separators to a space or an apostrophe.
func asciiDigits(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c < 0x80:
			return c
		case c == '’' || c == '‘' || c == 'ʼ' || c == '´':
			return '\''
		case unicode.IsSpace(c):
			return ' '
		case c == '٫': // the Arabic decimal separator
			return '.'
		case c == '٬': // the Arabic thousands separator
			return '\''
		case unicode.Is(unicode.Nd, c):
			// Digits are encoded in runs of ten, each starting with its zero (Unicode standard, 4.6).
			zero := c
			for n := 0; n < 9 && unicode.Is(unicode.Nd, zero-1); n++ {
				zero--
			}
			return '0' + min(c-zero, 9)
		}
		return c
	}, s)
}

// parseInteger parses a whole number.
func parseInteger(s string, o *numberOptions) (json.Number, bool) {
	n, ok := parseNumber(s, o)
	if !ok {
		return "", false
	}
	whole, fraction, _ := strings.Cut(n.String(), ".")
	if strings.Trim(fraction, "0") != "" {
		return "", false
	}
	if whole == "-0" {
		whole = "0"
	}
	return json.Number(whole), true
}

// parseBoolean parses words for yes and no, including schema.org's availability.
func parseBoolean(s string) (value, ok bool) {
	word := strings.ToLower(strings.TrimRight(bareType(fold(s)), ".!"))
	switch word {
	case "true", "yes", "1", "on", "y", "ja", "oui", "sí", "si", "sim", "instock", "in stock", "available", "✓", "✔":
		return true, true
	case "false", "no", "0", "off", "n", "nein", "non", "não", "outofstock", "out of stock", "sold out", "soldout", "unavailable", "✗", "✘":
		return false, true
	}
	value, err := strconv.ParseBool(word)
	return value, err == nil
}
