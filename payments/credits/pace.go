package credits

import (
	"context"
	"time"
)

// After a batch of at least paceFrom requests, the next one waits for its time, or until paceUpTo requests are queued.
// With fewer than paceFrom, waiting costs requests more than it saves; beyond paceUpTo, there is little left to save.
// The wait grows with the number of requests, up to twice as long at paceUpTo: on a busy edge requests wait anyway.
const (
	paceFrom = 32
	paceUpTo = 512
)

// pace spaces batches while there is much to do.
type pace struct {
	every time.Duration // the minimum
	next  time.Time     // when the next batch begins; zero: at once
}

// began records that a batch of this many requests begins now.
func (p *pace) began(requests int) {
	p.next = time.Time{}
	if requests >= paceFrom {
		p.next = time.Now().Add(p.every + p.every*time.Duration(requests)/paceUpTo)
	}
}

// wait returns when the next batch may begin.
func (p *pace) wait(ctx context.Context, q *queue) {
	if p.next.IsZero() {
		return
	}
	left := time.Until(p.next)
	if left <= 0 || q.isFull() {
		return
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-q.full:
	case <-ctx.Done():
	}
}
