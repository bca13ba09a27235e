//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/client"
)

// toolServer is an MCP server without sessions. Each tool answers in one of the ways that servers do.
type toolServer struct {
	*httptest.Server

	runs atomic.Int64
	last atomic.Pointer[seen]
	hold chan struct{} // what the tool wait waits for
}

func newToolServer(t *testing.T) *toolServer {
	t.Helper()
	s := &toolServer{hold: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *toolServer) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.last.Store(&seen{method: r.Method, uri: r.RequestURI, body: string(body), header: r.Header.Clone()})
	if r.Method != http.MethodPost {
		_, _ = w.Write([]byte("no message"))
		return
	}
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name      string
			Arguments struct{ Text string }
		}
	}
	if err := json.Unmarshal(body, &m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	result := func(members string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, members) }
	answer := func(members string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, result(members))
	}
	if m.Method != "tools/call" {
		answer(`"result":{}`)
		return
	}
	s.runs.Add(1)
	text := `"result":{"content":[{"type":"text","text":"` + m.Params.Arguments.Text + `"}]}`
	failed := `"result":{"content":[{"type":"text","text":"it did not work"}],"isError":true}`
	stream := func(events ...string) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range events {
			_, _ = io.WriteString(w, event)
			_ = http.NewResponseController(w).Flush()
		}
	}
	switch m.Params.Name {
	case "echo":
		answer(text)
	case "stream":
		stream("id: 1\r\ndata:\r\n\r\n", ": ping\n\n",
			"id: 2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":1}}\n\n",
			"id: 3\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":\"a log\"}}\n\n",
			"event: message\nid: 4\ndata: "+result(text)+"\n\n")
	case "wait":
		stream("data: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"sampling/createMessage\"}\n\n")
		select {
		case <-s.hold:
		case <-r.Context().Done():
		}
		stream("data: " + result(text) + "\n\n")
	case "fail":
		answer(failed)
	case "fail_stream":
		stream("id: 1\ndata:\n\n", "data: "+result(failed)+"\n\n")
	case "error":
		answer(`"error":{"code":-32602,"message":"no such tool"}`)
	case "more":
		answer(`"result":{"resultType":"input_required","inputRequests":{}}`)
	case "gone":
		http.Error(w, "no session", http.StatusNotFound)
	case "cut":
		stream("id: 1\ndata:\n\n")
	case "large":
		answer(`"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 3<<20) + `"}]}`)
	case "die":
		stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n")
		panic(http.ErrAbortHandler)
	case "die_silent":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "{")
		panic(http.ErrAbortHandler)
	}
}

// toolSite sells a tool server by key and by payment.
func toolSite(s *toolServer) string {
	return strings.ReplaceAll(`handle /.well-known/x402 {
		x402_discovery
	}
	handle /mcp {
		api_key {
			optional
		}
		meter {
			price mcp {
				tool echo 2
				tool listed free
				tool dear 5000
				tool computed "2 * int(body.params.arguments.n)"
				tool * 10
			}
			optional
		}
		x402 {
			price mcp {
				tool echo 0.002
				tool listed free
				tool * 0.01
			}
		}
		reverse_proxy TOOLS
	}
	handle /few {
		api_key
		meter {
			price mcp {
				tool echo 2
			}
		}
		reverse_proxy TOOLS
	}`, "TOOLS", s.Listener.Addr().String())
}

func call(tool, text string) string { return callAs("1", tool, text) }

func callAs(id, tool, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":{"text":%q}}}`, id, tool, text)
}

// toolAnswer is a response of a tool, from JSON or an event stream.
type toolAnswer struct {
	ID     json.RawMessage
	Result *struct {
		ResultType        string
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
		Meta              map[string]json.RawMessage `json:"_meta"`
	}
	Error *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

func (a answer) tool(t *testing.T) toolAnswer {
	t.Helper()
	text := a.body
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
		for line := range strings.Lines(a.body) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				text = data // the last
			}
		}
	}
	var got toolAnswer
	if err := json.Unmarshal([]byte(text), &got); a.status != 200 || err != nil {
		t.Fatalf("got status %d, %v: %s", a.status, err, a.body)
	}
	return got
}

