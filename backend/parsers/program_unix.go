//go:build unix

package parsers

import "syscall"

// ownGroup keeps workers from the signals that a terminal sends to those in front of it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
