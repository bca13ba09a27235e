package decode

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// Decoder reads the body of one operation into a T. Use NewDecoder: the zero value does not work.
type Decoder[T any] struct {
	registry huma.Registry
	schema   *huma.Schema
	raw      map[string]func(*T) json.Unmarshaler
}

// NewDecoder makes a Decoder. raw lists fields that the operation checks instead of the schema, and that may be most of
// the body: they are kept as raw JSON.
func NewDecoder[T any](raw map[string]func(*T) json.Unmarshaler) *Decoder[T] {
	d := &Decoder[T]{registry: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer), raw: raw}
	d.schema = d.registry.Schema(reflect.TypeFor[T](), true, "Request")
	return d
}

// Decode reads a body that has passed [edgewire.CheckJSON] and checks it against the operation's schema. Errors are problems.
func (d *Decoder[T]) Decode(body []byte) (*T, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, problem.Validation(problem.Fault{Loc: []any{"body"}, Msg: "is empty: send a JSON object", Type: problem.FaultMissing})
	}
	noObject := problem.Validation(problem.Fault{Loc: []any{"body"}, Msg: "must be a JSON object with the fields of this operation", Type: problem.FaultInvalid})
	if !edgewire.IsObject(body) {
		return nil, noObject
	}
	r := new(T)
	parsed := map[string]any{}
	rest := []byte{'{'} // the body without the raw fields
	for name, text := range edgewire.Members(body) {
		var value any
		if field := d.raw[name]; field != nil {
			if field(r).UnmarshalJSON(text) != nil {
				return nil, noObject
			}
		} else {
			if json.Unmarshal(text, &value) != nil {
				return nil, noObject
			}
			if len(rest) > 1 {
				rest = append(rest, ',')
			}
			quoted, _ := json.Marshal(name) //nolint:errchkjson // a string
			rest = append(append(append(rest, quoted...), ':'), text...)
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
	if json.Unmarshal(append(rest, '}'), r) != nil {
		return nil, noObject
	}
	return r, nil
}
