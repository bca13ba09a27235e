package market

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const runs = 40

// New makes the site.
func New() *cs.Site {
	site := &cs.Site{Name: "market", Runs: runs, Pages: []*cs.Page{
		product(), hire(), timetable(), jobs(), releases(), tariff(), rental(), tender(), menu(), rules(),
	}}
	return site.Collect()
}

// fill writes values in the places of a layout, which are written as [[name]]: names and values follow each other.
func fill(layout string, namesAndValues ...string) string {
	pairs := make([]string, len(namesAndValues))
	for i, s := range namesAndValues {
		if i%2 == 0 {
			s = "[[" + s + "]]"
		}
		pairs[i] = s
	}
	return strings.NewReplacer(pairs...).Replace(layout)
}

// today is the morning of a run.
func today(n *cs.Run) time.Time {
	return time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC).AddDate(0, 0, n.Number)
}

// now is when an answer is given, within an hour of the morning.
func now(n *cs.Run) time.Time { return today(n).Add(time.Duration(n.IntN(3600)) * time.Second) }

// since is how long ago something was put up, in days.
func since(n *cs.Run, run int) string {
	switch days := n.Number - run; {
	case days <= 0:
		return "today"
	case days == 1:
		return "yesterday"
	default:
		return fmt.Sprintf("%d days ago", days)
	}
}

// between draws a number, in digits.
func between(n *cs.Run, low, high int) string { return strconv.Itoa(low + n.IntN(high-low+1)) }

// creeping is a counter that goes up each day by about as much.
func creeping(n *cs.Run, first, daily int) string {
	return strconv.Itoa(first + n.Number*daily + n.Calm.IntN(daily))
}

// slug is a name as a link has it.
func slug(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(name)), "-")
}
