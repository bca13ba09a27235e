package credits

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// BatchMaxMost is the most that one statement takes, and the default: enough to spread the commit's cost thin, and few
// enough that a batch takes only a few milliseconds. It is at most slotsMax.
const BatchMaxMost = 1000

// waiter is one request in the queue. The requester and the committer race for its state: the first to change it from
// waiting decides.
type waiter struct {
	req   Request
	ctx   context.Context //nolint:containedctx // expire checks it for the requester
	done  chan result
	state atomic.Int32
	since atomic.Int64 // when it began to wait, for its key or here, in nanoseconds of the queue's clock
}

const (
	waiting int32 = iota
	answered
	abandoned // the requester has left, or its time is up: an accepted hold must be voided
)

type result struct {
	decision Decision
	err      error
}

// end is the capture or void of a hold. A void captures nothing.
type end struct {
	hold    Hold
	capture money.Credits
	// again: a batch of unknown outcome may have applied the end, or the hold may never have been written, so finding
	// it closed is no loss.
	again bool
}

// queue collects requests and ends until the committer takes them.
type queue struct {
	mu      sync.Mutex
	waiters []*waiter
	ends    []end
	taken   int // ends that the committer has taken and not yet settled
	closed  bool
	flushed chan struct{} // closed and replaced when no end is left
	wake    chan struct{} // holds one token while there is something to take
	full    chan struct{} // holds one token when so many requests wait that waiting longer is pointless

	flying  []*waiter // the requests of the batch in flight
	aside   []*waiter // the requests of locked accounts
	timeout time.Duration
	start   time.Time
	expiry  *time.Timer
	isArmed bool // expiry will fire
	// sawClients is when the clients were last checked for having left, from start.
	sawClients time.Duration

	flushers  int // how many wait for the ends
	endsSince time.Time
	endsTimer *time.Timer // fires endsWait after endsSince
}

// Ends wait for a batch with several requests, since one commit serves both, but at most endsWait. Otherwise a client
// that sends one request after another would wait for the commit of its previous capture before that of its next hold.
// endsWait is also how much served work the operator may lose if the edge dies.
const (
	endsWait   = 20 * time.Millisecond
	endsUrgent = 128
)

func newQueue(timeout time.Duration) *queue {
	q := &queue{wake: make(chan struct{}, 1), full: make(chan struct{}, 1), flushed: make(chan struct{}), timeout: timeout, start: time.Now()}
	q.expiry = time.AfterFunc(time.Hour, q.expire)
	q.expiry.Stop()
	q.endsTimer = time.AfterFunc(time.Hour, q.signal)
	q.endsTimer.Stop()
	return q
}

// expire answers requests whose client has left, and requests whose time is up before its next run, so at most one step
// of the timeout early. One timer serves all: a timer per request would be a tenth of what metering costs the edge, and
// waiting for two things at once a twentieth.
func (q *queue) expire() {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Since(q.start)
	oldest := int64(now - q.timeout + q.expiryEvery())
	seesClients := now-q.sawClients >= expiryEveryMax
	if seesClients {
		q.sawClients = now
	}
	left := 0
	for _, ws := range [3][]*waiter{q.flying, q.aside, q.waiters} {
		for _, w := range ws {
			if w.state.Load() != waiting {
				continue
			}
			var err error
			if seesClients {
				err = w.ctx.Err()
			}
			if err == nil && w.since.Load() <= oldest {
				err = ErrOverloaded
			}
			if err == nil {
				left++
			} else if w.state.CompareAndSwap(waiting, abandoned) {
				w.done <- result{err: err}
			}
		}
	}
	if q.isArmed = left > 0; q.isArmed {
		q.expiry.Reset(q.expiryEvery())
	}
}

// arm starts the timer of expire if it is not running. The lock must be held.
func (q *queue) arm() {
	if !q.isArmed {
		q.isArmed = true
		q.expiry.Reset(q.expiryEvery())
	}
}

func (q *queue) expiryEvery() time.Duration { return min(q.timeout/expirySteps, expiryEveryMax) }

// A request is checked this many times within its timeout, or more often, and its client every expiryEveryMax.
const (
	expirySteps    = 16
	expiryEveryMax = 50 * time.Millisecond
)

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// push queues w for a requester with context ctx; it returns false when the queue is closed.
func (q *queue) push(ctx context.Context, w *waiter) bool {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return false
	}
	w.ctx = ctx // under the lock: expire may still look at the previous use of w
	w.since.Store(int64(time.Since(q.start) - w.req.Waited))
	w.state.Store(waiting)
	q.waiters = append(q.waiters, w)
	isFull := len(q.waiters) == paceUpTo
	q.arm()
	q.mu.Unlock()
	q.signal()
	if isFull {
		select {
		case q.full <- struct{}{}:
		default:
		}
	}
	return true
}

