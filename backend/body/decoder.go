package body

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/problem"
)

// Decoder reads the body of one operation, which is a T. The zero value is not for use: NewDecoder makes it.
type Decoder[T any] struct {
	registry huma.Registry
	schema   *huma.Schema
	raw      []string
}

// NewDecoder makes a Decoder. raw names fields that the schema leaves to the operation to check, and that may be most of
// the body: they are not parsed for the schema.
func NewDecoder[T any](raw ...string) *Decoder[T] {
	d := &Decoder[T]{registry: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer), raw: raw}
	d.schema = d.registry.Schema(reflect.TypeFor[T](), true, "Request")
	return d
}

// Decode reads a body that nothing but its being JSON is known of, by the schema of the operation. Errors are problems.
func (d *Decoder[T]) Decode(body []byte) (*T, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, problem.Validation(problem.Fault{Loc: []any{"body"}, Msg: "is empty: send a JSON object", Type: problem.FaultMissing})
	}
	noObject := problem.Validation(problem.Fault{Loc: []any{"body"}, Msg: "must be a JSON object with the fields of this operation", Type: problem.FaultInvalid})
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields == nil {
		return nil, noObject
	}
	parsed := make(map[string]any, len(fields))
	for name, raw := range fields {
		var value any
		if !slices.Contains(d.raw, name) && json.Unmarshal(raw, &value) != nil {
			return nil, noObject
		}
		parsed[name] = value
	}
	var found huma.ValidateResult
	path := huma.NewPathBuffer([]byte{}, 0)
	path.Push("body")
	huma.Validate(d.registry, d.schema, path, huma.ModeWriteToServer, parsed, &found)
	if len(found.Errors) > 0 {
		return nil, huma.NewError(http.StatusBadRequest, "", Explain(d.registry, d.schema, found.Errors)...)
	}
	r := new(T)
	if json.Unmarshal(body, r) != nil {
		return nil, noObject
	}
	return r, nil
}
