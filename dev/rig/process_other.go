//go:build unix && !linux

package rig

import "syscall"

func childAttr(*syscall.SysProcAttr) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
