// Package confine sandboxes a process: it drops all rights that the process does not need, so that attackers gain nothing.
//
// It needs no root, no container and no systemd unit. It uses what Linux offers every process: filters of system calls
// (seccomp), rules for files that also shield other processes (Landlock, from Linux 5.13), and limits. A restriction
// also holds for all processes started from there, and cannot be reverted.
//
// On other systems than Linux every function returns [errors.ErrUnsupported].
//
// The package imports nothing of ours.
package confine

import "runtime"

// OnThread calls f in a goroutine on a thread of its own, which ends with it. It is never the first thread of the
// process: the kernel checks that one to decide who may look into the process, and what f starts must not qualify.
func OnThread(f func()) {
	go func() {
		runtime.LockOSThread()
		if !onFirstThread() {
			f()
			return // not unlocked, so that the thread ends
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

// Paths are the files and directories, with all below them, that Files allows. Missing ones are ignored.
type Paths struct {
	// Read may be read and executed.
	Read []string
	// Write may be read, written and changed in all other ways.
	Write []string
	// Devices may be read and written, but nothing is created or removed there.
	Devices []string
}

// computing are the system calls that a Go program needs to compute: memory, threads, time, and its open files. clone
// is allowed only for creating threads.
var computing = []string{
	"read", "write", "readv", "writev", "close", "fcntl", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_wait", "eventfd2",
	"mmap", "munmap", "mprotect", "madvise", "mincore", "brk", "membarrier",
	"futex", "sched_yield", "sched_getaffinity", "set_robust_list", "rseq", "exit", "exit_group", "getpid", "gettid", "tgkill",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall",
	"clock_gettime", "clock_nanosleep", "gettimeofday", "nanosleep", "getrandom", "getrusage",
}
