package apikey

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
)

const (
	// pingEvery is how long the listener receives nothing before it checks that the database still answers, and
	// pingTimeout how long that may take. Together they guarantee that a change takes effect within a second, or the
	// cache is dropped.
	pingEvery   = 500 * time.Millisecond
	pingTimeout = 400 * time.Millisecond
	// connectTimeout and reconnectEvery space attempts to reach the database.
	connectTimeout = 5 * time.Second
	reconnectEvery = 500 * time.Millisecond
)

// watch listens for changed keys on a connection of its own.
type watch struct {
	url   string
	found *found
	stop  context.CancelFunc
	done  sync.WaitGroup
}

func (w *watch) start(logger *slog.Logger) {
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	w.done.Go(func() { w.run(ctx, logger) })
}

func (w *watch) close() {
	if w.stop != nil {
		w.stop()
		w.done.Wait()
	}
}

// run listens, and connects again whenever the connection fails.
func (w *watch) run(ctx context.Context, logger *slog.Logger) {
	again := time.NewTicker(reconnectEvery)
	defer again.Stop()
	isDown := false
	for {
		heard := false
		err := w.listen(ctx, func() { heard = true })
		if ctx.Err() != nil {
			return
		}
		if heard || !isDown { // once per outage
			logger.Warn("cannot receive notifications of changed keys; keys are looked up every second until they resume", "error", err)
			isDown = true
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// listen listens until the connection fails. Entries are cached for long only while it receives changes.
func (w *watch) listen(ctx context.Context, heard func()) error {
	conn, err := w.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := db.New(conn).ListenForChangedKeys(ctx); err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	heard()
	w.found.setWatched(true)
	defer w.found.setWatched(false)
	for {
		if err := w.next(ctx, conn); err != nil {
			return err
		}
	}
}

func (w *watch) connect(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return db.Connect(ctx, w.url, "turnpike-keys", nil)
}

// next waits for one notification. If none comes, it pings the database, to be sure that none was sent.
func (w *watch) next(ctx context.Context, conn *pgx.Conn) error {
	quiet, cancel := context.WithTimeout(ctx, pingEvery)
	n, err := conn.WaitForNotification(quiet)
	cancel()
	switch {
	case err == nil:
		w.forget(n)
		return nil
	case ctx.Err() != nil || !pgconn.Timeout(err):
		return fmt.Errorf("waiting for notifications of changed keys: %w", err)
	}
	pinging, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if err := conn.Ping(pinging); err != nil {
		return fmt.Errorf("pinging the database: %w", err)
	}
	return nil
}

// forget drops the key of a notification. A notification that cannot be parsed could concern any key, so it drops all.
func (w *watch) forget(n *pgconn.Notification) {
	hash, err := hex.DecodeString(n.Payload)
	if err != nil || len(hash) != len(Hash{}) {
		w.found.setWatched(true)
		return
	}
	w.found.forget(Hash(hash))
}
