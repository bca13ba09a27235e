//go:build linux

package load

import (
	"errors"
	"fmt"
	"io"
	"syscall"
	"unsafe"
)

// poller waits for many sockets with one thread, without Go's scheduler.
type poller struct {
	fd     int
	events [256]syscall.EpollEvent
}

func newPoller() (*poller, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return &poller{fd: fd}, nil
}

// add reports fd, with its tag, whenever there is something to read.
func (p *poller) add(fd int, tag int32) error {
	event := syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLRDHUP, Fd: tag}
	if err := syscall.EpollCtl(p.fd, syscall.EPOLL_CTL_ADD, fd, &event); err != nil {
		return fmt.Errorf("epoll: %w", err)
	}
	return nil
}

// remove stops reporting fd.
func (p *poller) remove(fd int) error {
	if err := syscall.EpollCtl(p.fd, syscall.EPOLL_CTL_DEL, fd, nil); err != nil {
		return fmt.Errorf("epoll: %w", err)
	}
	return nil
}

// wait returns the ready sockets, after at most timeoutMs (-1: no limit).
func (p *poller) wait(timeoutMs int) ([]syscall.EpollEvent, error) {
	// Raw: no other thread needs scheduling.
	n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_WAIT, uintptr(p.fd),
		uintptr(unsafe.Pointer(&p.events)), uintptr(len(p.events)), uintptr(timeoutMs), 0, 0)
	if errno == 0 {
		return p.events[:n], nil
	}
	if errno == syscall.EINTR {
		return nil, nil
	}
	return nil, fmt.Errorf("epoll: %w", errno)
}

// read reads what is available; 0 and no error if that is nothing, io.EOF at the end.
func read(fd int, buf []byte) (int, error) {
	if len(buf) == 0 {
		return 0, errors.New("reading: message is too long")
	}
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	switch {
	case errno == syscall.EAGAIN:
		return 0, nil
	case errno != 0:
		return 0, fmt.Errorf("reading: %w", errno)
	case n == 0:
		return 0, io.EOF
	}
	return int(n), nil
}

func (p *poller) close() { _ = syscall.Close(p.fd) }

// writeAll writes a message that is far smaller than a socket's buffer.
func writeAll(fd int, message []byte) error {
	n, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&message[0])), uintptr(len(message)))
	if errno != 0 {
		return fmt.Errorf("writing: %w", errno)
	}
	if int(n) < len(message) {
		return fmt.Errorf("writing: only %d of %d bytes fitted", n, len(message))
	}
	return nil
}
