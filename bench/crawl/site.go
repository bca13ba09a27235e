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
	// hitsPath is at the control address, which only the measurement knows.
	hitsPath = "/hits"
)

// site is a local site that counts the requests for each of its pages. It sends no validators, so that no side can save a
// request by a cached copy.
type site struct {
	paths, titles []string
	bodies        [][]byte
	numbers       map[string]int
	hits          []atomic.Int64
	others        atomic.Int64 // requests for anything else, except robots.txt
}

// siteHello is what a site prints when it serves.
type siteHello struct {
	Address string `json:"address"`
	Control string `json:"control"`
	Bytes   int    `json:"bytes"`
	Links   int    `json:"links"`
}

// hits are the requests that a site counted since it was last asked.
type hits struct {
	Pages []int64 `json:"pages"`
	// Others counts the requests for anything that is no page, except robots.txt.
	Others int64 `json:"others"`
}

// siteMain serves a site until the process is ended.
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

// tell responds with the hits, and resets them.
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

// links returns the number of links on all pages.
func (s *site) links() int {
	total := 0
	for _, body := range s.bodies {
		total += bytes.Count(body, []byte("<a href"))
	}
	return total
}
