//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/bench/figures"
	"github.com/turnpike-edge/turnpike/bench/stand"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/postgres"
)

// The settings of both sides: River (riverqueue.com), a well-known queue on Postgres, and package jobs.
const (
	jobsSlots    = 200
	jobsPool     = 12 // connections
	jobsCooldown = 5 * time.Millisecond
	jobsAtOnce   = 2000 // added in one transaction
	// jobsBacklog is for work that takes no time: a process has its next tasks before the last are finished.
	jobsBacklog = 4
	jobsLanes   = 10
	// jobsTimeout bounds a turn.
	jobsTimeout = 5 * time.Minute
)

// jobsRound is one turn of each side: how long the same number of empty jobs took.
type jobsRound struct {
	count       int
	river, ours time.Duration
}

func (r jobsRound) ratio() float64 { return r.river.Seconds() / r.ours.Seconds() }

// measureJobs runs empty jobs on both sides in turns, each on its own database. The time runs from before the first job
// is added until none is waiting or running.
func measureJobs(ctx context.Context, o options) (rounds []jobsRound, err error) {
	dir, err := os.MkdirTemp("", "tpbench-jobs-")
	if err != nil {
		return nil, err
	}
	server, err := postgres.Start(ctx, postgres.Config{DataDir: dir, Ephemeral: true, Settings: stand.PostgresSettings()})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	count := 20_000
	if o.short {
		count = 5_000
	}
	sides := []func(context.Context, *pgxpool.Pool, int) (time.Duration, error){riverJobs, ourJobs}
	rounds = make([]jobsRound, o.rounds)
	for i := range rounds {
		var took [2]time.Duration
		for k := range sides {
			at := (i + k) % 2
			turn, cancel := context.WithTimeout(ctx, jobsTimeout)
			took[at], err = jobsTurn(turn, server, "jobs_"+strconv.Itoa(2*i+k), func(pool *pgxpool.Pool) (time.Duration, error) {
				return sides[at](turn, pool, count)
			})
			cancel()
			if err != nil {
				return nil, fmt.Errorf("round %d: %w", i+1, err)
			}
		}
		rounds[i] = jobsRound{count, took[0], took[1]}
		fmt.Fprintf(os.Stderr, "bench: round %d: River %.0f jobs/s, ours %.0f, ratio %.2f\n",
			i+1, float64(count)/took[0].Seconds(), float64(count)/took[1].Seconds(), rounds[i].ratio())
	}
	return rounds, nil
}

// jobsTurn creates a database for a turn.
func jobsTurn(ctx context.Context, server *postgres.Server, database string, turn func(*pgxpool.Pool) (time.Duration, error)) (time.Duration, error) {
	if err := server.CreateDatabase(ctx, database); err != nil {
		return 0, err
	}
	url := server.URL(database)
	if _, err := db.Migrate(ctx, url); err != nil {
		return 0, err
	}
	pool, err := db.Open(ctx, url, func(c *pgxpool.Config) { c.MaxConns = jobsPool })
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return 0, err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return 0, err
	}
	runtime.GC() // the garbage of the turn before
	return turn(pool)
}

// noop is a job of River's own that does nothing.
type noop struct {
	N int `json:"n"`
}

// Kind implements river.JobArgs.
func (noop) Kind() string { return "noop" }

// riverJobs uses River as documented: jobs are added by COPY, and its workers fetch them.
func riverJobs(ctx context.Context, pool *pgxpool.Pool, count int) (took time.Duration, err error) {
	workers := river.NewWorkers()
	var worked atomic.Int64
	all := make(chan struct{})
	river.AddWorker(workers, river.WorkFunc(func(context.Context, *river.Job[noop]) error {
		if worked.Add(1) == int64(count) {
			close(all)
		}
		return nil
	}))
	client, err := newRiver(pool, &river.Config{
		Workers: workers, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: jobsSlots}},
	})
	if err != nil {
		return 0, err
	}
	if err := client.Start(ctx); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, client.Stop(context.WithoutCancel(ctx))) }()
	began := time.Now()
	params := make([]river.InsertManyParams, jobsAtOnce)
	for first := 0; first < count; first += jobsAtOnce {
		some := params[:min(jobsAtOnce, count-first)]
		for i := range some {
			some[i] = river.InsertManyParams{Args: noop{first + i}, InsertOpts: &river.InsertOpts{MaxAttempts: 1}}
		}
		if _, err := client.InsertManyFast(ctx, some); err != nil {
			return 0, fmt.Errorf("adding jobs: %w", err)
		}
	}
	return untilQuiet(ctx, client, all, began)
}

