package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/llm/llmdouble"
)

var searchTool = llm.Tool{
	Name: "search", Description: "Finds pages.",
	Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false}`),
}

func question(text string) llm.ChatRequest {
	return llm.ChatRequest{
		System: "Be brief.", Messages: []llm.Message{{Role: llm.RoleUser, Text: text}}, Tools: []llm.Tool{searchTool}, MaxTokens: 200,
	}
}

// eachWire runs a test with both APIs, whole and as a stream.
func eachWire(t *testing.T, run func(t *testing.T, provider llm.Provider, stream bool)) {
	t.Helper()
	for _, provider := range llmdouble.Providers {
		for _, stream := range []bool{false, true} {
			name := string(provider) + " whole"
			if stream {
				name = string(provider) + " stream"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				run(t, provider, stream)
			})
		}
	}
}

func reasonOf(err error) llm.Reason {
	var failure *llm.Error
	if errors.As(err, &failure) {
		return failure.Reason
	}
	return ""
}

func TestAConversationWithTools(t *testing.T) {
	t.Parallel()
	eachWire(t, func(t *testing.T, provider llm.Provider, stream bool) {
		d := llmdouble.New(t, provider, llmdouble.Steps(
			llmdouble.Turn{Text: "I look it up.", Thought: "hm", Calls: []llmdouble.Call{{Name: "search", Arguments: `{"query": "größe \"x\""}`}, {Name: "search", Arguments: `{"query":"b"}`}}},
			llmdouble.Turn{Text: "It is 12 m, 長い."},
		))
		client := d.Client()
		request := question("How long?")
		request.Stream = stream
		reply, err := client.Chat(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		if reply.Text != "I look it up." || len(reply.Calls) != 2 || string(reply.Calls[0].Arguments) != `{"query":"größe \"x\""}` || reply.Calls[0].Fault != "" {
			t.Fatalf("got %+v, want the text and two calls", reply)
		}
		if reply.Usage != (llm.Usage{Input: 100, Output: 20}) || reply.Estimated || reply.Model != "toy-1-2026" || reply.Cost != 140 {
			t.Errorf("got %+v, want the server's count and its cost", reply)
		}
		request.Messages = append(request.Messages, reply.Message(), llm.Message{Role: llm.RoleUser, Text: "Go on.", Results: []llm.ToolResult{
			{CallID: reply.Calls[0].ID, Text: "12 m"}, {CallID: reply.Calls[1].ID, Text: "no result", Failed: true},
		}})
		if reply, err = client.Chat(t.Context(), request); err != nil || reply.Text != "It is 12 m, 長い." || reply.Calls != nil {
			t.Fatalf("got %+v, %v, want the answer", reply, err)
		}
		last := d.Requests()[1]
		if last.System != "Be brief." || last.Stream != stream || last.MaxTokens != 200 || !slices.Equal(last.Tools, []string{"search"}) {
			t.Errorf("got %+v, want the request as it was", last)
		}
		results := last.Messages[2].Results
		if len(results) != 2 || results[0].Text != "12 m" || !strings.Contains(results[1].Text, "no result") || last.Messages[1].Calls[1].Name != "search" {
			t.Errorf("got %+v, want the calls and their results", last.Messages)
		}
	})
}

func TestTextIsToldAsItIsWritten(t *testing.T) {
	t.Parallel()
	eachWire(t, func(t *testing.T, provider llm.Provider, _ bool) {
		d := llmdouble.New(t, provider, llmdouble.Steps(llmdouble.Turn{Text: "one two three four five"}))
		request := question("Count.")
		var told []string
		request.OnText = func(delta string) { told = append(told, delta) }
		if _, err := d.Client().Chat(t.Context(), request); err != nil || len(told) < 3 || strings.Join(told, "") != "one two three four five" {
			t.Errorf("got %q, %v, want the text in pieces", told, err)
		}
	})
}

func TestAnObjectIsForced(t *testing.T) {
	t.Parallel()
	eachWire(t, func(t *testing.T, provider llm.Provider, stream bool) {
		for _, tc := range []struct{ schema, text, want string }{
			{`{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a": 1}`, `{"a":1}`},
			{`{"type":"object"}`, `{"a":{"b":2}}`, `{"a":{"b":2}}`}, // no strict server accepts this
			{`{"type":"object","properties":{"a":{"type":"integer"}}}`, "Here: ```json\n{\"a\":1}\n```", `{"a":1}`},
			{`{"type":"object","properties":{"a":{"type":"integer"}}}`, `I would rather not`, ""},
		} {
			d := llmdouble.New(t, provider, func(_ int, r llmdouble.Request) llmdouble.Turn {
				if !r.Object {
					t.Error("the request asks for no object")
				}
				if slices.Contains(r.Tools, "answer") {
					return llmdouble.Turn{Calls: []llmdouble.Call{{Name: "answer", Arguments: tc.text}}, Text: ""}
				}
				return llmdouble.Turn{Text: tc.text}
			})
			request := question("Give JSON.")
			request.Stream, request.Schema = stream, json.RawMessage(tc.schema)
			reply, err := d.Client().Chat(t.Context(), request)
			if err != nil || string(reply.Object) != tc.want || reply.Calls != nil {
				t.Errorf("%s: got %s, %v, want %s", tc.text, reply.Object, err, tc.want)
			}
		}
	})
}

