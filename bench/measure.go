//go:build linux

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/bench/batches"
	"github.com/turnpike-edge/turnpike/bench/crawllong"
	"github.com/turnpike-edge/turnpike/bench/load"
	"github.com/turnpike-edge/turnpike/bench/proc"
	"github.com/turnpike-edge/turnpike/bench/stand"
	"github.com/turnpike-edge/turnpike/dev/postgres"
)

// The cores: the first that this process may use is the edge's.
type layout struct{ edge, rest int }

// bench is one run.
type bench struct {
	options
	layout

	dir      string
	keysFile string
	postgres *postgres.Server
	ledger   *ledger

	databaseURL string

	upstream        *process
	upstreamAddress string

	servers  []*side
	entries  [entriesCount]entry
	served   int64 // metered responses so far, which the ledger must match
	repeated int   // turns that did not count
}

// entry is a server and its load, with a turn in every round.
type entry struct {
	name      string
	side      *side
	hot       bool // one key for all requests
	isMetered bool
}

// The entries, in the order of the first round.
const (
	entryStock = iota
	entryPlain
	entryRandom
	entryHot
	entriesCount
)

// round is one turn of each entry.
type round [entriesCount]turn

func measure(ctx context.Context, o options) (err error) {
	usable, err := proc.Cores()
	if err != nil {
		return err
	}
	b := &bench{options: o, layout: layout{edge: usable[0], rest: usable[1]}}
	var r results
	if b.only == onlyJobs || b.only == "" {
		if r.jobs, err = measureJobs(ctx, b.options); err != nil {
			return fmt.Errorf("jobs: %w", err)
		}
	}
	if b.only == onlyJobs {
		fmt.Print("\n", jobsTable(r.jobs))
		return checkJobs(r.jobs, b.floors().jobsMin)
	}
	binaries := []*string{&b.server}
	if b.only != onlyBatches && b.only != onlyCrawlLong {
		binaries = append(binaries, &b.stock, &b.nocgo)
	}
	for _, binary := range binaries {
		if *binary, err = filepath.Abs(*binary); err != nil {
			return err
		}
		if _, err := os.Stat(*binary); err != nil {
			return fmt.Errorf("a binary to measure: %w (make bench makes all)", err)
		}
	}
	if err := b.measureJobsOfPages(ctx); err != nil || b.only == onlyBatches || b.only == onlyCrawlLong {
		return err
	}
	if b.only != onlyPaid && b.only != onlyMetered {
		if r.verified, err = measureVerification(ctx, b.options, b.edge); err != nil {
			return err
		}
	}
	if b.only == onlyVerify {
		fmt.Print("\n", verifyTable(r.verified))
		return checkVerification(r.verified, b.floors().verifyMin)
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.open(ctx); err != nil {
		return err
	}
	if b.only != onlyMetered {
		if r.paid, err = b.measurePaid(ctx); err != nil {
			return fmt.Errorf("payments: %w", err)
		}
	}
	if b.only == onlyPaid {
		fmt.Print("\n", paidTable(r.paid))
		return checkPaid(r.paid, b.floors().gasMost)
	}
	return b.measureMetered(ctx, r)
}

// measureMetered measures what metering costs, and reports it with the earlier results.
func (b *bench) measureMetered(ctx context.Context, r results) (err error) {
	if err := b.fill(ctx); err != nil {
		return err
	}
	if r.rounds, r.adding, err = b.measureRounds(ctx); err != nil {
		return err
	}
	if b.pgo != "" {
		if err := writePGO(ctx, b.profileDir, b.server, b.pgo); err != nil {
			return err
		}
	}
	if r.idle, err = b.measureIdle(ctx); err != nil {
		return fmt.Errorf("one idle connection: %w", err)
	}
	return b.report(r)
}

// measureJobsOfPages measures a batch, or a long crawl, which takes too long to be part of a full run.
func (b *bench) measureJobsOfPages(ctx context.Context) error {
	whole := stand.Options{Binary: b.server, Readme: b.readme, Short: b.short}
	if b.only == onlyCrawlLong {
		if err := crawllong.Measure(ctx, whole); err != nil {
			return fmt.Errorf("a long crawl: %w", err)
		}
	}
	if b.only == onlyBatches || b.only == "" {
		if err := batches.Measure(ctx, whole); err != nil {
			return fmt.Errorf("batches: %w", err)
		}
	}
	return nil
}

func (b *bench) open(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp("", "tpbench-"); err != nil {
		return err
	}
	b.postgres, err = postgres.Start(ctx, postgres.Config{
		DataDir: b.dir + "-pg", Ephemeral: true, Settings: stand.PostgresSettings(),
	})
	if err != nil {
		return err
	}
	if err := proc.PinTree(b.postgres.PID(), b.rest); err != nil {
		return err
	}
	return b.startUpstream(ctx)
}

// fill creates the metered side's database and starts the sides that take turns.
func (b *bench) fill(ctx context.Context) (err error) {
	const database = "bench"
	if err := b.postgres.CreateDatabase(ctx, database); err != nil {
		return err
	}
	b.databaseURL = b.postgres.URL(database)
	if b.ledger, err = openLedger(ctx, b.databaseURL); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "bench: making %d keys\n", b.keys)
	keys, err := b.ledger.fill(ctx, b.keys)
	if err != nil {
		return err
	}
	b.keysFile = filepath.Join(b.dir, "keys")
	if err := os.WriteFile(b.keysFile, []byte(strings.Join(keys, "\n")), 0o600); err != nil {
		return err
	}
	return b.startServers(ctx)
}

