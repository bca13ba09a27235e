package server

import (
	"context"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/turnpike-edge/turnpike/transport"
)

func init() { caddy.RegisterModule(new(Transport)) }

const (
	// idlePerHostMax is Transport's default; Caddy's is 32. A gateway has few upstreams, and with fewer idle
	// connections than running requests it would dial for many of them.
	idlePerHostMax = 1024
	// responseHeaderMax is Caddy's default, in bytes.
	responseHeaderMax = 10 << 20
)

// Transport is a transport for reverse_proxy that makes small requests over plain HTTP/1.1 with less work. For a
// request without a body, or with one of up to 8 KiB, one goroutine writes the request and reads the response; Caddy's
// own transport uses three. All larger requests, and all that are not plain HTTP/1.1, go through Caddy's own, whose
// options these are. See docs/caddyfile.md.
type Transport struct {
	reverseproxy.HTTPTransport

	direct *transport.Transport // nil if an option needs Caddy's own transport
}

// CaddyModule implements caddy.Module.
func (*Transport) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.reverse_proxy.transport.direct", New: func() caddy.Module { return new(Transport) }}
}

// UnmarshalCaddyfile sets up the transport from tokens:
//
//	transport direct {
//		<option of Caddy's "transport http">
//	}
//
// keepalive_idle_conns_per_host is 1024 unless it is set.
func (t *Transport) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	return t.HTTPTransport.UnmarshalCaddyfile(d)
}

// Provision implements caddy.Provisioner.
func (t *Transport) Provision(ctx caddy.Context) error {
	if t.KeepAlive == nil {
		t.KeepAlive = new(reverseproxy.KeepAlive)
	}
	if t.KeepAlive.MaxIdleConnsPerHost == 0 {
		t.KeepAlive.MaxIdleConnsPerHost = idlePerHostMax
	}
	if err := t.HTTPTransport.Provision(ctx); err != nil {
		return err
	}
	if !t.isPlain() {
		return nil
	}
	t.direct = &transport.Transport{
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			return t.Transport.DialContext(ctx, network, address)
		},
		Other:          &t.HTTPTransport,
		IdleMax:        t.KeepAlive.MaxIdleConns,
		IdlePerHostMax: t.KeepAlive.MaxIdleConnsPerHost,
		IdleTimeout:    time.Duration(t.KeepAlive.IdleConnTimeout),
		HeaderTimeout:  time.Duration(t.ResponseHeaderTimeout),
		HeaderBytesMax: responseHeaderMax,
		Compress:       t.Compression == nil || *t.Compression,
	}
	if t.MaxResponseHeaderSize > 0 {
		t.direct.HeaderBytesMax = t.MaxResponseHeaderSize
	}
	return nil
}

// isPlain reports whether no option needs Caddy's own transport.
func (t *Transport) isPlain() bool {
	return slices.Contains(t.Versions, "1.1") && !slices.Contains(t.Versions, "h2c") &&
		t.ProxyProtocol == "" && t.MaxConnsPerHost == 0 && t.ReadTimeout == 0 && t.WriteTimeout == 0 &&
		t.ReadBufferSize == 0 && t.WriteBufferSize == 0 &&
		(t.KeepAlive.Enabled == nil || *t.KeepAlive.Enabled)
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.direct == nil {
		return t.HTTPTransport.RoundTrip(req)
	}
	t.SetScheme(req)
	if proxy, err := t.Transport.Proxy(req); proxy != nil || err != nil {
		return t.HTTPTransport.RoundTrip(req)
	}
	return t.direct.RoundTrip(req)
}

// Cleanup implements caddy.CleanerUpper.
func (t *Transport) Cleanup() error {
	if t.direct != nil {
		t.direct.CloseIdle()
	}
	return t.HTTPTransport.Cleanup()
}

// Interface guards
var (
	_ caddy.Provisioner                   = (*Transport)(nil)
	_ caddy.CleanerUpper                  = (*Transport)(nil)
	_ caddyfile.Unmarshaler               = (*Transport)(nil)
	_ http.RoundTripper                   = (*Transport)(nil)
	_ reverseproxy.TLSTransport           = (*Transport)(nil)
	_ reverseproxy.H2CTransport           = (*Transport)(nil)
	_ reverseproxy.ProxyProtocolTransport = (*Transport)(nil)
)
