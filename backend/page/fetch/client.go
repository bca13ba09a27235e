package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Client fetches URLs. It is safe for concurrent use; make one per process and share it.
type Client struct {
	config  Config
	guard   *guard
	direct  *route
	proxied map[Proxy]*route
}

// New makes a Client.
func New(config Config) (*Client, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("fetch configuration: %w", err)
	}
	config = config.withDefaults()
	g := &guard{allowPrivate: config.AllowPrivate, allowPorts: config.AllowPorts, allowAnyPort: config.AllowAnyPort}
	c := &Client{config: config, guard: g, direct: directRoute(config, g), proxied: map[Proxy]*route{}}
	for _, proxies := range config.Proxies {
		for _, proxy := range proxies {
			c.proxied[proxy] = proxyRoute(config, g, proxy)
		}
	}
	return c, nil
}

// Close closes idle connections.
func (c *Client) Close() {
	c.direct.transport.CloseIdleConnections()
	for _, r := range c.proxied {
		r.transport.CloseIdleConnections()
	}
}

// Check reports whether the client would refuse u before any DNS look-up: for a port that is not allowed, an address that
// is not public, or a name that is private by convention. Nil promises nothing: names are resolved and checked on dialling.
func (c *Client) Check(u URL) error {
	if u.IsZero() {
		return &Error{Reason: ReasonInvalidURL, Err: fmt.Errorf("is empty")}
	}
	if c.config.Archive != nil {
		return nil // nothing is dialled
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
	// Header is sent as it is. User-Agent, Accept and Accept-Language have defaults. The client sets Accept-Encoding, Host
	// and the hop-by-hop fields itself. Authorization, Cookie and similar fields go to the first host only.
	Header http.Header
	Body   []byte
	// Session holds the cookies and the proxy. Nil: targets are reached directly, and cookies last for this call only.
	Session *Session
	// NoRedirects returns a redirect as the response.
	NoRedirects bool
	// RedirectsMax is how many redirects are followed. 0: Config.RedirectsMax.
	RedirectsMax int
	// HeadBytes ends reading after so many decompressed bytes, without an error: Response.Body is then the beginning of the
	// body. 0: the body is read whole, and a body larger than Config allows is an error.
	HeadBytes int64
	// Room is called before more than [RoomBytes] of a body are read, with the maximum size of the decompressed body for
	// which memory is needed: first a medium size, later the limit of Config. It may wait. Its error ends the fetch with
	// ReasonRoom. Nil: nothing waits.
	Room RoomFunc
	// Follow is called with the target of each redirect before it is followed. Its error ends the fetch with ReasonRefused,
	// and nothing is sent to the target. Nil: redirects are followed.
	Follow FollowFunc
	// Record fills Response.Exchanges.
	Record bool
}

// FollowFunc decides whether a redirect may be followed.
type FollowFunc func(ctx context.Context, u URL) error

// RoomFunc waits for memory for a body of at most bytesMax.
type RoomFunc func(ctx context.Context, bytesMax int64) error

// Response is the response of a target, whatever its status.
type Response struct {
	// URL is the URL of the response, after redirects.
	URL        URL
	StatusCode int
	// Header is as received, without Content-Encoding and Content-Length, which no longer describe Body.
	Header http.Header
	// MediaType is the body's type in lower case without parameters, e.g. "text/html"; sniffed if the target sent none.
	MediaType string
	// Charset is the WHATWG name of the original encoding of Body, for text; "" otherwise.
	Charset string
	// Body is decompressed and, for text, valid UTF-8 without a byte order mark.
	Body []byte
	// Redirects is the number of redirects followed.
	Redirects int
	// Exchanges are the requests and responses, redirects first, if the request had Record; otherwise nil.
	Exchanges []Exchange
}

// Get fetches r.URL with GET. Errors are *Error.
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	r.Method, r.Body = http.MethodGet, nil
	return c.Do(ctx, r)
}

// Do sends r, follows redirects and reads the response. Errors are *Error. A GET or HEAD that failed before a response is
// retried if another attempt may succeed.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	if err := c.Check(r.URL); err != nil {
		return nil, err
	}
	ctx, cancelTimeout := context.WithTimeoutCause(ctx, c.config.Timeouts.Total, errTotalTimeout)
	defer cancelTimeout()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	if r.Session == nil {
		r.Session = &Session{jar: newJar(), route: c.direct}
	}
	h := newHop(r, c.config)
	for {
		response, leave, err := c.send(ctx, r.Session, h)
		if err != nil {
			return nil, fail(ctx, h.url, err)
		}
		next, err := c.follow(ctx, h, response)
		if err == nil && next == nil {
			defer leave(outcomeOf(response))
			return c.read(ctx, cancel, h, response)
		}
		drop(response)
		leave(outcomeOf(response))
		if err != nil {
			return nil, fail(ctx, h.url, err)
		}
		h = next
	}
}

// send does one hop, with retries. If there is a response, call leave when it has been read.
func (c *Client) send(ctx context.Context, s *Session, h *hop) (response *http.Response, leave func(Outcome), err error) {
	for attempt := 0; ; attempt++ {
		if attempt > 0 {
			if err := c.pause(ctx, attempt); err != nil {
				return nil, nil, err
			}
		}
		if leave, err = c.enter(ctx, h.url); err != nil {
			return nil, nil, err
		}
		if response, err = c.attempt(ctx, s, h); err == nil {
			return response, leave, nil
		}
		leave(Outcome{})
		if !c.again(ctx, h.method, attempt, err) {
			return nil, nil, err
		}
	}
}

// attempt sends one request on the bare transport: http.Client would parse redirects by net/url's rules.
func (c *Client) attempt(ctx context.Context, s *Session, h *hop) (*http.Response, error) {
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
	for _, cookie := range s.jar.of(request.URL) {
		request.AddCookie(cookie)
	}
	response, err := c.exchange(s, h, request)
	if err != nil {
		return nil, err
	}
	response.Request = request
	s.jar.add(request.URL, response.Cookies())
	return response, nil
}

func (c *Client) read(ctx context.Context, cancel context.CancelCauseFunc, h *hop, response *http.Response) (*Response, error) {
	defer response.Body.Close()
	body, err := c.readBody(ctx, cancel, response, h)
	if err != nil {
		return nil, fail(ctx, h.url, err)
	}
	mediaType, params := mediaTypeOf(response.Header.Get("Content-Type"), body)
	out := &Response{
		URL: h.url, StatusCode: response.StatusCode, Header: response.Header.Clone(),
		MediaType: mediaType, Body: body, Redirects: h.count,
	}
	out.Exchanges = h.exchanged(response, body)
	out.Header.Del("Content-Encoding")
	out.Header.Del("Content-Length")
	if isText(mediaType) {
		if out.Body, out.Charset, err = toUTF8(body, mediaType, params["charset"], c.config.BodyBytesMax); err != nil {
			return nil, fail(ctx, h.url, err)
		}
	}
	return out, nil
}

// drop closes an unwanted response. It reads a little, so that the connection can be reused.
func drop(response *http.Response) {
	_, _ = io.CopyN(io.Discard, response.Body, 4<<10)
	_ = response.Body.Close()
}

// ownHeader reports fields that callers may not set: those the client sets itself, and those of the connection.
func ownHeader(name string) bool {
	switch name {
	case "Accept-Encoding", "Host", "Connection", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Te",
		"Trailer", "Transfer-Encoding", "Upgrade", "Content-Length":
		return true
	}
	return strings.HasPrefix(name, ":")
}
