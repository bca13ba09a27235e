package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"syscall"
	"testing"
	"time"
)

// TestReuse shows when a connection is kept after a response, and that no part of that response is in the next one.
func TestReuse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, method, answer string
		isKept               bool
	}{
		{"a length", "GET", answerA, true},
		{"nothing", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true},
		{"chunks", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nA\r\n0\r\n\r\n", true},
		{"chunks and trailers", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n1\r\nA\r\n0\r\nT: 1\r\n\r\n", true},
		{"chunks and a length", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n1\r\nA\r\n0\r\n\r\n", true},
		{"204", "GET", "HTTP/1.1 204 No Content\r\n\r\n", true},
		{"304 with a length", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", true},
		{"HEAD with a length", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true},
		{"HEAD with chunks", "HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", true},
		{"informational first", "GET", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + answerA, true},
		{"gzip", "GET", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 25\r\n\r\n" + gzipped, true},
		{"no gzip where it says so", "GET", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain", true},
		{"gzip of nothing", "GET", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", true},
		{"HTTP/1.0", "GET", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nA", false},
		{"HTTP/1.0 that keeps", "GET", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nA", true},
		{"a close", "GET", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nA", false},
		{"a close and nothing", "GET", "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n", false},
		{"more than its length", "GET", answerA + "more", false},
		{"two answers", "GET", answerA + answerA, false},
		{"a body for HEAD", "HEAD", answerA, false},
		{"a body for 304", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 1\r\n\r\nA", false},
		{"more than the last chunk", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nA\r\n0\r\n\r\n\r\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, func(n int, l *line) {
				if n > 1 {
					answering(answerB)(n, l)
					return
				}
				answering(tt.answer, answerB)(n, l)
			})
			rt := p.transport(func(t *Transport) { t.Compress = true })
			_, _, _ = ask(rt, newRequest(t.Context(), tt.method, ""))
			mustAsk(t, rt, newRequest(t.Context(), "GET", ""), "B")
			if got := p.dialled.Load() == 1; got != tt.isKept {
				t.Errorf("got kept %t, want %t", got, tt.isKept)
			}
		})
	}
}

// Data or an end that arrives on a kept connection is noticed before its next use: a request that must not be repeated
// goes over a new connection.
func TestReuseLooksFirst(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]func(*line){
		"an answer that nobody asked for": func(l *line) { l.say(answerA) },
		"a single byte":                   func(l *line) { l.say("\n") },
		"the end":                         func(l *line) { _ = l.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			do, done := make(chan struct{}), make(chan struct{})
			p := newPeer(t, func(n int, l *line) {
				if n > 1 {
					answering(answerB)(n, l)
					return
				}
				answering(answerA)(n, l)
				<-do
				late(l)
				close(done)
				l.hungUp()
			})
			rt := p.transport()
			mustAsk(t, rt, newRequest(t.Context(), "GET", ""), "A")
			close(do)
			<-done
			mustAsk(t, rt, newRequest(t.Context(), "POST", "x"), "B")
			if got := p.requests.Load(); got != 2 {
				t.Errorf("got %d requests, want 2", got)
			}
		})
	}
}

// When a kept connection fails at the moment of its use, only requests that are safe to repeat are sent again.
func TestRepeat(t *testing.T) {
	t.Parallel()
	withGetBody := newRequest(context.Background(), "PUT", "x", "Idempotency-Key", "k")
	withGetBody.GetBody = func() (io.ReadCloser, error) { return http.NoBody, nil }
	hangUp := func(*line) {}
	for _, tt := range []struct {
		name       string
		req        *http.Request
		then       func(*line) // after the second request of the first connection
		isRepeated bool
	}{
		{"GET", newRequest(context.Background(), "GET", ""), hangUp, true},
		{"HEAD", newRequest(context.Background(), "HEAD", ""), hangUp, true},
		{"GET with a body", newRequest(context.Background(), "GET", "x"), hangUp, false},
		{"POST", newRequest(context.Background(), "POST", "x"), hangUp, false},
		{"POST of nothing", newRequest(context.Background(), "POST", ""), hangUp, false},
		{"DELETE", newRequest(context.Background(), "DELETE", ""), hangUp, false},
		{"POST of nothing, with a key", newRequest(context.Background(), "POST", "", "Idempotency-Key", "k"), hangUp, true},
		{"POST with a key", newRequest(context.Background(), "POST", "x", "Idempotency-Key", "k"), hangUp, false},
		{"PUT with a key and a body to read again", withGetBody, hangUp, true},
		{"half a header", newRequest(context.Background(), "GET", ""), func(l *line) { l.say("HTTP/1.1 200 OK\r\n") }, false},
		{"one byte", newRequest(context.Background(), "GET", ""), func(l *line) { l.say("H") }, false},
		{"no HTTP", newRequest(context.Background(), "GET", ""), func(l *line) { l.say("hello\r\n\r\n") }, false},
		{"no response in time", newRequest(context.Background(), "GET", ""), (*line).hungUp, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, func(n int, l *line) {
				answering(answerA)(n, l)
				if _, _, ok := l.request(); ok {
					tt.then(l)
				}
			})
			rt := p.transport(func(t *Transport) { t.HeaderTimeout = time.Second })
			mustAsk(t, rt, newRequest(t.Context(), "GET", ""), "A")
			_, _, err := ask(rt, tt.req.WithContext(t.Context()))
			if got := err == nil; got != tt.isRepeated {
				t.Errorf("got error %v, want repeated %t", err, tt.isRepeated)
			}
			want := int64(2)
			if tt.isRepeated {
				want = 3
			}
			if got := p.requests.Load(); got != want {
				t.Errorf("got %d requests, want %d", got, want)
			}
		})
	}
}

// A request of which no byte was sent can be repeated, since the upstream cannot have seen it.
func TestRepeatUnsent(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(n int, l *line) { answering(answerA, answerA)(n, l) })
	p.onWrite = func(n int) error {
		if n == 2 {
			return syscall.EPIPE
		}
		return nil
	}
	rt := p.transport()
	mustAsk(t, rt, newRequest(t.Context(), "GET", ""), "A")
	mustAsk(t, rt, newRequest(t.Context(), "POST", "x"), "A")
	if got := p.dialled.Load(); got != 2 {
		t.Errorf("got %d connections, want 2", got)
	}
}

// A request that cannot be written at all closes at most one connection.
func TestRepeatNotOurFault(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(n int, l *line) { answering(answerA, answerA, answerA)(n, l) })
	rt := p.transport()
	var bodies []io.ReadCloser
	for range 3 {
		resp, err := rt.RoundTrip(newRequest(t.Context(), "GET", "")) //nolint:bodyclose // all are closed below
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, resp.Body)
	}
	for _, b := range bodies {
		_, _ = io.Copy(io.Discard, b)
		_ = b.Close()
	}
	bad := newRequest(t.Context(), "GET", "")
	bad.Body, bad.ContentLength = nil, 3
	if _, _, err := ask(rt, bad); err == nil {
		t.Error("got no error")
	}
	if got := p.open.Load(); got < 2 {
		t.Errorf("got %d connections left, want 2 of 3", got)
	}
}

func TestEarlyClose(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	p := newPeer(t, func(_ int, l *line) {
		if _, _, ok := l.request(); ok {
			l.say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nA")
			l.hungUp()
			close(gone)
		}
	})
	resp, err := p.transport().RoundTrip(newRequest(t.Context(), "GET", "")) //nolint:bodyclose // closed twice below
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	reading := make(chan struct{})
	go func() {
		close(reading)
		_, err := resp.Body.Read(make([]byte, 1))
		ended <- err
	}()
	<-reading
	for range 2 {
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-ended; err == nil {
		t.Error("Read while Close: got no error")
	}
	if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, errClosed) {
		t.Errorf("Read after Close: got %v", err)
	}
	<-gone
}

// Close and Read may run at the same time, at any moment, over gzip too.
func TestCloseWhileReading(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(_ int, l *line) {
		for {
			if _, _, ok := l.request(); !ok {
				return
			}
			l.say("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" +
				"a\r\n" + gzipped[:10] + "\r\nf\r\n" + gzipped[10:] + "\r\n0\r\n\r\n")
		}
	})
	rt := p.transport(func(t *Transport) { t.Compress = true })
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := rt.RoundTrip(newRequest(ctx, "GET", "")) //nolint:bodyclose // closed below, while it is read
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, resp.Body)
			close(done)
		}()
		cancel()
		_ = resp.Body.Close()
		<-done
	}
}