func (b *bench) startUpstream(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if b.upstream, err = spawn(ctx, b.rest, self, []string{"upstream"}, nil); err != nil {
		return err
	}
	if b.upstreamAddress, err = b.upstream.line(); err != nil {
		return fmt.Errorf("starting the upstream: %w", err)
	}
	return nil
}

// gateEnv is the environment of a side with a gate.
func gateEnv(databaseURL string) []string {
	return []string{
		"BENCH_DATABASE_URL=" + databaseURL,
		"BENCH_IDENTITY_SECRET=" + strings.Repeat("benchmark ", 4), // nothing verifies its signatures
	}
}

func (b *bench) startServers(ctx context.Context) error {
	for _, server := range []struct {
		name, binary string
		env          []string
	}{
		{sideStock, b.stock, nil},
		{sidePlain, b.server, b.env},
		{sideMetered, b.server, slices.Concat(b.env, gateEnv(b.databaseURL))},
	} {
		s, err := startSide(ctx, server.name, server.binary, b.dir, b.upstreamAddress, b.edge, server.env...)
		if err != nil {
			return err
		}
		b.servers = append(b.servers, s)
	}
	stock, plain, metered := b.servers[0], b.servers[1], b.servers[2]
	b.entries = [entriesCount]entry{
		entryStock:  {name: "stock Caddy", side: stock},
		entryPlain:  {name: "gate removed", side: plain},
		entryRandom: {name: "random keys", side: metered, isMetered: true},
		entryHot:    {name: "one hot key", side: metered, isMetered: true, hot: true},
	}
	return nil
}

// stopTimeout bounds the shutdown of Postgres.
const stopTimeout = 30 * time.Second

func (b *bench) close() error {
	for _, s := range b.servers {
		s.process.stop()
	}
	if b.upstream != nil {
		b.upstream.stop()
	}
	if b.ledger != nil {
		b.ledger.pool.Close()
	}
	var err error
	if b.postgres != nil {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		err = b.postgres.Stop(ctx)
	}
	if b.dir != "" {
		err = errors.Join(err, os.RemoveAll(b.dir))
	}
	return err
}

// The meter has meteredRounds rounds for each round of the others, with turns that are meteredParts times shorter. Other
// load on the machine makes one turn half as fast again as the next, whether of two seconds or of eight, so the median of
// many short turns is steadier. With 20 rounds it still differed by 0.04 from run to run, and with 40 by 0.02 either way (a
// standard error).
const (
	meteredRounds = 10
	meteredParts  = 4
)

// addingAfter is when the usage of the rounds so far is added up: before the edge begins to do that itself, which it does for
// usage older than ten minutes.
const addingAfter = 8 * time.Minute

