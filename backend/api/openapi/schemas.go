package openapi

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const componentPrefix = "#/components/schemas/"

// correctSchemas changes what is wrong in generated code.
//
//   - In requests, a field with a default would be required. The default becomes a part of the description.
//   - In responses, a field that holds an object or null would never be null, and null would be missing from enumerations.
//   - A field with one value is a constant, so that a union of objects is told apart by it.
//   - Responses may get new fields, so they do not exclude them.
//
// Huma's own checks of requests do not read these schemas: see package decode.
func (c *completer) correctSchemas() {
	sent := c.sentSchemas()
	for name, s := range c.schemas.Map() {
		if sent[s] {
			visit(s, func(s *huma.Schema) {
				for _, property := range s.Properties {
					describeDefault(property)
				}
			})
			continue
		}
		visit(s, func(s *huma.Schema) {
			if s.AdditionalProperties == false {
				s.AdditionalProperties = nil
			}
			for _, property := range s.Properties {
				fixEnum(property)
			}
		})
		c.correctNull(s, c.schemas.TypeFromRef(componentPrefix+name))
	}
}

// sentSchemas are the schemas that requests refer to.
func (c *completer) sentSchemas() map[*huma.Schema]bool {
	sent := map[*huma.Schema]bool{}
	var follow func(s *huma.Schema)
	follow = func(s *huma.Schema) {
		visit(s, func(s *huma.Schema) {
			if s.Ref == "" {
				return
			}
			if target := c.schemas.SchemaFromRef(s.Ref); !sent[target] {
				sent[target] = true
				follow(target)
			}
		})
	}
	for _, item := range c.Document.Paths {
		for _, op := range operationsOf(item) {
			if op.RequestBody == nil {
				continue
			}
			for _, media := range op.RequestBody.Content {
				follow(media.Schema)
			}
		}
	}
	return sent
}

// visit calls f for a schema and all schemas in it. It does not follow references.
func visit(s *huma.Schema, f func(*huma.Schema)) {
	if s == nil {
		return
	}
	f(s)
	visit(s.Items, f)
	for _, property := range s.Properties {
		visit(property, f)
	}
	for _, forms := range [][]*huma.Schema{s.OneOf, s.AnyOf, s.AllOf} {
		for _, form := range forms {
			visit(form, f)
		}
	}
	if values, ok := s.AdditionalProperties.(*huma.Schema); ok {
		visit(values, f)
	}
}

func describeDefault(s *huma.Schema) {
	if s.Default == nil {
		return
	}
	if text, err := json.Marshal(s.Default); err == nil && !strings.Contains(s.Description, "Default:") {
		s.Description = strings.TrimSpace(s.Description + " Default: " + strings.Trim(string(text), `"`) + ".")
	}
	s.Default = nil
}

func fixEnum(s *huma.Schema) {
	switch {
	case len(s.Enum) == 1 && !s.Nullable:
		s.Extensions = map[string]any{"const": s.Enum[0]}
		s.Enum = nil
	case len(s.Enum) > 0 && s.Nullable && s.Enum[len(s.Enum)-1] != nil:
		s.Enum = append(s.Enum, nil)
	}
}

// correctNull allows null for the fields of t that hold a pointer to an object and are always there, and forbids it for
// lists that are left out if they are empty. The tag nullable decides for other fields.
func (c *completer) correctNull(s *huma.Schema, t reflect.Type) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return
	}
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		property := s.Properties[name]
		_, decided := field.Tag.Lookup("nullable")
		switch omitted := strings.Contains(options, "omit"); {
		case property == nil || decided:
		case omitted && field.Type.Kind() == reflect.Slice && property.Type == huma.TypeArray:
			property.Nullable = false
		case !omitted && field.Type.Kind() == reflect.Pointer && property.Ref != "":
			s.Properties[name] = &huma.Schema{
				AnyOf: []*huma.Schema{{Ref: property.Ref}, {Type: "null"}}, Description: property.Description,
			}
		}
	}
}
