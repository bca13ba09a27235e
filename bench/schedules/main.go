package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/schedules"
	"github.com/turnpike-edge/turnpike/bench/figures"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/postgres"
)

const (
	schedulesWhole, schedulesShort = 1_000_000, 50_000
	replicas                       = 4
	// The number of claimers that are killed, and how many schedules each claims in a transaction.
	killsWhole, killsShort = 40, 12
	killRowsShort          = 200
	// The limits of a run on one connection. A short run is for CI, where the machine has other load, too.
	perSecondLeast, perSecondLeastShort = 10_000, 3_000
	// perSecondGoal allows for a million schedules that are due every minute.
	perSecondGoal = 16_700
	// recovery is how long a killed database may take to come back.
	recovery = 5 * time.Minute

	markerBegin = "<!-- schedules: written by make bench-schedules -->"
	markerEnd   = "<!-- end of schedules -->"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench-schedules:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == claimer {
		return claimUntilKilled(ctx, args[1:])
	}
	return run(ctx, args)
}

// bench is a run.
type bench struct {
	dir      string
	server   *postgres.Server
	url      string
	total    int
	kills    int
	killRows int // in a transaction of the claimers that are killed
	due      time.Time
	pool     *pgxpool.Pool
	traced   tracer
	// owed has all schedules that were due, and their due times: each is due once in a run.
	owed map[string]time.Time

	filled       time.Duration
	alone, crowd int64 // schedules
	aloneTook    time.Duration
	crowdTook    time.Duration
	slowest      time.Duration // transaction of one connection
	amongKilled  int64         // schedules that were due while claimers were killed
	amongCrash   int64         // and when the database was
	deaths       deaths
	crashedOpen  int // claims whose transactions were aborted by the database's end
	recovered    time.Duration
	plan         string
}

func run(ctx context.Context, args []string) (err error) {
	f := flag.NewFlagSet("bench-schedules", flag.ContinueOnError)
	short := f.Bool("short", false, "50,000 schedules and a loose floor, for CI; writes no table")
	b := &bench{kills: killsWhole, killRows: schedules.ClaimMax, due: time.Now().UTC().Truncate(time.Second), owed: map[string]time.Time{}}
	f.IntVar(&b.total, "schedules", schedulesWhole, "how many schedules there are")
	readme := f.String("readme", "bench/README.md", "the `file` whose table is rewritten; empty: none")
	if err := f.Parse(args); err != nil {
		return err
	}
	least := float64(perSecondLeast)
	if *short {
		b.total, b.kills, b.killRows, *readme, least = schedulesShort, killsShort, killRowsShort, "", perSecondLeastShort
	}
	if b.dir, err = os.MkdirTemp("", "tpbench-schedules-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.startServer(ctx); err != nil {
		return err
	}
	defer func() {
		b.pool.Close()
		err = errors.Join(err, b.server.Stop(context.WithoutCancel(ctx)))
	}()
	for _, part := range []func(context.Context) error{b.fill, b.claimAlone, b.claimInCrowd, b.claimAmongKilled, b.claimAmongCrash} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	text := b.report(b.server.Installation().Version)
	fmt.Print("\n", text)
	if rate := perSecond(b.alone, b.aloneTook); rate < least {
		return fmt.Errorf("one connection claims %.0f schedules a second, want %.0f", rate, least)
	}
	if *readme == "" {
		return nil
	}
	return figures.Rewrite(*readme, markerBegin, markerEnd, text)
}

func perSecond(n int64, took time.Duration) float64 { return float64(n) / took.Seconds() }

// startServer starts the database, or restarts it in its directory, and opens the connection for measuring and comparing.
func (b *bench) startServer(ctx context.Context) (err error) {
	b.server, err = postgres.Start(ctx, postgres.Config{DataDir: b.dir, StartTimeout: recovery, Settings: map[string]string{
		"shared_buffers": "512MB", "max_wal_size": "4GB", "checkpoint_timeout": "30min",
	}})
	if err != nil {
		return err
	}
	const database = "schedules"
	b.url = b.server.URL(database)
	if err = b.server.CreateDatabase(ctx, database); err == nil {
		_, err = db.Migrate(ctx, b.url)
	}
	if err == nil {
		b.pool, err = db.Open(ctx, b.url, func(c *pgxpool.Config) { c.MaxConns, c.ConnConfig.Tracer = 1, &b.traced })
	}
	if err != nil {
		return errors.Join(err, b.server.Stop(context.WithoutCancel(ctx)))
	}
	return nil
}
