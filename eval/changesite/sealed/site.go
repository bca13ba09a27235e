package sealed

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const (
	runs = 40
	hour = time.Hour
)

// New makes the site.
func New() *cs.Site {
	return newSite(func(n *cs.Run) int { return n.Number }).Collect()
}

func newSite(h hours) *cs.Site {
	return &cs.Site{Name: "sealed", Start: baseline, Every: hour, Runs: runs, Pages: []*cs.Page{
		h.product(), h.shelf(), h.plans(), h.article(), h.releases(), h.notices(), h.programme(), h.vacancies(), h.status(), h.museum(),
	}}
}

// hours tells how many hours a run is after the baseline. Tests let time stand still with it.
type hours func(n *cs.Run) int

// baseline is when run 0 is judged.
var baseline = time.Date(2026, time.March, 2, 8, 0, 0, 0, time.UTC)

// now is the time on the server's clock when it answers: a few minutes into the hour of the run.
func (h hours) now(n *cs.Run) time.Time {
	return baseline.Add(time.Duration(h(n))*hour + time.Duration(n.IntN(290))*time.Second)
}

// count is what a counter shows that counts up by about so many in an hour.
func (h hours) count(n *cs.Run, first, hourly int) string {
	return thousands(first + h(n)*hourly + n.IntN(hourly))
}

// thousands writes a number as English does.
func thousands(number int) string {
	text := strconv.Itoa(number)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// between draws a number from low to high.
func between(n *cs.Run, low, high int) string { return strconv.Itoa(low + n.IntN(high-low+1)) }

// decimal draws a number of so many decimals from low to high, which are given in units of the last.
func decimal(n *cs.Run, decimals, low, high int) string {
	unit := 1
	for range decimals {
		unit *= 10
	}
	number := low + n.IntN(high-low+1)
	return fmt.Sprintf("%d.%0*d", number/unit, decimals, number%unit)
}

// fill puts values for the {{names}} of a text, given in pairs.
func fill(text string, pairs ...string) string {
	for at := 0; at < len(pairs); at += 2 {
		pairs[at] = "{{" + pairs[at] + "}}"
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// slug is a name as addresses have it.
func slug(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(name)), "-")
}

// attributes writes an element's attributes in an order drawn by lot.
func attributes(n *cs.Run, of ...string) string { return strings.Join(cs.Shuffled(n, of...), " ") }

// tag is a function that writes an element around a text.
func tag(name string) func(string) string {
	return func(text string) string { return "<" + name + ">" + text + "</" + name + ">\n" }
}