func TestCallsThatCannotBe(t *testing.T) {
	t.Parallel()
	eachWire(t, func(t *testing.T, provider llm.Provider, stream bool) {
		many := slices.Repeat([]llmdouble.Call{{Name: "search", Arguments: `{"query":"x"}`}}, 100)
		for _, tc := range []struct {
			name  string
			calls []llmdouble.Call
			fault string
		}{
			{"no JSON", []llmdouble.Call{{Name: "search", Arguments: `{"query": `}}, "not a JSON object"},
			{"a list", []llmdouble.Call{{Name: "search", Arguments: `[1]`}}, "not a JSON object"},
			{"a name", []llmdouble.Call{{Name: "rm -rf /\n", Arguments: `{}`}}, "no such tool"},
			{"no name", []llmdouble.Call{{Name: "", Arguments: `{}`}}, "no such tool"},
			{"giant", []llmdouble.Call{{Name: "search", Arguments: `{"query":"` + strings.Repeat("x", 100_000) + `"}`}}, "longer than"},
			{"deep", []llmdouble.Call{{Name: "search", Arguments: strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)}}, "not a JSON object"},
			{"many", many, ""},
			{"none", []llmdouble.Call{{Name: "search", Arguments: ``}}, ""},
		} {
			if provider == llm.Anthropic && !stream && tc.name == "none" {
				continue // there it is an empty object
			}
			d := llmdouble.New(t, provider, llmdouble.Steps(llmdouble.Turn{Calls: tc.calls}, llmdouble.Turn{Text: "ok"}))
			request := question("?")
			request.Stream, request.MaxTokens = stream, 100_000
			reply, err := d.Client().Chat(t.Context(), request)
			if err != nil || len(reply.Calls) == 0 || len(reply.Calls) > 16 {
				t.Errorf("%s: got %d calls, %v, want 1 to 16", tc.name, len(reply.Calls), err)
				continue
			}
			if call := reply.Calls[0]; !strings.Contains(call.Fault, tc.fault) || (tc.fault == "") != (call.Fault == "") || !json.Valid(call.Arguments) {
				t.Errorf("%s: got %.200v, want the fault %q", tc.name, call, tc.fault)
			}
			// The reply can be sent back.
			results := llm.Message{Role: llm.RoleUser}
			for _, call := range reply.Calls {
				results.Results = append(results.Results, llm.ToolResult{CallID: call.ID, Text: call.Fault, Failed: true})
			}
			request.Messages = append(request.Messages, reply.Message(), results)
			if _, err := d.Client().Chat(t.Context(), request); err != nil {
				t.Errorf("%s: sending it back: %v", tc.name, err)
			}
		}
	})
}

