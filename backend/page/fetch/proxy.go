package fetch

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net"
	neturl "net/url"
	"slices"
	"strconv"
	"strings"
)

// CountryRandom selects any country that has a proxy.
const CountryRandom = "RANDOM"

// Proxy is an HTTP proxy that supports CONNECT. The zero value is none; ParseProxy makes one.
type Proxy struct {
	address       string // host and port
	serverName    string // the host, for TLS to the proxy; "" for a plain connection
	authorization string // the value of Proxy-Authorization, or ""
}

// ParseProxy parses http://user:password@host:port, or https:// for a proxy that is itself reached over TLS. The default
// port is 80 or 443. Errors do not repeat the text, which may contain a password.
func ParseProxy(text string) (Proxy, error) {
	u, err := neturl.Parse(text)
	if err != nil {
		return Proxy{}, errors.New("is not a URL: want http://user:password@host:port, with special characters of the password percent-encoded")
	}
	p := Proxy{}
	port := "80"
	switch u.Scheme {
	case "http":
	case "https":
		port, p.serverName = "443", u.Hostname()
	default:
		return Proxy{}, fmt.Errorf("has the scheme %q: want http or https", u.Scheme)
	}
	if u.Hostname() == "" {
		return Proxy{}, errors.New("has no host: want http://user:password@host:port")
	}
	if u.Port() != "" {
		port = u.Port()
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return Proxy{}, errors.New("has an invalid port: want 1 to 65535")
	}
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return Proxy{}, errors.New("has more than a host and a port")
	}
	p.address = net.JoinHostPort(u.Hostname(), port)
	if u.User != nil {
		password, _ := u.User.Password()
		p.authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))
	}
	return p, nil
}

// String returns the proxy's address without its credentials.
func (p Proxy) String() string { return p.address }

// Proxies are the proxies by country, an ISO 3166-1 alpha-2 code in capitals.
type Proxies map[string][]Proxy

// ParseProxies parses entries such as DE=http://user:password@host:port, separated by commas or line ends. A country may
// have several. Empty lines, and those that begin with #, are skipped.
func ParseProxies(text string) (Proxies, error) {
	proxies := Proxies{}
	var errs []error
	entries := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' })
	for i, entry := range entries {
		entry = strings.TrimSpace(entry)
		if entry == "" || strings.HasPrefix(entry, "#") {
			continue
		}
		code, address, found := strings.Cut(entry, "=")
		code = strings.ToUpper(strings.TrimSpace(code))
		if !found || !isCountryCode(code) {
			errs = append(errs, fmt.Errorf("entry %d: want a two-letter country code and a proxy, such as DE=http://user:password@host:port", i+1))
			continue
		}
		proxy, err := ParseProxy(strings.TrimSpace(address))
		if err != nil {
			errs = append(errs, fmt.Errorf("entry %d, %s: the proxy %w", i+1, code, err))
			continue
		}
		proxies[code] = append(proxies[code], proxy)
	}
	return proxies, errors.Join(errs...)
}

func isCountryCode(code string) bool {
	return len(code) == 2 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// Countries returns the codes that have a proxy, sorted.
func (p Proxies) Countries() []string { return slices.Sorted(maps.Keys(p)) }

func (p Proxies) validate() []error {
	var errs []error
	for code, list := range p {
		if !isCountryCode(code) {
			errs = append(errs, fmt.Errorf("Proxies[%q]: want a country code of two capital letters", code))
		}
		if len(list) == 0 || slices.Contains(list, Proxy{}) {
			errs = append(errs, fmt.Errorf("Proxies[%q] is empty", code))
		}
	}
	return errs
}

// candidates returns the proxies for a country; the case of code does not matter.
func (p Proxies) candidates(code string) []Proxy {
	if code = strings.ToUpper(code); code != CountryRandom {
		return p[code]
	}
	var all []Proxy
	for _, code := range p.Countries() {
		all = append(all, p[code]...)
	}
	return all
}

// lacking returns the error for a country without a proxy, with the available countries.
func (p Proxies) lacking(country string) error {
	if len(p) == 0 {
		return errors.New("this installation has no proxy provider")
	}
	return fmt.Errorf("no proxy is configured for the country %s; available countries: %s", strings.ToUpper(country), strings.Join(p.Countries(), ", "))
}
