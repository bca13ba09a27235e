package transport

import (
	"slices"
	"sync"
	"time"
)

// sweepEvery is how often idle connections are checked for those that are too old or that the upstream has closed.
const sweepEvery = 10 * time.Second

// idle keeps idle connections by host, and reuses the most recent one first. Connections that the load does not need
// therefore grow old and are closed.
type idle struct {
	mu     sync.Mutex
	hosts  map[string][]*conn
	kept   int
	closed bool
	timer  *time.Timer
}

// put keeps a connection. It reports false if the connection cannot be kept.
func (i *idle) put(c *conn) bool {
	t := c.transport
	c.since = time.Now()
	i.mu.Lock()
	defer i.mu.Unlock()
	of := i.hosts[c.host]
	if i.closed || len(of) >= t.IdlePerHostMax || !c.probe.works() {
		return false
	}
	if t.IdleMax > 0 && i.kept >= t.IdleMax {
		i.dropOldest()
		of = i.hosts[c.host]
	}
	if i.hosts == nil {
		i.hosts = make(map[string][]*conn)
	}
	i.hosts[c.host] = append(of, c)
	i.kept++
	if i.timer == nil {
		i.timer = time.AfterFunc(sweepEvery, func() { i.sweep(t.IdleTimeout) })
	}
	return true
}

// dropOldest closes the connection that has been idle longest. The connections of a host are in the order they came in.
func (i *idle) dropOldest() {
	var oldest string
	var since time.Time
	for host, of := range i.hosts {
		if len(of) > 0 && (since.IsZero() || of[0].since.Before(since)) {
			oldest, since = host, of[0].since
		}
	}
	of := i.hosts[oldest]
	if len(of) == 0 {
		return
	}
	_ = of[0].net.Close()
	i.hosts[oldest] = slices.Delete(of, 0, 1)
	i.kept--
}

// take returns a usable connection, or nil.
func (i *idle) take(host string, timeout time.Duration) *conn {
	for {
		c := i.pop(host)
		if c == nil || c.usable(timeout) {
			return c
		}
		_ = c.net.Close()
	}
}

func (i *idle) pop(host string) *conn {
	i.mu.Lock()
	defer i.mu.Unlock()
	of := i.hosts[host]
	if len(of) == 0 {
		return nil
	}
	last := len(of) - 1
	c := of[last]
	of[last] = nil
	i.hosts[host] = of[:last]
	i.kept--
	return c
}

func (c *conn) usable(timeout time.Duration) bool {
	return (timeout <= 0 || time.Since(c.since) < timeout) && c.probe.quiet()
}

// sweep closes the connections that are no longer usable.
func (i *idle) sweep(timeout time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.kept = 0
	for host, of := range i.hosts {
		left := of[:0]
		for _, c := range of {
			if c.usable(timeout) {
				left = append(left, c)
			} else {
				_ = c.net.Close()
			}
		}
		clear(of[len(left):])
		if i.hosts[host] = left; len(left) == 0 {
			delete(i.hosts, host)
		}
		i.kept += len(left)
	}
	if i.kept == 0 {
		i.timer = nil
		return
	}
	i.timer.Reset(sweepEvery)
}

func (i *idle) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
	for _, of := range i.hosts {
		for _, c := range of {
			_ = c.net.Close()
		}
	}
	i.hosts, i.kept = nil, 0
	if i.timer != nil {
		i.timer.Stop()
	}
}
