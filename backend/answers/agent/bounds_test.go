package agent_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/answers/agent"
	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/llm/llmdouble"
)

// checkBounds checks the limits of every run, whatever the model did.
func checkBounds(t *testing.T, got tried, options agent.Options) {
	t.Helper()
	if got.err != nil || !json.Valid(got.answer.JSON) {
		t.Fatalf("got %s, %v, want valid JSON", got.answer.JSON, got.err)
	}
	var members map[string]any
	if json.Unmarshal(got.answer.JSON, &members) != nil || len(members) != 5 {
		t.Fatalf("got %s, want the form of the task", got.answer.JSON)
	}
	for name, value := range members {
		if value == nil || name == "price" && value != ask.NotFound && value != 12.5 {
			t.Fatalf("got %s: %v, want what the page says, or %s", name, value, ask.NotFound)
		}
	}
	b := options.Budget
	if got.record.Steps > b.Steps || got.record.Usage.Input+got.record.Usage.Output > b.Tokens+2*int64(options.StepTokens) {
		t.Fatalf("got %+v, want at most %+v", got.record, b)
	}
	if got.took > b.Time+5*time.Second {
		t.Fatalf("took %v, want at most %v", got.took, b.Time)
	}
}

// small is a budget that a runaway model soon uses up.
var small = agent.Options{
	Budget: llm.Budget{Steps: 6, Tokens: 40_000, Time: 3 * time.Second}, StepTokens: 300, StepTime: 300 * time.Millisecond, Searches: 3, Pages: 2, PartTokens: 1000,
}

func TestRunawayModels(t *testing.T) {
	t.Parallel()
	big := `{"query":"` + strings.Repeat("x", 200_000) + `"}`
	for name, script := range map[string]func(w *world) llmdouble.Script{
		"endless searches": func(*world) llmdouble.Script { return llmdouble.Steps(turn(search("more"))) },
		"many calls at a time": func(*world) llmdouble.Script {
			return llmdouble.Steps(turn(slices.Repeat([]llmdouble.Call{search("more")}, 60)...))
		},
		"endless pages": func(w *world) llmdouble.Script {
			return llmdouble.Steps(turn(search("x")), turn(open(w.site.URL+"/lamp"), open(w.site.URL+"/parts"), open(w.site.URL+"/long"), open(w.site.URL+"/lamp")))
		},
		"endless reading": func(w *world) llmdouble.Script {
			return llmdouble.Steps(turn(search("x")), turn(open(w.site.URL+"/long")), turn(slices.Repeat([]llmdouble.Call{more(w.site.URL+"/long", 2)}, 4)...))
		},
		"endless text":      func(*world) llmdouble.Script { return llmdouble.Steps(llmdouble.Turn{Endless: "on and on "}) },
		"endless arguments": func(*world) llmdouble.Script { return llmdouble.Steps(llmdouble.Turn{EndlessArguments: `"a`}) },
		"an endless stream": func(*world) llmdouble.Script { return llmdouble.Steps(llmdouble.Turn{EndlessNothing: true}) },
		"a slow drip":       func(*world) llmdouble.Script { return llmdouble.Steps(llmdouble.Turn{Text: "I", Drip: true}) },
		"a drip after work": func(*world) llmdouble.Script {
			return llmdouble.Steps(turn(search("x")), llmdouble.Turn{Drip: true})
		},
		"giant arguments": func(*world) llmdouble.Script {
			return llmdouble.Steps(turn(llmdouble.Call{Name: "search", Arguments: big}))
		},
		"giant text": func(*world) llmdouble.Script {
			return llmdouble.Steps(llmdouble.Turn{Text: strings.Repeat("x ", 1000)})
		},
		"giant counts of tokens": func(*world) llmdouble.Script { return llmdouble.Steps(llmdouble.Turn{Raw: giantCount}) },
		"thoughts alone": func(*world) llmdouble.Script {
			return llmdouble.Steps(llmdouble.Turn{Thought: strings.Repeat("hm ", 5000)})
		},
		"invents for ever": func(w *world) llmdouble.Script {
			return llmdouble.Steps(turn(submit(claim{"/price", 1, w.site.URL + "/lamp", "costs 1"})))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachWire(t, func(t *testing.T, provider llm.Provider) {
				w := newWorld(t, map[string]string{"/lamp": lampPage, "/parts": partsPage, "/long": "<main>" + strings.Repeat("<p>The sea is wide and the night is long, says the keeper.</p>\n", 500) + "</main>"})
				w.results = append(w.results, w.results[0], w.results[0])
				w.results[1].URL, w.results[2].URL = w.site.URL+"/long", w.site.URL+"/parts"
				got := try(t, provider, script(w), w, lampTask(t), small)
				if name != "giant counts of tokens" {
					checkBounds(t, got, small)
				}
				if got.err != nil || string(got.answer.JSON) != wantNone || got.instead.asked != 1 || len(got.asked) > small.Budget.Steps {
					t.Errorf("got %s, %v after %d requests, want the other's answer", got.answer.JSON, got.err, len(got.asked))
				}
				if len(w.searched) > small.Searches || len(w.openedURLs()) > small.Pages {
					t.Errorf("got %d searches and %d pages, want at most %d and %d", len(w.searched), len(w.openedURLs()), small.Searches, small.Pages)
				}
				for _, asked := range got.asked {
					sum := 0
					for _, m := range asked.Messages {
						sum += len(m.Text)
						for _, c := range m.Calls {
							sum += len(c.Arguments)
						}
					}
					if sum > 100_000 {
						t.Errorf("got %d bytes of the model's own words sent back", sum)
					}
				}
			})
		})
	}
}

