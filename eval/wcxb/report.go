package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
)

// all stands for the pages of every type in tables.
const all = "all"

// tally is the mean F1 by type.
type tally struct {
	sums  map[string]float64
	pages map[string]int
}

func tallyOf(samples []*sample, f1 func(i int) float64) tally {
	t := tally{map[string]float64{}, map[string]int{}}
	for i, s := range samples {
		for _, kind := range []string{all, s.Type} {
			t.sums[kind] += f1(i)
			t.pages[kind]++
		}
	}
	return t
}

func (t tally) mean(kind string) float64 { return t.sums[kind] / float64(max(t.pages[kind], 1)) }

func (t tally) means() map[string]float64 {
	out := map[string]float64{}
	for kind := range t.sums {
		out[kind] = t.mean(kind)
	}
	return out
}

// kinds returns the rows of a table: all, then the types that have pages, most first.
func (t tally) kinds() []string {
	kinds := []string{all}
	types := slices.DeleteFunc(maincontent.Types(), func(kind string) bool { return t.pages[kind] == 0 })
	slices.SortStableFunc(types, func(a, b string) int { return t.pages[b] - t.pages[a] })
	return append(kinds, types...)
}

// outcome is the result of a run.
type outcome struct {
	ours, theirs tally
	trained      *record // nil if the pages are not those of the training
	oursSpeed    float64
	theirsSpeed  float64
	quality      float64 // rank correlation with F1
	accuracy     float64 // of the type
	poor         poorPages
}

func outcomeOf(samples []*sample, ours, theirs *side, trained *record) *outcome {
	o := &outcome{
		ours:      tallyOf(samples, func(i int) float64 { return ours.readings[i].score.f1 }),
		theirs:    tallyOf(samples, func(i int) float64 { return theirs.readings[i].score.f1 }),
		trained:   trained,
		oursSpeed: ours.pagesPerSecond(), theirsSpeed: theirs.pagesPerSecond(),
	}
	var qualities, f1 []float64
	right := 0
	for i, r := range ours.readings {
		qualities, f1 = append(qualities, r.quality), append(f1, r.score.f1)
		if r.kind == samples[i].Type {
			right++
		}
	}
	o.quality, o.accuracy = spearman(qualities, f1), float64(right)/float64(len(samples))
	o.poor = poorBelow(maincontent.PoorBelow, qualities, f1)
	return o
}

func (o *outcome) speedup() float64 { return o.oursSpeed / o.theirsSpeed }

// floors are what a run must reach.
type floors struct {
	f1      float64
	speedup float64
	types   bool // no type may score lower than with go-trafilatura
}

var (
	floorsFull = floors{f1: 0.86, speedup: 1.5, types: true}
	// One page in seven says little about a type, and a shared machine little about speed.
	floorsShort = floors{f1: 0.84, speedup: 1.3}
)

// missed names the floors that were missed.
func (o *outcome) missed(f floors) []string {
	var missed []string
	fail := func(format string, args ...any) { missed = append(missed, fmt.Sprintf(format, args...)) }
	if o.speedup() < f.speedup {
		fail("%.2f times the pages per second of go-trafilatura, want %.2f", o.speedup(), f.speedup)
	}
	check := func(what string, f1 func(kind string) float64) {
		if f1(all) < f.f1 {
			fail("%s: F1 %.3f, want %.3f", what, f1(all), f.f1)
		}
		for _, kind := range o.ours.kinds()[1:] {
			if f.types && f1(kind) < o.theirs.mean(kind) {
				fail("%s, %s: F1 %.3f, want go-trafilatura's %.3f", what, kind, f1(kind), o.theirs.mean(kind))
			}
		}
	}
	check("shipped weights", o.ours.mean)
	if o.trained != nil {
		check("out of fold", func(kind string) float64 { return o.trained.F1[kind] })
	}
	return missed
}

