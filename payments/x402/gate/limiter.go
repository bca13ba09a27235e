package gate

import (
	"net/netip"
	"sync"
	"time"
)

// limiter limits, per client and minute, requests that make the gate work without payment. Fixed windows are enough: it
// slows abuse down and is not an exact quota.
type limiter struct {
	mu     sync.Mutex
	most   int
	window int64
	counts map[netip.Addr]int
}

// limiterClientsMax limits the memory of a window. All further clients share one count.
const limiterClientsMax = 100_000

const limiterWindow = time.Minute

func newLimiter(most int) *limiter {
	return &limiter{most: most, counts: map[netip.Addr]int{}}
}

// wait counts one use. It returns 0 within the client's limit, else how long the client must wait.
func (l *limiter) wait(address string, now time.Time) time.Duration {
	client := subscriber(address)
	l.mu.Lock()
	defer l.mu.Unlock()
	start := now.Truncate(limiterWindow)
	if window := start.Unix(); window != l.window {
		l.window = window
		clear(l.counts)
	}
	if _, known := l.counts[client]; !known && len(l.counts) >= limiterClientsMax {
		client = netip.Addr{}
	}
	l.counts[client]++
	if l.counts[client] <= l.most {
		return 0
	}
	return start.Add(limiterWindow).Sub(now)
}

// subscriberBits is the IPv6 prefix that identifies a subscriber, who gets at least this network and chooses the rest
// (RFC 6177, section 2; RFC 4291, section 2.5.4).
const subscriberBits = 64

// subscriber returns the network that an address, with or without a port, is counted under. All invalid addresses count
// as one subscriber.
func subscriber(address string) netip.Addr {
	a, err := netip.ParseAddr(address)
	if err != nil {
		withPort, err := netip.ParseAddrPort(address)
		if err != nil {
			return netip.Addr{}
		}
		a = withPort.Addr()
	}
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a
	}
	network, err := a.Prefix(subscriberBits)
	if err != nil {
		return netip.Addr{}
	}
	return network.Addr()
}
