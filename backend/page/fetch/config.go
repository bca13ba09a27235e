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

// Config configures a Client. The zero value is right for production.
type Config struct {
	// UserAgent is sent with requests that set none. Default: UserAgent("dev", its repository).
	UserAgent string
	// AcceptLanguage is sent with requests that set none. Default "en;q=0.9, *;q=0.5".
	AcceptLanguage string

	// AllowPrivate lists ranges that may be reached although they are not public: for development, tests, and operators who
	// fetch from their own network on purpose. Default: none.
	AllowPrivate []netip.Prefix
	// AllowPorts lists allowed ports besides 80 and 443. Default: none.
	AllowPorts []uint16
	// AllowAnyPort allows every port. Default false.
	AllowAnyPort bool

	// RedirectsMax is how many redirects are followed. Default 10; negative: none.
	RedirectsMax int
	// WireBytesMax limits a body as sent. Default 20 MiB.
	WireBytesMax int64
	// BodyBytesMax limits a decompressed body, at every layer of compression. Default 20 MiB.
	BodyBytesMax int64
	// HeaderBytesMax limits the response header. Default 256 KiB.
	HeaderBytesMax int64

	// RetriesMax is how often a GET or HEAD that failed before a response is retried, if another attempt may succeed.
	// Default 2; negative: never.
	RetriesMax int
	// RetryDelay is roughly the pause before the first retry; it doubles with each further one. Default 200 ms.
	RetryDelay time.Duration

	Timeouts Timeouts

	// Proxies are the proxies by country. Default: none, and requests for a country fail.
	Proxies Proxies
	// Archive replaces the network: no connection is made, nothing waits for a turn, and the guard refuses nothing.
	// Default: none.
	Archive Archive
	// Gate makes fetches wait for their turn at a host. Default: none, and nothing waits.
	Gate Gate

	// Resolver resolves names. Default: the system's.
	Resolver *net.Resolver
	// RootCAs verifies certificates. Default: the system's.
	RootCAs *x509.CertPool
}

// Timeouts limit the phases of a fetch. A zero field has its default; the caller's context may end it sooner.
type Timeouts struct {
	// Connect is for name resolution and the TCP connection. Default 10 s.
	Connect time.Duration
	// TLS is for the handshake. Default 10 s.
	TLS time.Duration
	// Header is from the end of the request to the response header. Default 30 s.
	Header time.Duration
	// BodyIdle is how long the body may stall. Default 15 s.
	BodyIdle time.Duration
	// Total is for everything, redirects included. Default 60 s.
	Total time.Duration
}

// ProductToken is the product's name in robots.txt files (RFC 9309 section 2.2.1).
const ProductToken = "TurnpikeBot"

const (
	defaultRepository = "https://github.com/turnpike-edge/turnpike"
	mebibyte          = 1 << 20
)

// UserAgent returns the product's user agent string for a version. docsURL is a page that says who fetches and why.
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

// Validate returns all faults at once.
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
