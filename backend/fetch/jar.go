package fetch

import (
	"net/http"
	"net/http/cookiejar"
	neturl "net/url"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"
)

// What a session keeps. RFC 6265 section 6.1 asks for 4096 bytes a cookie and 50 cookies a host; in all, a target gets
// back no more than common servers take as a request's header.
const (
	cookieBytesMax  = 4096
	cookiesMax      = 180
	jarBytesMax     = 48 << 10
	cookieNameScope = "\x00"
)

// jar is a cookie jar with an end: what a target sets beyond the caps is not kept. It is safe for concurrent use.
type jar struct {
	cookies http.CookieJar

	mu    sync.Mutex
	sizes map[string]int // of each cookie kept, by host, domain, path and name
	bytes int
}

func newJar() *jar {
	cookies, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		panic(err) // cookiejar.New has no error to give
	}
	return &jar{cookies: cookies, sizes: map[string]int{}}
}

// add keeps the cookies that a response from u sets, as far as they fit.
func (j *jar) add(u *neturl.URL, set []*http.Cookie) {
	if len(set) == 0 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	kept := set[:0:0]
	for _, cookie := range set {
		if j.fits(u.Host, cookie) {
			kept = append(kept, cookie)
		}
	}
	j.cookies.SetCookies(u, kept)
}

// fits makes room for a cookie in the accounts, or says that there is none. One that takes another's place counts by
// the difference; one that removes another always fits.
func (j *jar) fits(host string, cookie *http.Cookie) bool {
	key := strings.Join([]string{host, strings.ToLower(cookie.Domain), cookie.Path, cookie.Name}, cookieNameScope)
	old, known := j.sizes[key]
	if cookie.MaxAge < 0 {
		delete(j.sizes, key)
		j.bytes -= old
		return true
	}
	size := len(cookie.Name) + len(cookie.Value) + len(cookie.Path)
	if size > cookieBytesMax || j.bytes-old+size > jarBytesMax || (!known && len(j.sizes) >= cookiesMax) {
		return false
	}
	j.sizes[key] = size
	j.bytes += size - old
	return true
}

// of returns the cookies to send to u.
func (j *jar) of(u *neturl.URL) []*http.Cookie { return j.cookies.Cookies(u) }

func (j *jar) empty() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.sizes) == 0
}
