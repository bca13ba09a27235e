package parish

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const runs = 40

// start is when the baseline is read.
var start = time.Date(2026, 9, 7, 6, 30, 0, 0, time.UTC)

// New makes the site.
func New() *cs.Site {
	site := &cs.Site{Name: "parish", Runs: runs, Start: start, Pages: []*cs.Page{
		trailer(), visa(), courses(), releases(), clinic(), vacancies(), fixtures(), deprecations(), ferry(), tender(),
	}}
	return site.Collect()
}

// fill puts values, given as name and value in turn, where a template has their names in braces.
func fill(template string, pairs ...any) string {
	oldnew := make([]string, len(pairs))
	for i, value := range pairs {
		oldnew[i] = fmt.Sprint(value)
		if i%2 == 0 {
			oldnew[i] = "{" + oldnew[i] + "}"
		}
	}
	return strings.NewReplacer(oldnew...).Replace(template)
}

// day is the day of a run.
func day(n *cs.Run) time.Time { return start.AddDate(0, 0, n.Number) }

// moment is when an answer is made: within ten minutes of the run's time.
func moment(n *cs.Run) time.Time { return day(n).Add(time.Duration(n.IntN(600)) * time.Second) }

// ago says how long before a run something was.
func ago(n *cs.Run, then time.Time) string {
	switch days := int(day(n).Sub(then).Hours() / 24); {
	case days < 1:
		return "today"
	case days == 1:
		return "1 day ago"
	default:
		return strconv.Itoa(days) + " days ago"
	}
}

// counted is a counter that grows by about so many a day, and a little from answer to answer.
func counted(n *cs.Run, from, daily int) int {
	return from + n.Number*daily + n.Calm.IntN(daily/2+1) + n.IntN(daily/20+3)
}

// grouped writes a number with commas.
func grouped(number int) string {
	if number < 1000 {
		return strconv.Itoa(number)
	}
	return grouped(number/1000) + fmt.Sprintf(",%03d", number%1000)
}