// payFor answers a challenge with a payment in the message.
func payFor(t *testing.T, e *edge, message string, challenge toolAnswer) string {
	t.Helper()
	return withPayment(message, signFor(t, newBuyer(t, e, 2), challenge))
}

func signFor(t *testing.T, buyer *client.Buyer, challenge toolAnswer) string {
	t.Helper()
	h := http.Header{}
	h.Set(x402.HeaderRequired, base64.StdEncoding.EncodeToString(challenge.Result.StructuredContent))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := buyer.Sign(&http.Response{Header: h, Request: req})
	if err != nil {
		t.Fatal(err)
	}
	payment, err := base64.StdEncoding.DecodeString(signed.HeaderValue)
	if err != nil {
		t.Fatal(err)
	}
	return string(payment)
}

func withPayment(message, payment string) string {
	return strings.Replace(message, `"params":{`, `"params":{"_meta":{"progressToken":5,"x402/payment":`+payment+`},`, 1)
}

func TestMCPByKey(t *testing.T) {
	tools := newToolServer(t)
	e := newEdge(t, toolSite(tools))
	for _, tt := range []struct {
		name, body string
		captured   int64
		used       string // "" where a stream has begun before the outcome is known
		isError    bool
	}{
		{"json", call("echo", "hi"), 2, "2", false},
		{"stream", call("stream", "hi"), 10, "", false},
		{"computed", strings.Replace(call("computed", ""), `{"text":""}`, `{"n":3}`, 1), 6, "6", false},
		{"tool error", call("fail", ""), 0, "0", true},
		{"tool error in a stream", call("fail_stream", ""), 0, "", true},
		{"more input needed", call("more", ""), 0, "0", false},
		{"large", call("large", ""), 10, "10", false},
		{"a stream that goes on elsewhere", call("cut", ""), 10, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := e.do("POST", "/mcp", tt.body, bearerHeader...)
			if got := int64(e.ended()); got != tt.captured {
				t.Errorf("got %d captured, want %d", got, tt.captured)
			}
			if used := a.header.Get("X-Credits-Used"); used != tt.used {
				t.Errorf("got X-Credits-Used %q, want %q", used, tt.used)
			}
			if a.header.Get(edgewire.CostHeader) != "" {
				t.Error("the client sees the cost header")
			}
			if tools.last.Load().body != tt.body {
				t.Errorf("the server got %s", tools.last.Load().body)
			}
			if !strings.Contains(tt.body, `"cut"`) && !strings.Contains(tt.body, `"computed"`) {
				if got := a.tool(t); got.Result == nil || got.Result.IsError != tt.isError {
					t.Errorf("got %s", a.body)
				}
			}
		})
	}
	for _, tt := range []struct{ tool string }{{"error"}, {"gone"}, {"die"}, {"die_silent"}} {
		if _, err := e.try(t.Context(), "POST", "/mcp", call(tt.tool, ""), bearerHeader...); err != nil && tt.tool != "die" && tt.tool != "die_silent" {
			t.Error(err)
		}
		if got := e.ended(); got != 0 {
			t.Errorf("%s: got %d captured, want 0", tt.tool, got)
		}
	}
	e.wantBalance(1000 - 2 - 10 - 6 - 10 - 10)
}

