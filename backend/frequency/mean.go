package frequency

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// The days of "3 times a week", and of a month.
var (
	weekSpread  = map[int]uint64{1: 1 << 1, 2: 1<<1 | 1<<4, 3: 1<<1 | 1<<3 | 1<<5, 4: 1<<1 | 1<<2 | 1<<4 | 1<<5, 5: workdays, 6: workdays | 1<<6, 7: allDays}
	monthSpread = map[int]uint64{1: 1 << 1, 2: 1<<1 | 1<<15, 3: 1<<1 | 1<<11 | 1<<21, 4: 1<<1 | 1<<8 | 1<<15 | 1<<22}
)

// countToEvery turns "4 times a day" into every 6 hours, if no times are named.
func (r *reading) countToEvery(*meaning) error {
	c := r.count
	if c.unit == unitNone {
		return nil
	}
	if r.every.unit != unitNone && r.every != (cadence{1, unitDay}) {
		return refuse("an interval and a number of times are both given")
	}
	switch c.unit {
	case unitHour, unitDay:
		return r.countInDay(c)
	case unitWeek:
		return r.countInWeek(c)
	case unitMonth:
		if named := bits.OnesCount64(r.doms); named > 0 && named != c.n {
			return refuse("the text asks for %s a month, but names %d days", plural(c.n, "time"), named)
		}
		if r.doms == 0 {
			if r.doms = monthSpread[c.n]; r.doms == 0 {
				return refuse("the days for %s a month are missing", plural(c.n, "time"))
			}
		}
		r.every = cadence{1, unitMonth}
	case unitQuarter, unitYear:
		all := 12
		if c.unit == unitQuarter {
			all = 3
		}
		if all%c.n != 0 {
			return &Error{Reason: fmt.Sprintf("%d times cannot be spread evenly over the months", c.n), Try: []string{"every month", "every 3 months"}}
		}
		r.every = cadence{all / c.n, unitMonth}
	case unitNone, unitSecond, unitMinute:
		return tooOften(IntervalMin / 10)
	}
	return nil
}

func (r *reading) countInDay(c cadence) error {
	all := 24
	if c.unit == unitHour {
		all = 60
	}
	switch {
	case c.unit == unitDay && len(r.times) > 0:
		if len(r.times) != c.n {
			return refuse("the text asks for %s a day, but names %d", plural(c.n, "time"), len(r.times))
		}
		r.every = cadence{1, unitDay}
	case c.unit == unitDay && c.n == 1:
		r.every = cadence{1, unitDay}
	case all%c.n != 0:
		try := []string{"every 3 hours", "every 6 hours"}
		if all == 60 {
			try = []string{"every 15 minutes", "every 20 minutes"}
		}
		return &Error{Reason: fmt.Sprintf("%d times cannot be spread evenly", c.n), Try: try}
	case c.unit == unitHour && c.n > 1:
		r.every = cadence{all / c.n, unitMinute}
	case c.unit == unitHour:
		r.every = cadence{1, unitHour}
	default:
		r.every = cadence{all / c.n, unitHour}
	}
	return nil
}

func (r *reading) countInWeek(c cadence) error {
	named := bits.OnesCount64(r.weekdays)
	if named > 0 && named != c.n {
		return refuse("the text asks for %s a week, but names %d days", plural(c.n, "time"), named)
	}
	if named == 0 {
		if r.weekdays = weekSpread[c.n]; r.weekdays == 0 {
			return refuse("the days for %s a week are missing", plural(c.n, "time"))
		}
	}
	r.every = cadence{1, unitDay}
	return nil
}

// checkDays refuses combinations of days that cron cannot express.
func (r *reading) checkDays(*meaning) error {
	switch {
	case r.doms != 0 && r.weekdays != 0:
		return &Error{
			Reason: "cron matches either the day of the week or the day of the month, and cannot require both",
			Try:    []string{"every friday at 9am", "on the 13th at 9am"},
		}
	case r.every.unit == unitMonth && r.weekdays != 0 || (r.every.unit == unitQuarter || r.every.unit == unitYear) && r.weekdays != 0:
		return &Error{Reason: "cron cannot express which week of a month", Try: []string{"every monday", "on the 1st at 9am"}}
	case r.every.unit == unitWeek && r.doms != 0:
		return refuse("a week has no day of the month")
	}
	return nil
}

