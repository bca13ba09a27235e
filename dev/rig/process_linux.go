package rig

import "syscall"

// childAttr: a group of its own, so that ^C at the terminal reaches only the caller, which ends its processes in
// order; and no life beyond the caller's.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
