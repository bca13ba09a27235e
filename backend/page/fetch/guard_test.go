package fetch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	neturl "net/url"
	"sync/atomic"
	"testing"
	"time"
)

func TestDeniedRange(t *testing.T) {
	t.Parallel()
	denied := []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.255", "168.63.129.16",
		"169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1",
		"198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1",
		"64:ff9b:1::1", "100::1", "100:0:0:1::1", "2001::1", "2001:1::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "5f00::1",
		"fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "::1%lo", "fec0::1", "ff02::1", "4000::1", "6000::1",
		"8000::1", "1::1", "e000::1",
	}
	for _, s := range denied {
		if deniedRange(netip.MustParseAddr(s)) == "" {
			t.Errorf("%s: got public, want denied", s)
		}
	}
	public := []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
		"169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
		"198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "2001:200::1", "2001:4860:4860::8888", "2606:4700::1111",
		"2a00:1450::1", "3ffe::1",
	}
	for _, s := range public {
		if got := deniedRange(netip.MustParseAddr(s)); got != "" {
			t.Errorf("%s: got %s, want public", s, got)
		}
	}
	if deniedRange(netip.Addr{}) == "" {
		t.Error("the zero address: got public, want denied")
	}
}

// canary listens on one port of both loopback families and counts the connections.
func canary(t *testing.T) (port string, hits *atomic.Int32) {
	t.Helper()
	hits = new(atomic.Int32)
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	first, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatalf("listening: %v", err)
	}
	_, port, _ = net.SplitHostPort(first.Addr().String())
	listeners := []net.Listener{first}
	if second, err := net.Listen("tcp6", "[::1]:"+port); err == nil {
		listeners = append(listeners, second)
	}
	for _, listener := range listeners {
		server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler, ReadHeaderTimeout: time.Second}}
		server.Start()
		t.Cleanup(server.Close)
	}
	return port, hits
}

// spellings are ways to write loopback that have worked in some client.
var spellings = []string{
	"127.0.0.1", "0.0.0.0", "[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:0001]",
	"[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "localhost", "LOCALHOST", "localhost.", "foo.localhost",
	"①②⑦.⓪.⓪.①", "127。0。0。1", "127．0．0．1", "１２７.0.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1",
	"017700000001", "127.1", "127.0.1", "0", "0x0", "127.0.0.1.", "127.127.127.127", "%31%32%37.0.0.1", "127.0.0.1%2e",
	"l%6fcalhost", "ⓛocalhost", "loc\talhost", "[::1%25lo]", "[fe80::1%25lo]", "0x7f.1", "0300.0250.1.1", "4294967295", "017700000001.",
}

// spelledURLs are URLs that mean loopback, or seem to.
func spelledURLs(port string) []string {
	urls := make([]string, 0, len(spellings)+13)
	for _, host := range spellings {
		urls = append(urls, "http://"+host+":"+port+"/")
	}
	return append(urls,
		"http://user:pw@127.0.0.1:"+port+"/", "http://example.com@127.0.0.1:"+port+"/",
		"http://127.0.0.1:"+port+"#@example.com", "http://127.0.0.1:"+port+`\@example.com`, `http:\\127.0.0.1:`+port,
		"http:/127.0.0.1:"+port, "http:127.0.0.1:"+port, "http:///127.0.0.1:"+port, "http://127.0.0.1%00:"+port,
		"http://example.com%40127.0.0.1:"+port, "\thttp://127.0.0.1:"+port, "http://127.0.0.1:0"+port,
		"https://127.0.0.1:"+port)
}

func TestSpellingsOfLoopback(t *testing.T) {
	t.Parallel()
	port, hits := canary(t)
	client, err := New(Config{AllowAnyPort: true, Timeouts: Timeouts{Total: 5 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	redirecting, origin := redirector(t)
	urls := spelledURLs(port)
	for _, rawURL := range urls {
		u, err := ParseURL(rawURL)
		if err != nil {
			continue // refused before any look-up: just as good
		}
		if _, err = client.Get(t.Context(), Request{URL: u}); err == nil {
			t.Errorf("%s: got an answer, want a refusal", rawURL)
		} else if reason := ReasonOf(err); reason != ReasonBlockedAddress && reason != ReasonDNS && reason != ReasonTimeout {
			t.Errorf("%s: got reason %s (%v), want blocked_address", rawURL, reason, err)
		}
	}
	for _, rawURL := range urls {
		redirected := mustParse(t, origin+"?to="+neturl.QueryEscape(rawURL))
		response, err := redirecting.Get(t.Context(), Request{URL: redirected})
		if err == nil && response.URL.Host() != redirected.Host() { // a relative URL leads back to the redirector
			t.Errorf("redirected to %s: got an answer from %s, want a refusal", rawURL, response.URL)
		}
	}
	if got := hits.Load(); got != 0 {
		t.Fatalf("got %d hits on the canary, want 0", got)
	}
}

// redirector redirects to its parameter "to". The client may reach the redirector, and otherwise only public addresses.
func redirector(t *testing.T) (client *Client, origin string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skipf("no second loopback address: %v", err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{
		ReadHeaderTimeout: time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if to := r.URL.Query().Get("to"); to != "" {
				w.Header().Set("Location", to)
				w.WriteHeader(http.StatusFound)
			}
		}),
	}}
	server.Start()
	t.Cleanup(server.Close)
	client = newClient(t, func(c *Config) {
		c.AllowPrivate = []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}
		c.Timeouts.Total = 5 * time.Second
	})
	return client, "http://" + listener.Addr().String() + "/"
}

