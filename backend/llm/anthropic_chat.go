package llm

import (
	"context"
	"encoding/json"
	"net/http"
)

type anthropicChat struct {
	Model        string             `json:"model"`
	MaxTokens    int                `json:"max_tokens"`
	System       string             `json:"system,omitempty"`
	Messages     []anthropicTurn    `json:"messages"`
	OutputConfig *anthropicOutput   `json:"output_config,omitempty"`
	Tools        []anthropicTool    `json:"tools,omitempty"`
	ToolChoice   *anthropicToolName `json:"tool_choice,omitempty"`
	Stream       bool               `json:"stream,omitempty"`
}

type anthropicTurn struct {
	Role    string           `json:"role"`
	Content []anthropicBlock `json:"content"`
}

type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
}

// Chat implements Chatter.
func (a *anthropic) Chat(ctx context.Context, request ChatRequest) (ChatReply, error) {
	if fault := request.fault(); fault != "" {
		return ChatReply{}, &Error{Reason: ReasonRefused, Message: fault}
	}
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	schema, hasSchema := strict(request.Schema)
	if !hasSchema {
		schema = request.Schema
	}
	how := a.first(Prompt{Schema: request.Schema}, hasSchema)
	for {
		stream := (request.Stream || request.OnText != nil) && !a.noStream.Load()
		reply, err := a.converse(ctx, request, schema, how, stream)
		switch {
		case err == nil:
			return reply, nil
		case stream && complainsOf(err, "stream"):
			a.noStream.Store(true)
		case how == formText ||
			!refusesSchema(err) && !complainsOf(err, "output_config", "output_format", "structured output", "tool_choice", "input_schema"):
			return reply, err
		default:
			if !refusesSchema(err) {
				a.learn(how)
			}
			how++
		}
	}
}

func (a *anthropic) converse(ctx context.Context, request ChatRequest, schema json.RawMessage, how form, stream bool) (ChatReply, error) {
	body := anthropicChat{Model: a.model, MaxTokens: request.MaxTokens, System: request.System, Messages: anthropicTurns(request), Stream: stream}
	if body.MaxTokens == 0 {
		body.MaxTokens = a.maxTokens
	}
	for _, tool := range request.Tools {
		body.Tools = append(body.Tools, anthropicTool{Name: tool.Name, Description: tool.Description, InputSchema: tool.Schema})
	}
	switch {
	case len(request.Schema) > 0 && how == formSecond:
		body.Tools = append(body.Tools, anthropicTool{Name: answerTool, Description: "Gives the answer.", InputSchema: schema})
		body.ToolChoice = &anthropicToolName{Type: "tool", Name: answerTool}
	case len(request.Schema) > 0 && len(request.Tools) > 0:
		body.ToolChoice = &anthropicToolName{Type: "none"}
	case request.Must:
		body.ToolChoice = &anthropicToolName{Type: "any"}
	}
	if how == formSchema {
		body.OutputConfig = &anthropicOutput{anthropicFormat{Type: "json_schema", Schema: schema}}
	}
	heard, err := a.hear(ctx, body, stream, func() (*assembly, listener) {
		heard := &assembly{tokensMax: 2 * body.MaxTokens, onText: request.OnText}
		return heard, &anthropicListener{assembly: heard, server: a.server, at: map[int]*callPieces{}}
	})
	if len(request.Schema) > 0 {
		heard.objectFromTool()
	}
	return heard.settle(request, err, a.model, a.prices), err
}

// objectFromTool takes the object from the call of answerTool. There are no other calls then.
func (a *assembly) objectFromTool() {
	for _, call := range a.calls {
		if call.name == answerTool {
			a.text.Reset()
			a.text.WriteString(call.arguments.String())
		}
	}
	a.calls = nil
}

