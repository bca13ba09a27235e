package credits

import (
	"context"
	"time"
)

// After a batch of paceFrom requests the next one waits for its time, or until
// paceUpTo requests have come. With fewer than the one, waiting would cost them
// more than it saves; with more than the other, there is little left to save. The
// more there are, the longer it waits, to twice as long with paceUpTo: where an edge
// is busy they wait for it anyway.
const (
	paceFrom = 32
	paceUpTo = 512
)

// pace keeps batches apart while there is much to do.
type pace struct {
	every time.Duration // at least
	next  time.Time     // of the next batch; zero: at once
}

// began notes that a batch of so many requests begins now.
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
