package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
)

// Client fetches. It is safe for concurrent use; make one per process and share it.
type Client struct {
	config    Config
	guard     *guard
	transport *http.Transport
}

// New makes a Client.
func New(config Config) (*Client, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("fetch configuration: %w", err)
	}
	config = config.withDefaults()
	g := &guard{allowPrivate: config.AllowPrivate, allowPorts: config.AllowPorts, allowAnyPort: config.AllowAnyPort}
	dialer := &net.Dialer{Timeout: config.Timeouts.Connect, Resolver: config.Resolver, ControlContext: g.control}
	transport := &http.Transport{
		Proxy:                  nil,
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: config.RootCAs},
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // decoded here, under a cap
		TLSHandshakeTimeout:    config.Timeouts.TLS,
		ResponseHeaderTimeout:  config.Timeouts.Header,
		MaxResponseHeaderBytes: config.HeaderBytesMax,
		MaxIdleConns:           100,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        30 * time.Second,
	}
	return &Client{config: config, guard: g, transport: transport}, nil
}

// Close drops idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Check reports whether the client would refuse u before any look-up: a port that is not allowed, an address that is
// not public, a name that is private by convention. Nil is no promise: names are resolved, and checked, when dialled.
func (c *Client) Check(u URL) error {
	if u.IsZero() {
		return &Error{Reason: ReasonInvalidURL, Err: fmt.Errorf("is empty")}
	}
	if err := c.guard.checkURL(u); err != nil {
		return &Error{Reason: reasonOfGuard(err), URL: u.String(), Err: err}
	}
	return nil
}

// Request is one fetch.
type Request struct {
	// Method is GET if empty.
	Method string
	URL    URL
	// Header is sent as it is. User-Agent, Accept and Accept-Language have defaults; Accept-Encoding, Host and the
	// hop-by-hop fields are the client's own. Authorization, Cookie and the like go to the first host only.
	Header http.Header
	Body   []byte
	// NoRedirects returns a redirect as the response.
	NoRedirects bool
}

// Response is a target's answer, whatever its status.
type Response struct {
	// URL is where the answer came from, after redirects.
	URL        URL
	StatusCode int
	// Header is as received, but for Content-Encoding and Content-Length, which no longer describe Body.
	Header http.Header
	// MediaType is the body's type in lower case without parameters, e.g. "text/html"; sniffed where the target sent
	// none.
	MediaType string
	// Charset is the WHATWG name of the encoding that Body was in, for text; "" otherwise.
	Charset string
	// Body is decompressed and, for text, valid UTF-8 without a byte order mark.
	Body []byte
	// Redirects is the number of redirects followed.
	Redirects int
}

// Get fetches r.URL with GET. Errors are *Error.
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	r.Method, r.Body = http.MethodGet, nil
	return c.Do(ctx, r)
}

// Do sends r, follows redirects and reads the answer. Errors are *Error. Cookies that the target sets live for the
// redirects of this one call.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	if err := c.Check(r.URL); err != nil {
		return nil, err
	}
	ctx, cancelTimeout := context.WithTimeoutCause(ctx, c.config.Timeouts.Total, errTotalTimeout)
	defer cancelTimeout()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		return nil, fail(ctx, r.URL, err)
	}
	h := newHop(r, c.config)
	for {
		response, err := c.send(ctx, jar, h)
		if err != nil {
			return nil, fail(ctx, h.url, err)
		}
		next, err := c.follow(h, response)
		if err != nil {
			drop(response)
			return nil, fail(ctx, h.url, err)
		}
		if next == nil {
			return c.read(ctx, cancel, h, response)
		}
		drop(response)
		h = next
	}
}

// send does one hop on the bare transport: http.Client would read redirects by net/url's rules.
func (c *Client) send(ctx context.Context, jar http.CookieJar, h *hop) (*http.Response, error) {
	var body io.Reader
	if len(h.body) > 0 {
		body = bytes.NewReader(h.body)
	}
	request, err := http.NewRequestWithContext(ctx, h.method, h.url.Origin(), body)
	if err != nil {
		return nil, err
	}
	request.URL = h.url.forRequest()
	request.Host = h.url.Host()
	request.Header = h.header.Clone()
	for _, cookie := range jar.Cookies(request.URL) {
		request.AddCookie(cookie)
	}
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	jar.SetCookies(request.URL, response.Cookies())
	return response, nil
}

func (c *Client) read(ctx context.Context, cancel context.CancelCauseFunc, h *hop, response *http.Response) (*Response, error) {
	defer response.Body.Close()
	body, err := c.readBody(ctx, cancel, response)
	if err != nil {
		return nil, fail(ctx, h.url, err)
	}
	mediaType, params := mediaTypeOf(response.Header.Get("Content-Type"), body)
	out := &Response{
		URL: h.url, StatusCode: response.StatusCode, Header: response.Header.Clone(),
		MediaType: mediaType, Body: body, Redirects: h.count,
	}
	out.Header.Del("Content-Encoding")
	out.Header.Del("Content-Length")
	if isText(mediaType) {
		out.Body, out.Charset = toUTF8(body, mediaType, params["charset"])
	}
	return out, nil
}

// drop closes a response that is not wanted, reading a little so that its connection can be used again.
func drop(response *http.Response) {
	_, _ = io.CopyN(io.Discard, response.Body, 4<<10)
	_ = response.Body.Close()
}

// ownHeader are the fields that callers may not set: the client's own, and those that belong to the connection.
func ownHeader(name string) bool {
	switch name {
	case "Accept-Encoding", "Host", "Connection", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Te",
		"Trailer", "Transfer-Encoding", "Upgrade", "Content-Length":
		return true
	}
	return strings.HasPrefix(name, ":")
}
