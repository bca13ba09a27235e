package credits

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// asideFor is how long the meter waits before it tries again an account that another transaction has locked.
const asideFor = 20 * time.Millisecond

// asideForgotten is how long after its retry time an account stays marked as locked. Captures of the full held amount
// change no account, so after such captures alone no batch would show whether the account is still locked.
const asideForgotten = time.Second

// lockNotAvailable is the SQLSTATE of a lock wait that was given up.
const lockNotAvailable = "55P03"

func isLocked(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.Code == lockNotAvailable
}

// accounts are the accounts whose lock a batch waited for too long, each with the time of its next try. A batch that
// waits for a lock makes all its requests wait. So requests and ends of these accounts are kept out of other batches
// and are tried in a batch of their own, without waiting, until the lock is free. Their requests keep the usual
// deadline.
type accounts map[int64]time.Time

// part reduces the batch to what can be committed together: either the requests and ends of accounts that were set
// aside and whose time has come, or those of accounts that were never set aside. The rest goes back to the queue or
// keeps waiting.
func (p *Postgres) part(b *batch) {
	b.wary = false
	if len(p.aside) == 0 {
		return
	}
	now := time.Now()
	maps.DeleteFunc(p.aside, func(_ int64, until time.Time) bool { return now.Sub(until) > asideForgotten })
	early := func(account int64) bool { return now.Before(p.aside[account]) }
	free := func(account int64) bool { return p.aside[account].IsZero() }
	p.keepAside(b.split(early))
	waiters, ends := b.split(free)
	if len(b.waiters) == 0 && len(b.ends) == 0 {
		b.waiters, b.ends = append(b.waiters, waiters...), append(b.ends, ends...)
		return
	}
	b.wary = true
	p.queue.pushFront(waiters)
	p.queue.putBack(ends)
}

// setAside removes the requests and ends of locked accounts from a wary batch, which changed nothing because of them,
// and queues the rest of the batch again.
func (p *Postgres) setAside(b *batch, locked []int64) {
	until := time.Now().Add(asideFor)
	for _, account := range locked {
		p.aside[account] = until
	}
	p.keepAside(b.split(func(account int64) bool { return slices.Contains(locked, account) }))
	p.queue.pushFront(slices.Clone(b.waiters))
	p.queue.putBack(b.ends)
}

// keepAside keeps requests and ends out of the queue until their accounts' next try.
func (p *Postgres) keepAside(waiters []*waiter, ends []end) {
	if len(waiters) == 0 && len(ends) == 0 {
		return
	}
	p.queue.setAside(waiters)
	time.AfterFunc(asideFor, func() {
		p.queue.recall()
		p.queue.putBack(ends)
	})
}

// got unmarks the accounts of a wary batch, since the batch has locked them.
func (p *Postgres) got(b *batch) {
	if b.wary {
		for _, account := range b.params.AccountIds {
			delete(p.aside, account)
		}
	}
}

// split removes the requests and ends of some accounts from the batch and returns them in their order.
func (b *batch) split(of func(account int64) bool) (waiters []*waiter, ends []end) {
	keptWaiters, keptEnds := b.waiters[:0], b.ends[:0]
	for _, w := range b.waiters {
		if of(w.req.Account) {
			waiters = append(waiters, w)
		} else {
			keptWaiters = append(keptWaiters, w)
		}
	}
	for _, e := range b.ends {
		if of(e.hold.req.Account) {
			ends = append(ends, e)
		} else {
			keptEnds = append(keptEnds, e)
		}
	}
	b.waiters, b.ends = keptWaiters, keptEnds
	return waiters, ends
}
