package fetch

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
)

// hop is one request of a chain of redirects.
type hop struct {
	method       string
	url          URL
	header       http.Header
	body         []byte
	redirectsMax int // 0: none
	headBytes    int64
	room         RoomFunc
	mayFollow    FollowFunc
	count        int
	seen         map[string]int
	record       bool
	exchanges    []Exchange // of the previous hops
}

func newHop(r Request, config Config) *hop {
	h := &hop{
		method: cmp.Or(r.Method, http.MethodGet), url: r.URL, header: http.Header{}, body: r.Body,
		redirectsMax: max(cmp.Or(r.RedirectsMax, config.RedirectsMax), 0), headBytes: r.HeadBytes, room: r.Room,
		mayFollow: r.Follow, record: r.Record, seen: map[string]int{},
	}
	if r.NoRedirects {
		h.redirectsMax = 0
	}
	for name, values := range r.Header {
		if name = http.CanonicalHeaderKey(name); !ownHeader(name) {
			h.header[name] = values
		}
	}
	setDefault(h.header, "User-Agent", config.UserAgent)
	setDefault(h.header, "Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	setDefault(h.header, "Accept-Language", config.AcceptLanguage)
	h.header.Set("Accept-Encoding", acceptEncoding)
	return h
}

func setDefault(header http.Header, name, value string) {
	if _, ok := header[name]; !ok {
		header.Set(name, value)
	}
}

// follow returns the request that response redirects to, or nil if response is final.
func (c *Client) follow(ctx context.Context, h *hop, response *http.Response) (*hop, error) {
	location := response.Header.Get("Location")
	if h.redirectsMax == 0 || !isRedirect(response.StatusCode) || location == "" {
		return nil, nil
	}
	if h.count >= h.redirectsMax {
		return nil, fmt.Errorf("%w: more than %d", errTooManyHops, h.redirectsMax)
	}
	// Many sites set a cookie and redirect to the same URL, so one repetition is allowed.
	key := h.method + " " + h.url.WithoutFragment()
	if h.seen[key]++; h.seen[key] > 2 {
		return nil, errRedirectCircle
	}
	target, err := h.url.Resolve(location)
	if err != nil {
		return nil, err
	}
	if err := c.Check(target); err != nil {
		return nil, err
	}
	if err := h.ask(ctx, target); err != nil {
		return nil, err
	}
	next := *h
	next.exchanges = h.exchanged(response, nil)
	next.url, next.count = target, h.count+1
	next.method, next.body = methodAfter(h.method, response.StatusCode, h.body)
	if len(h.body) > 0 && len(next.body) == 0 {
		next.header = without(h.header, "Content-Type", "Content-Language", "Content-Location")
	}
	// Validators belong to the URL they came from: a 304 from another URL would be meaningless.
	next.header = without(next.header, "If-None-Match", "If-Modified-Since")
	if target.Origin() != h.url.Origin() {
		next.header = without(next.header, "Authorization", "Cookie", "Cookie2", "Www-Authenticate", "X-Api-Key")
	}
	return &next, nil
}

// ask calls the caller's Follow function for target.
func (h *hop) ask(ctx context.Context, target URL) error {
	if h.mayFollow == nil {
		return nil
	}
	if err := h.mayFollow(ctx, target); err != nil {
		return &Error{Reason: ReasonRefused, URL: target.String(), Err: err}
	}
	return nil
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
		return true
	}
	return false
}

// methodAfter returns the method after a redirect by the Fetch standard (HTTP-redirect fetch): 303 changes all but GET and
// HEAD to GET, 301 and 302 only POST.
func methodAfter(method string, status int, body []byte) (string, []byte) {
	switch {
	case status == http.StatusSeeOther && method != http.MethodGet && method != http.MethodHead,
		(status == http.StatusMovedPermanently || status == http.StatusFound) && method == http.MethodPost:
		return http.MethodGet, nil
	default:
		return method, body
	}
}

func without(header http.Header, names ...string) http.Header {
	header = header.Clone()
	for _, name := range names {
		header.Del(name)
	}
	return header
}
