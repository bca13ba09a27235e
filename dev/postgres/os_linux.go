package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// namespaceUser is the apparent owner of root's processes and files in the user namespace.
const namespaceUser = 1000

func (id identity) addSystemAttr(attr *syscall.SysProcAttr) {
	// SIGINT is a fast shutdown to the server, and ends initdb, which then removes its files. See startChild for the
	// thread that this is tied to.
	attr.Pdeathsig = syscall.SIGINT
	if id.namespace {
		attr.Cloneflags = syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: namespaceUser, HostID: 0, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: namespaceUser, HostID: 0, Size: 1}}
	}
}

// runsIn reports whether a process has the working directory dir, as a server has its data directory and few others.
func runsIn(pid int, dir string) bool {
	cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	return err == nil && cwd == dir
}

// workingIn returns the processes with the working directory dir.
func workingIn(dir string) []int {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	var found []int
	for _, link := range links {
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil && runsIn(pid, dir) {
			found = append(found, pid)
		}
	}
	return found
}

// characterTypes are locales to try for LC_CTYPE, best first. The C library has C.UTF-8 since glibc 2.35, Debian and
// Fedora for much longer.
func characterTypes() []string { return []string{"C.UTF-8", "C"} }
