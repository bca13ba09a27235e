//go:build unix && !linux

package postgres

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// addSystemAttr has nothing to add: there is no parent-death signal here, the warden alone watches, and no user
// namespace, so that running as one fails when the server refuses root.
func (id identity) addSystemAttr(*syscall.SysProcAttr) {}

// runsIn tells whether a process was started with -D dir, as our servers are.
func runsIn(pid int, dir string) bool {
	out, err := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(out), "-D "+dir+" ")
}

// workingIn would list the backends of a dead server; their command lines do not tell their directory here.
func workingIn(string) []int { return nil }

// characterTypes are locales to try for LC_CTYPE, best first.
func characterTypes() []string { return []string{"en_US.UTF-8", "C.UTF-8", "C"} }
