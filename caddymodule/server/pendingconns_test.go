package server

import (
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// A configuration ends when no connection has an unread request: at once, after the last one was read, or after a bounded time.
func TestPendingConnectionsAreAwaited(t *testing.T) {
	t.Parallel()
	const later = 20 * time.Millisecond
	cases := map[string]struct {
		arrive func(a *PendingConns, conn func() net.Conn)
		// The wait lasts that long, and at most one step longer.
		want time.Duration
	}{
		"none": {func(*PendingConns, func() net.Conn) {}, 0},
		"is read": {func(a *PendingConns, conn func() net.Conn) {
			first := conn()
			a.changed(first, http.StateNew)
			<-time.After(later) // of the synctest clock
			a.changed(first, http.StateActive)
		}, later},
		"goes away": {func(a *PendingConns, conn func() net.Conn) {
			first := conn()
			a.changed(first, http.StateNew)
			<-time.After(later)
			a.changed(first, http.StateClosed)
		}, later},
		"sends nothing": {func(a *PendingConns, conn func() net.Conn) { a.changed(conn(), http.StateNew) }, arrivalWithin},
		"never ends": {func(a *PendingConns, conn func() net.Conn) {
			for end := time.Now().Add(2 * pendingMax); time.Now().Before(end); <-time.After(later) {
				a.changed(conn(), http.StateNew)
			}
		}, pendingMax},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a, start := new(PendingConns), time.Now()
				var arriving sync.WaitGroup
				defer arriving.Wait()
				arriving.Go(func() { c.arrive(a, func() net.Conn { conn, _ := net.Pipe(); return conn }) })
				synctest.Wait()
				if err := a.Handle(t.Context(), caddy.Event{}); err != nil {
					t.Fatal(err)
				}
				if got := time.Since(start); got < c.want || got > c.want+pendingStep {
					t.Errorf("waited %s, want %s", got, c.want)
				}
			})
		})
	}
}
