package frequency

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func at(t *testing.T, place *time.Location, text string) time.Time {
	t.Helper()
	v, err := time.ParseInLocation("2006-01-02 15:04:05 -0700", text, place)
	if err != nil {
		v, err = time.ParseInLocation("2006-01-02 15:04:05", text, place)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestNext(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ expr, place, after, want string }{
		{"0 * * * *", "UTC", "2026-01-01 00:00:00", "2026-01-01 01:00:00"},
		{"*/15 * * * *", "UTC", "2026-12-31 23:50:00", "2027-01-01 00:00:00"},
		{"30 8 1,15 * *", "UTC", "2026-02-15 08:30:00", "2026-03-01 08:30:00"},
		{"0 0 31 * *", "UTC", "2026-01-31 00:00:00", "2026-03-31 00:00:00"},
		{"0 0 29 2 *", "UTC", "2026-01-01 00:00:00", "2028-02-29 00:00:00"},
		{"0 0 29 FEB ?", "UTC", "2096-03-01 00:00:00", "2104-02-29 00:00:00"}, // 2100 is not a leap year
		{"0 9 * * MON-FRI", "UTC", "2026-01-02 09:00:00", "2026-01-05 09:00:00"},
		{"0 9 ? * 7", "UTC", "2026-01-01 00:00:00", "2026-01-04 09:00:00"},
		{"0 9 ? * 6,7", "UTC", "2026-01-03 10:00:00", "2026-01-04 09:00:00"},
		{"0 0 13 * FRI", "UTC", "2026-01-01 00:00:00", "2026-01-02 00:00:00"},  // either day matches
		{"10 0 9 * * ?", "UTC", "2026-01-01 00:00:00", "2026-01-01 09:00:10"},  // seconds first
		{"0 9 ? * MON *", "UTC", "2026-01-01 00:00:00", "2026-01-05 09:00:00"}, // years last
		{"*/20 0 9 * * *", "UTC", "2026-01-01 09:00:20", "2026-01-01 09:00:40"},
		{"5-10/5,50 23 * JAN,dec *", "UTC", "2026-02-01 00:00:00", "2026-12-01 23:05:00"},
		{"10/20 * * * *", "UTC", "2026-01-01 00:10:00", "2026-01-01 00:30:00"},
		{"0 12 * * *", "Asia/Kolkata", "2026-01-01 12:00:00", "2026-01-02 12:00:00"},
		// Clocks go forward at 02:00 on 29 March 2026: a skipped time fires once, at the change.
		{"30 2 * * *", "Europe/Berlin", "2026-03-28 02:30:00", "2026-03-29 03:00:00"},
		{"30 2 * * *", "Europe/Berlin", "2026-03-29 03:00:00", "2026-03-30 02:30:00"},
		{"0,15,30,45 2 * * *", "Europe/Berlin", "2026-03-29 01:59:59", "2026-03-29 03:00:00"},
		{"0,15,30,45 2 * * *", "Europe/Berlin", "2026-03-29 03:00:00", "2026-03-30 02:00:00"},
		{"0 2,3 * * *", "Europe/Berlin", "2026-03-29 03:00:00", "2026-03-30 02:00:00"},
		{"*/10 * * * *", "Europe/Berlin", "2026-03-29 01:50:00", "2026-03-29 03:00:00"},
		// They go back at 03:00 on 25 October: a repeated time fires once, the first time.
		{"30 2 * * *", "Europe/Berlin", "2026-10-25 00:00:00", "2026-10-25 02:30:00 +0200"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-25 02:30:00 +0200", "2026-10-26 02:30:00"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-25 02:10:00 +0100", "2026-10-26 02:30:00"},
		{"0 3 * * *", "Europe/Berlin", "2026-10-25 02:30:00 +0200", "2026-10-25 03:00:00 +0100"},
		{"*/30 * * * *", "Europe/Berlin", "2026-10-25 02:30:00 +0200", "2026-10-25 02:00:00 +0100"},
		{"*/30 * * * *", "Europe/Berlin", "2026-10-25 02:00:00 +0100", "2026-10-25 02:30:00 +0100"},
		{"*/30 * * * *", "Europe/Berlin", "2026-10-25 02:30:00 +0100", "2026-10-25 03:00:00 +0100"},
		// The southern hemisphere, a change at midnight, one of half an hour, and a skipped day.
		{"30 2 * * *", "America/New_York", "2026-03-07 12:00:00", "2026-03-08 03:00:00"},
		{"30 1 * * *", "America/New_York", "2026-10-31 12:00:00", "2026-11-01 01:30:00 -0400"},
		{"30 0 * * *", "Africa/Cairo", "2026-04-23 12:00:00", "2026-04-24 01:00:00"},
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-03 12:00:00", "2026-10-04 02:30:00"},
		{"45 1 * * *", "Australia/Lord_Howe", "2026-04-04 12:00:00", "2026-04-05 01:45:00 +1100"},
		{"0 9 30 * *", "Pacific/Apia", "2011-12-01 00:00:00", "2011-12-31 00:00:00"},
	} {
		place, err := time.LoadLocation(tc.place)
		if err != nil {
			t.Fatal(err)
		}
		c, err := ParseCron(tc.expr)
		if err != nil {
			t.Errorf("%q: %v", tc.expr, err)
			continue
		}
		if got, want := c.Next(at(t, place, tc.after), place), at(t, place, tc.want); !got.Equal(want) {
			t.Errorf("%q after %s in %s: got %s, want %s", tc.expr, tc.after, tc.place, got.In(place), want)
		}
	}
}

func TestExpressionsRefused(t *testing.T) {
	t.Parallel()
	for expr, part := range map[string]string{
		"":                                      "got 0 fields",
		"* * * *":                               "got 4 fields",
		"* * * * * * *":                         "got 7 fields",
		"60 * * * *":                            `minute "60": "60" is not from 0 to 59`,
		"* 24 * * *":                            `hour "24"`,
		"* * 0 * *":                             `day of month "0"`,
		"* * 32 * *":                            `day of month "32"`,
		"* * * 13 *":                            `month "13"`,
		"* * * * 8":                             `day of week "8"`,
		"* * * foo *":                           `month "foo"`,
		"MON * * * *":                           `minute "MON"`,
		"? * * * *":                             "? is allowed only",
		"* * ?/2 * *":                           "? is allowed only",
		"*/0 * * * *":                           "step",
		"*/60 * * * *":                          "step",
		"*/x * * * *":                           "step",
		"5-1 * * * *":                           "ends before it starts",
		"1- * * * *":                            `""`,
		"-1 * * * *":                            `""`,
		"1,,2 * * * *":                          `""`,
		"+1 * * * *":                            `"+1"`,
		"1.5 * * * *":                           `"1.5"`,
		"* * L * *":                             `"L"`,
		"* * * * 5#2":                           `"5#2"`,
		"0 0 30 2 *":                            "no such day",
		"0 0 31 4,6,9,11 *":                     "no such day",
		"61 0 9 * * *":                          `second "61"`,
		"0 9 ? * MON 2030":                      "execute_at",
		"0 9 1 1 * 2030":                        "execute_at",
		"0 9 * * 1" + string(make([]byte, 200)): "at most 200",
	} {
		if c, err := ParseCron(expr); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: got %v, %v, want %s", expr, c, err, part)
		}
	}
}

