package memory

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness is that of work aside: it gets a ninth of a usual thread's share of a processor (sched(7)). With the least that
// there is, a 68th, what takes a second takes more than a minute where other programs keep all processors busy.
const niceness = 10

// giveWay has the goroutine's thread give way. The thread ends with it: without privileges none becomes less nice again.
func giveWay() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), niceness) // one that is not nice does the same work
}
