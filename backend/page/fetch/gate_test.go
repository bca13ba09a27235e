package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// toyGate records who entered and the outcomes.
type toyGate struct {
	mu     sync.Mutex
	events []string
	err    error
}

func (g *toyGate) notef(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.events = append(g.events, fmt.Sprintf(format, args...))
}

func (g *toyGate) Enter(_ context.Context, host string) (func(Outcome), error) {
	if g.err != nil {
		return nil, g.err
	}
	g.notef("enter %s", host)
	return func(o Outcome) { g.notef("leave %d %s", o.StatusCode, o.RetryAfter) }, nil
}

// Each request to a host, also a redirect or retry, takes a turn at the gate, and each turn ends, whatever happens.
func TestGate(t *testing.T) {
	t.Parallel()
	hangUps := 1
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/busy", http.StatusFound)
		case "/away":
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		case "/busy":
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		case "/cut":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "a")
		case "/flaky":
			if hangUps--; hangUps >= 0 {
				panic(http.ErrAbortHandler)
			}
		}
	})
	for path, want := range map[string][]string{
		"/":         {"enter", "leave 200 0s"},
		"/redirect": {"enter", "leave 302 0s", "enter", "leave 429 7s"},
		"/away":     {"enter", "leave 302 0s"},
		"/cut":      {"enter", "leave 200 0s"},
		"/flaky":    {"enter", "leave 0 0s", "enter", "leave 200 0s"},
	} {
		gate := &toyGate{}
		client := newClient(t, func(c *Config) { c.Gate, c.RetryDelay = gate, time.Millisecond })
		_, _ = get(t, client, server.URL+path)
		for i := range want {
			if want[i] == "enter" {
				want[i] = "enter " + strings.TrimPrefix(server.URL, "http://")
			}
		}
		if !slices.Equal(gate.events, want) {
			t.Errorf("%s: got %q, want %q", path, gate.events, want)
		}
	}
}

func TestGateRefuses(t *testing.T) {
	t.Parallel()
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request came through") })
	for _, tt := range []struct {
		err  error
		want Reason
	}{
		{&BusyError{Host: "x:80", RetryAfter: time.Second}, ReasonRateLimited},
		{errors.New("the database is away"), ReasonGate},
	} {
		client := newClient(t, func(c *Config) { c.Gate = &toyGate{err: tt.err} })
		_, err := get(t, client, server.URL)
		wantReason(t, err, tt.want)
		if !errors.Is(err, tt.err) {
			t.Errorf("got %v, want it to wrap %v", err, tt.err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const date = "Sun, 06 Nov 1994 08:49:37 GMT"
	for _, tt := range []struct {
		value, date string
		want        time.Duration
	}{
		{"", date, 0},
		{"5", "", 5 * time.Second},
		{" 5 ", "", 5 * time.Second},
		{"-5", "", 0},
		{"-99999999999999999999", "", 0},
		{"soon", date, 0},
		{"99999999999999999999", "", retryAfterMax},
		{"18446744073709551615", "", retryAfterMax},
		{"Sun, 06 Nov 1994 08:50:37 GMT", date, time.Minute},
		{"Sun, 06 Nov 1994 08:48:37 GMT", date, 0},
		{"Sun, 06 Nov 1994 08:50:37 GMT", "", 0},
		{"Sun, 06 Nov 2094 08:50:37 GMT", date, retryAfterMax},
	} {
		if got := RetryAfter(http.Header{"Retry-After": {tt.value}, "Date": {tt.date}}); got != tt.want {
			t.Errorf("%q at %q: got %s, want %s", tt.value, tt.date, got, tt.want)
		}
	}
}

// A browser's requests enter through the same gate, and report their outcome in the same way.
func TestEnterTarget(t *testing.T) {
	t.Parallel()
	gate := new(toyGate)
	client := newClient(t, func(c *Config) { c.Gate = gate })
	leave, err := client.EnterTarget(t.Context(), "example.com:443")
	if err != nil {
		t.Fatal(err)
	}
	leave(http.StatusTooManyRequests, http.Header{"Retry-After": {"7"}})
	if leave, err = client.EnterTarget(t.Context(), "example.com:443"); err != nil {
		t.Fatal(err)
	}
	leave(0, nil)
	want := []string{"enter example.com:443", "leave 429 7s", "enter example.com:443", "leave 0 0s"}
	if !slices.Equal(gate.events, want) {
		t.Errorf("got %q, want %q", gate.events, want)
	}
	gate.err = &BusyError{Host: "example.com:443", RetryAfter: time.Second}
	_, err = client.EnterTarget(t.Context(), "example.com:443")
	wantReason(t, err, ReasonRateLimited)
	if leave, err = newClient(t, nil).EnterTarget(t.Context(), "example.com:443"); err != nil {
		t.Fatalf("without a gate: %v", err)
	}
	leave(http.StatusOK, nil)
}
