//nolint:paralleltest // Caddy runs one configuration per process
package server

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// proxyTo loads an edge with a reverse_proxy with these arguments and lines, and returns its address.
func proxyTo(t *testing.T, arguments string, lines ...string) string {
	t.Helper()
	address := freeAddress(t)
	loadProxy(t, address, "first", arguments, lines...)
	t.Cleanup(func() { _ = caddy.Stop() })
	return address
}

func loadProxy(t *testing.T, address, comment, arguments string, lines ...string) {
	t.Helper()
	config := fmt.Sprintf("{\nadmin off\npersist_config off\nauto_https off\nlog {\nlevel PANIC\n}\n}\nhttp://%s {\nvars comment %s\nreverse_proxy %s {\n%s\n}\n}\n",
		address, comment, arguments, strings.Join(lines, "\n"))
	if err := caddy.Load(adaptConfig(t, config), true); err != nil {
		t.Fatal(err)
	}
}

// proxied sends one request over a new connection.
func proxied(t *testing.T, address, method string, body io.Reader) (status int, got string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+"/x", body)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Timeout: testTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	for tries := 0; err != nil && req.GetBody != nil && tries < 10; tries++ {
		req.Body, _ = req.GetBody() // a Caddy that is being reloaded may close a new connection
		res, err = client.Do(req)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// echo responds with the protocol and the body that it received.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	_, _ = fmt.Fprintf(w, "%s %s", r.Proto, b)
})

func wantEcho(t *testing.T, address, proto string) {
	t.Helper()
	for range 3 { // over a kept connection too
		for method, body := range map[string]string{http.MethodGet: "", http.MethodPost: "abc"} {
			if status, got := proxied(t, address, method, strings.NewReader(body)); status != 200 || got != proto+" "+body {
				t.Errorf("%s: got %d %q", method, status, got)
			}
		}
	}
}

func TestDirectUpstreams(t *testing.T) {
	t.Run("plain", func(t *testing.T) {
		up := httptest.NewServer(echo)
		defer up.Close()
		wantEcho(t, proxyTo(t, up.Listener.Addr().String(), "transport direct"), "HTTP/1.1")
	})
	t.Run("https", func(t *testing.T) {
		up := httptest.NewTLSServer(echo)
		defer up.Close()
		wantEcho(t, proxyTo(t, up.URL, "transport direct {\ntls_insecure_skip_verify\nversions 1.1\n}"), "HTTP/1.1")
	})
	t.Run("a unix socket", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s")
		l, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
		if err != nil {
			t.Fatal(err)
		}
		up := &httptest.Server{Listener: l, Config: &http.Server{Handler: echo}}
		up.Start()
		defer up.Close()
		wantEcho(t, proxyTo(t, "unix/"+path, "transport direct"), "HTTP/1.1")
	})
	t.Run("a placeholder", func(t *testing.T) {
		up := httptest.NewServer(echo)
		defer up.Close()
		t.Setenv("TURNPIKE_TEST_UPSTREAM", up.Listener.Addr().String())
		wantEcho(t, proxyTo(t, "{env.TURNPIKE_TEST_UPSTREAM}", "transport direct"), "HTTP/1.1")
	})
	t.Run("h2c", func(t *testing.T) {
		up := httptest.NewUnstartedServer(echo)
		up.Config.Protocols = new(http.Protocols)
		up.Config.Protocols.SetUnencryptedHTTP2(true)
		up.Start()
		defer up.Close()
		wantEcho(t, proxyTo(t, up.Listener.Addr().String(), "transport direct {\nversions h2c\n}"), "HTTP/2.0")
	})
	t.Run("max_conns_per_host", func(t *testing.T) {
		up := httptest.NewServer(echo)
		defer up.Close()
		wantEcho(t, proxyTo(t, up.Listener.Addr().String(), "transport direct {\nmax_conns_per_host 1\n}"), "HTTP/1.1")
	})
}

// Options that only Caddy's own transport supports are left to it, and the defaults are those of the documentation.
func TestDirectOptions(t *testing.T) {
	t.Parallel()
	for option, isDirect := range map[string]bool{
		"":                                 true,
		"tls":                              true, // decided for each request: https uses Caddy's own, except_ports does not
		"compression off":                  true,
		"response_header_timeout 1s":       true,
		"keepalive_idle_conns_per_host 64": true,
		"versions 1.1":                     true,
		"versions 2":                       false,
		"versions h2c 2":                   false,
		"keepalive off":                    false,
		"max_conns_per_host 4":             false,
		"read_timeout 1s":                  false,
		"write_timeout 1s":                 false,
		"read_buffer 8KiB":                 false,
		"write_buffer 8KiB":                false,
		"proxy_protocol v2":                false,
	} {
		t.Run(option, func(t *testing.T) {
			t.Parallel()
			var tr Transport
			if err := tr.UnmarshalCaddyfile(caddyfile.NewTestDispenser("direct {\n" + option + "\n}")); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := caddy.NewContext(caddy.Context{Context: t.Context()})
			defer cancel()
			if err := tr.Provision(ctx); err != nil {
				t.Fatal(err)
			}
			if got := tr.direct != nil; got != isDirect {
				t.Errorf("got direct %t, want %t", got, isDirect)
			}
			want := 1024
			if strings.HasPrefix(option, "keepalive_idle") {
				want = 64
			}
			if got := tr.Transport.MaxIdleConnsPerHost; got != want || isDirect && tr.direct.IdlePerHostMax != want {
				t.Errorf("got %d idle connections, want %d", got, want)
			}
		})
	}
}

