package orchard

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

const runs = 40

// New makes the site.
func New() *cs.Site {
	site := &cs.Site{Name: "orchard", Runs: runs, Pages: []*cs.Page{
		kayak(), passport(), flat(), limits(), lido(), campground(), allotments(), nightTrain(), tickets(), pellets(),
	}}
	return site.Collect()
}

// p joins arguments as fmt.Sprintf does.
func p(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// items writes a list's items.
func items(list []string) string {
	return cs.Each(list, func(s string) string { return "<li>" + s + "</li>\n" })
}

// row writes a table's row.
func row(cells []string) string {
	return "<tr>" + cs.Each(cells, func(s string) string { return "<td>" + s + "</td>" }) + "</tr>\n"
}

// clock is a time of day.
func clock(n *cs.Run) string { return p("%02d:%02d:%02d", n.IntN(24), n.IntN(60), n.IntN(60)) }
