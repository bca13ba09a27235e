//go:build unix

package chromium

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Pair connects a renderer to a host in its own process.
func (h *Host) Pair(context.Context) (*net.UnixConn, error) {
	syscall.ForkLock.RLock()
	files, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(files[0])
		unix.CloseOnExec(files[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, fmt.Errorf("connecting to the browser host: %w", err)
	}
	ours, err := connOf(files[0])
	theirs, failed := connOf(files[1])
	if err := errors.Join(err, failed); err != nil {
		return nil, err
	}
	go h.serve(theirs)
	return ours, nil
}

func connOf(file int) (*net.UnixConn, error) {
	f := os.NewFile(uintptr(file), "browser host")
	defer f.Close()
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("not a Unix socket"), conn.Close())
	}
	return unixConn, nil
}

// handOver sends a connection's file descriptor.
func handOver(to *net.UnixConn, conn net.Conn) error {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return errors.New("not a TCP connection")
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	if err := raw.Control(func(file uintptr) { _, _, sent = to.WriteMsgUnix([]byte{0}, unix.UnixRights(int(file)), nil) }); err != nil {
		return err
	}
	return sent
}

// takeOver receives a connection's file descriptor.
func takeOver(from *net.UnixConn) (net.Conn, error) {
	control := make([]byte, unix.CmsgSpace(4*4))                  // one file is sent at a time
	_, n, _, _, err := from.ReadMsgUnix(make([]byte, 1), control) //nolint:dogsled // the byte has no meaning
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(errors.New("the browser host sent no connection"), err)
	}
	files, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		unix.CloseOnExec(file)
	}
	if len(files) != 1 {
		for _, file := range files {
			_ = unix.Close(file)
		}
		return nil, fmt.Errorf("the browser host sent %d file descriptors for a connection", len(files))
	}
	f := os.NewFile(uintptr(files[0]), "egress")
	defer f.Close()
	return net.FileConn(f)
}
