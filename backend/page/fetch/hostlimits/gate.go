package hostlimits

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

const (
	// pollEvery is how often a process checks for turns that other processes give back. Its own returned turns are
	// signalled.
	pollEvery = 100 * time.Millisecond
	// spreadMax is the random extension of waits, so that processes do not ask at the same moment.
	spreadMax = 20 * time.Millisecond
	// leaveTimeout limits the return of a turn. A turn that cannot be returned expires.
	leaveTimeout = 2 * time.Second
)

// Gate is a fetch.Gate that all processes with the same database share. It is safe for concurrent use.
type Gate struct {
	config Config
	store  store
	clock  clock

	turns turns

	mu    sync.Mutex
	lines map[string]*line
}

// line is the queue for a host in this process.
type line struct {
	turn  *admission.Pool // of size one, held while asking the database; the others wait for it fairly, by holder
	freed chan struct{}   // signalled when this process gives a turn back
	users int
}

var _ fetch.Gate = (*Gate)(nil)

// New makes a Gate.
func New(config Config) (*Gate, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("politeness: %w", err)
	}
	config = config.withDefaults()
	g := &Gate{config: config, clock: systemClock{}, lines: map[string]*line{}}
	g.store = store{queries: config.Queries, config: config, now: func() *time.Time { return nil }}
	if config.clock != nil {
		g.clock = config.clock
		g.store.now = func() *time.Time {
			now := config.clock.Now()
			return &now
		}
	}
	return g, nil
}

// Enter waits for a turn at host, as fetch.Gate requires.
func (g *Gate) Enter(ctx context.Context, host string) (func(fetch.Outcome), error) {
	if g.exempt(host) {
		return func(fetch.Outcome) {}, nil
	}
	waitMax := fetch.Patience(ctx, g.config.WaitMax)
	if due := g.turns.wait(host, g.clock.Now()); due > waitMax {
		return nil, g.busy(host, due) // the database would say the same
	}
	l := g.join(host)
	defer g.quit(host, l)
	limit := g.clock.Now().Add(waitMax)
	turn, err := g.stand(ctx, host, l, waitMax)
	if err != nil {
		return nil, err
	}
	defer turn.Release()
	lease := uuid.NewString()
	for {
		granted, err := g.store.enter(ctx, host, lease)
		if err != nil && ctx.Err() != nil {
			err = g.ended(ctx, host, g.config.Interval)
		}
		if err != nil {
			return nil, err
		}
		if granted {
			return func(o fetch.Outcome) { g.leave(ctx, host, lease, o) }, nil
		}
		if err := g.wait(ctx, host, l, limit); err != nil {
			return nil, err
		}
	}
}

// Pace returns the time between the starts of requests to host, once a burst is used up, without the host's Crawl-delay.
// exempt reports whether host has no limits. host may be without its port.
func (g *Gate) Pace(host string) (interval time.Duration, exempt bool) {
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), "0") // the port does not matter
	}
	return g.config.Interval, g.exempt(host)
}

// stand waits until no request of this process is ahead.
func (g *Gate) stand(ctx context.Context, host string, l *line, waitMax time.Duration) (admission.Grant, error) {
	limited, cancel := context.WithTimeout(ctx, waitMax)
	defer cancel()
	turn, err := l.turn.Acquire(limited, 1)
	switch {
	case err == nil:
		return turn, nil
	case ctx.Err() != nil:
		return turn, g.ended(ctx, host, g.config.Interval)
	}
	return turn, g.busy(host, 0)
}

// ended returns the error for a wait that the context ended: if the deadline passed while waiting, the host was busy, not
// slow.
func (g *Gate) ended(ctx context.Context, host string, retryAfter time.Duration) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return &fetch.BusyError{Host: host, RetryAfter: retryAfter}
	}
	return context.Cause(ctx)
}

// wait waits as long as the host's row says, and fails at once if that is longer than the time left.
func (g *Gate) wait(ctx context.Context, host string, l *line, limit time.Time) error {
	due, full, err := g.store.wait(ctx, host)
	if err != nil && ctx.Err() != nil {
		err = g.ended(ctx, host, g.config.Interval)
	}
	if err != nil {
		return err
	}
	left := limit.Sub(g.clock.Now())
	if deadline, ok := ctx.Deadline(); ok {
		left = min(left, time.Until(deadline))
	}
	if left <= 0 || due > left {
		return g.busy(host, due)
	}
	if full {
		due = max(due, pollEvery)
	}
	due += rand.N(spreadMax) //nolint:gosec // spreads load, hides nothing
	if err := g.clock.Wait(ctx, min(due, left), l.freed); err != nil {
		return g.ended(ctx, host, due)
	}
	return nil
}

// leave gives a turn back, even after the request has ended.
func (g *Gate) leave(ctx context.Context, host, lease string, o fetch.Outcome) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	refused := o.StatusCode == http.StatusTooManyRequests || o.StatusCode == http.StatusServiceUnavailable
	if err := g.store.leave(ctx, host, lease, refused, o); err != nil {
		g.config.Logger.WarnContext(ctx, "a turn at a host could not be released and will expire", "host", host, "error", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if l := g.lines[host]; l != nil {
		select {
		case l.freed <- struct{}{}:
		default:
		}
	}
}

func (g *Gate) join(host string) *line {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.lines[host]
	if l == nil {
		l = &line{turn: admission.New(admission.Config{Size: 1}), freed: make(chan struct{}, 1)}
		g.lines[host] = l
	}
	l.users++
	return l
}

func (g *Gate) quit(host string, l *line) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(g.lines, host)
	}
}

func (g *Gate) exempt(hostPort string) bool {
	if len(g.config.Exempt) == 0 {
		return false
	}
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		if host = strings.TrimSuffix(host, "."); host != "localhost" && !strings.HasSuffix(host, ".localhost") {
			return false
		}
		addr = netip.AddrFrom4([4]byte{127, 0, 0, 1}) // RFC 6761 section 6.3
	}
	addr = addr.Unmap().WithZone("")
	for _, prefix := range g.config.Exempt {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// Purge deletes hosts and robots files that were not used for a while, and returns how many.
func (g *Gate) Purge(ctx context.Context) (int64, error) {
	now := g.clock.Now()
	hosts, err := g.store.deleteIdle(ctx, now)
	if err != nil {
		return 0, err
	}
	files, err := g.store.deleteRobots(ctx, now)
	return hosts + files, err
}
