package idempotency_test

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/api/idempotency"
	"github.com/turnpike-edge/turnpike/db"
)

// onLine returns a store with one connection to d's database. If loses is set to n, the n-th reply from then on is lost
// together with the connection.
func (d *desk) onLine() (store *idempotency.Store, loses *atomic.Int64) {
	d.t.Helper()
	loses = &atomic.Int64{}
	config := d.pool.Config()
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		server, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		client, ours := net.Pipe()
		go func() {
			defer server.Close()
			_, _ = io.Copy(server, ours)
		}()
		go func() {
			defer server.Close()
			defer ours.Close()
			buffer := make([]byte, 64<<10)
			for {
				n, err := server.Read(buffer)
				if err != nil || loses.Load() > 0 && loses.Add(-1) == 0 {
					return
				}
				if _, err := ours.Write(buffer[:n]); err != nil {
					return
				}
			}
		}()
		return client, nil
	}
	config.MaxConns = 1
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	pool, err := pgxpool.NewWithConfig(d.t.Context(), config)
	must(d.t, err)
	d.t.Cleanup(pool.Close)
	return idempotency.New(db.New(pool), 0), loses
}

// awaitKey returns the attempt that takes r's key as soon as it is free, long before a lease would end.
func (d *desk) awaitKey(r *idempotency.Request) *idempotency.Attempt {
	d.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(20 * time.Second)
	for {
		attempt, _, err := d.store.Begin(d.t.Context(), r)
		if attempt != nil {
			return attempt
		}
		select {
		case <-tick.C:
		case <-limit:
			d.t.Fatalf("got %v, want the key free: nobody has it", err)
		}
	}
}

// A statement may take a key although its reply is lost. The key is then released, as no one owns it.
func TestLostBeginIsLetGoOf(t *testing.T) {
	t.Parallel()
	d := setup(t, 0)
	store, loses := d.onLine()
	lose := func(n int64, r *idempotency.Request) {
		t.Helper()
		loses.Store(n)
		if attempt, answer, err := store.Begin(t.Context(), r); err == nil {
			t.Fatalf("got %v and %v, want that the answer was lost", attempt, answer)
		}
	}
	// leave takes a key and lets its lease end.
	leave := func(key string) *idempotency.Attempt {
		attempt := d.begin(d.request(key, "body"))
		_, err := d.pool.Exec(t.Context(), `update idempotency set locked_until = now() where key = $1`, key)
		must(t, err)
		return attempt
	}
	// This prepares all statements, which would otherwise count as replies.
	leave("warm")
	warm, _, err := store.Begin(t.Context(), d.request("warm", "body"))
	must(t, err)
	must(t, warm.Release(t.Context()))

	first := leave("taken over")
	lose(3, d.request("taken over", "body"))
	if got := d.awaitKey(d.request("taken over", "body")); got.Identity != first.Identity {
		t.Errorf("got identity %s, want the first one's %s", got.Identity, first.Identity)
	}
	warm, _, err = store.Begin(t.Context(), d.request("warm again", "body"))
	must(t, err)
	must(t, warm.Release(t.Context()))
	lose(1, d.request("new", "body"))
	d.awaitKey(d.request("new", "another body")) // the key was never used
}

// Clients disconnect at random while their keys are taken. Every key is released.
func TestLeavingBeginIsLetGoOf(t *testing.T) {
	t.Parallel()
	d := setup(t, 0)
	had := 0
	for range 200 {
		r := d.request("k", "body")
		ctx, leave := context.WithTimeout(t.Context(), time.Duration(rand.Int64N(int64(3*time.Millisecond))))
		attempt, _, err := d.store.Begin(ctx, r)
		leave()
		if err == nil {
			had++
			must(t, attempt.Release(t.Context()))
		}
		must(t, d.awaitKey(d.request("k", "another body")).Release(t.Context()))
	}
	t.Logf("%d of 200 had their keys before they left", had)
}
