package render

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func openTestEgress(t *testing.T, w *web, bytesMax int64) (*egress, *http.Client) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := openEgress(listener, w.job("http://site.test/"), bytesMax)
	t.Cleanup(e.close)
	proxy, err := url.Parse(e.address())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy)}
	t.Cleanup(transport.CloseIdleConnections)
	return e, &http.Client{Transport: transport}
}

func get(t *testing.T, client *http.Client, address string) (string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

func TestEgress(t *testing.T) {
	t.Parallel()
	w := newWeb(t)
	e, client := openTestEgress(t, w, mebibyte)
	if text, err := get(t, client, "http://site.test/boxes"); err != nil || !strings.Contains(text, "<title>Boxes</title>") {
		t.Errorf("got %q, %v", text, err)
	}
	for _, address := range []string{"http://127.0.0.1/", "http://[::1]:8080/", "https://10.0.0.1/", "https://ad.doubleclick.net/", "http://unknown.example/"} {
		if text, err := get(t, client, address); err == nil {
			t.Errorf("%s: got %q, want an error", address, text)
		}
	}
	refused, blocked := e.refused()
	if want := []string{"10.0.0.1:443", "127.0.0.1:80", "::1:8080"}; len(refused) != len(want) || blocked != 1 {
		t.Errorf("got %q refused and %d blocked, want %q and 1", refused, blocked, want)
	}
	job := w.job("http://[::1]:8080/path")
	if err := e.failure(job.URL); err == nil {
		t.Error("got no failure for an address that was refused")
	}
}

// Requests that are not for a proxy get no response from anywhere else.
func TestEgressIsOnlyAProxy(t *testing.T) {
	t.Parallel()
	w := newWeb(t)
	e, _ := openTestEgress(t, w, mebibyte)
	for _, request := range []string{"GET / HTTP/1.1\r\nHost: site.test\r\n\r\n", "GET ftp://site.test/ HTTP/1.1\r\nHost: site.test\r\n\r\n", "CONNECT site.test HTTP/1.1\r\nHost: site.test\r\n\r\n"} {
		conn, err := net.Dial("tcp", e.listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, request)
		line, _ := bufio.NewReader(conn).ReadString('\n')
		conn.Close()
		if !strings.Contains(line, " 400 ") && !strings.Contains(line, " 502 ") {
			t.Errorf("%q: got %q", request, line)
		}
	}
	if got := w.hits("site.test"); len(got) > 0 {
		t.Errorf("got requests for %q", got)
	}
}

func TestEgressCapsBytes(t *testing.T) {
	t.Parallel()
	w := newWeb(t)
	e, client := openTestEgress(t, w, 500)
	if text, err := get(t, client, "http://site.test/boxes"); err == nil {
		t.Errorf("got %d bytes beyond the cap", len(text))
	}
	if err := e.failure(w.job("http://site.test/").URL); !errors.Is(err, errWireBytesMax) {
		t.Errorf("got %v, want %v", err, errWireBytesMax)
	}
}

func TestBlocklist(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page, host string
		want       bool
	}{
		{"news.example", "doubleclick.net", true},
		{"news.example", "AD.DoubleClick.net.", true},
		{"news.example", "notdoubleclick.net", false},
		{"news.example", "google.com", false},
		{"news.example", "adservice.google.com", true},
		{"www.hotjar.com", "static.hotjar.com", false},
		{"www.hotjar.com", "doubleclick.net", true},
		{"news.example", "", false},
	} {
		if got := blocksFor(c.page).has(c.host); got != c.want {
			t.Errorf("page of %s, host %q: got blocked %v, want %v", c.page, c.host, got, c.want)
		}
	}
	var names []string
	for name := range blockedHostSet {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.ToLower(name) != name || strings.ContainsAny(name, "/:* ") || !strings.Contains(name, ".") {
			t.Errorf("the list's entry %q is no host name", name)
		}
	}
}
