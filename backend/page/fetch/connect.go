package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	neturl "net/url"
	"slices"
	"strconv"
	"time"
)

const (
	// connectHeadBytesMax limits the size of a proxy's response to CONNECT.
	connectHeadBytesMax = 64 << 10
	// connectTriesMax is how many of a name's addresses are tried through a proxy.
	connectTriesMax = 3
)

// proxyError is a failure of the proxy, or of the connection to it.
type proxyError struct {
	proxy  Proxy
	status int // the response to CONNECT, or 0
	err    error
}

func (e *proxyError) Error() string {
	switch {
	case e.err != nil:
		return fmt.Sprintf("proxy %s: %v", e.proxy, e.err)
	case e.status == http.StatusProxyAuthRequired:
		return fmt.Sprintf("proxy %s: credentials rejected (407)", e.proxy)
	default:
		return fmt.Sprintf("proxy %s: returned status %d for CONNECT", e.proxy, e.status)
	}
}

func (e *proxyError) Unwrap() error { return e.err }

// tunnels dials targets through a proxy. The guard stays effective: the target's name is resolved and its addresses are
// checked here, and the proxy is asked for the address, so that its own name resolution does not matter. Plain http uses
// CONNECT too: a proxy that receives the whole URL would resolve the name in it.
type tunnels struct {
	proxy    Proxy
	guard    *guard
	resolver *net.Resolver
	// dialer connects to the proxy. It has no guard: the operator chose the address, and it dials no targets.
	dialer  *net.Dialer
	tls     *tls.Config
	timeout time.Duration // for the proxy's TLS handshake and its response, each
}

func (t *tunnels) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("port %q is not valid", portText)
	}
	if err := t.guard.checkPort(uint16(port)); err != nil {
		return nil, err
	}
	addrs, err := t.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, addr := range addrs {
		var conn net.Conn
		if conn, err = t.connect(ctx, netip.AddrPortFrom(addr, uint16(port)).String()); err == nil {
			return conn, nil
		}
		// Try another address only if the proxy's response is about the target.
		if e, ok := errors.AsType[*proxyError](err); !ok || e.status < 500 || ctx.Err() != nil {
			return nil, err
		}
	}
	return nil, err
}

// resolve returns addresses of host that the guard allows: at least one, IPv4 first, because many proxies have only IPv4.
func (t *tunnels) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	ctx, cancel := context.WithTimeout(ctx, t.dialer.Timeout)
	defer cancel()
	addrs, err := resolverOrDefault(t.resolver).LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	var allowed []netip.Addr
	var refused error
	for _, addr := range addrs {
		addr = addr.Unmap()
		if err := t.guard.checkAddr(addr); err != nil {
			refused = err
			continue
		}
		allowed = append(allowed, addr.WithZone(""))
	}
	if len(allowed) == 0 {
		if refused == nil {
			refused = &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
		}
		return nil, refused
	}
	slices.SortStableFunc(allowed, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() })
	return allowed[:min(len(allowed), connectTriesMax)], nil
}

func resolverOrDefault(r *net.Resolver) *net.Resolver {
	if r == nil {
		return net.DefaultResolver
	}
	return r
}

// connect asks the proxy for a tunnel to target, an address and port.
func (t *tunnels) connect(ctx context.Context, target string) (net.Conn, error) {
	conn, err := t.dialer.DialContext(ctx, "tcp", t.proxy.address)
	if err != nil {
		return nil, &proxyError{proxy: t.proxy, err: err}
	}
	if t.proxy.serverName != "" {
		secure := tls.Client(conn, t.tls)
		handshake, cancel := context.WithTimeout(ctx, t.timeout)
		err := secure.HandshakeContext(handshake)
		cancel()
		if err != nil {
			_ = conn.Close()
			return nil, &proxyError{proxy: t.proxy, err: err}
		}
		conn = secure
	}
	status, err := t.ask(ctx, conn, target)
	if err == nil && status/100 == 2 {
		return conn, nil
	}
	_ = conn.Close()
	if err == nil {
		return nil, &proxyError{proxy: t.proxy, status: status}
	}
	return nil, &proxyError{proxy: t.proxy, err: err}
}

// ask sends CONNECT and returns the status of the response.
func (t *tunnels) ask(ctx context.Context, conn net.Conn, target string) (int, error) {
	if err := conn.SetDeadline(time.Now().Add(t.timeout)); err != nil {
		return 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	// No User-Agent: the proxy does not need it.
	header := http.Header{"User-Agent": {""}}
	if t.proxy.authorization != "" {
		header.Set("Proxy-Authorization", t.proxy.authorization)
	}
	request := &http.Request{Method: http.MethodConnect, URL: &neturl.URL{Opaque: target}, Host: target, Header: header}
	if err := request.Write(conn); err != nil {
		return 0, err
	}
	reader := bufio.NewReader(io.LimitReader(conn, connectHeadBytesMax))
	response, err := http.ReadResponse(reader, request)
	if err != nil {
		return 0, fmt.Errorf("reading the response to CONNECT: %w", err)
	}
	_ = response.Body.Close() // an open tunnel has no body, another one's is not read
	if response.StatusCode/100 == 2 && reader.Buffered() > 0 {
		return 0, errors.New("sent data after the response to CONNECT")
	}
	if !stop() {
		return 0, context.Cause(ctx)
	}
	return response.StatusCode, conn.SetDeadline(time.Time{})
}
