package llmdouble

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/llm"
)

const (
	// dripEvery is the interval of a slow model's output; tests time out after a few of them.
	dripEvery = 20 * time.Millisecond
	// pieceBytes is the size of a stream's pieces.
	pieceBytes = 7
)

// play responds as the API does.
func (s *Server) play(w http.ResponseWriter, r *http.Request, request Request, turn Turn) {
	if request.Object && len(turn.Calls) > 0 && turn.Text == "" { // a model that must write an object writes one
		turn.Text, turn.Calls = turn.Calls[0].Arguments, nil
	}
	var words vocabulary = openAIWords{}
	if s.provider == llm.Anthropic {
		words = anthropicWords{}
	}
	if !request.Stream || turn.Plain {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(words.whole(turn)))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	out := &stream{w: w, r: r, flush: http.NewResponseController(w).Flush, left: turn.CutAfter, cuts: turn.CutAfter > 0}
	for _, piece := range words.begin(turn) {
		out.write(piece)
	}
	for out.open() && turn.Drip {
		select {
		case <-r.Context().Done():
			return
		case <-time.After(dripEvery):
			out.write(words.nothing())
		}
	}
	for out.open() && turn.Endless != "" {
		out.write(words.text(turn.Endless))
	}
	for out.open() && turn.EndlessNothing {
		out.write(words.nothing())
	}
	if out.open() && turn.EndlessArguments != "" {
		out.write(words.call(0, Call{Name: "search"}))
		for out.open() {
			out.write(words.arguments(0, turn.EndlessArguments))
		}
	}
	for _, piece := range words.end(turn) {
		out.write(piece)
	}
}

// stream writes pieces until the client disconnects or the script breaks off.
type stream struct {
	w     io.Writer
	r     *http.Request
	flush func() error
	left  int
	cuts  bool
	gone  bool
}

func (s *stream) open() bool { return !s.gone && s.r.Context().Err() == nil }

func (s *stream) write(piece string) {
	if s.cuts && s.left == 0 {
		panic(http.ErrAbortHandler) // makes the server break the connection
	}
	s.left--
	if !s.open() {
		return
	}
	_, err := io.WriteString(s.w, piece)
	s.gone = err != nil || s.flush() != nil
}

// vocabulary is the stream format of an API.
type vocabulary interface {
	whole(turn Turn) string
	begin(turn Turn) []string
	text(text string) string
	call(index int, call Call) string
	arguments(index int, piece string) string
	nothing() string
	end(turn Turn) []string
}

func quoted(text string) string {
	encoded, _ := json.Marshal(text)
	return string(encoded)
}

// pieces cuts text into pieces for a stream, at character boundaries.
func pieces(text string) []string {
	var out []string
	begin := 0
	for i := range text {
		if i-begin >= pieceBytes {
			out = append(out, text[begin:i])
			begin = i
		}
	}
	if begin < len(text) {
		out = append(out, text[begin:])
	}
	return out
}

func id(index int) string { return fmt.Sprintf("call_%d_of_double", index) }

// openAIWords is the format of chat completions.
type openAIWords struct{}

func (openAIWords) stop(turn Turn) string {
	switch {
	case turn.Stop != "":
		return turn.Stop
	case len(turn.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (openAIWords) usage(turn Turn) string {
	if turn.NoUsage {
		return "null"
	}
	return `{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"completion_tokens_details":{"reasoning_tokens":0}}`
}

func (v openAIWords) whole(turn Turn) string {
	var calls []string
	for i, call := range turn.Calls {
		calls = append(calls, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%s,"arguments":%s}}`, id(i), quoted(call.Name), quoted(call.Arguments)))
	}
	refusal := "null"
	if turn.Refuse {
		refusal = `"I cannot help with that."`
	}
	return fmt.Sprintf(`{"id":"c","object":"chat.completion","created":1,"model":"toy-1-2026","choices":[{"index":0,"message":{"role":"assistant","content":%s,`+
		`"reasoning_content":%s,"refusal":%s,"tool_calls":[%s]},"logprobs":null,"finish_reason":%q}],"usage":%s}`,
		quoted(turn.Text), quoted(turn.Thought), refusal, strings.Join(calls, ","), v.stop(turn), v.usage(turn))
}

func (openAIWords) chunk(delta, stop string) string {
	return `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"toy-1-2026","choices":[{"index":0,"delta":` + delta +
		`,"logprobs":null,"finish_reason":` + stop + `}],"usage":null}` + "\n\n"
}

func (v openAIWords) begin(turn Turn) []string {
	out := []string{": comment\n\n", v.chunk(`{"role":"assistant","content":"","refusal":null}`, "null")}
	for _, piece := range pieces(turn.Thought) {
		out = append(out, v.chunk(`{"reasoning_content":`+quoted(piece)+`}`, "null"))
	}
	for _, piece := range pieces(turn.Text) {
		out = append(out, v.text(piece))
	}
	if turn.Refuse {
		out = append(out, v.chunk(`{"refusal":"I cannot"}`, "null"))
	}
	for i, call := range turn.Calls {
		out = append(out, v.call(i, call))
		for _, piece := range pieces(call.Arguments) {
			out = append(out, v.arguments(i, piece))
		}
	}
	return out
}

func (v openAIWords) text(text string) string { return v.chunk(`{"content":`+quoted(text)+`}`, "null") }

func (v openAIWords) call(index int, call Call) string {
	return v.chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%s,"arguments":""}}]}`, index, id(index), quoted(call.Name)), "null")
}

