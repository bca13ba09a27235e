package parsers

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
func (c *compiler) schema(raw json.RawMessage, loc []any) *schema {
	compiled, err := jsonschema.Compile(raw, jsonschema.Exact)
	if invalid, ok := errors.AsType[*jsonschema.Error](err); ok {
		for _, fault := range invalid.Faults {
			c.invalidf(in(loc, fault.Path()...), "%s", fault.Message)
		}
		return nil
	} else if err != nil {
		c.invalidf(loc, "cannot be read: %v", err)
		return nil
	}
	form := shapes{}.of(compiled.Root())
	if !form.may("object") {
		c.invalidf(loc, `must allow an object, because the result is one: set "type": "object"`)
		return nil
	}
	return &schema{compiled: compiled, form: form}
}

// resultFault is one way in which a result violates its schema.
type resultFault struct {
	path []any
	msg  string
}

func (f resultFault) String() string {
	if len(f.path) == 0 {
		return f.msg
	}
	parts := make([]string, 0, len(f.path))
	for _, part := range f.path {
		parts = append(parts, fmt.Sprint(part))
	}
	return strings.Join(parts, ".") + ": " + f.msg
}

// validate validates a result, which has the given number of values, against s.
func (s *schema) validate(result any, values int) ([]resultFault, error) {
	if values*s.compiled.Work() > validationsMax {
		return nil, errValues
	}
	err := s.compiled.Validate(result)
	if err == nil {
		return nil, nil
	}
	invalid, ok := errors.AsType[*jsonschema.Error](err)
	if !ok {
		return nil, fmt.Errorf("validating the result: %w", err)
	}
	found := make([]resultFault, 0, len(invalid.Faults))
	for _, fault := range invalid.Faults {
		found = append(found, resultFault{fault.Path(), fault.Message})
	}
	return found, nil
}
