package membudget

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// niceOf is the nice value of the current thread.
func niceOf(t *testing.T) int {
	t.Helper()
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
	if err != nil {
		t.Error(err)
	}
	return 20 - raw // the system call returns 20 - nice: getpriority(2)
}

func TestAsideGivesWay(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		before, during := niceOf(t), 0
		Aside(func() { during = niceOf(t) })
		if after := niceOf(t); during != niceness || after != before {
			t.Errorf("got nice values of %d, and of %d after it, want %d and %d", during, after, niceness, before)
		}
	}()
	<-done
}

func TestLongWorkIsDoneAside(t *testing.T) {
	t.Parallel()
	b, usual := NewBudget(0), niceOf(t)
	for bytes, want := range map[int64]int{longBytes - 1: usual, longBytes: niceness} {
		got, err := Do(of(t.Context(), "a"), b, bytes, func() (int, error) { return niceOf(t), nil })
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("work of %d bytes: got a nice value of %d, want %d", bytes, got, want)
		}
	}
}
