package scrapes

import (
	"context"
	"encoding/json"

	"github.com/turnpike-edge/turnpike/backend/extract"
	"github.com/turnpike-edge/turnpike/backend/render"
)

// Renderer loads pages in a browser: a *render.Renderer.
type Renderer interface {
	// Available is nil if there is a browser to start.
	Available() error
	// Render's errors are *render.Error.
	Render(ctx context.Context, job render.Job) (*render.Result, error)
}

// Parsers turn pages into JSON, each as it was declared.
type Parsers interface {
	// Resolve returns the reference of the version that id names now, or the problem of a parser that the team cannot use.
	Resolve(ctx context.Context, teamID, id string) (reference string, err error)
	// Parse reads a page. document is what was made of source, with its Structured data.
	Parse(ctx context.Context, teamID, id string, source extract.Source, document *extract.Document) (json.RawMessage, error)
}

// Extractor makes of a page the JSON that a schema or a prompt asks for.
type Extractor interface {
	// Check returns the problem of a task that cannot be done on any page: a schema that is none, or a prompt where
	// there is no model that could read it.
	Check(task ExtractTask) error
	// Reads reports whether Extract reads the page again, here, which takes memory; else it waits for somebody.
	Reads() bool
	// Extract does the task. document is what was made of source, with its Structured data.
	Extract(ctx context.Context, task ExtractTask, source extract.Source, document *extract.Document) (Extracted, error)
}

// Extracted is what an [Extractor] made of a page.
type Extracted struct {
	JSON json.RawMessage
	// Read is how much of the page a model was given. Nil: none was asked, and all of it was read.
	Read *LLMRead
}

// ExtractTask is what llm_extract asks for: one of the two.
type ExtractTask struct {
	// Schema is the JSON Schema of the result.
	Schema json.RawMessage
	// Prompt says in words what to extract.
	Prompt string
	// Wallet says that a payment by x402 is all that is had for it, for which a model may use less.
	Wallet bool
}
