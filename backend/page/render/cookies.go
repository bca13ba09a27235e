package render

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// giveCookies adds the session's cookies to a browser context. The browser rejects a whole list for one invalid cookie;
// then they are added one by one.
func (b *browser) giveCookies(ctx context.Context, own cdp.BrowserContextID, cookies []fetch.Cookie) error {
	if len(cookies) == 0 {
		return nil
	}
	params := make([]*network.CookieParam, len(cookies))
	for i, cookie := range cookies {
		params[i] = cookieParam(cookie)
	}
	give := func(list []*network.CookieParam) error {
		return do(ctx, b.root(), storage.SetCookies, storage.SetCookiesParams{Cookies: list, BrowserContextID: own})
	}
	err := give(params)
	if !isAnswer(err) {
		return err
	}
	for _, param := range params {
		if err := give([]*network.CookieParam{param}); err != nil && !isAnswer(err) {
			return err
		}
	}
	return nil
}

func cookieParam(c fetch.Cookie) *network.CookieParam {
	host := c.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	scheme := "http"
	if c.Secure {
		scheme = "https"
	}
	param := &network.CookieParam{
		Name: c.Name, Value: c.Value, URL: scheme + "://" + host + c.Path, Path: c.Path, Secure: c.Secure, HTTPOnly: c.HTTPOnly,
	}
	if c.Subdomains {
		param.Domain = "." + c.Host
	}
	if !c.Expires.IsZero() {
		param.Expires = cdp.TimeSinceEpoch(float64(c.Expires.UnixMilli()) / 1000)
	}
	switch c.SameSite {
	case http.SameSiteLaxMode:
		param.SameSite = network.CookieSameSiteLax
	case http.SameSiteStrictMode:
		param.SameSite = network.CookieSameSiteStrict
	case http.SameSiteNoneMode:
		param.SameSite = network.CookieSameSiteNone
	case http.SameSiteDefaultMode:
	}
	return param
}

// takeCookies returns the cookies of a browser context, those for host first, because a session keeps a limited number.
func (b *browser) takeCookies(ctx context.Context, own cdp.BrowserContextID, host string) ([]fetch.Cookie, error) {
	found, err := call(ctx, b.root(), storage.GetCookies, storage.GetCookiesParams{BrowserContextID: own})
	if err != nil {
		return nil, err
	}
	var cookies []fetch.Cookie
	for _, c := range found.Cookies {
		if c.PartitionKey == nil && !c.PartitionKeyOpaque { // a partition belongs to frames of one page, not to the session
			cookies = append(cookies, cookieFrom(c))
		}
	}
	slices.SortStableFunc(cookies, func(a, b fetch.Cookie) int {
		return cmp.Compare(distance(a, host), distance(b, host))
	})
	return cookies, nil
}

func distance(c fetch.Cookie, host string) int {
	if c.Host == host || c.Subdomains && strings.HasSuffix(host, "."+c.Host) {
		return 0
	}
	return 1
}

func cookieFrom(c *network.Cookie) fetch.Cookie {
	cookie := fetch.Cookie{Name: c.Name, Value: c.Value, Path: c.Path, Secure: c.Secure, HTTPOnly: c.HTTPOnly}
	cookie.Host, cookie.Subdomains = strings.CutPrefix(c.Domain, ".")
	cookie.Host = strings.Trim(cookie.Host, "[]")
	if !c.Session && c.Expires > 0 {
		cookie.Expires = time.UnixMilli(int64(c.Expires * 1000)).UTC()
	}
	switch c.SameSite {
	case network.CookieSameSiteLax:
		cookie.SameSite = http.SameSiteLaxMode
	case network.CookieSameSiteStrict:
		cookie.SameSite = http.SameSiteStrictMode
	case network.CookieSameSiteNone:
		cookie.SameSite = http.SameSiteNoneMode
	}
	return cookie
}
