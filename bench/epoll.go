//go:build linux

package main

import (
	"errors"
	"fmt"
	"syscall"
)

// poller waits for many sockets with one thread and no scheduler in between.
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

// add reports fd whenever there is something to read. tag comes back with it.
func (p *poller) add(fd int, tag int32) error {
	event := syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLRDHUP, Fd: tag}
	if err := syscall.EpollCtl(p.fd, syscall.EPOLL_CTL_ADD, fd, &event); err != nil {
		return fmt.Errorf("epoll: %w", err)
	}
	return nil
}

// wait returns what is ready, at most after timeoutMs (-1: no bound).
func (p *poller) wait(timeoutMs int) ([]syscall.EpollEvent, error) {
	n, err := syscall.EpollWait(p.fd, p.events[:], timeoutMs)
	if errors.Is(err, syscall.EINTR) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return p.events[:n], nil
}

func (p *poller) close() { _ = syscall.Close(p.fd) }

// writeAll writes a message that is far smaller than a socket's buffer.
func writeAll(fd int, message []byte) error {
	n, err := syscall.Write(fd, message)
	if err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if n < len(message) {
		return fmt.Errorf("writing: only %d of %d bytes fitted", n, len(message))
	}
	return nil
}
