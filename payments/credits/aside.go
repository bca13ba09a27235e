package credits

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// asideFor is how long an account is left alone that somebody else has locked.
const asideFor = 20 * time.Millisecond

// asideForgotten is how long after its time it is forgotten that an account was set aside, of which nothing but captures
// of all that was held has come since: those change no account, so no batch tells whether it is still locked.
const asideForgotten = time.Second

// lockNotAvailable is the SQLSTATE of a wait for a lock that was given up.
const lockNotAvailable = "55P03"

func isLocked(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.Code == lockNotAvailable
}

// accounts are those that a batch had to wait for too long, with the time until
// which each is left alone. A batch that would wait for a lock would have everybody
// wait: what asks of these accounts is kept out of the others' batches, and is tried
// by itself, wary, until the lock is got. Its requests wait no longer than any do.
type accounts map[int64]time.Time

// part leaves in the batch what can be committed together: what asks of accounts
// that were set aside and whose time has come, or else of none that was. The rest
// is put back, or waits on.
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

// setAside takes what asks of locked accounts out of a batch that was wary, did
// nothing for their sake, and is put back without them.
func (p *Postgres) setAside(b *batch, locked []int64) {
	until := time.Now().Add(asideFor)
	for _, account := range locked {
		p.aside[account] = until
	}
	p.keepAside(b.split(func(account int64) bool { return slices.Contains(locked, account) }))
	p.queue.pushFront(slices.Clone(b.waiters))
	p.queue.putBack(b.ends)
}

// keepAside has requests and ends wait for the time of their accounts.
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

// got forgets that accounts were set aside: the batch had them.
func (p *Postgres) got(b *batch) {
	if b.wary {
		for _, account := range b.params.AccountIds {
			delete(p.aside, account)
		}
	}
}

// split takes out of the batch what asks of some accounts, in its order.
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