func (v openAIWords) arguments(index int, piece string) string {
	return v.chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, index, quoted(piece)), "null")
}

func (v openAIWords) nothing() string { return v.chunk(`{}`, "null") }

func (v openAIWords) end(turn Turn) []string {
	out := []string{v.chunk(`{}`, quoted(v.stop(turn)))}
	if !turn.NoUsage {
		out = append(out, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"toy-1-2026","choices":[],"usage":`+v.usage(turn)+"}\r\n\r\n")
	}
	return append(out, "data: [DONE]\n\n")
}

// anthropicWords is the format of messages.
type anthropicWords struct{}

func (anthropicWords) stop(turn Turn) string {
	switch {
	case turn.Stop != "":
		return turn.Stop
	case turn.Refuse:
		return "refusal"
	case len(turn.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func (anthropicWords) usage(turn Turn) string {
	if turn.NoUsage {
		return "{}"
	}
	return `{"input_tokens":90,"cache_creation_input_tokens":10,"cache_read_input_tokens":0,"output_tokens":20,"service_tier":"standard"}`
}

func (v anthropicWords) whole(turn Turn) string {
	var content []string
	if turn.Thought != "" {
		content = append(content, `{"type":"thinking","thinking":`+quoted(turn.Thought)+`,"signature":"s"}`)
	}
	if turn.Text != "" {
		content = append(content, `{"type":"text","text":`+quoted(turn.Text)+`}`)
	}
	for i, call := range turn.Calls {
		input := call.Arguments
		if !json.Valid([]byte(input)) {
			input = quoted(input)
		}
		content = append(content, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%s,"input":%s}`, id(i), quoted(call.Name), input))
	}
	return fmt.Sprintf(`{"id":"m","type":"message","role":"assistant","model":"toy-1-2026","content":[%s],"stop_reason":%q,"stop_sequence":null,"usage":%s}`,
		strings.Join(content, ","), v.stop(turn), v.usage(turn))
}

func (anthropicWords) event(name, members string) string {
	return "event: " + name + "\ndata: {\"type\":\"" + name + "\"" + members + "}\n\n"
}

func (v anthropicWords) begin(turn Turn) []string {
	usage := `{"input_tokens":90,"cache_creation_input_tokens":10,"output_tokens":1}`
	if turn.NoUsage {
		usage = "{}"
	}
	out := []string{
		v.event("message_start", `,"message":{"id":"m","type":"message","role":"assistant","model":"toy-1-2026","content":[],"stop_reason":null,"usage":`+usage+`}`),
		v.event("content_block_start", `,"index":1000,"content_block":{"type":"text","text":""}`),
		v.event("ping", ""),
	}
	for _, piece := range pieces(turn.Thought) {
		out = append(out, v.event("content_block_delta", `,"index":999,"delta":{"type":"thinking_delta","thinking":`+quoted(piece)+`}`))
	}
	for _, piece := range pieces(turn.Text) {
		out = append(out, v.text(piece))
	}
	out = append(out, v.event("content_block_stop", `,"index":1000`))
	for i, call := range turn.Calls {
		out = append(out, v.call(i, call))
		for _, piece := range pieces(call.Arguments) {
			out = append(out, v.arguments(i, piece))
		}
	}
	return out
}

func (v anthropicWords) text(text string) string {
	return v.event("content_block_delta", `,"index":1000,"delta":{"type":"text_delta","text":`+quoted(text)+`}`)
}

func (v anthropicWords) call(index int, call Call) string {
	return v.event("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":{"type":"tool_use","id":%q,"name":%s,"input":{}}`, index, id(index), quoted(call.Name)))
}

func (v anthropicWords) arguments(index int, piece string) string {
	return v.event("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":{"type":"input_json_delta","partial_json":%s}`, index, quoted(piece)))
}

func (v anthropicWords) nothing() string { return v.event("ping", "") }

func (v anthropicWords) end(turn Turn) []string {
	usage := `{"output_tokens":20}`
	if turn.NoUsage {
		usage = "{}"
	}
	return []string{
		v.event("message_delta", `,"delta":{"stop_reason":`+quoted(v.stop(turn))+`,"stop_sequence":null},"usage":`+usage),
		v.event("message_stop", ""),
	}
}
