//go:build !linux

package db

import "syscall"

// setUserTimeout does nothing where there is no TCP_USER_TIMEOUT: keepalives remain.
func setUserTimeout(string, string, syscall.RawConn) error { return nil }