func TestInterval(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for expr, want := range map[string]time.Duration{
		"* * * * * *":          time.Second,
		"*/20 * * * * *":       20 * time.Second,
		"* * * * *":            time.Minute,
		"*/7 * * * *":          4 * time.Minute,
		"0 * * * *":            time.Hour,
		"55 23 * * *":          day,
		"0,55 0,23 * * *":      5 * time.Minute, // across midnight
		"0,55 0,23 1 * *":      55 * time.Minute,
		"0,55 0,23 1,31 * *":   5 * time.Minute, // across the end of a month
		"0,55 0,23 1,31 2,4 *": 55 * time.Minute,
		"0 0 1 * *":            28 * day,
		"0 0 29 2 *":           4*365*day + day,
		"0 9 * * 1-5":          day,
		"0 9 * * 1":            7 * day,
		"0 9 13 * 5":           day,
		"0 9,17 * * *":         8 * time.Hour,
	} {
		c, err := ParseCron(expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Interval(); got != want {
			t.Errorf("%q: got %s, want %s", expr, got, want)
		}
	}
}

// Next skips over time. A step-by-step walk through two years of a zone's clock finds the same times.
func TestNextIsTheNext(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 24))
	places := []*time.Location{time.UTC}
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Cairo"} {
		place, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, place)
	}
	pick := func(options ...string) string { return options[random.IntN(len(options))] }
	for range 60 {
		expr := strings.Join([]string{
			pick("0", "*/15", "30", "5,50", "10-50/20"), pick("*", "*", "2", "1-3", "*/2", "0,23", "2-22/5"),
			pick("*", "*", "*", "*", "1,15", "29-31", "*/7"), "*", pick("*", "*", "SUN", "1-5", "0,3"),
		}, " ")
		c, err := ParseCron(expr)
		if err != nil {
			t.Fatal(err)
		}
		place := places[random.IntN(len(places))]
		after := time.Date(2026, time.Month(changing(random)), 20+random.IntN(12), random.IntN(24), random.IntN(60), 0, 0, time.UTC)
		for range 12 {
			got, want := c.Next(after, place), c.walk(after, place)
			if !got.Equal(want) {
				t.Fatalf("%q after %s: got %s, want %s", expr, after.In(place), got.In(place), want.In(place))
			}
			after = got
		}
	}
}