func TestRunawayRepliesAreCut(t *testing.T) {
	t.Parallel()
	for _, provider := range llmdouble.Providers {
		for _, tc := range []struct {
			name string
			turn llmdouble.Turn
			want llm.Reason
		}{
			{"text", llmdouble.Turn{Endless: "and on "}, llm.ReasonTooLong},
			{"foreign text", llmdouble.Turn{Endless: "終わらない"}, llm.ReasonTooLong},
			{"arguments", llmdouble.Turn{EndlessArguments: "[1,"}, llm.ReasonTooLong},
			{"nothing", llmdouble.Turn{EndlessNothing: true}, llm.ReasonTooLong},
			{"a drip", llmdouble.Turn{Text: "I", Drip: true}, llm.ReasonTimeout},
			{"silence", llmdouble.Turn{Hang: true}, llm.ReasonTimeout},
		} {
			t.Run(string(provider)+" "+tc.name, func(t *testing.T) {
				t.Parallel()
				d := llmdouble.New(t, provider, llmdouble.Steps(tc.turn))
				request := question("?")
				request.Stream = true
				client := d.Client(func(c *llm.Config) {
					if tc.want == llm.ReasonTimeout {
						c.Timeout = 100 * time.Millisecond
					}
				})
				reply, err := client.Chat(t.Context(), request)
				if reasonOf(err) != tc.want {
					t.Fatalf("got %v, want %s", err, tc.want)
				}
				if tokens := llm.EstimateTokens(reply.Text); tokens > 2*200+20 || reply.Usage.Output > 2*200+20 {
					t.Errorf("got %d tokens, %+v, want at most twice the bound", tokens, reply.Usage)
				}
				if len(d.Requests()) != 1 {
					t.Errorf("got %d requests, want 1", len(d.Requests()))
				}
			})
		}
	}
}

func TestChatFailures(t *testing.T) {
	t.Parallel()
	quick := map[string]string{"Retry-After-Ms": "1"}
	good := llmdouble.Turn{Text: "good"}
	event := func(data string) llmdouble.Turn {
		return llmdouble.Turn{Raw: data, Header: map[string]string{"Content-Type": "text/event-stream"}}
	}
	for _, tc := range []struct {
		name     string
		turns    []llmdouble.Turn
		want     llm.Reason
		requests int
	}{
		{"429", []llmdouble.Turn{{Status: 429, Raw: "{}", Header: quick}, good}, "", 2},
		{"500", []llmdouble.Turn{{Status: 500, Raw: "<html>", Header: quick}, good}, "", 2},
		{"529", []llmdouble.Turn{{Status: 529, Raw: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Header: quick}, good}, "", 2},
		{"529 for ever", []llmdouble.Turn{{Status: 529, Raw: `{}`, Header: quick}}, llm.ReasonUnavailable, 3},
		{"429 for ever", []llmdouble.Turn{{Status: 429, Raw: `{}`, Header: quick}}, llm.ReasonRateLimited, 3},
		{"a refusal", []llmdouble.Turn{{Refuse: true}}, llm.ReasonContentFiltered, 1},
		{"no JSON", []llmdouble.Turn{{Raw: "<html>oops"}}, llm.ReasonUnavailable, 1},
		{"no JSON in a stream", []llmdouble.Turn{event("data: {oops\n\n")}, llm.ReasonUnavailable, 1},
		{"an empty object", []llmdouble.Turn{{Raw: "{}"}}, llm.ReasonUnavailable, 1},
		{"another's object", []llmdouble.Turn{{Raw: `{"choices":[{"index":3}],"content":[]}`}}, llm.ReasonUnavailable, 1},
		{"the wrong key", []llmdouble.Turn{{Status: 401, Raw: `{"error":{"message":"bad key ` + llmdouble.Key + `"}}`}}, llm.ReasonRefused, 1},
		{"too long", []llmdouble.Turn{{Status: 400, Raw: `{"error":{"message":"prompt is too long: 9 tokens > 8"}}`}}, llm.ReasonTooLong, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			eachWire(t, func(t *testing.T, provider llm.Provider, stream bool) {
				if tc.name == "no JSON in a stream" && !stream {
					return
				}
				d := llmdouble.New(t, provider, llmdouble.Steps(tc.turns...))
				request := question("?")
				request.Stream = stream
				reply, err := d.Client().Chat(t.Context(), request)
				if reasonOf(err) != tc.want || tc.want == "" && reply.Text != "good" {
					t.Errorf("got %+v, %v, want %q", reply, err, tc.want)
				}
				if err != nil && strings.Contains(err.Error(), llmdouble.Key) {
					t.Errorf("the error holds the key: %v", err)
				}
				if got := len(d.Requests()); got != tc.requests {
					t.Errorf("got %d requests, want %d", got, tc.requests)
				}
			})
		})
	}
}

