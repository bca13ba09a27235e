package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

func TestRetries(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, method string
		retriesMax   int
		failures     int32 // requests that the server hangs up on
		status       int   // of the other responses
		want         int32 // requests
		reason       Reason
	}{
		{name: "no failure", want: 1},
		{name: "one failure", failures: 1, want: 2},
		{name: "two failures", failures: 2, want: 3},
		{name: "three failures", failures: 3, want: 3, reason: ReasonReset},
		{name: "none by configuration", retriesMax: -1, failures: 1, want: 1, reason: ReasonReset},
		{name: "a head", method: http.MethodHead, failures: 1, want: 2},
		{name: "a post", method: http.MethodPost, failures: 1, want: 1, reason: ReasonReset},
		{name: "a put", method: http.MethodPut, failures: 1, want: 1, reason: ReasonReset},
		{name: "a status is an answer", status: http.StatusServiceUnavailable, want: 1},
		{name: "so is too many requests", status: http.StatusTooManyRequests, want: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if requests.Add(1) <= tt.failures {
					panic(http.ErrAbortHandler)
				}
				w.WriteHeader(max(tt.status, http.StatusOK))
			})
			client := newClient(t, func(c *Config) { c.RetriesMax, c.RetryDelay = tt.retriesMax, time.Millisecond })
			_, err := client.Do(t.Context(), Request{Method: tt.method, URL: mustParse(t, server.URL)})
			wantReason(t, err, tt.reason)
			if got := requests.Load(); got != tt.want {
				t.Errorf("got %d requests, want %d", got, tt.want)
			}
		})
	}
}

// A body that breaks off is not retried: the response has already begun.
func TestBrokenBodyIsNotFetchedAgain(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "a")
	})
	_, err := get(t, newClient(t, nil), server.URL)
	wantReason(t, err, ReasonReset)
	if got := requests.Load(); got != 1 {
		t.Errorf("got %d requests, want 1", got)
	}
}

func TestWhatIsTriedAgain(t *testing.T) {
	t.Parallel()
	client := newClient(t, nil)
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"refused", &net.OpError{Op: "dial", Err: errors.New("connection refused")}, true},
		{"the resolver is away", &net.DNSError{IsTemporary: true}, true},
		{"no such name", &net.DNSError{IsNotFound: true}, false},
		{"blocked", &BlockedError{}, false},
		{"timeout", &net.OpError{Op: "read", Err: timeoutError{}}, false},
		{"certificate", errors.New("tls: unknown certificate"), false},
		{"the proxy is away", &proxyError{err: errors.New("refused")}, true},
		{"the proxy says no", &proxyError{status: 407}, false},
		{"a stream refused", errors.New("stream error: stream ID 1; REFUSED_STREAM"), true},
		{"not HTTP", errors.New("malformed HTTP response"), false},
		{"busy", &BusyError{}, false},
	} {
		if got := client.again(t.Context(), http.MethodGet, 0, tt.err); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}

type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }
