//go:build unix && !solaris

package caddymodule

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// edgeConn is one connection to an edge.
type edgeConn struct {
	t *testing.T
	net.Conn
	r *bufio.Reader
}

func dialEdge(t *testing.T, network, address string) *edgeConn {
	t.Helper()
	conn, err := net.DialTimeout(network, address, testTimeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(testTimeout))
	return &edgeConn{t, conn, bufio.NewReader(conn)}
}

// want requests /config from a host and compares the response.
func (c *edgeConn) want(host, want string) {
	c.t.Helper()
	if got, err := c.ask(host); err != nil || got != want {
		c.t.Fatalf("%s: got %q, error %v, want %q", host, got, err, want)
	}
}

// ask requests /config from a host and returns the response.
func (c *edgeConn) ask(host string) (string, error) {
	if _, err := fmt.Fprintf(c, "POST /config HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n", host); err != nil {
		return "", err
	}
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return string(got), err
}

func (c *edgeConn) wantClosed() {
	c.t.Helper()
	if rest, err := io.ReadAll(c.r); len(rest) > 0 || errors.Is(err, context.DeadlineExceeded) {
		c.t.Errorf("got %q, error %v, want the connection closed", rest, err)
	}
}

// configSite responds at /config, and charges for all other paths.
const configSite = `route {
		respond /config "%s"
		api_key
		meter {
			price 1
		}
		reverse_proxy UPSTREAM
	}`

func (e *edge) loadAs(name string) {
	e.t.Helper()
	e.site = fmt.Sprintf(configSite, name)
	e.load(name)
}

// wantRefused waits until an address is closed. Caddy's stop returns a moment before its servers are stopped.
func wantRefused(t *testing.T, address string) {
	t.Helper()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for end := time.Now().Add(testTimeout); ; <-again.C {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		_ = conn.Close()
		if time.Now().After(end) {
			t.Errorf("%s takes connections, want it closed", address)
			return
		}
	}
}

// freePorts returns the first of two consecutive free ports.
func freePorts(t *testing.T) uint64 {
	t.Helper()
	for range 100 {
		_, port, err := net.SplitHostPort(freeAddress(t))
		if err != nil {
			t.Fatal(err)
		}
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			t.Fatal(err)
		}
		next, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", number+1))
		if err == nil {
			_ = next.Close()
			return number
		}
	}
	t.Fatal("no two ports in a row are free")
	return 0
}

// Each request is served by the configuration of its time, as long as that configuration listens on the address.
//
//nolint:paralleltest // Caddy runs one configuration per process
func TestAddressesOverReloads(t *testing.T) {
	e := newEdge(t, fmt.Sprintf(configSite, "first"))
	host := e.address
	kept, untouched := dialEdge(t, "tcp", e.address), dialEdge(t, "tcp", e.address)
	kept.want(host, "first")
	for _, name := range []string{"second", "third"} {
		e.loadAs(name)
		kept.want(host, name)
	}
	untouched.want(host, "third")

	// Another site is added on the same address, and removed again.
	e.site = fmt.Sprintf(configSite, "fourth") + "\n}\nhttp://other.test" + host[strings.LastIndexByte(host, ':'):] + ` {
		respond "another site"`
	e.load("two sites")
	kept.want(host, "fourth")
	untouched.want("other.test", "another site")
	kept.want("other.test", "another site")
	e.loadAs("fifth")
	kept.want(host, "fifth")

	// The address is taken: everything continues as before.
	taken, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	e.address = fmt.Sprintf("127.0.0.1:%d", port)
	err = e.tryLoad("taken")
	for _, want := range []string{fmt.Sprintf("listening on kept-tcp/:%d", port), "address already in use"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a taken address: got error %v, want %q in it", err, want)
		}
	}
	kept.want(host, "fifth")

	// The address is removed from the configuration, and later the server stops.
	e.address = freeAddress(t)
	e.loadAs("sixth")
	kept.wantClosed()
	untouched.wantClosed()
	wantRefused(t, host)
	moved := dialEdge(t, "tcp", e.address)
	moved.want(e.address, "sixth")
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	moved.wantClosed()
	wantRefused(t, e.address)
}

// A port range opens one socket per port, and listening again gives the same sockets.
func TestPortRange(t *testing.T) {
	t.Parallel()
	number := freePorts(t)
	address, err := caddy.ParseNetworkAddress(fmt.Sprintf("kept-tcp/127.0.0.1:%d-%d", number, number+1))
	if err != nil {
		t.Fatal(err)
	}
	var all []net.Listener
	for range 2 {
		opened, err := address.ListenAll(t.Context(), net.ListenConfig{})
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range opened {
			all = append(all, l.(net.Listener))
			if want := fmt.Sprintf("127.0.0.1:%d", number+uint64(i)); all[len(all)-1].Addr().String() != want {
				t.Errorf("listener %d is on %s, want %s", i, all[len(all)-1].Addr(), want)
			}
		}
	}
	for i, l := range all {
		_ = dialEdge(t, "tcp", l.Addr().String()).Close() // as long as one listener is there
		if err := l.Close(); err != nil {
			t.Errorf("closing listener %d: %v", i, err)
		}
	}
	for _, l := range all {
		wantRefused(t, l.Addr().String())
	}
}

// Caddy itself keeps Unix sockets over a reload, so every client can connect. The servers of the old configuration end a
// moment after the reload returns. They answer or close what they accept in that moment (docs/reliability.md).
//
//nolint:paralleltest // Caddy runs one configuration per process
func TestUnixSocketOverReloads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	site := "bind unix/" + path + "\n" + configSite
	e := newEdge(t, fmt.Sprintf(site, "first"))
	dialEdge(t, "unix", path).want(e.address, "first")
	e.site = fmt.Sprintf(site, "second")
	e.load("second")
	for end := time.Now().Add(testTimeout); ; {
		got, err := dialEdge(t, "unix", path).ask(e.address)
		if err == nil && got == "second" {
			return
		}
		if err == nil && got != "first" || time.Now().After(end) {
			t.Fatalf("got %q, error %v, want the second configuration's answer", got, err)
		}
	}
}

// A request in progress when the server stops is answered within the grace period.
//
//nolint:paralleltest // Caddy runs one configuration per process
func TestStopAnswersWhatIsServed(t *testing.T) {
	e := newEdge(t, meteredSite)
	idle := dialEdge(t, "tcp", e.address)
	answered := make(chan answer)
	go func() {
		a, err := e.try(context.WithoutCancel(t.Context()), http.MethodPost, "/wait-silent", "", bearerHeader...)
		a.err = errors.Join(a.err, err)
		answered <- a
	}()
	<-e.arrived
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, e.address)
	close(e.hold)
	if a := <-answered; a.status != http.StatusOK || a.err != nil {
		t.Errorf("got %+v, want it served", a)
	}
	_ = idle.Close()
}
