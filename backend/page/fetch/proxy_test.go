package fetch

import (
	"bufio"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	neturl "net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// toyProxy accepts CONNECT, records the targets, and connects all of them to one place, so that a test can own "public"
// addresses.
type toyProxy struct {
	url    string
	status int    // the response to CONNECT, if not 200
	to     string // where tunnels lead; "": the requested target

	mu      sync.Mutex
	targets []string
	hosts   []string
	auth    []string
	plain   []string // requests other than CONNECT
}

func newProxy(t testing.TB, to string) *toyProxy {
	t.Helper()
	p := &toyProxy{to: to}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

func (p *toyProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	if r.Method == http.MethodConnect {
		p.targets = append(p.targets, r.RequestURI)
		p.hosts = append(p.hosts, r.Host)
		p.auth = append(p.auth, r.Header.Get("Proxy-Authorization"))
	} else {
		p.plain = append(p.plain, r.RequestURI)
	}
	p.mu.Unlock()
	if p.status != 0 || r.Method != http.MethodConnect {
		w.WriteHeader(max(p.status, http.StatusBadRequest))
		return
	}
	to := p.to
	if to == "" {
		to = r.RequestURI
	}
	target, err := net.Dial("tcp", to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer target.Close()
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() {
		defer target.Close()
		_, _ = io.Copy(target, buffered)
	}()
	_, _ = io.Copy(conn, target)
}

func (p *toyProxy) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append(slices.Clone(p.targets), p.plain...)
}

func mustProxies(t testing.TB, text string) Proxies {
	t.Helper()
	proxies, err := ParseProxies(text)
	if err != nil {
		t.Fatal(err)
	}
	return proxies
}

func getBy(t testing.TB, client *Client, country, rawURL string) (*Response, error) {
	t.Helper()
	session, err := client.NewSession(country)
	if err != nil {
		return nil, err
	}
	return client.Get(t.Context(), Request{URL: mustParse(t, rawURL), Session: session})
}

// For http and https, the proxy gets the address that was resolved and checked here, never the name.
func TestProxyIsAskedForTheAddress(t *testing.T) {
	t.Parallel()
	var host string
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host = r.Host
		fmt.Fprint(w, r.Proto)
	})
	plain := httptest.NewServer(handler)
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(handler)
	secure.EnableHTTP2 = true
	secure.StartTLS()
	t.Cleanup(secure.Close)
	for _, tt := range []struct{ name, url, to, want, proto string }{
		{"http", "http://page.example.com/a", plain.Listener.Addr().String(), "93.184.215.14:80", "HTTP/1.1"},
		{"https", "https://example.com/a", secure.Listener.Addr().String(), "93.184.215.14:443", "HTTP/2.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			proxy := newProxy(t, tt.to)
			client := newClient(t, func(c *Config) {
				c.AllowPrivate, c.AllowAnyPort = nil, false // as in production
				c.Resolver = newDNS(t, "93.184.215.14").resolver()
				c.RootCAs = x509.NewCertPool()
				c.RootCAs.AddCert(secure.Certificate())
				c.Proxies = mustProxies(t, "DE="+strings.Replace(proxy.url, "://", "://user:p%40ss@", 1))
			})
			response, err := getBy(t, client, "de", tt.url)
			if err != nil {
				t.Fatal(err)
			}
			if got := proxy.asked(); !slices.Equal(got, []string{tt.want}) || proxy.hosts[0] != tt.want {
				t.Errorf("the proxy was asked for %v with host %v, want %s alone", got, proxy.hosts, tt.want)
			}
			if want := mustParse(t, tt.url).Host(); host != want {
				t.Errorf("the target saw host %q, want %q", host, want)
			}
			if want := "Basic dXNlcjpwQHNz"; proxy.auth[0] != want {
				t.Errorf("got credentials %q, want %q", proxy.auth[0], want)
			}
			if got := string(response.Body); got != tt.proto {
				t.Errorf("got %s, want %s", got, tt.proto)
			}
		})
	}
}

func TestProxyByTLS(t *testing.T) {
	t.Parallel()
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	proxy := &toyProxy{to: target.Listener.Addr().String()}
	server := httptest.NewTLSServer(proxy)
	t.Cleanup(server.Close)
	client := newClient(t, func(c *Config) {
		c.Resolver = newDNS(t, "93.184.215.14").resolver()
		c.RootCAs = x509.NewCertPool()
		c.RootCAs.AddCert(server.Certificate())
		c.Proxies = mustProxies(t, "FR="+server.URL)
	})
	if _, err := getBy(t, client, "FR", "http://page.example.com/"); err != nil {
		t.Fatal(err)
	}
	if got := proxy.asked(); !slices.Equal(got, []string{"93.184.215.14:80"}) {
		t.Errorf("the proxy was asked for %v", got)
	}
}

