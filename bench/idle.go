//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/bench/load"
	"github.com/turnpike-edge/turnpike/db"
)

// idleRound is the median latency of the only open connection: without the gate, with it, and of one durable commit on
// the same Postgres.
type idleRound struct{ plain, metered, commit time.Duration }

// commits is the latency that the gate adds to a request, in durable commits.
func (r idleRound) commits() float64 {
	return (r.metered - r.plain).Seconds() / r.commit.Seconds()
}

func (r idleRound) String() string {
	return fmt.Sprintf("without the gate %s, with it %s, one commit %s: %.2f commits", r.plain, r.metered, r.commit, r.commits())
}

const (
	// idlePart makes a turn of one connection this many times shorter than others.
	idlePart = 16
	// idleRounds is the least number of turns. Other load on the machine makes one turn in four twice as long, several of
	// them in a row.
	idleRounds = 44
)

// measureIdle lets one connection without the gate, one with it and a loop of commits take turns.
func (b *bench) measureIdle(ctx context.Context) ([]idleRound, error) {
	length := b.turn / idlePart
	rounds := make([]idleRound, max(b.rounds, idleRounds))
	for i := range rounds {
		request := func(at int, p50 *time.Duration) func() error {
			return func() error {
				t, err := b.takeGoodTurn(ctx, b.entries[at], load.Plan{Conns: 1, Turn: length, WarmUp: length / 2}, "")
				*p50 = t.P50
				return err
			}
		}
		parts := []func() error{
			request(entryPlain, &rounds[i].plain),
			request(entryHot, &rounds[i].metered),
			func() (err error) {
				rounds[i].commit, err = b.timeCommits(ctx, length)
				return err
			},
		}
		for k := range parts {
			if err := parts[(i+k)%len(parts)](); err != nil {
				return nil, err
			}
		}
		fmt.Fprintf(os.Stderr, "bench: one connection, round %d: %s\n", i+1, rounds[i])
	}
	return rounds, b.ledger.expect(ctx, b.served)
}

// timeCommits returns the median of consecutive commits by a process on the edge's core, on its own connection.
func (b *bench) timeCommits(ctx context.Context, length time.Duration) (time.Duration, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	p, err := spawn(ctx, b.edge, self, []string{"commit", b.databaseURL, length.String()}, nil)
	if err != nil {
		return 0, err
	}
	defer p.stop()
	line, err := p.line()
	if err != nil {
		return 0, fmt.Errorf("timing commits: %w", err)
	}
	nanoseconds, err := strconv.ParseInt(line, 10, 64)
	if err != nil || nanoseconds <= 0 {
		return 0, fmt.Errorf("timing commits: got %q, want a number of nanoseconds", line)
	}
	return time.Duration(nanoseconds), p.wait()
}

// commitMain makes durable commits one after the other and prints the median time in nanoseconds: bench commit <database
// URL> <duration>.
func commitMain(args []string) error {
	if len(args) != 2 {
		return errors.New("commit: want a database and a duration")
	}
	length, err := time.ParseDuration(args[1])
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	conn, err := pgx.Connect(ctx, args[0])
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	db.RegisterUUID(conn.TypeMap())
	edge, q := uuid.New(), db.New(conn) // a row like that of an edge's heartbeat
	const lostAfter = 60
	if _, err := q.RegisterInstance(ctx, db.RegisterInstanceParams{ID: edge, LostAfterSeconds: lostAfter}); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	var took []time.Duration
	for end := time.Now().Add(length); time.Now().Before(end); {
		began := time.Now()
		if _, err := q.BeatInstance(ctx, db.BeatInstanceParams{ID: edge, LostAfterSeconds: lostAfter, Settles: []string{}}); err != nil {
			return fmt.Errorf("commit: %w", err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return json.NewEncoder(os.Stdout).Encode(load.Quantile(took, 0.5))
}
