//go:build linux

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/bench/figures"
	"github.com/turnpike-edge/turnpike/bench/load"
)

// turn is the result of one side in one turn.
type turn struct {
	load.Result

	cpu    clocks
	memory int64 // peak resident memory of the side so far, in bytes
}

func (t turn) requestsPerSecond() float64 { return float64(t.Responses) / t.Took.Seconds() }

// per1000 is CPU time in milliseconds per 1,000 requests.
func (t turn) per1000(cpu time.Duration) float64 {
	return cpu.Seconds() * 1e6 / float64(max(1, t.Responses))
}

// overhead compares two entries within a round.
type overhead struct{ requests, cpu float64 }

func (r *round) overhead(metered, plain int) overhead {
	m, p := &r[metered], &r[plain]
	return overhead{
		requests: m.requestsPerSecond() / p.requestsPerSecond(),
		cpu:      m.per1000(m.cpu.edge) / p.per1000(p.cpu.edge),
	}
}

func (r round) String() string {
	var out strings.Builder
	for at, name := range []string{"stock", "gate removed", "random", "hot"} {
		t := &r[at]
		fmt.Fprintf(&out, "%s %.0f req/s, edge %.0f, Postgres %.0f ms CPU per 1,000; ",
			name, t.requestsPerSecond(), t.per1000(t.cpu.edge), t.per1000(t.cpu.postgres))
	}
	for _, c := range []struct {
		name           string
		metered, plain int
	}{
		{"random to stock", entryRandom, entryStock},
		{"to gate removed", entryRandom, entryPlain},
		{"hot to stock", entryHot, entryStock},
		{"to gate removed", entryHot, entryPlain},
	} {
		o := r.overhead(c.metered, c.plain)
		fmt.Fprintf(&out, "%s %.2f req/s, %.2f CPU; ", c.name, o.requests, o.cpu)
	}
	return strings.TrimSuffix(out.String(), "; ")
}

// results are all measurements of a run.
type results struct {
	rounds   []round
	adding   float64 // folding usage, in milliseconds of Postgres' CPU per 1,000 requests with random keys
	idle     []idleRound
	verified []verifyResult
	paid     []paidRound
	jobs     []jobsRound
}

func (r *results) requests(metered, plain int) figures.Spread {
	return figures.SpreadOf(r.rounds, func(r round) float64 { return r.overhead(metered, plain).requests })
}

func (r *results) cpu(metered, plain int) figures.Spread {
	return figures.SpreadOf(r.rounds, func(r round) float64 { return r.overhead(metered, plain).cpu })
}

// postgres is the CPU time of Postgres, in milliseconds per 1,000 requests.
func (r *results) postgres(metered int) figures.Spread {
	return figures.SpreadOf(r.rounds, func(r round) float64 { return r[metered].per1000(r[metered].cpu.postgres) })
}

func (r *results) commits() figures.Spread { return figures.SpreadOf(r.idle, idleRound.commits) }

// floors are the limits that the medians of a run's rounds must meet.
type floors struct {
	stockRequestsMin float64 // of stock Caddy's requests per second
	plainRequestsMin float64 // of those with the gate removed
	stockCPUMax      float64 // of stock Caddy's CPU per request
	postgresMax      float64 // of Postgres' CPU, in milliseconds per 1,000 requests
	commitsMax       float64 // that the gate adds to a request on one idle connection
	verifyMin        float64 // of the bare loop's payments per second
	gasMost          float64 // per payment in the largest crowd, relative to a single payment
	jobsMin          float64 // of River's jobs per second
}

var (
	floorsFull = floors{stockRequestsMin: 1, plainRequestsMin: 0.75, stockCPUMax: 1.15, postgresMax: 30, commitsMax: 2, verifyMin: 0.85, gasMost: 0.70, jobsMin: 1.5}
	// A short run on a shared machine only shows that nothing has gone badly wrong.
	floorsShort = floors{stockRequestsMin: 0.6, plainRequestsMin: 0.5, stockCPUMax: 1.7, postgresMax: 90, commitsMax: 4, verifyMin: 0.75, gasMost: 0.8, jobsMin: 1}
)

// check returns all missed floors.
func (f *floors) check(r *results) error {
	return errors.Join(f.checkMetered(r), checkVerification(r.verified, f.verifyMin), checkPaid(r.paid, f.gasMost), checkJobs(r.jobs, f.jobsMin))
}

// checkMetered returns the missed floors of metering.
func (f *floors) checkMetered(r *results) error {
	var faults []error
	hold := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	names := [entriesCount]string{entryRandom: "random keys", entryHot: "one hot key"}
	for _, metered := range []int{entryRandom, entryHot} {
		name := names[metered]
		got := r.requests(metered, entryStock).Median
		hold(got >= f.stockRequestsMin, "%s: %.2f of stock Caddy's requests per second, want at least %.2f", name, got, f.stockRequestsMin)
		got = r.requests(metered, entryPlain).Median
		hold(got >= f.plainRequestsMin, "%s: %.2f of the requests per second without the gate, want at least %.2f", name, got, f.plainRequestsMin)
		got = r.cpu(metered, entryStock).Median
		hold(got <= f.stockCPUMax, "%s: %.2f of stock Caddy's CPU per request, want at most %.2f", name, got, f.stockCPUMax)
		got = r.postgres(metered).Median
		if metered == entryRandom {
			got += r.adding
		}
		hold(got <= f.postgresMax, "%s: %.0f ms CPU of Postgres per 1,000 requests, want at most %.0f", name, got, f.postgresMax)
	}
	got := r.commits().Median
	hold(got <= f.commitsMax, "one idle connection: the gate adds %.2f durable commits, want at most %.2f", got, f.commitsMax)
	return errors.Join(faults...)
}

// report writes the tables and checks the floors, unless a profiler slowed the sides down.
func (b *bench) report(r results) error {
	if b.only == onlyMetered {
		fmt.Print("\n", r.meteredTables())
		return b.floors().checkMetered(&r)
	}
	text := r.tables()
	fmt.Print("\n", text)
	if b.readme != "" {
		if err := figures.Rewrite(b.readme, markerBegin, markerEnd, b.facts()+"\n"+text); err != nil {
			return err
		}
	}
	if b.profileDir != "" {
		return nil
	}
	return b.floors().check(&r)
}

// floors returns those of a short or a full run.
func (b *bench) floors() *floors {
	if b.short {
		return &floorsShort
	}
	return &floorsFull
}

// facts says on what and how the table was measured.
func (b *bench) facts() string {
	return figures.Machine(b.postgres.Installation().Version) + fmt.Sprintf("; %d rounds of %s each, "+
		"%d connections, %d keys; %d turns repeated because of a refusal. Medians of the rounds; in parentheses least and most.\n",
		b.rounds*meteredRounds, b.turn/meteredParts, b.conns, b.keys, b.repeated)
}

// This program rewrites the text between the markers.
const (
	markerBegin = "<!-- results: written by make bench -->"
	markerEnd   = "<!-- end of results -->"
)
