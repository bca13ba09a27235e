package rules

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// Runner is a parser that can run: a definition or a built-in one.
type Runner interface {
	Do(ctx context.Context, source extract.Source, document *extract.Document) (*Outcome, error)
}

// BuiltIn is a parser that ships with the service. A change of its results that could break readers becomes a new version
// beside the old one.
type BuiltIn struct {
	Name        string
	Version     int
	Description string
	SchemaJSON  json.RawMessage // the schema as published
	schema      *schema
	needs       needs
	// parse returns the result, or the reason why the parser does not apply to the page.
	parse func(r *run) (map[string]any, string, error)
}

// OwnPrefix begins the names of built-in parsers.
const OwnPrefix = "@turnpike/"

//go:embed schemas/*.json
var schemaFiles embed.FS

// BuiltIns returns the built-in parsers in list order. The error is of the embedded schemas.
func BuiltIns() ([]*BuiltIn, error) {
	all := []*BuiltIn{
		{
			Name: "article", Description: "The main content: title, authors, dates, text, markdown, sections.",
			needs: needs{structured: true, mainContent: true}, parse: parseArticle,
		},
		{Name: "links", Description: "The links: URL, text, rel, part of the page, heading.", needs: needs{structured: true}, parse: parseLinks},
		{
			Name: "metadata", Description: "The page's metadata: meta elements, OpenGraph, languages, feeds.",
			needs: needs{tree: true, structured: true}, parse: parseMetadata,
		},
		{
			Name: "product", Description: "The product: name, brand, identifiers, price, availability, rating, images, offers, variants.",
			needs: needs{tree: true, structured: true}, parse: parseProduct,
		},
		{Name: "tables", Description: "The data tables: caption, header, rows.", needs: needs{structured: true}, parse: parseTables},
	}
	for _, b := range all {
		raw, err := schemaFiles.ReadFile("schemas/" + b.Name + ".json")
		if err != nil {
			return nil, fmt.Errorf("reading the schema of %s: %w", b.Name, err)
		}
		c := &Compiler{}
		b.schema = c.schema(raw, []any{b.Name})
		if len(c.Faults) > 0 {
			return nil, fmt.Errorf("reading the schema of %s: %s", b.Name, c.Faults[0])
		}
		b.SchemaJSON, b.Version, b.Name = raw, 1, OwnPrefix+b.Name
	}
	return all, nil
}

// Do implements [Runner].
func (b *BuiltIn) Do(ctx context.Context, source extract.Source, document *extract.Document) (*Outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, TimeMax, ErrSteps)
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
		return &Outcome{Faults: []Fault{{Msg: lack}}}, nil
	}
	out := &Outcome{}
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
