package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

const paymentRequired = `{"x402Version":2,"accepts":[{"scheme":"exact","network":"eip155:84532","amount":"10000",` +
	`"asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60}]}`

// mcpServer is a server whose tool costs 0.01 USDC without a key. It answers in both forms of Streamable HTTP.
type mcpServer struct {
	mu       sync.Mutex
	requests []*http.Request
	payments map[string]int // uses of each payment
	breaks   int            // how many paid requests lose their response
	held     chan struct{}  // of the tool "slow": closed when its request has ended
}

func (s *mcpServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var m message
	if json.Unmarshal(body, &m) != nil || r.URL.Path != "/mcp" {
		http.Error(w, "not a message", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	result := func(text string) { fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, text) }
	payment := m.Params.Meta["x402/payment"]
	w.Header().Set("Content-Type", "application/json")
	switch {
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", "session-1")
		result(`{"protocolVersion":"2025-11-25"}`)
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "tools/list":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\ndata: \"result\":{\"tools\":[]}}\n\n", m.ID)
	case m.Params.Name == "slow":
		<-r.Context().Done()
		close(s.held)
	case r.Header.Get("Authorization") == "" && payment == nil:
		text, _ := json.Marshal(paymentRequired)
		result(`{"isError":true,"content":[{"type":"text","text":` + string(text) + `}]}`)
	case payment != nil:
		s.mu.Lock()
		s.payments[string(payment)]++
		breaks := s.breaks > 0
		s.breaks--
		s.mu.Unlock()
		if breaks {
			panic(http.ErrAbortHandler)
		}
		result(`{"content":[{"type":"text","text":"paid"}],"_meta":{"x402/payment-response":{"success":true},"token":` + orElse(string(m.Params.Meta["token"]), "null") + `}}`)
	default:
		result(`{"content":[{"type":"text","text":"by key"}]}`)
	}
}

// mcpClient is a bridge with its two ends.
type mcpClient struct {
	to    io.WriteCloser
	lines chan string
	ended chan error
}

func bridgeTo(t *testing.T, s *mcpServer, args ...string) *mcpClient {
	t.Helper()
	s.payments, s.held = map[string]int{}, make(chan struct{})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	in, to := io.Pipe()
	from, out := io.Pipe()
	c := &mcpClient{to: to, lines: make(chan string, 100), ended: make(chan error, 1)}
	cmd := command()
	cmd.SetArgs(append([]string{"mcp", "--url", server.URL}, args...))
	cmd.SetIn(in)
	cmd.SetOut(out)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	go func() {
		c.ended <- cmd.ExecuteContext(ctx)
		out.Close()
	}()
	go func() {
		decoder := json.NewDecoder(from)
		for {
			var line json.RawMessage
			if decoder.Decode(&line) != nil {
				close(c.lines)
				return
			}
			c.lines <- string(line)
		}
	}()
	return c
}

func (c *mcpClient) say(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(c.to, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (c *mcpClient) want(t *testing.T, parts ...string) {
	t.Helper()
	line := <-c.lines
	for _, part := range parts {
		if !strings.Contains(line, part) {
			t.Errorf("got %s, want %s", line, part)
		}
	}
}

func TestMCPForwards(t *testing.T) {
	t.Parallel()
	s := &mcpServer{}
	c := bridgeTo(t, s, "--key", "tp_x")
	c.say(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)
	c.want(t, `"id":1`, "2025-11-25")
	c.say(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.say(t, `{"jsonrpc":"2.0","id":"two","method":"tools/list"}`)
	c.want(t, "notifications/progress")
	c.want(t, `"id":"two"`, `"tools":[]`)
	c.say(t, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"scrape","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	c.want(t, `"id":3`, "by key")
	c.say(t, `[{"jsonrpc":"2.0","id":4,"method":"ping"}]`)
	c.want(t, "-32700", "batches")
	c.say(t, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"slow"}}`)
	for called := false; !called; { // until the server has it
		s.mu.Lock()
		called = s.requests[len(s.requests)-1].Header.Get("Mcp-Name") == "slow"
		s.mu.Unlock()
	}
	c.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	<-s.held
	c.to.Close()
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
	if line, more := <-c.lines; more {
		t.Errorf("got %s, want no response to a canceled request", line)
	}
	list, call := s.requests[2].Header, s.requests[3].Header
	if list.Get("Mcp-Session-Id") != "session-1" || list.Get("Mcp-Protocol-Version") != "2025-11-25" || list.Get("Authorization") != "Bearer tp_x" {
		t.Errorf("got %v", list)
	}
	if call.Get("Mcp-Protocol-Version") != "2026-07-28" || call.Get("Mcp-Method") != "tools/call" || call.Get("Mcp-Name") != "scrape" {
		t.Errorf("got %v", call)
	}
}

func TestMCPPays(t *testing.T) {
	t.Setenv("TURNPIKE_WALLET_KEY", strings.Repeat("01", 32))
	t.Setenv("TURNPIKE_KEY", "")
	s := &mcpServer{breaks: 1}
	c := bridgeTo(t, s, "--max-cost", "0.03")
	c.say(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"scrape","arguments":{"url":"x"},"_meta":{"token":7}}}`)
	c.want(t, `"id":1`, "paid", `"token":7`)
	const calls = 50
	for n := range calls {
		c.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"scrape"}}`, n+2))
	}
	paid, refused := 1, 0
	for range calls {
		switch line := <-c.lines; {
		case strings.Contains(line, `"text":"paid"`):
			paid++
		case strings.Contains(line, "spending cap") && strings.Contains(line, `"isError":true`):
			refused++
		default:
			t.Errorf("got %s", line)
		}
	}
	c.to.Close()
	if paid != 3 || refused != calls-2 || len(s.payments) != 3 {
		t.Errorf("got %d paid, %d refused by %d payments, want 3, %d, 3", paid, refused, len(s.payments), calls-2)
	}
}

func TestMCPSaysThatTheServerIsAway(t *testing.T) {
	t.Parallel()
	c := bridgeTo(t, &mcpServer{}, "--key", "tp_x", "--url", "http://127.0.0.1:1")
	c.say(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	c.want(t, `"id":1`, "-32603", "127.0.0.1:1")
	c.to.Close()
}
