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
	// idleHostMax is how many idle connections per host are kept. Package hostlimits limits concurrent requests; where it
	// sets no limit, as within one's own network, a smaller value would make requests dial anew.
	idleHostMax = 64
	idleMax     = 256
)

// route is a way to targets: directly, or through one proxy. Each route has its own connections, so that no connection of
// one route is used on another.
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
		DisableCompression:     true, // decoded here, with a size limit
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

// proxyRoute dials targets through a proxy, using addresses that the guard has checked.
func proxyRoute(config Config, g *guard, proxy Proxy) *route {
	t := &tunnels{
		proxy: proxy, guard: g, resolver: config.Resolver,
		dialer:  &net.Dialer{Timeout: config.Timeouts.Connect, Resolver: config.Resolver},
		tls:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: config.RootCAs, ServerName: proxy.serverName},
		timeout: config.Timeouts.TLS,
	}
	return newRoute(config, t.dial)
}

// Session is what the fetches of one scrape share: the cookies that targets set, and the proxy. Make one per scrape with
// Client.NewSession. It is safe for concurrent use.
type Session struct {
	jar     *jar
	route   *route
	country string // as requested; "" for none
}

// NewSession makes a session that reaches targets directly or, if country is not empty, through a proxy of the country: an
// ISO 3166-1 alpha-2 code in any case, or CountryRandom. Its error is an *Error with ReasonNoProxy.
func (c *Client) NewSession(country string) (*Session, error) {
	s := &Session{jar: newJar(), route: c.direct, country: country}
	if country == "" || c.config.Archive != nil {
		return s, nil
	}
	candidates := c.config.Proxies.candidates(country)
	if len(candidates) == 0 {
		return nil, &Error{Reason: ReasonNoProxy, Err: c.config.Proxies.lacking(country)}
	}
	s.route = c.proxied[candidates[rand.IntN(len(candidates))]] //nolint:gosec // the choice of proxy is not secret
	return s, nil
}

// Fresh reports whether the session has no effect on a fetch: no country, and no cookies yet.
func (s *Session) Fresh() bool { return s.country == "" && s.jar.empty() }

// DialTarget opens a connection to hostPort on the session's route, or directly if session is nil, behind the guard. It
// serves the traffic of a browser. Its errors are *Error, with hostPort as URL.
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

// EnterTarget waits for a turn at hostPort as a fetch does, for the traffic of a browser. Call leave once, with the status
// and header of the response, or 0 and nil if there was none: a host that sends 429 or 503 is not contacted for a while.
// Its errors are *Error, with hostPort as URL.
func (c *Client) EnterTarget(ctx context.Context, hostPort string) (leave func(statusCode int, header http.Header), err error) {
	given, err := c.enterHost(ctx, hostPort)
	if err != nil {
		return nil, failAt(ctx, hostPort, err)
	}
	return func(statusCode int, header http.Header) {
		given(Outcome{StatusCode: statusCode, RetryAfter: RetryAfter(header)})
	}, nil
}
