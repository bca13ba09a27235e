package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// violationsShown bounds what is printed: one fault can break the books in thousands of places.
const violationsShown = 40

// print writes the figures, and what is wrong.
func (f *findings) print(out io.Writer, took time.Duration) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name string, value any, note string) { fmt.Fprintf(w, "%s\t%v\t%s\n", name, value, note) }
	row("time under load", took.Round(time.Second), "")
	row("kills of edges", f.kills, fmt.Sprintf("%d requests by key in flight at those moments", f.inFlight))
	row("kills of postgres", len(f.outages), "the longest outage "+longest(f.outages).Round(time.Millisecond).String())
	row("served by key", f.served, "not served: "+f.load.statusLine())
	row("charged", f.charged, "")
	row("served − charged", f.served-f.charged,
		fmt.Sprintf("the earliest served %s before its edge was killed", f.longest.Round(time.Millisecond)))
	row("  most for one key", f.widest, fmt.Sprintf("of %d that were in flight or not yet captured", f.widestBound))
	row("holds", counts(f.holds), fmt.Sprintf("%d of them for requests that were not answered with 200, none charged", f.unanswered))
	row("payments", len(f.load.payments), counts(f.payments))
	row("  sent again", f.resent, "")
	row("  settled", f.settled, fmt.Sprintf("and %d refunds due", f.refunds))
	row("jobs of the upstream", f.jobs, "")
	row("violations", len(f.violations), "")
	_ = w.Flush()
	for i, v := range f.violations {
		if i == violationsShown {
			fmt.Fprintf(out, "… and %d more\n", len(f.violations)-i)
			break
		}
		fmt.Fprintln(out, "VIOLATION", v)
	}
}

func longest(outages []outage) (most time.Duration) {
	for _, o := range outages {
		most = max(most, o.to.Sub(o.from))
	}
	return most
}

func counts(of map[string]int) string {
	parts := make([]string, 0, len(of))
	for name, n := range of {
		parts = append(parts, fmt.Sprintf("%s: %d", strings.TrimSpace(name), n))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
