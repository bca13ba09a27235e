package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// counter is an upstream in this process. It counts its runs per round and never gives the same response twice.
type counter struct {
	*httptest.Server

	verifier *edgewire.Verifier

	mu    sync.Mutex
	total int
	runs  map[int]int
	watch map[int]*watched
}

// watched is a round that the test holds up at the upstream.
type watched struct {
	arrived  chan string   // host and port of the edge that sent it
	goOn     chan struct{} // closed by the test
	answered chan struct{} // closed by the upstream
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	verifier, err := edgewire.NewVerifier([]byte(identitySecret), identityAudience, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{verifier: verifier, runs: make(map[int]int), watch: make(map[int]*watched)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.CloseClientConnections)
	return c
}

func (c *counter) address() string { return strings.TrimPrefix(c.URL, "http://") }

// follow makes the upstream wait in a round until goOn is closed.
func (c *counter) follow(round int) *watched {
	w := &watched{arrived: make(chan string, 1), goOn: make(chan struct{}), answered: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch[round] = w
	return w
}

// begin counts a run and returns its number, and the watched round if this is its first run.
func (c *counter) begin(round int) (run int, w *watched) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total++
	c.runs[round]++
	if c.runs[round] == 1 {
		w = c.watch[round]
	}
	return c.total, w
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	identity, err := c.verifier.Verify(r, r.URL.RequestURI())
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	round, err := strconv.Atoi(r.URL.Query().Get("round"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	run, follower := c.begin(round)
	if follower != nil {
		follower.arrived <- r.Host // the edge's address as the client used it
		select {
		case <-follower.goOn:
		case <-r.Context().Done():
			return
		}
	}
	fmt.Fprintf(w, `{"run":%d,"claim":%q,"uri":%q}`, run, identity.ID, r.URL.RequestURI())
	if follower != nil {
		_ = http.NewResponseController(w).Flush()
		close(follower.answered)
	}
}
