//go:build !linux

package confine

import "errors"

func onFirstThread() bool { return false }

// Compute is not supported on this system.
func Compute() error { return errors.ErrUnsupported }

// Memory is not supported on this system.
func Memory(uint64) error { return errors.ErrUnsupported }

// Syscalls is not supported on this system.
func Syscalls([]string) error { return errors.ErrUnsupported }

// Files is not supported on this system.
func Files(Paths) error { return errors.ErrUnsupported }

// Environment is not supported on this system.
func Environment(...string) error { return errors.ErrUnsupported }

// Unreadable is not supported on this system.
func Unreadable() error { return errors.ErrUnsupported }