func TestStreamsThatBreak(t *testing.T) {
	t.Parallel()
	for _, provider := range llmdouble.Providers {
		t.Run(string(provider), func(t *testing.T) {
			t.Parallel()
			long := llmdouble.Turn{Text: strings.Repeat("word ", 20), CutAfter: 8}
			d := llmdouble.New(t, provider, llmdouble.Steps(long, llmdouble.Turn{Text: "whole"}))
			request := question("?")
			request.Stream = true
			if reply, err := d.Client().Chat(t.Context(), request); err != nil || reply.Text != "whole" {
				t.Errorf("got %+v, %v, want the second reply", reply, err)
			}
			// Once text was streamed to OnText, the request is not repeated.
			d = llmdouble.New(t, provider, llmdouble.Steps(long, llmdouble.Turn{Text: "whole"}))
			request.OnText = func(string) {}
			reply, err := d.Client().Chat(t.Context(), request)
			if reasonOf(err) != llm.ReasonUnavailable || len(d.Requests()) != 1 || reply.Text == "" || reply.Usage.Output == 0 {
				t.Errorf("got %+v, %v, want what came until then, and its tokens", reply, err)
			}
		})
	}
}

func TestServersWithoutStreamsOrCounts(t *testing.T) {
	t.Parallel()
	for _, provider := range llmdouble.Providers {
		t.Run(string(provider), func(t *testing.T) {
			t.Parallel()
			refusal := llmdouble.Turn{Status: 400, Raw: `{"error":{"type":"invalid_request_error","message":"stream: not supported"}}`}
			d := llmdouble.New(t, provider, func(_ int, r llmdouble.Request) llmdouble.Turn {
				if r.Stream {
					return refusal
				}
				return llmdouble.Turn{Text: "whole", NoUsage: true}
			})
			request := question("?")
			request.Stream = true
			client := d.Client()
			for range 2 {
				reply, err := client.Chat(t.Context(), request)
				if err != nil || reply.Text != "whole" || !reply.Estimated || reply.Usage.Input < 10 {
					t.Errorf("got %+v, %v, want a reply and an estimate", reply, err)
				}
			}
			if last := d.Requests()[len(d.Requests())-1]; last.Stream || len(d.Requests()) > 4 {
				t.Errorf("got %d requests, want it learned", len(d.Requests()))
			}
			d = llmdouble.New(t, provider, llmdouble.Steps(llmdouble.Turn{Text: "at once", Plain: true}))
			if reply, err := d.Client().Chat(t.Context(), request); err != nil || reply.Text != "at once" {
				t.Errorf("a whole answer to a stream: got %+v, %v", reply, err)
			}
			d = llmdouble.New(t, provider, llmdouble.Steps(llmdouble.Turn{Text: strings.Repeat("four", 10), NoUsage: true}))
			if reply, err := d.Client().Chat(t.Context(), request); err != nil || !reply.Estimated || reply.Usage.Output != 10 {
				t.Errorf("a stream without counts: got %+v, %v", reply, err)
			}
		})
	}
}

