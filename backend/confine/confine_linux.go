package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

func onFirstThread() bool { return unix.Gettid() == unix.Getpid() }

// Compute limits all threads of the process, including future ones, to the system calls for computing. They can open no
// files or connections, and start or reach no processes; such a call fails with EPERM.
func Compute() error {
	threads := seccomp.NameWithConditions{Name: "clone", Conditions: seccomp.ArgumentConditions{
		{Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD},
	}}
	return filter(seccomp.FilterFlagTSync, seccomp.SyscallGroup{
		Action: seccomp.ActionAllow, Names: computing, NamesWithCondtions: []seccomp.NameWithConditions{threads},
	})
}

// missing makes the C library create threads with clone, whose arguments a filter can see.
var missing = seccomp.SyscallGroup{Names: []string{"clone3"}, Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)}

// Syscalls limits the calling thread, and what it starts, to the named system calls; others fail with EPERM. Only
// network sockets and pairs of Unix sockets are allowed, so listeners on paths are unreachable. Call it in a function
// that OnThread calls.
func Syscalls(names []string) error {
	allowed := seccomp.SyscallGroup{Action: seccomp.ActionAllow}
	for _, name := range names {
		if name != "socket" {
			allowed.Names = append(allowed.Names, name)
		}
	}
	for _, family := range []uint64{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
		allowed.NamesWithCondtions = append(allowed.NamesWithCondtions, seccomp.NameWithConditions{
			Name: "socket", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.Equal, Value: family}},
		})
	}
	return filter(0, allowed)
}

func filter(flag seccomp.FilterFlag, allowed seccomp.SyscallGroup) error {
	machine, err := arch.GetInfo("")
	if err != nil {
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	// Not every call exists on each architecture.
	allowed.Names = slices.DeleteFunc(slices.Clone(allowed.Names), func(name string) bool {
		_, there := machine.SyscallNames[name]
		return !there
	})
	if err := seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: flag, Policy: seccomp.Policy{
		DefaultAction: seccomp.ActionErrno, Syscalls: []seccomp.SyscallGroup{allowed, missing},
	}}); err != nil {
		return fmt.Errorf("filtering system calls: %w", err)
	}
	return nil
}

// Memory lets the process use at most more bytes of data than it has now. A Go program that needs more ends. Core files
// are then empty.
func Memory(more uint64) error {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	fields := strings.Fields(string(statm))
	var pages uint64
	if len(fields) < 6 {
		return fmt.Errorf("/proc/self/statm: got %q", statm)
	}
	if _, err := fmt.Sscan(fields[5], &pages); err != nil { // data and stack
		return err
	}
	limit := pages*uint64(os.Getpagesize()) + more //nolint:gosec // not negative
	return errors.Join(
		unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: limit, Max: limit}),
		unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}),
	)
}

// Environment removes all but the named variables from the environment, also from what other processes can read of it:
// if there are others, it executes the program again in the same process.
func Environment(keep ...string) error {
	all := os.Environ()
	kept := slices.DeleteFunc(slices.Clone(all), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !slices.Contains(keep, name)
	})
	if len(kept) == len(all) {
		return nil
	}
	return fmt.Errorf("restarting the process: %w", unix.Exec("/proc/self/exe", os.Args, kept))
}

// Unreadable hides the process's memory and environment from other processes of the same user.
func Unreadable() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// The access rights of Landlock, with their version.
const (
	execute  = unix.LANDLOCK_ACCESS_FS_EXECUTE
	readFile = unix.LANDLOCK_ACCESS_FS_READ_FILE
	readDir  = unix.LANDLOCK_ACCESS_FS_READ_DIR
	write    = unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	refer    = unix.LANDLOCK_ACCESS_FS_REFER     // from version 2
	truncate = unix.LANDLOCK_ACCESS_FS_TRUNCATE  // from version 3
	ioctlDev = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV // from version 5
	ofFiles  = execute | readFile | write | truncate | ioctlDev

	scopesFrom = 6
)

// Files limits the calling thread, and what it starts, to the files of paths. It can then no longer look into processes
// that are not confined like it, nor, from Linux 6.12, send them signals or reach their abstract sockets. Root can
// still read their memory. Call it in a function that OnThread calls.
func Files(paths Paths) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return fmt.Errorf("%w: Landlock: %w", errors.ErrUnsupported, errno)
	}
	all := uint64(refer - 1)
	for right, from := range map[uint64]uintptr{refer: 2, truncate: 3, ioctlDev: 5} {
		if version >= from {
			all |= right
		}
	}
	attr := unix.LandlockRulesetAttr{Access_fs: all}
	if version >= scopesFrom {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("creating the Landlock ruleset: %w", errno)
	}
	defer unix.Close(int(ruleset))
	for _, part := range []struct {
		paths  []string
		rights uint64
	}{
		{paths.Read, execute | readFile | readDir},
		{paths.Write, all &^ ioctlDev},
		{paths.Devices, readFile | readDir | write | truncate},
	} {
		for _, path := range part.paths {
			if err := allow(int(ruleset), path, part.rights&all); err != nil {
				return fmt.Errorf("adding the Landlock rule for %s: %w", path, err)
			}
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return fmt.Errorf("restricting files: %w", errno)
	}
	return nil
}

func allow(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil // unreachable for the process anyway
	case err != nil:
		return err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofFiles
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)} //nolint:gosec // a file descriptor
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
