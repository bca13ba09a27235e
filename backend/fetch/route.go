package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

const (
	// idleHostMax is how many connections to one host are kept for the next request. How many there are at once is for
	// politeness to say; where it has nothing to say, as within one's own network, each request would dial anew.
	idleHostMax = 64
	idleMax     = 256
)

// route is a way to targets: directly, or through one proxy. Each has its own connections, so that none that was made
// on one is used on another.
type route struct {
	dial      func(ctx context.Context, network, address string) (net.Conn, error)
	transport *http.Transport
}

func newRoute(config Config, dial func(ctx context.Context, network, address string) (net.Conn, error)) *route {
	return &route{dial: dial, transport: &http.Transport{
		Proxy:                  nil,
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: config.RootCAs},
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // decoded here, under a cap
		TLSHandshakeTimeout:    config.Timeouts.TLS,
		ResponseHeaderTimeout:  config.Timeouts.Header,
		MaxResponseHeaderBytes: config.HeaderBytesMax,
		MaxIdleConns:           idleMax,
		MaxIdleConnsPerHost:    idleHostMax,
		IdleConnTimeout:        30 * time.Second,
	}}
}

// directRoute dials targets with the guard on the socket.
func directRoute(config Config, g *guard) *route {
	if config.Archive != nil {
		return newRoute(config, dialNothing)
	}
	dialer := &net.Dialer{Timeout: config.Timeouts.Connect, Resolver: config.Resolver, ControlContext: g.control}
	return newRoute(config, dialer.DialContext)
}

// proxyRoute dials targets through a proxy, which is asked for addresses that the guard has checked.
func proxyRoute(config Config, g *guard, proxy Proxy) *route {
	t := &tunnels{
		proxy: proxy, guard: g, resolver: config.Resolver,
		dialer:  &net.Dialer{Timeout: config.Timeouts.Connect, Resolver: config.Resolver},
		tls:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: config.RootCAs, ServerName: proxy.serverName},
		timeout: config.Timeouts.TLS,
	}
	return newRoute(config, t.dial)
}

// Session is what the fetches of one scrape have in common: the cookies that targets set, and the proxy. Make one for
// each scrape with Client.NewSession. It is safe for concurrent use.
type Session struct {
	jar     *jar
	route   *route
	country string // as asked for; "" for none
}

// NewSession makes a session that reaches targets directly, or for a country, an ISO 3166-1 alpha-2 code in any case or
// CountryRandom, through one of its proxies. Its error is an *Error with ReasonNoProxy.
func (c *Client) NewSession(country string) (*Session, error) {
	s := &Session{jar: newJar(), route: c.direct, country: country}
	if country == "" || c.config.Archive != nil {
		return s, nil
	}
	candidates := c.config.Proxies.candidates(country)
	if len(candidates) == 0 {
		return nil, &Error{Reason: ReasonNoProxy, Err: c.config.Proxies.lacking(country)}
	}
	s.route = c.proxied[candidates[rand.IntN(len(candidates))]] //nolint:gosec // which proxy is no secret
	return s, nil
}

// Fresh reports whether a fetch of the session is like one without: directly, and no target has set a cookie yet.
func (s *Session) Fresh() bool { return s.country == "" && s.jar.empty() }

// DialTarget opens a connection to hostPort on the way that session goes, nil for the direct one, behind the guard: for
// those who speak for a browser. Its errors are *Error, with hostPort as URL.
func (c *Client) DialTarget(ctx context.Context, session *Session, hostPort string) (net.Conn, error) {
	r := c.direct
	if session != nil {
		r = session.route
	}
	if _, _, err := net.SplitHostPort(hostPort); err != nil {
		return nil, &Error{Reason: ReasonInvalidURL, URL: hostPort, Err: errors.New("is not a host and a port")}
	}
	conn, err := r.dial(ctx, "tcp", hostPort)
	if err != nil {
		return nil, failAt(ctx, hostPort, err)
	}
	return conn, nil
}

// EnterTarget waits for a turn at hostPort as a fetch does, for those who speak for a browser. What it returns is to be
// called, once, with the status and header of the answer, or 0 and nil where there was none: a host that says 429 or 503
// is left alone for a while. Its errors are *Error, with hostPort as URL.
func (c *Client) EnterTarget(ctx context.Context, hostPort string) (leave func(statusCode int, header http.Header), err error) {
	given, err := c.enterHost(ctx, hostPort)
	if err != nil {
		return nil, failAt(ctx, hostPort, err)
	}
	return func(statusCode int, header http.Header) {
		given(Outcome{StatusCode: statusCode, RetryAfter: RetryAfter(header)})
	}, nil
}
