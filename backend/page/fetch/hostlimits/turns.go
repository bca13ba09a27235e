package hostlimits

import (
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

const (
	// promisesAhead is how far ahead turns are promised. Beyond that, requests are promised the next turn again.
	promisesAhead = time.Minute
	// promisesMax is how many hosts are remembered before expired promises are dropped.
	promisesMax = 4096
)

// turns estimates when this process gets turns at hosts, from what the database said when it refused one. Nothing is
// reserved. Requests that would be refused anyway do not ask the database, and they come back one after the other instead
// of all for the same turn.
type turns struct {
	mu sync.Mutex
	of map[string]*promises // by host
}

type promises struct {
	// due is the time before which no turn is available, next the first turn that was not promised yet.
	due, next time.Time
}

// wait returns for how long there is certainly no turn at host.
func (t *turns) wait(host string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.of[host]; p != nil {
		return max(p.due.Sub(now), 0)
	}
	return 0
}

// promise records that there is no turn at host for as long as due, and returns when a refused request should come back.
func (t *turns) promise(host string, now time.Time, due, interval time.Duration) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.of[host]
	if p == nil {
		if t.of == nil {
			t.of = map[string]*promises{}
		}
		if len(t.of) >= promisesMax {
			t.forget(now)
		}
		p = &promises{}
		t.of[host] = p
	}
	first := now.Add(due)
	if first.After(p.due) {
		p.due = first
	}
	if p.next.Before(first) || p.next.Sub(first) > promisesAhead {
		p.next = first
	}
	at := p.next
	p.next = at.Add(interval)
	return at.Sub(now)
}

// forget drops expired promises. The caller holds the lock.
func (t *turns) forget(now time.Time) {
	for host, p := range t.of {
		if !p.next.After(now) && !p.due.After(now) {
			delete(t.of, host)
		}
	}
}

// busy returns the error for a request that gets no turn at host for as long as due.
func (g *Gate) busy(host string, due time.Duration) error {
	again := g.turns.promise(host, g.clock.Now(), due, g.config.Interval)
	return &fetch.BusyError{Host: host, RetryAfter: max(again, g.config.Interval)}
}