func newRiver(pool *pgxpool.Pool, cfg *river.Config) (*river.Client[pgx.Tx], error) {
	cfg.FetchCooldown, cfg.Logger = jobsCooldown, slog.New(slog.DiscardHandler)
	return river.NewClient(riverpgxv5.New(pool), cfg)
}

// untilQuiet waits until all jobs are worked, and then until River has none waiting or running.
func untilQuiet(ctx context.Context, client *river.Client[pgx.Tx], all <-chan struct{}, began time.Time) (time.Duration, error) {
	select {
	case <-all:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	unfinished := river.NewJobListParams().States(rivertype.JobStateAvailable, rivertype.JobStateRunning).First(1)
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for {
		found, err := client.JobList(ctx, unfinished)
		if err != nil {
			return 0, fmt.Errorf("asking for unfinished jobs: %w", err)
		}
		if len(found.Jobs) == 0 {
			return time.Since(began), nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// idler is a handler that does nothing but complete its tasks.
type idler struct {
	pool  *pgxpool.Pool
	count int64
	ended atomic.Int64
	all   chan struct{}
}

// Run implements jobs.Handler.
func (*idler) Run(context.Context, jobs.Task) (any, error) { return nil, nil }

// Finish implements jobs.Handler.
func (h *idler) Finish(ctx context.Context, done []jobs.Done) error {
	ended := 0
	err := pgx.BeginFunc(ctx, h.pool, func(tx pgx.Tx) error {
		valid, err := jobs.Complete(ctx, tx, done)
		ended = len(valid)
		return err
	})
	if err == nil && h.ended.Add(int64(ended)) == h.count {
		close(h.all)
	}
	return err
}

// ourJobs runs the same number of tasks in ten lanes.
func ourJobs(ctx context.Context, pool *pgxpool.Pool, count int) (took time.Duration, err error) {
	const queue = "noop"
	h := &idler{pool: pool, count: int64(count), all: make(chan struct{})}
	j, err := jobs.New(jobs.Config{
		Pool: pool, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
		Queues: []jobs.Queue{{Name: queue, Slots: jobsSlots, Backlog: jobsBacklog, LaneMax: jobsSlots * jobsBacklog, Mixed: true, Handler: h}},
	})
	if err != nil {
		return 0, err
	}
	if err := j.Start(ctx); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, j.Stop(context.WithoutCancel(ctx))) }()
	began := time.Now()
	each := count / jobsLanes
	for lane := range jobsLanes {
		name := "team_" + strconv.Itoa(lane)
		ns := make([]int32, each)
		for i := range ns {
			ns[i] = int32(i) //nolint:gosec // a few thousand
		}
		err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			return j.Enqueue(ctx, tx, jobs.Work{Queue: queue, Lane: name, TeamID: name, Group: "batch_" + name, Ns: ns})
		})
		if err != nil {
			return 0, err
		}
		j.Wake(queue)
	}
	select {
	case <-h.all: // all are ended and stored
		return time.Since(began), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func jobsTable(rounds []jobsRound) string {
	if len(rounds) == 0 {
		return "" // not measured
	}
	perSecond := func(took func(jobsRound) time.Duration) string {
		return figures.SpreadOf(rounds, func(r jobsRound) float64 { return float64(r.count) / took(r).Seconds() }).Number()
	}
	return figures.Table([]string{"jobs that do nothing", "River", "ours"}, [][]string{
		{
			"jobs per second", perSecond(func(r jobsRound) time.Duration { return r.river }),
			perSecond(func(r jobsRound) time.Duration { return r.ours }),
		},
		{"**of River's**", "", figures.SpreadOf(rounds, jobsRound.ratio).Ratio()},
	})
}

// checkJobs returns an error if the ratio is too small.
func checkJobs(rounds []jobsRound, least float64) error {
	if len(rounds) == 0 {
		return nil // not measured
	}
	if got := figures.SpreadOf(rounds, jobsRound.ratio).Median; got < least {
		return fmt.Errorf("jobs: %.2f of River's speed, want at least %.2f", got, least)
	}
	return nil
}
