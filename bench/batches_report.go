//go:build linux

package main

import (
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/bench/figures"
	"github.com/turnpike-edge/turnpike/dev/postgres"
)

// batchMemoryMost bounds the worker's memory, however many pages of 10 kB it reads: 64 of them at once, the garbage that
// Go leaves before it collects, and the process itself.
const batchMemoryMost = 512 << 20

// `make bench`, whole or with batches alone, rewrites the text between these markers.
const (
	batchMarkerBegin = "<!-- batches: written by make bench -->"
	batchMarkerEnd   = "<!-- end of batches -->"
)

func (r batchRun) String() string {
	return fmt.Sprintf("%d items in %s, %.0f a second; %.0f ms CPU of Postgres and %.0f of the worker per 1,000; %.2f transactions for each; worker %d MiB at most",
		r.items, r.took.Round(100*time.Millisecond), r.perSecond(), r.per1000(r.postgres), r.per1000(r.worker),
		float64(r.commits)/float64(r.items), r.memory>>20)
}

func batchTable(r batchRun) string {
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

// checkBatch returns the failed limits. The run itself checks that each item is fetched and charged once.
func checkBatch(r batchRun) error {
	if r.memory > batchMemoryMost {
		return fmt.Errorf("batch: the worker took %d MiB, want at most %d", r.memory>>20, batchMemoryMost>>20)
	}
	return nil
}

// reportBatch prints the table, writes it into the README, and checks the limit.
func reportBatch(o options, r batchRun, found postgres.Installation) error {
	text := batchTable(r)
	fmt.Print("\n", text)
	if o.readme != "" {
		if err := figures.Rewrite(o.readme, batchMarkerBegin, batchMarkerEnd, figures.Machine(found.Version)+".\n\n"+text); err != nil {
			return err
		}
	}
	return checkBatch(r)
}
