package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	siteArg = "site"
	// hitsPath is at the address for the measurement alone, which no crawl knows.
	hitsPath = "/hits"
)

// site is a site of this machine, which counts how often each of its pages is asked for. It sends no validators, so that
// nobody is spared a page by having it.
type site struct {
	paths, titles []string
	bodies        [][]byte
	numbers       map[string]int
	hits          []atomic.Int64
	others        atomic.Int64 // what is asked for and is no page, but for robots.txt
}

// siteHello is what a site prints when it serves.
type siteHello struct {
	Address string `json:"address"`
	Control string `json:"control"`
	Bytes   int    `json:"bytes"`
	Links   int    `json:"links"`
}

// hits are what a site was asked for since it was last asked for this.
type hits struct {
	Pages []int64 `json:"pages"`
	// Others is how often something was asked for that is no page, but for robots.txt.
	Others int64 `json:"others"`
}

// siteMain serves a site until it is ended.
func siteMain(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("site: want one argument, how many pages")
	}
	count, err := strconv.Atoi(args[0])
	if err != nil {
		return fmt.Errorf("site: %w", err)
	}
	s := newSite(count)
	s.hits = make([]atomic.Int64, count)
	hello := siteHello{Bytes: s.bytes(), Links: s.links()}
	for address, handler := range map[*string]http.Handler{&hello.Address: s, &hello.Control: http.HandlerFunc(s.tell)} {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("site: %w", err)
		}
		*address = listener.Addr().String()
		server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
		defer server.Close()
		go func() { _ = server.Serve(listener) }()
	}
	if err := json.NewEncoder(os.Stdout).Encode(hello); err != nil {
		return fmt.Errorf("site: %w", err)
	}
	<-ctx.Done()
	return nil
}

// ServeHTTP implements http.Handler.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, known := s.numbers[r.URL.Path]
	if !known || r.URL.RawQuery != "" {
		s.serveOther(w, r)
		return
	}
	s.hits[n].Add(1)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(s.bodies[n])))
	_, _ = w.Write(s.bodies[n])
}

func (s *site) serveOther(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		_, _ = w.Write([]byte("User-agent: *\nDisallow: /private/\n"))
		return
	}
	s.others.Add(1)
	http.NotFound(w, r)
}

// tell gives the hits, and begins to count again.
func (s *site) tell(w http.ResponseWriter, _ *http.Request) {
	told := hits{Pages: make([]int64, len(s.hits)), Others: s.others.Swap(0)}
	for i := range s.hits {
		told.Pages[i] = s.hits[i].Swap(0)
	}
	_ = json.NewEncoder(w).Encode(told)
}

func (s *site) bytes() int {
	total := 0
	for _, body := range s.bodies {
		total += len(body)
	}
	return total
}

// links is how many there are, on all pages.
func (s *site) links() int {
	total := 0
	for _, body := range s.bodies {
		total += bytes.Count(body, []byte("<a href"))
	}
	return total
}
