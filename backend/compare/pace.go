package compare

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// A date that is as far from the day on which the page was read as it was in the last run is told from that day: today's date,
// "get it by", the date of a sample. It is so near that an event that is put off by as many days as there are between two runs is
// not taken for one.
const (
	paceDaysMax = 8
	// Between runs that are closer than this a date of another day than today may not be told from the day.
	paceApart = 20 * time.Hour
)

// pace has dates pass that go with the day of the run, with the weekdays and times beside them. The dates of two texts belong to
// each other in their order, where there are as many.
func (d *pageDiff) pace(before, after []token) (paced, pacedAfter []token) {
	from, to := datesIn(before), datesIn(after)
	if len(from) != len(to) || len(to) == 0 {
		return before, after
	}
	cloned := false
	for i := range from {
		a, b := &before[from[i]], &after[to[i]]
		if same(a, b) || !d.isPaced(a.norm, b.norm, after) {
			continue
		}
		if !cloned {
			before, after, cloned = slices.Clone(before), slices.Clone(after), true
		}
		passDate(before, from[i])
		passDate(after, to[i])
	}
	return before, after
}

func datesIn(tokens []token) []int {
	var out []int
	for i := range tokens {
		if t := &tokens[i]; t.kind == tokenDate || t.kind == tokenNumber && len(t.norm) == len("20060102") && strings.HasPrefix(t.norm, "20") {
			out = append(out, i)
		}
	}
	return out
}

// isPaced reports whether a date is as far from the day of its run as another from its own.
func (d *pageDiff) isPaced(before, after string, text []token) bool {
	slack := 0 // what is delivered may skip a day on which nobody works
	if slices.ContainsFunc(text, func(t token) bool { return supplyWords[t.lower] || t.lower == "get" || t.lower == "next" }) {
		slack = 1
	}
	return d.isPacedAs(before, after, slack) || d.isPacedAs(swapped(before), swapped(after), slack)
}

func (d *pageDiff) isPacedAs(before, after string, slack int) bool {
	then, now := d.c.before.At, d.c.after.At
	past, ok1 := dayNear(before, then)
	next, ok2 := dayNear(after, now)
	if !ok1 || !ok2 {
		return false
	}
	was, is := daysFrom(then, past), daysFrom(now, next)
	isNear := max(abs(was), abs(is)) <= 1
	if isNear {
		slack = 1
	}
	return abs(was-is) <= slack && abs(is) <= paceDaysMax && (isNear || now.Sub(then) >= paceApart)
}

// swapped is a date with the month for the day, as it may have been meant where all of it is digits.
func swapped(date string) string {
	if len(date) < len(time.DateOnly) {
		return ""
	}
	return date[:5] + date[8:10] + "-" + date[5:7]
}

func abs(n int) int { return max(n, -n) }

// passDate has a date pass, and what is said of the day and the time beside it.
func passDate(tokens []token, at int) {
	pass := func(t *token) { t.kind, t.norm, t.lower, t.unit = tokenPassing, "~", "", "" }
	pass(&tokens[at])
	for _, step := range []int{-1, 1} {
		for i := at + step; i >= 0 && i < len(tokens) && (i-at)*step <= 4; i += step {
			t := &tokens[i]
			if t.kind == tokenTime || t.kind == tokenWord && weekdays[t.lower] {
				pass(t)
			} else if t.kind != tokenSign && t.kind != tokenPassing && !(t.kind == tokenWord && glueWords[t.lower]) {
				break
			}
		}
	}
}

// dayNear reads a date in canonical form, with the year that is nearest to a time where it says none.
func dayNear(date string, at time.Time) (time.Time, bool) {
	if len(date) > 0 && date[0] == '-' {
		best, found := time.Time{}, false
		for year := at.Year() - 1; year <= at.Year()+1; year++ {
			day, err := time.Parse(time.DateOnly, strconv.Itoa(year)+date)
			if err == nil && (!found || day.Sub(at).Abs() < best.Sub(at).Abs()) {
				best, found = day, true
			}
		}
		return best, found
	}
	if len(date) == len("20060102") {
		day, err := time.Parse("20060102", date)
		return day, err == nil
	}
	day, err := parseDay(date)
	return day, err == nil
}

