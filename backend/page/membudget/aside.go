package membudget

import (
	"fmt"
	"runtime/debug"
)

// Aside runs f at low priority and returns when it has ended. Use it for work that keeps a CPU busy for long, so that
// short work runs first. A panic of f is passed on to the caller.
//
// Go's scheduler has no priorities, and lets a goroutine run for 10 ms before the next. The kernel's does better at both, so f
// runs on a thread of its own with a raised nice value (setpriority(2)). That works on Linux only: other systems have
// nice values per process, not per thread.
func Aside(f func()) { throw(<-start(f)) }

// start runs f aside. The returned channel gives its panic, or nil, when it has ended.
func start(f func()) <-chan error {
	ended := make(chan error, 1) // nobody may be receiving any more
	go func() {
		var err error // of a panic
		defer func() { ended <- err }()
		defer func() {
			if panicked := recover(); panicked != nil {
				err = fmt.Errorf("%v, in work aside:\n%s", panicked, debug.Stack()) //nolint:err113 // it is passed on
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

// AsideProcessors returns how many threads should run Go at once (GOMAXPROCS) for a number of CPUs. The extra threads
// are for one holder's long work, which uses a CPU only when all other work leaves one.
func AsideProcessors(processors int) int { return processors + max(processors/2, 1) }
