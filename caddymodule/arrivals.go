package caddymodule

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

	"github.com/turnpike-edge/turnpike/caddymodule/handover"
)

const (
	// arrivalsMax bounds how long a reload is held up.
	arrivalsMax = time.Second
	// arrivalWithin is how soon a connection's first request comes, if one comes: a
	// connection that was opened for later is not waited for.
	arrivalWithin = 100 * time.Millisecond
	arrivalsStep  = 200 * time.Microsecond
)

// arrivals are what of a configuration's connections no handler has yet when it ends. A server that is told to stop drops
// a request that it reads in that moment, and closes connections on which one may be on its way (net/http), and no client
// repeats by itself what it may not send twice. So, before Caddy tells it:
//
//   - the sockets, and the connections on which nothing is under way, go over to the next configuration;
//   - what has begun to arrive is waited for, until it is in a handler.
type arrivals struct {
	generation handover.Generation

	mu      sync.Mutex
	watched map[*caddyhttp.Server]bool
	// Of the connections that cannot go over (of unix sockets), the first request is waited for.
	waiting atomic.Int64 // how many are in since: none, for all but the first request of a connection
	since   sync.Map     // net.Conn to the time.Time at which it was accepted
}

// subscribe has Caddy wait for what is arriving before it stops the configuration.
func (a *arrivals) subscribe(ctx caddy.Context) error {
	mod, err := ctx.App("events")
	if err != nil {
		return fmt.Errorf("loading the events app: %w", err)
	}
	events, ok := mod.(*caddyevents.App)
	if !ok {
		return fmt.Errorf("app events is a %T", mod)
	}
	if err := events.On("stopping", a); err != nil { // is emitted, and handled, before any app is stopped
		return fmt.Errorf("subscribing to the end of the configuration: %w", err)
	}
	return nil
}

// watch adds the server of which a handler is being provisioned, if it is one's: it has yet to listen.
func (a *arrivals) watch(ctx caddy.Context) {
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

// changed is told by the server of each state of each connection.
func (a *arrivals) changed(conn net.Conn, state http.ConnState) {
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

// Handle implements caddyevents.Handler. By now the next configuration serves, if there is one.
func (a *arrivals) Handle(context.Context, caddy.Event) error {
	a.generation.End()
	tick := time.NewTicker(arrivalsStep)
	defer tick.Stop()
	for end := time.Now().Add(arrivalsMax); a.underway() && time.Now().Before(end); {
		<-tick.C
	}
	return nil
}

func (a *arrivals) underway() (found bool) {
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
var _ caddyevents.Handler = (*arrivals)(nil)
