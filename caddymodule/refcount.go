package caddymodule

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// uses is the reference count of something shared, by requests. A reload stops and cleans up the old configuration
// while requests still run through it. What they hold and have to capture must exist until the last of them has ended.
type uses struct{ begun, over atomic.Int64 }

// begin counts a request. The caller must call end when the request is over.
func (u *uses) begin() (end func()) {
	u.begun.Add(1)
	return u.end
}

func (u *uses) end() { u.over.Add(1) }

// running returns how many requests run.
func (u *uses) running() int64 {
	over := u.over.Load() // first: a request that begins and ends between the two reads must not hide another
	return u.begun.Load() - over
}

const (
	// unusedMin is how long no request must have run: one that was read just before its server stopped may not have
	// reached a handler yet.
	unusedMin  = time.Second
	unusedStep = 100 * time.Millisecond
)

// ended waits until no request runs and none can come any more. It also returns when the process exits, because Caddy
// has then waited for all requests.
func (u *uses) ended() {
	tick := time.NewTicker(unusedStep)
	defer tick.Stop()
	begun, quiet := u.begun.Load(), time.Duration(0)
	for !caddy.Exiting() && quiet < unusedMin {
		<-tick.C
		quiet += unusedStep
		if now := u.begun.Load(); now != begun || u.running() > 0 {
			begun, quiet = now, 0
		}
	}
}

// stillInUse counts what no configuration uses any more but requests still do.
var stillInUse sync.WaitGroup

// closeWhenUnused closes something shared after its last request. On a reload it does so in the background, and the app
// waits for it on exit. When the process exits, it closes at once.
func closeWhenUnused(u *uses, closeFunc func() error, failed func(error)) error {
	if caddy.Exiting() {
		return closeFunc()
	}
	stillInUse.Go(func() {
		u.ended()
		if err := closeFunc(); err != nil {
			failed(err)
		}
	})
	return nil
}

// user is a module that counts the requests that use what it shares.
type user interface {
	begin() (end func())
}

// begin counts a request on the ledger and the gate, until end is called.
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

// beginOn counts a request on a module, if it is a user.
func beginOn(mod any) (end func()) {
	if u, ok := mod.(user); ok {
		return u.begin()
	}
	return func() {}
}

// holder is a module whose shared part others can keep beyond the module's configuration.
type holder interface {
	hold() (release func() error)
}

// holdOn keeps the shared part of a module, if it is a holder.
func holdOn(mod any) (release func() error) {
	if h, ok := mod.(holder); ok {
		return h.hold()
	}
	return func() error { return nil }
}

// holdPooled adds a reference to an entry of the pools.
func holdPooled(key any) (release func() error) {
	_, _, err := pools.LoadOrNew(key, func() (caddy.Destructor, error) { return nil, errors.New("pool entry is not in use") })
	if err != nil {
		return func() error { return err }
	}
	return func() error {
		_, err := pools.Delete(key)
		return err
	}
}
