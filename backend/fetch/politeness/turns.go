package politeness

import (
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/backend/fetch"
)

const (
	// promisesAhead is how far ahead turns are promised. Who is turned away beyond that is told of the next one.
	promisesAhead = time.Minute
	// promisesMax is how many hosts' promises are remembered before those that are over are forgotten.
	promisesMax = 4096
)

// turns are when this process expects turns at hosts, by what the database said when somebody was turned away. Nothing is
// reserved by them: they keep those who would be turned away again from asking, and have them come back one after the
// other, where each would otherwise come for the same turn.
type turns struct {
	mu sync.Mutex
	of map[string]*promises // by host
}

type promises struct {
	// due is before when nobody gets a turn, next when the first turn comes that was promised to nobody.
	due, next time.Time
}

// wait is how long there is surely no turn at host.
func (t *turns) wait(host string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.of[host]; p != nil {
		return max(p.due.Sub(now), 0)
	}
	return 0
}

// promise notes that there is no turn at host for as long as due, and returns after how long whoever is turned away
// should come back.
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

// forget drops what is over. The caller has the lock.
func (t *turns) forget(now time.Time) {
	for host, p := range t.of {
		if !p.next.After(now) && !p.due.After(now) {
			delete(t.of, host)
		}
	}
}

// busy is the answer to who gets no turn at host for as long as due.
func (g *Gate) busy(host string, due time.Duration) error {
	again := g.turns.promise(host, g.clock.Now(), due, g.config.Interval)
	return &fetch.BusyError{Host: host, RetryAfter: max(again, g.config.Interval)}
}
