package transport

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
)

const fuzzHeaderMax = 3000

// answers are upstream responses, good and bad, that net/http's transport and ours must handle alike.
var answers = []string{
	"", "\r\n", "H", "HTTP/1.1", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\n", "hello\r\n\r\n", "HTTP/1.1 200\r\n\r\nall of it",
	answerA, answerA + answerB, answerA + "more",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nA",
	"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nA",
	"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nAB",
	"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nA",
	"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nA",
	"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nA\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nA\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: T, U\r\n\r\n1;x=y\r\nA\r\n0\r\nT: 1\r\nV: 2\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Content-Length\r\n\r\n0\r\nContent-Length: 1\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nA\r\n0\r\nT: 1",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nAB\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\nA",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nA\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 204 No Content\r\nContent-Length: 1\r\n\r\nA", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
	"HTTP/1.0 200 OK\r\n\r\nall of it", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nA\r\n0\r\n\r\n",
	"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nA", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/0.9 200 OK\r\n\r\nx",
	"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nA", "HTTP/1.1 200 OK\r\nConnection: close, x\r\nContent-Length: 1\r\n\r\nA",
	"HTTP/1.1 100 Continue\r\n\r\n" + answerA, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + answerA, "HTTP/1.1 100 Continue\r\n\r\n",
	"HTTP/1.1 100 Continue\r\nContent-Length: 3\r\n\r\n" + answerA, strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 200) + answerA,
	"HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 099 Low\r\n\r\n", "HTTP/1.1 999 High\r\nContent-Length: 1\r\n\r\nA", "HTTP/1.1 20 OK\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX : y\r\n\r\n", "HTTP/1.1 200 OK\r\n X: y\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX: \x00\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\nContent-Length: 1\n\nA", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", fuzzHeaderMax) + "\r\n\r\n", "HTTP/1.1 200 OK\r\nPragma: no-cache\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", fuzzHeaderMax-60) + "\r\nContent-Length: 1\r\n\r\nA" + strings.Repeat("x", 2000),
	"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 25\r\n\r\n" + gzipped,
	"HTTP/1.1 200 OK\r\nContent-Encoding: GZIP\r\n\r\n" + gzipped + gzipped, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzipped + "more",
	"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzipped[:20], "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nplain", "HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\n\r\n",
}

// verdict is all that a client and an upstream see of a round trip.
type verdict struct {
	Fails, BodyFails    bool
	Status, Proto, Body string
	Code                int
	Length              int64
	Header, Trailer     http.Header
	Encoding            []string
	Close, Uncompressed bool
	Informational       []int
	Seen                string // by the upstream
}

func judge(rt http.RoundTripper, req *http.Request) (v verdict) {
	ctx := traced(req.Context(), func(code int) error { v.Informational = append(v.Informational, code); return nil })
	resp, err := rt.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return verdict{Fails: true, Informational: v.Informational}
	}
	b, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	v.BodyFails, v.Body = err != nil, string(b)
	v.Status, v.Code, v.Proto, v.Length, v.Header, v.Trailer = resp.Status, resp.StatusCode, resp.Proto, resp.ContentLength, resp.Header, resp.Trailer
	v.Encoding, v.Close, v.Uncompressed = resp.TransferEncoding, resp.Close, resp.Uncompressed
	return v
}

// script is an upstream that gives every request the same response.
type script struct {
	*peer

	seen chan string
}

func newScript(t *testing.T, answer string) *script {
	t.Helper()
	s := &script{seen: make(chan string, 1)}
	s.peer = newPeer(t, func(_ int, l *line) {
		req, body, ok := l.request()
		if !ok {
			s.seen <- "nothing"
			return
		}
		s.seen <- fmt.Sprint(req.Method, req.RequestURI, req.Host, req.Header, req.ContentLength, req.TransferEncoding, body)
		l.say(answer)
	})
	return s
}

// judge makes the request, and adds what the upstream saw of it.
func (s *script) judge(rt http.RoundTripper, req *http.Request) verdict {
	v := judge(rt, req)
	if !v.Fails {
		v.Seen = <-s.seen
	}
	return v
}

// foreign is net/http's transport to the script.
func (s *script) foreign() *http.Transport {
	rt := &http.Transport{DialContext: s.dial, MaxResponseHeaderBytes: fuzzHeaderMax}
	s.t.Cleanup(rt.CloseIdleConnections)
	return rt
}

// shape makes a request from the fuzzer's input, or nil if the address is not the upstream's.
func shape(t *testing.T, method, uri, name, value, body string, lacks int8) *http.Request {
	t.Helper()
	req := newRequest(t.Context(), "GET", "")
	u, err := req.URL.Parse(uri)
	if err != nil || u.Host != req.URL.Host || u.Scheme != "http" {
		return nil
	}
	req.URL, req.Method = u, method
	req.Header[name] = []string{value}
	if body != "" {
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))+int64(lacks)
	}
	return req
}

