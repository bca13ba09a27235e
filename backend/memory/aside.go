package memory

import (
	"fmt"
	"runtime/debug"
)

// Aside runs f and returns when it has ended. f gives way to all else that the machine has to do: for work that takes a
// processor for long, while other work takes it for a moment at a time. A panic of f is the caller's.
//
// Go's scheduler has no priorities, and gives each goroutine a processor for 10 ms before another has its turn. The
// kernel's has both, so f has a thread to itself, which is nice (setpriority(2)). On other systems than Linux it is not:
// there processes are nice, and not threads.
func Aside(f func()) { throw(<-start(f)) }

// start has f run aside, and returns what gives its panic, or nil, when it has ended.
func start(f func()) <-chan error {
	ended := make(chan error, 1) // nobody may be there to take it
	go func() {
		var err error // of a panic
		defer func() { ended <- err }()
		defer func() {
			if panicked := recover(); panicked != nil {
				err = fmt.Errorf("%v, in work aside:\n%s", panicked, debug.Stack()) //nolint:err113 // it is thrown on
			}
		}()
		giveWay()
		f()
	}()
	return ended
}

func throw(panicked error) {
	if panicked != nil {
		panic(panicked)
	}
}

// AsideProcessors is how many threads are to run Go at once (GOMAXPROCS) on so many processors: one holder's long work
// comes on top, since it has a processor only where all else leaves one.
func AsideProcessors(processors int) int { return processors + max(processors/2, 1) }
