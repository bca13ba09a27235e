//go:build unix

package graceful

import (
	"errors"
	"syscall"
)

// accept accepts a pending connection. If there is none, it shuts the socket down. Both calls follow each other
// directly, because connections that arrive in between are reset.
func accept(socket uintptr) (int, error) {
	syscall.ForkLock.RLock() // a process started meanwhile must not inherit the connection
	defer syscall.ForkLock.RUnlock()
	fd, _, err := syscall.Accept(int(socket))
	for errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.ECONNABORTED) { // the next connection may be good
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
