package apikey

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

const (
	// noteEvery is how often the times of use are saved.
	noteEvery = time.Minute
	// noteGrain is how much later than the saved time a use must be to be saved again: with many keys in use, a row for
	// each of them every minute would be a tenth of what metering costs the database.
	noteGrain = 10 * time.Minute
	// noteMax bounds how many keys one statement takes.
	noteMax = 10_000
	// noteTimeout bounds saving, also at shutdown.
	noteTimeout = 5 * time.Second
)

// use is when a key was last used, if that is not saved yet.
type use struct {
	key     int64
	at      atomic.Int64 // Unix seconds; 0: not used since it was saved
	written atomic.Int64 // the last saved time; 0: none by this edge
}

// uses records when keys are used, with a precision of ten minutes. A request costs one or two atomic loads, and each
// key a store at most once a second; the rest happens when the times are saved.
type uses struct {
	q *db.Queries

	mu    sync.Mutex
	dirty []*use // each once
}

// note records that a key is used now.
func (u *uses) note(e *use, now time.Time) {
	at := now.Unix()
	if at < e.written.Load()+int64(noteGrain/time.Second) || e.at.Load() >= at || e.at.Swap(at) != 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.dirty = append(u.dirty, e)
}

// flush saves what was noted. What could not be saved is noted again.
func (u *uses) flush(ctx context.Context) error {
	u.mu.Lock()
	dirty := u.dirty
	u.dirty = nil
	u.mu.Unlock()
	for len(dirty) > 0 {
		n := min(len(dirty), noteMax)
		if err := u.write(ctx, dirty[:n]); err != nil {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.dirty = append(u.dirty, dirty[n:]...)
			return err
		}
		dirty = dirty[n:]
	}
	return nil
}

func (u *uses) write(ctx context.Context, some []*use) error {
	params := db.NoteKeyUseParams{Ids: make([]int64, len(some)), Times: make([]time.Time, len(some))}
	for i, e := range some {
		params.Ids[i], params.Times[i] = e.key, time.Unix(e.at.Swap(0), 0)
	}
	err := u.q.NoteKeyUse(ctx, params)
	if err == nil {
		for i, e := range some {
			e.written.Store(params.Times[i].Unix())
		}
		return nil
	}
	for i, e := range some {
		u.note(e, params.Times[i])
	}
	return fmt.Errorf("recording the last use of %d keys: %w", len(some), err)
}

// run flushes every minute until ctx ends, and once more then. It logs a failure once per outage.
func (u *uses) run(ctx context.Context, logger *slog.Logger) {
	tick := time.NewTicker(noteEvery)
	defer tick.Stop()
	failed := false
	for ended := false; !ended; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			ended = true
		}
		writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
		err := u.flush(writing)
		cancel()
		if err != nil && !failed {
			logger.Warn("cannot record the last use of keys; retrying every minute", "error", err)
		}
		failed = err != nil
	}
}
