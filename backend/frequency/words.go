package frequency

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Words translates an expression to a sentence that [Parse] reads as the same. It returns the expression itself if no
// sentence of [TextCharsMax] characters expresses it, or it is invalid.
func Words(expr string) string {
	c, err := ParseCron(expr)
	if err != nil {
		return expr
	}
	return words(c)
}

func words(c *Cron) string {
	if c.second != 1 || !c.anyDom && !c.anyDow {
		return c.text
	}
	for _, short := range []bool{false, true} {
		s := sentence{c, short}
		text := s.String()
		if utf8.RuneCountInString(text) > TextCharsMax {
			continue
		}
		// The sentence is parsed again, so that words with another meaning are never shown.
		if m, err := parse(text); err == nil && m.same(c) {
			return text
		}
	}
	return c.text
}

func (m *meaning) same(c *Cron) bool {
	again := m.cron()
	return again.minute == c.minute && again.hour == c.hour && again.dom == c.dom && again.month == c.month && again.dow == c.dow &&
		again.anyDom == c.anyDom && again.anyDow == c.anyDow
}

// sentence writes an expression as words.
type sentence struct {
	*Cron

	short bool // days and months as three letters
}

func (s sentence) String() string {
	interval, times := s.clockWords()
	months, every := s.monthWords()
	text := interval
	switch {
	case s.dow != allDays && interval != "":
		text += " on " + s.weekdayWords(true)
	case s.dow != allDays:
		text = s.weekdayWords(false)
	case s.dom != everyDay && interval != "":
		text += " " + s.domWords()
	case s.dom != everyDay && every != "":
		text = every + " " + s.domWords()
	case s.dom != everyDay:
		text = s.domWords()
	case interval == "":
		text = "every day"
	}
	if times != "" {
		text += " at " + times
	}
	if months != "" {
		text += " in " + months
	}
	return text
}

// clockWords describes the time of day, as an interval or as times.
func (s sentence) clockWords() (interval, times string) {
	minutes, hours := bits.OnesCount64(s.minute), bits.OnesCount64(s.hour)
	step, from, to := arithmetic(s.hour)
	around := step > 0 && from < step && s.hour == steps(from, 23, step) && 24%step == 0 // through the whole day
	past := ""
	if s.minute != 1 {
		past = " at " + list(s.minute, func(n int) string { return fmt.Sprintf(":%02d", n) })
	}
	everyHours := "every hour"
	if step > 1 {
		everyHours = fmt.Sprintf("every %d hours", step)
	}
	switch {
	case minutes > 1 && 60%minutes == 0 && s.minute == steps(0, 59, 60/minutes) && step == 1:
		interval = fmt.Sprintf("every %d minutes", 60/minutes)
		if hours < 24 {
			interval += spanWords(from, to+1)
		}
	case around && from == 0 && hours > 1:
		interval = everyHours + past
	case around && hours > 2 && minutes == 1:
		interval = fmt.Sprintf("%s starting at %02d:%02d", everyHours, from, bits.TrailingZeros64(s.minute))
	case step > 0 && hours > 2:
		interval = everyHours + past + spanWords(from, to)
	default:
		times = s.timeWords()
	}
	return interval, times
}

// timeWords lists the times of a day.
func (s sentence) timeWords() string {
	var all []string
	for h := s.hour; h != 0; h &= h - 1 {
		for m := s.minute; m != 0; m &= m - 1 {
			all = append(all, fmt.Sprintf("%02d:%02d", bits.TrailingZeros64(h), bits.TrailingZeros64(m)))
		}
	}
	return join(all)
}

func spanWords(from, to int) string { return fmt.Sprintf(" between %d and %d", from, to) }

// arithmetic returns the step of an evenly spaced set, 0 for others, with its first and last member. A set may also pass
// midnight in steps of one hour.
func arithmetic(set uint64) (step, first, last int) {
	first, last = bits.TrailingZeros64(set), bits.Len64(set)-1
	n := bits.OnesCount64(set)
	if n == 1 {
		return 1, first, last
	}
	step = bits.TrailingZeros64(set&(set-1)) - first
	if set == steps(first, last, step) {
		return step, first, last
	}
	for from := 23; from > 0; from-- { // 22, 23, 0, 1
		if to := from + n - 1 - 24; to >= 0 && set == span(from, to, 1) {
			return 1, from, to
		}
	}
	return 0, first, last
}

func (s sentence) weekdayWords(after bool) string {
	every := "every "
	if after {
		every = ""
	}
	switch {
	case s.dow == workdays && after:
		return "weekdays"
	case s.dow == weekend && after:
		return "weekends"
	case s.dow == workdays:
		return "every weekday"
	case s.dow == weekend:
		return "every weekend"
	}
	names := []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
	week := s.dow&^1 | s.dow&1<<7 // starting with Monday
	if bits.OnesCount64(s.dow) == 1 {
		return every + s.name(names[bits.TrailingZeros64(s.dow)], "")
	}
	return list(week, func(n int) string { return s.name(names[n%7], "s") })
}

func (s sentence) name(name, ending string) string {
	if s.short {
		return name[:3]
	}
	return name + ending
}

func (s sentence) domWords() string {
	return "on the " + list(s.dom, func(n int) string { return strconv.Itoa(n) + suffix(n) })
}

func suffix(n int) string {
	switch {
	case n/10 == 1:
		return "th"
	case n%10 == 1:
		return "st"
	case n%10 == 2:
		return "nd"
	case n%10 == 3:
		return "rd"
	default:
		return "th"
	}
}

// monthWords names months, or an interval of months.
func (s sentence) monthWords() (named, every string) {
	if s.month == everyMonth {
		return "", ""
	}
	if n := bits.OnesCount64(s.month); n > 1 && s.month == steps(1, 12, 12/n) && s.dom != everyDay {
		if interval, _ := s.clockWords(); interval == "" {
			return "", fmt.Sprintf("every %d months", 12/n)
		}
	}
	names := []string{
		1: "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
	}
	return list(s.month, func(n int) string { return s.name(names[n], "") }), ""
}

// list writes the members of a set: "a, b and c".
func list(set uint64, word func(n int) string) string {
	var all []string
	for ; set != 0; set &= set - 1 {
		all = append(all, word(bits.TrailingZeros64(set)))
	}
	return join(all)
}

func join(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// written formats a set as a field of an expression: *, a step, or a list of values and ranges.
func written(set uint64, low, high int, stepped bool) string {
	n := bits.OnesCount64(set)
	if n == high-low+1 {
		return "*"
	}
	first, last := bits.TrailingZeros64(set), bits.Len64(set)-1
	step, _, _ := arithmetic(set)
	if stepped && n > 1 && step > 1 && set == steps(low, high, step) && (high-low+1)%step == 0 {
		return "*/" + strconv.Itoa(step)
	}
	if stepped && n > 2 && step > 1 && set == steps(first, last, step) {
		return fmt.Sprintf("%d-%d/%d", first, last, step)
	}
	var parts []string
	for at := first; at <= last; at++ {
		if set>>at&1 == 0 {
			continue
		}
		end := at
		for set>>(end+1)&1 == 1 {
			end++
		}
		if end-at > 1 {
			parts = append(parts, fmt.Sprintf("%d-%d", at, end))
			at = end
			continue
		}
		parts = append(parts, strconv.Itoa(at))
	}
	return strings.Join(parts, ",")
}
