package main

import (
	"context"
	"crypto/ecdsa"
	"net/http"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// slot is the place of an edge: one process after the other fills it.
type slot struct {
	number  int
	settler *ecdsa.PrivateKey

	mu      sync.Mutex
	current *incarnation
	changed chan struct{} // closed and replaced when current changes
}

// incarnation is one life of an edge. Each has a port of its own, so that every request is known to have met this
// process and no other.
type incarnation struct {
	slot   int
	edge   *rig.Edge
	client *http.Client

	mu       sync.Mutex
	flights  map[int]int // requests on their way, by key
	served   int
	killedAt time.Time   // zero: never killed
	atKill   map[int]int // flights at that moment
}

func newSlot(number int, settler *ecdsa.PrivateKey) *slot {
	return &slot{number: number, settler: settler, changed: make(chan struct{})}
}

// take puts a new edge in the slot.
func (s *slot) take(e *rig.Edge) {
	transport := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	s.set(&incarnation{slot: s.number, edge: e, client: &http.Client{Transport: transport}, flights: make(map[int]int)})
}

// release empties the slot and returns what was in it.
func (s *slot) release() *incarnation {
	return s.set(nil)
}

func (s *slot) set(next *incarnation) (before *incarnation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.current = s.current, next
	close(s.changed)
	s.changed = make(chan struct{})
	return before
}

func (s *slot) now() (*incarnation, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current, s.changed
}

// await returns the edge in the slot as soon as there is one, and nil when ctx ends.
func (s *slot) await(ctx context.Context) *incarnation {
	for ctx.Err() == nil {
		inc, changed := s.now()
		if inc != nil {
			return inc
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	return nil
}

func (i *incarnation) begin(key int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.flights[key]++
}

func (i *incarnation) end(key int, served bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.flights[key]--
	if served {
		i.served++
	}
}

// kill ends the process without warning, in the middle of what it does.
func (i *incarnation) kill() error {
	i.mu.Lock()
	i.killedAt = time.Now()
	i.atKill = make(map[int]int, len(i.flights))
	for key, n := range i.flights {
		if n > 0 {
			i.atKill[key] = n
		}
	}
	i.mu.Unlock()
	defer i.client.CloseIdleConnections()
	return i.edge.Kill()
}

// life returns when the edge was killed (zero: never), and what was on its way then.
func (i *incarnation) life() (killedAt time.Time, inFlight int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, n := range i.atKill {
		inFlight += n
	}
	return i.killedAt, inFlight
}

func (i *incarnation) servedSoFar() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.served
}
