package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// failing is a backend with the real price list that fails everything else as the query says.
type failing struct{ *standIn }

func (s *stack) failingBackend(t *testing.T) *failing {
	t.Helper()
	return &failing{s.standIn(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		status, _ := strconv.Atoi(q.Get("status"))
		switch {
		case q.Has("hang_up"):
			hangUp(w, "")
		case q.Has("half"):
			hangUp(w, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhalf")
		case q.Has("nonsense"):
			hangUp(w, "nonsense\r\n\r\n")
		default:
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "the backend's own words")
		}
	})}
}

// standIn is a backend with the real price list and API description. A test handles everything else.
type standIn struct {
	server *http.Server
	url    string
}

func (s *stack) standIn(t *testing.T, serve http.HandlerFunc) *standIn {
	t.Helper()
	origin, err := url.Parse(s.backend)
	if err != nil {
		t.Fatal(err)
	}
	toBackend := httputil.NewSingleHostReverseProxy(origin)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &standIn{url: "http://" + l.Addr().String()}
	f.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, ConnContext: smallBuffer, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == price.WellKnownPath || r.URL.Path == "/pricing" || r.URL.Path == "/openapi.json" {
			toBackend.ServeHTTP(w, r)
			return
		}
		serve(w, r)
	})}
	go func() { _ = f.server.Serve(l) }()
	t.Cleanup(func() { _ = f.server.Close() })
	return f
}

// smallBuffer stops the system from buffering megabytes for a client that does not read.
func smallBuffer(ctx context.Context, conn net.Conn) context.Context {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(64 << 10)
	}
	return ctx
}

func hangUp(w http.ResponseWriter, last string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(conn, last)
	_ = conn.Close()
}

func TestBackendThatFails(t *testing.T) {
	t.Parallel()
	s := setup(t)
	f := s.failingBackend(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	edge, err := s.startEdge(ctx, f.url)
	if err != nil {
		t.Fatal(err)
	}
	send := func(t *testing.T, tw twin, query string) (answer, func(t *testing.T)) {
		t.Helper()
		headers, wantUntouched := tw.payer(t)
		c := call{url: edge + tw.prefix + "/v1/scrapes?" + query, body: fmt.Sprintf(scrapeOutput, "http://example.com/")}
		return c.with(headers...).do(t), wantUntouched
	}
	wantAway := func(t *testing.T, got answer) {
		t.Helper()
		got.refused(t, http.StatusServiceUnavailable, "overloaded", "try again", "Nothing was charged")
		if after := got.header.Get("Retry-After"); after == "" {
			t.Error("Retry-After: got none, want the seconds to wait")
		}
		got.wantNoReceipt(t)
	}
	t.Run("in its answers", func(t *testing.T) {
		for _, status := range []int{400, 404, 409, 418, 422, 429, 500, 502, 503, 504} {
			for _, tw := range s.twins() {
				t.Run(fmt.Sprintf("%d %s", status, tw.name), func(t *testing.T) {
					t.Parallel()
					got, wantUntouched := send(t, tw, fmt.Sprintf("status=%d", status))
					if got.status != status || string(got.body) != "the backend's own words" {
						t.Errorf("answer: got %d %s, want %d as the backend has it", got.status, got.body, status)
					}
					if used := got.header.Get("X-Credits-Used"); used != "" && used != "0" {
						t.Errorf("X-Credits-Used: got %q, want 0", used)
					}
					got.wantNoReceipt(t)
					wantUntouched(t)
				})
			}
		}
		for _, query := range []string{"hang_up", "nonsense"} {
			for _, tw := range s.twins() {
				t.Run(query+" "+tw.name, func(t *testing.T) {
					t.Parallel()
					got, wantUntouched := send(t, tw, query)
					wantAway(t, got)
					wantUntouched(t)
				})
			}
		}
		for _, tw := range s.twins() {
			t.Run("in the middle "+tw.name, func(t *testing.T) {
				t.Parallel()
				headers, wantUntouched := tw.payer(t)
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, edge+tw.prefix+"/v1/scrapes?half", http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set(headers[0], headers[1])
				if resp, err := client.Do(req); err == nil {
					_, err = io.ReadAll(resp.Body)
					resp.Body.Close()
					if err == nil && resp.StatusCode == http.StatusOK {
						t.Error("half an answer: got it as if it were whole")
					}
				}
				wantUntouched(t)
			})
		}
	})
	if err := f.server.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tw := range s.twins() {
		t.Run("gone "+tw.name, func(t *testing.T) {
			t.Parallel()
			got, wantUntouched := send(t, tw, "status=200")
			wantAway(t, got)
			wantUntouched(t)
		})
	}
}
