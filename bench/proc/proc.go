//go:build linux

// Package proc reads from /proc how much CPU time and memory processes have used, and pins processes to a core.
//
// It imports the standard library only, and needs Linux.
package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// tick is the unit of CPU time in /proc (USER_HZ, 100 on every Linux platform that Go runs on).
const tick = 10 * time.Millisecond

// processTimes are the fields of /proc/<pid>/stat that are used here.
type processTimes struct {
	parent int
	own    time.Duration // user and system time
	ended  time.Duration // of its children that have ended and were waited for
}

// parseStat reads a /proc/<pid>/stat line (proc_pid_stat(5)). The second field is a file name in parentheses that may
// contain anything, so fields are counted from its end.
func parseStat(line string) (processTimes, error) {
	at := strings.LastIndexByte(line, ')')
	fields := strings.Fields(line[at+1:])
	if at < 0 || len(fields) < 15 {
		return processTimes{}, fmt.Errorf("not a stat line: %q", line)
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return processTimes{}, fmt.Errorf("not a stat line: %q", line)
	}
	var ticks [4]int64 // utime, stime, cutime, cstime
	for i := range ticks {
		if ticks[i], err = strconv.ParseInt(fields[11+i], 10, 64); err != nil {
			return processTimes{}, fmt.Errorf("not a stat line: %q", line)
		}
	}
	return processTimes{
		parent: parent, own: time.Duration(ticks[0]+ticks[1]) * tick, ended: time.Duration(ticks[2]+ticks[3]) * tick,
	}, nil
}

func readTimes(pid int) (processTimes, error) {
	line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return processTimes{}, err
	}
	return parseStat(string(line))
}

// CPUOf is the CPU time that a process has used.
func CPUOf(pid int) (time.Duration, error) {
	t, err := readTimes(pid)
	return t.own, err
}

// CPUOfTree is the CPU time of a process and all its children, including those that have ended. Postgres has one process
// per connection, all children of the first.
func CPUOfTree(pid int) (time.Duration, error) {
	t, err := readTimes(pid)
	if err != nil {
		return 0, err
	}
	total := t.own + t.ended
	children, err := childrenOf(pid)
	if err != nil {
		return 0, err
	}
	for _, child := range children {
		t, err := readTimes(child)
		if err != nil {
			continue // it has just ended, and from now on counts with the parent's
		}
		total += t.own + t.ended
	}
	return total, nil
}

// ResidentMost is the peak resident memory of a process, in bytes (VmHWM, proc_pid_status(5)).
func ResidentMost(pid int) (int64, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(string(text), "VmHWM:")
	value, _, ok := strings.Cut(rest, "kB")
	kilobytes, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	if !found || !ok || err != nil {
		return 0, fmt.Errorf("process %d: its status has no VmHWM in kB", pid)
	}
	return kilobytes << 10, nil
}

func childrenOf(pid int) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var children []int
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if t, err := readTimes(child); err == nil && t.parent == pid {
			children = append(children, child)
		}
	}
	return children, nil
}

// cpuSet is a mask for sched_setaffinity(2).
type cpuSet [1024 / 64]uint64

// Pin pins a thread, or a process with one thread, to one core. 0 is the calling thread. Its children inherit this.
func Pin(pid, core int) error {
	var set cpuSet
	set[core/64] = 1 << (core % 64)
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(pid), unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	if errno != 0 {
		return fmt.Errorf("pinning process %d to core %d: %w", pid, core, errno)
	}
	return nil
}

// Cores returns the cores that this process may use.
func Cores() ([]int, error) {
	var set cpuSet
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	if errno != 0 {
		return nil, fmt.Errorf("asking for this process's cores: %w", errno)
	}
	var list []int
	for core := range len(set) * 64 {
		if set[core/64]&(1<<(core%64)) != 0 {
			list = append(list, core)
		}
	}
	if len(list) < 2 {
		return nil, errors.New("want at least two cores: one for what is measured, one for everything else")
	}
	return list, nil
}

// PinTree pins a process with one thread and its children, such as Postgres.
func PinTree(pid, core int) error {
	children, err := childrenOf(pid)
	if err != nil {
		return err
	}
	for _, child := range append(children, pid) {
		if err := Pin(child, core); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}