func daysFrom(at, day time.Time) int {
	return int(day.Sub(at.UTC().Truncate(24*time.Hour)).Hours()) / 24
}

// A count of many that grew a little, to a number that nobody would choose, is of what others did meanwhile.
const (
	creepLeast   = 1_000
	creepPercent = 3
	creepRound   = 50
)

// isCreeping reports whether a difference is a count that grew a little, and is not watched.
func (d *pageDiff) isCreeping(n *node, h hunk, before, after []token) bool {
	from, ok1 := loneCount(before[h.a0:h.a1])
	to, ok2 := loneCount(after[h.b0:h.b1])
	if !ok1 || !ok2 || from < creepLeast || to <= from || (to-from)*100 > from*creepPercent || from%creepRound == 0 && to%creepRound == 0 {
		return false
	}
	if isYear(from) && isYear(to) || h.b1 < len(after) && measureUnits[after[h.b1].lower] {
		return false
	}
	return d.c.focus.isEmpty() || !d.c.focus.tells(n.Text, n.Label)
}

// hasPassed reports whether so many days went by between two runs; a page that was left as it was is of one before the last.
func (d *pageDiff) hasPassed(count, days int64) bool {
	return count == days || len(d.c.noise.Held)+len(d.c.noise.Flips) > 0 && count > 0 && count%days == 0 && count/days <= 1+heldRuns
}

// isDayCount reports whether a difference is a number of days that is as much more or less as days went by, and not how long
// something takes.
func (d *pageDiff) isDayCount(h hunk, before, after []token) bool {
	from, ok1 := loneCount(before[h.a0:h.a1])
	to, ok2 := loneCount(after[h.b0:h.b1])
	days := int64(d.c.after.At.Sub(d.c.before.At).Round(24*time.Hour) / (24 * time.Hour))
	if !ok1 || !ok2 || days < 1 || !d.hasPassed(to-from, days) && !d.hasPassed(from-to, days) {
		return false
	}
	if h.b1+1 < len(after) && ruleAfter[after[h.b1+1].lower] || h.b0 > 0 && ruleBefore[after[h.b0-1].lower] &&
		!(h.b0 > 1 && after[h.b0-1].lower == "for" && (after[h.b0-2].lower == "up" || after[h.b0-2].lower == "online")) {
		return false
	}
	isFromNow := h.b1+2 < len(after) && (after[h.b1+1].lower == "from" || after[h.b1+1].lower == "von") && after[h.b1+2].kind == tokenPassing // "from today"
	if !isFromNow && !slices.ContainsFunc(after, func(t token) bool { return countWords[t.lower] }) && !(h.b0 > 0 && dayUnits[after[h.b0-1].lower]) {
		return false
	}
	isDay := h.b1 < len(after) && dayUnits[after[h.b1].lower] || h.b0 > 0 && dayUnits[after[h.b0-1].lower]
	return isDay && !slices.ContainsFunc(after, func(t token) bool { return supplyWords[t.lower] || t.lower == "trial" || t.lower == "notice" })
}

var dayUnits = setOf(`day days night nights sleep sleeps tag tage tagen nächte jour jours día días giorno giorni dag dagen dias`)

// Words beside a number of days that is a rule: "up to 2 days before", "within 14 days".
var (
	ruleBefore = setOf(`to within for every least most minimum maximum max min than of first last next after`)
	ruleAfter  = setOf(`before after in advance notice trial return returns refund guarantee warranty prior later per`)
)

// countWords tell that days are counted, and not how many there are of them.
var countWords = setOf(`until till to left remain remaining since without old go bis noch seit ohne avant dans plus jusqu'au jusqu'à depuis sans faltan quedan desde
	hasta mancano ago away more another up online streak nog sinds over today now heute aujourd'hui hoy oggi vandaag`)

func isYear(n int64) bool { return 1900 <= n && n <= 2100 }

// measureUnits are of what is measured, and not counted.
var measureUnits = setOf(`mm cm m km ft in inch inches miles mi m2 m3 sqm sqft ha acres mg g kg t lb lbs oz ml cl l litre litres liter liters w kw kwh wh v mah
	hz mhz ghz kb mb gb tb rpm psi bar kcal kj`)

// loneCount is the whole number that is all there is but for signs; a "k" or an "m" after it makes it thousands or millions.
func loneCount(tokens []token) (count int64, ok bool) {
	for i := range tokens {
		t := &tokens[i]
		switch {
		case t.kind == tokenSign || t.kind == tokenPassing:
			continue
		case t.kind != tokenNumber || ok || t.unit != "":
			return 0, false
		}
		digits, scale := t.norm, 1.0
		switch digits[len(digits)-1] {
		case 'k':
			digits, scale = digits[:len(digits)-1], 1e3
		case 'm':
			digits, scale = digits[:len(digits)-1], 1e6
		}
		value, err := strconv.ParseFloat(digits, 64)
		if value *= scale; err != nil || value < 0 || value > 1e15 || scale == 1 && !isCount(digits) {
			return 0, false
		}
		count, ok = int64(value), true
	}
	return count, ok
}

// isOfToday reports whether a block says by its label, or by the heading right above it, that it is of today alone, as what is on
// the menu. It is compared where that is watched.
func (d *pageDiff) isOfToday(n *node) bool {
	for _, text := range d.namesOf(n) {
		words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !isWordRune(r) && r != '\'' })
		if len(words) <= 4 && slices.ContainsFunc(words, func(w string) bool { return todayWords[w] }) {
			return d.c.focus.isEmpty() || !d.c.focus.tells(n.Text, text)
		}
	}
	return false
}

// isBox reports whether a block is one of a row that says how long it is until something: nothing but a number and a unit of time, beside
// another such.
func isBox(nodes []*node, n *node) bool {
	unit := n.timeUnit()
	if unit == "" {
		return false
	}
	for _, i := range []int{n.index - 1, n.index + 1} {
		if i >= 0 && i < len(nodes) && nodes[i].path == n.path {
			if other := nodes[i].timeUnit(); other != "" && other[0] != unit[0] {
				return true
			}
		}
	}
	return false
}

// timeUnit is the unit of a block that says but a number of it, "" of others.
func (n *node) timeUnit() string {
	if len(n.Text) > 30 {
		return ""
	}
	unit, numbers := "", 0
	for _, t := range tokensOf(n.Text, n.lens.language) {
		switch {
		case t.kind == tokenNumber:
			numbers++
		case t.kind == tokenWord && timeUnits[t.lower] && unit == "":
			unit = t.lower
		case t.kind != tokenSign:
			return ""
		}
	}
	if numbers != 1 {
		return ""
	}
	return unit
}

// namesOf are what names a block: its label, what stands before its first colon, and the heading right above it.
func (d *pageDiff) namesOf(n *node) []string {
	texts := []string{n.Label}
	if isLabelled(n.Text) {
		texts = append(texts, headOf(n.Text))
	}
	if under := n.Under - 1; under >= 0 && under < n.index && n.index < len(d.after) && d.after[n.index] == n {
		texts = append(texts, d.after[under].Text)
	}
	return texts
}

// isOfNow reports whether a block says by its name that what it counts is of the moment. It is compared where that is watched.
func (d *pageDiff) isOfNow(n *node) bool {
	return slices.ContainsFunc(d.namesOf(n), func(text string) bool {
		return len(text) < 80 && isNowName(strings.ToLower(text)) && (d.c.focus.isEmpty() || !d.c.focus.tells(n.Text, text))
	})
}
