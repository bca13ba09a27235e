package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// newClient makes a client that may reach loopback on any port.
func newClient(t testing.TB, change func(*Config)) *Client {
	t.Helper()
	config := Config{AllowPrivate: loopback, AllowAnyPort: true}
	if change != nil {
		change(&config)
	}
	client, err := New(config)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(client.Close)
	return client
}

func serve(t testing.TB, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func mustParse(t testing.TB, s string) URL {
	t.Helper()
	u, err := ParseURL(s)
	if err != nil {
		t.Fatalf("ParseURL(%q): %v", s, err)
	}
	return u
}

func get(t testing.TB, client *Client, rawURL string) (*Response, error) {
	t.Helper()
	return client.Get(t.Context(), Request{URL: mustParse(t, rawURL)})
}

func wantReason(t testing.TB, err error, want Reason) {
	t.Helper()
	if got := ReasonOf(err); got != want {
		t.Fatalf("got reason %q (%v), want %q", got, err, want)
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	var seen http.Header
	var target string
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen, target = r.Header.Clone(), r.RequestURI
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, "<p>hello")
	})
	client := newClient(t, func(c *Config) { c.UserAgent = UserAgent("1.2", "https://docs.example.com/bot") })
	response, err := client.Get(t.Context(), Request{
		URL:    mustParse(t, server.URL+"//a/./b|c?q={x}#frag"),
		Header: http.Header{"x-own": {"1"}, "Host": {"evil.example"}, "Connection": {"x-own"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := response.StatusCode, http.StatusTeapot; got != want {
		t.Errorf("got status %d, want %d", got, want)
	}
	if got, want := string(response.Body), "<p>hello"; got != want {
		t.Errorf("got body %q, want %q", got, want)
	}
	if got, want := response.MediaType+" "+response.Charset, "text/html utf-8"; got != want {
		t.Errorf("got type %q, want %q", got, want)
	}
	for name, want := range map[string]string{
		"User-Agent":      "Mozilla/5.0 (compatible; TurnpikeBot/1.2; +https://docs.example.com/bot)",
		"Accept-Encoding": "gzip, deflate, br, zstd",
		"Accept-Language": "en;q=0.9, *;q=0.5",
		"X-Own":           "1",
		"Connection":      "",
	} {
		if got := seen.Get(name); got != want {
			t.Errorf("got %s %q, want %q", name, got, want)
		}
	}
	if want := "//a/b%7Cc?q={x}"; target != want {
		t.Errorf("got target %q, want %q", target, want)
	}
}

func TestRequestTargetIsVerbatim(t *testing.T) {
	t.Parallel()
	var target string
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { target = r.RequestURI })
	client := newClient(t, nil)
	for _, path := range []string{"/", "/a|b", "/a%2Fb", "/?", "/?a=b|c", "/[x]", "/ä", "/a:b@c"} {
		u := mustParse(t, server.URL+path)
		if _, err := client.Get(t.Context(), Request{URL: u}); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if want := u.PathAndQuery(); target != want && target != want+"?" {
			t.Errorf("got %q, want %q", target, want)
		}
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/n/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		if n == 0 {
			fmt.Fprint(w, r.Method, " ", r.ContentLength)
			return
		}
		status, _ := strconv.Atoi(r.URL.Query().Get("status"))
		if status == 0 {
			status = http.StatusFound
		}
		http.Redirect(w, r, fmt.Sprintf("/n/%d?%s", n-1, r.URL.RawQuery), status)
	})
	mux.HandleFunc("/circle", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/circle", http.StatusFound) })
	mux.HandleFunc("/cookie", func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("seen"); err == nil {
			fmt.Fprint(w, "with cookie")
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1", Path: "/cookie"})
		http.Redirect(w, r, "/cookie", http.StatusFound)
	})
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("u"))
		w.WriteHeader(http.StatusFound)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	client := newClient(t, nil)

	tests := []struct {
		name   string
		method string
		path   string
		body   string
		want   string
		reason Reason
	}{
		{name: "ten", path: "/n/10", want: "GET 0"},
		{name: "eleven", path: "/n/11", reason: ReasonTooManyRedirects},
		{name: "circle", path: "/circle", reason: ReasonTooManyRedirects},
		{name: "cookie and back", path: "/cookie", want: "with cookie"},
		{name: "post becomes get", method: "POST", path: "/n/1?status=302", body: "abc", want: "GET 0"},
		{name: "post stays post", method: "POST", path: "/n/1?status=307", body: "abc", want: "POST 3"},
		{name: "put stays put on 301", method: "PUT", path: "/n/1?status=301", body: "abc", want: "PUT 3"},
		{name: "put becomes get on 303", method: "PUT", path: "/n/1?status=303", body: "abc", want: "GET 0"},
		{name: "to a file", path: "/to?u=file:///etc/passwd", reason: ReasonInvalidURL},
		{name: "to nothing that parses", path: "/to?u=http://%5B", reason: ReasonInvalidURL},
		{name: "to the link-local range", path: "/to?u=http://169.254.169.254/latest", reason: ReasonBlockedAddress},
		{name: "to a private name", path: "/to?u=http://10.1/", reason: ReasonBlockedAddress},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			response, err := client.Do(t.Context(), Request{Method: tt.method, URL: mustParse(t, server.URL+tt.path), Body: []byte(tt.body)})
			wantReason(t, err, tt.reason)
			if err == nil && string(response.Body) != tt.want {
				t.Errorf("got %q, want %q", response.Body, tt.want)
			}
		})
	}
}

