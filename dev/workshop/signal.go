package workshop

import (
	"context"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
)

// signal notifies waiters that something was written.
type signal struct {
	mu   sync.Mutex
	next chan struct{}
}

func newSignal() *signal { return &signal{next: make(chan struct{})} }

func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next
}

func (s *signal) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.next)
	s.next = make(chan struct{})
}

// signalling is a handler that gives a signal after each batch of finished tasks.
type signalling struct {
	jobs.Handler

	signal *signal
}

func (h *signalling) Finish(ctx context.Context, done []jobs.Done) error {
	defer h.signal.give()
	return h.Handler.Finish(ctx, done)
}
