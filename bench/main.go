//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

// options are what a run can be told.
type options struct {
	server     string
	readme     string
	profileDir string
	rounds     int
	turn       time.Duration
	warmUp     time.Duration
	conns      int
	keys       int
	short      bool
}

// floors are the ratios that a run must reach, metered to plain.
type floors struct {
	requestsMin float64 // of requests per second
	cpuMax      float64 // of the edge's CPU per request
}

var (
	floorsFull = floors{requestsMin: 0.85, cpuMax: 1.25}
	// A short run on a shared machine says only that nothing has gone badly wrong.
	floorsShort = floors{requestsMin: 0.6, cpuMax: 1.7}
)

func main() {
	err := start(os.Args[1:])
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// start runs the part of the program that the first argument names: the parts
// other than the measurement itself are started by it.
func start(args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "load":
			return loadMain(args[1:])
		case "upstream":
			return upstreamMain()
		case "pinned":
			return pinnedMain(args[1:])
		}
	}
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return measure(ctx, o)
}

func parseOptions(args []string) (options, error) {
	o := options{}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.StringVar(&o.server, "server", "bin/turnpike", "the `binary` under test, both as plain Caddy and as the metered edge")
	f.StringVar(&o.readme, "readme", "bench/README.md", "the `file` whose table is rewritten; empty: none")
	f.StringVar(&o.profileDir, "profile", "", "also write CPU profiles of both sides into this `directory` (costs a little on both)")
	f.IntVar(&o.rounds, "rounds", 5, "pairs of turns per mode")
	f.DurationVar(&o.turn, "turn", 8*time.Second, "length of a measured turn")
	f.DurationVar(&o.warmUp, "warmup", time.Second, "load before each turn that is not measured")
	f.IntVar(&o.conns, "conns", 1024, "connections, each with one request under way")
	f.IntVar(&o.keys, "keys", 100_000, "API keys, each with a team and an account of its own")
	f.BoolVar(&o.short, "short", false, "a run of under a minute with loose floors, for CI; writes no table")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if o.short {
		o.rounds, o.turn, o.warmUp, o.keys, o.readme = 2, 3*time.Second, 500*time.Millisecond, min(o.keys, 20_000), ""
	}
	return o, errors.Join(
		atLeast("rounds", o.rounds, 1), atLeast("conns", o.conns, 1), atLeast("keys", o.keys, 1),
		atLeast("turn in ms", int(o.turn.Milliseconds()), 100),
	)
}

func atLeast(name string, got, want int) error {
	if got < want {
		return errors.New(name + ": got " + strconv.Itoa(got) + ", want at least " + strconv.Itoa(want))
	}
	return nil
}
