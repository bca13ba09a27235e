package request

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// OriginOf returns the scheme and host that the client used.
func OriginOf(r *http.Request) string {
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

// IsPath reports whether an address is a path of this service.
func IsPath(address string) bool {
	return strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//")
}
