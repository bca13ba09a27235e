package main

import (
	"context"
	"crypto/ecdsa"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// doors are the edges that serve at the moment, as a load balancer knows them (an edge pool).
type doors struct {
	mu      sync.Mutex
	open    []*incarnation // by the number of the edge; nil while it is down
	changed chan struct{}  // closed and replaced when an edge comes or goes
}

func newDoors(edges int) *doors {
	return &doors{open: make([]*incarnation, edges), changed: make(chan struct{})}
}

// set puts an edge (nil: none) in the pool and returns the one it replaces.
func (d *doors) set(number int, next *incarnation) (before *incarnation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before, d.open[number] = d.open[number], next
	close(d.changed)
	d.changed = make(chan struct{})
	return before
}

func (d *doors) at(number int) *incarnation {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[number]
}

// anyOpen returns a serving edge as soon as there is one, and nil when ctx ends.
func (d *doors) anyOpen(ctx context.Context, random *rand.Rand) *incarnation {
	first := random.IntN(len(d.open))
	for ctx.Err() == nil {
		d.mu.Lock()
		changed := d.changed
		var found *incarnation
		for i := 0; i < len(d.open) && found == nil; i++ {
			found = d.open[(first+i)%len(d.open)]
		}
		d.mu.Unlock()
		if found != nil {
			return found
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	return nil
}

// incarnation is one process of an edge. Each has its own port, so it is certain which process got a request.
type incarnation struct {
	number  int
	edge    *rig.Edge
	client  *http.Client
	opened  *atomic.Int64 // connections
	startAt time.Time

	reloading sync.Mutex
	variant   int // of its configuration

	mu       sync.Mutex
	flights  map[int]exposure // metered requests in flight, by key
	served   int
	killedAt time.Time        // zero: never killed
	atKill   map[int]exposure // flights at that moment
}

// exposure is the number and cost of requests whose outcome is unknown.
type exposure struct {
	requests int
	credits  money.Credits
}

func (e exposure) plus(o exposure) exposure {
	return exposure{e.requests + o.requests, e.credits + o.credits}
}

func (e exposure) minus(o exposure) exposure {
	return exposure{e.requests - o.requests, e.credits - o.credits}
}

// connectionsPerEdge is per client, so that no request waits for another's response.
const connectionsPerEdge = 256

func newIncarnation(number int, e *rig.Edge) *incarnation {
	opened := new(atomic.Int64)
	transport := &http.Transport{
		MaxIdleConnsPerHost: connectionsPerEdge, DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			opened.Add(1)
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}
	return &incarnation{
		number: number, edge: e, client: &http.Client{Transport: transport}, opened: opened,
		startAt: time.Now(), flights: make(map[int]exposure),
	}
}

// begin notes a request that is about to be sent. It reports false if the edge has been killed in the meantime, so
// every request that is sent is among the flights at the kill.
func (i *incarnation) begin(key int, price money.Credits) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.killedAt.IsZero() {
		return false
	}
	i.flights[key] = i.flights[key].plus(exposure{1, price})
	return true
}

func (i *incarnation) end(key int, price money.Credits, served bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.flights[key] = i.flights[key].minus(exposure{1, price})
	if served {
		i.served++
	}
}

// kill ends the process with SIGKILL.
func (i *incarnation) kill() error {
	i.mu.Lock()
	i.killedAt = time.Now()
	i.atKill = make(map[int]exposure, len(i.flights))
	for key, e := range i.flights {
		if e.requests > 0 {
			i.atKill[key] = e
		}
	}
	i.mu.Unlock()
	defer i.client.CloseIdleConnections()
	return i.edge.Kill()
}

// killed returns when the edge was killed; the zero time means never.
func (i *incarnation) killed() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.killedAt
}

func (i *incarnation) servedSoFar() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.served
}

// slot is what all incarnations of an edge share.
type slot struct {
	number  int
	settler *ecdsa.PrivateKey
	admin   string // host and port of the admin endpoint; empty: none
}
