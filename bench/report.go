//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// turn is what one side did in one turn.
type turn struct {
	loadResult

	cpu clocks
}

func (t turn) requestsPerSecond() float64 { return float64(t.Responses) / t.Took.Seconds() }

// per1000 is CPU time in milliseconds per 1,000 requests.
func (t turn) per1000(cpu time.Duration) float64 {
	return cpu.Seconds() * 1e6 / float64(max(1, t.Responses))
}

// pair is one turn of each side, one right after the other.
type pair struct{ plain, metered turn }

func (p pair) requestRatio() float64 {
	return p.metered.requestsPerSecond() / p.plain.requestsPerSecond()
}

func (p pair) cpuRatio() float64 {
	return p.metered.per1000(p.metered.cpu.edge) / p.plain.per1000(p.plain.cpu.edge)
}

func (p pair) String() string {
	return fmt.Sprintf("%.0f : %.0f req/s (%.2f), edge %.0f : %.0f ms CPU per 1,000 (%.2f), Postgres %.0f, load %.0f : %.0f, upstream %.0f : %.0f, p50 %s : %s",
		p.metered.requestsPerSecond(), p.plain.requestsPerSecond(), p.requestRatio(),
		p.metered.per1000(p.metered.cpu.edge), p.plain.per1000(p.plain.cpu.edge), p.cpuRatio(),
		p.metered.per1000(p.metered.cpu.postgres),
		p.metered.per1000(p.metered.cpu.load), p.plain.per1000(p.plain.cpu.load),
		p.metered.per1000(p.metered.cpu.upstream), p.plain.per1000(p.plain.cpu.upstream),
		p.metered.P50.Round(100*time.Microsecond), p.plain.P50.Round(100*time.Microsecond))
}

type modeResult struct {
	mode  string
	pairs []pair
}

// spread is a median with the least and the most of its values.
type spread struct{ median, least, most float64 }

func spreadOf(pairs []pair, value func(pair) float64) spread {
	values := make([]float64, len(pairs))
	for i, p := range pairs {
		values[i] = value(p)
	}
	slices.Sort(values)
	n := len(values)
	return spread{median: (values[(n-1)/2] + values[n/2]) / 2, least: values[0], most: values[n-1]}
}

func (s spread) ratio() string {
	return fmt.Sprintf("%.2f (%.2f to %.2f)", s.median, s.least, s.most)
}

func (s spread) number() string { return fmt.Sprintf("%.0f", s.median) }

// report writes the table and holds the results against the floors.
func (b *bench) report(results []modeResult) error {
	text := table(results)
	fmt.Print("\n", text)
	if b.readme != "" {
		if err := rewrite(b.readme, b.facts()+"\n"+text); err != nil {
			return err
		}
	}
	want := floorsFull
	if b.short {
		want = floorsShort
	}
	var faults []error
	for _, r := range results {
		faults = append(faults, want.check(r))
	}
	return errors.Join(faults...)
}

func (f floors) check(r modeResult) error {
	var faults []error
	if got := spreadOf(r.pairs, pair.requestRatio).median; got < f.requestsMin {
		faults = append(faults, fmt.Errorf("%s: %.2f of plain Caddy's requests per second, want at least %.2f", r.mode, got, f.requestsMin))
	}
	if got := spreadOf(r.pairs, pair.cpuRatio).median; got > f.cpuMax {
		faults = append(faults, fmt.Errorf("%s: %.2f of plain Caddy's CPU per request, want at most %.2f", r.mode, got, f.cpuMax))
	}
	return errors.Join(faults...)
}

// table is the result in Markdown: ratios first, then what they were made of.
func table(results []modeResult) string {
	var out strings.Builder
	out.WriteString("| metered edge to plain Caddy, median of the rounds (least to most) |")
	for _, r := range results {
		out.WriteString(" " + r.mode + " |")
	}
	out.WriteString("\n|---|" + strings.Repeat("---:|", len(results)) + "\n")
	row := func(name string, cell func(pairs []pair) string) {
		out.WriteString("| " + name + " |")
		for _, r := range results {
			out.WriteString(" " + cell(r.pairs) + " |")
		}
		out.WriteString("\n")
	}
	row("**requests per second, ratio**", func(p []pair) string { return spreadOf(p, pair.requestRatio).ratio() })
	row("**edge CPU per request, ratio**", func(p []pair) string { return spreadOf(p, pair.cpuRatio).ratio() })
	row("Postgres CPU, as a ratio to plain Caddy's CPU", func(p []pair) string {
		return spreadOf(p, func(p pair) float64 {
			return p.metered.per1000(p.metered.cpu.postgres) / p.plain.per1000(p.plain.cpu.edge)
		}).ratio()
	})
	both := func(value func(turn) float64) func(p []pair) string {
		return func(p []pair) string {
			return spreadOf(p, func(p pair) float64 { return value(p.metered) }).number() + " : " +
				spreadOf(p, func(p pair) float64 { return value(p.plain) }).number()
		}
	}
	row("requests per second", both(turn.requestsPerSecond))
	row("CPU ms per 1,000 requests: edge", both(func(t turn) float64 { return t.per1000(t.cpu.edge) }))
	row("CPU ms per 1,000 requests: Postgres", both(func(t turn) float64 { return t.per1000(t.cpu.postgres) }))
	row("CPU ms per 1,000 requests: load generator", both(func(t turn) float64 { return t.per1000(t.cpu.load) }))
	row("CPU ms per 1,000 requests: upstream", both(func(t turn) float64 { return t.per1000(t.cpu.upstream) }))
	row("edge's core in use by it, %", both(func(t turn) float64 { return 100 * t.cpu.edge.Seconds() / t.Took.Seconds() }))
	row("other core in use by the rest, %", both(func(t turn) float64 {
		return 100 * (t.cpu.load + t.cpu.upstream + t.cpu.postgres).Seconds() / t.Took.Seconds()
	}))
	row("latency p50, ms", both(func(t turn) float64 { return float64(t.P50.Milliseconds()) }))
	row("latency p99, ms", both(func(t turn) float64 { return float64(t.P99.Milliseconds()) }))
	return out.String()
}

// facts say on what and how the table was measured.
func (b *bench) facts() string {
	return fmt.Sprintf("Measured on %s: %d cores, %s (%s/%s), PostgreSQL %s with fsync on; %d rounds of %s a side, "+
		"%d connections, %d keys; %d turns repeated because of a refusal.\n",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		postgresVersion(b.postgres.Installation().Version), b.rounds, b.turn, b.conns, b.keys, b.repeated)
}

// postgresVersion is the number alone: what a distribution adds is of no interest.
func postgresVersion(version string) string {
	number, _, _ := strings.Cut(version, " ")
	return number
}

// What lies between the markers belongs to this program.
const (
	markerBegin = "<!-- results: written by make bench -->"
	markerEnd   = "<!-- end of results -->"
)

// rewrite replaces what lies between the markers of a file.
func rewrite(file, text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(old, []byte(markerBegin))
	_, after, ok2 := bytes.Cut(rest, []byte(markerEnd))
	if !ok || !ok2 {
		return fmt.Errorf("%s: want the lines %q and %q around the results", file, markerBegin, markerEnd)
	}
	var out bytes.Buffer
	out.Write(before)
	out.WriteString(markerBegin + "\n\n" + text + "\n" + markerEnd)
	out.Write(after)
	return os.WriteFile(file, out.Bytes(), 0o644) //nolint:gosec // a page of documentation
}
