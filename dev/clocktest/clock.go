package clocktest

import (
	"sync"
	"time"
)

// Clock is a clock that a test moves. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// New returns a clock set to the same moment in every test: whole seconds, in UTC.
func New() *Clock { return At(time.Unix(1_790_000_000, 0).UTC()) }

// At returns a clock set to now.
func At(now time.Time) *Clock { return &Clock{now: now} }

// Now is the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock; back, if d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
