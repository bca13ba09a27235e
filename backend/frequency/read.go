package frequency

import (
	"fmt"
	"strconv"
	"strings"
)

// cadence is an interval, or a number of times in one.
type cadence struct {
	n    int
	unit unit
}

// reading is the state of parsing a sentence.
type reading struct {
	tokens []string
	pos    int

	every cadence // "every 2 hours"
	count cadence // "twice a day"
	times []int   // "at 9:30", in minutes of the day
	past  uint64  // "at :15", minutes of an hour
	// start is the minute of the day from which intervals count; -1: midnight.
	start int
	// window is the first and last hour; nil: none.
	window   *[2]int
	weekdays uint64
	doms     uint64
	months   uint64
	part     *part
}

func (r *reading) peek(ahead int) string {
	if r.pos+ahead >= len(r.tokens) {
		return ""
	}
	return r.tokens[r.pos+ahead]
}

// take consumes the next token if it is one of words.
func (r *reading) take(words ...string) bool {
	for _, word := range words {
		if next := r.peek(0); next == word && next != "" {
			r.pos++
			return true
		}
	}
	return false
}

// takes consumes all words of phrase if they follow.
func (r *reading) takes(phrase string) bool {
	words := strings.Fields(phrase)
	for i, word := range words {
		if r.peek(i) != word {
			return false
		}
	}
	r.pos += len(words)
	return true
}

// digits consumes a number of up to five digits, if one follows.
func (r *reading) digits() (int, bool) {
	next := r.peek(0)
	if next == "" || kindOf(next[0]) != digit || len(next) > 5 {
		return 0, false
	}
	n, err := strconv.Atoi(next)
	if err != nil {
		return 0, false
	}
	r.pos++
	return n, true
}

// read parses the sentence phrase by phrase.
func (r *reading) read() error {
	dangling := ""
	for r.pos < len(r.tokens) {
		token := r.peek(0)
		before := r.pos
		if err := r.phrase(token); err != nil {
			return err
		}
		if r.pos > before {
			dangling = ""
			continue
		}
		if !fillers[token] {
			return r.foreign(token)
		}
		if dangling == token {
			return refuse("%q is repeated", token)
		}
		dangling = token
		r.pos++
	}
	if dangling != "" {
		return refuse("something is missing after %q", dangling)
	}
	return nil
}

func (r *reading) foreign(token string) error {
	if foreignZones[token] {
		return refuse("times are in UTC, and cannot be given in another time zone (%q)", token)
	}
	if token == "last" || token == "end" {
		return &Error{
			Reason: "cron cannot express the last day of a month, because months differ in length",
			Try:    []string{"on the 1st at 00:00", "on the 28th at 23:00"},
		}
	}
	return refuse("%q is not understood", token)
}

// phrase parses the phrase that a token begins, and consumes nothing if it begins none.
func (r *reading) phrase(token string) error {
	for _, read := range []func(string) (bool, error){r.cadence, r.often, r.clockPhrase, r.windowPhrase, r.dayPhrase, r.rest} {
		if done, err := read(token); done || err != nil {
			return err
		}
	}
	return nil
}

// cadence parses "hourly" and "every …".
func (r *reading) cadence(token string) (bool, error) {
	if adverb, ok := adverbs[token]; ok {
		r.pos++
		return true, r.setEvery(adverb)
	}
	if r.takes("half hourly") {
		return true, r.setEvery(cadence{30, unitMinute})
	}
	if token != "every" && token != "each" {
		return false, nil
	}
	r.pos++
	r.take("single")
	n, counted := 1, false
	switch next := r.peek(0); {
	case r.takes("half hour"), r.takes("half an hour"):
		return true, r.setEvery(cadence{30, unitMinute})
	case r.takes("quarter hour"), r.takes("quarter of an hour"):
		return true, r.setEvery(cadence{15, unitMinute})
	case ordinals[next] > 0 && units[r.peek(1)] != unitNone: // "every third day"
		n, counted = ordinals[next], true
		r.pos++
	case counts[next] > 0:
		n, counted = counts[next], true
		r.pos++
		r.take("of")
	case kindOf((next + " ")[0]) == digit && isSuffix(r.peek(1)) && units[r.peek(2)] != unitNone: // "every 3rd hour"
		n, _ = r.digits()
		r.pos++
		counted = true
	case kindOf((next + " ")[0]) == digit && !isSuffix(r.peek(1)):
		if n, counted = r.digits(); !counted {
			return true, refuse("%q is too large a number", next)
		}
	}
	if counted && n == 0 {
		return true, refuse("an interval of 0 never runs")
	}
	return true, r.everyUnit(n, counted)
}

