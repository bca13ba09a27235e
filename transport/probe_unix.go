//go:build unix && !aix && !solaris

package transport

import (
	"errors"
	"net"
	"syscall"
)

const canProbe = true

// probe checks whether the other side has closed an idle connection or sent unexpected bytes. Those bytes would be read
// as the next response.
type probe struct {
	raw     syscall.RawConn
	look    func(fd uintptr) bool
	isQuiet bool // the result of look
}

func (p *probe) init(nc net.Conn) {
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return
	}
	p.raw = raw
	var one [1]byte
	p.look = func(fd uintptr) bool {
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		p.isQuiet = errors.Is(err, syscall.EAGAIN)
		return true
	}
}

// works reports whether the connection is a socket. Other connections cannot be checked for input.
func (p *probe) works() bool { return p.raw != nil }

// quiet reports whether the connection is open and has no input.
func (p *probe) quiet() bool {
	p.isQuiet = false
	return p.raw != nil && p.raw.Read(p.look) == nil && p.isQuiet
}
