package ask

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/websearch"
)

// World is the only access to the outside for a component that answers a task. It is safe for concurrent use, and
// enforces the limits of one answer. An error concerns one search or page; others may still work.
type World interface {
	// Search finds at most limit pages for a text, the best first. Finding none is not an error.
	Search(ctx context.Context, text string, limit int) ([]websearch.Result, error)
	// Open fetches and extracts a page by its absolute URL, or returns the earlier result. The source's Document is never
	// nil, and has Structured data for an HTML page. Named is set if the task names the URL.
	Open(ctx context.Context, url string) (*Source, error)
	// Given returns the context files in the task's order, with JSON set, and Document with that JSON as text. All are Named.
	Given() []*Source
}
