package answers

import "context"

// future is a future: something that is fetched once for all who ask for it.
type future[T any] struct {
	done  chan struct{}
	value T
	err   error
}

func newFuture[T any]() *future[T] { return &future[T]{done: make(chan struct{})} }

// run fetches the value. It is called once.
func (e *future[T]) run(do func() (T, error)) {
	defer close(e.done)
	e.value, e.err = do()
}

// wait returns the value and error, or the context's error.
func (e *future[T]) wait(ctx context.Context) (T, error) {
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