// isFull reports whether enough requests for a good batch wait, and takes the token that says so.
func (q *queue) isFull() bool {
	select {
	case <-q.full:
	default:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed || len(q.waiters) >= paceUpTo
}

// pushEnd queues ends even when the queue is closed: the last batch takes them.
func (q *queue) pushEnd(e ...end) {
	if len(e) == 0 {
		return
	}
	q.mu.Lock()
	if len(q.ends) == 0 {
		q.endsSince = time.Now()
		q.endsTimer.Reset(endsWait)
	}
	q.ends = append(q.ends, e...)
	isDue := q.endsPress() // when they have waited for long enough, endsTimer signals
	q.mu.Unlock()
	if isDue {
		q.signal()
	}
}

// endsDue reports whether the queued ends must be committed even without requests. The lock must be held.
func (q *queue) endsDue() bool { return q.endsPress() || time.Since(q.endsSince) >= endsWait }

// endsPress reports whether they are due however long they have waited. The lock must be held.
func (q *queue) endsPress() bool { return len(q.ends) >= endsUrgent || q.closed || q.flushers > 0 }

// pushFront puts requests before all others, in their order, such as those that stood behind a large request.
func (q *queue) pushFront(ws []*waiter) {
	if len(ws) == 0 {
		return
	}
	q.mu.Lock()
	q.waiters = append(ws, q.waiters...)
	q.arm() // expire may have run while they were in no list
	q.mu.Unlock()
	q.signal()
}

// setAside keeps requests out of the queue until recall.
func (q *queue) setAside(ws []*waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.aside = append(q.aside, ws...)
}

// recall puts the requests that were set aside before all others.
func (q *queue) recall() {
	q.mu.Lock()
	ws := q.aside
	q.aside = nil
	q.mu.Unlock()
	q.pushFront(ws)
}

// take moves up to limit requests and as many ends into the given slices. It drops requests whose requester has left:
// nothing was written for them.
func (q *queue) take(ws []*waiter, ends []end, limit int) ([]*waiter, []end) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for ; n < len(q.waiters) && len(ws) < limit; n++ {
		if q.waiters[n].state.Load() == waiting {
			ws = append(ws, q.waiters[n])
		}
	}
	q.waiters = shift(q.waiters, n)
	if len(ws) == 0 && !q.endsDue() {
		return ws, ends
	}
	q.flying = append(q.flying[:0], ws...)
	k := min(len(q.ends), limit)
	if len(ws) == 1 && !q.endsDue() {
		k = 0 // a lone request takes the fast path
	}
	ends = append(ends, q.ends[:k]...)
	q.ends = shift(q.ends, k)
	q.taken += k
	if len(q.waiters) > 0 || len(q.ends) > 0 && q.endsDue() {
		q.signal()
	}
	return ws, ends
}

// settle records that a batch is over: its n ends are durable or queued again, its requests answered or queued again.
func (q *queue) settle(n int) {
	q.mu.Lock()
	q.taken -= n
	clear(q.flying)
	q.flying = q.flying[:0]
	if q.taken == 0 && len(q.ends) == 0 {
		close(q.flushed)
		q.flushed = make(chan struct{})
	}
	q.mu.Unlock()
}

// expect makes flush wait for ends that settleDoubts still has to find.
func (q *queue) expect() {
	q.mu.Lock()
	q.taken++
	q.mu.Unlock()
}

// putBack queues taken ends again that could not be applied yet.
func (q *queue) putBack(ends []end) {
	q.pushEnd(ends...)
	q.mu.Lock()
	q.taken -= len(ends)
	q.mu.Unlock()
}

// flush waits until no end is queued or in flight.
func (q *queue) flush(ctx context.Context) error {
	q.mu.Lock()
	q.flushers++
	q.mu.Unlock()
	q.signal()
	defer func() {
		q.mu.Lock()
		q.flushers--
		q.mu.Unlock()
	}()
	for {
		q.mu.Lock()
		if q.taken == 0 && len(q.ends) == 0 {
			q.mu.Unlock()
			return nil
		}
		flushed := q.flushed
		q.mu.Unlock()
		select {
		case <-flushed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// close refuses new requests and answers those that wait.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	ws := slices.Concat(q.waiters, q.aside)
	q.waiters, q.aside = nil, nil
	q.mu.Unlock()
	q.signal()
	for _, w := range ws {
		w.answer(result{err: ErrOverloaded})
	}
}

// shift removes the first n elements and keeps the array.
func shift[T any](s []T, n int) []T {
	m := copy(s, s[n:])
	clear(s[m:])
	return s[:m]
}

// answer gives res to the requester; it returns false if the requester has left.
func (w *waiter) answer(res result) bool {
	if !w.state.CompareAndSwap(waiting, answered) {
		return false
	}
	w.done <- res
	return true
}