func TestDirectWebsocket(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		nc, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer nc.Close()
		_, _ = io.WriteString(nc, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		text, _ := rw.ReadString('\n')
		_, _ = io.WriteString(nc, "echo "+text)
	}))
	defer up.Close()
	nc, err := new(net.Dialer).DialContext(t.Context(), "tcp", proxyTo(t, up.Listener.Addr().String(), "transport direct"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	_ = nc.SetDeadline(time.Now().Add(testTimeout))
	_, _ = io.WriteString(nc, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	r := bufio.NewReader(nc)
	res, err := http.ReadResponse(r, nil) //nolint:bodyclose // an upgrade has none
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("got %+v, error %v", res, err)
	}
	_, _ = io.WriteString(nc, "hello\n")
	if got, err := r.ReadString('\n'); got != "echo hello\n" {
		t.Errorf("got %q, error %v", got, err)
	}
}

// Each event arrives before the next is sent.
func TestDirectEvents(t *testing.T) {
	next := make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for n := range 3 {
			_, _ = fmt.Fprintf(w, "data: %d\n\n", n)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-next:
			case <-r.Context().Done():
			}
		}
	}))
	defer up.Close()
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+proxyTo(t, up.Listener.Addr().String(), "transport direct"), http.NoBody)
	res, err := (&http.Client{Timeout: testTimeout}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	r := bufio.NewReader(res.Body)
	for n := range 3 {
		got, err := r.ReadString('\n')
		if want := fmt.Sprintf("data: %d\n", n); got != want {
			t.Fatalf("got %q, error %v, want %q", got, err, want)
		}
		_, _ = r.ReadString('\n')
		next <- struct{}{}
	}
}

// A long body is streamed: the upstream gets its beginning before its end is sent.
func TestDirectUpload(t *testing.T) {
	begun := make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.New()
		_, _ = io.CopyN(sum, r.Body, 1<<20)
		close(begun)
		_, _ = io.Copy(sum, r.Body)
		_, _ = fmt.Fprintf(w, "%x", sum.Sum(nil))
	}))
	defer up.Close()
	data := strings.Repeat("0123456789abcdef", 10<<20/16)
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, data[:5<<20])
		<-begun
		_, _ = io.WriteString(w, data[5<<20:])
		_ = w.Close()
	}()
	status, got := proxied(t, proxyTo(t, up.Listener.Addr().String(), "transport direct"), http.MethodPost, r)
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte(data))); status != 200 || got != want {
		t.Errorf("got %d %s, want %s", status, got, want)
	}
}

// A request whose first upstream cannot be reached goes to the second, with its body.
func TestDirectRetries(t *testing.T) {
	up := httptest.NewServer(echo)
	defer up.Close()
	address := proxyTo(t, freeAddress(t)+" "+up.Listener.Addr().String(), "transport direct",
		"lb_policy first", "lb_try_duration 10s", "lb_try_interval 10ms", "fail_duration 10ms", "max_fails 1")
	wantEcho(t, address, "HTTP/1.1")
}

func TestDirectErrors(t *testing.T) {
	hold := make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hold }))
	defer up.Close()
	defer close(hold)
	address := proxyTo(t, up.Listener.Addr().String(), "transport direct {\nresponse_header_timeout 50ms\n}")
	if status, _ := proxied(t, address, http.MethodPost, strings.NewReader("x")); status != http.StatusGatewayTimeout {
		t.Errorf("no response in time: got %d, want 504", status)
	}
	address = proxyTo(t, freeAddress(t), "transport direct") // another address, since the first may not answer any more
	if status, _ := proxied(t, address, http.MethodGet, http.NoBody); status != http.StatusBadGateway {
		t.Errorf("nobody there: got %d, want 502", status)
	}
}

func TestDirectHealthChecks(t *testing.T) {
	checked := make(chan struct{}, 1)
	var isIll atomic.Bool
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/health" {
			if isIll.Load() {
				w.WriteHeader(http.StatusInternalServerError)
			}
			select {
			case checked <- struct{}{}:
			default:
			}
		}
	}))
	defer up.Close()
	address := proxyTo(t, up.Listener.Addr().String(), "transport direct", "health_uri /health", "health_interval 20ms")
	<-checked
	if status, _ := proxied(t, address, http.MethodGet, http.NoBody); status != 200 {
		t.Errorf("got %d, want 200", status)
	}
	isIll.Store(true)
	for range 4 { // enough checks that one was made and evaluated since
		<-checked
	}
	if status, _ := proxied(t, address, http.MethodGet, http.NoBody); status != http.StatusServiceUnavailable {
		t.Errorf("got %d, want 503 of an upstream that says that it is ill", status)
	}
}

// Each reload closes the connections that the last configuration kept.
func TestDirectReloads(t *testing.T) {
	var open atomic.Int64
	changed := make(chan struct{}, 1024)
	up := httptest.NewUnstartedServer(echo)
	up.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed:
			open.Add(-1)
		default:
			return
		}
		changed <- struct{}{}
	}
	up.Start()
	defer up.Close()
	address := proxyTo(t, up.Listener.Addr().String(), "transport direct")
	for n := range 20 {
		proxied(t, address, http.MethodPost, strings.NewReader("x"))
		loadProxy(t, address, fmt.Sprint("reload", n), up.Listener.Addr().String(), "transport direct")
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	over := time.After(testTimeout)
	for open.Load() > 0 {
		select {
		case <-changed:
		case <-over:
			t.Fatalf("got %d connections open after 20 reloads and a stop", open.Load())
		}
	}
}
