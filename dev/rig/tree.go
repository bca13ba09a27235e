package rig

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// SignalTree sends a signal to a process and then to its children, such as a Postgres server and its backends. A process
// that has already ended is no error.
func SignalTree(pid int, sig syscall.Signal) error {
	var errs []error
	for _, pid := range append([]int{pid}, Children(pid)...) {
		if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			errs = append(errs, fmt.Errorf("sending %s to process %d: %w", sig, pid, err))
		}
	}
	return errors.Join(errs...)
}

// Children returns the child processes of pid, if the system shows them in /proc. On other systems Postgres' backends end
// themselves when they find that their parent is gone.
func Children(pid int) []int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var found []int
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		if err != nil {
			continue // it has ended
		}
		// "pid (name) state ppid …": the name may contain anything, so count from its end (proc(5)).
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 2 || fields[1] != strconv.Itoa(pid) {
			continue
		}
		if child, err := strconv.Atoi(filepath.Base(filepath.Dir(stat))); err == nil {
			found = append(found, child)
		}
	}
	return found
}
