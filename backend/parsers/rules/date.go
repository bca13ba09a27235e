package rules

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/clip"
)

// dateOptions resolve ambiguous dates.
type dateOptions struct {
	order string         // dmy, mdy or ymd; "": by the numbers if they decide, else dmy with dots, mdy with slashes
	zone  *time.Location // of times without one; nil: such times are left out
}

// exactLayouts are machine-readable formats with a zone.
var exactLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST", time.RFC1123Z, time.RFC1123, time.RFC850, time.RubyDate, "Mon, 2 Jan 2006 15:04:05 -0700",
}

var (
	isoDate     = regexp.MustCompile(`\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b`)
	shortISO    = regexp.MustCompile(`^\s*(\d{4})(\d{2})(\d{2})\s*$`)
	numericDate = regexp.MustCompile(`\b(\d{1,2})\s?([./-])\s?(\d{1,2})\s?[./-]\s?(\d{4}|\d{2})\b`)
	dayFirst    = regexp.MustCompile(`\b(\d{1,2})(?:st|nd|rd|th|er|º|ª)?\.?\s+(?:de\s+|of\s+)?(\pL{3,12})\.?,?\s+(?:de\s+|del\s+)?(\d{4})`)
	monthFirst  = regexp.MustCompile(`(\pL{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})`)
	clock       = regexp.MustCompile(`\b(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([AaPp]\.?[Mm])?`)
	unixSeconds = regexp.MustCompile(`^\s*(\d{9,10})(\d{3})?\s*$`)
)

// dateBytesMax is how much of a text is searched for a date.
const dateBytesMax = 200

// parseDate parses a date, as RFC 3339 with a time if the zone is known, else as a date alone.
func parseDate(s string, o dateOptions) (string, bool) {
	text := fold(asciiDigits(clip.Bytes(s, dateBytesMax)))
	for _, layout := range exactLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			if layout == time.RFC1123 || layout == time.RFC850 || strings.HasSuffix(layout, " MST") {
				if name, offset := t.Zone(); offset == 0 && name != "UTC" && name != "GMT" {
					break // an abbreviation unknown to Go, which would be taken for UTC
				}
			}
			return written(t)
		}
	}
	if m := unixSeconds.FindStringSubmatch(text); m != nil {
		seconds, err := strconv.ParseInt(m[1], 10, 64)
		if err == nil {
			return written(time.Unix(seconds, 0).UTC())
		}
	}
	year, month, day, ok := dayIn(text, o)
	if !ok || month < 1 || month > 12 || day < 1 {
		return "", false
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if t.Day() != day || year < 1 || year > 9999 {
		return "", false // 31 February
	}
	if hour, minute, second, ok := clockIn(text); ok && o.zone != nil {
		return written(time.Date(year, time.Month(month), day, hour, minute, second, 0, o.zone))
	}
	return t.Format(time.DateOnly), true
}

// written is t in RFC 3339, whose years have four digits.
func written(t time.Time) (string, bool) {
	if t.Year() < 1 || t.Year() > 9999 {
		return "", false
	}
	return t.Format(time.RFC3339), true
}

func dayIn(text string, o dateOptions) (year, month, day int, ok bool) {
	if m := isoDate.FindStringSubmatch(text); m != nil {
		return number(m[1]), number(m[2]), number(m[3]), true
	}
	if m := shortISO.FindStringSubmatch(text); m != nil {
		return number(m[1]), number(m[2]), number(m[3]), true
	}
	if m := dayFirst.FindStringSubmatch(text); m != nil {
		if month := monthNamed(m[2]); month > 0 {
			return number(m[3]), month, number(m[1]), true
		}
	}
	if m := monthFirst.FindStringSubmatch(text); m != nil {
		if month := monthNamed(m[1]); month > 0 {
			return number(m[3]), month, number(m[2]), true
		}
	}
	if m := numericDate.FindStringSubmatch(text); m != nil {
		return numeric(number(m[1]), number(m[3]), m[4], m[2], o.order)
	}
	return 0, 0, 0, false
}

// numeric orders the parts of a date such as 3/4/2024.
func numeric(a, b int, last, mark, order string) (year, month, day int, ok bool) {
	year = number(last)
	if order == "ymd" {
		if len(last) == 4 {
			return 0, 0, 0, false
		}
		return century(a), b, year, true
	}
	if len(last) == 2 {
		year = century(year)
	}
	switch {
	case order == "" && a > 12:
		order = "dmy"
	case order == "" && (b > 12 || mark == "/"):
		order = "mdy"
	}
	if order == "mdy" {
		return year, a, b, true
	}
	return year, b, a, true
}

// century completes a two-digit year as POSIX does: 69 is 1969, 68 is 2068.
func century(year int) int {
	if year < 69 {
		return 2000 + year
	}
	return 1900 + year
}

// number converts digits that a pattern matched.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

func clockIn(text string) (hour, minute, second int, ok bool) {
	m := clock.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, 0, false
	}
	hour, minute, second = number(m[1]), number(m[2]), number(m[3])
	switch half := strings.ToLower(strings.ReplaceAll(m[4], ".", "")); {
	case half != "" && (hour < 1 || hour > 12):
		return 0, 0, 0, false
	case half == "pm" && hour < 12:
		hour += 12
	case half == "am" && hour == 12:
		hour = 0
	}
	return hour, minute, second, hour < 24 && minute < 60 && second < 60
}

// months are the first letters of month names: English, German, French, Spanish, Italian, Portuguese, Dutch.
var months = [12][]string{
	{"jan", "jän", "ene", "gen"},
	{"feb", "fév", "fev"},
	{"mar", "mär", "maa", "mrt"},
	{"apr", "avr", "abr"},
	{"may", "mai", "mag", "mei"},
	{"jun", "juin", "giu"},
	{"jul", "juil", "lug"},
	{"aug", "aoû", "aou", "ago"},
	{"sep", "set"},
	{"oct", "okt", "ott", "out"},
	{"nov"},
	{"dec", "dez", "déc", "dic"},
}

// monthNamed returns the month that a word names, 0 if none.
func monthNamed(word string) int {
	word = strings.ToLower(word)
	for i, names := range months {
		for _, name := range names {
			if strings.HasPrefix(word, name) {
				return i + 1
			}
		}
	}
	return 0
}
