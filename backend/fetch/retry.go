package fetch

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

// again reports whether a request that ended in err, before any answer, may be sent again: methods that change nothing
// (RFC 9110 section 9.2.1), and failures that another attempt may not meet. An answer is an answer, whatever its
// status, and a time limit that was used up once is not used up again.
func (c *Client) again(ctx context.Context, method string, attempt int, err error) bool {
	if attempt >= c.config.RetriesMax || ctx.Err() != nil || (method != http.MethodGet && method != http.MethodHead) {
		return false
	}
	switch classify(ctx, err) { //nolint:exhaustive // the rest is not tried again
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

// pause waits before attempt, the first of which is 1: twice as long each time, and by chance up to half as much more,
// so that those who failed together do not come back together.
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