// Loopback in every spelling, requested or redirected to, is refused here: the proxy, which could reach it, is never
// asked. The same holds for names that resolve to loopback, also alternately.
func TestProxyIsNeverAskedForLoopback(t *testing.T) {
	t.Parallel()
	port, hits := canary(t)
	first := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		}
	})
	proxy := newProxy(t, "")
	leading := newProxy(t, first.Listener.Addr().String())
	client, err := New(Config{AllowAnyPort: true, Proxies: mustProxies(t, "DE="+proxy.url), Timeouts: Timeouts{Total: 5 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	redirected, err := New(Config{
		AllowAnyPort: true, Proxies: mustProxies(t, "DE="+leading.url), Timeouts: Timeouts{Total: 5 * time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for _, rawURL := range spelledURLs(port) {
		if u, err := ParseURL(rawURL); err == nil {
			session, _ := client.NewSession(CountryRandom)
			if _, err := client.Get(t.Context(), Request{URL: u, Session: session}); err == nil {
				t.Errorf("%s: got an answer, want a refusal", rawURL)
			}
			// The check before the look-up gives clear messages. A browser's egress has no URL to check.
			if conn, err := client.DialTarget(t.Context(), session, u.HostPort()); err == nil {
				_ = conn.Close()
				t.Errorf("%s: dialled, want a refusal", u.HostPort())
			}
			names++
		}
		// The URL has a public address, which leads to the server that redirects.
		response, err := getBy(t, redirected, "de", "http://93.184.215.14/?to="+neturl.QueryEscape(rawURL))
		if err == nil && response.URL.Hostname() != "93.184.215.14" { // a relative URL leads back to the redirector
			t.Errorf("redirected to %s: got an answer from %s, want a refusal", rawURL, response.URL)
		}
	}
	resolving := newClient(t, func(c *Config) {
		c.AllowPrivate = nil
		c.Resolver = newDNS(t, "127.0.0.1", "93.184.215.14", "10.0.0.1").resolver()
		c.Proxies = mustProxies(t, "DE="+proxy.url)
		c.Timeouts.Connect = time.Second
		c.RetriesMax = -1
	})
	proxy.to = "127.0.0.1:1" // so that nothing let through gets a response
	for range 12 {
		_, _ = getBy(t, resolving, "DE", "http://rebind.example.com:"+port+"/")
	}
	if got := hits.Load(); got != 0 || names == 0 {
		t.Errorf("got %d hits on the canary for %d spellings, want 0 for some", got, names)
	}
	public := "93.184.215.14:" + port
	for _, asked := range [][]string{proxy.asked(), leading.asked()} {
		for _, target := range asked {
			if target != public && target != "93.184.215.14:80" {
				t.Errorf("the proxy was asked for %s, want only the public address", target)
			}
		}
	}
	if len(proxy.asked()) == 0 {
		t.Error("the proxy was never asked: the answers did not alternate")
	}
}

func TestProxyFailures(t *testing.T) {
	t.Parallel()
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	closed := "http://" + closedAddress(t)
	mute := listen(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	chatty := listen(t, func(conn net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(conn))
		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\n\r\nand more")
	})
	endless := listen(t, func(conn net.Conn) {
		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\n")
		for {
			if _, err := fmt.Fprintf(conn, "X: %s\r\n", strings.Repeat("x", 1000)); err != nil {
				return
			}
		}
	})
	noise := listen(t, func(conn net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(conn))
		fmt.Fprint(conn, "SSH-2.0-x\r\n\r\n")
	})
	refusing := func(status int) string {
		p := newProxy(t, target.Listener.Addr().String())
		p.status = status
		return p.url
	}
	for _, tt := range []struct{ name, proxy, says string }{
		{"wants credentials", refusing(http.StatusProxyAuthRequired), "407"},
		{"forbids", refusing(http.StatusForbidden), "403"},
		{"cannot reach the target", refusing(http.StatusBadGateway), "502"},
		{"is not there", closed, "connection refused"},
		{"says nothing", mute, "timeout"},
		{"says too much", chatty, "after the response to CONNECT"},
		{"has no end", endless, "CONNECT"},
		{"is no proxy", noise, "CONNECT"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, func(c *Config) {
				c.Resolver = newDNS(t, "93.184.215.14").resolver()
				c.Proxies = mustProxies(t, "DE="+strings.Replace(tt.proxy, "://", "://user:secret@", 1))
				c.Timeouts.TLS = 300 * time.Millisecond
				c.RetryDelay = time.Millisecond
			})
			_, err := getBy(t, client, "DE", "http://page.example.com/")
			wantReason(t, err, ReasonProxy)
			if !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %q, want it to say %q and no password", err, tt.says)
			}
		})
	}
}

func closedAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// listen handles each connection with handle and returns its URL.
func listen(t testing.TB, handle func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				handle(conn)
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

func TestSessionByCountry(t *testing.T) {
	t.Parallel()
	client := newClient(t, func(c *Config) {
		c.Proxies = mustProxies(t, "de=http://a.example:1,US=http://b.example:2\n# and\nUS=http://c.example:3")
	})
	seen := map[*route]bool{}
	for range 200 {
		session, err := client.NewSession("random")
		if err != nil {
			t.Fatal(err)
		}
		seen[session.route] = true
	}
	if len(seen) != 3 || seen[client.direct] {
		t.Errorf("RANDOM gave %d ways, want the 3 proxies", len(seen))
	}
	for country, want := range map[string]string{"FR": "no proxy is configured for the country FR; available countries: DE, US", "de": "", "": ""} {
		_, err := client.NewSession(country)
		if want == "" {
			wantReason(t, err, "")
			continue
		}
		wantReason(t, err, ReasonNoProxy)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want it to say %q", err, want)
		}
	}
	_, err := newClient(t, nil).NewSession(CountryRandom)
	wantReason(t, err, ReasonNoProxy)
}

func TestParseProxies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"DE=http://user:pass@proxy.example:8080", ""},
		{"DE=https://[2001:db8::1]", ""},
		{"", ""},
		{"# none\n", ""},
		{"http://proxy.example", "entry 1: want a two-letter country code"},
		{"GER=http://proxy.example", "entry 1: want a two-letter country code"},
		{"DE=socks5://proxy.example", `scheme "socks5"`},
		{"DE=http://", "no host"},
		{"DE=http://proxy.example:99999", "port"},
		{"DE=http://proxy.example/path", "more than a host and a port"},
		{"DE=http://user:sec^ret@proxy.example\x7f", "is not a URL"},
		{"DE=http://ok.example,FR=ftp://x.example", "entry 2, FR"},
	} {
		_, err := ParseProxies(tt.text)
		switch {
		case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%q: got %v, want %q", tt.text, err, tt.want)
		case err != nil && strings.Contains(err.Error(), "sec^ret"):
			t.Errorf("%q: got %v, want the password left out", tt.text, err)
		}
	}
	if p, err := ParseProxy("https://user:pass@proxy.example"); err != nil || p.String() != "proxy.example:443" {
		t.Errorf("got %s, %v, want the address without credentials", p, err)
	}
	if _, err := New(Config{Proxies: Proxies{"de": {{}}}}); err == nil || !strings.Contains(err.Error(), "Proxies") {
		t.Errorf("got %v, want it to name Proxies", err)
	}
}

