package fetch

import (
	"maps"
	"net/http"
	"net/http/cookiejar"
	neturl "net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"
)

// Limits of a session's cookies. RFC 6265 section 6.1 asks for 4096 bytes per cookie and 50 cookies per host. The total is
// what common servers accept as a request header.
const (
	cookieBytesMax  = 4096
	cookiesMax      = 180
	jarBytesMax     = 48 << 10
	cookieNameScope = "\x00"
)

// jar is a cookie jar with limits: cookies beyond them are not kept. It is safe for concurrent use.
type jar struct {
	cookies http.CookieJar

	mu    sync.Mutex
	kept  map[string]keptCookie // by host or domain, path and name
	bytes int
}

// keptCookie is a cookie as it was set, which http.CookieJar does not return.
type keptCookie struct {
	Cookie

	setBy *neturl.URL
	size  int
}

func newJar() *jar {
	cookies, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		panic(err) // cookiejar.New never fails
	}
	return &jar{cookies: cookies, kept: map[string]keptCookie{}}
}

// add keeps the cookies that a response from u sets, as far as they fit.
func (j *jar) add(u *neturl.URL, set []*http.Cookie) {
	if len(set) == 0 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	fitting := set[:0:0]
	for _, cookie := range set {
		if j.fits(u, cookie) {
			fitting = append(fitting, cookie)
		}
	}
	j.cookies.SetCookies(u, fitting)
}

// fits accounts for a cookie, or reports false if there is no room. A cookie that replaces another counts by the
// difference; one that deletes another always fits.
func (j *jar) fits(u *neturl.URL, set *http.Cookie) bool {
	cookie := cookieOf(u, set, time.Now())
	key := strings.Join([]string{cookie.Host, strconv.FormatBool(cookie.Subdomains), cookie.Path, cookie.Name}, cookieNameScope)
	old, known := j.kept[key]
	if cookie.ended(time.Now()) {
		delete(j.kept, key)
		j.bytes -= old.size
		return true
	}
	size := len(set.Name) + len(set.Value) + len(set.Path)
	if size > cookieBytesMax || j.bytes-old.size+size > jarBytesMax || (!known && len(j.kept) >= cookiesMax) {
		return false
	}
	j.kept[key] = keptCookie{Cookie: cookie, setBy: u, size: size}
	j.bytes += size - old.size
	return true
}

// of returns the cookies to send to u.
func (j *jar) of(u *neturl.URL) []*http.Cookie {
	j.mu.Lock()
	cookies := j.cookies
	j.mu.Unlock()
	return cookies.Cookies(u)
}

func (j *jar) empty() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.kept) == 0
}

// all returns the cookies that are sent somewhere, without those that the underlying jar rejected, such as one for a
// foreign domain.
func (j *jar) all() []Cookie {
	j.mu.Lock()
	defer j.mu.Unlock()
	var all []Cookie
	for _, key := range slices.Sorted(maps.Keys(j.kept)) {
		kept := j.kept[key]
		taken := slices.ContainsFunc(j.cookies.Cookies(&neturl.URL{Scheme: "https", Host: kept.setBy.Host, Path: kept.Path}), func(c *http.Cookie) bool {
			return c.Name == kept.Name && c.Value == kept.Value
		})
		if taken {
			all = append(all, kept.Cookie)
		}
	}
	return all
}

// replace keeps exactly these cookies, as far as they fit.
func (j *jar) replace(cookies []Cookie) {
	fresh := newJar()
	for _, cookie := range cookies {
		fresh.add(cookie.url(), []*http.Cookie{cookie.header()})
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cookies, j.kept, j.bytes = fresh.cookies, fresh.kept, fresh.bytes
}
