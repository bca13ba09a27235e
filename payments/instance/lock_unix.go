//go:build linux || darwin

package instance

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

const canLock = true

// flock locks a file until it is closed; it returns false if another process holds the lock.
func flock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// inode identifies a file on this machine.
func inode(info os.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d", stat.Dev, stat.Ino)
}