const giantCount = `{"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}],"content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn",` +
	`"usage":{"prompt_tokens":9000000000000000000,"completion_tokens":9000000000000000000,"input_tokens":9000000000000000000,"output_tokens":-5}}`

func TestModelsThatFail(t *testing.T) {
	t.Parallel()
	quick := map[string]string{"Retry-After-Ms": "1"}
	stream := map[string]string{"Content-Type": "text/event-stream"}
	for name, failure := range map[string]llmdouble.Turn{
		"429":                  {Status: http.StatusTooManyRequests, Raw: `{}`, Header: quick},
		"429 for an hour":      {Status: http.StatusTooManyRequests, Raw: `{}`, Header: map[string]string{"Retry-After": "3600"}},
		"500":                  {Status: http.StatusInternalServerError, Raw: `<html>`, Header: quick},
		"529":                  {Status: 529, Raw: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Header: quick},
		"no money":             {Status: http.StatusTooManyRequests, Raw: `{"error":{"code":"insufficient_quota","message":"quota"}}`},
		"the wrong key":        {Status: http.StatusUnauthorized, Raw: `{"error":{"message":"no"}}`},
		"no tools":             {Status: http.StatusBadRequest, Raw: `{"error":{"message":"this model does not support function calling"}}`},
		"too long":             {Status: http.StatusBadRequest, Raw: `{"error":{"message":"prompt is too long"}}`},
		"time-out":             {Hang: true},
		"a cut stream":         {Text: strings.Repeat("word ", 50), CutAfter: 9},
		"a cut call":           {Calls: []llmdouble.Call{{Name: "search", Arguments: `{"query":"a long one, which is not finished"}`}}, CutAfter: 8},
		"bad JSON":             {Raw: `{"choices":[{`},
		"bad JSON in a stream": {Raw: "data: {\"choices\":[{\n\n", Header: stream},
		"an error in a stream": {Raw: "data: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"no\"}}\n\n", Header: stream},
		"HTML":                 {Raw: `<html>502`, Header: map[string]string{"Content-Type": "text/html"}},
		"a refusal":            {Refuse: true},
		"empty":                {},
		"empty object":         {Raw: `{}`},
		"the end of its words": {Text: "I see", Stop: "length"},
		"a redirect":           {Status: http.StatusFound, Raw: "-", Header: map[string]string{"Location": "http://127.0.0.1:1/"}},
		"prose":                {Text: "The lamp costs 12.50 EUR, trust me."},
		"wrong tool":           turn(call("browse", map[string]any{"url": "x"})),
		"odd tool":             {Calls: []llmdouble.Call{{Name: "<script>", Arguments: "{}"}}},
		"no arguments":         {Calls: []llmdouble.Call{{Name: "open_page", Arguments: ""}}},
		"wrong arguments":      {Calls: []llmdouble.Call{{Name: "search", Arguments: `{"query":{"a":1}}`}, {Name: "read_more", Arguments: `{"url":7,"part":"x"}`}}},
		"arguments of no JSON": {Calls: []llmdouble.Call{{Name: "search", Arguments: `query=lamp`}}},
		"a list":               {Calls: []llmdouble.Call{{Name: "submit_answer", Arguments: `[]`}}},
		"a wrong submission":   {Calls: []llmdouble.Call{{Name: "submit_answer", Arguments: `{"values":{"price":12.5}}`}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachWire(t, func(t *testing.T, provider llm.Provider) {
				options := small
				// The model fails at once, or after work that supported nothing: the other answerer does the task.
				for _, before := range []int{0, 2} {
					w := lampWorld(t)
					steps := []llmdouble.Turn{turn(search("x")), turn(open(w.site.URL + "/lamp"))}[:before]
					got := try(t, provider, llmdouble.Steps(append(steps, failure)...), w, lampTask(t), options)
					checkBounds(t, got, options)
					if string(got.answer.JSON) != wantNone || got.instead.asked != 1 {
						t.Errorf("after %d steps: got %s, want the other's answer", before, got.answer.JSON)
					}
				}
				// If something was already supported, the answer is that.
				w := lampWorld(t)
				lamp := w.site.URL + "/lamp"
				got := try(t, provider, llmdouble.Steps(turn(search("x")), turn(open(lamp)),
					turn(submit(claim{"/price", 12.5, lamp, priceQuote}, claim{"/name", "Lighthouse", lamp, priceQuote})), failure), w, lampTask(t), options)
				checkBounds(t, got, options)
				if want := `{"name":"NOT_FOUND","price":12.5,`; !strings.HasPrefix(string(got.answer.JSON), want) || got.instead.asked != 0 {
					t.Errorf("got %s, want %s", got.answer.JSON, want)
				}
			})
		})
	}
}

func TestModelsThatRecover(t *testing.T) {
	t.Parallel()
	quick := map[string]string{"Retry-After-Ms": "1"}
	for name, failure := range map[string]llmdouble.Turn{
		"429": {Status: 429, Raw: `{}`, Header: quick}, "500": {Status: 500, Raw: `x`, Header: quick}, "529": {Status: 529, Raw: `{}`, Header: quick},
		"wrong tool": turn(call("browse", nil)), "no JSON": {Calls: []llmdouble.Call{{Name: "search", Arguments: "{"}}}, "prose": {Text: "Let me see."},
		"too many words": {Endless: "on "}, "empty": {}, "a cut stream": {Text: strings.Repeat("word ", 50), CutAfter: 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachWire(t, func(t *testing.T, provider llm.Provider) {
				w := lampWorld(t)
				options := small
				options.StepTime = 2 * time.Second
				options.Budget = llm.Budget{Steps: 8, Tokens: 60_000, Time: 10 * time.Second}
				got := try(t, provider, llmdouble.Steps(turn(search("x")), failure, turn(open(w.site.URL+"/lamp"), open(w.site.URL+"/parts")),
					turn(open(w.site.URL+"/parts")), turn(submit(lampClaims(w)...))), w, lampTask(t), options)
				if string(got.answer.JSON) != wantLamp {
					t.Errorf("got %s, %v, want %s", got.answer.JSON, got.err, wantLamp)
				}
			})
		})
	}
}

