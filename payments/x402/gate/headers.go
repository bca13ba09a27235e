package gate

import (
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// stripInternal removes upstream headers that must not reach a client: the edge's own headers, and receipts and
// challenges that the gate did not make.
func stripInternal(h http.Header) {
	for _, name := range []string{
		edgewire.IdentityHeader, edgewire.CostHeader, edgewire.AdoptedHeader,
		x402.HeaderRequired, x402.HeaderReceiptV1, x402.HeaderReceiptV2,
	} {
		h.Del(name)
	}
}

// decorate adds the receipt to a paid response, and keeps shared caches from storing what one client paid for.
func decorate(h http.Header, receipt *x402.Receipt) error {
	x402.ExposeHeaders(h)
	if receipt == nil {
		return nil
	}
	h.Set(x402.HeaderCacheControl, privateCacheControl(h.Values(x402.HeaderCacheControl)))
	return receipt.Set(h)
}

// privateCacheControl replaces the directives that let shared caches store a response with private (RFC 9111, section
// 5.2.2). A response without directives may be stored heuristically, so it gets private too.
func privateCacheControl(values []string) string {
	var keep []string
	for directive := range strings.SplitSeq(strings.Join(values, ","), ",") {
		directive = strings.TrimSpace(directive)
		name, _, _ := strings.Cut(strings.ToLower(directive), "=")
		switch name {
		case "", "public", "s-maxage", "private":
		case "no-store":
			return strings.Join(values, ", ")
		default:
			keep = append(keep, directive)
		}
	}
	return strings.Join(append(keep, "private"), ", ")
}

// withoutPayment returns r without its payment headers: the upstream must not see a signature that moves money, nor one
// that reads what was bought with it.
func withoutPayment(r *http.Request) *http.Request {
	clean := r.WithContext(r.Context())
	clean.Header = r.Header.Clone()
	clean.Header.Del(x402.HeaderPaymentV1)
	clean.Header.Del(x402.HeaderPaymentV2)
	clean.Header.Del(x402.HeaderSignIn)
	return clean
}
