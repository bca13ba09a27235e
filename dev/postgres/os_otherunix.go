//go:build unix && !linux

package postgres

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// addSystemAttr adds nothing: there is no parent-death signal here, so only the warden watches, and no user namespace, so
// the server refuses to start where it would need one to run for root.
func (id identity) addSystemAttr(*syscall.SysProcAttr) {}

// runsIn reports whether a process was started with -D dir, as our servers are.
func runsIn(pid int, dir string) bool {
	out, err := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(out), "-D "+dir+" ")
}

// workingIn finds no backends of a dead server: their command lines do not contain their directory here.
func workingIn(string) []int { return nil }

// characterTypes are locales to try for LC_CTYPE, best first.
func characterTypes() []string { return []string{"en_US.UTF-8", "C.UTF-8", "C"} }
