package frequency

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// exprBytesMax is the maximum length of an expression: any longer one has a shorter equivalent.
const exprBytesMax = 200

// Cron is a parsed expression. It is immutable and may be shared.
type Cron struct {
	// Each is a set of numbers: bit n stands for n.
	second, minute, hour, dom, month, dow uint64
	// anyDom and anyDow report that the field restricts nothing, so that the other decides alone.
	anyDom, anyDow bool
	text           string
}

// String returns the expression as written, with single spaces.
func (c *Cron) String() string { return c.text }

// field is a field of an expression.
type field struct {
	name     string
	min, max int
	names    []string // of min and the values after it
	question bool     // `?` may stand for `*`
}

var (
	monthNames = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	dayNames   = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

	secondField = field{name: "second", max: 59}
	minuteField = field{name: "minute", max: 59}
	hourField   = field{name: "hour", max: 23}
	domField    = field{name: "day of month", min: 1, max: 31, question: true}
	monthField  = field{name: "month", min: 1, max: 12, names: monthNames}
	dowField    = field{name: "day of week", max: 7, names: dayNames, question: true}
)

// ParseCron parses an expression of 5 or 6 fields. The error says which field is wrong, and how.
func ParseCron(expr string) (*Cron, error) {
	if len(expr) > exprBytesMax {
		return nil, fmt.Errorf("a cron expression has at most %d characters", exprBytesMax)
	}
	fields := strings.Fields(expr)
	c := &Cron{text: strings.Join(fields, " "), second: 1}
	fields, seconds, err := arrange(fields)
	if err != nil {
		return nil, err
	}
	var faults []error
	read := func(f field, text string) uint64 {
		set, err := f.parse(text)
		if err != nil {
			faults = append(faults, err)
		}
		return set
	}
	if seconds != "" {
		c.second = read(secondField, seconds)
	}
	c.minute, c.hour = read(minuteField, fields[0]), read(hourField, fields[1])
	c.dom, c.month, c.dow = read(domField, fields[2]), read(monthField, fields[3]), read(dowField, fields[4])
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if c.dow&(1<<7) != 0 { // 7 is also Sunday
		c.dow = c.dow&^(1<<7) | 1
	}
	c.anyDom, c.anyDow = isStar(fields[2]), isStar(fields[4])
	if c.never() {
		return nil, fmt.Errorf("no such day exists: day of month %q in month %q", fields[2], fields[3])
	}
	return c, nil
}

// arrange returns the five fields of an expression and that of the seconds, "" if there is none.
func arrange(fields []string) (five []string, seconds string, err error) {
	const years = 6
	switch len(fields) {
	case 5:
		return fields, "", nil
	case years:
		last := fields[5]
		if fields[2] == "?" || fields[4] == "?" || len(last) >= 4 && strings.Trim(last[:4], "0123456789") == "" {
			if !isStar(last) {
				return nil, "", fmt.Errorf("year %q: want *; to run once, use execute_at", last)
			}
			return fields[:5], "", nil
		}
		return fields[1:], fields[0], nil
	default:
		return nil, "", fmt.Errorf("got %d fields, want 5 (minute, hour, day of the month, month and weekday), or 6 with seconds first", len(fields))
	}
}

func isStar(text string) bool { return text == "*" || text == "?" }

// parse parses a list.
func (f field) parse(text string) (set uint64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		bits, err := f.part(part)
		if err != nil {
			return 0, fmt.Errorf("%s %q: %w", f.name, text, err)
		}
		set |= bits
	}
	return set, nil
}

// part parses `*`, `?`, a value or a range, each with an optional step.
func (f field) part(text string) (uint64, error) {
	span, stepText, stepped := strings.Cut(text, "/")
	step := 1
	if stepped {
		var err error
		if step, err = number(stepText); err != nil || step < 1 || step > f.max {
			return 0, fmt.Errorf("step %q: want 1 to %d", stepText, f.max)
		}
	}
	low, high := f.min, f.max
	first, last, ranged := strings.Cut(span, "-")
	switch {
	case span == "*", span == "?" && f.question && !stepped:
		if f.max == 7 {
			high = 6 // do not count Sunday twice
		}
	case span == "?":
		return 0, errors.New("? is allowed only in the day fields, by itself")
	default:
		var err error
		if low, err = f.value(first); err != nil {
			return 0, err
		}
		switch {
		case ranged:
			if high, err = f.value(last); err != nil {
				return 0, err
			}
		case !stepped:
			high = low
		case f.max == 7:
			high = 6
		}
	}
	if low > high {
		return 0, fmt.Errorf("%s is not a range: it ends before it starts", span)
	}
	var set uint64
	for n := low; n <= high; n += step {
		set |= 1 << n
	}
	return set, nil
}

func (f field) value(text string) (int, error) {
	lower := strings.ToLower(text)
	for i, name := range f.names {
		if lower == name {
			return f.min + i, nil
		}
	}
	n, err := number(text)
	if err != nil || n < f.min || n > f.max {
		return 0, fmt.Errorf("%q is not from %d to %d", text, f.min, f.max)
	}
	return n, nil
}

// number parses one or two digits, without signs or spaces.
func number(text string) (int, error) {
	if text == "" || len(text) > 2 || strings.Trim(text, "0123456789") != "" {
		return 0, errors.New("not a number")
	}
	return strconv.Atoi(text)
}

// monthDaysMax is the maximum length of each month, by number.
var monthDaysMax = [13]int{1: 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// never reports whether no day ever matches, like the 30th of February.
func (c *Cron) never() bool {
	if !c.anyDow { // every weekday occurs in every month, whether both fields must match or either
		return false
	}
	first := bits.TrailingZeros64(c.dom)
	for month := 1; month <= 12; month++ {
		if c.month&(1<<month) != 0 && first <= monthDaysMax[month] {
			return false
		}
	}
	return true
}
