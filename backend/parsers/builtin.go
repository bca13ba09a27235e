package parsers

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// runner is a parser that can run: a definition or a built-in one.
type runner interface {
	do(ctx context.Context, source extract.Source, document *extract.Document) (*outcome, error)
}

// builtIn is a parser that ships with the service. A change of its results that could break readers becomes a new version
// beside the old one.
type builtIn struct {
	name        string
	version     int
	description string
	raw         json.RawMessage // the schema as published
	schema      *schema
	needs       needs
	// parse returns the result, or the reason why the parser does not apply to the page.
	parse func(r *run) (map[string]any, string, error)
}

//go:embed schemas/*.json
var schemaFiles embed.FS

// newBuiltIns returns the built-in parsers in list order. The error is of the embedded schemas.
func newBuiltIns() ([]*builtIn, error) {
	all := []*builtIn{
		{
			name: "article", description: "The main content: title, authors, dates, text, markdown, sections.",
			needs: needs{structured: true, mainContent: true}, parse: parseArticle,
		},
		{name: "links", description: "The links: URL, text, rel, part of the page, heading.", needs: needs{structured: true}, parse: parseLinks},
		{
			name: "metadata", description: "The page's metadata: meta elements, OpenGraph, languages, feeds.",
			needs: needs{tree: true, structured: true}, parse: parseMetadata,
		},
		{
			name: "product", description: "The product: name, brand, identifiers, price, availability, rating, images, offers, variants.",
			needs: needs{tree: true, structured: true}, parse: parseProduct,
		},
		{name: "tables", description: "The data tables: caption, header, rows.", needs: needs{structured: true}, parse: parseTables},
	}
	for _, b := range all {
		raw, err := schemaFiles.ReadFile("schemas/" + b.name + ".json")
		if err != nil {
			return nil, fmt.Errorf("reading the schema of %s: %w", b.name, err)
		}
		c := &compiler{}
		b.schema = c.schema(raw, []any{b.name})
		if len(c.faults) > 0 {
			return nil, fmt.Errorf("reading the schema of %s: %s", b.name, c.faults[0])
		}
		b.raw, b.version, b.name = raw, 1, ownPrefix+b.name
	}
	return all, nil
}

func (b *builtIn) do(ctx context.Context, source extract.Source, document *extract.Document) (*outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeMax, errSteps)
	defer cancel()
	r, err := newRun(ctx, b.needs, source, document)
	if err != nil {
		return nil, err
	}
	result, lack, err := b.parse(r)
	if err != nil {
		return nil, limitOf(ctx, err)
	}
	if lack != "" {
		return &outcome{faults: []resultFault{{msg: lack}}}, nil
	}
	out := &outcome{}
	return out, out.check(result, b.schema, countValues(result))
}

func countValues(value any) int {
	n := 1
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			n += countValues(inner)
		}
	case []any:
		for _, inner := range v {
			n += countValues(inner)
		}
	}
	return n
}

func textOrNil(s string) any {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	return s
}

// listOf is a JSON list, never null.
func listOf[T any](values []T) []any {
	list := make([]any, len(values))
	for i, value := range values {
		list[i] = value
	}
	return list
}
