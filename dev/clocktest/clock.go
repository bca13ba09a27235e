package clocktest

import (
	"sync"
	"time"
)

// Clock is a clock that a test moves. Several goroutines may use it.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// New returns a clock that stands at the same moment in every test: whole seconds,
// in UTC.
func New() *Clock { return At(time.Unix(1_790_000_000, 0).UTC()) }

// At returns a clock that stands at now.
func At(now time.Time) *Clock { return &Clock{now: now} }

// Now is the time on it.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves it; back, if d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
