package request

import (
	"net/http"
	"net/url"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Sent returns the method and URL as the client sent them, before any rewrite. They are what is priced, and what an
// identity is bound to.
func Sent(r *http.Request) (method string, u *url.URL) {
	orig, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request)
	if !ok {
		return r.Method, r.URL
	}
	return orig.Method, orig.URL
}

// PriceSent prices the request as the client sent it.
func PriceSent(pricer price.Pricer, r *http.Request, unit edgewire.Unit) (price.Quote, error) {
	method, u := Sent(r)
	if method == r.Method && u.Path == r.URL.Path && u.RawPath == r.URL.RawPath && u.RawQuery == r.URL.RawQuery {
		return pricer.Price(r.Context(), r, unit)
	}
	orig := r.WithContext(r.Context())
	orig.Method, orig.URL = method, u
	q, err := pricer.Price(r.Context(), orig, unit)
	// Pricing may have read the body; the upstream needs the one that it put back.
	r.Body, r.ContentLength, r.TransferEncoding = orig.Body, orig.ContentLength, orig.TransferEncoding
	return q, err
}

// NewIdentity is bound to the request as the client sent it.
func NewIdentity(r *http.Request, payer edgewire.Payer) edgewire.Identity {
	method, u := Sent(r)
	return edgewire.Identity{Method: method, URI: u.RequestURI(), Payer: payer}
}

// ClientAddress returns the client's address as Caddy sees it, through trusted proxies.
func ClientAddress(r *http.Request) string {
	if ip, ok := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string); ok && ip != "" {
		return ip
	}
	return r.RemoteAddr
}
