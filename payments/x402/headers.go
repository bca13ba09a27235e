package x402

import (
	"net/http"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// stripInternal removes what must not reach a client from an upstream: the
// edge's own headers, and receipts and challenges that are not the gate's.
func stripInternal(h http.Header) {
	for _, name := range []string{
		edgewire.IdentityHeader, edgewire.CostHeader, edgewire.AdoptedHeader,
		HeaderRequired, HeaderReceiptV1, HeaderReceiptV2,
	} {
		h.Del(name)
	}
}

// decorate adds the receipt to a paid response, and sees that no shared cache
// keeps what one client paid for.
func decorate(h http.Header, receipt *Receipt) error {
	ExposeHeaders(h)
	if receipt == nil {
		return nil
	}
	h.Set(headerCacheCtl, privateCacheControl(h.Values(headerCacheCtl)))
	return receipt.set(h)
}

// privateCacheControl returns the directives with private in place of what lets
// shared caches store a response (RFC 9111, section 5.2.2). A response without
// directives can be stored heuristically, so it gets private too.
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

// withoutPayment returns r without its payment headers: the upstream has no
// business with a signature that moves money, nor with one that reads what was
// bought by it.
func withoutPayment(r *http.Request) *http.Request {
	clean := r.WithContext(r.Context())
	clean.Header = r.Header.Clone()
	clean.Header.Del(HeaderPaymentV1)
	clean.Header.Del(HeaderPaymentV2)
	clean.Header.Del(HeaderSignIn)
	return clean
}
