package answers

import "context"

// errand is a future: something that is fetched once for all who ask for it.
type errand[T any] struct {
	done  chan struct{}
	value T
	err   error
}

func newErrand[T any]() *errand[T] { return &errand[T]{done: make(chan struct{})} }

// run fetches the value. It is called once.
func (e *errand[T]) run(do func() (T, error)) {
	defer close(e.done)
	e.value, e.err = do()
}

// wait returns the value and error, or the context's error.
func (e *errand[T]) wait(ctx context.Context) (T, error) {
	select {
	case <-e.done:
		return e.value, e.err
	default:
	}
	select {
	case <-e.done:
		return e.value, e.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
