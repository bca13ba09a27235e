package memory

import (
	"context"
	"runtime"
	"sync"

	"github.com/turnpike-edge/turnpike/admission"
)

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
)

// Budget is safe for concurrent use. What it has is shared between the holders that contexts name (package admission).
type Budget struct {
	work, hold *admission.Pool
	// heavy has one at a time of what is more than may be worked on for one holder: it takes the memory that it takes.
	heavy       *admission.Pool
	long, reads *admission.Pool
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

// Long has a place for each piece of work that takes a processor for long, other than that of pages: who has one must not
// Take.
func (b *Budget) Long() *admission.Pool { return b.long }

// Take waits until there is room to work with so many bytes, and returns what gives it back, for the first call. Of work
// that is heavier than half of the budget there is one at a time. The error is the context's.
func (b *Budget) Take(ctx context.Context, bytes int64) (release func(), err error) {
	asks := []struct {
		pool *admission.Pool
		n    int64
	}{{b.heavy, 1}, {b.long, 1}, {b.work, bytes}, {b.reads, 1}} // always in this order, so that nobody waits for each other
	switch {
	case bytes < longBytes && bytes <= b.work.Most():
		asks = asks[2:]
	case bytes <= b.work.Most():
		asks = asks[1:]
	}
	grants := make([]admission.Grant, 0, len(asks))
	release = sync.OnceFunc(func() {
		for i := range grants {
			grants[i].Release()
		}
	})
	for _, ask := range asks {
		grant, err := ask.pool.Acquire(ctx, ask.n)
		if err != nil {
			release()
			return nil, err
		}
		grants = append(grants, grant)
	}
	return release, nil
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
