package caddymodule

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// uses counts the requests that stand on something shared. A reload stops and
// cleans up the old configuration while requests still run through it, for as
// long as they take: what they hold and have to capture must be there until the
// last of them has ended.
type uses struct {
	running atomic.Int64
	last    atomic.Int64 // when one last began or ended, in Unix nanoseconds
}

// begin counts a request; the caller calls end when it is over.
func (u *uses) begin() (end func()) {
	u.running.Add(1)
	u.last.Store(time.Now().UnixNano())
	return func() {
		u.last.Store(time.Now().UnixNano())
		u.running.Add(-1)
	}
}

const (
	// lingerMin is how long nothing must have been begun: a request that was read
	// just before its server was told to stop has yet to reach a handler.
	lingerMin  = time.Second
	lingerStep = 100 * time.Millisecond
)

// ended waits until nothing is running and nothing more will come, or the
// process exits: Caddy itself has waited for all requests by then.
func (u *uses) ended() {
	tick := time.NewTicker(lingerStep)
	defer tick.Stop()
	for !caddy.Exiting() {
		idle := time.Since(time.Unix(0, u.last.Load()))
		if u.running.Load() == 0 && idle >= lingerMin {
			return
		}
		<-tick.C
	}
}

// lingering is what has no configuration any more and waits for its last requests.
var lingering sync.WaitGroup

// closeWhenUnused closes something shared after its last request: in the background
// of a reload, and at once when the process exits. The app waits for what is left then.
func closeWhenUnused(u *uses, closeFunc func() error, failed func(error)) error {
	if caddy.Exiting() {
		return closeFunc()
	}
	u.last.Store(time.Now().UnixNano())
	lingering.Go(func() {
		u.ended()
		if err := closeFunc(); err != nil {
			failed(err)
		}
	})
	return nil
}

// user is a guest that wants to know of each request that stands on what it shares.
type user interface {
	begin() (end func())
}

// begin tells ledger and gate that a request stands on them until end is called.
func (a *App) begin() (end func()) {
	endLedger := beginOn(a.ledger)
	if a.gate == nil {
		return endLedger
	}
	endGate := a.gate.uses.begin()
	return func() {
		endGate()
		endLedger()
	}
}

// beginOn tells a guest, if it is a user.
func beginOn(guest any) (end func()) {
	if u, ok := guest.(user); ok {
		return u.begin()
	}
	return func() {}
}

// holder is a guest that something can stand on which outlives the guest's configuration.
type holder interface {
	hold() (release func() error)
}

// holdOn holds a guest, if it is shared.
func holdOn(guest any) (release func() error) {
	if h, ok := guest.(holder); ok {
		return h.hold()
	}
	return func() error { return nil }
}

// holdPooled adds a user to what is in the pools.
func holdPooled(key any) (release func() error) {
	_, _, err := pools.LoadOrNew(key, func() (caddy.Destructor, error) { return nil, errors.New("nobody uses it") })
	if err != nil {
		return func() error { return err }
	}
	return func() error {
		_, err := pools.Delete(key)
		return err
	}
}
