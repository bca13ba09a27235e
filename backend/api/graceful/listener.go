package graceful

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
)

// drainable is implemented by TCP and Unix listeners.
type drainable interface {
	net.Listener
	syscall.Conn
	SetDeadline(t time.Time) error
}

// lastListener accepts all pending connections in its socket's queue before it closes. The kernel resets connections
// left there, and then a client cannot know whether its request was executed.
type lastListener struct {
	drainable
}

// stop makes Accept return the pending connections, then close and return net.ErrClosed.
func (l lastListener) stop() error {
	if err := l.SetDeadline(time.Unix(1, 0)); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("accepting the last connections: %w", err)
	}
	return nil
}

// Accept implements net.Listener.
func (l lastListener) Accept() (net.Conn, error) {
	conn, err := l.drainable.Accept()
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return conn, err
	}
	if conn, err = l.acceptQueued(); err == nil {
		return conn, nil
	}
	return nil, errors.Join(net.ErrClosed, l.Close())
}

// acceptQueued accepts a pending connection, without waiting.
func (l lastListener) acceptQueued() (net.Conn, error) {
	raw, err := l.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("socket of the listener: %w", err)
	}
	var fd int
	var failed error
	if err := raw.Control(func(socket uintptr) { fd, failed = accept(socket) }); err != nil {
		return nil, fmt.Errorf("socket of the listener: %w", err)
	}
	if failed != nil {
		return nil, fmt.Errorf("accept: %w", failed)
	}
	file := os.NewFile(uintptr(fd), "")
	defer func() { _ = file.Close() }()
	return net.FileConn(file)
}
