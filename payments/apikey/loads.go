package apikey

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

const (
	// loadMax bounds how many keys one statement looks up.
	loadMax = 512
	// loadTimeout bounds one statement, unless waitMax is longer.
	loadTimeout = 2 * time.Second
	// waitMax is the default of [WaitMax]. A result that arrives later serves the next request.
	waitMax = 200 * time.Millisecond
)

// loads looks up keys that the cache does not have. One statement runs at a time and takes all waiting keys, each key
// once however many requests wait for it. So an edge with a cold cache, or a flood of wrong keys, costs the database a
// few statements, not one per request.
type loads struct {
	q       *db.Queries
	found   *found
	waitMax time.Duration

	mu      sync.Mutex
	pending map[Hash]*load // queued or running
	queue   []Hash
	running bool
}

// load is the lookup of one key.
type load struct {
	done  chan struct{} // closed when the other fields are set
	entry *entry
	err   error
}

func newLoads(q *db.Queries, f *found, waitMax time.Duration) *loads {
	return &loads{q: q, found: f, waitMax: waitMax, pending: map[Hash]*load{}}
}

// load looks a key up. If the first waiting request leaves, the others do not fail.
func (l *loads) load(ctx context.Context, hash Hash) (*entry, error) {
	wanted := l.enqueue(hash)
	patience := time.NewTimer(l.waitMax)
	defer patience.Stop()
	select {
	case <-wanted.done:
		return wanted.entry, wanted.err
	case <-patience.C:
		return nil, fmt.Errorf("looking up a key: no answer within %s", l.waitMax)
	case <-ctx.Done():
		return nil, fmt.Errorf("looking up a key: %w", ctx.Err())
	}
}

func (l *loads) enqueue(hash Hash) *load {
	l.mu.Lock()
	defer l.mu.Unlock()
	wanted, ok := l.pending[hash]
	if ok {
		return wanted
	}
	wanted = &load{done: make(chan struct{})}
	l.pending[hash] = wanted
	l.queue = append(l.queue, hash)
	if !l.running {
		l.running = true
		go l.run()
	}
	return wanted
}

// run looks up queued keys until the queue is empty.
func (l *loads) run() {
	for {
		hashes := l.take()
		if len(hashes) == 0 {
			return
		}
		entries, err := l.read(hashes)
		l.finish(hashes, entries, err)
	}
}

func (l *loads) take() []Hash {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.queue), loadMax)
	taken := l.queue[:n:n]
	l.queue = l.queue[n:]
	l.running = n > 0
	return taken
}

// read runs one statement. A key without a row does not exist.
func (l *loads) read(hashes []Hash) (map[Hash]*entry, error) {
	ctx, cancel := context.WithTimeout(context.Background(), max(loadTimeout, l.waitMax))
	defer cancel()
	epoch := l.found.begin()
	wanted := make([][]byte, len(hashes))
	for i := range hashes {
		wanted[i] = hashes[i][:]
	}
	rows, err := l.q.KeysByHash(ctx, wanted)
	if err != nil {
		return nil, fmt.Errorf("looking up %d keys: %w", len(hashes), err)
	}
	entries := make(map[Hash]*entry, len(hashes))
	for _, hash := range hashes {
		entries[hash] = &entry{}
	}
	for i := range rows {
		row := &rows[i]
		if len(row.Hash) != len(Hash{}) || row.RevokedAt != nil {
			continue
		}
		p := Principal{TeamID: row.TeamID, KeyID: row.PublicID, Key: row.ID, Account: row.AccountID, Scopes: storedScopes(row.Scopes)}
		entries[Hash(row.Hash)].set(&p, row.ExpiresAt)
	}
	for hash, e := range entries {
		l.found.put(epoch, hash, e)
	}
	return entries, nil
}

func (l *loads) finish(hashes []Hash, entries map[Hash]*entry, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, hash := range hashes {
		wanted := l.pending[hash]
		delete(l.pending, hash)
		wanted.entry, wanted.err = entries[hash], err
		close(wanted.done)
	}
}