func anthropicTurns(request ChatRequest) []anthropicTurn {
	turns := make([]anthropicTurn, 0, len(request.Messages))
	for _, m := range request.Messages {
		var blocks []anthropicBlock
		for _, result := range m.Results {
			blocks = append(blocks, anthropicBlock{Type: "tool_result", ToolUseID: result.CallID, Content: result.Text, IsError: result.Failed})
		}
		if m.Text != "" {
			blocks = append(blocks, anthropicBlock{Type: "text", Text: m.Text})
		}
		for _, call := range m.Calls {
			blocks = append(blocks, anthropicBlock{Type: "tool_use", ID: call.ID, Name: call.Name, Input: call.Arguments})
		}
		if len(blocks) == 0 { // the API refuses a message without content
			blocks = append(blocks, anthropicBlock{Type: "text", Text: "(nothing)"})
		}
		turns = append(turns, anthropicTurn{string(m.Role), blocks})
	}
	return turns
}

// anthropicListener reads messages, whole and as events.
type anthropicListener struct {
	*assembly

	server *server
	at     map[int]*callPieces
}

type anthropicUsage struct {
	InputTokens              int64 `json:"input_tokens"`
	CacheCreationInputTokens int64 `json:"cache_creation_input_tokens"`
	CacheReadInputTokens     int64 `json:"cache_read_input_tokens"`
	OutputTokens             int64 `json:"output_tokens"`
}

type anthropicPart struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
}

type anthropicMessage struct {
	Model      string          `json:"model"`
	Content    []anthropicPart `json:"content"`
	StopReason string          `json:"stop_reason"`
	Usage      anthropicUsage  `json:"usage"`
}

type anthropicEvent struct {
	Type         string           `json:"type"`
	Index        int              `json:"index"`
	Message      anthropicMessage `json:"message"`
	ContentBlock anthropicPart    `json:"content_block"`
	Delta        struct {
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage anthropicUsage `json:"usage"`
}

func (l *anthropicListener) event(data []byte) (bool, *Error) {
	var e anthropicEvent
	if json.Unmarshal(data, &e) != nil {
		return false, noJSON()
	}
	switch e.Type {
	case "message_start":
		l.note(e.Message.Model, e.Message.Usage)
	case "content_block_start":
		return false, l.block(e.Index, e.ContentBlock)
	case "content_block_delta":
		if failure := errorsFirst(l.count(e.Delta.Thinking), l.write(e.Delta.Text)); failure != nil {
			return false, failure
		}
		if call := l.at[e.Index]; call != nil {
			return false, l.argue(call, e.Delta.PartialJSON)
		}
	case "message_delta":
		l.note("", e.Usage)
		if e.Delta.StopReason != "" {
			return false, l.stop(e.Delta.StopReason)
		}
	case "message_stop":
		if !l.finished {
			return true, &Error{Reason: ReasonUnavailable, Message: "the stream ended before the reply was complete"}
		}
		return true, nil
	case "error":
		return false, l.server.streamError(data)
	}
	return false, nil // pings, ends of blocks, and future events
}

// note keeps the largest counts: later ones are totals, and some events omit them.
func (l *anthropicListener) note(model string, u anthropicUsage) {
	if model != "" {
		l.model = model
	}
	l.usage.Input = max(l.usage.Input, plausible(u.InputTokens)+plausible(u.CacheCreationInputTokens)+plausible(u.CacheReadInputTokens))
	l.usage.Output = max(l.usage.Output, plausible(u.OutputTokens))
}

func (l *anthropicListener) block(index int, part anthropicPart) *Error {
	switch part.Type {
	case "text":
		return l.write(part.Text)
	case "thinking":
		return l.count(part.Thinking)
	case "tool_use":
		call := l.begin(part.ID, part.Name)
		l.at[index] = call
		if text := string(part.Input); text != "" && text != "{}" { // a stream sends it in pieces
			return l.argue(call, text)
		}
	}
	return nil
}

func (l *anthropicListener) stop(reason string) *Error {
	switch reason {
	case "refusal":
		return filtered()
	case "max_tokens", "model_context_window_exceeded":
		return cut()
	}
	l.finished = true
	return nil
}

func (l *anthropicListener) whole(body []byte) *Error {
	var message anthropicMessage
	if json.Unmarshal(body, &message) != nil {
		return noJSON()
	}
	l.note(message.Model, message.Usage)
	for i, part := range message.Content {
		if failure := l.block(i, part); failure != nil {
			return failure
		}
	}
	if message.StopReason == "" {
		return &Error{Reason: ReasonUnavailable, Status: http.StatusOK, Message: "the response is not a complete message"}
	}
	return l.stop(message.StopReason)
}
