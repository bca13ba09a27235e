package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// config is what the command line says.
type config struct {
	rounds  int
	seed    uint64
	keys    int
	workers int // for each edge
	payers  int
	verbose bool
	keep    bool
	backend bool
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == upstreamCommand {
		exit(runUpstream(os.Args[2:]))
	}
	cfg, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exit(run(ctx, cfg, os.Stdout))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

const (
	roundsDefault = 100
	roundsShort   = 12
)

func parse(args []string, usage io.Writer) (*config, error) {
	cfg := new(config)
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	flags.SetOutput(usage)
	short := flags.Bool("short", false, fmt.Sprintf("%d rounds, about a minute under load", roundsShort))
	flags.IntVar(&cfg.rounds, "rounds", roundsDefault, "how often every process is killed")
	flags.Uint64Var(&cfg.seed, "seed", 0, "what decides order and moments of the kills; 0 draws one and prints it")
	flags.IntVar(&cfg.keys, "keys", 48, "how many teams spend credits")
	flags.IntVar(&cfg.workers, "workers", 12, "how many clients spend credits at each edge")
	flags.IntVar(&cfg.payers, "payers", 12, "how many wallets pay by x402")
	flags.BoolVar(&cfg.backend, "backend", false, "sell scrapes: the web data service and the shipped Caddyfile, not a trivial upstream")
	flags.BoolVar(&cfg.verbose, "v", false, "tell of every kill")
	flags.BoolVar(&cfg.keep, "keep", false, "keep the processes' logs")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *short {
		cfg.rounds = roundsShort
	}
	for cfg.seed == 0 {
		cfg.seed = rand.Uint64() //nolint:gosec // chooses victims, no secrets
	}
	for name, n := range map[string]int{"rounds": cfg.rounds, "keys": cfg.keys, "workers": cfg.workers, "payers": cfg.payers} {
		if n < 1 {
			return nil, fmt.Errorf("-%s: got %d, want at least 1", name, n)
		}
	}
	return cfg, nil
}

const (
	setupTimeout  = 5 * time.Minute
	finishTimeout = 3 * time.Minute
)

// run does everything and returns an error if the books do not agree.
func run(ctx context.Context, cfg *config, out io.Writer) (err error) {
	fmt.Fprintf(out, "seed %d: %d rounds, %d keys, 2×%d clients, %d wallets\n", cfg.seed, cfg.rounds, cfg.keys, cfg.workers, cfg.payers)
	setup, cancel := context.WithTimeout(ctx, setupTimeout)
	defer cancel()
	p, err := newPlace(setup, cfg, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	load := startLoad(ctx, p)
	started := time.Now()
	if err := p.rounds(ctx, load); err != nil {
		load.stop()
		return err
	}
	took := time.Since(started)

	finish, cancel := context.WithTimeout(ctx, finishTimeout)
	defer cancel()
	load.stop()
	if err := load.finishPayments(finish); err != nil {
		return err
	}
	if err := p.awaitSwept(finish); err != nil {
		return err
	}
	if err := p.stopEdges(finish); err != nil {
		return err
	}
	found, err := audit(finish, p, load)
	if err != nil {
		return err
	}
	found.print(out, took)
	if n := len(found.violations); n > 0 {
		return fmt.Errorf("%d violations with seed %d", n, cfg.seed)
	}
	return nil
}
