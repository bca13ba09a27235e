package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
)

const (
	anthropicVersion = "2023-06-01"
	// answerTool is the tool that makes older models reply with JSON. It does nothing.
	answerTool = "answer"
)

// anthropic is a client of Anthropic's messages API.
type anthropic struct {
	*server
	capabilities
	model     string
	maxTokens int
	prices    Prices
	// noStream is set if the server cannot stream.
	noStream atomic.Bool
}

func newAnthropic(c Config) *anthropic {
	if c.URL == "" {
		c.URL = anthropicURL
	}
	header := http.Header{"Anthropic-Version": {anthropicVersion}}
	if c.Key != "" {
		header.Set("X-Api-Key", c.Key)
	}
	endpoint := strings.TrimSuffix(c.URL, "/v1") + "/v1/messages"
	return &anthropic{server: newServer(c, endpoint, header), model: c.Model, maxTokens: c.MaxTokens, prices: c.Prices}
}

type anthropicRequest struct {
	Model        string             `json:"model"`
	MaxTokens    int                `json:"max_tokens"`
	System       string             `json:"system,omitempty"`
	Messages     []openAIMessage    `json:"messages"`
	OutputConfig *anthropicOutput   `json:"output_config,omitempty"`
	Tools        []anthropicTool    `json:"tools,omitempty"`
	ToolChoice   *anthropicToolName `json:"tool_choice,omitempty"`
}

type anthropicOutput struct {
	Format anthropicFormat `json:"format"`
}

type anthropicFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type anthropicToolName struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

type anthropicReply struct {
	Model   string `json:"model"`
	Content []struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	} `json:"content"`
	StopReason string `json:"stop_reason"`
	Usage      struct {
		InputTokens              int64 `json:"input_tokens"`
		CacheCreationInputTokens int64 `json:"cache_creation_input_tokens"`
		CacheReadInputTokens     int64 `json:"cache_read_input_tokens"`
		OutputTokens             int64 `json:"output_tokens"`
	} `json:"usage"`
}

// Complete implements Model.
func (a *anthropic) Complete(ctx context.Context, prompt Prompt) (Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	schema, hasSchema := strict(prompt.Schema)
	if !hasSchema {
		// The input of a tool may be any object.
		schema = json.RawMessage(`{"type":"object"}`)
		if len(prompt.Schema) > 0 {
			schema = prompt.Schema
		}
	}
	how := a.first(prompt, hasSchema)
	for {
		reply, err := a.ask(ctx, prompt, schema, how)
		if how == formText ||
			!refusesSchema(err) && !complainsOf(err, "output_config", "output_format", "structured output", "tool_choice", "tools", "input_schema") {
			return reply, err
		}
		if !refusesSchema(err) {
			a.learn(how)
		}
		how++
	}
}

func (a *anthropic) ask(ctx context.Context, prompt Prompt, schema json.RawMessage, how form) (Reply, error) {
	request := anthropicRequest{
		Model: a.model, MaxTokens: prompt.MaxTokens, System: prompt.System, Messages: []openAIMessage{{"user", prompt.User}},
	}
	if request.MaxTokens == 0 {
		request.MaxTokens = a.maxTokens
	}
	switch how {
	case formSchema:
		request.OutputConfig = &anthropicOutput{anthropicFormat{Type: "json_schema", Schema: schema}}
	case formSecond:
		request.Tools = []anthropicTool{{Name: answerTool, Description: "Gives the answer.", InputSchema: schema}}
		request.ToolChoice = &anthropicToolName{Type: "tool", Name: answerTool}
	case formText:
	}
	var answer anthropicReply
	if err := a.post(ctx, request, &answer); err != nil {
		return Reply{}, err
	}
	return a.read(answer)
}

func (a *anthropic) read(answer anthropicReply) (Reply, error) {
	usage := answer.Usage
	reply := Reply{
		Usage: Usage{Input: usage.InputTokens + usage.CacheCreationInputTokens + usage.CacheReadInputTokens, Output: usage.OutputTokens},
		Model: answer.Model,
	}
	if reply.Model == "" {
		reply.Model = a.model
	}
	reply.Cost = a.prices.Of(reply.Usage)
	var text strings.Builder
	for _, block := range answer.Content {
		switch {
		case block.Type == "tool_use" && block.Name == answerTool:
			text.Reset()
			text.Write(block.Input)
		case block.Type == "text":
			text.WriteString(block.Text)
		}
	}
	reply.Text = text.String()
	switch answer.StopReason {
	case "refusal":
		return reply, filtered()
	case "max_tokens", "model_context_window_exceeded":
		return reply, cut()
	}
	if len(answer.Content) == 0 {
		return reply, &Error{Reason: ReasonUnavailable, Status: http.StatusOK, Message: "the response has no content"}
	}
	return reply, nil
}
