//go:build linux

package e2e

import (
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// toyProxy is a CONNECT proxy that connects to any target, and records it. It stands for a proxy in another country,
// through which nobody may reach internal networks either.
type toyProxy struct {
	address string

	mu      sync.Mutex
	targets []string
	// strange lists requests that no engine should send.
	strange []string
}

const toyProxyUser, toyProxyPassword = "turnpike", "toll"

func newToyProxy(t *testing.T) *toyProxy {
	t.Helper()
	l, err := net.Listen("tcp", siteHost+":0")
	if err != nil {
		t.Fatal(err)
	}
	p := &toyProxy{address: l.Addr().String()}
	server := &http.Server{Handler: p, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return p
}

// setting returns the environment variable that configures the proxy.
func (p *toyProxy) setting() string {
	return "TURNPIKE_PROXIES=DE=http://" + toyProxyUser + ":" + toyProxyPassword + "@" + p.address
}

func (p *toyProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	if r.Method == http.MethodConnect {
		p.targets = append(p.targets, r.Host)
	} else {
		p.strange = append(p.strange, r.Method+" "+r.URL.String())
	}
	p.mu.Unlock()
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(toyProxyUser+":"+toyProxyPassword))
	if r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") != want {
		http.Error(w, "CONNECT, with a password", http.StatusProxyAuthRequired)
		return
	}
	target, err := net.Dial("tcp", r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer target.Close()
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	if _, err := io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	go func() {
		defer target.Close()
		_, _ = io.Copy(target, buffered)
	}()
	_, _ = io.Copy(client, target)
}

// wantOnly checks that the proxy was asked for this target only.
func (p *toyProxy) wantOnly(t *testing.T, target string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.IndexFunc(p.targets, func(asked string) bool { return asked != target }); i >= 0 {
		t.Errorf("the proxy was asked for %q, want %q alone", p.targets[i], target)
	}
	if len(p.strange) > 0 {
		t.Errorf("the proxy got %q, want CONNECT alone", p.strange)
	}
}

// wantAsked checks that the proxy was used at all.
func (p *toyProxy) wantAsked(t *testing.T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.targets) == 0 {
		t.Error("the proxy was not asked for anything")
	}
}
