// Package graceful serves HTTP and stops without losing a request.
package graceful

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
	// farewell is how long a stopping server still accepts connections, and closes each after its response. By then a
	// busy proxy has used up its idle connections. If the server closed them itself, a request could just be on the
	// way, which the proxy must not retry: it may have been executed.
	farewell = 250 * time.Millisecond
	// firstRequestWithin is how long a connection without a first request keeps a server from stopping.
	firstRequestWithin = time.Second
	lookEvery          = 10 * time.Millisecond
)

// Serve handles requests until ctx ends, and then, within drain, those that were already sent. listener is a TCP or
// Unix listener. http.Server.Shutdown alone drops requests that it reads after it was called.
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
		return fmt.Errorf("finishing the requests in progress: %w", err)
	}
	return nil
}

// openConns are the connections with a request under way or whose first request is still to come.
type openConns struct {
	mu sync.Mutex
	// since is when a connection was accepted, or zero once a request is under way.
	since map[net.Conn]time.Time
}

// changed is the ConnState function of an http.Server.
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
