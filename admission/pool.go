package admission

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrOverloaded is returned to who may not have more now, and may not wait, or has waited, for it. Others may be let in.
var ErrOverloaded = errors.New("no more than is left may be had at once")

// Config is what a [Pool] is made of.
type Config struct {
	// Name is the pool's in metrics.
	Name string
	// Size is how much there is. Required, 1 or more.
	Size int64
	// Waiting is how many requests of one holder may wait in [Pool.Enter], and of all without a key together, each of which may
	// have no more of them than are left. 0: none waits.
	Waiting int
	// Patience is how long they do.
	Patience time.Duration
}

// Pool is safe for concurrent use.
type Pool struct {
	config Config

	mu       sync.Mutex
	free     int64
	keyless  int64               // what holders without a key have
	accounts map[Holder]*account // of who has something, or waits
	line     []*account          // who waits; who was served longest ago first
	waiting  [classes]int
	refused  [classes]uint64
}

// classes are holders with a key, and those without.
const classes = 2

// account is what a holder has and waits for.
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
	ready chan struct{} // closed when it is let in
}

// New makes a pool.
func New(config Config) *Pool {
	config.Size = max(config.Size, 1)
	return &Pool{config: config, free: config.Size, accounts: map[Holder]*account{}}
}

// Size is how much there is.
func (p *Pool) Size() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.config.Size
}

// Resize makes it size. What is held beyond that is waited for.
func (p *Pool) Resize(size int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	size = max(size, 1)
	p.free += size - p.config.Size
	p.config.Size = size
	p.serve()
}

// Most is the most that one request is given: half of the pool, so that there is room beside it. Who asks for more is
// given that.
func (p *Pool) Most() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.most()
}

func (p *Pool) most() int64 { return max(p.config.Size/2, 1) }

// Grant is a share of a pool. It is given back once.
type Grant struct {
	pool    *Pool
	account *account
	n       int64
}

// Held is how much it is.
func (g *Grant) Held() int64 { return g.n }

// Release gives it back. The zero value, and one that was given back, hold nothing.
func (g *Grant) Release() { g.Shrink(0) }

// Shrink gives back all above n.
func (g *Grant) Shrink(n int64) {
	if g.pool == nil || n >= g.n {
		return
	}
	g.pool.giveBack(g.account, g.n-n)
	if g.n = n; n == 0 {
		g.pool = nil
	}
}

// Grow makes it n where that may be had at once, and reports whether it did.
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

// Acquire waits for n for the context's holder, as long as it takes. The error is the context's.
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

// Enter is Acquire for a request that others can be told to repeat: the error is [ErrOverloaded] where as many of the
// holder's wait as may, or it has waited for the pool's patience.
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

// Try is Acquire where n may be had at once, and reports whether it may.
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

// ask returns what h has from now on or, with a waiter, once that is ready. Where more than waitingMax would wait, which
// is no bound if negative, it returns nothing.
func (p *Pool) ask(h Holder, n int64, waitingMax int) (Grant, *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = min(max(n, 1), p.most()) // who holds nothing is forgotten
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

// mayWait reports whether one more request of a's may wait.
func (p *Pool) mayWait(a *account, waitingMax int) bool {
	if !a.Keyless {
		return len(a.waiters) < waitingMax
	}
	left := waitingMax - p.waiting[a.class()]
	return left > 0 && (len(a.waiters) == 0 || len(a.waiters) < left)
}

// giveUp takes back a request that waits, and reports whether it did. One that has been let in meanwhile is given back,
// or, if it was only impatient, kept.
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
		p.serve() // the one behind it may want less
	}
	return true
}

// admits reports whether a may have n more: the rule of the package.
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

// leave takes the request at a place of a's out of the line.
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

// serve lets in who waits and may have it: who has least first, and among equals who was served longest ago.
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
