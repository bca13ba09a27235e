package caddymodule

import (
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/caddymodule/request"
)

// resource returns the absolute URL of the paid resource, as the client sees it. It uses a proxy's headers only if the
// server's `trusted_proxies` lists that proxy, because anybody can send such headers.
func (c *X402Config) resource(r *http.Request) string {
	_, u := request.Sent(r)
	return c.origin(r) + u.RequestURI()
}

// origin returns the scheme and host of the resource.
func (c *X402Config) origin(r *http.Request) string {
	if c.PublicURL != "" {
		return strings.TrimSuffix(c.PublicURL, "/")
	}
	return request.OriginOf(r)
}
