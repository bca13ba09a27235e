//go:build linux

package crawllong

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

const (
	longSeed = 7
	// longLinks is how many random links a page has, besides those that make all pages reachable.
	longLinks = 10
	// longSentences gives a page about 2 KB.
	longSentences = 14
)

// syllables are the digits of a page's name, so that names contain no numbers: a site of so many pages that differ only
// in a number would rightly be classified as endless.
var syllables = strings.Fields("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu")

// site is a site whose pages are generated on request: page i links to 2i and 2i+1, to its neighbours, and to a few
// others. Pages count from 1.
type site struct {
	listener net.Listener
	server   *http.Server
	hits     []atomic.Int32 // by page number, minus one
}

func serve(ctx context.Context, pages int) (*site, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serving a site: %w", err)
	}
	s := &site{listener: listener, hits: make([]atomic.Int32, pages)}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}

func (s *site) url() string { return "http://" + s.listener.Addr().String() + longPath(1) }

// longPath returns the path of a page.
func longPath(i int) string {
	var name strings.Builder
	for ; i > 0; i /= len(syllables) {
		name.WriteString(syllables[i%len(syllables)])
	}
	return "/town/" + name.String()
}

// longNumber returns the page at a path; 0: none.
func longNumber(path string) int {
	name, ok := strings.CutPrefix(path, "/town/")
	i, place := 0, 1
	for ; ok && len(name) >= 2; name = name[2:] {
		digit := 0
		for digit < len(syllables) && syllables[digit] != name[:2] {
			digit++
		}
		i, place = i+digit*place, place*len(syllables)
	}
	return i
}

// ServeHTTP implements http.Handler.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i := longNumber(r.URL.Path)
	if i < 1 || i > len(s.hits) || r.URL.Path != longPath(i) {
		http.NotFound(w, r)
		return
	}
	s.hits[i-1].Add(1)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(s.page(i))
}

func (s *site) page(i int) []byte {
	random := rand.New(rand.NewPCG(longSeed, uint64(i))) //nolint:gosec // pages, no secrets
	town := func() string { return longPath(1 + random.IntN(len(s.hits)))[len("/town/"):] }
	var page bytes.Buffer
	fmt.Fprintf(&page, "<!doctype html><html lang=\"en\"><head><title>The town of %s</title></head><body><h1>%[1]s</h1>\n", longPath(i)[len("/town/"):])
	for range longSentences {
		fmt.Fprintf(&page, "<p>From %s the road leads over %s and %s to the market of %s, where %s is sold.</p>\n", town(), town(), town(), town(), town())
	}
	next := []int{2 * i, 2*i + 1, i - 1, i + 1}
	for range longLinks {
		next = append(next, 1+random.IntN(len(s.hits)))
	}
	page.WriteString("<ul>\n")
	for _, to := range next {
		if to >= 1 && to <= len(s.hits) {
			fmt.Fprintf(&page, "<li><a href=%q>%s</a></li>\n", longPath(to), longPath(to)[len("/town/"):])
		}
	}
	page.WriteString("</ul></body></html>\n")
	return page.Bytes()
}

// check reports an error unless each page was requested exactly once.
func (s *site) check() error {
	wrong := 0
	for i := range s.hits {
		if s.hits[i].Load() != 1 {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d pages were not asked for once", wrong, len(s.hits))
	}
	return nil
}
