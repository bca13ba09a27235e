package quarter

import (
	"fmt"
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const runs = 40

// New makes the site.
func New() *cs.Site {
	site := &cs.Site{Name: "quarter", Runs: runs, Pages: []*cs.Page{
		laptop(), fees(), railway(), library(), pricing(), papers(), hire(), vaccine(), courses(), changes(),
	}}
	return site.Collect()
}

// day is when a run reads its pages.
func day(n *cs.Run) time.Time { return time.Date(2026, 3, 2+n.Number, 8, 0, 0, 0, time.UTC) }

// now is the clock of the server at an answer.
func now(n *cs.Run) time.Time { return day(n).Add(time.Duration(n.IntN(2400)) * time.Second) }

// ago is how many days a date is in the past.
func ago(n *cs.Run, year int, month time.Month, date int) int {
	return int(day(n).Sub(time.Date(year, month, date, 0, 0, 0, 0, time.UTC)) / (24 * time.Hour))
}

// counted is a counter that grows by about as much each day.
func counted(n *cs.Run, first, daily int) int { return first + n.Number*daily + n.Calm.IntN(daily) }

// items writes a list as elements of the same kind.
func items(list []string, format string) string {
	return cs.Each(list, func(s string) string { return fmt.Sprintf(format, s) })
}

// p joins arguments as fmt.Sprintf does.
func p(format string, args ...any) string { return fmt.Sprintf(format, args...) }
