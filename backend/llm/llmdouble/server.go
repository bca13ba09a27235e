package llmdouble

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/llm"
)

// Key is the API key that the server requires.
const Key = "sk-double-0123456789abcdef"

// Providers are the supported APIs.
var Providers = []llm.Provider{llm.OpenAI, llm.Anthropic}

// Script decides the model's turn at step n, counted from 0, for a request.
type Script func(n int, request Request) Turn

// Steps is a script of fixed turns; the last is repeated.
func Steps(turns ...Turn) Script {
	return func(n int, _ Request) Turn { return turns[min(n, len(turns)-1)] }
}

// Turn is one turn of the model.
type Turn struct {
	// Text is the reply's text. Thought is written before it and not part of the reply.
	Text, Thought string
	// Calls are the tools that it calls.
	Calls []Call
	// Stop is the stop reason, in the API's term; "" for the correct one.
	Stop string
	// Refuse makes the model refuse.
	Refuse bool
	// NoUsage omits the token count.
	NoUsage bool
	// Status, Header and Raw are a literal response; Raw without a Status has status 200.
	Status int
	Header map[string]string
	Raw    string
	// Hang never responds.
	Hang bool
	// CutAfter breaks the connection after so many pieces of a stream; 0: never.
	CutAfter int
	// Endless repeats this text, EndlessArguments this piece of a call's arguments, and EndlessNothing pieces without
	// content, until the client disconnects.
	Endless, EndlessArguments string
	EndlessNothing            bool
	// Drip writes the text and then, slowly and without end, pings.
	Drip bool
	// Plain responds to a request for a stream with a whole reply, like servers that cannot stream.
	Plain bool
}

// Call is a call of a tool. Arguments need not be JSON.
type Call struct{ Name, Arguments string }

// Request is a request to the model, independent of the API.
type Request struct {
	System   string
	Messages []llm.Message
	Tools    []string
	// Must: a tool must be used. Object: the reply must be a JSON object.
	Must, Object, Stream bool
	MaxTokens            int
}

// Last is the last message.
func (r Request) Last() llm.Message { return r.Messages[len(r.Messages)-1] }

// Server is the test double.
type Server struct {
	*httptest.Server

	t        testing.TB
	provider llm.Provider
	script   Script

	mu       sync.Mutex
	requests []Request
}

// New starts a server that stops with the test.
func New(t testing.TB, provider llm.Provider, script Script) *Server {
	t.Helper()
	s := &Server{t: t, provider: provider, script: script}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// Client returns a client of the server.
func (s *Server) Client(change ...func(*llm.Config)) llm.Client {
	s.t.Helper()
	c := llm.Config{Provider: s.provider, URL: s.URL, Key: Key, Model: "toy-1", Prices: llm.Prices{Input: 1_000_000, Output: 2_000_000}}
	if s.provider == llm.OpenAI {
		c.URL += "/v1"
	}
	for _, f := range change {
		f(&c)
	}
	client, err := llm.New(c)
	if err != nil {
		s.t.Fatal(err)
	}
	return client
}

// Requests are all valid requests so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	read := readOpenAI
	if s.provider == llm.Anthropic {
		read = readAnthropic
	}
	request, fault := read(r, body)
	if fault != "" {
		s.t.Errorf("a server would refuse the request: %s\n%.2000s", fault, body)
		http.Error(w, `{"error":{"type":"invalid_request_error","message":"refused"}}`, http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	turn := s.script(n, request)
	switch {
	case turn.Hang:
		<-r.Context().Done()
	case turn.Status != 0 || turn.Raw != "":
		raw(w, turn)
	default:
		s.play(w, r, request, turn)
	}
}

func raw(w http.ResponseWriter, turn Turn) {
	w.Header().Set("Content-Type", "application/json")
	for name, value := range turn.Header {
		w.Header().Set(name, value)
	}
	if turn.Status != 0 {
		w.WriteHeader(turn.Status)
	}
	w.Write([]byte(turn.Raw))
}
