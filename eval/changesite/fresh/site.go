package fresh

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const runs = 40

// New makes the site.
func New() *cs.Site {
	site := &cs.Site{Name: "fresh", Runs: runs, Pages: []*cs.Page{
		kettle(), daypacks(), bridge(), parcels(), changelog(), thread(), people(), lanterns(), notice(), pricing(), openings(), status(),
	}}
	return site.Collect()
}

// fill writes a text in which {name} stands for the value after that name.
func fill(text string, namesAndValues ...string) string {
	pairs := make([]string, len(namesAndValues))
	for i, value := range namesAndValues {
		if i%2 == 0 {
			value = "{" + value + "}"
		}
		pairs[i] = value
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func w(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// pick draws one of several, of what is drawn for each answer or for each run.
func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// perhaps is a text in some percent of the draws, and nothing in the others.
func perhaps(r *rand.Rand, percent int, text string) string {
	if r.IntN(100) < percent {
		return text
	}
	return ""
}

// between draws a number in decimal.
func between(r *rand.Rand, least, most int) string { return strconv.Itoa(least + r.IntN(most-least+1)) }

// crept is a count that rises by at most step from each run to the next.
func crept(n *cs.Run, first, step int) int { return first + n.Number*step/2 + n.Calm.IntN(step/2+1) }

// thousands is a count as it is written in English, with commas.
func thousands(count int) string {
	if count < 1000 {
		return strconv.Itoa(count)
	}
	return w("%s,%03d", thousands(count/1000), count%1000)
}

// baseline is the morning of run 0.
var baseline = time.Date(2026, time.March, 2, 6, 0, 0, 0, time.UTC)

// clock is when a run is: a minute of its day.
func clock(n *cs.Run) time.Time {
	const minutes = 14 * 60
	return baseline.AddDate(0, 0, n.Number).Add(time.Duration(n.Calm.IntN(minutes)) * time.Minute)
}

// daysAgo is how pages say that something was published some days before the baseline.
func daysAgo(n *cs.Run, before int) string {
	const week = 7
	switch days := before + n.Number; {
	case days == 0:
		return "today"
	case days == 1:
		return "yesterday"
	case days < 2*week:
		return w("%d days ago", days)
	default:
		return w("%d weeks ago", days/week)
	}
}

// tag opens an element with its attributes in any order.
func tag(n *cs.Run, name string, attributes ...string) string {
	return "<" + name + " " + strings.Join(cs.Shuffled(n, attributes...), pick(n.Rand, " ", "  ", "\n    ")) + ">"
}

// gap is the white space that templates leave between elements.
func gap(n *cs.Run) string { return pick(n.Rand, "\n", "\n\n", "\n  \n\t", "\n    ", " ") }

// items writes a list, with an element about each.
func items(list []string, before, after string) string {
	return cs.Each(list, func(s string) string { return before + s + after })
}
