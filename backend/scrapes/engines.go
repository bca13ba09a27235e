package scrapes

import (
	"context"
	"encoding/json"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/render"
)

// Renderer loads pages in a browser: a *render.Renderer.
type Renderer interface {
	// Available returns nil if a browser can be started.
	Available() error
	// Render's errors are *render.Error.
	Render(ctx context.Context, job render.Job) (*render.Result, error)
}

// Parsers turn pages into JSON, each as declared.
type Parsers interface {
	// Resolve returns the reference of the current version of id, or a problem if the team cannot use the parser.
	Resolve(ctx context.Context, teamID, id string) (reference string, err error)
	// Parse reads a page. document was extracted from source, with its Structured data.
	Parse(ctx context.Context, teamID, id string, source extract.Source, document *extract.Document) (json.RawMessage, error)
}

// Extractor extracts JSON from a page, by a schema or a prompt.
type Extractor interface {
	// Check returns the problem of a task that cannot be done on any page: an invalid schema, or a prompt without a
	// model that could read it.
	Check(task ExtractTask) error
	// Reads reports whether Extract reads the page again in this process, which takes memory; otherwise it waits for a model.
	Reads() bool
	// Extract does the task. document was extracted from source, with its Structured data.
	Extract(ctx context.Context, task ExtractTask, source extract.Source, document *extract.Document) (Extracted, error)
}

// Extracted is the result of an [Extractor].
type Extracted struct {
	JSON json.RawMessage
	// Read is how much of the page a model was given. Nil: no model was used, and all of it was read.
	Read *LLMRead
}

// ExtractTask is what llm_extract asks for: either Schema or Prompt.
type ExtractTask struct {
	// Schema is the JSON Schema of the result.
	Schema json.RawMessage
	// Prompt says in words what to extract.
	Prompt string
	// Wallet means that it is paid by x402, for which a model may use fewer tokens.
	Wallet bool
}