// An event reaches a client that pays by key at once: the server may need its response.
func TestMCPStreamsLive(t *testing.T) {
	tools := newToolServer(t)
	e := newEdge(t, toolSite(tools))
	byPayment := func() *http.Request {
		challenge := e.do("POST", "/mcp", call("wait", "hi")).tool(t)
		return e.request("POST", "/mcp", payFor(t, e, call("wait", "hi"), challenge))
	}
	byKey := e.request("POST", "/mcp", call("wait", "hi"))
	byKey.Header.Set("Authorization", "Bearer "+testKey)
	for _, req := range []*http.Request{byKey, byPayment()} {
		res, err := e.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(res.Body)
		for line := ""; !strings.Contains(line, "sampling/createMessage"); {
			if line, err = lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		tools.hold <- struct{}{}
		rest, err := io.ReadAll(lines)
		_ = res.Body.Close()
		if err != nil || !strings.Contains(string(rest), `"text":"hi"`) {
			t.Errorf("got %v, %s", err, rest)
		}
		if paid := strings.Contains(string(rest), "x402/payment-response"); paid != (req != byKey) {
			t.Errorf("receipt: got %t in %s", paid, rest)
		}
	}
	if got := e.ended(); got != 10 {
		t.Errorf("got %d captured, want 10", got)
	}
}

func TestMCPFree(t *testing.T) {
	tools := newToolServer(t)
	e := newEdge(t, toolSite(tools))
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"next"}}`,
		`{"jsonrpc":"2.0","id":"a","method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":3,"result":{"role":"assistant"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"a:b"}}`,
		call("listed", ""),
	} {
		for _, header := range [][]string{nil, bearerHeader} {
			if a := e.do("POST", "/mcp", body, header...); a.status != 200 && a.status != 202 {
				t.Errorf("%s: got %d %s", body, a.status, a.body)
			}
			if tools.last.Load().body != body {
				t.Errorf("%s: the server got %s", body, tools.last.Load().body)
			}
		}
	}
	for _, method := range []string{"GET", "DELETE"} {
		if a := e.do(method, "/mcp", ""); a.body != "no message" {
			t.Errorf("%s: got %+v", method, a)
		}
	}
	e.wantBalance(1000)
}

func TestMCPRefusals(t *testing.T) {
	tools := newToolServer(t)
	e := newEdge(t, toolSite(tools))
	for _, tt := range []struct {
		name, uri, body string
		header          []string
		status, code    int
		says            string
	}{
		{"a batch", "/mcp", "[" + call("echo", "") + "," + call("echo", "") + "]", nil, 400, -32600, "batch"},
		{"another tool in the header", "/mcp", call("echo", ""), []string{"Mcp-Name", "listed"}, 400, -32020, "Mcp-Name"},
		{"another method in the header", "/mcp", call("echo", ""), []string{"Mcp-Method", "ping"}, 400, -32020, "Mcp-Method"},
		{"a key in another case", "/mcp", strings.Replace(call("echo", ""), "method", "Method", 1), nil, 400, -32600, "Method"},
		{"a tool without a name", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, nil, 200, -32602, "params.name"},
		{"a call without an id", "/mcp", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}`, nil, 400, -32600, "has no id"},
		{"a tool without a price", "/few", call("stream", ""), bearerHeader, 200, -32602, "stream"},
	} {
		a := e.do("POST", tt.uri, tt.body, tt.header...)
		var got toolAnswer
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != tt.status || got.Error == nil || got.Error.Code != tt.code ||
			!strings.Contains(got.Error.Message, tt.says) {
			t.Errorf("%s: got %d %s", tt.name, a.status, a.body)
		}
	}
	e.do("POST", "/mcp", `{"jsonrpc":"2.0",`).wantError(t, 400, "invalid_json")
	a := e.do("POST", "/mcp", call("echo", ""), "Authorization", "Bearer tp_wrong")
	a.wantError(t, 401, "invalid_api_key")
	if challenge := a.header.Get("WWW-Authenticate"); challenge != "Bearer" { // resource_metadata would start a sign-in
		t.Errorf("got WWW-Authenticate %q", challenge)
	}
	poor := []string{"Authorization", "Bearer " + testPoorKey}
	got := e.do("POST", "/mcp", callAs(`"x"`, "dear", ""), poor...).tool(t)
	if string(got.ID) != `"x"` || got.Result == nil || !got.Result.IsError || got.Result.ResultType != "complete" ||
		!strings.Contains(got.Result.Content[0].Text, "5000 credits, but only 3") {
		t.Errorf("too few credits: got %+v", got)
	}
	if n := tools.runs.Load(); n != 0 {
		t.Errorf("got %d runs, want 0", n)
	}
	e.wantBalance(1000)
}

