package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	neturl "net/url"
	"strconv"
	"strings"

	whatwgerrors "github.com/nlnwa/whatwg-url/errors"
	whatwg "github.com/nlnwa/whatwg-url/url"
)

// urlBytesMax is the maximum length of a URL. Servers commonly refuse request lines beyond 8 KiB.
const urlBytesMax = 8192

// URL is an absolute http or https URL with a host and without credentials, parsed and normalised by the WHATWG URL
// standard: hosts are in ASCII form, and all spellings of an IPv4 address (decimal, hexadecimal, octal, short, full-width
// digits) become the dotted one. Only ParseURL and Resolve make one; the zero value is not a URL.
type URL struct{ u *whatwg.Url }

// ParseURL parses s. Its errors are *Error with ReasonInvalidURL and say what is wrong with s.
func ParseURL(s string) (URL, error) {
	u, err := parse(s)
	if err != nil {
		if strings.Contains(s, "@") {
			s = "" // the part before it may be a password, which cannot be cut out of an invalid URL
		}
		return URL{}, &Error{Reason: ReasonInvalidURL, URL: s, Err: err}
	}
	if u.u.Username() != "" || u.u.Password() != "" {
		return URL{}, &Error{Reason: ReasonInvalidURL, URL: u.withoutCredentials().String(), Err: errors.New("must not contain credentials")}
	}
	return u, nil
}

// parse checks everything but credentials.
func parse(s string) (URL, error) {
	switch {
	case strings.TrimSpace(s) == "":
		return URL{}, errors.New("is empty")
	case len(s) > urlBytesMax:
		return URL{}, fmt.Errorf("is longer than %d bytes", urlBytesMax)
	}
	u, err := whatwg.Parse(s)
	if err != nil {
		return URL{}, explain(s, err)
	}
	return accept(u)
}

func accept(u *whatwg.Url) (URL, error) {
	switch {
	case u.Scheme() != "http" && u.Scheme() != "https":
		return URL{}, fmt.Errorf("has the scheme %q; only http and https can be fetched", u.Scheme())
	case u.Hostname() == "":
		return URL{}, errors.New("has no host")
	case len(u.Href(false)) > urlBytesMax:
		return URL{}, fmt.Errorf("is longer than %d bytes", urlBytesMax)
	}
	accepted := URL{u}
	// The standard never yields a host that looks like an address but is not one. A faulty parser might, and the resolver
	// would then interpret it in its own way.
	if last := lastLabel(u.Hostname()); !strings.HasPrefix(u.Hostname(), "[") && isNumeric(last) {
		if _, ok := accepted.addr(); !ok {
			return URL{}, fmt.Errorf("has the host %q, which is neither a name nor an address", u.Hostname())
		}
	}
	return accepted, nil
}

// explain turns the parser's error into a message about the user's mistake.
func explain(s string, err error) error {
	scheme, rest, found := strings.Cut(s, ":")
	switch {
	case !found || strings.ContainsAny(scheme, "/.?#"):
		return errors.New("is not absolute: it must start with http:// or https://")
	case strings.Trim(rest, `/\ `) == "":
		return errors.New("has no host")
	}
	return invalid(err)
}

// invalid omits the parser's text about the URL itself, which may contain a password.
func invalid(err error) error {
	kind := string(whatwgerrors.Type(err))
	if kind == "" {
		return errors.New("is not valid")
	}
	return errors.New("is not valid: " + strings.ToLower(kind[:1]) + kind[1:])
}

// Resolve parses ref relative to u, as for a redirect or a link. Credentials in ref are dropped, not refused, because ref
// does not come from the client.
func (u URL) Resolve(ref string) (URL, error) {
	if len(ref) > urlBytesMax {
		return URL{}, &Error{Reason: ReasonInvalidURL, URL: ref, Err: fmt.Errorf("is longer than %d bytes", urlBytesMax)}
	}
	parsed, err := u.u.Parse(ref)
	if err != nil {
		return URL{}, &Error{Reason: ReasonInvalidURL, URL: ref, Err: invalid(err)}
	}
	resolved, err := accept(parsed)
	if err != nil {
		return URL{}, &Error{Reason: ReasonInvalidURL, URL: ref, Err: err}
	}
	return resolved.withoutCredentials(), nil
}

