package ratelimit

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"time"
)

// Limit is a rate: a number of requests per window.
type Limit struct {
	// Events is how many requests are allowed per Window. Required.
	Events int64
	// Window is a whole number of seconds. Required.
	Window time.Duration
	// Burst is how many are allowed at once, after a pause. Default: Events.
	Burst int64
}

// spanMax is the longest time that an empty quota may take to fill.
const spanMax = 366 * 24 * time.Hour

// Validate returns all errors.
func (l Limit) Validate() error {
	var errs []error
	if l.Events < 1 {
		errs = append(errs, fmt.Errorf("events: got %d, want 1 or more", l.Events))
	}
	if l.Window < time.Second || l.Window > spanMax || l.Window%time.Second != 0 {
		errs = append(errs, fmt.Errorf("window: got %s, want whole seconds, from 1s to %s", l.Window, spanMax))
	}
	if l.Burst < 0 {
		errs = append(errs, fmt.Errorf("burst: got %d, want 1 or more", l.Burst))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if l.Events > int64(l.Window) {
		return fmt.Errorf("events: got %d per %s, want at most one per nanosecond", l.Events, l.Window)
	}
	if l.Burst > int64(spanMax)/l.interval() {
		return fmt.Errorf("burst: %d take more than %s to refill at %d per %s", l.Burst, spanMax, l.Events, l.Window)
	}
	return nil
}

// interval is the time from one request to the next at the steady rate, in nanoseconds; rounded up, so that a window
// never has more than Events.
func (l Limit) interval() int64 {
	return (int64(l.Window) + l.Events - 1) / l.Events
}

func (l Limit) burst() int64 {
	if l.Burst == 0 {
		return l.Events
	}
	return l.Burst
}

// Rule is the limits for one class of requests. A [Limiter] makes its own rules.
type Rule struct {
	name        string
	limit       Limit
	policy      string
	class       int   // index of this class's quota in a key's entry
	interval    int64 // nanoseconds
	depth       int64 // nanoseconds that an empty quota takes to fill
	inFlightMax int32
}

// Name returns the class's name.
func (r *Rule) Name() string { return r.name }

// Limit returns the class's rate, with its burst filled in.
func (r *Rule) Limit() Limit { return r.limit }

// InFlightMax returns how many requests a key may have in flight, in all classes.
func (r *Rule) InFlightMax() int64 { return int64(r.inFlightMax) }

// InFlight is the name of the policy for requests in flight; no class may have it.
const InFlight = "in-flight"

// className allows only names that are valid as labels and in strings of RFC 9651.
var className = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// CheckName returns an error for an invalid class name.
func CheckName(name string) error {
	if !className.MatchString(name) {
		return fmt.Errorf("%q is not a valid name, want at most 32 of a to z, 0 to 9, - and _, beginning with a letter", name)
	}
	if name == InFlight {
		return fmt.Errorf("%q is reserved for the limit on requests in flight", name)
	}
	return nil
}

func newRule(name string, limit Limit, inFlightMax int64) (*Rule, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if err := limit.Validate(); err != nil {
		return nil, fmt.Errorf("class %s: %w", name, err)
	}
	if inFlightMax < 1 || inFlightMax > math.MaxInt32 {
		return nil, fmt.Errorf("requests in flight: got %d, want 1 to %d", inFlightMax, math.MaxInt32)
	}
	limit.Burst = limit.burst()
	r := &Rule{name: name, limit: limit, interval: limit.interval(), inFlightMax: int32(inFlightMax)}
	r.depth = limit.Burst * r.interval
	r.policy = r.describe()
	return r, nil
}
