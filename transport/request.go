package transport

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

	"golang.org/x/net/http/httpguts"
)

// bodyMax and headerMax are the longest request body and header that this transport sends, in bytes. It reads the body
// whole before it sends anything. Body and header together fit into a socket's buffer, so that there is no deadlock
// with an upstream that responds before it has read the request.
const (
	bodyMax   = 8 << 10
	headerMax = 16 << 10
)

// takes reports whether this transport handles a request. Other handles invalid ones, and returns the error.
func takes(req *http.Request) bool {
	return canProbe && req.URL != nil && req.URL.Scheme == "http" && req.URL.Opaque == "" && req.URL.Host != "" && req.Header != nil &&
		req.Method != http.MethodConnect && (req.Method == "" || httpguts.ValidHeaderFieldName(req.Method)) &&
		!req.Close && req.Cancel == nil && //nolint:staticcheck // deprecated, but http.Client still sets it
		len(req.TransferEncoding) == 0 && len(req.Trailer) == 0 &&
		(!hasBody(req) || 0 < req.ContentLength && req.ContentLength <= bodyMax) &&
		// Upgrades have both of the first two. "Connection: close" keeps no connection (RFC 9112, section 9.6).
		len(req.Header["Connection"]) == 0 && len(req.Header["Upgrade"]) == 0 && len(req.Header["Expect"]) == 0 &&
		isSendable(req)
}

// isSendable reports whether all header fields are valid (RFC 9110, section 5.5) and the header is not too long.
func isSendable(req *http.Request) bool {
	size := len(req.URL.Path) + len(req.URL.RawQuery) + len(req.Host)
	for name, values := range req.Header {
		if !httpguts.ValidHeaderFieldName(name) {
			return false
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return false
			}
			size += len(name) + len(v) + len(": \r\n")
		}
	}
	return size <= headerMax
}

func hasBody(req *http.Request) bool { return req.Body != nil && req.Body != http.NoBody }

// isSafe reports whether a request can be repeated, by net/http's rule: its method is safe or it has an idempotency
// key, and its body, if any, can be read again (GetBody).
func isSafe(req *http.Request) bool {
	if hasBody(req) && req.GetBody == nil {
		return false
	}
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	_, has := req.Header["Idempotency-Key"]
	_, hasX := req.Header["X-Idempotency-Key"]
	return has || hasX
}

// outgoing is a request that can be sent more than once.
type outgoing struct {
	*http.Request

	content []byte // the body, after read
}

var acceptGzip = []string{"gzip"}

// prepare returns the request to send. Changes are made on a copy, because a RoundTripper must not modify the request.
func (t *Transport) prepare(req *http.Request) (out outgoing, unzip bool) {
	out.Request = req
	unzip = t.Compress && req.Method != http.MethodHead && isBlank(req.Header["Accept-Encoding"]) && isBlank(req.Header["Range"])
	if unzip || hasBody(req) {
		out.Request = new(*req)
	}
	if unzip {
		out.Header = maps.Clone(req.Header)
		out.Header["Accept-Encoding"] = slices.Concat(req.Header["Accept-Encoding"], acceptGzip) // keeps an empty value
	}
	return out, unzip
}

func isBlank(values []string) bool { return len(values) == 0 || values[0] == "" }

// read reads the body. Its length must be the request's Content-Length.
func (o *outgoing) read() error {
	content := make([]byte, o.ContentLength+1) // one more byte, to detect a longer body
	n := 0
	for n < len(content) {
		m, err := o.Body.Read(content[n:])
		n += m
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if int64(n) > o.ContentLength {
		return fmt.Errorf("the request's body is longer than the %d bytes of its Content-Length", o.ContentLength)
	}
	if int64(n) < o.ContentLength {
		return fmt.Errorf("the request's body has %d bytes, but its Content-Length is %d: %w", n, o.ContentLength, io.ErrUnexpectedEOF)
	}
	o.content = content[:n]
	return nil
}

// next returns the request with a body that has not been read.
func (o *outgoing) next() *http.Request {
	if o.content != nil {
		o.Body = io.NopCloser(bytes.NewReader(o.content))
	}
	return o.Request
}