// FuzzScripts turns the input bytes into model turns: no model breaks the bounds, the JSON or the proof.
func FuzzScripts(f *testing.F) {
	f.Add([]byte{0, 1, 9, 9})
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19})
	f.Add([]byte(`{"query":"x"}{"values":[{"field":"/price","value":12.5}]}`))
	f.Add(bytes.Repeat([]byte{1, 10, 14, 12}, 9))
	f.Fuzz(func(t *testing.T, bytesOf []byte) {
		if len(bytesOf) > 200 {
			return
		}
		for _, provider := range llmdouble.Providers {
			w := lampWorld(t)
			options := small
			options.StepTime = 100 * time.Millisecond
			got := try(t, provider, fuzzed(w, bytesOf), w, lampTask(t), options)
			checkBounds(t, got, options)
			if len(w.searched) > options.Searches || len(w.openedURLs()) > options.Pages || len(got.asked) > 3*options.Budget.Steps {
				t.Fatalf("got %d searches, %d pages, %d requests", len(w.searched), len(w.openedURLs()), len(got.asked))
			}
			for _, c := range got.answer.Citations {
				if c.Quote == "" || !strings.HasPrefix(c.URL, w.site.URL) {
					t.Fatalf("got the citation %+v", c)
				}
			}
		}
	})
}

// fuzzed makes a turn of each byte.
func fuzzed(w *world, bytesOf []byte) llmdouble.Script {
	lamp := w.site.URL + "/lamp"
	return func(n int, _ llmdouble.Request) llmdouble.Turn {
		if n >= len(bytesOf) {
			return llmdouble.Turn{Text: string(bytesOf)}
		}
		rest := string(bytesOf[n:])
		switch bytesOf[n] % 20 {
		case 0:
			return turn(search("lamp"))
		case 1:
			return turn(open(lamp), open(w.site.URL+"/parts"))
		case 2:
			return llmdouble.Turn{Calls: []llmdouble.Call{{Name: "search", Arguments: rest}, {Name: "submit_answer", Arguments: rest}}}
		case 3:
			return llmdouble.Turn{Calls: []llmdouble.Call{{Name: rest, Arguments: `{}`}}}
		case 4:
			return llmdouble.Turn{Text: rest}
		case 5:
			return llmdouble.Turn{Status: 429, Raw: rest, Header: map[string]string{"Retry-After-Ms": "1"}}
		case 6:
			return llmdouble.Turn{Raw: rest}
		case 7:
			return llmdouble.Turn{Raw: "data: " + rest + "\n\n", Header: map[string]string{"Content-Type": "text/event-stream"}}
		case 8:
			return turn(submit(claim{"/price", len(rest), lamp, "costs"}))
		case 9:
			return turn(submit(lampClaims(w)...))
		case 10:
			return turn(more(lamp, len(rest)%3), more(rest, 1))
		case 11:
			return llmdouble.Turn{Text: rest, CutAfter: 1 + len(rest)%9}
		case 12:
			return turn(open(rest))
		case 13:
			return llmdouble.Turn{Refuse: true}
		case 14:
			return turn(submit(claim{rest, rest, lamp, rest}, claim{"/name", "Harbour", lamp, "Harbour Lamp"}))
		case 15:
			return llmdouble.Turn{Endless: rest + "x"}
		case 16:
			return llmdouble.Turn{Stop: "length", Text: rest}
		case 17:
			return turn(slices.Repeat([]llmdouble.Call{search(rest)}, len(rest))...)
		case 18:
			return llmdouble.Turn{Plain: true, NoUsage: true, Calls: []llmdouble.Call{search("x"), open(lamp)}}
		}
		return llmdouble.Turn{}
	}
}