// The guard must check the address that the socket connects to, even if the check before the look-up passed.
func TestControlSeesResolvedAddress(t *testing.T) {
	t.Parallel()
	port, hits := canary(t)
	for _, answer := range []string{"127.0.0.1", "0.0.0.0", "10.0.0.1", "169.254.169.254", "100.100.100.200"} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			client, err := New(Config{AllowAnyPort: true, Resolver: newDNS(t, answer).resolver()})
			if err != nil {
				t.Fatal(err)
			}
			_, err = get(t, client, "http://page.example.com:"+port+"/")
			wantReason(t, err, ReasonBlockedAddress)
		})
	}
	t.Cleanup(func() {
		if got := hits.Load(); got != 0 {
			t.Errorf("got %d hits on the canary, want 0", got)
		}
	})
}

// The name alternates between an allowed address (standing in for a public one, which a test cannot own) and a blocked
// one. However often it is asked, the blocked one is never reached.
func TestRebinding(t *testing.T) {
	t.Parallel()
	var hits, good atomic.Int32
	forbidden, err := net.Listen("tcp", "127.0.0.3:0")
	if err != nil {
		t.Skipf("no second loopback address: %v", err)
	}
	_, port, _ := net.SplitHostPort(forbidden.Addr().String())
	allowed, err := net.Listen("tcp", "127.0.0.2:"+port)
	if err != nil {
		t.Skipf("port %s is taken on the other address: %v", port, err)
	}
	for listener, counter := range map[net.Listener]*atomic.Int32{forbidden: &hits, allowed: &good} {
		server := &httptest.Server{Listener: listener, Config: &http.Server{
			ReadHeaderTimeout: time.Second,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				counter.Add(1)
				w.Header().Set("Connection", "close") // forces a new connection, so a new look-up
			}),
		}}
		server.Start()
		t.Cleanup(server.Close)
	}
	dns := newDNS(t, "127.0.0.2", "127.0.0.3")
	client := newClient(t, func(c *Config) {
		c.AllowPrivate = []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}
		c.Resolver = dns.resolver()
	})
	const rounds = 20
	blocked := 0
	for range rounds {
		if _, err := get(t, client, "http://rebind.example.com:"+port+"/"); ReasonOf(err) == ReasonBlockedAddress {
			blocked++
		}
	}
	if got := hits.Load(); got != 0 {
		t.Errorf("got %d hits on the forbidden address, want 0", got)
	}
	if good.Load() == 0 || blocked == 0 {
		t.Errorf("got %d fetched and %d blocked, want both: the answers did not alternate", good.Load(), blocked)
	}
}

func TestNoSuchName(t *testing.T) {
	t.Parallel()
	client := newClient(t, func(c *Config) { c.Resolver = newDNS(t).resolver() })
	_, err := get(t, client, "http://nowhere.example.com/")
	wantReason(t, err, ReasonDNS)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	production, err := New(Config{AllowPorts: []uint16{8443}})
	if err != nil {
		t.Fatal(err)
	}
	development := newClient(t, func(c *Config) { c.AllowAnyPort = false })
	tests := []struct {
		url                     string
		production, development Reason
	}{
		{"http://example.com/", "", ""},
		{"https://example.com:443/", "", ""},
		{"https://example.com:8443/", "", ReasonBlockedPort},
		{"http://example.com:22/", ReasonBlockedPort, ReasonBlockedPort},
		{"http://127.0.0.1/", ReasonBlockedAddress, ""},
		{"http://localhost/", ReasonBlockedAddress, ""},
		{"http://db.internal/", ReasonBlockedAddress, ""},
		{"http://10.0.0.1/", ReasonBlockedAddress, ReasonBlockedAddress},
	}
	for _, tt := range tests {
		if got := ReasonOf(production.Check(mustParse(t, tt.url))); got != tt.production {
			t.Errorf("%s in production: got %q, want %q", tt.url, got, tt.production)
		}
		if got := ReasonOf(development.Check(mustParse(t, tt.url))); got != tt.development {
			t.Errorf("%s in development: got %q, want %q", tt.url, got, tt.development)
		}
	}
	wantReason(t, production.Check(URL{}), ReasonInvalidURL)
}

func TestControlRefusesWhatIsNotTCP(t *testing.T) {
	t.Parallel()
	g := &guard{allowAnyPort: true}
	for _, target := range [][2]string{{"udp4", "1.1.1.1:53"}, {"unix", "/run/x"}, {"tcp4", "example.com:80"}} {
		if err := g.control(context.Background(), target[0], target[1], nil); err == nil {
			t.Errorf("%v: got nil, want an error", target)
		}
	}
	if err := g.control(context.Background(), "tcp4", "1.1.1.1:80", nil); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

func ExampleClient_Get() {
	client, err := New(Config{UserAgent: UserAgent("1.0", "https://example.com/bot")})
	if err != nil {
		fmt.Println(err)
		return
	}
	u, err := ParseURL("http://2130706433/")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.Get(context.Background(), Request{URL: u})
	fmt.Println(ReasonOf(err), err)
	// Output: blocked_address fetching http://127.0.0.1/: address 127.0.0.1 is not public (loopback, RFC 1122)
}
