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

// Gate makes fetches wait for their turn at a host. Package politeness is one that all processes share.
type Gate interface {
	// Enter waits for a turn at host, a name or address with its port, and returns what is to be called, once, when the
	// answer has been read or given up. It waits no longer than [Patience] says, and fails with a *BusyError where no turn comes in time, with the context's error
	// when that ends, or with a fault of its own.
	Enter(ctx context.Context, host string) (leave func(Outcome), err error)
}

// Outcome is what a host answered, which says whether to slow down.
type Outcome struct {
	// StatusCode is 0 where there was no answer.
	StatusCode int
	// RetryAfter is how long the host asks to be left alone; 0 where it does not say.
	RetryAfter time.Duration
}

// BusyError is a gate's answer to who would have to wait too long.
type BusyError struct {
	Host string
	// RetryAfter is when a turn may be had.
	RetryAfter time.Duration
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("no turn at %s within the time limit; there may be one in %s", e.Host, e.RetryAfter.Round(time.Millisecond))
}

type patienceKey struct{}

// WithPatience has fetches under ctx wait for a turn no longer than d, where that is less than their gate would have them
// wait: for those who have other things to do meanwhile.
func WithPatience(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, d)
}

// Patience is what [WithPatience] said, or limit where it said nothing or more. It is for gates.
func Patience(ctx context.Context, limit time.Duration) time.Duration {
	if d, ok := ctx.Value(patienceKey{}).(time.Duration); ok {
		return min(max(d, 0), limit)
	}
	return limit
}

// gateError is a gate's own fault.
type gateError struct{ err error }

func (e *gateError) Error() string { return fmt.Sprintf("waiting for a turn: %v", e.err) }
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

// retryAfterMax is the longest that a host is believed. What it means beyond that is "not today".
const retryAfterMax = 24 * time.Hour

// RetryAfter reads RFC 9110 section 10.2.3: seconds, or a date, which is taken from the response's own Date, so that
// clocks that differ do no harm. 0 where there is none that can be read.
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
