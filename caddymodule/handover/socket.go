package handover

import (
	"errors"
	"net"
	"sync"
)

// Socket is a listening socket that serves any number of listeners, one after the other or at once. Each connection
// goes to one of them.
type Socket struct {
	base   net.Listener
	keep   net.KeepAliveConfig // of base
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
	unread []byte // what was read of it, and belongs to whoever takes it
	err    error
}

// NewSocket accepts from base, whose connections have the given keep-alive, until it is closed.
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
		// Whoever is told of an error decides how long to wait: net/http does where it is out of descriptors.
		if !s.offer(accepted{conn: conn, keep: s.keep, err: err}) {
			return
		}
	}
}

// offer returns when a listener has taken it. It reports false, and the connection is closed, if the socket is.
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

// handOver gives a connection to whichever generation is not at its end, or closes it.
func (s *Socket) handOver(a accepted) {
	if !s.succeeded() {
		a.conn.Close()
		return
	}
	s.offer(a)
}

// succeeded reports whether there is a listener of a generation that goes on.
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

// Close closes the socket and what waits in it.
func (s *Socket) Close() error {
	err := net.ErrClosed
	s.once.Do(func() {
		close(s.closed)
		err = s.base.Close()
	})
	return err
}
