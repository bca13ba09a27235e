package membudget

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness is the nice value of work aside: it gets a ninth of a usual thread's share of a CPU (sched(7)). With the
// lowest priority, a 68th, one second of work takes more than a minute while other programs keep all CPUs busy.
const niceness = 10

// giveWay lowers the thread's priority. The thread ends with its goroutine, because raising it again needs privileges.
func giveWay() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), niceness) // without it the work is the same
}
