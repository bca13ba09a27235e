package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/backend/answers/reader"
	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

// fill has each page fill the schemas of its tasks out of fold, with descriptions or bare, as a scrape does without a language model. It
// returns also how much processor time a schema takes.
func (e *evaluation) fill(ctx context.Context, bare bool) (*score, time.Duration, error) {
	s, n, used := newScore(), 0, processorTime()
	for _, p := range e.pages {
		r := reader.New(&e.models[p.fold])
		for _, task := range p.Tasks {
			written, err := schemaOf(task.Fields, bare)
			if err != nil {
				return nil, 0, err
			}
			schema, err := jsonschema.CompileObject(written)
			if err != nil {
				return nil, 0, fmt.Errorf("page %s: %w", p.ID, err)
			}
			filled, err := r.Fill(ctx, schema, p.source.Page, p.source.Document)
			if err != nil {
				return nil, 0, fmt.Errorf("page %s: %w", p.ID, err)
			}
			var values map[string]any
			d := json.NewDecoder(bytes.NewReader(filled))
			d.UseNumber()
			if err := d.Decode(&values); err != nil {
				return nil, 0, fmt.Errorf("page %s: %w", p.ID, err)
			}
			n++
			for i := range task.Fields {
				s.add(p, &task.Fields[i], values[task.Fields[i].Name])
			}
		}
	}
	return s, (processorTime() - used) / time.Duration(n), nil
}