// measureRounds lets the entries take turns. The first entry rotates, so that a machine that changes speed favours none. adding
// is the result of measureAdding for the rounds before addingAfter, or for all of them if they take less time.
func (b *bench) measureRounds(ctx context.Context) (rounds []round, adding float64, err error) {
	if err := b.sweep(ctx); err != nil {
		return nil, 0, err
	}
	// The first turns open connections and fill caches; they do not count.
	for _, e := range b.entries {
		if _, err := b.takeTurn(ctx, e, load.Plan{Turn: b.turn / 2}, ""); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", e.name, err)
		}
	}
	if _, err := b.measureAdding(ctx); err != nil { // what the first requests have used
		return nil, 0, err
	}
	began, isAdded := time.Now(), false
	rounds = make([]round, b.rounds*meteredRounds)
	for i := range rounds {
		for k := range b.entries {
			at := (i + k) % entriesCount
			plan := load.Plan{Turn: b.turn / meteredParts, WarmUp: b.warmUp / 2}
			turn, err := b.takeGoodTurn(ctx, b.entries[at], plan, fmt.Sprintf("%d", i+1))
			if err != nil {
				return nil, 0, fmt.Errorf("round %d: %s: %w", i+1, b.entries[at].name, err)
			}
			rounds[i][at] = turn
		}
		fmt.Fprintf(os.Stderr, "bench: round %d: %s\n", i+1, rounds[i])
		if isLast := i == len(rounds)-1; !isAdded && (isLast || time.Since(began) >= addingAfter) {
			if adding, err = b.measureAdding(ctx); err != nil {
				return nil, 0, err
			}
			isAdded = true
		}
	}
	return rounds, adding, b.ledger.expect(ctx, b.served)
}

// measureAdding adds up the recorded usage, and returns what that costs Postgres in milliseconds of CPU per 1,000 requests with
// random keys. Here each key has less usage to add up than in production, so more rows are written.
func (b *bench) measureAdding(ctx context.Context) (float64, error) {
	before, err := proc.CPUOfTree(b.postgres.PID())
	if err != nil {
		return 0, err
	}
	entries, err := b.ledger.addUp(ctx)
	if err != nil {
		return 0, err
	}
	after, err := proc.CPUOfTree(b.postgres.PID())
	if err != nil {
		return 0, err
	}
	took := after - before
	fmt.Fprintf(os.Stderr, "bench: what %d requests with random keys have used is added up, in %s of Postgres' CPU\n", entries, took)
	return took.Seconds() * 1e6 / float64(max(1, entries)), b.ledger.await(ctx, b.served)
}

// clocks are the CPU times of all processes at one moment.
type clocks struct{ edge, load, upstream, postgres time.Duration }

// read reads all clocks but the load generator's, which may end as soon as its turn does and so reads its own.
func (b *bench) read(s *side) (c clocks, err error) {
	for _, r := range []struct {
		to  *time.Duration
		of  func(pid int) (time.Duration, error)
		pid int
	}{
		{&c.edge, proc.CPUOf, s.process.pid()},
		{&c.upstream, proc.CPUOf, b.upstream.pid()},
		{&c.postgres, proc.CPUOfTree, b.postgres.PID()},
	} {
		if *r.to, err = r.of(r.pid); err != nil {
			return c, fmt.Errorf("reading CPU times: %w", err)
		}
	}
	return c, nil
}

func (b *bench) startLoad(ctx context.Context, plan load.Plan) (*process, error) {
	plan.Conns, plan.WarmUp, plan.KeysFile = cmp.Or(plan.Conns, b.conns), cmp.Or(plan.WarmUp, b.warmUp), b.keysFile
	text, err := json.Marshal(plan)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return spawn(ctx, b.rest, self, []string{"load", string(text)}, nil)
}

// sweep uses each key once, and reports how long that took from a cold cache. It also keeps the first write of every
// account's page since the last checkpoint, which Postgres logs in full, out of the turns.
//
// A refusal ends a sweep: a look-up on a cold edge may take longer than a request waits. The next sweep gets further,
// because those keys are cached by then.
func (b *bench) sweep(ctx context.Context) error {
	began := time.Now()
	for range sweepsMost {
		refused, err := b.sweepOnce(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("using each key once: %w", err)
		case refused == "":
			fmt.Fprintf(os.Stderr, "bench: each key used once, from a cold cache, in %s\n", time.Since(began).Round(10*time.Millisecond))
			return b.ledger.expect(ctx, b.served)
		}
		fmt.Fprintf(os.Stderr, "bench: using each key once: %s; again\n", refused)
	}
	return errors.New("using each key once: refused again and again")
}

