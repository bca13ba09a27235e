package fill

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// date is a day, or an instant of it.
type date struct {
	year, month, dayOfMonth int
	at                      time.Time // zero unless there is a time of day with a zone
}

func (d date) day() string { return fmt.Sprintf("%04d-%02d-%02d", d.year, d.month, d.dayOfMonth) }

// instant is empty if the page gives no time of day or no zone: RFC 3339 has both, and neither is invented.
func (d date) instant() string {
	if d.at.IsZero() {
		return ""
	}
	return d.at.Format(time.RFC3339)
}

var months = monthNames(
	"january jan januar janner janvier janv enero ene", "february feb februar fevrier fevr febrero",
	"march mar marz maerz mars marzo", "april apr avril avr abril abr", "may mai mayo", "june jun juni juin junio",
	"july jul juli juillet juil julio", "august aug aout agosto ago", "september sep sept septembre septiembre",
	"october oct oktober okt octobre octubre", "november nov novembre noviembre", "december dec dezember dez decembre diciembre dic", //nolint:misspell // French
)

func monthNames(lists ...string) map[string]int {
	out := map[string]int{}
	for i, list := range lists {
		for name := range strings.FieldsSeq(list) {
			out[name] = i + 1
		}
	}
	return out
}

var (
	isoDate     = regexp.MustCompile(`\b(\d{4})-(\d{2})-(\d{2})\b`)
	numericDate = regexp.MustCompile(`\b(\d{1,2})([./\-])(\d{1,2})[./\-](\d{4})\b`)
	// 2 January 2006, 2. Januar 2006, 2 de enero de 2006, 2nd of Jan 2006
	dayFirst = regexp.MustCompile(`\b(\d{1,2})(?:st|nd|rd|th|er|\.)?\s+(?:of\s+|de\s+)?(\pL{3,10})\.?,?\s+(?:de\s+|del\s+)?(\d{4})\b`)
	// January 2, 2006
	monthFirst = regexp.MustCompile(`\b(\pL{3,10})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b`)
)

// date reads the only date of a text. It fails if there are two dates, or if the date is ambiguous.
func (c *converter) date(text string) (date, bool) {
	if len(text) > 200 {
		return date{}, false
	}
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00",
		"2006-01-02 15:04:05 -0700", time.RFC1123Z, time.RFC1123,
	} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() > 0 {
			return date{t.Year(), int(t.Month()), t.Day(), t}, true
		}
	}
	var found []date
	add := func(year, month, day string) {
		y, _ := strconv.Atoi(year)
		m, ok := months[strings.Join(words(month), "")]
		if !ok {
			m, _ = strconv.Atoi(month)
		}
		d, _ := strconv.Atoi(day)
		t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
		if y > 0 && t.Year() == y && int(t.Month()) == m && t.Day() == d {
			found = append(found, date{year: y, month: m, dayOfMonth: d})
		}
	}
	for _, m := range isoDate.FindAllStringSubmatch(text, 3) {
		add(m[1], m[2], m[3])
	}
	for _, m := range numericDate.FindAllStringSubmatch(text, 3) {
		if c.monthComesFirst(m[2], m[3]) {
			add(m[4], m[1], m[3])
		} else if c.dayComesFirst(m[1], m[2], m[3]) {
			add(m[4], m[3], m[1])
		}
	}
	for _, m := range dayFirst.FindAllStringSubmatch(text, 3) {
		add(m[3], m[2], m[1])
	}
	for _, m := range monthFirst.FindAllStringSubmatch(text, 3) {
		add(m[3], m[1], m[2])
	}
	if len(found) == 0 || len(found) > 1 && found[0] != found[1] || len(found) > 2 {
		return date{}, false
	}
	return found[0], true
}

// dayComesFirst reports whether 3/4/2026 can only be the third of April. With points it always is; with slashes in
// English it depends on the country.
func (c *converter) dayComesFirst(day, mark, month string) bool {
	d, _ := strconv.Atoi(day)
	m, _ := strconv.Atoi(month)
	return d > 12 || mark == "." || d == m || c.language != "" && c.language != "en" || c.language == "en" && c.region != "" && c.region != "US"
}

func (c *converter) monthComesFirst(mark, day string) bool {
	d, _ := strconv.Atoi(day)
	return mark != "." && (d > 12 || c.language == "en" && c.region == "US")
}
