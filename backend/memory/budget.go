package memory

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// BytesDefault is how much memory work on pages may take, by the estimates of this package.
const BytesDefault = 512 << 20

// holdPart is which part of a budget's bytes may be in hand, on top of them.
const holdPart = 2

// Budget is safe for concurrent use.
type Budget struct {
	workMax, holdMax int64
	work, hold       *semaphore.Weighted
}

// NewBudget returns a budget of so many bytes for work, and half as many for what is in hand. With 0 there are
// [BytesDefault].
func NewBudget(bytes int64) *Budget {
	if bytes <= 0 {
		bytes = BytesDefault
	}
	holdMax := max(bytes/holdPart, 1)
	return &Budget{
		workMax: bytes, holdMax: holdMax, work: semaphore.NewWeighted(bytes), hold: semaphore.NewWeighted(holdMax),
	}
}

// Take waits until there is room to work with so many bytes, and returns what gives it back, for the first call. Work
// that is heavier than the budget waits for all other. The error is the context's.
func (b *Budget) Take(ctx context.Context, bytes int64) (release func(), err error) {
	bytes = min(max(bytes, 0), b.workMax)
	if err := b.work.Acquire(ctx, bytes); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { b.work.Release(bytes) }), nil
}

// Hold returns a hold of nothing.
func (b *Budget) Hold() *Hold { return &Hold{budget: b} }

// Hold is what one request has in hand.
type Hold struct {
	budget *Budget

	mu    sync.Mutex
	bytes int64
}

// Set makes the hold one of so many bytes, and waits where that is more than there is room for; more than the whole
// budget has is all of it. Who waits gives back first what it held: two that grow would wait for each other otherwise.
// After an error, which is the context's, nothing is held. It must not be called by who has taken room to work.
func (h *Hold) Set(ctx context.Context, bytes int64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	bytes = min(max(bytes, 0), h.budget.holdMax)
	more := bytes - h.bytes
	if more <= 0 {
		h.budget.hold.Release(-more)
		h.bytes = bytes
		return nil
	}
	if !h.budget.hold.TryAcquire(more) {
		h.budget.hold.Release(h.bytes)
		h.bytes = 0
		if err := h.budget.hold.Acquire(ctx, bytes); err != nil {
			return err
		}
	}
	h.bytes = bytes
	return nil
}

// Bytes returns what is held.
func (h *Hold) Bytes() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bytes
}

// Release gives all of it back.
func (h *Hold) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.budget.hold.Release(h.bytes)
	h.bytes = 0
}
