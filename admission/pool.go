package admission

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrOverloaded means that the holder cannot have more now and cannot wait (longer) for it. Others may still be admitted.
var ErrOverloaded = errors.New("no capacity left in the pool for this holder")

// Config is the configuration of a [Pool].
type Config struct {
	// Name is the pool's name in metrics.
	Name string
	// Size is how much the pool has in all. Required, 1 or more.
	Size int64
	// Waiting is how many requests of one holder can wait in [Pool.Enter]. It is also the limit for all holders without
	// a key together; each of those can have no more waiting requests than are left of it. With 0, none waits.
	Waiting int
	// Patience is how long a request waits in [Pool.Enter].
	Patience time.Duration
}

// Pool is a bounded pool. It is safe for concurrent use.
type Pool struct {
	config Config

	mu       sync.Mutex
	free     int64
	keyless  int64               // what all holders without a key have
	accounts map[Holder]*account // of every holder that has something or waits
	line     []*account          // the holders that wait; first the one that was served longest ago
	waiting  [classes]int
	refused  [classes]uint64
}

// classes counts the classes of holders: with a key (0), and without (1).
const classes = 2

// account records what a holder has, and its waiting requests.
type account struct {
	Holder

	held    int64
	waiters []*waiter
}

func (a *account) class() int {
	if a.Keyless {
		return 1
	}
	return 0
}

type waiter struct {
	n     int64
	ready chan struct{} // closed when the request is admitted
}

// New returns a pool in which everything is free. A size below 1 counts as 1.
func New(config Config) *Pool {
	config.Size = max(config.Size, 1)
	return &Pool{config: config, free: config.Size, accounts: map[Holder]*account{}}
}

// Size returns how much the pool has in all.
func (p *Pool) Size() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.config.Size
}

// Resize changes the size. When more than that is held, nothing is taken back: requests wait until enough is released.
func (p *Pool) Resize(size int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	size = max(size, 1)
	p.free += size - p.config.Size
	p.config.Size = size
	p.serve()
}

// Most returns the most that one request gets: half of the pool, so that others have room too. A larger request gets
// that much.
func (p *Pool) Most() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.most()
}

func (p *Pool) most() int64 { return max(p.config.Size/2, 1) }

// Grant is a share of a pool. It must be released once.
type Grant struct {
	pool    *Pool
	account *account
	n       int64
}

// Held returns how much the grant holds.
func (g *Grant) Held() int64 { return g.n }

// Release returns the grant to the pool. It does nothing on the zero value and on a released grant.
func (g *Grant) Release() { g.Shrink(0) }

// Shrink releases everything above n.
func (g *Grant) Shrink(n int64) {
	if g.pool == nil || n >= g.n {
		return
	}
	g.pool.giveBack(g.account, g.n-n)
	if g.n = n; n == 0 {
		g.pool = nil
	}
}

// Grow raises the grant to n if that is possible at once, and reports whether it did.
func (g *Grant) Grow(n int64) bool {
	if g.pool == nil {
		return false
	}
	p := g.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	n = min(n, p.most())
	if more := n - g.n; more > 0 {
		if !p.admits(g.account, more) {
			return false
		}
		p.take(g.account, more)
		g.n = n
	}
	return true
}

// Acquire waits until the context's holder gets n, without a time limit. Its only error is the context's.
func (p *Pool) Acquire(ctx context.Context, n int64) (Grant, error) {
	g, w := p.ask(From(ctx), n, -1)
	if w == nil {
		return g, nil
	}
	select {
	case <-w.ready:
		return g, nil
	case <-ctx.Done():
		p.giveUp(&g, w, false)
		return Grant{}, context.Cause(ctx)
	}
}

// Enter is Acquire for a request that the client can repeat. It returns [ErrOverloaded] when too many requests of the
// holder wait already, or when the request has waited for the pool's patience.
func (p *Pool) Enter(ctx context.Context, n int64) (Grant, error) {
	g, w := p.ask(From(ctx), n, p.config.Waiting)
	if g.pool == nil {
		return Grant{}, ErrOverloaded
	}
	if w == nil {
		return g, nil
	}
	timer := time.NewTimer(p.config.Patience)
	defer timer.Stop()
	select {
	case <-w.ready:
		return g, nil
	case <-timer.C:
		if p.giveUp(&g, w, true) {
			return Grant{}, ErrOverloaded
		}
		return g, nil
	case <-ctx.Done():
		p.giveUp(&g, w, false)
		return Grant{}, context.Cause(ctx)
	}
}

