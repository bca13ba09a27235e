package transport

import (
	"context"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Transport is an http.RoundTripper for plain HTTP/1.1. It handles requests of the http scheme that have no body, or a
// body of known length up to 8 KiB, and a header up to 16 KiB. All others (TLS, long bodies, upgrades, Expect, invalid
// requests) go to Other.
//
// It behaves like http.Transport, with these differences. It never uses a proxy. An unrequested 101 and a status below 100 are
// errors. Of an httptrace.ClientTrace it calls Got1xxResponse and what http.Request.Write calls, and no connection hooks.
//
// Set the fields before the first round trip, and do not change them afterwards.
type Transport struct {
	// Dial connects to an upstream; network is always tcp. Its errors are returned unchanged, unless the request's
	// context has ended. Required.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Other handles the requests that this transport does not. Required.
	Other http.RoundTripper
	// IdleMax limits the idle connections of all hosts, IdlePerHostMax those of one host. With 0, IdleMax is no limit,
	// and IdlePerHostMax keeps none.
	IdleMax, IdlePerHostMax int
	// IdleTimeout is how long an idle connection is kept. 0 means forever.
	IdleTimeout time.Duration
	// HeaderTimeout limits the time from the request's last byte to the end of the response's header. After that, the
	// error is a net.Error with Timeout() true. 0 means no limit.
	HeaderTimeout time.Duration
	// HeaderBytesMax limits the header of a response, in bytes. Required.
	HeaderBytesMax int64
	// Compress asks the upstream for gzip if the request has no Accept-Encoding, and decompresses the response, as
	// http.Transport does.
	Compress bool

	idle idle
}

// staleAfter is how long reading a body may take before the idle connection that waits for it is checked again.
const staleAfter = 100 * time.Millisecond

// RoundTrip implements http.RoundTripper. Once the request's context has ended, the error is its cause.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !takes(req) {
		return t.Other.RoundTrip(req)
	}
	ctx := req.Context()
	if hasBody(req) {
		defer func() { _ = req.Body.Close() }()
	}
	resp, err := t.roundTrip(ctx, req)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return resp, err
}

func (t *Transport) roundTrip(ctx context.Context, req *http.Request) (*http.Response, error) {
	out, unzip := t.prepare(req)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, kept, err := t.connection(req)
		if err != nil {
			return nil, err
		}
		// Read the body only now: as long as it is unread, the caller can try another upstream after a failed connection.
		if hasBody(req) && out.content == nil {
			began := time.Now()
			if err := out.read(); err != nil {
				c.keep()
				return nil, err
			}
			if kept && time.Since(began) > staleAfter && !c.probe.quiet() {
				_ = c.net.Close()
				continue
			}
		}
		resp, err := c.exchange(out.next())
		if err == nil {
			resp.Request = req
			if unzip {
				unzipped(resp)
			}
			return resp, nil
		}
		c.discard()
		if !kept || !c.repeatable(req) {
			return nil, err
		}
	}
}

// CloseIdle closes the idle connections, and keeps none from now on. Running round trips continue.
func (t *Transport) CloseIdle() { t.idle.close() }

// connection returns an idle connection, or a new one.
func (t *Transport) connection(req *http.Request) (c *conn, kept bool, err error) {
	host := req.URL.Host
	if c := t.idle.take(host, t.IdleTimeout); c != nil {
		return c, true, nil
	}
	address := host
	if req.URL.Port() == "" {
		address = net.JoinHostPort(req.URL.Hostname(), "80")
	}
	if ascii, err := httpguts.PunycodeHostPort(address); err == nil {
		address = ascii
	}
	nc, err := t.Dial(req.Context(), "tcp", address)
	if err != nil {
		return nil, false, err
	}
	return newConn(nc, t, host), false, nil
}
