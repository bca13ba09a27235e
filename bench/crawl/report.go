//go:build linux

package main

import (
	"errors"
	"fmt"

	"github.com/turnpike-edge/turnpike/bench/figures"
)

// This program rewrites the text between these markers in the README.
const (
	markerBegin = "<!-- crawl: written by make bench-crawl -->"
	markerEnd   = "<!-- end of crawl -->"
)

// floors are the least medians of a run's rounds, as multiples of colly's pages per CPU second.
type floors struct{ links, pages float64 }

var (
	floorsFull = floors{links: 1.5, pages: 0.8}
	// A short run has the same startup cost, of which colly has less. It only shows that nothing has gone badly wrong.
	floorsShort = floors{links: 0.7, pages: 0.5}
)

// The goals are reported beside the floors, and nothing fails for them.
const (
	goalLinks       = 3.0
	goalPagesSecond = 300.0
)

func (b *bench) ratioLinks() figures.Spread {
	return b.spread(func(r *round) float64 { return r.ratio(oursLinks, collyLinks) })
}

func (b *bench) ratioPages() figures.Spread {
	return b.spread(func(r *round) float64 { return r.ratio(oursPages, collyPages) })
}

func (b *bench) perSecond(side int) figures.Spread {
	return b.spread(func(r *round) float64 { return r[side].perSecond() })
}

func (b *bench) table() string {
	row := func(name string, value func(*turn) string) []string {
		cells := []string{name}
		for side := range sidesCount {
			cells = append(cells, value(&b.rounds[0][side]))
		}
		return cells
	}
	median := func(name, format string, value func(*turn) float64) []string {
		cells := []string{name}
		for side := range sidesCount {
			cells = append(cells, fmt.Sprintf(format, b.spread(func(r *round) float64 { return value(&r[side]) }).Median))
		}
		return cells
	}
	rows := [][]string{
		row("parallelism", func(t *turn) string { return b.parallelism(t) }),
		median("**pages per CPU second**", "%.0f", func(t *turn) float64 { return t.perCPU() }),
		{"**to colly's**", "", b.ratioLinks().Ratio(), "", b.ratioPages().Ratio()},
		median("pages per second", "%.0f", func(t *turn) float64 { return t.perSecond() }),
		median("CPU ms per page", "%.2f", func(t *turn) float64 { return t.perPage(t.CPU) }),
		median("of it Postgres", "%.2f", func(t *turn) float64 { return t.perPage(t.Postgres) }),
		median("of it the edge", "%.2f", func(t *turn) float64 { return t.perPage(t.Edge) }),
		median("fetches", "%.0f", func(t *turn) float64 { return float64(t.Fetches) }),
		median("pages that were not asked for once", "%.0f", func(t *turn) float64 { return float64(t.Wrong) }),
	}
	return figures.Table([]string{"", "colly, links", "a crawl with `formats: []`", "colly and html-to-markdown", "a crawl as by default"}, rows)
}

// parallelism of the side that t belongs to.
func (b *bench) parallelism(t *turn) string {
	for side := range sidesCount {
		if t == &b.rounds[0][side] && b.best[side] > 0 {
			return fmt.Sprint(b.best[side])
		}
	}
	return fmt.Sprint(b.running)
}

// goals says which goals are met.
func (b *bench) goals() string {
	text := ""
	for _, g := range []struct {
		name      string
		got, want float64
		format    string
	}{
		{"times colly's pages per CPU second with `formats: []`", b.ratioLinks().Median, goalLinks, "%.2f"},
		{"pages per second as by default, on all cores", b.perSecond(oursPages).Median, goalPagesSecond, "%.0f"},
	} {
		verdict := "met"
		if g.got < g.want {
			verdict = "not met"
		}
		text += fmt.Sprintf("- Goal of "+g.format+" %s: %s, "+g.format+".\n", g.want, g.name, verdict, g.got)
	}
	return text
}

func (b *bench) report() error {
	text := b.table() + "\n" + b.goals()
	fmt.Print("\n", text)
	if b.readme != "" {
		facts := fmt.Sprintf("%s; %d pages of %d KB and %d links in the mean, %d rounds. Medians; in parentheses least and most.\n\n",
			figures.Machine(b.product.Postgres.Installation().Version), b.pages, b.site.Bytes/b.pages>>10, b.site.Links/b.pages, len(b.rounds))
		if err := figures.Rewrite(b.readme, markerBegin, markerEnd, facts+text); err != nil {
			return err
		}
	}
	if b.profile != "" {
		return nil // a profiler slows down one side alone
	}
	f := floorsFull
	if b.short {
		f = floorsShort
	}
	return f.check(b.ratioLinks().Median, b.ratioPages().Median)
}

// check returns the missed floors.
func (f *floors) check(links, pages float64) error {
	var errs []error
	if links < f.links {
		errs = append(errs, fmt.Errorf("links alone: %.2f of colly's pages per CPU second, want at least %.2f", links, f.links))
	}
	if pages < f.pages {
		errs = append(errs, fmt.Errorf("whole pages: %.2f of colly's pages per CPU second, want at least %.2f", pages, f.pages))
	}
	return errors.Join(errs...)
}