func (u URL) withoutCredentials() URL {
	if u.u.Username() == "" && u.u.Password() == "" {
		return u
	}
	clean := u.u.Clone()
	clean.SetUsername("")
	clean.SetPassword("")
	return URL{clean}
}

// String returns the serialised URL, fragment included; "" for the zero value.
func (u URL) String() string {
	if u.u == nil {
		return ""
	}
	return u.u.Href(false)
}

// WithoutFragment returns the serialised URL without its fragment. It identifies the document.
func (u URL) WithoutFragment() string {
	if u.u == nil {
		return ""
	}
	return u.u.Href(true)
}

// IsZero reports whether u is the zero value.
func (u URL) IsZero() bool { return u.u == nil }

// Scheme returns "http" or "https".
func (u URL) Scheme() string { return u.u.Scheme() }

// Hostname returns the host in ASCII, an IPv6 address in brackets, without the port.
func (u URL) Hostname() string { return u.u.Hostname() }

// Host returns the host, with the port if it is not the default port of the scheme.
func (u URL) Host() string { return u.u.Host() }

// HostPort returns host and port, always with the port. Connections are counted by it.
func (u URL) HostPort() string {
	return net.JoinHostPort(strings.Trim(u.Hostname(), "[]"), strconv.Itoa(int(u.port())))
}

// Origin returns scheme, host and port. Host limits and robots rules are stored by it.
func (u URL) Origin() string { return u.Scheme() + "://" + u.Host() }

// PathAndQuery returns the request target, as the standard serialises it.
func (u URL) PathAndQuery() string { return u.u.Pathname() + u.u.Search() }

// PlainlyPrivate reports whether the host is a non-public address, or a name that is never public by convention: localhost
// (RFC 6761), .local (RFC 6762), .internal, .home.arpa (RFC 8375), .localdomain. False does not mean public: that is only
// known, and checked, when the name is resolved.
func (u URL) PlainlyPrivate() bool {
	if addr, ok := u.addr(); ok {
		return deniedRange(addr) != ""
	}
	name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	for _, private := range []string{"localhost", "local", "internal", "home.arpa", "localdomain"} {
		if name == private || strings.HasSuffix(name, "."+private) {
			return true
		}
	}
	return false
}

// addr returns the host's address if the host is one.
func (u URL) addr() (netip.Addr, bool) {
	host := strings.TrimSuffix(strings.TrimPrefix(u.Hostname(), "["), "]")
	addr, err := netip.ParseAddr(host)
	return addr, err == nil
}

func (u URL) port() uint16 {
	port, err := strconv.ParseUint(u.u.Port(), 10, 16)
	switch {
	case err == nil:
		return uint16(port)
	case u.Scheme() == "https":
		return 443
	default:
		return 80
	}
}

// forRequest returns u for net/http, which must send the path as the standard wrote it: net/url would re-encode parts of
// it. Opaque carries it verbatim; Path is for the cookie jar. A path that starts with two slashes cannot go in Opaque,
// because net/url would take it for a host.
func (u URL) forRequest() *neturl.URL {
	path := u.u.Pathname()
	out := &neturl.URL{Scheme: u.Scheme(), Host: u.Host(), RawQuery: u.u.Query(), ForceQuery: u.u.Search() == "?"}
	unescaped, err := neturl.PathUnescape(path)
	if err != nil {
		unescaped = path
	}
	out.Path, out.RawPath = unescaped, path
	if !strings.HasPrefix(path, "//") {
		out.Opaque = path
	}
	return out
}

func lastLabel(host string) string {
	host = strings.TrimSuffix(host, ".")
	return host[strings.LastIndexByte(host, '.')+1:]
}

// isNumeric reports whether a URL standard parser would take a host that ends in label for an IPv4 address.
func isNumeric(label string) bool {
	if label == "" {
		return false
	}
	if strings.Trim(label, "0123456789") == "" {
		return true
	}
	hex, ok := strings.CutPrefix(strings.ToLower(label), "0x")
	return ok && strings.Trim(hex, "0123456789abcdef") == ""
}
