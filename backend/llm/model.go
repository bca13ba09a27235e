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

// Prompt is a question.
type Prompt struct {
	// System is what the operator of this service wants. Nothing of callers or of pages belongs there.
	System string
	// User is the task and the material.
	User string
	// Schema makes servers that can answer with JSON of this schema, or of what they support of it. Others do not see
	// it: the prompt should say it too, and the reply must be validated in any case.
	Schema json.RawMessage
	// JSON asks for a JSON object where there is no Schema. The prompt must have the word JSON in it.
	JSON bool
	// MaxTokens ends the reply. 0: the model's configured figure.
	MaxTokens int
}

// Reply is a model's answer.
type Reply struct {
	Text  string
	Usage Usage
	// Model is the name by which the server calls the model that answered.
	Model string
	// Cost is what Usage costs by the configured prices.
	Cost MicroUSD
}

// Client is a model that completes prompts and holds conversations.
type Client interface {
	Model
	Chatter
}

// Usage counts tokens, as the server does.
type Usage struct{ Input, Output int64 }

// Add returns the sum.
func (u Usage) Add(other Usage) Usage {
	return Usage{Input: u.Input + other.Input, Output: u.Output + other.Output}
}
