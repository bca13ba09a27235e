package rig

import "syscall"

// childAttr gives the child its own group, so that ^C at the terminal reaches only the caller, which ends its processes
// in order; and ends it with the caller.
func childAttr(given *syscall.SysProcAttr) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if given != nil {
		attr.Credential = given.Credential
	}
	return attr
}
