// Package unmet is a site that changes, of ten makers that share nothing: each page has its own head and foot, its own way of
// marking up, and its own noise, as if monitors were set on ten places of the web.
//
// It is here to be met once: change detection was not worked on with it, nor was it written with a view to how that works.
//
// Invariants, which its test holds:
//
//   - A run's words that stand in every draw of its noise differ from those of the run before if and only if an edit is planned.
//   - What Data gives is the same in every draw, but for the order of lists which the page shows in any order.
//   - Two answers of a run never say the same, and draw the same from Calm.
package unmet

import (
	"fmt"
	"strings"
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const runs = 40

// The first run is in the first half of this day, and each other in the half that follows; they are read when their half is over.
var start = time.Date(2026, time.March, 3, 0, 0, 0, 0, time.UTC)

const every = 12 * time.Hour

// New makes the site.
func New() *cs.Site {
	site := &cs.Site{Name: "unmet", Runs: runs, Start: start.Add(every), Every: every, Pages: []*cs.Page{
		product(), listing(), article(), reference(), releases(), thread(), team(), conference(), baths(), plans(),
	}}
	return site.Collect()
}

// p joins arguments as fmt.Sprintf does.
func p(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// now is when a run is: two a day, and drawn within the half of the day. It is drawn once per answer and handed on.
func now(n *cs.Run) time.Time {
	return time.Date(2026, time.March, 3, 12*n.Number+n.Calm.IntN(12), n.Calm.IntN(60), 0, 0, time.UTC)
}

// clock is a time of day to the second, which is another in each answer.
func clock(n *cs.Run, at time.Time) string { return p("%s:%02d", at.Format("15:04"), n.IntN(60)) }

// ago is how long ago something was that was a number of days before run 0.
func ago(at time.Time, daysBefore int) string {
	days := int(at.Sub(time.Date(2026, time.March, 3, 0, 0, 0, 0, time.UTC)).Hours())/24 + daysBefore
	switch days {
	case 0:
		return "today"
	case 1:
		return "yesterday"
	default:
		return p("%d days ago", days)
	}
}

// creeping is a count that only goes up, by a step or so a run.
func creeping(n *cs.Run, from, step int) string {
	return thousands(from + step*n.Number + n.Calm.IntN(step))
}

func thousands(count int) string {
	if count < 1000 {
		return p("%d", count)
	}
	return p("%d,%03d", count/1000, count%1000)
}

// slug is a name as addresses have it.
func slug(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }
