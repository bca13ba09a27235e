package hostlimits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

// Config configures a Gate.
type Config struct {
	Queries *db.Queries  // required
	Logger  *slog.Logger // required

	// Concurrency is how many requests may be in progress at a host and port. Default 2.
	Concurrency int32
	// Interval is the time between the starts of requests to a host, once a burst is used up. Default 200 ms: five a
	// second.
	Interval time.Duration
	// Burst is how many requests may start at once after a pause. Default 5.
	Burst int
	// WaitMax is how long a request waits for its turn. Default 30 s.
	WaitMax time.Duration
	// Lease is when a turn that was not given back expires: longer than any request. Default 75 s.
	Lease time.Duration
	// BackOff is how long a host that refused without a Retry-After is not contacted, the first time. It doubles with each
	// further refusal, up to BackOffMax. Default 2 s and 5 min.
	BackOff, BackOffMax time.Duration
	// RetryAfterMax is the longest Retry-After that is respected. Default 1 h.
	RetryAfterMax time.Duration
	// Exempt lists address ranges without host limits: the operator's own, such as private ranges that fetch.Config allows.
	// It applies only to localhost and to hosts written as an address.
	Exempt []netip.Prefix

	// clock is for tests. Nil: the machine's clock for waiting, the database's for everything else.
	clock clock
}

// clock is a clock that tests can move.
type clock interface {
	Now() time.Time
	// Wait returns after d, or when wake is signalled, or with the context's cause when that ends.
	Wait(ctx context.Context, d time.Duration, wake <-chan struct{}) error
}

func (c Config) withDefaults() Config {
	c.Concurrency = cmp.Or(c.Concurrency, 2)
	c.Interval = cmp.Or(c.Interval, 200*time.Millisecond)
	c.Burst = cmp.Or(c.Burst, 5)
	c.WaitMax = cmp.Or(c.WaitMax, 30*time.Second)
	c.Lease = cmp.Or(c.Lease, 75*time.Second)
	c.BackOff = cmp.Or(c.BackOff, 2*time.Second)
	c.BackOffMax = cmp.Or(c.BackOffMax, 5*time.Minute)
	c.RetryAfterMax = cmp.Or(c.RetryAfterMax, time.Hour)
	return c
}

// Validate returns all faults at once.
func (c Config) Validate() error {
	var errs []error
	if c.Queries == nil {
		errs = append(errs, errors.New("Queries is required"))
	}
	if c.Logger == nil {
		errs = append(errs, errors.New("Logger is required"))
	}
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"Concurrency", int64(c.Concurrency)},
		{"Interval", int64(c.Interval)},
		{"Burst", int64(c.Burst)},
		{"WaitMax", int64(c.WaitMax)},
		{"Lease", int64(c.Lease)},
		{"BackOff", int64(c.BackOff)},
		{"BackOffMax", int64(c.BackOffMax)},
		{"RetryAfterMax", int64(c.RetryAfterMax)},
	} {
		if limit.value < 0 {
			errs = append(errs, fmt.Errorf("%s must not be negative", limit.name))
		}
	}
	if c.Interval > 0 && c.Interval < time.Millisecond {
		errs = append(errs, errors.New("Interval must be at least a millisecond"))
	}
	return errors.Join(errs...)
}

// systemClock uses the machine's clock.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Wait(ctx context.Context, d time.Duration, wake <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-wake:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
