package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// attack holds many connections open and sends as little as possible.
type attack struct {
	address string
	open    atomic.Int64
	began   sync.WaitGroup // every connection has been open once
	ended   sync.WaitGroup
	cancel  context.CancelFunc
}

// attackers is the number of source addresses, so that limits per address do not help the edge.
const attackers = 50

const (
	// trickle is how often a connection sends or reads something.
	trickle = 2 * time.Second
	// opening is the time over which all are opened, so that they do not act at the same moment: that is another attack.
	opening = time.Second
)

func startAttack(t *testing.T, address string) *attack {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	a := &attack{address: address, cancel: cancel}
	kinds := []func(net.Conn) func() error{a.slowHeader, a.slowBody, a.slowReader}
	for i := range slowConnections {
		a.began.Add(1)
		a.ended.Go(func() {
			delay := time.NewTimer(opening * time.Duration(i) / slowConnections)
			if await(ctx, delay.C) {
				a.hold(ctx, i%attackers, kinds[i%len(kinds)])
			}
		})
	}
	a.began.Wait()
	return a
}

// asFromAfar gives a connection network-sized segments and a small receive buffer. With loopback segments the system
// would accept megabytes of a response at once for each connection, and the reader would not be slow any more.
func asFromAfar(_, _ string, raw syscall.RawConn) error {
	var err error
	if outer := raw.Control(func(fd uintptr) {
		err = errors.Join(
			syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 1400),
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4<<10),
		)
	}); outer != nil {
		return outer
	}
	return err
}

// stop ends the attack, and returns how many connections were open.
func (a *attack) stop() int {
	held := a.open.Load()
	a.cancel()
	a.ended.Wait()
	return int(held)
}

// hold keeps one connection open, and opens another when the edge closes it.
func (a *attack) hold(ctx context.Context, from int, begin func(net.Conn) func() error) {
	once := sync.OnceFunc(a.began.Done)
	defer once()
	tick := time.NewTicker(trickle)
	defer tick.Stop()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+from))}, Control: asFromAfar}
	for ctx.Err() == nil {
		conn, err := dialer.DialContext(ctx, "tcp", a.address)
		if err == nil {
			step := begin(conn)
			a.open.Add(1)
			for err = step(); err == nil; err = step() {
				if once(); !await(ctx, tick.C) {
					break
				}
			}
			a.open.Add(-1)
			_ = conn.Close()
		}
		await(ctx, tick.C)
	}
}

func await(ctx context.Context, tick <-chan time.Time) bool {
	select {
	case <-tick:
		return true
	case <-ctx.Done():
		return false
	}
}

func (a *attack) slowHeader(conn net.Conn) func() error {
	_, _ = fmt.Fprintf(conn, "POST /v1/scrapes HTTP/1.1\r\nHost: %s\r\n", a.address)
	return func() error {
		_, err := io.WriteString(conn, "X-Slow: yes\r\n")
		return err
	}
}

func (a *attack) slowBody(conn net.Conn) func() error {
	_, _ = fmt.Fprintf(conn, "POST /x402/v1/scrapes HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{", a.address)
	return func() error {
		_, err := io.WriteString(conn, " ")
		return err
	}
}

// slowReader requests a response that is too large for any buffer.
func (a *attack) slowReader(conn net.Conn) func() error {
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	_, _ = fmt.Fprintf(conn, "GET /docs/large HTTP/1.1\r\nHost: %s\r\n\r\n", a.address)
	few := make([]byte, 64)
	return func() error {
		_, err := conn.Read(few)
		return err
	}
}