// clockTo sets the time of day.
func (r *reading) clockTo(m *meaning) error {
	m.named = len(r.times) > 0 || r.past != 0 || r.start >= 0 || r.window != nil || r.part != nil
	nothing := r.every.unit == unitNone && r.weekdays == 0 && r.doms == 0 && r.months == 0
	switch {
	case nothing && !m.named:
		return refuse("the frequency is missing")
	case r.every.unit == unitSecond:
		return tooOften(IntervalMin / 10)
	case r.every.unit == unitMinute || r.every.unit == unitHour:
		return r.intervalTo(m)
	case r.past != 0 || r.start >= 0 && len(r.times) > 0:
		return refuse("a minute of the hour or a start time needs an interval, such as every hour")
	case r.window != nil:
		return &Error{Reason: "a time range needs an interval", Try: []string{"every hour between 9 and 17", "every day at 9am"}}
	case r.start >= 0:
		r.times = []int{r.start}
	case len(r.times) == 0 && r.part != nil:
		r.times = []int{r.part.hour * 60}
	case len(r.times) == 0:
		r.times = []int{0}
	}
	return r.timesTo(m)
}

// timesTo sets times of day. Cron has no pairs of hour and minute, so the times must be all named minutes of all named hours.
func (r *reading) timesTo(m *meaning) error {
	named := map[int]bool{}
	for _, t := range r.times {
		m.hour |= 1 << (t / 60)
		m.minute |= 1 << (t % 60)
		named[t] = true
	}
	if bits.OnesCount64(m.hour)*bits.OnesCount64(m.minute) == len(named) {
		return nil
	}
	var try []string
	for _, minute := range []int{r.times[0] % 60, 0} {
		var clocks []string
		for _, t := range slices.Sorted(slices.Values(r.times)) {
			clocks = append(clocks, fmt.Sprintf("%02d:%02d", t/60, minute))
		}
		try = append(try, "every day at "+strings.Join(clocks, " and "))
	}
	return &Error{Reason: "cron runs at the same minutes of every hour given", Try: slices.Compact(try)}
}

// intervalTo sets an interval within a day.
func (r *reading) intervalTo(m *meaning) error {
	n := r.every.n
	if r.every.unit == unitHour {
		n *= 60
	}
	switch {
	case r.part != nil && len(r.times) == 0:
		return refuse("a part of the day has no exact start and end: give them, as in \"between 8 and 12\"")
	case len(r.times) > 0:
		return &Error{
			Reason: "an interval and a time of day are both given",
			Try:    []string{r.everyText() + " starting at 09:00", r.everyText() + " between 9 and 17", "every day at 09:00"},
		}
	case n < int(IntervalMin.Minutes()):
		return &Error{
			Reason: fmt.Sprintf("the shortest interval is %d minutes", int(IntervalMin.Minutes())), Try: []string{"every 10 minutes", "every 15 minutes", "every hour"},
		}
	case n%60 != 0:
		return r.minutesTo(m, n)
	default:
		return r.hoursTo(m, n/60)
	}
}

func (r *reading) everyText() string {
	if r.every.unit == unitHour {
		if r.every.n == 1 {
			return "every hour"
		}
		return fmt.Sprintf("every %d hours", r.every.n)
	}
	return fmt.Sprintf("every %d minutes", r.every.n)
}

func (r *reading) minutesTo(m *meaning, n int) error {
	first := 0
	switch {
	case 60%n != 0:
		return uneven(n)
	case r.past != 0:
		return refuse("an interval in minutes and a minute of the hour are both given")
	case r.start >= 0 && (r.window != nil || r.start >= n):
		return &Error{Reason: "an interval in minutes runs all day or within a time range", Try: []string{r.everyText(), r.everyText() + " between 9 and 17"}}
	case r.start >= 0:
		first = r.start
	}
	m.minute, m.hour = steps(first, 59, n), everyHour
	if r.window != nil {
		m.hour = span(r.window[0], r.window[1]-1, 1)
	}
	return nil
}

