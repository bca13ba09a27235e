package fetch

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// newH2 serves handler over TLS and HTTP/2; the client trusts it.
func newH2(t *testing.T, handler http.HandlerFunc) (*Client, string) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	client := newClient(t, func(c *Config) {
		c.RootCAs = x509.NewCertPool()
		c.RootCAs.AddCert(server.Certificate())
		c.HeaderBytesMax = 64 << 10
		c.RetryDelay = time.Millisecond
		c.Timeouts.Total = 2 * time.Second
	})
	return client, server.URL
}

func TestHTTP2(t *testing.T) {
	t.Parallel()
	var connections atomic.Int32
	client, url := newH2(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/flood":
			for i := range 200 {
				w.Header().Set("X-"+strconv.Itoa(i), strings.Repeat("x", 1000))
			}
		case "/reset":
			panic(http.ErrAbortHandler)
		}
		connections.Add(1)
		fmt.Fprint(w, r.Proto, " ", r.Host)
	})
	for range 3 {
		response, err := get(t, client, url)
		if err != nil {
			t.Fatal(err)
		}
		if want := "HTTP/2.0 " + strings.TrimPrefix(url, "https://"); string(response.Body) != want {
			t.Errorf("got %q, want %q", response.Body, want)
		}
	}
	_, err := get(t, client, url+"/flood")
	if reason := ReasonOf(err); reason != ReasonBadResponse && reason != ReasonReset {
		t.Errorf("200 KB of header: got %v, want it refused", err)
	}
	_, err = get(t, client, url+"/reset")
	wantReason(t, err, ReasonReset)
	if _, err := get(t, client, url); err != nil {
		t.Errorf("after a reset: %v, want the host to be as good as before", err)
	}
}

// The server redirects forever, each time to another URL.
func TestTenThousandRedirects(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := hits.Add(1)
		if n > 10_000 {
			return
		}
		http.SetCookie(w, &http.Cookie{Name: fmt.Sprintf("c%d", n), Value: "v"})
		http.Redirect(w, r, fmt.Sprintf("/%d?%s", n, strings.Repeat("x", 1000)), http.StatusFound)
	})
	_, err := get(t, newClient(t, nil), server.URL)
	wantReason(t, err, ReasonTooManyRedirects)
	if got := hits.Load(); got != 11 {
		t.Errorf("got %d requests, want 11", got)
	}
}

// Each response sets as many cookies as a header can hold. The cookies sent back stay small.
func TestCookieStorm(t *testing.T) {
	t.Parallel()
	var largest atomic.Int64
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		size := int64(len(r.Header.Get("Cookie")))
		for old := largest.Load(); size > old && !largest.CompareAndSwap(old, size); old = largest.Load() {
		}
		n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		for i := range 2000 {
			http.SetCookie(w, &http.Cookie{Name: fmt.Sprintf("c%d-%d", n, i), Value: strings.Repeat("v", 80)})
		}
		if n < 10 {
			http.Redirect(w, r, fmt.Sprintf("/%d", n+1), http.StatusFound)
		}
	})
	if _, err := get(t, newClient(t, nil), server.URL+"/0"); err != nil {
		t.Fatal(err)
	}
	if got := largest.Load(); got == 0 || got > 64<<10 {
		t.Errorf("got %d bytes of cookies sent back, want some and at most 64 KiB", got)
	}
}

// The total timeout cuts off bodies and headers that arrive slowly and never end.
func TestDrips(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	drip := func(write func() error) {
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				if write() != nil {
					return
				}
			}
		}
	}
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/header" {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\n")
			drip(func() error {
				_, err := fmt.Fprint(conn, "X: y\r\n")
				return err
			})
			return
		}
		drip(func() error {
			if _, err := fmt.Fprint(w, "a"); err != nil {
				return err
			}
			return http.NewResponseController(w).Flush()
		})
	})
	for _, path := range []string{"/body", "/header"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, func(c *Config) { c.Timeouts.BodyIdle, c.Timeouts.Total = 200*time.Millisecond, 600*time.Millisecond })
			_, err := get(t, client, server.URL+path)
			wantReason(t, err, ReasonTimeout)
		})
	}
}

// Eight compression bombs at once: each is refused past the cap, and together they hold only a few times the cap.
func TestBombsAtOnce(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	const bytesMax = 5 << 20 // a quarter of the default, for the race detector's sake
	bombs, zeros := map[string][]byte{}, make([]byte, 6*bytesMax/5)
	for _, coding := range []string{"gzip", "br", "zstd", "deflate"} {
		bombs[coding] = encode(t, coding, zeros)
	}
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		coding := strings.TrimPrefix(r.URL.Path, "/")
		w.Header().Set("Content-Encoding", coding)
		_, _ = w.Write(bombs[coding])
	})
	client := newClient(t, func(c *Config) { c.BodyBytesMax = bytesMax })
	runtime.GC()
	var before, peak runtime.MemStats
	runtime.ReadMemStats(&before)
	var wg sync.WaitGroup
	for range 2 {
		for coding := range bombs {
			wg.Go(func() {
				_, err := client.Get(t.Context(), Request{URL: mustParse(t, server.URL+"/"+coding)})
				if ReasonOf(err) != ReasonBodyTooLarge {
					t.Errorf("%s: got %v, want it too large", coding, err)
				}
			})
		}
	}
	wg.Wait()
	runtime.ReadMemStats(&peak)
	held := int64(peak.Sys) - int64(before.Sys)
	t.Logf("8 bombs at once took %d MiB from the system", held>>20)
	if held > 160<<20 {
		t.Errorf("got %d MiB taken from the system, want at most 160", held>>20)
	}
}
