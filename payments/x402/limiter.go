package x402

import (
	"sync"
	"time"
)

// limiter counts per client and minute what could be used to make the gate do
// work for nothing. Fixed windows are enough: this is a brake, not a quota.
type limiter struct {
	mu     sync.Mutex
	most   int
	window int64
	counts map[string]int
}

// limiterClientsMax bounds the memory of a window. Clients beyond it share one count.
const limiterClientsMax = 100_000

func newLimiter(most int) *limiter {
	return &limiter{most: most, counts: map[string]int{}}
}

// allow counts one use and reports whether it is within the client's limit.
func (l *limiter) allow(client string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if window := now.Unix() / 60; window != l.window {
		l.window = window
		clear(l.counts)
	}
	if _, known := l.counts[client]; !known && len(l.counts) >= limiterClientsMax {
		client = ""
	}
	l.counts[client]++
	return l.counts[client] <= l.most
}
