package llm

import (
	"context"
	"encoding/json"
)

// Model completes prompts. It is safe for concurrent use.
type Model interface {
	// Complete asks once. Errors are *Error, or wrap context.Canceled.
	Complete(ctx context.Context, prompt Prompt) (Reply, error)
}

// Prompt is a prompt without a conversation.
type Prompt struct {
	// System is the operator's instructions. It must not contain text of clients or pages.
	System string
	// User is the task and the material.
	User string
	// Schema makes servers that can do so reply with JSON of this schema, or of the part that they support. Others do not
	// see it, so the prompt should repeat it, and the reply must be validated in any case.
	Schema json.RawMessage
	// JSON asks for a JSON object if there is no Schema. The prompt must contain the word JSON.
	JSON bool
	// MaxTokens limits the reply. 0: the model's configured limit.
	MaxTokens int
}

// Reply is a model's reply.
type Reply struct {
	Text  string
	Usage Usage
	// Model is the server's name of the model that answered.
	Model string
	// Cost is what Usage costs at the configured prices.
	Cost MicroUSD
}

// Client is a model that completes prompts and holds conversations.
type Client interface {
	Model
	Chatter
}

// Usage counts tokens as the server does.
type Usage struct{ Input, Output int64 }

// Add returns the sum.
func (u Usage) Add(other Usage) Usage {
	return Usage{Input: u.Input + other.Input, Output: u.Output + other.Output}
}
