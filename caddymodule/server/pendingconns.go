package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyevents"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/server/handover"
)

const (
	// pendingMax limits how long a reload is delayed.
	pendingMax = time.Second
	// arrivalWithin is how long a new connection is given for its first request. After that it is taken for one that
	// was opened ahead of need, and not waited for.
	arrivalWithin = 100 * time.Millisecond
	pendingStep   = 200 * time.Microsecond
)

// PendingConns tracks what has reached a configuration's servers but no handler when the configuration ends. A server that
// stops drops a request that it is just reading, and closes connections on which one may be on its way (net/http).
// Clients do not retry a request by themselves if it is not safe to send it twice. So, before Caddy stops the servers:
//
//   - the sockets, and the connections without a running request, move to the next configuration;
//   - a request that has begun to arrive is waited for until a handler has it.
type PendingConns struct {
	generation handover.Generation

	mu      sync.Mutex
	watched map[*caddyhttp.Server]bool
	// Connections of unix sockets cannot move. Their first request is waited for.
	waiting atomic.Int64 // the size of since; 0 for most requests, which then skip it
	since   sync.Map     // net.Conn to the time.Time of its acceptance
}

// Subscribe makes Caddy wait for arriving requests before it stops the configuration.
func (a *PendingConns) Subscribe(ctx caddy.Context) error {
	mod, err := ctx.App("events")
	if err != nil {
		return fmt.Errorf("loading the events app: %w", err)
	}
	events, ok := mod.(*caddyevents.App)
	if !ok {
		return fmt.Errorf("app events has the unexpected type %T", mod)
	}
	if err := events.On("stopping", a); err != nil { // emitted and handled before any app is stopped
		return fmt.Errorf("subscribing to the stopping event: %w", err)
	}
	return nil
}

// Watch adds the server whose handler is being provisioned, if there is one. It does not listen yet, so its addresses
// can be changed.
func (a *PendingConns) Watch(ctx caddy.Context) {
	server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if !ok {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.watched[server] {
		return
	}
	if a.watched == nil {
		a.watched = make(map[*caddyhttp.Server]bool)
	}
	a.watched[server] = true
	server.RegisterConnState(a.changed)
	for i, address := range server.Listen {
		server.Listen[i] = keptAddress(address)
	}
}

// changed records a new state of a server's connection.
func (a *PendingConns) changed(conn net.Conn, state http.ConnState) {
	if a.generation.Changed(conn, state) {
		return
	}
	if state == http.StateNew {
		a.since.Store(conn, time.Now())
		a.waiting.Add(1)
		return
	}
	if a.waiting.Load() == 0 {
		return
	}
	if _, was := a.since.LoadAndDelete(conn); was {
		a.waiting.Add(-1)
	}
}

// Handle implements caddyevents.Handler. If there is a next configuration, it already serves.
func (a *PendingConns) Handle(context.Context, caddy.Event) error {
	a.generation.End()
	tick := time.NewTicker(pendingStep)
	defer tick.Stop()
	for end := time.Now().Add(pendingMax); a.underway() && time.Now().Before(end); {
		<-tick.C
	}
	return nil
}

func (a *PendingConns) underway() (found bool) {
	if a.generation.Arriving() {
		return true
	}
	a.since.Range(func(_, value any) bool {
		since, ok := value.(time.Time)
		found = ok && time.Since(since) < arrivalWithin
		return !found
	})
	return found
}

// Interface guard
var _ caddyevents.Handler = (*PendingConns)(nil)
