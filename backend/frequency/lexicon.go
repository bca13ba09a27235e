package frequency

// unit is the unit of an interval.
type unit int

const (
	unitNone unit = iota
	unitSecond
	unitMinute
	unitHour
	unitDay
	unitWeek
	unitMonth
	unitQuarter
	unitYear
)

var units = map[string]unit{
	"second": unitSecond, "seconds": unitSecond, "sec": unitSecond, "secs": unitSecond, "s": unitSecond,
	"minute": unitMinute, "minutes": unitMinute, "min": unitMinute, "mins": unitMinute, "m": unitMinute,
	"hour": unitHour, "hours": unitHour, "hr": unitHour, "hrs": unitHour, "h": unitHour,
	"day": unitDay, "days": unitDay, "d": unitDay,
	"week": unitWeek, "weeks": unitWeek, "wk": unitWeek, "w": unitWeek,
	"month": unitMonth, "months": unitMonth,
	"quarter": unitQuarter, "quarters": unitQuarter,
	"year": unitYear, "years": unitYear, "yr": unitYear,
}

// adverbs are intervals of one word.
var adverbs = map[string]cadence{
	"hourly": {1, unitHour}, "daily": {1, unitDay}, "weekly": {1, unitWeek}, "monthly": {1, unitMonth},
	"quarterly": {1, unitQuarter}, "yearly": {1, unitYear}, "annually": {1, unitYear}, "fortnightly": {2, unitWeek},
}

var counts = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90, "other": 2,
	"couple": 2,
}

// often are words that are always counts.
var often = map[string]int{"once": 1, "twice": 2, "thrice": 3}

var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"fifteenth": 15, "twentieth": 20,
}

const (
	workdays = 0b0111110
	weekend  = 0b1000001
	allDays  = 0b1111111
)

// days are sets of weekdays, Sunday first.
var days = func() map[string]uint64 {
	sets := map[string]uint64{
		"weekday": workdays, "weekdays": workdays, "workday": workdays, "workdays": workdays,
		"weekend": weekend, "weekends": weekend,
		"tues": 1 << 2, "thur": 1 << 4, "thurs": 1 << 4, "weds": 1 << 3,
	}
	for i, name := range []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"} {
		sets[name], sets[name+"s"], sets[name[:3]] = 1<<i, 1<<i, 1<<i
	}
	return sets
}()

// months are sets of months, bit 1 for January.
var months = func() map[string]uint64 {
	sets := map[string]uint64{"sept": 1 << 9}
	for i, name := range []string{
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
	} {
		sets[name], sets[name[:3]] = 2<<i, 2<<i
	}
	return sets
}()

// part is a part of the day.
type part struct {
	hour int // if no time is named
	// Hours from pmFrom to 12 are read as p.m., and those below it as a.m.
	pmFrom int
}

var parts = map[string]part{
	"morning": {8, 13}, "mornings": {8, 13}, "afternoon": {15, 1}, "afternoons": {15, 1}, "evening": {18, 1}, "evenings": {18, 1},
	"night": {22, 6}, "nights": {22, 6}, "nightly": {22, 6}, "tonight": {22, 6},
}

// fillers have no meaning of their own, and something must follow them.
var fillers = map[string]bool{
	"on": true, "the": true, "and": true, ",": true, "&": true, "run": true, "check": true, "please": true, "repeat": true, "during": true,
	"of": true, "in": true, "once": true,
}

// zones are names of UTC, which all times are in.
var zones = map[string]bool{"utc": true, "gmt": true, "z": true}

// foreignZones are refused by name rather than as unknown words.
var foreignZones = map[string]bool{
	"est": true, "edt": true, "pst": true, "pdt": true, "cst": true, "cdt": true, "mst": true, "cet": true, "cest": true, "bst": true,
	"ist": true, "jst": true, "et": true, "pt": true, "eastern": true, "pacific": true, "local": true,
}
