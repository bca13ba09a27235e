//go:build !linux

package db

import "syscall"

// setUserTimeout does nothing on systems without TCP_USER_TIMEOUT; keepalives still work.
func setUserTimeout(string, string, syscall.RawConn) error { return nil }
