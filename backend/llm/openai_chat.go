package llm

import (
	"context"
	"encoding/json"
	"net/http"
)

type openAIChat struct {
	Model               string             `json:"model"`
	Messages            []openAITurn       `json:"messages"`
	Tools               []openAITool       `json:"tools,omitempty"`
	ToolChoice          string             `json:"tool_choice,omitempty"`
	MaxTokens           int                `json:"max_tokens,omitempty"`
	MaxCompletionTokens int                `json:"max_completion_tokens,omitempty"`
	ResponseFormat      *openAIFormat      `json:"response_format,omitempty"`
	Stream              bool               `json:"stream,omitempty"`
	StreamOptions       *openAIStreamUsage `json:"stream_options,omitempty"`
}

type openAIStreamUsage struct {
	IncludeUsage bool `json:"include_usage"`
}

// openAITurn is a message. Content is null if an assistant only calls tools.
type openAITurn struct {
	Role       string       `json:"role"`
	Content    *string      `json:"content"`
	ToolCalls  []openAICall `json:"tool_calls,omitempty"`
	ToolCallID string       `json:"tool_call_id,omitempty"`
}

type openAICall struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Function openAIFunction `json:"function"`
}

// openAIFunction has its arguments as JSON in a string.
type openAIFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type openAITool struct {
	Type     string         `json:"type"`
	Function openAIToolForm `json:"function"`
}

