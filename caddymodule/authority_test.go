//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// selfSigned writes a certificate for some names, and its key.
func selfSigned(t *testing.T, names ...string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: names, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) string {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	return write("cert.pem", "CERTIFICATE", signed), write("key.pem", "EC PRIVATE KEY", bytes)
}

// fields are the names and values of an HTTP/2 request as sent on the wire.
type fields []string

// authorities are requests that name the paid site, the free site, or both.
func authorities(port string) []fields {
	paid, open := "paid.test:"+port, "open.test:"+port
	hosts := []string{
		paid, open, "paid.test", "open.test", "PAID.test:" + port, "paid.test.:" + port, "paid.test.", "open.test.:" + port, "x@" + paid, open + "@" + paid,
		paid + "@" + open, "paid.test:0" + port, "paid.test:", open + "," + paid, open + " " + paid, paid + " " + open, "open.test:" + port + "/reports",
		"open.test#" + paid, "open.test?" + paid, open + "\t" + paid, "", ":" + port, "[::1]:" + port, "open.test%2e" + paid, "paid.test\x00" + open, "xpaid.test:" + port,
	}
	paths := []string{"/reports", "/docs/x", "https://" + paid + "/reports", "https://" + open + "/reports", "//" + paid + "/reports", "/docs/../reports", "*", "reports", ""}
	var all []fields
	request := func(method, authority, path string, more ...string) {
		all = append(all, append(fields{":method", method, ":scheme", "https", ":authority", authority, ":path", path}, more...))
	}
	for _, authority := range hosts {
		for _, path := range paths {
			request("GET", authority, path)
			for _, host := range []string{paid, open} {
				request("GET", authority, path, "host", host)
				request("GET", authority, path, "x-forwarded-host", host, "forwarded", "host="+host, "x-host", host)
				all = append(all, fields{":method", "GET", ":scheme", "https", ":path", path, "host", authority, "host", host})
			}
		}
		all = append(all,
			fields{":method", "GET", ":scheme", "https", ":path", "/reports", "host", authority},
			fields{":method", "GET", ":scheme", "http", ":authority", authority, ":path", "/reports"},
			fields{":method", "CONNECT", ":authority", authority},
			fields{":method", "CONNECT", ":protocol", "websocket", ":scheme", "https", ":authority", authority, ":path", "/reports"},
		)
	}
	for _, first := range []string{paid, open} {
		for _, second := range []string{paid, open} {
			all = append(all,
				fields{":method", "GET", ":scheme", "https", ":authority", first, ":authority", second, ":path", "/reports"},
				fields{":method", "GET", ":scheme", "https", ":authority", first, ":path", "/docs/x", ":path", "/reports", "host", second},
				fields{":method", "GET", ":method", "POST", ":scheme", "https", ":authority", first, ":path", "/reports", "host", second},
				fields{":method", "GET", ":scheme", "https", ":authority", first, "host", second, ":path", "/reports"},
				fields{":method", "GET", ":scheme", "https", ":authority", first, ":path", "/reports", "host", second, "connection", "host"},
				fields{":method", "GET", ":scheme", "https", ":authority", first, ":path", "/docs/x", ":path ", "/reports", "host", second},
			)
		}
	}
	return all
}

// TestTricksOfAuthority sends requests to one site in the name of another, in HTTP/2 frames and by HTTP/1.1, both over
// TLS. An upstream that serves both sites by name gets no unpaid request for what one of them charges for.
func TestTricksOfAuthority(t *testing.T) {
	address := freeAddress(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	cert, key := selfSigned(t, "paid.test", "open.test")
	site := `
	https://%[1]s.test:%[2]s {
		tls %[3]s %[4]s
		x402 {
			price /docs/* free
			%[5]s
		}
		reverse_proxy UPSTREAM {
			header_up X-Site %[1]s
		}
	}`
	e := newEdgeAmong(t, "respond 204", "default_bind 127.0.0.1",
		fmt.Sprintf(site, "paid", port, cert, key, "price /reports 0.25")+fmt.Sprintf(site, "open", port, cert, key, "price /* free"))
	x := tricked{sold: func(_, p string) int64 {
		if p == "/reports" {
			return 250_000
		}
		return 0
	}}
	var count tally
	check := func(how string, request any, status int, err error, before int64) {
		t.Helper()
		count.requests++
		switch last := e.last.Load(); {
		case e.calls.Load() == before && err == nil && status == http.StatusPaymentRequired:
			count.offered++
		case e.calls.Load() == before:
			count.refused++
		default:
			count.free++
			by := last.header.Get("X-Site")
			worth, _ := x.dearest(last.method, last.uri, last.header)
			if by == "paid" && worth > 0 || by == "open" && strings.Contains(strings.ToLower(last.host), "paid.test") || by == "" {
				t.Errorf("%s %q: reached the upstream by the site %q as %s %s of %s", how, request, by, last.method, last.uri, last.host)
			}
		}
	}
	all := authorities(port)
	for _, sni := range []string{"paid.test", "open.test"} {
		dial := func(protocol string) func() (net.Conn, error) {
			return func() (net.Conn, error) {
				return tls.Dial("tcp", address, &tls.Config{ServerName: sni, NextProtos: []string{protocol}, InsecureSkipVerify: true})
			}
		}
		h2 := &wire2{t: t, dial: dial("h2"), scheme: "https"}
		for _, request := range all {
			before := e.calls.Load()
			status, _, err := h2.sendFields(request...)
			check("HTTP/2 to "+sni, request, status, err, before)
		}
		h1 := &wire1{t: t, dial: dial("http/1.1")}
		for _, request := range all {
			method, authority, path, more := request.split()
			if strings.ContainsAny(authority+path, "\r\n") {
				continue
			}
			before := e.calls.Load()
			status, _, err := h1.send(method, authority, path, more...)
			check("HTTP/1.1 to "+sni, request, status, err, before)
		}
	}
	t.Logf("%d requests in the name of two sites: %+v", len(all), count)
	if count.free == 0 || count.offered == 0 || count.refused == 0 {
		t.Errorf("got %+v, want some of each", count)
	}
}

// split returns the request in the parts of HTTP/1.1.
func (f fields) split() (method, authority, path string, more []string) {
	for i := 0; i < len(f); i += 2 {
		switch f[i] {
		case ":method":
			method = f[i+1]
		case ":authority":
			authority = f[i+1]
		case ":path":
			path = f[i+1]
		default:
			if !strings.HasPrefix(f[i], ":") {
				more = append(more, f[i], f[i+1])
			}
		}
	}
	return method, authority, path, more
}
