package chromium

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Dial connects to a host that runs as another user.
func Dial(ctx context.Context, socket string) (*net.UnixConn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, fmt.Errorf("the browser service does not answer (start it with: turnpike browser --socket %s): %w", socket, err)
	}
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("not a Unix socket"), conn.Close())
	}
	return unixConn, nil
}

// DialFor connects for a purpose.
func DialFor(ctx context.Context, dial func(context.Context) (*net.UnixConn, error), purpose string) (*net.UnixConn, error) {
	conn, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(conn, purpose+"\n"); err != nil {
		// The host closes connections of unknown users, sometimes before they have sent anything.
		return nil, errors.Join(fmt.Errorf("the browser host closed the connection (check that this user may use it): %w", err), conn.Close())
	}
	return conn, nil
}

// Ready returns what prevents a host from starting browsers.
func Ready(dial func(context.Context) (*net.UnixConn, error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	conn, err := DialFor(ctx, dial, forState)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(timeout))
	var state report
	if err := json.NewDecoder(io.LimitReader(conn, 4<<10)).Decode(&state); err != nil {
		return fmt.Errorf("the browser host did not report whether a browser is available (check that this user may use it): %w", err)
	}
	if state.Error != "" {
		return errors.New(state.Error)
	}
	return nil
}

// Line is a connection for a browser. Close ends the browser; the rest of the output is read until the host has ended
// the browser and closes its side.
type Line struct {
	*net.UnixConn

	once sync.Once
}

func (l *Line) Read(p []byte) (int, error) {
	n, err := l.UnixConn.Read(p)
	if err != nil {
		_ = l.UnixConn.Close()
	}
	return n, err
}

// Close does not wait. If the host does nothing, the connection is closed after timeout.
func (l *Line) Close() (err error) {
	l.once.Do(func() {
		err = l.CloseWrite()
		time.AfterFunc(timeout, func() { _ = l.UnixConn.Close() })
	})
	return err
}

// egressListener is a listener that a host has opened. Its connections are handed over.
type egressListener struct {
	conn *net.UnixConn
	addr net.Addr
}

// Egress asks a host to open a listener that only the browsers' user can reach.
func Egress(ctx context.Context, dial func(context.Context) (*net.UnixConn, error)) (net.Listener, error) {
	conn, err := DialFor(ctx, dial, forEgress)
	if err != nil {
		return nil, err
	}
	_ = conn.SetReadDeadline(time.Now().Add(timeout))
	line, err := readLine(conn, 64)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	_ = conn.SetReadDeadline(time.Time{})
	addr, err := netip.ParseAddrPort(line)
	if err != nil || !addr.Addr().IsLoopback() {
		return nil, errors.Join(fmt.Errorf("the browser host listens on %q, which is not a loopback address", line), err, conn.Close())
	}
	return &egressListener{conn, net.TCPAddrFromAddrPort(addr)}, nil
}

// Accept implements net.Listener.
func (l *egressListener) Accept() (net.Conn, error) { return takeOver(l.conn) }

// Close implements net.Listener.
func (l *egressListener) Close() error { return l.conn.Close() }

// Addr implements net.Listener. The address belongs to the host, which may be in another network.
func (l *egressListener) Addr() net.Addr { return l.addr }
