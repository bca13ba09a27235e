// Package confine takes from a process of ours what it does not need, so that who breaks into it has nothing.
//
// The idea is to need nobody's help: no root, no container, no unit of systemd. What is used is what Linux gives every
// process: filters of system calls (seccomp), rules for files that also close off other processes (Landlock, from Linux
// 5.13), and limits. A restriction holds for all that is started from there, and cannot be taken back.
//
// Elsewhere than on Linux every function returns [errors.ErrUnsupported].
//
// The package imports nothing of ours.
package confine

import "runtime"

// OnThread calls f in a goroutine that has a thread to itself, which ends with it. It is never the first thread of the
// process: by that one the kernel judges who may look into the process, and what f starts should not be among them.
func OnThread(f func()) {
	go func() {
		runtime.LockOSThread()
		if !onFirstThread() {
			f()
			return // without being unlocked, so that the thread ends
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread()
			f()
		}()
		<-done
		runtime.UnlockOSThread()
	}()
}

// Paths are the files and directories, with all below them, that Files leaves. Those that are not there are passed over.
type Paths struct {
	// Read may be read and executed.
	Read []string
	// Write may be read and written, and whatever else.
	Write []string
	// Devices may be read and written, and nothing is made or removed there.
	Devices []string
}

// computing are the system calls that a Go program needs to compute: memory, threads, time, and the files that it has
// open. Threads are made by clone, which is allowed for them alone.
var computing = []string{
	"read", "write", "readv", "writev", "close", "fcntl", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_wait", "eventfd2",
	"mmap", "munmap", "mprotect", "madvise", "mincore", "brk", "membarrier",
	"futex", "sched_yield", "sched_getaffinity", "set_robust_list", "rseq", "exit", "exit_group", "getpid", "gettid", "tgkill",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall",
	"clock_gettime", "clock_nanosleep", "gettimeofday", "nanosleep", "getrandom", "getrusage",
}
