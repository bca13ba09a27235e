package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"syscall"
)

// Reason says why a fetch failed. The set is closed; callers map it to their own codes.
type Reason string

// The reasons.
const (
	// ReasonInvalidURL: the URL is not absolute, has the wrong scheme or no host, or contains credentials.
	ReasonInvalidURL Reason = "invalid_url"
	// ReasonBlockedAddress: the host is, or resolves to, an address that is not public.
	ReasonBlockedAddress Reason = "blocked_address"
	// ReasonBlockedPort: the configuration does not allow the port.
	ReasonBlockedPort Reason = "blocked_port"
	// ReasonDNS: the name does not resolve.
	ReasonDNS Reason = "dns"
	// ReasonConnect: no connection could be made.
	ReasonConnect Reason = "connect"
	// ReasonTLS: the handshake failed or the certificate is not valid for the host.
	ReasonTLS Reason = "tls"
	// ReasonReset: the connection ended before the response was complete.
	ReasonReset Reason = "reset"
	// ReasonTimeout: a phase, or the whole fetch, took longer than allowed.
	ReasonTimeout Reason = "timeout"
	// ReasonCanceled: the caller's context was canceled.
	ReasonCanceled Reason = "canceled"
	// ReasonTooManyRedirects: the chain of redirects is longer than allowed, or circular.
	ReasonTooManyRedirects Reason = "too_many_redirects"
	// ReasonBodyTooLarge: the body is larger than allowed, as sent or decompressed.
	ReasonBodyTooLarge Reason = "body_too_large"
	// ReasonBadEncoding: the Content-Encoding is unknown, or the body cannot be decoded with it.
	ReasonBadEncoding Reason = "bad_encoding"
	// ReasonBadResponse: the response is not HTTP.
	ReasonBadResponse Reason = "bad_response"
	// ReasonNoProxy: no proxy is configured for the requested country.
	ReasonNoProxy Reason = "no_proxy"
	// ReasonProxy: the country's proxy could not be reached, refused, or could not reach the target.
	ReasonProxy Reason = "proxy"
	// ReasonRateLimited: the request limit of the host is reached, and no turn came in time. A *BusyError says when there
	// may be one.
	ReasonRateLimited Reason = "rate_limited"
	// ReasonGate: the gate failed, which is not the target's fault.
	ReasonGate Reason = "gate"
	// ReasonRoom: Request.Room granted no memory for the body.
	ReasonRoom Reason = "room"
	// ReasonRefused: Request.Follow refused a redirect. The error wraps that of Follow.
	ReasonRefused Reason = "refused"
	// ReasonNotArchived: Config.Archive has no response to the request.
	ReasonNotArchived Reason = "not_archived"
	// ReasonArchive: the archive could not be read, which is not the target's fault.
	ReasonArchive Reason = "archive"
)

// Error is the type of every failure of this package.
type Error struct {
	Reason Reason
	// URL is the URL at which the fetch ended, which may differ from the requested one after redirects. For an invalid URL
	// it is the given text.
	URL string
	Err error
}

