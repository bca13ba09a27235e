package ask

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/websearch"
)

// World is what an answer may be taken from: whoever answers a task sees the outside through it only. It is safe for
// concurrent use, counts what is opened, and holds it to the limits of one answer; its errors are those of one search or
// one page, after which others may still do.
type World interface {
	// Search finds pages by words, at most limit of them, the best first. None at all is no error.
	Search(ctx context.Context, text string, limit int) ([]websearch.Result, error)
	// Open fetches and reads a page by its absolute URL, or returns what it read of it before. The source's Document is
	// never nil, and has its Structured data where it is an HTML page. Named is set where the task names the URL.
	Open(ctx context.Context, url string) (*Source, error)
	// Given are the context files, in the task's order, with JSON set, and Document too, which holds that JSON as text.
	// All are Named.
	Given() []*Source
}
