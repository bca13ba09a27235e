package handover

import (
	"net"
	"sync"
)

// Listener accepts connections from a socket for the servers of one generation.
type Listener struct {
	socket     *Socket
	generation *Generation
	keep       net.KeepAliveConfig
	release    func() error
	retired    chan struct{} // closed when another generation accepts instead
	closed     chan struct{}
	closeOnce  sync.Once
}

// Listen returns a listener for a server of the generation. Its connections have the given keep-alive. Closing it calls release.
func (g *Generation) Listen(s *Socket, keep net.KeepAliveConfig, release func() error) *Listener {
	l := &Listener{
		socket: s, generation: g, keep: keep, release: release,
		retired: make(chan struct{}), closed: make(chan struct{}),
	}
	s.mu.Lock()
	s.listeners[l] = struct{}{}
	s.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.listeners == nil {
		g.listeners = make(map[*Listener]struct{})
	}
	g.listeners[l] = struct{}{}
	return l
}

// Accept implements net.Listener. Once its generation has a successor, it accepts nothing more and returns when the
// listener is closed.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case <-l.retired:
		<-l.closed
	default:
	}
	select {
	case <-l.closed: // even if a connection waits
		return nil, l.closedError()
	default:
	}
	select {
	case next := <-l.socket.queue:
		if next.err != nil {
			return nil, next.err
		}
		return l.connection(next), nil
	case <-l.retired:
		<-l.closed
	case <-l.closed:
	}
	return nil, l.closedError()
}

func (l *Listener) connection(a accepted) net.Conn {
	tcp, ok := a.conn.(*net.TCPConn)
	if !ok {
		return a.conn
	}
	if l.keep != a.keep {
		// The connection has the keep-alive of another configuration. If it is already closed, reading it will say so.
		_ = tcp.SetKeepAliveConfig(l.keep)
	}
	c := &conn{TCPConn: tcp, socket: l.socket, keep: l.keep, unread: a.unread}
	c.at.Store(apart)
	return c
}

func (l *Listener) closedError() error {
	return &net.OpError{Op: "accept", Net: l.Addr().Network(), Addr: l.Addr(), Err: net.ErrClosed}
}

// Addr implements net.Listener.
func (l *Listener) Addr() net.Addr { return l.socket.base.Addr() }

// Close implements net.Listener. The socket stays open for other listeners.
func (l *Listener) Close() error {
	err := net.ErrClosed
	l.closeOnce.Do(func() {
		l.socket.mu.Lock()
		delete(l.socket.listeners, l)
		l.socket.mu.Unlock()
		l.generation.mu.Lock()
		delete(l.generation.listeners, l)
		l.generation.mu.Unlock()
		close(l.closed)
		err = l.release()
	})
	return err
}

// Interface guard
var _ net.Listener = (*Listener)(nil)
