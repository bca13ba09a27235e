package db

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// setUserTimeout ends a connection whose sent bytes are not acknowledged. Keepalives do not work while there are such
// bytes.
func setUserTimeout(network, _ string, conn syscall.RawConn) (err error) {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	if failed := conn.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(userTimeout.Milliseconds()))
	}); failed != nil {
		return failed
	}
	return err
}
