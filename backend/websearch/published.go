package websearch

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/clip"
)

// layouts are the date layouts of providers. Dates without a zone are taken as UTC.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly, "2006/01/02",
	"Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "2 January 2006", "Mon, 2 Jan 2006", time.RFC1123, time.RFC1123Z,
}

var ago = regexp.MustCompile(`^(\d{1,4}|an?) (second|sec|minute|min|hour|day|week|month|year)s? ago$`)

// published parses a provider's date: a time, a day, or an age. It returns zero for other text, and for dates in the future
// or before the web existed, because pages are often wrong about their own date.
func published(text string, now time.Time) time.Time {
	text = oneLine(clip.Bytes(text, 100))
	at, ok := since(strings.ToLower(text), now)
	for _, layout := range layouts {
		if ok {
			break
		}
		var err error
		at, err = time.Parse(layout, text)
		ok = err == nil
	}
	first := time.Date(1990, time.January, 1, 0, 0, 0, 0, time.UTC)
	if !ok || at.Before(first) || at.After(now.Add(24*time.Hour)) {
		return time.Time{}
	}
	return at.UTC()
}

// since parses "3 days ago". For units of days and longer it returns a date without time.
func since(text string, now time.Time) (time.Time, bool) {
	day := now.UTC().Truncate(24 * time.Hour)
	if text == "yesterday" {
		return day.AddDate(0, 0, -1), true
	}
	m := ago.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, false
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		n = 1 // "a", "an"
	}
	switch m[2] {
	case "second", "sec":
		return now.Add(-time.Duration(n) * time.Second).Truncate(time.Second), true
	case "minute", "min":
		return now.Add(-time.Duration(n) * time.Minute).Truncate(time.Minute), true
	case "hour":
		return now.Add(-time.Duration(n) * time.Hour).Truncate(time.Hour), true
	case "day":
		return day.AddDate(0, 0, -n), true
	case "week":
		return day.AddDate(0, 0, -7*n), true
	case "month":
		return day.AddDate(0, -n, 0), true
	}
	return day.AddDate(-n, 0, 0), true
}