// FuzzAlike shows that net/http's transport and ours give the same result for every request and response, except for
// what Transport's description excludes.
func FuzzAlike(f *testing.F) {
	for i, answer := range answers {
		f.Add("GET", "/a?b=c", "Accept", "*/*", "", int8(0), answer)
		f.Add([]string{"HEAD", "POST", "PUT", "DELETE"}[i%4], "/", "Accept-Encoding", []string{"identity", ""}[i%2], []string{"", "body"}[i/4%2], int8(0), answer)
	}
	f.Add("GET X", "/", "A", "b", "", int8(0), answerA)
	f.Add("POST", "/", "A", "b", "body", int8(1), answerA)
	f.Add("POST", "/", "A", "b", "body", int8(-1), answerA)
	f.Add("POST", "/", "A\r\n", "b", "body", int8(-4), answerA)
	f.Add("GET", "/", "A", "b\r\nc", "", int8(0), answerA)
	f.Add("PATCH", "/%7f", "Range", "bytes=0-", strings.Repeat("x", bodyMax+1), int8(0), answerA)
	f.Add("GET", "/.//a/../b%2f#c", "User-Agent", "", "", int8(0), answerA)
	f.Add("get", "?", "User-Agent", " a ", "", int8(0), answerA)
	f.Add("CONNECT", "/", "Connection", "close", "", int8(0), answerA)
	f.Add("GET", "/", "Expect", "100-continue", "body", int8(0), "HTTP/1.1 100 Continue\r\n\r\n"+answerA)
	f.Add("POST", "/", "Content-Length", "77", "body", int8(0), answerA)
	f.Add("POST", "/", "Transfer-Encoding", "chunked", "body", int8(0), answerA)
	f.Add("POST", "/", "Host", "x", "", int8(0), answerA)
	log.SetOutput(io.Discard) // net/http logs unsolicited responses
	f.Cleanup(func() { log.SetOutput(os.Stderr) })
	f.Fuzz(func(t *testing.T, method, uri, name, value, body string, lacks int8, answer string) {
		foreign, req := shape(t, method, uri, name, value, body, lacks), shape(t, method, uri, name, value, body, lacks)
		if len(answer) > 32<<10 || req == nil {
			return
		}
		theirs, ours := newScript(t, answer), newScript(t, answer)
		theirs.isForeign = true
		want := theirs.judge(theirs.foreign(), foreign)
		ours.isForeign = !takes(req)
		got := ours.judge(ours.transport(func(t *Transport) {
			t.Other, t.Compress, t.HeaderBytesMax = ours.foreign(), true, fuzzHeaderMax
		}), req)
		if !ours.isForeign && !want.Fails && (want.Code < 100 || want.Code == http.StatusSwitchingProtocols) {
			want = verdict{Fails: true, Informational: want.Informational}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got\n%+v\nwant\n%+v", got, want)
		}
	})
}

// FuzzNothingLeaks shows that bytes after a response never become part of the next response, whatever an upstream sends.
func FuzzNothingLeaks(f *testing.F) {
	for i, answer := range answers {
		f.Add(answer, i%3 == 0)
		f.Add(answer+answerA, i%3 == 1)
	}
	f.Fuzz(func(t *testing.T, answer string, isHead bool) {
		method := http.MethodGet
		if isHead {
			method = http.MethodHead
		}
		if len(answer) > 16<<10 || !isComplete(answer, method) {
			return
		}
		const next = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nX-Next: yes\r\n\r\nthe next"
		p := newPeer(t, func(n int, l *line) {
			if n == 1 {
				answering(answer)(n, l)
			}
			for {
				if _, _, ok := l.request(); !ok {
					return
				}
				l.say(next)
			}
		})
		rt := p.transport(func(t *Transport) { t.Compress, t.HeaderBytesMax = true, fuzzHeaderMax })
		_, _, _ = ask(rt, newRequest(t.Context(), method, ""))
		for range 2 {
			resp, err := rt.RoundTrip(newRequest(t.Context(), http.MethodPost, "x"))
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil || string(b) != "the next" || resp.Header.Get("X-Next") != "yes" || len(resp.Header) != 2 {
				t.Fatalf("got %v %q, error %v", resp.Header, b, err)
			}
		}
	})
}

// isComplete reports whether answer begins with a response that ends before the connection does, so that the end can be awaited.
func isComplete(answer, method string) bool {
	r := bufio.NewReader(bytes.NewReader([]byte(answer)))
	for {
		resp, err := http.ReadResponse(r, &http.Request{Method: method}) //nolint:bodyclose // it holds nothing
		if err != nil {
			return false
		}
		if resp.StatusCode >= 100 && resp.StatusCode < 200 && resp.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		if resp.Close && resp.ContentLength < 0 && len(resp.TransferEncoding) == 0 {
			return false
		}
		_, err = io.Copy(io.Discard, resp.Body)
		return err == nil
	}
}
