package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
)

// Chatter holds conversations in which the model may call tools. It is safe for concurrent use.
type Chatter interface {
	// Chat asks for the next message. Errors are *Error, or wrap context.Canceled. The reply has its Usage even if there
	// is an error. A reply that was cut at its token limit is an error with ReasonTooLong, and has the text so far.
	Chat(ctx context.Context, request ChatRequest) (ChatReply, error)
}

// ChatRequest is a conversation so far. Servers store none: each request contains all of it.
type ChatRequest struct {
	// System is the operator's instructions. It must not contain text of clients or pages.
	System string
	// Messages are the conversation. The first and the last are the user's.
	Messages []Message
	// Tools are the tools that the model may call; they stay the same throughout a conversation.
	Tools []Tool
	// Must forces the model to call a tool rather than write text.
	Must bool
	// Schema makes the reply a JSON object, without tool calls; ChatReply.Object has it. As with Prompt.Schema, the
	// prompt should repeat it, and the object must be validated in any case.
	Schema json.RawMessage
	// MaxTokens limits the reply. 0: the model's configured limit.
	MaxTokens int
	// Stream reads the reply while it is written, if the server can stream, and cuts one that does not end.
	Stream bool
	// OnText receives the text as it is written, and implies Stream. After the first text there are no retries.
	OnText func(delta string)
}

// Role is the author of a message.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is a message of a conversation.
type Message struct {
	Role Role
	Text string
	// Calls are the tools that the assistant calls.
	Calls []ToolCall
	// Results are the results of the previous message's calls, one for each; they are the user's.
	Results []ToolResult
}

// Tool is a tool that the model can call.
type Tool struct {
	// Name consists of at most 64 letters, digits, _ and -.
	Name        string
	Description string
	// Schema is the JSON Schema of the arguments, which are an object.
	Schema json.RawMessage
}

// ToolCall is a model's call of a tool. It can always be sent back as part of the conversation.
type ToolCall struct {
	// ID is unique within the reply.
	ID   string
	Name string
	// Arguments are a JSON object, not yet validated against the tool's schema.
	Arguments json.RawMessage
	// Fault says what was wrong with the call; Arguments are empty then. It may be sent to the model.
	Fault string
}

// ToolResult is the result of a call.
type ToolResult struct {
	CallID, Text string
	// Failed marks an error.
	Failed bool
}

// ChatReply is the assistant's next message.
type ChatReply struct {
	Text  string
	Calls []ToolCall
	// Object is the object for a request with a Schema; nil if the text contains no JSON object.
	Object json.RawMessage
	Usage  Usage
	// Estimated reports that Usage is estimated, because the server gave none.
	Estimated bool
	Model     string
	Cost      MicroUSD
}

// Message returns the reply as a message of the conversation.
func (r ChatReply) Message() Message {
	return Message{Role: RoleAssistant, Text: r.Text, Calls: r.Calls}
}

// Tokens estimates the tokens of the request; see EstimateTokens.
func (r ChatRequest) Tokens() int {
	const each = 8 // for roles, ids and other parts of a message
	sum := EstimateTokens(r.System) + EstimateTokens(string(r.Schema)) + each
	for _, m := range r.Messages {
		sum += EstimateTokens(m.Text) + each
		for _, c := range m.Calls {
			sum += EstimateTokens(c.Name) + EstimateTokens(string(c.Arguments)) + each
		}
		for _, result := range m.Results {
			sum += EstimateTokens(result.Text) + each
		}
	}
	for _, t := range r.Tools {
		sum += EstimateTokens(t.Name) + EstimateTokens(t.Description) + EstimateTokens(string(t.Schema)) + each
	}
	return sum
}

var (
	toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	callID   = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)
)

// fault describes a request that every server would refuse; "" if there is no fault.
func (r ChatRequest) fault() string {
	switch {
	case len(r.Messages) == 0 || r.Messages[len(r.Messages)-1].Role != RoleUser:
		return "a conversation must end with a user message"
	case r.Must && (len(r.Tools) == 0 || len(r.Schema) > 0):
		return "a reply that must use a tool needs tools and cannot have a schema"
	}
	for _, tool := range r.Tools {
		if !toolName.MatchString(tool.Name) {
			return fmt.Sprintf("%.40q is not a valid tool name", tool.Name)
		}
	}
	return ""
}
