package gate

import (
	"sync"

	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// board notifies requests in this process that wait for a claim to change. Requests at other edges poll instead.
type board struct {
	mu    sync.Mutex
	bells map[claims.Key]*bell
}

type bell struct {
	rung      chan struct{}
	listeners int
}

func newBoard() *board { return &board{bells: map[claims.Key]*bell{}} }

// listen returns a channel that is closed at the next notification, and a function that ends the subscription. Listen
// before reading the claim, so that no change in between is missed.
func (b *board) listen(key claims.Key) (<-chan struct{}, func()) {
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

func (b *board) ring(key claims.Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bl := b.bells[key]; bl != nil {
		close(bl.rung)
		delete(b.bells, key)
	}
}
