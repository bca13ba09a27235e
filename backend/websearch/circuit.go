package websearch

import (
	"sync"
	"time"
)

const (
	// failuresMost is after how many consecutive failures a provider's circuit opens.
	failuresMost = 3
	// A failing provider is not asked for openFirst, then twice as long after each failed probe, up to openMost.
	openFirst = 15 * time.Second
	openMost  = 5 * time.Minute
	// openRefused is for faults that only an operator can fix: keys, plans, and wrongly configured servers. It is not
	// longer because services have been seen to refuse a good key for a while.
	openRefused = 15 * time.Minute
	// openQuota is for a used-up quota if the service gives no time; credits can be bought at any time.
	openQuota = 15 * time.Minute
	// openRate is for too many requests if the service gives no time.
	openRate = 2 * time.Second
	// retryMost is the longest Retry-After of a provider that is respected.
	retryMost = time.Hour
)

// circuit is a circuit breaker, which keeps a chain from asking a failing provider. It is closed in normal operation. While
// it is open, the provider is not asked. When the time is over, it is half open, and one search probes the provider for
// all: its result closes the circuit or opens it again.
type circuit struct {
	mu       sync.Mutex
	failures int       // consecutive, while closed
	until    time.Time // zero while closed
	trips    int       // consecutive failed probes
	why      *Error    // what opened it
	probing  bool
}

// permit is the permission to ask the provider once. It must be returned with settle.
type permit struct{ probe bool }

// ask returns a permit, or why there is none.
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
		Message: "not used for another " + wait.Round(time.Second).String() + " because it failed: " + c.why.Message,
	}
}

// change is what a settled permit did to the circuit.
type change string

const (
	unchanged change = ""
	opened    change = "opened"
	closed    change = "closed"
)

// settle records the result of a permit: no failure, a failure, or one that says nothing about the provider.
func (c *circuit) settle(p permit, failure *Error, now time.Time) change {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.probe {
		c.probing = false
	} else if !c.until.IsZero() {
		return unchanged // it was asked before the circuit opened: nothing new
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

// openFor returns how long the circuit opens for a failure; 0: it stays closed.
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
