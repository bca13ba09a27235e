package gate

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"
	"golang.org/x/sync/singleflight"

	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// Instance is this process among those that share a store. It marks the owner of each claim.
type Instance interface {
	// ID marks the claims of this process.
	ID() uuid.UUID
	// Live returns nil while no other process can have taken over this one's claims, else why it must not act.
	Live() error
	// Announce tells the others what this process settles, each as "network/asset". They take over its other claims.
	Announce(ctx context.Context, settles []string) error
	// Changed returns a channel that is closed when this process next ends other instances, whose claims can then be
	// taken over.
	Changed() <-chan struct{}
}

// alone is an instance that shares its store with no other.
type alone struct{ id uuid.UUID }

// Alone returns the instance of a process that shares its store with no other.
func Alone() Instance { return alone{uuid.Must(uuid.NewV7())} }

func (a alone) ID() uuid.UUID                          { return a.id }
func (alone) Live() error                              { return nil }
func (alone) Announce(context.Context, []string) error { return nil }
func (alone) Changed() <-chan struct{}                 { return nil }

// Process is what the gates of one process share if they use the same store. It outlives a configuration reload. So no
// gate takes a claim for orphaned that another gate works on or knows the outcome of.
type Process struct {
	Instance

	board    *board
	active   *active
	endings  endings
	resolves singleflight.Group // calls of resolve, by claim

	mu      sync.Mutex
	settles map[string]int // by how many gates
}

// NewProcess returns the shared state of an instance's gates.
func NewProcess(instance Instance) *Process {
	return &Process{Instance: instance, board: newBoard(), active: newActive(), settles: map[string]int{}}
}

// join adds what a gate settles, or removes it with by = -1, and announces everything that this process settles.
func (p *Process) join(ctx context.Context, settles []string, by int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range settles {
		if p.settles[name] += by; p.settles[name] == 0 {
			delete(p.settles, name)
		}
	}
	return p.Announce(ctx, slices.Sorted(maps.Keys(p.settles)))
}

// active is the set of claims that this process works on.
type active struct {
	mu  sync.Mutex
	ids map[uuid.UUID]int // by how many
}

func newActive() *active { return &active{ids: map[uuid.UUID]int{}} }

func (a *active) add(id uuid.UUID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ids[id]++
}

// addIdle adds a claim unless this process works on it already, and reports whether it did.
func (a *active) addIdle(id uuid.UUID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ids[id] > 0 {
		return false
	}
	a.ids[id]++
	return true
}

func (a *active) remove(id uuid.UUID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ids[id]--; a.ids[id] <= 0 {
		delete(a.ids, id)
	}
}

func (a *active) list() []uuid.UUID {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Keys(a.ids))
}

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
