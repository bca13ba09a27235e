package response

import (
	"net/http"

	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// The slices are shared; do not modify them.
var (
	// AnyOrigin is the value of [HeaderAllowOrigin].
	AnyOrigin   = []string{"*"}
	corsExposed = []string{edgewire.CORSExposed}
	corsMethods = []string{edgewire.CORSMethods}
	corsHeaders = []string{edgewire.CORSAllowed}
	corsMaxAge  = []string{edgewire.CORSMaxAge}
)

const (
	// HeaderAllowOrigin says which origins may read a response.
	HeaderAllowOrigin   = "Access-Control-Allow-Origin"
	headerExposeHeaders = "Access-Control-Expose-Headers"
)

// AllowOrigins lets pages of any origin read a response, and its headers if exposes is set, unless the upstream has set the
// CORS headers itself.
func AllowOrigins(h http.Header, exposes bool) {
	if _, said := h[HeaderAllowOrigin]; said {
		return
	}
	h[HeaderAllowOrigin] = AnyOrigin
	if exposes {
		h[headerExposeHeaders] = corsExposed
	}
}

// IsFromPage reports whether a script of another origin may read the response: browsers send Origin with every such request
// (Fetch, section 3.2). The list of exposed headers is longer than many a response, and no other client reads it.
func IsFromPage(r *http.Request) bool { return r.Header["Origin"] != nil }

// Preflight answers OPTIONS at the edge. It is never challenged and never reaches the upstream, which might do unpaid
// work for it.
func Preflight(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h[request.IDHeader] = []string{request.ID(r)}
	h[HeaderAllowOrigin] = AnyOrigin
	h["Access-Control-Allow-Methods"] = corsMethods
	h["Access-Control-Allow-Headers"] = corsHeaders
	h["Access-Control-Max-Age"] = corsMaxAge
	h["Allow"] = corsMethods
	w.WriteHeader(http.StatusNoContent)
	return nil
}
