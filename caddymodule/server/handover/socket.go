package handover

import (
	"errors"
	"net"
	"sync"
)

// Socket is a listening socket with any number of listeners, at once or one after the other. Each connection goes to
// one of them.
type Socket struct {
	base   net.Listener
	keep   net.KeepAliveConfig // of base's connections
	queue  chan accepted
	closed chan struct{}
	once   sync.Once

	mu        sync.Mutex
	listeners map[*Listener]struct{}
}

// accepted is a connection that waits for a listener to take it.
type accepted struct {
	conn   net.Conn
	keep   net.KeepAliveConfig
	unread []byte // what was already read; it belongs to the server that accepts
	err    error
}

// NewSocket accepts connections from base, which have the given keep-alive, until the socket is closed.
func NewSocket(base net.Listener, keep net.KeepAliveConfig) *Socket {
	s := &Socket{
		base: base, keep: keep, queue: make(chan accepted), closed: make(chan struct{}),
		listeners: make(map[*Listener]struct{}),
	}
	go s.accept()
	return s
}

func (s *Socket) accept() {
	for {
		conn, err := s.base.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		// The server that gets the error decides how long to wait; net/http waits when descriptors run out.
		if !s.offer(accepted{conn: conn, keep: s.keep, err: err}) {
			return
		}
	}
}

// offer returns once a listener has accepted the connection. If the socket is closed, it closes the connection and
// reports false.
func (s *Socket) offer(a accepted) bool {
	select {
	case s.queue <- a:
		return true
	case <-s.closed:
		if a.conn != nil {
			a.conn.Close()
		}
		return false
	}
}

// handOver gives a connection to a generation that is not ending. Without one, it closes the connection.
func (s *Socket) handOver(a accepted) {
	if !s.succeeded() {
		a.conn.Close()
		return
	}
	s.offer(a)
}

// succeeded reports whether a generation that is not ending has a listener.
func (s *Socket) succeeded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.listeners {
		if !l.generation.ending.Load() {
			return true
		}
	}
	return false
}

// Close closes the socket and the connections that wait in it.
func (s *Socket) Close() error {
	err := net.ErrClosed
	s.once.Do(func() {
		close(s.closed)
		err = s.base.Close()
	})
	return err
}
