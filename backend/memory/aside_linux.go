package memory

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceMost is the least share of processors that a thread can ask for: a 68th of a usual one's (sched(7)).
const niceMost = 19

// giveWay has the goroutine's thread give way. The thread ends with it: without privileges none becomes less nice again.
func giveWay() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), niceMost) // one that is not nice does the same work
}