// table is the result by type.
func (o *outcome) table() string {
	var out strings.Builder
	if o.trained != nil {
		out.WriteString("| F1 | pages | out of fold | shipped weights, on what they were trained on | go-trafilatura |\n|---|---:|---:|---:|---:|\n")
	} else {
		out.WriteString("| F1 | pages | shipped weights | go-trafilatura |\n|---|---:|---:|---:|\n")
	}
	for _, kind := range o.ours.kinds() {
		fmt.Fprintf(&out, "| %s | %d |", kind, o.ours.pages[kind])
		if o.trained != nil {
			fmt.Fprintf(&out, " **%.3f** |", o.trained.F1[kind])
		}
		fmt.Fprintf(&out, " %.3f | %.3f |\n", o.ours.mean(kind), o.theirs.mean(kind))
	}
	fmt.Fprintf(&out, "\n%.1f pages per second and core to go-trafilatura's %.1f: %.2f times as many, for HTML, markdown and text, links, metadata, type and quality.\n",
		o.oursSpeed, o.theirsSpeed, o.speedup())
	if o.trained == nil {
		fmt.Fprintf(&out, "\nQuality: rank correlation %.2f with F1; %s. Types: %.1f %% right.\n", o.quality, o.poor, 100*o.accuracy)
		return out.String()
	}
	t := o.trained
	fmt.Fprintf(&out, "\nQuality, out of fold: rank correlation %.2f with F1 (Spearman), mean %.3f; %s.\n", t.Spearman, t.MeanQuality, t.Poor)
	fmt.Fprintf(&out, "\nTypes, out of fold: %.1f %% right", 100*t.Accuracy)
	for _, kind := range o.ours.kinds()[1:] {
		fmt.Fprintf(&out, "; %s %.0f %%", kind, 100*t.Recall[kind])
	}
	fmt.Fprintf(&out, ".\n\nWeights: %d bytes, %.12s, trained %s.\n", t.WeightsBytes, t.WeightsSHA256, t.Date)
	return out.String()
}

func (p poorPages) String() string {
	return fmt.Sprintf("below %.2f are %.1f %% of the pages, with a mean F1 of %.3f (%.3f above)", p.Threshold, 100*p.Share, p.F1, p.F1Others)
}

// This program rewrites the text between the markers.
const (
	resultsBegin = "<!-- extraction: written by make bench-extract -->"
	resultsEnd   = "<!-- end of extraction -->"
	historyBegin = "<!-- extraction history: written by make bench-extract -->"
	historyEnd   = "<!-- end of extraction history -->"
)

const historyHead = "| date | weights | F1 out of fold | F1 shipped | go-trafilatura | times its pages/s | quality | types |\n|---|---|---:|---:|---:|---:|---:|---:|\n"

// historyLine is the line of a run in the history.
func (o *outcome) historyLine(date string) string {
	t := o.trained
	return fmt.Sprintf("| %s | %.8s | %.3f | %.3f | %.3f | %.2f | %.2f | %.3f |", date, t.WeightsSHA256, t.F1[all], o.ours.mean(all),
		o.theirs.mean(all), o.speedup(), t.Spearman, t.Accuracy)
}

// writeReadme writes the results into a file, and a line into its history, which replaces an earlier one of the same date
// and weights.
func (o *outcome) writeReadme(file, date string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if text, err = replaced(text, resultsBegin, resultsEnd, "Measured on "+date+".\n\n"+o.table()); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	_, old, _ := bytes.Cut(text, []byte(historyBegin))
	old, _, _ = bytes.Cut(old, []byte(historyEnd))
	var history strings.Builder
	history.WriteString(historyHead)
	line := o.historyLine(date)
	same := strings.Join(strings.SplitAfterN(line, "|", 4)[:3], "")
	for earlier := range strings.Lines(string(old)) {
		if strings.HasPrefix(earlier, "| 2") && !strings.HasPrefix(earlier, same) {
			history.WriteString(earlier)
		}
	}
	if text, err = replaced(text, historyBegin, historyEnd, history.String()+line+"\n"); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, text, 0o644) //nolint:gosec // part of the repository
}

// replaced returns text with the part between two markers replaced.
func replaced(text []byte, begin, end, with string) ([]byte, error) {
	before, rest, ok := bytes.Cut(text, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return nil, fmt.Errorf("want the lines %q and %q around the results", begin, end)
	}
	return []byte(string(before) + begin + "\n\n" + with + "\n" + end + string(after)), nil
}