const (
	sweepsMost = 10
	sweepConns = 128
)

func (b *bench) sweepOnce(ctx context.Context) (refused string, err error) {
	generator, err := b.startLoad(ctx, load.Plan{Address: b.entries[entryRandom].side.address, Sweep: true, Conns: min(b.conns, sweepConns)})
	if err != nil {
		return "", err
	}
	defer generator.stop()
	result, err := readResult(generator)
	if err != nil {
		return "", err
	}
	b.served += int64(result.Total)
	return result.Refused, nil
}

// repeatsMax is how many turns of a run may fail to count.
const repeatsMax = 10

// takeGoodTurn takes a turn, and repeats it if a request was refused. A metered request gets 503 when its commit takes
// longer than 200 ms, which a shared disk can cause on any database. The number of repeats is reported.
func (b *bench) takeGoodTurn(ctx context.Context, e entry, plan load.Plan, label string) (turn, error) {
	for {
		t, err := b.takeTurn(ctx, e, plan, label)
		if err != nil || t.Refused == "" {
			return t, err
		}
		fmt.Fprintf(os.Stderr, "bench: %s: after %d responses: %s; again\n", e.name, t.Total, t.Refused)
		if b.repeated++; b.repeated > repeatsMax {
			return t, fmt.Errorf("%d turns had refusals, the last: %s", b.repeated, t.Refused)
		}
	}
}

// takeTurn loads one side and checks the result. If label is set and profiles are wanted, it is profiled.
func (b *bench) takeTurn(ctx context.Context, e entry, plan load.Plan, label string) (turn, error) {
	plan.Address, plan.Hot = e.side.address, e.hot
	generator, err := b.startLoad(ctx, plan)
	if err != nil {
		return turn{}, err
	}
	defer generator.stop()
	if label != "" {
		label = strings.ReplaceAll(e.name, " ", "-") + "-" + label
	}
	result, used, err := b.watch(ctx, e.side, generator, plan.Turn, label)
	if err != nil {
		return turn{}, fmt.Errorf("%w%s", err, e.side.process.stderr)
	}
	if e.isMetered {
		b.served += int64(result.Total)
		if err := b.ledger.await(ctx, b.served); err != nil {
			return turn{}, err
		}
	}
	memory, err := proc.ResidentMost(e.side.process.pid())
	return turn{Result: result, cpu: used, memory: memory}, err
}

// watch follows the load generator and reads the clocks when its turn begins and ends.
func (b *bench) watch(ctx context.Context, s *side, generator *process, length time.Duration, label string) (result load.Result, used clocks, err error) {
	at := map[string]clocks{}
	profiled := make(chan error, 1)
	profiled <- nil
	for _, want := range []string{load.LineBegin, load.LineEnd} {
		line, err := generator.line()
		if err != nil {
			return result, used, fmt.Errorf("load generator: %w", err)
		}
		if line != want {
			return result, used, fmt.Errorf("load generator: got %q, want %q", line, want)
		}
		if at[want], err = b.read(s); err != nil {
			return result, used, err
		}
		if want == load.LineBegin && b.profileDir != "" && label != "" {
			<-profiled
			prefix := filepath.Join(b.profileDir, label)
			go func() { profiled <- s.profile(ctx, prefix, length) }()
		}
	}
	if result, err = readResult(generator); err != nil {
		return result, used, err
	}
	if result.Refused != "" {
		return result, used, <-profiled // the turn does not count
	}
	begin, end := at[load.LineBegin], at[load.LineEnd]
	used = clocks{
		edge: end.edge - begin.edge, load: result.CPU,
		upstream: end.upstream - begin.upstream, postgres: end.postgres - begin.postgres,
	}
	return result, used, errors.Join(generator.wait(), <-profiled)
}

// readResult reads the last line of a load generator.
func readResult(generator *process) (result load.Result, err error) {
	line, err := generator.line()
	if err != nil {
		return result, fmt.Errorf("load generator: %w", err)
	}
	if err := json.Unmarshal([]byte(line), &result); err != nil {
		return result, fmt.Errorf("load generator: %w", err)
	}
	return result, nil
}