// Try is Acquire without waiting. It reports whether n was available at once.
func (p *Pool) Try(ctx context.Context, n int64) (Grant, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = min(max(n, 1), p.most())
	a := p.account(From(ctx))
	if !p.admits(a, n) {
		p.forget(a)
		return Grant{}, false
	}
	p.take(a, n)
	return Grant{pool: p, account: a, n: n}, true
}

func (p *Pool) account(h Holder) *account {
	a := p.accounts[h]
	if a == nil {
		a = &account{Holder: h}
		p.accounts[h] = a
	}
	return a
}

// ask returns the grant of h. With a waiter, the grant is valid once the waiter is ready. If waitingMax requests wait
// already, it returns nothing; a negative waitingMax is no limit.
func (p *Pool) ask(h Holder, n int64, waitingMax int) (Grant, *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = min(max(n, 1), p.most()) // a holder without a grant is forgotten, so n is at least 1
	a := p.account(h)
	g := Grant{pool: p, account: a, n: n}
	if len(a.waiters) == 0 && p.admits(a, n) {
		p.take(a, n)
		return g, nil
	}
	if waitingMax >= 0 && !p.mayWait(a, waitingMax) {
		p.refused[a.class()]++
		p.forget(a)
		return Grant{}, nil
	}
	w := &waiter{n: n, ready: make(chan struct{})}
	if a.waiters = append(a.waiters, w); len(a.waiters) == 1 {
		p.line = append(p.line, a)
	}
	p.waiting[a.class()]++
	return g, w
}

// mayWait reports whether one more request of a can wait.
func (p *Pool) mayWait(a *account, waitingMax int) bool {
	if !a.Keyless {
		return len(a.waiters) < waitingMax
	}
	left := waitingMax - p.waiting[a.class()]
	return left > 0 && (len(a.waiters) == 0 || len(a.waiters) < left)
}

// giveUp withdraws a waiting request, and reports whether it did. If the request was admitted in the meantime, the
// grant is released; with impatient (only the patience ran out), it is kept.
func (p *Pool) giveUp(g *Grant, w *waiter, impatient bool) bool {
	p.mu.Lock()
	a := g.account
	at := slices.Index(a.waiters, w)
	if at < 0 {
		p.mu.Unlock()
		if !impatient {
			g.Release()
		}
		return false
	}
	defer p.mu.Unlock()
	p.leave(a, at)
	if impatient {
		p.refused[a.class()]++
	}
	p.forget(a)
	if at == 0 {
		p.serve() // the next request may want less
	}
	return true
}

// admits reports whether a can have n more. It is the rule in the package comment.
func (p *Pool) admits(a *account, n int64) bool {
	left := p.free - n
	switch {
	case left < 0:
		return false
	case p.free == p.config.Size:
		return true
	case !a.Keyless:
		return a.held == 0 || a.held+n <= left
	}
	left -= p.keyless + n
	return left >= 0 && (a.held == 0 || a.held+n <= left)
}

func (p *Pool) take(a *account, n int64) {
	p.free -= n
	a.held += n
	if a.Keyless {
		p.keyless += n
	}
}

func (p *Pool) giveBack(a *account, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.take(a, -n)
	p.forget(a)
	p.serve()
}

// leave removes the waiting request at index at of a.
func (p *Pool) leave(a *account, at int) {
	a.waiters = slices.Delete(a.waiters, at, at+1)
	p.waiting[a.class()]--
	if len(a.waiters) == 0 {
		i := slices.Index(p.line, a)
		p.line = slices.Delete(p.line, i, i+1)
	}
}

func (p *Pool) forget(a *account) {
	if a.held == 0 && len(a.waiters) == 0 {
		delete(p.accounts, a.Holder)
	}
}

// serve admits waiting requests while it can: first of the holder that has least, then of the one served longest ago.
func (p *Pool) serve() {
	for {
		var next *account
		for _, a := range p.line {
			if (next == nil || a.held < next.held) && p.admits(a, a.waiters[0].n) {
				next = a
			}
		}
		if next == nil {
			return
		}
		w := next.waiters[0]
		p.leave(next, 0)
		p.take(next, w.n)
		if len(next.waiters) > 0 {
			i := slices.Index(p.line, next)
			p.line = append(slices.Delete(p.line, i, i+1), next)
		}
		close(w.ready)
	}
}
