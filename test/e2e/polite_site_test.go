//go:build linux

package e2e

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// politeSite serves many hosts with endless pages, and logs each request. The tests look only at this log, and not at
// counters of the service.
type politeSite struct {
	port  string
	hosts int

	mu   sync.Mutex
	hits map[string][]time.Time // by host
	now  map[string]int         // under way now
	most map[string]int         // most at once
	// refusing is the host that refuses the next request; retryAfter is its Retry-After.
	refusing   string
	retryAfter time.Duration
	refused    time.Time
}

const (
	// politeDomain is the parent of all hosts, each of which has its own limits.
	politeDomain = "polite.test"
	// politeLinks is how many links a page has to pages of its host.
	politeLinks = 40
	// politeTakes is a page's response time, so that two requests can overlap.
	politeTakes = 5 * time.Millisecond
)

func newPoliteSite(t *testing.T, hosts int) *politeSite {
	t.Helper()
	s := &politeSite{hosts: hosts, hits: map[string][]time.Time{}, now: map[string]int{}, most: map[string]int{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	_, s.port, _ = net.SplitHostPort(server.Listener.Addr().String())
	return s
}

// answers returns the name server's records of the site.
func (s *politeSite) answers() map[string][]string {
	answers := map[string][]string{"lone.test": {"127.0.0.1"}, politeDomain: {"127.0.0.1"}}
	for i := range s.hosts {
		answers[politeHost(i+1)] = []string{"127.0.0.1"}
	}
	return answers
}

func politeHost(i int) string { return fmt.Sprintf("h%d.%s", i, politeDomain) }

func (s *politeSite) url(host, path string) string { return "http://" + host + ":" + s.port + path }

func (s *politeSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.Host)
	retryAfter := s.begin(host)
	defer s.end(host)
	select { // each page takes some time
	case <-r.Context().Done():
	case <-time.After(politeTakes):
	}
	switch {
	case retryAfter > 0:
		w.Header().Set("Retry-After", fmt.Sprint(int(retryAfter.Seconds())))
		w.WriteHeader(http.StatusTooManyRequests)
	case r.URL.Path == "/robots.txt":
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(s.page(host, r.URL.Path))
	}
}

func (s *politeSite) begin(host string) (retryAfter time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits[host] = append(s.hits[host], time.Now())
	s.now[host]++
	s.most[host] = max(s.most[host], s.now[host])
	if host == s.refusing {
		retryAfter, s.refusing, s.refused = s.retryAfter, "", time.Now()
	}
	return retryAfter
}

func (s *politeSite) end(host string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now[host]--
}

// refuse makes a host respond to the next request with 429.
func (s *politeSite) refuse(host string, retryAfter time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusing, s.retryAfter = host, retryAfter
}

func (s *politeSite) refusedAt() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// asked returns the times of a host's requests so far.
func (s *politeSite) asked(host string) []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Time(nil), s.hits[host]...)
}

func (s *politeSite) atOnce(host string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most[host]
}

// page returns a page with unique words and with links that no other page has. The domain's first page links to all
// hosts.
func (s *politeSite) page(host, path string) []byte {
	random := rand.New(rand.NewPCG(hashOf(host), hashOf(path)))
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><title>%s %s</title><main><h1>%s</h1>", host, path, words(random, 4))
	for range 8 {
		fmt.Fprintf(&b, "<p>%s.", words(random, 30))
	}
	b.WriteString("<ul>")
	switch {
	case host == politeDomain && path == "/":
		for i := range s.hosts {
			fmt.Fprintf(&b, "<li><a href=%q>%s</a>", s.url(politeHost(i+1), "/"), politeHost(i+1))
		}
	case strings.Count(path, "/") < 5:
		for range politeLinks {
			fmt.Fprintf(&b, "<li><a href=%q>%s</a>", strings.TrimSuffix(path, "/")+"/"+strings.ReplaceAll(words(random, 3), " ", "-"), words(random, 2))
		}
	}
	b.WriteString("</ul></main>")
	return []byte(b.String())
}

func hashOf(text string) (sum uint64) {
	for _, c := range []byte(text) {
		sum = sum*1_099_511_628_211 ^ uint64(c) + 0x9E3779B97F4A7C15
	}
	return sum
}

// words returns random words of syllables, without digits.
func words(random *rand.Rand, n int) string {
	const syllables = "ba be bi bo bu da de di do du fa fe fi fo fu ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu"
	from := strings.Fields(syllables)
	out := make([]string, n)
	for i := range out {
		for range 2 + random.IntN(3) {
			out[i] += from[random.IntN(len(from))]
		}
	}
	return strings.Join(out, " ")
}
