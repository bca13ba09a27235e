package llm

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		want       []string // "name|data"
	}{
		{"lines that end with LF", "event: a\ndata: 1\n\ndata: 2\n\n", []string{"a|1", "|2"}},
		{"with CR LF", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", []string{"a|1", "|2"}},
		{"with CR", "event: a\rdata: 1\r\rdata: 2\r\r", []string{"a|1", "|2"}},
		{"mixed", "data: 1\r\n\ndata: 2\n\r\n", []string{"|1", "|2"}},
		{"several lines of data", "data: 1\ndata:2\ndata:  3\ndata\n\n", []string{"|1\n2\n 3\n"}},
		{"comments and other fields", ": hi\nid: 7\nretry: 1\ndata: 1\n\n", []string{"|1"}},
		{"a mark", "\ufeffdata: 1\n\n", []string{"|1"}},
		{"no data", "event: a\n\n\n\ndata: 1\n\n", []string{"|1"}},
		{"no last line", "data: 1", []string{"|1"}},
		{"nothing", "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := allEvents(tc.text, 1000)
			if !slices.Equal(got, tc.want) || !errors.Is(err, io.EOF) {
				t.Errorf("got %q, %v, want %q", got, err, tc.want)
			}
		})
	}
	if got, err := allEvents("data: 1\n\n"+strings.Repeat(":\n", 1000), 100); len(got) != 1 || !errors.Is(err, errStreamTooLong) {
		t.Errorf("got %q, %v, want an end at the bound", got, err)
	}
}

func allEvents(text string, bytesMax int) ([]string, error) {
	in := newEvents(strings.NewReader(text), bytesMax)
	var all []string
	for {
		name, data, err := in.next()
		if err != nil {
			return all, err
		}
		all = append(all, name+"|"+string(data))
	}
}

func FuzzEvents(f *testing.F) {
	f.Add("event: a\ndata: 1\r\n\r\n: x\rdata\r\r")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := allEvents(text, 1<<20)
		if len(text) < 1<<20 && !errors.Is(err, io.EOF) {
			t.Fatalf("got %v, want an end", err)
		}
		if sum := len(strings.Join(all, "")); sum > 2*len(text) {
			t.Fatalf("got %d bytes of %d", sum, len(text))
		}
	})
}

// replay answers every request with the same bytes.
type replay struct{ kind, body string }

func (r replay) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {r.kind}}, Body: io.NopCloser(strings.NewReader(r.body)), Request: request}, nil
}

var streamSeeds = []string{
	`{"model":"m","choices":[{"index":0,"message":{"content":"x","tool_calls":[{"id":"a","function":{"name":"search","arguments":"{\"q\":1}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":-1,"completion_tokens":9e18}}`,
	"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\",\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"s\",\"arguments\":\"{\"}}]}}]}\n\n" +
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"}\"}},{\"id\":\"a\",\"function\":{\"name\":\"\",\"arguments\":{}}}]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
	`{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":"é","name":"search","input":{"q":1}}],"stop_reason":"tool_use","usage":{"input_tokens":5}}`,
	"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"usage\":{\"input_tokens\":9}}}\n\n" +
		"data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"s\",\"input\":{}}}\n\n" +
		"data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"partial_json\":\"{}\"}}\n\n" +
		"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
	"data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n",
	"data: {\"error\":\"x\"}\n\ndata: [DONE]\n\n", "data: {\n\n", "<html>", "",
}

// FuzzChat: a reply made from any server's bytes is bounded, and can be sent back.
func FuzzChat(f *testing.F) {
	for _, seed := range streamSeeds {
		f.Add(seed, true, false)
		f.Add(seed, false, true)
	}
	f.Fuzz(func(t *testing.T, body string, stream, object bool) {
		kind := "application/json"
		if stream {
			kind = "text/event-stream"
		}
		for _, provider := range bothProviders {
			client, err := New(Config{Provider: provider, URL: "http://x", Key: testKey, Model: "m", Attempts: 1})
			if err != nil {
				t.Fatal(err)
			}
			request := ChatRequest{Messages: []Message{{Role: RoleUser, Text: "?"}}, MaxTokens: 50, Stream: stream}
			if object {
				request.Schema = json.RawMessage(`{"type":"object"}`)
			}
			switch client := client.(type) {
			case *openAI:
				client.client.Transport = replay{kind, body}
			case *anthropic:
				client.client.Transport = replay{kind, body}
			}
			reply, err := client.Chat(t.Context(), request)
			var failure *Error
			if err != nil && !errors.As(err, &failure) {
				t.Fatalf("got %v, want an *Error", err)
			}
			checkReply(t, reply)
		}
	})
}

func checkReply(t *testing.T, reply ChatReply) {
	t.Helper()
	if reply.Usage.Input < 0 || reply.Usage.Output < 0 || reply.Usage.Input > 4e9 || reply.Object != nil && !json.Valid(reply.Object) {
		t.Fatalf("got %+v, want bounded counts and JSON", reply)
	}
	ids := map[string]bool{}
	for _, call := range reply.Calls {
		var members map[string]any
		if !toolName.MatchString(call.Name) || !callID.MatchString(call.ID) || ids[call.ID] || json.Unmarshal(call.Arguments, &members) != nil || members == nil {
			t.Fatalf("got the call %+v, want one that can be sent back", call)
		}
		ids[call.ID] = true
	}
}
