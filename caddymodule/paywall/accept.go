package paywall

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Wanted reports whether r is a page load by a browser that has not paid. A browser is a client that prefers HTML to
// JSON by name; no client of the protocol does.
func Wanted(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	if r.Header[x402.HeaderPaymentV1] != nil || r.Header[x402.HeaderPaymentV2] != nil {
		return false
	}
	// What a script fetches is no page load (Fetch Metadata, section 2.3). Browsers send this only over HTTPS and to localhost.
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" && mode != "navigate" {
		return false
	}
	return prefersHTML(r.Header["Accept"])
}

// prefersHTML compares the weights of HTML and JSON (RFC 9110, section 12.5.1). HTML must be named: programs send `*/*`.
func prefersHTML(accept []string) bool {
	html, json := 0.0, 0.0
	jsonSpecific := -1
	for _, line := range accept {
		for part := range strings.SplitSeq(line, ",") {
			kind, params, _ := strings.Cut(part, ";")
			kind = strings.ToLower(strings.TrimSpace(kind))
			specific := -1
			switch kind {
			case "text/html":
				html = weight(params)
			case "*/*":
				specific = 0
			case "application/*":
				specific = 1
			case "application/json":
				specific = 2
			}
			if specific > jsonSpecific {
				json, jsonSpecific = weight(params), specific
			}
		}
	}
	return html > json
}

// weight returns the parameter q: 1 if it is missing, 0 if it is invalid.
func weight(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(param), "=")
		if !strings.EqualFold(name, "q") {
			continue
		}
		q, err := strconv.ParseFloat(value, 64)
		if err != nil || !(q >= 0 && q <= 1) { // also excludes NaN
			return 0
		}
		return q
	}
	return 1
}
