package answersite

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

var (
	spaces     = regexp.MustCompile(`[\s\x{a0}\x{2009}\x{202f}]+`)
	aNumber    = regexp.MustCompile(`[-−]?\d+(?:[.,'’\x{20}\x{a0}\x{2009}\x{202f}]\d+)*`)
	listBreaks = regexp.MustCompile(`\s*[,;\n]\s*(?:and\s+)?|\s+and\s+`)
	marks      = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "−", "-", "\u00ad", "")
)

// fold is a text without case, marks of typography, runs of white space and what ends a sentence.
func fold(text string) string {
	text = strings.ToLower(marks.Replace(spaces.ReplaceAllString(text, " ")))
	return strings.Trim(text, ` .,;:!"'`)
}

// hasWords reports whether a folded text, with a space at both ends, has words that begin and end where words do.
func hasWords(folded, words string) bool {
	words = fold(words)
	for from := 0; words != ""; {
		at := strings.Index(folded[from:], words)
		if at < 0 {
			return false
		}
		at += from
		before, after := folded[:at], folded[at+len(words):]
		if !endsInWord(before) && !beginsWithWord(after) {
			return true
		}
		from = at + 1
	}
	return false
}

// endsInWord reports whether what follows goes on with a word or a number.
func endsInWord(s string) bool {
	trimmed := strings.TrimRight(s, ",.'")
	r, _ := utf8.DecodeLastRuneInString(trimmed)
	return trimmed != "" && (unicode.IsDigit(r) || unicode.IsLetter(r) && trimmed == s)
}

func beginsWithWord(s string) bool {
	for _, r := range s {
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	return false
}

// numbersIn are the numbers of a text, each in all the ways in which it may be read: "1.234" is a thousand or one and a bit.
func numbersIn(text string) [][]string {
	var all [][]string
	for _, written := range aNumber.FindAllString(text, -1) {
		all = append(all, readings(written))
	}
	return all
}

func readings(written string) []string {
	bare := strings.Map(func(r rune) rune {
		if r == '−' {
			return '-'
		}
		if unicode.IsSpace(r) || r == '\u202f' || r == '\u2009' || r == '\'' || r == '’' {
			return -1
		}
		return r
	}, written)
	dots, commas := strings.Count(bare, "."), strings.Count(bare, ",")
	none := strings.NewReplacer(".", "", ",", "")
	switch last := strings.LastIndexAny(bare, ".,"); {
	case last < 0:
		return []string{bare}
	case dots > 0 && commas > 0:
		return []string{none.Replace(bare[:last]) + "." + bare[last+1:]}
	case dots+commas > 1:
		return []string{none.Replace(bare)}
	case len(bare)-last-1 == 3:
		return []string{none.Replace(bare), strings.ReplaceAll(bare, ",", ".")}
	default:
		return []string{strings.ReplaceAll(bare, ",", ".")}
	}
}

func anySame(readings []string, want string) bool {
	return slices.ContainsFunc(readings, func(r string) bool { return sameNumber(r, want) })
}

func sameNumber(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && x-y < 1e-9 && y-x < 1e-9
}

var currencySigns = map[string][]string{
	"EUR": {"€", "eur"}, "USD": {"$", "usd"}, "GBP": {"£", "gbp"}, "CHF": {"chf", "fr."}, "SEK": {"kr", "sek"}, "NOK": {"kr", "nok"},
	"JPY": {"¥", "jpy", "yen"}, "PLN": {"zł", "pln"}, "DKK": {"kr", "dkk"},
}

// currencyFits reports whether a text names no currency but this one.
func currencyFits(text, currency string) bool {
	text = strings.ToLower(text)
	for code, signs := range currencySigns {
		if code != currency && slices.ContainsFunc(signs, func(sign string) bool {
			return strings.Contains(text, sign) && !slices.Contains(currencySigns[currency], sign)
		}) {
			return false
		}
	}
	return true
}

// digits are those of a phone number as it is dialled, with a plus where it has the country.
func digits(number string) string {
	number = strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(number), "tel:"), "(0)", "")
	var b strings.Builder
	for _, r := range number {
		if unicode.IsDigit(r) || r == '+' {
			b.WriteRune(r)
		}
	}
	return strings.TrimPrefix(strings.TrimPrefix(b.String(), "+"), "00")
}

func sameSet(folded, want []string) bool {
	wanted := map[string]bool{}
	for _, item := range want {
		wanted[fold(item)] = true
	}
	found := map[string]bool{}
	for _, item := range folded {
		if !wanted[item] {
			return false
		}
		found[item] = true
	}
	return len(found) == len(wanted)
}

func splitList(text string) []string {
	items := listBreaks.Split(text, -1)
	for i := range items {
		items[i] = fold(items[i])
	}
	return slices.DeleteFunc(items, func(item string) bool { return item == "" })
}

var dateLayouts = []string{
	"2006-01-02", "Mon, 02 Jan 2006", "2 January 2006", "January 2, 2006", "2 Jan 2006", "Jan 2, 2006", "02.01.2006", "2.1.2006", "Monday, 2 January 2006",
	"Monday 2 January 2006", "Mon, 2 Jan 2006", "02/01/2006", "01/02/2006", "2006/01/02", "2 January, 2006", "Monday, January 2, 2006",
}

var months = map[string][]string{
	"de": {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	"fr": {"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
	"es": {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
	"sv": {"januari", "februari", "mars", "april", "maj", "juni", "juli", "augusti", "september", "oktober", "november", "december"},
}

// dateForms are the ways in which a date is written.
func dateForms(t time.Time) []string {
	var forms []string
	for _, layout := range dateLayouts {
		forms = append(forms, t.Format(layout))
	}
	for _, language := range []string{"de", "fr", "es", "sv"} {
		forms = append(forms, DateIn(language, t))
	}
	return append(forms, strings.Replace(t.Format("2 January 2006"), " ", ordinal(t.Day())+" ", 1),
		t.Format("January ")+strconv.Itoa(t.Day())+ordinal(t.Day())+t.Format(", 2006"))
}

// isDate reports whether a text is a date and nothing else.
func isDate(text, want string) bool {
	t, err := time.Parse(time.DateOnly, want)
	return err == nil && slices.ContainsFunc(dateForms(t), func(form string) bool { return fold(form) == fold(text) })
}

// DateIn writes a date as it is written in German, French, Spanish or Swedish.
func DateIn(language string, t time.Time) string {
	month, day := months[language][t.Month()-1], strconv.Itoa(t.Day())
	switch language {
	case "de":
		return day + ". " + month + t.Format(" 2006")
	case "es":
		return day + " de " + month + t.Format(" de 2006")
	}
	return day + " " + month + t.Format(" 2006")
}

func ordinal(n int) string {
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}
