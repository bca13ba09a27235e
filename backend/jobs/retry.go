package jobs

import (
	"errors"
	"math"
	"time"
)

// What Done.Err may be beside an error of the handler's own.
var (
	// ErrLost is what comes of a task with which three workers in a row were lost: it is not run a fourth time.
	ErrLost = errors.New("the work was begun three times and each time its worker was lost")
	// ErrPanicked is what comes of a task whose Run panicked.
	ErrPanicked = errors.New("the work panicked")
	// ErrNotKept is what comes of a task whose result Finish refused again and again: it is asked to take the error
	// instead.
	ErrNotKept = errors.New("the result could not be written down")
)

const (
	// takeoversMax is how many workers may be lost with a task.
	takeoversMax = 3
	// waitLeast is the shortest time for which a task is put off.
	waitLeast = time.Second
	// laneMaxDefault is how many tasks of a lane run at once where nobody says.
	laneMaxDefault = 12
)

// again is an error with which a task is tried again.
type again struct {
	err     error
	after   time.Duration // 0: the queue's own back-off
	counted bool
}

func (a *again) Error() string { return a.err.Error() }
func (a *again) Unwrap() error { return a.err }

// Later has a task tried again that failed and may succeed: a reset, a timeout, a 503. The try counts, and after
// Queue.AttemptsMax of them err itself is final. after is what the other side asked for; without it, and at least,
// it is the queue's back-off.
func Later(err error, after ...time.Duration) error {
	a := &again{err: err, counted: true}
	for _, d := range after {
		a.after = max(a.after, d)
	}
	return a
}

// Wait has a task put off for after (at least a second) that could not be tried yet: a host that wants to be left
// alone, a database that is away. It does not count as a try, but after Queue.StallMax of it err itself is final.
func Wait(err error, after time.Duration) error {
	return &again{err: err, after: max(after, waitLeast)}
}

// keepError is ErrNotKept with what Finish said.
type keepError struct{ err error }

func (k *keepError) Error() string        { return ErrNotKept.Error() + ": " + k.err.Error() }
func (k *keepError) Unwrap() error        { return k.err }
func (k *keepError) Is(target error) bool { return target == ErrNotKept }

func notKept(err error) bool { return errors.Is(err, ErrNotKept) }

// verdict is what becomes of a task after Run.
type verdict struct {
	postpone bool
	after    time.Duration
	counts   int32 // what the try counts as, where it is postponed
	err      error // final
}

// judge applies the queue's rules to what Run returned.
func (q *queue) judge(t *Task, err error) verdict {
	var a *again
	if !errors.As(err, &a) {
		return verdict{err: err}
	}
	if a.counted {
		if int(t.Attempt) >= q.AttemptsMax {
			return verdict{err: a.err}
		}
		return verdict{postpone: true, after: max(a.after, q.Backoff(int(t.Attempt))), counts: 1}
	}
	if !t.stalledAt.IsZero() && q.j.now().Sub(t.stalledAt)+a.after > q.StallMax {
		return verdict{err: a.err}
	}
	return verdict{postpone: true, after: a.after}
}

// backoff is 2 s after the first try, five times as long after each further one up to 5 min, and up to a quarter
// longer by chance (0 to 1), so that what failed together does not come back together.
func backoff(attempt int, chance float64) time.Duration {
	seconds := min(2*math.Pow(5, float64(attempt-1)), 300)
	return time.Duration((seconds + seconds*chance/4) * float64(time.Second))
}
