package request

import (
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// keptHeadersVar is the request variable that stores payment headers.
const keptHeadersVar = "turnpike.payment_headers"

// isPayment reports whether a header pays or proves a payment. The x402 handler reads these; no upstream needs them.
func isPayment(name string) bool {
	switch name {
	case x402.HeaderPaymentV1, x402.HeaderPaymentV2, x402.HeaderSignIn:
		return true
	}
	return false
}

// CarriesPayment reports whether a header pays or proves a payment.
func CarriesPayment(h http.Header) bool {
	for name := range h {
		if isPayment(name) {
			return true
		}
	}
	return false
}

// Clean removes from a request what must not reach the upstream. Forged headers are deleted. Payment headers are
// set aside for an x402 handler that may follow (see TakePayment). They cannot stay in the header, because none may
// follow. It loops over the headers of the request, which are few, not over all names.
func Clean(r *http.Request) {
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

// TakePayment restores the payment headers that earlier handlers have set aside, for the handler that reads them.
func TakePayment(r *http.Request) {
	kept, _ := caddyhttp.GetVar(r.Context(), keptHeadersVar).(http.Header)
	for name, values := range kept {
		r.Header[name] = values
		delete(kept, name)
	}
}

// DropPayment deletes payment headers that have been read.
func DropPayment(h http.Header) {
	for name := range h {
		if isPayment(name) {
			delete(h, name)
		}
	}
}

// isReceipt reports whether a header is one with which the edge asks for payment or confirms it. From a client, or from
// an upstream that was not paid for, it is a forgery.
func isReceipt(name string) bool {
	switch name {
	case x402.HeaderRequired, x402.HeaderReceiptV1, x402.HeaderReceiptV2:
		return true
	}
	return false
}

// isStripped reports whether a header is removed from every incoming request: the edge's own (a client's copy is a
// forgery), and those with which some frameworks let a client replace the priced method or path.
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

// asCGI returns the name under which an upstream that gets its headers by CGI, WSGI or the like sees a header.
// Underscore and dash are the same there (RFC 3875, section 4.1.18).
func asCGI(name string) string {
	if strings.IndexByte(name, '_') < 0 {
		return name
	}
	return http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
}
