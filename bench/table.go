//go:build linux

package main

import (
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/bench/figures"
)

// tables returns the results in Markdown: ratios first, then the values behind them.
func (r *results) tables() string {
	return r.meteredTables() + "\n" + verifyTable(r.verified) + "\n" + paidTable(r.paid) + "\n" + jobsTable(r.jobs)
}

func (r *results) meteredTables() string {
	return r.ratioTable() + "\n" + r.partsTable() + "\n" + r.idleTable()
}

func (r *results) ratioTable() string {
	row := func(name string, value func(metered int) figures.Spread) []string {
		return []string{name, value(entryRandom).Ratio(), value(entryHot).Ratio()}
	}
	to := func(value func(metered, plain int) figures.Spread, plain int) func(int) figures.Spread {
		return func(metered int) figures.Spread { return value(metered, plain) }
	}
	return figures.Table([]string{"metered", "random keys", "one hot key"}, [][]string{
		row("**requests per second, to stock Caddy's**", to(r.requests, entryStock)),
		row("**edge CPU per request, to stock Caddy's**", to(r.cpu, entryStock)),
		row("**requests per second, to those with the gate removed**", to(r.requests, entryPlain)),
		row("edge CPU per request, to that with the gate removed", to(r.cpu, entryPlain)),
	})
}

func (r *results) partsTable() string {
	row := func(name string, value func(turn) float64) []string {
		cells := []string{name}
		for at := range entriesCount {
			cells = append(cells, figures.SpreadOf(r.rounds, func(r round) float64 { return value(r[at]) }).Number())
		}
		return cells
	}
	adding := "**CPU ms per 1,000 requests: Postgres, later, to add up what was used**"
	return figures.Table([]string{"", "stock Caddy", "gate removed", "random keys", "one hot key"}, [][]string{
		row("requests per second", turn.requestsPerSecond),
		row("CPU ms per 1,000 requests: edge", func(t turn) float64 { return t.per1000(t.cpu.edge) }),
		row("**CPU ms per 1,000 requests: Postgres**", func(t turn) float64 { return t.per1000(t.cpu.postgres) }),
		{adding, "", "", fmt.Sprintf("%.1f", r.adding), ""},
		row("CPU ms per 1,000 requests: load generator", func(t turn) float64 { return t.per1000(t.cpu.load) }),
		row("CPU ms per 1,000 requests: upstream", func(t turn) float64 { return t.per1000(t.cpu.upstream) }),
		row("edge's core in use by it, %", func(t turn) float64 { return 100 * t.cpu.edge.Seconds() / t.Took.Seconds() }),
		row("other core in use by the rest, %", func(t turn) float64 {
			return 100 * (t.cpu.load + t.cpu.upstream + t.cpu.postgres).Seconds() / t.Took.Seconds()
		}),
		row("edge's memory, MB", func(t turn) float64 { return float64(t.memory) / 1e6 }),
		row("latency p50, ms", func(t turn) float64 { return float64(t.P50.Milliseconds()) }),
		row("latency p99, ms", func(t turn) float64 { return float64(t.P99.Milliseconds()) }),
	})
}

func (r *results) idleTable() string {
	took := func(value func(idleRound) time.Duration) string {
		return fmt.Sprintf("%.2f", 1e3*figures.SpreadOf(r.idle, func(r idleRound) float64 { return value(r).Seconds() }).Median)
	}
	return figures.Table(
		[]string{"one idle connection, p50 in ms", "gate removed", "metered", "one durable commit", "**the gate adds, in commits**"},
		[][]string{{
			"",
			took(func(r idleRound) time.Duration { return r.plain }),
			took(func(r idleRound) time.Duration { return r.metered }),
			took(func(r idleRound) time.Duration { return r.commit }),
			r.commits().Ratio(),
		}},
	)
}
