package lantern

import (
	"fmt"
	"strings"
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const runs = 40

// New makes the site.
func New() *cs.Site {
	site := &cs.Site{Name: "lantern", Runs: runs, Pages: []*cs.Page{
		library(), car(), hosting(), railPass(), admission(), recalls(), bakery(), museum(), licence(), flat(),
	}}
	return site.Collect()
}

// p joins arguments as fmt.Sprintf does.
func p(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// li is a list item.
func li(s string) string { return "<li>" + s + "</li>\n" }

// today is the day of a run.
func today(n *cs.Run) time.Time { return time.Date(2026, 3, 2+n.Number, 8, 0, 0, 0, time.UTC) }

// clock draws a time of day, to the second.
func clock(n *cs.Run) string { return p("%02d:%02d:%02d", 8, n.IntN(60), n.IntN(60)) }

// teaser writes what is left of a bar and what is right of it, each in a span of its class.
func teaser(s, left, right string) string {
	name, price, _ := strings.Cut(s, "|")
	return `<span class="` + left + `">` + name + `</span><span class="` + right + `">` + price + `</span>`
}
