package caddymodule

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// resource returns the absolute URL of the paid resource, as the client sees it. It uses a proxy's headers only if the
// server's `trusted_proxies` lists that proxy, because anybody can send such headers.
func (c *X402Config) resource(r *http.Request) string {
	_, u := sent(r)
	return c.origin(r) + u.RequestURI()
}

// origin returns the scheme and host of the resource.
func (c *X402Config) origin(r *http.Request) string {
	if c.PublicURL != "" {
		return strings.TrimSuffix(c.PublicURL, "/")
	}
	return originOf(r)
}

// originOf returns the scheme and host that the client used.
func originOf(r *http.Request) string {
	scheme, host := "http", r.Host
	if r.TLS != nil {
		scheme = "https"
	}
	if trusted, _ := caddyhttp.GetVar(r.Context(), caddyhttp.TrustedProxyVarKey).(bool); trusted {
		if proto := strings.ToLower(firstForwarded(r.Header["X-Forwarded-Proto"])); proto == "https" || proto == "http" {
			scheme = proto
		}
		if forwarded := firstForwarded(r.Header["X-Forwarded-Host"]); isHost(forwarded) {
			host = forwarded
		}
	}
	return scheme + "://" + host
}

// firstForwarded returns the value of the proxy nearest to the client. Each later proxy appends to the list.
func firstForwarded(values []string) string {
	if len(values) == 0 {
		return ""
	}
	first, _, _ := strings.Cut(values[0], ",")
	return strings.TrimSpace(first)
}

// isHost reports whether s is exactly a host, with or without a port.
func isHost(s string) bool {
	u, err := url.Parse("//" + s)
	return s != "" && err == nil && u.Host == s && u.Hostname() != ""
}
