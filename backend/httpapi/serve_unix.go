//go:build unix

package httpapi

import (
	"errors"
	"syscall"
)

// accept takes a connection that waits. If none does, the socket takes no more: the two calls follow each other, since
// what comes between them is reset.
func accept(socket uintptr) (int, error) {
	syscall.ForkLock.RLock() // no process that is started meanwhile gets the connection
	defer syscall.ForkLock.RUnlock()
	fd, _, err := syscall.Accept(int(socket))
	for errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.ECONNABORTED) { // the next may be good
		fd, _, err = syscall.Accept(int(socket))
	}
	if errors.Is(err, syscall.EAGAIN) {
		return 0, errors.Join(err, syscall.Shutdown(int(socket), syscall.SHUT_RD))
	}
	if err != nil {
		return 0, err
	}
	syscall.CloseOnExec(fd)
	return fd, syscall.SetNonblock(fd, true)
}
