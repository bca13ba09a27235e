package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
)

// Chatter holds conversations in which the model may ask for tools. It is safe for concurrent use.
type Chatter interface {
	// Chat asks for the next message. Errors are *Error, or wrap context.Canceled. The reply has its Usage whatever the
	// error is. A reply that was cut at its bound of tokens is an error with ReasonTooLong and has what came until then.
	Chat(ctx context.Context, request ChatRequest) (ChatReply, error)
}

// ChatRequest is a conversation so far. A server keeps none: each request has all of it.
type ChatRequest struct {
	// System is what the operator of this service wants. Nothing of callers or of pages belongs there.
	System string
	// Messages are the conversation. The first and the last are the user's.
	Messages []Message
	// Tools are what the model may ask for; they stay the same through a conversation.
	Tools []Tool
	// Must makes the model use a tool rather than write.
	Must bool
	// Schema makes the reply a JSON object instead, and no tools can be asked for; ChatReply.Object has it. As with
	// Prompt.Schema the prompt should say it too, and the object must be validated in any case.
	Schema json.RawMessage
	// MaxTokens ends the reply. 0: the model's configured figure.
	MaxTokens int
	// Stream takes the reply as it is written, where the server can do so, and cuts one that does not end.
	Stream bool
	// OnText is told the text as it is written; with it there is a Stream. After the first text nothing is tried again.
	OnText func(delta string)
}

// Role is whose message it is.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is a part of a conversation.
type Message struct {
	Role Role
	Text string
	// Calls are what the assistant asks for.
	Calls []ToolCall
	// Results are what came of the calls of the message before, one of each; they are the user's.
	Results []ToolResult
}

// Tool is something that the model can ask for.
type Tool struct {
	// Name is of letters, digits, _ and -, 64 at most.
	Name        string
	Description string
	// Schema is of the arguments, which are an object.
	Schema json.RawMessage
}

// ToolCall is a model's wish. It is always fit to be sent back as part of the conversation.
type ToolCall struct {
	// ID is unique within the reply.
	ID   string
	Name string
	// Arguments are a JSON object, and nobody has held them against the tool's schema.
	Arguments json.RawMessage
	// Fault says what was wrong with the call; Arguments are empty then. It is fit to be told the model.
	Fault string
}

// ToolResult is what came of a call.
type ToolResult struct {
	CallID, Text string
	// Failed marks an error.
	Failed bool
}

// ChatReply is the assistant's next message.
type ChatReply struct {
	Text  string
	Calls []ToolCall
	// Object is what a request with a Schema asks for; nil where the text holds no JSON object.
	Object json.RawMessage
	Usage  Usage
	// Estimated reports that Usage is our own count, since the server gave none.
	Estimated bool
	Model     string
	Cost      MicroUSD
}

// Message returns the reply as a part of the conversation.
func (r ChatReply) Message() Message {
	return Message{Role: RoleAssistant, Text: r.Text, Calls: r.Calls}
}

// Tokens guesses how many tokens the request has; see EstimateTokens.
func (r ChatRequest) Tokens() int {
	const each = 8 // for roles, ids and what else stands around a message
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

// fault says what no server would take.
func (r ChatRequest) fault() string {
	switch {
	case len(r.Messages) == 0 || r.Messages[len(r.Messages)-1].Role != RoleUser:
		return "a conversation must end with the user"
	case r.Must && (len(r.Tools) == 0 || len(r.Schema) > 0):
		return "a reply that must use a tool needs tools, and no schema"
	}
	for _, tool := range r.Tools {
		if !toolName.MatchString(tool.Name) {
			return fmt.Sprintf("%.40q is no name of a tool", tool.Name)
		}
	}
	return ""
}
