package websearch

import (
	"sync"
	"time"
)

const (
	// failuresMost is how many failures in a row a provider has before it is left alone.
	failuresMost = 3
	// A provider that is out of order is left alone for openFirst, then twice as long after each probe that fails, up to
	// openMost.
	openFirst = 15 * time.Second
	openMost  = 5 * time.Minute
	// openRefused is for what only an operator mends: keys, plans, and a server that is set up otherwise. It is no longer
	// than this because services have been seen to refuse a good key for a while.
	openRefused = 15 * time.Minute
	// openQuota is for a quota that is used up, where nobody says until when; credits can be bought at any time.
	openQuota = 15 * time.Minute
	// openRate is for too many requests, where nobody says for how long.
	openRate = 2 * time.Second
	// retryMost is the longest that a provider is heard that wants to be left alone.
	retryMost = time.Hour
)

// circuit keeps a chain from asking a provider that does not answer. It is closed as long as all is well. Open, nobody
// asks; when its time is over it is half open, and one search asks on behalf of all: what comes of it closes the circuit
// or opens it anew.
type circuit struct {
	mu       sync.Mutex
	failures int       // in a row, while closed
	until    time.Time // zero while closed
	trips    int       // probes that failed in a row
	why      *Error    // what opened it
	probing  bool
}

// permit is leave to ask the provider once. Whoever has one hands it back by settle.
type permit struct{ probe bool }

// ask returns leave to ask, or why there is none.
func (c *circuit) ask(now time.Time) (permit, *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.until.IsZero():
		return permit{}, nil
	case now.Before(c.until):
		return permit{}, c.closedTo(c.until.Sub(now))
	case c.probing:
		return permit{}, c.closedTo(openRate)
	}
	c.probing = true
	return permit{probe: true}, nil
}

func (c *circuit) closedTo(wait time.Duration) *Error {
	return &Error{
		Provider: c.why.Provider, Reason: c.why.Reason, Status: c.why.Status, RetryAfter: wait, passing: true,
		Message: "not asked for another " + wait.Round(time.Second).String() + ", since it failed: " + c.why.Message,
	}
}

// change is what a settled permit did to the circuit.
type change string

const (
	unchanged change = ""
	opened    change = "opened"
	closed    change = "closed"
)

// settle says what came of a permit: no failure, a failure, or one that says nothing of the provider.
func (c *circuit) settle(p permit, failure *Error, now time.Time) change {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.probe {
		c.probing = false
	} else if !c.until.IsZero() {
		return unchanged // it was asked before the circuit opened, and tells nothing new
	}
	if failure == nil {
		was := c.until
		c.failures, c.trips, c.until, c.why = 0, 0, time.Time{}, nil
		if was.IsZero() {
			return unchanged
		}
		return closed
	}
	if !failure.counts() {
		return unchanged
	}
	open := c.openFor(failure, p)
	if open == 0 {
		return unchanged
	}
	c.until, c.why = now.Add(open), failure
	return opened
}

// openFor is how long the circuit opens for a failure; 0: it stays closed.
func (c *circuit) openFor(failure *Error, p permit) time.Duration {
	asked := min(failure.RetryAfter, retryMost)
	switch failure.Reason {
	case ReasonRefused, ReasonDisabled:
		return max(asked, openRefused)
	case ReasonQuota:
		return orElse(asked, openQuota)
	case ReasonRateLimited:
		return orElse(asked, openRate)
	default:
	}
	if p.probe {
		c.trips++
	} else if c.failures++; c.failures < failuresMost && asked == 0 {
		return 0
	}
	return max(asked, min(openFirst<<min(c.trips, 10), openMost))
}

func orElse(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}
