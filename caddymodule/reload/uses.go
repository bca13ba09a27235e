package reload

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// Uses is the reference count of something shared, by requests. A reload stops and cleans up the old configuration
// while requests still run through it. What they hold and have to capture must exist until the last of them has ended.
type Uses struct{ begun, over atomic.Int64 }

// Begin counts a request. The caller must call end when the request is over.
func (u *Uses) Begin() (end func()) {
	u.begun.Add(1)
	return u.end
}

func (u *Uses) end() { u.over.Add(1) }

// Running returns how many requests run.
func (u *Uses) Running() int64 {
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
func (u *Uses) ended() {
	tick := time.NewTicker(unusedStep)
	defer tick.Stop()
	begun, quiet := u.begun.Load(), time.Duration(0)
	for !caddy.Exiting() && quiet < unusedMin {
		<-tick.C
		quiet += unusedStep
		if now := u.begun.Load(); now != begun || u.Running() > 0 {
			begun, quiet = now, 0
		}
	}
}

// StillInUse counts what no configuration uses any more but requests still do.
var StillInUse sync.WaitGroup

// CloseWhenUnused closes something shared after its last request. On a reload it does so in the background, and the app
// waits for it on exit. When the process exits, it closes at once.
func CloseWhenUnused(u *Uses, closeFunc func() error, failed func(error)) error {
	if caddy.Exiting() {
		return closeFunc()
	}
	StillInUse.Go(func() {
		u.ended()
		if err := closeFunc(); err != nil {
			failed(err)
		}
	})
	return nil
}

// User is a module that counts the requests that use what it shares.
type User interface {
	// Begin counts a request until end is called.
	Begin() (end func())
}

// BeginOn counts a request on a module, if it is a user.
func BeginOn(mod any) (end func()) {
	if u, ok := mod.(User); ok {
		return u.Begin()
	}
	return func() {}
}

// Holder is a module whose shared part others can keep beyond the module's configuration.
type Holder interface {
	// Hold keeps the shared part until release is called.
	Hold() (release func() error)
}

// HoldOn keeps the shared part of a module, if it is a holder.
func HoldOn(mod any) (release func() error) {
	if h, ok := mod.(Holder); ok {
		return h.Hold()
	}
	return func() error { return nil }
}
