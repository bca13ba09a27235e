package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// farewell is how long a server that stops still takes connections, and closes each with its answer. By then a proxy
	// under load has used up those that it kept. A connection that the server closes by itself may just have been sent a
	// request, which a proxy cannot repeat: it may have been done.
	farewell = 250 * time.Millisecond
	// firstRequestWithin is how long a connection on which nothing was asked yet keeps a server from stopping.
	firstRequestWithin = time.Second
	lookEvery          = 10 * time.Millisecond
)

// Serve answers requests until ctx ends, and then those that were sent to it, within drain. The listener is a TCP or a
// Unix one. http.Server.Shutdown alone drops the requests that it reads once it was called.
func Serve(ctx context.Context, server *http.Server, listener net.Listener, drain time.Duration) error {
	listening, ok := listener.(drainable)
	if !ok {
		return fmt.Errorf("serving: a %T cannot be drained", listener)
	}
	last, open := lastListener{listening}, &openConns{since: make(map[net.Conn]time.Time)}
	var stopping atomic.Bool
	answer := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		answer.ServeHTTP(w, r)
	})
	server.ConnState = open.changed
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(last) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	drained, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	stopping.Store(true)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for began := time.Now(); time.Since(began) < farewell; <-tick.C {
	}
	if err := last.stop(); err != nil {
		return err
	}
	if err := <-failed; !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("serving: %w", err)
	}
	for open.areBusy() && drained.Err() == nil {
		<-tick.C
	}
	if err := server.Shutdown(drained); err != nil {
		return fmt.Errorf("finishing the requests under way: %w", err)
	}
	return nil
}

// openConns are the connections on which a request is under way, or their first is still to come.
type openConns struct {
	mu sync.Mutex
	// since is when a connection was taken, or zero once a request is under way.
	since map[net.Conn]time.Time
}

// changed is an http.Server's ConnState.
func (o *openConns) changed(c net.Conn, state http.ConnState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch state {
	case http.StateNew:
		o.since[c] = time.Now()
	case http.StateActive:
		o.since[c] = time.Time{}
	default:
		delete(o.since, c)
	}
}

func (o *openConns) areBusy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, since := range o.since {
		if since.IsZero() || time.Since(since) < firstRequestWithin {
			return true
		}
	}
	return false
}