func TestACallerWhoLeavesAConversation(t *testing.T) {
	t.Parallel()
	eachWire(t, func(t *testing.T, provider llm.Provider, stream bool) {
		ctx, cancel := context.WithCancel(t.Context())
		d := llmdouble.New(t, provider, func(int, llmdouble.Request) llmdouble.Turn {
			cancel()
			return llmdouble.Turn{Hang: true}
		})
		request := question("?")
		request.Stream = stream
		if _, err := d.Client().Chat(ctx, request); !errors.Is(err, context.Canceled) || reasonOf(err) != "" {
			t.Errorf("got %v, want the cancellation", err)
		}
	})
}

func TestBudget(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		budget llm.Budget
		steps  int
	}{
		{"steps", llm.Budget{Steps: 3, Tokens: 1_000_000, Time: time.Minute}, 3},
		{"tokens", llm.Budget{Steps: 100, Tokens: 1000, Time: time.Minute}, 7}, // 120 each; 269 must remain for a step
		{"time", llm.Budget{Steps: 100, Tokens: 1_000_000}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			eachWire(t, func(t *testing.T, provider llm.Provider, stream bool) {
				d := llmdouble.New(t, provider, llmdouble.Steps(llmdouble.Turn{Text: "more"}))
				s := llm.Begin(d.Client(), tc.budget, time.Now)
				request := question("?")
				request.Stream = stream
				var err error
				for range 100 {
					if _, err = s.Chat(t.Context(), request); err != nil {
						break
					}
				}
				record := s.Record()
				if reasonOf(err) != llm.ReasonBudget || len(d.Requests()) != tc.steps || record.Steps != tc.steps {
					t.Errorf("got %v after %d requests, want the budget's end after %d", err, len(d.Requests()), tc.steps)
				}
				if want := (llm.Usage{Input: int64(100 * tc.steps), Output: int64(20 * tc.steps)}); record.Usage != want || record.Cost != llm.MicroUSD(140*tc.steps) {
					t.Errorf("got %+v, want %+v", record, want)
				}
			})
		})
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	prices := llm.Prices{Input: 150_000, Output: 600_000}
	for _, tc := range []struct {
		usage llm.Usage
		want  llm.MicroUSD
	}{
		{llm.Usage{}, 0},
		{llm.Usage{Input: 1}, 1}, // 0.15, rounded up
		{llm.Usage{Input: 20_000, Output: 1000}, 3600},
		{llm.Usage{Input: 1 << 62, Output: 1 << 62}, 3_458_764_513_820_540_928}, // no sum overflows
		{llm.Usage{Input: -5}, 0},
	} {
		if got := prices.Of(tc.usage); got != tc.want {
			t.Errorf("%+v: got %d, want %d", tc.usage, got, tc.want)
		}
	}
	env := map[string]string{
		"TURNPIKE_LLM_PROVIDER": "openai", "TURNPIKE_LLM_KEY": "k", "TURNPIKE_LLM_MODEL": "m", "TURNPIKE_LLM_PRICE_IN": "0.15", "TURNPIKE_LLM_PRICE_OUT": " 0.6 ",
	}
	got, ok, err := llm.FromEnv(func(name string) string { return env[name] })
	if err != nil || !ok || got.Prices != prices {
		t.Errorf("got %+v, %v, want %+v", got, err, prices)
	}
	for _, bad := range []string{"x", "-1", "0,15", "1e3", "0.1234567"} {
		env["TURNPIKE_LLM_PRICE_IN"] = bad
		if _, _, err := llm.FromEnv(func(name string) string { return env[name] }); err == nil || !strings.Contains(err.Error(), "TURNPIKE_LLM_PRICE_IN") {
			t.Errorf("%s: got %v, want a fault of the price", bad, err)
		}
	}
}
