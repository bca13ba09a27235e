package jobs

import (
	"errors"
	"math"
	"time"
)

// The values of Done.Err beside the handler's own errors.
var (
	// ErrLost is the error of a task whose worker was lost three times in a row: it is not run a fourth time.
	ErrLost = errors.New("the task was started three times and its worker was lost each time")
	// ErrPanicked is the error of a task whose Run panicked.
	ErrPanicked = errors.New("the work panicked")
	// ErrNotKept is the error of a task whose result Finish refused repeatedly. Finish is then called with this error
	// instead.
	ErrNotKept = errors.New("the result could not be stored")
)

const (
	// takeoversMax is how many workers may be lost with a task.
	takeoversMax = 3
	// waitLeast is the shortest time for which a task is postponed.
	waitLeast = time.Second
	// laneMaxDefault is how many tasks of a lane run at once if nothing else is configured.
	laneMaxDefault = 12
)

// again is an error that causes a retry.
type again struct {
	err     error
	after   time.Duration // 0: the queue's own back-off
	counted bool
}

func (a *again) Error() string { return a.err.Error() }
func (a *again) Unwrap() error { return a.err }

// Later causes a retry of a task that failed and may succeed later: a reset, a timeout, a 503. The try counts, and
// after Queue.AttemptsMax tries err itself is final. after is the wait that the other side asked for. The queue's
// back-off is the default and the minimum.
func Later(err error, after ...time.Duration) error {
	a := &again{err: err, counted: true}
	for _, d := range after {
		a.after = max(a.after, d)
	}
	return a
}

// Wait postpones a task that could not be tried yet by after (at least a second): a host asks for a pause, the database
// is down. It does not count as a try, but after Queue.StallMax err itself is final.
func Wait(err error, after time.Duration) error {
	return &again{err: err, after: max(after, waitLeast)}
}

// keepError is ErrNotKept with the error of Finish.
type keepError struct{ err error }

func (k *keepError) Error() string        { return ErrNotKept.Error() + ": " + k.err.Error() }
func (k *keepError) Unwrap() error        { return k.err }
func (k *keepError) Is(target error) bool { return target == ErrNotKept }

func notKept(err error) bool { return errors.Is(err, ErrNotKept) }

// verdict is the decision about a task after Run.
type verdict struct {
	postpone bool
	after    time.Duration
	counts   int32 // how much the try counts, if it is postponed
	err      error // final
}

// judge applies the queue's rules to the error of Run.
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

// backoff is 2 s after the first try and five times longer after each further one, up to 5 min. chance (0 to 1) adds up
// to a quarter, so that tasks that failed together are not retried together.
func backoff(attempt int, chance float64) time.Duration {
	seconds := min(2*math.Pow(5, float64(attempt-1)), 300)
	return time.Duration((seconds + seconds*chance/4) * float64(time.Second))
}
