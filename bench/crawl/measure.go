//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/turnpike-edge/turnpike/bench/figures"
)

// The sides that take turns: two of colly, two of the product.
const (
	collyLinks = iota
	oursLinks
	collyPages
	oursPages
	sidesCount
)

func sideNames() []string { return []string{"colly-links", "links", "colly-pages", "pages"} }

func sideOf(name string) (int, bool) {
	for side, known := range sideNames() {
		if known == name {
			return side, true
		}
	}
	return 0, false
}

// parallelisms are the values that are tried with colly.
var parallelisms = []int{2, 4, 8, 16, 32, 64}

// runMax bounds a run.
const runMax = 30 * time.Minute

// round is one turn of each side.
type round [sidesCount]turn

func (r *round) ratio(ours, colly int) float64 { return r[ours].perCPU() / r[colly].perCPU() }

// bench is one run.
type bench struct {
	options

	site    *siteProcess
	product *product
	// best is colly's best parallelism, for links only and for whole pages.
	best [sidesCount]int

	rounds []round
}

func measure(ctx context.Context, o options) (err error) {
	ctx, cancel := context.WithTimeout(ctx, runMax)
	defer cancel()
	b := &bench{options: o}
	if b.site, err = startSite(ctx, o.pages); err != nil {
		return err
	}
	defer b.site.stop()
	fmt.Fprintf(os.Stderr, "crawl: the site has %d pages of %d KB and %d links in the mean\n",
		o.pages, b.site.Bytes/o.pages>>10, b.site.Links/o.pages)
	side, alone := sideOf(o.only)
	if !alone || side == collyLinks || side == collyPages {
		if err := b.tryParallelisms(ctx, side, alone); err != nil {
			return err
		}
	}
	b.product, err = openProduct(ctx, &b.options, b.site)
	defer func() { err = errors.Join(err, b.close(ctx)) }()
	if err != nil {
		return err
	}
	if err := b.turns(ctx, side, alone); err != nil {
		return err
	}
	if alone {
		return nil
	}
	return b.report()
}

// close stops the product: gracefully if its profile is wanted, because the profile is written at the end.
func (b *bench) close(ctx context.Context) error {
	var err error
	if b.profile != "" {
		err = b.product.Stop(ctx)
	}
	return errors.Join(err, b.product.Close())
}

// tryParallelisms finds the number of concurrent fetches at which colly needs the least CPU.
func (b *bench) tryParallelisms(ctx context.Context, only int, alone bool) error {
	for _, side := range []int{collyLinks, collyPages} {
		if alone && side != only {
			continue
		}
		if b.colly > 0 {
			b.best[side] = b.colly
			continue
		}
		most := 0.0
		for _, parallelism := range parallelisms {
			t, err := runColly(ctx, b.site, parallelism, side == collyPages)
			if err != nil {
				return err
			}
			b.say(side, fmt.Sprintf("parallelism %d", parallelism), &t)
			if t.perCPU() > most {
				most, b.best[side] = t.perCPU(), parallelism
			}
		}
	}
	return nil
}

// turns runs all turns. The product's first crawls do not count, because in production a server is not started per crawl.
func (b *bench) turns(ctx context.Context, only int, alone bool) error {
	for n := -1; n < b.options.rounds; n++ {
		var r round
		for i := range sidesCount {
			side := (i + max(n, 0)) % sidesCount // the side that starts rotates
			isOurs := side == oursLinks || side == oursPages
			if alone && side != only || n < 0 && !isOurs {
				continue
			}
			var err error
			if isOurs {
				r[side], err = b.product.run(ctx, b.pages, side == oursLinks)
				if err == nil && b.profile != "" {
					err = b.product.sayStatements(ctx, b.pages)
				}
			} else {
				r[side], err = runColly(ctx, b.site, b.best[side], side == collyPages)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", sideNames()[side], err)
			}
			b.say(side, fmt.Sprintf("round %d", n+1), &r[side])
		}
		if n >= 0 {
			b.rounds = append(b.rounds, r)
		}
	}
	return nil
}

func (b *bench) say(side int, when string, t *turn) {
	fmt.Fprintf(os.Stderr, "crawl: %s, %s: %d pages in %s, %.0f a second; %.0f per CPU second, %.2f ms each (Postgres %.2f, edge %.2f); %d fetches, %d pages not once\n",
		sideNames()[side], when, t.Pages, t.Took.Round(time.Millisecond), t.perSecond(), t.perCPU(), t.perPage(t.CPU), t.perPage(t.Postgres),
		t.perPage(t.Edge), t.Fetches, t.Wrong)
}

func (b *bench) spread(value func(*round) float64) figures.Spread {
	return figures.SpreadOf(b.rounds, func(r round) float64 { return value(&r) })
}
