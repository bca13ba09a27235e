package rig

import "syscall"

// childAttr: a group of its own, so that ^C at the terminal reaches only the caller, which ends its processes in
// order; and no life beyond the caller's.
func childAttr(given *syscall.SysProcAttr) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if given != nil {
		attr.Credential = given.Credential
	}
	return attr
}
