package memory

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
)

// ErrNoRoom is that of work for which there was no room until its context ended. The context's error is wrapped beside it.
var ErrNoRoom = errors.New("there was no room in memory")

// BytesDefault is how much memory work on pages may take, by the estimates of this package.
const BytesDefault = 512 << 20

const (
	// holdPart is which part of a budget's bytes may be in hand, on top of them.
	holdPart = 2
	// readsPart is how many pages are read at once for each processor. One holder reads half of them, as many as there are
	// processors.
	readsPart = 2
	// longBytes is from which estimate on a page takes a processor for long. Of such work there is one for each processor, and
	// half of it is one holder's: what else there is to do would wait for a processor at every step.
	longBytes = 32 << 20
	// companyFor is for how long who has read a page counts as there.
	companyFor = 10 * time.Second
)

// Budget is safe for concurrent use. What it has is shared between the holders that contexts name (package admission).
type Budget struct {
	work, hold *admission.Pool
	// heavy has one at a time of what is more than may be worked on for one holder: it takes the memory that it takes.
	heavy       *admission.Pool
	long, reads *admission.Pool
	company     company
}

// NewBudget returns a budget of so many bytes for work, and half as many for what is in hand. With 0 there are
// [BytesDefault].
func NewBudget(bytes int64) *Budget {
	if bytes <= 0 {
		bytes = BytesDefault
	}
	processors := int64(runtime.GOMAXPROCS(0))
	pool := func(name string, size int64) *admission.Pool {
		return admission.New(admission.Config{Name: name, Size: size})
	}
	return &Budget{
		work: pool("page_work_bytes", bytes), hold: pool("page_held_bytes", bytes/holdPart),
		heavy: pool("heavy_reads", 1), long: pool("long_work", processors), reads: pool("page_reads", readsPart*processors),
	}
}

// Pools are what there is, for metrics.
func (b *Budget) Pools() []*admission.Pool {
	return []*admission.Pool{b.work, b.hold, b.heavy, b.long, b.reads}
}

// TakeLong waits for a place for work, other than that of pages, that takes a processor for long, and returns what gives
// it back. Who has one must not Take. The error is the context's.
//
// Where others are there, a place is free again only after as long as it was held: a holder has its half of the places for
// half of the time, and the others find a processor. Alone it has them all the time.
func (b *Budget) TakeLong(ctx context.Context) (release func(), err error) {
	grant, err := b.long.Acquire(ctx, 1)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	return sync.OnceFunc(func() {
		now := time.Now()
		if b.company.beside(admission.From(ctx), now.Add(-companyFor)) {
			time.AfterFunc(now.Sub(begun), grant.Release)
			return
		}
		grant.Release()
	}), nil
}

// Take waits until there is room to work with so many bytes, and returns what gives it back, for the first call. Of work
// that is heavier than half of the budget there is one at a time. The error is the context's.
func (b *Budget) Take(ctx context.Context, bytes int64) (release func(), err error) {
	b.company.saw(admission.From(ctx), time.Now())
	of := func(pool *admission.Pool, n int64) func() (func(), error) {
		return func() (func(), error) {
			grant, err := pool.Acquire(ctx, n)
			return grant.Release, err
		}
	}
	// Always in this order, so that nobody waits for each other.
	asks := []func() (func(), error){
		of(b.heavy, 1), func() (func(), error) { return b.TakeLong(ctx) }, of(b.work, bytes), of(b.reads, 1),
	}
	switch {
	case bytes < longBytes && bytes <= b.work.Most():
		asks = asks[2:]
	case bytes <= b.work.Most():
		asks = asks[1:]
	}
	releases := make([]func(), 0, len(asks))
	release = sync.OnceFunc(func() {
		for _, r := range releases {
			r()
		}
	})
	for _, ask := range asks {
		r, err := ask()
		if err != nil {
			release()
			return nil, err
		}
		releases = append(releases, r)
	}
	return release, nil
}

// Do waits for room as Take does, does work of so many bytes, gives the room back, and returns what came of the work. An
// error is [ErrNoRoom], the work's, or the context's.
//
// Work that takes a processor for long is done [Aside], where it may look at its deadline late, for want of a processor.
// Do returns at the end of ctx all the same. The work then goes on until it sees that, and keeps its room until it ends:
// so what it writes must be its own, and what it reads must be left as it is.
func Do[T any](ctx context.Context, b *Budget, bytes int64, work func() (T, error)) (T, error) {
	var none T
	release, err := b.Take(ctx, bytes)
	if err != nil {
		return none, fmt.Errorf("%w: %w", ErrNoRoom, err)
	}
	if bytes < longBytes {
		defer release()
		return work()
	}
	var done T
	ended := start(func() {
		defer release()
		done, err = work()
	})
	select {
	case panicked := <-ended:
		throw(panicked)
		return done, err
	case <-ctx.Done():
		return none, ctx.Err() //nolint:wrapcheck // it is the context's
	}
}

// company knows who was there last, and who was the last beside that one.
type company struct {
	mu          sync.Mutex
	last, other presence
}

type presence struct {
	holder admission.Holder
	at     time.Time
}

func (c *company) saw(h admission.Holder, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last.holder != h {
		c.other = c.last
	}
	c.last = presence{h, now}
}

// beside reports whether somebody else than h was there since then.
func (c *company) beside(h admission.Holder, since time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last.holder != h {
		return c.last.at.After(since)
	}
	return c.other.at.After(since)
}

// Hold returns a hold of nothing.
func (b *Budget) Hold() *Hold { return &Hold{pool: b.hold} }

// Hold is what one request has in hand.
type Hold struct {
	pool *admission.Pool

	mu    sync.Mutex
	grant admission.Grant
}

// Set makes the hold one of so many bytes, and waits where that is more than there is room for; more than half of what
// the budget has is that half. Who waits gives back first what it held: two that grow would wait for each other
// otherwise. After an error, which is the context's, nothing is held. It must not be called by who has taken room to work.
func (h *Hold) Set(ctx context.Context, bytes int64) (err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	bytes = min(max(bytes, 0), h.pool.Most())
	if bytes <= h.grant.Held() {
		h.grant.Shrink(bytes)
		return nil
	}
	if h.grant.Grow(bytes) {
		return nil
	}
	h.grant.Release()
	h.grant, err = h.pool.Acquire(ctx, bytes)
	return err
}

// Bytes returns what is held.
func (h *Hold) Bytes() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.grant.Held()
}

// Release gives all of it back.
func (h *Hold) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.grant.Release()
}