func TestRedirectNotFollowed(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x", http.StatusFound) })
	for name, change := range map[string]func(*Config, *Request){
		"by request": func(_ *Config, r *Request) { r.NoRedirects = true },
		"by config":  func(c *Config, _ *Request) { c.RedirectsMax = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := Request{URL: mustParse(t, server.URL)}
			client := newClient(t, func(c *Config) { change(c, &request) })
			response, err := client.Do(t.Context(), request)
			if err != nil || response.StatusCode != http.StatusFound {
				t.Fatalf("got %v, %v, want the redirect itself", response, err)
			}
		})
	}
}

func TestCredentialsStayAtTheFirstOrigin(t *testing.T) {
	t.Parallel()
	var seen http.Header
	other := serve(t, func(_ http.ResponseWriter, r *http.Request) { seen = r.Header.Clone() })
	first := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			t.Error("the first origin got no Authorization")
		}
		w.Header().Set("Location", strings.Replace(other.URL, "http://", "http://user:secret@", 1))
		w.WriteHeader(http.StatusFound)
	})
	client := newClient(t, nil)
	response, err := client.Get(t.Context(), Request{
		URL:    mustParse(t, first.URL),
		Header: http.Header{"Authorization": {"Bearer x"}, "Cookie": {"a=b"}, "X-Api-Key": {"k"}, "X-Other": {"kept"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Authorization", "Cookie", "X-Api-Key"} {
		if got := seen.Get(name); got != "" {
			t.Errorf("got %s %q at the second origin, want none", name, got)
		}
	}
	if seen.Get("X-Other") != "kept" {
		t.Error("got no X-Other at the second origin, want it kept")
	}
	if strings.Contains(response.URL.String(), "secret") {
		t.Errorf("got final URL %s, want no credentials", response.URL)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	mux := http.NewServeMux()
	mux.HandleFunc("/no-header", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/no-body", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "a")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "a")
	})
	mux.HandleFunc("/hangup", func(_ http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/header", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 64<<10))
	})
	mux.HandleFunc("/garbage", func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		fmt.Fprint(conn, "SSH-2.0-OpenSSH_9.2\r\n\r\n")
		_ = conn.Close()
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	secure := httptest.NewTLSServer(mux)
	t.Cleanup(secure.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	_ = listener.Close()

	tests := []struct {
		name   string
		url    string
		change func(*Config)
		want   Reason
	}{
		{"no header in time", server.URL + "/no-header", func(c *Config) { c.Timeouts.Header = 20 * time.Millisecond }, ReasonTimeout},
		{"no body in time", server.URL + "/no-body", func(c *Config) { c.Timeouts.BodyIdle = 20 * time.Millisecond }, ReasonTimeout},
		{"total", server.URL + "/no-body", func(c *Config) { c.Timeouts.Total = 20 * time.Millisecond }, ReasonTimeout},
		{"cut short", server.URL + "/cut", nil, ReasonReset},
		{"hung up", server.URL + "/hangup", nil, ReasonReset},
		{"header too large", server.URL + "/header", func(c *Config) { c.HeaderBytesMax = 16 << 10 }, ReasonBadResponse},
		{"not HTTP", server.URL + "/garbage", nil, ReasonBadResponse},
		{"plain on a TLS port", "https://" + strings.TrimPrefix(server.URL, "http://"), nil, ReasonTLS},
		{"unknown authority", secure.URL, nil, ReasonTLS},
		{"nobody listens", "http://" + closed, nil, ReasonConnect},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := get(t, newClient(t, tt.change), tt.url)
			wantReason(t, err, tt.want)
		})
	}
}

func TestCallerGivesUp(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	_, err := newClient(t, nil).Get(ctx, Request{URL: mustParse(t, server.URL)})
	wantReason(t, err, ReasonCanceled)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it to be context.Canceled", err)
	}

	expired, cancelExpired := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancelExpired()
	_, err = newClient(t, nil).Get(expired, Request{URL: mustParse(t, server.URL)})
	wantReason(t, err, ReasonTimeout)
}

func TestProxyEnvironmentIsIgnored(t *testing.T) {
	var hits atomic.Int32
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	client := newClient(t, func(c *Config) { c.Resolver = newDNS(t, "127.0.0.9").resolver() })
	_, _ = get(t, client, "http://page.example.com:1/")
	if got := hits.Load(); got != 0 {
		t.Fatalf("got %d requests at the proxy, want 0", got)
	}
}

func TestErrorHidesQuery(t *testing.T) {
	t.Parallel()
	err := &Error{Reason: ReasonDNS, URL: "https://example.com/a?token=secret", Err: errors.New("no such host")}
	if got, want := err.Error(), "fetching https://example.com/a?…: no such host"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestConfigValidate(t *testing.T) {
	t.Parallel()
	_, err := New(Config{
		WireBytesMax: -1, Timeouts: Timeouts{Total: -1}, AllowPorts: []uint16{0},
		AllowPrivate: []netip.Prefix{{}, netip.MustParsePrefix("::ffff:127.0.0.1/128")},
	})
	for _, want := range []string{"WireBytesMax", "Timeouts.Total", "AllowPorts[0]", "AllowPrivate[0]", "AllowPrivate[1]"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to name %s", err, want)
		}
	}
}
