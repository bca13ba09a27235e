package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	slowConnections = 1000
	goodClients     = 4
	windowsMin      = 5  // of each kind, measured in turn
	windowsMax      = 15 // if a busy machine needs more to give a clear result
	windowLength    = 1200 * time.Millisecond
	settleLength    = 300 * time.Millisecond
)

// TestSlowConnections shows that slow connections hardly delay good traffic. So many connections cost the machine
// something wherever they are, so the test compares good traffic beside slow connections to the edge with good traffic
// beside as many to another server. It measures both in turn, because the machine is shared. On busy processors it needs
// the kernel setting of docs/operations.md, which scripts/without-autogroup makes.
//
//nolint:paralleltest // it measures time
func TestSlowConnections(t *testing.T) {
	s := setup(t)
	large := make([]byte, 4<<20)
	backend := s.standIn(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/docs") {
			_, _ = w.Write(large)
			return
		}
		_, _ = io.WriteString(w, "{}")
	})
	// Good traffic is one team, with more requests than the default limit.
	edge, err := s.startEdge(t.Context(), backend.url, "TURNPIKE_LIMIT_WRITES=100000000")
	if err != nil {
		t.Fatal(err)
	}
	p := s.purse(t, 1_000_000)
	load := &goodLoad{call: call{url: edge + "/v1/scrapes", body: fmt.Sprintf(scrapeOutput, "http://example.com/")}.with(p.bearer()...)}
	load.window(t) // the first window makes the one-time allocations
	elsewhere := holds(t)
	var quiet, attacked []time.Duration
	var ratio float64
	for range windowsMax {
		quiet = append(quiet, load.windowBeside(t, elsewhere))
		attacked = append(attacked, load.windowBeside(t, strings.TrimPrefix(edge, "http://")))
		ratio = float64(median(attacked)) / float64(median(quiet))
		if len(quiet) >= windowsMin && ratio <= 2 {
			break
		}
	}
	t.Logf("p99 of good traffic, median of %d windows: %s beside %d slow connections elsewhere, %s beside them: %.2f times; %d requests",
		len(quiet), median(quiet), slowConnections, median(attacked), ratio, load.served.Load())
	if ratio > 2 {
		t.Errorf("p99: got %.2f times as much beside slow connections, want at most 2; elsewhere %s, attacked %s", ratio, quiet, attacked)
	}
	p.wantSpent(t, money.Credits(load.served.Load()))
}

// windowBeside measures a window during slow connections to a server.
func (l *goodLoad) windowBeside(t *testing.T, address string) time.Duration {
	t.Helper()
	attack := startAttack(t, address)
	p99 := l.window(t)
	if held := attack.stop(); held < slowConnections*9/10 {
		t.Errorf("slow connections: got %d open at the end of a window, want about %d", held, slowConnections)
	}
	return p99
}

// holds starts a server that only holds its connections and sends a first KiB for slow readers. It returns the address.
func holds(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = conn.Write(make([]byte, 1<<10))
				_, _ = io.Copy(io.Discard, conn)
			}()
		}
	}()
	return l.Addr().String()
}

func median(of []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

// goodLoad is a few clients that each send one request after the other.
type goodLoad struct {
	call   call
	served atomic.Int64
}

// window returns the p99 of one window's requests. Its first part does not count: the last window may still have effects.
func (l *goodLoad) window(t *testing.T) time.Duration {
	t.Helper()
	begin := time.Now()
	took := make(chan []time.Duration)
	for range goodClients {
		go func() {
			var mine []time.Duration
			for time.Since(begin) < settleLength+windowLength {
				sent := time.Now()
				got, err := l.call.try(t.Context())
				switch {
				case err == nil && got.status == http.StatusOK:
					l.served.Add(1)
				case err == nil && got.status == http.StatusServiceUnavailable:
					// A commit took longer than 200 ms, as on a busy machine. The request counts with its duration.
				default:
					t.Errorf("good traffic: got %d %s (%v)", got.status, got.body, err)
				}
				if sent.Sub(begin) > settleLength {
					mine = append(mine, time.Since(sent))
				}
			}
			took <- mine
		}()
	}
	var all []time.Duration
	for range goodClients {
		all = append(all, <-took...)
	}
	if len(all) == 0 {
		t.Fatal("good traffic: none was served in a window")
	}
	slices.Sort(all)
	return all[len(all)*99/100]
}

// TestSlowHeadersAreCut shows that the edge closes a connection on which no request arrives.
func TestSlowHeadersAreCut(t *testing.T) {
	t.Parallel()
	s := setup(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.edge, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /pricing HTTP/1.1\r\nX-Slow: "); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	begin := time.Now()
	got, err := io.ReadAll(conn)
	if errors.Is(err, os.ErrDeadlineExceeded) || strings.Contains(string(got), " 200 ") {
		t.Errorf("after %s: got %q, %v, want the connection closed", time.Since(begin), got, err)
	}
}

func TestHeadersHaveASize(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, connection := range []string{"close", "keep-alive"} { // the second is used again
		for _, tc := range []struct{ bytes, status int }{{7 << 10, http.StatusOK}, {16 << 10, http.StatusRequestHeaderFieldsTooLarge}} {
			got := call{method: http.MethodGet, url: s.edge + "/pricing"}.with("X-Large", strings.Repeat("x", tc.bytes), "Connection", connection).do(t)
			if got.status != tc.status {
				t.Errorf("header of %d bytes, %s: got %d %s, want %d", tc.bytes, connection, got.status, got.body, tc.status)
			}
		}
	}
}

// longAnswer is longer than the edge waits for a header. TURNPIKE_LONG_TESTS makes it longer than any wait of the edge.
func longAnswer() time.Duration {
	if os.Getenv("TURNPIKE_LONG_TESTS") != "" {
		return 70 * time.Second
	}
	return 7 * time.Second
}

// TestLongAnswersAreServed shows that a response may take long, before its first byte and between bytes.
func TestLongAnswersAreServed(t *testing.T) {
	t.Parallel()
	s := setup(t)
	backend := s.standIn(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("stream") {
			_, _ = io.WriteString(w, "begun, ")
			_ = http.NewResponseController(w).Flush()
		}
		select {
		case <-time.After(longAnswer()):
			_, _ = io.WriteString(w, "done")
		case <-r.Context().Done():
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	edge, err := s.startEdge(ctx, backend.url)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{"": "done", "stream": "begun, done"} {
		t.Run("query "+query, func(t *testing.T) {
			t.Parallel()
			p := s.purse(t, 5)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, edge+"/v1/scrapes?"+query,
				strings.NewReader(fmt.Sprintf(scrapeOutput, "http://example.com/")))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+p.key)
			req.Header.Set("Content-Type", "application/json")
			patient := &http.Client{Timeout: 2 * longAnswer()}
			resp, err := patient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			got := read(t, edge, resp)
			if got.status != http.StatusOK || string(got.body) != want {
				t.Errorf("got %d %q, want 200 %q", got.status, got.body, want)
			}
			p.wantSpent(t, 1)
		})
	}
}
