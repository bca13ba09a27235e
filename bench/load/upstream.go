//go:build linux

package load

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"strconv"
	"syscall"
)

// UpstreamBody is the body of every response.
const UpstreamBody = `{"success":true,"data":"a small and constant answer"}`

var upstreamAnswer = []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
	strconv.Itoa(len(UpstreamBody)) + "\r\n\r\n" + UpstreamBody)

// requestBytesMax is more than any request has after the edge has added its headers.
const requestBytesMax = 8 << 10

// UpstreamMain serves on a loopback port, which it prints, until it is ended.
func UpstreamMain() error {
	listener, address, err := listen()
	if err != nil {
		return err
	}
	fmt.Println(address)
	runtime.LockOSThread()
	return serveUpstream(listener)
}

func listen() (fd int, address netip.AddrPort, err error) {
	fd, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, address, fmt.Errorf("socket: %w", err)
	}
	loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: loopback.As4()}); err != nil {
		return 0, address, fmt.Errorf("binding to loopback: %w", err)
	}
	if err := syscall.Listen(fd, 1024); err != nil {
		return 0, address, fmt.Errorf("listening: %w", err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		return 0, address, fmt.Errorf("reading the port: %w", err)
	}
	bound, ok := name.(*syscall.SockaddrInet4)
	if !ok {
		return 0, address, fmt.Errorf("reading the port: got a %T", name)
	}
	return fd, netip.AddrPortFrom(loopback, uint16(bound.Port)), nil //nolint:gosec // a port
}

// request is what a connection has received of its current request.
type request struct {
	buf [requestBytesMax]byte
	n   int
}

func serveUpstream(listener int) error {
	p, err := newPoller()
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.add(listener, int32(listener)); err != nil { //nolint:gosec // a file descriptor
		return err
	}
	conns := map[int]*request{}
	for {
		ready, err := p.wait(-1)
		if err != nil {
			return err
		}
		for _, event := range ready {
			fd := int(event.Fd)
			if fd == listener {
				if err := accept(p, listener, conns); err != nil {
					return err
				}
				continue
			}
			if !conns[fd].serve(fd) {
				delete(conns, fd)
				_ = syscall.Close(fd)
			}
		}
	}
}

func accept(p *poller, listener int, conns map[int]*request) error {
	for {
		fd, _, err := syscall.Accept4(listener, syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
		if errors.Is(err, syscall.EAGAIN) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("accepting: %w", err)
		}
		_ = syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
		conns[fd] = new(request)
		if err := p.add(fd, int32(fd)); err != nil { //nolint:gosec // a file descriptor
			return err
		}
	}
}

// serve reads what is available and responds to a complete request (its header: the load sends no bodies). It reports
// false when the connection is over.
func (r *request) serve(fd int) bool {
	n, err := read(fd, r.buf[r.n:])
	if err != nil {
		return false
	}
	r.n += n
	if !bytes.HasSuffix(r.buf[:r.n], []byte("\r\n\r\n")) {
		return r.n < len(r.buf)
	}
	r.n = 0
	return writeAll(fd, upstreamAnswer) == nil
}
