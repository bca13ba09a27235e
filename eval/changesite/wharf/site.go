package wharf

import (
	"strconv"
	"strings"
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const runs = 40

// New makes the site.
func New() *cs.Site {
	site := &cs.Site{Name: "wharf", Runs: runs, Pages: []*cs.Page{
		ferry(), hut(), grinder(), tender(), practice(), firmware(), recalls(), dogs(), savings(), grants(),
	}}
	return site.Collect()
}

// fill writes values for the names in braces; pairs are a name and its value in turn.
func fill(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// num draws a number of at least from and below to.
func num(n *cs.Run, from, to int) string { return strconv.Itoa(from + n.IntN(to-from)) }

// today is the day of a run, as the server's clock has it.
func today(n *cs.Run, layout string) string {
	return time.Date(2026, 3, 2+n.Number, 8, 0, n.IntN(60), 0, time.UTC).Format(layout)
}
