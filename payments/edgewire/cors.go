package edgewire

// The CORS headers of edge and upstream (Fetch, section 3.2.3). Any origin may read: clients are identified by key or
// payment, never by cookie. The stock x402 clients send Access-Control-Expose-Headers as a request header, so it is
// allowed as one.
const (
	CORSExposed = "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, X-Credits-Used, X-Credits-Remaining, " +
		"X-Request-Id, Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Scrape-Id, X-Target-Status, X-Credits-Consumed"
	CORSMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
	CORSAllowed = "PAYMENT-SIGNATURE, X-PAYMENT, SIGN-IN-WITH-X, Content-Type, Access-Control-Expose-Headers, Authorization, " +
		"Idempotency-Key, X-Request-Id, Accept, Last-Event-ID"
	CORSMaxAge = "86400" // seconds
)