// Error omits the URL's query, which may contain secrets.
func (e *Error) Error() string {
	if e.URL == "" && e.Reason != ReasonInvalidURL {
		return fmt.Sprintf("fetching: %v", e.Err)
	}
	shown, _, cut := strings.Cut(e.URL, "?")
	if cut {
		shown += "?…"
	}
	if len(shown) > 200 {
		shown = strings.ToValidUTF8(shown[:200], "") + "…"
	}
	if e.Reason == ReasonInvalidURL {
		return fmt.Sprintf("url %q %v", shown, e.Err)
	}
	return fmt.Sprintf("fetching %s: %v", shown, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// ReasonOf returns the reason of err, or "" if err is not from this package.
func ReasonOf(err error) Reason {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return ""
}

// BlockedError says which address the guard refused and for which range. It is for operators: a client that sees the
// address learns what private names resolve to.
type BlockedError struct {
	Addr netip.Addr
	// Range names the special-purpose range, e.g. "loopback".
	Range string
}

func (e *BlockedError) Error() string {
	return fmt.Sprintf("address %s is not public (%s)", e.Addr, e.Range)
}

// blockedPortError is the guard's refusal of a port.
type blockedPortError struct{ port uint16 }

func (e *blockedPortError) Error() string {
	return fmt.Sprintf("port %d is not allowed", e.port)
}

var (
	errTotalTimeout    = errors.New("time limit reached")
	errBodyIdle        = errors.New("the target stopped sending")
	errTooManyHops     = errors.New("too many redirects")
	errRedirectCircle  = errors.New("redirects form a loop")
	errBodyTooLarge    = errors.New("body is larger than allowed")
	errDecodedTooLarge = errors.New("decompressed body is larger than allowed")
	errTextTooLarge    = errors.New("text is larger than allowed after conversion to UTF-8")
)

// encodingError is a failure of a Content-Encoding decoder, as opposed to one of the connection below it.
type encodingError struct {
	coding string
	err    error
}

func (e *encodingError) Error() string { return fmt.Sprintf("decoding %s: %v", e.coding, e.err) }
func (e *encodingError) Unwrap() error { return e.err }

// fail wraps err, which ended the request to u, with its reason.
func fail(ctx context.Context, u URL, err error) *Error { return failAt(ctx, u.String(), err) }

func failAt(ctx context.Context, url string, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	reason := classify(ctx, err)
	if cause := context.Cause(ctx); cause != nil && (reason == ReasonTimeout || reason == ReasonCanceled) {
		err = cause
	}
	return &Error{Reason: reason, URL: url, Err: err}
}

// classify returns the reason of a transport error. The order matters: after the context ended, every other error is a
// consequence, and the guard's refusals are wrapped in the dialer's error.
func classify(ctx context.Context, err error) Reason {
	if reason := reasonOfGuard(err); reason != "" {
		return reason
	}
	if reason := reasonOfBody(err); reason != "" {
		return reason
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTotalTimeout), errors.Is(cause, errBodyIdle), errors.Is(cause, context.DeadlineExceeded):
		return ReasonTimeout
	case cause != nil:
		return ReasonCanceled
	}
	if reason := reasonOfWay(err); reason != "" {
		return reason
	}
	if netErr, ok := errors.AsType[net.Error](err); ok && netErr.Timeout() {
		return ReasonTimeout
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return ReasonDNS
	}
	if isTLS(err) {
		return ReasonTLS
	}
	if opErr, ok := errors.AsType[*net.OpError](err); ok && opErr.Op == "dial" {
		return ReasonConnect
	}
	if isReset(err) {
		return ReasonReset
	}
	return ReasonBadResponse
}

func reasonOfGuard(err error) Reason {
	if _, ok := errors.AsType[*BlockedError](err); ok {
		return ReasonBlockedAddress
	}
	if _, ok := errors.AsType[*blockedPortError](err); ok {
		return ReasonBlockedPort
	}
	return ""
}

func reasonOfBody(err error) Reason {
	if errors.Is(err, errTooManyHops) || errors.Is(err, errRedirectCircle) {
		return ReasonTooManyRedirects
	}
	if errors.Is(err, errBodyTooLarge) || errors.Is(err, errDecodedTooLarge) || errors.Is(err, errTextTooLarge) {
		return ReasonBodyTooLarge
	}
	if _, ok := errors.AsType[*roomError](err); ok {
		return ReasonRoom
	}
	if _, ok := errors.AsType[*encodingError](err); ok {
		return ReasonBadEncoding
	}
	return ""
}

// reasonOfWay covers failures between this process and the target.
func reasonOfWay(err error) Reason {
	if _, ok := errors.AsType[*BusyError](err); ok {
		return ReasonRateLimited
	}
	if _, ok := errors.AsType[*gateError](err); ok {
		return ReasonGate
	}
	if _, ok := errors.AsType[*proxyError](err); ok {
		return ReasonProxy
	}
	if e, ok := errors.AsType[*archiveError](err); ok {
		if e.missing() {
			return ReasonNotArchived
		}
		return ReasonArchive
	}
	return ""
}

func isTLS(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return true
	}
	// The other errors of crypto/tls, and that of net/http for plain HTTP on a TLS port, have only text.
	return strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "HTTP response to HTTPS client")
}

func isReset(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNABORTED) ||
		strings.Contains(err.Error(), "stream error") || strings.Contains(err.Error(), "server sent GOAWAY")
}
