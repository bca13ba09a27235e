package llmdouble

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/turnpike-edge/turnpike/backend/llm"
)

// decodeStrictly refuses fields that the API does not have.
func decodeStrictly(body []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// openAIBody has all fields that a request may have.
type openAIBody struct {
	Model    string `json:"model"`
	Messages []struct {
		Role       string  `json:"role"`
		Content    *string `json:"content"`
		ToolCallID string  `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Type     string `json:"type"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	ToolChoice          string          `json:"tool_choice"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	ResponseFormat      json.RawMessage `json:"response_format"`
	Stream              bool            `json:"stream"`
	StreamOptions       *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

func readOpenAI(r *http.Request, body []byte) (Request, string) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+Key {
		return Request{}, "unknown path or wrong key"
	}
	var in openAIBody
	if err := decodeStrictly(body, &in); err != nil {
		return Request{}, err.Error()
	}
	out := Request{
		Must: in.ToolChoice == "required", Object: in.ResponseFormat != nil, Stream: in.Stream, MaxTokens: max(in.MaxTokens, in.MaxCompletionTokens),
	}
	for _, tool := range in.Tools {
		out.Tools = append(out.Tools, tool.Function.Name)
	}
	var open []string
	for _, m := range in.Messages {
		text := ""
		if m.Content != nil {
			text = *m.Content
		}
		if m.Role != "tool" && len(open) > 0 {
			return out, "calls without results: " + fmt.Sprint(open)
		}
		switch m.Role {
		case "system":
			out.System = text
		case "tool":
			if len(open) == 0 || !slices.Contains(open, m.ToolCallID) {
				return out, "a result without its call: " + m.ToolCallID
			}
			open = slices.DeleteFunc(open, func(id string) bool { return id == m.ToolCallID })
			out.result(llm.ToolResult{CallID: m.ToolCallID, Text: text})
		case "user":
			out.Messages = append(out.Messages, llm.Message{Role: llm.RoleUser, Text: text})
		case "assistant":
			turn := llm.Message{Role: llm.RoleAssistant, Text: text}
			if m.Content == nil && len(m.ToolCalls) == 0 {
				return out, "an empty assistant message"
			}
			for _, call := range m.ToolCalls {
				turn.Calls = append(turn.Calls, llm.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: json.RawMessage(call.Function.Arguments)})
				open = append(open, call.ID)
			}
			out.Messages = append(out.Messages, turn)
		default:
			return out, "role " + m.Role
		}
	}
	return out, out.fault(open)
}

// result adds a result to the message with the other results.
func (r *Request) result(result llm.ToolResult) {
	last := len(r.Messages) - 1
	if last < 0 || r.Messages[last].Role != llm.RoleUser {
		r.Messages = append(r.Messages, llm.Message{Role: llm.RoleUser})
		last++
	}
	r.Messages[last].Results = append(r.Messages[last].Results, result)
}

// fault describes a request that both APIs refuse; "" if there is no fault.
func (r *Request) fault(open []string) string {
	if len(open) > 0 {
		return "calls without results at the end"
	}
	if len(r.Messages) == 0 || r.Messages[0].Role != llm.RoleUser || r.Last().Role != llm.RoleUser {
		return "a conversation must begin and end with a user message"
	}
	if r.MaxTokens <= 0 {
		return "no token limit"
	}
	for _, m := range r.Messages {
		ids := map[string]bool{}
		for _, call := range m.Calls {
			var members map[string]any
			if call.ID == "" || ids[call.ID] || call.Name == "" || json.Unmarshal(call.Arguments, &members) != nil || members == nil {
				return fmt.Sprintf("an invalid call: %+v", call)
			}
			ids[call.ID] = true
		}
		if len(m.Calls) > 0 && len(r.Tools) == 0 {
			return "calls in a conversation without tools"
		}
	}
	return ""
}

// anthropicBody has all fields that a request may have.
type anthropicBody struct {
	Model     string `json:"model"`
	MaxTokens int    `json:"max_tokens"`
	System    string `json:"system"`
	Messages  []struct {
		Role    string `json:"role"`
		Content []struct {
			Type      string          `json:"type"`
			Text      string          `json:"text"`
			ID        string          `json:"id"`
			Name      string          `json:"name"`
			Input     json.RawMessage `json:"input"`
			ToolUseID string          `json:"tool_use_id"`
			Content   string          `json:"content"`
			IsError   bool            `json:"is_error"`
		} `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	ToolChoice *struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
	OutputConfig json.RawMessage `json:"output_config"`
	Stream       bool            `json:"stream"`
}

func readAnthropic(r *http.Request, body []byte) (Request, string) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" || r.Header.Get("X-Api-Key") != Key || r.Header.Get("Anthropic-Version") == "" {
		return Request{}, "unknown path, wrong key or no version"
	}
	var in anthropicBody
	if err := decodeStrictly(body, &in); err != nil {
		return Request{}, err.Error()
	}
	out := Request{System: in.System, Object: in.OutputConfig != nil, Stream: in.Stream, MaxTokens: in.MaxTokens}
	if in.ToolChoice != nil {
		out.Must, out.Object = in.ToolChoice.Type == "any", out.Object || in.ToolChoice.Type == "tool"
	}
	for _, tool := range in.Tools {
		out.Tools = append(out.Tools, tool.Name)
	}
	var open []string
	for i, m := range in.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want || len(m.Content) == 0 {
			return out, fmt.Sprintf("message %d has the wrong role %s, or is empty", i, m.Role)
		}
		turn := llm.Message{Role: llm.Role(m.Role)}
		answered := 0
		for _, block := range m.Content {
			switch block.Type {
			case "text":
				if block.Text == "" {
					return out, "text content blocks must be non-empty"
				}
				turn.Text += block.Text
			case "tool_use":
				turn.Calls = append(turn.Calls, llm.ToolCall{ID: block.ID, Name: block.Name, Arguments: block.Input})
			case "tool_result":
				if !slices.Contains(open, block.ToolUseID) || turn.Text != "" {
					return out, "a result without its call, or after text: " + block.ToolUseID
				}
				answered++
				turn.Results = append(turn.Results, llm.ToolResult{CallID: block.ToolUseID, Text: block.Content, Failed: block.IsError})
			default:
				return out, "a block of type " + block.Type
			}
		}
		if answered != len(open) {
			return out, "calls without results: " + fmt.Sprint(open)
		}
		open = nil
		for _, call := range turn.Calls {
			open = append(open, call.ID)
		}
		out.Messages = append(out.Messages, turn)
	}
	return out, out.fault(open)
}
