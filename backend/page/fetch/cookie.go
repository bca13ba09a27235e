package fetch

import (
	"net/http"
	neturl "net/url"
	"strings"
	"time"
)

// Cookie is a cookie that a target set, with its scope, for callers that continue to fetch by other means.
type Cookie struct {
	Name, Value string
	// Host is the host that receives the cookie; with Subdomains its subdomains do, too.
	Host       string
	Subdomains bool
	Path       string
	// Expires is zero for a session cookie.
	Expires          time.Time
	Secure, HTTPOnly bool
	SameSite         http.SameSite
}

// cookieOf converts a Set-Cookie of a response from u as in RFC 6265 section 5.3.
func cookieOf(u *neturl.URL, set *http.Cookie, now time.Time) Cookie {
	cookie := Cookie{
		Name: set.Name, Value: set.Value, Host: strings.ToLower(u.Hostname()), Path: set.Path,
		Expires: set.Expires, Secure: set.Secure, HTTPOnly: set.HttpOnly, SameSite: set.SameSite,
	}
	if domain := strings.ToLower(strings.TrimPrefix(set.Domain, ".")); domain != "" {
		cookie.Host, cookie.Subdomains = domain, true
	}
	if !strings.HasPrefix(cookie.Path, "/") { // section 5.1.4: the directory of the requested URL
		cookie.Path = "/"
		if end := strings.LastIndexByte(u.Path, '/'); end > 0 {
			cookie.Path = u.Path[:end]
		}
	}
	switch {
	case set.MaxAge < 0:
		cookie.Expires = time.Unix(0, 0)
	case set.MaxAge > 0:
		cookie.Expires = now.Add(time.Duration(min(set.MaxAge, int(cookieAgeMax/time.Second))) * time.Second)
	}
	return cookie
}

// cookieAgeMax is the longest that browsers keep a cookie (RFC 6265bis). It also prevents an overflow above.
const cookieAgeMax = 400 * 24 * time.Hour

func (c Cookie) ended(now time.Time) bool { return !c.Expires.IsZero() && !c.Expires.After(now) }

// url returns a URL whose response may set the cookie.
func (c Cookie) url() *neturl.URL {
	host := c.Host
	if strings.Contains(host, ":") { // IPv6
		host = "[" + host + "]"
	}
	return &neturl.URL{Scheme: "https", Host: host, Path: c.Path}
}

func (c Cookie) header() *http.Cookie {
	cookie := &http.Cookie{
		Name: c.Name, Value: c.Value, Path: c.Path, Expires: c.Expires, Secure: c.Secure, HttpOnly: c.HTTPOnly, SameSite: c.SameSite,
	}
	if c.Subdomains {
		cookie.Domain = c.Host
	}
	return cookie
}

// Cookies returns the session's cookies.
func (s *Session) Cookies() []Cookie { return s.jar.all() }

// ReplaceCookies replaces the session's cookies; of too many it keeps the first ones.
func (s *Session) ReplaceCookies(cookies []Cookie) { s.jar.replace(cookies) }