type openAIToolForm struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Chat implements Chatter.
func (o *openAI) Chat(ctx context.Context, request ChatRequest) (ChatReply, error) {
	if fault := request.fault(); fault != "" {
		return ChatReply{}, &Error{Reason: ReasonRefused, Message: fault}
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	schema, hasSchema := strict(request.Schema)
	how := o.first(Prompt{Schema: request.Schema}, hasSchema)
	renamed := false
	for {
		stream := (request.Stream || request.OnText != nil) && !o.noStream.Load()
		counted := stream && !o.noUsage.Load()
		reply, err := o.converse(ctx, request, schema, how, stream, counted)
		switch {
		case err == nil:
			return reply, nil
		case !renamed && complainsOf(err, "max_tokens", "max_completion_tokens"):
			o.completionTokens.Store(!o.completionTokens.Load())
			renamed = true
		case counted && complainsOf(err, "stream_options", "include_usage"):
			o.noUsage.Store(true)
		case stream && complainsOf(err, "stream"):
			o.noStream.Store(true)
		case how == formText || !refusesSchema(err) && !complainsOf(err, "response_format", "json_schema", "json_object"):
			return reply, err
		default:
			if !refusesSchema(err) {
				o.learn(how)
			}
			how++
		}
	}
}

func (o *openAI) converse(ctx context.Context, request ChatRequest, schema json.RawMessage, how form, stream, counted bool) (ChatReply, error) {
	body := openAIChat{Model: o.model, Messages: openAITurns(request), Stream: stream}
	if counted {
		body.StreamOptions = &openAIStreamUsage{IncludeUsage: true}
	}
	for _, tool := range request.Tools {
		body.Tools = append(body.Tools, openAITool{"function", openAIToolForm{tool.Name, tool.Description, tool.Schema}})
	}
	switch {
	case len(request.Tools) > 0 && len(request.Schema) > 0:
		body.ToolChoice = "none"
	case request.Must:
		body.ToolChoice = "required"
	}
	tokens := request.MaxTokens
	if tokens == 0 {
		tokens = o.maxTokens
	}
	if o.completionTokens.Load() {
		body.MaxCompletionTokens = tokens
	} else {
		body.MaxTokens = tokens
	}
	switch how {
	case formSchema:
		body.ResponseFormat = &openAIFormat{"json_schema", &openAIJSONSchema{Name: "answer", Strict: true, Schema: schema}}
	case formSecond:
		body.ResponseFormat = &openAIFormat{Type: "json_object"}
	case formText:
	}
	a, err := o.hear(ctx, body, stream, func() (*assembly, listener) {
		a := &assembly{tokensMax: 2 * tokens, onText: request.OnText}
		return a, &openAIListener{assembly: a, server: o.server, at: map[int]*callPieces{}}
	})
	return a.settle(request, err, o.model, o.prices), err
}

func openAITurns(request ChatRequest) []openAITurn {
	var turns []openAITurn
	if request.System != "" {
		turns = append(turns, openAITurn{Role: "system", Content: &request.System})
	}
	for _, m := range request.Messages {
		for _, result := range m.Results {
			text := result.Text
			if result.Failed {
				text = "Error: " + text
			}
			turns = append(turns, openAITurn{Role: "tool", Content: &text, ToolCallID: result.CallID})
		}
		turn := openAITurn{Role: string(m.Role)}
		for _, call := range m.Calls {
			turn.ToolCalls = append(turn.ToolCalls, openAICall{call.ID, "function", openAIFunction{call.Name, string(call.Arguments)}})
		}
		if m.Text != "" || len(turn.ToolCalls) == 0 {
			turn.Content = &m.Text
		}
		if m.Text != "" || len(turn.ToolCalls) > 0 || len(m.Results) == 0 {
			turns = append(turns, turn)
		}
	}
	return turns
}

// openAIListener reads chat completions, whole and in chunks, which place the message differently.
type openAIListener struct {
	*assembly

	server *server
	at     map[int]*callPieces
	last   *callPieces
}

type openAIChunk struct {
	Error   json.RawMessage `json:"error"`
	Model   string          `json:"model"`
	Choices []struct {
		Index        int         `json:"index"`
		FinishReason string      `json:"finish_reason"`
		Delta        openAIPiece `json:"delta"`
		Message      openAIPiece `json:"message"`
	} `json:"choices"`
	Usage struct {
		PromptTokens     int64 `json:"prompt_tokens"`
		CompletionTokens int64 `json:"completion_tokens"`
	} `json:"usage"`
}

// openAIPiece is a message or a piece of one. Servers use two names for reasoning.
type openAIPiece struct {
	Content          string `json:"content"`
	Refusal          string `json:"refusal"`
	Reasoning        string `json:"reasoning"`
	ReasoningContent string `json:"reasoning_content"`
	ToolCalls        []struct {
		Index    *int   `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (l *openAIListener) event(data []byte) (bool, *Error) {
	if string(data) == "[DONE]" {
		if !l.finished {
			return true, &Error{Reason: ReasonUnavailable, Message: "the stream ended before the reply was complete"}
		}
		return true, nil
	}
	return false, l.chunk(data)
}

func (l *openAIListener) whole(body []byte) *Error {
	if failure := l.chunk(body); failure != nil {
		return failure
	}
	if !l.finished {
		return &Error{Reason: ReasonUnavailable, Status: http.StatusOK, Message: "the response has no choices or is incomplete"}
	}
	return nil
}

func (l *openAIListener) chunk(data []byte) *Error {
	var chunk openAIChunk
	if json.Unmarshal(data, &chunk) != nil {
		return noJSON()
	}
	if len(chunk.Error) > 0 && string(chunk.Error) != "null" {
		return l.server.streamError(data)
	}
	if chunk.Model != "" {
		l.model = chunk.Model
	}
	if u := chunk.Usage; u.PromptTokens > 0 || u.CompletionTokens > 0 {
		l.usage = Usage{Input: plausible(u.PromptTokens), Output: plausible(u.CompletionTokens)}
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		for _, piece := range []openAIPiece{choice.Message, choice.Delta} {
			if failure := l.piece(piece); failure != nil {
				return failure
			}
		}
		switch choice.FinishReason {
		case "":
		case "content_filter":
			return filtered()
		case "length":
			return cut()
		default:
			l.finished = true
		}
	}
	return nil
}

func (l *openAIListener) piece(piece openAIPiece) *Error {
	if piece.Refusal != "" {
		return errorsFirst(l.count(piece.Refusal), filtered())
	}
	if failure := errorsFirst(l.count(piece.Reasoning), l.count(piece.ReasoningContent), l.write(piece.Content)); failure != nil {
		return failure
	}
	for _, part := range piece.ToolCalls {
		call := l.last
		switch {
		case part.Index != nil:
			// Some servers give every call the same index but an id of its own.
			if call = l.at[*part.Index]; call == nil || part.ID != "" && call.id != "" && part.ID != call.id {
				call = l.begin(part.ID, part.Function.Name)
				l.at[*part.Index] = call
			}
		case call == nil || part.ID != "":
			call = l.begin(part.ID, part.Function.Name)
		}
		if call.name == "" {
			call.name = part.Function.Name
		}
		l.last = call
		if failure := l.argue(call, argumentText(part.Function.Arguments)); failure != nil {
			return failure
		}
	}
	return nil
}

// argumentText is the string of arguments; some servers send the object itself.
func argumentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil || len(raw) == 0 {
		return text
	}
	return string(raw)
}

func errorsFirst(failures ...*Error) *Error {
	for _, failure := range failures {
		if failure != nil {
			return failure
		}
	}
	return nil
}
