//go:build linux

package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/text/encoding/unicode"
)

// atlas serves many sites on one port, each at its own address of this machine.
type atlas struct {
	shelf

	mu    sync.Mutex
	sites map[string]map[string]sheet // by host:port, then path
	hits  map[string]int              // requests by host:port followed by the path
}

// sheet is the content of one path.
type sheet struct {
	mediaType string
	body      func(w io.Writer)
}

func newAtlas(t *testing.T) *atlas {
	t.Helper()
	a := &atlas{sites: map[string]map[string]sheet{}, hits: map[string]int{}}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	a.url = server.URL
	_, a.port, _ = net.SplitHostPort(server.Listener.Addr().String())
	return a
}

func (a *atlas) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.hits[r.Host+r.URL.Path]++
	s, found := a.sites[r.Host][r.URL.Path]
	a.mu.Unlock()
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", s.mediaType)
	s.body(w)
}

// land is one of the sites.
type land struct {
	a    *atlas
	host string
	url  string // without a trailing slash
}

// land creates a site.
func (a *atlas) land(t *testing.T) *land {
	t.Helper()
	a.mu.Lock()
	host := net.JoinHostPort(fmt.Sprintf("127.0.9.%d", len(a.sites)+1), a.port)
	a.sites[host] = map[string]sheet{}
	a.mu.Unlock()
	listener, err := net.Listen("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: a, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return &land{a: a, host: host, url: "http://" + host}
}

// has sets the content of a path; @ stands for the site's URL.
func (l *land) has(path, mediaType, body string) *land {
	body = strings.ReplaceAll(body, "@", l.url)
	return l.writes(path, mediaType, func(w io.Writer) { _, _ = io.WriteString(w, body) })
}

func (l *land) writes(path, mediaType string, body func(w io.Writer)) *land {
	l.a.mu.Lock()
	defer l.a.mu.Unlock()
	l.a.sites[l.host][path] = sheet{mediaType, body}
	return l
}

// robots lists sitemaps in the site's robots.txt.
func (l *land) robots(paths ...string) *land {
	var text strings.Builder
	text.WriteString("User-agent: *\nDisallow:\n")
	for _, path := range paths {
		text.WriteString("Sitemap: @" + path + "\n")
	}
	return l.has("/robots.txt", "text/plain", text.String())
}

const sitemapNS = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`

// urlset returns a sitemap of paths of the site.
func urlset(paths ...string) string {
	return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset " + sitemapNS + ">" + locs("url", paths) + "</urlset>"
}

// sitemapIndex returns an index of sitemaps of the site.
func sitemapIndex(paths ...string) string {
	return "<sitemapindex " + sitemapNS + ">" + locs("sitemap", paths) + "</sitemapindex>"
}

func locs(element string, paths []string) string {
	var b strings.Builder
	for _, path := range paths {
		fmt.Fprintf(&b, "<%[1]s><loc>@%[2]s</loc></%[1]s>\n", element, path)
	}
	return b.String()
}

// numbered returns paths below a folder.
func numbered(folder string, from, to int) []string {
	paths := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		paths = append(paths, fmt.Sprintf("%s/page-%06d", folder, i))
	}
	return paths
}

// zipped returns a text of the site, compressed.
func (l *land) zipped(t *testing.T, text string) func(w io.Writer) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, strings.ReplaceAll(text, "@", l.url)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return func(w io.Writer) { _, _ = w.Write(b.Bytes()) }
}

// bomb returns a compressed text that unpacks to its beginning and that many MiB of spaces.
func (l *land) bomb(t *testing.T, begin string, mebibytes int) func(w io.Writer) {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(z, strings.ReplaceAll(begin, "@", l.url))
	blank := bytes.Repeat([]byte(" "), 1<<20)
	for range mebibytes {
		_, _ = z.Write(blank)
	}
	_ = z.Close()
	return func(w io.Writer) { _, _ = w.Write(b.Bytes()) }
}

// wide encodes a text in UTF-16.
func wide(t *testing.T, text string) string {
	t.Helper()
	encoded, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}