func FuzzParseProxies(f *testing.F) {
	f.Add("DE=http://user:pass@proxy.example:8080,US=https://[::1]")
	f.Fuzz(func(t *testing.T, text string) {
		proxies, err := ParseProxies(text)
		if err != nil {
			return
		}
		if _, err := New(Config{Proxies: proxies}); err != nil {
			t.Fatalf("%q is read but not taken: %v", text, err)
		}
	})
}

// A browser's egress dials by host and port, through the session's proxy and behind the guard.
func TestDialTarget(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	address := server.Listener.Addr().String()
	proxy := newProxy(t, address)
	client := newClient(t, func(c *Config) {
		c.AllowPrivate = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		c.Resolver = newDNS(t, "127.0.0.1").resolver()
		c.Proxies = mustProxies(t, "DE="+proxy.url)
	})
	viaProxy, err := client.NewSession("DE")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	for name, session := range map[string]*Session{"directly": nil, "through a proxy": viaProxy} {
		conn, err := client.DialTarget(t.Context(), session, "page.example.com:"+port)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		fmt.Fprint(conn, "GET / HTTP/1.0\r\n\r\n")
		answer, err := io.ReadAll(conn)
		if err != nil || !strings.HasSuffix(string(answer), "ok") {
			t.Errorf("%s: got %q, %v", name, answer, err)
		}
		_ = conn.Close()
		for target, want := range map[string]Reason{
			"127.0.0.2:" + port: ReasonBlockedAddress, "[::1]:" + port: ReasonBlockedAddress,
			"[::1%lo]:" + port: ReasonBlockedAddress, "no port": ReasonInvalidURL,
		} {
			if conn, err := client.DialTarget(t.Context(), session, target); err == nil {
				_ = conn.Close()
				t.Errorf("%s to %s: dialled, want a refusal", name, target)
			} else if got := ReasonOf(err); got != want {
				t.Errorf("%s to %s: got %s, want %s", name, target, got, want)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = client.DialTarget(ctx, viaProxy, "page.example.com:"+port)
	wantReason(t, err, ReasonCanceled)
}
