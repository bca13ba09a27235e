//go:build !linux

package confine

import "errors"

func onFirstThread() bool { return false }

// Compute is not known here.
func Compute() error { return errors.ErrUnsupported }

// Memory is not known here.
func Memory(uint64) error { return errors.ErrUnsupported }

// Syscalls is not known here.
func Syscalls([]string) error { return errors.ErrUnsupported }

// Files is not known here.
func Files(Paths) error { return errors.ErrUnsupported }

// Environment is not known here.
func Environment(...string) error { return errors.ErrUnsupported }

// Unreadable is not known here.
func Unreadable() error { return errors.ErrUnsupported }
