package frequency

import (
	"math/bits"
	"time"
)

const (
	daySeconds = 24 * 60 * 60
	// monthsMax is how far ahead a day is looked for. A 29th of February on a given weekday comes within twelve years, or
	// forty around a century year that is not a leap year.
	monthsMax = 41 * 12
)

// Next returns the first time later than after at which the expression is due by the wall clock of place, to the second.
//
// When clocks are put forward, skipped times run once, at the change: what is due at 02:30 on a day without that time runs at 03:00.
// When clocks are put back, repeated times run only the first time. Both hold for expressions that name hours. An expression that
// runs in every hour goes by elapsed time instead: what is due every ten minutes also runs every ten minutes on these days.
//
// It returns the zero time if there is none within forty years, which no accepted expression has.
func (c *Cron) Next(after time.Time, place *time.Location) time.Time {
	switch {
	case place == time.UTC:
		return c.atOrAfter(after.UTC().Truncate(time.Second).Add(time.Second))
	case c.hour == 1<<24-1:
		return c.nextElapsed(after, place)
	default:
		return c.nextOnWall(after, place)
	}
}

// nextElapsed goes through the periods between clock changes, one after the other.
func (c *Cron) nextElapsed(after time.Time, place *time.Location) time.Time {
	from := after.Truncate(time.Second).Add(time.Second).In(place)
	for {
		_, offset := from.Zone()
		wall := c.atOrAfter(onWall(from))
		if wall.IsZero() {
			return wall
		}
		next := wall.Add(-time.Duration(offset) * time.Second).In(place)
		_, end := from.ZoneBounds()
		if end.IsZero() || next.Before(end) {
			return next
		}
		from = end
	}
}

// nextOnWall goes through wall clock times, and skips those that occur for the second time.
func (c *Cron) nextOnWall(after time.Time, place *time.Location) time.Time {
	wall := onWall(after.Truncate(time.Second).In(place))
	for {
		if wall = c.atOrAfter(wall.Add(time.Second)); wall.IsZero() {
			return wall
		}
		if next := moment(wall, place); next.After(after) {
			return next
		}
	}
}

// onWall returns the wall clock time as if it were UTC, so that it can be calculated with.
func onWall(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// moment returns when the clock of a place first shows a wall clock time, or skips it.
func moment(wall time.Time, place *time.Location) time.Time {
	year, month, day := wall.Date()
	hour, minute, second := wall.Clock()
	t := time.Date(year, month, day, hour, minute, second, 0, place)
	start, end := t.ZoneBounds()
	switch shown := onWall(t); {
	case shown.After(wall): // skipped; t is after the change
		return start
	case shown.Before(wall):
		return end
	case start.IsZero():
		return t
	}
	_, offset := t.Zone()
	_, before := start.Add(-time.Second).Zone()
	if first := t.Add(time.Duration(offset-before) * time.Second); first.Before(start) { // t is the second occurrence
		return first
	}
	return t
}

// atOrAfter returns the first due time at or after t, ignoring clock changes.
func (c *Cron) atOrAfter(t time.Time) time.Time {
	year, month, day := t.Date()
	if c.daysOf(year, month)>>day&1 == 1 {
		hour, minute, second := t.Clock()
		if clock, ok := c.clockFrom(hour, minute, second); ok {
			return time.Date(year, month, day, 0, 0, clock, 0, time.UTC)
		}
	}
	clock := c.firstClock()
	day++ // from here on, the first day that is considered
	for range monthsMax {
		if later := c.daysOf(year, month) >> day << day; later != 0 {
			return time.Date(year, month, bits.TrailingZeros64(later), 0, 0, clock, 0, time.UTC)
		}
		day = 1
		if month++; month > time.December {
			year, month = year+1, time.January
		}
	}
	return time.Time{}
}

// daysOf returns the days of a month on which the expression is due.
func (c *Cron) daysOf(year int, month time.Month) uint64 {
	if c.month>>month&1 == 0 {
		return 0
	}
	all := uint64(1)<<(monthDays(year, month)+1) - 2
	if c.anyDom && c.anyDow {
		return all
	}
	week := c.dow | c.dow<<7
	weeks := week | week<<14 | week<<28 // bit n is the weekday n%7
	byWeekday := weeks >> time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).Weekday() << 1
	switch {
	case c.anyDow:
		return all & c.dom
	case c.anyDom:
		return all & byWeekday
	default: // crontab(5): either suffices
		return all & (c.dom | byWeekday)
	}
}

func monthDays(year int, month time.Month) int {
	if month == time.February && (year%4 != 0 || year%100 == 0 && year%400 != 0) {
		return 28
	}
	return monthDaysMax[month]
}

// firstClock is the first due time of a day, in seconds.
func (c *Cron) firstClock() int {
	return bits.TrailingZeros64(c.hour)*3600 + bits.TrailingZeros64(c.minute)*60 + bits.TrailingZeros64(c.second)
}

// lastClock is the last due time of a day, in seconds.
func (c *Cron) lastClock() int {
	return (bits.Len64(c.hour)-1)*3600 + (bits.Len64(c.minute)-1)*60 + bits.Len64(c.second) - 1
}

// clockFrom returns the first due time of a day at or after the given one, in seconds.
func (c *Cron) clockFrom(hour, minute, second int) (int, bool) {
	h := from(c.hour, hour)
	if h == hour {
		m := from(c.minute, minute)
		if m == minute {
			if s := from(c.second, second); s < 60 {
				return h*3600 + m*60 + s, true
			}
			m = from(c.minute, minute+1)
		}
		if m < 60 {
			return h*3600 + m*60 + bits.TrailingZeros64(c.second), true
		}
		h = from(c.hour, hour+1)
	}
	if h > 23 {
		return 0, false
	}
	return h*3600 + bits.TrailingZeros64(c.minute)*60 + bits.TrailingZeros64(c.second), true
}

// from returns the first member of a set that is at least n, 64 if there is none.
func from(set uint64, n int) int { return bits.TrailingZeros64(set >> n << n) }

// Interval returns the shortest time between two runs, ignoring clock changes. It checks all times of a day and the days
// of forty years, so rare cases are included.
func (c *Cron) Interval() time.Duration {
	shortest := c.daysBetween()*daySeconds - c.lastClock() + c.firstClock()
	for at := c.firstClock(); at < daySeconds-1; {
		next, ok := c.clockFrom((at+1)/3600, (at+1)/60%60, (at+1)%60)
		if !ok {
			break
		}
		if shortest = min(shortest, next-at); shortest == 1 {
			break
		}
		at = next
	}
	return time.Duration(shortest) * time.Second
}

// daysBetween returns the fewest days between two days on which the expression is due.
func (c *Cron) daysBetween() int {
	const firstYear = 2000
	fewest, last := monthsMax*31, -1
	at := 0 // days since the start of the first month
	for n := range monthsMax {
		year, month := firstYear+n/12, time.Month(n%12+1)
		for days := c.daysOf(year, month); days != 0; days &= days - 1 {
			day := at + bits.TrailingZeros64(days)
			if last >= 0 {
				fewest = min(fewest, day-last)
			}
			if last = day; fewest == 1 {
				return 1
			}
		}
		at += monthDays(year, month)
	}
	return fewest
}
