package terrace

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
	site := &cs.Site{Name: "terrace", Runs: runs, Start: start(), Pages: []*cs.Page{
		flat(), part(), grant(), exams(), museum(), status(), speakers(), recall(), releases(), lunch(),
	}}
	return site.Collect()
}

// start is when the baseline is read, a Monday in the morning.
func start() time.Time { return time.Date(2026, 1, 12, 6, 40, 0, 0, time.UTC) }

// now is the clock of a server at an answer, some minutes after the run began.
func now(n *cs.Run) time.Time {
	return start().AddDate(0, 0, n.Number).Add(time.Duration(n.IntN(900)) * time.Second)
}

// days is how many of them are from the run to a date of 2026.
func days(n *cs.Run, month time.Month, day int) int {
	today := start().AddDate(0, 0, n.Number).Truncate(24 * time.Hour)
	return int(time.Date(2026, month, day, 0, 0, 0, 0, time.UTC).Sub(today) / (24 * time.Hour))
}

// creeping is a count that grows by so many a day, and by a few from one answer to the next.
func creeping(n *cs.Run, from, daily int) int {
	return from + n.Number*daily + n.Calm.IntN(daily/2+1) + n.IntN(daily/4+2)
}

// fill puts values in the place of {{name}} in a page, from pairs of names and values.
func fill(page string, pairs ...string) string {
	quoted := make([]string, 0, len(pairs))
	for i := 0; i < len(pairs); i += 2 {
		quoted = append(quoted, "{{"+pairs[i]+"}}", pairs[i+1])
	}
	return strings.NewReplacer(quoted...).Replace(page)
}

// p joins arguments as fmt.Sprintf does.
func p(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// num writes a number.
func num(i int) string { return strconv.Itoa(i) }

// grouped writes a number of at least four digits with something before its last three.
func grouped(i int, by string) string { return p("%d%s%03d", i/1000, by, i%1000) }
