package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/jsonschema"
)

// validationsMax is the limit of schemas times values when a result is validated.
const validationsMax = 20_000_000

// schema is a JSON Schema for results.
type schema struct {
	compiled *jsonschema.Schema
	form     *shape
}

// schema compiles a schema. It returns nil and records the faults if there are any.
func (c *Compiler) schema(raw json.RawMessage, loc []any) *schema {
	compiled, err := jsonschema.Compile(raw, jsonschema.Exact)
	if invalid, ok := errors.AsType[*jsonschema.Error](err); ok {
		for _, fault := range invalid.Faults {
			c.Invalidf(In(loc, fault.Path()...), "%s", fault.Message)
		}
		return nil
	} else if err != nil {
		c.Invalidf(loc, "cannot be read: %v", err)
		return nil
	}
	form := shapes{}.of(compiled.Root())
	if !form.may("object") {
		c.Invalidf(loc, `must allow an object, because the result is one: set "type": "object"`)
		return nil
	}
	return &schema{compiled: compiled, form: form}
}

// Fault is one way in which a result violates its schema.
type Fault struct {
	Path []any
	Msg  string
}

func (f Fault) String() string {
	if len(f.Path) == 0 {
		return f.Msg
	}
	parts := make([]string, 0, len(f.Path))
	for _, part := range f.Path {
		parts = append(parts, fmt.Sprint(part))
	}
	return strings.Join(parts, ".") + ": " + f.Msg
}

// validate validates a result, which has the given number of values, against s.
func (s *schema) validate(result any, values int) ([]Fault, error) {
	if values*s.compiled.Work() > validationsMax {
		return nil, ErrValues
	}
	err := s.compiled.Validate(result)
	if err == nil {
		return nil, nil
	}
	invalid, ok := errors.AsType[*jsonschema.Error](err)
	if !ok {
		return nil, fmt.Errorf("validating the result: %w", err)
	}
	found := make([]Fault, 0, len(invalid.Faults))
	for _, fault := range invalid.Faults {
		found = append(found, Fault{fault.Path(), fault.Message})
	}
	return found, nil
}
