package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
)

// claimer is the argument with which the program starts itself.
const claimer = "claimer"

// The points of a claim, which a claimer prints as it reaches them.
const (
	looking    = 'l' // for due schedules: nothing is locked yet
	locked     = 'L' // has locked the due schedules
	writing    = 'w' // next times and runs
	written    = 'W' // everything, and not committed
	committing = 'c' // has asked for the commit
	committed  = 'C' // knows of the commit
)

const (
	// transactionsMax is the most transactions that a claimer completes before it is killed.
	transactionsMax = 4
	// lookEvery is how often the database is asked about a stopped claimer, lookFor for how long.
	lookEvery, lookFor = 5 * time.Millisecond, time.Minute
	seed               = 9
)

// teller reports the points that the claims on a connection reach.
type teller struct{ say func(point byte) }

type endKey struct{}

// TraceQueryStart implements pgx.QueryTracer.
func (t teller) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	var before, after byte
	switch {
	case strings.Contains(data.SQL, "-- name: LockDueSchedules "):
		before, after = looking, locked
	case strings.Contains(data.SQL, "-- name: AdvanceSchedules "):
		before, after = writing, written
	case data.SQL == "commit":
		before, after = committing, committed
	default:
		return ctx
	}
	t.say(before)
	return context.WithValue(ctx, endKey{}, after)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (t teller) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	if after, is := ctx.Value(endKey{}).(byte); is && data.Err == nil {
		t.say(after)
	}
}

// deaths are the states of claimers when they were killed, from the database and from their own reports.
type deaths struct {
	mu       sync.Mutex
	open     int          // in a transaction that had locked rows
	between  int          // in none: before the first lock, or after the commit, known or not
	at       map[byte]int // by the last point that they reported
	survived int64        // schedules that killed claimers had reported as committed
}

// claimAmongKilled kills claimers (kill -9) during claims, one per replica at once, and then claims what is left.
func (b *bench) claimAmongKilled(ctx context.Context) error {
	now := b.due.Add(2 * time.Hour)
	var err error
	if b.amongKilled, err = b.owe(ctx, now); err != nil {
		return err
	}
	b.deaths.at = map[byte]int{}
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // points to kill at
	places := [...]byte{written, locked, writing, committing}
	var group sync.WaitGroup
	errs := make([]error, replicas)
	for i := range replicas {
		var victims []victim
		for n := i; n < b.kills; n += replicas {
			victims = append(victims, victim{name: fmt.Sprintf("claimer %d", n), dies: places[n%len(places)], after: random.IntN(transactionsMax + 1)})
		}
		group.Go(func() {
			for _, v := range victims {
				if errs[i] = b.kill(ctx, now, v); errs[i] != nil {
					return
				}
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if d := &b.deaths; d.open*2 <= b.kills {
		return fmt.Errorf("of %d claimers that were killed %d were in a transaction, want most", b.kills, d.open)
	}
	s, err := service(b.pool, now)
	if err != nil {
		return err
	}
	if _, _, err = claimAll(ctx, s, b.killRows); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "bench-schedules: %d claimers killed, %d of them in a transaction\n", b.kills, b.deaths.open)
	return b.want(ctx, now)
}

// victim is a claimer that is killed at a point of a transaction, after some others.
type victim struct {
	name  string
	dies  byte
	after int
}

// kill starts a claimer, stops it (SIGSTOP) when it reports the point at which it is to die, asks the database for the
// state of its transaction, and kills it. So it is known whether it died in a transaction. The claimer waits at the
// point, except at a commit: that may be known, unknown or not begun when the claimer is stopped.
func (b *bench) kill(ctx context.Context, now time.Time, v victim) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, claimer, b.url, strconv.FormatInt(now.Unix(), 10), strconv.Itoa(b.killRows), v.name,
		string(v.dies), strconv.Itoa(v.after))
	cmd.Stderr = os.Stderr
	heard, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer heard.Close()
	cmd.Stdout = theirs
	if err := errors.Join(cmd.Start(), theirs.Close()); err != nil {
		return err
	}
	said := make([]byte, 1)
	commits := int64(0)
	for left := v.after; err == nil; {
		if _, err = heard.Read(said); said[0] == committed {
			commits++
		}
		if said[0] == v.dies {
			if left--; left < 0 {
				break
			}
		}
	}
	open := false
	if err == nil {
		err = cmd.Process.Signal(syscall.SIGSTOP)
	}
	if err == nil {
		open, err = b.frozen(ctx, v.name)
	}
	err = errors.Join(err, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	if err != nil {
		return fmt.Errorf("killing %s: %w", v.name, err)
	}
	rest, err := io.ReadAll(heard)
	if err != nil {
		return err
	}
	last := v.dies
	for _, last = range rest {
		if last == committed {
			commits++
		}
	}
	d := &b.deaths
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at[last]++
	d.survived += commits * int64(b.killRows)
	if open {
		d.open++
	} else {
		d.between++
	}
	return b.gone(ctx, v.name)
}

// frozen waits until the statement of a stopped claimer has ended, and reports whether the claimer is in a transaction.
func (b *bench) frozen(ctx context.Context, name string) (open bool, err error) {
	err = b.look(ctx, name, func(row *db.ClaimerActivityRow) bool {
		open = row.IsOpen
		return row.Claimers == 1 && !row.IsActive
	})
	return open, err
}

// gone waits until the database has noticed that a claimer is dead.
func (b *bench) gone(ctx context.Context, name string) error {
	return b.look(ctx, name, func(row *db.ClaimerActivityRow) bool { return row.Claimers == 0 })
}

// look polls the database's view of a claimer until is returns true.
func (b *bench) look(ctx context.Context, name string, is func(*db.ClaimerActivityRow) bool) error {
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		row, err := db.New(b.pool).ClaimerActivity(ctx, name)
		if err != nil {
			return err
		}
		if is(&row) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the session of %s: %+v: %w", name, row, ctx.Err())
		}
	}
}

// claimUntilKilled is the claimer: it claims, reports its points, and waits at the one at which it is to die.
func claimUntilKilled(ctx context.Context, args []string) error {
	if len(args) != 6 || len(args[4]) != 1 {
		return fmt.Errorf("arguments %q, want six with a point as the fifth", args)
	}
	seconds, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	rowsMax, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	left, err := strconv.Atoi(args[5])
	if err != nil {
		return err
	}
	say := func(point byte) {
		_, _ = os.Stdout.Write([]byte{point}) // fails only when the parent, which kills this process, no longer reads
		if point != args[4][0] || point == committing {
			return
		}
		if left--; left < 0 {
			<-ctx.Done()
		}
	}
	pool, err := db.Open(ctx, args[0], func(c *pgxpool.Config) {
		c.MaxConns, c.ConnConfig.RuntimeParams["application_name"] = 1, args[3]
		c.ConnConfig.Tracer = teller{say}
	})
	if err != nil {
		return err
	}
	defer pool.Close()
	s, err := service(pool, time.Unix(seconds, 0).UTC())
	if err != nil {
		return err
	}
	_, _, err = claimAll(ctx, s, rowsMax)
	return err
}
