//go:build linux

package batches

import (
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/bench/figures"
	"github.com/turnpike-edge/turnpike/bench/stand"
	"github.com/turnpike-edge/turnpike/dev/postgres"
)

// memoryMost bounds the worker's memory, however many pages of 10 kB it reads: 64 of them at once, the garbage that
// Go leaves before it collects, and the process itself.
const memoryMost = 512 << 20

// `make bench`, whole or with batches alone, rewrites the text between these markers.
const (
	markerBegin = "<!-- batches: written by make bench -->"
	markerEnd   = "<!-- end of batches -->"
)

func (r run) String() string {
	return fmt.Sprintf("%d items in %s, %.0f a second; %.0f ms CPU of Postgres and %.0f of the worker per 1,000; %.2f transactions for each; worker %d MiB at most",
		r.items, r.took.Round(100*time.Millisecond), r.perSecond(), r.per1000(r.postgres), r.per1000(r.worker),
		float64(r.commits)/float64(r.items), r.memory>>20)
}

func table(r run) string {
	return figures.Table([]string{"a batch of pages of this machine", "one team, one worker"}, [][]string{
		{"items, each fetched and charged once", fmt.Sprint(r.items)}, // otherwise the run is an error
		{"**items per second**", fmt.Sprintf("%.0f", r.perSecond())},
		{"ms until `POST /v1/batches` was answered", fmt.Sprint(r.accepted.Milliseconds())},
		{"**CPU ms per 1,000 items: Postgres**", fmt.Sprintf("%.0f", r.per1000(r.postgres))},
		{"CPU ms per 1,000 items: worker", fmt.Sprintf("%.0f", r.per1000(r.worker))},
		{"transactions for each item", fmt.Sprintf("%.2f", float64(r.commits)/float64(r.items))},
		{"**most memory of the worker, MiB**", fmt.Sprint(r.memory >> 20)},
	})
}

// check returns the failed limits. The run itself checks that each item is fetched and charged once.
func check(r run) error {
	if r.memory > memoryMost {
		return fmt.Errorf("batch: the worker took %d MiB, want at most %d", r.memory>>20, memoryMost>>20)
	}
	return nil
}

// report prints the table, writes it into the README, and checks the limit.
func report(o stand.Options, r run, found postgres.Installation) error {
	text := table(r)
	fmt.Print("\n", text)
	if o.Readme != "" {
		if err := figures.Rewrite(o.Readme, markerBegin, markerEnd, figures.Machine(found.Version)+".\n\n"+text); err != nil {
			return err
		}
	}
	return check(r)
}
