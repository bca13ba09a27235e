//go:build linux

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

var link = regexp.MustCompile(`<a href="([^"]+)"`)

func TestSite(t *testing.T) {
	t.Parallel()
	s := newSite(pagesDefault)
	if len(s.numbers) != pagesDefault {
		t.Fatalf("got %d paths, want one for each of %d pages", len(s.numbers), pagesDefault)
	}
	reached, next := map[int]bool{0: true}, []int{0}
	for len(next) > 0 {
		n := next[0]
		next = next[1:]
		links := link.FindAllSubmatch(s.bodies[n], -1)
		if size := len(s.bodies[n]); size < pageBytesMin || size > pageBytesMax || len(links) < pageLinksMin || len(links) > pageLinksMax {
			t.Errorf("page %d: got %d bytes and %d links, want %d to %d and %d to %d", n, size, len(links), pageBytesMin, pageBytesMax, pageLinksMin, pageLinksMax)
		}
		for _, l := range links {
			to, known := s.numbers[string(l[1])]
			if !known {
				t.Fatalf("page %d leads to %s, which is none", n, l[1])
			}
			if !reached[to] {
				reached[to], next = true, append(next, to)
			}
		}
	}
	if len(reached) != pagesDefault {
		t.Errorf("got %d pages that are reached, want all %d", len(reached), pagesDefault)
	}
	if again := newSite(pagesDefault); !bytes.Equal(again.bodies[7], s.bodies[7]) {
		t.Error("a page differs when it is made again")
	}
}

func TestSiteCountsHits(t *testing.T) {
	t.Parallel()
	s := newSite(20)
	s.hits = make([]atomic.Int64, 20)
	for _, path := range []string{"/", "/robots.txt", "/nowhere", "/?x=1"} {
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
	}
	if s.hits[0].Load() != 1 || s.others.Load() != 2 {
		t.Errorf("got %d hits of the start page and %d others, want 1 and 2", s.hits[0].Load(), s.others.Load())
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	if o, err := parseOptions([]string{"-short"}); err != nil || o.pages != pagesShort || o.readme != "" {
		t.Errorf("short: got %+v and error %v, want a small site and no table", o, err)
	}
	for _, bad := range [][]string{{"-pages", "1"}, {"-rounds", "0"}, {"-running", "0"}, {"-only", "x"}, {"what"}} {
		if _, err := parseOptions(bad); err == nil {
			t.Errorf("%q: got no error, want one", bad)
		}
	}
}

func TestFloors(t *testing.T) {
	t.Parallel()
	if err := floorsFull.check(1.5, 0.8); err != nil {
		t.Errorf("got %v, want what is at the floors to pass", err)
	}
	if err := floorsFull.check(1.4, 0.7); err == nil || !strings.Contains(err.Error(), "1.40") || !strings.Contains(err.Error(), "0.70") {
		t.Errorf("got %v, want both to be named", err)
	}
}