// changing is a month near whose end some clock changes.
func changing(random *rand.Rand) int { return []int{3, 4, 10, 2}[random.IntN(4)] }

// walk finds the next time minute by minute, by definition: a skipped time fires at the change, and a repeated one only
// the first time, unless the hour is "*".
func (c *Cron) walk(after time.Time, place *time.Location) time.Time {
	fires := func(wall time.Time) bool {
		return c.minute>>wall.Minute()&1 == 1 && c.hour>>wall.Hour()&1 == 1 && c.daysOf(wall.Year(), wall.Month())>>wall.Day()&1 == 1
	}
	for at := after.Truncate(time.Minute).Add(time.Minute); ; at = at.Add(time.Minute) {
		wall, before := onWall(at.In(place)), onWall(at.Add(-time.Minute).In(place))
		each := c.hour == everyHour
		if passed := wall.Sub(before); passed > time.Minute && !each {
			for w := before.Add(time.Minute); w.Before(wall); w = w.Add(time.Minute) {
				if fires(w) {
					return at
				}
			}
		}
		second := false
		for back := time.Minute; fires(wall) && back <= 3*time.Hour && !each; back += time.Minute {
			second = second || onWall(at.Add(-back).In(place)).Equal(wall)
		}
		if fires(wall) && !second {
			return at
		}
	}
}

// FuzzCron: an accepted expression has a next time, strictly later, to the second, and keeps its interval in UTC.
func FuzzCron(f *testing.F) {
	for _, seed := range []string{"* * * * *", "0 9 ? * MON-FRI *", "*/20 0 9 29 2 *", "5-10/5 1,2 31 * 7", "0 0 29 2 1", "0 0 31 12 ?"} {
		f.Add(seed, int64(1_767_225_600))
	}
	place, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, expr string, seconds int64) {
		c, err := ParseCron(expr)
		if err != nil {
			return
		}
		after := time.Unix(seconds%(1<<32), 0)
		next := c.Next(after, time.UTC)
		if !next.After(after) || c.Next(next.Add(-time.Second), time.UTC) != next {
			t.Fatalf("%q after %s: got %s", expr, after.UTC(), next)
		}
		if second := c.Next(next, time.UTC); second.Sub(next) < c.Interval() {
			t.Fatalf("%q: got %s and %s, closer than %s", expr, next, second, c.Interval())
		}
		if local := c.Next(after, place); !local.After(after) {
			t.Fatalf("%q after %s: got %s", expr, after.In(place), local)
		}
		Words(expr)
	})
}

// BenchmarkNext is the cost of advancing a schedule: far below 10 µs, so that 100,000 fit into a second.
func BenchmarkNext(b *testing.B) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		b.Fatal(err)
	}
	for _, expr := range []string{"*/15 * * * *", "30 8 1,15 * *", "0 0 29 2 *"} {
		for _, place := range []*time.Location{time.UTC, berlin} {
			b.Run(expr+" "+place.String(), func(b *testing.B) {
				b.ReportAllocs()
				after := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
				for b.Loop() {
					c, err := Cached(expr)
					if err != nil {
						b.Fatal(err)
					}
					c.Next(after, place)
				}
			})
		}
	}
}
