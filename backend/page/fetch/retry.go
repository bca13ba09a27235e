package fetch

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

// again reports whether a request that failed with err, before any response, is retried: only safe methods (RFC 9110
// section 9.2.1) and failures that may not recur. A response of any status is final, and an exceeded time limit is too.
func (c *Client) again(ctx context.Context, method string, attempt int, err error) bool {
	if attempt >= c.config.RetriesMax || ctx.Err() != nil || (method != http.MethodGet && method != http.MethodHead) {
		return false
	}
	switch classify(ctx, err) { //nolint:exhaustive // nothing else is retried
	case ReasonReset, ReasonConnect:
		return true
	case ReasonDNS:
		e, ok := errors.AsType[*net.DNSError](err)
		return ok && !e.IsNotFound && (e.IsTemporary || e.IsTimeout)
	case ReasonProxy:
		e, ok := errors.AsType[*proxyError](err)
		return ok && e.status == 0
	}
	return false
}

// pause waits before attempt (the first is 1). The delay doubles each time and is extended randomly by up to half, so that
// requests that failed together are not retried together.
func (c *Client) pause(ctx context.Context, attempt int) error {
	delay := c.config.RetryDelay << (attempt - 1)
	delay += time.Duration(rand.Int64N(int64(delay)/2 + 1)) //nolint:gosec // spreads load, hides nothing
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
