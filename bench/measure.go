//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/dev/postgres"
)

// The cores of the layout: the first that this process may use is the edge's.
type layout struct{ edge, rest int }

// bench is one run.
type bench struct {
	options
	layout

	dir      string
	keysFile string
	postgres *postgres.Server
	ledger   *ledger
	upstream *process
	plain    *side
	metered  *side
	served   int64 // metered responses so far, which is what the ledger must have taken
	repeated int   // turns that did not count
}

// The modes of the load.
const (
	modeRandom = "random keys"
	modeHot    = "one hot key"
)

func measure(ctx context.Context, o options) (err error) {
	usable, err := cores()
	if err != nil {
		return err
	}
	b := &bench{options: o, layout: layout{edge: usable[0], rest: usable[1]}}
	if b.server, err = filepath.Abs(o.server); err != nil {
		return err
	}
	if _, err := os.Stat(b.server); err != nil {
		return fmt.Errorf("the binary under test: %w (make build makes it)", err)
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.open(ctx); err != nil {
		return err
	}
	var results []modeResult
	for _, mode := range []string{modeRandom, modeHot} {
		pairs, err := b.measureMode(ctx, mode)
		if err != nil {
			return fmt.Errorf("%s: %w", mode, err)
		}
		results = append(results, modeResult{mode: mode, pairs: pairs})
	}
	return b.report(results)
}

// walSettings keep checkpoints out of the turns, as a server that is sized for
// its load has them: rarely. Commits are as durable as ever.
var walSettings = map[string]string{
	"max_wal_size": "4GB", "min_wal_size": "1GB", "checkpoint_timeout": "30min", "shared_buffers": "512MB", "wal_compression": "on",
}

func (b *bench) open(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp("", "tpbench-"); err != nil {
		return err
	}
	b.postgres, err = postgres.Start(ctx, postgres.Config{
		DataDir: b.dir + "-pg", Ephemeral: true, Settings: walSettings,
	})
	if err != nil {
		return err
	}
	if err := pinTree(b.postgres.PID(), b.rest); err != nil {
		return err
	}
	const database = "bench"
	if err := b.postgres.CreateDatabase(ctx, database); err != nil {
		return err
	}
	url := b.postgres.URL(database)
	if b.ledger, err = openLedger(ctx, url); err != nil {
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
	return b.startServers(ctx, url)
}

func (b *bench) startServers(ctx context.Context, databaseURL string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if b.upstream, err = spawn(ctx, b.rest, self, []string{"upstream"}, nil); err != nil {
		return err
	}
	address, err := b.upstream.line()
	if err != nil {
		return fmt.Errorf("starting the upstream: %w", err)
	}
	env := []string{
		"BENCH_DATABASE_URL=" + databaseURL,
		"BENCH_IDENTITY_SECRET=" + strings.Repeat("benchmark ", 4), // it signs for nobody
	}
	if b.plain, err = startSide(ctx, sidePlain, b.server, b.dir, address, b.edge, nil); err != nil {
		return err
	}
	b.metered, err = startSide(ctx, sideMetered, b.server, b.dir, address, b.edge, env)
	return err
}

// stopTimeout bounds the shutdown of Postgres.
const stopTimeout = 30 * time.Second

func (b *bench) close() error {
	for _, s := range []*side{b.metered, b.plain} {
		if s != nil {
			s.process.stop()
		}
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

// measureMode lets the sides take turns. Who goes first alternates, so that a
// machine that gets slower or faster favours neither.
func (b *bench) measureMode(ctx context.Context, mode string) ([]pair, error) {
	// The first turns open connections and fill caches; they do not count.
	if mode == modeRandom {
		if err := b.sweep(ctx); err != nil {
			return nil, err
		}
	}
	for _, s := range []*side{b.plain, b.metered} {
		if _, err := b.takeTurn(ctx, mode, s, b.turn/2, ""); err != nil {
			return nil, err
		}
	}
	var pairs []pair
	for round := range b.rounds {
		order := []*side{b.plain, b.metered}
		if round%2 == 1 {
			order[0], order[1] = order[1], order[0]
		}
		var p pair
		for _, s := range order {
			turn, err := b.takeGoodTurn(ctx, mode, s, b.turn, fmt.Sprintf("%s-%d", mode, round+1))
			if err != nil {
				return nil, fmt.Errorf("round %d: %s: %w", round+1, s.name, err)
			}
			if s == b.plain {
				p.plain = turn
			} else {
				p.metered = turn
			}
		}
		fmt.Fprintf(os.Stderr, "bench: %s, round %d: %s\n", mode, round+1, p)
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// clocks are the CPU times of all processes at one moment.
type clocks struct{ edge, load, upstream, postgres time.Duration }

func (b *bench) read(s *side, load *process) (c clocks, err error) {
	for _, r := range []struct {
		to  *time.Duration
		of  func(pid int) (time.Duration, error)
		pid int
	}{
		{&c.edge, cpuOf, s.process.pid()},
		{&c.load, cpuOf, load.pid()},
		{&c.upstream, cpuOf, b.upstream.pid()},
		{&c.postgres, cpuOfTree, b.postgres.PID()},
	} {
		if *r.to, err = r.of(r.pid); err != nil {
			return c, fmt.Errorf("reading CPU times: %w", err)
		}
	}
	return c, nil
}

func (b *bench) startLoad(ctx context.Context, plan loadPlan) (*process, error) {
	plan.Conns, plan.WarmUp, plan.KeysFile = b.conns, b.warmUp, b.keysFile
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

// sweep uses each key once, and says how long that took from a cold cache. It
// also takes the first write of every account's page since the last checkpoint,
// which Postgres logs whole, out of the turns.
func (b *bench) sweep(ctx context.Context) error {
	began := time.Now()
	load, err := b.startLoad(ctx, loadPlan{Address: b.metered.address, Sweep: true})
	if err != nil {
		return err
	}
	defer load.stop()
	result, err := readResult(load)
	if err != nil {
		return fmt.Errorf("using each key once: %w", err)
	}
	fmt.Fprintf(os.Stderr, "bench: each of %d keys used once, from a cold cache, in %s\n", result.Total, time.Since(began).Round(10*time.Millisecond))
	b.served += int64(result.Total)
	if result.Refused != "" {
		fmt.Fprintf(os.Stderr, "bench: using each key once: %s; going on with the others cold\n", result.Refused)
	}
	return b.ledger.expect(ctx, b.served)
}

// repeatsMax is how many turns of a run may fail to count.
const repeatsMax = 10

// takeGoodTurn takes a turn, again if something was refused. A metered request
// is answered 503 when its commit takes longer than 250 ms, which a disk that
// others use as well can do to any database. How often that was is reported.
func (b *bench) takeGoodTurn(ctx context.Context, mode string, s *side, length time.Duration, label string) (turn, error) {
	for {
		t, err := b.takeTurn(ctx, mode, s, length, label)
		if err != nil || t.Refused == "" {
			return t, err
		}
		fmt.Fprintf(os.Stderr, "bench: %s: %s: after %d responses: %s; again\n", mode, s.name, t.Total, t.Refused)
		if b.repeated++; b.repeated > repeatsMax {
			return t, fmt.Errorf("%d turns had refusals, the last: %s", b.repeated, t.Refused)
		}
	}
}

// takeTurn loads one side and checks what it did.
func (b *bench) takeTurn(ctx context.Context, mode string, s *side, length time.Duration, label string) (turn, error) {
	load, err := b.startLoad(ctx, loadPlan{Address: s.address, Turn: length, Hot: mode == modeHot})
	if err != nil {
		return turn{}, err
	}
	defer load.stop()
	result, used, err := b.watch(ctx, s, load, length, label)
	if err != nil {
		return turn{}, fmt.Errorf("%w%s", err, s.process.stderr)
	}
	if s == b.metered {
		b.served += int64(result.Total)
		if err := b.ledger.expect(ctx, b.served); err != nil {
			return turn{}, err
		}
	}
	return turn{loadResult: result, cpu: used}, nil
}

// watch follows the load generator and reads the clocks where its turn begins and ends.
func (b *bench) watch(ctx context.Context, s *side, load *process, length time.Duration, label string) (result loadResult, used clocks, err error) {
	at := map[string]clocks{}
	profiled := make(chan error, 1)
	profiled <- nil
	for _, want := range []string{lineBegin, lineEnd} {
		line, err := load.line()
		if err != nil {
			return result, used, fmt.Errorf("load generator: %w", err)
		}
		if line != want {
			return result, used, fmt.Errorf("load generator: got %q, want %q", line, want)
		}
		if at[want], err = b.read(s, load); err != nil {
			return result, used, err
		}
		if want == lineBegin && b.profileDir != "" && label != "" {
			<-profiled
			prefix := filepath.Join(b.profileDir, strings.ReplaceAll(label+"-"+s.name, " ", "-"))
			go func() { profiled <- s.profile(ctx, prefix, length) }()
		}
	}
	if result, err = readResult(load); err != nil {
		return result, used, err
	}
	begin, end := at[lineBegin], at[lineEnd]
	used = clocks{
		edge: end.edge - begin.edge, load: end.load - begin.load,
		upstream: end.upstream - begin.upstream, postgres: end.postgres - begin.postgres,
	}
	return result, used, errors.Join(load.wait(), <-profiled)
}

// readResult reads what a load generator prints last.
func readResult(load *process) (result loadResult, err error) {
	line, err := load.line()
	if err != nil {
		return result, fmt.Errorf("load generator: %w", err)
	}
	if err := json.Unmarshal([]byte(line), &result); err != nil {
		return result, fmt.Errorf("load generator: %w", err)
	}
	return result, nil
}
