package fetch

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// Config is how a Client is made. The zero value is right for production.
type Config struct {
	// UserAgent is sent with every request that has none of its own. Default: UserAgent("dev", its repository).
	UserAgent string
	// AcceptLanguage is sent with every request that has none of its own. Default "en;q=0.9, *;q=0.5".
	AcceptLanguage string

	// AllowPrivate lists ranges that may be reached although they are not public. It is for development and tests
	// and for operators who fetch from their own network on purpose. Default: none.
	AllowPrivate []netip.Prefix
	// AllowPorts lists ports beside 80 and 443. Default: none.
	AllowPorts []uint16
	// AllowAnyPort allows every port. Default false.
	AllowAnyPort bool

	// RedirectsMax is how many redirects are followed. Default 10; negative: none.
	RedirectsMax int
	// WireBytesMax caps a body as sent. Default 20 MiB.
	WireBytesMax int64
	// BodyBytesMax caps a body once decompressed, at every layer of compression. Default 20 MiB.
	BodyBytesMax int64
	// HeaderBytesMax caps the response's header. Default 256 KiB.
	HeaderBytesMax int64

	// RetriesMax is how often a GET or HEAD that failed before an answer is sent again, where another attempt may do
	// better. Default 2; negative: never.
	RetriesMax int
	// RetryDelay is the pause before the first of them, roughly; each further one is twice as long. Default 200 ms.
	RetryDelay time.Duration

	Timeouts Timeouts

	// Proxies are the ways to targets by country. Default: none, and a country cannot be asked for.
	Proxies Proxies
	// Archive answers in place of the network: no connection is made then, nothing waits for a turn, and what the guard
	// refuses of the network is not refused. Default: none.
	Archive Archive
	// Gate makes fetches wait for their turn at a host. Default: none, and nothing waits.
	Gate Gate

	// Resolver answers DNS questions. Default: the system's.
	Resolver *net.Resolver
	// RootCAs verifies certificates. Default: the system's.
	RootCAs *x509.CertPool
}

// Timeouts bounds the phases of a fetch. A zero field has its default; the caller's context may always end it sooner.
type Timeouts struct {
	// Connect is for name resolution and the TCP connection. Default 10 s.
	Connect time.Duration
	// TLS is for the handshake. Default 10 s.
	TLS time.Duration
	// Header is from the request sent to the response's header. Default 30 s.
	Header time.Duration
	// BodyIdle is how long the body may stand still. Default 15 s.
	BodyIdle time.Duration
	// Total is for everything, redirects included. Default 60 s.
	Total time.Duration
}

// ProductToken is the name by which robots.txt files know the product (RFC 9309 section 2.2.1).
const ProductToken = "TurnpikeBot"

const (
	defaultRepository = "https://github.com/turnpike-edge/turnpike"
	mebibyte          = 1 << 20
)

// UserAgent returns the product's user agent string for a version, naming a page that says who fetches and why.
func UserAgent(version, docsURL string) string {
	return fmt.Sprintf("Mozilla/5.0 (compatible; %s/%s; +%s)", ProductToken, version, docsURL)
}

func (c Config) withDefaults() Config {
	c.UserAgent = cmp.Or(c.UserAgent, UserAgent("dev", defaultRepository))
	c.AcceptLanguage = cmp.Or(c.AcceptLanguage, "en;q=0.9, *;q=0.5")
	c.RedirectsMax = cmp.Or(c.RedirectsMax, 10)
	c.WireBytesMax = cmp.Or(c.WireBytesMax, 20*mebibyte)
	c.BodyBytesMax = cmp.Or(c.BodyBytesMax, 20*mebibyte)
	c.HeaderBytesMax = cmp.Or(c.HeaderBytesMax, 256<<10)
	c.RetriesMax = cmp.Or(c.RetriesMax, 2)
	c.RetryDelay = cmp.Or(c.RetryDelay, 200*time.Millisecond)
	c.Timeouts.Connect = cmp.Or(c.Timeouts.Connect, 10*time.Second)
	c.Timeouts.TLS = cmp.Or(c.Timeouts.TLS, 10*time.Second)
	c.Timeouts.Header = cmp.Or(c.Timeouts.Header, 30*time.Second)
	c.Timeouts.BodyIdle = cmp.Or(c.Timeouts.BodyIdle, 15*time.Second)
	c.Timeouts.Total = cmp.Or(c.Timeouts.Total, 60*time.Second)
	return c
}

// Validate reports all faults at once.
func (c Config) Validate() error {
	var errs []error
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"WireBytesMax", c.WireBytesMax},
		{"BodyBytesMax", c.BodyBytesMax},
		{"HeaderBytesMax", c.HeaderBytesMax},
		{"RetryDelay", int64(c.RetryDelay)},
		{"Timeouts.Connect", int64(c.Timeouts.Connect)},
		{"Timeouts.TLS", int64(c.Timeouts.TLS)},
		{"Timeouts.Header", int64(c.Timeouts.Header)},
		{"Timeouts.BodyIdle", int64(c.Timeouts.BodyIdle)},
		{"Timeouts.Total", int64(c.Timeouts.Total)},
	} {
		if limit.value < 0 {
			errs = append(errs, fmt.Errorf("%s must not be negative", limit.name))
		}
	}
	for i, prefix := range c.AllowPrivate {
		switch {
		case !prefix.IsValid():
			errs = append(errs, fmt.Errorf("AllowPrivate[%d] is not a prefix", i))
		case prefix.Addr().Is4In6():
			// Addresses are unmapped before they are compared, so such a prefix would never match.
			errs = append(errs, fmt.Errorf("AllowPrivate[%d]: write %s as an IPv4 prefix", i, prefix))
		}
	}
	for i, port := range c.AllowPorts {
		if port == 0 {
			errs = append(errs, fmt.Errorf("AllowPorts[%d] must not be 0", i))
		}
	}
	return errors.Join(append(errs, c.Proxies.validate()...)...)
}