func (r *reading) hoursTo(m *meaning, n int) error {
	m.minute = 1
	if r.past != 0 {
		m.minute = r.past
	}
	switch {
	case n%24 == 0 && n > 24:
		return r.longer(cadence{n / 24, unitDay})
	case r.window != nil && r.start >= 0:
		return refuse("a start time and a time range are both given")
	case r.window != nil:
		m.hour = span(r.window[0], r.window[1]%24, n)
	case n > 24 || 24%n != 0:
		return uneven(n * 60)
	case r.start >= 0:
		if r.past != 0 && r.start%60 != 0 {
			return refuse("two different minutes of the hour are given")
		}
		if r.past == 0 {
			m.minute = 1 << (r.start % 60)
		}
		m.hour = steps(r.start/60%n, 23, n)
	default:
		m.hour = steps(0, 23, n)
	}
	return nil
}

// steps is the set of first, first+n … up to last.
func steps(first, last, n int) (set uint64) {
	for ; first <= last; first += n {
		set |= 1 << first
	}
	return set
}

// span is steps through the hours of a day, and past midnight if to is before from.
func span(from, to, n int) (set uint64) {
	if to < from {
		to += 24
	}
	for ; from <= to; from += n {
		set |= 1 << (from % 24)
	}
	return set
}

// evenMinutes are the intervals, in minutes, that cron can express.
var evenMinutes = []int{10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440}

// uneven refuses an interval that does not divide an hour or a day, and names the nearest that do.
func uneven(n int) error {
	text := func(n int) string {
		switch {
		case n == 1440:
			return "every day"
		case n == 60:
			return "every hour"
		case n > 60:
			return fmt.Sprintf("every %d hours", n/60)
		default:
			return fmt.Sprintf("every %d minutes", n)
		}
	}
	e := &Error{Reason: "cron cannot express every " + plural(n, "minute") + ", which does not divide an hour or a day evenly"}
	if n%60 == 0 {
		e.Reason = "cron cannot express every " + plural(n/60, "hour") + ", which does not divide a day evenly"
	}
	for i, even := range evenMinutes {
		if even > n {
			if i > 0 {
				e.Try = append(e.Try, text(evenMinutes[i-1]))
			}
			e.Try = append(e.Try, text(even))
			return e
		}
	}
	e.Try = []string{"every day", "every week"}
	return e
}

// daysTo sets the days.
func (r *reading) daysTo(m *meaning) error {
	if r.weekdays != 0 {
		m.dow = r.weekdays
	}
	if r.doms != 0 {
		m.dom = r.doms
	}
	if r.months != 0 {
		m.month = r.months
		if r.doms == 0 && r.weekdays == 0 && (r.every.unit == unitNone || r.every.unit >= unitMonth) {
			m.dom = 1 << 1
		}
	}
	c := r.every
	switch {
	case c.unit < unitDay || c == cadence{1, unitDay}:
	case c == cadence{7, unitDay} || c == cadence{1, unitWeek}:
		if r.weekdays == 0 {
			m.dow = 1 << 1
		}
	case c.unit >= unitMonth && r.monthsTo(m, c):
	default:
		return r.longer(c)
	}
	if m.cron().never() {
		return refuse("no such day exists")
	}
	return nil
}

// monthsTo sets an interval of months, and reports whether cron can express it.
func (r *reading) monthsTo(m *meaning, c cadence) bool {
	n := c.n
	switch c.unit { //nolint:exhaustive // only the units of months occur
	case unitQuarter:
		n *= 3
	case unitYear:
		n *= 12
	}
	if 12%n != 0 || n > 1 && n < 12 && r.months != 0 {
		return false
	}
	if r.months == 0 {
		m.month = steps(1, 12, n)
	}
	if r.doms == 0 {
		m.dom = 1 << 1
	}
	return true
}

// longer refuses an interval of days or more that cron cannot express.
func (r *reading) longer(c cadence) error {
	switch c.unit {
	case unitDay:
		return &Error{
			Reason: fmt.Sprintf("cron cannot express every %d days, because it starts counting again each month", c.n),
			Try:    []string{"every day", "mondays, wednesdays and fridays", "every week"},
		}
	case unitWeek:
		return &Error{Reason: fmt.Sprintf("cron cannot express every %d weeks", c.n), Try: []string{"every week", "on the 1st and 15th", "every month"}}
	default:
		return &Error{Reason: "cron cannot express this number of months or years", Try: []string{"every month", "every 3 months", "every year"}}
	}
}
