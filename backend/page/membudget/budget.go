package membudget

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
)

// ErrNoRoom means that the context ended before there was room for the work. The context's error is wrapped as well.
var ErrNoRoom = errors.New("there was no room in the memory budget")

// BytesDefault is how much memory work on pages may take, by the estimates of this package.
const BytesDefault = 512 << 20

const (
	// holdPart: pages in hand may take 1/holdPart of a budget's bytes, in addition to them.
	holdPart = 2
	// readsPart is how many pages are read at once for each CPU. One holder gets half of them: as many as there are CPUs.
	readsPart = 2
	// longBytes is the estimate from which work on a page keeps a CPU busy for long. There is one slot for such work
	// for each CPU, and one holder gets half of them; otherwise all other work would wait for a CPU at every step.
	longBytes = 32 << 20
	// companyFor is for how long after reading a page a holder counts as present.
	companyFor = 10 * time.Second
)

// Budget is safe for concurrent use. It is shared between the holders that contexts name (package admission).
type Budget struct {
	work, hold *admission.Pool
	// heavy admits one work at a time that exceeds one holder's share: it takes whatever memory it needs.
	heavy       *admission.Pool
	long, reads *admission.Pool
	company     company
}

// NewBudget returns a budget of bytes for work, and half as many for pages in hand. 0 means [BytesDefault].
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

// Pools returns the pools, for metrics.
func (b *Budget) Pools() []*admission.Pool {
	return []*admission.Pool{b.work, b.hold, b.heavy, b.long, b.reads}
}

// TakeLong waits for a slot for long CPU work other than on pages, and returns a function that releases it. A holder of
// such a slot must not call Take. The error is the context's.
//
// While others are present, a released slot becomes free only after as long again as it was held. So a holder uses its
// half of the slots half of the time, and the others find a CPU. A holder that is alone has them all the time.
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

// Take waits for room to work with so many bytes, and returns a function that releases it, once. Work that needs more
// than half of the budget runs one at a time. The error is the context's.
func (b *Budget) Take(ctx context.Context, bytes int64) (release func(), err error) {
	b.company.saw(admission.From(ctx), time.Now())
	of := func(pool *admission.Pool, n int64) func() (func(), error) {
		return func() (func(), error) {
			grant, err := pool.Acquire(ctx, n)
			return grant.Release, err
		}
	}
	// Always in this order, to avoid deadlocks.
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

// Do waits for room as Take does, runs work, releases the room, and returns the result of work. An error is
// [ErrNoRoom], the work's, or the context's.
//
// Long work runs [Aside], where it may check its deadline late for lack of CPU time. Do returns at the end of ctx all
// the same. The work then continues until it notices, and keeps its room until it ends. So it must write only to its
// own memory, and what it reads must not be changed.
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

// company remembers the holder that was present last, and the last other one before it.
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

// beside reports whether another holder than h was present after since.
func (c *company) beside(h admission.Holder, since time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last.holder != h {
		return c.last.at.After(since)
	}
	return c.other.at.After(since)
}

// Hold returns an empty Hold.
func (b *Budget) Hold() *Hold { return &Hold{pool: b.hold} }

// Hold is the memory of a page that one request has in hand.
type Hold struct {
	pool *admission.Pool

	mu    sync.Mutex
	grant admission.Grant
}

// Set changes the size of the hold, and waits if there is no room. The size is limited to half of the budget. Before
// waiting it releases what it held, because two growing holds could otherwise wait for each other. After an error,
// which is the context's, nothing is held. A holder of room to work must not call it.
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

// Bytes returns how many bytes are held.
func (h *Hold) Bytes() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.grant.Held()
}

// Release releases all of it.
func (h *Hold) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.grant.Release()
}
