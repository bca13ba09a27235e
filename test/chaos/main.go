// Command chaos kills processes of an installation under load, one at random every few seconds, and then compares all
// records with the responses that the clients received (`make chaos`).
//
// An installation is three edges with the shipped Caddyfile, the web data service, a nearly idle upstream of this program
// (for high load), Postgres, and PgBouncer in transaction mode in front of it, each in its own process. Two chains, the
// Stripe fake, the scraped page and the clients run in this process and outlive everything. One edge settles on one
// network, the others on two. Teams spend credits at mixed prices, one of them much more than the others and some until
// they have none; they buy scrapes; some buy more credits by card, and spend them; wallets pay by x402. Stripe is slow
// and at times fails, before or after it has charged, and its events come late, twice, in any order, or not at all.
// Clients by key and wallets repeat requests with one Idempotency-Key, at any edge, with the same or another payment, and
// at times leave before the response. All of it happens all the time: a client whose connection breaks or that gets 503
// tries again at any edge that serves. A victim gets SIGKILL (Postgres together with all its backends) and is restarted
// at once; now and then two are killed in the same moment. Edges are reloaded with configurations that differ only in an
// x402 setting. Once in each storm Postgres is down for longer than lost_after, PgBouncer is down for a second, and the
// row of an account is locked for 20 s: see [trial].
//
// Each sort of load is a [kind]: its clients, their record of the responses, and its part of the audit. Afterwards these
// must hold, for each key and each payment and not only in sum:
//
//   - Every response has an authorisation of its team at its price, which is still in the database.
//   - 0 ≤ served − charged, in requests and in credits. Anything served and not charged was in flight, or not yet
//     captured, when its edge was killed: a capture takes at most two batches, unless Postgres was down.
//   - No balance is negative, no hold is left open, and the ledger is consistent.
//   - An x402 payment that got 200 has one claim, one transfer on the chain and one in the ledger; any other has moved
//     nothing, unless a refund is recorded.
//   - Card charges are credited, each payment exactly once, when the sweepers have run; a refused client was not
//     charged, and each client that retries with its key learns the outcome of its purchase.
//   - The upstreams did the work of no hold and no claim twice.
//   - Repeated requests get the same response and are paid once. A free response repeats one whose payment was captured
//     or settled, and was not refunded.
//   - Without a database nothing is served, and an edge that outlives the outage serves again within 5 s of its end.
//   - While a row of an account is locked its team gets nothing, and all others are served.
//   - Each trial happened, and there were repeated requests, clients that left, reloads, and payments on both networks.
//
// It exits with 1 if any of these fails. Its tests are the drills that need no storm: credits that run out under many
// edges at once, reloads under load, Postgres down or hanging, and one payment that is used a hundred times at once.
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

// kind is one kind of load: clients with the same aim, their record of the responses, and the rules it must satisfy.
type kind interface {
	// start starts the clients. They begin nothing new once beginning ends, and give up unfinished work once finishing
	// ends.
	start(beginning, finishing context.Context)
	// wait returns when each client has had its final response, or has given up.
	wait()
	// audit compares the clients' responses with the books.
	audit(b *books, f *findings)
}

// load is everything that clients do.
type load struct {
	kinds   []kind
	stopped context.CancelFunc // nothing new begins
	giveUp  context.CancelFunc // unfinished work is abandoned
}

func startLoad(ctx context.Context, kinds ...kind) *load {
	beginning, stopped := context.WithCancel(ctx)
	finishing, giveUp := context.WithCancel(ctx)
	for _, k := range kinds {
		k.start(beginning, finishing)
	}
	return &load{kinds: kinds, stopped: stopped, giveUp: giveUp}
}

// stop begins nothing new, and returns when everything has had its final response.
func (l *load) stop(ctx context.Context) error {
	l.stopped()
	defer l.giveUp()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, k := range l.kinds {
			k.wait()
		}
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		l.giveUp()
		<-done
		return fmt.Errorf("waiting for the last answers: %w", context.Cause(ctx))
	}
}
