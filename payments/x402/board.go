package x402

import "sync"

// board wakes those in this process who wait for a claim to move. Copies at
// other edges find out by polling.
type board struct {
	mu    sync.Mutex
	bells map[Key]*bell
}

type bell struct {
	rung      chan struct{}
	listeners int
}

func newBoard() *board { return &board{bells: map[Key]*bell{}} }

// listen returns a channel that is closed at the next ring, and what to call
// when it is no longer wanted. Listen first, then look: a ring in between counts.
func (b *board) listen(key Key) (<-chan struct{}, func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	bl := b.bells[key]
	if bl == nil {
		bl = &bell{rung: make(chan struct{})}
		b.bells[key] = bl
	}
	bl.listeners++
	return bl.rung, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		bl.listeners--
		if bl.listeners == 0 && b.bells[key] == bl {
			delete(b.bells, key)
		}
	}
}

func (b *board) ring(key Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bl := b.bells[key]; bl != nil {
		close(bl.rung)
		delete(b.bells, key)
	}
}
