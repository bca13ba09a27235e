//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/bench/load"
)

// made is a round in which stock Caddy, and the binary without the gate, serve 1,000 requests a second at 100 ms of CPU per
// 1,000. With the gate, the binary serves the given share of them at the given multiple of the CPU per request.
func made(share, cpu float64, postgres time.Duration) round {
	plain := turn{Result: load.Result{Responses: 1000, Took: time.Second}, cpu: clocks{edge: 100 * time.Millisecond}}
	metered := turn{
		Result: load.Result{Responses: int(1000 * share), Took: time.Second},
		cpu: clocks{
			edge:     time.Duration(cpu * share * float64(100*time.Millisecond)),
			postgres: time.Duration(share * float64(postgres)),
		},
	}
	return round{entryStock: plain, entryPlain: plain, entryRandom: metered, entryHot: metered}
}

// paying is a round of one idle connection in which the gate adds the time of that many commits.
func paying(commits float64) idleRound {
	return idleRound{plain: time.Millisecond, commit: time.Millisecond, metered: time.Duration((1 + commits) * float64(time.Millisecond))}
}

// settled is a round in which a payment of the largest crowd costs the given fraction of the gas of a single payment.
func settled(gas float64) (r paidRound) {
	for at, c := range crowds {
		r[at] = paidTurn{buyResult: buyResult{Transactions: make([]string, c.payments), Took: time.Second}, transactions: 1, gas: 1000 * uint64(c.payments)}
	}
	r[crowdLargest].gas = uint64(gas * float64(r[crowdLargest].gas))
	return r
}

func TestFloors(t *testing.T) {
	t.Parallel()
	const light = 20 * time.Millisecond
	good := made(1.1, 0.9, light)
	without := made(1, 1.1, light) // with the gate as many requests as stock, but fewer than without the gate
	without[entryPlain].Responses = 1500
	for _, tc := range []struct {
		name   string
		rounds []round
		idle   float64
		gas    float64
		fed    time.Duration
		want   string
	}{
		{"reached", []round{good}, 1.9, 0.66, time.Second / 2, ""},
		{"one bad round does not count", []round{good, made(0.1, 3, time.Second), good}, 1.9, 0.66, time.Second / 2, ""},
		{"too few requests", []round{made(0.9, 0.9, light)}, 1, 0.66, time.Second / 2, "0.90 of stock Caddy's requests"},
		{"too few of those without the gate", []round{without}, 1, 0.66, time.Second / 2, "0.67 of the requests per second without the gate"},
		{"too much CPU", []round{made(1.1, 1.2, light)}, 1, 0.66, time.Second / 2, "1.20 of stock Caddy's CPU"},
		{"too much for the database", []round{made(1.1, 0.9, 40*time.Millisecond)}, 1, 0.66, time.Second / 2, "40 ms CPU of Postgres"},
		{"too long alone", []round{good}, 2.5, 0.66, time.Second / 2, "the gate adds 2.50 durable commits"},
		{"too much gas", []round{good}, 1, 0.9, time.Second / 2, "0.90 of the gas of a payment alone"},
		{"too few jobs", []round{good}, 1, 0.66, time.Second, "1.00 of River's speed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := floorsFull.check(&results{
				rounds: tc.rounds, idle: []idleRound{paying(tc.idle)}, paid: []paidRound{settled(tc.gas)}, jobs: []jobsRound{{1, time.Second, tc.fed}},
			})
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error: got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestTablesHaveRatiosAndParts(t *testing.T) {
	t.Parallel()
	r := results{
		rounds: []round{made(0.8, 1.1, 0), made(0.9, 1.2, 0)},
		idle:   []idleRound{paying(1), paying(2)},
		paid:   []paidRound{settled(0.5), settled(0.6)},
		jobs:   []jobsRound{{1000, time.Second, 1250 * time.Millisecond}, {1000, time.Second, 2 * time.Second}},
	}
	got := r.tables()
	for _, want := range []string{
		"| **requests per second, to stock Caddy's** | 0.85 (0.80 to 0.90) | 0.85 (0.80 to 0.90) |",
		"| **edge CPU per request, to stock Caddy's** | 1.15 (1.10 to 1.20) | 1.15 (1.10 to 1.20) |",
		"| requests per second | 1000 | 1000 | 850 | 850 |",
		"|  | 1.00 | 2.50 | 1.00 | 1.50 (1.00 to 2.00) |",
		"| **served, and settled by one transfer each** | 5 of 5, 2 times | 60 of 60, 2 times | 200 of 200, 2 times |",
		"| gas, to that of a payment alone | 1.00 (1.00 to 1.00) | 1.00 (1.00 to 1.00) | 0.55 (0.50 to 0.60) |",
		"| jobs per second | 1000 | 650 |",
		"| **of River's** |  | 0.65 (0.50 to 0.80) |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("tables: got\n%s\nwant the line %q", got, want)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	o, err := parseOptions([]string{"-short"})
	if err != nil || !o.short || o.readme != "" || time.Duration(o.rounds)*o.turn > 10*time.Second {
		t.Errorf("short run: got %+v and error %v, want short turns and no table", o, err)
	}
	for _, bad := range [][]string{{"-rounds", "0"}, {"-conns", "0"}, {"-keys", "0"}, {"-turn", "999ms"}, {"-pgo", "x"}, {"what"}} {
		if _, err := parseOptions(bad); err == nil {
			t.Errorf("%q: got no error, want one", bad)
		}
	}
}

// Settings for Go's runtime are not passed on to the compared servers, which would distort the comparison.
func TestEnvironLeavesTheRuntimeAlone(t *testing.T) {
	t.Setenv("GOGC", "50")
	t.Setenv("BENCH_TEST", "kept")
	got := environ()
	if slices.Contains(got, "GOGC=50") || !slices.Contains(got, "BENCH_TEST=kept") {
		t.Errorf("got %q, want all but GOGC", got)
	}
}

// The two configurations differ only in the gate. Otherwise the benchmark would measure something else too.
func TestCaddyfilesDifferInTheGate(t *testing.T) {
	t.Parallel()
	plain := caddyfile(sidePlain, "admin.sock", "127.0.0.1:8080", "127.0.0.1:9090")
	metered := caddyfile(sideMetered, "admin.sock", "127.0.0.1:8080", "127.0.0.1:9090")
	if strings.Contains(plain, "turnpike") || strings.Contains(plain, "meter") {
		t.Errorf("plain side: got\n%s\nwant no gate", plain)
	}
	if got := strings.NewReplacer(fmt.Sprintf(turnpikeOption, ""), "", meteredRoute, "").Replace(metered); got != plain {
		t.Errorf("metered side without the gate: got\n%s\nwant\n%s", got, plain)
	}
}
