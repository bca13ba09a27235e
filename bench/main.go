//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/turnpike-edge/turnpike/bench/load"
)

// options are the command-line options of a run.
type options struct {
	server     string
	stock      string
	nocgo      string
	env        []string // for the server alone
	readme     string
	profileDir string
	pgo        string
	rounds     int
	turn       time.Duration
	warmUp     time.Duration
	conns      int
	keys       int
	short      bool
	only       string
}

// The parts that can be measured alone.
const (
	onlyVerify    = "verify"
	onlyPaid      = "paid"
	onlyJobs      = "jobs"
	onlyBatches   = "batches"
	onlyCrawlLong = "crawl-long"
	onlyMetered   = "metered"
)

var parts = []string{onlyVerify, onlyPaid, onlyJobs, onlyBatches, onlyCrawlLong, onlyMetered}

func main() {
	err := start(os.Args[1:])
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// start runs the part of the program that the first argument names. The measurement itself starts the other parts.
func start(args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "load":
			return load.Main(args[1:])
		case "upstream":
			return load.UpstreamMain()
		case "commit":
			return commitMain(args[1:])
		case "pinned":
			return pinnedMain(args[1:])
		case "verify":
			return verifyMain(args[1:])
		case "chain":
			return chainMain()
		case "buy":
			return buyMain(args[1:])
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
	f.StringVar(&o.server, "server", "bin/turnpike", "the `binary` under test, with the gate and with the gate removed")
	f.StringVar(&o.stock, "stock", "bin/caddy-stock", "the `binary` of Caddy without our modules, to compare with")
	f.StringVar(&o.nocgo, "nocgo", "bin/bench-nocgo", "this program as a `binary` that is built without cgo, to verify payments")
	f.StringVar(&o.only, "only", "", "measure one `part` alone: verify, paid, jobs, metered, batches or crawl-long; the last two have tables of their own, which are written")
	f.Func("env", "`name=value` for the environment of the binary under test; may be repeated", func(v string) error {
		o.env = append(o.env, v)
		return nil
	})
	f.StringVar(&o.readme, "readme", "bench/README.md", "the `file` whose table is rewritten; empty: none")
	f.StringVar(&o.profileDir, "profile", "", "also write CPU and allocation profiles of all sides into this `directory` (costs a little on each)")
	f.StringVar(&o.pgo, "pgo", "", "also merge the profiles into this `file`, for the compiler; wants -profile")
	f.IntVar(&o.rounds, "rounds", 5, "how often each side has its turn; the meter has ten rounds for each, with turns of a quarter")
	f.DurationVar(&o.turn, "turn", 8*time.Second, "length of a measured turn")
	f.DurationVar(&o.warmUp, "warmup", time.Second, "load before each turn that is not measured")
	f.IntVar(&o.conns, "conns", 1024, "connections, each with one request under way")
	f.IntVar(&o.keys, "keys", 100_000, "API keys, each with a team and an account of its own")
	f.BoolVar(&o.short, "short", false, "a run of some minutes with loose floors, for CI; writes no table")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if o.only != "" && !slices.Contains(parts, o.only) {
		return o, fmt.Errorf("only: got %q, want one of %s", o.only, strings.Join(parts, ", "))
	}
	if o.short {
		o.rounds, o.turn, o.warmUp, o.keys, o.readme = 2, 3*time.Second, 500*time.Millisecond, min(o.keys, 20_000), ""
	}
	if o.pgo != "" && o.profileDir == "" {
		return o, errors.New("pgo: wants -profile, the directory that the profiles are written into")
	}
	if o.profileDir != "" {
		o.readme = "" // results under a profiler do not count
	}
	return o, errors.Join(
		atLeast("rounds", o.rounds, 1), atLeast("conns", o.conns, 1), atLeast("keys", o.keys, 1),
		atLeast("turn in ms", int(o.turn.Milliseconds()), 1000), // the idle connection gets only a part of it, which must still give a meaningful median
	)
}

func atLeast(name string, got, want int) error {
	if got < want {
		return errors.New(name + ": got " + strconv.Itoa(got) + ", want at least " + strconv.Itoa(want))
	}
	return nil
}
