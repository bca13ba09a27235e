//go:build unix

package parsers

import "syscall"

// ownGroup gives workers their own process group, so that a terminal's signals do not reach them.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
