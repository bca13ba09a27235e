package handover

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// Generation is the servers of one configuration. The zero value is ready to use.
type Generation struct {
	ending atomic.Bool

	mu        sync.Mutex
	listeners map[*Listener]struct{}
	conns     map[*conn]struct{}
}

// Changed records a new state of a connection. Each server must call it for every state of every connection
// (http.Server.ConnState): unreported connections are never handed over. It reports whether the connection is from a
// listener of this package.
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

// End leaves everything that this generation has not begun to read to the next one, where a next one listens. Call it
// once the next one listens. Then wait until nothing is [Generation.Arriving] before the servers are shut down.
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

// Arriving reports whether a request is being read that no handler has yet; http.Server.Shutdown would drop it. After
// End, no further request arrives if there is a next generation.
func (g *Generation) Arriving() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.conns {
		switch c.at.Load() {
		case arriving, active, idle, due: // idle and due last only until the next read
			return true
		}
	}
	return false
}