// everyUnit parses what follows "every" and its number.
func (r *reading) everyUnit(n int, counted bool) error {
	tenths := 0
	if counted && r.peek(0) == "." {
		r.pos++
		var ok bool
		if tenths, ok = r.digits(); !ok || tenths > 9 {
			return refuse("the number after %q is not understood", "every")
		}
	}
	r.take("-")
	u, ok := units[r.peek(0)]
	switch {
	case !ok && counted && days[r.peek(0)] != 0:
		return &Error{Reason: "cron cannot skip weeks", Try: []string{"every " + r.peek(0), "on the 1st and 15th"}}
	case !ok && counted:
		return refuse("after %q, a unit is missing, such as minutes, hours or days", "every "+strconv.Itoa(n))
	case !ok && r.peek(0) == "":
		return refuse("something is missing after %q", "every")
	case !ok:
		return nil // "every monday": the day is parsed next
	}
	r.pos++
	switch {
	case u == unitHour && r.takes("and a half"):
		n, u = n*60+30, unitMinute
	case u == unitHour && tenths > 0:
		n, u = n*60+tenths*6, unitMinute
	case tenths > 0:
		return refuse("only hours can have a fraction")
	case u == unitHour:
		at := r.pos
		r.take("and")
		if more, ok := r.digits(); ok && units[r.peek(0)] == unitMinute {
			r.pos++
			n, u = n*60+more, unitMinute
		} else {
			r.pos = at
		}
	}
	return r.setEvery(cadence{n, u})
}

// setEvery sets the interval. "Every hour, every day" is every hour.
func (r *reading) setEvery(c cadence) error {
	old := r.every
	oneDay := cadence{1, unitDay}
	switch {
	case old.unit == unitNone || old == c || old == oneDay && c.unit < unitDay:
		r.every = c
	case c == oneDay && old.unit < unitDay:
	default:
		return refuse("two intervals are given")
	}
	return nil
}

// often parses "twice a day", "3 times per week", "once daily".
func (r *reading) often(token string) (bool, error) {
	at := r.pos
	n, ok := often[token]
	if ok {
		r.pos++
	} else {
		if n, ok = counts[token]; ok {
			r.pos++
		} else {
			n, ok = r.digits()
		}
		if !ok || !r.take("times", "time", "x") {
			r.pos = at
			return false, nil
		}
	}
	r.take("a", "an", "per", "each", "every", "/", "in")
	r.take("a")
	u, ok := units[r.peek(0)]
	if adverb, isAdverb := adverbs[r.peek(0)]; !ok && isAdverb && adverb.n == 1 {
		u, ok = adverb.unit, true
	}
	if set := days[r.peek(0)]; !ok && set != 0 { // "twice every weekday"
		u, ok = unitDay, true
		r.weekdays |= set
	}
	if part, isPart := parts[r.peek(0)]; !ok && n == 1 && isPart {
		r.part, u, ok = &part, unitDay, true
	}
	if !ok {
		r.pos = at
		if token == "once" { // "once every 2 hours"
			return false, nil
		}
		return true, refuse("the period of %d times is missing, such as a day or a week", n)
	}
	r.pos++
	if r.count.unit != unitNone {
		return true, refuse("two numbers of times are given")
	}
	if n == 0 {
		return true, refuse("0 times means never")
	}
	r.count = cadence{n, u}
	return true, nil
}

// rest parses months, parts of the day and time zones.
func (r *reading) rest(token string) (bool, error) {
	switch {
	case months[token] != 0:
		r.pos++
		r.months |= months[token]
		if units[r.peek(1)] == unitNone && r.peek(1) != ":" && r.peek(1) != "am" && r.peek(1) != "pm" { // "march 15"
			if n, ok := r.digits(); ok {
				r.take("st", "nd", "rd", "th")
				return true, r.addDay(n)
			}
		}
	case parts[token] != part{}:
		r.pos++
		found := parts[token]
		r.part = &found
	case r.takes("the month"), r.takes("each month"), r.takes("every month"), r.takes("a month"):
		r.every = cadence{1, unitMonth}
	case zones[token] && r.pos > 0:
		r.pos++
	default:
		return false, nil
	}
	return true, nil
}

func isSuffix(token string) bool {
	return token == "st" || token == "nd" || token == "rd" || token == "th"
}

// refuse returns an Error with examples of accepted sentences.
func refuse(format string, args ...any) error {
	return &Error{Reason: fmt.Sprintf(format, args...), Try: []string{"every hour", "every weekday at 9am", "on the 1st and 15th at 08:30"}}
}
