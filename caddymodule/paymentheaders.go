package caddymodule

import (
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// keptHeadersVar is the request variable in which payment headers wait.
const keptHeadersVar = "turnpike.payment_headers"

// isPayment names the headers by which a client pays or shows that it has: the
// x402 handler reads them, and no upstream has any business with them.
func isPayment(name string) bool {
	switch name {
	case x402.HeaderPaymentV1, x402.HeaderPaymentV2, x402.HeaderSignIn:
		return true
	}
	return false
}

func carriesPayment(h http.Header) bool {
	for name := range h {
		if isPayment(name) {
			return true
		}
	}
	return false
}

// cleanRequest takes from a request what must not reach the upstream. Forgeries
// are removed. Payment headers are set aside, since an x402 handler may come after
// this one (see takePayment); none may come either, so they cannot wait in the
// header. It looks at the few headers that are there, not for each that might be.
func cleanRequest(r *http.Request) {
	for name, values := range r.Header {
		switch known := asCGI(name); {
		case isStripped(known), known != name && isPayment(known):
			delete(r.Header, name)
		case isPayment(name):
			keepAside(r, name, values)
			delete(r.Header, name)
		}
	}
}

func keepAside(r *http.Request, name string, values []string) {
	kept, _ := caddyhttp.GetVar(r.Context(), keptHeadersVar).(http.Header)
	if kept == nil {
		kept = make(http.Header, 1)
		caddyhttp.SetVar(r.Context(), keptHeadersVar, kept)
	}
	kept[name] = values
}

// takePayment puts the payment headers that earlier handlers have set aside back,
// for the one that reads them.
func takePayment(r *http.Request) {
	kept, _ := caddyhttp.GetVar(r.Context(), keptHeadersVar).(http.Header)
	for name, values := range kept {
		r.Header[name] = values
		delete(kept, name)
	}
}

// dropPayment removes payment headers that have been read.
func dropPayment(h http.Header) {
	for name := range h {
		if isPayment(name) {
			delete(h, name)
		}
	}
}

// isReceipt names the headers in which the edge asks for payment and receipts it.
// From a client, or from an upstream that was not paid for, they are forgeries.
func isReceipt(name string) bool {
	switch name {
	case x402.HeaderRequired, x402.HeaderReceiptV1, x402.HeaderReceiptV2:
		return true
	}
	return false
}

// isStripped names the headers that are removed from every request that comes in:
// the edge's own (a client's copy is a forgery), and those by which some frameworks
// let a client replace the method or path that was priced.
func isStripped(name string) bool {
	switch name {
	case edgewire.IdentityHeader,
		edgewire.CostHeader,
		edgewire.AdoptedHeader,
		"X-Http-Method-Override",
		"X-Http-Method",
		"X-Method-Override",
		"X-Forwarded-Method",
		"X-Original-Url",
		"X-Original-Uri",
		"X-Rewrite-Url",
		"X-Forwarded-Uri",
		"X-Envoy-Original-Path",
		"X-Waws-Unencoded-Url":
		return true
	}
	return isReceipt(name)
}

// asCGI returns the name by which an upstream that gets its headers by CGI, WSGI
// or the like knows one: there an underscore cannot be told from a dash (RFC
// 3875, section 4.1.18).
func asCGI(name string) string {
	if strings.IndexByte(name, '_') < 0 {
		return name
	}
	return http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
}
