package handover

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// Generation is the servers of one configuration. The zero value has begun.
type Generation struct {
	ending atomic.Bool

	mu        sync.Mutex
	listeners map[*Listener]struct{}
	conns     map[*conn]struct{}
}

// Changed is to be told by each server of each state of each connection (http.Server.ConnState). It reports whether the
// connection is from one of this package's listeners. What no server tells of is never handed over.
func (g *Generation) Changed(of net.Conn, state http.ConnState) bool {
	encrypted, inTLS := of.(*tls.Conn)
	if inTLS {
		of = encrypted.NetConn()
	}
	c, ok := of.(*conn)
	if !ok {
		return false
	}
	switch state {
	case http.StateNew:
		c.begin(g, inTLS)
		g.mu.Lock()
		if g.conns == nil {
			g.conns = make(map[*conn]struct{})
		}
		g.conns[c] = struct{}{}
		g.mu.Unlock()
	case http.StateActive:
		c.at.CompareAndSwap(arriving, active)
	case http.StateIdle:
		c.rest()
	case http.StateHijacked:
		c.at.Store(apart)
		g.forget(c)
	case http.StateClosed:
		g.forget(c)
		c.end()
	}
	return true
}

func (g *Generation) forget(c *conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.conns, c)
}

// End has the generation leave to the next, wherever there is one that listens, what it has not yet begun to read. It is
// to be called once the next listens, and before the servers are shut down: that has to wait until nothing is [Generation.Arriving].
func (g *Generation) End() {
	g.ending.Store(true)
	g.mu.Lock()
	defer g.mu.Unlock()
	for l := range g.listeners {
		if l.socket.succeeded() {
			delete(g.listeners, l)
			close(l.retired)
		}
	}
	for c := range g.conns {
		if c.leaving() {
			c.interrupt()
		}
	}
}

// Arriving reports whether a request is being read that no handler has yet: http.Server.Shutdown would drop it. Once the
// generation has ended, no request begins to arrive where there is a next one.
func (g *Generation) Arriving() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.conns {
		switch c.at.Load() {
		case arriving, active, idle, due: // idle, and due, it is for no longer than it takes to come to a read
			return true
		}
	}
	return false
}
