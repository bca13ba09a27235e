package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Gate makes fetches wait for their turn at a host. Package hostlimits implements one that all processes share.
type Gate interface {
	// Enter waits for a turn at host, a name or address with its port. Call leave once, when the response has been read or
	// abandoned. Enter waits at most as long as [Patience] says. It fails with a *BusyError if no turn comes in time, with
	// the context's error when that ends, or with an error of its own.
	Enter(ctx context.Context, host string) (leave func(Outcome), err error)
}

// Outcome is the result at a host, from which the gate decides whether to slow down.
type Outcome struct {
	// StatusCode is 0 if there was no response.
	StatusCode int
	// RetryAfter is how long the host asks not to be contacted; 0 if it does not say.
	RetryAfter time.Duration
}

// BusyError is a gate's error if the wait would be too long.
type BusyError struct {
	Host string
	// RetryAfter is when a turn may be available.
	RetryAfter time.Duration
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("the request limit of %s is reached: retry in %s", e.Host, e.RetryAfter.Round(time.Millisecond))
}

type patienceKey struct{}

// WithPatience limits how long fetches under ctx wait for a turn to d, if their gate would wait longer. It is for callers
// that have other work meanwhile.
func WithPatience(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, d)
}

// Patience returns the limit set by [WithPatience], or limit if that is less or none was set. It is for gates.
func Patience(ctx context.Context, limit time.Duration) time.Duration {
	if d, ok := ctx.Value(patienceKey{}).(time.Duration); ok {
		return min(max(d, 0), limit)
	}
	return limit
}

// gateError is an error of the gate itself.
type gateError struct{ err error }

func (e *gateError) Error() string { return fmt.Sprintf("waiting for the host limit: %v", e.err) }
func (e *gateError) Unwrap() error { return e.err }

// enter waits for a turn at u's host, if there is a gate.
func (c *Client) enter(ctx context.Context, u URL) (func(Outcome), error) {
	return c.enterHost(ctx, u.HostPort())
}

func (c *Client) enterHost(ctx context.Context, hostPort string) (func(Outcome), error) {
	if c.config.Gate == nil || c.config.Archive != nil {
		return func(Outcome) {}, nil
	}
	leave, err := c.config.Gate.Enter(ctx, hostPort)
	if err == nil {
		return leave, nil
	}
	if _, busy := errors.AsType[*BusyError](err); busy || ctx.Err() != nil {
		return nil, err
	}
	return nil, &gateError{err: err}
}

func outcomeOf(response *http.Response) Outcome {
	return Outcome{StatusCode: response.StatusCode, RetryAfter: RetryAfter(response.Header)}
}

// retryAfterMax caps Retry-After. Beyond that it means "not today".
const retryAfterMax = 24 * time.Hour

// RetryAfter parses Retry-After (RFC 9110 section 10.2.3): seconds, or a date, which is compared with the response's own
// Date, so that clock differences do no harm. 0 if it is missing or invalid.
func RetryAfter(header http.Header) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(max(seconds, 0), int64(retryAfterMax/time.Second))) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	sent, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return min(max(at.Sub(sent), 0), retryAfterMax)
}
