package outbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
	"github.com/turnpike-edge/turnpike/db"
)

// listener writes a row for each event, and refuses some.
type listener struct {
	refuse    func(outbox.Taken) bool
	committed atomic.Int64
	news      chan struct{}
	mu        sync.Mutex
	last      outbox.Taken
}

func newListener() *listener { return &listener{news: make(chan struct{}, 1)} }

func (l *listener) Take(ctx context.Context, tx pgx.Tx, events []outbox.Taken) (func(), error) {
	for i := range events {
		// This row must be rolled back if the event is refused.
		if _, err := tx.Exec(ctx, `insert into told values ($1)`, events[i].ID); err != nil {
			return nil, err
		}
		if l.refuse != nil && l.refuse(events[i]) {
			return nil, errFault
		}
	}
	return func() {
		l.mu.Lock()
		l.last = events[len(events)-1]
		l.mu.Unlock()
		l.committed.Add(int64(len(events)))
		select {
		case l.news <- struct{}{}:
		default:
		}
	}, nil
}

// until waits until n events were taken.
func (l *listener) until(t *testing.T, n int64) {
	t.Helper()
	deadline := time.After(time.Minute)
	for l.committed.Load() < n {
		select {
		case <-l.news:
		case <-deadline:
			t.Fatalf("got %d events in a minute, want %d", l.committed.Load(), n)
		}
	}
}

func add(t *testing.T, pool *pgxpool.Pool, n int) {
	t.Helper()
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		for i := range n {
			e := outbox.Event{TeamID: "team_a", Type: "batch.completed", Subject: fmt.Sprintf("batch_%d", i), Data: i, Webhook: "https://example.com/"}
			if err := outbox.Add(t.Context(), tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a dispatcher until the test ends.
func run(t *testing.T, pool *pgxpool.Pool, listeners ...outbox.Listener) *outbox.Dispatcher {
	t.Helper()
	d, err := outbox.NewDispatcher(outbox.Config{
		Pool: pool, Listeners: listeners, Tick: 20 * time.Millisecond, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return d
}

// Several processes show each event once, to every listener.
func TestDispatchersShowEachEventOnce(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	first, second := newListener(), newListener()
	add(t, pool, 700)
	for range 3 {
		run(t, pool, first, second)
	}
	first.until(t, 700)
	add(t, pool, 1)
	first.until(t, 701)
	second.until(t, 701)
	if got := count(t, pool, `select count(*) from told`); got != 2*701 {
		t.Errorf("rows of two listeners: got %d, want %d", got, 2*701)
	}
	if got := count(t, pool, `select count(distinct event_id) from told`); got != 701 {
		t.Errorf("events: got %d, want 701", got)
	}
	if got := count(t, pool, `select count(*) from event where dispatched_at is null`); got != 0 {
		t.Errorf("events left: got %d, want none", got)
	}
	want := outbox.Event{TeamID: "team_a", Type: "batch.completed", Subject: "batch_0", Webhook: "https://example.com/"}
	got := first.last
	if got.Event.Data = nil; got.Event != want || string(got.JSON) != "0" || got.CreatedAt.IsZero() {
		t.Errorf("got %+v with %s, want %+v with 0", got, got.JSON, want)
	}
}

// A refused event is postponed and blocks no other. What was written about it is rolled back.
func TestARefusedEventHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	l := newListener()
	var mended atomic.Bool
	l.refuse = func(e outbox.Taken) bool { return e.Subject == "batch_3" && !mended.Load() }
	add(t, pool, 10)
	d := run(t, pool, l)
	l.until(t, 9)
	add(t, pool, 1)
	d.Wake()
	l.until(t, 10)
	if got := count(t, pool, `select count(*) from told`); got != 10 {
		t.Errorf("rows: got %d, want 10", got)
	}
	mended.Store(true)
	if _, err := pool.Exec(t.Context(), `update event set not_before = now() where dispatched_at is null`); err != nil {
		t.Fatal(err)
	}
	l.until(t, 11)
}

func TestPurge(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	add(t, pool, 3)
	for _, statement := range []string{
		`update event set dispatched_at = now() where subject in ('batch_0', 'batch_1')`,
		`insert into webhook_delivery (id, event_id, team_id, url, lane, status, tries_max, created_at, ended_at)
			select 'delivery_1', id, team_id, webhook, 'lane', 'failed', 8, now(), now() from event where subject = 'batch_1'`,
	} {
		if _, err := pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		at   time.Time
		want int
	}{
		{"before their time", time.Now().Add(outbox.Retention - time.Minute), 0},
		{"all but what was not told and what has a delivery", time.Now().Add(outbox.Retention + time.Minute), 1},
	} {
		got, err := outbox.Purge(t.Context(), db.New(pool), tt.at)
		if err != nil || got != tt.want {
			t.Errorf("%s: got %d, %v, want %d", tt.name, got, err, tt.want)
		}
	}
}

func TestNewDispatcherNeedsItsParts(t *testing.T) {
	t.Parallel()
	if _, err := outbox.NewDispatcher(outbox.Config{}); err == nil {
		t.Error("got no error, want one")
	}
}
