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

// config holds the command-line options.
type config struct {
	duration       time.Duration
	gapMin, gapMax time.Duration // between kills
	seed           uint64
	keys           int
	workers        int
	scrapers       int
	payers         int
	buyers         int
	repeaters      int
	funds          uint64 // of each wallet, in the token's smallest unit; 0: walletUSDC
	verbose        bool
	keep           bool
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
	durationDefault = 10 * time.Minute
	gapMinDefault   = 2 * time.Second
	gapMaxDefault   = 5 * time.Second
	// The short form has more kills per minute, so that each process is hit.
	durationShort = time.Minute
	gapMinShort   = time.Second
	gapMaxShort   = 3 * time.Second
)

func parse(args []string, usage io.Writer) (*config, error) {
	cfg := new(config)
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	flags.SetOutput(usage)
	short := flags.Bool("short", false, fmt.Sprintf("%s, with a kill every %s to %s", durationShort, gapMinShort, gapMaxShort))
	flags.DurationVar(&cfg.duration, "duration", durationDefault, "how long the storm lasts")
	flags.DurationVar(&cfg.gapMin, "gap-min", gapMinDefault, "the least time between kills")
	flags.DurationVar(&cfg.gapMax, "gap-max", gapMaxDefault, "the most time between kills")
	flags.Uint64Var(&cfg.seed, "seed", 0, "what decides victims, gaps and orders; 0 draws one and prints it")
	flags.IntVar(&cfg.keys, "keys", 48, "how many teams spend credits; the first is hot")
	flags.IntVar(&cfg.workers, "workers", 20, "how many clients buy work by key, at mixed prices")
	flags.IntVar(&cfg.scrapers, "scrapers", 6, "how many clients buy scrapes by key")
	flags.IntVar(&cfg.payers, "payers", 12, "how many wallets pay by x402")
	flags.IntVar(&cfg.buyers, "buyers", 24, "how many more teams buy credits by card, and spend them")
	flags.IntVar(&cfg.repeaters, "repeaters", 8, "how many clients by key, and how many wallets, ask several times for one thing and leave at times")
	flags.BoolVar(&cfg.verbose, "v", false, "tell of every kill")
	flags.BoolVar(&cfg.keep, "keep", false, "keep the processes' logs")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *short {
		cfg.duration, cfg.gapMin, cfg.gapMax = durationShort, gapMinShort, gapMaxShort
	}
	for cfg.seed == 0 {
		cfg.seed = rand.Uint64() //nolint:gosec // chooses victims, no secrets
	}
	return cfg, cfg.validate()
}

// validate reports all faults at once.
func (c *config) validate() error {
	var faults []error
	if c.duration <= 0 {
		faults = append(faults, fmt.Errorf("-duration: got %s, want more than 0", c.duration))
	}
	if c.gapMin <= 0 || c.gapMax < c.gapMin {
		faults = append(faults, fmt.Errorf("-gap-min %s, -gap-max %s: want more than 0, and not the less for the most", c.gapMin, c.gapMax))
	}
	for name, n := range map[string]int{"keys": c.keys, "workers": c.workers, "scrapers": c.scrapers, "payers": c.payers, "buyers": c.buyers, "repeaters": c.repeaters} {
		if n < 1 {
			faults = append(faults, fmt.Errorf("-%s: got %d, want at least 1", name, n))
		}
	}
	return errors.Join(faults...)
}

const (
	setupTimeout = 5 * time.Minute
	// finishTimeout is more than the three minutes after which a scrape whose backend was killed counts as dead:
	// until then, a retry gets 409.
	finishTimeout = 6 * time.Minute
)

// run runs the storm and the audit, and returns an error if the books do not agree.
func run(ctx context.Context, cfg *config, out io.Writer) (err error) {
	fmt.Fprintf(out, "seed %d: %s, a kill every %s to %s, %d keys, %d+%d clients, %d wallets, %d cards, %d+%d that repeat\n",
		cfg.seed, cfg.duration, cfg.gapMin, cfg.gapMax, cfg.keys, cfg.workers, cfg.scrapers, cfg.payers, cfg.buyers, cfg.repeaters, cfg.repeaters)
	setup, cancel := context.WithTimeout(ctx, setupTimeout)
	defer cancel()
	p, err := newPlace(setup, cfg, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	spending := newSpending(p, p.products()...)
	topups := newTopups(p)
	load := startLoad(ctx, spending, newBuying(p), topups, newRepeating(p))
	started := time.Now()
	stormErr := p.storm(ctx, spending.servedSoFar)
	took := time.Since(started)

	finish, cancel := context.WithTimeout(ctx, finishTimeout)
	defer cancel()
	if err := errors.Join(stormErr, load.stop(finish)); err != nil {
		return err
	}
	if err := p.awaitSwept(finish); err != nil {
		return err
	}
	topups.conclude(finish)
	if err := p.stopEdges(finish); err != nil {
		return err
	}
	found, err := audit(finish, p, load)
	if err != nil {
		return err
	}
	found.auditTrials()
	found.print(out, took)
	if n := len(found.violations); n > 0 {
		return fmt.Errorf("%d violations with seed %d", n, cfg.seed)
	}
	return nil
}
