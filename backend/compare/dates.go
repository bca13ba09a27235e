package compare

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

var months = func() map[string]int {
	all := map[string]int{}
	for i, names := range []string{
		"january jan januar jänner janvier janv enero ene gennaio janeiro januari", "february feb februar février févr febrero febbraio fevereiro februari",
		"march mar märz mär mars marzo março maart", "april apr avril avr abril abr aprile", "may mai mayo maggio maio mei", "june jun juni juin junio giugno junho",
		"july jul juli juillet juil julio luglio julho", "august aug août agosto augustus", "september sep sept septembre septiembre settembre setembro",
		"october oct oktober okt octobre octubre ottobre outubro",
		"november nov novembre noviembre novembro",
		"december dec dezember dez décembre diciembre dic dicembre dezembro",
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] = i + 1
		}
	}
	return all
}()

var weekdays = setOf(`monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
	montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche
	lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica maandag dinsdag woensdag donderdag vrijdag
	zaterdag zondag segunda-feira terça-feira quarta-feira quinta-feira sexta-feira`)

// dated reads a date that is all digits: 2026-05-12, 12.05.2026, 5/12/2026.
func (s *scanner) dated(digits string, at *token) bool {
	mark := strings.IndexAny(digits, "-./")
	if mark < 0 {
		return false
	}
	parts := strings.Split(digits, digits[mark:mark+1])
	if len(parts) != 3 {
		return false
	}
	numbers := [3]int{}
	for i, part := range parts {
		if !isCount(part) || len(part) > 4 {
			return false
		}
		numbers[i], _ = strconv.Atoi(part) // digits alone
	}
	switch {
	case len(parts[0]) == 4:
		at.norm = day(numbers[0], numbers[1], numbers[2])
	case len(parts[2]) == 4 && digits[mark] == '/' && !s.comma && numbers[0] <= 12:
		at.norm = day(numbers[2], numbers[0], numbers[1])
	case len(parts[2]) == 4:
		at.norm = day(numbers[2], numbers[1], numbers[0])
	}
	at.kind = tokenDate
	return at.norm != ""
}

// day is a date in ISO 8601, "" for one that is none.
func day(year, month, dayOfMonth int) string {
	if year < 1000 || year > 2999 || month < 1 || month > 12 || dayOfMonth < 1 || dayOfMonth > 31 {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", year, month, dayOfMonth)
}

// clockTime reads 14:03 and 14:03:22, "" for what is none.
func clockTime(digits string) string {
	parts := strings.Split(digits, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return ""
	}
	for i, part := range parts {
		whole, _, _ := strings.Cut(part, ".")
		if !isCount(whole) || len(whole) > 2 || i > 0 && len(whole) != 2 || i > 0 && whole > "59" {
			return ""
		}
	}
	if len(parts[0]) == 1 {
		return "0" + digits
	}
	return digits
}

func twelveHours(digits, half string) string {
	if isCount(digits) && len(digits) <= 2 {
		digits += ":00"
	}
	clock := clockTime(digits)
	if clock == "" {
		return ""
	}
	hour, _ := strconv.Atoi(clock[:2]) // clockTime has two digits there
	if hour %= 12; half == "pm" {
		hour += 12
	}
	return fmt.Sprintf("%02d%s", hour, clock[2:])
}

// isoTime reads a time in the form of RFC 3339.
func isoTime(word string) (string, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, word); err == nil {
			return t.UTC().Format("2006-01-02T15:04:05Z"), true
		}
	}
	return "", false
}

// daysBetween are the days from one date to another; ok is false where one is none.
func daysBetween(before, after string) (days int, ok bool) {
	from, err1 := parseDay(before)
	to, err2 := parseDay(after)
	if err1 != nil || err2 != nil {
		return 0, false
	}
	return int(to.Sub(from).Hours() / 24), true
}

func parseDay(text string) (time.Time, error) {
	return time.Parse(time.DateOnly, text[:min(len(text), len(time.DateOnly))])
}
