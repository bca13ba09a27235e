//go:build linux

package crawllong

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/bench/figures"
	"github.com/turnpike-edge/turnpike/bench/stand"
)

// The limits of a crawl of a large site.
const (
	// growthMost is how much more memory the worker may take after the first tenth.
	growthMost = 64 << 20
	// rateLeast is the least ratio of the last tenth's pages per second to the second tenth's.
	rateLeast, rateLeastShort = 0.8, 0.4
	// buffersMost is how many times the buffers of a statement's first call a later one may take.
	buffersMost = 2.0
)

// `make bench ARGS="-only crawl-long"` rewrites the text between these markers.
const (
	markerBegin = "<!-- crawl-long: written by make bench -->"
	markerEnd   = "<!-- end of crawl-long -->"
)

// since returns the station before the i-th.
func (r *run) since(i int) station {
	if i == 0 {
		return station{}
	}
	return r.stations[i-1]
}

// rate is the pages per second of the tenth that ends at the i-th station.
func (r *run) rate(i int) float64 {
	before := r.since(i)
	return float64(r.stations[i].pages-before.pages) / (r.stations[i].at - before.at).Seconds()
}

// each is CPU time per page of that tenth, in milliseconds.
func (r *run) each(i int, now, before time.Duration) float64 {
	return (now - before).Seconds() * 1e3 / float64(r.stations[i].pages-r.since(i).pages)
}

func (r *run) line(i int) string {
	at := &r.stations[i]
	return fmt.Sprintf("%d pages in %s, %.0f a second; %d MiB; %d MB of URLs; %v",
		at.pages, at.at.Round(time.Second), r.rate(i), at.memory>>20, (at.bytes.Urls+at.bytes.UrlIndexes)/1e6, at.costs)
}

func (r *run) tables() string {
	var rows, costs [][]string
	for i := range r.stations {
		at, before := &r.stations[i], r.since(i)
		pages := fmt.Sprint(at.pages)
		rows = append(rows, []string{
			pages, fmt.Sprintf("%.0f", r.rate(i)), fmt.Sprintf("%.2f", r.each(i, at.cpu.Worker, before.cpu.Worker)),
			fmt.Sprintf("%.2f", r.each(i, at.cpu.Postgres, before.cpu.Postgres)), fmt.Sprint(at.memory >> 20),
			fmt.Sprintf("%.1f", float64(at.bytes.Urls)/1e6), fmt.Sprintf("%.1f", float64(at.bytes.UrlIndexes)/1e6), fmt.Sprintf("%.1f", float64(at.bytes.Tasks)/1e6),
		})
		if at.costs == nil {
			continue
		}
		row := []string{pages}
		for _, name := range costNames {
			c := at.costs[name]
			row = append(row, fmt.Sprintf("%d, %.1f ms", c.buffers, c.took.Seconds()*1e3))
		}
		costs = append(costs, row)
	}
	return figures.Table([]string{
		"pages done", "**pages per second**", "CPU ms per page: worker", "Postgres", "**most memory of the worker, MiB**",
		"URLs, MB", "their indexes, MB", "tasks, MB",
	}, rows) + "\n" + figures.Table(append([]string{"buffers and time of one call, when so many are done"}, costNames...), costs)
}

// check returns the missed limits. Memory is compared with a station's: in a short run a later one, because a garbage
// collector with room needs a few thousand pages to fill it.
func (r *run) check(rateLeast float64, from int) error {
	var errs []error
	last := len(r.stations) - 1
	if got := r.rate(last) / r.rate(1); got < rateLeast {
		errs = append(errs, fmt.Errorf("crawl: the last tenth has %.2f of the second's pages per second, want at least %.2f", got, rateLeast))
	}
	if grown := r.stations[last].memory - r.stations[from].memory; grown > growthMost {
		errs = append(errs, fmt.Errorf("crawl: the worker took %d MiB more since the %dth tenth, want at most %d", grown>>20, from+1, growthMost>>20))
	}
	for _, name := range costNames {
		// Only growth is limited: towards the end a call may have fewer URLs left than it could take, and costs less.
		first, most := 0, 0
		for i := range r.stations {
			if c, ok := r.stations[i].costs[name]; ok {
				first = cmp.Or(first, c.buffers)
				most = max(most, c.buffers)
			}
		}
		if float64(most) > buffersMost*float64(first) {
			errs = append(errs, fmt.Errorf("crawl: %s took %d buffers at first and up to %d later, want at most %.0f times the first", name, first, most, buffersMost))
		}
	}
	return errors.Join(errs...)
}

// report prints the tables, writes them into the README, and checks the limits.
func report(o stand.Options, r *run) error {
	text := r.tables()
	fmt.Print("\n", text)
	if o.Readme != "" {
		facts := figures.Machine(r.Postgres.Installation().Version) + fmt.Sprintf("; %d pages under way at once.\n\n", running)
		if err := figures.Rewrite(o.Readme, markerBegin, markerEnd, facts+text); err != nil {
			return err
		}
	}
	if o.Short {
		return r.check(rateLeastShort, stationsMost/2)
	}
	return r.check(rateLeast, 0)
}
