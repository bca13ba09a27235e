package memory

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// niceness is the nice value of the thread.
func niceness(t *testing.T) int {
	t.Helper()
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
	if err != nil {
		t.Error(err)
	}
	return 20 - raw // as the system call has it: getpriority(2)
}

func TestAsideGivesWay(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		before, during := niceness(t), 0
		Aside(func() { during = niceness(t) })
		if after := niceness(t); during != niceMost || after != before {
			t.Errorf("got nice values of %d, and of %d after it, want %d and %d", during, after, niceMost, before)
		}
	}()
	<-done
}

func TestLongWorkIsDoneAside(t *testing.T) {
	t.Parallel()
	b, usual := NewBudget(0), niceness(t)
	for bytes, want := range map[int64]int{longBytes - 1: usual, longBytes: niceMost} {
		got, err := Do(of(t.Context(), "a"), b, bytes, func() (int, error) { return niceness(t), nil })
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("work of %d bytes: got a nice value of %d, want %d", bytes, got, want)
		}
	}
}
