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
	// answer has been read or given up. It fails with a *BusyError where no turn comes in time, with the context's error
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

// gateError is a gate's own fault.
type gateError struct{ err error }

func (e *gateError) Error() string { return fmt.Sprintf("waiting for a turn: %v", e.err) }
func (e *gateError) Unwrap() error { return e.err }

// enter waits for a turn at u's host, if there is a gate.
func (c *Client) enter(ctx context.Context, u URL) (func(Outcome), error) {
	if c.config.Gate == nil {
		return func(Outcome) {}, nil
	}
	leave, err := c.config.Gate.Enter(ctx, u.HostPort())
	if err == nil {
		return leave, nil
	}
	if _, busy := errors.AsType[*BusyError](err); busy || ctx.Err() != nil {
		return nil, err
	}
	return nil, &gateError{err: err}
}

func outcomeOf(response *http.Response) Outcome {
	return Outcome{StatusCode: response.StatusCode, RetryAfter: retryAfter(response.Header)}
}

// retryAfterMax is the longest that a host is believed. What it means beyond that is "not today".
const retryAfterMax = 24 * time.Hour

// retryAfter reads RFC 9110 section 10.2.3: seconds, or a date, which is taken from the response's own Date, so that
// clocks that differ do no harm. 0 where there is none that can be read.
func retryAfter(header http.Header) time.Duration {
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