func TestMCPByPayment(t *testing.T) {
	tools := newToolServer(t)
	e := newEdge(t, toolSite(tools))
	settled := accepting.settled.Load()
	for _, tt := range []struct {
		tool, text, amount string
		pays               bool
		streams            bool
	}{
		{"echo", "hi", "2000", true, false},
		{"stream", "hi", "10000", true, true},
		{"large", "", "10000", true, false},
		{"fail", "", "10000", false, false},
		{"fail_stream", "", "10000", false, false},
		{"more", "", "10000", false, false},
		{"cut", "", "10000", false, false},
		{"die", "", "10000", false, true},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			runs := tools.runs.Load()
			a := e.do("POST", "/mcp", call(tt.tool, tt.text))
			challenge := a.tool(t)
			checkChallenge(t, a, challenge, tt.amount)
			if n := tools.runs.Load(); n != runs {
				t.Fatal("the tool ran without a payment")
			}
			a = e.do("POST", "/mcp", payFor(t, e, call(tt.tool, tt.text), challenge))
			got := a.tool(t)
			if string(got.ID) != "1" || got.Result == nil || got.Result.IsError == (tt.pays || tt.tool == "more") {
				t.Fatalf("got %s", a.body[:min(len(a.body), 2000)])
			}
			if receipt := got.Result.Meta["x402/payment-response"]; (receipt != nil) != tt.pays ||
				tt.pays && !strings.Contains(string(receipt), `"success":true,"transaction":"0xabab`) {
				t.Errorf("got receipt %s", receipt)
			}
			if streams := strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream"); streams != tt.streams {
				t.Errorf("got Content-Type %s", a.header.Get("Content-Type"))
			}
			if strings.Contains(a.body, "\nid:") || tt.pays && tt.streams && strings.Count(a.body, "data:") != 3 {
				t.Errorf("got %s", a.body)
			}
			if body := tools.last.Load().body; strings.Contains(body, "x402/payment") || !strings.Contains(body, `"_meta":{"progressToken":5}`) {
				t.Errorf("the server got %s", body)
			}
			if h := tools.last.Load().header; h.Get(x402.HeaderPaymentV2) != "" || h.Get(edgewire.IdentityHeader) == "" {
				t.Errorf("the server got %v", h)
			}
			if tt.pays {
				settled++
			}
			if n := accepting.settled.Load(); n != settled {
				t.Errorf("got %d settlements, want %d", n, settled)
			}
		})
	}
}

func checkChallenge(t *testing.T, a answer, got toolAnswer, amount string) {
	t.Helper()
	if got.Result == nil || !got.Result.IsError || string(got.ID) != "1" || len(got.Result.Content) == 0 ||
		got.Result.Content[0].Text != string(got.Result.StructuredContent) {
		t.Fatalf("got %s", a.body)
	}
	var required x402.ChallengeV2
	if err := json.Unmarshal(got.Result.StructuredContent, &required); err != nil || required.X402Version != 2 || len(required.Accepts) != 2 ||
		required.Accepts[0].Amount != amount || required.Resource.URL == "" {
		t.Errorf("got %v, %s", err, got.Result.StructuredContent)
	}
	if a.header.Get(x402.HeaderRequired) != "" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("got header %v", a.header)
	}
}

// Copies of a call run once, and each gets the result under its own id.
func TestMCPCopies(t *testing.T) {
	tools := newToolServer(t)
	e := newEdge(t, toolSite(tools))
	settled := accepting.settled.Load()
	payment := signFor(t, newBuyer(t, e, 2), e.do("POST", "/mcp", call("stream", "once")).tool(t))
	const copies = 50
	var wait sync.WaitGroup
	for i := range copies {
		wait.Go(func() {
			id := fmt.Sprint(i)
			a, err := e.try(t.Context(), "POST", "/mcp", withPayment(callAs(id, "stream", "once"), payment))
			if err != nil {
				t.Error(err)
				return
			}
			if got := a.tool(t); string(got.ID) != id || got.Result == nil || got.Result.IsError || got.Result.Content[0].Text != "once" {
				t.Errorf("copy %d: got %s", i, a.body)
			}
		})
	}
	wait.Wait()
	if runs, n := tools.runs.Load(), accepting.settled.Load()-settled; runs != 1 || n != 1 {
		t.Errorf("got %d runs and %d settlements, want one of each", runs, n)
	}
	for _, other := range []string{call("stream", "twice"), strings.Replace(call("stream", "once"), "stream", "wait", 1)} {
		got := e.do("POST", "/mcp", withPayment(other, payment)).tool(t)
		if !got.Result.IsError || !strings.Contains(got.Result.Content[0].Text, "payment_already_used") || got.Result.StructuredContent != nil {
			t.Errorf("the payment for another call: got %+v", got.Result)
		}
	}
	if runs := tools.runs.Load(); runs != 1 {
		t.Errorf("got %d runs, want 1", runs)
	}
}

