package transport

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"
)

// bodyMax is the longest request body that is sent here, in bytes. It is read
// whole before anything is sent, and with its header it fits what a socket takes
// at once: an upstream that answers before it has read the request is never waited for
// while it waits for us.
const bodyMax = 8 << 10

// Transport is an http.RoundTripper for plain HTTP/1.1. It takes requests of the http
// scheme without a body, or with a body of known length up to 8 KiB. All others
// (TLS, long bodies, upgrades, Expect) go to Other.
//
// The fields are set before the first round trip, and not changed after it.
type Transport struct {
	// Dial connects to an upstream; network is always tcp. Its errors are returned as they are. It is required.
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

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !takes(req) {
		return t.Other.RoundTrip(req)
	}
	out, unzip, err := t.prepare(req)
	if err != nil {
		return nil, err
	}
	for {
		c, kept, err := t.connection(req)
		if err != nil {
			return nil, err
		}
		resp, err := c.exchange(out.next())
		if err == nil {
			resp.Request = req
			if unzip && strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
				unzipped(resp)
			}
			return resp, nil
		}
		isSilent := !c.answered
		c.discard()
		if req.Context().Err() != nil {
			return nil, context.Cause(req.Context())
		}
		// An upstream may close a connection at the moment at which it is used
		// again (RFC 9112, section 9.3.1). What is safe to repeat, is.
		if !kept || !isSilent || !repeatable(req) {
			return nil, err
		}
	}
}

// CloseIdle closes the connections that are kept, and has no more kept. Round
// trips under way go on.
func (t *Transport) CloseIdle() { t.idle.close() }

// takes reports whether a request is for this transport.
func takes(req *http.Request) bool {
	return req.URL != nil && req.URL.Scheme == "http" && req.URL.Opaque == "" && req.URL.Host != "" && req.Header != nil &&
		req.Method != http.MethodConnect && !req.Close && len(req.TransferEncoding) == 0 && len(req.Trailer) == 0 &&
		(req.Body == nil || req.Body == http.NoBody || 0 < req.ContentLength && req.ContentLength <= bodyMax) &&
		len(req.Header["Upgrade"]) == 0 && len(req.Header["Expect"]) == 0
}

// repeatable is net/http's rule: what changes nothing, or says that it may be repeated.
func repeatable(req *http.Request) bool {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return len(req.Header["Idempotency-Key"]) > 0 || len(req.Header["X-Idempotency-Key"]) > 0
}

// outgoing is a request that can be sent more than once.
type outgoing struct {
	req  *http.Request
	body []byte
}

func (o *outgoing) next() *http.Request {
	if o.body != nil {
		o.req.Body = io.NopCloser(bytes.NewReader(o.body))
	}
	return o.req
}

var acceptGzip = []string{"gzip"}

// prepare reads the body and adds the header that Compress wants, both on a
// copy: a RoundTripper leaves the request as it is.
func (t *Transport) prepare(req *http.Request) (out outgoing, unzip bool, err error) {
	out.req = req
	if req.Body != nil && req.Body != http.NoBody {
		defer req.Body.Close()
		out.body = make([]byte, req.ContentLength)
		if _, err := io.ReadFull(req.Body, out.body); err != nil {
			return out, false, err
		}
		out.req = new(*req)
	}
	unzip = t.Compress && req.Method != http.MethodHead && len(req.Header["Accept-Encoding"]) == 0 && len(req.Header["Range"]) == 0
	if unzip {
		if out.req == req {
			out.req = new(*req)
		}
		out.req.Header = maps.Clone(req.Header)
		out.req.Header["Accept-Encoding"] = acceptGzip
	}
	return out, unzip, nil
}

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
	nc, err := t.Dial(req.Context(), "tcp", address)
	if err != nil {
		return nil, false, err
	}
	return newConn(nc, t, host), false, nil
}
