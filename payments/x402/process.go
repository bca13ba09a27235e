package x402

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"
	"golang.org/x/sync/singleflight"
)

// Instance is this process among those that share a store, which say with it whose a claim is.
type Instance interface {
	// ID marks the claims of this process.
	ID() uuid.UUID
	// Live returns nil while no other process can have taken on the claims of this one, and else why it may not act.
	Live() error
	// Announce tells the others what this process settles, each as "network/asset": they take on its other claims.
	Announce(ctx context.Context, settles []string) error
	// Changed returns a channel that is closed the next time that this process has ended
	// others, whose claims can be taken on.
	Changed() <-chan struct{}
}

// alone is an instance that shares its store with none.
type alone struct{ id uuid.UUID }

// Alone returns the instance of a process whose store no other has.
func Alone() Instance { return alone{uuid.Must(uuid.NewV7())} }

func (a alone) ID() uuid.UUID                          { return a.id }
func (alone) Live() error                              { return nil }
func (alone) Announce(context.Context, []string) error { return nil }
func (alone) Changed() <-chan struct{}                 { return nil }

// Process is what the gates of one process have in common that share a store, whatever becomes of the configurations
// that they stand for: a claim that one of them is at work on, or knows the end of, no other takes for one that was left.
type Process struct {
	Instance

	board    *board
	active   *active
	endings  endings
	resolves singleflight.Group // of resolve, by claim

	mu      sync.Mutex
	settles map[string]int // by how many gates
}

// NewProcess returns what the gates of an instance share.
func NewProcess(instance Instance) *Process {
	return &Process{Instance: instance, board: newBoard(), active: newActive(), settles: map[string]int{}}
}

// join adds, or with by = -1 takes away, what a gate settles, and tells others of all that is settled here.
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

// active is the set of claims that this process is at work on.
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

// addIdle adds a claim that nobody is at work on, and reports whether it was one.
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