// A settlement that fails withholds what the tool has said, and asks again.
func TestMCPUnsettled(t *testing.T) {
	tools := newToolServer(t)
	e := newEdge(t, toolSite(tools))
	accepting.refuses.Store(true)
	t.Cleanup(func() { accepting.refuses.Store(false) })
	for _, tool := range []string{"echo", "stream"} {
		challenge := e.do("POST", "/mcp", call(tool, "a secret")).tool(t)
		a := e.do("POST", "/mcp", payFor(t, e, call(tool, "a secret"), challenge))
		got := a.tool(t)
		var required x402.ChallengeV2
		if err := json.Unmarshal(got.Result.StructuredContent, &required); err != nil || !got.Result.IsError ||
			required.Error != x402.CodeInsufficientFunds || len(required.Accepts) == 0 {
			t.Errorf("%s: got %v, %s", tool, err, a.body)
		}
		if receipt := string(got.Result.Meta["x402/payment-response"]); !strings.Contains(receipt, `"success":false`) {
			t.Errorf("%s: got receipt %s", tool, receipt)
		}
		if strings.Contains(a.body, `"text":"a secret"`) || strings.Contains(a.body, "a log") {
			t.Errorf("%s: the client got %s", tool, a.body)
		}
	}
	if runs := tools.runs.Load(); runs != 2 {
		t.Errorf("got %d runs, want 2", runs)
	}
}

// What is not a payment is refused in a result.
func TestMCPOddPayments(t *testing.T) {
	tools := newToolServer(t)
	e := newEdge(t, toolSite(tools))
	for _, payment := range []string{`{}`, `"text"`, `7`, `{"x402Version":3}`} {
		got := e.do("POST", "/mcp", withPayment(call("echo", ""), payment)).tool(t)
		if !got.Result.IsError || got.Result.StructuredContent == nil || len(got.Result.Content) != 2 {
			t.Errorf("%s: got %+v", payment, got.Result)
		}
	}
	if got := e.do("POST", "/mcp", withPayment(call("echo", ""), `null`)).tool(t); !strings.Contains(string(got.Result.StructuredContent), "payment_required") {
		t.Errorf("null: got %+v", got.Result)
	}
	// With a key, a payment in the message is dropped.
	if a := e.do("POST", "/mcp", withPayment(call("echo", ""), `{}`), bearerHeader...); a.tool(t).Result.IsError || e.ended() != 2 {
		t.Errorf("with a key: got %s", a.body)
	}
	if body := tools.last.Load().body; strings.Contains(body, "x402") {
		t.Errorf("the server got %s", body)
	}
	if got := e.do("POST", "/mcp", payFor(t, e, call("gone", ""), e.do("POST", "/mcp", call("gone", "")).tool(t))); got.status != 404 {
		t.Errorf("a lost session: got %+v", got)
	}
}

// Each tool is listed with its price.
func TestMCPDiscovery(t *testing.T) {
	tools := newToolServer(t)
	e := newEdge(t, toolSite(tools))
	var doc struct {
		Resources []string
		Items     []struct {
			Resource, Type string
			Metadata       struct {
				Tool, Operation string
				Methods         []string
				Price           struct{ Amount string }
			}
			Extensions map[string]any
		}
	}
	a := e.do("GET", "/.well-known/x402", "")
	if err := json.Unmarshal([]byte(a.body), &doc); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, item := range doc.Items {
		got[item.Metadata.Tool] = item.Metadata.Price.Amount
		if item.Type != "mcp" || !strings.HasSuffix(item.Resource, "/mcp") || len(item.Metadata.Methods) != 1 || item.Extensions != nil {
			t.Errorf("got %+v", item)
		}
	}
	if want := map[string]string{"echo": "0.002", "*": "0.01"}; !maps.Equal(got, want) || len(doc.Resources) != 1 {
		t.Errorf("got %v, resources %v, want %v", got, doc.Resources, want)
	}
}
