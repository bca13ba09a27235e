package transport

import (
	"context"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Transport is an http.RoundTripper for plain HTTP/1.1. It takes requests of the http
// scheme without a body, or with a body of known length up to 8 KiB, whose header is not
// beyond 16 KiB. All others (TLS, long bodies, upgrades, Expect, what is not valid) go to Other.
//
// It does what http.Transport does, but: it never goes by a proxy; a 101 that nobody has asked for,
// and a status below 100, are errors; of a httptrace.ClientTrace it calls Got1xxResponse and
// what http.Request.Write calls, and nothing of connections.
//
// The fields are set before the first round trip, and not changed after it.
type Transport struct {
	// Dial connects to an upstream; network is always tcp. Its errors are returned as they are, unless
	// the request's context has ended. It is required.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Other takes what this transport does not. It is required.
	Other http.RoundTripper
	// IdleMax bounds the connections that are kept for later, IdlePerHostMax those of one
	// host. Zero: IdleMax is no bound, and IdlePerHostMax keeps none.
	IdleMax, IdlePerHostMax int
	// IdleTimeout is how long a connection is kept. Zero is for ever.
	IdleTimeout time.Duration
	// HeaderTimeout bounds the time from the request's last byte to the end of
	// the response's header. What takes longer is a net.Error that is a timeout. Zero is no bound.
	HeaderTimeout time.Duration
	// HeaderBytesMax bounds a response's header. It is required.
	HeaderBytesMax int64
	// Compress asks the upstream for gzip where the request says nothing of encodings,
	// and takes it off, as http.Transport does.
	Compress bool

	idle idle
}

// staleAfter is how slowly a body must come for the kept connection that waits
// for it to be looked at again.
const staleAfter = 100 * time.Millisecond

// RoundTrip implements http.RoundTripper. Once the request's context has ended, its cause is the error.
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
		// The body is read now and not before: while it has not been, a failure to
		// connect leaves the caller free to try another upstream.
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

// CloseIdle closes the connections that are kept, and has no more kept. Round
// trips under way go on.
func (t *Transport) CloseIdle() { t.idle.close() }

// connection returns one that was kept, or a new one.
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
