package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// nodeLine is a proxy in front of a node that injects faults.
type nodeLine struct {
	url    string // the node's
	server *httptest.Server

	mu    sync.Mutex
	fault func(x *exchange)
}

// exchange is one request to the node: a call or a batch of calls.
type exchange struct {
	line *nodeLine
	w    http.ResponseWriter
	r    *http.Request
	body []byte
	// calls are the calls of the request, in order.
	calls []rpcCall
	batch bool
}

type rpcCall struct {
	Version string            `json:"jsonrpc"`
	ID      json.RawMessage   `json:"id"`
	Method  string            `json:"method"`
	Params  []json.RawMessage `json:"params"`
}

// rpcReply is a node's response to one call.
type rpcReply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func newNodeLine(t *testing.T, url string) *nodeLine {
	t.Helper()
	l := &nodeLine{url: url}
	l.server = httptest.NewServer(l)
	t.Cleanup(func() {
		l.server.CloseClientConnections() // ends requests that hang
		l.server.Close()
	})
	return l
}

// breaks injects a fault into all requests from now on; nil removes it.
func (l *nodeLine) breaks(fault func(x *exchange)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault = fault
}

// add puts a fault before the current one. A request for which it returns true goes no further.
func (l *nodeLine) add(fault func(x *exchange) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.fault
	if before == nil {
		before = (*exchange).pass
	}
	l.fault = func(x *exchange) {
		if !fault(x) {
			before(x)
		}
	}
}

func (l *nodeLine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	x := &exchange{line: l, w: w, r: r, body: body}
	if x.batch = json.Unmarshal(body, &x.calls) == nil; !x.batch {
		x.calls = make([]rpcCall, 1)
		if err := json.Unmarshal(body, &x.calls[0]); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	l.mu.Lock()
	fault := l.fault
	l.mu.Unlock()
	if fault == nil {
		fault = (*exchange).pass
	}
	fault(x)
}

// has reports whether the request calls one of the methods.
func (x *exchange) has(methods ...string) bool {
	return slices.ContainsFunc(x.calls, func(c rpcCall) bool { return slices.Contains(methods, c.Method) })
}

// forward sends the request to the node, and returns the response without passing it on.
func (x *exchange) forward() []byte {
	// A node completes a request even if the client disconnects.
	req, err := http.NewRequestWithContext(context.WithoutCancel(x.r.Context()), http.MethodPost, x.line.url, bytes.NewReader(x.body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return answer
}

// encode rebuilds the body from the calls, after a fault changed them.
func (x *exchange) encode() {
	var body any = x.calls
	if !x.batch {
		body = x.calls[0]
	}
	x.body, _ = json.Marshal(body) // it was JSON before
}

// pass forwards the request and the response.
func (x *exchange) pass() { x.answer(x.forward()) }

func (x *exchange) answer(body []byte) {
	x.w.Header().Set("Content-Type", "application/json")
	_, _ = x.w.Write(body)
}

// change forwards the request, and lets alter modify each response.
func (x *exchange) change(alter func(c *rpcCall, reply *rpcReply)) {
	answer := x.forward()
	replies := make([]rpcReply, 1)
	var err error
	if x.batch {
		err = json.Unmarshal(answer, &replies)
	} else {
		err = json.Unmarshal(answer, &replies[0])
	}
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	for i := range replies {
		for j := range x.calls {
			if bytes.Equal(x.calls[j].ID, replies[i].ID) {
				alter(&x.calls[j], &replies[i])
			}
		}
		if replies[i].Error == nil && replies[i].Result == nil {
			replies[i].Result = json.RawMessage("null")
		}
	}
	var out any = replies
	if !x.batch {
		out = replies[0]
	}
	answer, _ = json.Marshal(out) // it was JSON before
	x.answer(answer)
}

// Faults for onCall that apply to the whole request.

func (x *exchange) drop() { panic(http.ErrAbortHandler) }

func (x *exchange) dropAfter() {
	x.forward()
	x.drop()
}

func (x *exchange) hang() { <-x.r.Context().Done() }

func (x *exchange) hangAfter() {
	x.forward()
	x.hang()
}

func (x *exchange) fail() { http.Error(x.w, "out of order", http.StatusInternalServerError) }

// onCall applies a fault to requests that call one of the methods.
func onCall(do func(x *exchange), methods ...string) func(x *exchange) {
	return func(x *exchange) {
		if x.has(methods...) {
			do(x)
			return
		}
		x.pass()
	}
}

// fromCall applies a fault to every request from the first such call on.
func fromCall(do func(x *exchange), methods ...string) func(x *exchange) {
	begun := newSignal()
	return func(x *exchange) {
		if x.has(methods...) {
			begun.give()
		}
		if begun.given() {
			do(x)
			return
		}
		x.pass()
	}
}

// nodeReplies changes the responses to one method.
func nodeReplies(method string, alter func(reply *rpcReply)) func(x *exchange) {
	return onCall(func(x *exchange) {
		x.change(func(c *rpcCall, reply *rpcReply) {
			if c.Method == method {
				alter(reply)
			}
		})
	}, method)
}

// nodeResult replaces a response by a result.
func nodeResult(result string) func(reply *rpcReply) {
	return func(reply *rpcReply) { reply.Result, reply.Error = json.RawMessage(result), nil }
}

// nodeError replaces a response by an error.
func nodeError(code int, message string) func(reply *rpcReply) {
	return func(reply *rpcReply) { reply.Result, reply.Error = nil, &rpcError{code, message} }
}

// signal can be given any number of times by any goroutine, and stays given.
type signal struct {
	once sync.Once
	c    chan struct{}
}

func newSignal() *signal { return &signal{c: make(chan struct{})} }

func (s *signal) give() { s.once.Do(func() { close(s.c) }) }

func (s *signal) given() bool {
	select {
	case <-s.c:
		return true
	default:
		return false
	}
}
